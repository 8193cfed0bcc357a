//! Spectral synthesis: tables of random values, finer and lower each time, interpolated and summed.
//!
//! Law: fᵢ = round(frequency · stepⁱ), h = base + amplitude · Σ pⁱ·vᵢ / (√2 · √Σ p²ⁱ), i = 0 … layers - 1, where vᵢ is
//! a table of fᵢ × fᵢ random values over the terrain, interpolated ([`values`](super::values)). One layer fills [0, 1]
//! at amplitude 1 and base 0.5; dividing by the root of the summed squares keeps the same spread for any number of
//! layers. The tables stand exactly over each other, edge on edge, unlike the octaves of the noises; that is the
//! document's method.
//! Boundary: the values on the far edges are random when open, those of the near edges when wrapping.
//! A preview is exactly the subsample of the full size.
//! Squares only: its tables stand edge on edge over a square.
//! Source: Le Martelot 2005, §1.1.2 (figure 6: frequency 4, step 2, persistence 0.5, linear); Saupe 1988.

use super::octaves::{self, Lattice, LatticeAxis, NoiseFade};
use super::values::{ValueCurve, ValueOctave};
use crate::{Context, Generator};
use talweg_ground::field::Cancelled;

talweg_ground::choices! {
    /// How the values of a table are joined.
    Interpolation {
        Linear "Linear": "Straight: quick, with facets between the values, as in Le Martelot 2005.",
        Smoothstep "Smoothstep": "Level at every value: no facets, but the grid of the table shows.",
        Cubic "Cubic": "A smooth curve through four values: rolling ground without facets.",
    }
}

impl Interpolation {
    fn curve(self) -> ValueCurve {
        match self {
            Self::Linear => ValueCurve::Linear,
            Self::Smoothstep => ValueCurve::Fade(NoiseFade::Classic),
            Self::Cubic => ValueCurve::Cubic,
        }
    }
}

talweg_ground::params! {
    /// Tables of random heights laid over each other, finer and lower each time.
    Spectral "Spectral synthesis" in "Noise", from "Saupe 1988; Le Martelot 2005, §1.1.2", also "fourier layers value lattice synthesis" {
        /// Random values along a side of the first table.
        frequency: u32 = 4, 1..=256, slider 1..=32;
        /// Number of tables. Each costs the same time.
        layers: u32 = 8, 1..=16;
        /// How many times finer each table is than the one before.
        step: f32 = 2.0, 1.0..=4.0, slider 1.5..=3.0;
        /// How high each table is beside the one before. Small is smooth, large is jagged.
        persistence: f32 = 0.5, 0.0..=1.0, slider 0.2..=0.8;
        /// How the values of a table are joined.
        interpolation: Interpolation = Interpolation::Cubic;
        /// Height from the deepest valley to the highest peak, about, as a fraction of the relief.
        amplitude: f32 = 1.0, -10.0..=10.0, slider 0.0..=2.0;
        /// Mean height, as a fraction of the relief.
        base: f32 = 0.5, -10.0..=10.0, slider -0.5..=1.5;
    }
}

impl Generator for Spectral {
    fn fill(&self, cx: &Context, out: &mut [f32]) -> Result<(), Cancelled> {
        let curve = self.interpolation.curve();
        let mut frequency = f64::from(self.frequency);
        let mut layers = Vec::new();
        for k in 0..self.layers {
            let axis = |first| LatticeAxis::new(cx.grid, first, libm::round(frequency), 0.0, 0.0, curve.reach());
            let [first_row, first_column] = cx.grid.first();
            let stream = cx.random.fork(u64::from(k));
            let lattice = Lattice { stream, columns: axis(first_column), rows: axis(first_row) };
            layers.push(ValueOctave::new(lattice, curve));
            frequency *= f64::from(self.step);
        }
        let weights = octaves::weights(self.layers, self.persistence, self.amplitude);
        octaves::sum(cx, self.base, &weights, || layers.iter().map(ValueOctave::reader).collect(), out)
    }
}
