//! Gradient noise η with wavelength 1, the gradient of η, and bounds of both over a capsule.
//!
//! Formula: Perlin noise (2002) on the square lattice, with a quintic fade and one of 256 unit vectors at every lattice
//! point. The noise is scaled so that |η| ≤ 1.
//! Lipschitz: w is the fade weight of a corner, r the vector from the corner to the point, and d a unit direction. For
//! arbitrary vectors at the four corners of a cell, the greatest |∇η| is the maximum of Σ |w d + (d·∇w) r| over the
//! cell. The greatest curvature is the maximum of Σ |2 (d·∇w) d + (dᵀ∇²w d) r|. Both sums are over the four corners,
//! and both maxima are linear programmes. The tests below recompute these maxima. Along a short segment, |∇η| is at
//! most its value at the midpoint plus the greatest curvature times the distance from the midpoint.
//! Source: Perlin, Improving Noise, 2002; Génevaux et al. 2014, §4.1 and §7.2.1.

use std::sync::LazyLock;

use crate::geometry::plane::{Affine, Capsule, Interval, Point, higher, length, lower};
use crate::row_samples::LANES;

/// Factor √2 that scales the noise to |η| ≤ 1: the weighted sum over the four corners reaches √½ at the centre of a
/// cell.
const SCALE: f64 = std::f64::consts::SQRT_2;
/// Bound of |∇η|, per wavelength.
pub const STEEPEST: f64 = 2.93;
/// Bound of the second derivative of η in any direction, per square of the wavelength.
pub const CURVATURE: f64 = 13.07;

const DIRECTIONS: usize = 256;

static VECTORS: LazyLock<[Point; DIRECTIONS]> = LazyLock::new(|| {
    std::array::from_fn(|k| {
        let angle = (k as f64 + 0.5) * (std::f64::consts::TAU / DIRECTIONS as f64);
        [SCALE * libm::cos(angle), SCALE * libm::sin(angle)]
    })
});

/// A field of gradient noise.
#[derive(Clone, Copy, Debug)]
pub struct ReliefNoise {
    seed: u32,
    vectors: &'static [Point; DIRECTIONS],
}

/// 32 random bits of a lattice point. The computation is so simple that shaders can repeat it.
#[inline(always)]
pub(crate) fn bits(seed: u32, x: i32, y: i32) -> u32 {
    let mut h = (x as u32).wrapping_mul(0x9e37_79b1) ^ (y as u32).wrapping_mul(0x85eb_ca77) ^ seed;
    h = (h ^ (h >> 15)).wrapping_mul(0x2c1b_3c6d);
    h = (h ^ (h >> 12)).wrapping_mul(0x297a_2d39);
    h ^ (h >> 15)
}

/// The number 1½ · 2⁵². Adding it to a smaller number rounds this number to an integer, which is then in the low bits
/// of the sum.
const ROUNDING: f64 = 6_755_399_441_055_744.0;

/// The integer at or below `t`, and its low 32 bits. If |t| exceeds 2⁵¹, the result can be inexact, but it is still a
/// number. The function has no branches or conversions, so that the compiler can use vector instructions for rows of
/// points.
#[inline(always)]
pub(super) fn floor(t: f64) -> (f64, i32) {
    let sum = t + ROUNDING;
    let whole = sum - ROUNDING;
    let over = whole > t;
    (whole - if over { 1.0 } else { 0.0 }, (sum.to_bits() as u32 as i32).wrapping_sub(i32::from(over)))
}

/// The 256 gradient vectors. The most significant eight of the random bits of a lattice point select its vector.
pub fn vectors() -> &'static [Point] {
    &*VECTORS
}

/// The quintic fade curve 6t⁵ - 15t⁴ + 10t³.
#[inline(always)]
fn fade(t: f64) -> f64 {
    t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
}

/// Noise η at (x, y) in a cell with the gradient vectors `a`, `b`, `c`, `d` at its corners.
#[inline(always)]
fn mixed([a, b, c, d]: [Point; 4], x: f64, y: f64) -> f64 {
    let na = a[0] * x + a[1] * y;
    let nb = b[0] * (x - 1.0) + b[1] * y;
    let nc = c[0] * x + c[1] * (y - 1.0);
    let nd = d[0] * (x - 1.0) + d[1] * (y - 1.0);
    let (u, v) = (fade(x), fade(y));
    na + u * (nb - na) + v * ((nc - na) + u * (na - nb - nc + nd))
}

/// If the mean number of consecutive points in the same cell is at least this number, the cell's vectors are looked up
/// once for all of these points. With fewer points per cell, the vectors are looked up for each point, by vector
/// instructions.
const SHARING: usize = 16;
/// Number of points whose gradient vectors are looked up together.
const PART: usize = 16;
const _: () = assert!(LANES.is_multiple_of(PART));

