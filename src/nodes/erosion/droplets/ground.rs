//! The terrain that droplets change: one shared copy, and a private patch of the terrain for each tile's droplets.

use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;

use super::tiles::Span;
use crate::Context;
use crate::erosion::rock::Rock;
use talweg_ground::field::{Cancelled, Edges, Grid};

/// Number of cells by which a brush can extend beyond the end of a row, because the rows of the brush are whole
/// vectors.
pub const LANES: usize = 4;

/// Number of rows that a thread copies together.
const BAND_ROWS: usize = 16;

/// The shared terrain, which stores every distinct cell once. Droplets change copies of its heights. The cells of its
/// maps are atomic so that the tiles of one colour can write in parallel in safe code. No two tiles of a colour touch
/// the same cell, so relaxed loads and stores are enough.
pub struct SharedGround {
    /// Number of cells in a row.
    pub side: usize,
    wraps: bool,
    /// Whether each cell is a void at which the land ends; empty without such voids.
    is_void: Vec<bool>,
    /// Heights before the droplets of the present colour.
    pub height: Vec<f32>,
    /// Water that passed each cell in this iteration, measured as the number of cells whose rain adds up to it, as
    /// the bits of an `f32`. Empty if no node or export reads the flow.
    pub flow: Vec<AtomicU32>,
    /// Load that passed each cell in this iteration, as a height over the cell. Empty if no node or export reads it.
    pub load: Vec<AtomicU32>,
}

#[inline(always)]
fn get(cell: &AtomicU32) -> f32 {
    f32::from_bits(cell.load(Ordering::Relaxed))
}

#[inline(always)]
fn set(cell: &AtomicU32, value: f32) {
    cell.store(value.to_bits(), Ordering::Relaxed);
}

impl SharedGround {
    /// The ground of `grid`, whose samples `voids` are voids at which the land ends. `has_maps` says whether flow and
    /// load are recorded.
    pub fn new(grid: Grid, voids: &[u32], has_maps: [bool; 2]) -> Self {
        let side = grid.distinct_side();
        let all = side * side;
        let zeros = |cells: usize| std::iter::repeat_with(|| AtomicU32::new(0)).take(cells).collect();
        let [flow, load] = has_maps.map(|is_recorded| zeros(if is_recorded { all } else { 0 }));
        let mut is_void = vec![false; if voids.is_empty() { 0 } else { all }];
        for (row, column) in voids.iter().map(|&k| (k as usize / grid.samples, k as usize % grid.samples)) {
            if row < side && column < side {
                is_void[row * side + column] = true;
            }
        }
        let wraps = grid.edges == Edges::Wrap;
        Self { side, wraps, is_void, height: vec![0.0; all], flow, load }
    }

    /// Loads the heights of a terrain and resets flow and load.
    pub fn load(&mut self, cx: &Context, height: &[f32]) -> Result<(), Cancelled> {
        let (n, side) = (cx.grid.samples, self.side);
        for map in [&mut self.flow, &mut self.load] {
            map.par_iter_mut().for_each(|cell| *cell.get_mut() = 0);
        }
        let rows = self.height.par_chunks_mut(side).zip(height.par_chunks(n));
        rows.with_min_len(BAND_ROWS).try_for_each(|(to, from)| {
            cx.control.check()?;
            to.copy_from_slice(&from[..side]);
            Ok(())
        })
    }

    /// Takes over the heights of patches that do not overlap.
    pub fn take_over(&mut self, patches: &[&TileGround]) {
        let rows = self.height.par_chunks_mut(self.side).enumerate();
        rows.with_min_len(BAND_ROWS).for_each(|(row, cells)| {
            for patch in patches {
                let Some(mut heights) = patch.row(row) else { continue };
                for columns in patch.columns.parts(patch.side) {
                    let (part, rest) = heights.split_at(columns.len());
                    cells[columns].copy_from_slice(part);
                    heights = rest;
                }
            }
        });
    }

    /// Wraps a position into the terrain. Returns `None` if the position is beyond an open edge, or in a void at which
    /// the land ends.
    #[inline(always)]
    pub fn place_inside(&self, place: [f32; 2]) -> Option<[f32; 2]> {
        self.place_within_edges(place).filter(|&place| self.is_void.is_empty() || !self.is_void[self.nearest(place)])
    }

    /// The position after a step of `step` cells from `place`. Returns `None` if the step leaves the terrain or meets a
    /// void at which the land ends.
    #[inline(always)]
    pub fn place_after(&self, place: [f32; 2], direction: [f32; 2], step: f32) -> Option<[f32; 2]> {
        let after = |cells: f32| [place[0] + direction[0] * cells, place[1] + direction[1] * cells];
        if !self.is_void.is_empty() {
            let mut cells = 1.0;
            while cells < step {
                self.place_inside(after(cells))?;
                cells += 1.0;
            }
        }
        self.place_inside(after(step))
    }

