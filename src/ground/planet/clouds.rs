//! Cloud density of a planet.
//!
//! Model: the clouds follow 3D noise on a spherical shell. The noise is warped twice by other noise and rotated about
//! the axis by the drift. Further octaves add detail. Clouds form where the noise exceeds a level that depends on the
//! cloud cover. The rain belts at the equator and in middle latitudes get more clouds (Hadley, Ferrel and polar cells,
//! from the function `ascent` of the climate). The module `space_noise` computes the noise.
//!
//! The shader `src/app/assets/shaders/globe_clouds.wgsl` computes the same density and receives [`CLOUD_CONSTANTS`] as
//! text, so the numbers are defined only here. The form of this model is not taken from a paper.

use crate::field::smooth_step;
use std::array::from_fn;

use super::space_noise::noises;

/// Frequency of the noise of longest wavelength, in bumps per planet radius.
const HUMPS: f32 = 3.1;
/// Three constants of the wide warp: its frequency relative to `HUMPS`, its offset, and its strength along the equator.
const BEND_HUMPS: f32 = 0.7;
const BEND_START: f32 = 11.3;
const BEND_LEVEL: f32 = 1.9;
/// Strength of the wide warp along the planet's axis.
const BEND_AXIS: f32 = 1.1;
/// Three constants of the narrow warp: its frequency, its offset and its strength.
const CURL_HUMPS: f32 = 2.3;
const CURL_START: f32 = 3.7;
const CURL: f32 = 0.42;
/// Three constants for the step from one noise octave to the next: an offset, an amplitude factor and a frequency
/// factor. The fourth constant is the amplitude of the first octave.
const OCTAVE_START: f32 = 5.1;
const OCTAVE_SHARE: f32 = 0.56;
const OCTAVE_HUMPS: f32 = 2.07;
const FIRST_SHARE: f32 = 0.5;
/// Greatest amount that the rain belts add to the noise.
const BELTS: f32 = 0.07;
/// Noise level at which clouds begin at a cloud cover of 0; at full cover the level is the negative of this number.
/// Clouds begin when the noise is `EDGE_BELOW` below the level and reach full density when it is `EDGE_ABOVE` above it.
const LEVEL: f32 = 0.36;
const EDGE_BELOW: f32 = 0.02;
const EDGE_ABOVE: f32 = 0.30;
/// Maximum opacity of the clouds; `THICKNESS` multiplies the density before it is limited to 1.
const OPACITY: f32 = 0.94;
const THICKNESS: f32 = 1.25;

/// Number of noise octaves of the clouds in a distant view, and the maximum number.
pub const CLOUD_OCTAVES: [f32; 2] = [5.0, 11.0];
/// Fraction of the sunlight that the densest clouds block.
pub const CLOUD_SHADOW: f32 = 0.62;
/// Minimum air density for clouds, relative to the density of Earth's air. As the density rises further, clouds fade in
/// over a range of the same width.
const MIN_AIR_FOR_CLOUDS: f32 = 0.1;
/// Maximum height of the cloud shell above the sea, in planet radii.
const HIGHEST_SHELL: f64 = 0.05;

/// Name and value of each constant that the cloud shader needs.
pub const CLOUD_CONSTANTS: [(&str, f32); 18] = [
    ("CLOUD_HUMPS", HUMPS),
    ("CLOUD_BEND_HUMPS", BEND_HUMPS),
    ("CLOUD_BEND_START", BEND_START),
    ("CLOUD_BEND_LEVEL", BEND_LEVEL),
    ("CLOUD_BEND_AXIS", BEND_AXIS),
    ("CLOUD_CURL_HUMPS", CURL_HUMPS),
    ("CLOUD_CURL_START", CURL_START),
    ("CLOUD_CURL", CURL),
    ("CLOUD_OCTAVE_START", OCTAVE_START),
    ("CLOUD_OCTAVE_SHARE", OCTAVE_SHARE),
    ("CLOUD_OCTAVE_HUMPS", OCTAVE_HUMPS),
    ("CLOUD_FIRST_SHARE", FIRST_SHARE),
    ("CLOUD_BELTS", BELTS),
    ("CLOUD_LEVEL", LEVEL),
    ("CLOUD_EDGE_BELOW", EDGE_BELOW),
    ("CLOUD_EDGE_ABOVE", EDGE_ABOVE),
    ("CLOUD_OPACITY", OPACITY),
    ("CLOUD_THICKNESS", THICKNESS),
];

/// Fraction of the sky that clouds cover, from 0 to 1. `share` is the cloud cover at the density of Earth's air;
/// thinner air carries fewer clouds. `air_density` is relative to Earth's.
pub fn cloud_cover(share: f32, air_density: f32) -> f32 {
    share * ((air_density - MIN_AIR_FOR_CLOUDS) / MIN_AIR_FOR_CLOUDS).clamp(0.0, 1.0)
}

/// Height above the sea, in metres, at which the cloud shell is drawn. The height is exaggerated like the relief, so
/// that mountains do not cut through the shell, and limited to a twentieth of the radius.
pub fn cloud_shell_metres(height_metres: f32, exaggeration: f32, radius_metres: f64) -> f64 {
    (f64::from(height_metres) * f64::from(exaggeration)).min(HIGHEST_SHELL * radius_metres)
}

