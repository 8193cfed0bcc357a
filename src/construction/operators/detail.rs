//! Levels of detail: a plain piece from afar, a rich one from near.
//!
//! Law: t = 1 - (k_B - κ)/(k_B - k_A) held within [0, 1]; A alone at 0, B alone at 1, between them (1 - t) A + t B,
//! each by its weight. The document mixes f and α separately, which is the same where both have the same weight; by
//! weight, f keeps its meaning also where only one of the two is.
//! Source: Génevaux et al. 2014, §6 and fig. 16.

use crate::sample::GroundBounds;

talweg_ground::params! {
    /// The first feature from afar, the last one from near, going over into each other.
    DetailSettings "Level of detail" in "Operator", from "Génevaux et al. 2014, fig. 16", also "lod switch fade distance near far" {
        /// Level of detail up to which only the first feature shows: 0 is far away, 1 is near.
        from: f32 = 0.3, 0.0..=1.0;
        /// Level of detail from which on only the last feature shows.
        to: f32 = 0.7, 0.0..=1.0;
    }
}

impl DetailSettings {
    /// Share of the second piece.
    pub fn share(&self, level: f64) -> f64 {
        let (from, to) = (f64::from(self.from), f64::from(self.to));
        if level <= from {
            0.0
        } else if level >= to {
            1.0
        } else {
            1.0 - (to - level) / (to - from)
        }
    }
}

/// The bounds with the weight times `share`.
pub fn shared(bounds: &GroundBounds, share: f64) -> GroundBounds {
    GroundBounds { weight: bounds.weight.times(share), fade: bounds.fade * share, laid: bounds.laid * share, ..*bounds }
}
