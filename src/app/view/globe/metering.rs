//! Light metering of the visible part of a globe when the eye is near its surface; see
//! [`crate::view::render::metering`].

use glam::{DVec3, Mat4};

use super::ground::{GlobeSurface, smoothstep};
use super::scenery::Scenery;
use super::terrain::GlobeTerrain;
use crate::view::render::auto_exposure::{MOST_STOPS, brightening, darkening};
use crate::view::render::metering::{MeteredLight, picture_rays};
use talweg::preferences::AirModel;

/// Two heights of the eye above the surface in metres. Up to the first height, exposure adapts fully to the visible
/// terrain. From the second height upwards, it does not adapt.
const NEAR_METRES: (f64, f64) = (15_000.0, 120_000.0);
/// Greatest brightening at night in stops. The limit keeps the night dark.
const NIGHT_STOPS: f32 = 1.0;
/// Sines of the sun's elevation at the end of dusk and at the beginning of full daylight.
const DUSK: (f64, f64) = (-0.10, 0.06);
/// Brightness of the sun and of the sky on level terrain, as in `assets/shaders/globe_air.wgsl`.
const SUN: f64 = 2.3;
const SKY: f64 = 0.34;
/// Sine of the sun's reference elevation. Level terrain that the sun lights from this elevation needs no adaptation of
/// the exposure.
const REFERENCE_SUN: f64 = 0.5;
/// Greatest number of steps along a ray. A ray ends earlier where it leaves the globe.
const MOST_RAY_STEPS: i32 = 60;

/// Number of stops by which auto exposure brightens an image of a globe; negative if the image is darkened.
pub fn globe_brightening(terrain: &GlobeTerrain, scenery: &Scenery, clip_from_rel: Mat4) -> f32 {
    let ground = terrain.ground(f64::from(scenery.view.exaggeration), &scenery.view, scenery.water);
    let up = scenery.eye.normalize_or(DVec3::X);
    let above = scenery.eye.length() - ground.surface(up);
    let nearness = 1.0 - smoothstep(NEAR_METRES.0, NEAR_METRES.1, above);
    if nearness <= 0.0 || terrain.has_overlay() || !scenery.view.night_side {
        return 0.0;
    }
    // ignore the fine terrain, because the samples are accurate enough for metering
    let ground = GlobeSurface { detail: None, ..ground };
    let density = if scenery.view.air == AirModel::None { 0.0 } else { f64::from(scenery.body.air_density) };
    let light = GlobeLight { ground, sun: scenery.sun, air: density.min(1.6), has_shadows: scenery.view.shadows };
    let mut metered = MeteredLight::default();
    for (ray, weight) in picture_rays(clip_from_rel) {
        if let Some(place) = light.meeting_point(scenery.eye, ray.as_dvec3()) {
            metered.add(light.light_at(place) as f32, weight);
        }
    }
    let day = smoothstep(DUSK.0, DUSK.1, up.dot(scenery.sun)) as f32;
    let most = NIGHT_STOPS + (MOST_STOPS - NIGHT_STOPS) * day;
    let mean_stops = metered.mean_stops();
    (brightening(mean_stops).min(most) - darkening(mean_stops)) * nearness as f32
}

struct GlobeLight<'a> {
    ground: GlobeSurface<'a>,
    sun: DVec3,
    /// Density of the air, relative to the Earth.
    air: f64,
    has_shadows: bool,
}

impl GlobeLight<'_> {
    /// The point where a ray hits the surface. The steps are proportional to the height above the surface.
    fn meeting_point(&self, eye: DVec3, ray: DVec3) -> Option<DVec3> {
        let mut way = 0.0;
        for _ in 0..MOST_RAY_STEPS {
            let place = eye + ray * way;
            let over = place.length() - self.ground.surface(place);
            if over <= 1e-3 * way {
                return Some(place);
            }
            if place.length() > self.ground.radius + self.ground.range.1 && place.dot(ray) > 0.0 {
                return None;
            }
            way += (0.6 * over).max(5.0);
        }
        None
    }

    /// Fraction of sunlight that the air lets through, for a sine of the sun's elevation.
    fn through_air(&self, sine: f64) -> f64 {
        // air mass by Kasten and Young 1989, for clear air and haze
        let degrees = sine.clamp(-1.0, 1.0).asin().to_degrees().max(-1.0);
        let thickness = 1.0 / (sine.max(0.0) + 0.50572 * (degrees + 6.07995).powf(-1.6364));
        (-0.14 * self.air * thickness).exp()
    }

    fn light_on(&self, sine: f64, facing: f64, sun_share: f64) -> f64 {
        let day = smoothstep(-0.16, 0.45, sine);
        let sky = if self.air > 0.0 { SKY * self.air.sqrt() * day } else { 0.0 };
        SUN * self.through_air(sine) * facing.max(0.0) * sun_share + sky + 0.012
    }

    /// Light on the surface at a place, relative to level terrain under the usual sun.
    fn light_at(&self, place: DVec3) -> f64 {
        let up = place.normalize_or(DVec3::X);
        let step = 1e-4 + 0.5 / self.ground.globe.samples() as f64;
        let east = up.any_orthonormal_vector();
        let south = up.cross(east);
        let level = |aside: DVec3| self.ground.surface(up + aside * step);
        let rise = |aside: DVec3| (level(aside) - level(-aside)) / (2.0 * step * self.ground.radius);
        let normal = (up - east * rise(east) - south * rise(south)).normalize_or(up);
        let sine = up.dot(self.sun);
        let lit =
            if self.has_shadows { self.ground.sun_fraction(up, self.sun) } else { 1.0 } * smoothstep(-0.02, 0.02, sine);
        self.light_on(sine, normal.dot(self.sun), lit) / self.light_on(REFERENCE_SUN, REFERENCE_SUN, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::ground::tests::sphere;
    use super::*;

    fn light_under(sun: DVec3, planet: &super::super::ground::tests::Sphere) -> GlobeLight<'_> {
        GlobeLight { ground: planet.ground(1.0), sun, air: 1.0, has_shadows: true }
    }

    #[test]
    fn day_keeps_its_exposure_and_dusk_is_darker() {
        let planet = sphere();
        let up = DVec3::X;
        let place = up * planet.ground(1.0).surface(up);
        let of = |sine: f64| light_under(DVec3::new(sine, 0.0, (1.0 - sine * sine).sqrt()), &planet).light_at(place);
        assert!(of(0.9) > 1.0 && (0.7..1.5).contains(&of(0.5)), "{} {}", of(0.9), of(0.5));
        assert!(of(0.1) < 0.4 && of(0.0) < of(0.1) && of(-0.3) < 0.05, "{} {} {}", of(0.1), of(0.0), of(-0.3));
    }

    #[test]
    fn rays_meet_the_ground_where_the_picker_meets_it() {
        let planet = sphere();
        let light = light_under(DVec3::X, &planet);
        let eye = DVec3::X * (light.ground.surface(DVec3::X) + 2000.0);
        for k in 0..12 {
            let turn = f64::from(k) * 0.5;
            let ray = DVec3::new(-0.3, turn.cos(), turn.sin()).normalize();
            let (found, exact) = (light.meeting_point(eye, ray).unwrap(), light.ground.pick(eye, ray).unwrap());
            assert!(found.distance(exact) < 0.05 * exact.distance(eye), "ray {k}: hit point {found}, expected {exact}");
        }
        assert_eq!(light.meeting_point(eye, DVec3::new(0.2, 1.0, 0.0).normalize()), None);
    }
}
