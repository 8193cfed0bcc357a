//! Uniform data of one frame; mirrors `GlobeFrame` in `assets/shaders/globe.wgsl`.

use bytemuck::{Pod, Zeroable};
use glam::{DMat4, DVec3, Mat4, Vec2, Vec4};

use super::air::AirScattering;
use super::ground::GlobeSurface;
use super::lod::{GlobeLodRange, MORPH_START};
use super::plant_sun::PlantSun;
use super::scenery::Scenery;
use super::terrain::GlobeTerrain;
use crate::view::compare::Pane;
use crate::view::lens::FIELD_OF_VIEW;
use crate::view::mode::ViewMode;
use crate::view::plants::shadows::{SHADOW_CASCADES, ShadowCascades, shadow_uniforms};
use crate::view::render::batch::{DrawContext, picture_pixels};
use crate::view::render::mesh::PatchDetail;
use talweg::planet::clouds::{CLOUD_OCTAVES, CLOUD_SHADOW, PlanetClouds};
use talweg::preferences::AirModel;

/// `SUN` is the brightness of sunlit white terrain, and `SKY` the brightness of light that air scatters under the same
/// sun. The two differ by the factor π, because white terrain reflects 1/π of its incident light in each direction.
const SUN: f32 = 2.3;
const SKY: f32 = SUN * std::f32::consts::PI;
/// Brightness of the stars.
const STARS: f32 = 1.0;

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct GlobeFrame {
    clip_from_rel: Mat4,
    rel_from_clip: Mat4,
    /// Unit vector towards the eye; distance of the eye from the centre.
    eye: Vec4,
    /// Unit vector towards the sun; height of the highest drawn terrain over the radius.
    sun: Vec4,
    /// Direction of the sun's disc in the sky; radius of the disc as a chord of the unit sphere.
    disc: Vec4,
    /// Radius of the globe; drawn height of the terrain height 1; drawn height of the sea; vertical exaggeration.
    size: Vec4,
    /// Radius of the sphere on which level-of-detail distances are measured; height of the eye over this sphere; range
    /// of level 0; fraction of a range at which morphing starts.
    lod: Vec4,
    /// Samples along a face's side; quads along a patch's side; whether there is a sea; whether the terrain is drawn in
    /// grey.
    grid: Vec4,
    /// Scale heights of clear air and of haze; radius of the top of the air; model of the air (0 none, 1 formula, 2
    /// scattering).
    air: Vec4,
    /// Scattering of clear air per metre (three values); fraction of light that haze scatters forwards.
    rayleigh: Vec4,
    /// Scattering and extinction of haze per metre; number of steps towards the sun in the search for shadows; cell
    /// size.
    haze: Vec4,
    /// Colour and brightness of the sky light.
    tint: Vec4,
    /// Cloud cover; radius of the cloud layer; drift of the clouds in radians; strength of cloud shadows.
    clouds: Vec4,
    /// Greatest angle of a quad in the image, in radians; octaves of the clouds' noise; unused value; height of the sea
    /// without exaggeration.
    cover: Vec4,
    /// Brightness of sunlit terrain and of light scattered by air; number of steps of a ray march; brightness of the
    /// night.
    light: Vec4,
    /// Origin and size of the viewport in pixels.
    viewport: Vec4,
    /// Longitude and latitude of the map's centre; radians per pixel of the map; whether overlay data colour the
    /// terrain.
    map: Vec4,
    /// Rotation angle of the starry sky; angular size and brightness of a star; whether there is a night side.
    star: Vec4,
    /// Position of the eye relative to the origin of the terrain textures; angle of a pixel of the image, in radians.
    texture: Vec4,
    /// Extinction of clear air per metre (three values); exposure factor.
    extinction: Vec4,
    /// Matrices that transform positions relative to the eye into the shadow maps of plants.
    plant_shadows: [Mat4; SHADOW_CASCADES],
    /// Strength of plant shadows; half a texel of each shadow map; distance from the eye up to which all plants are
    /// drawn. Lengths are in metres.
    plants: Vec4,
    plant_sun: PlantSun,
}