/// Noise η along a row of points that `map` converts from metres to wavelengths.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn row_of_noise((seed, vectors): (u32, &[Point; DIRECTIONS]), map: &Affine, xs: &[f64], ys: &[f64], out: &mut [f64]) {
    let n = xs.len();
    let (mut fx, mut fy) = ([0.0; LANES], [0.0; LANES]);
    let (mut columns, mut rows) = ([0i32; LANES], [0i32; LANES]);
    let places = xs[..n].iter().zip(&ys[..n]);
    let lanes = fx.iter_mut().zip(&mut fy).zip(columns.iter_mut().zip(&mut rows));
    for ((&x, &y), ((fx, fy), (column, row))) in places.zip(lanes) {
        let [x, y] = map.apply([x, y]);
        let ((left, i), (top, j)) = (floor(x), floor(y));
        (*fx, *fy, *column, *row) = (x - left, y - top, i, j);
    }
    // count the cell changes over all lanes: unused lanes are in one cell and hardly change the count
    let turns: u32 = (1..LANES).map(|k| u32::from((columns[k] != columns[k - 1]) | (rows[k] != rows[k - 1]))).sum();
    let vector = |x: i32, y: i32| vectors[(bits(seed, x, y) >> 24) as usize];
    if (turns as usize + 1) * SHARING > n {
        for from in (0..n).step_by(PART) {
            let part = from..from + PART;
            let (columns, rows) = (&columns[part.clone()], &rows[part.clone()]);
            let mut corners = [[[0.0; 2]; PART]; 4];
            for (c, corners) in corners.iter_mut().enumerate() {
                let (di, dj) = ((c & 1) as i32, (c >> 1) as i32);
                let mut chosen = [0u32; PART];
                for ((chosen, &i), &j) in chosen.iter_mut().zip(columns).zip(rows) {
                    *chosen = bits(seed, i.wrapping_add(di), j.wrapping_add(dj)) >> 24;
                }
                for (corner, chosen) in corners.iter_mut().zip(chosen) {
                    *corner = vectors[chosen as usize & (DIRECTIONS - 1)];
                }
            }
            let mut values = [0.0; PART];
            let [a, b, c, d] = &corners;
            for (k, (value, (&x, &y))) in values.iter_mut().zip(fx[part.clone()].iter().zip(&fy[part])).enumerate() {
                *value = mixed([a[k], b[k], c[k], d[k]], x, y);
            }
            let count = (n - from).min(PART);
            out[from..from + count].copy_from_slice(&values[..count]);
        }
        return;
    }
    let mut from = 0;
    let mut last: Option<(i32, i32, [Point; 4])> = None;
    while from < n {
        let (i, j) = (columns[from], rows[from]);
        let same = columns[from..n].iter().zip(&rows[from..n]).take_while(|&(&a, &b)| (a == i) & (b == j));
        let to = from + same.count();
        // adjacent cells have two corners in common, so only two new vectors are looked up
        let corner = |di: i32, dj: i32| vector(i.wrapping_add(di), j.wrapping_add(dj));
        let [a, b, c, d] = match last {
            Some((x, y, [_, b, _, d])) if y == j && x.wrapping_add(1) == i => [b, corner(1, 0), d, corner(1, 1)],
            Some((x, y, [a, _, c, _])) if y == j && x.wrapping_sub(1) == i => [corner(0, 0), a, corner(0, 1), c],
            Some((x, y, [_, _, c, d])) if x == i && y.wrapping_add(1) == j => [c, d, corner(0, 1), corner(1, 1)],
            Some((x, y, [a, b, _, _])) if x == i && y.wrapping_sub(1) == j => [corner(0, 0), corner(1, 0), a, b],
            _ => [corner(0, 0), corner(1, 0), corner(0, 1), corner(1, 1)],
        };
        last = Some((i, j, [a, b, c, d]));
        for ((value, &x), &y) in out[from..to].iter_mut().zip(&fx[from..to]).zip(&fy[from..to]) {
            *value = mixed([a, b, c, d], x, y);
        }
        from = to;
    }
}

impl ReliefNoise {
    /// Noise with random values from `seed`.
    pub fn new(seed: u32) -> Self {
        Self { seed, vectors: &VECTORS }
    }

    /// The seed of the noise's random values.
    pub fn seed(&self) -> u32 {
        self.seed
    }

    #[inline]
    fn vector(&self, x: i32, y: i32) -> Point {
        self.vectors[(bits(self.seed, x, y) >> 24) as usize]
    }

    /// Noise η at `p`, and its gradient if `G` is true.
    #[inline]
    pub fn sample<const G: bool>(&self, p: Point) -> (f64, Point) {
        let ((left, i), (top, j)) = (floor(p[0]), floor(p[1]));
        let (x, y) = (p[0] - left, p[1] - top);
        let (a, b) = (self.vector(i, j), self.vector(i.wrapping_add(1), j));
        let (c, d) = (self.vector(i, j.wrapping_add(1)), self.vector(i.wrapping_add(1), j.wrapping_add(1)));
        let na = a[0] * x + a[1] * y;
        let nb = b[0] * (x - 1.0) + b[1] * y;
        let nc = c[0] * x + c[1] * (y - 1.0);
        let nd = d[0] * (x - 1.0) + d[1] * (y - 1.0);
        let (u, v) = (fade(x), fade(y));
        let (k1, k2, k3) = (nb - na, nc - na, na - nb - nc + nd);
        let value = na + u * k1 + v * (k2 + u * k3);
        if !G {
            return (value, [0.0; 2]);
        }
        let slope = |t: f64| 30.0 * t * t * (t * (t - 2.0) + 1.0);
        let (du, dv) = (slope(x), slope(y));
        let mixed = |k: usize| a[k] + u * (b[k] - a[k]) + v * ((c[k] - a[k]) + u * (a[k] - b[k] - c[k] + d[k]));
        (value, [mixed(0) + du * (k1 + v * k3), mixed(1) + dv * (k2 + u * k3)])
    }

