//! The blend: pieces side by side that blend into each other where they overlap.
//!
//! Formula: f = Σ α f / Σ α, α = Σ α over any number of pieces, in any order.
//! Gradient: ∇f = Σ (α ∇f + (fᵢ - f) ∇αᵢ) / Σ α.
//! Lipschitz: |∇f| ≤ max λ_f + Σ λ_α |fᵢ - f| / Σ α. The annex of the paper omits the division, which is correct only
//! if the weights sum to 1. Where all weights vanish there is no bound, so a bound of the weighted gradient is kept
//! too: α|∇f| ≤ Σ α|∇fᵢ| + Σ λ_α |fᵢ - f| ([`GroundBounds::laid`]).
//! Source: Génevaux et al. 2014, §5.1, fig. 10 and 11, and annex.

use crate::geometry::plane::{Interval, Point, higher, lower, scaled};
use crate::sample::{GroundBounds, GroundSample};

/// Weighted sums of a blend.
#[derive(Clone, Copy, Debug, Default)]
pub struct BlendSum {
    /// Σ α and Σ α f.
    weight: f64,
    moment: f64,
    /// Σ ∇α, Σ α ∇f and Σ f ∇α.
    fade: Point,
    slope: Point,
    lift: Point,
    count: u32,
    only: GroundSample,
}

impl BlendSum {
    /// Adds a piece, with its weight multiplied by `share`.
    #[inline]
    pub fn add(&mut self, piece: &GroundSample, share: f64) {
        let weight = piece.weight * share;
        if weight <= 0.0 {
            return;
        }
        if self.count == 0 {
            self.only = GroundSample { weight, fade: scaled(piece.fade, share), ..*piece };
        }
        self.count += 1;
        self.weight += weight;
        self.moment += weight * piece.height;
        for k in 0..2 {
            let fade = piece.fade[k] * share;
            self.fade[k] += fade;
            self.slope[k] += weight * piece.slope[k];
            self.lift[k] += fade * piece.height;
        }
    }

    /// The blend of the pieces added; a single piece is returned unchanged.
    #[inline]
    pub fn sample(&self) -> GroundSample {
        if self.count < 2 {
            return self.only;
        }
        let per_weight = 1.0 / self.weight;
        let height = self.moment * per_weight;
        let slope = [0, 1].map(|k| (self.slope[k] + self.lift[k] - height * self.fade[k]) * per_weight);
        GroundSample { height, weight: self.weight, slope, fade: self.fade }
    }
}

/// The two smallest of some numbers, enough to find the minimum of all others when any one number is removed.
struct TwoLeast(f64, f64);

impl TwoLeast {
    fn new(values: impl Iterator<Item = f64>) -> Self {
        values.fold(Self(f64::INFINITY, f64::INFINITY), |Self(first, second), v| {
            if v < first { Self(v, first) } else { Self(first, lower(second, v)) }
        })
    }

    /// The minimum after one number of this value is removed.
    fn without(&self, value: f64) -> f64 {
        if value == self.0 { self.1 } else { self.0 }
    }
}

/// Bounds of a blend of pieces.
pub fn bounds(pieces: &[GroundBounds]) -> GroundBounds {
    let mut there = pieces.iter().filter(|piece| !piece.is_nothing());
    let (Some(first), second) = (there.next(), there.next()) else { return GroundBounds::NOTHING };
    if second.is_none() {
        return *first;
    }
    let there = || pieces.iter().filter(|piece| !piece.is_nothing());
    let mut sum =
        GroundBounds { height: Interval::EMPTY, weight: Interval::one(0.0), slope: 0.0, fade: 0.0, laid: 0.0 };
    for piece in there() {
        sum.height = sum.height.union(piece.height);
        sum.weight = sum.weight.plus(piece.weight);
        sum.slope = higher(sum.slope, piece.slope);
        sum.fade += piece.fade;
        sum.laid += piece.laid;
    }
    let (lows, highs) = (TwoLeast::new(there().map(|p| p.height.low)), TwoLeast::new(there().map(|p| -p.height.high)));
    let lift = there().fold(0.0, |lift, piece| {
        // f lies between this piece and the others, closer to this piece the larger its weight
        let others = Interval::new(lows.without(piece.height.low), -highs.without(-piece.height.high));
        let spread = piece.height.spread(&others);
        let most = sum.weight.high - piece.weight.high + piece.weight.low;
        let share = if most > 0.0 { 1.0 - piece.weight.low / most } else { 1.0 };
        lift + piece.fade * spread * higher(share, 0.0)
    });
    let mean = lower(sum.slope, sum.laid / sum.weight.low);
    let slope = mean + lift / sum.weight.low;
    let slope = if slope.is_nan() { f64::INFINITY } else { slope * (1.0 + 1e-9) };
    let laid = lower((sum.laid + lift) * (1.0 + 1e-9), slope * sum.weight.high);
    GroundBounds { slope, laid, height: sum.height.widened_for_rounding(), ..sum }
}
