//! The gully function: stripes that run down a slope, evaluated point by point.
//!
//! Octave k draws stripes of wavelength λ_k = size / 2^k whose crests run down the slope.
//! - g is the uphill slope of the smoothed ground plus the slopes of the previous octaves.
//! - e is the horizontal unit vector perpendicular to g.
//! - c_i are the cell centres of a jittered lattice of side λ_k around a point p, at the distances d_i from p in cells.
//! - w_i = (1 - d_i²/1.44)² are the weights of the centres, up to a distance of 1.2 cells.
//! - φ_i = 2π (p - c_i)·e / λ_k are the phases of the stripes around the centres.
//!
//! The wave is s = Σ w_i cos φ_i / Σ w_i. The ground rises by ½ a_k m s, with a_k = depth · persistence^k and the mask
//! m. The mean height stays the same. The slope of the octave is ½ a_k m s' e with s' = -2π/λ_k Σ w_i sin φ_i / Σ w_i.
//! For the next octave, `branching` times this slope is added to g. Finer gullies therefore run into the larger gullies
//! at an angle. The mask m fades to 0 on gentle ground. After each octave, m is multiplied by 1 - `crest_fade` · s², so
//! that later octaves fade on crests and at the bottoms of gullies. Gullies therefore begin below a crest and do not
//! cross the crest.
//!
//! Lipschitz: consider points where |g| ≥ n for some number n. The slope added to g is perpendicular to g and never
//! shortens g, so |∇e| ≤ |∇g|/n. If ρ is the maximum of m/n, then m |∇e| ≤ ρ |∇g|. It follows that m |∇s| ≤ m (2π +
//! κ)/λ + 2π υ ρ |∇g|. Here κ bounds Σ |∇(w_i/Σw)| and υ bounds Σ w_i d_i / Σ w_i, in cells. The bounds of m and of the
//! next octave's g follow by the product rule. The filter on grids computes in `f32`. Construction trees compute in
//! `f64`, with [`Dual`] numbers for the gradient.
//! Source: Johansen 2026, based on Clay John 2018 and Nick Fenwick; Gabor noise by Lagae et al. 2009. Talweg adds the
//! fading by slope in degrees, the depths in metres and the bounds.

use std::f64::consts::TAU;
use std::ops::{Add, Div, Mul, Sub};

use crate::geometry::plane::{Interval, Point, higher, length, lower, smooth};
use crate::primitives::noise;
use talweg_ground::field::Stream;

/// Squared radius of the kernel, in cells. Centres outside the 3 × 3 cells around a point are never closer than this
/// radius.
const REACH_SQUARED: f64 = 1.44;
/// Maximum offset of a centre from the midpoint of its cell, in cells along each axis.
const JITTER: f64 = 0.3;
/// Maximum offset of a centre in a three-dimensional lattice, in cells. It is smaller than [`JITTER`], because the
/// corners of a cube are farther from the cube's centre.
const SOLID_JITTER: f64 = 0.15;
/// Slope (rise over run) below which the direction is undefined.
const LEVEL: f32 = 1.0e-6;
/// The golden angle in radians: no small multiple of this angle is close to a whole number of turns.
pub const GOLDEN_ANGLE: f64 = 2.399_963_2;
/// Maximum of κ (see the module docs) on the plane, over all positions of the centres. It is reached where four centres
/// are as far from a point as possible. `MOST_KERNEL_WAY` is the maximum of υ.
const MOST_KERNEL_SLOPE: f64 = 20.000_1;
const MOST_KERNEL_WAY: f64 = 1.131_4;
/// Upper limit that keeps the bounds of slope changes finite.
const NO_BOUND: f64 = 1.0e12;

/// Number types for which the gully function is implemented: plain numbers, and numbers with derivatives.
pub trait GullyNumber:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// Converts a constant to this number type.
    fn constant(value: f64) -> Self;
    /// The value of the number, without derivatives.
    fn value(self) -> f64;
    /// The square root of the number.
    fn sqrt(self) -> Self;
    /// The sine and the cosine of the number.
    fn sine_cosine(self) -> (Self, Self);
}

impl GullyNumber for f32 {
    fn constant(value: f64) -> Self {
        value as Self
    }
    fn value(self) -> f64 {
        f64::from(self)
    }
    fn sqrt(self) -> Self {
        self.sqrt()
    }
    fn sine_cosine(self) -> (Self, Self) {
        libm::sincosf(self)
    }
}

