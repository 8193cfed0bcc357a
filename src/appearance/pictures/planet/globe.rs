//! The globe seen from space, with its atmosphere, lit by the planet's own sun.

use super::clouds::CloudPixel;
use super::{NIGHT, PlanetImage, dot, frame, smooth};
use crate::appearance::colours::srgb::{Light, mix};
use crate::appearance::pictures::image::RgbImage;
use crate::field::globe::from_angles;
use crate::field::{Cancelled, Control, vector};
use crate::planet::{Air, Planet};

/// The direction from which the globe is seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GlobePerspective {
    /// Longitude at the centre of the picture, in degrees.
    pub longitude: f64,
    /// Latitude at the centre of the picture, in degrees north of the equator.
    pub latitude: f64,
    /// Half the length of the picture's shorter side, in radii of the planet.
    pub margin: f64,
}

impl GlobePerspective {
    /// A view of the day side that includes part of the night side.
    pub fn day_side(planet: &Planet) -> Self {
        let [x, y, _] = planet.sun_direction().map(f64::from);
        Self { longitude: libm::atan2(y, x).to_degrees() - 35.0, latitude: 18.0, margin: 1.12 }
    }
}

impl PlanetImage<'_> {
    /// Draws the globe as seen from far away.
    ///
    /// # Errors
    /// If the computation was cancelled.
    pub fn globe(
        &self,
        view: GlobePerspective,
        [width, height]: [usize; 2],
        control: &Control,
    ) -> Result<RgbImage, Cancelled> {
        let planet = &self.scene.planet;
        let up = from_angles(view.latitude.to_radians(), view.longitude.to_radians());
        let (east, north) = frame(up);
        let sun = planet.sun_direction();
        let radius = 0.5 * width.min(height) as f64 / view.margin;
        let density = planet.atmosphere.min(4.0);
        let (air, haze) = (air_colour(planet.air), 0.5 * density.sqrt());
        // The drawn atmosphere is thicker than the actual one, just as the relief is exaggerated.
        let fade = 0.018 + 0.012 * f64::from(density.min(1.0));
        let glint = if self.has_sea() { 0.4 } else { 0.0 };
        let clouds = self.clouds_at(radius);
        let aside = |x: f64, y: f64| ((x - width as f64 * 0.5) / radius, (height as f64 * 0.5 - y) / radius);
        let point = |a: f64, b: f64, depth: f64| -> [f64; 3] {
            std::array::from_fn(|k| up[k] * depth + east[k] * a + north[k] * b)
        };
        let above = |x: f64, y: f64| {
            let (a, b) = aside(x, y);
            clouds
                .as_ref()
                .map_or(CloudPixel::CLEAR, |layer| layer.pixel(a * a + b * b, |depth| point(a, b, depth), sun))
        };
        self.paint([width, height], radius, control, above, |x, y, above| {
            let (a, b) = aside(x, y);
            let square = a * a + b * b;
            let at = |depth: f64| point(a, b, depth);
            if square >= 1.0 {
                let distance = square.sqrt();
                let limb = at(0.0).map(|c| c / distance);
                let lit = smooth((dot(limb, sun) + 0.2) / 0.6);
                let glow = haze * lit * libm::exp(-(distance - 1.0) / fade) as f32;
                let glow = if density > 0.0 { air.map(|c| c * glow) } else { [0.0; 3] };
                // Clouds beyond the limb are seen through as much air as at the limb.
                let veil = (0.55 * haze * lit).min(1.0);
                return std::array::from_fn(|k| glow[k] + above.cover * (1.0 - veil) * above.light[k]);
            }
            let facing = (1.0 - square).sqrt();
            let n = at(facing);
            let texel = self.texel(n);
            let slope = [texel[3], texel[4], texel[5]];
            let length = (1.0 + slope.iter().map(|s| s * s).sum::<f32>()).sqrt();
            let normal: [f32; 3] = std::array::from_fn(|k| (n[k] as f32 - slope[k]) / length);
            let day = dot(n, sun);
            let lambert = vector::dot(normal, sun).max(0.0);
            let light = NIGHT + above.sun * 1.18 * lambert * smooth((day + 0.08) / 0.16);
            let mut seen = [texel[0] * light, texel[1] * light, texel[2] * light];
            if glint > 0.0 && self.globe.sample(&self.terrain.height, n) <= self.sea && slope == [0.0; 3] {
                let half: [f64; 3] = std::array::from_fn(|k| up[k] + f64::from(sun[k]));
                let size = half.iter().map(|h| h * h).sum::<f64>().sqrt().max(1e-9);
                let mirror = (half.iter().zip(n).map(|(h, n)| h * n).sum::<f64>() / size).max(0.0) as f32;
                let shine = glint * above.sun * libm::powf(mirror, 260.0) * smooth((day + 0.05) / 0.2);
                seen = seen.map(|c| c + shine);
            }
            seen = mix(seen, above.light, above.cover);
            if density > 0.0 {
                let scattered = haze * (1.0 - facing as f32) * (day + 0.12).max(0.0);
                let veil = (0.55 * scattered).min(1.0);
                seen = std::array::from_fn(|k| seen[k] * (1.0 - veil) + air[k] * scattered);
            }
            seen
        })
    }

    /// Whether any terrain is below sea level.
    fn has_sea(&self) -> bool {
        self.terrain.range().0 < self.sea
    }
}

fn air_colour(air: Air) -> Light {
    match air {
        Air::Nitrogen => [0.30, 0.55, 1.0],
        Air::Dust => [0.95, 0.68, 0.42],
        Air::Methane => [0.95, 0.60, 0.22],
        Air::Carbon => [0.98, 0.90, 0.66],
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{pixel, striped};
    use super::*;

    #[test]
    fn the_globe_is_dark_at_night_and_black_around_without_air() {
        let (mut scene, terrain) = striped();
        scene.planet.atmosphere = 0.0;
        let control = Control::default();
        let planet = PlanetImage::new(&scene, &terrain, &control).unwrap();
        let globe = |view| planet.globe(view, [40; 2], &control).unwrap();
        let noon = GlobePerspective { longitude: 0.0, latitude: 0.0, margin: 1.2 };
        let bright = |view: GlobePerspective| pixel(&globe(view), 20, 14).iter().map(|&c| u32::from(c)).sum::<u32>();
        assert!(bright(noon) > 10 * bright(GlobePerspective { longitude: 180.0, ..noon }).max(1));
        assert_eq!(pixel(&globe(noon), 0, 20), [0, 0, 0]);
    }
}
