//! The origin of a file. PNG, GeoTIFF, OpenEXR, GLB, OBJ and PLY files contain the scene, and the size and hash of the
//! terrain. Such files can therefore be opened like scenes and verified.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::ExportError;
use super::maps::MapError;
use crate::field::{MIN_SAMPLES, Terrain};
use crate::io::RasterError;
use crate::io::formats::RasterFormat;
use crate::mesh::formats::MeshFormat;
use crate::scene::{MAX_EXPORT_SAMPLES, Scene, SceneError, Warning, example_for, examples, folder_of};
use crate::user_state::{OutsideError, PathUse, check_paths};

const SCENE: &str = "talweg scene";
const SAMPLES: &str = "talweg samples";
const HASH: &str = "talweg hash";
/// Maximum number of characters of an invalid number that an error message shows.
const LONGEST_CLAIM: usize = 40;

/// The texts stored in exported files: the scene, and the size and hash of its terrain. Build presets are left out,
/// because they name folders of this computer. Paths of files that the scene reads are relative to the exported file,
/// or only the names of the files.
pub struct OriginTexts<'a> {
    /// The scene; `None` if the files must not contain one.
    scene: Option<&'a Scene>,
    samples: usize,
    hash: u128,
    /// Cached texts for each folder, because the files of an export are often in the same folder.
    made: Mutex<Vec<(PathBuf, FileTexts)>>,
}

/// The texts of one file.
pub type FileTexts = Arc<Vec<(String, String)>>;

impl<'a> OriginTexts<'a> {
    /// The texts for files of `terrain`.
    pub fn new(scene: &'a Scene, terrain: &Terrain) -> Self {
        Self::of_hash(scene, terrain.samples(), terrain.hash())
    }

    /// The texts for files of a terrain with `samples` per side and the content hash `hash`.
    pub fn of_hash(scene: &'a Scene, samples: usize, hash: u128) -> Self {
        Self { scene: Some(scene), samples, hash, made: Mutex::default() }
    }

    /// No texts, for files of a terrain that the scene alone cannot reproduce.
    pub fn none() -> Self {
        Self { scene: None, samples: 0, hash: 0, made: Mutex::default() }
    }

    /// The texts for the exported file `path`.
    ///
    /// # Errors
    /// If the scene cannot be written as text.
    pub fn for_file(&self, path: &Path) -> Result<FileTexts, ExportError> {
        let Some(scene) = self.scene else { return Ok(FileTexts::default()) };
        let folder = folder_of(path);
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, texts)) = made.iter().find(|(known, _)| *known == folder) {
            return Ok(texts.clone());
        }
        let portable = Scene { builds: Vec::new(), ..scene.clone() }.without_absolute_paths(&folder);
        let texts = Arc::new(vec![
            (SAMPLES.into(), self.samples.to_string()),
            (HASH.into(), format!("{:032x}", self.hash)),
            (SCENE.into(), portable.to_ron()?),
        ]);
        made.push((folder, Arc::clone(&texts)));
        Ok(texts)
    }
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
        path: PathBuf,
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
        path: PathBuf,
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
        path: PathBuf,
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
        path: PathBuf,
    },
    /// The scene in the file cannot be read.
    #[error("the scene in {path}: {source}")]
    Scene {
        /// The file with the faulty scene.
        path: PathBuf,
        /// The cause of the failure.
        source: SceneError,
    },
    /// The file names an impossible number of samples.
    #[error(
        "{path} says that its terrain has {samples} samples per side, and {MIN_SAMPLES} to {MAX_EXPORT_SAMPLES} are possible. \
         It is damaged, or another program has changed it: fetch or export it again"
    )]
    Claim {
        /// The file with the wrong number.
        path: PathBuf,
        /// The number as the file has it.
        samples: String,
    },
    /// The texts embedded in the exported file, such as its scene, are too long to be read.
    #[error("no scene can be read from {path}: {source}. Give the scene's own file")]
    TooLarge {
        /// The exported file.
        path: PathBuf,
        /// The limit that is exceeded.
        source: std::io::Error,
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
    /// The path stands for standard input.
    #[error("scenes are not read from standard input; save the scene to a file and give its name")]
    StandardInput,
    /// There is no such file and no such example.
    #[error("there is no scene {path}; give a .ron file or one of the shipped examples: {examples}")]
    NoScene {
        /// The path that was requested.
        path: PathBuf,
        /// Names of the available examples.
        examples: String,
    },
}

impl LoadError {
    /// The files outside the folder of the scene, if the scene was refused because of them.
    pub fn files_outside(&self) -> Option<&OutsideError> {
        match self {
            Self::Scene(SceneError::Outside(error)) => Some(error),
            Self::Origin(OriginError::Scene { source: SceneError::Outside(error), .. }) => Some(error),
            _ => None,
        }
    }
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
    if path == Path::new("-") {
        return Err(LoadError::StandardInput);
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
        None if source.kind() == std::io::ErrorKind::FileTooLarge => {
            OriginError::TooLarge { path: path.into(), source }
        }
        None => OriginError::NotWhole { path: path.into(), format, source },
    })?;
    let text = |key: &str| texts.iter().find(|(keyword, _)| keyword == key).map(|(_, text)| text.as_str());
    let scene = text(SCENE).ok_or_else(no_scene)?;
    let failed = |source| OriginError::Scene { path: path.into(), source };
    let (mut scene, warnings) = Scene::from_ron(scene).map_err(failed)?;
    scene.resolve_files(&folder_of(path));
    check_paths(path, &scene.files(), PathUse::Read).map_err(|error| failed(error.into()))?;
    let samples = match text(SAMPLES) {
        None => scene.samples(),
        Some(claim) => {
            let possible = claim.parse().ok().filter(|n| (MIN_SAMPLES..=MAX_EXPORT_SAMPLES).contains(n));
            let shown = || claim.chars().take(LONGEST_CLAIM).collect();
            possible.ok_or_else(|| OriginError::Claim { path: path.into(), samples: shown() })?
        }
    };
    Ok(FileOrigin { scene, warnings, samples, hash: text(HASH).unwrap_or_default().into() })
}
