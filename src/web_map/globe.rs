//! Quantized-mesh tiles for globes (CesiumJS): `{z}/{x}/{y}.terrain` with y to the north, and their `layer.json`.
//!
//! The tiling is geographic (EPSG:4326): two tiles at zoom 0, and four times as many at each further zoom. Outside the
//! terrain, the surface is flat at a given height. The error of a tile's triangles is at most an eighth of the error
//! that CesiumJS assumes for the zoom of the tile. Neighbouring tiles of a zoom have identical vertices along their
//! common edge.

use std::ops::RangeInclusive;
use std::path::Path;

use rayon::prelude::*;
use serde_json::json;

use super::levels::{LevelSource, TerrainLevels};
use super::place::{MapPosition, MercatorSquare, mercator};
use super::{CLOSEST, TileRange, WebMapError, WebMapReport, check_count, write_tile};
use crate::field::{Control, Edges, Grid, Terrain};
use crate::io::{FileError, write_folder_atomically};
use crate::mesh::formats::GeoBounds;
use crate::mesh::formats::quantized::write_tile as write_quantized;
use crate::mesh::{Mesh, MeshExtent, MeshGround, MeshOptions};

/// Number of samples along the side of a tile.
const SAMPLES: usize = 65;
/// Error in metres that CesiumJS assumes for tiles at zoom 0 (`EllipsoidTerrain`: 1/4 of a pixel of a 65-sample tile).
const CESIUM_ERROR: f64 = 77_067.339_852_7;
/// Error of our triangles as a fraction of the error that CesiumJS assumes. CesiumJS tolerates an error of two pixels
/// on the screen, so the actual error is a quarter of a pixel.
const CESIUM_SHARE: f64 = 0.125;
/// Length of a degree of latitude, in metres.
const METRES_A_DEGREE: f64 = 111_319.490_793;

/// A square terrain as tiles of triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GlobePyramid {
    /// Position of the centre of the terrain.
    pub position: MapPosition,
    /// Side length of the terrain in metres.
    pub side_metres: f32,
    /// Metres per unit of height.
    pub relief_metres: f32,
    /// Height of the surface outside the terrain, in metres.
    pub beyond_metres: f32,
    /// The closest zoom. `None` means the first zoom whose samples are at least as dense as the terrain's own samples.
    pub closest_zoom: Option<u32>,
}

/// Side length of a tile in degrees.
fn tile_degrees(zoom: u32) -> f64 {
    180.0 / f64::from(1u32 << zoom)
}

impl GlobePyramid {
    /// Fills a new folder with tiles of all zooms from 0 to the closest.
    ///
    /// # Errors
    /// When the export is cancelled, the terrain is not a square or does not fit on the map, or the folder cannot be
    /// written.
    pub fn write(&self, terrain: &Terrain, folder: &Path, control: &Control) -> Result<WebMapReport, WebMapError> {
        if terrain.grid.is_globe() {
            return Err(WebMapError::Position(
                "tiles can only be made from square terrains; export a mesh of the planet instead".into(),
            ));
        }
        let square = MercatorSquare::new(self.position, self.side_metres)?;
        let bounds = square.bounds();
        let cell = (bounds.north - bounds.south) * f64::from(terrain.grid.cell());
        let step = |zoom: u32| tile_degrees(zoom) / (SAMPLES - 1) as f64;
        let finest = (0..CLOSEST).find(|&zoom| step(zoom) <= cell * (1.0 + 1e-6)).unwrap_or(CLOSEST);
        let closest = self.closest_zoom.unwrap_or(finest);
        if closest > CLOSEST {
            return Err(WebMapError::Zoom(format!("zoom {closest} is too close; the closest possible is {CLOSEST}")));
        }
        let ranges: Vec<TileRange> = (0..=closest).map(|zoom| tile_range(zoom, bounds)).collect();
        let tiles = check_count(&ranges)?;
        let levels = TerrainLevels::new(terrain, self.relief_metres);
        let available: Vec<_> = ranges
            .iter()
            .map(|TileRange { columns, rows, .. }| {
                json!([{ "startX": columns.start(), "startY": rows.start(), "endX": columns.end(), "endY": rows.end() }])
            })
            .collect();
        let about = json!({
            "tilejson": "2.1.0",
            "name": "Talweg",
            "version": "1.0.0",
            "format": "quantized-mesh-1.0",
            "scheme": "tms",
            "projection": "EPSG:4326",
            "tiles": ["{z}/{x}/{y}.terrain"],
            "extensions": ["octvertexnormals"],
            "minzoom": 0,
            "maxzoom": closest,
            "bounds": [-180, -90, 180, 90],
            "available": available,
        });
        write_folder_atomically(folder, |folder| -> Result<(), WebMapError> {
            for range in &ranges {
                let tiles: Vec<(u32, u32)> = range.tiles().collect();
                tiles.into_par_iter().try_for_each(|(x, y)| -> Result<(), WebMapError> {
                    let (mesh, bounds) = self.tile(&levels, &square, range.zoom, [x, y], control)?;
                    let name = format!("{}/{x}/{y}.terrain", range.zoom);
                    let mut bytes = Vec::new();
                    write_quantized(&mesh, bounds, &mut bytes)
                        .map_err(|source| FileError::Write { path: folder.join(&name), source })?;
                    Ok(write_tile(folder, &name, &bytes)?)
                })?;
            }
            Ok(write_tile(folder, "layer.json", &serde_json::to_vec_pretty(&about).unwrap_or_default())?)
        })?;
        Ok(WebMapReport { zooms: 0..=closest, tiles, bounds })
    }

