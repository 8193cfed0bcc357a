//! Three-dimensional noise at points on a planet, accurate to a metre: gradient noise with its gradient, and stripes
//! that run down a slope.
//!
//! Law: the noise is three-dimensional Perlin noise, as in [`solid`](crate::generators::solid), scaled to a standard
//! deviation of 1. The stripes are phasor noise (Tricard et al. 2019): every lattice corner has a wave with a
//! wavelength of one cell and a random phase. The crests of the waves run down the slope. The waves of the corners are
//! mixed with the weights of the noise, and the sum is normalised to a constant amplitude, so that crests branch where
//! waves meet.
//! Scheme: points form blocks of [`PART`]. Lattice positions use double precision, since a metre is too small a
//! fraction of a planet's radius for single precision. All other values are single precision and depend on the point
//! alone. Points of a block that are in the same cell share its corners; their results do not change in any bit.

#![allow(clippy::needless_range_loop, reason = "loops over arrays of equal length vectorise")]

use crate::generators::solid::{PRIMES, component, drawn};

/// Number of points in a block. The points of a block are processed together.
pub const PART: usize = 64;

/// One number per point of a block.
pub type BlockLane = [f32; PART];

/// Points of a block, in metres from the planet's centre.
pub type BlockPoints = [[f64; PART]; 3];

/// Factor that scales the noise to a standard deviation of 1 (measured by a test of `solid`).
const TO_UNIT: f32 = 1.0 / 0.2602;

/// A lattice of cubes in space, for a single octave of noise.
#[derive(Clone, Copy, Debug)]
pub struct SpaceLattice {
    seed: u32,
    /// Side of a cube in metres.
    pub cell_metres: f64,
    shift: [f64; 3],
}

/// Positions of the points of a block in a lattice.
pub struct LatticePlaces {
    cell: [[i32; PART]; 3],
    inside: [BlockLane; 3],
    /// Whether all points are in the same cube.
    is_one: bool,
}

impl Default for LatticePlaces {
    fn default() -> Self {
        Self { cell: [[0; PART]; 3], inside: [[0.0; PART]; 3], is_one: false }
    }
}

impl SpaceLattice {
    /// Creates a lattice with cubes of `cell_metres`, shifted by a random offset.
    pub fn new(random: talweg_ground::field::Stream, cell_metres: f64) -> Self {
        let shift = random.fork(0);
        Self {
            seed: random.bits(0, 0) as u32,
            cell_metres,
            shift: std::array::from_fn(|k| f64::from(shift.unit(k as i32, 0))),
        }
    }

    /// Writes the noise at every point, with a standard deviation of 1.
    pub fn noise(&self, points: &BlockPoints, places: &mut LatticePlaces, value: &mut BlockLane) {
        let mut unused = [[0.0; PART]; 3];
        self.find(points, places);
        noise::<false>(self.seed, places, value, &mut unused);
    }

    /// Writes the noise at every point, and its gradient per lattice cell.
    pub fn noise_and_slope(
        &self,
        points: &BlockPoints,
        places: &mut LatticePlaces,
        value: &mut BlockLane,
        slope: &mut [BlockLane; 3],
    ) {
        self.find(points, places);
        noise::<true>(self.seed, places, value, slope);
    }

    /// Writes stripes whose crests are perpendicular to the unit vectors `across`. `wave` receives values from -1 to 1,
    /// and `rise` receives their derivative along `across`, per lattice cell.
    pub fn stripes(
        &self,
        points: &BlockPoints,
        places: &mut LatticePlaces,
        across: &[BlockLane; 3],
        wave: &mut BlockLane,
        rise: &mut BlockLane,
    ) {
        self.find(points, places);
        stripes(self.seed, places, across, wave, rise);
    }

    fn find(&self, points: &BlockPoints, places: &mut LatticePlaces) {
        find(points, 1.0 / self.cell_metres, self.shift, places);
    }
}

#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn find(points: &BlockPoints, per_metre: f64, shift: [f64; 3], places: &mut LatticePlaces) {
    /// Adding this number (1.5 · 2⁵²) to a `f64` rounds that number to an integer.
    const ROUNDS: f64 = 6_755_399_441_055_744.0;
    let mut apart = 0;
    for axis in 0..3 {
        let (cells, inside) = (&mut places.cell[axis], &mut places.inside[axis]);
        for k in 0..PART {
            let place = points[axis][k] * per_metre + shift[axis];
            let rounded = place + ROUNDS;
            let nearest = rounded - ROUNDS;
            let above = nearest > place;
            cells[k] = (rounded.to_bits() as i32).wrapping_sub(i32::from(above));
            inside[k] = (place - if above { nearest - 1.0 } else { nearest }) as f32;
        }
        let first = cells[0];
        apart |= cells.iter().fold(0, |apart, &cell| apart | (cell ^ first));
    }
    places.is_one = apart == 0;
}

