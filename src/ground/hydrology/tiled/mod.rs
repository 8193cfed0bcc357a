//! Computes the drainage of a square terrain tile by tile, in stages. The result is bit-identical to the drainage
//! of the whole square.
//!
//! Basins: each tile labels its cells by the end of their flow path within the tile: an outlet, a pit, or an *exit*. An
//! exit is a cell whose receiver is in another tile. The tile keeps the minimum spanning tree of the links between its
//! labels. The *rim* of a tile is its perimeter: the first and last row and column of its cells. A label without a cell
//! on the rim can only be linked within the tile. So other tiles need only a part of the spanning tree, the
//! [`BasinSummary`]. It holds the labels of the rim, the forks between them, and the highest link between each two of
//! these nodes.
//!
//! An exit and the cell that its water reaches belong to one basin. [`solve_spills`] builds the minimum spanning tree
//! of all basins from the exits, the summaries and the links across tile borders. Links have a strict order (height,
//! lower cell, cell index). So this spanning tree equals the tree that [`Basins`](super::Basins) finds on the whole
//! square, reduced to the rims. Each tile then gets a [`SpillSolution`]. For each link of the tile's summary, it says
//! whether the link belongs to the spanning tree. For each node of the tile, it holds the spill level. It also lists
//! the filled heights around the tile. [`RegionDrainage::fill`] computes the filled surface of the tile from them.
//!
//! Flats: water crosses a level part of the filled surface on the shortest way to its outflow, which can be in another
//! tile. Each tile lists the flat cells that are connected to its rim ([`FilledRegion::flats`]). [`solve_flats`]
//! measures the distances from the outflow on these cells, and each tile gets the distances at its rim. All other
//! distances follow within the tile ([`FilledRegion::drain`]).
//!
//! Drainage areas: a tile first sums its own area along its flow paths ([`DrainedRegion::summary`]). [`solve_inflows`]
//! then sums the outflow along the exits of all tiles, and the tile sums again with its inflow
//! ([`DrainedRegion::areas`]). Whole numbers are not rounded, so the order in which areas are added does not matter.
//!
//! Water that is divided between two receivers ([`DividedRegion`]) cannot be summed in this way: each division is
//! rounded, and the rounding depends on the whole inflow. But only *trunks*, the cells on and downstream of the rim,
//! can receive water from other tiles and must wait for it. Every tile describes all its trunks in a
//! [`DividedSummary`]: their receivers, which are trunks of the same tile or of a neighbouring tile, and the inflow
//! from all other cells. [`DividedTrunks`] accumulates the water of the trunks of all tiles. Quantities that propagate
//! upstream, such as erosion, are known everywhere once they are known at the trunks.
//!
//! Source: Barnes 2016, *Parallel priority-flood depression filling for trillion cell digital elevation models*; Barnes
//! 2017, *Parallel non-divergent flow accumulation for trillion cell digital elevation models*. The spanning tree of
//! basins and the distances on flats are our own additions.

mod divided;
mod flats;
mod inflow;
mod region;
mod spills;
mod words;

pub use divided::{DividedRegion, DividedSolution, DividedSummary, DividedTrunks};
pub use flats::{FlatSolution, FlatSummary, solve_flats};
pub use inflow::{FlowSummary, InflowSolution, solve_inflows};
pub use region::{DrainedRegion, FilledRegion, RegionDrainage};
pub use spills::{BasinSummary, SpillSolution, solve_spills};
pub use words::{SurveyReader, WordError, read_float_field, read_floats, write_floats, write_list};

use crate::field::Region;

/// The tiles of a square; every cell belongs to exactly one tile.
#[derive(Clone, Debug)]
pub struct TileRegions {
    samples: usize,
    /// Range of the grid's rows in each row of tiles; columns are divided in the same way.
    spans: Vec<std::ops::Range<usize>>,
}

