//! Rasters of terrains that are not in memory as a whole: samples are computed while the file is written. The files are
//! byte for byte those that [`export`](super::export) writes of the whole terrain.

use std::path::{Path, PathBuf};

use super::maps::{ExportMap, MapNature, MapSheet, SampledSquare, SquareMaps, reason_for_whole};
use super::names::file_name;
use super::origin::OriginTexts;
use super::product::all_products;
use super::raster_file::RasterJob;
use super::raster_tiles::{Tile, tiles};
use super::sheet_file::square_placement;
use super::{ExportError, ExportProduct, ExportReport, ExportRequest, ProductKind, product, targets};
use crate::appearance::legend_ron;
use crate::field::{Control, MAX_SAMPLES};
use crate::io::formats::RasterFormat;
use crate::io::{SaveTarget, StagedFile, StagedSet};
use crate::scene::Scene;

/// Writes maps of a square terrain, sample by sample, without the whole terrain in memory.
pub struct StreamedSquare<'a> {
    /// The scene of the terrain.
    pub scene: &'a Scene,
    /// Samples per side of the terrain.
    pub samples: usize,
    /// Content hash of the terrain.
    pub hash: u128,
    /// The request that contains the options of the files.
    pub request: &'a ExportRequest,
    /// Returns the target to which a file with this name is written.
    pub target: &'a dyn Fn(&Path) -> SaveTarget,
    /// Cancels the writing.
    pub control: &'a Control,
}

/// A tile of a raster; a raster that is not cut is a single part.
pub struct StreamedPart {
    /// Column and row of a tile; `None` for the whole raster.
    tile: Option<[usize; 2]>,
    /// First row, first column, number of rows and number of columns of the part within the whole raster.
    pub part: [usize; 4],
}

/// A map, with its format and file name.
pub struct StreamedProduct {
    /// The map to write.
    pub map: ExportMap,
    format: &'static RasterFormat,
    product: ExportProduct,
}

/// The parts of a raster with `samples` per side.
///
/// # Errors
/// If the raster cannot be divided into tiles of the requested size.
pub fn streamed_parts(request: &ExportRequest, samples: usize) -> Result<Vec<StreamedPart>, ExportError> {
    let part =
        |tile: Tile| StreamedPart { tile: tile.name, part: [tile.first[0], tile.first[1], tile.samples, tile.samples] };
    Ok(tiles(request.tiles, samples)?.into_iter().map(part).collect())
}

/// Whether a map can be written in strips of rows. The relief picture and the maps of occlusion and sunshine cannot,
/// because distant terrain affects them.
pub fn is_streamed(map: &ExportMap) -> bool {
    matches!(map, ExportMap::Mask(_)) || SampledSquare::has(map) || SquareMaps::has(map)
}

/// The map called `name`, if it can be written in strips of rows.
///
/// # Errors
/// If there is no such map; the error lists the available maps.
pub fn streamed_map(name: &str) -> Result<ExportMap, String> {
    name.parse().ok().filter(is_streamed).ok_or_else(|| {
        let known: Vec<_> = ExportMap::all_common().filter(is_streamed).map(|map| map.to_string()).collect();
        format!("there is no map `{name}` that can be made of tiles; there are {}", known.join(", "))
    })
}

/// The products of a request at `samples` per side, if all of them can be written in strips of rows.
///
/// # Errors
/// If a product cannot be written in strips of rows; the error contains the reason and the alternatives. Also if the
/// scene does not allow a product.
pub fn streamed_products(
    request: &ExportRequest,
    scene: &Scene,
    samples: usize,
) -> Result<Vec<StreamedProduct>, ExportError> {
    let mut made = Vec::new();
    tiles(request.tiles, samples)?;
    for product in all_products(request, scene)? {
        let of_whole = |why: &str| {
            ExportError::Request(format!(
                "`{}` needs the whole terrain, because {why}; a terrain of {samples} samples per side is written in \
                 strips of rows. Only heights, data maps, slope, aspect, curvatures, drainage, wetness, normals, bands, \
                 colours, ground types, climate and masks can be. Omit it, or give --size {MAX_SAMPLES} or less",
                product.kind.label()
            ))
        };
        let (map, format) = match &product.kind {
            ProductKind::Mesh(_) => return Err(of_whole("its triangles are chosen over all of it")),
            ProductKind::Plants(_) => return Err(of_whole("plants are placed on all of it")),
            ProductKind::Textures => return Err(of_whole("it is no map of rows")),
            ProductKind::Map(map, format) => (map.clone(), *format),
        };
        if let Some(why) = reason_for_whole(&map, scene) {
            return Err(of_whole(why));
        }
        made.push(StreamedProduct { map, format, product });
    }
    Ok(made)
}

