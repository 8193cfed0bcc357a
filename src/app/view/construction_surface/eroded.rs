//! A construction tree under filters and erosions, with its small forms between the samples of the grid.
//!
//! E is the height after all layers and T is the height of the tree alone. Both are sampled on the grid and
//! interpolated by curves through four samples (Catmull & Rom 1974). Where the requested positions are closer than the
//! samples, h(p) = E(p) + w (tree(p) - T(p)): the forms of the tree that are smaller than a cell are added to the
//! eroded terrain. Where the positions are farther apart, h = E. The weight w falls from 1 to 0 as a deposit of
//! [`BURYING_CELLS`] buries the small forms; incised rock keeps its roughness. The water is that of the grid. Its depth
//! is measured from E, so that forms higher than the water stand out of it.

use std::sync::Arc;

use crate::view::render::surface_water::signed_depths;
use talweg::eval::{Store, evaluate};
use talweg::field::{Cancelled, Control, Terrain, catmull_rom_weights, smooth_step};
use talweg::scene::Scene;

/// Thickness of a deposit, in cell sides, that hides all small forms of the tree.
pub const BURYING_CELLS: f64 = 0.05;

/// A tree with layers above it, and the terrain that they make of it.
#[derive(Clone, Debug)]
pub struct ErodedTree {
    /// The scene with the construction layer only.
    pub alone: Arc<Scene>,
    /// The terrain of all layers.
    pub terrain: Arc<Terrain>,
}

/// The interpolated grid at one position, as fractions of the relief.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GridSample {
    pub eroded: f64,
    /// Height of the tree alone, interpolated from the grid.
    pub tree: f64,
    /// Depth of the water over the eroded terrain, negative at shores; `None` far from all water.
    pub depth: Option<f64>,
}

/// The tree before and after erosion, sampled on the grid. Immutable.
#[derive(Clone, Debug)]
pub struct ErodedGround {
    terrain: Arc<Terrain>,
    tree: Arc<Terrain>,
    depths: Option<Vec<[f32; 1]>>,
}

impl ErodedGround {
    /// Samples the tree on the grid, which takes as long as its evaluation, unless `known` already holds the heights.
    ///
    /// # Errors
    /// If it is cancelled.
    pub fn new(of: &ErodedTree, known: Option<&Arc<Terrain>>, control: &Control) -> Result<Self, Cancelled> {
        let samples = of.terrain.samples();
        let tree = match known.filter(|known| known.grid == of.terrain.grid) {
            Some(known) => known.clone(),
            None => evaluate(&of.alone, samples, None, &mut Store::forgetful(), control)?.terrain,
        };
        let depths = signed_depths(&of.terrain, control)?.map(|depths| depths.signed);
        Ok(Self { terrain: of.terrain.clone(), tree, depths })
    }

    /// The heights of the tree alone at the samples.
    pub fn tree(&self) -> &Arc<Terrain> {
        &self.tree
    }

    pub fn has_water(&self) -> bool {
        self.depths.is_some()
    }

    /// Lowest and highest sample, as fractions of the relief.
    pub fn range(&self) -> (f32, f32) {
        self.terrain.range()
    }

    /// Side of a cell, as a fraction of the side of the square.
    pub fn cell(&self) -> f64 {
        1.0 / (self.terrain.samples() - 1) as f64
    }

    /// The interpolated grid at a position, both coordinates from 0 to 1. Outside the square it continues as at its
    /// edge.
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

    /// Weight of the tree's small forms where the terrain was raised by this many cell sides.
    pub fn shown_detail(raised_cells: f64) -> f64 {
        let buried = (raised_cells / BURYING_CELLS).clamp(0.0, 1.0);
        1.0 - smooth_step(buried)
    }
}
