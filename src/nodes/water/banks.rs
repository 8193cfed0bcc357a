//! River banks: cuts the terrain on both sides of rivers.
//!
//! Law: the maximum height of a cell is T = min over the river's cells s of z_s + max(0, d - r_s)·t_s. Here z_s is the
//! height of the river bed in cell s, and d the distance to cell s, in cells. r_s is half the width of the river, in
//! cells, and t_s the rise of the banks over one cell. Terrain above T is cut down to T. Terrain at or below the floor
//! height is not changed.
//! Scheme: neighbours pass on the river cell that gives the lowest T, and each cell computes its actual distance to
//! that river cell. A square is swept down and up (Danielsson 1980). The faces of a globe cannot be swept this way, so
//! there the search spreads outwards from the river beds until no height falls. A river's influence ends where its bank
//! meets the terrain.

use talweg_ground::field::{Cancelled, Control};
use talweg_ground::hydrology::FlowMesh;

/// A cell of a river.
#[derive(Clone, Copy, Debug)]
pub struct RiverCell {
    /// Index of the cell in the grid.
    pub cell: u32,
    /// Height of the river bed in this cell.
    pub bed: f32,
    /// Half the width of the river, in cells.
    pub half_width: f32,
    /// Rise of the banks over a horizontal distance of one cell.
    pub rise: f32,
}

impl RiverCell {
    /// Height of this river cell's bank at a distance in cells from the cell's centre.
    fn bank(&self, distance: f32) -> f32 {
        let beyond = distance - self.half_width;
        if beyond > 0.0 { self.bed + beyond * self.rise } else { self.bed }
    }
}

/// The terrain after the banks are cut. The duplicate samples at its seams are not updated until
/// [`Grid::close`](talweg_ground::field::Grid::close).
pub struct BankedGround {
    /// For each cell, the index in `reaches` of the river cell whose bank cuts it lowest, or [`NONE`].
    pub river_index: Vec<u32>,
    /// Heights of all cells after the cut, as fractions of the relief.
    pub cut: Vec<f32>,
}

/// Marks a cell that no bank cuts.
pub const NONE: u32 = u32::MAX;
/// Maximum width of a bank on either side of a river on a globe, in cells. On a square there is no maximum.
const BROADEST: usize = 256;

impl BankedGround {
    /// Cuts the banks of `reaches` into the cells of `height` that are above `floor`.
    ///
    /// # Errors
    /// If the evaluation is cancelled.
    pub fn new(
        mesh: &FlowMesh,
        height: &[f32],
        floor: f32,
        reaches: &[RiverCell],
        control: &Control,
    ) -> Result<Self, Cancelled> {
        let mut banks = Self { river_index: vec![NONE; height.len()], cut: height.to_vec() };
        for (index, reach) in reaches.iter().enumerate() {
            let k = reach.cell as usize;
            banks.river_index[k] = index as u32;
            banks.cut[k] = if reach.bed < height[k] { reach.bed } else { height[k] };
        }
        if mesh.grid().is_globe() {
            banks.go_outwards(mesh, height, floor, reaches, control)?;
        } else {
            banks.sweep(mesh, height, floor, reaches, control)?;
        }
        Ok(banks)
    }

    /// Cuts the banks on a square, by sweeps down and up.
    fn sweep(
        &mut self,
        mesh: &FlowMesh,
        height: &[f32],
        floor: f32,
        reaches: &[RiverCell],
        control: &Control,
    ) -> Result<(), Cancelled> {
        let grid = mesh.grid();
        let (n, side) = (grid.samples, grid.distinct_side());
        let beside = |index: usize, step: isize| {
            let there = if step < 0 { grid.previous(index) } else { grid.next(index) };
            there.map(|there| grid.original(there))
        };
        let mut learn = |k: usize, from: Option<usize>| {
            let Some(index) =
                from.map(|from| self.river_index[from]).filter(|&by| by != NONE && by != self.river_index[k])
            else {
                return;
            };
            let reach = &reaches[index as usize];
            let low = reach.bank(mesh.straight_distance(k, reach.cell as usize));
            if low < self.cut[k] && height[k] > floor {
                self.cut[k] = low;
                self.river_index[k] = index;
            }
        };
        // On a torus, banks that cross the seam need a second round of sweeps.
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

    /// Cuts the banks on a globe, spreading outwards from the river beds.
    fn go_outwards(
        &mut self,
        mesh: &FlowMesh,
        height: &[f32],
        floor: f32,
        reaches: &[RiverCell],
        control: &Control,
    ) -> Result<(), Cancelled> {
        let mut front: Vec<u32> = reaches.iter().map(|reach| reach.cell).collect();
        let mut next = Vec::new();
        for _ in 0..BROADEST {
            control.check()?;
            for &k in &front {
                let index = self.river_index[k as usize];
                let reach = &reaches[index as usize];
                for there in mesh.existing_neighbours(k as usize) {
                    // No bank cuts below the bed of its own river cell.
                    if self.river_index[there] == index || height[there] <= floor || self.cut[there] <= reach.bed {
                        continue;
                    }
                    let low = reach.bank(mesh.straight_distance(there, reach.cell as usize));
                    if low < self.cut[there] {
                        self.cut[there] = low;
                        self.river_index[there] = index;
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
