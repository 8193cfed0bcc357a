//! Uniform data of one frame; mirrors `Frame` in `assets/shaders/common.wgsl`.

use bevy::math::{Mat4, Vec2, Vec3, Vec4};
use bytemuck::{Pod, Zeroable};

use super::lod::{LodRange, MORPH_START};
use super::terrain::SquareTerrain;
use crate::view::compare::Pane;
use crate::view::lens::ViewProjection;
use crate::view::mode::ViewMode;
use crate::view::plants::shadows::{SHADOW_CASCADES, ShadowCascades, shadow_uniforms};
use crate::view::render::batch::{DrawContext, picture_pixels};
use crate::view::scale::SIDE_WORLD;
use talweg::appearance::PaletteTable;
use talweg::scene::{Settings, Surroundings};

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct SquareFrame {
    clip_from_world: Mat4,
    eye_from_clip: Mat4,
    /// Position of the eye (three values); exposure factor.
    eye_exposure: Vec4,
    /// Direction of the sun (three values); 1 if the terrain is drawn without its colours, otherwise 0.
    sun_plain: Vec4,
    /// Index of the last sample in a row; cell size; height of the relief; side length of the square. Lengths are in
    /// world units.
    grid: Vec4,
    /// Heights of the sea, of the block's base, of the lowest terrain and of the highest terrain, in world units.
    heights: Vec4,
    /// Horizontal position of the eye over the square (x, z); height of the eye over the highest terrain; range of the
    /// finest level.
    lod: Vec4,
    /// Top level of the quadtree; fraction of a range at which morphing starts; quads along a patch's side; whether
    /// there is a sea.
    patches: Vec4,
    /// Linear colour of rock (three values); strength of this colour.
    rock: Vec4,
    /// Slopes (tangents) at which rock begins to show and at which it covers everything; metres per world unit; unused
    /// value.
    rock_slopes: Vec4,
    /// Origin and size of the viewport in pixels.
    viewport: Vec4,
    /// Ramp position at which the overlay is transparent; distance from this position at which the overlay is opaque;
    /// cloud cover; height of the clouds.
    overlay: Vec4,
    /// Two depths between which surface water fades in, as fractions of the relief; whether the sea is drawn; unused
    /// value.
    surface_water: Vec4,
    /// Matrix from positions relative to the eye to the clip space of the image.
    clip_from_eye: Mat4,
    /// Values for the patches of a construction tree: length of a step; position of the eye within its step (two
    /// values); quads along a patch's side.
    pub tiles: Vec4,
    /// Sunlight on terrain that faces the sun (three values); brightness of the stars.
    sun_light: Vec4,
    /// Light of the whole sky on level terrain (three values); surroundings of the terrain (0 nothing, 1 land, 2 sea).
    sky_light: Vec4,
    /// Extinction of the air at the surface, per world unit (three values); extent of the surroundings, as a multiple
    /// of the terrain's side length.
    air: Vec4,
    /// Matrices from world space to the shadow maps of plants.
    plant_shadows: [Mat4; SHADOW_CASCADES],
    /// Extinction of the fog at its base, per world unit; decrease of the fog with height, per world unit; height of
    /// the base; extent of the whole drawn land as a multiple of the terrain's side length.
    fog: Vec4,
    /// Direction of the waves (east, south); steepness of the waves relative to a wind of 6 m/s; width of a pixel in
    /// metres at a distance of one world unit.
    waves: Vec4,
    /// Strength of plant shadows; half a texel of each shadow map; distance from the eye up to which all plants are
    /// drawn.
    plants: Vec4,
}

/// Water depths, as fractions of the relief, at which water starts to be visible and at which it is fully visible.
const FILM: (f32, f32) = (0.000_3, 0.001_5);
/// On a higher relief, shallower water is visible. A region of a planet has the relief of the planet, 20 km, but its
/// rivers are only one to five metres deep.
const FILM_RELIEF_METRES: f32 = 3200.0;

