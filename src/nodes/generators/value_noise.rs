//! Value noise summed to fractional Brownian motion (fBm).
//!
//! Law: h = base + amplitude · Σ pⁱ·vᵢ / (√2 · √Σ p²ⁱ), i = 0 … octaves - 1, where vᵢ is the noise of
//! [`values`](super::values) at frequency · lacunarityⁱ and p is the persistence. The lattice holds random heights with
//! a fade between them, while the lattice of Perlin noise holds random slopes. With heights the lattice is more
//! visible, as blocks and plateaus.
//! Boundary: open terrains need no rule; on wrapping terrains each octave's frequency is rounded to a whole number.
//! Octaves finer than the grid are kept: a preview is exactly a subsample of the full size. On a globe the lattice is
//! in [space](super::solid), with the same standard deviation.
//! Source: Perlin 1985; Ebert et al. 2003, *Texturing and Modeling*, ch. 2.

use super::octave_steps::{self, OctaveNoise};
use super::octaves::{self, NoiseFade, Octaves, octave_params, offset_params};
use super::solid::{Solid, SolidField};
use super::values::{ValueCurve, ValueOctave};
use crate::{Context, Generator, OnPlanet, SteppedGenerator, Traits};
use talweg_ground::field::Cancelled;

talweg_ground::params! {
    /// Blocky hills: smoothly joined random heights on a lattice, in several octaves. Each octave is finer and lower
    /// than the previous octave.
    ValueNoise "Value noise" in "Noise", from "Ebert et al. 2003", also "fbm fractal lattice blocks plateaus clouds" {
        octave_params!(frequency = 4.0, octaves = 8, persistence = 0.45);
        /// Interpolation between lattice points.
        fade as "Interpolation": NoiseFade = NoiseFade::Improved;
        /// Approximate height from the deepest valley to the highest peak, as a fraction of the relief.
        amplitude: f32 = 1.0, -10.0..=10.0, slider 0.0..=2.0;
        /// Mean height, as a fraction of the relief.
        base: f32 = 0.5, -10.0..=10.0, slider -0.5..=1.5;
        offset_params!();
    }
}

impl Generator for ValueNoise {
    fn traits(&self) -> Traits {
        Traits { on_planet: Some(OnPlanet::DEFAULT), ..Traits::GENERATOR }
    }

    fn fill(&self, cx: &Context, out: &mut [f32]) -> Result<(), Cancelled> {
        self.fill_octaves(cx, self.octaves, out)
    }

    fn stepped(&self) -> Option<&dyn SteppedGenerator> {
        Some(self)
    }
}

impl OctaveNoise for ValueNoise {
    fn octave_law(&self) -> Octaves {
        Octaves::new(self.frequency, self.octaves, self.lacunarity, [self.offset_x, self.offset_y])
    }

    fn base_height(&self) -> f32 {
        self.base
    }

    fn octave_formula(&self, cx: &Context, k: u32) -> String {
        let weight = octaves::weights(self.octaves, self.persistence, self.amplitude)[k as usize];
        octave_steps::sum_formula(cx, weight, "random heights at the corners of the lattice, interpolated")
    }

    fn fill_octaves(&self, cx: &Context, shown: u32, out: &mut [f32]) -> Result<(), Cancelled> {
        let law = self.octave_law();
        let weights = octaves::weights(self.octaves, self.persistence, self.amplitude);
        if cx.grid.is_globe() {
            let octave = |random, frequency| Solid::values(random, frequency, self.fade);
            let field = SolidField::from_octaves(cx.grid, cx.random, &law, octave);
            return octaves::sum(cx, self.base, &weights[..shown as usize], || field.readers(), out);
        }
        let curve = ValueCurve::Fade(self.fade);
        let lattices = law.lattices(cx.grid, cx.random, curve.reach(), 1.0);
        let octaves: Vec<_> = lattices.into_iter().map(|lattice| ValueOctave::new(lattice, curve)).collect();
        octaves::sum(
            cx,
            self.base,
            &weights[..shown as usize],
            || octaves.iter().map(ValueOctave::reader).collect(),
            out,
        )
    }
}
