//! Export requests: the products with their formats, and the options of their files. Build presets are the text form of
//! requests; scenes store build presets.

use std::path::{Path, PathBuf};

use super::maps::{ExportMap, MapNature};
use super::names::plain;
use super::product::{ExportProduct, ProductKind};
use super::targets::ExportTarget;
use super::{ExportError, ScatterFormat, texture_sets};
use crate::io::FileError;
use crate::io::formats::{EXR, PNG, RasterFormat, SampleType};
use crate::mesh::formats::MeshFormat;
use crate::scene::{BuildMesh, BuildPlacement, BuildPlanet, BuildPreset, BuildTiles, Scene};

/// Products that are exported together from one evaluation.
#[derive(Clone, Debug)]
pub struct ExportRequest {
    /// Folder of files that have no chosen name, relative to the folder of the [`ExportFolder`](super::ExportFolder).
    /// If empty, the files are written into that folder itself.
    pub folder: PathBuf,
    /// Pattern of file names without their extensions. In the pattern, `{scene}` is replaced by the scene's name,
    /// `{map}` by the map's name and `{size}` by the samples per side.
    pub file_names: String,
    /// The program for which the files are made. The target adds products and a text with the import settings of that
    /// program.
    pub target: Option<&'static ExportTarget>,
    /// Samples per side of the exported terrain; `None` uses the scene's resolution.
    pub samples: Option<usize>,
    /// Products in addition to those of the target.
    pub products: Vec<ExportProduct>,
    /// Heights in metres that 0 and 65535 represent in a 16-bit file. In normalised floats, the heights of 0 and 1.
    /// `None` uses the height range of the terrain.
    pub height_range: Option<(f32, f32)>,
    /// Whether floats are scaled to 0–1 over the height range, instead of being metres.
    pub normalised: bool,
    /// Whether the first row of raw files is the southern edge of the terrain instead of the northern edge.
    pub south_first: bool,
    /// Whether raw files store the most significant byte first.
    pub big_endian: bool,
    /// Whether the green channel of normal maps points south, as in DirectX, instead of north.
    pub directx_normals: bool,
    /// Tiles into which rasters are cut.
    pub tiles: Option<BuildTiles>,
    /// Height of a band in metres, for the map of height bands; `None` means a sixteenth of the relief.
    pub band_metres: Option<f32>,
    /// Position of the terrain in a coordinate system.
    pub placement: Option<BuildPlacement>,
    /// Layout of a planet in the files.
    pub planet: BuildPlanet,
    /// Options of meshes.
    pub mesh: BuildMesh,
}

impl Default for ExportRequest {
    fn default() -> Self {
        let BuildPreset { file_names, mesh, planet, .. } = BuildPreset::default();
        Self {
            folder: PathBuf::new(),
            file_names,
            target: None,
            samples: None,
            products: Vec::new(),
            height_range: None,
            normalised: false,
            south_first: false,
            big_endian: false,
            directx_normals: false,
            tiles: None,
            band_metres: None,
            placement: None,
            planet,
            mesh,
        }
    }
}

impl ExportRequest {
    /// Reads the names in a build preset.
    ///
    /// # Errors
    /// If there is no such program, map or format; the error lists the known ones.
    pub fn from_preset(preset: &BuildPreset) -> Result<Self, ExportError> {
        let BuildPreset { name: _, folder, file_names, target, samples, products, .. } = preset;
        let target = if target.is_empty() { None } else { Some(ExportTarget::named(target)) };
        Ok(Self {
            folder: folder.into(),
            file_names: file_names.clone(),
            target: target.transpose().map_err(ExportError::Request)?,
            samples: samples.map(|samples| samples as usize),
            products: products.iter().map(ExportProduct::named).collect::<Result<_, _>>()?,
            height_range: preset.height_range,
            normalised: preset.normalised,
            south_first: preset.south_first,
            big_endian: preset.big_endian,
            directx_normals: preset.directx_normals,
            tiles: preset.tiles,
            band_metres: preset.band_metres,
            placement: preset.placement,
            planet: preset.planet,
            mesh: preset.mesh,
        })
    }

    /// The request as a build preset named `name`.
    pub fn to_preset(&self, name: &str) -> BuildPreset {
        BuildPreset {
            name: name.into(),
            folder: path_text(&self.folder),
            file_names: self.file_names.clone(),
            target: self.target.map_or_else(String::new, |target| target.id.into()),
            samples: self.samples.map(|samples| samples as u32),
            products: self.products.iter().map(ExportProduct::to_build).collect(),
            height_range: self.height_range,
            normalised: self.normalised,
            south_first: self.south_first,
            big_endian: self.big_endian,
            directx_normals: self.directx_normals,
            tiles: self.tiles,
            band_metres: self.band_metres,
            placement: self.placement,
            planet: self.planet,
            mesh: self.mesh,
        }
    }