/// The camera and the size of the image.
pub struct GlobeEye {
    /// Matrix from positions relative to the eye to the clip space of the image.
    pub clip_from_rel: DMat4,
    /// Matrix from positions relative to the eye to the clip space of the pane, which excludes the rest of the image.
    pub pane_from_rel: DMat4,
    /// Origin and size of the viewport in pixels.
    pub viewport: Vec4,
    /// Width of the whole view in pixels.
    pub view_width: f64,
    /// Angle of a pixel in the centre of the image, in radians.
    pub radians_per_pixel: f64,
    /// Number of stops by which auto exposure brightens the image.
    pub auto_stops: f32,
}

impl GlobeEye {
    /// The camera of a pane.
    pub fn new(pane: Pane, scenery: &Scenery, context: &DrawContext) -> Self {
        let size = context.view.viewport.as_vec4();
        let (width, height) = (f64::from(size.z.max(1.0)), f64::from(size.w.max(1.0)));
        let tangent = (0.5 * f64::from(FIELD_OF_VIEW)).tan();
        let view_from_planet = DMat4::from_quat(scenery.rotation.inverse());
        let clip_from_view =
            DMat4::perspective_infinite_reverse_rh(f64::from(FIELD_OF_VIEW), width / height, scenery.near.max(1e-3));
        let pane_clip = pane.clip_from_view_clip(Vec2::new(size.z, size.w)).as_dmat4();
        let clip_from_rel = pane_clip * clip_from_view * view_from_planet;
        Self {
            clip_from_rel,
            pane_from_rel: pane.crop().as_dmat4() * clip_from_rel,
            viewport: Vec4::from(picture_pixels(pane, context.view.viewport).map(|n| n as f32)),
            view_width: width,
            radians_per_pixel: 2.0 * tangent / (height * pane_clip.y_axis.y),
            auto_stops: context.auto_stops,
        }
    }
}

fn xyz(v: DVec3, w: f64) -> Vec4 {
    v.extend(w).as_vec4()
}

