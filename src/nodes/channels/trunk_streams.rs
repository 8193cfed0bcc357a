//! Keeps trunk streams in place from one grid to all finer grids; [`multiscale`](crate::multiscale) describes the
//! scheme.
//!
//! Two causes move a trunk stream on the way to a finer grid, as measured on four scenes from 513 to 2049 samples. One
//! cause is the detail of the layers below, which returns in beds that the coarser grid had eroded and filled. The
//! other cause is the iterations of a process that does not know the drainage area. Resampling the coarser grid moves
//! hardly any stream.
//! Law: w is the weight of a bed, from 0 away from the trunk streams to 1 in their beds. The streams are those of the
//! grid of [`TRUNK_STREAM_SAMPLES`](crate::multiscale::TRUNK_STREAM_SAMPLES) samples a side. d is the detail of the
//! layers below that the coarser grid does not have. c is the cell size of the coarser grid, and l is 1 along the
//! streams. G is the terrain height from which the process continues on the finer grid. Then G ← G - w·d -
//! [`THALWEG`]·c·l. Where the process [preserves](StreamBeds::Preserved) the beds, the changes by its iterations are
//! multiplied by 1 - w·[`HELD`]. Where rough beds are [cleared](StreamBeds::Cleared) instead,
//! [`stream_courses`](crate::channels::stream_courses) has the formula. Where channels are
//! [incised](StreamBeds::Incised), the formula of [`incised_channels`](crate::channels::incised_channels) replaces the
//! thalweg. There, the changes by iterations are reduced as in preserved beds, and the channels are cut once more
//! afterwards. Trunk streams follow the steepest descent (D8), across spill points, where more than [`TRUNK_SHARE`] of
//! the terrain drains. They are found once, on a grid of fixed size that is always evaluated on the whole terrain.
//! Hence the cost does not grow with the requested size, and a window gets the same streams as the whole terrain.
//! Source: the stream lines that ANUDEM enforces (Hutchinson 1989), here along the terrain's own streams. The thalweg,
//! and the rule that no bed is breached, are our own.

use std::sync::Arc;

use rayon::prelude::*;

use crate::Context;
use crate::channels::incised_channels;
use crate::channels::stream_courses::StreamCourses;
use crate::multiscale::StreamBeds;
use talweg_ground::field::{Cancelled, Control, Grid, Terrain, resample};
use talweg_ground::hydrology::tiled::{SurveyReader, WordError, write_list};
use talweg_ground::hydrology::{FlowGraph, FlowMesh, FlowRouting, accumulate};

/// Least drainage area of a trunk stream, as a fraction of the terrain's area. It is a quarter of the usual threshold
/// of 1 %, because tributaries grow.
const TRUNK_SHARE: f32 = 0.0025;
/// Half the width of a bed, in cells of the grid on which the streams are found. The weight of the bed fades to 0 over
/// one more cell.
const BED_CELLS: usize = 2;
/// Depth of the thalweg in cells of the coarser grid. On hills a few kilometres wide it is a few decimetres.
const THALWEG: f32 = 0.04;
/// Half the width of preserved beds; [`HELD_THALWEG`] is the depth of their thalweg. Both are in cells. The beds are
/// narrow, because terrain near a bed can rise above it. They are shallow, because a small depth guides the water on
/// smooth floors and a larger depth would be visible.
const HELD_BED_CELLS: usize = 1;
const HELD_THALWEG: f32 = 0.01;
/// Half the width, in cells, over which detail of the layers below is removed around incised channels. This width
/// exceeds the width of preserved beds. Otherwise pits in this detail would remain beside the channels; elsewhere the
/// process fills these pits.
const INCISED_BED_CELLS: usize = 3;
/// Iterations on a finer grid change the height of a trunk stream's bed. This fraction of the change is undone, so that
/// the stream stays in its channel. Undoing the whole change would hold the channels slightly better. But it would
/// leave smooth grooves where the process fills the terrain around a bed.
const HELD: f32 = 0.7;

/// The trunk streams of a terrain.
#[derive(Debug)]
pub struct TrunkStreams {
    grid: Grid,
    /// Indices of the samples along the streams.
    samples: Vec<u32>,
    /// How finer grids treat the beds.
    beds: StreamBeds,
    /// The courses of the streams, if finer grids keep their beds clear.
    courses: Option<StreamCourses>,
}

