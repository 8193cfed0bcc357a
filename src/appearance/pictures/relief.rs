//! The relief image: the terrain seen from above, as on Swiss maps.
//!
//! The colour depends on height and slope ([`PaletteTable`]) or on biomes ([`Paint`]). The terrain is lit in linear
//! light by
//! - the sun at the scene's azimuth and elevation, with cast shadows: a pixel is in shadow if the horizon
//!   towards the sun is higher than the sun. The edges of shadows are soft;
//! - the sky: light from eight directions, each blocked below the horizon in that direction. The sky is brighter
//!   towards the sun, and its light is bluer than sunlight. This light keeps relief visible on shaded slopes.
//!
//! Horizons are traced at growing distances in successively coarser means of the surface ([`raise_horizons`]), so
//! that the cost per pixel is bounded. Open level terrain keeps the palette's colour. Snow is the exception: it is
//! drawn darker, so that sunlit snow can be brighter. Water is lit as level terrain; near the shore the bed is
//! visible through the water. The water of rivers and lakes above the sea is drawn from the terrain's water map; deep
//! water is darker. Voids of the terrain are white like paper.
//!
//! Each pixel is computed by itself with + - × ÷ sqrt and `libm`, so any number of threads gives the same bits.

use super::image::RgbImage;
use crate::appearance::PaletteTable;
use crate::appearance::biomes::{Paint, SiteNeighbours};
use crate::appearance::colours::snow_sand::PixelCoverDepths;
use crate::appearance::colours::srgb::{Light, decode, encode, mix};
use crate::field::{Cancelled, Control, HAS_GROUND, MapKind, Terrain, heights_over_void};
use crate::scene::Settings;
use crate::terrain_attributes::horizon::{HorizonRay, LANES, Lanes, raise_horizons};
use crate::terrain_attributes::raster::{PixelGrid, Pyramid};
use crate::terrain_attributes::sky_view::{SkyRay, skylight};

pub(in crate::appearance) const SUN: Light = [1.0, 0.965, 0.9];
pub(in crate::appearance) const SKY: Light = [0.88, 0.97, 1.16];
/// Fraction of the light that is from the sky; the rest is from the sun. The fraction applies to open level terrain.
pub(in crate::appearance) const SKY_SHARE: f32 = 0.42;
/// Relative amount by which the sky is brighter towards the sun than away from the sun.
const SKY_LEAN: f32 = 0.65;
/// Range of slopes, from the pixel to the horizon, over which a shadow fades. The range is centred on the sun's slope.
const PENUMBRA: f32 = 0.16;
/// Darkness of a cast shadow: 1 removes all sunlight.
pub(in crate::appearance) const SHADOW: f32 = 0.6;
/// Colour of the haze. `HAZE_SHARE` is the fraction of haze over the lowest land. Haze makes high land stand out from
/// low land.
pub(in crate::appearance) const HAZE: Light = [0.60, 0.67, 0.74];
const HAZE_SHARE: f32 = 0.05;
/// Depth of water, as a fraction of the terrain's side, at which the bed is no longer visible.
pub(in crate::appearance) const CLEAR_WATER: f32 = 0.006;
/// Two depths of rivers and lakes, as fractions of the relief. Water below the first depth is an invisible film, and
/// water above the second depth hides its bed.
pub(in crate::appearance) const FILM: f32 = 1.5e-4;
pub(in crate::appearance) const COVER: f32 = 1.0e-3;
/// Factor by which the drawn depth of a river exceeds its actual depth, so that the river stands out from its bed.
pub(in crate::appearance) const RIVER_TINT: f32 = 4.0;

/// Root mean square slope, as a tangent, to which the slopes of flat terrain are exaggerated for lighting. Low hills
/// then stay visible. The second constant is the maximum exaggeration.
const CLEAR_SLOPE: f32 = 0.42;
const MOST_LIFT: f32 = 3.0;
/// Linear light up to this value is shown unchanged; brighter light is compressed.
const BRIGHT: f32 = 0.72;

