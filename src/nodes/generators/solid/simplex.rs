//! 3D simplex noise, sampled on the surface of a globe.
//!
//! Law: space is divided into tetrahedra, six of which make a cube that is compressed along its diagonal (skewed by ⅓).
//! Inside a tetrahedron n = Σ (½ - d²)⁴ · g·d over its 4 corners. d is the vector from the corner, and g the corner's
//! gradient as in [`solid`](super). ½ is the square of the distance from a corner to the opposite side. The
//! contribution of each corner therefore ends where its tetrahedra end: there are no creases. The lattice is stretched
//! to one corner per unit of volume, as in the lattice of cubes, and n is scaled to a standard deviation of ¼.
//! Scheme: the order of a position's three coordinates selects the tetrahedron of the cube, without branches and in
//! SIMD lanes.
//! Source: Perlin 2001; Gustavson 2005, *Simplex noise demystified* (the skew).

use super::{PART, PRIMES, SolidNoise, SpacePoints, component, drawn, floor, in_parts};
use talweg_ground::field::Stream;

/// Factor that scales the noise to a standard deviation of ¼ (measured by a test).
const SCALE: f32 = 0.25 / DEVIATION;
const DEVIATION: f32 = 0.005_105;
/// Factor that stretches the lattice, 2^-⅓ along each side: the compressed cubes have half the volume.
const STRETCH: f32 = 0.793_700_5;
/// Skew factor of the lattice. `SIXTH` is the factor of the inverse skew.
const THIRD: f32 = 1.0 / 3.0;
const SIXTH: f32 = 1.0 / 6.0;

/// One octave of simplex noise in space.
#[derive(Clone, Copy, Debug)]
pub struct SolidSimplex {
    seed: u32,
    frequency: f32,
    shift: [f32; 3],
}

impl SolidSimplex {
    /// Creates an octave with `frequency` cells per unit of length.
    pub fn new(random: Stream, frequency: f32) -> Self {
        let shift = random.fork(0);
        Self {
            seed: random.bits(0, 0) as u32,
            frequency: frequency * STRETCH,
            shift: std::array::from_fn(|k| shift.unit(k as i32, 0)),
        }
    }
}

impl SolidNoise for SolidSimplex {
    fn add(&self, points: [&[f32]; 3], amplitude: f32, out: &mut [f32], _: &mut SpacePoints) {
        sum(self, points, amplitude * SCALE, out);
    }
}

#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn sum(law: &SolidSimplex, points: [&[f32]; 3], amplitude: f32, out: &mut [f32]) {
    let done = out.len() / PART * PART;
    in_parts::<PART>(points, out, |points, out| part(law, points, amplitude, out));
    let rest = points.map(|p| &p[done..]);
    in_parts::<1>(rest, &mut out[done..], |points, out| part(law, points, amplitude, out));
}

#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "loops over arrays of equal length vectorise")]
fn part<const N: usize>(law: &SolidSimplex, points: [&[f32; N]; 3], amplitude: f32, out: &mut [f32; N]) {
    for k in 0..N {
        let place: [f32; 3] = [0, 1, 2].map(|axis| points[axis][k] * law.frequency + law.shift[axis]);
        let skew = (place[0] + place[1] + place[2]) * THIRD;
        let [(i, x), (j, y), (l, z)] = place.map(|p| floor(p + skew));
        let low = [i as u32, j as u32, l as u32];
        let back = (x + y + z) * SIXTH;
        let near = [x - back, y - back, z - back];
        // The coordinates are compared in pairs. Of two equal coordinates the first counts as greater, so that the
        // order is unique.
        let (xy, yz, zx) = (u32::from(x >= y), u32::from(y >= z), u32::from(z > x));
        let first = [xy & (1 - zx), yz & (1 - xy), zx & (1 - yz)];
        let second = [xy | (1 - zx), yz | (1 - xy), zx | (1 - yz)];
        let corner = |step: [u32; 3]| {
            let pressed = (step[0] + step[1] + step[2]) as i32 as f32 * SIXTH;
            let away = |axis: usize| near[axis] - step[axis] as i32 as f32 + pressed;
            let [x, y, z] = [away(0), away(1), away(2)];
            let mixed = |axis: usize| low[axis].wrapping_add(step[axis]).wrapping_mul(PRIMES[axis]);
            let drawn = drawn(law.seed ^ mixed(0) ^ mixed(1) ^ mixed(2));
            let fall = 0.5 - (x * x + y * y + z * z);
            let fall = if fall > 0.0 { fall } else { 0.0 };
            let fall = fall * fall;
            fall * fall * (component(0, drawn) * x + component(1, drawn) * y + component(2, drawn) * z)
        };
        out[k] += amplitude * (corner([0; 3]) + corner(first) + corner(second) + corner([1; 3]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use talweg_ground::field::Globe;

    fn value_at(noise: &SolidSimplex, [x, y, z]: [f32; 3]) -> f32 {
        let mut out = [0.0];
        noise.add([&[x], &[y], &[z]], 1.0, &mut out, &mut SpacePoints::default());
        out[0]
    }

    #[test]
    fn the_noise_has_mean_zero_and_deviation_a_quarter() {
        let noise = SolidSimplex::new(Stream::new(3, 4), 9.7);
        let globe = Globe::new(65);
        let values: Vec<f64> = (0..globe.len()).map(|k| f64::from(value_at(&noise, globe.direction_of(k)))).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let deviation = (values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / values.len() as f64).sqrt();
        assert!(mean.abs() < 0.02 && (deviation - 0.25).abs() < 0.015, "mean {mean}, deviation {deviation}");
    }

    /// The noise equals the sum in the module docs over all near corners of the compressed lattice, without a search
    /// for the tetrahedron.
    #[test]
    fn all_near_corners_are_summed_and_no_other() {
        let noise = SolidSimplex { seed: 77, frequency: 1.0, shift: [0.0; 3] };
        let random = Stream::new(5, 6);
        for k in 0..4000 {
            let mut place: [f32; 3] = std::array::from_fn(|axis| 2.0 * random.signed(k, axis as i32));
            if k % 5 == 0 {
                // This position is on the border between tetrahedra.
                place[1] = place[0];
            }
            let mut sum = 0.0;
            for c in 0..14 * 14 * 14 {
                let corner = [c % 14, c / 14 % 14, c / 196].map(|x| x - 7);
                let pressed = corner.iter().sum::<i32>() as f32 * SIXTH;
                let away: [f32; 3] = std::array::from_fn(|axis| place[axis] - (corner[axis] as f32 - pressed));
                let fall = 0.5 - away.iter().map(|x| x * x).sum::<f32>();
                if fall > 0.0 {
                    let drawn = drawn(super::super::mixed(77, corner));
                    let dot: f32 = (0..3).map(|axis| component(axis, drawn) * away[axis]).sum();
                    sum += fall * fall * fall * fall * dot;
                }
            }
            let got = value_at(&noise, place) / SCALE;
            assert!((got - sum).abs() < 2e-6, "{got}, not {sum} at {place:?}");
        }
    }
}
