//! The check of a request before any work.

use std::path::PathBuf;

use super::export_size::{file_parts, samples};
use super::maps::ExportMap;
use super::names::{check_distinct, file_name};
use super::product::all_products;
use super::raster_tiles::{Tile, tiles};
use super::targets::READ_ME;
use super::{ExportError, ExportFolder, ExportProduct, ExportRequest, ProductKind};
use crate::appearance::MOST_WEIGHTED;
use crate::io::system_names::is_of_other_system;
use crate::io::{check_new_folder, check_writable};
use crate::scene::Scene;

/// Maximum number of files of one export; a higher number suggests a mistyped tile size.
const MOST_FILES: usize = 4000;

/// Finds mistakes in a request before any work: products, formats, sizes, tiles, file names and folders.
///
/// # Errors
/// The first mistake, and how to correct it.
pub fn check(request: &ExportRequest, scene: &Scene, place: &ExportFolder) -> Result<(), ExportError> {
    let mut names = product_names(request, scene)?;
    check_distinct(names.iter())?;
    let folder = place.folder.join(&request.folder);
    if !request.folder.as_os_str().is_empty() && !folder.exists() {
        // The new folder is created together with the files in it.
        check_new_folder(&folder)?;
        names.retain(|name| !place.folder.join(name).starts_with(&folder));
    }
    names.iter().try_for_each(|name| Ok(check_writable(place.target(name))?))
}

/// The files that an export writes, and its folder. If a product has several sheets, only one name stands for them; all
/// are in the same folder.
///
/// # Errors
/// The mistakes in products, sizes and tiles that [`check`] finds.
pub fn output_files(request: &ExportRequest, scene: &Scene, place: &ExportFolder) -> Result<Vec<PathBuf>, ExportError> {
    let mut names = product_names(request, scene)?;
    names.extend(request.target.map(|_| request.folder.join(READ_ME)));
    names.push(request.folder.join("."));
    // A path such as `C:\x` stays as it is, so that it counts as outside the folder on every system.
    let whole = |name: PathBuf| if is_of_other_system(&name) { name } else { place.folder.join(name) };
    Ok(names.into_iter().map(whole).collect())
}

/// Names of the files of all products, relative to the folder of the export.
fn product_names(request: &ExportRequest, scene: &Scene) -> Result<Vec<PathBuf>, ExportError> {
    let products = all_products(request, scene)?;
    let samples = samples(request, scene)?;
    let tiles = tiles(request.tiles, samples)?;
    let sheets = |product: &ExportProduct| match product.kind {
        ProductKind::Map(ExportMap::Splat, _) => MOST_WEIGHTED.div_ceil(4),
        ProductKind::Map(ExportMap::Weights, _) => MOST_WEIGHTED,
        _ => 1,
    };
    let parts = file_parts(request, scene);
    let files = products.iter().map(sheets).sum::<usize>() * parts.len() * tiles.len();
    if files > MOST_FILES {
        return Err(ExportError::Request(format!(
            "that would be up to {files} files, more than the maximum of {MOST_FILES}; give larger tiles, or export \
             fewer products at a time"
        )));
    }
    let mut names = Vec::new();
    for product in &products {
        if !matches!(product.kind, ProductKind::Map(..)) {
            names.push(file_name(request, scene, product, &product.kind.label(), None, None, samples));
            continue;
        }
        for part in &parts {
            let name =
                |tile: &Tile| file_name(request, scene, product, &product.kind.label(), *part, tile.name, samples);
            names.extend(tiles.iter().map(name));
        }
    }
    Ok(names)
}