/// Weights of the two ends of a cell along each axis, and the derivatives of these weights.
struct CellWeights {
    ends: [[BlockLane; 2]; 3],
    slopes: [BlockLane; 3],
}

impl CellWeights {
    #[inline(always)]
    fn new(inside: &[BlockLane; 3]) -> Self {
        let mut weights = Self { ends: [[[0.0; PART]; 2]; 3], slopes: [[0.0; PART]; 3] };
        for axis in 0..3 {
            for k in 0..PART {
                let t = inside[axis][k];
                let far = t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
                weights.ends[axis][1][k] = far;
                weights.ends[axis][0][k] = 1.0 - far;
                weights.slopes[axis][k] = 30.0 * t * t * (t * (t - 2.0) + 1.0);
            }
        }
        weights
    }
}

/// Returns, for x, y and z, the end of the cell (0 or 1) at which corner `c` is.
#[inline(always)]
const fn ends_of(c: usize) -> [usize; 3] {
    [c & 1, c >> 1 & 1, c >> 2]
}

/// Random bits of corner `c` of the cube that contains point `k`.
#[inline(always)]
fn bits(seed: u32, places: &LatticePlaces, c: usize, k: usize) -> u32 {
    let ends = ends_of(c);
    let along = |axis: usize| (places.cell[axis][k].wrapping_add(ends[axis] as i32) as u32).wrapping_mul(PRIMES[axis]);
    drawn(seed ^ along(0) ^ along(1) ^ along(2))
}

#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn noise<const SLOPE: bool>(seed: u32, places: &LatticePlaces, value: &mut BlockLane, slope: &mut [BlockLane; 3]) {
    let weights = CellWeights::new(&places.inside);
    value.fill(0.0);
    if SLOPE {
        slope.iter_mut().for_each(|lane| lane.fill(0.0));
    }
    for c in 0..8 {
        if places.is_one {
            let drawn = bits(seed, places, c, 0);
            let gradient = [component(0, drawn), component(1, drawn), component(2, drawn)];
            add_corner::<SLOPE>(c, &places.inside, &weights, |_| gradient, value, slope);
        } else {
            let mut drawn = [0u32; PART];
            for k in 0..PART {
                drawn[k] = bits(seed, places, c, k);
            }
            let gradient = |k: usize| [0, 1, 2].map(|axis| component(axis, drawn[k]));
            add_corner::<SLOPE>(c, &places.inside, &weights, gradient, value, slope);
        }
    }
}

/// Adds the contribution of corner `c` of each point's cell.
#[inline(always)]
fn add_corner<const SLOPE: bool>(
    c: usize,
    inside: &[BlockLane; 3],
    weights: &CellWeights,
    gradient: impl Fn(usize) -> [f32; 3],
    value: &mut BlockLane,
    slope: &mut [BlockLane; 3],
) {
    let ends = ends_of(c);
    let [wx, wy, wz] = [0, 1, 2].map(|axis| &weights.ends[axis][ends[axis]]);
    let [ox, oy, oz] = ends.map(|end| end as f32);
    let [tx, ty, tz] = ends.map(|end| if end == 1 { TO_UNIT } else { -TO_UNIT });
    let [sx, sy, sz] = slope;
    for k in 0..PART {
        let [gx, gy, gz] = gradient(k);
        let corner = gx * (inside[0][k] - ox) + gy * (inside[1][k] - oy) + gz * (inside[2][k] - oz);
        let yz = wy[k] * wz[k];
        let whole = wx[k] * yz * TO_UNIT;
        value[k] += whole * corner;
        if SLOPE {
            sx[k] += whole * gx + tx * weights.slopes[0][k] * yz * corner;
            sy[k] += whole * gy + ty * weights.slopes[1][k] * wx[k] * wz[k] * corner;
            sz[k] += whole * gz + tz * weights.slopes[2][k] * wx[k] * wy[k] * corner;
        }
    }
}

/// Squared amplitude of the mixed wave below which the stripes stay small, so that there are no steps where waves
/// cancel out.
const WEAK: f32 = 0.04;

