//! Clamp: heights stay between a floor and a ceiling.
//!
//! Law: above ceiling - k the height bends to the ceiling, out = c - (c + k - h)²/4k, and is level from c + k on; the
//! same upside down at the floor. The bend joins without a crease. k is `knee`, at most half of ceiling - floor; a
//! floor above the ceiling changes places with it. Heights between the knees keep their bits. Boundary: none.
//! Source: quadratic smooth minimum, Quílez 2013.

use crate::{Context, Filter, Traits};
use talweg_ground::field::{Cancelled, Terrain};

talweg_ground::params! {
    /// Cuts off what is too low or too high: level plains and table mountains, with hard or rounded rims.
    Clamp "Clamp" in "Filter", from "Quílez 2013", also "limit cut floor ceiling plateau mesa plain crop" {
        /// Nothing lies lower than this.
        floor: f32 ["m"] = 400.0, -100_000.0..=100_000.0, slider 0.0..=4000.0;
        /// Nothing stands higher than this.
        ceiling: f32 ["m"] = 1400.0, -100_000.0..=100_000.0, slider 0.0..=4000.0;
        /// Height over which the rims are rounded: 0 cuts them sharp.
        knee: f32 ["m"] = 50.0, 0.0..=100_000.0, slider 0.0..=500.0;
    }
}

impl Filter for Clamp {
    fn traits(&self) -> Traits {
        Traits { on_globe: true, ..Traits::FILTER }
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

/// Distance kept from the limit by what was `distance` inside it.
fn bend(distance: f32, knee: f32) -> f32 {
    let into = distance + knee;
    if into <= 0.0 { 0.0 } else { into * (into / (4.0 * knee)) }
}
