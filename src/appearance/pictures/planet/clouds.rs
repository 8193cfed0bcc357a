//! Clouds in a picture of a planet: the fraction of the ground that they hide, the light that they reflect, and their
//! shadows.

use super::{NIGHT, PlanetImage, smooth};
use crate::appearance::colours::srgb::Light;
use crate::planet::clouds::{CLOUD_OCTAVES, CLOUD_SHADOW, PlanetClouds, cloud_cover, cloud_shell_metres};
use crate::preferences::GlobeView;

/// Brightness of thin and of thick clouds in sunlight.
const CLOUD_LIGHT: [f32; 2] = [0.72, 1.0];
const CLOUD_SKY: f32 = 0.17;
/// Width in pixels of the finest cloud detail.
const HUMP_PIXELS: f64 = 2.0;

/// The clouds of a picture.
#[derive(Clone, Copy)]
pub(super) struct CloudLayer {
    pub(super) clouds: PlanetClouds,
    /// Radius of the cloud shell, in radii of the planet.
    shell: f64,
    /// Fraction of the sunlight that the densest clouds block.
    shadow: f32,
}

/// The effect of clouds on a pixel.
#[derive(Clone, Copy)]
pub(super) struct CloudPixel {
    /// Fraction of the ground that the clouds hide.
    pub(super) cover: f32,
    /// Light that the clouds themselves send to the viewer.
    pub(super) light: Light,
    /// Fraction of the sunlight that reaches the ground.
    pub(super) sun: f32,
}

impl CloudPixel {
    /// A pixel without clouds.
    pub(super) const CLEAR: Self = Self { cover: 0.0, light: [0.0; 3], sun: 1.0 };
}

impl PlanetImage<'_> {
    /// Adds the clouds of a globe view to the picture: their cover, height, drift and shadows.
    #[must_use]
    pub fn with_clouds(self, view: &GlobeView) -> Self {
        let planet = &self.scene.planet;
        let cover = cloud_cover(view.cloud_cover, planet.atmosphere);
        let radius = f64::from(planet.radius_metres);
        let rise = cloud_shell_metres(view.cloud_height, view.exaggeration, radius);
        let layer = CloudLayer {
            clouds: PlanetClouds { cover, drift: view.cloud_drift.to_radians(), octaves: CLOUD_OCTAVES[0] },
            shell: 1.0 + rise / radius,
            shadow: if view.cloud_shadows { CLOUD_SHADOW } else { 0.0 },
        };
        Self { clouds: (cover > 0.0).then_some(layer), ..self }
    }

    /// The cloud layer, or `None` if the picture has no clouds. The layer has as many octaves as a picture of `scale`
    /// pixels per radian can show.
    pub(super) fn clouds_at(&self, scale: f64) -> Option<CloudLayer> {
        let mut layer = self.clouds?;
        layer.clouds = layer.clouds.with_visible_octaves(scale / HUMP_PIXELS);
        Some(layer)
    }
}

impl CloudLayer {
    /// The effect of the clouds on a pixel of the globe. `square` is the squared distance of the pixel from the
    /// picture's centre. `at` returns the point on the pixel's line of sight that is at a given depth towards the eye.
    /// All lengths are in radii of the planet.
    pub(super) fn pixel(&self, square: f64, at: impl Fn(f64) -> [f64; 3], sun: [f32; 3]) -> CloudPixel {
        let outside = self.shell * self.shell - square;
        if outside <= 0.0 {
            return CloudPixel::CLEAR;
        }
        let up = at(outside.sqrt()).map(|c| (c / self.shell) as f32);
        let density = self.clouds.density(up);
        let facing: f32 = (0..3).map(|k| up[k] * sun[k]).sum();
        let day = smooth((facing + 0.12) / 0.24);
        let sunlit = day * (CLOUD_SKY + (1.0 - CLOUD_SKY) * (facing + 0.08).clamp(0.0, 1.0));
        // Night light makes the dark ground distinct from space, so it applies only to pixels that show ground.
        let light = cloud_shade(density) * (sunlit + if square < 1.0 { NIGHT } else { 0.0 });
        let mut sunlight = 1.0;
        if square < 1.0 && self.shadow > 0.0 {
            let ground = at((1.0 - square).sqrt()).map(|c| c as f32);
            let facing: f32 = (0..3).map(|k| ground[k] * sun[k]).sum();
            let way = (self.shell - 1.0) as f32 / facing.max(0.12);
            let towards: [f32; 3] = std::array::from_fn(|k| ground[k] + sun[k] * way);
            let length = towards.iter().map(|c| c * c).sum::<f32>().sqrt();
            sunlight = 1.0 - self.shadow * self.clouds.density(towards.map(|c| c / length));
        }
        CloudPixel { cover: PlanetClouds::opacity(density), light: [light; 3], sun: sunlight }
    }
}

