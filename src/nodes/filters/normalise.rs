//! Normalise: stretches the terrain between two heights.
//!
//! Law: out = low + (h - min) / (max - min) · (high - low), with the lowest and highest sample of the terrain. Level
//! ground, where max - min < 10⁻⁶, goes to `low`. Boundary: none. A preview knows the extremes of its own samples only.
//! Source: the contrast stretch of image editors; Gonzalez & Woods 2018, §3.2.

use crate::field::Terrain;
use crate::nodes::{Cancelled, Context, Filter};

crate::params! {
    /// Stretches the heights so that the deepest valley and the highest peak lie where you say.
    Normalise "Normalise" in "Filter", from "Gonzalez & Woods 2018", also "normalize stretch rescale range fit auto-level" {
        /// Height of the lowest point, as a fraction of the relief. Above the high one the terrain turns upside down.
        low: f32 = 0.0, -10.0..=10.0, slider -0.5..=1.5;
        /// Height of the highest point, as a fraction of the relief.
        high: f32 = 1.0, -10.0..=10.0, slider -0.5..=1.5;
    }
}

/// Terrain with less relief than this is level.
const LEVEL: f32 = 1.0e-6;

impl Filter for Normalise {
    fn apply(&self, cx: &Context, terrain: &mut Terrain) -> Result<(), Cancelled> {
        cx.control.check()?;
        let (lowest, highest) = terrain.range();
        let range = highest - lowest;
        let relief = self.high - self.low;
        cx.rows(&mut terrain.height, |_, row| {
            for h in row {
                let t = if range < LEVEL { 0.0 } else { (*h - lowest) / range };
                *h = self.low + t * relief;
            }
        })
    }

    fn reads_neighbours(&self) -> bool {
        true
    }
}
