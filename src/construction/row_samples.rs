//! Rows of points, and samples of the ground along them.

use super::geometry::plane::{Area, Point};
use super::sample::GroundSample;

/// Maximum number of points in a row.
pub const LANES: usize = 64;

/// Heights and weights at the points of a row. Where a weight is 0, the height is undefined.
#[derive(Clone, Copy, Debug)]
pub struct RowSamples {
    /// Heights in metres.
    pub height: [f64; LANES],
    /// Weights α, from 0 to 1.
    pub weight: [f64; LANES],
}

impl RowSamples {
    /// No ground anywhere.
    pub const NOTHING: Self = Self { height: [0.0; LANES], weight: [0.0; LANES] };

    /// The sample at point `k`, without gradients.
    pub fn sample(&self, k: usize) -> GroundSample {
        GroundSample { height: self.height[k], weight: self.weight[k], ..GroundSample::default() }
    }

    pub(super) fn set(&mut self, k: usize, sample: &GroundSample) {
        (self.height[k], self.weight[k]) = (sample.height, sample.weight);
    }

    /// Index of the first of the `n` points with weight, and one past the index of the last; `None` if no point has
    /// weight.
    pub fn span(&self, n: usize) -> Option<(usize, usize)> {
        let first = self.weight[..n].iter().position(|&w| w > 0.0)?;
        let last = self.weight[..n].iter().rposition(|&w| w > 0.0)?;
        Some((first, last + 1))
    }
}

/// The points of a row.
#[derive(Clone, Copy)]
pub struct PointRow<'a> {
    /// Distances from the west edge, in metres.
    pub xs: &'a [f64],
    /// Distances from the north edge, in metres.
    pub ys: &'a [f64],
}

impl<'a> PointRow<'a> {
    /// Number of points.
    #[allow(clippy::len_without_is_empty, reason = "a row has at least one point")]
    pub fn len(&self) -> usize {
        self.xs.len()
    }

    pub(super) fn part(&self, (from, to): (usize, usize)) -> PointRow<'a> {
        PointRow { xs: &self.xs[from..to], ys: &self.ys[from..to] }
    }

    pub(super) fn point(&self, k: usize) -> Point {
        [self.xs[k], self.ys[k]]
    }

    /// Index of the first point in `area`, and one past the index of the last; `None` if no point is in `area`.
    pub(super) fn span(&self, area: &Area) -> Option<(usize, usize)> {
        let n = self.len();
        let inside = |&k: &usize| area.contains(self.point(k));
        let first = (0..n).find(inside)?;
        let last = (first..n).rfind(inside)?;
        Some((first, last + 1))
    }
}
