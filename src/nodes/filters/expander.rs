//! Dilate and erode: high terrain grows over low terrain, or shrinks.
//!
//! Law: for amount R > 0, a grey-scale dilation with a round paraboloid, out(x) = max over y of h(y) - drop·(|x -
//! y|/R)². At distance R from a summit the terrain is at least as high as the summit less `drop`. For R < 0, a
//! grey-scale erosion: the same operation on the inverted terrain. `smooth` first dilates by √2·R and then erodes by R.
//! The result of both equals the terrain dilated by R with its creases filled, without edges in the valleys (Lasry &
//! Lions 1986). The result is exact, at the same cost for any radius: [`envelope`](super::envelope). Dilation never
//! lowers and erosion never raises the terrain; amount 0 changes nothing.
//! Boundary: there are no samples beyond an open edge. On a globe |x - y| is the distance along the surface.
//! Source: van den Boomgaard et al. 1996; Felzenszwalb & Huttenlocher 2012.

use super::envelope::dilated;
use crate::{Context, Filter, NodeMemory, NodeParts, OnPlanet, Traits};
use talweg_ground::field::{Cancelled, Terrain};

talweg_ground::params! {
    /// Grows high terrain into broad domes and plateaus, or shrinks it to sharp crests between wide valleys.
    Expander "Dilate and erode" in "Filter", from "van den Boomgaard et al. 1996; Felzenszwalb & Huttenlocher 2012", also "expand contract dilate dilation erode erosion morphology grow shrink widen narrow inflate" {
        /// Distance by which high terrain grows over low terrain. Negative values grow the low terrain instead.
        amount: f32 ["m"] = 150.0, -1_000_000.0..=1_000_000.0, slider -1000.0..=1000.0;
        /// Height loss of the grown terrain at the distance `amount`: small values give flat tops, large values round
        /// domes.
        drop: f32 ["m"] = 150.0, 0.1..=100_000.0, slider 10.0..=1000.0;
        /// Rounds the creases where grown slopes meet.
        smooth: bool = false;
    }
}

impl Filter for Expander {
    fn traits(&self) -> Traits {
        Traits {
            previews_exactly: false,
            on_planet: Some(OnPlanet { version: 1, more_fields: 8.6, ..OnPlanet::DEFAULT }),
            memory: NodeMemory::constant(2.5),
            ..Traits::FILTER
        }
    }

    fn parts(&self) -> NodeParts<'_> {
        NodeParts::WholeTerrain("higher summits reach farther")
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
