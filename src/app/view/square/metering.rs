//! Light metering of a square. The metering reads the terrain's maps at the points where rays through the image hit the
//! terrain.

use bevy::math::{Mat4, Vec3};

use super::terrain::SquareTerrain;
use crate::view::render::light::SHADOW_RANGE;
use crate::view::render::metering::{COLUMNS, MeteredLight, picture_rays};
use crate::view::render::mips::{Mips, from_halves, from_unit_bytes};
use crate::view::scale::SIDE_WORLD;

/// Weight of a ray to the sky, relative to a ray to the terrain.
const SKY_WEIGHT: f32 = 0.3;
/// Albedo of bare terrain. The brightness of the canopy is measured relative to it.
const BARE_ALBEDO: f32 = 0.12;
/// Light on plant crowns that shade each other, relative to level terrain; must equal `CROWN_SHADE` in
/// `assets/shaders/plants.wgsl`.
const CROWN_SHADE: f32 = 0.8;
/// Fraction of sunlight that a closed canopy blocks above the terrain; see `THROUGH_CROWNS` in
/// `assets/shaders/plants.wgsl`.
const CROWN_SHADOW: f32 = 0.76;

/// The mean light in an image of a square, in stops relative to sunlit level terrain. The four values of a `canopy`
/// texel are the square root of the canopy's colour times its cover, and the cover.
pub fn metered_square(terrain: &SquareTerrain, canopy: Option<&Mips>, eye_world: Vec3, clip_from_eye: Mat4) -> f32 {
    let mut metered = MeteredLight::default();
    let picker = terrain.picker();
    let light = SquareLight::new(terrain, canopy);
    for (ray, weight) in picture_rays(clip_from_eye) {
        match picker.pick(eye_world, ray) {
            Some(way) => metered.add(light.ground_light(eye_world + ray * way, way).min(1.0), weight),
            // only rays that miss towards the sky count, because the light of the surroundings below the horizon is
            // unknown
            None if ray.y > 0.0 => metered.add(1.0, SKY_WEIGHT * weight),
            None => {}
        }
    }
    metered.mean_stops()
}

/// Two mean luminances of the visible sky. If the sky is brighter than the first, the image is darkened. If it is
/// darker than the second, the image may be brightened.
const BRIGHT_SKY: f32 = 0.85;
const BRIGHTEST_SKY: f32 = 1.25;
/// Greatest darkening by a bright sky, in stops.
const MOST_DIMMED_STOPS: f32 = 1.6;
/// Fraction of the image that the sky must fill to have its full effect on the exposure.
const SKY_SHARE: f32 = 0.12;

/// Limits the brightening of an image so that its sky keeps its colour, even in front of a low sun.
pub fn with_sky_in_view(stops: f32, terrain: &SquareTerrain, clip_from_eye: Mat4) -> f32 {
    let sun = Vec3::from(terrain.towards_sun);
    let (mut luminance, mut seen, mut all) = (0.0, 0.0, 0.0);
    for (ray, weight) in picture_rays(clip_from_eye) {
        all += weight;
        if ray.y > 0.0 {
            let azimuth = ray.with_y(0.0).angle_between(sun.with_y(0.0));
            luminance += weight * terrain.daylight.sky_luminance(azimuth, ray.y.asin());
            seen += weight;
        }
    }
    if seen <= 0.0 {
        return stops;
    }
    let (mean, share) = ((luminance / seen).max(1e-6), (seen / all / SKY_SHARE).clamp(1e-3, 1.0));
    let most = (BRIGHTEST_SKY / mean).log2().max(0.0) / share;
    let dimmed = (mean / BRIGHT_SKY).log2().clamp(0.0, MOST_DIMMED_STOPS) * share;
    stops.min(most) - dimmed
}

/// The light that white terrain on a square reflects, relative to sunlit level terrain. The formula follows the
/// shaders; see `lit` in `assets/shaders/common.wgsl`.
struct SquareLight<'a> {
    terrain: &'a SquareTerrain,
    canopy: Option<&'a Mips>,
    towards_sun: Vec3,
    sun: f32,
    sky: f32,
}