impl GullyNumber for f64 {
    fn constant(value: f64) -> Self {
        value
    }
    fn value(self) -> f64 {
        self
    }
    fn sqrt(self) -> Self {
        self.sqrt()
    }
    fn sine_cosine(self) -> (Self, Self) {
        libm::sincos(self)
    }
}

/// A dual number: a value with its derivatives to the east and to the south.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dual {
    /// The value of the number.
    pub value: f64,
    /// Gradient of the value.
    pub gradient: Point,
}

impl Dual {
    /// A dual number of `value` with the gradient `a` · ∇self + `b` · ∇other.
    fn of_two(self, value: f64, a: f64, other: Self, b: f64) -> Self {
        Self { value, gradient: [0, 1].map(|k| a * self.gradient[k] + b * other.gradient[k]) }
    }
}

impl Add for Dual {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        self.of_two(self.value + other.value, 1.0, other, 1.0)
    }
}

impl Sub for Dual {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self.of_two(self.value - other.value, 1.0, other, -1.0)
    }
}

impl Mul for Dual {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        self.of_two(self.value * other.value, other.value, other, self.value)
    }
}

impl Div for Dual {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let quotient = self.value / other.value;
        self.of_two(quotient, 1.0 / other.value, other, -quotient / other.value)
    }
}

impl GullyNumber for Dual {
    fn constant(value: f64) -> Self {
        Self { value, gradient: [0.0; 2] }
    }
    fn value(self) -> f64 {
        self.value
    }
    fn sqrt(self) -> Self {
        let root = self.value.sqrt();
        let turn = if root > 0.0 { 0.5 / root } else { 0.0 };
        Self { value: root, gradient: self.gradient.map(|x| x * turn) }
    }
    fn sine_cosine(self) -> (Self, Self) {
        let (sine, cosine) = libm::sincos(self.value);
        let [east, south] = self.gradient;
        (
            Self { value: sine, gradient: [cosine * east, cosine * south] },
            Self { value: cosine, gradient: [-sine * east, -sine * south] },
        )
    }
}

/// Source of a lattice's random values.
#[derive(Clone, Copy, Debug)]
pub enum GullyLattice {
    /// A random stream with 64 bits for each cell.
    Stream(Stream),
    /// A hash with 32 bits for each cell of a plane, which shaders can also compute. The number is the seed of the
    /// hash.
    Hash(u32),
}

impl GullyLattice {
    /// The plane lattice for layer `z` of a three-dimensional lattice.
    fn layer(self, z: i32) -> Self {
        match self {
            Self::Stream(stream) => Self::Stream(stream.fork(u64::from(z as u32))),
            Self::Hash(seed) => Self::Hash(seed),
        }
    }

    #[inline]
    fn bits(self, x: i32, y: i32) -> u64 {
        match self {
            Self::Stream(stream) => stream.bits(x, y),
            Self::Hash(seed) => u64::from(noise::bits(seed, x, y)),
        }
    }
}

/// Returns two values that determine the position of a lattice centre along one axis of its cell: the jitter, and a
/// random number from 0 to 2 made from `bits`. The centre is at ½ + jitter · (number - 1), in cells.
#[inline]
fn centre(bits: u64, shift: u32, jitter: f64) -> (f64, f64) {
    (jitter, ((bits >> shift) & 0xffff) as f64 * (1.0 / 32_768.0))
}

/// An octave of the gully function: stripes of one wavelength.
#[derive(Clone, Copy, Debug)]
pub struct GullyOctave {
    /// Side length of a lattice cell, in metres.
    pub cell: f64,
    /// Number of cells after which the lattice repeats; `None` if the lattice does not repeat.
    pub around: Option<i32>,
    /// Depth of the gullies in metres.
    pub depth: f64,
    /// Cosine and sine of the lattice's rotation. Without a rotation, the rows of cells would align with the rows of
    /// another octave.
    pub turn: [f64; 2],
    /// Whether the lattice is three-dimensional, as on a globe.
    pub is_solid: bool,
    /// Source of the random positions of the centres.
    pub lattice: GullyLattice,
}

