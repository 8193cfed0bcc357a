//! Drainage of a tile in which the water of each cell is divided between two receivers.

use super::region::TileRectangle;
use super::words::{SurveyReader, WordError, pair, read_float_field, split, write_floats, write_list};
use super::{TileRegions, rim};
use crate::field::{Cancelled, Control};
use crate::hydrology::{DInfinity, DrainedArea, NeighbourReceivers, Receivers, UpstreamOrder};

/// Flag in the number of a receiver: the receiver is in another tile.
const BEYOND: u32 = 1 << 31;

/// The drainage of one tile, in which the water of each cell is divided between two receivers. Cells are indexed in a
/// window around the tile.
#[derive(Debug)]
pub struct DividedRegion {
    pub(super) rectangle: TileRectangle,
    /// Flow directions of the cells of the tile. All window cells outside the tile are their own receivers.
    pub flow: DInfinity,
    /// Trunks: cells of the tile that water from other tiles may reach. These are the tile's rim and all cells
    /// downstream of the rim. The list holds their indices in the window, in ascending order.
    trunks: Vec<u32>,
    is_trunk: Vec<bool>,
}

impl DividedRegion {
    /// The drainage of a tile whose water follows the flow directions `flow`.
    pub(super) fn new(rectangle: TileRectangle, mut flow: DInfinity) -> Self {
        let mut is_trunk = vec![false; flow.receivers.cells()];
        rectangle.each_outside(&mut is_trunk, |k, _| flow.receivers.set_end(k));
        let mut trunks = Vec::new();
        let mut found: Vec<u32> = rim(rectangle.region()).map(|place| rectangle.index(place) as u32).collect();
        while let Some(k) = found.pop() {
            if rectangle.contains(k as usize) && !is_trunk[k as usize] {
                is_trunk[k as usize] = true;
                trunks.push(k);
                found.extend(flow.receivers.receivers(k as usize));
            }
        }
        trunks.sort_unstable();
        Self { rectangle, flow, trunks, is_trunk }
    }

    /// The cells that water from other tiles may reach, as indices in the window.
    #[inline]
    pub fn trunks(&self) -> &[u32] {
        &self.trunks
    }

    /// Whether water from other tiles may reach cell `k` of the window.
    #[inline]
    pub fn is_trunk(&self, k: usize) -> bool {
        self.is_trunk[k]
    }

    /// Adds to every cell except the trunks the amounts from its donors. The second receiver of a cell gets the cell's
    /// fraction in `shares`, the first receiver the rest. The amounts are final for all cells but the trunks. A trunk
    /// holds only the inflow from cells that are not trunks. Returns the order in which the amounts of the cells were
    /// added.
    ///
    /// # Errors
    /// Fails if the run is cancelled.
    pub fn accumulate(
        &self,
        shares: &[f32],
        held: &mut [DrainedArea],
        control: &Control,
    ) -> Result<UpstreamOrder, Cancelled> {
        UpstreamOrder::with_downstream_sums(&self.flow.receivers, held, control, |k, area| match self.is_trunk[k] {
            true => [DrainedArea::default(); 2],
            false => area.divided(shares[k]),
        })
    }

    /// Summary of the tile's trunks for the computation over all tiles. `held` is the result of
    /// [`accumulate`](Self::accumulate).
    pub fn summary(&self, shares: &[f32], held: &[DrainedArea]) -> DividedSummary {
        let number = |k: u32| self.trunks.partition_point(|&trunk| trunk < k) as u32;
        let mut beyond = Vec::new();
        let mut target = |k: u32| {
            if self.rectangle.contains(k as usize) {
                return number(k);
            }
            beyond.push(self.rectangle.cell(k as usize));
            BEYOND | (beyond.len() - 1) as u32
        };
        let cells = self.trunks.iter().map(|&k| {
            let [first, second] = self.flow.receivers.receivers(k as usize);
            let to = target(first);
            let to = [to, if second == first { to } else { target(second) }];
            DividedCell { to, second_fraction: shares[k as usize], area: held[k as usize] }
        });
        let cells = cells.collect();
        let rim = rim(self.rectangle.region()).map(|place| number(self.rectangle.index(place) as u32)).collect();
        DividedSummary { rim, beyond, cells }
    }