fn luminance([r, g, b]: [f32; 3]) -> f32 {
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

impl<'a> SquareLight<'a> {
    fn new(terrain: &'a SquareTerrain, canopy: Option<&'a Mips>) -> Self {
        let sun = luminance(terrain.daylight.sun);
        let sky = 1.15 * luminance(terrain.daylight.sky) + 0.08 * sun;
        Self { terrain, canopy, towards_sun: Vec3::from(terrain.towards_sun), sun, sky }
    }

    fn light_on(&self, normal: Vec3, sun_share: f32, openness: f32) -> f32 {
        let open = (0.30 + 1.15 * openness).clamp(0.0, 1.0);
        let facing = normal.dot(self.towards_sun).max(0.0) * sun_share;
        self.sun * facing + self.sky * (0.71 + 0.29 * normal.y) * open * open
    }

    /// Light from the point where a ray hits the terrain; `way` is the length of the ray.
    fn ground_light(&self, place: Vec3, way: f32) -> f32 {
        let scale = &self.terrain.scale;
        let level_ground = self.light_on(Vec3::Y, 1.0, 0.5).max(1e-9);
        if scale.has_sea() && place.y < scale.sea_world {
            return 1.0;
        }
        let at = [place.x, place.z].map(|along| (along / SIDE_WORLD + 0.5).clamp(0.0, 1.0));
        // width of the terrain that one ray stands for, as a fraction of the side length
        let wide = way / COLUMNS as f32 / SIDE_WORLD;
        let slope = from_halves_at(&self.terrain.slopes, at, wide);
        let [depth, openness] = bytes_at::<2>(&self.terrain.light, at, wide);
        let normal = Vec3::new(-slope[0], 1.0, -slope[1]).normalize();
        let in_shadow = ((depth - 0.5) * 2.0 * SHADOW_RANGE).clamp(0.0, 1.0);
        let sun_share = 1.0 - in_shadow * in_shadow * (3.0 - 2.0 * in_shadow);
        let [r, g, b, cover] = self.canopy.map_or([0.0; 4], |canopy| bytes_at::<4>(canopy, at, wide));
        let ground = self.light_on(normal, sun_share * (1.0 - CROWN_SHADOW * cover), openness);
        if cover < 0.01 {
            return ground / level_ground;
        }
        let crowns = luminance([r, g, b].map(|root| (root / cover) * (root / cover))) * CROWN_SHADE / BARE_ALBEDO;
        // seen at a slant, the canopy hides more of the terrain than in plan view
        let hidden = 1.0 - (1.0 - cover) * (1.0 - cover);
        let crowns = self.light_on(normal, sun_share, openness) * crowns.min(1.0);
        (ground + (crowns - ground) * hidden) / level_ground
    }
}

/// Bilinear value at a position from 0 to 1. The value is read from the mip level whose texels are about `wide` wide,
/// as a fraction of the side length.
fn blended<const N: usize, const C: usize>(
    mips: &Mips,
    at: [f32; 2],
    wide: f32,
    unpack: impl Fn([u8; N]) -> [f32; C],
) -> [f32; C] {
    let finest = mips.levels[0].size as f32;
    let level = (wide * finest).max(1.0).log2() as usize;
    let mip = &mips.levels[level.min(mips.levels.len() - 1)];
    let texels = mip.bytes.as_chunks::<N>().0;
    let last = mip.size - 1;
    let [(column, east), (row, south)] = at.map(|along| {
        let along = (along * mip.size as f32 - 0.5).clamp(0.0, last as f32);
        (along as usize, along.fract())
    });
    let texel = |i: usize, j: usize| unpack(texels[i.min(last) * mip.size + j.min(last)]);
    let four = [texel(row, column), texel(row, column + 1), texel(row + 1, column), texel(row + 1, column + 1)];
    std::array::from_fn(|c| {
        let [above, below] = [0, 2].map(|k| four[k][c] + (four[k + 1][c] - four[k][c]) * east);
        above + (below - above) * south
    })
}

fn bytes_at<const N: usize>(mips: &Mips, at: [f32; 2], wide: f32) -> [f32; N] {
    blended(mips, at, wide, from_unit_bytes)
}

fn from_halves_at(mips: &Mips, at: [f32; 2], wide: f32) -> [f32; 2] {
    blended(mips, at, wide, from_halves)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::overlays::choice::OverlayChoice;
    use crate::view::render::auto_exposure::brightening;
    use talweg::field::{Control, Edges, Terrain};
    use talweg::scene::{Settings, SkyCondition};

    /// A valley between two parallel walls, with the sun low in the west.
    fn valley(sky: SkyCondition) -> SquareTerrain {
        let settings = Settings {
            size_metres: 4000.0,
            relief_metres: 1500.0,
            sun_azimuth: 270.0,
            sun_elevation: 25.0,
            sea_level: -9000.0,
            sky,
            ..Settings::default()
        };
        let terrain = Terrain::from_fn(129, Edges::Open, |u, _| if (0.4..0.6).contains(&u) { 0.0 } else { 0.9 });
        SquareTerrain::new(&terrain.into(), &settings, &OverlayChoice::default(), &Control::default()).unwrap()
    }

    fn stops_from(terrain: &SquareTerrain, eye: [f32; 3]) -> f32 {
        let eye = Vec3::from(eye);
        let view = Mat4::from_rotation_x(-0.5).inverse();
        metered_square(terrain, None, eye, Mat4::perspective_infinite_reverse_rh(0.8, 1.6, 0.1) * view)
    }

    #[test]
    fn shaded_valleys_are_brightened_and_sunlit_plateaus_are_not() {
        let terrain = valley(SkyCondition::Clear);
        let (valley, plateau) = (stops_from(&terrain, [0.0, 30.0, 400.0]), stops_from(&terrain, [300.0, 420.0, 400.0]));
        assert!(valley < -2.0, "{valley}");
        assert!(plateau > -0.5, "{plateau}");
        assert!(brightening(valley) > 0.8 && brightening(plateau) == 0.0);
    }

    #[test]
    fn even_light_needs_little_adaptation() {
        let clear = stops_from(&valley(SkyCondition::Clear), [0.0, 30.0, 400.0]);
        let overcast = stops_from(&valley(SkyCondition::Overcast), [0.0, 30.0, 400.0]);
        assert!(overcast > clear + 0.8, "{overcast} beside {clear}");
        // the camera looks up, so that only the sky is visible
        let terrain = valley(SkyCondition::Clear);
        let up = Mat4::perspective_infinite_reverse_rh(0.8, 1.6, 0.1) * Mat4::from_rotation_x(1.2).inverse();
        assert_eq!(metered_square(&terrain, None, Vec3::new(300.0, 420.0, 0.0), up), 0.0);
    }

    #[test]
    fn a_low_sun_in_the_picture_is_dimmed_and_one_behind_it_is_not() {
        let settings = Settings { sun_azimuth: 0.0, sun_elevation: 4.0, sea_level: -9000.0, ..Settings::default() };
        let terrain = Terrain::from_fn(33, Edges::Open, |_, _| 0.1);
        let terrain = SquareTerrain::new(&terrain.into(), &settings, &OverlayChoice::default(), &Control::default());
        let terrain = terrain.unwrap();
        let stops = |yaw: f32, pitch: f32, stops: f32| {
            let view = (Mat4::from_rotation_y(yaw) * Mat4::from_rotation_x(pitch)).inverse();
            with_sky_in_view(stops, &terrain, Mat4::perspective_infinite_reverse_rh(0.8, 1.6, 0.1) * view)
        };
        let (towards, away) = (stops(0.0, 0.1, 0.0), stops(std::f32::consts::PI, 0.1, 0.0));
        assert!(towards < away - 0.3 && towards >= -MOST_DIMMED_STOPS, "{towards} {away}");
        assert_eq!(stops(0.0, -1.2, 2.0), 2.0, "no sky is seen");
        assert!(stops(0.0, 0.1, 2.0) < 1.0);
    }

    #[test]
    fn crowns_are_darker_than_the_ground_between_them() {
        let terrain = valley(SkyCondition::Clear);
        let canopy = |cover: f32| {
            let root = 0.035f32.sqrt() * cover;
            let bytes = |rgba: [f32; 4]| rgba.map(|share| (share * 255.0 + 0.5) as u8);
            Mips::new(16, vec![[root, root, root, cover]; 256], bytes, &Control::default()).unwrap()
        };
        let eye = Vec3::new(300.0, 420.0, 400.0);
        let clip = Mat4::perspective_infinite_reverse_rh(0.8, 1.6, 0.1) * Mat4::from_rotation_x(-0.5).inverse();
        let of = |cover: f32| metered_square(&terrain, Some(&canopy(cover)), eye, clip);
        assert!(of(0.0) > of(0.4) && of(0.4) > of(0.9), "{} {} {}", of(0.0), of(0.4), of(0.9));
        assert!(of(0.9) < -1.5);
    }
}
