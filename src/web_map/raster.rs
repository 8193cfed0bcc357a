//! Tiles of 256 × 256 pixels in Web Mercator, `{z}/{x}/{y}.png` with y to the south, and their `tiles.json`.
//!
//! Encodings of heights in metres: terrarium (Mapzen) = R · 256 + G + B / 256 − 32 768; Mapbox Terrain-RGB = (R · 65
//! 536 + G · 256 + B) / 10 − 10 000.

use std::ops::RangeInclusive;
use std::path::Path;

use rayon::prelude::*;
use serde_json::json;

use super::levels::{HeightSource, LevelSource, LevelWindow, SpooledLevels, TerrainLevels};
use super::place::{HALF_WORLD, MapPosition, MercatorSquare};
use super::{CLOSEST, TileRange, WebMapError, WebMapReport, check_count, write_tile};
use crate::field::{Control, Terrain};
use crate::io::{FileError, write_folder_atomically};

/// Side length of a tile in pixels.
const TILE_PIXELS: usize = 256;
/// Maximum number of colour samples per pixel along one axis.
const MOST_PLACES: usize = 4;

/// Returns the colour (sRGB) at a position on the terrain: u to the east, v to the south, from 0 to 1.
pub type MapColour<'a> = &'a (dyn Fn(f64, f64) -> [u8; 3] + Sync);

/// The content of the pixels of a tile.
#[derive(Clone, Copy)]
pub enum TilePixels<'a> {
    /// Heights in the terrarium encoding, with a precision of 1/256 m, from -32 768 m to 32 767 m.
    Terrarium,
    /// Heights in the Mapbox Terrain-RGB encoding, with a precision of 1/10 m, from -10 000 m to 1 667 721 m.
    MapboxRgb,
    /// Grey hillshade. The vector is the unit vector towards the sun: east, up, south.
    Hillshade([f32; 3]),
    /// Colours that a function of the position returns.
    Colour(MapColour<'a>),
}

impl TilePixels<'_> {
    /// Name of the height encoding in `tiles.json`; `None` for colours.
    fn encoding(&self) -> Option<&'static str> {
        match self {
            Self::Terrarium => Some("terrarium"),
            Self::MapboxRgb => Some("mapbox"),
            Self::Hillshade(_) | Self::Colour(_) => None,
        }
    }
}

/// A square terrain as raster tiles.
#[derive(Clone, Copy)]
pub struct RasterPyramid<'a> {
    /// Content of the pixels of all tiles.
    pub pixels: TilePixels<'a>,
    /// Position of the centre of the terrain.
    pub position: MapPosition,
    /// Side length of the terrain in metres.
    pub side_metres: f32,
    /// Metres per unit of height.
    pub relief_metres: f32,
    /// The closest zoom. `None` means the first zoom whose pixels are at most as wide as a cell of the terrain.
    pub closest_zoom: Option<u32>,
}

/// Size of one pixel at a zoom.
#[derive(Clone, Copy)]
struct PixelStep {
    /// Width of the pixel in projected metres.
    metres: f64,
    /// Width of the pixel as a fraction of the terrain's side length.
    side_fraction: f64,
}

impl PixelStep {
    fn new(zoom: u32, square: &MercatorSquare) -> Self {
        let metres = 2.0 * HALF_WORLD / (TILE_PIXELS as f64 * f64::from(1u32 << zoom));
        Self { metres, side_fraction: metres / square.side }
    }
}

