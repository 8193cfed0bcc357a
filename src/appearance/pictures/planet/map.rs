//! The map of all longitudes and latitudes, lit by the scene's sun everywhere.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use super::clouds::{CloudLayer, CloudPixel, cloud_shade};
use super::{PlanetImage, frame, shoulder};
use crate::appearance::colours::srgb::{Light, encode, mix};
use crate::appearance::pictures::image::RgbImage;
use crate::field::globe::from_angles;
use crate::field::{Cancelled, Control};
use crate::planet::clouds::PlanetClouds;

/// Fraction of the light that is from the sky, on open level terrain of a map. The rest is sunlight.
const SKY_SHARE: f32 = 0.42;

impl PlanetImage<'_> {
    /// The map, 360° × 180°; `width` should be twice `height`. Column 0 is centred half a pixel east of -180°.
    ///
    /// # Errors
    /// If the computation was cancelled.
    pub fn map(&self, width: usize, height: usize, control: &Control) -> Result<RgbImage, Cancelled> {
        let scale = width as f64 / TAU;
        let clouds = self.clouds_at(scale);
        let direction = |x: f64, y: f64| from_angles(FRAC_PI_2 - y / height as f64 * PI, x / width as f64 * TAU - PI);
        let above = |x: f64, y: f64| {
            let Some(CloudLayer { clouds, .. }) = &clouds else { return CloudPixel::CLEAR };
            let density = clouds.density(direction(x, y).map(|c| c as f32));
            CloudPixel { cover: PlanetClouds::opacity(density), light: [cloud_shade(density); 3], sun: 1.0 }
        };
        self.paint([width, height], scale, control, above, |x, y, above| {
            let ground = self.lit(direction(x, y));
            mix(ground, above.light, above.cover)
        })
    }

    /// The sRGB colour of the surface in a direction from the planet's centre. As on the map, the sun has the same
    /// azimuth and elevation everywhere.
    pub fn relief_colour(&self, direction: [f64; 3]) -> [u8; 3] {
        encode(self.lit(direction).map(shoulder))
    }

    fn lit(&self, direction: [f64; 3]) -> Light {
        let sun = self.scene.settings.sun_direction();
        let texel = self.texel(direction);
        let (east, north) = frame(direction);
        let along = |axis: [f64; 3]| (0..3).map(|k| texel[3 + k] * axis[k] as f32).sum::<f32>();
        let (gx, gy) = (along(east), -along(north));
        let facing = ((sun[1] - gx * sun[0] - gy * sun[2]) / (1.0 + gx * gx + gy * gy).sqrt()).max(0.0) / sun[1];
        let gain = facing / (1.0 + 0.28 * (facing - 1.0).max(0.0));
        let light = (1.0 - SKY_SHARE) * gain + SKY_SHARE;
        [texel[0] * light, texel[1] * light, texel[2] * light]
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{pixel, striped};
    use super::*;

    #[test]
    fn the_map_has_north_up_and_continues_over_its_edges() {
        let (scene, terrain) = striped();
        let map =
            PlanetImage::new(&scene, &terrain, &Control::default()).unwrap().map(64, 32, &Control::default()).unwrap();
        let is_blue = |[r, _, b]: [u8; 3]| b > r;
        assert!(!is_blue(pixel(&map, 20, 6)) && is_blue(pixel(&map, 20, 26)));
        for y in 0..32 {
            let (west, east) = (pixel(&map, 0, y), pixel(&map, 63, y));
            assert!((0..3).all(|k| west[k].abs_diff(east[k]) < 12), "{west:?} and {east:?} in row {y}");
        }
    }
}
