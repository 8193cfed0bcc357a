//! How much of the sun clouds and mountains leave to what stands around the eye: asked once for a lattice of places, since
//! plants have more vertices than pixels.

use bytemuck::{Pod, Zeroable};
use glam::{DVec3, Vec4};

use super::ground::GlobeSurface;
use crate::view::plants::globe::{MOST_METRES, level_axes};
use talweg::planet::clouds::PlanetClouds;

/// Corners of a side of the lattice: less than a kilometre apart, while the finest clouds over the Earth are 1.4 km wide.
const SIDE: usize = 16;

/// Shares from 0 to 1, row by row, in fours; mirrors `plant_sun` in `assets/shaders/globe.wgsl`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct PlantSun([[Vec4; SIDE]; SIDE / 4]);

impl PlantSun {
    /// Around an eye, under clouds on a shell of a radius that keep so much of the sun where they are densest.
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
            let mountains = if has_shadows { ground.sun_share(up, sun) as f32 } else { 1.0 };
            let clouds = clouds.map_or(1.0, |(clouds, shell, strength)| {
                // as `under_clouds` in assets/shaders/globe_clouds.wgsl
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
