//! Everything leaves the program: one evaluation, many products.
//!
//! A [`BuildPreset`] says what is written; [`check`] finds what is wrong with it before any work, [`export`] writes all
//! of its files, together or not at all. The command line, the window and other programs use these two alike.
//!
//! | file or folder | what it holds |
//! |---|---|
//! | `product` | what a preset asks for |
//! | `maps` | everything that can leave as a raster, and the one list of it |
//! | `raster_file` | a map in a raster format |
//! | `mesh_file` | the terrain as a mesh |
//! | `scatter_file` | plants and stones |
//! | `coordinates` | which coordinate systems a terrain can lie in |
//! | `names` | what files are called |
//! | `image_piece` | ground cut out as a piece of a construction |
//! | `streamed` | a raster whose samples are asked for while it is written |
//! | `targets` | engines and programs: what they need, and what to type there |
//! | `origin` | the scene inside a file, and whether the file is still what the scene gives |
//! | `sample_check` | whether the samples of a file are those of its scene |
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
pub mod sample_check;
mod scatter_file;
pub mod streamed;
pub mod targets;

use std::path::{Path, PathBuf};

use serde::Serialize;

pub use error::ExportError;
pub use mesh_file::MeshReport;
pub use product::{holds, mesh_formats};
pub use raster_file::{NODATA, RasterReport};
pub use scatter_file::{ScatterFormat, ScatterReport};

use self::maps::{ExportMap, FilePart, MapNature, MapSheet, MapSource, PixelLayout, SquareMaps, layouts};
use self::mesh_file::MeshJob;
use self::names::{check_distinct, file_name};
use self::product::{CheckedKind, CheckedProduct, channels, checked_products};
use self::raster_file::{RasterJob, cell_metres, sample_type};
use self::scatter_file::ScatterJob;
use self::targets::ExportTarget;
use crate::appearance::{MOST_WEIGHTED, legend_ron};
use crate::eval::MemoryUse;
use crate::field::{Control, Edges, MapKind, Terrain};
use crate::io::formats::{GeoReference, RasterFormat, SampleType};
use crate::io::{FileError, SaveTarget, StagedFile, StagedSet, check_new_folder, check_place, write_folder_atomically};
use crate::planet::projection::{Equirectangular, FACE_NAMES, Registration};
use crate::scene::{BuildPreset, BuildProduct, BuildTiles, Scene};

/// Where the files of a preset go.
#[derive(Clone, Debug)]
pub struct ExportPlace {
    /// The folder that names count from.
    pub folder: PathBuf,
    /// Whether protected files are replaced: see [`SaveTarget`].
    pub force: bool,
}

impl ExportPlace {
    /// Where a file of that name goes.
    pub(crate) fn target(&self, file: &Path) -> SaveTarget {
        SaveTarget::new(self.folder.join(file)).over_read_only(self.force).over_links(self.force)
    }
}

/// What was written.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ExportReport {
    /// The rasters, in the order of the preset.
    pub rasters: Vec<RasterReport>,
    /// The meshes.
    pub meshes: Vec<MeshReport>,
    /// Plants and stones.
    pub plants: Vec<ScatterReport>,
    /// Legends, texts and other files beside them.
    pub others: Vec<PathBuf>,
}

