//! Erosion from coarse to fine: the sequence of grids that a process runs on.
//!
//! Scheme, after Schott, Galin, Guérin, Peytavie & Gain 2024, *Terrain Amplification using Multi-Scale Erosion*: levels
//! k = 0 … K, each twice as fine as the previous one. B_k is the terrain below the process, sampled on level k. P_k is
//! the process on that level, and U the [interpolation](talweg_ground::field::resample) to the next grid. Then G_k =
//! B_k + U(Δ_(k-1)), T_k = P_k(G_k), Δ_k = T_k - B_k, and the result is T_K. `talweg::eval` computes this.
//!
//! The sizes of the grids depend only on the coarsest grid, not on the requested size. A preview is therefore one of
//! the levels on the way to the result, and a larger size adds levels without changing the earlier ones. If the
//! requested size is not one of these sizes, the last refinement is by a factor other than 2.
//!
//! A process can keep its trunk streams in place on all grids finer than a certain grid
//! ([`trunk_stream_samples`](StreamBeds::trunk_stream_samples)); [`StreamBeds`] lists the ways.
//!
//! A process scales its own lengths and depths from level to level ([`Context::cell_ratio`]) if they follow the cell
//! size. Lengths that result from a slope or a time stay unchanged.

use super::Context;
use talweg_ground::field::{Cancelled, Grid, GridDisplacement};

talweg_ground::choices! {
    /// The coarsest grid of an erosion process, which decides how wide its largest landforms are.
    LargestScale {
        OneGrid "One grid": "Runs only on the finest grid, as in the papers. Landforms have a single width, and larger sizes take far longer.",
        Samples33 "1/32 of the side": "Starts on 33 samples per side: a few valleys across the whole terrain.",
        Samples65 "1/64 of the side": "Starts on 65 samples per side: the widest valleys are about a tenth of the terrain.",
        Samples129 "1/128 of the side": "Starts on 129 samples per side.",
        Samples257 "1/256 of the side": "Starts on 257 samples per side: for rivers, which a coarser grid would align with its rows.",
        Samples513 "1/512 of the side": "Starts on 513 samples per side: only the finest landforms gain detail.",
    }
}

/// Declares the parameters of an erosion process that runs from coarse to fine: `multiscale_params!();`. [`MultiScale`]
/// holds their values.
macro_rules! multiscale_params {
    (@into $head:tt $done:tt [$($rest:tt)*]) => {
        talweg_ground::params! { @each $head $done [
            /// Coarsest grid of the erosion. Finer grids refine the landforms of this grid, so valleys of every width
            /// form, and large terrains compute in seconds. Iterations, lengths and depths refer to the coarsest grid.
            largest_scale: $crate::multiscale::LargestScale
                = $crate::multiscale::LargestScale::OneGrid;
            /// Iterations on each finer grid, as a multiple of those on the previous grid. Small values leave broad,
            /// smooth landforms; above 1 the finest landforms prevail.
            fine_weight: f32 = 0.75, 0.1..=2.0, slider 0.3..=1.2
                => |process| process.largest_scale != $crate::multiscale::LargestScale::OneGrid;
            $($rest)*
        ] }
    };
}

pub(crate) use multiscale_params;

/// The grids of a process that runs from coarse to fine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MultiScale {
    /// The coarsest grid.
    pub largest: LargestScale,
    /// Iterations on a level divided by the iterations on the previous level.
    pub fine_weight: f32,
}

/// One of the grids of a process.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// Samples per side; on a planet, per side of a cube face.
    pub samples: usize,
    /// Iterations on this grid.
    pub iterations: u32,
    /// Cell size of the coarsest grid divided by the cell size of this grid; 1 if there is only one grid.
    pub scale: f32,
}

impl LargestScale {
    /// Samples per side of the coarsest grid; `None` if the process runs on the requested grid only.
    pub fn samples(self) -> Option<usize> {
        match self {
            Self::OneGrid => None,
            Self::Samples33 => Some(33),
            Self::Samples65 => Some(65),
            Self::Samples129 => Some(129),
            Self::Samples257 => Some(257),
            Self::Samples513 => Some(513),
        }
    }
}

/// Samples per side of the coarsest possible level.
const SMALLEST_LEVEL: usize = 33;