impl RasterPyramid<'_> {
    /// Fills a new folder with tiles of all zooms up to the closest. At the farthest zoom, the terrain covers at most
    /// four tiles.
    ///
    /// # Errors
    /// When the export is cancelled, the terrain is not a square or does not fit on the map, or the folder cannot be
    /// written.
    pub fn write(&self, terrain: &Terrain, folder: &Path, control: &Control) -> Result<WebMapReport, WebMapError> {
        if terrain.grid.is_globe() {
            return Err(WebMapError::Position(
                "tiles can only be made from square terrains; export a map of the planet instead".into(),
            ));
        }
        self.write_levels(f64::from(terrain.grid.cell()), folder, control, || {
            Ok(TerrainLevels::new(terrain, self.relief_metres))
        })
    }

    /// Like [`write`](Self::write), for a terrain of `samples` per side that is not in memory. `metres` returns heights
    /// for ranges of rows and columns, in any order and on any thread, with NaN where the terrain has no data. `cell`
    /// is the sample spacing as a fraction of the side length. Coarser levels are temporary files in the parent folder
    /// of `folder`; their total size is one third of the terrain's size.
    ///
    /// # Errors
    /// The errors of [`write`](Self::write). Also any error of `metres`.
    pub fn write_streamed(
        &self,
        samples: usize,
        cell: f64,
        metres: HeightSource,
        folder: &Path,
        control: &Control,
    ) -> Result<WebMapReport, WebMapError> {
        self.write_levels(cell, folder, control, || SpooledLevels::new(samples, metres, folder, control))
    }

    fn write_levels<L: LevelSource>(
        &self,
        cell: f64,
        folder: &Path,
        control: &Control,
        levels: impl FnOnce() -> Result<L, WebMapError>,
    ) -> Result<WebMapReport, WebMapError> {
        let square = MercatorSquare::new(self.position, self.side_metres)?;
        let zooms = self.zooms(cell, &square)?;
        let ranges: Vec<TileRange> = zooms.clone().map(|zoom| tile_range(zoom, &square)).collect();
        let tiles = check_count(&ranges)?;
        let levels = levels()?;
        let bounds = square.bounds();
        let mut about = json!({
            "tilejson": "3.0.0",
            "name": "Talweg",
            "tiles": ["{z}/{x}/{y}.png"],
            "minzoom": zooms.start(),
            "maxzoom": zooms.end(),
            "bounds": [bounds.west, bounds.south, bounds.east, bounds.north],
            "center": [self.position.longitude, self.position.latitude, zooms.start()],
            "tileSize": TILE_PIXELS,
        });
        if let Some(encoding) = self.pixels.encoding() {
            about["encoding"] = json!(encoding);
        }
        write_folder_atomically(folder, |folder| -> Result<(), WebMapError> {
            for range in &ranges {
                let step = PixelStep::new(range.zoom, &square);
                let tiles: Vec<(u32, u32)> = range.tiles().collect();
                tiles.into_par_iter().try_for_each(|(x, y)| -> Result<(), WebMapError> {
                    control.check()?;
                    let rgba = self.tile(&levels, &square, step, [x, y])?;
                    let name = format!("{}/{x}/{y}.png", range.zoom);
                    let png =
                        png_bytes(&rgba).map_err(|source| FileError::Write { path: folder.join(&name), source })?;
                    Ok(write_tile(folder, &name, &png)?)
                })?;
            }
            Ok(write_tile(folder, "tiles.json", &serde_json::to_vec_pretty(&about).unwrap_or_default())?)
        })?;
        Ok(WebMapReport { zooms, tiles, bounds })
    }

    fn zooms(&self, cell: f64, square: &MercatorSquare) -> Result<RangeInclusive<u32>, WebMapError> {
        let finest = (0..CLOSEST).find(|&zoom| PixelStep::new(zoom, square).side_fraction <= cell * (1.0 + 1e-6));
        let closest = self.closest_zoom.unwrap_or(finest.unwrap_or(CLOSEST));
        if closest > CLOSEST {
            return Err(WebMapError::Zoom(format!("zoom {closest} is too close; the closest possible is {CLOSEST}")));
        }
        let farthest =
            (0..=closest).rev().find(|&zoom| PixelStep::new(zoom, square).side_fraction * TILE_PIXELS as f64 >= 1.0);
        Ok(farthest.unwrap_or(0)..=closest)
    }

    /// The pixels of a tile as red, green, blue and alpha, row by row.
    fn tile(
        &self,
        levels: &dyn LevelSource,
        square: &MercatorSquare,
        step: PixelStep,
        [x, y]: [u32; 2],
    ) -> Result<Vec<u8>, WebMapError> {
        let side = TILE_PIXELS as f64;
        let place = |row: f64, column: f64| {
            let east = (f64::from(x) * side + column) * step.metres - HALF_WORLD;
            let north = HALF_WORLD - (f64::from(y) * side + row) * step.metres;
            square.terrain_place(east, north)
        };
        // The window includes one pixel beyond the borders of the tile, for the slopes.
        let (low, high) = (place(-1.0, -1.0), place(side + 1.0, side + 1.0));
        let level: LevelWindow = levels.part_between(levels.level(step.side_fraction), low, high)?;
        let mut rgba = vec![0; TILE_PIXELS * TILE_PIXELS * 4];
        for (k, pixel) in rgba.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            let (row, column) = ((k / TILE_PIXELS) as f64 + 0.5, (k % TILE_PIXELS) as f64 + 0.5);
            let middle = place(row, column);
            let Some(metres) = level.sample(middle) else {
                // Pixels outside the terrain hold height 0, for programs that ignore transparency.
                let [r, g, b] = match self.pixels {
                    TilePixels::Terrarium => terrarium(0.0),
                    TilePixels::MapboxRgb => mapbox(0.0),
                    TilePixels::Hillshade(_) | TilePixels::Colour(_) => [0; 3],
                };
                *pixel = [r, g, b, 0];
                continue;
            };
            let [r, g, b] = match self.pixels {
                TilePixels::Terrarium => terrarium(metres),
                TilePixels::MapboxRgb => mapbox(metres),
                TilePixels::Hillshade(sun) => {
                    let rise = |low: [f64; 2], high: [f64; 2]| {
                        let (low, high) = (level.sample(low), level.sample(high));
                        let both = f64::from(high.unwrap_or(metres)) - f64::from(low.unwrap_or(metres));
                        let steps = f64::from(u8::from(low.is_some()) + u8::from(high.is_some()));
                        both / (steps.max(1.0) * step.side_fraction * f64::from(self.side_metres))
                    };
                    let east = rise(place(row, column - 1.0), place(row, column + 1.0));
                    let south = rise(place(row - 1.0, column), place(row + 1.0, column));
                    let length = (1.0 + east * east + south * south).sqrt();
                    let [sun_east, sun_up, sun_south] = sun.map(f64::from);
                    let light = (sun_up - sun_east * east - sun_south * south) / length;
                    [(light.clamp(0.0, 1.0) * 255.0 + 0.5) as u8; 3]
                }
                TilePixels::Colour(colour) => {
                    // The colour of a pixel that covers several cells is a mean of several colour samples.
                    let places = ((step.side_fraction / levels.finest_cell()).ceil() as usize).clamp(1, MOST_PLACES);
                    let mut sum = [0u32; 3];
                    for part in 0..places * places {
                        let off = |index: usize| (index as f64 + 0.5) / places as f64 - 0.5;
                        let [u, v] = place(row + off(part / places), column + off(part % places));
                        let here = colour(u.clamp(0.0, 1.0), v.clamp(0.0, 1.0));
                        sum = std::array::from_fn(|k| sum[k] + u32::from(here[k]));
                    }
                    let count = (places * places) as u32;
                    sum.map(|sum| ((sum + count / 2) / count) as u8)
                }
            };
            *pixel = [r, g, b, 255];
        }
        Ok(rgba)
    }
}