/// The factor of [`FILM`] and of the depths that decide the colour of water.
fn film_share(relief_metres: f32) -> f32 {
    (FILM_RELIEF_METRES / relief_metres).min(1.0).powi(2)
}

/// Height of the clouds above the highest terrain, in metres.
const CLOUDS_METRES: f32 = 900.0;

/// Number of copies of the terrain on each side, if the surrounding land is drawn.
pub const FAR_TILES: i32 = 3;

/// The camera data of a frame.
pub struct SquareEye {
    pub clip_from_world: Mat4,
    /// Matrix from world space to the clip space of the pane, which excludes the rest of the image.
    pub pane_from_world: Mat4,
    /// Matrix from positions relative to the eye to clip space. Positions relative to the eye are exact even very near
    /// the eye.
    pub clip_from_eye: Mat4,
    pub eye_world: Vec3,
    /// Origin and size of the viewport in pixels.
    pub viewport: Vec4,
    /// Whether haze is drawn in front of distant terrain.
    pub has_air: bool,
    /// Number of stops by which auto exposure brightens the image.
    pub auto_stops: f32,
    /// Number of pixels that an angle of one radian spans in the centre of the image.
    pub pixels_per_radian: f32,
}

/// Matrix from view space to the clip space of a pane's image.
fn clip_from_view(pane: Pane, context: &DrawContext) -> Mat4 {
    let size = Vec2::new(context.view.viewport.z as f32, context.view.viewport.w as f32);
    pane.clip_from_view_clip(size) * context.view.clip_from_view
}

/// Matrix from positions relative to the eye to the clip space of a pane's image.
pub fn clip_from_eye(pane: Pane, context: &DrawContext) -> Mat4 {
    clip_from_view(pane, context) * Mat4::from_quat(context.view.world_from_view.rotation()).inverse()
}

impl SquareEye {
    /// The camera data of a pane.
    pub fn new(pane: Pane, context: &DrawContext) -> Self {
        let view = context.view;
        let clip_from_view = clip_from_view(pane, context);
        let clip_from_world = clip_from_view * view.world_from_view.to_matrix().inverse();
        let [x, y, width, height] = picture_pixels(pane, view.viewport).map(|n| n as f32);
        Self {
            clip_from_world,
            pane_from_world: pane.crop() * clip_from_world,
            clip_from_eye: clip_from_eye(pane, context),
            eye_world: view.world_from_view.translation(),
            viewport: Vec4::new(x, y, width, height),
            // an orthographic eye is so far away that haze would hide the whole terrain
            has_air: context.projection == ViewProjection::Perspective,
            auto_stops: context.auto_stops,
            pixels_per_radian: 0.5 * height * clip_from_view.y_axis.y,
        }
    }

    /// Width that a pixel covers, as a fraction of the distance.
    fn pixel_share(&self) -> f32 {
        2.0 / (self.clip_from_eye.row(1).truncate().length() * self.viewport.w)
    }
}

