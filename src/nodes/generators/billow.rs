//! Billow noise: folded gradient noise.
//!
//! Law: h = base + amplitude · Σ pⁱ·|nᵢ| / Σ pⁱ, with p the persistence and nᵢ the gradient noise of
//! [`lattice`](super::lattice) (scaled to ±1) at frequency · lacunarityⁱ. Valleys are sharp where the noise crosses 0,
//! and the hills between them are round, as in ridged noise turned upside down. [`warp`](super::warp) can displace the
//! positions at which the noise is read. Boundary and scheme as in the lattice: a preview is exactly a subsample of the
//! full size.
//! Source: Perlin 1985 (turbulence); Musgrave in Ebert et al. 2003, *Texturing and Modeling*, ch. 16.

use super::gradient_noise::GradientNoise;
use super::octave_steps::{OctaveNoise, OctavePattern};
use super::octaves::{self, NoiseFade, Octaves, RowReader, octave_params, offset_params};
use super::warp::{DomainWarp, warp_params, warped_fields};
use crate::steps::metres;
use crate::{Context, Generator, NodeMemory, OnPlanet, SteppedGenerator, Traits};
use talweg_ground::field::Cancelled;

talweg_ground::params! {
    /// Round, swelling hills with sharp creases between them.
    Billow "Billow noise" in "Noise", from "Perlin 1985; Musgrave in Ebert et al. 2003", also "turbulence clouds dunes cauliflower puffy fbm" {
        octave_params!(frequency = 4.0, octaves = 8, persistence = 0.45);
        /// Interpolation between lattice points.
        fade as "Interpolation": NoiseFade = NoiseFade::Improved;
        /// Approximate height from the creases to the highest hill, as a fraction of the relief.
        amplitude: f32 = 1.0, -10.0..=10.0, slider 0.0..=2.0;
        /// Height of the deepest creases, as a fraction of the relief.
        base: f32 = 0.0, -10.0..=10.0, slider -0.5..=1.0;
        warp_params!();
        offset_params!();
    }
}

impl Generator for Billow {
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

impl OctaveNoise for Billow {
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
        let powers = octaves::powers(self.octaves, self.persistence);
        let weight = powers[k as usize] * self.amplitude / powers.iter().sum::<f32>();
        format!("h = h + {} · |n|, n gradient noise scaled to ±1", metres(cx, weight))
    }

    fn fill_octaves(&self, cx: &Context, shown: u32, out: &mut [f32]) -> Result<(), Cancelled> {
        let law = self.octave_law();
        let warp = DomainWarp { strength: self.warp, frequency: self.warp_frequency };
        let octaves = GradientNoise::new(cx.grid, cx.random, &law, self.fade, warp);
        let weights = octaves::powers(self.octaves, self.persistence);
        let scale = self.amplitude / weights.iter().sum::<f32>();
        let n = cx.grid.samples;
        cx.bands(out, |first, cells| {
            let mut readers = octaves.readers();
            let mut noise = vec![0.0f32; n];
            for (k, row) in cells.chunks_mut(n).enumerate() {
                row.fill(self.base);
                for (reader, &weight) in readers.iter_mut().zip(&weights[..shown as usize]) {
                    noise.fill(0.0);
                    reader.add(first + k, std::f32::consts::SQRT_2, &mut noise);
                    row.iter_mut().zip(&noise).for_each(|(h, n)| *h += n.abs() * (weight * scale));
                }
            }
        })
    }
}
