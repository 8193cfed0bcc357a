//! Clamp: limits heights to the range between a floor and a ceiling.
//!
//! Law: c is the ceiling and k the `knee`, half the height range over which terrain bends. Heights h above c - k bend
//! towards the ceiling, out = c - (c + k - h)²/4k, and heights above c + k become c. The same holds upside down at the
//! floor. The bends join the unchanged heights without a crease. k is at most half of ceiling - floor. If the floor is
//! above the ceiling, the two are swapped.
//! Boundary: no effect, because each sample is independent.
//! Source: quadratic smooth minimum, Quílez 2013.

use crate::{Context, Filter, OnPlanet, Traits};
use talweg_ground::field::{Cancelled, Terrain};

talweg_ground::params! {
    /// Limits the heights to a range, which makes level plains and table mountains with hard or rounded rims.
    Clamp "Clamp" in "Filter", from "Quílez 2013", also "limit cut floor ceiling plateau mesa plain crop" {
        /// Minimum height: lower terrain rises to it.
        floor: f32 ["m"] = 400.0, -100_000.0..=100_000.0, slider 0.0..=4000.0;
        /// Maximum height: higher terrain is cut down to it.
        ceiling: f32 ["m"] = 1400.0, -100_000.0..=100_000.0, slider 0.0..=4000.0;
        /// Height over which the rims are rounded: 0 gives sharp rims.
        knee: f32 ["m"] = 50.0, 0.0..=100_000.0, slider 0.0..=500.0;
    }
}

impl Filter for Clamp {
    fn traits(&self) -> Traits {
        Traits { on_planet: Some(OnPlanet::DEFAULT), ..Traits::FILTER }
    }

    fn apply(&self, cx: &Context, terrain: &mut Terrain) -> Result<(), Cancelled> {
        let [floor, ceiling] =
            [self.floor.min(self.ceiling), self.floor.max(self.ceiling)].map(|h| h / cx.relief_metres);
        let knee = (self.knee / cx.relief_metres).min(0.5 * (ceiling - floor));
        cx.rows(&mut terrain.height, |_, row| {
            for h in row {
                *h = if *h > ceiling - knee {
                    ceiling - bend(ceiling - *h, knee)
                } else if *h < floor + knee {
                    floor + bend(*h - floor, knee)
                } else {
                    *h
                };
            }
        })
    }
}

/// Distance from the limit after clamping, for a height that was `distance` inside the limit before.
fn bend(distance: f32, knee: f32) -> f32 {
    let into = distance + knee;
    if into <= 0.0 { 0.0 } else { into * (into / (4.0 * knee)) }
}
