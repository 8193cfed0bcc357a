//! The wanted state of the view ([`ViewState`]) and the state that was drawn last ([`FrameStatus`]).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering};

use bevy::prelude::Resource;
use glam::{Vec2, Vec3};

use super::compare::{CompareLayout, CompareSide, Pane};
use super::construction_surface::{TreeSurface, Unsupported};
use super::globe::GlobeTerrain;
use super::lens::{Lens, ViewProjection};
use super::render_terrain::RenderTerrain;
use super::square::SquareTerrain;
use talweg::appearance::PaletteTable;
use talweg::preferences::GroundDetail;

/// Terrain B with its palette, and how A and B are arranged.
#[derive(Clone)]
pub struct ComparedTerrain {
    pub terrain: RenderTerrain,
    pub palette: Arc<PaletteTable>,
    pub layout: CompareLayout,
    /// Whether B is the first terrain: on the left or, with [`CompareLayout::One`], the only visible terrain.
    pub swapped: bool,
}

/// The wanted contents of the view. A change appears on screen within the next frames.
#[derive(Resource, Clone)]
pub struct ViewState {
    pub terrain: Option<RenderTerrain>,
    pub palette: Option<Arc<PaletteTable>>,
    /// Whether the sea, rivers and lakes are drawn.
    pub water: bool,
    /// How much detail of the terrain materials is drawn.
    pub ground_detail: GroundDetail,
    /// Camera projection for square terrains.
    pub projection: ViewProjection,
    /// Distance along a ray, in metres, at which the level of detail κ of a construction tree is 0.5. `None` means full
    /// detail at any distance. Only sphere tracing uses this field.
    pub half_detail: Option<f32>,
    /// A second terrain to compare with. The textures of that terrain are freed when this field becomes `None`.
    pub compared: Option<ComparedTerrain>,
    /// The construction tree of the terrain, if no other layer contributes heights. `None` while no construction tree
    /// is drawn.
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
            compared: None,
            tree_surface: None,
        }
    }
}

impl ViewState {
    /// The terrain of one side of the comparison, with its palette.
    pub fn terrain_on_side(&self, side: CompareSide) -> Option<(&RenderTerrain, &Arc<PaletteTable>)> {
        match side {
            CompareSide::A => self.terrain.as_ref().zip(self.palette.as_ref()),
            CompareSide::B => self.compared.as_ref().map(|beside| (&beside.terrain, &beside.palette)),
        }
    }

    /// The square terrain of one side of the comparison, if this side shows a square.
    pub fn square_on_side(&self, side: CompareSide) -> Option<&Arc<SquareTerrain>> {
        self.terrain_on_side(side)?.0.square()
    }

    /// The globe of one side of the comparison, if this side shows a globe.
    pub fn globe_on_side(&self, side: CompareSide) -> Option<&Arc<GlobeTerrain>> {
        self.terrain_on_side(side)?.0.globe()
    }

    /// Serial number of the terrain that the screen must show; 0 if there is no terrain.
    pub fn serial(&self) -> u64 {
        self.terrain.as_ref().map_or(0, |terrain| terrain.base().serial)
    }

    /// Distance from `origin_world` along a ray to the square terrain of one side, in world units. `None` if the ray
    /// misses the terrain.
    pub fn pick(&self, side: CompareSide, origin_world: Vec3, direction_world: Vec3) -> Option<f32> {
        let square = self.square_on_side(side)?;
        match self.tree_surface.as_ref().filter(|_| side == CompareSide::A) {
            Some(tree_surface) => {
                let long = direction_world.length();
                tree_surface.pick(origin_world, direction_world, square.scale.highest_world).map(|t| t / long)
            }
            None => square.picker().pick(origin_world, direction_world),
        }
    }

    /// All square terrains, the edited terrain first.
    pub fn squares(&self) -> impl Iterator<Item = &SquareTerrain> {
        let beside = self.compared.as_ref().map(|beside| &beside.terrain);
        self.terrain.iter().chain(beside).filter_map(|terrain| terrain.square()).map(Arc::as_ref)
    }

