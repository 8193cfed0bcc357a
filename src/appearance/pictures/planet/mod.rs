//! Pictures of a planet: the map of all longitudes and latitudes, and the globe from space.
//!
//! The map is lit like a relief image of a terrain, by a sun at the scene's azimuth and elevation everywhere, so that
//! the whole planet is visible. The globe is lit by the planet's own sun: season, axial tilt and hour determine the day
//! side. Both pictures exaggerate slopes to the same steepness, whatever the relief, because actual slopes of a planet
//! are invisible.
//!
//! The colour of light scattered by the air is C = C_air (1 - n·v)(n·l), after Petitprez 2007. C_air is the colour of
//! the air, n the vertical, v the direction to the viewer and l the direction to the sun. Beyond the limb this light
//! fades out over the height of the atmosphere.
//!
//! The clouds are the same as in the 3D view ([`crate::planet::clouds`]). On the globe they are on a shell above the
//! ground and cast shadows; on the map they are lit like the ground. Clouds are computed once per pixel. The ground is
//! computed at several positions per pixel.
//!
//! Each pixel is computed by itself with + - × ÷ sqrt and `libm`, so any number of threads gives the same bits.
//!
//! | file | contents |
//! |---|---|
//! | `map` | the map of all longitudes and latitudes |
//! | `globe` | the globe from space |
//! | `clouds` | clouds on the map and on the globe |
//! | `ground` | colours and normals of the ground |
//!
//! This file prepares a planet and draws the pixels of both pictures.

mod clouds;
mod globe;
mod ground;
mod map;

use std::f64::consts::FRAC_PI_2;

pub use globe::GlobePerspective;
pub use ground::{colours_of, planet_normals};

use self::clouds::{CloudLayer, CloudPixel};
use self::ground::palette_colours;
use super::image::RgbImage;
use crate::appearance::colours::srgb::{Light, brighten, decode, encode, mix};
use crate::appearance::{PaletteTable, biomes, by_rows, relief};
use crate::field::globe::locate;
use crate::field::topology::FACES;
use crate::field::{Cancelled, Control, Globe, MapKind, Terrain, globe_gradient, smooth_step};
use crate::scene::Scene;

/// Root mean square slope of the land after exaggeration, as a tangent.
const CLEAR_SLOPE: f32 = 0.32;
/// Brightness of the night side.
const NIGHT: f32 = 0.012;
const RIVER: [u8; 3] = [52, 92, 128];
/// Minimum depth of visible water, as a fraction of the relief.
const FILM: f32 = 1.0e-5;

/// A planet prepared for drawing: colours and slopes of all samples.
pub struct PlanetImage<'a> {
    scene: &'a Scene,
    terrain: &'a Terrain,
    globe: Globe,
    /// Colour and slope of every sample: red, green and blue as linear light, then the exaggerated slope vector.
    texels: Vec<[f32; 6]>,
    sea: f32,
    clouds: Option<CloudLayer>,
}

impl<'a> PlanetImage<'a> {
    /// Prepares a planet, coloured by the scene's palette or biome table.
    ///
    /// # Errors
    /// If the computation was cancelled.
    pub fn new(scene: &'a Scene, terrain: &'a Terrain, control: &Control) -> Result<Self, Cancelled> {
        let globe = Globe::new(terrain.samples());
        let settings = &scene.settings;
        let sea = settings.sea_level / settings.relief_metres;
        let steepness = settings.relief_metres / scene.planet.radius_metres;
        let mut slopes = vec![[0.0f32; 3]; terrain.height.len()];
        by_rows(&mut slopes, globe.samples(), control, |k| {
            globe_gradient(&globe, &terrain.height, k).map(|s| s * steepness)
        })?;
        let land = |k: usize| terrain.height[k] > sea;
        let (mut sum, mut count) = (0.0, 0u64);
        for (k, [x, y, z]) in slopes.iter().enumerate() {
            if land(k) {
                sum += f64::from(x * x + y * y + z * z);
                count += 1;
            }
        }
        let lift = CLEAR_SLOPE / ((sum / count.max(1) as f64).sqrt() as f32).max(1.0e-9);
        let colours = match biomes::colours(terrain, scene, control)? {
            Some(colours) => colours,
            None => palette_colours(scene, terrain, &slopes, lift, control)?,
        };
        let (water, brightness) = (terrain.map(MapKind::Water), terrain.map(MapKind::Brightness));
        let mut texels = vec![[0.0f32; 6]; terrain.height.len()];
        by_rows(&mut texels, globe.samples(), control, |k| {
            let [r, g, b, _] = colours[k];
            let depth = water.map_or(0.0, |map| map[k]);
            let ground = brighten(decode([r, g, b]), brightness.map_or(0.0, |map| map[k]));
            let wet = if depth > FILM && land(k) { (0.35 + depth * 40.0).min(0.9) } else { 0.0 };
            let [r, g, b] = mix(ground, decode(RIVER), wet);
            // The sea surface has no slope.
            let [x, y, z] = if land(k) { slopes[k].map(|s| s * lift) } else { [0.0; 3] };
            [r, g, b, x, y, z]
        })?;
        Ok(Self { scene, terrain, globe, texels, sea, clouds: None })
    }

