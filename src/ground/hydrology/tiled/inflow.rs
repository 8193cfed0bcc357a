//! Sums drainage areas of water that flows from one tile into the next.

use super::TileRegions;
use super::words::{SurveyReader, WordError, write_list};
use crate::field::{Cancelled, Control, Region};
use crate::hydrology::DrainedArea;

/// Items processed between two checks for cancellation.
const CHECK: usize = 1 << 16;

/// Summary of the flow through a single tile; [`solve_inflows`] reads the summaries of all tiles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlowSummary {
    /// For each cell on the rim, the number of the exit through which the cell's water leaves the tile. Exits are
    /// numbered from 1; 0 means that the water reaches an outlet.
    pub(super) rim: Vec<u32>,
    pub(super) exits: Vec<FlowExit>,
}

/// A cell where water leaves a tile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlowExit {
    /// Number, in the whole square, of the cell that receives the water.
    pub to: u64,
    /// Drainage area within the tile of the water that leaves through this exit.
    pub area: DrainedArea,
}

/// Inflow of a tile from other tiles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InflowSolution {
    /// Cells of the whole square that receive water from other tiles, each with the area that drains to it from those
    /// tiles.
    pub(super) cells: Vec<(u64, DrainedArea)>,
}

impl FlowSummary {
    /// Encodes the summary in 64-bit words.
    pub fn to_words(&self) -> Vec<u64> {
        let mut words = Vec::new();
        write_list(&mut words, &self.rim, |&exit| [u64::from(exit)]);
        write_list(&mut words, &self.exits, |exit| [exit.to, exit.area.units()]);
        words
    }

    /// Decodes the 64-bit words of [`to_words`](Self::to_words), for a tile whose rim has `rim` cells.
    ///
    /// # Errors
    /// Fails if the words are not a valid encoding.
    pub fn from_words(words: &[u64], rim: usize) -> Result<Self, WordError> {
        let mut reader = SurveyReader::new(words);
        let made = Self {
            rim: reader.list(|[exit]| exit as u32)?,
            exits: reader.list(|[to, area]| FlowExit { to, area: DrainedArea::of_units(area) })?,
        };
        reader.end()?;
        let is_whole = made.rim.len() == rim && made.rim.iter().all(|&exit| exit as usize <= made.exits.len());
        if is_whole { Ok(made) } else { Err(WordError) }
    }
}

impl InflowSolution {
    /// Whether all cells of the summary are in the tile `region`.
    #[inline]
    pub fn fits(&self, region: &Region, tiles: &TileRegions) -> bool {
        let is_within = |[row, column]: [usize; 2]| region.rows.contains(&row) && region.columns.contains(&column);
        self.cells.iter().all(|&(cell, _)| is_within(tiles.row_and_column(cell)))
    }

    /// Encodes the solution in 64-bit words.
    pub fn to_words(&self) -> Vec<u64> {
        let mut words = Vec::new();
        write_list(&mut words, &self.cells, |&(cell, area)| [cell, area.units()]);
        words
    }

    /// Decodes the 64-bit words of [`to_words`](Self::to_words).
    ///
    /// # Errors
    /// Fails if the words are not a valid encoding.
    pub fn from_words(words: &[u64]) -> Result<Self, WordError> {
        let mut reader = SurveyReader::new(words);
        let made = Self { cells: reader.list(|[cell, area]| (cell, DrainedArea::of_units(area)))? };
        reader.end()?;
        Ok(made)
    }
}

/// The inflow of every tile, given the summary of each tile in the order of the tiles.
///
/// # Errors
/// Fails if the run is cancelled.
pub fn solve_inflows(
    tiles: &TileRegions,
    summaries: &[FlowSummary],
    control: &Control,
) -> Result<Vec<InflowSolution>, Cancelled> {
    let mut first = Vec::with_capacity(summaries.len());
    let mut exits = Vec::new();
    for summary in summaries {
        first.push(exits.len());
        exits.extend_from_slice(&summary.exits);
    }
    // For each exit, `next` holds the next exit that its water reaches, if there is one.
    let next: Vec<Option<usize>> = exits
        .iter()
        .map(|exit| {
            let (tile, number) = tiles.on_rim(exit.to);
            (summaries[tile].rim[number] as usize).checked_sub(1).map(|exit| first[tile] + exit)
        })
        .collect();
    let mut donors = vec![0u32; exits.len()];
    next.iter().flatten().for_each(|&to| donors[to] += 1);
    let mut ready: Vec<usize> = (0..exits.len()).filter(|&exit| donors[exit] == 0).collect();
    let mut done = 0;
    while let Some(exit) = ready.pop() {
        done += 1;
        if done % CHECK == 0 {
            control.check()?;
        }
        if let Some(to) = next[exit] {
            let area = exits[exit].area;
            exits[to].area += area;
            donors[to] -= 1;
            if donors[to] == 0 {
                ready.push(to);
            }
        }
    }
    let mut made = vec![InflowSolution::default(); tiles.len()];
    for exit in &exits {
        made[tiles.on_rim(exit.to).0].cells.push((exit.to, exit.area));
    }
    Ok(made)
}
