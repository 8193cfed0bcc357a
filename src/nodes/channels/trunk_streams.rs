//! Where trunk streams run, from one grid on to all finer ones: [`multiscale`](crate::multiscale) has the
//! scheme.
//!
//! What moves a trunk stream on the way to a finer grid, measured on four scenes from 513 to 2049 samples: the detail
//! of the layers beneath, which lies in beds again that the coarser grid had worn and filled, and with a process that
//! knows no drained area its own iterations; enlarging the coarser grid moves next to none.
//! Law, with w the nearness to a trunk stream of the grid of [`SETTLED_SAMPLES`], from 0 to 1, d the detail of the
//! layers beneath that the coarser grid does not have, c the cell of the coarser grid and l 1 along the streams:
//! G ← G - w·d - [`THALWEG`]·c·l. Where the process [holds](StreamBeds::Held) the beds, what its iterations make of
//! them counts by 1 - w·[`HELD`].
//! Where rough beds are [cleared](StreamBeds::Cleared) instead, [`stream_courses`](crate::channels::stream_courses) has the law;
//! where channels are [incised](StreamBeds::Incised), [`incised_channels`](crate::channels::incised_channels) beside it, in place
//! of the thalweg, what iterations make of them counts as where they are held, and they are cut once more after that.
//! Trunk streams are those of the steepest descent (D8), over spill points, through which more than [`TRUNK_SHARE`] of
//! the terrain drains. They are found once, on a grid that is the same for every size that is asked for and is always
//! evaluated as a whole, so it costs no more for large sizes and works in windows.
//! Source: the stream lines that ANUDEM enforces (Hutchinson 1989), here along streams of the terrain's own; that they
//! are lowered by a thalweg, and no bed is breached, is ours.

use rayon::prelude::*;

use crate::Context;
use crate::channels::incised_channels;
use crate::channels::stream_courses::StreamCourses;
use crate::multiscale::StreamBeds;
use talweg_ground::field::{Cancelled, Control, Grid, Terrain, resample};
use talweg_ground::hydrology::tiled::{SurveyReader, WordError, write_list};
use talweg_ground::hydrology::{FlowGraph, FlowMesh, FlowRouting, Outlets, accumulate};

/// Share of the terrain that drains through a trunk stream: a quarter of what is held to be one, as tributaries grow.
const TRUNK_SHARE: f32 = 0.0025;
/// Half the width of a bed in cells of the grid that the streams are of. It fades over one more.
const BED_CELLS: usize = 2;
/// Depth of the thalweg in cells of the coarser grid: some decimetres on a hill land of some kilometres.
const THALWEG: f32 = 0.04;
/// The width and the depth where beds are held: narrow, for what lies beside a bed may rise over it, and shallow, for
/// little leads the water on smooth floors, and more would show in the light.
const HELD_BED_CELLS: usize = 1;
const HELD_THALWEG: f32 = 0.01;
/// The width that detail of the layers beneath is left out on where channels are incised: wider than what is held, or
/// pits of the detail would stay that the process fills elsewhere.
const INCISED_BED_CELLS: usize = 3;
/// Share of what the iterations of a finer grid change that a bed does not take up. All of it would keep the courses a
/// little better, and leave smooth grooves where what lies beside a bed is filled.
const HELD: f32 = 0.7;

/// The trunk streams of a terrain.
#[derive(Debug)]
pub struct TrunkStreams {
    grid: Grid,
    /// The samples along them.
    samples: Vec<u32>,
    /// What finer grids leave of their beds.
    beds: StreamBeds,
    /// Their courses, where finer grids keep these clear.
    courses: Option<StreamCourses>,
}