fn terrarium(metres: f32) -> [u8; 3] {
    let steps = ((f64::from(metres) + 32_768.0) * 256.0 + 0.5).clamp(0.0, 16_777_215.0) as u32;
    let [_, r, g, b] = steps.to_be_bytes();
    [r, g, b]
}

fn mapbox(metres: f32) -> [u8; 3] {
    let steps = ((f64::from(metres) + 10_000.0) * 10.0 + 0.5).clamp(0.0, 16_777_215.0) as u32;
    let [_, r, g, b] = steps.to_be_bytes();
    [r, g, b]
}

/// The tiles of a zoom that the terrain touches.
fn tile_range(zoom: u32, square: &MercatorSquare) -> TileRange {
    let count = 1u32 << zoom;
    let side = 2.0 * HALF_WORLD / f64::from(count);
    let [west, south, east, north] = square.edges();
    let tile = |distance: f64| ((distance / side).max(0.0) as u32).min(count - 1);
    // A terrain that ends exactly at a tile border does not touch the next tile.
    let last = |distance: f64| ((distance / side - 1e-9).max(0.0) as u32).min(count - 1);
    TileRange {
        zoom,
        columns: tile(west + HALF_WORLD)..=last(east + HALF_WORLD).max(tile(west + HALF_WORLD)),
        rows: tile(HALF_WORLD - north)..=last(HALF_WORLD - south).max(tile(HALF_WORLD - north)),
    }
}

/// Encodes the pixels as a PNG file, without an alpha channel if all pixels are opaque.
fn png_bytes(rgba: &[u8]) -> std::io::Result<Vec<u8>> {
    let is_opaque = rgba.as_chunks::<4>().0.iter().all(|pixel| pixel[3] == 255);
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, TILE_PIXELS as u32, TILE_PIXELS as u32);
    encoder.set_depth(png::BitDepth::Eight);
    let rgb: Vec<u8>;
    let data: &[u8] = if is_opaque {
        encoder.set_color(png::ColorType::Rgb);
        rgb = rgba.as_chunks::<4>().0.iter().flat_map(|&[r, g, b, _]| [r, g, b]).collect();
        &rgb
    } else {
        encoder.set_color(png::ColorType::Rgba);
        rgba
    };
    let mut writer = encoder.write_header()?;
    writer.write_image_data(data)?;
    writer.finish()?;
    Ok(bytes)
}
