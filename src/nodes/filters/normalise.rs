//! Normalise: stretches the terrain between two heights.
//!
//! Law: out = low + (h - min) / (max - min) · (high - low). min and max are the lowest and highest sample, or with
//! `ignore` of q % the samples that q % of all lie below and above, exactly; what was ignored ends up beyond low and
//! high. Level ground, where max - min < 10⁻⁶, goes to `low`. Boundary: none; samples that a wrapping grid repeats
//! count once. A preview knows the extremes of its own samples only.
//! Source: the contrast stretch of image editors; Gonzalez & Woods 2018, §3.2.

use super::height_order;
use crate::{Context, Filter, NodeParts, Traits};
use talweg_ground::field::{Cancelled, Terrain};

talweg_ground::choices! {
    /// What the two heights are given in.
    Target {
        Fractions "Fractions": "Low and high, as fractions of the relief: they follow when the relief is changed.",
        Metres "Metres": "Low and high in metres above height 0.",
    }
}

talweg_ground::params! {
    /// Stretches the heights so that the deepest valley and the highest peak lie where you say.
    Normalise "Normalise" in "Filter", from "Gonzalez & Woods 2018", also "normalize stretch rescale range fit auto-level percentile" {
        /// What the two heights are given in.
        target: Target = Target::Fractions;
        /// Height of the lowest point, as a fraction of the relief. Above the high one the terrain turns upside down.
        low: f32 = 0.0, -10.0..=10.0, slider -0.5..=1.5 => |to| to.target == Target::Fractions;
        /// Height of the highest point, as a fraction of the relief.
        high: f32 = 1.0, -10.0..=10.0, slider -0.5..=1.5 => |to| to.target == Target::Fractions;
        /// Height of the lowest point where the target is in metres.
        low_metres: f32 ["m"] = 0.0, -100_000.0..=100_000.0, slider -500.0..=4000.0 => |to| to.target == Target::Metres;
        /// Height of the highest point where the target is in metres.
        high_metres: f32 ["m"] = 1800.0, -100_000.0..=100_000.0, slider -500.0..=4000.0 => |to| to.target == Target::Metres;
        /// Share of the ground, at the bottom and at the top, that is not asked: a lone spike then no longer flattens
        /// the rest.
        ignore: f32 ["%"] = 0.0, 0.0..=49.0, slider 0.0..=10.0;
    }
}

/// Terrain with less relief than this is level.
const LEVEL: f32 = 1.0e-6;

impl Filter for Normalise {
    fn traits(&self) -> Traits {
        Traits {
            on_globe: true,
            previews_exactly: false,
            parts: match self.ignore == 0.0 {
                true => NodeParts::Ranged,
                false => NodeParts::Whole("it counts which share of all heights lies below each"),
            },
            ..Traits::FILTER
        }
    }

    fn apply(&self, cx: &Context, terrain: &mut Terrain) -> Result<(), Cancelled> {
        cx.control.check()?;
        let (lowest, highest) = if self.ignore == 0.0 {
            terrain.range()
        } else {
            let last = height_order::count(cx.grid) - 1;
            let ignored = (last as f64 * f64::from(self.ignore) * 0.01) as usize;
            (height_order::nth(cx, &terrain.height, ignored)?, height_order::nth(cx, &terrain.height, last - ignored)?)
        };
        self.stretch(cx, [lowest, highest], terrain)
    }

    fn apply_ranged(&self, cx: &Context, range: [f32; 2], terrain: &mut Terrain) -> Result<(), Cancelled> {
        self.stretch(cx, range, terrain)
    }
}

impl Normalise {
    /// Stretches what lies between two heights.
    fn stretch(&self, cx: &Context, [lowest, highest]: [f32; 2], terrain: &mut Terrain) -> Result<(), Cancelled> {
        let (low, high) = match self.target {
            Target::Fractions => (self.low, self.high),
            Target::Metres => (self.low_metres / cx.relief_metres, self.high_metres / cx.relief_metres),
        };
        // of the two zeros the positive one, whichever came first
        let (lowest, highest) = (lowest + 0.0, highest + 0.0);
        let (range, relief) = (highest - lowest, high - low);
        cx.rows(&mut terrain.height, |_, row| {
            for h in row {
                let t = if range < LEVEL { 0.0 } else { (*h - lowest) / range };
                *h = low + t * relief;
            }
        })
    }
}
