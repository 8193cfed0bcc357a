//! Distances on flats that reach across the borders of tiles.

use super::words::{SurveyReader, WordError, read_float_field, write_floats, write_list};
use super::{TileRegions, cells_around, rim, rim_number};
use crate::field::{Cancelled, Control, Region};

/// Cells processed between two checks for cancellation.
const CHECK: usize = 1 << 16;

/// The flats of a tile that touch its rim. [`solve_flats`] reads the summaries of all tiles. Cells are numbered within
/// the tile, row by row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlatSummary {
    /// Filled heights of the cells on the rim, row by row.
    pub(super) rim: Vec<f32>,
    /// Bit k % 64 of number k / 64 tells whether cell k belongs to these flats; empty if no flat touches the rim.
    pub(super) flat: Vec<u64>,
    /// The flat cells that are one step from an outflow in this tile.
    pub(super) starts: Vec<u32>,
}

/// Distances to the outflow in and around a tile, in steps. They are 0 for cells that are not flat.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlatSolution {
    /// Distance of each cell on the rim, row by row.
    pub(super) rim: Vec<u32>,
    /// Distance of each cell just outside the tile, row by row.
    pub(super) around: Vec<u32>,
}

impl FlatSummary {
    /// Encodes the summary in 64-bit words.
    pub fn to_words(&self) -> Vec<u64> {
        let mut words = Vec::new();
        write_floats(&mut words, &self.rim);
        write_list(&mut words, &self.flat, |&bits| [bits]);
        write_list(&mut words, &self.starts, |&k| [u64::from(k)]);
        words
    }

    /// Decodes the 64-bit words of [`to_words`](Self::to_words), for the tile `region`.
    ///
    /// # Errors
    /// Fails if the words are not a valid encoding.
    pub fn from_words(words: &[u64], region: &Region) -> Result<Self, WordError> {
        let mut reader = SurveyReader::new(words);
        let made = Self {
            rim: read_float_field(&mut reader, rim(region).count())?,
            flat: reader.list(|[bits]| bits)?,
            starts: reader.list(|[k]| u32::try_from(k).unwrap_or(u32::MAX))?,
        };
        reader.end()?;
        let len = region.rows.len() * region.columns.len();
        let unused = made.flat.len() * 64 - if made.flat.is_empty() { 0 } else { len };
        let is_whole = made.flat.is_empty() || made.flat.len() == len.div_ceil(64);
        let are_used = made.flat.last().is_none_or(|last| last.leading_zeros() as usize >= unused);
        let are_flat = made.starts.iter().all(|&k| is_set(&made.flat, k as usize));
        if is_whole && are_used && are_flat { Ok(made) } else { Err(WordError) }
    }
}

/// Whether bit `k` is set.
fn is_set(bits: &[u64], k: usize) -> bool {
    bits.get(k / 64).is_some_and(|word| word >> (k % 64) & 1 == 1)
}

impl FlatSolution {
    /// Encodes the solution in 64-bit words.
    pub fn to_words(&self) -> Vec<u64> {
        let mut words = Vec::new();
        let mut write = |distances: &[u32]| {
            let listed: Vec<[u64; 2]> =
                (0..).zip(distances).filter(|(_, d)| **d > 0).map(|(k, &d)| [k, d.into()]).collect();
            words.push(distances.len() as u64);
            write_list(&mut words, &listed, |&listed| listed);
        };
        write(&self.rim);
        write(&self.around);
        words
    }

    /// Decodes the 64-bit words of [`to_words`](Self::to_words), for the tile `region` of a square of `samples` ×
    /// `samples` cells.
    ///
    /// # Errors
    /// Fails if the words are not a valid encoding.
    pub fn from_words(words: &[u64], region: &Region, samples: usize) -> Result<Self, WordError> {
        let mut reader = SurveyReader::new(words);
        let mut read = |len: usize| {
            if reader.word()? != len as u64 {
                return Err(WordError);
            }
            let mut distances = vec![0; len];
            // No way out of a flat has more steps than there are cells.
            let steps = 1..=samples as u64 * samples as u64;
            for [k, distance] in reader.list(|listed: [u64; 2]| listed)? {
                let known = usize::try_from(k).ok().and_then(|k| distances.get_mut(k)).ok_or(WordError)?;
                *known = u32::try_from(distance).ok().filter(|_| steps.contains(&distance)).ok_or(WordError)?;
            }
            Ok(distances)
        };
        let made = Self { rim: read(rim(region).count())?, around: read(cells_around(region, samples).count())? };
        reader.end()?;
        Ok(made)
    }
}

