//! What the view shall show, and what it shows: the two ends of the way to the screen.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};

use bevy::prelude::Resource;
use glam::Vec3;

use super::compare::{CompareLayout, CompareSide, ComparedTerrain, Pane};
use super::globe::GlobeTerrain;
use super::prepare::SquareTerrain;
use super::tree_surface::{TreeSurface, Unsupported};
use crate::look::PaletteTable;

/// What the view shows; set it and the next frames will.
#[derive(Resource, Clone)]
pub struct ViewState {
    pub prepared: Option<Arc<SquareTerrain>>,
    /// A planet, in place of the terrain.
    pub globe: Option<Arc<GlobeTerrain>>,
    pub palette: Option<Arc<PaletteTable>>,
    /// Whether the sea, rivers and lakes are drawn.
    pub water: bool,
    /// Another terrain to compare with; its textures go when this goes.
    pub beside: Option<ComparedTerrain>,
    /// The tree that the terrain was made of, where it is that tree and nothing else; only while it is drawn.
    pub tree_surface: Option<Arc<TreeSurface>>,
}

impl Default for ViewState {
    fn default() -> Self {
        Self { prepared: None, globe: None, palette: None, water: true, beside: None, tree_surface: None }
    }
}

impl ViewState {
    /// The terrain of a side with its colours.
    pub fn terrain_of(&self, side: CompareSide) -> Option<(&Arc<SquareTerrain>, &Arc<PaletteTable>)> {
        match side {
            CompareSide::A => self.prepared.as_ref().zip(self.palette.as_ref()),
            CompareSide::B => self.beside.as_ref().map(|beside| (&beside.prepared, &beside.palette)),
        }
    }

    /// Serial of the terrain or planet that shall be on screen; 0 without one.
    pub fn serial(&self) -> u64 {
        let terrain = self.prepared.as_ref().map(|prepared| prepared.serial);
        self.globe.as_ref().map(|globe| globe.serial).or(terrain).unwrap_or(0)
    }

    /// How far along a ray the ground of a side is met.
    pub fn pick(&self, side: CompareSide, origin_world: Vec3, direction_world: Vec3) -> Option<f32> {
        let (prepared, _) = self.terrain_of(side)?;
        match self.tree_surface.as_ref().filter(|_| side == CompareSide::A) {
            Some(tree_surface) => {
                let long = direction_world.length();
                tree_surface.pick(origin_world, direction_world, prepared.scale.highest_world).map(|t| t / long)
            }
            None => prepared.ground().pick(origin_world, direction_world),
        }
    }

    /// All terrains, the one that is edited first.
    pub fn terrains(&self) -> impl Iterator<Item = &SquareTerrain> {
        let beside = self.beside.as_ref().map(|beside| &*beside.prepared);
        self.prepared.as_deref().into_iter().chain(beside)
    }

    pub fn layout(&self) -> CompareLayout {
        self.beside.as_ref().map_or(CompareLayout::One, |beside| beside.layout)
    }

    /// The parts of the view, from left to right.
    pub fn panes(&self) -> [Option<Pane>; 2] {
        self.layout().panes(self.beside.as_ref().is_some_and(|beside| beside.swapped))
    }
}

/// What was drawn last, known to both worlds.
#[derive(Resource, Clone, Default)]
pub struct FrameStatus(Arc<Report>);

#[derive(Default)]
struct Report {
    serials: [AtomicU64; 2],
    /// Memory of the textures of B.
    beside_bytes: AtomicU64,
    /// Patches of a tree are on their way, or still morph.
    unsettled: AtomicBool,
    /// Why the graphics card does not draw the tree; 0 if it does.
    unsupported: AtomicU8,
}

impl FrameStatus {
    /// Serial of the terrain or planet drawn last; 0 before the first.
    pub fn serial(&self) -> u64 {
        self.0.serials[0].load(Ordering::Acquire)
    }

    /// Serial of the one beside it; 0 without one.
    pub fn beside_serial(&self) -> u64 {
        self.0.serials[1].load(Ordering::Acquire)
    }

    /// Memory that the textures of the one beside take on the graphics card.
    pub fn beside_bytes(&self) -> u64 {
        self.0.beside_bytes.load(Ordering::Acquire)
    }

    /// Whether what is on screen is what shall be.
    pub fn is_current(&self, shown: &ViewState) -> bool {
        let beside = shown.beside.as_ref().map_or(0, |beside| beside.prepared.serial);
        let there = shown.serial() == 0 || shown.serial() == self.serial();
        let settled = !self.0.unsettled.load(Ordering::Acquire);
        there && settled && beside == self.beside_serial() && (beside != 0 || self.beside_bytes() == 0)
    }

    /// Why the graphics card cannot draw the tree.
    pub fn unsupported(&self) -> Option<Unsupported> {
        match self.0.unsupported.load(Ordering::Acquire) {
            1 => Some(Unsupported::NoStorage),
            2 => Some(Unsupported::TooLarge),
            _ => None,
        }
    }

    pub(super) fn set_unsupported(&self, unsupported: Option<Unsupported>) {
        let number = match unsupported {
            Some(Unsupported::NoStorage) => 1,
            Some(_) => 2,
            None => 0,
        };
        self.0.unsupported.store(number, Ordering::Release);
    }

    /// Whether all patches of a tree that the picture wants are there.
    pub(super) fn set_settled(&self, is_settled: bool) {
        self.0.unsettled.store(!is_settled, Ordering::Release);
    }

    /// The two terrains that are drawn now, and the memory of the textures of B.
    pub(super) fn report(&self, serials: [u64; 2], beside_bytes: u64) {
        for (cell, serial) in self.0.serials.iter().zip(serials) {
            cell.store(serial, Ordering::Release);
        }
        self.0.beside_bytes.store(beside_bytes, Ordering::Release);
    }
}
