//! A raster whose samples are asked for while it is written, where no terrain is held as a whole. Its file is byte for
//! byte that of [`export`](super::export) of the whole.

use super::maps::{ExportMap, MapSheet};
use super::names::with_tile;
use super::raster_file::RasterJob;
use super::{ExportError, RasterReport, origin, tiles};
use crate::field::MapKind;
use crate::io::formats::{GeoReference, RasterFormat};
use crate::io::{SaveTarget, StagedFile};
use crate::scene::{BuildTiles, Scene};

/// The heights or a data map of a square terrain, sample by sample.
pub struct StreamedMap<'a> {
    /// What made it.
    pub scene: &'a Scene,
    /// Samples a side.
    pub samples: usize,
    /// Content hash of the terrain.
    pub hash: u128,
    /// The data map; none for the heights.
    pub kind: Option<MapKind>,
    /// Lowest and highest number on the ground, as the terrain holds them.
    pub range: (f32, f32),
    /// The number at a row and column, as the terrain holds it.
    pub value: &'a (dyn Fn(usize, usize) -> f32 + Sync),
    /// Whether there is ground at a row and column, where that is not so everywhere.
    pub ground: Option<&'a (dyn Fn(usize, usize) -> bool + Sync)>,
}

/// A tile of a raster, or the only one: what is written, and the samples of the whole that it has.
pub struct StreamedPart {
    /// The file.
    pub target: SaveTarget,
    /// Row, column, number of rows and of columns.
    pub part: [usize; 4],
    format: &'static RasterFormat,
}

/// The files of a raster of `samples` a side that is cut into tiles, or of the whole.
///
/// # Errors
/// When the format is not known, or the size does not divide into such tiles.
pub fn streamed_parts(
    to: &SaveTarget,
    samples: usize,
    tiling: Option<BuildTiles>,
) -> Result<Vec<StreamedPart>, ExportError> {
    let format = RasterFormat::for_path(to.path())?;
    let part = |tile: super::Tile| StreamedPart {
        target: match tile.name {
            Some(name) => to.with_path(with_tile(to.path(), format, name)),
            None => to.clone(),
        },
        part: [tile.first[0], tile.first[1], tile.samples, tile.samples],
        format,
    };
    Ok(tiles(tiling, samples)?.into_iter().map(part).collect())
}

impl StreamedMap<'_> {
    /// Writes a part beside the file of that name that may be there.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn stage(&self, part: &StreamedPart) -> Result<(RasterReport, StagedFile), ExportError> {
        let map = self.kind.map_or(ExportMap::Heights, ExportMap::Data);
        let settings = &self.scene.settings;
        let is_length = self.kind.is_none_or(MapKind::is_thickness);
        let scale = if is_length { settings.relief_metres } else { 1.0 };
        let has_limits = self.kind.is_some_and(MapKind::is_share);
        let range = if has_limits { (0.0, 1.0) } else { (self.range.0 * scale, self.range.1 * scale) };
        let sheet = MapSheet::streamed(&map, range, Box::new(|row, column, _| (self.value)(row, column) * scale));
        let cell_metres = settings.size_metres * self.scene.grid(self.samples).cell();
        let step = f64::from(cell_metres);
        let [first, left, ..] = part.part;
        let texts = origin::texts_of(self.scene, self.samples, self.hash)?;
        let job = RasterJob {
            format: part.format,
            sheet: &sheet,
            part: part.part,
            range,
            normalised: false,
            south_first: false,
            big_endian: false,
            directx_normals: false,
            cell_metres,
            placement: Some(GeoReference {
                epsg: None,
                in_degrees: false,
                west: left as f64 * step,
                north: f64::from(settings.size_metres) - first as f64 * step,
                step: [step; 2],
                is_area: false,
            }),
            texts: &texts,
            ground: self.ground,
        };
        Ok(job.stage(&part.target)?)
    }
}