impl ExportReport {
    /// What of it lies in `folder`.
    fn part_inside(&self, folder: &Path) -> Self {
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

    /// The report once what was written into the folder `from` lies in `to`.
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

/// What the products of meshes are called, in the place of a map.
pub const MESH: &str = "mesh";

/// What the products of plants and stones are called.
pub const PLANTS: &str = "plants";

/// Most files of one export: more is a slip of a tile's size.
const MOST_FILES: usize = 4000;

fn target(preset: &BuildPreset) -> Result<Option<&'static ExportTarget>, ExportError> {
    if preset.target.is_empty() {
        return Ok(None);
    }
    ExportTarget::named(&preset.target).map(Some).map_err(ExportError::Preset)
}

/// Samples per side that a preset is evaluated at.
///
/// # Errors
/// When its target is not known, or the size is none that the target takes.
pub fn samples(preset: &BuildPreset, scene: &Scene) -> Result<usize, ExportError> {
    let wanted = preset.samples.map_or(scene.samples(), |samples| samples as usize);
    let Some(target) = target(preset)? else { return Ok(wanted) };
    match preset.samples {
        None => Ok(target.nearest_size(wanted)),
        Some(_) if target.nearest_size(wanted) == wanted => Ok(wanted),
        Some(_) => Err(ExportError::Preset(format!(
            "{} takes no {wanted} samples per side; the nearest size is {}. {}",
            target.name,
            target.nearest_size(wanted),
            target.sizes_text()
        ))),
    }
}

/// What the export takes beside the evaluation.
///
/// # Errors
/// When a name in the preset stands for nothing.
pub fn memory_use(preset: &BuildPreset, scene: &Scene, samples: usize) -> Result<MemoryUse, ExportError> {
    let is_square = !scene.is_planet() && scene.settings.edges == Edges::Open;
    let fields = |map: &ExportMap| match map {
        ExportMap::Heights | ExportMap::Data(_) | ExportMap::Slope | ExportMap::Curvature | ExportMap::Bands => 1.0,
        map if is_square && preset.tiles.is_none() && SquareMaps::is_one_sheet(map) => 1.0,
        ExportMap::Temperature | ExportMap::Moisture => MemoryUse::climate(scene).fields,
        ExportMap::SkyView if is_square && preset.tiles.is_none() => 2.5,
        ExportMap::SkyView => 3.5,
        ExportMap::Splat | ExportMap::Weights if is_square => 4.5,
        ExportMap::Splat | ExportMap::Weights | ExportMap::Control => 12.0,
        ExportMap::Mask(_) => 6.0,
        _ => MemoryUse::COLOURS.fields,
    };
    let products = checked_products(preset, scene)?;
    let of_kind = |kind: &CheckedKind| match kind {
        CheckedKind::Map(map, _) => fields(map),
        // positions, normals, colours, places on pictures and two triangles of a vertex; with an error far fewer
        CheckedKind::Mesh(_) if preset.mesh.error_metres > 0.0 => 9.0,
        CheckedKind::Mesh(_) => 17.0,
        CheckedKind::Plants(_) => MemoryUse::COLOURS.fields,
    };
    let most = products.iter().map(|product| of_kind(&product.kind)).fold(1.0, f64::max);
    let map = planet_map(preset, scene, samples);
    let bytes = map.map_or(0.0, |map| (map.width * map.height) as f64 * 9.0);
    let is_plants = |product: &CheckedProduct| matches!(product.kind, CheckedKind::Plants(_));
    let plants = if products.iter().any(is_plants) { scatter_file::most_bytes(scene) } else { 0.0 };
    let heights_alone = products.iter().all(CheckedProduct::is_of_heights);
    Ok(MemoryUse { fields: most, heights_alone, ..MemoryUse::TERRAIN }.with_bytes(bytes.max(plants)))
}

/// The map of a planet, unless its faces are written.
fn planet_map(preset: &BuildPreset, scene: &Scene, samples: usize) -> Option<Equirectangular> {
    if !scene.is_planet() || preset.planet.cube {
        return None;
    }
    let usual = Equirectangular::for_samples(samples).width;
    let width = preset.planet.width.map_or(usual, |width| width as usize) & !1;
    Some(if preset.planet.points {
        Equirectangular { width: width + 1, height: width / 2 + 1, registration: Registration::Grid }
    } else {
        Equirectangular { width, height: width / 2, registration: Registration::Pixel }
    })
}

/// Finds what is wrong with a preset before any work: names, formats, sizes, tiles, places of files.
///
/// # Errors
/// With what is wrong, and what would be right.
pub fn check(preset: &BuildPreset, scene: &Scene, place: &ExportPlace) -> Result<(), ExportError> {
    let products = checked_products(preset, scene)?;
    let samples = samples(preset, scene)?;
    let tiles = tiles(preset.tiles, samples)?;
    let sheets = |product: &CheckedProduct| match product.kind {
        CheckedKind::Map(ExportMap::Splat, _) => MOST_WEIGHTED.div_ceil(4),
        CheckedKind::Map(ExportMap::Weights, _) => MOST_WEIGHTED,
        _ => 1,
    };
    let parts = parts(preset, scene);
    let files = products.iter().map(sheets).sum::<usize>() * parts.len() * tiles.len();
    if files > MOST_FILES {
        return Err(ExportError::Preset(format!(
            "that would be up to {files} files, and {MOST_FILES} are the most; give larger tiles, or fewer products at a \
             time"
        )));
    }
    let mut names = Vec::new();
    for product in &products {
        if !matches!(product.kind, CheckedKind::Map(..)) {
            names.push(file_name(preset, scene, product, &product.label(), None, None, samples));
            continue;
        }
        for part in &parts {
            let name = |tile: &Tile| file_name(preset, scene, product, &product.label(), *part, tile.name, samples);
            names.extend(tiles.iter().map(name));
        }
    }
    check_distinct(names.iter())?;
    let folder = place.folder.join(&preset.folder);
    if !preset.folder.is_empty() && !folder.exists() {
        // it is made with the files in it
        check_new_folder(&folder)?;
        names.retain(|name| !place.folder.join(name).starts_with(&folder));
    }
    names.iter().try_for_each(|name| Ok(check_place(place.target(name))?))
}

/// Faces of a cube, or the one sheet there is.
fn parts(preset: &BuildPreset, scene: &Scene) -> Vec<FilePart> {
    if scene.is_planet() && preset.planet.cube { FACE_NAMES.map(Some).to_vec() } else { vec![None] }
}

/// A tile of a raster; the only one has no name.
#[derive(Clone, Copy)]
struct Tile {
    name: Option<[usize; 2]>,
    /// Row and column of its first sample.
    first: [usize; 2],
    samples: usize,
}

/// The tiles of a raster of `samples` per side.
fn tiles(wanted: Option<BuildTiles>, samples: usize) -> Result<Vec<Tile>, ExportError> {
    let Some(wanted) = wanted else { return Ok(vec![Tile { name: None, first: [0; 2], samples }]) };
    let side = wanted.samples as usize;
    let step = if wanted.shared_edges { side - 1 } else { side };
    let whole = if wanted.shared_edges { samples - 1 } else { samples };
    if side > samples || step == 0 || !whole.is_multiple_of(step) {
        let fits = |count: usize| count * step + usize::from(wanted.shared_edges);
        let below = fits((whole / step.max(1)).max(1));
        let kind = if wanted.shared_edges { "that share their edges" } else { "that share nothing" };
        return Err(ExportError::Preset(format!(
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

/// Bytes of a product before it is packed, and what people call it: what the window says before an export.
///
/// # Errors
/// When a name in the preset stands for nothing.
pub fn sizes(preset: &BuildPreset, scene: &Scene) -> Result<Vec<(String, u64)>, ExportError> {
    let n = samples(preset, scene)?;
    let (width, height) = planet_map(preset, scene, n).map_or((n, n), |map| (map.width, map.height));
    let faces = parts(preset, scene).len();
    let products = checked_products(preset, scene)?;
    let size = |product: &CheckedProduct| {
        let (map, format) = match &product.kind {
            // half as many vertices as triangles, of 12 + 12 + 3 bytes, and indices of 4
            CheckedKind::Mesh(format) => return (format!("Mesh · {}", format.name), (n * n * 51) as u64),
            // of a few thousand on a square kilometre, with some 50 bytes each
            CheckedKind::Plants(format) => {
                let kilometres = scene.settings.size_metres / 1000.0;
                return (format!("Plants and stones · {}", format.name()), (kilometres * kilometres * 2e5) as u64);
            }
            CheckedKind::Map(map, format) => (map, format),
        };
        let channels = channels(map);
        let kind = sample_type(map.nature(), channels.min(format.channels), format);
        let each = kind.unwrap_or(SampleType::F32).bytes() * channels;
        (format!("{} · {}", map.name(), format.name), (width * height * faces * each) as u64)
    };
    Ok(products.iter().map(size).collect())
}

/// Writes all files of a preset from a terrain that was evaluated at [`samples`]. `tell` is given the share that is
/// done. Files that were there are replaced together, at the end.
///
/// # Errors
/// When something cannot be made or written, or it was cancelled; nothing was replaced then, unless the error says so.
pub fn export(
    preset: &BuildPreset,
    scene: &Scene,
    terrain: &Terrain,
    place: &ExportPlace,
    control: &Control,
    tell: &(dyn Fn(f32) + Sync),
) -> Result<ExportReport, ExportError> {
    let made = MadeTerrain { scene, terrain, texts: origin::texts(scene, terrain)? };
    export_made(preset, &made, place, control, tell)
}

/// [`export`] of a terrain that the scene alone does not make: the files carry no scene.
///
/// # Errors
/// As [`export`], and when a map is asked for that would have to be evaluated again.
pub fn export_without_scene(
    preset: &BuildPreset,
    scene: &Scene,
    terrain: &Terrain,
    place: &ExportPlace,
    control: &Control,
    tell: &(dyn Fn(f32) + Sync),
) -> Result<ExportReport, ExportError> {
    for product in checked_products(preset, scene)? {
        if let CheckedKind::Map(map @ ExportMap::Mask(_), _) = product.kind {
            let text = format!("`{map}` would be that of another terrain: the scene alone does not make this one");
            return Err(ExportError::Preset(text));
        }
    }
    export_made(preset, &MadeTerrain { scene, terrain, texts: Vec::new() }, place, control, tell)
}

/// A terrain with the scene that says how large it is, and the texts that its files carry.
struct MadeTerrain<'a> {
    scene: &'a Scene,
    terrain: &'a Terrain,
    texts: Vec<(String, String)>,
}

fn export_made(
    preset: &BuildPreset,
    made: &MadeTerrain,
    place: &ExportPlace,
    control: &Control,
    tell: &(dyn Fn(f32) + Sync),
) -> Result<ExportReport, ExportError> {
    place_together(preset, place, |preset, place| stage(preset, made, place, control, tell))
}

/// Lets `stage` write the files of a preset, and puts them in their places together. A folder that is not there yet
/// appears with all that is in it.
///
/// # Errors
/// What `stage` says, or what keeps the files from their places.
pub(crate) fn place_together<E: From<FileError>>(
    preset: &BuildPreset,
    place: &ExportPlace,
    stage: impl FnOnce(&BuildPreset, &ExportPlace) -> Result<(ExportReport, StagedSet), E>,
) -> Result<ExportReport, E> {
    let folder = place.folder.join(&preset.folder);
    if preset.folder.is_empty() || folder.exists() {
        let (report, set) = stage(preset, place)?;
        set.commit()?;
        return Ok(report);
    }
    let mut report = ExportReport::default();
    write_folder_atomically(&folder, |temporary| {
        let inside = ExportPlace { folder: temporary.into(), force: place.force };
        let absolute = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
        let (around, folder_there) = (absolute(place.folder.join(".")), absolute(folder.clone()));
        // chosen names count from the folder around it, and may lead elsewhere
        let moved = |file: String| {
            let whole = around.join(file);
            let inside = whole.strip_prefix(&folder_there).map(|name| absolute(temporary.join(name)));
            inside.unwrap_or(whole).to_string_lossy().into_owned()
        };
        let moved = |product: &BuildProduct| BuildProduct { file: product.file.clone().map(moved), ..product.clone() };
        let products = preset.products.iter().map(moved).collect();
        let (made, set) = stage(&BuildPreset { folder: String::new(), products, ..preset.clone() }, &inside)?;
        // chosen names that lead elsewhere are not locked; the folder is
        set.commit_in_locked_folder()?;
        report =
            made.moved(&absolute(temporary.into()), &folder).moved(temporary, &folder).moved(&around, &place.folder);
        Ok::<_, E>(())
    })?;
    Ok(report)
}

/// Writes all new files beside the old ones.
fn stage(
    preset: &BuildPreset,
    MadeTerrain { scene, terrain, texts }: &MadeTerrain,
    place: &ExportPlace,
    control: &Control,
    tell: &(dyn Fn(f32) + Sync),
) -> Result<(ExportReport, StagedSet), ExportError> {
    let products = checked_products(preset, scene)?;
    let layouts = layouts(terrain, planet_map(preset, scene, terrain.samples()));
    let source = MapSource { scene, terrain, band_metres: band_metres(preset, scene) };
    let square = SquareMaps::new(scene, *terrain, control);
    let (mut report, mut set) = (ExportReport::default(), StagedSet::default());
    for (k, product) in products.iter().enumerate() {
        control.check()?;
        match &product.kind {
            CheckedKind::Mesh(format) => {
                let path = file_name(preset, scene, product, MESH, None, None, terrain.samples());
                let job = MeshJob { scene, terrain, format, how: preset.mesh, texts };
                let (made, staged) = job.stage(&place.target(&path), control)?;
                report.meshes.push(made);
                set.push(staged);
            }
            CheckedKind::Plants(format) => {
                let path = file_name(preset, scene, product, PLANTS, None, None, terrain.samples());
                let job = ScatterJob { scene, terrain, format: *format, placement: preset.placement };
                let (made, staged) = job.stage(&place.target(&path), control)?;
                report.plants.push(made);
                set.push(staged);
            }
            CheckedKind::Map(map, format) => {
                for (part, layout) in &layouts {
                    // what is cut into tiles, or becomes several files, would be worked out for each
                    let is_read_once = preset.tiles.is_none() && terrain.grid.has_edge();
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
                            preset,
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
    if let Some(target) = target(preset)? {
        let path = Path::new(&preset.folder).join(targets::READ_ME);
        let text = target.read_me(scene, terrain.samples(), &report, &place.folder.join(&preset.folder));
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

/// Height of a band of [`ExportMap::Bands`] in metres.
fn band_metres(preset: &BuildPreset, scene: &Scene) -> f32 {
    preset.band_metres.unwrap_or(scene.settings.relief_metres / 16.0)
}

/// Where the part of a square that begins at a row and column lies, in metres.
fn square_placement(preset: &BuildPreset, scene: &Scene, cell_metres: f32, [row, column]: [usize; 2]) -> GeoReference {
    let step = f64::from(cell_metres);
    let side = f64::from(scene.settings.size_metres);
    let (epsg, west, south) = preset.placement.map_or((None, 0.0, 0.0), |p| (Some(p.epsg), p.west, p.south));
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

/// A sheet that is to be written, with everything that its files depend on.
struct SheetJob<'a> {
    preset: &'a BuildPreset,
    scene: &'a Scene,
    terrain: &'a Terrain,
    place: &'a ExportPlace,
    product: &'a CheckedProduct,
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
        let Self { preset, scene, terrain, product, layout, is_heights, .. } = *self;
        let sheet = &self.sheet;
        let is_square = layout.width == layout.height;
        let ground = |row: usize, column: usize| terrain.has_ground(layout.nearest(row, column));
        let has_void = sheet.nature == MapNature::Scalar && terrain.map(MapKind::Ground).is_some();
        for tile in tiles(preset.tiles.filter(|_| is_square), layout.width)? {
            control.check()?;
            let part_name = self.part;
            let name = |label: &str, extension: Option<&str>| {
                // the legend is that of all faces and tiles
                let (part, tile) = if extension.is_some() { (None, None) } else { (part_name, tile.name) };
                let path = file_name(preset, scene, product, label, part, tile, terrain.samples());
                extension.map_or(path.clone(), |extension| path.with_extension(extension))
            };
            let [first, left] = tile.first;
            let part =
                if is_square { [first, left, tile.samples, tile.samples] } else { [0, 0, layout.height, layout.width] };
            let job = RasterJob {
                format: self.format,
                sheet,
                part,
                range: preset.height_range.filter(|_| is_heights).unwrap_or(sheet.range),
                normalised: preset.normalised,
                south_first: preset.south_first,
                big_endian: preset.big_endian,
                directx_normals: preset.directx_normals,
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

    /// Where the part that begins at a row and column lies: squares in metres, maps of planets in degrees, faces
    /// nowhere.
    fn placement(&self, [row, column]: [usize; 2]) -> Option<GeoReference> {
        if !self.scene.is_planet() {
            return Some(square_placement(self.preset, self.scene, self.cell_metres(), [row, column]));
        }
        let crate::appearance::PlanetLayout::Map(map) = self.layout.planet else { return None };
        let is_area = map.registration == Registration::Pixel;
        let (across, half) = if is_area { (map.width as f64, 0.5) } else { ((map.width - 1) as f64, 0.0) };
        let step = 360.0 / across;
        // only Earth has the number of Earth's coordinates
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
