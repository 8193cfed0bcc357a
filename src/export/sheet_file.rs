//! The raster files of a map sheet: its tiles, its legend, and the position of each tile.

use super::maps::{FilePart, MapNature, MapSheet, PixelLayout};
use super::names::file_name;
use super::origin::OriginTexts;
use super::raster_file::{RasterJob, cell_metres};
use super::raster_tiles::tiles;
use super::{ExportError, ExportFolder, ExportProduct, ExportReport, ExportRequest};
use crate::appearance::legend_ron;
use crate::field::{Control, MapKind, Terrain};
use crate::io::formats::{GeoReference, RasterFormat};
use crate::io::{StagedFile, StagedSet};
use crate::planet::projection::{FACE_NAMES, Registration};
use crate::scene::Scene;

/// A map sheet to write, with all data on which its files depend.
pub(super) struct SheetJob<'a> {
    pub(super) request: &'a ExportRequest,
    pub(super) scene: &'a Scene,
    pub(super) terrain: &'a Terrain,
    pub(super) export_folder: &'a ExportFolder,
    pub(super) product: &'a ExportProduct,
    pub(super) format: &'static RasterFormat,
    pub(super) is_heights: bool,
    pub(super) part: FilePart,
    pub(super) layout: &'a PixelLayout,
    pub(super) sheet: MapSheet<'a>,
}

impl SheetJob<'_> {
    pub(super) fn stage(
        &self,
        texts: &OriginTexts,
        control: &Control,
        report: &mut ExportReport,
        set: &mut StagedSet,
    ) -> Result<(), ExportError> {
        let Self { request, scene, terrain, product, layout, is_heights, .. } = *self;
        let sheet = &self.sheet;
        let is_square = layout.width == layout.height;
        let ground = |row: usize, column: usize| terrain.has_ground(layout.nearest(row, column));
        let has_void = sheet.nature == MapNature::Scalar && terrain.map(MapKind::Ground).is_some();
        for tile in tiles(request.tiles.filter(|_| is_square), layout.width)? {
            control.check()?;
            let part_name = self.part;
            let name = |label: &str, extension: Option<&str>| {
                // All faces and tiles share one legend.
                let (part, tile) = if extension.is_some() { (None, None) } else { (part_name, tile.name) };
                let path = file_name(request, scene, product, label, part, tile, terrain.samples());
                extension.map_or(path.clone(), |extension| path.with_extension(extension))
            };
            let [first, left] = tile.first;
            let target = self.export_folder.target(&name(&sheet.label, None));
            let part =
                if is_square { [first, left, tile.samples, tile.samples] } else { [0, 0, layout.height, layout.width] };
            let job = RasterJob {
                format: self.format,
                sheet,
                part,
                range: request.height_range.filter(|_| is_heights).unwrap_or(sheet.range),
                normalised: request.normalised,
                south_first: request.south_first,
                big_endian: request.big_endian,
                directx_normals: request.directx_normals,
                cell_metres: self.cell_metres(),
                placement: self.placement([first, left]),
                texts: &texts.for_file(target.path())?,
                ground: has_void.then_some(&ground),
                control,
            };
            let (made, staged) = job.stage(&target)?;
            report.rasters.push(made);
            set.push(staged);
            let is_first = tile.first == [0; 2] && part_name.is_none_or(|face| face == FACE_NAMES[0]);
            if !sheet.legend.is_empty() && is_first {
                let path = name(&sheet.label, Some("legend.ron"));
                let text = legend_ron(&sheet.legend);
                set.push(StagedFile::new(self.export_folder.target(&path), |f| {
                    std::io::Write::write_all(f, text.as_bytes())
                })?);
                report.others.push(self.export_folder.folder.join(path));
            }
        }
        Ok(())
    }

    fn cell_metres(&self) -> f32 {
        match self.layout.planet {
            crate::appearance::PlanetLayout::Map(map) => 4.0 * self.scene.planet.side_metres() / map.width as f32,
            crate::appearance::PlanetLayout::Face(_) => cell_metres(self.scene.side_metres(), self.terrain),
        }
    }

    /// Georeference of the part that starts at a row and column: in metres for squares, in degrees for maps of planets.
    /// Faces have no georeference.
    fn placement(&self, [row, column]: [usize; 2]) -> Option<GeoReference> {
        if !self.scene.is_planet() {
            return Some(square_placement(self.request, self.scene, self.cell_metres(), [row, column]));
        }
        let crate::appearance::PlanetLayout::Map(map) = self.layout.planet else { return None };
        let is_area = map.registration == Registration::Pixel;
        let (across, half) = if is_area { (map.width as f64, 0.5) } else { ((map.width - 1) as f64, 0.0) };
        let step = 360.0 / across;
        // EPSG codes describe the Earth only, so the radius identifies the planet.
        let radius = self.scene.planet.radius_metres;
        let is_earth = (radius - 6_371_000.0).abs() < 10_000.0;
        Some(GeoReference {
            epsg: is_earth.then_some(4326),
            in_degrees: true,
            radius_metres: (!is_earth).then_some(f64::from(radius)),
            west: -180.0 + half * step,
            north: 90.0 - half * step,
            step: [step; 2],
            is_area,
        })
    }
}

/// Georeference, in metres, of the part of a square that starts at a row and column.
pub(super) fn square_placement(
    request: &ExportRequest,
    scene: &Scene,
    cell_metres: f32,
    [row, column]: [usize; 2],
) -> GeoReference {
    let step = f64::from(cell_metres);
    let side = f64::from(scene.settings.size_metres);
    let (epsg, west, south) = request.placement.map_or((None, 0.0, 0.0), |p| (Some(p.epsg), p.west, p.south));
    GeoReference {
        epsg,
        in_degrees: false,
        radius_metres: None,
        west: west + column as f64 * step,
        north: south + side - row as f64 * step,
        step: [step; 2],
        is_area: false,
    }
}