    /// Draws a picture. Each pixel is a mean over several positions; their number depends on the resolution of the
    /// terrain. The clouds `above` are computed at the centre of the pixel. `scale` is the number of pixels per radian.
    fn paint(
        &self,
        [width, height]: [usize; 2],
        scale: f64,
        control: &Control,
        above: impl Fn(f64, f64) -> CloudPixel + Sync,
        light: impl Fn(f64, f64, &CloudPixel) -> Light + Sync,
    ) -> Result<RgbImage, Cancelled> {
        let samples = (self.terrain.samples() - 1) as f64 / FRAC_PI_2;
        let fine = (samples / scale).ceil().clamp(2.0, 4.0) as usize;
        let part = 1.0 / fine as f64;
        RgbImage::drawn(width, height, control, |x, y| {
            let mut sum = [0.0; 3];
            let above = above(x as f64 + 0.5, y as f64 + 0.5);
            for k in 0..fine * fine {
                let (a, b) = ((k % fine) as f64 + 0.5, (k / fine) as f64 + 0.5);
                let seen = light(x as f64 + a * part, y as f64 + b * part, &above);
                (0..3).for_each(|c| sum[c] += shoulder(seen[c]));
            }
            encode(sum.map(|c| c / (fine * fine) as f32))
        })
    }

    /// Colour and slope of the surface in a direction from the planet's centre, by bilinear interpolation.
    fn texel(&self, direction: [f64; 3]) -> [f32; 6] {
        let n = self.globe.samples();
        let (face, u, v) = locate(direction);
        debug_assert!(face < FACES);
        let (x, y) = (u * (n - 1) as f64, v * (n - 1) as f64);
        let (j, i) = ((x as usize).min(n - 2), (y as usize).min(n - 2));
        let (right, down) = ((x - j as f64) as f32, (y - i as f64) as f32);
        let first = (face * n + i) * n + j;
        let [a, b, c, d] = [first, first + 1, first + n, first + n + 1].map(|k| &self.texels[k]);
        std::array::from_fn(|k| {
            let (top, bottom) = (a[k] + (b[k] - a[k]) * right, c[k] + (d[k] - c[k]) * right);
            top + (bottom - top) * down
        })
    }
}

/// Draws a picture of a scene: a terrain from above, or a planet from space.
///
/// # Errors
/// If the computation was cancelled.
pub fn scene_image(
    scene: &Scene,
    terrain: &Terrain,
    palette: &PaletteTable,
    size: [usize; 2],
    control: &Control,
) -> Result<RgbImage, Cancelled> {
    if terrain.grid.is_globe() {
        let planet = PlanetImage::new(scene, terrain, control)?;
        return planet.globe(GlobePerspective::day_side(&scene.planet), size, control);
    }
    relief(terrain, &scene.settings, palette, size, control)
}

/// Compresses bright light towards white.
fn shoulder(light: f32) -> f32 {
    let above = (light - 0.75) / 0.25;
    if above <= 0.0 { light } else { 0.75 + 0.25 * above / (1.0 + above) }
}

fn smooth(t: f32) -> f32 {
    let t = t.clamp(0.0, 1.0);
    smooth_step(t)
}

fn dot(a: [f64; 3], b: [f32; 3]) -> f32 {
    (0..3).map(|k| a[k] as f32 * b[k]).sum()
}

/// Unit vectors to the east and to the north at a position on the unit sphere. At a pole, they are the vectors of
/// longitude 0.
fn frame([x, y, z]: [f64; 3]) -> ([f64; 3], [f64; 3]) {
    let level = (x * x + y * y).sqrt();
    let east = if level < 1.0e-12 { [0.0, 1.0, 0.0] } else { [-y / level, x / level, 0.0] };
    let north = [-z * east[1], z * east[0], x * east[1] - y * east[0]];
    (east, north)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Grid;
    use crate::planet::World;
    use crate::scene::Settings;

    pub(super) fn striped() -> (Scene, Terrain) {
        let settings = Settings { world: World::Planet, relief_metres: 10_000.0, ..Settings::default() };
        let scene = Scene { settings, ..Scene::default() };
        let mut terrain = Terrain::flat(Grid::globe(33));
        let globe = Globe::new(33);
        for (k, h) in terrain.height.iter_mut().enumerate() {
            // The northern half is land, the southern half is sea.
            *h = 0.2 * globe.direction_of(k)[2];
        }
        (scene, terrain)
    }

    pub(super) fn pixel(image: &RgbImage, x: usize, y: usize) -> [u8; 3] {
        let k = 3 * (y * image.width + x);
        [image.rgb[k], image.rgb[k + 1], image.rgb[k + 2]]
    }
}