/// The gully function with its parameters, in metres.
#[derive(Clone, Debug)]
pub struct GullyFunction {
    /// Octaves, the widest first.
    pub octaves: Vec<GullyOctave>,
    /// Fraction of an octave's slope that is added to the slope of the next octave.
    pub branching: f64,
    /// Strength with which later octaves fade on crests and in creases, from 0 to 1.
    pub crest_fade: f64,
    /// Slopes (rise over run) between which gullies fade in.
    pub fade: [f64; 2],
}

impl GullyFunction {
    /// Returns the added height at `place` in metres, and the crest value: the sum of the waves weighted by depth. `up`
    /// is the ground's normal. `slope` is a vector that points uphill; its length is the slope as rise over run.
    /// `share(octave, wavelength)` is the factor, from 0 to 1, of an octave's amplitude. The sum ends at the first
    /// octave whose factor is 0.
    #[inline]
    pub fn sample<T: GullyNumber>(
        &self,
        place: [T; 3],
        up: [T; 3],
        slope: [T; 3],
        share: impl Fn(usize, f64) -> f64,
    ) -> (T, T) {
        let zero = T::constant(0.0);
        let steepness = dot(slope, slope).sqrt();
        if steepness.value() < f64::from(LEVEL) {
            return (zero, zero);
        }
        let [from, to] = self.fade;
        let mut mask = if to > from {
            let t = (steepness - T::constant(from)) / (T::constant(to) - T::constant(from));
            let t = if t.value() < 0.0 {
                zero
            } else if t.value() > 1.0 {
                T::constant(1.0)
            } else {
                t
            };
            t * t * (T::constant(3.0) - T::constant(2.0) * t)
        } else if steepness.value() < from {
            zero
        } else {
            T::constant(1.0)
        };
        let (mut slope, mut raised, mut crest) = (slope, zero, zero);
        for (k, octave) in self.octaves.iter().enumerate() {
            let steep = dot(slope, slope).sqrt();
            let shown = share(k, octave.cell);
            if mask.value() <= 0.0 || steep.value() < f64::from(LEVEL) || shown <= 0.0 {
                break;
            }
            let across = cross(up, slope).map(|x| x / steep);
            let (wave, rise) = octave.stripes(place, across);
            let depth = T::constant(0.5) * T::constant(octave.depth) * mask;
            raised = raised + T::constant(shown) * depth * wave;
            crest = crest + T::constant(octave.depth) * mask * wave;
            let turn = T::constant(self.branching) * depth * rise;
            slope = [0, 1, 2].map(|k| slope[k] + turn * across[k]);
            mask = mask * (T::constant(1.0) - T::constant(self.crest_fade) * wave * wave);
        }
        (raised, crest)
    }

    /// Range of the added height over a disc of the plane, and the Lipschitz bound of this height. `slope` is the slope
    /// at the disc's centre, and `change` the maximum change of the slope per metre. `share` is as in
    /// [`sample`](Self::sample).
    pub fn bounds(
        &self,
        (middle, radius): (Point, f64),
        slope: Point,
        change: f64,
        share: impl Fn(usize, f64) -> f64,
    ) -> (Interval, f64) {
        let (here, mut change) = (length(slope), lower(change, NO_BOUND));
        let [from, to] = self.fade;
        let width = to - from;
        let (least, most) = (higher(here - change * radius, 0.0), here + change * radius);
        let part = |n: f64| higher(lower((n - from) / width, 1.0), 0.0);
        let mask = smooth(part(most)).0;
        if mask <= 0.0 {
            return (Interval::one(0.0), 0.0);
        }
        // the mask is steepest at the slope at which its value is ½
        let half = lower(higher(0.5, part(least)), part(most));
        let mut fading = 6.0 * half * (1.0 - half) / width * change;
        let gentlest = higher(least, from);
        let per_slope = 1.125 / width;
        let per_slope = if gentlest > 0.0 { lower(per_slope, mask / gentlest) } else { per_slope };
        let (mut reach, mut steepest) = (0.0, 0.0);
        for (k, octave) in self.octaves.iter().enumerate() {
            let shown = share(k, octave.cell);
            if shown <= 0.0 {
                break;
            }
            let (kernel, way) = octave.kernel_bounds(middle, radius);
            let per_cell = TAU / octave.cell;
            let turning = per_slope * change;
            let waving = mask * (TAU + kernel) / octave.cell + TAU * way * turning;
            let depth = 0.5 * octave.depth;
            reach += shown * depth * mask;
            steepest += shown * depth * (fading + waving);
            change = lower(change + self.branching * depth * per_cell * (fading + waving + turning), NO_BOUND);
            fading = lower(fading + 2.0 * self.crest_fade * waving, NO_BOUND);
        }
        let place = [middle[0], middle[1], 0.0];
        let raised = self.sample(place, [0.0, 0.0, 1.0], [slope[0], slope[1], 0.0], share).0;
        let steepest = steepest * (1.0 + 1e-9);
        let range = Interval::centred(raised, steepest * radius);
        (range.intersection(Interval::centred(0.0, reach)).widened_for_rounding(), steepest)
    }
}