impl GlobeFrame {
    pub fn new(
        view: &GlobeEye,
        scenery: &Scenery,
        terrain: &GlobeTerrain,
        (mode, patch, is_frugal): (ViewMode, PatchDetail, bool),
        range: &GlobeLodRange,
    ) -> Self {
        let settings = &scenery.view;
        let exaggeration = f64::from(settings.exaggeration);
        let radius = terrain.radius_metres;
        let ground = terrain.ground(exaggeration, settings, scenery.water);
        let (eye, away) = (scenery.eye.normalize_or(DVec3::X), scenery.eye.length());
        let density = f64::from(scenery.body.air_density);
        let air = match settings.air {
            AirModel::Scattering => {
                AirScattering::new(radius, density, exaggeration, scenery.body.air_tint, scenery.body.ozone)
            }
            _ => None,
        };
        let model = match settings.air {
            AirModel::Formula if density > 0.0 => 1.0,
            AirModel::Scattering if air.is_some() => 2.0,
            _ => 0.0,
        };
        let [r, g, b] = scenery.body.sky;
        let sky = if model > 0.0 { (density as f32).min(1.6).sqrt() * 0.34 } else { 0.0 };
        let shell = scenery.cloud_shell(terrain);
        let height_radii = (away - radius) / radius;
        // the clouds gain one octave each time the eye's height halves
        let [fewest, most] = CLOUD_OCTAVES.map(f64::from);
        let octaves = (4.6 - (height_radii.max(1e-4)).log2()).clamp(fewest, if is_frugal { 7.0 } else { most });
        let shadow_steps = match (settings.shadows && settings.night_side, is_frugal) {
            (false, _) => 0.0,
            (true, true) => 10.0,
            (true, false) => 16.0,
        };
        let cell = radius * std::f64::consts::FRAC_PI_2 / (terrain.terrain.samples() - 1) as f64;
        let near = air.unwrap_or(AirScattering {
            rayleigh: [0.0; 3],
            extinction: [0.0; 3],
            mie: 0.0,
            mie_extinction: 0.0,
            rayleigh_height: 1.0,
            mie_height: 1.0,
            top: radius,
        });
        Self {
            clip_from_rel: view.clip_from_rel.as_mat4(),
            rel_from_clip: view.clip_from_rel.inverse().as_mat4(),
            eye: xyz(eye, away),
            sun: xyz(scenery.sun, ground.range.1),
            disc: xyz(scenery.sun_from_eye, scenery.sun_size),
            size: xyz(DVec3::new(radius, ground.relief, ground.sea.unwrap_or(0.0)), exaggeration),
            lod: xyz(DVec3::new(range.top, range.over, range.coarsest), MORPH_START),
            grid: Vec4::new(
                terrain.terrain.samples() as f32,
                patch.quads as f32,
                f32::from(u8::from(ground.sea.is_some())),
                f32::from(u8::from(mode.is_plain() && !terrain.has_overlay())),
            ),
            air: xyz(DVec3::new(near.rayleigh_height, near.mie_height, near.top), model),
            rayleigh: xyz(near.rayleigh.into(), 0.76),
            haze: xyz(DVec3::new(near.mie, near.mie_extinction, shadow_steps), cell),
            tint: Vec4::new(r, g, b, sky),
            clouds: Vec4::new(
                if shell.is_some() { scenery.cloud_cover() } else { 0.0 },
                shell.unwrap_or(radius) as f32,
                settings.cloud_drift.to_radians(),
                if settings.cloud_shadows { CLOUD_SHADOW } else { 0.0 },
            ),
            cover: Vec4::new(
                patch.quad_pixels * view.radians_per_pixel as f32,
                octaves as f32,
                settings.rim_light,
                terrain.sea_metres,
            ),
            light: Vec4::new(SUN, SKY, if is_frugal { 8.0 } else { 12.0 }, 0.012),
            viewport: view.viewport,
            map: Vec4::new(
                scenery.map.longitude as f32,
                scenery.map.latitude as f32,
                // convert from logical pixels to pixels of the image
                (scenery.map.radians_per_pixel * scenery.map_width / view.view_width) as f32,
                f32::from(u8::from(terrain.has_overlay())),
            ),
            star: Vec4::new(
                scenery.sky_turn as f32,
                // angular size of a star, about the angle of a pixel
                (view.radians_per_pixel * 0.9) as f32,
                if settings.stars { STARS } else { 0.0 },
                f32::from(u8::from(settings.night_side)),
            ),
            extinction: xyz(near.extinction.into(), f64::from(terrain.settings.exposure + view.auto_stops).exp2()),
            texture: xyz(scenery.eye - texture_anchor(scenery.eye), view.radians_per_pixel),
            plant_shadows: [Mat4::IDENTITY; SHADOW_CASCADES],
            plants: Vec4::ZERO,
            plant_sun: PlantSun::default(),
        }
    }

    /// Sets the fraction of sunlight that clouds and mountains let through to plants around the eye.
    pub fn light_plants(&mut self, terrain: &GlobeTerrain, scenery: &Scenery) {
        let [cover, _, drift, strength] = self.clouds.to_array();
        let clouds = PlanetClouds { cover, drift, octaves: self.cover.y };
        let shell = f64::from(self.clouds.y);
        let samples = terrain.ground(f64::from(scenery.view.exaggeration), &scenery.view, scenery.water);
        let ground = GlobeSurface { detail: None, ..samples };
        let clouds = (cover > 0.0).then_some((clouds, shell, strength));
        self.plant_sun = PlantSun::new(&ground, scenery.eye, scenery.sun, clouds, self.haze.z > 0.5);
    }

    /// Sets the shadow maps of plants, and the distance from the eye in metres up to which all plants are drawn.
    pub fn set_plants(&mut self, shadows: Option<&ShadowCascades>, all_metres: f32) {
        (self.plant_shadows, self.plants) = shadow_uniforms(shadows, all_metres);
    }
}

/// Origin of the terrain textures for an eye, which all eyes in the same region share. The origin is near enough that
/// single precision resolves millimetres around the eye.
pub fn texture_anchor(eye: DVec3) -> DVec3 {
    const APART_METRES: f64 = 65_536.0;
    (eye / APART_METRES).round() * APART_METRES
}
