//! The ground beside rivers, cut down to their banks.
//!
//! Law: T = min over the river's cells s of z_s + max(0, d - r_s)·t_s, with d the distance in cells, r half the width
//! and t the rise of the banks over one cell; where T is below the ground the bank is cut. Ground at or below the floor
//! stays.
//! Scheme: each cell learns from its neighbours which river cell cuts it lowest, and measures the true distance to it:
//! on a square in sweeps down and up the grid (Danielsson 1980), on a globe, whose faces no sweep goes around, outwards
//! from the beds until nothing gets lower. A river's reach ends where its bank meets the ground.

use talweg_ground::field::{Cancelled, Control};
use talweg_ground::hydrology::FlowMesh;

/// A cell of a river.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    /// Index of the cell.
    pub cell: u32,
    /// Height of the bed.
    pub bed: f32,
    /// Half the width, in cells.
    pub half_width: f32,
    /// Rise of the banks over one cell.
    pub rise: f32,
}

impl Reach {
    /// Height of its bank at a distance in cells.
    fn bank(&self, distance: f32) -> f32 {
        let beyond = distance - self.half_width;
        if beyond > 0.0 { self.bed + beyond * self.rise } else { self.bed }
    }
}

/// The ground with banks. Copies are left for [`Grid::close`](talweg_ground::field::Grid::close).
pub struct BankedGround {
    /// Index in the reaches of the river cell that cuts each cell, or [`NONE`].
    pub by: Vec<u32>,
    /// Heights of all cells after the cut, as fractions of the relief.
    pub cut: Vec<f32>,
}

/// No river cuts the cell.
pub const NONE: u32 = u32::MAX;
/// Cells that a bank reaches to either side at most, on a globe.
const BROADEST: usize = 256;

impl BankedGround {
    /// Cuts `reaches` into those cells of `height` that lie above `floor`.
    ///
    /// # Errors
    /// When it was cancelled.
    pub fn new(
        mesh: &FlowMesh,
        height: &[f32],
        floor: f32,
        reaches: &[Reach],
        control: &Control,
    ) -> Result<Self, Cancelled> {
        let mut banks = Self { by: vec![NONE; height.len()], cut: height.to_vec() };
        for (index, reach) in reaches.iter().enumerate() {
            let k = reach.cell as usize;
            banks.by[k] = index as u32;
            banks.cut[k] = if reach.bed < height[k] { reach.bed } else { height[k] };
        }
        if mesh.grid().is_globe() {
            banks.go_outwards(mesh, height, floor, reaches, control)?;
        } else {
            banks.sweep(mesh, height, floor, reaches, control)?;
        }
        Ok(banks)
    }

    /// On a square.
    fn sweep(
        &mut self,
        mesh: &FlowMesh,
        height: &[f32],
        floor: f32,
        reaches: &[Reach],
        control: &Control,
    ) -> Result<(), Cancelled> {
        let grid = mesh.grid();
        let (n, side) = (grid.samples, grid.distinct());
        let beside = |index: usize, step: isize| {
            let there = if step < 0 { grid.previous(index) } else { grid.next(index) };
            there.map(|there| grid.original(there))
        };
        let mut learn = |k: usize, from: Option<usize>| {
            let Some(index) = from.map(|from| self.by[from]).filter(|&by| by != NONE && by != self.by[k]) else {
                return;
            };
            let reach = &reaches[index as usize];
            let low = reach.bank(mesh.straight_distance(k, reach.cell as usize));
            if low < self.cut[k] && height[k] > floor {
                self.cut[k] = low;
                self.by[k] = index;
            }
        };
        // on a torus what crosses the seam is known in the second round
        for _ in 0..if side < n { 2 } else { 1 } {
            for step in [-1, 1] {
                for line in 0..side {
                    control.check()?;
                    let row = if step < 0 { line } else { side - 1 - line };
                    let before = beside(row, step).map(|row| row * n);
                    for j in 0..side {
                        let [west, east] = [beside(j, -1), beside(j, 1)];
                        let above = [west, Some(j), east].map(|column| before.zip(column).map(|(start, j)| start + j));
                        above.into_iter().for_each(|from| learn(row * n + j, from));
                        learn(row * n + j, west.map(|j| row * n + j));
                    }
                    for j in (0..side).rev() {
                        learn(row * n + j, beside(j, 1).map(|j| row * n + j));
                    }
                }
            }
        }
        Ok(())
    }

    /// On a globe.
    fn go_outwards(
        &mut self,
        mesh: &FlowMesh,
        height: &[f32],
        floor: f32,
        reaches: &[Reach],
        control: &Control,
    ) -> Result<(), Cancelled> {
        let mut front: Vec<u32> = reaches.iter().map(|reach| reach.cell).collect();
        let mut next = Vec::new();
        for _ in 0..BROADEST {
            control.check()?;
            for &k in &front {
                let index = self.by[k as usize];
                let reach = &reaches[index as usize];
                for there in mesh.existing_neighbours(k as usize) {
                    // nothing is cut below the bed
                    if self.by[there] == index || height[there] <= floor || self.cut[there] <= reach.bed {
                        continue;
                    }
                    let low = reach.bank(mesh.straight_distance(there, reach.cell as usize));
                    if low < self.cut[there] {
                        self.cut[there] = low;
                        self.by[there] = index;
                        next.push(there as u32);
                    }
                }
            }
            if next.is_empty() {
                break;
            }
            front.clear();
            std::mem::swap(&mut front, &mut next);
        }
        Ok(())
    }
}
