//! What the view shall show, and what it shows: the two ends of the path to the screen.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};

use bevy::prelude::Resource;
use glam::{Vec2, Vec3};

use super::camera::{Lens, ViewProjection};
use super::compare::{CompareLayout, CompareSide, ComparedTerrain, Pane};
use super::construction_surface::{TreeSurface, Unsupported};
use super::globe::terrain::GlobeTerrain;
use super::render_terrain::RenderTerrain;
use super::square::SquareTerrain;
use talweg::appearance::PaletteTable;
use talweg::preferences::GroundDetail;

/// What the view shows; set it and the next frames will.
#[derive(Resource, Clone)]
pub struct ViewState {
    pub terrain: Option<RenderTerrain>,
    pub palette: Option<Arc<PaletteTable>>,
    /// Whether the sea, rivers and lakes are drawn.
    pub water: bool,
    /// How much of the materials of the ground is drawn.
    pub ground_detail: GroundDetail,
    /// How squares come onto the picture.
    pub projection: ViewProjection,
    /// Metres along a ray at which the level of detail of a tree is half; nothing where it is the same everywhere. Rays
    /// alone follow it.
    pub half_detail: Option<f32>,
    /// Another terrain to compare with; its textures go when this goes.
    pub beside: Option<ComparedTerrain>,
    /// The tree that the terrain was made of, where it is that tree and nothing else; only while it is drawn.
    pub tree_surface: Option<Arc<TreeSurface>>,
}

impl Default for ViewState {
    fn default() -> Self {
        Self {
            terrain: None,
            palette: None,
            water: true,
            ground_detail: GroundDetail::Automatic,
            projection: ViewProjection::Perspective,
            half_detail: None,
            beside: None,
            tree_surface: None,
        }
    }
}

impl ViewState {
    /// The terrain of a side with its colours.
    pub fn terrain_of(&self, side: CompareSide) -> Option<(&RenderTerrain, &Arc<PaletteTable>)> {
        match side {
            CompareSide::A => self.terrain.as_ref().zip(self.palette.as_ref()),
            CompareSide::B => self.beside.as_ref().map(|beside| (&beside.terrain, &beside.palette)),
        }
    }

    /// The square of a side, if it shows one.
    pub fn square_of(&self, side: CompareSide) -> Option<&Arc<SquareTerrain>> {
        self.terrain_of(side)?.0.square()
    }

    /// The planet of a side, if it shows one.
    pub fn globe_of(&self, side: CompareSide) -> Option<&Arc<GlobeTerrain>> {
        self.terrain_of(side)?.0.globe()
    }

    /// Serial of the terrain that shall be on screen; 0 without one.
    pub fn serial(&self) -> u64 {
        self.terrain.as_ref().map_or(0, |terrain| terrain.base().serial)
    }

    /// How far along a ray the ground of the square of a side is met.
    pub fn pick(&self, side: CompareSide, origin_world: Vec3, direction_world: Vec3) -> Option<f32> {
        let square = self.square_of(side)?;
        match self.tree_surface.as_ref().filter(|_| side == CompareSide::A) {
            Some(tree_surface) => {
                let long = direction_world.length();
                tree_surface.pick(origin_world, direction_world, square.scale.highest_world).map(|t| t / long)
            }
            None => square.picker().pick(origin_world, direction_world),
        }
    }

    /// All squares, the one that is edited first.
    pub fn squares(&self) -> impl Iterator<Item = &SquareTerrain> {
        let beside = self.beside.as_ref().map(|beside| &beside.terrain);
        self.terrain.iter().chain(beside).filter_map(|terrain| terrain.square()).map(Arc::as_ref)
    }

    pub fn layout(&self) -> CompareLayout {
        self.beside.as_ref().map_or(CompareLayout::One, |beside| beside.layout)
    }

    /// Lens of each picture of squares in a view of `size` logical pixels.
    pub fn lens(&self, size: Vec2) -> Lens {
        self.layout().lens(size, self.projection)
    }

    /// The parts of the view, from left to right.
    pub fn panes(&self) -> [Option<Pane>; 2] {
        self.layout().panes(self.beside.as_ref().is_some_and(|beside| beside.swapped))
    }
}

/// What was drawn last, known to both worlds.
#[derive(Resource, Clone, Default)]
pub struct FrameStatus(Arc<FrameCells>);

#[derive(Default)]
struct FrameCells {
    serials: [AtomicU64; 2],
    /// Memory of the textures of B.
    beside_bytes: AtomicU64,
    /// Patches of a tree are on their way, or still morph.
    unsettled: AtomicBool,
    /// The next picture is taken; see [`RenderQuality::Still`](crate::view::RenderQuality::Still).
    awaited: AtomicBool,
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
    pub fn is_current(&self, view_state: &ViewState) -> bool {
        let beside = view_state.beside.as_ref().map_or(0, |beside| beside.terrain.base().serial);
        let there = view_state.serial() == 0 || view_state.serial() == self.serial();
        let settled = !self.0.unsettled.load(Ordering::Acquire);
        there && settled && beside == self.beside_serial() && (beside != 0 || self.beside_bytes() == 0)
    }

    /// The next frame is a picture that somebody takes: of single pictures no other is drawn.
    pub fn await_picture(&self) {
        self.0.awaited.store(true, Ordering::Release);
    }

    /// Whether the frame that is about to be drawn is taken; the one after it is not.
    pub(super) fn take_awaited(&self) -> bool {
        self.0.awaited.swap(false, Ordering::AcqRel)
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
