//! Ridged multifractal: sharp crests with smooth valleys between them.
//!
//! Law (Musgrave): signal₀ = (offset - |n₀|)², signalᵢ = (offset - |nᵢ|)² · min(1, max(0, gain · signalᵢ₋₁)), h =
//! base + amplitude · Σ pⁱ·signalᵢ / Σ pⁱ·offset², with p the persistence and nᵢ the gradient noise of
//! [`lattice`](super::lattice) (scaled to ±1) at frequency · lacunarityⁱ. Crests form where the noise crosses 0. Each
//! octave is multiplied by a weight from the previous octave, which keeps the valleys smooth and the crests rough.
//! Musgrave's exponent H is -log(persistence) / log(lacunarity). [`warp`](super::warp) can displace the positions at
//! which the noise is read. Boundary and scheme as in the lattice: a preview is exactly a subsample of the full size.
//! Source: Musgrave in Ebert et al. 2003, *Texturing and Modeling*, ch. 16.

use super::gradient_noise::GradientNoise;
use super::octave_steps::{OctaveNoise, OctavePattern};
use super::octaves::{self, NoiseFade, Octaves, RowReader, octave_params, offset_params};
use super::warp::{DomainWarp, warp_params, warped_fields};
use crate::steps::metres;
use crate::{Context, Generator, NodeMemory, OnPlanet, SteppedGenerator, Traits};
use talweg_ground::field::Cancelled;

talweg_ground::params! {
    /// Sharp mountain crests with smooth valleys between them.
    Ridged "Ridged noise" in "Noise", from "Musgrave in Ebert et al. 2003", also "ridge multifractal mountains alps crests" {
        octave_params!(frequency = 2.5, octaves = 9, persistence = 0.5);
        /// Value from which the absolute noise is subtracted to form crests. Below 1, crests split in two with a furrow
        /// between them.
        offset: f32 = 1.0, 0.0..=2.0, slider 0.5..=1.5;
        /// Roughness of the crests: at 0 only the first octave remains, large values roughen the valleys as well.
        gain: f32 = 2.0, 0.0..=10.0, slider 0.0..=4.0 => |noise| noise.octaves > 1 && noise.persistence > 0.0;
        /// Interpolation between lattice points.
        fade as "Interpolation": NoiseFade = NoiseFade::Improved;
        /// Approximate height from the deepest valley to the highest crest, as a fraction of the relief.
        amplitude: f32 = 1.0, -10.0..=10.0, slider 0.0..=2.0;
        /// Height of the deepest valleys, as a fraction of the relief.
        base: f32 = 0.0, -10.0..=10.0, slider -0.5..=1.0;
        warp_params!();
        offset_params!();
    }
}

impl Generator for Ridged {
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

impl OctaveNoise for Ridged {
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
        let signal = match k {
            0 => format!("({} - |n|)²", self.offset),
            _ => format!("({} - |n|)² · min(1, {} · previous signal)", self.offset, self.gain),
        };
        let weight = metres(cx, self.weights()[k as usize]);
        format!("h = h + {weight} · signal, signal = {signal}, n gradient noise scaled to ±1")
    }

    fn fill_octaves(&self, cx: &Context, shown: u32, out: &mut [f32]) -> Result<(), Cancelled> {
        let law = self.octave_law();
        let warp = DomainWarp { strength: self.warp, frequency: self.warp_frequency };
        let octaves = GradientNoise::new(cx.grid, cx.random, &law, self.fade, warp);
        let weights = self.weights();
        let n = cx.grid.samples;
        cx.bands(out, |first, cells| {
            let mut readers = octaves.readers();
            let (mut noise, mut trust) = (vec![0.0f32; n], vec![0.0f32; n]);
            for (k, row) in cells.chunks_mut(n).enumerate() {
                row.fill(self.base);
                trust.fill(1.0);
                for (reader, &weight) in readers.iter_mut().zip(&weights[..shown as usize]) {
                    noise.fill(0.0);
                    reader.add(first + k, std::f32::consts::SQRT_2, &mut noise);
                    for ((h, &n), t) in row.iter_mut().zip(&noise).zip(&mut trust) {
                        let crest = self.offset - n.abs();
                        let signal = crest * crest * *t;
                        *h += signal * weight;
                        *t = (signal * self.gain).clamp(0.0, 1.0);
                    }
                }
            }
        })
    }
}

impl Ridged {
    /// Weight of each octave. The weights are scaled so that a crest in all octaves at once has the height `amplitude`.
    fn weights(&self) -> Vec<f32> {
        let weights = octaves::powers(self.octaves, self.persistence);
        let sum: f32 = weights.iter().sum();
        // With a small offset the furrows are the highest relief: (offset - 1)².
        let highest = (self.offset * self.offset).max((self.offset - 1.0) * (self.offset - 1.0));
        weights.iter().map(|w| w * self.amplitude / (sum * highest)).collect()
    }
}
