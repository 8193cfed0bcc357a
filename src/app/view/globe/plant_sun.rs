//! Fraction of sunlight that clouds and mountains let through to plants and stones around the eye. The processor
//! computes it once per frame on a lattice, because plants have more vertices than the image has pixels.

use bytemuck::{Pod, Zeroable};
use glam::{DVec3, Vec4};

use super::face::level_axes;
use super::ground::GlobeSurface;
use super::tiles::MOST_METRES;
use talweg::planet::clouds::PlanetClouds;

/// Number of lattice points per side. The lattice spacing is less than a kilometre, and the finest clouds over the
/// Earth are 1.4 km wide.
const SIDE: usize = 16;

/// Fractions from 0 to 1, row by row, four per vector; mirrors `plant_sun` in `assets/shaders/globe.wgsl`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct PlantSun([[Vec4; SIDE]; SIDE / 4]);

impl PlantSun {
    /// Sunlight on a lattice around an eye. `clouds` holds the clouds, the radius of their layer, and the fraction of
    /// light that the densest cloud blocks.
    pub fn new(
        ground: &GlobeSurface,
        eye: DVec3,
        sun: DVec3,
        clouds: Option<(PlanetClouds, f64, f32)>,
        has_shadows: bool,
    ) -> Self {
        let [first, second] = level_axes(eye.normalize_or(DVec3::X));
        let aside = |k: usize| (2.0 * k as f64 / (SIDE - 1) as f64 - 1.0) * f64::from(MOST_METRES);
        let mut own = Self::default();
        for k in 0..SIDE * SIDE {
            let up = (eye + aside(k % SIDE) * first + aside(k / SIDE) * second).normalize_or(DVec3::X);
            let mountains = if has_shadows { ground.sun_fraction(up, sun) as f32 } else { 1.0 };
            let clouds = clouds.map_or(1.0, |(clouds, shell, strength)| {
                // mirrors `under_clouds` in assets/shaders/globe_clouds.wgsl
                let rise = (shell - ground.radius) / ground.radius;
                let towards = (up + sun * (rise / up.dot(sun).max(0.12))).normalize();
                1.0 - strength * clouds.density(towards.as_vec3().to_array())
            });
            let four = k / 4;
            own.0[four / SIDE][four % SIDE][k % 4] = mountains * clouds;
        }
        own
    }
}

#[cfg(test)]
mod tests {
    use super::super::ground::tests::sphere;
    use super::*;
    use crate::view::render::shader_text::GLOBE;

    #[test]
    fn every_corner_has_the_sun_of_its_place() {
        let planet = sphere();
        let ground = planet.ground(1.0);
        let (eye, sun) = (DVec3::X * (ground.radius + 100.0), DVec3::new(0.8, 0.6, 0.0));
        let clouds = PlanetClouds { cover: 0.5, drift: 0.3, octaves: 8.0 };
        let shell = ground.radius * 1.01;
        let lit = PlantSun::new(&ground, eye, sun, Some((clouds, shell, 0.6)), true);
        let of = |row: usize, column: usize| {
            lit.0[(row * SIDE + column) / 4 / SIDE][(row * 4 + column / 4) % SIDE][column % 4]
        };
        for (row, column) in [(0, 0), (7, 9), (15, 15), (12, 3)] {
            // `level_axes` returns east and north here, because the z axis of planet space points north
            let aside = [column, row].map(|k| (2.0 * k as f64 / 15.0 - 1.0) * 6000.0);
            let [first, second] = level_axes(DVec3::X);
            let up = (eye + first * aside[0] + second * aside[1]).normalize();
            let towards = (up + sun * (0.01 / up.dot(sun))).normalize();
            let expected = 1.0 - 0.6 * clouds.density(towards.as_vec3().to_array());
            assert!(
                (of(row, column) - expected).abs() < 0.01,
                "row {row}, column {column}: sunlight {}, expected {expected}",
                of(row, column)
            );
        }
        let clear = PlantSun::new(&ground, eye, sun, None, false);
        assert!(clear.0.iter().flatten().all(|four| *four == Vec4::ONE));
        let night = PlantSun::new(&ground, eye, DVec3::new(-0.2, 0.98, 0.0).normalize(), None, true);
        assert!(night.0.iter().flatten().all(|four| four.max_element() < 0.1), "the planet hides the sun");
        assert!(GLOBE.contains(&format!("PLANT_SUN_REACH = {MOST_METRES:.1};")));
    }
}