    fn tile(
        &self,
        levels: &TerrainLevels,
        square: &MercatorSquare,
        zoom: u32,
        [x, y]: [u32; 2],
        control: &Control,
    ) -> Result<(Mesh, GeoBounds), WebMapError> {
        let steps = (SAMPLES - 1) as u32;
        let degrees = tile_degrees(zoom);
        // The longitude is computed from the sample number within the zoom, so that neighbouring tiles have the same
        // bits on their common edge.
        let longitude = |column: u32| -180.0 + f64::from(x * steps + column) / f64::from(steps) * degrees;
        let latitude = |row: u32| -90.0 + f64::from((y + 1) * steps - row) / f64::from(steps) * degrees;
        let bounds =
            GeoBounds { west: longitude(0), south: latitude(steps), east: longitude(steps), north: latitude(0) };
        let step_metres = degrees / f64::from(steps) * METRES_A_DEGREE;
        let place = |row: u32, column: u32| {
            let [east, north] = mercator(longitude(column), latitude(row));
            square.terrain_place(east, north)
        };
        let level = levels.level(step_metres / f64::from(self.side_metres));
        let level = levels.part_between(level, place(0, 0), place(steps, steps))?;
        let mut terrain = Terrain::flat(Grid::new(SAMPLES, Edges::Open));
        for (k, height) in terrain.height.iter_mut().enumerate() {
            let (row, column) = ((k / SAMPLES) as u32, (k % SAMPLES) as u32);
            *height = level.sample(place(row, column)).unwrap_or(self.beyond_metres);
        }
        let side = degrees * METRES_A_DEGREE;
        let ground =
            MeshGround { extent: MeshExtent::Side(side as f32), relief_metres: 1.0, sea_metres: None, colour: None };
        let error = CESIUM_SHARE * CESIUM_ERROR / f64::from(1u32 << zoom);
        let options =
            MeshOptions { error_metres: Some(error as f32), water: false, uvs: false, ..MeshOptions::default() };
        let mut mesh = Mesh::from_terrain(&terrain, &ground, &options, control)?;
        // The mesh assumes the same distance between meridians everywhere. Away from the equator, meridians are closer
        // together, so slopes to the east are steeper.
        for (normal, position) in mesh.normals.iter_mut().zip(&mesh.positions) {
            let share = 0.5 - f64::from(position[2]) / side;
            let latitude = (bounds.south + share * degrees).to_radians();
            let [nx, ny, nz] = normal.map(f64::from);
            let nx = nx / libm::cos(latitude).max(1e-3);
            let length = (nx * nx + ny * ny + nz * nz).sqrt();
            *normal = [nx, ny, nz].map(|x| (x / length) as f32);
        }
        Ok((mesh, bounds))
    }
}

/// The tiles of a zoom that the terrain touches. At zoom 0, the result contains both tiles, because globes require
/// them.
fn tile_range(zoom: u32, bounds: GeoBounds) -> TileRange {
    if zoom == 0 {
        return TileRange { zoom, columns: 0..=1, rows: 0..=0 };
    }
    let degrees = tile_degrees(zoom);
    let range = |low: f64, high: f64, count: u32| -> RangeInclusive<u32> {
        let tile = |distance: f64| ((distance / degrees).max(0.0) as u32).min(count - 1);
        tile(low)..=tile(high)
    };
    TileRange {
        zoom,
        columns: range(bounds.west + 180.0, bounds.east + 180.0, 2 << zoom),
        rows: range(bounds.south + 90.0, bounds.north + 90.0, 1 << zoom),
    }
}
