//! Pictures of a planet: the map of all longitudes and latitudes, and the globe from space.
//!
//! The map is lit like a relief image of a terrain, by a sun at the scene's azimuth and elevation everywhere, so that
//! the whole planet is visible. The globe is lit by the planet's own sun: season, tilt and hour determine the day side.
//! Both exaggerate slopes to the same steepness, whatever the relief, because actual slopes of a planet are invisible.
//!
//! Light scattered by the air, after Petitprez 2007: C = C_air (1 - n·v)(n·l). C_air is the colour of the air, n the
//! vertical, v the direction to the viewer and l the direction to the sun. Outside the limb this light fades out over
//! the height of the atmosphere.
//!
//! Clouds are the same as in the 3D view ([`crate::planet::clouds`]). On the globe they are on a shell above the ground
//! and cast shadows; on the map they are lit like the ground. Clouds are computed once per pixel, the ground several
//! times.
//!
//! Each pixel is computed by itself with + - × ÷ sqrt and `libm`, so any number of threads gives the same bits.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use super::image::RgbImage;
use crate::appearance::biomes::ground_types::PlanetLayout;
use crate::appearance::colours::srgb::{Light, brighten, decode, encode, mix};
use crate::appearance::{PaletteTable, biomes, by_rows, relief};
use crate::field::globe::{direction_at, from_angles, locate, locate_fast};
use crate::field::topology::FACES;
use crate::field::vector;
use crate::field::{Cancelled, Control, Globe, MapKind, Terrain, globe_gradient, smooth_step};
use crate::planet::clouds::{CLOUD_OCTAVES, CLOUD_SHADOW, PlanetClouds, cloud_cover, cloud_shell_metres};
use crate::planet::{Air, Planet};
use crate::preferences::GlobeView;
use crate::scene::Scene;

/// Root mean square slope of the land after exaggeration, as a tangent.
const CLEAR_SLOPE: f32 = 0.32;
/// Fraction of the light that is from the sky, on open level terrain of a map.
const SKY_SHARE: f32 = 0.42;
/// Brightness of the night side.
const NIGHT: f32 = 0.012;
const RIVER: [u8; 3] = [52, 92, 128];
/// Minimum depth of visible water, as a fraction of the relief.
const FILM: f32 = 1.0e-5;

/// Brightness of thin and of thick clouds under the sun.
const CLOUD_LIGHT: [f32; 2] = [0.72, 1.0];
const CLOUD_SKY: f32 = 0.17;
/// Width in pixels of the finest cloud detail.
const HUMP_PIXELS: f64 = 2.0;

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

/// The clouds of a picture.
#[derive(Clone, Copy)]
struct CloudLayer {
    clouds: PlanetClouds,
    /// Radius of the cloud shell, in radii of the planet.
    shell: f64,
    /// Fraction of the sunlight that the densest clouds block.
    shadow: f32,
}

/// The effect of clouds on a pixel.
#[derive(Clone, Copy)]
struct CloudPixel {
    /// Fraction of the ground that the clouds hide.
    cover: f32,
    /// Light that the clouds themselves send to the viewer.
    light: Light,
    /// Fraction of the sunlight that reaches the ground.
    sun: f32,
}

impl CloudPixel {
    /// The effect of a sky without clouds.
    const CLEAR: Self = Self { cover: 0.0, light: [0.0; 3], sun: 1.0 };
}

/// The viewpoint for the globe.
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

    /// Adds the clouds of a view to the picture: their cover, height, drift and shadows, in the air of the planet.
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

    /// The clouds, with as many octaves as a picture of `scale` pixels per radian can show.
    fn clouds_at(&self, scale: f64) -> Option<CloudLayer> {
        let mut layer = self.clouds?;
        layer.clouds = layer.clouds.seen_at(scale / HUMP_PIXELS);
        Some(layer)
    }

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

    /// The sRGB colour in a direction, lit as on the map, where the sun has the same position everywhere.
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

    /// The globe as seen from far away.
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
                // Outside the limb, clouds are seen through as much air as at the limb.
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

    /// Draws a picture. Each pixel is a mean over as many positions as the resolution of the terrain requires, with the
    /// clouds `above` at the centre of the pixel. `scale` is pixels per radian.
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

    /// Colour and slope in a direction, by bilinear interpolation.
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

