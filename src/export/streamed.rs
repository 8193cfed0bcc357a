//! Rasters whose samples are asked for while they are written, where no terrain is held as a whole. Their files are
//! byte for byte those of [`export`](super::export) of the whole.

use super::maps::{ExportMap, SampledSquare};
use super::names::{file_name, with_tile};
use super::product::{CheckedKind, checked_products};
use super::raster_file::RasterJob;
use super::{ExportError, ExportPlace, RasterReport, band_metres, origin, square_placement, tiles};
use crate::field::{Control, MAX_SAMPLES};
use crate::io::formats::RasterFormat;
use crate::io::{SaveTarget, StagedFile};
use crate::scene::{BuildPreset, BuildTiles, Scene};

/// Heights or another map of a square terrain, sample by sample.
pub struct StreamedMap<'a> {
    /// What made it.
    pub scene: &'a Scene,
    /// Samples a side.
    pub samples: usize,
    /// Content hash of the terrain.
    pub hash: u128,
    /// How it is written.
    pub preset: &'a BuildPreset,
    /// What is written.
    pub map: &'a ExportMap,
    /// Lowest and highest number on the ground, as the terrain holds them: of the data map, or of the heights; of
    /// curvature in 1/m.
    pub range: (f32, f32),
    /// The number of the data map, or of the heights, at a row and column, as the terrain holds it.
    pub value: &'a (dyn Fn(usize, usize) -> f32 + Sync),
    /// Whether there is ground at a row and column, where that is not so everywhere.
    pub ground: Option<&'a (dyn Fn(usize, usize) -> bool + Sync)>,
    /// Who can stop the writing.
    pub control: &'a Control,
}

/// A tile of a raster, or the only one: what is written, and the samples of the whole that it has.
pub struct StreamedPart {
    /// The file.
    pub target: SaveTarget,
    /// Row, column, number of rows and of columns.
    pub part: [usize; 4],
    format: &'static RasterFormat,
}

/// A map with its files.
pub struct StreamedProduct {
    /// What they show.
    pub map: ExportMap,
    /// The files.
    pub parts: Vec<StreamedPart>,
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

/// Whether a map can be written of some rows of a terrain at a time: heights, data maps, slope, normals, bands.
pub fn is_streamed(map: &ExportMap) -> bool {
    SampledSquare::has(map)
}

/// The products of a preset at `samples` a side, if all of them can be written of some rows of a terrain at a time.
///
/// # Errors
/// When one cannot, with its name and what would, or a name in the preset stands for nothing.
pub fn streamed_products(
    preset: &BuildPreset,
    scene: &Scene,
    place: &ExportPlace,
    samples: usize,
) -> Result<Vec<StreamedProduct>, ExportError> {
    if !preset.target.is_empty() {
        return Err(of_whole(&format!("a folder for {}", preset.target), samples));
    }
    let tiles = tiles(preset.tiles, samples)?;
    let mut made = Vec::new();
    for product in checked_products(preset, scene)? {
        let CheckedKind::Map(map, format) = &product.kind else {
            return Err(of_whole(&format!("`{}`", product.label()), samples));
        };
        if !SampledSquare::has(map) {
            return Err(of_whole(&format!("`{map}`"), samples));
        }
        let part = |tile: &super::Tile| {
            let path = file_name(preset, scene, &product, &product.label(), None, tile.name, samples);
            StreamedPart {
                target: place.target(&path),
                part: [tile.first[0], tile.first[1], tile.samples, tile.samples],
                format,
            }
        };
        made.push(StreamedProduct { map: map.clone(), parts: tiles.iter().map(part).collect() });
    }
    Ok(made)
}

fn of_whole(product: &str, samples: usize) -> ExportError {
    ExportError::Preset(format!(
        "{product} is made of the terrain as a whole, and {samples} samples a side are written some rows at a time: \
         heights, data maps, slope, curvature, normals and bands can be. Leave it out, or give --size {MAX_SAMPLES} or less"
    ))
}

impl StreamedMap<'_> {
    /// Writes a part beside the file of that name that may be there.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn stage(&self, part: &StreamedPart) -> Result<(RasterReport, StagedFile), ExportError> {
        let (scene, preset) = (self.scene, self.preset);
        let grid = scene.grid(self.samples);
        let square = SampledSquare {
            scene,
            grid,
            range: self.range,
            value: self.value,
            band_metres: band_metres(preset, scene),
        };
        let sheet = square.sheet(self.map);
        let cell_metres = scene.settings.size_metres * grid.cell();
        let [first, left, ..] = part.part;
        let texts = origin::texts_of(scene, self.samples, self.hash)?;
        let has_void = sheet.nature == super::MapNature::Scalar;
        let job = RasterJob {
            format: part.format,
            sheet: &sheet,
            part: part.part,
            range: preset.height_range.filter(|_| *self.map == ExportMap::Heights).unwrap_or(sheet.range),
            normalised: preset.normalised,
            south_first: preset.south_first,
            big_endian: preset.big_endian,
            directx_normals: preset.directx_normals,
            cell_metres,
            placement: Some(square_placement(preset, scene, cell_metres, [first, left])),
            texts: &texts,
            ground: self.ground.filter(|_| has_void),
            control: self.control,
        };
        Ok(job.stage(&part.target)?)
    }
}
