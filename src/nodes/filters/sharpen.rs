//! Sharpen: an unsharp mask.
//!
//! Law: out = h + amount · (h - g), where g is h smoothed by `gauss` with the standard deviation `radius`. The mean
//! height is preserved. Amount 0 or radius 0 changes nothing.
//! Boundary: as in `gauss`.
//! Source: the unsharp mask of photographers; Gonzalez & Woods 2018, §3.6.

use super::gauss;
use crate::{Context, Filter, NodeParts, SmoothedFilter, Traits};
use talweg_ground::field::{Cancelled, Terrain};

talweg_ground::params! {
    /// Emphasises the relief: terrain above its surroundings rises, terrain below its surroundings sinks.
    Sharpen "Sharpen" in "Filter", from "Gonzalez & Woods 2018", also "unsharp mask crisp detail contrast high-pass" {
        /// Radius of the surroundings: small values emphasise crags, large values whole hills.
        radius: f32 ["m"] = 100.0, 0.0..=1_000_000.0, slider 0.0..=1000.0;
        /// Strength: 0 changes nothing, 1 doubles the height of the terrain above its surroundings.
        amount: f32 = 0.5, 0.0..=10.0, slider 0.0..=2.0;
    }
}

impl Filter for Sharpen {
    fn traits(&self) -> Traits {
        gauss::TRAITS
    }

    fn parts(&self) -> NodeParts<'_> {
        gauss::parts(self, if self.amount == 0.0 { 0.0 } else { self.radius }, 0)
    }

    fn apply(&self, cx: &Context, terrain: &mut Terrain) -> Result<(), Cancelled> {
        if self.radius == 0.0 || self.amount == 0.0 {
            return Ok(());
        }
        let smooth = gauss::smoothed(cx, &terrain.height, self.radius)?;
        self.apply_smoothed(cx, smooth, terrain)
    }
}

impl SmoothedFilter for Sharpen {
    fn apply_smoothed(&self, cx: &Context, smooth: Vec<f32>, terrain: &mut Terrain) -> Result<(), Cancelled> {
        cx.rows(&mut terrain.height, |i, row| {
            for (h, &g) in row.iter_mut().zip(cx.grid.row(&smooth, i)) {
                *h += self.amount * (*h - g);
            }
        })
    }
}
