//! Erosion from coarse to fine: which grids a process runs on, one after the other.
//!
//! Scheme, after Schott, Galin, Guérin, Peytavie & Gain 2024, *Terrain Amplification using Multi-Scale Erosion*: levels
//! k = 0 … K, each twice as fine as the one before. With B_k what lies below the process, sampled on level k, P_k the
//! process there and U the [interpolation](talweg_ground::field::resample) to the next grid:
//! G_k = B_k + U(Δ_(k-1)), T_k = P_k(G_k), Δ_k = T_k - B_k; the result is T_K. [`eval`](crate::eval) does that.
//!
//! The sizes depend on the coarsest grid alone and not on the size that is asked for: a preview is one of the levels on
//! the way to the result, and a larger size adds levels and changes nothing in those before. Only where the asked size
//! is none of them the last step is not by two.
//!
//! Trunk streams stay where they are from a [settled](StreamBeds::settled_samples) grid on, where a process says so
//! ([`StreamBeds`]).
//!
//! What a process says of itself: by how much its own lengths and depths shrink from level to level
//! ([`Context::level`]), where they follow the cell. Those that a slope or a time decides stay as they are.

use super::Context;
use talweg_ground::field::{Cancelled, Grid, GridDisplacement};

talweg_ground::choices! {
    /// The coarsest grid of an erosion, which decides how wide its largest forms are.
    LargestScale {
        OneGrid "One grid": "Runs on the finest grid alone, as the papers have it. Forms have one width, and larger sizes take far longer.",
        Samples33 "1/32 of the side": "Begins on 33 samples a side: a few valleys across the whole terrain.",
        Samples65 "1/64 of the side": "Begins on 65 samples a side: the widest valleys are about a tenth of the terrain.",
        Samples129 "1/128 of the side": "Begins on 129 samples a side.",
        Samples257 "1/256 of the side": "Begins on 257 samples a side: for rivers, which a coarser grid would lead along its rows.",
        Samples513 "1/512 of the side": "Begins on 513 samples a side: only the finest forms get detail.",
    }
}

