//! Value noise summed to fractional Brownian motion (fBm).
//!
//! Law: h = base + amplitude · Σ pⁱ·vᵢ / (√2 · √Σ p²ⁱ), i = 0 … octaves - 1, where vᵢ is the noise of
//! [`values`](super::values) at frequency · lacunarityⁱ and p is the persistence: random heights on a lattice with a fade
//! between them, where Perlin noise has random slopes. The heights show more of the lattice, in blocks and plateaus.
//! Boundary: none when open; when wrapping each octave's frequency is rounded to a whole number.
//! Octaves finer than the grid are kept: a preview is exactly the subsample of the full size.
//! On a globe the lattice is one of [space](super::solid), as spread out.
//! Source: Perlin 1985; Ebert et al. 2003, *Texturing and Modeling*, ch. 2.

use super::octaves::{self, Fade, Octaves};
use super::solid::{Solid, SolidField};
use super::values::{Curve, Values};
use crate::field::Cancelled;
use crate::nodes::{Context, Generator};

crate::params! {
    /// Blocky hills: random heights on a lattice, joined smoothly, laid over themselves finer and lower each time.
    ValueNoise "Value noise" in "Noise", from "Ebert et al. 2003", also "fbm fractal lattice blocks plateaus clouds" {
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
        /// Height from the deepest valley to the highest peak, about, as a fraction of the relief.
        amplitude: f32 = 1.0, -10.0..=10.0, slider 0.0..=2.0;
        /// Mean height, as a fraction of the relief.
        base: f32 = 0.5, -10.0..=10.0, slider -0.5..=1.5;
        /// Moves the pattern to the west, in sides of the terrain.
        offset_x: f32 = 0.0, -1000.0..=1000.0, slider -2.0..=2.0;
        /// Moves the pattern to the north, in sides of the terrain.
        offset_y: f32 = 0.0, -1000.0..=1000.0, slider -2.0..=2.0;
    }
}

impl Generator for ValueNoise {
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
        let weights = octaves::weights(self.octaves, self.persistence, self.amplitude);
        if cx.grid.is_globe() {
            let octave = |random, frequency| Solid::values(random, frequency, self.fade);
            let field = SolidField::of(cx.grid, cx.random, &law, octave);
            return octaves::sum(cx, self.base, &weights, || field.readers(), out);
        }
        let curve = Curve::Fade(self.fade);
        let lattices = law.lattices(cx.grid, cx.random, curve.reach(), 1.0);
        let octaves: Vec<_> = lattices.into_iter().map(|lattice| Values::new(lattice, curve)).collect();
        octaves::sum(cx, self.base, &weights, || octaves.iter().map(Values::reader).collect(), out)
    }
}
