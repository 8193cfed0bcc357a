//! Local coordinate frames of a program's nodes.

use crate::geometry::plane::{Affine, Area, Interval};
use crate::materials::PieceMaterial;
use crate::row_samples::{LANES, PointRow};
use crate::sample::{Detail, GroundBounds, GroundSample};

/// Coordinate frame of a node: maps between the parent's coordinates and heights, in metres, and the node's own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct NodeFrame {
    /// Map from the parent's coordinates to the node's own.
    pub(crate) inward: Affine,
    /// A height z of the node is the height `height_scale` · z + `lift` in the parent.
    pub(crate) height_scale: f64,
    pub(crate) lift: f64,
    pub(crate) stretching: f64,
    pub(crate) is_plain: bool,
    pub(crate) seed: u32,
    /// Material that pieces inside the node inherit if they set no material.
    pub(crate) material: PieceMaterial,
}

impl NodeFrame {
    pub(crate) fn new(seed: u32) -> Self {
        Self {
            inward: Affine::IDENTITY,
            height_scale: 1.0,
            lift: 0.0,
            stretching: 1.0,
            is_plain: true,
            seed,
            material: PieceMaterial::Unset,
        }
    }

    /// The frame of a piece that the map `outward` places in this frame, with heights `rise` · z + `lift`. `None` if
    /// the combined map scales areas by a factor outside 10⁻¹⁸ to 10¹⁸.
    pub(crate) fn placed(&self, outward: &Affine, (rise, lift): (f64, f64), seed: u32) -> Option<Self> {
        let inward = self.inward.then(&outward.inverse());
        let det = inward.determinant().abs();
        if !(1e-18..=1e18).contains(&det) {
            return None;
        }
        let (rise, lift) = (self.height_scale * rise, self.lift + self.height_scale * lift);
        let is_plain = inward == Affine::IDENTITY && rise == 1.0 && lift == 0.0;
        Some(Self {
            inward,
            height_scale: rise,
            lift,
            stretching: inward.stretching(),
            is_plain,
            seed,
            material: self.material,
        })
    }

    /// Concatenates this frame with `inner`, a frame inside it. The resulting frame maps from the parent of this frame
    /// to the coordinates of `inner`.
    pub(crate) fn composed(&self, inner: &Self) -> Self {
        let inward = self.inward.then(&inner.inward);
        Self {
            inward,
            height_scale: self.height_scale * inner.height_scale,
            lift: self.lift + self.height_scale * inner.lift,
            stretching: inward.stretching(),
            is_plain: self.is_plain && inner.is_plain,
            seed: inner.seed,
            material: inner.material,
        }
    }

    /// The same frame with `material`, unless `material` is unset.
    pub(crate) fn with_material(self, material: PieceMaterial) -> Self {
        if material == PieceMaterial::Unset { self } else { Self { material, ..self } }
    }

    /// Bits of the numbers that determine positions and heights, for hashing.
    pub(crate) fn bits(&self) -> [u64; 8] {
        let Affine { rows: [[a, b], [c, d]], offset: [x, y] } = self.inward;
        [a, b, c, d, x, y, self.height_scale, self.lift].map(f64::to_bits)
    }

    /// Maps a row of points from the parent's coordinates to the node's own.
    pub(crate) fn row_inward(&self, row: PointRow) -> ([f64; LANES], [f64; LANES]) {
        let (mut xs, mut ys) = ([0.0; LANES], [0.0; LANES]);
        for k in 0..row.len() {
            [xs[k], ys[k]] = self.inward.apply(row.point(k));
        }
        (xs, ys)
    }

    /// Maps an area from the node's own coordinates to the parent's.
    pub(crate) fn area_outward(&self, area: &Area) -> Area {
        if self.is_plain { *area } else { self.inward.inverse().area(area) }
    }

    /// Mean scale: metres of the parent per metre of the node, averaged over all directions.
    pub(crate) fn size(&self) -> f64 {
        1.0 / self.inward.determinant().abs().sqrt()
    }

    /// The same frame without the lift.
    pub(crate) fn unlifted(&self) -> Self {
        Self { lift: 0.0, is_plain: self.is_plain && self.lift == 0.0, ..*self }
    }

    /// The same frame with the identity as its map, for points that are already in the node's own coordinates. This
    /// frame converts only heights.
    pub(crate) fn without_map(&self) -> Self {
        let is_plain = self.height_scale == 1.0 && self.lift == 0.0;
        Self { inward: Affine::IDENTITY, stretching: 1.0, is_plain, ..*self }
    }

    pub(crate) fn detail(&self, detail: &Detail) -> Detail {
        Detail { spacing: detail.spacing * self.stretching, ..*detail }
    }

    /// Converts a sample from the node's own coordinates to the parent's.
    #[inline]
    pub(crate) fn sample_outward<const G: bool>(&self, own: GroundSample) -> GroundSample {
        let height = own.height * self.height_scale + self.lift;
        if !G {
            return GroundSample { height, ..own };
        }
        let slope = self.inward.pull_back(own.slope).map(|s| s * self.height_scale);
        GroundSample { height, weight: own.weight, slope, weight_gradient: self.inward.pull_back(own.weight_gradient) }
    }

    /// Converts bounds from the node's own coordinates to the parent's.
    pub(crate) fn bounds_outward(&self, own: &GroundBounds) -> GroundBounds {
        let steep = self.stretching * self.height_scale.abs();
        GroundBounds {
            height: own.height.times(self.height_scale).plus(Interval::one(self.lift)).widened_for_rounding(),
            weight: own.weight,
            slope: own.slope * steep,
            weight_gradient: own.weight_gradient * self.stretching,
            weighted_slope: own.weighted_slope * steep,
        }
    }
}
