//! Exports: many products from one evaluation.
//!
//! An [`ExportRequest`] lists the products. [`check`] finds mistakes in the request before any work, and [`export`]
//! writes all of its files, together or not at all. The command line, the editor and other programs use these two
//! functions.
//!
//! | file or folder | contents |
//! |---|---|
//! | `request` | the products and options of an export, with typed names; read from a build preset |
//! | `product` | a product of a request |
//! | `maps` | the list of all maps that can be written as a raster |
//! | `raster_file` | a map in a raster format |
//! | `mesh_file` | the terrain as a mesh |
//! | `scatter_file` | plants and stones |
//! | `coordinates` | coordinate systems in which a terrain can be placed |
//! | `names` | file names |
//! | `image_piece` | terrain cut out as a primitive of a construction |
//! | `streamed` | rasters written without holding the whole terrain in memory |
//! | `targets` | engines and programs: their files, and their import settings |
//! | `origin` | the scene inside a file, and the hash of its terrain |
//! | `sample_check` | a check whether the samples of a file are those of its scene |
//!
//! Formats are in [`io::formats`](crate::io::formats) and [`mesh::formats`](crate::mesh::formats).

mod coordinates;
mod error;
pub mod image_piece;
pub mod maps;
mod mesh_file;
mod names;
pub mod origin;
mod product;
mod raster_file;
mod request;
pub mod sample_check;
mod scatter_file;
pub mod streamed;
pub mod targets;

use std::path::{Path, PathBuf};

use serde::Serialize;

pub use error::ExportError;
pub use mesh_file::MeshReport;
pub use product::{ExportProduct, ProductKind, holds, mesh_formats};
pub use raster_file::{NODATA, RasterReport};
pub use request::ExportRequest;
pub use scatter_file::{ScatterFormat, ScatterReport};

use self::maps::{ExportMap, FilePart, MapNature, MapSheet, MapSource, PixelLayout, SquareMaps, layouts};
use self::mesh_file::MeshJob;
use self::names::{check_distinct, file_name};

use self::product::{all_products, channels};
use self::raster_file::{RasterJob, cell_metres, sample_type};
use self::scatter_file::ScatterJob;
use crate::appearance::{MOST_WEIGHTED, legend_ron};
use crate::eval::MemoryUse;
use crate::field::{Control, Edges, MapKind, Terrain};
use crate::io::formats::{GeoReference, RasterFormat, SampleType};
use crate::io::{FileError, SaveTarget, StagedFile, StagedSet, check_new_folder, check_place, write_folder_atomically};
use crate::planet::projection::{Equirectangular, FACE_NAMES, Registration};
use crate::scene::{BuildTiles, Scene};

/// The folder to which the files of a request are written.
#[derive(Clone, Debug)]
pub struct ExportPlace {
    /// The folder to which file names are relative.
    pub folder: PathBuf,
    /// Whether protected files are replaced; see [`SaveTarget`].
    pub force: bool,
}

impl ExportPlace {
    /// The target to which a file with this name is written.
    pub(crate) fn target(&self, file: &Path) -> SaveTarget {
        SaveTarget::new(self.folder.join(file)).over_read_only(self.force).over_links(self.force)
    }
}

/// Data about all files of an export.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ExportReport {
    /// The raster files, in the order of the request.
    pub rasters: Vec<RasterReport>,
    /// The mesh files.
    pub meshes: Vec<MeshReport>,
    /// The files of plants and stones.
    pub plants: Vec<ScatterReport>,
    /// Legends, texts and other accompanying files.
    pub others: Vec<PathBuf>,
}

impl ExportReport {
    /// The part of the report about files that are directly in `folder`.
    fn files_in(&self, folder: &Path) -> Self {
        let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.into());
        let folder = absolute(&folder.join("."));
        let is_inside = |path: &Path| absolute(path).parent() == Some(folder.as_path());
        Self {
            rasters: self.rasters.iter().filter(|raster| is_inside(&raster.path)).cloned().collect(),
            meshes: self.meshes.iter().filter(|mesh| is_inside(&mesh.path)).cloned().collect(),
            plants: self.plants.iter().filter(|plants| is_inside(&plants.path)).cloned().collect(),
            others: self.others.iter().filter(|path| is_inside(path)).cloned().collect(),
        }
    }

    /// The report with paths updated, after the files in the folder `from` have moved to `to`.
    fn moved(mut self, from: &Path, to: &Path) -> Self {
        let rasters = self.rasters.iter_mut().map(|raster| &mut raster.path);
        let meshes = self.meshes.iter_mut().map(|mesh| &mut mesh.path);
        let plants = self.plants.iter_mut().map(|plants| &mut plants.path);
        for path in rasters.chain(meshes).chain(plants).chain(&mut self.others) {
            if let Ok(name) = path.strip_prefix(from) {
                *path = to.join(name);
            }
        }
        self
    }
}

