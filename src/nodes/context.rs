//! The context of a node: the grid, scale and random values that it runs with.

use rayon::prelude::*;

use talweg_ground::field::{Cancelled, Control, Grid, Stream, Voids};
use talweg_ground::planet::Planet;

/// Cells in a unit of parallel work. The stop flag is checked between two units.
const BAND_CELLS: usize = 8 * 1024;
/// Minimum number of rows in a band. The rows of a band share its preparatory work.
const BAND_ROWS: usize = 4;

/// How the iterations of a process scale with the grid, so that a preview shows the state of the final result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// The effects of talus and diffusion reach a distance in cells proportional to the square root of the number of
    /// iterations. A grid k times finer therefore needs k² times as many iterations.
    Diffusion,
    /// Waves and running water travel one cell per iteration. A grid k times finer therefore needs k times as many
    /// iterations.
    Wave,
    /// An iteration is a span of time, independent of the grid.
    Time,
}

/// The context of a node: grid, scale, random stream, stop flag.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The grid to compute.
    pub grid: Grid,
    /// Side length of the terrain in metres; on a planet, a quarter of its circumference.
    pub size_metres: f32,
    /// Height in metres that the field value 1.0 stands for.
    pub relief_metres: f32,
    /// Height of the water surface, as a fraction of the relief. A node that reads it declares so in its
    /// [`Traits`](super::Traits).
    pub sea_level: f32,
    /// The planet that the grid covers, if any.
    pub planet: Option<&'a Planet>,
    /// Samples per side at the scene's own resolution; the grid of a preview has fewer samples.
    pub scene_samples: usize,
    /// Cell size of the coarsest grid divided by the cell size of this grid, if a process runs [from coarse to
    /// fine](super::multiscale); otherwise 1. Lengths that scale with the cell size are divided by this number.
    pub cell_ratio: f32,
    /// Behaviour of water and rock at voids of the terrain.
    pub voids: Voids,
    /// Random values of this layer.
    pub random: Stream,
    /// Carries the flag that stops the evaluation.
    pub control: &'a Control,
}

impl Context<'_> {
    /// Distance between neighbouring samples in metres.
    pub fn cell_metres(&self) -> f32 {
        self.size_metres * self.grid.cell()
    }

    /// Height difference, as a fraction of the relief, over one cell of a slope of `degrees` (below 90).
    pub fn rise_per_cell(&self, degrees: f32) -> f32 {
        self.rise_over(degrees, self.cell_metres())
    }

    /// Height difference, as a fraction of the relief, over `metres` of a slope of `degrees` (below 90).
    pub fn rise_over(&self, degrees: f32, metres: f32) -> f32 {
        libm::tanf(degrees * (std::f32::consts::PI / 180.0)) * metres / self.relief_metres
    }

    /// Iterations to run on this grid, given that the scene's own resolution needs `asked` iterations.
    pub fn iterations(&self, asked: u32, pace: Pace) -> u32 {
        if self.grid.whole_samples() == self.scene_samples || asked == 0 {
            return asked;
        }
        let ratio = (self.grid.whole_samples() - 1) as f64 / (self.scene_samples - 1) as f64;
        let factor = match pace {
            Pace::Diffusion => ratio * ratio,
            Pace::Wave => ratio,
            Pace::Time => 1.0,
        };
        ((f64::from(asked) * factor).round() as u32).max(1)
    }

    /// Computes `out` row by row in parallel with `row(i, cells)`. Checks the stop flag between bands of rows.
    pub fn rows<T: Send>(&self, out: &mut [T], row: impl Fn(usize, &mut [T]) + Sync) -> Result<(), Cancelled> {
        let n = self.grid.samples;
        self.bands(out, |first, rows| {
            for (k, cells) in rows.chunks_mut(n).enumerate() {
                row(first + k, cells);
            }
        })
    }

    /// Computes `out` in parallel, in bands of whole rows, with `band(first_row, cells)`. This is for computations that
    /// neighbouring rows share. Checks the stop flag before every band. The result must not depend on the band's first
    /// row.
    pub fn bands<T: Send>(&self, out: &mut [T], band: impl Fn(usize, &mut [T]) + Sync) -> Result<(), Cancelled> {
        let rows = (BAND_CELLS / self.grid.samples).max(BAND_ROWS);
        self.bands_of(rows, out, band)
    }

    /// Like [`bands`](Self::bands), with `rows` rows in each band.
    pub fn bands_of<T: Send>(
        &self,
        rows: usize,
        out: &mut [T],
        band: impl Fn(usize, &mut [T]) + Sync,
    ) -> Result<(), Cancelled> {
        self.each_band(rows, out, &band)
    }

    // takes a `dyn` closure, so that it is compiled once and not for each node
    fn each_band<T: Send>(
        &self,
        rows: usize,
        out: &mut [T],
        band: &(dyn Fn(usize, &mut [T]) + Sync),
    ) -> Result<(), Cancelled> {
        out.par_chunks_mut(self.grid.samples * rows).enumerate().try_for_each(|(b, cells)| {
            self.control.check()?;
            band(b * rows, cells);
            Ok(())
        })
    }
}
