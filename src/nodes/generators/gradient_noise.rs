//! Gradient noise in octaves on any grid: [plane](super::lattice) noise on squares, [solid](super::solid) noise on
//! globes. Both can be read at [warped](super::warp) positions.

use super::octaves::{self, NoiseFade, Octaves, RowReader};
use super::solid::{SolidField, SolidReader};
use super::warp::{DomainWarp, NoiseField, WarpReader};
use crate::Context;
use talweg_ground::field::{Cancelled, Grid, Stream};

/// The octaves of gradient noise on a grid.
pub enum GradientNoise {
    /// Noise on a lattice in the plane of a square.
    Square(NoiseField),
    /// Noise on a lattice in space, read at the samples of a planet.
    Globe(SolidField),
}

impl GradientNoise {
    /// Creates the octaves of `law` on `grid`, each with its own random stream forked from `random`.
    pub fn new(grid: Grid, random: Stream, law: &Octaves, fade: NoiseFade, warp: DomainWarp) -> Self {
        match grid.is_globe() {
            true => Self::Globe(SolidField::new(grid, random, law, fade, warp)),
            false => Self::Square(NoiseField::new(grid, random, law, fade, warp)),
        }
    }

    /// Creates a reader for every octave, for a band of rows.
    pub fn readers(&self) -> Vec<GradientNoiseReader<'_>> {
        match self {
            Self::Square(field) => field.readers().into_iter().map(GradientNoiseReader::Square).collect(),
            Self::Globe(field) => field.readers().into_iter().map(GradientNoiseReader::Globe).collect(),
        }
    }

    /// Fills `out` with base + Σ weight · noise, summed over the octaves.
    pub fn sum(&self, cx: &Context, base: f32, weights: &[f32], out: &mut [f32]) -> Result<(), Cancelled> {
        octaves::sum(cx, base, weights, || self.readers(), out)
    }
}

/// Reads one octave of the noise row by row.
pub enum GradientNoiseReader<'a> {
    /// A reader of [`GradientNoise::Square`].
    Square(WarpReader<'a>),
    /// A reader of [`GradientNoise::Globe`].
    Globe(SolidReader<'a>),
}

impl RowReader for GradientNoiseReader<'_> {
    fn add(&mut self, row: usize, amplitude: f32, out: &mut [f32]) {
        match self {
            Self::Square(reader) => reader.add(row, amplitude, out),
            Self::Globe(reader) => reader.add(row, amplitude, out),
        }
    }
}
