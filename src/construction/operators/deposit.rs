//! Adding: a piece laid on the ground below, either everywhere or only where that ground is low, high, flat or steep.
//!
//! Formula: f = f_A + α f_B with α = min(1, α_B) · H(f_A) · S(|∇f_A|). H and S are the height and slope bands of a
//! [ground window](super::ground_window). The weight is α_A, or α_A + α². With the second weight, f_A fades to 0 where
//! A is not terrain, by σ = α_A/½.
//! Gradient: exact.
//! Lipschitz: λ ≤ λ_A + α λ_B + |∇α| |f_B|.
//! Source: Génevaux et al. 2014, §5.3 and fig. 13.

use super::ground_window::{GroundWindow, ground_window, window_params};
use super::replace::{Extent, held, held_bounds, presence, presence_bounds};
use crate::compiled_program::NodeFrame;
use crate::geometry::plane::{Interval, Point, lower};
use crate::sample::{GroundBounds, GroundSample};

talweg_ground::params! {
    /// Adds the heights of each feature to the ground made by those before it, everywhere or only where that ground is
    /// low or flat: dunes between rocks.
    AddSettings "Add" in "Operator", from "Génevaux et al. 2014, fig. 13", also "deposit lay sum dunes sand detail" {
        /// Extent of the resulting terrain.
        extent: Extent = Extent::Below;
        window_params!();
    }
}

/// A prepared addition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Deposit {
    /// Extent of the resulting terrain.
    pub extent: Extent,
    /// The ground window that limits where pieces are added.
    pub window: GroundWindow,
}

impl AddSettings {
    /// Converts the settings to the parent's coordinates.
    pub(crate) fn prepare(&self, frame: &NodeFrame) -> Deposit {
        Deposit { extent: self.extent, window: ground_window!(self, frame) }
    }
}

impl Deposit {
    /// The ground to lay pieces on. Where it is not terrain but can become terrain, it sinks to 0.
    #[inline]
    pub fn ground(&self, a: &GroundSample) -> GroundSample {
        if self.extent == Extent::Below {
            return *a;
        }
        let (sigma, dsigma) = presence(a);
        let slope = [0, 1].map(|k| sigma * a.slope[k] + dsigma[k] * a.height);
        GroundSample { height: sigma * a.height, slope, ..*a }
    }

    /// Bounds of the ground before pieces are laid on it.
    pub fn ground_bounds(&self, a: &GroundBounds) -> GroundBounds {
        if self.extent == Extent::Below {
            return *a;
        }
        let (sigma, dsigma, laid) = presence_bounds(a);
        let slope = (laid + dsigma * a.height.reach()) * (1.0 + 1e-9);
        GroundBounds {
            height: a.height.product(sigma).widened_for_rounding(),
            slope,
            laid: slope * a.weight.high,
            ..*a
        }
    }

    /// `b` laid on `a`, with the fraction `share` and its gradient.
    #[inline]
    pub fn sample(&self, a: &GroundSample, b: &GroundSample, share: (f64, Point)) -> GroundSample {
        let (w, dw) = held(b);
        let dw = [0, 1].map(|k| dw[k] * share.0 + w * share.1[k]);
        let w = w * share.0;
        let slope = [0, 1].map(|k| a.slope[k] + w * b.slope[k] + dw[k] * b.height);
        let height = a.height + w * b.height;
        if self.extent == Extent::Below {
            return GroundSample { height, slope, ..*a };
        }
        let fade = [0, 1].map(|k| a.fade[k] + 2.0 * w * dw[k]);
        GroundSample { height, weight: a.weight + w * w, slope, fade }
    }

    /// Bounds of `b` laid on `a`; `share` holds the range of the fraction and the bound of its gradient.
    pub fn bounds(&self, a: &GroundBounds, b: &GroundBounds, share: (Interval, f64)) -> GroundBounds {
        let (w, dw, laid) = held_bounds(b);
        let dw = dw * share.0.high + w.high * share.1;
        let (w, laid) = (w.product(share.0), laid * share.0.high);
        let more = laid + dw * b.height.reach();
        let height = a.height.plus(b.height.product(w)).widened_for_rounding();
        let slope = (a.slope + more) * (1.0 + 1e-9);
        if self.extent == Extent::Below {
            let laid = lower((a.laid + a.weight.high * more) * (1.0 + 1e-9), slope * a.weight.high);
            return GroundBounds { height, slope, laid, ..*a };
        }
        let weight = Interval::new(a.weight.low + w.low * w.low, a.weight.high + w.high * w.high);
        GroundBounds { height, weight, slope, fade: a.fade + 2.0 * w.high * dw, laid: slope * weight.high }
    }
}