/// Samples per side of the grid that precedes a grid of `samples` on the way from coarse to fine. It is the largest of
/// 33, 65, 129, 257 … samples that is coarser by a factor of at least 1.5.
pub fn coarser_samples(samples: usize) -> Option<usize> {
    let is_coarser = |level: &usize| 3 * (level - 1) <= 2 * (samples.max(1) - 1);
    std::iter::successors(Some(SMALLEST_LEVEL), |level| Some(2 * (level - 1) + 1)).take_while(is_coarser).last()
}

impl MultiScale {
    /// The process runs on the requested grid only.
    pub const ONE_GRID: Self = Self { largest: LargestScale::OneGrid, fine_weight: 1.0 };

    /// Samples per side of the grid that the process runs on before a grid of `samples`. `None` if there is no coarser
    /// grid.
    pub fn next_coarser(&self, samples: usize) -> Option<usize> {
        let coarsest = self.largest.samples()?;
        coarser_samples(samples).filter(|&level| level >= coarsest)
    }

    /// Cell size of the coarsest grid divided by the cell size of a grid of `samples`; 1 if there is only one grid.
    pub fn scale(&self, samples: usize) -> f32 {
        self.largest.samples().map_or(1.0, |coarsest| (samples - 1) as f32 / (coarsest - 1) as f32)
    }

    /// Iterations on a grid of `samples`, given `iterations` on the coarsest grid: multiplied by `fine_weight` for each
    /// halving of the cell size, and at least 1.
    pub fn iterations(&self, iterations: u32, samples: usize) -> u32 {
        let scale = self.scale(samples);
        if iterations == 0 || scale <= 1.0 {
            return iterations;
        }
        let weight = libm::pow(f64::from(self.fine_weight), libm::log2(f64::from(scale)));
        (f64::from(iterations) * weight).round().clamp(1.0, f64::from(u32::MAX)) as u32
    }

    /// The levels up to a grid of `samples`, the coarsest first. The process runs `iterations` on the coarsest level.
    pub fn levels(&self, iterations: u32, samples: usize) -> Vec<Level> {
        let sizes = std::iter::successors(Some(samples), |&samples| self.next_coarser(samples));
        let level =
            |samples| Level { samples, iterations: self.iterations(iterations, samples), scale: self.scale(samples) };
        let mut levels: Vec<Level> = sizes.map(level).collect();
        levels.reverse();
        levels
    }
}

/// How a process continues from one grid to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FinerGrids {
    /// Whether the process starts on a finer grid with the sediment that was in transport on the coarser grid, and
    /// continues to move this sediment.
    pub carries_sediment_on: bool,
    /// Whether the process routes water from sample to sample, so that its valleys align with the rows, columns and
    /// diagonals of the grid. The valleys are then bent a little on the way to the next grid.
    pub follows_grid: bool,
    /// How finer grids treat the beds of trunk streams.
    pub stream_beds: StreamBeds,
}

impl FinerGrids {
    /// The next grid only adds the process's change of height to the terrain below.
    pub const DEFAULT: Self = Self { carries_sediment_on: false, follows_grid: false, stream_beds: StreamBeds::Free };
}

/// How finer grids treat the beds of trunk streams when a process runs from coarse to fine. Trunk streams are found on
/// the grid of [`trunk_stream_samples`](Self::trunk_stream_samples), on squares only. On planets a cell of that grid is
/// many kilometres wide, far wider than a stream, so all beds are free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamBeds {
    /// The finer grids reshape the beds freely.
    Free,
    /// Detail of the layers below does not return to the beds, because the coarser grid has eroded or buried it. The
    /// process itself acts freely on the finer grids.
    WithoutNewDetail,
    /// Detail of the layers below returns to the beds as it does elsewhere, and the process acts freely. But when the
    /// process starts on a finer grid, no obstacle across a bed rises above the bed's former height. This suits rough
    /// beds that the process neither erodes nor fills. The process can run in parts.
    Cleared,
    /// As [`WithoutNewDetail`](Self::WithoutNewDetail), and the process also preserves the beds on finer grids. This
    /// suits processes that do not know the drainage area and would divert the streams.
    Preserved,
    /// Channels are cut along the beds, deeper where the drainage area is larger: once before the process starts on a
    /// finer grid, and again after the process has run there. The process also preserves the beds as in
    /// [`Preserved`](Self::Preserved). This suits processes that do not know the drainage area and leave plains of
    /// debris without streams. Detail of the layers below does not return to the beds. The process runs on the whole
    /// terrain at once, not in parts.
    Incised,
}