impl TrunkStreams {
    /// Those of `ground`, a square as a whole, of whose `beds` finer grids leave so much. Courses are bent by the
    /// random values of `cx`.
    ///
    /// # Errors
    /// When it was cancelled.
    pub fn new(cx: &Context, ground: &Terrain, beds: StreamBeds) -> Result<Self, Cancelled> {
        let (grid, control) = (ground.grid, cx.control);
        let is_incised = beds == StreamBeds::Incised;
        let wandering = is_incised.then(|| incised_channels::wandering_ground(cx, ground)).transpose()?;
        let led = wandering.as_ref().unwrap_or(&ground.height);
        let mesh = FlowMesh::new(grid);
        let outlets = Outlets::new(grid, led, f32::NEG_INFINITY);
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
            StreamBeds::Free | StreamBeds::Kept | StreamBeds::Held => None,
        };
        Ok(Self { grid, samples, beds, courses })
    }

    /// As words.
    pub fn to_words(&self) -> Vec<u64> {
        let mut words = Vec::new();
        write_list(&mut words, &self.samples, |&k| [u64::from(k)]);
        self.courses.iter().for_each(|courses| courses.write_words(&mut words));
        words
    }

    /// From [`to_words`](Self::to_words), of streams on `grid` whose `beds` are left so.
    ///
    /// # Errors
    /// When they are no such words.
    pub fn from_words(words: &[u64], grid: Grid, beds: StreamBeds) -> Result<Self, WordError> {
        let mut reader = SurveyReader::new(words);
        let samples: Vec<u32> = reader.list(|[k]| k as u32)?;
        let has_courses = matches!(beds, StreamBeds::Cleared | StreamBeds::Incised);
        let courses = has_courses.then(|| StreamCourses::read_words(grid, &mut reader)).transpose()?;
        reader.end()?;
        let is_whole = samples.iter().all(|&k| (k as usize) < grid.len());
        if is_whole { Ok(Self { grid, samples, beds, courses }) } else { Err(WordError) }
    }

    /// 1 along the streams and 0 elsewhere, on their own grid.
    fn lines(&self) -> Vec<f32> {
        let mut lines = vec![0.0; self.grid.len()];
        self.samples.iter().for_each(|&k| lines[k as usize] = 1.0);
        self.grid.close(&mut lines);
        lines
    }

    /// How near to a stream every sample of `to` lies: 1 in beds that reach so many cells to both sides of it, 0 away
    /// from them.
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

    /// Keeps the streams in their beds on `ground`, which is to be worked on on the grid of `cx`: the heights `beneath`
    /// the process with what it changed on the grid `coarse`.
    ///
    /// # Errors
    /// When it was cancelled.
    pub fn keep(&self, cx: &Context, coarse: Grid, beneath: &[f32], ground: &mut [f32]) -> Result<(), Cancelled> {
        if self.beds.leaves_out_detail() {
            self.leave_out_detail(cx, coarse, beneath, ground)?;
        }
        if let Some(courses) = &self.courses {
            courses.clear(cx, ground);
        }
        Ok(())
    }

    /// Takes the detail `beneath` that the grid `coarse` does not have out of the beds, and cuts their thalweg.
    fn leave_out_detail(
        &self,
        cx: &Context,
        coarse: Grid,
        beneath: &[f32],
        ground: &mut [f32],
    ) -> Result<(), Cancelled> {
        let (fine, control) = (cx.grid, cx.control);
        let smooth = resample(coarse, fine, &sampled(fine, coarse, beneath), control)?;
        let half_width = match self.beds {
            StreamBeds::Held => HELD_BED_CELLS,
            StreamBeds::Incised => INCISED_BED_CELLS,
            StreamBeds::Free | StreamBeds::Kept | StreamBeds::Cleared => BED_CELLS,
        };
        let beds = self.bed_weights(fine, half_width, control)?;
        let reliefs = beneath.par_iter().zip(&smooth).map(|(height, smooth)| height - smooth);
        let thalweg = match self.beds {
            StreamBeds::Kept => THALWEG,
            StreamBeds::Held => HELD_THALWEG,
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

    /// Whether beds are [restored](Self::restore) once a process has run on a grid.
    pub fn restores_beds(&self) -> bool {
        self.beds.restores_beds()
    }

    /// What `ground` is like in the beds before a process works on it on the grid of `cx`, where they are restored.
    ///
    /// # Errors
    /// When it was cancelled.
    pub fn held(&self, cx: &Context, ground: &[f32]) -> Result<HeldBeds, Cancelled> {
        let beds = self.bed_weights(cx.grid, HELD_BED_CELLS, cx.control)?;
        let in_beds = beds.par_iter().zip(ground).filter_map(|(&bed, &height)| (bed > 0.0).then_some(height));
        Ok(HeldBeds(in_beds.collect()))
    }

    /// Takes back most of what became of the beds on the grid of `cx` since they were [`held`](Self::held), and cuts
    /// the channels once more.
    ///
    /// # Errors
    /// When it was cancelled.
    pub fn restore(&self, cx: &Context, held: &HeldBeds, height: &mut [f32]) -> Result<(), Cancelled> {
        let beds = self.bed_weights(cx.grid, HELD_BED_CELLS, cx.control)?;
        let in_beds = height.iter_mut().zip(&beds).filter(|(_, bed)| **bed > 0.0);
        for ((height, bed), before) in in_beds.zip(&held.0) {
            *height += HELD * bed * (before - *height);
        }
        if let Some(courses) = &self.courses {
            courses.clear(cx, height);
        }
        Ok(())
    }
}

/// Beds that a process shall leave about as they are: the heights of their samples, in order. Which ones these are and
/// by how much each is held is found once more, as that takes three times the memory.
pub struct HeldBeds(Vec<f32>);

/// `field` at the samples of `coarse`. Either may be a window: beyond the sides of `fine` its last samples count.
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
    fn a_coarser_grid_reads_the_samples_that_it_has_in_common_in_windows_too() {
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
        // between samples where the sizes do not double
        let plane: Vec<f32> = (0..fine.len()).map(|k| (k / 33 + 2 * (k % 33)) as f32).collect();
        let third = Grid::new(13, Edges::Open);
        let made = sampled(fine, third, &plane);
        assert!((0..third.len()).all(|k| (made[k] - (k / 13 + 2 * (k % 13)) as f32 * 32.0 / 12.0).abs() < 1e-4));
    }

    #[test]
    fn a_wrapping_stream_has_the_same_bed_on_both_sides_of_the_seam() {
        let grid = Grid::new(129, Edges::Wrap);
        let mut ground = Terrain::flat(grid);
        // a valley along the first row, which falls to the east and wraps there
        ground.height = (0..grid.len()).map(|k| ((k / 129).min(128 - k / 129) * 10 + k % 128) as f32).collect();
        let control = Control::default();
        let streams = TrunkStreams::new(&context(grid, &control), &ground, StreamBeds::Kept).unwrap();
        assert!(!streams.samples.is_empty());
        let fine = Grid::new(257, Edges::Wrap);
        let beds = streams.bed_weights(fine, BED_CELLS, &control).unwrap();
        assert!((0..257).all(|j| beds[j] == beds[256 * 257 + j]), "rows");
        assert!((0..257).all(|i| beds[i * 257] == beds[i * 257 + 256]), "columns");
        assert_eq!((beds[128], beds[128 * 257 + 128]), (1.0, 0.0));
    }
}
