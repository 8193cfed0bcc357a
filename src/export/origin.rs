//! The origin of a file. PNG, GeoTIFF, OpenEXR, GLB, OBJ and PLY files contain the scene, and the size and hash of the
//! terrain. Such files can therefore be opened like scenes and verified.

use std::path::Path;

use super::ExportError;
use super::maps::MapError;
use crate::field::Terrain;
use crate::io::RasterError;
use crate::io::formats::RasterFormat;
use crate::mesh::formats::MeshFormat;
use crate::scene::{Scene, SceneError, Warning, example_for, examples};

const SCENE: &str = "talweg scene";
const SAMPLES: &str = "talweg samples";
const HASH: &str = "talweg hash";

/// The texts stored in files of `terrain`. Build presets are left out, because they name folders of this computer.
///
/// # Errors
/// If the scene cannot be written as text.
pub fn texts(scene: &Scene, terrain: &Terrain) -> Result<Vec<(String, String)>, ExportError> {
    texts_of(scene, terrain.samples(), terrain.hash())
}

/// As [`texts`], for a terrain of `samples` per side with the content hash `hash`.
///
/// # Errors
/// As [`texts`].
pub fn texts_of(scene: &Scene, samples: usize, hash: u128) -> Result<Vec<(String, String)>, ExportError> {
    let scene = Scene { builds: Vec::new(), ..scene.clone() };
    Ok(vec![
        (SAMPLES.into(), samples.to_string()),
        (HASH.into(), format!("{hash:032x}")),
        (SCENE.into(), scene.to_ron()?),
    ])
}

/// The scene from which a file was made.
#[derive(Clone, Debug, PartialEq)]
pub struct FileOrigin {
    /// The scene.
    pub scene: Scene,
    /// Problems of the scene text that were corrected when it was read.
    pub warnings: Vec<Warning>,
    /// Samples per side at which the scene was evaluated.
    pub samples: usize,
    /// Content hash of the terrain, as text.
    pub hash: String,
}

/// The reason why the origin of a file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum OriginError {
    /// The file cannot be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The file that cannot be read.
        path: std::path::PathBuf,
        /// The cause of the failure.
        source: std::io::Error,
    },
    /// The file is truncated, or its format does not match its extension.
    #[error(
        "{path} is not a complete {format} file, so no scene can be read from it ({source}). Fetch or copy it again, export it \
         again, or give the scene's own file"
    )]
    NotWhole {
        /// The damaged file.
        path: std::path::PathBuf,
        /// The format that the file's extension names.
        format: &'static str,
        /// The fault that the reader found.
        source: std::io::Error,
    },
    /// The format cannot carry a scene.
    #[error(
        "{path} carries no scene: {format} files cannot hold one. Give the scene's own file, or a PNG, GeoTIFF, OpenEXR, GLB, \
         OBJ or PLY file exported from it"
    )]
    NoPlace {
        /// The file in this format.
        path: std::path::PathBuf,
        /// The format that the file's extension names.
        format: &'static str,
    },
    /// The file contains no scene, although its format could hold one.
    #[error(
        "{path} carries no scene: Talweg did not export it, or another program has saved it since. Open the scene \
         itself, or import the file as heights"
    )]
    NoScene {
        /// The file without a scene.
        path: std::path::PathBuf,
    },
    /// The scene in the file cannot be read.
    #[error("the scene in {path}: {source}")]
    Scene {
        /// The file with the faulty scene.
        path: std::path::PathBuf,
        /// The cause of the failure.
        source: SceneError,
    },
    /// The samples of the file cannot be read.
    #[error(transparent)]
    Samples(#[from] RasterError),
    /// The map in the file cannot be made.
    #[error(transparent)]
    Map(#[from] MapError),
}

/// The reason why no scene was loaded from a path.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file contains no readable scene.
    #[error(transparent)]
    Origin(#[from] OriginError),
    /// The scene file cannot be read.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// There is no such file and no such example.
    #[error("there is no scene {path}; give a .ron file or one of the shipped examples: {examples}")]
    NoScene {
        /// The path that was requested.
        path: std::path::PathBuf,
        /// Names of the available examples.
        examples: String,
    },
}

/// Reads a scene file, or the scene inside an exported file. A bare name that is not a file is the name of a shipped
/// example.
///
/// # Errors
/// If the file cannot be read or contains no scene, or there is neither a file nor an example with that name.
pub fn load_scene(path: &Path) -> Result<(Scene, Vec<Warning>), LoadError> {
    if may_carry_scene(path) {
        let FileOrigin { scene, warnings, .. } = read_origin(path)?;
        return Ok((scene, warnings));
    }
    check_place_for_scene(path)?;
    match Scene::load(path) {
        Err(SceneError::Read { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
            if let Some(shipped) = example_for(path) {
                return Ok((shipped.scene.clone(), Vec::new()));
            }
            let names: Vec<&str> = examples().iter().map(|example| example.name).collect();
            Err(LoadError::NoScene { path: path.into(), examples: names.join(", ") })
        }
        other => Ok(other?),
    }
}

/// Whether files with the extension of `path` can carry a scene.
pub fn may_carry_scene(path: &Path) -> bool {
    let is_mesh = MeshFormat::for_path(path).is_some_and(MeshFormat::keeps_extras);
    is_mesh || RasterFormat::for_path(path).is_ok_and(RasterFormat::reads_texts)
}

/// Refuses a file whose format cannot contain a scene. The file extension determines the format.
///
/// # Errors
/// If the format cannot contain a scene.
pub fn check_place_for_scene(path: &Path) -> Result<(), OriginError> {
    let mesh = MeshFormat::for_path(path).map(|format| format.name);
    let format = mesh.or_else(|| RasterFormat::for_path(path).ok().map(|format| format.name));
    match format.filter(|_| !may_carry_scene(path)) {
        Some(format) => Err(OriginError::NoPlace { path: path.into(), format }),
        None => Ok(()),
    }
}

/// Reads the scene inside the file `path`; file names in the scene are relative to the folder of `path`.
///
/// # Errors
/// If the file cannot be read, or contains no scene.
pub fn read_origin(path: &Path) -> Result<FileOrigin, OriginError> {
    let no_scene = || OriginError::NoScene { path: path.into() };
    let (format, texts) = match MeshFormat::for_path(path) {
        Some(format) => (format.name, format.read_extras(path)),
        None => {
            let format = RasterFormat::for_path(path).map_err(|_| no_scene())?;
            (format.name, format.read_texts(path))
        }
    };
    let texts = texts.map_err(|source| match source.raw_os_error() {
        // The error is from the operating system, not from the format's reader.
        Some(_) => OriginError::Read { path: path.into(), source },
        None => OriginError::NotWhole { path: path.into(), format, source },
    })?;
    let text = |key: &str| texts.iter().find(|(keyword, _)| keyword == key).map(|(_, text)| text.as_str());
    let scene = text(SCENE).ok_or_else(no_scene)?;
    let (scene, warnings) =
        Scene::from_ron(scene).map_err(|source| OriginError::Scene { path: path.into(), source })?;
    let samples = text(SAMPLES).and_then(|n| n.parse().ok()).unwrap_or(scene.samples());
    Ok(FileOrigin { scene, warnings, samples, hash: text(HASH).unwrap_or_default().into() })
}
