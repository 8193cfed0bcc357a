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

use super::octave_steps;
use super::octaves::{self, Lattice, LatticeAxis, NoiseFade};
use super::values::{self, ValueCurve, ValueOctave};
use crate::steps::metres;
use crate::{Context, Generator, GeneratorStep, SteppedGenerator};
use talweg_ground::field::{Cancelled, Edges, Terrain};

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
        self.fill_layers(cx, self.layers, out)
    }

    fn stepped(&self) -> Option<&dyn SteppedGenerator> {
        Some(self)
    }
}

impl SteppedGenerator for Spectral {
    fn steps(&self, _samples: usize, _size_metres: f32) -> u32 {
        self.layers
    }

    fn generate_until(&self, cx: &Context, step: u32, made: &mut Terrain) -> Result<(), Cancelled> {
        self.fill_layers(cx, step.min(self.layers), &mut made.height)
    }

    fn describe_step(&self, cx: &Context, step: u32) -> GeneratorStep {
        let Some(k) = step.min(self.layers).checked_sub(1) else {
            return GeneratorStep::new("Start: no table yet", format!("h = {}", metres(cx, self.base)));
        };
        let k = k as usize;
        let squares = self.squares(cx)[k];
        let values = match cx.grid.edges {
            Edges::Open => squares + 1.0,
            Edges::Wrap => squares,
        };
        let weight = self.layer_weights()[k] * values::SCALE;
        let step = GeneratorStep::new(
            format!("Table {} of {}: {values} × {values} values", k + 1, self.layers),
            format!("h = h + {} · v, v interpolated from random values in [-1, 1)", metres(cx, weight)),
        );
        if !(1.0..=MOST_SQUARES).contains(&squares) {
            return step;
        }
        let lines: Vec<f32> = (0..=squares as usize).map(|line| (line as f64 / squares) as f32).collect();
        octave_steps::with_square_lattice(step, &lines, &lines)
    }
}

/// Maximum number of squares per side whose lines are drawn over the terrain.
const MOST_SQUARES: f64 = 63.0;

impl Spectral {
    /// Weight of every table in the sum.
    fn layer_weights(&self) -> Vec<f32> {
        match self.weights {
            TableWeights::Even => octaves::weights(self.layers, self.persistence, self.amplitude),
            TableWeights::Powers => {
                let powers = octaves::powers(self.layers, self.persistence);
                powers.into_iter().map(|power| power * self.amplitude / values::SCALE).collect()
            }
        }
    }

    /// Number of squares along a side of every table; 0 if the table has a single value.
    fn squares(&self, cx: &Context) -> Vec<f64> {
        let mut frequency = f64::from(self.frequency);
        let mut all = Vec::new();
        for _ in 0..self.layers {
            let count = libm::round(frequency);
            frequency *= f64::from(self.step);
            all.push(match self.tables {
                TableSize::Values if cx.grid.edges == Edges::Open => count - 1.0,
                TableSize::Values | TableSize::Squares => count,
            });
        }
        all
    }

    /// Fills `out` with the sum of the first `shown` tables.
    fn fill_layers(&self, cx: &Context, shown: u32, out: &mut [f32]) -> Result<(), Cancelled> {
        let curve = self.interpolation.curve();
        let mut layers = Vec::new();
        let (mut base, mut weights) = (self.base, self.layer_weights());
        for (k, squares) in self.squares(cx).into_iter().enumerate().take(shown as usize) {
            let stream = cx.random.fork(k as u64);
            if squares < 1.0 {
                // The table has a single value.
                base += weights[k] * values::SCALE * stream.signed(0, 0);
                weights[k] = 0.0;
            }
            let axis = |first| LatticeAxis::new(cx.grid, first, squares.max(1.0), 0.0, 0.0, curve.reach());
            let [first_row, first_column] = cx.grid.first();
            let lattice = Lattice { stream, columns: axis(first_column), rows: axis(first_row) };
            layers.push(ValueOctave::new(lattice, curve));
        }
        octaves::sum(cx, base, &weights, || layers.iter().map(ValueOctave::reader).collect(), out)
    }
}
