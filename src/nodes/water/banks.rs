//! The ground beside rivers, cut down to their banks.
//!
//! Law: T = min over the river's cells s of z_s + max(0, d - r_s)·t, with d the distance in cells, r half the width and t the
//! rise of the banks over one cell; where T is below the ground the bank is cut.
//! Scheme: each cell learns from its neighbours which river cell cuts it lowest, in sweeps down and up the grid, and measures
//! the true distance to it (Danielsson 1980). A river's reach ends where its bank meets the ground.

use crate::field::{Cancelled, Control};
use crate::hydrology::Cells;

/// A cell of a river.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reach {
    pub cell: u32,
    /// Height of the bed.
    pub bed: f32,
    /// Half the width, in cells.
    pub half_width: f32,
}

/// Index in `reaches` of the river cell that cuts each cell, or [`NONE`]; and how low it cuts.
pub struct Banks {
    pub by: Vec<u32>,
    pub cut: Vec<f32>,
}

pub const NONE: u32 = u32::MAX;

/// Distance in cells between two cells, the short way round on a torus.
pub fn distance(cells: Cells, a: usize, b: usize) -> f32 {
    let apart = |x: usize, y: usize| {
        let d = x.abs_diff(y);
        if cells.wraps { d.min(cells.side - d) as f32 } else { d as f32 }
    };
    let (x, y) = (apart(a % cells.side, b % cells.side), apart(a / cells.side, b / cells.side));
    (x * x + y * y).sqrt()
}

/// The cuts of `reaches` into `height`, with banks that rise by `rise` per cell.
pub fn cut(cells: Cells, height: &[f32], reaches: &[Reach], rise: f32, control: &Control) -> Result<Banks, Cancelled> {
    let mut banks = Banks { by: vec![NONE; cells.len()], cut: height.to_vec() };
    for (index, reach) in reaches.iter().enumerate() {
        let k = reach.cell as usize;
        banks.by[k] = index as u32;
        banks.cut[k] = if reach.bed < height[k] { reach.bed } else { height[k] };
    }
    let side = cells.side;
    let learn = |banks: &mut Banks, k: usize, from: Option<usize>| {
        let Some(index) = from.map(|from| banks.by[from]).filter(|&by| by != NONE && by != banks.by[k]) else { return };
        let reach = &reaches[index as usize];
        let d = distance(cells, k, reach.cell as usize) - reach.half_width;
        let low = if d > 0.0 { reach.bed + d * rise } else { reach.bed };
        if low < banks.cut[k] {
            banks.cut[k] = low;
            banks.by[k] = index;
        }
    };
    // on a torus what crosses the seam is known in the second round
    for _ in 0..if cells.wraps { 2 } else { 1 } {
        for step in [-1, 1] {
            for line in 0..side {
                control.check()?;
                let row = if step < 0 { line } else { side - 1 - line };
                let before = cells.along(row, step).map(|row| row * side);
                for j in 0..side {
                    let beside = [-1, 0, 1].map(|s| before.zip(cells.along(j, s)).map(|(start, j)| start + j));
                    beside.into_iter().for_each(|from| learn(&mut banks, row * side + j, from));
                    learn(&mut banks, row * side + j, cells.along(j, -1).map(|j| row * side + j));
                }
                for j in (0..side).rev() {
                    learn(&mut banks, row * side + j, cells.along(j, 1).map(|j| row * side + j));
                }
            }
        }
    }
    Ok(banks)
}