impl TrunkStreams {
    /// Finds the trunk streams of `ground`, a whole square terrain. `beds` determines how finer grids treat the stream
    /// beds. The random values of `cx` bend the courses.
    ///
    /// # Errors
    /// If the evaluation is cancelled.
    pub fn new(cx: &Context, ground: &Terrain, beds: StreamBeds) -> Result<Self, Cancelled> {
        let (grid, control) = (ground.grid, cx.control);
        let is_incised = beds == StreamBeds::Incised;
        let wandering = is_incised.then(|| incised_channels::wandering_ground(cx, ground)).transpose()?;
        let led = wandering.as_ref().unwrap_or(&ground.height);
        let mesh = FlowMesh::new(grid);
        let outlets = cx.outlets(ground, led, f32::NEG_INFINITY);
        let graph = FlowGraph::new(&mesh, led, &outlets, FlowRouting::D8, control)?;
        let mut area = mesh.areas();
        accumulate(&graph.receivers, &mut area, control)?;
        let share = if is_incised { incised_channels::LEAST_SHARE } else { TRUNK_SHARE };
        let least = share * grid.distinct_len() as f32;
        let samples: Vec<u32> = (0..grid.len()).filter(|&k| area[k] >= least).map(|k| k as u32).collect();
        let through =
            |height: &[f32]| StreamCourses::new(grid, &samples, &graph.receivers, height, is_incised, cx.random);
        let courses = match beds {
            StreamBeds::Cleared => Some(through(&ground.height)),
            StreamBeds::Incised => Some(through(&incised_channels::beds(cx, ground, &samples, &graph, &area))),
            StreamBeds::Free | StreamBeds::WithoutNewDetail | StreamBeds::Preserved => None,
        };
        Ok(Self { grid, samples, beds, courses })
    }

    /// Returns the streams as 64-bit words, from which [`from_words`](Self::from_words) restores them.
    pub fn to_words(&self) -> Vec<u64> {
        let mut words = Vec::new();
        write_list(&mut words, &self.samples, |&k| [u64::from(k)]);
        self.courses.iter().for_each(|courses| courses.write_words(&mut words));
        words
    }

    /// Reads streams on `grid` from the 64-bit words of [`to_words`](Self::to_words). `beds` determines how finer grids
    /// treat the stream beds.
    ///
    /// # Errors
    /// If the words do not encode streams.
    pub fn from_words(words: &[u64], grid: Grid, beds: StreamBeds) -> Result<Self, WordError> {
        let mut reader = SurveyReader::new(words);
        let samples: Vec<u32> = reader.list(|[k]| k as u32)?;
        let has_courses = matches!(beds, StreamBeds::Cleared | StreamBeds::Incised);
        let courses = has_courses.then(|| StreamCourses::read_words(grid, &mut reader)).transpose()?;
        reader.end()?;
        let is_whole = samples.iter().all(|&k| (k as usize) < grid.len());
        if is_whole { Ok(Self { grid, samples, beds, courses }) } else { Err(WordError) }
    }

    /// Returns a field on the grid of the streams: 1 along the streams and 0 elsewhere.
    fn lines(&self) -> Vec<f32> {
        let mut lines = vec![0.0; self.grid.len()];
        self.samples.iter().for_each(|&k| lines[k as usize] = 1.0);
        self.grid.close(&mut lines);
        lines
    }

    /// Returns the weight of the beds at every sample of `to`. It is 1 in beds, which reach `half_width` cells of the
    /// stream grid to both sides of a stream, and 0 away from the beds.
    fn bed_weights(&self, to: Grid, half_width: usize, control: &Control) -> Result<Vec<f32>, Cancelled> {
        let mesh = FlowMesh::new(self.grid);
        let spread = |field: &[f32], of: &(dyn Fn(f32, &mut dyn Iterator<Item = f32>) -> f32 + Sync)| {
            let made = |k: usize| of(field[k], &mut mesh.existing_neighbours(k).map(|there| field[there]));
            let mut made: Vec<f32> = (0..self.grid.len()).into_par_iter().map(made).collect();
            self.grid.close(&mut made);
            made
        };
        let mut beds = self.lines();
        for _ in 0..half_width {
            beds =
                spread(&beds, &|here, around| around.fold(here, |most, there| if there > most { there } else { most }));
        }
        beds = spread(&beds, &|here, around| {
            let (sum, count) = around.fold((here, 1.0), |(sum, count), there| (sum + there, count + 1.0));
            sum / count
        });
        let mut beds = resample(self.grid, to, &beds, control)?;
        beds.par_iter_mut().for_each(|bed| *bed = bed.clamp(0.0, 1.0));
        Ok(beds)
    }