    #[inline(always)]
    fn place_within_edges(&self, [x, y]: [f32; 2]) -> Option<[f32; 2]> {
        let side = self.side as f32;
        if self.wraps {
            let around = |p: f32| {
                let p = if p < 0.0 { p + side } else { p };
                // p + side can round to `side` itself if p is just below zero
                if p >= side { p - side } else { p }
            };
            Some([around(x), around(y)])
        } else {
            let last = side - 1.0;
            (x >= 0.0 && y >= 0.0 && x <= last && y <= last).then_some([x, y])
        }
    }

    /// Index of the cell nearest to a point.
    #[inline(always)]
    fn nearest(&self, [x, y]: [f32; 2]) -> usize {
        let around = |p: f32| {
            let nearest = (p + 0.5) as usize;
            if nearest == self.side { 0 } else { nearest }
        };
        around(y) * self.side + around(x)
    }

    /// Records water and load that pass the cell nearest to a point.
    #[inline(always)]
    pub fn pass(&self, place: [f32; 2], water: f32, load: f32) {
        let here = self.nearest(place);
        for (map, passed) in [(&self.flow, water), (&self.load, load)] {
            if let Some(cell) = map.get(here) {
                set(cell, get(cell) + passed);
            }
        }
    }
}

/// A copy of a rectangle of the terrain as plain numbers, for the droplets of one tile. The rectangle can cross the
/// seam of the terrain.
pub struct TileGround {
    pub side: usize,
    pub wraps: bool,
    columns: Span,
    rows: Span,
    pub height: Vec<f32>,
    /// Erodibility of every cell; empty if it is uniform.
    pub erodibility: Vec<f32>,
}

impl TileGround {
    /// Copies the rectangle of `rows` and `columns` from the shared terrain.
    pub fn copy_from(ground: &SharedGround, rock: &Rock, [rows, columns]: [Span; 2]) -> Self {
        let (side, wraps, cells) = (ground.side, ground.wraps, rows.count * columns.count);
        let mut patch =
            Self { side, wraps, columns, rows, height: Vec::with_capacity(cells + LANES), erodibility: Vec::new() };
        for row in 0..rows.count {
            for part in patch.parts(row) {
                patch.height.extend_from_slice(&ground.height[part]);
            }
        }
        patch.height.resize(cells + LANES, 0.0);
        if rock.uniform().is_none() {
            // the rock is indexed by the samples of the grid, the shared terrain by its distinct cells
            let samples = side + usize::from(wraps);
            let erodibility = |k: usize| rock.erodibility(k / side * samples + k % side);
            patch.erodibility = (0..rows.count).flat_map(|row| patch.parts(row)).flatten().map(erodibility).collect();
            patch.erodibility.resize(cells + LANES, 0.0);
        }
        patch
    }

    /// The heights of the patch in a row of the terrain, if the patch has cells there.
    fn row(&self, row: usize) -> Option<&[f32]> {
        let (row, width) = (self.rows.offset(row, self.side), self.width());
        (row < self.rows.count).then(|| &self.height[row * width..(row + 1) * width])
    }

    /// Returns the indices of the shared cells that a row of the patch copies, first up to the seam and then beyond the
    /// seam.
    fn parts(&self, row: usize) -> [std::ops::Range<usize>; 2] {
        let i = self.rows.first + row;
        let from = (if i < self.side { i } else { i - self.side }) * self.side;
        self.columns.parts(self.side).map(|columns| from + columns.start..from + columns.end)
    }

    /// Index in the patch of the cell in row `i` and column `j`.
    #[inline(always)]
    pub fn index(&self, i: usize, j: usize) -> usize {
        self.rows.offset(i, self.side) * self.columns.count + self.columns.offset(j, self.side)
    }

    /// Number of cells in a row.
    #[inline(always)]
    pub fn width(&self) -> usize {
        self.columns.count
    }

    /// Returns the interpolated height at a point, and the gradient per cell. The point must be inside the patch.
    #[inline(always)]
    pub fn look(&self, [x, y]: [f32; 2]) -> (f32, [f32; 2]) {
        let (j, i) = (x as usize, y as usize);
        let (fx, fy) = (x - j as f32, y - i as f32);
        let (row, below) = (self.rows.offset(i, self.side), self.rows.offset(self.next_index(i), self.side));
        let (west, east) = (self.columns.offset(j, self.side), self.columns.offset(self.next_index(j), self.side));
        let at = |row: usize, column: usize| self.height[row * self.columns.count + column];
        let (nw, ne, sw, se) = (at(row, west), at(row, east), at(below, west), at(below, east));
        let (north, south) = (ne - nw, se - sw);
        let (top, bottom) = (nw + north * fx, sw + south * fx);
        (top + (bottom - top) * fy, [north + (south - north) * fx, bottom - top])
    }

    #[inline(always)]
    fn next_index(&self, index: usize) -> usize {
        match (index + 1 == self.side, self.wraps) {
            (false, _) => index + 1,
            (true, true) => 0,
            (true, false) => index,
        }
    }
}
