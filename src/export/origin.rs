//! The origin of a file. PNG, GeoTIFF, OpenEXR, GLB, OBJ and PLY files carry the scene, the size and the hash of their
//! terrain, so they can be opened like scenes and verified.

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

/// The texts that files of `terrain` carry. Build presets are left out, because they name folders of this computer.
///
/// # Errors
/// When the scene cannot be written as text.
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

/// The scene that a file was made of.
#[derive(Clone, Debug, PartialEq)]
pub struct FileOrigin {
    /// The scene.
    pub scene: Scene,
    /// What was mended when it was read.
    pub warnings: Vec<Warning>,
    /// Samples per side that it was evaluated at.
    pub samples: usize,
    /// Content hash of the terrain.
    pub hash: String,
}

/// Why the origin of a file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum OriginError {
    /// The file cannot be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The file.
        path: std::path::PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file is truncated, or its format does not match its ending.
    #[error(
        "{path} is not a complete {format} file, so no scene can be read from it ({source}). Fetch or copy it again, export it \
         again, or give the scene's own file"
    )]
    NotWhole {
        /// The file.
        path: std::path::PathBuf,
        /// The format of its ending.
        format: &'static str,
        /// What is wrong.
        source: std::io::Error,
    },
    /// The format cannot carry a scene.
    #[error(
        "{path} carries no scene: {format} files cannot hold one. Give the scene's own file, or a PNG, GeoTIFF, OpenEXR, GLB, \
         OBJ or PLY file exported from it"
    )]
    NoPlace {
        /// The file.
        path: std::path::PathBuf,
        /// The format of its ending.
        format: &'static str,
    },
    /// The file carries no scene.
    #[error(
        "{path} carries no scene: Talweg did not export it, or another program has saved it since. Open the scene \
         itself, or import the file as heights"
    )]
    NoScene {
        /// The file.
        path: std::path::PathBuf,
    },
    /// The scene in the file cannot be read.
    #[error("the scene in {path}: {source}")]
    Scene {
        /// The file.
        path: std::path::PathBuf,
        /// Why.
        source: SceneError,
    },
    /// The samples of the file cannot be read.
    #[error(transparent)]
    Samples(#[from] RasterError),
    /// The map in the file cannot be made.
    #[error(transparent)]
    Map(#[from] MapError),
}

/// Why no scene was loaded from a path.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file carries no scene.
    #[error(transparent)]
    Origin(#[from] OriginError),
    /// The scene file cannot be read.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// There is no such file and no such example.
    #[error("there is no scene {path}; give a .ron file or one of the shipped examples: {examples}")]
    NoScene {
        /// The path.
        path: std::path::PathBuf,
        /// Names of the examples.
        examples: String,
    },
}

/// Reads a scene file, or the scene inside an exported file. A bare name without a file is a shipped example.
///
/// # Errors
/// When the file cannot be read or carries no scene, or there is neither a file nor an example.
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

/// Whether files with the ending of `path` can carry a scene.
pub fn may_carry_scene(path: &Path) -> bool {
    let is_mesh = MeshFormat::for_path(path).is_some_and(MeshFormat::keeps_extras);
    is_mesh || RasterFormat::for_path(path).is_ok_and(RasterFormat::reads_texts)
}

/// Refuses a file whose format cannot carry a scene, judged by its ending.
///
/// # Errors
/// When the format cannot carry a scene.
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
/// When the file cannot be read, or carries no scene.
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
        // an error of the operating system, not of the format's reader
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