impl TileRegions {
    /// The tiles of a square of `samples` × `samples` cells. Its rows and columns are divided into `spans`, in order.
    /// Each span has two or more samples unless there is only one span.
    pub fn new(samples: usize, spans: Vec<std::ops::Range<usize>>) -> Self {
        Self { samples, spans }
    }

    /// Number of tiles.
    #[allow(clippy::len_without_is_empty, reason = "there is at least one tile")]
    #[inline]
    pub fn len(&self) -> usize {
        self.spans.len() * self.spans.len()
    }

    /// The samples of tile number `tile`; tiles are numbered row by row.
    #[inline]
    pub fn region(&self, tile: usize) -> Region {
        let [row, column] = [tile / self.spans.len(), tile % self.spans.len()];
        Region { rows: self.spans[row].clone(), columns: self.spans[column].clone() }
    }

    /// Number of cells on the rim of tile number `tile`.
    #[inline]
    pub fn rim_len(&self, tile: usize) -> usize {
        rim(&self.region(tile)).count()
    }

    /// Returns the tile whose rim contains a cell, and the number of the cell on this rim. `cell` is the cell's number
    /// in the whole square.
    fn on_rim(&self, cell: u64) -> (usize, usize) {
        let place = self.row_and_column(cell);
        let (tile, region) = self.containing_tile(place);
        (tile, rim_number(&region, place))
    }

    /// The tile that contains the cell at this row and column, and its samples.
    fn containing_tile(&self, place: [usize; 2]) -> (usize, Region) {
        let [row, column] = place.map(|at| self.spans.partition_point(|span| span.end <= at));
        let region = Region { rows: self.spans[row].clone(), columns: self.spans[column].clone() };
        (row * self.spans.len() + column, region)
    }

    fn row_and_column(&self, cell: u64) -> [usize; 2] {
        [(cell / self.samples as u64) as usize, (cell % self.samples as u64) as usize]
    }

    fn cell(&self, [row, column]: [usize; 2]) -> u64 {
        (row * self.samples + column) as u64
    }

    /// The neighbours of a perimeter cell of `region` that belong to other tiles.
    fn cells_beside(&self, region: &Region, [row, column]: [usize; 2]) -> impl Iterator<Item = [usize; 2]> + use<> {
        let (last, region) = (self.samples - 1, region.clone());
        let near = move |at: usize| at.saturating_sub(1)..=(at + 1).min(last);
        let all = near(row).flat_map(move |row| near(column).map(move |column| [row, column]));
        all.filter(move |[row, column]| !(region.rows.contains(row) && region.columns.contains(column)))
    }
}

/// Number of a cell among the perimeter cells of a region, which are counted row by row.
fn rim_number(region: &Region, [row, column]: [usize; 2]) -> usize {
    let (rows, columns) = (region.rows.len(), region.columns.len());
    let (i, j) = (row - region.rows.start, column - region.columns.start);
    match i {
        0 => j,
        _ if i + 1 == rows => columns + 2 * (rows - 2) + j,
        _ => columns + 2 * (i - 1) + usize::from(j > 0),
    }
}

/// The perimeter cells of a region as row and column, row by row.
fn rim(region: &Region) -> impl Iterator<Item = [usize; 2]> + use<> {
    let Region { rows, columns } = region.clone();
    let [first, last] = [rows.start, rows.end - 1];
    rows.flat_map(move |row| {
        let step = if row == first || row == last { 1 } else { columns.len() - 1 };
        columns.clone().step_by(step).map(move |column| [row, column])
    })
}

/// The cells just outside a region of a square of `samples` × `samples` cells, row by row.
fn cells_around(region: &Region, samples: usize) -> impl Iterator<Item = [usize; 2]> + use<> {
    let region = region.clone();
    let around = rim(&region.grown(1, samples));
    around.filter(move |[row, column]| !(region.rows.contains(row) && region.columns.contains(column)))
}

#[cfg(test)]
mod tests;