impl StreamBeds {
    /// Whether detail of the layers below is kept out of the beds.
    pub fn keeps_detail_out(self) -> bool {
        matches!(self, Self::WithoutNewDetail | Self::Preserved | Self::Incised)
    }

    /// Whether most of a process's change to the beds is undone after the process has run on a grid.
    pub fn restores_beds(self) -> bool {
        matches!(self, Self::Preserved | Self::Incised)
    }

    /// Samples per side of the grid on which trunk streams are found, for a process that starts on the grid of
    /// `largest`.
    pub fn trunk_stream_samples(self, largest: LargestScale) -> usize {
        let samples = if self == Self::Incised { INCISED_SAMPLES } else { TRUNK_STREAM_SAMPLES };
        samples.max(largest.samples().unwrap_or(samples))
    }
}

/// Samples per side of the grid after which channels are cut: one level coarser than [`TRUNK_STREAM_SAMPLES`], so that
/// the grid of that size has channels as well.
const INCISED_SAMPLES: usize = 257;

/// Displacement of valleys that align with the grid, in cells of the coarser grid.
const BEND_CELLS: f32 = 0.9;
/// Samples per side of the grid on which trunk streams are found, unless their beds are incised. On finer grids, the
/// displacement of valleys, measured in cells, halves at each level. All further displacements add up to less than one
/// cell of this grid, so the stream courses are settled.
pub const TRUNK_STREAM_SAMPLES: usize = 513;
/// Separates these random values from those of the process.
const BEND_SALT: u64 = 0xbe4d;

/// Displacement of the valleys of a grid of `samples` while they are resampled to the next grid, in cells of the grid
/// of `samples`.
fn bend_cells(samples: usize) -> f32 {
    let beyond = (samples - 1) as f32 / (TRUNK_STREAM_SAMPLES - 1) as f32;
    if beyond < 1.0 { BEND_CELLS } else { 0.5 * BEND_CELLS / beyond }
}

/// Displacement that bends the result of a process on the grid `coarse` while the result is resampled to the grid of
/// `cx`. Processes that [follow the grid](FinerGrids::follows_grid) need it: their valleys align with rows, columns and
/// diagonals.
///
/// # Errors
/// If the evaluation is cancelled.
pub fn valley_displacement(cx: &Context, coarse: Grid) -> Result<GridDisplacement, Cancelled> {
    let random = cx.random.fork(BEND_SALT ^ coarse.whole_samples() as u64);
    GridDisplacement::random(coarse, cx.grid, bend_cells(coarse.whole_samples()), random, cx.control)
}

/// Number of distinct samples of `to` divided by the number of distinct samples of `from`. A window counts as its whole
/// grid. Sums over a grid grow by this factor.
pub fn sample_ratio(from: Grid, to: Grid) -> f64 {
    let [from, to] = [from, to].map(|grid| grid.with_samples(grid.whole_samples()).distinct_len() as f64);
    to / from
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_double_and_a_larger_size_only_adds_levels() {
        let scales = MultiScale { largest: LargestScale::Samples65, fine_weight: 0.5 };
        let told = |samples| -> Vec<(usize, u32)> {
            scales.levels(40, samples).iter().map(|level| (level.samples, level.iterations)).collect()
        };
        assert_eq!(told(513), [(65, 40), (129, 20), (257, 10), (513, 5)]);
        assert_eq!(told(2049)[..4], told(513));
        assert_eq!(told(1000).iter().map(|level| level.0).collect::<Vec<_>>(), [65, 129, 257, 513, 1000]);
        assert_eq!(told(700).iter().map(|level| level.0).collect::<Vec<_>>(), [65, 129, 257, 700]);
        assert_eq!(told(65), [(65, 40)]);
        assert_eq!(told(20), [(20, 40)]);
        assert_eq!(MultiScale::ONE_GRID.levels(40, 4097), [Level { samples: 4097, iterations: 40, scale: 1.0 }]);
    }
}
