//! Spectral synthesis: sums interpolated tables of random values, each finer and lower than the previous table.
//!
//! Law: fᵢ = round(frequency · stepⁱ), h = base + amplitude · Σ pⁱ·vᵢ / (√2 · √Σ p²ⁱ), i = 0 … layers - 1. p is the
//! persistence, and vᵢ a table of random values over the terrain with fᵢ squares along a side, interpolated
//! ([`values`](super::values)). A single layer fills [0, 1] at amplitude 1 and base 0.5. Division by the root of the
//! summed squares keeps the same standard deviation for any number of layers. With [`TableWeights::Powers`] h = base +
//! amplitude · Σ pⁱ·uᵢ instead, where uᵢ is interpolated from values in [-1, 1): as the paper writes, table i has the
//! greatest amplitude pⁱ. With [`TableSize::Values`] a table has f × f values from edge to edge, as the paper writes:
//! f - 1 squares along a side. The edges of all tables coincide, as in the paper. The octaves of the noise nodes, in
//! contrast, are shifted.
//! Boundary: on open terrains the values on the far edges are random. On wrapping terrains they are equal to the values
//! on the near edges. A preview is exactly a subsample of the full size.
//! Squares only: the tables end at the edges of a square.
//! Source: Le Martelot 2005, §1.1.2 (figure 6: frequency 4, step 2, persistence 0.5, linear); Saupe 1988.

use super::octaves::{self, Lattice, LatticeAxis, NoiseFade};
use super::values::{self, ValueCurve, ValueOctave};
use crate::{Context, Generator};
use talweg_ground::field::{Cancelled, Edges};

talweg_ground::choices! {
    /// The interpolation between the values of a table.
    Interpolation {
        Linear "Linear": "Linear: fast, with facets between the values, as in Le Martelot 2005.",
        Smoothstep "Smoothstep": "Slope 0 at every value: no facets, but the grid of the table shows.",
        Cubic "Cubic": "A smooth curve through four values: rolling terrain without facets.",
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

talweg_ground::choices! {
    /// The number of values along a side of a table, compared with its frequency.
    TableSize {
        Squares "Squares": "As many squares along a side as the frequency says, and one more value.",
        Values "Values": "As many values along a side as the frequency says, as in Le Martelot 2005. Wrapping terrains always have this number.",
    }
}

talweg_ground::choices! {
    /// The weights of the tables in the sum.
    TableWeights {
        Even "Even": "The sum has the same standard deviation for any number of tables and any persistence.",
        Powers "Powers": "Table i has the greatest amplitude p to the power i, as in Le Martelot 2005: more tables make the sum higher.",
    }
}

talweg_ground::params! {
    /// A sum of tables of random heights, each finer and lower than the previous one.
    Spectral "Spectral synthesis" in "Noise", from "Saupe 1988; Le Martelot 2005, §1.1.2", also "fourier layers value lattice synthesis" {
        /// Number of random values along a side of the first table: larger values make hills narrower.
        frequency: u32 = 4, 1..=256, slider 1..=32;
        /// Number of tables: more tables add finer relief. Each table takes the same time.
        layers: u32 = 8, 1..=16;
        /// Frequency of each table relative to the previous table.
        step: f32 = 2.0, 1.0..=4.0, slider 1.5..=3.0 => |spectral| spectral.layers > 1 && spectral.persistence > 0.0;
        /// Amplitude of each table relative to the previous table: small values give smooth terrain, large values
        /// jagged terrain.
        persistence: f32 = 0.5, 0.0..=1.0, slider 0.2..=0.8 => |spectral| spectral.layers > 1;
        /// Interpolation between the values of a table.
        interpolation: Interpolation = Interpolation::Cubic;
        /// Number of values along a side of a table, compared with its frequency.
        tables: TableSize = TableSize::Squares;
        /// Weights of the tables in the sum.
        weights: TableWeights = TableWeights::Even;
        /// Approximate height from the deepest valley to the highest peak, as a fraction of the relief. With the
        /// weights *Powers* it is the greatest deviation of the first table.
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
        let mut base = self.base;
        let mut weights = match self.weights {
            TableWeights::Even => octaves::weights(self.layers, self.persistence, self.amplitude),
            TableWeights::Powers => {
                let powers = octaves::powers(self.layers, self.persistence);
                powers.into_iter().map(|power| power * self.amplitude / values::SCALE).collect()
            }
        };
        for k in 0..self.layers {
            let stream = cx.random.fork(u64::from(k));
            let count = libm::round(frequency);
            frequency *= f64::from(self.step);
            let squares = match self.tables {
                TableSize::Values if cx.grid.edges == Edges::Open => count - 1.0,
                TableSize::Values | TableSize::Squares => count,
            };
            if squares < 1.0 {
                // The table has a single value.
                base += weights[k as usize] * values::SCALE * stream.signed(0, 0);
                weights[k as usize] = 0.0;
            }
            let axis = |first| LatticeAxis::new(cx.grid, first, squares.max(1.0), 0.0, 0.0, curve.reach());
            let [first_row, first_column] = cx.grid.first();
            let lattice = Lattice { stream, columns: axis(first_column), rows: axis(first_row) };
            layers.push(ValueOctave::new(lattice, curve));
        }
        octaves::sum(cx, base, &weights, || layers.iter().map(ValueOctave::reader).collect(), out)
    }
}