/// Colour of voids, where there is no terrain.
const PAPER: Light = [1.0; 3];

const SKY_DIRECTIONS: usize = 8;
/// Index of the first palette entry above the water.
pub(in crate::appearance) const SHORE: usize = 256;

/// Draws the relief image of a terrain. The longer side of the picture spans the terrain; a picture that is not square
/// shows the middle of the terrain.
///
/// # Errors
/// If the computation was cancelled.
pub fn relief(
    terrain: &Terrain,
    settings: &Settings,
    palette: &PaletteTable,
    [width, height]: [usize; 2],
    control: &Control,
) -> Result<RgbImage, Cancelled> {
    if let Some(heights) = heights_over_void(terrain) {
        let mut ground = Terrain::clone(terrain);
        ground.height = heights;
        let void =
            map_values(&ground, ground.map(MapKind::Ground).map_or(&[], |map| map), 1.0, [width, height], control)?;
        let scene = ReliefView::new(&ground, Some(&void), settings, palette, [width, height], control)?;
        // The edge of a void fades over half a pixel on either side of the map value 0.5, as sharp as the samples
        // allow.
        let across = (ground.samples() - 1) as f32 / width.max(height) as f32;
        let share = |k: usize| ((void.values[k] - HAS_GROUND) / across.clamp(0.25, 1.0) + 0.5).clamp(0.0, 1.0);
        return scene.drawn(control, |x, y, light| {
            let share = share(y * width + x);
            let seen = if share > 0.0 { scene.pixel(x, y, light).map(shoulder) } else { PAPER };
            encode(mix(PAPER, seen, share))
        });
    }
    let scene = ReliefView::new(terrain, None, settings, palette, [width, height], control)?;
    scene.drawn(control, |x, y, light| encode(scene.pixel(x, y, light).map(shoulder)))
}

struct ReliefView<'a> {
    settings: &'a Settings,
    palette: &'a PaletteTable,
    colours: Vec<Light>,
    rock: Light,
    covers: PixelCoverDepths,
    /// Biome colours; if set, they replace the colours of the palette.
    paint: Option<Paint>,
    /// Heights in pixel widths.
    ground: PixelGrid,
    /// Depth of rivers and lakes in pixel widths, if the terrain has a water map.
    water: Option<PixelGrid>,
    /// The visible surface, which is the higher of terrain and water. Heights are in pixel widths and exaggerated.
    surface: Pyramid,
    /// Highest point of the surface.
    peak: f32,
    sea: f32,
    /// Exaggeration of the heights for lighting.
    lift: f32,
    pixel_metres: f32,
    /// The direction to the sun.
    sun: Sun,
    sky: [SkyRay; SKY_DIRECTIONS],
}

/// The side of a shore whose colour is drawn.
#[derive(Clone, Copy)]
enum ShoreSides {
    Land,
    Water,
}

struct Sun {
    direction: [f32; 3],
    ray: HorizonRay,
    tangent: f32,
}

/// Fractions of the light of the sun and of the sky that reach a pixel.
#[derive(Clone, Copy)]
struct PixelLight {
    sun: f32,
    sky: f32,
}