/// Parameters of an erosion that runs from coarse to fine: `multiscale_params!();`, [`MultiScale`] is what they come
/// to.
macro_rules! multiscale_params {
    (@into $head:tt $done:tt [$($rest:tt)*]) => {
        talweg_ground::params! { @each $head $done [
            /// Where the erosion begins: on a coarse grid, whose forms the finer ones refine. Then there are valleys
            /// of every width, and large sizes take seconds. Iterations, lengths and depths are those of the coarsest
            /// grid.
            largest_scale: $crate::multiscale::LargestScale
                = $crate::multiscale::LargestScale::OneGrid;
            /// Iterations of each finer grid beside those of the one before. Small leaves broad, smooth forms; above 1
            /// the finest forms prevail.
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
    /// Iterations of a level beside those of the one before.
    pub fine_weight: f32,
}

/// One of the grids.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// Samples a side, of a planet a side of a face.
    pub samples: usize,
    /// Iterations on this grid.
    pub iterations: u32,
    /// Cells of the coarsest grid beside those of this one, both by their side; 1 where there is one grid alone.
    pub scale: f32,
}

impl LargestScale {
    /// Samples a side; none where there is one grid alone.
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

/// The smallest of the grids that levels may have.
const SMALLEST_LEVEL: usize = 33;

/// The grid before one of `samples` on the way from coarse to fine: the largest of 33, 65, 129, 257 … samples that is
/// coarser by a factor of 1.5 at the least.
pub fn coarser_samples(samples: usize) -> Option<usize> {
    let is_coarser = |level: &usize| 3 * (level - 1) <= 2 * (samples.max(1) - 1);
    std::iter::successors(Some(SMALLEST_LEVEL), |level| Some(2 * (level - 1) + 1)).take_while(is_coarser).last()
}

impl MultiScale {
    /// The process on the grid that is asked for, and no other.
    pub const ONE_GRID: Self = Self { largest: LargestScale::OneGrid, fine_weight: 1.0 };

    /// Whether a process runs on coarser grids before one of `samples`.
    pub fn coarser(&self, samples: usize) -> Option<usize> {
        let coarsest = self.largest.samples()?;
        coarser_samples(samples).filter(|&level| level >= coarsest)
    }

    /// Cells of the coarsest grid beside those of a grid of `samples`, by their side; 1 where there is one grid alone.
    pub fn scale(&self, samples: usize) -> f32 {
        self.largest.samples().map_or(1.0, |coarsest| (samples - 1) as f32 / (coarsest - 1) as f32)
    }

    /// Iterations on a grid of `samples`, where the coarsest has `iterations`: a multiple of `fine_weight` for each
    /// halving of the cell, and 1 at the least.
    pub fn iterations(&self, iterations: u32, samples: usize) -> u32 {
        let scale = self.scale(samples);
        if iterations == 0 || scale <= 1.0 {
            return iterations;
        }
        let weight = libm::pow(f64::from(self.fine_weight), libm::log2(f64::from(scale)));
        (f64::from(iterations) * weight).round().clamp(1.0, f64::from(u32::MAX)) as u32
    }

    /// The levels up to a grid of `samples`, the coarsest first, where that has `iterations`.
    pub fn levels(&self, iterations: u32, samples: usize) -> Vec<Level> {
        let sizes = std::iter::successors(Some(samples), |&samples| self.coarser(samples));
        let level =
            |samples| Level { samples, iterations: self.iterations(iterations, samples), scale: self.scale(samples) };
        let mut levels: Vec<Level> = sizes.map(level).collect();
        levels.reverse();
        levels
    }
}

/// What finer grids leave of the beds of trunk streams where a process runs from coarse to fine: those of the grid of
/// [`settled_samples`](Self::settled_samples) on squares. On planets a cell of that grid is many kilometres wide, far
/// wider than a stream, and all beds are free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamBeds {
    /// They become whatever the finer grids make of them.
    Free,
    /// Detail of the layers beneath does not come back into them: the coarser grid has worn it away or buried it. What
    /// the process does on the finer grids is free.
    Kept,
    /// Detail of the layers beneath comes back into them as everywhere, and the process is free; but where it begins on
    /// a finer grid nothing that lies across them rises over the heights that they had. For beds that are rough, which
    /// the process neither wears nor fills. It may run in parts.
    Cleared,
    /// [`Kept`](Self::Kept), and what the process does on finer grids spares them: it knows no drained area, and would
    /// lead the streams elsewhere.
    Held,
    /// Channels are cut along them, deeper where more ground drains, before the process begins on a finer grid and once
    /// more when it has run there, and it spares them as where they are held: it knows no drained area, and leaves
    /// plains of debris without any stream. Detail of the layers beneath does not come back to them. The process runs
    /// as a whole.
    Incised,
}

impl StreamBeds {
    /// Whether detail of the layers beneath does not come back into them.
    pub fn leaves_out_detail(self) -> bool {
        matches!(self, Self::Kept | Self::Held | Self::Incised)
    }

    /// Whether most of what became of them on a grid is taken back at its end.
    pub fn restores_beds(self) -> bool {
        matches!(self, Self::Held | Self::Incised)
    }

    /// Samples a side of the grid on which trunk streams are found, of a process that begins on that of `largest`.
    pub fn settled_samples(self, largest: LargestScale) -> usize {
        let samples = if self == Self::Incised { INCISED_SAMPLES } else { SETTLED_SAMPLES };
        samples.max(largest.samples().unwrap_or(samples))
    }
}

/// The grid that channels are cut after: one before [`SETTLED_SAMPLES`], which has them too.
const INCISED_SAMPLES: usize = 257;

/// How far valleys that follow the grid are bent, in cells of the coarser one.
const BEND_CELLS: f32 = 0.9;
/// From a grid of so many samples on they are bent half as far from level to level, again and again: their courses
/// stand, and all that is added stays within a cell of this grid.
pub const SETTLED_SAMPLES: usize = 513;
/// Keeps those random values apart from those of the process.
const BEND_SALT: u64 = 0xbe4d;

/// How far valleys of a grid of `samples` are bent on the way to the next, in its cells.
fn bend_cells(samples: usize) -> f32 {
    let beyond = (samples - 1) as f32 / (SETTLED_SAMPLES - 1) as f32;
    if beyond < 1.0 { BEND_CELLS } else { 0.5 * BEND_CELLS / beyond }
}

/// By how much what a process has on the grid `coarse` is displaced on the way to that of `cx`, where it
/// [follows the grid](super::Traits::follows_grid): its valleys lie along rows, columns and diagonals.
///
/// # Errors
/// When it was cancelled.
pub fn valley_bend(cx: &Context, coarse: Grid) -> Result<GridDisplacement, Cancelled> {
    let random = cx.random.fork(BEND_SALT ^ coarse.whole_samples() as u64);
    GridDisplacement::random(coarse, cx.grid, bend_cells(coarse.whole_samples()), random, cx.control)
}

/// Samples of `to` for each one of `from`, both counted once and of windows those of the whole: what sums over a grid
/// grow by.
pub fn sample_ratio(from: Grid, to: Grid) -> f64 {
    let [from, to] = [from, to].map(|grid| grid.with_samples(grid.whole_samples()).distinct_len() as f64);
    to / from
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_double_up_to_the_size_that_is_asked_for_and_a_larger_size_only_adds() {
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