/// The clouds of a planet, evaluated in any direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanetClouds {
    /// Fraction of the sky covered by clouds, from 0 to 1.
    pub cover: f32,
    /// Angle in radians by which the clouds have drifted about the planet's axis.
    pub drift: f32,
    /// Number of noise octaves; the fractional part fades in one more octave.
    pub octaves: f32,
}

impl PlanetClouds {
    /// Cloud density from 0 to 1 in a direction from the centre of the planet, given as a unit vector.
    pub fn density(&self, up: [f32; 3]) -> f32 {
        let (s, c) = libm::sincosf(self.drift);
        let mut place = [c * up[0] + s * up[1], c * up[1] - s * up[0], up[2]].map(|x| x * HUMPS);
        let bend = noises(place.map(|x| x * BEND_HUMPS + BEND_START));
        let far = [BEND_LEVEL, BEND_LEVEL, BEND_AXIS];
        place = from_fn(|k| place[k] + (bend[k] - 0.5) * far[k]);
        let curl = noises(place.map(|x| x * CURL_HUMPS + CURL_START));
        place = from_fn(|k| place[k] + (curl[k] - 0.5) * CURL);
        let (mut sum, mut share, mut scale, mut octave) = (0.0, FIRST_SHARE, 1.0, 0.0);
        while octave < self.octaves {
            let here = share * (self.octaves - octave).min(1.0);
            sum += here * (noises(place.map(|x| x * scale + octave * OCTAVE_START))[0] - 0.5);
            share *= OCTAVE_SHARE;
            scale *= OCTAVE_HUMPS;
            octave += 1.0;
        }
        let belts = BELTS * libm::cosf(6.0 * libm::asinf(up[2].clamp(-1.0, 1.0)));
        let level = LEVEL - 2.0 * LEVEL * self.cover;
        let t = ((sum + belts - level + EDGE_BELOW) / (EDGE_ABOVE + EDGE_BELOW)).clamp(0.0, 1.0);
        smooth_step(t)
    }

    /// The same clouds with only those octaves that remain visible when the view resolves `humps` bumps per planet
    /// radius.
    #[must_use]
    pub fn with_visible_octaves(self, humps: f64) -> Self {
        let finer = libm::log(humps / f64::from(HUMPS)) / libm::log(f64::from(OCTAVE_HUMPS));
        let [fewest, most] = CLOUD_OCTAVES;
        Self { octaves: (1.0 + finer as f32).clamp(fewest, most), ..self }
    }

    /// Opacity, from 0 to 1, of clouds with the given density.
    pub fn opacity(density: f32) -> f32 {
        (density * THICKNESS).min(1.0) * OPACITY
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::globe::from_angles;

    /// Mean cloud density between two latitudes in degrees, averaged over both hemispheres.
    fn mean(cover: f32, latitudes: [f64; 2]) -> f64 {
        let clouds = PlanetClouds { cover, drift: 0.0, octaves: 5.0 };
        let (mut sum, mut area) = (0.0, 0.0);
        for i in 0..48 {
            let degrees = latitudes[0] + (latitudes[1] - latitudes[0]) * (f64::from(i) + 0.5) / 48.0;
            for j in 0..120 {
                for half in [1.0, -1.0] {
                    let up = from_angles((half * degrees).to_radians(), f64::from(3 * j).to_radians());
                    let weight = libm::cos(degrees.to_radians());
                    sum += weight * f64::from(clouds.density(up.map(|x| x as f32)));
                    area += weight;
                }
            }
        }
        sum / area
    }

    #[test]
    fn clouds_increase_with_cover_and_in_rain_belts() {
        let [none, some, all] = [0.0, 0.45, 1.0].map(|cover| mean(cover, [0.0, 90.0]));
        assert!(none < 0.05 && some > none + 0.1 && some < all && all > 0.8, "{none} {some} {all}");
        let [wet, dry, middle] = [[0.0, 10.0], [25.0, 35.0], [52.0, 66.0]].map(|belt| mean(0.45, belt));
        assert!(wet > dry && middle > dry, "equator {wet}, 30° {dry}, 60° {middle}");
    }

    #[test]
    fn clouds_turn_about_the_axis_and_need_air() {
        let at = |drift: f32, longitude: f64| {
            let up = from_angles(0.5, longitude).map(|x| x as f32);
            PlanetClouds { cover: 0.6, drift, octaves: 6.0 }.density(up)
        };
        for k in 0..20 {
            let longitude = 0.3 * f64::from(k);
            assert!((at(0.7, longitude + 0.7) - at(0.0, longitude)).abs() < 1e-3);
        }
        assert_eq!(
            [0.0, 0.1, 0.15, 1.0].map(|air| cloud_cover(0.4, air)).map(|c| (c * 100.0).round()),
            [0.0, 0.0, 20.0, 40.0]
        );
        assert_eq!(cloud_shell_metres(6000.0, 12.0, 6.0e6), 72_000.0);
        assert_eq!(cloud_shell_metres(60_000.0, 12.0, 6.0e6), 300_000.0);
    }
}