    /// Decodes the 64-bit words of a [`DividedSolution`] and calls `take(cell, [area, value])` for each trunk.
    ///
    /// # Errors
    /// Fails if the words are not a valid encoding.
    pub fn read_solution(&self, words: &[u64], mut take: impl FnMut(usize, [f32; 2])) -> Result<(), WordError> {
        let DividedSolution(told) = DividedSolution::from_words(words)?;
        if told.len() != self.trunks.len() {
            return Err(WordError);
        }
        self.trunks.iter().zip(told).for_each(|(&k, told)| take(k as usize, told));
        Ok(())
    }

    /// Appends the drainage of the tile to `words`, encoded in 64-bit words.
    pub fn write_words(&self, words: &mut Vec<u64>) {
        write_list(words, self.flow.receivers.codes().as_chunks().0, |codes| [u64::from_le_bytes(*codes)]);
        let rest = self.flow.receivers.codes().as_chunks::<8>().1;
        write_list(words, rest, |&code| [u64::from(code)]);
        write_floats(words, &self.flow.fraction);
        write_list(words, &self.trunks, |&k| [u64::from(k)]);
    }

    /// Decodes the 64-bit words of [`write_words`](Self::write_words), for the tile given by `rectangle`.
    ///
    /// # Errors
    /// Fails if the words are not a valid encoding.
    pub(super) fn read_words(rectangle: TileRectangle, reader: &mut SurveyReader) -> Result<Self, WordError> {
        let grid = rectangle.grid();
        let codes: Vec<[u8; 8]> = reader.list(|[codes]: [u64; 1]| codes.to_le_bytes())?;
        let mut codes = codes.into_flattened();
        codes.extend(reader.list(|[code]| code as u8)?);
        let receivers = NeighbourReceivers::from_codes(grid.samples, codes).ok_or(WordError)?;
        let flow = DInfinity { receivers, fraction: read_float_field(reader, grid.len())?, distance: Vec::new() };
        let trunks: Vec<u32> = reader.list(|[k]| k as u32)?;
        let mut is_trunk = vec![false; grid.len()];
        for &k in &trunks {
            *is_trunk.get_mut(k as usize).ok_or(WordError)? = true;
        }
        Ok(Self { rectangle, flow, trunks, is_trunk })
    }
}

/// Summary of a tile's trunks. The computation over all tiles, [`DividedTrunks`], reads it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DividedSummary {
    /// For each cell on the rim of the tile, its number among the trunks.
    rim: Vec<u32>,
    /// Cells in other tiles that receive water of this tile, numbered in the whole square.
    beyond: Vec<u64>,
    cells: Vec<DividedCell>,
}

/// A trunk cell of a tile, as other tiles see it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct DividedCell {
    /// The cell's two receivers. Each is the number of a trunk of the tile, or [`BEYOND`] combined with an index into
    /// `beyond`.
    to: [u32; 2],
    /// Fraction of the water that flows to the second receiver.
    second_fraction: f32,
    /// The cell's own area plus the inflow from all cells that are not trunks.
    area: DrainedArea,
}

impl DividedSummary {
    /// Number of trunks in the tile.
    #[allow(clippy::len_without_is_empty, reason = "the rim of a tile has cells")]
    #[inline]
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Appends the summary to `words`, encoded in 64-bit words.
    pub fn write_words(&self, words: &mut Vec<u64>) {
        write_list(words, &self.rim, |&number| [u64::from(number)]);
        write_list(words, &self.beyond, |&cell| [cell]);
        let cell = |cell: &DividedCell| {
            [pair(cell.to[0], cell.to[1]), u64::from(cell.second_fraction.to_bits()), cell.area.units()]
        };
        write_list(words, &self.cells, cell);
    }

    /// Decodes the 64-bit words of [`write_words`](Self::write_words), for a tile whose rim has `rim` cells.
    ///
    /// # Errors
    /// Fails if the words are not a valid encoding.
    pub fn read_words(reader: &mut SurveyReader, rim: usize) -> Result<Self, WordError> {
        let made = Self {
            rim: reader.list(|[number]| number as u32)?,
            beyond: reader.list(|[cell]| cell)?,
            cells: reader.list(|[to, share, area]| DividedCell {
                to: split(to),
                second_fraction: f32::from_bits(share as u32),
                area: DrainedArea::of_units(area),
            })?,
        };
        let is_known = |&number: &u32| match number & BEYOND {
            0 => (number as usize) < made.cells.len(),
            _ => ((number ^ BEYOND) as usize) < made.beyond.len(),
        };
        let is_whole = made.rim.len() == rim
            && made.rim.iter().all(|number| number & BEYOND == 0 && is_known(number))
            && made.cells.iter().all(|cell| cell.to.iter().all(is_known));
        if is_whole { Ok(made) } else { Err(WordError) }
    }
}

