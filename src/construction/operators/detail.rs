//! Levels of detail: a simple piece at a distance, a detailed one close up.
//!
//! Formula: t = 1 - (k_B - κ)/(k_B - k_A), clamped to [0, 1]. A alone shows at 0, B alone at 1. Between them the result
//! is the weighted blend of A, with its weight times 1 - t, and B, with its weight times t. The paper interpolates f
//! and α separately, which is the same if both weights are equal. The blend also gives a meaningful f where only one of
//! the two has weight.
//! Source: Génevaux et al. 2014, §6 and fig. 16.

use crate::sample::GroundBounds;

talweg_ground::params! {
    /// Shows the first feature at a distance and the last one close up, with a smooth transition between them.
    DetailSettings "Level of detail" in "Operator", from "Génevaux et al. 2014, fig. 16", also "lod switch fade distance near far" {
        /// Level of detail up to which only the first feature shows; 0 is far away, 1 is close up.
        from: f32 = 0.3, 0.0..=1.0;
        /// Level of detail from which only the last feature shows.
        to: f32 = 0.7, 0.0..=1.0;
    }
}

impl DetailSettings {
    /// Fraction of the last piece.
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

/// The bounds with the weight multiplied by `share`.
pub fn shared(bounds: &GroundBounds, share: f64) -> GroundBounds {
    GroundBounds { weight: bounds.weight.times(share), fade: bounds.fade * share, laid: bounds.laid * share, ..*bounds }
}
