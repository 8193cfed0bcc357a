//! Water of a square that is computed tile by tile, to the bits of the whole, in two stages.
//!
//! Basins: each tile labels its cells by where their receivers lead within it (to an outlet, to a pit, or to an *exit*,
//! a cell whose receiver lies in another tile) and keeps the minimum spanning tree of the links between its labels.
//! What no cell on its rim belongs to can only be linked within the tile, so of the tree the labels of the rim, forks
//! between them, and on the way from one to the next the highest link are all that others need: [`BasinSummary`]. An
//! exit and the cell that its water comes to belong to one basin. [`solve_spills`] joins these, the summaries and the
//! links over the borders to the minimum spanning tree of all basins. Links are in one strict order (height, lower
//! cell, place), so this tree is the one that [`Basins`](super::Basins) finds on the whole, cut down to the rims; each
//! tile is told which of its highest links belong to it, at which level water stands behind every label and which of
//! the ways down are turned round by other tiles ([`SpillSolution`]), and finds the rest by itself
//! ([`RegionDrainage::solve`]).
//!
//! Areas that drain through each cell: a tile adds its own ([`DrainedRegion::summary`]), what leaves it is added along
//! the exits of all tiles ([`solve_inflows`]), and the tile adds again with what comes in ([`DrainedRegion::areas`]).
//! Whole numbers have no rounding, so no order of additions is to be kept.
//!
//! Water that is divided between two receivers ([`DividedRegion`]) cannot be added so: how a cell divides it is
//! rounded, and follows from all that comes. But only cells that water from beyond may reach have to wait for other
//! tiles, those downstream of the rim, and of these every tile tells all ([`DividedSummary`]): their receivers,
//! which are such cells again, in the tile or in the next, and what comes to them from all others. [`DividedWorld`]
//! is the water of these cells of all tiles; what goes up the streams, as their wear does, is known everywhere once
//! it is known there.
//!
//! Source: Barnes 2016, *Parallel priority-flood depression filling for trillion cell digital elevation models*; Barnes
//! 2017, *Parallel non-divergent flow accumulation for trillion cell digital elevation models*; the tree of basins is
//! ours, so that ways out are those of Cordonnier, Bovy & Braun 2019 as on the whole.

mod divided;
mod inflow;
mod region;
mod spills;
mod words;

pub use divided::{DividedRegion, DividedSolution, DividedSummary, DividedWorld};
pub use inflow::{FlowSummary, InflowSolution, solve_inflows};
pub use region::{DrainedRegion, RegionDrainage};
pub use spills::{BasinSummary, SpillSolution, solve_spills};
pub use words::{SurveyReader, WordError, read_float_field, read_floats, write_floats, write_list};

use crate::field::Region;

/// The tiles of a square: every cell lies in one of them.
#[derive(Clone, Debug)]
pub struct TileRegions {
    samples: usize,
    /// Rows of the tiles of a row of tiles; columns are divided alike.
    spans: Vec<std::ops::Range<usize>>,
}

impl TileRegions {
    /// The tiles of a square of `samples` a side whose rows and columns are divided into `spans`, from the first on,
    /// each of two or more unless there is but one.
    pub fn new(samples: usize, spans: Vec<std::ops::Range<usize>>) -> Self {
        Self { samples, spans }
    }

    /// How many there are.
    #[allow(clippy::len_without_is_empty, reason = "there is one at the least")]
    pub fn len(&self) -> usize {
        self.spans.len() * self.spans.len()
    }

    /// The samples of a tile, counted row by row.
    pub fn region(&self, tile: usize) -> Region {
        let [row, column] = [tile / self.spans.len(), tile % self.spans.len()];
        Region { rows: self.spans[row].clone(), columns: self.spans[column].clone() }
    }

    /// Cells on the rim of a tile.
    pub fn rim_len(&self, tile: usize) -> usize {
        rim(&self.region(tile)).count()
    }

    /// The tile of a cell of the whole, and the number of the cell on its rim, on which it lies.
    fn on_rim(&self, cell: u64) -> (usize, usize) {
        let [row, column] = self.place(cell);
        let along = |at: usize| self.spans.partition_point(|span| span.end <= at);
        let tile = along(row) * self.spans.len() + along(column);
        (tile, rim_number(&self.region(tile), [row, column]))
    }

    fn place(&self, cell: u64) -> [usize; 2] {
        [(cell / self.samples as u64) as usize, (cell % self.samples as u64) as usize]
    }

    fn cell(&self, [row, column]: [usize; 2]) -> u64 {
        (row * self.samples + column) as u64
    }

    /// Cells of other tiles beside cell `place` of the rim of `region`.
    fn cells_beside(&self, region: &Region, [row, column]: [usize; 2]) -> impl Iterator<Item = [usize; 2]> + use<> {
        let (last, region) = (self.samples - 1, region.clone());
        let near = move |at: usize| at.saturating_sub(1)..=(at + 1).min(last);
        let all = near(row).flat_map(move |row| near(column).map(move |column| [row, column]));
        all.filter(move |[row, column]| !(region.rows.contains(row) && region.columns.contains(column)))
    }
}

/// Number of a cell on the rim of a region, row by row.
fn rim_number(region: &Region, [row, column]: [usize; 2]) -> usize {
    let (rows, columns) = (region.rows.len(), region.columns.len());
    let (i, j) = (row - region.rows.start, column - region.columns.start);
    match i {
        0 => j,
        _ if i + 1 == rows => columns + 2 * (rows - 2) + j,
        _ => columns + 2 * (i - 1) + usize::from(j > 0),
    }
}

/// The cells of the rim of a region by row and column, row by row.
fn rim(region: &Region) -> impl Iterator<Item = [usize; 2]> + use<> {
    let Region { rows, columns } = region.clone();
    let [first, last] = [rows.start, rows.end - 1];
    rows.flat_map(move |row| {
        let step = if row == first || row == last { 1 } else { columns.len() - 1 };
        columns.clone().step_by(step).map(move |column| [row, column])
    })
}

/// The cells beside a region of a square of `samples` a side, row by row.
fn cells_around(region: &Region, samples: usize) -> impl Iterator<Item = [usize; 2]> + use<> {
    let region = region.clone();
    let around = rim(&region.grown(1, samples));
    around.filter(move |[row, column]| !(region.rows.contains(row) && region.columns.contains(column)))
}

#[cfg(test)]
mod tests;
