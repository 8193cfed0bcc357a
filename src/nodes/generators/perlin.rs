//! Perlin noise summed to fractional Brownian motion (fBm).
//!
//! Law: h = base + amplitude · Σ pⁱ·nᵢ / (√2 · √Σ p²ⁱ), i = 0 … octaves - 1, where nᵢ is the gradient noise of
//! [`lattice`](super::lattice) at frequency · lacunarityⁱ and p is the persistence. A single octave fills [0, 1] at
//! amplitude 1 and base 0.5. Division by the root of the summed squares keeps the same standard deviation for any
//! number of octaves and any persistence (three standard deviations reach ±0.5).
//! Boundary: open terrains need no rule; on wrapping terrains each octave's frequency is rounded to a whole number.
//! Octaves finer than the grid are kept: a preview is exactly a subsample of the full size. On a globe the noise is
//! [`solid`](super::solid). [`warp`](super::warp) can displace the positions at which the sum is read.
//! Source: Perlin 1985 and 2002; Musgrave in Ebert et al. 2003, ch. 16.

use super::gradient_noise::GradientNoise;
use super::octave_steps::{self, OctaveNoise, OctavePattern};
use super::octaves::{self, NoiseFade, Octaves, octave_params, offset_params};
use super::warp::{DomainWarp, warp_params, warped_fields};
use crate::{Context, Generator, NodeMemory, OnPlanet, SteppedGenerator, Traits};
use talweg_ground::field::Cancelled;

talweg_ground::params! {
    /// Rolling hills to rugged mountains: random relief in several octaves, each finer and lower than the previous one.
    Perlin "Perlin noise" in "Noise", from "Perlin 1985, 2002", also "fbm fractal hills brownian simplex gradient clouds" {
        octave_params!(frequency = 3.0, octaves = 9, persistence = 0.45);
        /// Interpolation between lattice points.
        fade as "Interpolation": NoiseFade = NoiseFade::Improved;
        /// Approximate height from the deepest valley to the highest peak, as a fraction of the relief.
        amplitude: f32 = 1.0, -10.0..=10.0, slider 0.0..=2.0;
        /// Mean height, as a fraction of the relief.
        base: f32 = 0.5, -10.0..=10.0, slider -0.5..=1.5;
        warp_params!();
        offset_params!();
    }
}

impl Generator for Perlin {
    fn traits(&self) -> Traits {
        Traits {
            on_planet: Some(OnPlanet::DEFAULT),
            memory: NodeMemory::constant(warped_fields(self.warp)),
            ..Traits::GENERATOR
        }
    }

    fn fill(&self, cx: &Context, out: &mut [f32]) -> Result<(), Cancelled> {
        self.fill_octaves(cx, self.octaves, out)
    }

    fn stepped(&self) -> Option<&dyn SteppedGenerator> {
        Some(self)
    }
}

impl OctaveNoise for Perlin {
    fn octave_law(&self) -> Octaves {
        Octaves::new(self.frequency, self.octaves, self.lacunarity, [self.offset_x, self.offset_y])
    }

    fn pattern(&self) -> OctavePattern {
        if self.warp == 0.0 { OctavePattern::Squares } else { OctavePattern::Nothing }
    }

    fn base_height(&self) -> f32 {
        self.base
    }

    fn octave_formula(&self, cx: &Context, k: u32) -> String {
        let weight = octaves::weights(self.octaves, self.persistence, self.amplitude)[k as usize];
        octave_steps::sum_formula(cx, weight, "noise of mean 0 from random slopes at the corners of the lattice")
    }

    fn fill_octaves(&self, cx: &Context, shown: u32, out: &mut [f32]) -> Result<(), Cancelled> {
        let law = self.octave_law();
        let warp = DomainWarp { strength: self.warp, frequency: self.warp_frequency };
        let weights = octaves::weights(self.octaves, self.persistence, self.amplitude);
        let noise = GradientNoise::new(cx.grid, cx.random, &law, self.fade, warp);
        noise.sum(cx, self.base, &weights[..shown as usize], out)
    }
}