impl StreamedProduct {
    /// A map in the format that the extension of `file` names.
    ///
    /// # Errors
    /// If there is no such format, it cannot hold the map, or the map can only be made of the whole terrain.
    pub fn new(map: &ExportMap, scene: &Scene, file: &Path) -> Result<Self, ExportError> {
        let format = RasterFormat::for_path(file)?;
        product::check_holds(format, map)?;
        if let Some(why) = reason_for_whole(map, scene) {
            return Err(ExportError::Request(format!("`{map}` needs the whole terrain, because {why}")));
        }
        let product = ExportProduct { kind: ProductKind::Map(map.clone(), format), file: Some(file.into()) };
        Ok(Self { map: map.clone(), format, product })
    }

    /// The folder of the product's files.
    pub fn folder(&self, request: &ExportRequest, scene: &Scene, samples: usize) -> PathBuf {
        let path = file_name(request, scene, &self.product, &self.product.kind.label(), None, None, samples);
        path.parent().unwrap_or(Path::new("")).into()
    }
}

impl StreamedSquare<'_> {
    /// Writes a part of a sheet without replacing an existing file of that name yet; the first part also writes the
    /// legend. `ground` returns whether there is terrain at a row and column; `None` if there is terrain everywhere.
    ///
    /// # Errors
    /// If the part cannot be written.
    pub fn stage(
        &self,
        product: &StreamedProduct,
        sheet: &MapSheet,
        part: &StreamedPart,
        ground: Option<&(dyn Fn(usize, usize) -> bool + Sync)>,
        (report, set): (&mut ExportReport, &mut StagedSet),
    ) -> Result<(), ExportError> {
        let (scene, request) = (self.scene, self.request);
        let cell_metres = scene.settings.size_metres * scene.grid(self.samples).cell();
        let [first, left, ..] = part.part;
        let name = |tile| file_name(request, scene, &product.product, &sheet.label, None, tile, self.samples);
        let target = (self.target)(&name(part.tile));
        let texts = OriginTexts::of_hash(scene, self.samples, self.hash).for_file(target.path())?;
        let job = RasterJob {
            format: product.format,
            sheet,
            part: part.part,
            range: request.height_range.filter(|_| product.map == ExportMap::Heights).unwrap_or(sheet.range),
            normalised: request.normalised,
            south_first: request.south_first,
            big_endian: request.big_endian,
            directx_normals: request.directx_normals,
            cell_metres,
            placement: Some(square_placement(request, scene, cell_metres, [first, left])),
            texts: &texts,
            ground: ground.filter(|_| sheet.nature == MapNature::Scalar),
            control: self.control,
        };
        let (raster, staged) = job.stage(&target)?;
        report.rasters.push(raster);
        set.push(staged);
        if !sheet.legend.is_empty() && [first, left] == [0; 2] {
            let target = (self.target)(&name(None).with_extension("legend.ron"));
            let text = legend_ron(&sheet.legend);
            report.others.push(target.path().into());
            set.push(StagedFile::new(&target, |file| std::io::Write::write_all(file, text.as_bytes()))?);
        }
        Ok(())
    }

    /// Height of a band of [`ExportMap::Bands`] in metres.
    pub fn band_metres(&self) -> f32 {
        self.request.band_height(self.scene)
    }

    /// Writes the README of the request's target, if the target has one, about all files in `folder`.
    ///
    /// # Errors
    /// If the README cannot be written.
    pub fn stage_read_me(
        &self,
        folder: &Path,
        (report, set): (&mut ExportReport, &mut StagedSet),
    ) -> Result<(), ExportError> {
        let Some(target) = self.request.target else { return Ok(()) };
        let text = target.read_me(self.scene, self.samples, report, folder);
        let to = (self.target)(&self.request.folder.join(targets::READ_ME));
        report.others.push(to.path().into());
        set.push(StagedFile::new(&to, |file| std::io::Write::write_all(file, text.as_bytes()))?);
        Ok(())
    }
}