/// The distances of the flats of all tiles, found by breadth-first search. The task keeps one bit for each cell of a
/// tile with such flats, and the distances of the rims.
struct FlatSearch<'a> {
    tiles: &'a TileRegions,
    /// For each tile, the bits of its flat cells that the search has not reached; empty if no flat touches its rim.
    unreached: Vec<Vec<u64>>,
    /// For each tile, the distances of its rim.
    rims: Vec<Vec<u32>>,
}

impl FlatSearch<'_> {
    /// Whether the cell at this row and column is a flat cell that the search has not reached.
    fn is_unreached(&self, place: [usize; 2]) -> bool {
        let (tile, region) = self.tiles.containing_tile(place);
        let number = (place[0] - region.rows.start) * region.columns.len() + place[1] - region.columns.start;
        is_set(&self.unreached[tile], number)
    }

    /// Marks the cell at this row and column as reached at `distance`. Returns whether it is a flat cell that was not
    /// reached before.
    fn reach(&mut self, place: [usize; 2], distance: u32) -> bool {
        let (tile, region) = self.tiles.containing_tile(place);
        let number = (place[0] - region.rows.start) * region.columns.len() + place[1] - region.columns.start;
        if !is_set(&self.unreached[tile], number) {
            return false;
        }
        self.unreached[tile][number / 64] &= !(1 << (number % 64));
        let is_on_rim = |at: usize, span: &std::ops::Range<usize>| at == span.start || at + 1 == span.end;
        if is_on_rim(place[0], &region.rows) || is_on_rim(place[1], &region.columns) {
            self.rims[tile][rim_number(&region, place)] = distance;
        }
        true
    }
}

/// Returns the distances on flats for every tile, given the summary of each tile in the order of the tiles.
///
/// # Errors
/// Fails if the run is cancelled.
pub fn solve_flats(
    tiles: &TileRegions,
    summaries: Vec<FlatSummary>,
    control: &Control,
) -> Result<Vec<FlatSolution>, Cancelled> {
    let (mut starts, mut heights, mut unreached) = (Vec::new(), Vec::new(), Vec::new());
    for (tile, summary) in summaries.into_iter().enumerate() {
        let Region { rows, columns } = tiles.region(tile);
        let place = |&k: &u32| {
            let k = k as usize;
            [rows.start + k / columns.len(), columns.start + k % columns.len()]
        };
        starts.extend(summary.starts.iter().map(place));
        heights.push(summary.rim);
        unreached.push(summary.flat);
    }
    let rims = (0..tiles.len()).map(|tile| vec![0; tiles.rim_len(tile)]).collect();
    let mut search = FlatSearch { tiles, unreached, rims };
    // The outflow of a cell on the rim can be in another tile.
    let height = |place: [usize; 2]| {
        let (tile, region) = tiles.containing_tile(place);
        heights[tile][rim_number(&region, place)]
    };
    for tile in 0..tiles.len() {
        let region = tiles.region(tile);
        for place in rim(&region).filter(|&place| search.is_unreached(place)) {
            let mut beside = tiles.cells_beside(&region, place);
            if beside.any(|there| !search.is_unreached(there) && height(there) == height(place)) {
                starts.push(place);
            }
        }
    }
    let (mut distance, mut done) = (1, 0);
    starts.retain(|&place| search.reach(place, distance));
    let (mut here, mut beyond) = (starts, Vec::new());
    let last = tiles.samples - 1;
    while !here.is_empty() {
        distance += 1;
        for [row, column] in here.drain(..) {
            done += 1;
            if done % CHECK == 0 {
                control.check()?;
            }
            for row in row.saturating_sub(1)..=(row + 1).min(last) {
                let columns = column.saturating_sub(1)..=(column + 1).min(last);
                beyond.extend(columns.map(|column| [row, column]).filter(|&place| search.reach(place, distance)));
            }
        }
        std::mem::swap(&mut here, &mut beyond);
    }
    let rims = search.rims;
    let solution = |tile: usize| {
        let distance = |place: [usize; 2]| {
            let (tile, region) = tiles.containing_tile(place);
            rims[tile][rim_number(&region, place)]
        };
        FlatSolution {
            rim: rims[tile].clone(),
            around: cells_around(&tiles.region(tile), tiles.samples).map(distance).collect(),
        }
    };
    Ok((0..tiles.len()).map(solution).collect())
}