/// Id of mesh products, where other products have the name of a map.
pub const MESH: &str = "mesh";

/// Id of products of plants and stones.
pub const PLANTS: &str = "plants";

/// Maximum number of files of one export; a higher number suggests a mistyped tile size.
const MOST_FILES: usize = 4000;

/// Samples per side at which the scene is evaluated for a request.
///
/// # Errors
/// If the target does not support the size.
pub fn samples(request: &ExportRequest, scene: &Scene) -> Result<usize, ExportError> {
    let wanted = request.samples.unwrap_or(scene.samples());
    let Some(target) = request.target else { return Ok(wanted) };
    match request.samples {
        None => Ok(target.nearest_size(wanted)),
        Some(_) if target.nearest_size(wanted) == wanted => Ok(wanted),
        Some(_) => Err(ExportError::Request(format!(
            "{} does not support {wanted} samples per side; the nearest size is {}. {}",
            target.name,
            target.nearest_size(wanted),
            target.sizes_text()
        ))),
    }
}

/// Memory that the export needs in addition to the evaluation.
///
/// # Errors
/// If the preset contains an unknown name.
pub fn memory_use(request: &ExportRequest, scene: &Scene, samples: usize) -> Result<MemoryUse, ExportError> {
    let is_square = !scene.is_planet() && scene.settings.edges == Edges::Open;
    let fields = |map: &ExportMap| match map {
        ExportMap::Heights | ExportMap::Data(_) | ExportMap::Slope | ExportMap::Curvature | ExportMap::Bands => 1.0,
        map if is_square && request.tiles.is_none() && SquareMaps::is_one_sheet(map) => 1.0,
        ExportMap::Temperature | ExportMap::Moisture => MemoryUse::climate(scene).fields,
        ExportMap::SkyView if is_square && request.tiles.is_none() => 2.5,
        ExportMap::SkyView => 3.5,
        ExportMap::Splat | ExportMap::Weights if is_square => 4.5,
        ExportMap::Splat | ExportMap::Weights | ExportMap::Control => 12.0,
        ExportMap::Mask(_) => 6.0,
        _ => MemoryUse::COLOURS.fields,
    };
    let products = all_products(request, scene)?;
    let of_kind = |kind: &ProductKind| match kind {
        ProductKind::Map(map, _) => fields(map),
        // Bytes per vertex: position, normal, colour, texture coordinates and two triangles. If an error is allowed,
        // the mesh has far fewer vertices.
        ProductKind::Mesh(_) if request.mesh.error_metres > 0.0 => 9.0,
        ProductKind::Mesh(_) => 17.0,
        ProductKind::Plants(_) => MemoryUse::COLOURS.fields,
    };
    let most = products.iter().map(|product| of_kind(&product.kind)).fold(1.0, f64::max);
    let map = planet_map(request, scene, samples);
    let bytes = map.map_or(0.0, |map| (map.width * map.height) as f64 * 9.0);
    let is_plants = |product: &ExportProduct| matches!(product.kind, ProductKind::Plants(_));
    let plants = if products.iter().any(is_plants) { scatter_file::most_bytes(scene) } else { 0.0 };
    let heights_alone = products.iter().all(ExportProduct::is_of_heights);
    Ok(MemoryUse { fields: most, heights_alone, ..MemoryUse::TERRAIN }.with_bytes(bytes.max(plants)))
}

/// The layout of a planet's map; `None` if the faces are written instead.
fn planet_map(request: &ExportRequest, scene: &Scene, samples: usize) -> Option<Equirectangular> {
    if !scene.is_planet() || request.planet.cube {
        return None;
    }
    let usual = Equirectangular::for_samples(samples).width;
    let width = request.planet.width.map_or(usual, |width| width as usize) & !1;
    Some(if request.planet.points {
        Equirectangular { width: width + 1, height: width / 2 + 1, registration: Registration::Grid }
    } else {
        Equirectangular { width, height: width / 2, registration: Registration::Pixel }
    })
}