impl GullyOctave {
    /// The wave at `place`, from -1 to 1, and the derivative of the wave along `across`, per metre.
    #[inline]
    fn stripes<T: GullyNumber>(&self, place: [T; 3], across: [T; 3]) -> (T, T) {
        let [cosine, sine] = self.turn.map(T::constant);
        let turned = |[x, y, z]: [T; 3]| [cosine * x - sine * y, sine * x + cosine * y, z];
        let cell_size = T::constant(self.cell);
        let (at, across) = (turned(place).map(|x| x / cell_size), turned(across));
        let first = at.map(|x| x.value().floor() as i32);
        let (layers, jitter) = if self.is_solid { (-1..=1, SOLID_JITTER) } else { (0..=0, JITTER) };
        let zero = T::constant(0.0);
        let (mut weights, mut cosines, mut sines) = (zero, zero, zero);
        for z in layers {
            let layer = if self.is_solid { self.lattice.layer(first[2].wrapping_add(z)) } else { self.lattice };
            for y in -1..=1 {
                for x in -1..=1 {
                    let cell = [first[0].wrapping_add(x), first[1].wrapping_add(y)];
                    let named = match self.around {
                        Some(around) => cell.map(|k| k.rem_euclid(around)),
                        None => cell,
                    };
                    let bits = layer.bits(named[0], named[1]);
                    let off = |at: T, cell: i32, shift: u32| {
                        let (jitter, part) = centre(bits, shift, jitter);
                        let offset = T::constant(0.5) + T::constant(jitter) * (T::constant(part) - T::constant(1.0));
                        at - (T::constant(f64::from(cell)) + offset)
                    };
                    let dz = if self.is_solid { off(at[2], first[2].wrapping_add(z), 32) } else { zero };
                    let off = [off(at[0], cell[0], 0), off(at[1], cell[1], 16), dz];
                    let near = T::constant(1.0) - dot(off, off) / T::constant(REACH_SQUARED);
                    if near.value() > 0.0 {
                        let (sine, cosine) = (T::constant(TAU) * dot(off, across)).sine_cosine();
                        let weight = near * near;
                        weights = weights + weight;
                        cosines = cosines + weight * cosine;
                        sines = sines + weight * sine;
                    }
                }
            }
        }
        if weights.value() > 0.0 {
            (cosines / weights, T::constant(-TAU) / cell_size * sines / weights)
        } else {
            (zero, zero)
        }
    }

    /// Bounds of κ and υ (see the module docs) over a disc of the plane.
    fn kernel_bounds(&self, middle: Point, radius: f64) -> (f64, f64) {
        let radius = radius / self.cell;
        if radius > 0.5 {
            return (MOST_KERNEL_SLOPE, MOST_KERNEL_WAY);
        }
        let [cosine, sine] = self.turn;
        let at = [cosine * middle[0] - sine * middle[1], sine * middle[0] + cosine * middle[1]].map(|x| x / self.cell);
        let first = at.map(|x| x.floor() as i32);
        let (mut weights, mut moments, mut least, mut slopes) = (0.0, 0.0, 0.0, 0.0);
        // centres up to two cells away can have weight at points of the disc
        for y in -2..=2 {
            for x in -2..=2 {
                let cell = [first[0].wrapping_add(x), first[1].wrapping_add(y)];
                let bits = self.lattice.bits(cell[0], cell[1]);
                let off = [0, 1].map(|k| {
                    let (jitter, part) = centre(bits, 16 * k as u32, JITTER);
                    at[k] - (f64::from(cell[k]) + 0.5 + jitter * (part - 1.0))
                });
                let d = length(off);
                let weight = |d: f64| {
                    let near = higher(1.0 - d * d / REACH_SQUARED, 0.0);
                    near * near
                };
                let is_among = x.abs() < 2 && y.abs() < 2;
                if is_among {
                    weights += weight(d);
                    moments += weight(d) * d;
                }
                least += weight(d + radius);
                // |∇w| is greatest at a distance of 0.69 cells from the centre, and decreases towards smaller and larger distances
                let steepest = lower(higher((REACH_SQUARED / 3.0).sqrt(), higher(d - radius, 0.0)), d + radius);
                slopes += 4.0 / REACH_SQUARED * steepest * higher(1.0 - steepest * steepest / REACH_SQUARED, 0.0);
            }
        }
        let kernel = if least > 0.0 { lower(2.0 * slopes / least, MOST_KERNEL_SLOPE) } else { MOST_KERNEL_SLOPE };
        let way = if weights > 0.0 { moments / weights } else { MOST_KERNEL_WAY };
        (kernel, lower(way + (1.0 + REACH_SQUARED.sqrt() * kernel) * radius, MOST_KERNEL_WAY))
    }
}

