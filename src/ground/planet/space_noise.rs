//! Smooth 3D noise, identical to the noise of the planet shaders (`noises` in `src/app/assets/shaders/globe.wgsl`).
//!
//! Equation: random values at the corners of a lattice are interpolated by the quintic polynomial of Perlin 2002. Each
//! random value consists of the 24 most significant bits of the hash pcg3d of Jarzynski & Olano 2020, *Hash Functions
//! for GPU Rendering*.

use std::array::from_fn;

/// Three independent random values from 0 to 1 for a corner of the lattice.
pub fn corner_noises(place: [i32; 3]) -> [f32; 3] {
    let mut x = place.map(|k| (k as u32).wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
    let stir = |x: &mut [u32; 3]| {
        x[0] = x[0].wrapping_add(x[1].wrapping_mul(x[2]));
        x[1] = x[1].wrapping_add(x[2].wrapping_mul(x[0]));
        x[2] = x[2].wrapping_add(x[0].wrapping_mul(x[1]));
    };
    stir(&mut x);
    x = x.map(|k| k ^ (k >> 16));
    stir(&mut x);
    x.map(|k| (k >> 8) as f32 * (1.0 / 16_777_216.0))
}

/// Three smooth noise values from 0 to 1 at a position; the wavelength is about one unit of length.
pub(super) fn noises(place: [f32; 3]) -> [f32; 3] {
    let low = place.map(f32::floor);
    let part: [f32; 3] = from_fn(|k| place[k] - low[k]);
    let t = part.map(|p| p * p * p * (p * (p * 6.0 - 15.0) + 10.0));
    let k = low.map(|x| x as i32);
    let mix = |a: [f32; 3], b: [f32; 3], t: f32| -> [f32; 3] { from_fn(|c| a[c] * (1.0 - t) + b[c] * t) };
    let at = |x: i32, y: i32, z: i32| corner_noises([k[0] + x, k[1] + y, k[2] + z]);
    let along = |y: i32, z: i32| mix(at(0, y, z), at(1, y, z), t[0]);
    let level = |z: i32| mix(along(0, z), along(1, z), t[1]);
    mix(level(0), level(1), t[2])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares the noise at one corner with the hash of the paper, which was computed by hand.
    #[test]
    fn corners_have_the_hash_of_the_paper() {
        // pcg3d of (0, 0, 0) starts with x = y = z = c, then c + c², and so on, modulo 2³².
        let c = 1_013_904_223u64;
        let modulo = |x: u128| (x % (1 << 32)) as u64;
        let product = |a: u64, b: u64| modulo(u128::from(a) * u128::from(b));
        let sum = |a: u64, b: u64| (a + b) % (1 << 32);
        let stir = |[x, y, z]: [u64; 3]| {
            let x = sum(x, product(y, z));
            let y = sum(y, product(z, x));
            [x, y, sum(z, product(x, y))]
        };
        let expected = stir(stir([c; 3]).map(|k| k ^ (k >> 16))).map(|k| (k >> 8) as f32 / 16_777_216.0);
        assert_eq!(corner_noises([0; 3]), expected);
        assert!(expected.iter().all(|x| (0.0..1.0).contains(x)) && expected[0] != expected[1]);
        assert_eq!(noises([0.0, 0.0, 0.0]), expected, "at a corner, the noise must equal the corner value");
    }
}
