//! What a node knows about where it runs.

use rayon::prelude::*;

use talweg_ground::field::{Cancelled, Control, Grid, Stream};
use talweg_ground::planet::Planet;

/// Cells computed between two looks at the stop flag, and handed to a thread at once.
const BAND_CELLS: usize = 8 * 1024;
/// Rows of a band at the least, so that what a band prepares for itself is shared.
const BAND_ROWS: usize = 4;

/// How the iterations of a process depend on the grid, so that a preview shows the state of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Talus and diffusion travel a distance that grows with the root of the iterations, counted in cells: a grid k
    /// times finer needs k² times as many.
    Diffusion,
    /// Waves and running water travel a cell an iteration: k times as many.
    Wave,
    /// An iteration is a stretch of time, whatever the grid.
    Time,
}

/// Where a node runs: grid, scale, random stream, stop flag.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The grid that is computed.
    pub grid: Grid,
    /// Side of the terrain; on a planet a quarter of the way around it.
    pub size_metres: f32,
    /// Height that 1.0 stands for.
    pub relief_metres: f32,
    /// Height of the water surface, as a fraction of the relief. A node that reads it says so
    /// ([`Traits`](super::Traits)).
    pub sea_level: f32,
    /// The planet that the grid goes around, if it does.
    pub planet: Option<&'a Planet>,
    /// Samples per side of the scene itself; a preview has fewer in `grid`.
    pub scene_samples: usize,
    /// Cells of the coarsest grid beside those of this one, by their side, where a process runs
    /// [from coarse to fine](super::multiscale); else 1. Lengths that follow the cell are divided by it.
    pub level: f32,
    /// Random values of this layer.
    pub random: Stream,
    /// Says when to stop.
    pub control: &'a Control,
}

impl Context<'_> {
    /// Distance between neighbouring samples.
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

    /// Iterations to run on this grid for `asked` at the scene's resolution.
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

    /// Computes `out` row by row in parallel, `row(i, cells)`; looks at the stop flag between bands of rows.
    pub fn rows<T: Send>(&self, out: &mut [T], row: impl Fn(usize, &mut [T]) + Sync) -> Result<(), Cancelled> {
        let n = self.grid.samples;
        self.bands(out, |first, rows| {
            for (k, cells) in rows.chunks_mut(n).enumerate() {
                row(first + k, cells);
            }
        })
    }

    /// Computes `out` in bands of whole rows in parallel, `band(first_row, cells)`, for work that neighbouring rows
    /// share; looks at the stop flag before every band. The bits must not depend on where a band begins.
    pub fn bands<T: Send>(&self, out: &mut [T], band: impl Fn(usize, &mut [T]) + Sync) -> Result<(), Cancelled> {
        let rows = (BAND_CELLS / self.grid.samples).max(BAND_ROWS);
        self.bands_of(rows, out, band)
    }

    /// [`bands`](Self::bands) of `rows` rows each.
    pub fn bands_of<T: Send>(
        &self,
        rows: usize,
        out: &mut [T],
        band: impl Fn(usize, &mut [T]) + Sync,
    ) -> Result<(), Cancelled> {
        self.each_band(rows, out, &band)
    }

    // not compiled anew for each law
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
