//! Falloff of a primitive's weight with the distance from the primitive's skeleton (its centre point, curve or
//! contour).
//!
//! Formula: α(d) = 1 up to the `core`, then g((d - core) / (radius - core)) with Wyvill's g(x) = (1 - x²)³, and 0
//! beyond the radius. With a core of 0, α is g(d / radius), as in the paper. g is C²-continuous; its greatest slope,
//! 96√5/125, is at x = 1/√5.
//! Source: Génevaux et al. 2014, §4.1 and annex; Wyvill, Guy & Galin 1999.

use crate::geometry::plane::{Interval, Point, higher, lower};
use crate::row_samples::PointRow;

/// Weight of a primitive as a function of the distance from its skeleton.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Falloff {
    /// Distance up to which the weight is 1.
    pub core: f64,
    /// Distance from which the weight is 0.
    pub radius: f64,
}

/// 1/√5: the argument x of g at which the falloff is steepest.
const STEEPEST: f64 = 0.447_213_595_499_957_9;

impl Falloff {
    /// Weight at distance `d`, and the derivative of the weight with respect to the distance.
    #[inline]
    pub fn sample(&self, d: f64) -> (f64, f64) {
        if d <= self.core {
            return (1.0, 0.0);
        }
        if d >= self.radius {
            return (0.0, 0.0);
        }
        let width = self.radius - self.core;
        let x = (d - self.core) / width;
        let t = 1.0 - x * x;
        (t * t * t, -6.0 * x * t * t / width)
    }

    /// Weight at distance `d`, computed without branches.
    #[inline(always)]
    pub fn weight(&self, d: f64) -> f64 {
        let x = (d - self.core) / (self.radius - self.core);
        let t = 1.0 - x * x;
        let weight = if d >= self.radius { 0.0 } else { t * t * t };
        if d <= self.core { 1.0 } else { weight }
    }

    /// Range of the weight between two distances, and the greatest slope of the weight there.
    pub fn bounds(&self, d: Interval) -> (Interval, f64) {
        let weight = Interval::new(self.sample(d.high).0, self.sample(d.low).0);
        if d.high <= self.core || d.low >= self.radius {
            return (weight, 0.0);
        }
        let steepest = self.core + STEEPEST * (self.radius - self.core);
        let nearest = lower(higher(steepest, d.low), d.high);
        // the slope increases towards the steepest point from both sides; the factor allows for rounding
        (weight, self.sample(nearest).1.abs() * (1.0 + 1e-9))
    }
}

/// Returns, for a row of points, the offsets from a centre and the weights at the points' distances from this centre.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
pub(crate) fn row_of_weights(
    falloff: &Falloff,
    centre: Point,
    row: PointRow,
    (xs, ys): (&mut [f64], &mut [f64]),
    weights: &mut [f64],
) {
    let ways = xs.iter_mut().zip(ys).zip(weights);
    for ((&east, &south), ((x, y), weight)) in row.xs.iter().zip(row.ys).zip(ways) {
        (*x, *y) = (east - centre[0], south - centre[1]);
        *weight = falloff.weight((*x * *x + *y * *y).sqrt());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_steepest_slope_matches_the_document() {
        let falloff = Falloff { core: 0.0, radius: 3.0 };
        let constant = 96.0 * 5.0f64.sqrt() / 125.0 / 3.0;
        let (_, slope) = falloff.bounds(Interval::new(0.0, 3.0));
        assert!((slope - constant).abs() < 1e-8);
        let steepest = (0..=3000).map(|k| falloff.sample(f64::from(k) * 1e-3).1.abs()).fold(0.0, higher);
        assert!(steepest <= slope && steepest > slope * 0.9999);
    }
}