impl CloudLayer {
    /// The effect of the clouds on a pixel of the globe. `square` is the pixel's squared distance from the picture's
    /// centre. `at` returns the point at a depth towards the eye. All lengths are in radii of the planet.
    fn pixel(&self, square: f64, at: impl Fn(f64) -> [f64; 3], sun: [f32; 3]) -> CloudPixel {
        let outside = self.shell * self.shell - square;
        if outside <= 0.0 {
            return CloudPixel::CLEAR;
        }
        let up = at(outside.sqrt()).map(|c| (c / self.shell) as f32);
        let density = self.clouds.density(up);
        let facing: f32 = (0..3).map(|k| up[k] * sun[k]).sum();
        let day = smooth((facing + 0.12) / 0.24);
        let sunlit = day * (CLOUD_SKY + (1.0 - CLOUD_SKY) * (facing + 0.08).clamp(0.0, 1.0));
        // The night light only separates the ground from space; outside the limb there is no ground.
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

/// Brightness of sunlit clouds with a density: thick clouds are white.
fn cloud_shade(density: f32) -> f32 {
    CLOUD_LIGHT[0] + (CLOUD_LIGHT[1] - CLOUD_LIGHT[0]) * smooth((density - 0.15) / 0.85)
}

/// A picture of a scene: a terrain from above, or a planet from space.
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

/// Surface normals of a planet for other programs. On a map, red, green and blue are east, north and up. On faces, red
/// is the direction of increasing columns, green the direction of decreasing rows, and blue is up.
///
/// # Errors
/// If the computation was cancelled.
pub fn planet_normals(
    scene: &Scene,
    terrain: &Terrain,
    layout: PlanetLayout,
    control: &Control,
) -> Result<RgbImage, Cancelled> {
    let globe = Globe::new(terrain.samples());
    let n = globe.samples();
    let steepness = scene.settings.relief_metres / scene.planet.radius_metres;
    let normal = |k: usize, right: [f64; 3], up: [f64; 3]| {
        let slope = globe_gradient(&globe, &terrain.height, k).map(|s| f64::from(s * steepness));
        let along = |axis: [f64; 3]| (0..3).map(|c| slope[c] * axis[c]).sum::<f64>();
        let (x, y) = (-along(right), -along(up));
        let length = (x * x + y * y + 1.0).sqrt();
        [x / length, y / length, 1.0 / length].map(|c| ((c * 0.5 + 0.5) * 255.0 + 0.5) as u8)
    };
    match layout {
        PlanetLayout::Face(face) => RgbImage::drawn(n, n, control, |column, row| {
            let here = globe.exact_direction(face, row, column);
            let (right, up) = face_frame(face, here);
            normal((face * n + row) * n + column, right, up)
        }),
        PlanetLayout::Map(map) => {
            let directions = map.directions();
            RgbImage::drawn(map.width, map.height, control, |column, row| {
                let direction = directions.direction(column, row);
                let (face, u, v) = locate_fast(direction);
                let index = |t: f64| (t * (n - 1) as f64 + 0.5) as usize;
                let (east, north) = frame(direction);
                normal((face * n + index(v)) * n + index(u), east, north)
            })
        }
    }
}

/// The directions along the rows of a face and against its columns, tangent to the sphere.
fn face_frame(face: usize, here: [f64; 3]) -> ([f64; 3], [f64; 3]) {
    let tangent = |axis: [f64; 3]| {
        let along: f64 = (0..3).map(|k| axis[k] * here[k]).sum();
        let flat: [f64; 3] = std::array::from_fn(|k| axis[k] - along * here[k]);
        let length = flat.iter().map(|c| c * c).sum::<f64>().sqrt();
        flat.map(|c| c / length)
    };
    let right = tangent(std::array::from_fn(|k| direction_at(face, 1.0, 0.5)[k] - direction_at(face, 0.0, 0.5)[k]));
    let up = [
        here[1] * right[2] - here[2] * right[1],
        here[2] * right[0] - here[0] * right[2],
        here[0] * right[1] - here[1] * right[0],
    ];
    (right, up)
}

/// The sRGB colours of all samples from the scene's palette.
///
/// # Errors
/// If the computation was cancelled.
pub fn colours_of(scene: &Scene, terrain: &Terrain, control: &Control) -> Result<Vec<[u8; 4]>, Cancelled> {
    if let Some(colours) = biomes::colours(terrain, scene, control)? {
        return Ok(colours);
    }
    let (globe, steepness) = (Globe::new(terrain.samples()), scene.settings.relief_metres / scene.planet.radius_metres);
    let slope = |k: usize| globe_gradient(&globe, &terrain.height, k).map(|s| s * steepness);
    let mut slopes = vec![[0.0f32; 3]; terrain.height.len()];
    by_rows(&mut slopes, globe.samples(), control, slope)?;
    palette_colours(scene, terrain, &slopes, 1.0, control)
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

/// Unit vectors to the east and to the north at a position; at a pole, the vectors of longitude 0.
fn frame([x, y, z]: [f64; 3]) -> ([f64; 3], [f64; 3]) {
    let level = (x * x + y * y).sqrt();
    let east = if level < 1.0e-12 { [0.0, 1.0, 0.0] } else { [-y / level, x / level, 0.0] };
    let north = [-z * east[1], z * east[0], x * east[1] - y * east[0]];
    (east, north)
}

fn air_colour(air: Air) -> Light {
    match air {
        Air::Nitrogen => [0.30, 0.55, 1.0],
        Air::Dust => [0.95, 0.68, 0.42],
        Air::Methane => [0.95, 0.60, 0.22],
        Air::Carbon => [0.98, 0.90, 0.66],
    }
}

/// Colours by height and steepness, for a scene with a plain palette.
fn palette_colours(
    scene: &Scene,
    terrain: &Terrain,
    slopes: &[[f32; 3]],
    lift: f32,
    control: &Control,
) -> Result<Vec<[u8; 4]>, Cancelled> {
    let (table, settings) = (PaletteTable::for_scene(scene), &scene.settings);
    let colour = |k: usize| {
        let metres = terrain.height[k] * settings.relief_metres;
        let place = PaletteTable::place(settings, metres) as usize;
        let [x, y, z] = slopes[k].map(|s| s * lift);
        let degrees = libm::atanf((x * x + y * y + z * z).sqrt()).to_degrees();
        let rock = if metres > settings.sea_level { table.rock_share(degrees) } else { 0.0 };
        let [r, g, b, _] = table.rock;
        let [h, s, t, _] = table.lut[place.min(511)];
        let [r, g, b] = encode(mix(decode([h, s, t]), decode([r, g, b]), rock));
        [r, g, b, 255]
    };
    let mut colours = vec![[0; 4]; terrain.height.len()];
    by_rows(&mut colours, terrain.samples(), control, colour)?;
    Ok(colours)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Grid;
    use crate::planet::World;
    use crate::scene::Settings;

    fn striped() -> (Scene, Terrain) {
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

    fn pixel(image: &RgbImage, x: usize, y: usize) -> [u8; 3] {
        let k = 3 * (y * image.width + x);
        [image.rgb[k], image.rgb[k + 1], image.rgb[k + 2]]
    }

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

    /// A grey world without slopes: clouds brighten it where they are dense and darken it where they cast shadows, and
    /// full cover hides it from pole to pole.
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
        // Outside the limb, clouds change the picture on the day side but not on the night side.
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