    /// Keeps the streams in their beds on `ground`, the terrain from which the process continues on the grid of `cx`.
    /// `ground` is the input heights `beneath` plus the change that the process made on the grid `coarse`.
    ///
    /// # Errors
    /// If the evaluation is cancelled.
    pub fn keep(&self, cx: &Context, coarse: Grid, beneath: &[f32], ground: &mut [f32]) -> Result<(), Cancelled> {
        if self.beds.keeps_detail_out() {
            self.remove_detail_from_beds(cx, coarse, beneath, ground)?;
        }
        if let Some(courses) = &self.courses {
            courses.clear(cx, ground);
        }
        Ok(())
    }

    /// Removes from the beds the detail of `beneath` that the grid `coarse` does not have, and cuts the thalweg where
    /// the treatment of the beds has one.
    fn remove_detail_from_beds(
        &self,
        cx: &Context,
        coarse: Grid,
        beneath: &[f32],
        ground: &mut [f32],
    ) -> Result<(), Cancelled> {
        let (fine, control) = (cx.grid, cx.control);
        let smooth = resample(coarse, fine, &sampled(fine, coarse, beneath), control)?;
        let half_width = match self.beds {
            StreamBeds::Preserved => HELD_BED_CELLS,
            StreamBeds::Incised => INCISED_BED_CELLS,
            StreamBeds::Free | StreamBeds::WithoutNewDetail | StreamBeds::Cleared => BED_CELLS,
        };
        let beds = self.bed_weights(fine, half_width, control)?;
        let reliefs = beneath.par_iter().zip(&smooth).map(|(height, smooth)| height - smooth);
        let thalweg = match self.beds {
            StreamBeds::WithoutNewDetail => THALWEG,
            StreamBeds::Preserved => HELD_THALWEG,
            StreamBeds::Free | StreamBeds::Cleared | StreamBeds::Incised => {
                let beds = ground.par_iter_mut().zip(reliefs).zip(&beds);
                beds.for_each(|((ground, detail), bed)| *ground -= bed * detail);
                return Ok(());
            }
        };
        let lines = resample(self.grid, fine, &self.lines(), control)?;
        let depth = thalweg * cx.size_metres * coarse.cell() / cx.relief_metres;
        ground.par_iter_mut().zip(reliefs).zip(beds.par_iter().zip(&lines)).for_each(
            |((ground, detail), (bed, line))| {
                *ground -= bed * detail + depth * line;
            },
        );
        Ok(())
    }

    /// Whether beds are [restored](SavedBeds::restore) after a process has run on a finer grid.
    pub fn restores_beds(&self) -> bool {
        self.beds.restores_beds()
    }

    /// Saves the bed heights of `ground` before a process runs on the grid of `cx`. [`restore`](SavedBeds::restore)
    /// uses them after the process.
    ///
    /// # Errors
    /// If the evaluation is cancelled.
    pub fn save_beds(self: &Arc<Self>, cx: &Context, ground: &[f32]) -> Result<SavedBeds, Cancelled> {
        let beds = self.bed_weights(cx.grid, HELD_BED_CELLS, cx.control)?;
        let in_beds = beds.par_iter().zip(ground).filter_map(|(&bed, &height)| (bed > 0.0).then_some(height));
        Ok(SavedBeds { streams: self.clone(), heights: in_beds.collect() })
    }
}

/// Bed heights saved before a process runs, in the order of the bed samples. The samples and their weights are computed
/// again when needed, because storing them would take three times the memory.
pub struct SavedBeds {
    streams: Arc<TrunkStreams>,
    heights: Vec<f32>,
}

impl SavedBeds {
    /// Undoes most of the change of the beds on the grid of `cx` since [`save_beds`](TrunkStreams::save_beds), and cuts
    /// the channels once more.
    ///
    /// # Errors
    /// If the evaluation is cancelled.
    pub fn restore(&self, cx: &Context, height: &mut [f32]) -> Result<(), Cancelled> {
        let beds = self.streams.bed_weights(cx.grid, HELD_BED_CELLS, cx.control)?;
        let in_beds = height.iter_mut().zip(&beds).filter(|(_, bed)| **bed > 0.0);
        for ((height, bed), before) in in_beds.zip(&self.heights) {
            *height += HELD * bed * (before - *height);
        }
        if let Some(courses) = &self.streams.courses {
            courses.clear(cx, height);
        }
        Ok(())
    }
}