/// Brightness of sunlit clouds by their density: thick clouds are white.
pub(super) fn cloud_shade(density: f32) -> f32 {
    CLOUD_LIGHT[0] + (CLOUD_LIGHT[1] - CLOUD_LIGHT[0]) * smooth((density - 0.15) / 0.85)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{pixel, striped};
    use super::super::{GlobePerspective, dot};
    use super::*;
    use crate::appearance::pictures::image::RgbImage;
    use crate::field::Control;
    use crate::scene::Scene;

    /// The planet is grey and has no slopes. Clouds brighten it where they are dense and darken it where they cast
    /// shadows, and full cover hides it from pole to pole.
    #[test]
    fn clouds_cover_the_ground_and_need_air() {
        let (mut scene, terrain) = striped();
        let control = Control::default();
        let draw = |scene: &Scene, cloud_cover: f32, shadows: bool| {
            let view = GlobeView { cloud_cover, cloud_shadows: shadows, ..GlobeView::default() };
            let planet = PlanetImage::new(scene, &terrain, &control).unwrap().with_clouds(&view);
            let noon = GlobePerspective { longitude: 0.0, latitude: 0.0, margin: 1.2 };
            [planet.globe(noon, [96; 2], &control).unwrap(), planet.map(96, 48, &control).unwrap()]
        };
        let [clear, some, unshaded, full] = [(0.0, true), (0.45, true), (0.45, false), (1.0, true)]
            .map(|(cover, shadows)| draw(&scene, cover, shadows));
        let differ = |a: &RgbImage, b: &RgbImage| a.rgb.iter().zip(&b.rgb).filter(|(a, b)| a != b).count();
        for k in 0..2 {
            let share = differ(&clear[k], &some[k]) as f64 / clear[k].rgb.len() as f64;
            assert!((0.1..0.9).contains(&share), "{share} of picture {k}");
        }
        let darker = clear[0].rgb.iter().zip(&some[0].rgb).filter(|(clear, some)| **some + 6 < **clear).count();
        let unshaded_darker = clear[0].rgb.iter().zip(&unshaded[0].rgb).filter(|(c, u)| **u + 6 < **c).count();
        assert!(darker > 10 && darker > 4 * unshaded_darker, "{darker} and {unshaded_darker} are darker");
        let white = |[r, g, b]: [u8; 3]| r > 150 && r.abs_diff(g) < 40 && g.abs_diff(b) < 40;
        let hidden = (0..48 * 96).filter(|k| white(pixel(&full[1], k % 96, k / 96))).count();
        assert!(hidden > 48 * 96 * 8 / 10, "{hidden} pixels under a full cover");
        // Beyond the limb, clouds change the picture on the day side but not on the night side.
        let [cloudy, clear] = [1.0, 0.0].map(|cloud_cover| {
            let planet = PlanetImage::new(&scene, &terrain, &control).unwrap();
            let planet = planet.with_clouds(&GlobeView { cloud_cover, cloud_height: 1.0e6, ..GlobeView::default() });
            let evening = GlobePerspective { longitude: 90.0, latitude: 0.0, margin: 1.2 };
            planet.globe(evening, [240; 2], &control).unwrap()
        });
        let (mut nights, mut days) = (0, 0);
        for (x, y) in (0..240 * 240).map(|k| (k % 240, k / 240)) {
            let [a, b] = [x as f64 - 119.5, 119.5 - y as f64].map(|c| c / 100.0);
            let distance = (a * a + b * b).sqrt();
            // At longitude 90°, east is -x and north is z.
            let day = dot([-a / distance, 0.0, b / distance], scene.planet.sun_direction());
            let is_changed = pixel(&cloudy, x, y) != pixel(&clear, x, y);
            nights += usize::from((1.015..1.04).contains(&distance) && day < -0.25 && is_changed);
            days += usize::from((1.015..1.04).contains(&distance) && day > 0.3 && is_changed);
        }
        assert!(nights == 0 && days > 20, "{nights} changed pixels on the night limb, {days} on the day limb");
        scene.planet.atmosphere = 0.0;
        let [bare, cloudless] = [0.7, 0.0].map(|cover| draw(&scene, cover, true));
        assert!((0..2).all(|k| differ(&bare[k], &cloudless[k]) == 0), "without air there are no clouds");
    }
}