    pub fn layout(&self) -> CompareLayout {
        self.compared.as_ref().map_or(CompareLayout::One, |beside| beside.layout)
    }

    /// Lens of each image of square terrains in a view of `size` logical pixels.
    pub fn lens(&self, size: Vec2) -> Lens {
        self.layout().lens(size, self.projection)
    }

    /// The panes of the view, from left to right.
    pub fn panes(&self) -> [Option<Pane>; 2] {
        self.layout().panes(self.compared.as_ref().is_some_and(|beside| beside.swapped))
    }
}

/// The state that was drawn last. The main world and the render world share it.
#[derive(Resource, Clone, Default)]
pub struct FrameStatus(Arc<FrameCells>);

#[derive(Default)]
struct FrameCells {
    serials: [AtomicU64; 2],
    /// Size of the textures of B, in bytes.
    compared_bytes: AtomicU64,
    /// Whether patches of a construction tree are still being computed or still morph.
    unsettled: AtomicBool,
    /// Whether the next frame will be captured; see [`RenderQuality::Still`](crate::view::RenderQuality::Still).
    awaited: AtomicBool,
    /// Bits of [`FrameStatus::coarsening`].
    coarsening: AtomicU32,
    /// Code of the reason why the graphics card cannot draw the construction tree; 0 if the card can draw it.
    unsupported: AtomicU8,
}

impl FrameStatus {
    /// Serial number of the terrain drawn last, square or globe; 0 before the first terrain.
    pub fn serial(&self) -> u64 {
        self.0.serials[0].load(Ordering::Acquire)
    }

    /// Serial number of the terrain drawn as B; 0 if there is no B.
    pub fn compared_serial(&self) -> u64 {
        self.0.serials[1].load(Ordering::Acquire)
    }

    /// Size of the textures of B on the graphics card, in bytes.
    pub fn compared_bytes(&self) -> u64 {
        self.0.compared_bytes.load(Ordering::Acquire)
    }

    /// Whether the screen shows the wanted state completely, and the textures of a former terrain B are freed.
    pub fn is_current(&self, view_state: &ViewState) -> bool {
        let beside = view_state.compared.as_ref().map_or(0, |beside| beside.terrain.base().serial);
        let there = view_state.serial() == 0 || view_state.serial() == self.serial();
        let settled = !self.0.unsettled.load(Ordering::Acquire);
        there && settled && beside == self.compared_serial() && (beside != 0 || self.compared_bytes() == 0)
    }

    /// Marks the next frame for capture. With [`RenderQuality::Still`](crate::view::RenderQuality::Still), only marked
    /// frames are drawn.
    pub fn request_capture(&self) {
        self.0.awaited.store(true, Ordering::Release);
    }

    /// Returns whether the frame about to be drawn will be captured, and resets the mark.
    pub(super) fn take_capture_request(&self) -> bool {
        self.0.awaited.swap(false, Ordering::AcqRel)
    }

    /// The reason why the graphics card cannot draw the construction tree, if there is one.
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

    /// Records whether all patches of a construction tree that the image needs are present.
    pub(super) fn set_settled(&self, is_settled: bool) {
        self.0.unsettled.store(!is_settled, Ordering::Release);
    }

    /// Factor by which the quads of the terrain are wider on screen than the quality asks for, because the memory for
    /// terrain tiles is limited; 1 if they are not.
    pub fn coarsening(&self) -> f32 {
        f32::from_bits(self.0.coarsening.load(Ordering::Acquire)).max(1.0)
    }

    pub(super) fn set_coarsening(&self, times: f32) {
        self.0.coarsening.store(times.to_bits(), Ordering::Release);
    }

    /// Records the serial numbers of the two drawn terrains and the size of the textures of B.
    pub(super) fn report(&self, serials: [u64; 2], beside_bytes: u64) {
        for (cell, serial) in self.0.serials.iter().zip(serials) {
            cell.store(serial, Ordering::Release);
        }
        self.0.compared_bytes.store(beside_bytes, Ordering::Release);
    }
}