#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn stripes(seed: u32, places: &LatticePlaces, across: &[BlockLane; 3], wave: &mut BlockLane, rise: &mut BlockLane) {
    let inside = &places.inside;
    let weights = CellWeights::new(inside);
    let (mut cosines, mut sines) = ([0.0f32; PART], [0.0f32; PART]);
    for c in 0..8 {
        let ends = ends_of(c);
        let mut phase = [0.0f32; PART];
        let turn = |drawn: u32| (drawn >> 8) as i32 as f32 * (1.0 / 16_777_216.0);
        if places.is_one {
            phase.fill(turn(bits(seed, places, c, 0)));
        } else {
            for k in 0..PART {
                phase[k] = turn(bits(seed, places, c, k));
            }
        }
        let [wx, wy, wz] = [0, 1, 2].map(|axis| &weights.ends[axis][ends[axis]]);
        let [ox, oy, oz] = ends.map(|end| end as f32);
        for k in 0..PART {
            let along = (inside[0][k] - ox) * across[0][k]
                + (inside[1][k] - oy) * across[1][k]
                + (inside[2][k] - oz) * across[2][k];
            let turns = along + phase[k];
            let weight = wx[k] * wy[k] * wz[k];
            sines[k] += weight * sine_of_turns(turns);
            cosines[k] += weight * sine_of_turns(turns + 0.25);
        }
    }
    for k in 0..PART {
        let height = (cosines[k] * cosines[k] + sines[k] * sines[k] + WEAK).sqrt();
        wave[k] = cosines[k] / height;
        rise[k] = -std::f32::consts::TAU * sines[k] / height;
    }
}

/// Returns sin 2πt to within 0.0011, computed from two parabolas without steps.
#[inline(always)]
fn sine_of_turns(t: f32) -> f32 {
    const ROUNDS: f32 = 12_582_912.0;
    let t = t - ((t + ROUNDS) - ROUNDS);
    let parabola = 8.0 * t - 16.0 * t * t.abs();
    0.775 * parabola + 0.225 * parabola * parabola.abs()
}

#[cfg(test)]
mod tests {
    use super::*;
    use talweg_ground::field::Stream;

    fn block(step: f64) -> BlockPoints {
        std::array::from_fn(|axis| {
            std::array::from_fn(|k| 6.371e6 * [0.6, 0.0, -0.8][axis] + step * (k * (axis + 1)) as f64)
        })
    }

    #[test]
    fn the_noise_has_its_own_slope_and_a_deviation_of_one() {
        let lattice = SpaceLattice::new(Stream::new(1, 2), 100.0);
        let (mut places, mut sum) = (LatticePlaces::default(), 0.0f64);
        for step in 1..200 {
            let points = block(f64::from(step) * 17.3);
            let (mut value, mut slope) = ([0.0; PART], [[0.0; PART]; 3]);
            lattice.noise_and_slope(&points, &mut places, &mut value, &mut slope);
            sum += value.iter().map(|&v| f64::from(v * v)).sum::<f64>() / PART as f64;
            for axis in 0..3 {
                let mut moved = points;
                moved[axis].iter_mut().for_each(|x| *x += 0.1);
                let mut beside = [0.0; PART];
                lattice.noise(&moved, &mut places, &mut beside);
                for k in 0..PART {
                    let measured = (beside[k] - value[k]) / 0.001;
                    assert!((measured - slope[axis][k]).abs() < 0.15, "{measured} and {}", slope[axis][k]);
                }
            }
        }
        assert!((sum / 199.0 - 1.0).abs() < 0.1, "{}", sum / 199.0);
    }

    /// Points of the same cell share its corners, and have the same results as points of different cells.
    #[test]
    fn a_point_has_the_same_bits_beside_any_other() {
        for cell in [0.7, 90.0, 5.0e4, 8.0e6] {
            let lattice = SpaceLattice::new(Stream::new(3, 4), cell);
            let (near, far) = (block(0.01), block(3.0e4));
            let across = [[0.36; PART], [0.48; PART], [0.8; PART]];
            let run = |points: &BlockPoints| {
                let mut places = LatticePlaces::default();
                let (mut value, mut slope, mut wave, mut rise) =
                    ([0.0; PART], [[0.0; PART]; 3], [0.0; PART], [0.0; PART]);
                lattice.noise_and_slope(points, &mut places, &mut value, &mut slope);
                lattice.stripes(points, &mut places, &across, &mut wave, &mut rise);
                (0..PART).map(|k| [value[k], slope[0][k], slope[2][k], wave[k], rise[k]].map(f32::to_bits)).collect()
            };
            let whole: Vec<[u32; 5]> = run(&near);
            for k in [0, 13, 63] {
                let mut mixed = far;
                (0..3).for_each(|axis| mixed[axis][5] = near[axis][k]);
                assert_eq!(run(&mixed)[5], whole[k], "{cell} {k}");
            }
        }
    }

    #[test]
    fn the_sine_is_one_and_has_no_steps() {
        for k in -4000..4000 {
            let t = k as f32 * 0.000_77;
            assert!((sine_of_turns(t) - libm::sinf(std::f32::consts::TAU * t)).abs() < 0.002, "{t}");
        }
    }
}
