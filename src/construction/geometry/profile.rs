//! Cross profiles: height of the ground as a function of the distance from a curve or a centre.
//!
//! Definition: monotone cubic Hermite pieces through the points (Fritsch & Carlson 1980, tangents after Fritsch &
//! Butland 1984). These pieces join with continuous slope (C¹) and never overshoot the points. The profile is level
//! before the first point and after the last point.
//! Source: Génevaux et al. 2014, §4.1 (which uses quadratic pieces).

use serde::{Deserialize, Serialize};

use super::plane::{Interval, higher, lower};

/// Points (distance, height) in order of distance. Distances are multiples of the width, heights are multiples of the
/// depth.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Profile(pub Vec<(f32, f32)>);

/// Greatest distance of a point, as a multiple of the width.
pub const FARTHEST: f32 = 8.0;
/// Greatest height of a point, as a multiple of the depth.
pub const HIGHEST: f32 = 8.0;
const MOST_POINTS: usize = 64;
const LEAST_GAP: f32 = 1e-3;

impl Profile {
    /// The points sorted by distance, clamped to their ranges, without duplicates.
    pub fn sanitised(&self) -> Self {
        let mut points: Vec<(f32, f32)> = self
            .0
            .iter()
            .filter(|(x, y)| x.is_finite() && y.is_finite())
            .map(|(x, y)| (x.clamp(-FARTHEST, FARTHEST), y.clamp(-HIGHEST, HIGHEST)))
            .take(MOST_POINTS)
            .collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        points.dedup_by(|a, b| a.0 - b.0 < LEAST_GAP);
        Self(points)
    }

    /// The profile as a monotone cubic.
    pub fn prepare(&self) -> MonotoneCubic {
        MonotoneCubic::from_points(
            &self.sanitised().0.iter().map(|&(x, y)| (f64::from(x), f64::from(y))).collect::<Vec<_>>(),
        )
    }
}

/// A piecewise monotone cubic through points.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct MonotoneCubic {
    xs: Vec<f64>,
    /// Value and derivative at each x.
    knots: Vec<(f64, f64)>,
}

impl MonotoneCubic {
    /// The cubic through points sorted by x.
    pub fn from_points(points: &[(f64, f64)]) -> Self {
        let xs: Vec<f64> = points.iter().map(|p| p.0).collect();
        let secants: Vec<f64> = points.windows(2).map(|p| (p[1].1 - p[0].1) / (p[1].0 - p[0].0)).collect();
        let knots = points.iter().enumerate().map(|(k, &(_, y))| {
            // zero tangents at the ends join the level parts beyond them smoothly
            let tangent = if k == 0 || k + 1 == points.len() {
                0.0
            } else {
                let (a, b) = (secants[k - 1], secants[k]);
                if a * b <= 0.0 { 0.0 } else { 2.0 * a * b / (a + b) }
            };
            (y, tangent)
        });
        Self { knots: knots.collect(), xs }
    }

    /// The cubic through points sorted by x, with the slope of the points at both ends (Fritsch & Butland 1984, as in
    /// PCHIP) instead of level ends. Points on a straight line make a straight line.
    pub fn with_sloping_ends(points: &[(f64, f64)]) -> Self {
        let mut made = Self::from_points(points);
        let n = points.len();
        let secant = |k: usize| {
            let (a, b) = (points[k], points[k + 1]);
            (b.0 - a.0, (b.1 - a.1) / (b.0 - a.0))
        };
        // slope at the end of the first of two adjacent parts; `near` and `far` are their widths and secants
        let end = |near: (f64, f64), far: (f64, f64)| {
            let slope = near.1 + (near.1 - far.1) * near.0 / (near.0 + far.0);
            if slope * near.1 <= 0.0 {
                0.0
            } else if near.1 * far.1 <= 0.0 && slope.abs() > 3.0 * near.1.abs() {
                3.0 * near.1
            } else {
                slope
            }
        };
        if n == 2 {
            let slope = secant(0).1;
            made.knots.iter_mut().for_each(|knot| knot.1 = slope);
        } else if n > 2 {
            made.knots[0].1 = end(secant(0), secant(1));
            made.knots[n - 1].1 = end(secant(n - 2), secant(n - 3));
        }
        made
    }

    /// The cubic with the given x, value and derivative of every knot, sorted by x. Where the derivatives of two
    /// neighbouring knots have different signs, the piece between them has a crest or a trough.
    pub fn from_knots(knots: &[[f64; 3]]) -> Self {
        let (xs, knots) = knots.iter().map(|&[x, y, slope]| (x, (y, slope))).unzip();
        Self { xs, knots }
    }

    /// x, value and derivative of every knot.
    pub fn points(&self) -> impl Iterator<Item = [f64; 3]> {
        self.xs.iter().zip(&self.knots).map(|(&x, &(y, slope))| [x, y, slope])
    }

    /// The cubic with all values multiplied by `by`.
    pub fn scaled(mut self, by: f64) -> Self {
        for (y, slope) in &mut self.knots {
            (*y, *slope) = (*y * by, *slope * by);
        }
        self
    }

    fn piece(&self, x: f64) -> usize {
        // profiles have few points, so a linear search is faster than a binary search
        self.xs[1..self.xs.len() - 1].iter().take_while(|&&at| at <= x).count()
    }