impl<'a> ReliefView<'a> {
    /// `share` is the fraction of each pixel that has terrain, if the terrain has voids.
    fn new(
        terrain: &Terrain,
        share: Option<&PixelGrid>,
        settings: &'a Settings,
        palette: &'a PaletteTable,
        [width, height]: [usize; 2],
        control: &Control,
    ) -> Result<Self, Cancelled> {
        let pixel_metres = settings.size_metres / width.max(height) as f32;
        let scale = settings.relief_metres / pixel_metres;
        let mut ground = PixelGrid::of_heights(terrain, width, height, control)?;
        ground.values.iter_mut().for_each(|h| *h *= scale);
        let sea = settings.sea_level / pixel_metres;
        let lift = lift(&ground, |k| ground.values[k] > sea && share.is_none_or(|share| share.values[k] >= HAS_GROUND));
        control.check()?;
        let water = terrain.map(MapKind::Water);
        let water = water.map(|depth| map_values(terrain, depth, scale, [width, height], control)).transpose()?;
        let surface = PixelGrid::made(width, height, control, |x, y| {
            let k = y * width + x;
            (ground.values[k] + water.as_ref().map_or(0.0, |w| w.values[k])).max(sea) * lift
        })?;
        let direction = settings.sun_direction();
        let level = (direction[0] * direction[0] + direction[2] * direction[2]).sqrt().max(1e-6);
        let (east, south, tangent) = (direction[0] / level, direction[2] / level, direction[1] / level);
        let mut sky = std::array::from_fn(|k| SkyRay::new(k, SKY_DIRECTIONS));
        for SkyRay { ray, weight } in &mut sky {
            let towards = ray.direction[0] * east + ray.direction[1] * south;
            *weight = (1.0 + SKY_LEAN * towards) / SKY_DIRECTIONS as f32;
        }
        let to_sun =
            HorizonRay { direction: [east, south], growth: 1.16, width: 0.08, least: tangent - PENUMBRA * 0.5 };
        let [r, g, b, _] = palette.rock;
        Ok(Self {
            settings,
            palette,
            colours: palette.lut.iter().map(|&[r, g, b, _]| decode([r, g, b])).collect(),
            rock: decode([r, g, b]),
            covers: PixelCoverDepths::new(terrain, settings.relief_metres, [width, height], control)?,
            paint: palette.biomes.as_ref().map(|biomes| Paint::new(terrain, settings, biomes)),
            ground,
            water,
            peak: surface.values.iter().copied().fold(f32::NEG_INFINITY, f32::max),
            surface: Pyramid::new(surface),
            sea,
            lift,
            pixel_metres,
            sun: Sun { direction, ray: to_sun, tangent },
            sky,
        })
    }

    /// Draws the picture. `colour` returns the colour of pixel (x, y) in a light.
    fn drawn(
        &self,
        control: &Control,
        colour: impl Fn(usize, usize, PixelLight) -> [u8; 3] + Sync,
    ) -> Result<RgbImage, Cancelled> {
        RgbImage::drawn_by_rows(self.ground.width, self.ground.height, control, |y, row| {
            for (k, pixels) in row.chunks_mut(LANES).enumerate() {
                let first = k * LANES;
                let (sun, sky) = (self.sunlit(first, y), skylight(&self.surface, self.peak, &self.sky, first, y));
                for (k, pixel) in pixels.iter_mut().enumerate() {
                    *pixel = colour(first + k, y, PixelLight { sun: sun[k], sky: sky[k] });
                }
            }
        })
    }

