//! Billow noise: folded gradient noise.
//!
//! Law: h = base + amplitude · Σ pⁱ·|nᵢ| / Σ pⁱ, with nᵢ the gradient noise of [`lattice`](super::lattice) (scaled to ±1) at
//! frequency · lacunarityⁱ. The valleys are sharp, where the noise crosses 0, and the hills between them round: ridged noise
//! turned upside down.
//! Boundary and scheme as in the lattice: a preview is exactly the subsample of the full size.
//! The whole may be read at places that [`warp`](super::warp) displaces.
//! Source: Perlin 1985 (turbulence); Musgrave in Ebert et al. 2003, *Texturing and Modeling*, ch. 16.

use super::octaves::{self, Fade, Octaves, Reader};
use super::solid::SolidField;
use super::warp::{Field, Warp};
use crate::field::Cancelled;
use crate::nodes::{Context, Generator};

crate::params! {
    /// Round, swelling hills with sharp creases between them.
    Billow "Billow noise" in "Noise", from "Perlin 1985; Musgrave in Ebert et al. 2003", also "turbulence clouds dunes cauliflower puffy fbm" {
        /// Large features along a side. More makes the hills narrower and therefore steeper.
        frequency: f32 = 4.0, 0.1..=256.0, slider 0.5..=32.0;
        /// How often finer relief is added. Each octave costs the same time; few make smooth hills.
        octaves: u32 = 8, 1..=16;
        /// How much narrower the features of each octave are than those of the one before.
        lacunarity: f32 = 2.0, 1.0..=4.0, slider 1.5..=3.0;
        /// How high each octave is beside the one before. Small is smooth, large is jagged.
        persistence: f32 = 0.45, 0.0..=1.0, slider 0.2..=0.8;
        /// Curve between lattice points.
        fade: Fade = Fade::Improved;
        /// Height from the creases to the highest hill, about, as a fraction of the relief.
        amplitude: f32 = 1.0, -10.0..=10.0, slider 0.0..=2.0;
        /// Height of the deepest creases, as a fraction of the relief.
        base: f32 = 0.0, -10.0..=10.0, slider -0.5..=1.0;
        /// How far the pattern is pushed about before it is read, in sides of the terrain. It folds hills into eddies.
        warp: f32 = 0.0, 0.0..=1.0, slider 0.0..=0.2;
        /// Large eddies along a side, where the pattern is pushed about.
        warp_frequency: f32 = 3.0, 0.1..=64.0, slider 0.5..=16.0 => |noise| noise.warp != 0.0;
        /// Moves the pattern to the west, in sides of the terrain.
        offset_x: f32 = 0.0, -1000.0..=1000.0, slider -2.0..=2.0;
        /// Moves the pattern to the north, in sides of the terrain.
        offset_y: f32 = 0.0, -1000.0..=1000.0, slider -2.0..=2.0;
    }
}

impl Generator for Billow {
    fn on_globe(&self) -> bool {
        true
    }

    fn fill(&self, cx: &Context, out: &mut [f32]) -> Result<(), Cancelled> {
        let law = Octaves {
            count: self.octaves,
            frequency: self.frequency,
            lacunarity: self.lacunarity,
            offset: [self.offset_x, self.offset_y],
        };
        let warp = Warp { strength: self.warp, frequency: self.warp_frequency };
        if cx.grid.is_globe() {
            let field = SolidField::new(cx.grid, cx.random, &law, self.fade, warp);
            return self.sum(cx, || field.readers(), out);
        }
        let field = Field::new(cx.grid, cx.random, &law, self.fade, warp);
        self.sum(cx, || field.readers(), out)
    }
}

impl Billow {
    /// Sums the octaves, where `readers` makes a reader of each.
    fn sum<R: Reader>(
        &self,
        cx: &Context,
        readers: impl Fn() -> Vec<R> + Sync,
        out: &mut [f32],
    ) -> Result<(), Cancelled> {
        let weights = octaves::powers(self.octaves, self.persistence);
        let scale = self.amplitude / weights.iter().sum::<f32>();
        let n = cx.grid.samples;
        cx.bands(out, |first, cells| {
            let mut readers = readers();
            let mut noise = vec![0.0f32; n];
            for (k, row) in cells.chunks_mut(n).enumerate() {
                row.fill(self.base);
                for (reader, &weight) in readers.iter_mut().zip(&weights) {
                    noise.fill(0.0);
                    reader.add(first + k, std::f32::consts::SQRT_2, &mut noise);
                    row.iter_mut().zip(&noise).for_each(|(h, n)| *h += n.abs() * (weight * scale));
                }
            }
        })
    }
}