    /// Value and derivative at `x`.
    #[inline]
    pub fn sample(&self, x: f64) -> (f64, f64) {
        let Some(last) = self.xs.len().checked_sub(1) else { return (0.0, 0.0) };
        if x <= self.xs[0] {
            return (self.knots[0].0, 0.0);
        }
        if x >= self.xs[last] {
            return (self.knots[last].0, 0.0);
        }
        let k = self.piece(x);
        let width = self.xs[k + 1] - self.xs[k];
        let t = (x - self.xs[k]) / width;
        let ((y0, m0), (y1, m1)) = (self.knots[k], self.knots[k + 1]);
        // the coefficients of y = y0 + t (c1 + t (c2 + t c3))
        let (c1, rise) = (m0 * width, y1 - y0);
        let c2 = 3.0 * rise - 2.0 * c1 - m1 * width;
        let c3 = c1 + m1 * width - 2.0 * rise;
        (y0 + t * (c1 + t * (c2 + t * c3)), (c1 + t * (2.0 * c2 + t * 3.0 * c3)) / width)
    }

    /// Range of the values over the interval `x`, and bound of the absolute derivative there.
    pub fn bounds(&self, x: Interval) -> (Interval, f64) {
        let Some(last) = self.xs.len().checked_sub(1) else { return (Interval::one(0.0), 0.0) };
        let (a, b) = (self.sample(x.low), self.sample(x.high));
        let mut range = Interval::one(a.0).union(Interval::one(b.0));
        let mut slope = higher(a.1.abs(), b.1.abs());
        if x.high <= self.xs[0] || x.low >= self.xs[last] {
            return (range, slope);
        }
        for k in 0..last {
            let (left, right) = (self.xs[k], self.xs[k + 1]);
            let (from, to) = (higher(left, x.low), lower(right, x.high));
            if from > to {
                continue;
            }
            for (knot, at) in [(k, left), (k + 1, right)] {
                if at >= x.low && at <= x.high {
                    range = range.union(Interval::one(self.knots[knot].0));
                    slope = higher(slope, self.knots[knot].1.abs());
                }
            }
            // the slope is the parabola m0 + 2 c2 t + 3 c3 t² with its vertex at t = -c2 / (3 c3)
            let width = right - left;
            let (m0, m1, rise) =
                (self.knots[k].1 * width, self.knots[k + 1].1 * width, self.knots[k + 1].0 - self.knots[k].0);
            let (c2, c3) = (3.0 * rise - 2.0 * m0 - m1, m0 + m1 - 2.0 * rise);
            let inside = |t: f64| Some(left + width * t).filter(|at| *at > from && *at < to);
            if c3 != 0.0
                && let Some(vertex) = inside(-c2 / (3.0 * c3))
            {
                slope = higher(slope, self.sample(vertex).1.abs());
            }
            // a piece that rises and falls, as where a road passes over a crest, has its extremes at the roots of the
            // slope; q is the form of the roots that does not cancel
            if m0 * m1 < 0.0 {
                let q = -(c2 + higher(c2 * c2 - 3.0 * c3 * m0, 0.0).sqrt().copysign(c2));
                for extreme in [q / (3.0 * c3), m0 / q].into_iter().filter_map(inside) {
                    range = range.union(Interval::one(self.sample(extreme).0));
                }
            }
        }
        (range, slope * (1.0 + 1e-9))
    }

    /// Greatest distance from 0 at which the profile still changes; beyond this distance it is level.
    pub fn end(&self) -> f64 {
        self.xs.iter().fold(0.0, |end, x| higher(end, x.abs()))
    }

    /// Value of the first point, which is at distance 0. All profiles around one centre must have the same value there.
    pub fn first(&self) -> f64 {
        self.knots.first().map_or(0.0, |k| k.0)
    }

    /// The cubic with the value `y` at 0.
    pub fn starting_at(&self, y: f64) -> Self {
        let mut points: Vec<(f64, f64)> = self.xs.iter().zip(&self.knots).map(|(&x, k)| (x, k.0)).collect();
        match points.first_mut() {
            Some(first) if first.0 == 0.0 => first.1 = y,
            _ => points.insert(0, (0.0, y)),
        }
        Self::from_points(&points)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profile_bounds_hold_and_are_tight() {
        let line = Profile(vec![(0.0, -1.0), (0.2, -0.9), (0.4, 0.1), (0.6, 0.3), (1.0, 0.0)]).prepare();
        check_bounds(&line);
        // a crest, a trough and a parabola between two knots
        check_bounds(&MonotoneCubic::from_knots(&[[0.0, 0.0, 1.0], [0.5, 0.1, -1.5], [1.2, 0.0, 0.4]]));
        check_bounds(&MonotoneCubic::from_knots(&[[0.0, 0.0, 2.0], [1.0, 0.0, -2.0]]));
    }

    fn check_bounds(line: &MonotoneCubic) {
        for (low, high) in [(-1.0, 3.0), (0.1, 0.3), (0.25, 0.26), (0.35, 0.9), (1.2, 1.3), (0.5, 0.5)] {
            let (range, slope) = line.bounds(Interval::new(low, high));
            let (mut seen, mut steepest) = (Interval::EMPTY, 0.0f64);
            for k in 0..=2000 {
                let (y, dy) = line.sample(low + (high - low) * f64::from(k) / 2000.0);
                seen = seen.union(Interval::one(y));
                steepest = higher(steepest, dy.abs());
            }
            assert!(seen.low >= range.low - 1e-12 && seen.high <= range.high + 1e-12, "{low} {high}");
            assert!(range.high - range.low < seen.high - seen.low + 1e-3, "{low} {high}");
            assert!(steepest <= slope && slope < steepest * 1.01 + 1e-9, "{low} {high}: {steepest} {slope}");
        }
    }
}