    fn pixel(&self, x: usize, y: usize, light: PixelLight) -> Light {
        let ground = self.ground.values[y * self.ground.width + x];
        let (gx, gy) = self.ground.gradient(x, y);
        let steep = (gx * gx + gy * gy).sqrt();
        // Fraction of the pixel that is under water. The shore crosses the pixel if the terrain is within half a
        // pixel's height step of the sea level.
        let wet = (0.5 + (self.sea - ground) / (steep.max(0.02) + 0.2)).clamp(0.0, 1.0);
        let mut seen = [0.0; 3];
        if wet < 1.0 {
            let height_metres = ground * self.pixel_metres;
            let slope_degrees = libm::atanf(steep) * (180.0 / std::f32::consts::PI);
            let albedo = self.painted(x, y, ShoreSides::Land).unwrap_or_else(|| {
                let colour = self.colour(self.lut_index(height_metres).max(SHORE as f32));
                mix(colour, self.rock, self.palette.rock_opacity(slope_degrees))
            });
            let albedo = self.covers.covered(albedo, x, y);
            let mut land = self.light(albedo, gx, gy, light);
            let depth_metres = self.water.as_ref().map_or(0.0, |w| w.values[y * w.width + x]) * self.pixel_metres;
            let depth = depth_metres / self.settings.relief_metres;
            if depth > FILM {
                let shown = self.settings.sea_level - depth_metres * RIVER_TINT;
                let colour = self.colour(self.lut_index(shown).min((SHORE - 1) as f32));
                let cover = ((depth - FILM) / (COVER - FILM)).min(1.0);
                land = mix(land, self.light(colour, gx * 0.2, gy * 0.2, light), cover);
            }
            let low = 1.0 - (height_metres / self.settings.relief_metres).clamp(0.0, 1.0);
            seen = mix(land, HAZE, HAZE_SHARE * low * low);
        }
        if wet > 0.0 {
            let depth_metres = self.settings.sea_level - ground * self.pixel_metres;
            let depth = depth_metres.max(0.0) / (self.settings.size_metres * CLEAR_WATER);
            let clear = 0.6 / (1.0 + depth * depth);
            let of_table = || self.colour(self.lut_index(ground * self.pixel_metres).min((SHORE - 1) as f32));
            let colour = self.painted(x, y, ShoreSides::Water).unwrap_or_else(of_table);
            let water = self.light(colour, gx * clear, gy * clear, light);
            seen = mix(seen, water, wet);
        }
        seen
    }

    /// The colour `albedo` under sun and sky, on terrain with the slope (gx, gy). Open level terrain keeps its colour.
    fn light(&self, albedo: Light, gx: f32, gy: f32, light: PixelLight) -> Light {
        let [east, up, south] = self.sun.direction;
        let (gx, gy) = (gx * self.lift, gy * self.lift);
        let facing = ((up - gx * east - gy * south) / (1.0 + gx * gx + gy * gy).sqrt()).max(0.0) / up;
        // The gain is compressed, because a low sun would overexpose the slopes that face it.
        let gain = facing / (1.0 + 0.28 * (facing - 1.0).max(0.0));
        let sun = (1.0 - SKY_SHARE) * gain * light.sun;
        std::array::from_fn(|k| albedo[k] * (SUN[k] * sun + SKY[k] * SKY_SHARE * light.sky))
    }

    /// The biome colour of a pixel, on one side of the shore.
    fn painted(&self, x: usize, y: usize, shore: ShoreSides) -> Option<Light> {
        let paint = self.paint.as_ref()?;
        let (column, row) = (x as isize, y as isize);
        let metres = |dx, dy| self.ground.get(column + dx, row + dy) * self.pixel_metres;
        let mut around = SiteNeighbours {
            here: metres(0, 0),
            sides: [metres(0, -1), metres(1, 0), metres(0, 1), metres(-1, 0)],
            spacing_metres: self.pixel_metres,
        };
        let sea = self.settings.sea_level;
        match shore {
            // The height just above the sea is far enough from the sea level to be distinct in single precision.
            ShoreSides::Land => around.here = around.here.max(sea + (self.settings.relief_metres + sea.abs()) * 1.0e-6),
            ShoreSides::Water => around.here = around.here.min(sea),
        }
        let side = self.ground.width.max(self.ground.height) as f32;
        let at = |pixel: usize, pixels: usize| 0.5 + (pixel as f32 + 0.5 - pixels as f32 * 0.5) / side;
        let place = paint.conditions_at(at(x, self.ground.width), at(y, self.ground.height), &around);
        Some(decode(paint.law().colour(&place).map(|c| (c + 0.5) as u8)))
    }

    fn lut_index(&self, height_metres: f32) -> f32 {
        PaletteTable::lut_index(self.settings, height_metres)
    }

    /// The colour at an index of the palette's table, mixed between two entries on the same side of the shore.
    fn colour(&self, place: f32) -> Light {
        let k = place as usize;
        let next = if k == SHORE - 1 { k } else { (k + 1).min(self.colours.len() - 1) };
        mix(self.colours[k], self.colours[next], place - k as f32)
    }