fn dot<T: GullyNumber>(a: [T; 3], b: [T; 3]) -> T {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross<T: GullyNumber>(a: [T; 3], b: [T; 3]) -> [T; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::plane::{add, scaled, sub};

    /// A stream of random numbers from 0 to 1.
    struct Draws(Stream, i32);

    impl Draws {
        fn in_range(&mut self, low: f64, high: f64) -> f64 {
            self.1 += 1;
            low + (high - low) * f64::from(self.0.unit(self.1, 3))
        }
        fn unit_vector(&mut self) -> Point {
            let angle = self.in_range(0.0, TAU);
            [libm::cos(angle), libm::sin(angle)]
        }
    }

    fn law(draws: &mut Draws) -> GullyFunction {
        let (size, count) = (draws.in_range(100.0, 900.0), draws.in_range(1.0, 5.0) as u32);
        let (deep, persistence) = (size * draws.in_range(0.02, 0.2), draws.in_range(0.3, 0.6));
        let mut depth = deep;
        let octave = |k: u32| {
            let angle = GOLDEN_ANGLE * f64::from(k + 1);
            let octave = GullyOctave {
                cell: size / f64::from(1u32 << k),
                around: None,
                depth,
                turn: [libm::cos(angle), libm::sin(angle)],
                is_solid: false,
                lattice: GullyLattice::Hash(77 + k),
            };
            depth *= persistence;
            octave
        };
        GullyFunction {
            octaves: (0..count).map(octave).collect(),
            branching: draws.in_range(0.0, 1.2),
            crest_fade: draws.in_range(0.0, 1.0),
            fade: [draws.in_range(0.0, 0.1), draws.in_range(0.2, 0.6)],
        }
    }

    /// In this test, the slope changes everywhere by the stated maximum per metre, in random directions. Heights and
    /// gradients must stay within their bounds, and gradients must match central differences.
    #[test]
    fn bounds_hold_on_slopes_of_maximum_curvature() {
        let mut draws = Draws(Stream::new(5, 9), 0);
        let up = [0.0, 0.0, 1.0];
        for _ in 0..400 {
            let law = law(&mut draws);
            let middle = [draws.in_range(-4000.0, 4000.0), draws.in_range(-4000.0, 4000.0)];
            let radius = law.octaves[0].cell * [0.001, 0.03, 0.4][(draws.in_range(0.0, 2.999)) as usize];
            let change = draws.in_range(0.0, 2.0) / law.octaves[0].cell;
            let slope = scaled(draws.unit_vector(), draws.in_range(0.0, 1.0));
            // the rows of the matrix are perpendicular and have the length `change`, so the slope changes equally in
            // every direction
            let (turn, side) = (draws.unit_vector(), if draws.in_range(0.0, 1.0) < 0.5 { 1.0 } else { -1.0 });
            let rows = [scaled(turn, change), scaled([-turn[1] * side, turn[0] * side], change)];
            let slope_at = |p: Point| {
                let away = sub(p, middle);
                [0, 1].map(|k: usize| slope[k] + rows[k][0] * away[0] + rows[k][1] * away[1])
            };
            let (range, steepest) = law.bounds((middle, radius), slope, change, |_, _| 1.0);
            let raised = |p: Point| {
                let [x, y] = slope_at(p);
                law.sample([p[0], p[1], 0.0], up, [x, y, 0.0], |_, _| 1.0).0
            };
            for k in 0..40 {
                let away = radius * f64::from(k % 8) / 7.0;
                let p = add(middle, scaled(draws.unit_vector(), away));
                let constant = |value| Dual { value, gradient: [0.0; 2] };
                let [x, y] = slope_at(p);
                let place = [Dual { value: p[0], gradient: [1.0, 0.0] }, Dual { value: p[1], gradient: [0.0, 1.0] }];
                let along = [Dual { value: x, gradient: rows[0] }, Dual { value: y, gradient: rows[1] }];
                let zero = constant(0.0);
                let found = law
                    .sample(
                        [place[0], place[1], zero],
                        [zero, zero, constant(1.0)],
                        [along[0], along[1], zero],
                        |_, _| 1.0,
                    )
                    .0;
                assert_eq!(found.value.to_bits(), raised(p).to_bits());
                let is_within = found.value >= range.low - 1e-9 && found.value <= range.high + 1e-9;
                assert!(is_within, "{} beyond {range:?}", found.value);
                let steep = length(found.gradient);
                assert!(steep <= steepest * (1.0 + 1e-9) + 1e-12, "{steep} beyond {steepest}");
                let e = 1e-4;
                for (axis, step) in [[e, 0.0], [0.0, e]].into_iter().enumerate() {
                    let difference = (raised(add(p, step)) - raised(sub(p, step))) / (2.0 * e);
                    let off = (difference - found.gradient[axis]).abs();
                    assert!(off < 1e-3 * (1.0 + steep), "{difference} {:?}", found.gradient);
                }
            }
        }
    }

    /// Weights change fastest at the common corner of four cells whose centres are as far from this corner as possible.
    /// The bounds are reached at this corner.
    #[test]
    fn the_kernel_bounds_are_tight() {
        let kernel = |at: Point, centres: &[Point]| {
            let mut sums = (0.0, [0.0; 2], 0.0);
            let each: Vec<(f64, Point)> = centres
                .iter()
                .map(|centre| {
                    let off = sub(at, *centre);
                    let near = higher(1.0 - (off[0] * off[0] + off[1] * off[1]) / REACH_SQUARED, 0.0);
                    let (weight, turn) = (near * near, scaled(off, -4.0 / REACH_SQUARED * near));
                    sums = (sums.0 + weight, add(sums.1, turn), sums.2 + weight * length(off));
                    (weight, turn)
                })
                .collect();
            let greatest = (0..90).fold(0.0, |greatest, k| {
                let angle = f64::from(k) * (TAU / 180.0);
                let d = [libm::cos(angle), libm::sin(angle)];
                let along = |g: Point| g[0] * d[0] + g[1] * d[1];
                let sum = |(weight, turn): &(f64, Point)| {
                    (along(*turn) / sums.0 - weight * along(sums.1) / (sums.0 * sums.0)).abs()
                };
                higher(greatest, each.iter().map(sum).sum())
            });
            (greatest, sums.2 / sums.0)
        };
        let far = 0.5 + JITTER;
        let corner = [[-far, -far], [far, -far], [-far, far], [far, far]];
        let (slope, way) = kernel([0.0, 0.0], &corner);
        assert!(slope <= MOST_KERNEL_SLOPE && slope > MOST_KERNEL_SLOPE * 0.9999, "{slope}");
        assert!(way <= MOST_KERNEL_WAY && way > MOST_KERNEL_WAY * 0.9999, "{way}");
        let mut draws = Draws(Stream::new(2, 4), 0);
        for _ in 0..4000 {
            let at = [draws.in_range(0.0, 1.0), draws.in_range(0.0, 1.0)];
            let reach = draws.in_range(0.0, JITTER);
            let centres: Vec<Point> = (0..9)
                .map(|k| {
                    let off = [draws.in_range(-1.0, 1.0), draws.in_range(-1.0, 1.0)].map(|x: f64| x.signum() * reach);
                    add([f64::from(k % 3) - 0.5, f64::from(k / 3) - 0.5], off)
                })
                .collect();
            let (slope, way) = kernel(at, &centres);
            assert!(slope <= MOST_KERNEL_SLOPE && way <= MOST_KERNEL_WAY, "{slope} {way}");
        }
    }
}
