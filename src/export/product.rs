//! What a preset asks for, with what its names stand for.

use std::path::PathBuf;

use super::coordinates::check_placement;
use super::maps::{self, ExportMap};
use super::raster_file::sample_type;
use super::{ExportError, MESH, PLANTS, ScatterFormat, target};
use crate::io::formats::RasterFormat;
use crate::mesh::formats::{MeshFormat, quantized};
use crate::scene::{BuildPreset, BuildProduct, Scene};

/// A product with what its names stand for.
pub(super) struct CheckedProduct {
    pub kind: CheckedKind,
    pub file: Option<PathBuf>,
}

pub(super) enum CheckedKind {
    Map(ExportMap, &'static RasterFormat),
    Mesh(&'static MeshFormat),
    Plants(ScatterFormat),
}

impl CheckedProduct {
    /// Whether it follows from the heights alone.
    pub fn is_of_heights(&self) -> bool {
        let of_heights = |map: &ExportMap| matches!(map, ExportMap::Heights | ExportMap::Slope | ExportMap::Curvature);
        matches!(&self.kind, CheckedKind::Map(map, _) if of_heights(map))
    }

    /// What stands in names of files for it, if it is one sheet.
    pub fn label(&self) -> String {
        match &self.kind {
            CheckedKind::Map(map, _) => map.to_string().replace(':', "-"),
            CheckedKind::Mesh(_) => MESH.into(),
            CheckedKind::Plants(_) => PLANTS.into(),
        }
    }

    /// Endings of its files, the usual one first.
    pub fn extensions(&self) -> Vec<&'static str> {
        match &self.kind {
            CheckedKind::Map(_, format) => format.extensions.to_vec(),
            CheckedKind::Mesh(format) => vec![format.extension],
            CheckedKind::Plants(format) => vec![format.extension()],
        }
    }
}

/// All products of a preset, with those of its target.
///
/// # Errors
/// When a name stands for nothing, or a format cannot hold a map.
pub(super) fn checked_products(preset: &BuildPreset, scene: &Scene) -> Result<Vec<CheckedProduct>, ExportError> {
    if let Some(placement) = preset.placement.as_ref().filter(|_| !scene.is_planet()) {
        check_placement(placement)?;
    }
    let mut products = preset.products.clone();
    if let Some(target) = target(preset)? {
        for product in target.products(scene) {
            // one that was chosen beside them as well
            if !products.contains(&product) {
                products.push(product);
            }
        }
    }
    if products.is_empty() {
        return Err(ExportError::Preset("there is nothing to export; choose a product".into()));
    }
    products.iter().map(|product| checked_product(product, scene)).collect()
}

/// Formats that hold a terrain as it is; quantized-mesh is one of tiles on the globe.
pub fn mesh_formats() -> impl Iterator<Item = &'static MeshFormat> {
    MeshFormat::ALL.into_iter().filter(|format| !std::ptr::eq(*format, &quantized::FORMAT))
}

/// Whether a format can hold a map.
pub fn holds(format: &RasterFormat, map: &ExportMap) -> bool {
    sample_type(map.nature(), channels(map), format).is_some()
}

/// Channels of the sheets of a map.
pub(super) fn channels(map: &ExportMap) -> usize {
    match map {
        ExportMap::Normals | ExportMap::Colours | ExportMap::Relief => 3,
        ExportMap::Splat => 4,
        _ => 1,
    }
}

/// A format cannot hold a map: with those that can.
pub(super) fn cannot_hold(map: &ExportMap, format: &RasterFormat) -> ExportError {
    let held = match map.nature() {
        maps::MapNature::Bits => "whole numbers of 32 bits in the place of floats".into(),
        _ if channels(map) == 1 => "such numbers".into(),
        _ => format!("{} channels", channels(map)),
    };
    let others = crate::io::formats::RASTER_FORMATS.into_iter().filter(|format| holds(format, map));
    let others = others.map(|format| format!(".{}", format.extension())).collect::<Vec<_>>().join(", ");
    ExportError::Preset(format!("{} cannot hold {held}, which {map} has; choose {others}", format.name))
}

fn checked_product(product: &BuildProduct, scene: &Scene) -> Result<CheckedProduct, ExportError> {
    let file = product.file.as_ref().map(PathBuf::from);
    if product.what == MESH {
        let format = mesh_formats().find(|format| format.id == product.format).ok_or_else(|| {
            let known = mesh_formats().map(|format| format.id).collect::<Vec<_>>().join(", ");
            ExportError::Preset(format!("there is no format `{}` for meshes; there are {known}", product.format))
        })?;
        return Ok(CheckedProduct { kind: CheckedKind::Mesh(format), file });
    }
    if product.what == PLANTS {
        if scene.is_planet() {
            return Err(ExportError::Preset(
                "plants and stones stand on terrains; a planet is too large for them".into(),
            ));
        }
        let format = ScatterFormat::ALL.into_iter().find(|format| format.id() == product.format).ok_or_else(|| {
            let known = ScatterFormat::ALL.map(ScatterFormat::id).join(", ");
            ExportError::Preset(format!("there is no format `{}` for plants; there are {known}", product.format))
        })?;
        return Ok(CheckedProduct { kind: CheckedKind::Plants(format), file });
    }
    let map: ExportMap = product.what.parse().map_err(ExportError::Preset)?;
    let format = RasterFormat::named(&product.format).ok_or_else(|| {
        let known = crate::io::formats::RASTER_FORMATS.map(|format| format.id).join(", ");
        ExportError::Preset(format!("there is no format `{}`; there are {known}", product.format))
    })?;
    let channels = channels(&map);
    if sample_type(map.nature(), channels, format).is_none() {
        return Err(cannot_hold(&map, format));
    }
    let is_planet = scene.is_planet();
    if is_planet && !matches!(map, ExportMap::Data(_)) && !ExportMap::of_scene(scene).contains(&map) {
        return Err(maps::MapError::OfTerrains(map).into());
    }
    if matches!(map, ExportMap::Data(_)) && !ExportMap::of_scene(scene).contains(&map) {
        return Err(maps::MapError::not_written(map, scene).into());
    }
    Ok(CheckedProduct { kind: CheckedKind::Map(map, format), file })
}