/// Returns `field`, given on the grid `fine`, at the samples of `coarse`. Both grids can be windows: beyond the sides
/// of `fine` the outermost samples of `fine` are used.
fn sampled(fine: Grid, coarse: Grid, field: &[f32]) -> Vec<f32> {
    let (steps, last) = (fine.whole_samples() - 1, coarse.whole_samples() - 1);
    let between = |axis: usize| -> Vec<(usize, usize, f32)> {
        let inside = |k: usize| k.clamp(fine.first()[axis], fine.first()[axis] + fine.samples - 1) - fine.first()[axis];
        let place = |k: usize| {
            let (before, rest) = (k * steps / last, k * steps % last);
            (inside(before), inside(before + 1), rest as f32 / last as f32)
        };
        (0..coarse.samples).map(|k| place(coarse.first()[axis] + k)).collect()
    };
    let [rows, columns] = [between(0), between(1)];
    let mut made = vec![0.0; coarse.len()];
    made.par_chunks_mut(coarse.samples).zip(&rows).for_each(|(out, &(above, below, down))| {
        let [above, below] = [above, below].map(|row| &field[row * fine.samples..][..fine.samples]);
        for (out, &(west, east, across)) in out.iter_mut().zip(&columns) {
            let along = |row: &[f32]| row[west] + across * (row[east] - row[west]);
            *out = along(above) + down * (along(below) - along(above));
        }
    });
    made
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channels::stream_courses::tests::context;
    use talweg_ground::field::Edges;

    #[test]
    fn a_coarser_grid_reads_common_samples_also_in_windows() {
        let (fine, coarse) = (Grid::new(33, Edges::Open), Grid::new(17, Edges::Open));
        let height = |row: usize, column: usize| ((row * 31 + column * 17) % 29) as f32;
        let field: Vec<f32> = (0..fine.len()).map(|k| height(k / 33, k % 33)).collect();
        let whole = sampled(fine, coarse, &field);
        assert!((0..coarse.len()).all(|k| whole[k] == height(k / 17 * 2, k % 17 * 2)));
        let (window, part) = (fine.window([6, 10], 16), coarse.window([2, 4], 10));
        let seen: Vec<f32> = (0..window.len()).map(|k| height(6 + k / 16, 10 + k % 16)).collect();
        let made = sampled(window, part, &seen);
        for (k, &made) in made.iter().enumerate() {
            let (row, column) = (2 + k / 10, 4 + k % 10);
            if (3..11).contains(&row) && (5..13).contains(&column) {
                assert_eq!(made, height(2 * row, 2 * column), "{row} {column}");
            }
        }
        // The finer grid does not have exactly twice the cells per side here, so samples of the coarser grid are
        // between samples of the finer grid.
        let plane: Vec<f32> = (0..fine.len()).map(|k| (k / 33 + 2 * (k % 33)) as f32).collect();
        let third = Grid::new(13, Edges::Open);
        let made = sampled(fine, third, &plane);
        assert!((0..third.len()).all(|k| (made[k] - (k / 13 + 2 * (k % 13)) as f32 * 32.0 / 12.0).abs() < 1e-4));
    }

    #[test]
    fn a_wrapping_stream_has_the_same_bed_on_both_sides_of_the_seam() {
        let grid = Grid::new(129, Edges::Wrap);
        let mut ground = Terrain::flat(grid);
        // A valley along the first row that falls to the east and wraps there.
        ground.height = (0..grid.len()).map(|k| ((k / 129).min(128 - k / 129) * 10 + k % 128) as f32).collect();
        let control = Control::default();
        let streams = TrunkStreams::new(&context(grid, &control), &ground, StreamBeds::WithoutNewDetail).unwrap();
        assert!(!streams.samples.is_empty());
        let fine = Grid::new(257, Edges::Wrap);
        let beds = streams.bed_weights(fine, BED_CELLS, &control).unwrap();
        assert!((0..257).all(|j| beds[j] == beds[256 * 257 + j]), "rows");
        assert!((0..257).all(|i| beds[i * 257] == beds[i * 257 + 256]), "columns");
        assert_eq!((beds[128], beds[128 * 257 + 128]), (1.0, 0.0));
    }
}
