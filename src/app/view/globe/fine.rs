//! Ground between the samples, for the eye alone: near the ground a sample of a planet is as wide as a mountain range,
//! and what lies between would be a smooth slope.
//!
//! Two things of one noise in space, octave by octave: the place that is looked up is bent, so that shores, rivers and
//! the borders of colours are ragged, and the ground is raised and lowered. How far depends on how rough the samples
//! say that the ground is: level ground stays level, water flat. Octaves come in as the eye comes near, by distance
//! alone, so that neighbouring patches agree. No height that is measured, exported or eroded knows of it.
//! `assets/shaders/globe_fine.wgsl` does the same for the picture; here it is for the camera, which shall not stand
//! inside a hill that it sees.

use glam::{DVec3, Vec3};

/// The longest wave, in cells.
const LONGEST_CELLS: f64 = 1.2;
/// Waves are not shorter than this.
const SHORTEST_METRES: f64 = 60.0;
const MOST_OCTAVES: f64 = 12.0;
/// An octave comes in where its wave is so many times as long as a quad in its distance is wide.
const COMES_IN: (f32, f32) = (2.5, 5.0);
/// A quad is about so wide, in parts of its distance.
const QUAD_RADIANS: f64 = 0.012;
/// How far a place is bent, in parts of the wave.
const BEND: f32 = 0.45;
/// How high an octave rises over ground of roughness 1, in parts of the longest wave, and what is left of it in the
/// next.
const RISE: f32 = 0.18;
const FALL: f32 = 0.62;
/// The roughest ground there is.
pub const ROUGHEST: f32 = 0.20;

/// The waves of a planet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FineGround {
    /// Waves of the first octave in a radius.
    pub waves: f32,
    pub octaves: f32,
    /// The length of the first in metres.
    pub wave_metres: f64,
}

impl FineGround {
    pub fn new(radius: f64, samples: usize) -> Self {
        let cell = radius * std::f64::consts::FRAC_PI_2 / (samples.max(2) - 1) as f64;
        let wave_metres = LONGEST_CELLS * cell;
        let octaves = (wave_metres / SHORTEST_METRES).log2().clamp(0.0, MOST_OCTAVES).floor();
        Self { waves: (radius / wave_metres) as f32, octaves: octaves as f32, wave_metres }
    }

    /// Where to look up the ground of a direction, and by how many metres it is raised there over roughness 1; seen
    /// from a distance.
    pub fn displacement(&self, up: DVec3, distance: f64) -> (DVec3, f64) {
        let place = up.as_vec3() * self.waves;
        let (mut bend, mut rise) = (Vec3::ZERO, 0.0);
        let (mut scale, mut height) = (1.0f32, RISE);
        for k in 0..self.octaves as u32 {
            let quads = self.wave_metres / f64::from(scale) / (QUAD_RADIANS * distance).max(1e-3);
            let weight = smooth(((quads as f32 - COMES_IN.0) / (COMES_IN.1 - COMES_IN.0)).clamp(0.0, 1.0));
            if weight <= 0.0 {
                break;
            }
            let noise = noises(place * scale + Vec3::splat(k as f32 * 7.31));
            bend += (noise - 0.5) * (weight * BEND / scale);
            rise += shape(noise) * (weight * height);
            scale *= 2.0;
            height *= FALL;
        }
        let bent = (up + (bend / self.waves).as_dvec3()).normalize();
        (bent, f64::from(rise) * self.wave_metres)
    }

    /// No ground is raised or lowered further than this over roughness 1.
    pub fn most(&self) -> f64 {
        f64::from(RISE / (1.0 - FALL)) * self.wave_metres
    }
}

/// From -1 to 1: half a smooth hump, half a ridge.
fn shape(noise: Vec3) -> f32 {
    (noise.x - 0.5) + (0.5 - (2.0 * noise.y - 1.0).abs())
}

fn smooth(t: f32) -> f32 {
    t * t * (3.0 - 2.0 * t)
}

/// Three smooth noises from 0 to 1, one hump a unit; the same as `noises` in globe.wgsl.
fn noises(place: Vec3) -> Vec3 {
    let low = place.floor();
    let part = place - low;
    let t = part * part * part * (part * (part * 6.0 - 15.0) + 10.0);
    let k = [low.x as i32, low.y as i32, low.z as i32];
    let at = |x: i32, y: i32, z: i32| scrambled([k[0].wrapping_add(x), k[1].wrapping_add(y), k[2].wrapping_add(z)]);
    let a = at(0, 0, 0).lerp(at(1, 0, 0), t.x);
    let b = at(0, 1, 0).lerp(at(1, 1, 0), t.x);
    let c = at(0, 0, 1).lerp(at(1, 0, 1), t.x);
    let d = at(0, 1, 1).lerp(at(1, 1, 1), t.x);
    a.lerp(b, t.y).lerp(c.lerp(d, t.y), t.z)
}

/// Random values from 0 to 1 of a point of the lattice.
fn scrambled(place: [i32; 3]) -> Vec3 {
    let mut x = place.map(|c| (c as u32).wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
    let mix = |x: &mut [u32; 3]| {
        x[0] = x[0].wrapping_add(x[1].wrapping_mul(x[2]));
        x[1] = x[1].wrapping_add(x[2].wrapping_mul(x[0]));
        x[2] = x[2].wrapping_add(x[0].wrapping_mul(x[1]));
    };
    mix(&mut x);
    x = x.map(|c| c ^ (c >> 16));
    mix(&mut x);
    Vec3::from(x.map(|c| (c >> 8) as f32 * (1.0 / 16_777_216.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RADIUS: f64 = 6.371e6;

    fn directions() -> impl Iterator<Item = DVec3> {
        (0..500).map(|k| {
            let t = f64::from(k);
            DVec3::new((t * 0.7).sin(), (t * 1.3).cos(), (t * 0.31).sin()).normalize()
        })
    }

    #[test]
    fn nothing_is_added_from_afar_and_much_up_close_within_bounds() {
        let fine = FineGround::new(RADIUS, 257);
        assert_eq!(fine.octaves, 9.0);
        let cell = fine.wave_metres / LONGEST_CELLS;
        let mut highest: f64 = 0.0;
        for up in directions() {
            let (far, nothing) = fine.displacement(up, 1e7);
            assert!(far.distance(up) < 1e-12 && nothing == 0.0);
            let (near, rise) = fine.displacement(up, 100.0);
            assert!(near.distance(up) * RADIUS < cell, "it stays near its cell");
            assert!(rise.abs() <= fine.most());
            highest = highest.max(rise.abs());
        }
        assert!(highest > 0.2 * fine.most());
    }

    #[test]
    fn it_has_no_jumps_from_place_to_place_nor_on_the_way_down() {
        let fine = FineGround::new(RADIUS, 257);
        for up in directions() {
            let beside = (up + up.any_orthonormal_vector() * (2.0 / RADIUS)).normalize();
            let (a, b) = (fine.displacement(up, 500.0), fine.displacement(beside, 500.0));
            // two metres apart over ground as rough as it comes
            assert!((a.1 - b.1).abs() * f64::from(ROUGHEST) < 12.0, "{} m", (a.1 - b.1).abs());
            for k in 0..60 {
                let distance = 100.0 * 1.2f64.powi(k);
                let (a, b) = (fine.displacement(up, distance), fine.displacement(up, distance * 1.002));
                assert!((a.1 - b.1).abs() < 0.01 * fine.wave_metres);
            }
        }
        // a planet too small for it
        assert_eq!(FineGround::new(1000.0, 257).octaves, 0.0);
    }
}
