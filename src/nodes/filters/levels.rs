//! Levels and curve: remaps heights.
//!
//! Law: t = (h - input_low) / (input_high - input_low); with `clamp`, t is limited to [0, 1]. Between 0 and 1, t
//! becomes curve(t^(1/gamma)); outside this range t continues at slope 1 from the ends of the curve. out = output_low +
//! t · (output_high - output_low). The defaults change nothing. An input range narrower than 10⁻⁶ acts as a step:
//! heights below it map to t = 0, heights above it to t = 1.
//! Boundary: no effect, because each sample is independent.
//! Source: the levels and curves of image editors; the curve is by Fritsch & Carlson 1980 (see [`ToneCurve`]).

use crate::{Context, Filter, OnPlanet, Traits};
use talweg_ground::field::{Cancelled, Terrain};
use talweg_ground::param::ToneCurve;

talweg_ground::params! {
    /// Remaps the heights with input and output levels, gamma and a curve.
    Levels "Levels and curve" in "Filter", from "Fritsch & Carlson 1980", also "curve contrast gamma remap normalise clamp invert histogram" {
        /// Height that is mapped to the low output, as a fraction of the relief. Raising it deepens the lowlands.
        input_low: f32 = 0.0, -10.0..=10.0, slider 0.0..=1.0;
        /// Height that is mapped to the high output, as a fraction of the relief. Lowering it raises the peaks.
        input_high: f32 = 1.0, -10.0..=10.0, slider 0.0..=1.0;
        /// Bends the middle heights: values above 1 raise slopes towards plateaus, values below 1 lower them towards
        /// valleys.
        gamma: f32 = 1.0, 0.05..=20.0, slider 0.2..=5.0;
        /// New height of the low input, as a fraction of the relief. A low output above the high output inverts the
        /// terrain.
        output_low: f32 = 0.0, -10.0..=10.0, slider -0.5..=1.5;
        /// New height of the high input, as a fraction of the relief.
        output_high: f32 = 1.0, -10.0..=10.0, slider -0.5..=1.5;
        /// Cuts off heights outside the input range, which gives flat bottoms and flat tops.
        clamp: bool = false;
        /// Curve that maps input heights (from low to high input) to output heights (from low to high output).
        curve: ToneCurve = ToneCurve::identity();
    }
}

/// Input ranges narrower than this act as a step.
const NARROW: f32 = 1.0e-6;

impl Filter for Levels {
    fn traits(&self) -> Traits {
        Traits { on_planet: Some(OnPlanet::DEFAULT), ..Traits::FILTER }
    }

    fn apply(&self, cx: &Context, terrain: &mut Terrain) -> Result<(), Cancelled> {
        let bend = (self.curve != ToneCurve::identity()).then(|| self.curve.prepare());
        let exponent = 1.0 / self.gamma;
        let (width, height) = (self.input_high - self.input_low, self.output_high - self.output_low);
        let in_place = self.input_low == self.output_low && width == height && !self.clamp;
        if in_place && bend.is_none() && self.gamma == 1.0 {
            return Ok(());
        }
        let shape = |t: f32| {
            let inside = t.clamp(0.0, 1.0);
            let mut shaped = inside;
            if self.gamma != 1.0 {
                shaped = libm::powf(shaped, exponent);
            }
            if let Some(curve) = &bend {
                shaped = curve.value(shaped);
            }
            if self.clamp { shaped } else { shaped + (t - inside) }
        };
        cx.rows(&mut terrain.height, |_, row| {
            for h in row {
                let t = if width.abs() < NARROW {
                    if *h >= self.input_high { 1.0 } else { 0.0 }
                } else {
                    (*h - self.input_low) / width
                };
                *h = self.output_low + shape(t) * height;
            }
        })
    }
}