    /// The request for `files`. Their extensions set the formats: rasters of the map `what`, meshes, plants. Files of
    /// `maps` are written into the folder of the first raster. With a target, a name without a known extension is the
    /// target's folder.
    ///
    /// # Errors
    /// If an extension is not known, `maps` are requested without a raster, or there are two folders.
    pub fn for_files(
        files: &[PathBuf],
        what: &ExportMap,
        maps: &[ExportMap],
        target: Option<&'static ExportTarget>,
    ) -> Result<Self, ExportError> {
        let mut request = target.map_or_else(Self::default, ExportTarget::request);
        let (mut folder, mut first) = (None, None);
        for path in files {
            let kind = match (file_kind(path, what), target) {
                (Ok(kind), _) => kind,
                (Err(_), Some(_)) if folder.is_none() => {
                    folder = Some(path);
                    continue;
                }
                (Err(_), Some(_)) => {
                    let text = "the files for a program go into one folder; give one folder, and files beside it";
                    return Err(ExportError::Request(text.into()));
                }
                (Err(error), None) => return Err(error.into()),
            };
            if let ProductKind::Map(_, format) = kind {
                first = first.or(Some((path, format)));
            }
            request.products.push(ExportProduct { kind, file: Some(path.clone()) });
        }
        if let Some(folder) = folder {
            request.folder.clone_from(folder);
        } else if target.is_none() {
            request.folder = new_folder(files).unwrap_or_default();
        }
        match first {
            Some((first, format)) => {
                request.products.extend(maps.iter().map(|map| product_beside(first, format, map)));
            }
            None if maps.is_empty() => {}
            None => {
                let text = "maps beside a file take its name and format; give a raster such as FILE.png as well";
                return Err(ExportError::Request(text.into()));
            }
        }
        Ok(request)
    }

    /// The request with files named after the scene file at `path`, in place of the name of the scene. A shipped
    /// example has no file and keeps its name.
    pub fn named_after(mut self, path: Option<&Path>) -> Self {
        let stem = path.filter(|path| path.is_file()).and_then(Path::file_stem);
        if let Some(stem) = stem {
            self.file_names = self.file_names.replace("{scene}", &plain(&stem.to_string_lossy()));
        }
        self
    }

    /// Whether the request is for a program whose id begins with `program`.
    pub(super) fn is_for(&self, program: &str) -> bool {
        self.target.is_some_and(|target| target.id.starts_with(program))
    }

    /// Height of a band of [`ExportMap::Bands`] in metres.
    pub(super) fn band_height(&self, scene: &Scene) -> f32 {
        self.band_metres.unwrap_or(scene.settings.relief_metres / 16.0)
    }
}

/// The text with which a build preset stores a path.
pub(super) fn path_text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// The product that the extension of a file selects. A raster shows the map `what`.
fn file_kind(path: &Path, what: &ExportMap) -> Result<ProductKind, FileError> {
    if texture_sets::is_table(path) {
        return Ok(ProductKind::Textures);
    }
    Ok(match (ScatterFormat::for_path(path), MeshFormat::for_path(path)) {
        (Some(format), _) => ProductKind::Plants(format),
        (None, Some(format)) => ProductKind::Mesh(format),
        (None, None) => ProductKind::Map(what.clone(), RasterFormat::for_path(path)?),
    })
}

/// The first folder of the files that does not exist although its parent folder does. An export creates this folder
/// together with its files.
fn new_folder(files: &[PathBuf]) -> Option<PathBuf> {
    let folders = files.iter().filter_map(|file| file.parent());
    let is_new = |folder: &&Path| {
        let around = folder.parent().filter(|around| !around.as_os_str().is_empty()).unwrap_or(Path::new("."));
        !folder.as_os_str().is_empty() && !folder.exists() && around.is_dir()
    };
    folders.into_iter().find(is_new).map(Path::to_path_buf)
}

/// A file of another map in the folder of `first`: in the format of `first` if possible, otherwise as PNG or OpenEXR.
fn product_beside(first: &Path, format: &'static RasterFormat, map: &ExportMap) -> ExportProduct {
    let name = first.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let lower = name.to_ascii_lowercase();
    let ending =
        format.extensions.iter().find(|end| lower.ends_with(&format!(".{end}"))).map_or(0, |end| end.len() + 1);
    let stem = &name[..name.len() - ending];
    let format = match map.nature() {
        MapNature::Scalar => format,
        MapNature::Bits if format.holds(SampleType::F32) => format,
        MapNature::Bits => &EXR,
        _ if format.holds(SampleType::U8) => format,
        _ => &PNG,
    };
    let kind = ProductKind::Map(map.clone(), format);
    let file = first.with_file_name(format!("{stem}-{}.{}", kind.label(), format.extension()));
    ExportProduct { kind, file: Some(file) }
}