    /// Noise η along a row of points that `map` converts from metres to wavelengths. The values equal those of
    /// [`sample`](Self::sample) bit for bit.
    pub fn row(&self, map: &Affine, xs: &[f64], ys: &[f64], out: &mut [f64]) {
        row_of_noise((self.seed, self.vectors), map, xs, ys, out);
    }

    /// Range of the noise η and bound of |∇η| over a capsule.
    pub fn bounds(&self, capsule: &Capsule) -> (Interval, f64) {
        let r = capsule.radius();
        if r * CURVATURE > 2.0 * STEEPEST {
            return (Interval::new(-1.0, 1.0), STEEPEST);
        }
        let (value, gradient) = self.sample::<true>(capsule.middle());
        let here = length(gradient);
        let slope = lower(STEEPEST, here + CURVATURE * r);
        let way = lower(STEEPEST * r, here * r + 0.5 * CURVATURE * r * r);
        (Interval::new(higher(value - way, -1.0), lower(value + way, 1.0)), slope)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::plane::{add, dot, scaled, sub};

    /// The fade curve at `t`, and its first and second derivatives.
    fn fades(t: f64) -> [f64; 3] {
        [
            t * t * t * (t * (t * 6.0 - 15.0) + 10.0),
            30.0 * t * t * (t - 1.0) * (t - 1.0),
            60.0 * t * (2.0 * t * t - 3.0 * t + 1.0),
        ]
    }

    /// Maximum slope and curvature at a point of the cell, over all possible corner vectors.
    fn greatest(p: Point) -> (f64, f64) {
        let (u, v) = (fades(p[0]), fades(p[1]));
        let mut worst = (0.0, 0.0);
        for k in 0..90 {
            let angle = f64::from(k) * (std::f64::consts::PI / 90.0);
            let d = [libm::cos(angle), libm::sin(angle)];
            let (mut slope, mut curvature) = (0.0, 0.0);
            for (cx, cy) in [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)] {
                let side = |f: [f64; 3], c: f64| if c == 0.0 { [1.0 - f[0], -f[1], -f[2]] } else { f };
                let (wx, wy) = (side(u, cx), side(v, cy));
                let w = wx[0] * wy[0];
                let along = dot(d, [wx[1] * wy[0], wx[0] * wy[1]]);
                let second =
                    d[0] * d[0] * wx[2] * wy[0] + 2.0 * d[0] * d[1] * wx[1] * wy[1] + d[1] * d[1] * wx[0] * wy[2];
                let r = sub(p, [cx, cy]);
                slope += length(add(scaled(d, w), scaled(r, along)));
                curvature += length(add(scaled(d, 2.0 * along), scaled(r, second)));
            }
            worst = (higher(worst.0, SCALE * slope), higher(worst.1, SCALE * curvature));
        }
        worst
    }

    #[test]
    fn noise_bounds_are_tight() {
        let mut worst = (0.0, 0.0);
        for i in 0..=160 {
            for j in 0..=160 {
                let (slope, curvature) = greatest([f64::from(i) / 160.0, f64::from(j) / 160.0]);
                worst = (higher(worst.0, slope), higher(worst.1, curvature));
            }
        }
        assert!(worst.0 <= STEEPEST && worst.0 > STEEPEST * 0.98, "{worst:?}");
        assert!(worst.1 <= CURVATURE && worst.1 > CURVATURE * 0.98, "{worst:?}");
    }

    #[test]
    fn noise_stays_within_one_and_has_its_gradient() {
        let noise = ReliefNoise::new(5);
        for k in 0..20_000 {
            let p = [f64::from(k) * 0.137 - 900.0, f64::from(k % 313) * 0.291 - 40.0];
            let (value, gradient) = noise.sample::<true>(p);
            assert!(value.abs() <= 1.0 && length(gradient) <= STEEPEST);
            assert_eq!(noise.sample::<false>(p).0.to_bits(), value.to_bits());
            let e = 1e-6;
            for (axis, step) in [[e, 0.0], [0.0, e]].into_iter().enumerate() {
                let difference =
                    (noise.sample::<false>(add(p, step)).0 - noise.sample::<false>(sub(p, step)).0) / (2.0 * e);
                assert!((difference - gradient[axis]).abs() < 1e-6, "{difference} {gradient:?}");
            }
        }
    }
}
