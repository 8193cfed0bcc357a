//! Hybrid multifractal: smooth plains at low heights, rugged mountains at great heights.
//!
//! Law (Musgrave): signalᵢ = pⁱ · (nᵢ + offset), trust₀ = 1, trustᵢ₊₁ = min(1, trustᵢ · gain · signalᵢ), h = base +
//! amplitude · Σ trustᵢ·signalᵢ / ((1 + offset) · Σ pⁱ), with p the persistence and nᵢ the gradient noise of
//! [`lattice`](super::lattice) (scaled to ±1) at frequency · lacunarityⁱ. Where the previous octaves are low, the finer
//! octaves have a small weight (trust), so valleys are smooth and high terrain is rough. Trust is never negative.
//! Musgrave's exponent H is -log(persistence) / log(lacunarity); his gain is 1. Boundary and scheme as in the lattice:
//! a preview is exactly a subsample of the full size.
//! Source: Musgrave in Ebert et al. 2003, *Texturing and Modeling*, ch. 16.

use super::gradient_noise::GradientNoise;
use super::octave_steps::OctaveNoise;
use super::octaves::{self, NoiseFade, Octaves, RowReader, octave_params, offset_params};
use super::warp::DomainWarp;
use crate::steps::metres;
use crate::{Context, Generator, OnPlanet, SteppedGenerator, Traits};
use talweg_ground::field::Cancelled;

talweg_ground::params! {
    /// Plains and smooth valleys that rise to rugged mountains.
    Hybrid "Hybrid noise" in "Noise", from "Musgrave in Ebert et al. 2003", also "multifractal heterogeneous mountains plains foothills" {
        octave_params!(frequency = 4.0, octaves = 8, persistence = 0.45);
        /// Offset of the noise before the octaves are weighted: small values make wide plains, large values rugged
        /// terrain.
        offset: f32 = 0.7, 0.0..=2.0, slider 0.2..=1.5;
        /// Increase of roughness above the plains: at 0 only the first octave remains, larger values roughen lower
        /// terrain.
        gain: f32 = 1.0, 0.0..=10.0, slider 0.0..=4.0 => |noise| noise.octaves > 1 && noise.persistence > 0.0;
        /// Interpolation between lattice points.
        fade as "Interpolation": NoiseFade = NoiseFade::Improved;
        /// Height from the plains to the theoretical highest peak, which no terrain quite reaches, as a fraction of the
        /// relief.
        amplitude: f32 = 1.25, -10.0..=10.0, slider 0.0..=2.0;
        /// Approximate height of the lowest plains, as a fraction of the relief.
        base: f32 = 0.0, -10.0..=10.0, slider -0.5..=1.0;
        offset_params!();
    }
}

impl Generator for Hybrid {
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

impl OctaveNoise for Hybrid {
    fn octave_law(&self) -> Octaves {
        Octaves::new(self.frequency, self.octaves, self.lacunarity, [self.offset_x, self.offset_y])
    }

    fn base_height(&self) -> f32 {
        self.base
    }

    fn octave_formula(&self, cx: &Context, k: u32) -> String {
        let weights = octaves::powers(self.octaves, self.persistence);
        let scale = self.amplitude / ((1.0 + self.offset) * weights.iter().sum::<f32>());
        let (weight, offset) = (metres(cx, weights[k as usize] * scale), self.offset);
        let trust = match k {
            0 => "trust = 1".into(),
            _ => format!("trust = min(1, previous trust · {} · previous signal)", self.gain),
        };
        format!("h = h + {weight} · trust · (n + {offset}), {trust}, n gradient noise scaled to ±1")
    }

    fn fill_octaves(&self, cx: &Context, shown: u32, out: &mut [f32]) -> Result<(), Cancelled> {
        let law = self.octave_law();
        let octaves = GradientNoise::new(cx.grid, cx.random, &law, self.fade, DomainWarp::NONE);
        let weights = octaves::powers(self.octaves, self.persistence);
        let scale = self.amplitude / ((1.0 + self.offset) * weights.iter().sum::<f32>());
        let n = cx.grid.samples;
        cx.bands(out, |first, cells| {
            let mut readers = octaves.readers();
            let (mut noise, mut trust) = (vec![0.0f32; n], vec![0.0f32; n]);
            for (k, row) in cells.chunks_mut(n).enumerate() {
                row.fill(self.base);
                trust.fill(1.0);
                for (reader, &weight) in readers.iter_mut().zip(&weights[..shown as usize]) {
                    noise.fill(self.offset);
                    reader.add(first + k, std::f32::consts::SQRT_2, &mut noise);
                    for ((h, &n), t) in row.iter_mut().zip(&noise).zip(&mut trust) {
                        let signal = n * weight;
                        *h += *t * signal * scale;
                        *t = (*t * self.gain * signal).clamp(0.0, 1.0);
                    }
                }
            }
        })
    }
}
