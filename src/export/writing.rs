//! Writes all files of a request, and moves them into place together.

use std::path::PathBuf;

use super::export_size::planet_map;
use super::maps::{self, ExportMap, MapSource, SquareMaps, layouts};
use super::mesh_file::MeshJob;
use super::names::{check_distinct, file_name};
use super::origin::OriginTexts;
use super::product::all_products;
use super::scatter_file::ScatterJob;
use super::sheet_file::SheetJob;
use super::{
    ExportError, ExportFolder, ExportReport, ExportRequest, MESH, PLANTS, ProductKind, TEXTURES, targets, texture_sets,
};
use crate::field::{Control, Terrain};
use crate::io::{FileError, StagedFile, StagedSet, write_folder_atomically};
use crate::scene::{Scene, TerrainAttribute};

/// A terrain, the scene with its scale, and the texts stored in the files.
pub(super) struct TerrainToExport<'a> {
    pub(super) scene: &'a Scene,
    pub(super) terrain: &'a Terrain,
    pub(super) texts: OriginTexts<'a>,
}

pub(super) fn export_made(
    request: &ExportRequest,
    made: &TerrainToExport,
    place: &ExportFolder,
    control: &Control,
    tell: &(dyn Fn(f32) + Sync),
) -> Result<ExportReport, ExportError> {
    commit_together(request, place, |request, place| stage(request, made, place, control, tell))
}

/// Calls `stage` to write the files of a request, then moves all of them into place together. A missing folder appears
/// complete with its files.
///
/// # Errors
/// The errors of `stage`, or if the files cannot be moved into place.
pub(crate) fn commit_together<E: From<FileError>>(
    request: &ExportRequest,
    place: &ExportFolder,
    stage: impl FnOnce(&ExportRequest, &ExportFolder) -> Result<(ExportReport, StagedSet), E>,
) -> Result<ExportReport, E> {
    let folder = place.folder.join(&request.folder);
    if request.folder.as_os_str().is_empty() || folder.exists() {
        let (report, set) = stage(request, place)?;
        set.commit()?;
        return Ok(report);
    }
    let mut report = ExportReport::default();
    write_folder_atomically(&folder, |temporary| {
        let inside = ExportFolder { folder: temporary.into(), ..place.clone() };
        let absolute = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
        let (around, folder_there) = (absolute(place.folder.join(".")), absolute(folder.clone()));
        // File names chosen by the user are relative to the parent of the new folder. They can also name files in other
        // folders.
        let moved = |file: PathBuf| {
            let whole = around.join(file);
            let inside = whole.strip_prefix(&folder_there).map(|name| absolute(temporary.join(name)));
            inside.unwrap_or(whole)
        };
        let mut request = ExportRequest { folder: PathBuf::new(), ..request.clone() };
        request.products.iter_mut().for_each(|product| product.file = product.file.take().map(moved));
        let (made, set) = stage(&request, &inside)?;
        // The folder is locked; files with chosen names in other folders are not.
        set.commit_in_locked_folder()?;
        report =
            made.moved(&absolute(temporary.into()), &folder).moved(temporary, &folder).moved(&around, &place.folder);
        Ok::<_, E>(())
    })?;
    Ok(report)
}

/// Writes all new files into the folders of the existing ones, without replacing those files yet.
fn stage(
    request: &ExportRequest,
    TerrainToExport { scene, terrain, texts }: &TerrainToExport,
    place: &ExportFolder,
    control: &Control,
    tell: &(dyn Fn(f32) + Sync),
) -> Result<(ExportReport, StagedSet), ExportError> {
    let products = all_products(request, scene)?;
    let layouts = layouts(terrain, planet_map(request, scene, terrain.samples()));
    let source = MapSource { scene, terrain, band_metres: request.band_height(scene) };
    let square = SquareMaps::new(scene, *terrain, control);
    let (mut report, mut set) = (ExportReport::default(), StagedSet::default());
    for (k, product) in products.iter().enumerate() {
        control.check()?;
        match &product.kind {
            ProductKind::Mesh(format) => {
                let path = file_name(request, scene, product, MESH, None, None, terrain.samples());
                let texts = &texts.for_file(&place.folder.join(&path))?;
                let job = MeshJob { scene, terrain, format, options: request.mesh, texts };
                let (made, staged) = job.stage(&place.target(&path), control)?;
                report.meshes.push(made);
                set.push(staged);
            }
            ProductKind::Plants(format) => {
                let path = file_name(request, scene, product, PLANTS, None, None, terrain.samples());
                let job = ScatterJob { scene, terrain, format: *format, placement: request.placement };
                let (made, staged) = job.stage(&place.target(&path), control)?;
                report.plants.push(made);
                set.push(staged);
            }
            ProductKind::Textures => {
                let path = file_name(request, scene, product, TEXTURES, None, None, terrain.samples());
                let target = |path: &std::path::Path| place.target(path);
                report.others.extend(texture_sets::stage(scene, &path, &target, control, &mut set)?);
            }
            ProductKind::Map(map, format) => {
                for (part, layout) in &layouts {
                    // Tiles and maps of several sheets read a map several times, so the map stays in memory for them.
                    let is_read_once = request.tiles.is_none() && terrain.grid.has_edge();
                    let sheets = match map {
                        ExportMap::Attribute(TerrainAttribute::SkyView) if is_read_once => {
                            vec![maps::sky_by_rows(scene, terrain, control)?]
                        }
                        _ if is_read_once && SquareMaps::is_one_sheet(map) => {
                            square.sheets(map, &(0..terrain.samples()))?
                        }
                        _ => source.sheets(map, layout, control)?,
                    };
                    for sheet in sheets {
                        let is_heights = *map == ExportMap::Heights;
                        let part = *part;
                        let job = SheetJob {
                            request,
                            scene,
                            terrain,
                            export_folder: place,
                            product,
                            format,
                            is_heights,
                            part,
                            layout,
                            sheet,
                        };
                        job.stage(texts, control, &mut report, &mut set)?;
                    }
                }
            }
        }
        tell((k + 1) as f32 / products.len() as f32);
    }
    if let Some(target) = request.target {
        let path = request.folder.join(targets::READ_ME);
        let text = target.read_me(scene, terrain.samples(), &report, &place.folder.join(&request.folder));
        set.push(StagedFile::new(place.target(&path), |file| std::io::Write::write_all(file, text.as_bytes()))?);
        report.others.push(place.folder.join(path));
    }
    check_distinct(report.files().iter())?;
    control.check()?;
    Ok((report, set))
}
