//! Blur: Gaussian smoothing with any radius.
//!
//! Law, scheme and boundary: as in `gauss`, with `radius` as the standard deviation. Radius 0 changes nothing.
//! Source: Deriche 1993.

use super::gauss;
use crate::{Context, Filter, NodeParts, SmoothedFilter, Traits};
use talweg_ground::field::{Cancelled, Terrain};

talweg_ground::params! {
    /// Softens the relief: hills narrower than the radius vanish, wider hills stay. The radius does not affect the
    /// computing time.
    Blur "Blur" in "Filter", from "Deriche 1993", also "smooth soften gaussian low-pass" {
        /// Distance over which heights are averaged (standard deviation of the Gaussian): larger values smooth wider
        /// hills.
        radius: f32 ["m"] = 100.0, 0.0..=1_000_000.0, slider 0.0..=1000.0;
    }
}

impl Filter for Blur {
    fn traits(&self) -> Traits {
        gauss::TRAITS
    }

    fn parts(&self) -> NodeParts<'_> {
        gauss::parts(self, self.radius, 0)
    }

    fn apply(&self, cx: &Context, terrain: &mut Terrain) -> Result<(), Cancelled> {
        if self.radius > 0.0 {
            terrain.height = gauss::smoothed(cx, &terrain.height, self.radius)?;
        }
        Ok(())
    }
}

impl SmoothedFilter for Blur {
    fn apply_smoothed(&self, _cx: &Context, smooth: Vec<f32>, terrain: &mut Terrain) -> Result<(), Cancelled> {
        terrain.height = smooth;
        Ok(())
    }
}
