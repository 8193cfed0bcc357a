//! A construction tree under filters and erosion layers. Tree detail smaller than a cell is added to the eroded grid.
//!
//! E is the height after all layers and T is the height of the construction tree alone. Both are sampled on the grid
//! and interpolated by curves through four samples (Catmull & Rom 1974). Where the requested positions are closer
//! together than the samples of the grid, h(p) = E(p) + w (tree(p) - T(p)). This adds the tree's detail smaller than a
//! cell to the eroded terrain. Elsewhere, h = E. The weight w falls from 1 to 0 as a deposit of thickness
//! [`BURYING_CELLS`] buries the detail. Incised rock keeps its roughness. The water comes from the grid. Its depth is
//! measured from E, so terrain that is higher than the water surface rises above it.

use std::sync::Arc;

use crate::view::render::surface_water::signed_depths;
use talweg::eval::{Store, evaluate};
use talweg::field::{Cancelled, Control, Terrain, catmull_rom_weights, smooth_step};
use talweg::scene::Scene;

/// Thickness of a deposit that buries all detail of the construction tree, as a multiple of the cell size.
pub const BURYING_CELLS: f64 = 0.05;

/// A construction tree with layers above it, and the terrain after all these layers.
#[derive(Clone, Debug)]
pub struct ErodedTree {
    /// The scene with only the construction layer.
    pub construction_scene: Arc<Scene>,
    /// The terrain after all layers.
    pub terrain: Arc<Terrain>,
}

/// Interpolated values of the grid at one position, as fractions of the relief.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GridSample {
    pub eroded: f64,
    /// Height of the construction tree alone, interpolated from the grid.
    pub tree: f64,
    /// Depth of the water over the eroded terrain, negative on dry shores; `None` far from all water.
    pub depth: Option<f64>,
}

/// The construction tree before and after erosion, sampled on the grid. Immutable.
#[derive(Clone, Debug)]
pub struct ErodedGround {
    terrain: Arc<Terrain>,
    tree: Arc<Terrain>,
    depths: Option<Vec<[f32; 1]>>,
}

impl ErodedGround {
    /// Samples the construction tree on the grid, which takes as long as its evaluation. If `known` holds these samples
    /// already, the function uses them instead.
    ///
    /// # Errors
    /// If `control` cancels.
    pub fn new(of: &ErodedTree, known: Option<&Arc<Terrain>>, control: &Control) -> Result<Self, Cancelled> {
        let samples = of.terrain.samples();
        let tree = match known.filter(|known| known.grid == of.terrain.grid) {
            Some(known) => known.clone(),
            None => evaluate(&of.construction_scene, samples, None, &mut Store::forgetful(), control)?.terrain,
        };
        let depths = signed_depths(&of.terrain, control)?.map(|depths| depths.signed);
        Ok(Self { terrain: of.terrain.clone(), tree, depths })
    }

    /// The terrain of the construction tree alone, sampled on the grid.
    pub fn tree(&self) -> &Arc<Terrain> {
        &self.tree
    }

    pub fn has_water(&self) -> bool {
        self.depths.is_some()
    }

    /// Lowest and highest sample of the eroded terrain, as fractions of the relief.
    pub fn range(&self) -> (f32, f32) {
        self.terrain.range()
    }

    /// Cell size as a fraction of the square's side length.
    pub fn cell(&self) -> f64 {
        1.0 / (self.terrain.samples() - 1) as f64
    }

    /// The interpolated grid values at a position, with both coordinates from 0 to 1. Outside the square, the function
    /// returns the values at the nearest edge.
    pub fn sample(&self, place: [f64; 2]) -> GridSample {
        let n = self.terrain.samples();
        let last = (n - 1) as f64;
        let [columns, rows] = place.map(|at| {
            let at = at.clamp(0.0, 1.0) * last;
            let from = (at as usize).min(n - 2);
            (from, (at - from as f64) as f32)
        });
        let along = |(from, t): (usize, f32)| {
            let samples = [from.saturating_sub(1), from, from + 1, (from + 2).min(n - 1)];
            (samples, catmull_rom_weights(t))
        };
        let ((across, by_column), (down, by_row)) = (along(columns), along(rows));
        let curved = |heights: &[f32]| -> f64 {
            let line = |row: usize| -> f64 {
                let row = &heights[row * n..][..n];
                across.iter().zip(by_column).map(|(&column, weight)| f64::from(row[column]) * f64::from(weight)).sum()
            };
            down.iter().zip(by_row).map(|(&row, weight)| line(row) * f64::from(weight)).sum()
        };
        let depth = self.depths.as_ref().and_then(|depths| {
            let corner = |row: usize, column: usize| depths[(rows.0 + row) * n + columns.0 + column][0];
            let [a, b, c, d] = [corner(0, 0), corner(0, 1), corner(1, 0), corner(1, 1)];
            let (east, south) = (columns.1, rows.1);
            let (top, bottom) = (a + (b - a) * east, c + (d - c) * east);
            [a, b, c, d].iter().any(|depth| *depth != 0.0).then(|| f64::from(top + (bottom - top) * south))
        });
        GridSample { eroded: curved(&self.terrain.height), tree: curved(&self.tree.height), depth }
    }

    /// Weight of the construction tree's detail where the terrain was raised by `raised_cells` times the cell size.
    pub fn shown_detail(raised_cells: f64) -> f64 {
        let buried = (raised_cells / BURYING_CELLS).clamp(0.0, 1.0);
        1.0 - smooth_step(buried)
    }
}
