//! Normalise: stretches the terrain to the range between two heights.
//!
//! Law: out = low + (h - min) / (max - min) · (high - low). min and max are the lowest and the highest sample. If
//! `ignore` is q %, min and max are the exact q % and 100 - q % percentiles; the ignored samples end up below low and
//! above high. Level terrain, where max - min < 10⁻⁶, becomes `low`. A preview uses the extremes of its own samples.
//! Boundary: no effect; samples that a wrapping grid repeats count once.
//! Source: the contrast stretch of image editors; Gonzalez & Woods 2018, §3.2.

use super::height_order;
use crate::{Context, Filter, NodeParts, OnPlanet, RangedFilter, Traits};
use talweg_ground::field::{Cancelled, Terrain};

talweg_ground::choices! {
    /// The unit of the two heights.
    Target {
        Fractions "Fractions": "Low and high are fractions of the relief: they scale when the relief changes.",
        Metres "Metres": "Low and high are in metres above height 0.",
    }
}

talweg_ground::params! {
    /// Stretches the heights so that the deepest valley and the highest peak are at the given heights.
    Normalise "Normalise" in "Filter", from "Gonzalez & Woods 2018", also "normalize stretch rescale range fit auto-level percentile" {
        /// Unit of the two heights.
        target: Target = Target::Fractions;
        /// Height of the lowest point, as a fraction of the relief. A low height above the high height inverts the
        /// terrain.
        low: f32 = 0.0, -10.0..=10.0, slider -0.5..=1.5 => |to| to.target == Target::Fractions;
        /// Height of the highest point, as a fraction of the relief.
        high: f32 = 1.0, -10.0..=10.0, slider -0.5..=1.5 => |to| to.target == Target::Fractions;
        /// Height of the lowest point, if the target is in metres.
        low_metres: f32 ["m"] = 0.0, -100_000.0..=100_000.0, slider -500.0..=4000.0 => |to| to.target == Target::Metres;
        /// Height of the highest point, if the target is in metres.
        high_metres: f32 ["m"] = 1800.0, -100_000.0..=100_000.0, slider -500.0..=4000.0 => |to| to.target == Target::Metres;
        /// Percentage of the lowest and of the highest samples that are ignored, so that a single spike does not
        /// flatten the rest.
        ignore: f32 ["%"] = 0.0, 0.0..=49.0, slider 0.0..=10.0;
    }
}

/// Height range, as a fraction of the relief, below which terrain counts as level.
const LEVEL: f32 = 1.0e-6;

impl Filter for Normalise {
    fn traits(&self) -> Traits {
        Traits { previews_exactly: false, on_planet: Some(OnPlanet::DEFAULT), ..Traits::FILTER }
    }

    fn parts(&self) -> NodeParts<'_> {
        match self.ignore == 0.0 {
            true => NodeParts::Ranged(self),
            false => NodeParts::WholeTerrain("it counts the fraction of all heights below each height"),
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
}

impl RangedFilter for Normalise {
    fn apply_ranged(&self, cx: &Context, range: [f32; 2], terrain: &mut Terrain) -> Result<(), Cancelled> {
        self.stretch(cx, range, terrain)
    }
}

impl Normalise {
    /// Maps the heights from `lowest` to `highest` to the target range.
    fn stretch(&self, cx: &Context, [lowest, highest]: [f32; 2], terrain: &mut Terrain) -> Result<(), Cancelled> {
        let (low, high) = match self.target {
            Target::Fractions => (self.low, self.high),
            Target::Metres => (self.low_metres / cx.relief_metres, self.high_metres / cx.relief_metres),
        };
        // Adding 0 turns -0 into +0, so that the order of the two zeros does not matter.
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