/// Finds mistakes in a request before any work: products, formats, sizes, tiles, file names and folders.
///
/// # Errors
/// The first mistake, and how to correct it.
pub fn check(request: &ExportRequest, scene: &Scene, place: &ExportPlace) -> Result<(), ExportError> {
    let products = all_products(request, scene)?;
    let samples = samples(request, scene)?;
    let tiles = tiles(request.tiles, samples)?;
    let sheets = |product: &ExportProduct| match product.kind {
        ProductKind::Map(ExportMap::Splat, _) => MOST_WEIGHTED.div_ceil(4),
        ProductKind::Map(ExportMap::Weights, _) => MOST_WEIGHTED,
        _ => 1,
    };
    let parts = parts(request, scene);
    let files = products.iter().map(sheets).sum::<usize>() * parts.len() * tiles.len();
    if files > MOST_FILES {
        return Err(ExportError::Request(format!(
            "that would be up to {files} files, and {MOST_FILES} are the most; give larger tiles, or export fewer products at \
             a time"
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
    check_distinct(names.iter())?;
    let folder = place.folder.join(&request.folder);
    if !request.folder.as_os_str().is_empty() && !folder.exists() {
        // The new folder is created together with the files in it.
        check_new_folder(&folder)?;
        names.retain(|name| !place.folder.join(name).starts_with(&folder));
    }
    names.iter().try_for_each(|name| Ok(check_place(place.target(name))?))
}

/// The parts of the terrain that get files of their own: the six faces of a cube, or one sheet.
fn parts(request: &ExportRequest, scene: &Scene) -> Vec<FilePart> {
    if scene.is_planet() && request.planet.cube { FACE_NAMES.map(Some).to_vec() } else { vec![None] }
}

/// A tile of a raster; an uncut raster is one tile without a name.
#[derive(Clone, Copy)]
struct Tile {
    name: Option<[usize; 2]>,
    /// Row and column of the first sample.
    first: [usize; 2],
    samples: usize,
}

/// The tiles of a raster with `samples` per side.
fn tiles(wanted: Option<BuildTiles>, samples: usize) -> Result<Vec<Tile>, ExportError> {
    let Some(wanted) = wanted else { return Ok(vec![Tile { name: None, first: [0; 2], samples }]) };
    let side = wanted.samples as usize;
    let step = if wanted.shared_edges { side - 1 } else { side };
    let whole = if wanted.shared_edges { samples - 1 } else { samples };
    if side > samples || step == 0 || !whole.is_multiple_of(step) {
        let fits = |count: usize| count * step + usize::from(wanted.shared_edges);
        let below = fits((whole / step.max(1)).max(1));
        let kind = if wanted.shared_edges { "with shared edges" } else { "without shared edges" };
        return Err(ExportError::Request(format!(
            "{samples} samples do not divide into tiles of {side} {kind}; give a size of {below} or {}",
            fits(whole / step.max(1) + 1)
        )));
    }
    let count = whole / step;
    let tile = |k: usize| Tile {
        name: Some([k % count, k / count]),
        first: [k / count * step, k % count * step],
        samples: side,
    };
    Ok((0..count * count).map(tile).collect())
}

/// Name and uncompressed bytes of each product, for the export window.
///
/// # Errors
/// If the scene does not allow a product.
pub fn sizes(request: &ExportRequest, scene: &Scene) -> Result<Vec<(String, u64)>, ExportError> {
    let n = samples(request, scene)?;
    let (width, height) = planet_map(request, scene, n).map_or((n, n), |map| (map.width, map.height));
    let faces = parts(request, scene).len();
    let products = all_products(request, scene)?;
    let size = |product: &ExportProduct| {
        let (map, format) = match &product.kind {
            // Bytes per sample: a vertex of 12 + 12 + 3 bytes, and two triangles of three 4-byte indices.
            ProductKind::Mesh(format) => return (format!("Mesh · {}", format.name), (n * n * 51) as u64),
            // There are a few thousand objects per square kilometre, of about 50 bytes each.
            ProductKind::Plants(format) => {
                let kilometres = scene.settings.size_metres / 1000.0;
                return (format!("Plants and stones · {}", format.name()), (kilometres * kilometres * 2e5) as u64);
            }
            ProductKind::Map(map, format) => (map, format),
        };
        let channels = channels(map);
        let kind = sample_type(map.nature(), channels.min(format.channels), format);
        let each = kind.unwrap_or(SampleType::F32).bytes() * channels;
        (format!("{} · {}", map.name(), format.name), (width * height * faces * each) as u64)
    };
    Ok(products.iter().map(size).collect())
}

/// Writes all files of a request. The terrain is evaluated at [`samples`]; `tell` receives the finished fraction.
///
/// # Errors
/// If a product cannot be made or written, or on cancel. Unless the error says otherwise, no file was replaced.
pub fn export(
    request: &ExportRequest,
    scene: &Scene,
    terrain: &Terrain,
    place: &ExportPlace,
    control: &Control,
    tell: &(dyn Fn(f32) + Sync),
) -> Result<ExportReport, ExportError> {
    let made = MadeTerrain { scene, terrain, texts: origin::texts(scene, terrain)? };
    export_made(request, &made, place, control, tell)
}

/// As [`export`], for a terrain that the scene alone does not reproduce: the files do not contain the scene.
///
/// # Errors
/// As [`export`], and for maps that would have to be evaluated again.
pub fn export_without_scene(
    request: &ExportRequest,
    scene: &Scene,
    terrain: &Terrain,
    place: &ExportPlace,
    control: &Control,
    tell: &(dyn Fn(f32) + Sync),
) -> Result<ExportReport, ExportError> {
    for product in all_products(request, scene)? {
        if let ProductKind::Map(map @ ExportMap::Mask(_), _) = product.kind {
            let text =
                format!("`{map}` cannot be exported: its scene alone would evaluate to another terrain than this one");
            return Err(ExportError::Request(text));
        }
    }
    export_made(request, &MadeTerrain { scene, terrain, texts: Vec::new() }, place, control, tell)
}

/// A terrain, the scene with its scale, and the texts stored in the files.
struct MadeTerrain<'a> {
    scene: &'a Scene,
    terrain: &'a Terrain,
    texts: Vec<(String, String)>,
}

fn export_made(
    request: &ExportRequest,
    made: &MadeTerrain,
    place: &ExportPlace,
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
    place: &ExportPlace,
    stage: impl FnOnce(&ExportRequest, &ExportPlace) -> Result<(ExportReport, StagedSet), E>,
) -> Result<ExportReport, E> {
    let folder = place.folder.join(&request.folder);
    if request.folder.as_os_str().is_empty() || folder.exists() {
        let (report, set) = stage(request, place)?;
        set.commit()?;
        return Ok(report);
    }
    let mut report = ExportReport::default();
    write_folder_atomically(&folder, |temporary| {
        let inside = ExportPlace { folder: temporary.into(), force: place.force };
        let absolute = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
        let (around, folder_there) = (absolute(place.folder.join(".")), absolute(folder.clone()));
        // File names chosen by the user are relative to the folder that contains the new one, and may be in other
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
    MadeTerrain { scene, terrain, texts }: &MadeTerrain,
    place: &ExportPlace,
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
                let job = MeshJob { scene, terrain, format, how: request.mesh, texts };
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
            ProductKind::Map(map, format) => {
                for (part, layout) in &layouts {
                    // Tiles and maps of several sheets read a map several times, so the map stays in memory for them.
                    let is_read_once = request.tiles.is_none() && terrain.grid.has_edge();
                    let sheets = match map {
                        ExportMap::SkyView if is_read_once => vec![maps::sky_by_rows(scene, terrain, control)?],
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
                            place,
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
    let written = report.rasters.iter().map(|raster| &raster.path);
    let meshes = report.meshes.iter().map(|mesh| &mesh.path);
    let plants = report.plants.iter().map(|plants| &plants.path);
    check_distinct(written.chain(meshes).chain(plants).chain(&report.others))?;
    control.check()?;
    Ok((report, set))
}

/// Georeference, in metres, of the part of a square that starts at a row and column.
fn square_placement(
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

/// A sheet to write, with all data on which its files depend.
struct SheetJob<'a> {
    request: &'a ExportRequest,
    scene: &'a Scene,
    terrain: &'a Terrain,
    place: &'a ExportPlace,
    product: &'a ExportProduct,
    format: &'static RasterFormat,
    is_heights: bool,
    part: FilePart,
    layout: &'a PixelLayout,
    sheet: MapSheet<'a>,
}

impl SheetJob<'_> {
    fn stage(
        &self,
        texts: &[(String, String)],
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
                texts,
                ground: has_void.then_some(&ground),
                control,
            };
            let (made, staged) = job.stage(&self.place.target(&name(&sheet.label, None)))?;
            report.rasters.push(made);
            set.push(staged);
            let is_first = tile.first == [0; 2] && part_name.is_none_or(|face| face == FACE_NAMES[0]);
            if !sheet.legend.is_empty() && is_first {
                let path = name(&sheet.label, Some("legend.ron"));
                let text = legend_ron(&sheet.legend);
                set.push(StagedFile::new(self.place.target(&path), |f| std::io::Write::write_all(f, text.as_bytes()))?);
                report.others.push(self.place.folder.join(path));
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
        // EPSG codes describe the Earth only.
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