    /// Fraction of the sunlight that reaches the pixels from (x, y) on; terrain towards the sun can block it.
    fn sunlit(&self, x: usize, y: usize) -> Lanes {
        let mut horizon = [f32::NEG_INFINITY; LANES];
        raise_horizons(&self.surface, self.peak, [x, y], &self.sun.ray, &mut horizon);
        horizon.map(|horizon| {
            let shade = ((horizon - self.sun.tangent) / PENUMBRA + 0.5).clamp(0.0, 1.0);
            1.0 - SHADOW * shade * shade * (3.0 - 2.0 * shade)
        })
    }
}

/// Compresses light brighter than [`BRIGHT`] towards white, so that the shape of sunlit snow stays visible.
pub(in crate::appearance) fn shoulder(light: f32) -> f32 {
    let above = (light - BRIGHT) / (1.0 - BRIGHT);
    if above <= 0.0 { light } else { BRIGHT + (1.0 - BRIGHT) * above / (1.0 + above) }
}

/// Values of a data map at the pixels, times `scale`. The interpolation is linear, because a smooth curve would
/// overshoot on both sides of a shore.
fn map_values(
    terrain: &Terrain,
    map: &[f32],
    scale: f32,
    [width, height]: [usize; 2],
    control: &Control,
) -> Result<PixelGrid, Cancelled> {
    let mut field = Terrain::flat(terrain.grid);
    field.height.copy_from_slice(map);
    let side = width.max(height);
    let mut raster = if terrain.samples() > side {
        PixelGrid::of_heights(&field, width, height, control)?
    } else {
        let at = |pixel: usize, pixels: usize| 0.5 + (pixel as f32 + 0.5 - pixels as f32 * 0.5) / side as f32;
        PixelGrid::made(width, height, control, |x, y| field.height_at(at(x, width), at(y, height)))?
    };
    raster.values.iter_mut().for_each(|v| *v *= scale);
    Ok(raster)
}

/// Factor by which heights are exaggerated for lighting; 1 for steep terrain. Only the slopes of land pixels count.
fn lift(ground: &PixelGrid, is_land: impl Fn(usize) -> bool) -> f32 {
    let (mut sum, mut count) = (0.0, 0u32);
    for y in 0..ground.height {
        for x in (0..ground.width).filter(|x| is_land(y * ground.width + x)) {
            let (gx, gy) = ground.gradient(x, y);
            sum += f64::from(gx * gx + gy * gy);
            count += 1;
        }
    }
    let slope = (sum / f64::from(count.max(1))).sqrt() as f32;
    (CLEAR_SLOPE / slope.max(1e-6)).clamp(1.0, MOST_LIFT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::appearance_files::Palette;
    use crate::field::Edges;

    #[test]
    fn voids_are_white() {
        let mut terrain = Terrain::from_fn(65, Edges::Open, |u, v| 0.3 + 0.2 * u * v);
        let settings = Settings::default();
        let table = PaletteTable::new(Palette::named_or_default(""), &settings);
        let whole = relief(&terrain, &settings, &table, [65; 2], &Control::default()).unwrap();
        for k in 0..65 * 65 {
            if k % 65 >= 40 {
                terrain.map_mut(MapKind::Ground)[k] = 0.0;
                // A wall at the border would cast a shadow on everything else.
                terrain.height[k] = 50.0;
            }
        }
        let cut = relief(&terrain, &settings, &table, [65; 2], &Control::default()).unwrap();
        for (k, (pixel, before)) in cut.rgb.chunks(3).zip(whole.rgb.chunks(3)).enumerate() {
            let column = k % 65;
            if column >= 41 {
                assert_eq!(pixel, [255; 3], "{column}");
            } else if column < 20 {
                let same = pixel.iter().zip(before).all(|(a, b)| a.abs_diff(*b) < 24);
                assert!(same, "{column}: {pixel:?} was {before:?}");
            }
        }
    }
}
