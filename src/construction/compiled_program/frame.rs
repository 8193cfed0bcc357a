//! Where a node's own metres lie in those around it.

use crate::geometry::plane::{Affine, Area, Interval};
use crate::materials::PieceMaterial;
use crate::sample::{Detail, GroundBounds, GroundSample};

/// Where a node's own metres lie in those around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct NodeFrame {
    /// From places around to its own.
    pub(crate) inward: Affine,
    /// Elevation: rise · z + lift.
    pub(crate) rise: f64,
    pub(crate) lift: f64,
    pub(crate) stretching: f64,
    pub(crate) is_plain: bool,
    pub(super) seed: u32,
    /// What pieces in it are made of that say nothing themselves.
    pub(crate) material: PieceMaterial,
}

impl NodeFrame {
    pub(crate) fn new(seed: u32) -> Self {
        Self {
            inward: Affine::IDENTITY,
            rise: 1.0,
            lift: 0.0,
            stretching: 1.0,
            is_plain: true,
            seed,
            material: PieceMaterial::Unset,
        }
    }

    /// The frame of what is put into this one by a map outward, with heights of `rise` · z + `lift`; `None` where a
    /// size of next to nothing is left.
    pub(super) fn placed(&self, outward: &Affine, (rise, lift): (f64, f64), seed: u32) -> Option<Self> {
        let inward = self.inward.then(&outward.inverse());
        let det = inward.determinant().abs();
        if !(1e-18..=1e18).contains(&det) {
            return None;
        }
        let (rise, lift) = (self.rise * rise, self.lift + self.rise * lift);
        let is_plain = inward == Affine::IDENTITY && rise == 1.0 && lift == 0.0;
        Some(Self { inward, rise, lift, stretching: inward.stretching(), is_plain, seed, material: self.material })
    }

    /// `inner`, which is in this frame, in what is around it.
    pub(crate) fn composed(&self, inner: &Self) -> Self {
        let inward = self.inward.then(&inner.inward);
        Self {
            inward,
            rise: self.rise * inner.rise,
            lift: self.lift + self.rise * inner.lift,
            stretching: inward.stretching(),
            is_plain: self.is_plain && inner.is_plain,
            seed: inner.seed,
            material: inner.material,
        }
    }

    /// The same for a piece of this material.
    pub(super) fn made_of(self, material: PieceMaterial) -> Self {
        if material == PieceMaterial::Unset { self } else { Self { material, ..self } }
    }

    /// Everything that places and heights go by.
    pub(super) fn bits(&self) -> [u64; 8] {
        let Affine { rows: [[a, b], [c, d]], offset: [x, y] } = self.inward;
        [a, b, c, d, x, y, self.rise, self.lift].map(f64::to_bits)
    }

    /// Where an area inside lies around it.
    pub(crate) fn area_outward(&self, area: &Area) -> Area {
        if self.is_plain { *area } else { self.inward.inverse().area(area) }
    }

    /// How many metres around it a metre of its own is, on average over all directions.
    pub(crate) fn size(&self) -> f64 {
        1.0 / self.inward.determinant().abs().sqrt()
    }

    /// The same places, and heights that are not lifted.
    pub(crate) fn unlifted(&self) -> Self {
        Self { lift: 0.0, is_plain: self.is_plain && self.lift == 0.0, ..*self }
    }

    /// The same heights, for places that are its own already.
    pub(crate) fn heights_alone(&self) -> Self {
        let is_plain = self.rise == 1.0 && self.lift == 0.0;
        Self { inward: Affine::IDENTITY, stretching: 1.0, is_plain, ..*self }
    }

    pub(crate) fn detail(&self, detail: &Detail) -> Detail {
        Detail { spacing: detail.spacing * self.stretching, ..*detail }
    }

    /// The sample of its own metres in those around.
    #[inline]
    pub(super) fn sample_outward<const G: bool>(&self, own: GroundSample) -> GroundSample {
        let height = own.height * self.rise + self.lift;
        if !G {
            return GroundSample { height, ..own };
        }
        let slope = self.inward.pull(own.slope).map(|s| s * self.rise);
        GroundSample { height, weight: own.weight, slope, fade: self.inward.pull(own.fade) }
    }

    /// The bounds of its own metres in those around.
    pub(super) fn bounds_outward(&self, own: &GroundBounds) -> GroundBounds {
        let steep = self.stretching * self.rise.abs();
        GroundBounds {
            height: own.height.times(self.rise).plus(Interval::one(self.lift)).loosened(),
            weight: own.weight,
            slope: own.slope * steep,
            fade: own.fade * self.stretching,
            laid: own.laid * steep,
        }
    }
}
