//! Draws a construction tree from tiles. The module keeps the tree's patches on the graphics card and selects the
//! instances to draw in a frame.

use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use bevy::render::render_resource::Buffer;

use super::atlas::{Atlas, Steps, TileInstance, is_wet, sides_of};
use super::{Budget, Tessellation, TileCamera};
use crate::view::construction_surface::TreeSurface;
use crate::view::render::batch::{DrawContext, GrowingBuffer};
use crate::view::render::mesh::RenderQuality;

/// Ranges of the instance buffer, one for each part of a construction tree that is drawn from tiles.
#[derive(Clone, Default)]
pub struct TileRanges {
    pub ground: Range<u32>,
    pub sides: Range<u32>,
    /// `sea`: tiles with some terrain below the sea; `water`: tiles with some inland water.
    pub sea: Range<u32>,
    pub water: Range<u32>,
}

/// A construction tree on the graphics card.
pub struct TileRenderer {
    tessellation: Tessellation,
    atlas: Atlas,
    instances: GrowingBuffer,
    last: Option<Instant>,
}

impl TileRenderer {
    pub fn new(context: &DrawContext) -> Self {
        let is_fine = context.mesh.detail.quads as usize == Budget::FINE.quads;
        let budget = if is_fine { Budget::FINE } else { Budget::FRUGAL };
        Self {
            tessellation: Tessellation::new(budget, context.quality),
            atlas: Atlas::new(&budget, context.device),
            instances: GrowingBuffer::new(context.device, 64 * 1024),
            last: None,
        }
    }

    /// Advances by one frame and uploads new patches. Returns `None` until the first patches can be drawn.
    pub fn advance(
        &mut self,
        tree_surface: &Arc<TreeSurface>,
        camera: &TileCamera,
        steps: &Steps,
        sea_world: f32,
        context: &DrawContext,
    ) -> Option<TileRanges> {
        let now = Instant::now();
        let seconds = self.last.replace(now).map_or(0.0, |last| now.duration_since(last).as_secs_f32());
        // a still image does not animate; after a slow frame, the animation must not jump
        let seconds = if context.quality == RenderQuality::Still { f32::MAX } else { seconds.min(0.25) };
        let half_world = context.half_detail.map(|half| f64::from(half) * tree_surface.world_per_metre);
        for upload in self.tessellation.advance(tree_surface, half_world, camera, seconds) {
            self.atlas.write(&upload, context.queue);
        }
        self.tessellation.tree_surface()?;
        let all: Vec<_> = self.tessellation.tiles().collect();
        let mut instances: Vec<TileInstance> = Vec::with_capacity(2 * all.len());
        let mut list = |add: &mut dyn FnMut(&mut Vec<TileInstance>)| {
            let from = instances.len() as u32;
            add(&mut instances);
            from..instances.len() as u32
        };
        let atlas = &self.atlas;
        let tiles = TileRanges {
            ground: list(&mut |out| {
                out.extend(all.iter().map(|(tile, slot, _)| atlas.instance(tile, *slot, steps, 0)))
            }),
            sides: list(&mut |out| {
                for (tile, slot, _) in &all {
                    out.extend(sides_of(tile.key).map(|side| atlas.instance(tile, *slot, steps, side)));
                }
            }),
            sea: list(&mut |out| {
                let wet = all.iter().filter(|(.., patch)| is_wet(patch, sea_world));
                out.extend(wet.map(|(tile, slot, _)| atlas.instance(tile, *slot, steps, 0)));
            }),
            water: list(&mut |out| {
                let wet = all.iter().filter(|(.., patch)| patch.wettest_world > 0.0);
                out.extend(wet.map(|(tile, slot, _)| atlas.instance(tile, *slot, steps, 0)));
            }),
        };
        self.instances.write(bytemuck::cast_slice(&instances), context.device, context.queue);
        Some(tiles)
    }

    pub fn atlas(&self) -> &Atlas {
        &self.atlas
    }

    pub fn instances(&self) -> &Buffer {
        &self.instances.buffer
    }

    /// Whether no patch is missing and nothing moves.
    pub fn is_settled(&self) -> bool {
        self.tessellation.is_settled
    }
}