impl SquareFrame {
    pub fn new(
        eye: &SquareEye,
        terrain: &SquareTerrain,
        palette: &PaletteTable,
        (mode, has_sea, surroundings, far_tiles): (ViewMode, bool, Surroundings, i32),
        range: &LodRange,
        quads: u32,
    ) -> Self {
        let scale = &terrain.scale;
        let [r, g, b, a] = palette.rock.map(|c| f32::from(c) / 255.0);
        let (from, to) = palette.rock_degrees;
        let tangent = |degrees: f32| degrees.clamp(0.0, 89.0).to_radians().tan();
        let last = (scale.samples - 1) as f32;
        let film = film_share(terrain.settings.relief_metres);
        Self {
            clip_from_world: eye.clip_from_world,
            eye_from_clip: eye.clip_from_eye.inverse(),
            eye_exposure: eye.eye_world.extend((terrain.settings.exposure + eye.auto_stops).exp2()),
            sun_plain: Vec3::from(terrain.towards_sun).extend(f32::from(u8::from(mode.is_plain()))),
            grid: Vec4::new(last, scale.cell_world, scale.relief_world, SIDE_WORLD),
            heights: Vec4::new(scale.sea_world, scale.base_world, scale.lowest_world, scale.highest_world),
            lod: Vec4::new(range.eye_world.x, range.eye_world.y, range.over_world, range.finest_world),
            patches: Vec4::new(range.top as f32, MORPH_START, quads as f32, f32::from(u8::from(scale.has_sea()))),
            rock: Vec4::new(linear(r), linear(g), linear(b), a),
            rock_slopes: Vec4::new(tangent(from), tangent(to.max(from + 0.5)), scale.metres_per_world, 0.0),
            viewport: eye.viewport,
            overlay: terrain
                .data
                .as_ref()
                .map_or(Vec4::ZERO, |d| Vec4::new(d.fade.transparent_at, d.fade.width, 0.0, 0.0))
                .with_z(if eye.has_air { terrain.settings.clouds } else { 0.0 })
                .with_w(scale.highest_world + CLOUDS_METRES / scale.metres_per_world),
            surface_water: Vec4::new(film * FILM.0, film * FILM.1, f32::from(u8::from(has_sea)), 1.0 / film),
            clip_from_eye: eye.clip_from_eye,
            tiles: Vec4::ZERO,
            sun_light: Vec3::from(terrain.daylight.sun).extend(terrain.daylight.stars),
            sky_light: Vec3::from(terrain.daylight.sky).extend(surroundings as usize as f32),
            air: if eye.has_air {
                (Vec3::from(terrain.daylight.extinction) * scale.metres_per_world).extend(FAR_TILES as f32 + 0.5)
            } else {
                Vec4::W * 1e9
            },
            plant_shadows: [Mat4::IDENTITY; SHADOW_CASCADES],
            fog: if eye.has_air && terrain.settings.has_fog() { fog_of(terrain) } else { Vec4::ZERO }
                .with_w((2 * far_tiles + 1) as f32),
            waves: waves_of(&terrain.settings).with_w(eye.pixel_share() * scale.metres_per_world),
            plants: Vec4::ZERO,
        }
    }

    /// Sets the shadow maps of plants, and the distance from the eye in world units up to which all plants are drawn.
    pub fn set_plants(&mut self, shadows: Option<&ShadowCascades>, all_world: f32) {
        (self.plant_shadows, self.plants) = shadow_uniforms(shadows, all_world);
    }
}

/// The fog values of the uniform data. The fog's extinction falls exponentially with height above the sea, or above the
/// lowest terrain if there is no sea.
fn fog_of(terrain: &SquareTerrain) -> Vec4 {
    let (scale, settings) = (&terrain.scale, &terrain.settings);
    let floor = if scale.has_sea() { scale.sea_world } else { scale.lowest_world };
    let per_metre = settings.fog / 1000.0;
    Vec4::new(per_metre * scale.metres_per_world, scale.metres_per_world / settings.fog_height, floor, 0.0)
}

/// Mean square slope of the sea surface under a wind in m/s, after Cox & Munk 1954.
fn mean_square_slope(wind: f32) -> f32 {
    0.003 + 5.12e-3 * wind
}

fn waves_of(settings: &Settings) -> Vec4 {
    let towards = (settings.wind_from + 180.0).to_radians();
    let steep = (mean_square_slope(settings.wind) / mean_square_slope(6.0)).sqrt();
    Vec4::new(towards.sin(), -towards.cos(), steep, 0.0)
}

fn linear(encoded: f32) -> f32 {
    if encoded <= 0.040_45 { encoded / 12.92 } else { ((encoded + 0.055) / 1.055).powf(2.4) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_river_of_a_planet_region_is_visible() {
        let visible = |metres: f32, relief: f32| {
            let full = film_share(relief) * FILM.1 * relief;
            metres >= 0.9 * full
        };
        assert!(visible(1.05, 20_000.0), "a river with a discharge of 30 m³/s is 1.05 m deep");
        assert_eq!([300.0, 3200.0].map(film_share), [1.0; 2], "the water of usual terrains looks the same");
    }
}
