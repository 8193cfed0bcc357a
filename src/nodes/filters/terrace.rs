//! Terraces: flat treads and steep risers.
//!
//! Law: terrace k starts at the height bₖ = step · (k + v·½·ρₖ), with ρₖ in [-1, 1) random per terrace and v the
//! variation. In terrace bₖ ≤ h < bₖ₊₁, t = (h - bₖ) / (bₖ₊₁ - bₖ) and out = bₖ + (bₖ₊₁ - bₖ) · t / ((1/a - 2)(1 - t) +
//! 1), a = ½(1 - sharpness). This is Schlick's bias, which maps t = 0 and t = 1 to themselves, so terraces join without
//! a jump. The slope is multiplied by a/(1 - a) at the foot and by (1 - a)/a at the lip.
//! Boundary: no effect, because each sample is independent. Heights more than a million steps from 0 stay unchanged.
//! Source: Schlick 1994, *Fast alternatives to Perlin's bias and gain functions*, Graphics Gems IV.

use crate::{Context, Filter, OnPlanet, Traits};
use talweg_ground::field::{Cancelled, Terrain};

talweg_ground::params! {
    /// Cuts slopes into steps: flat treads with a sharp lip, like layered rock or rice terraces.
    Terrace "Terraces" in "Filter", from "Schlick 1994", also "steps strata mesa layers plateau stairs" {
        /// Height difference between two treads.
        step_height: f32 ["m"] = 120.0, 0.01..=100_000.0, slider 5.0..=500.0;
        /// Flatness of the treads: 0 changes nothing, 1 gives level treads with vertical risers.
        sharpness: f32 ["share"] = 0.75, 0.0..=1.0;
        /// Variation of the step heights: 0 makes all steps equal, 1 mixes high and low steps.
        variation: f32 ["share"] = 0.5, 0.0..=1.0 => |terrace| terrace.sharpness > 0.0;
    }
}

/// Minimum of the bias parameter a. It keeps risers from being exactly vertical and avoids a division by 0.
const STEEPEST: f32 = 1.0e-3;
const FARTHEST: f32 = 1.0e6;

impl Filter for Terrace {
    fn traits(&self) -> Traits {
        Traits { is_random: true, on_planet: Some(OnPlanet::DEFAULT), ..Traits::FILTER }
    }

    fn apply(&self, cx: &Context, terrain: &mut Terrain) -> Result<(), Cancelled> {
        let per_step = cx.relief_metres / self.step_height;
        let bias = (0.5 * (1.0 - self.sharpness)).max(STEEPEST);
        let pull = 1.0 / bias - 2.0;
        // The spread is just under ½, so that two terraces never start at the same height.
        let spread = self.variation * 0.49;
        let boundary = |k: i32| k as f32 + spread * cx.random.signed(k, 0);
        cx.rows(&mut terrain.height, |_, row| {
            let mut terrace = (0, boundary(0), boundary(1));
            for h in row {
                let x = *h * per_step;
                if x.abs() > FARTHEST {
                    continue;
                }
                if x < terrace.1 || x >= terrace.2 {
                    let mut k = libm::floorf(x) as i32 - 1;
                    while x >= boundary(k + 1) {
                        k += 1;
                    }
                    terrace = (k, boundary(k), boundary(k + 1));
                }
                let (_, low, high) = terrace;
                let t = ((x - low) / (high - low)).clamp(0.0, 1.0);
                *h = (low + (high - low) * (t / (pull * (1.0 - t) + 1.0))) / per_step;
            }
        })
    }
}