/// The trunks of all tiles, tile by tile.
#[derive(Debug)]
pub struct DividedTrunks {
    /// For each tile, the number of its first trunk; at the end, the total number of trunks.
    first: Vec<usize>,
    receivers: Vec<[u32; 2]>,
    /// For each trunk, the fraction of its water that flows to its second receiver.
    pub second_fractions: Vec<f32>,
    /// Drainage area of each trunk.
    pub areas: Vec<DrainedArea>,
    order: UpstreamOrder,
}

impl DividedTrunks {
    /// Accumulates the water of all trunks, given the summary of each tile in the order of the tiles.
    ///
    /// # Errors
    /// Fails if the run is cancelled.
    pub fn new(tiles: &TileRegions, summaries: Vec<DividedSummary>, control: &Control) -> Result<Self, Cancelled> {
        let mut first = vec![0];
        for summary in &summaries {
            first.push(first[first.len() - 1] + summary.cells.len());
        }
        let mut receivers = Vec::with_capacity(first[summaries.len()]);
        for (tile, summary) in summaries.iter().enumerate() {
            control.check()?;
            let number = |to: u32| match to & BEYOND {
                0 => (first[tile] + to as usize) as u32,
                _ => {
                    let (other, on_rim) = tiles.on_rim(summary.beyond[(to ^ BEYOND) as usize]);
                    (first[other] + summaries[other].rim[on_rim] as usize) as u32
                }
            };
            receivers.extend(summary.cells.iter().map(|cell| cell.to.map(number)));
        }
        let cells = || summaries.iter().flat_map(|summary| &summary.cells);
        let shares: Vec<f32> = cells().map(|cell| cell.second_fraction).collect();
        let mut areas: Vec<DrainedArea> = cells().map(|cell| cell.area).collect();
        let divided = |k: usize, area: DrainedArea| area.divided(shares[k]);
        drop(summaries);
        let order = UpstreamOrder::with_downstream_sums(&receivers[..], &mut areas, control, divided)?;
        Ok(Self { first, receivers, second_fractions: shares, areas, order })
    }

    /// Returns the result for each tile: the drainage area of each trunk, and the result of `value` for the trunk's
    /// number.
    pub fn solutions(&self, value: impl Fn(usize) -> f32) -> Vec<DividedSolution> {
        let told = |k: usize| [self.areas[k].cells(), value(k)];
        self.first.windows(2).map(|ends| DividedSolution((ends[0]..ends[1]).map(told).collect())).collect()
    }

    /// Visits every trunk after its receivers: `visit(number, value, below)` gets the trunk's value and the values of
    /// its receivers, and returns the trunk's new value. A trunk that is an outlet gets its own value as `below`.
    ///
    /// # Errors
    /// Fails if the run is cancelled.
    pub fn traverse_upstream(
        &self,
        values: &mut [f32],
        control: &Control,
        visit: impl Fn(usize, f32, [f32; 2]) -> f32 + Sync,
    ) -> Result<(), Cancelled> {
        self.order.traverse_upstream(&self.receivers[..], values, control, visit)
    }
}

/// Result for a tile: for each of its trunks, the drainage area in cells, and the value that the caller of
/// [`DividedTrunks::solutions`] computed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DividedSolution(pub Vec<[f32; 2]>);

impl DividedSolution {
    /// Encodes the solution in 64-bit words.
    pub fn to_words(&self) -> Vec<u64> {
        let mut words = Vec::new();
        write_list(&mut words, &self.0, |&[area, value]| [pair(area.to_bits(), value.to_bits())]);
        words
    }

    /// Decodes the 64-bit words of [`to_words`](Self::to_words).
    ///
    /// # Errors
    /// Fails if the words are not a valid encoding.
    fn from_words(words: &[u64]) -> Result<Self, WordError> {
        let mut reader = SurveyReader::new(words);
        let made = Self(reader.list(|[word]| split(word).map(f32::from_bits))?);
        reader.end()?;
        Ok(made)
    }
}
