//! Dilate and erode: high ground grows over low ground, or shrinks back.
//!
//! Law: for amount R > 0 a grey dilation with a round paraboloid, out(x) = max over y of h(y) - drop·(|x - y|/R)²: at
//! distance R every summit still reaches its height less `drop`. For R < 0 the erosion, which is the same upside down.
//! `smooth` first widens by √2·R and then takes back R: paraboloids add, so this is the same envelope of a terrain
//! whose creases were filled (Lasry & Lions 1986), without edges in the valleys. Exact and at the same cost for any
//! radius: [`envelope`](super::envelope). Dilation lowers nothing, erosion raises nothing; amount 0 changes no bit.
//! Boundary: nothing lies beyond an open edge. On a globe |x - y| is the way along the ground.
//! Source: van den Boomgaard et al. 1996; Felzenszwalb & Huttenlocher 2012.

use super::envelope::dilated;
use crate::{Context, Filter, NodeParts, Traits};
use talweg_ground::field::{Cancelled, Terrain};

talweg_ground::params! {
    /// Lets high ground grow into broad domes and plateaus, or shrink to sharp crests between wide valleys.
    Expander "Dilate and erode" in "Filter", from "van den Boomgaard et al. 1996; Felzenszwalb & Huttenlocher 2012", also "expand contract dilate dilation erode erosion morphology grow shrink widen narrow inflate" {
        /// How far high ground grows over low ground. Below 0 low ground grows instead.
        amount: f32 ["m"] = 150.0, -1_000_000.0..=1_000_000.0, slider -1000.0..=1000.0;
        /// How much lower the grown ground is at that distance. Small makes flat tops, large makes round ones.
        drop: f32 ["m"] = 150.0, 0.1..=100_000.0, slider 10.0..=1000.0;
        /// Rounds off the creases where grown slopes meet.
        smooth: bool = false;
    }
}

impl Filter for Expander {
    fn traits(&self) -> Traits {
        Traits {
            on_globe: true,
            planet_version: 1,
            previews_exactly: false,
            working_fields: 2.5,
            more_on_planets: 8.6,
            parts: NodeParts::Whole("a summit reaches as far as it is high"),
            ..Traits::FILTER
        }
    }

    fn apply(&self, cx: &Context, terrain: &mut Terrain) -> Result<(), Cancelled> {
        if self.amount == 0.0 {
            return Ok(());
        }
        let radius = f64::from(self.amount) / f64::from(cx.size_metres) * (cx.grid.samples - 1) as f64;
        let fall = f64::from(self.drop) / f64::from(cx.relief_metres) / (radius * radius);
        let sign = if self.amount > 0.0 { 1.0 } else { -1.0 };
        terrain.height = if self.smooth {
            let wide = dilated(cx, &terrain.height, 0.5 * fall, sign)?;
            dilated(cx, &wide, fall, -sign)?
        } else {
            dilated(cx, &terrain.height, fall, sign)?
        };
        Ok(())
    }
}
