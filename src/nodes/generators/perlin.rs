//! Perlin noise summed to fractional Brownian motion (fBm).
//!
//! Law: h = base + amplitude · Σ pⁱ·nᵢ / (√2 · √Σ p²ⁱ), i = 0 … octaves - 1, where nᵢ is the gradient noise of
//! [`lattice`](super::lattice) at frequency · lacunarityⁱ and p is the persistence. One octave fills [0, 1] at
//! amplitude 1 and base 0.5; dividing by the root of the summed squares keeps the same spread for any number
//! of octaves and any persistence (three standard deviations reach ±0.5).
//! Boundary: none when open; when wrapping each octave's frequency is rounded to a whole number.
//! Octaves finer than the grid are kept: a preview is exactly the subsample of the full size.
//! On a globe the noise is [`solid`](super::solid).
//! The whole may be read at places that [`warp`](super::warp) displaces.
//! Source: Perlin 1985 and 2002; Musgrave in Ebert et al. 2003, ch. 16.

use super::octaves::{self, Fade, Octaves};
use super::solid::SolidField;
use super::warp::{Field, Warp};
use crate::field::Cancelled;
use crate::nodes::{Context, Generator};

crate::params! {
    /// Rolling hills to rugged mountains: the same random relief laid over itself, finer and lower each time.
    Perlin "Perlin noise" in "Noise", from "Perlin 1985, 2002", also "fbm fractal hills brownian simplex gradient clouds" {
        /// Large features along a side. More makes the hills narrower and therefore steeper.
        frequency: f32 = 3.0, 0.1..=256.0, slider 0.5..=32.0;
        /// How often finer relief is added. Each octave costs the same time; few make smooth hills.
        octaves: u32 = 9, 1..=16;
        /// How much narrower the features of each octave are than those of the one before.
        lacunarity: f32 = 2.0, 1.0..=4.0, slider 1.5..=3.0;
        /// How high each octave is beside the one before. Small is smooth, large is jagged.
        persistence: f32 = 0.45, 0.0..=1.0, slider 0.2..=0.8;
        /// Curve between lattice points.
        fade: Fade = Fade::Improved;
        /// Height from the deepest valley to the highest peak, about, as a fraction of the relief.
        amplitude: f32 = 1.0, -10.0..=10.0, slider 0.0..=2.0;
        /// Mean height, as a fraction of the relief.
        base: f32 = 0.5, -10.0..=10.0, slider -0.5..=1.5;
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

impl Generator for Perlin {
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
        let weights = octaves::weights(self.octaves, self.persistence, self.amplitude);
        if cx.grid.is_globe() {
            let field = SolidField::new(cx.grid, cx.random, &law, self.fade, warp);
            return octaves::sum(cx, self.base, &weights, || field.readers(), out);
        }
        let field = Field::new(cx.grid, cx.random, &law, self.fade, warp);
        octaves::sum(cx, self.base, &weights, || field.readers(), out)
    }
}
