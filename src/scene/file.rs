//! Scenes as RON text.
//!
//! A scene file begins with `version` and contains only values that differ from the defaults. A file is never
//! half-written. Before saving replaces an existing file, it reads the new text back and compares the result with the
//! scene.

use std::cell::Cell;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::file_form::{EpochV1, LayerV1, SceneV1};
use super::repairs::Repairs;
use super::{Layer, Scene};
use crate::appearance_files::BIOME_PREFIX;
use crate::io::{
    FileError, FileStamp, SaveTarget, StagedFile, check_name, ron_dialect, ron_layout, ron_reason,
    without_byte_order_mark,
};
use crate::user_state::{OutsideError, PathUse, check_paths, permit_paths};

/// Version of the scene files that this program writes.
pub const VERSION: u32 = 1;
/// Maximum size of a scene file. A scene is text that people write; a larger file is not a scene.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// An invalid or outdated value that loading a file replaced.
#[derive(Debug, Clone, PartialEq)]
pub struct Warning(pub String);

/// The reason why a scene could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum SceneError {
    /// The system could not read the file.
    #[error("cannot read {path}: {source}")]
    Read {
        /// Path of the file to read.
        path: PathBuf,
        /// The error that the operating system reported.
        source: std::io::Error,
    },
    /// The scene names files outside its folder that the user has not permitted.
    #[error(transparent)]
    Outside(#[from] OutsideError),
    /// The file could not be written, or its name cannot be used.
    #[error(transparent)]
    Write(#[from] FileError),
    /// The scene cannot be written as text.
    #[error("the scene cannot be written, so an existing file is untouched: {0}")]
    Unwritable(String),
    /// The written text reads back as a different scene. This is a defect of Talweg; the old file is not replaced.
    #[error(
        "the scene was not saved, because the file would not reopen as the same scene ({0}). An existing file is \
         untouched. Undo the last edits, or save under another name, and report this"
    )]
    Unequal(String),
    /// The path is a folder or a device.
    #[error("{path} is not a scene: it is a folder or a device, not a file")]
    NotAFile {
        /// Path of the folder or device.
        path: PathBuf,
    },
    /// The file is larger than any scene.
    #[error(
        "{path} is not a scene: it is larger than the limit of 16 MB. If it is a scene, move its heights into a \
         heightmap file that the scene names"
    )]
    TooLarge {
        /// Path of the file to read.
        path: PathBuf,
    },
    /// The file is not UTF-8.
    #[error("{path} is not a scene: it is not text (byte {byte} is not UTF-8)")]
    NotText {
        /// Path of the file to read.
        path: PathBuf,
        /// Position of the first byte that is not text.
        byte: usize,
    },
    /// The text is not valid RON, or uses an unknown name.
    #[error("line {line}, column {column}: {message}")]
    Syntax {
        /// Line of the error in the file, counted from 1.
        line: usize,
        /// Column of the error in the line, counted from 1.
        column: usize,
        /// Explanation of the error.
        message: String,
    },
    /// The text is valid RON but not a complete scene.
    #[error("this is not a complete Talweg scene; line {line}, column {column}: {message}")]
    NotAScene {
        /// Line of the error in the file, counted from 1.
        line: usize,
        /// Column of the error in the line, counted from 1.
        column: usize,
        /// Explanation of the error.
        message: String,
    },
    /// The file was written by a newer version of Talweg.
    #[error("the scene has version {found}; this program reads version {VERSION}. Open it with a newer Talweg")]
    Newer {
        /// The version number in the file.
        found: u32,
    },
    /// The version number in the file does not exist.
    #[error("the scene has version {found}, which does not exist; versions begin at 1")]
    NoVersion {
        /// The version number in the file.
        found: u32,
    },
    /// An error together with the file in which it occurred.
    #[error("{path}: {source}")]
    In {
        /// Path of the file with the error.
        path: PathBuf,
        /// The error that occurred in the file.
        source: Box<SceneError>,
    },
}

/// Reads the version in the header of a scene file; parsing stops after the version.
struct Header<'a>(&'a Cell<Option<u32>>);

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum HeaderKey {
    Version,
    #[serde(other)]
    Other,
}

impl<'de> DeserializeSeed<'de> for Header<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_struct("Scene", &["version"], self)
    }
}

impl<'de> Visitor<'de> for Header<'_> {
    type Value = ();

    fn expecting(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        out.write_str("a scene")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key()? {
            match key {
                HeaderKey::Other => map.next_value::<IgnoredAny>().map(|_| ())?,
                HeaderKey::Version => {
                    self.0.set(Some(map.next_value()?));
                    return Err(A::Error::custom("only the version is read here"));
                }
            }
        }
        Err(A::Error::missing_field("version"))
    }
}

/// The version at the start of `text`. Only the header is parsed. A large file is therefore parsed only once, and the
/// rest of a file of a newer version is not parsed.
fn version_of(text: &str) -> Result<u32, ron::error::SpannedError> {
    let version = Cell::new(None);
    let read = ron_dialect().from_str_seed(text, Header(&version));
    match version.get() {
        Some(version) => Ok(version),
        None => read.map(|()| 0),
    }
}

fn syntax(error: ron::error::SpannedError, text: &str) -> SceneError {
    let (line, column) = (error.span.start.line, error.span.start.col);
    let message = if text.trim().is_empty() { "the file is empty".into() } else { ron_reason(&error.code) };
    let text = text.trim_end();
    let end = (text.matches('\n').count() + 1, text.chars().rev().take_while(|&c| c != '\n').count());
    // The text ends before the scene is complete.
    if (error.span.end.line, error.span.end.col) > end {
        return SceneError::NotAScene { line, column, message };
    }
    SceneError::Syntax { line, column, message }
}

impl Scene {
    /// The scene as RON text.
    ///
    /// # Errors
    /// When the scene is nested too deeply to be read back.
    pub fn to_ron(&self) -> Result<String, SceneError> {
        let file = SceneV1 {
            version: VERSION,
            saved: true,
            name: Some(self.name.clone()),
            settings: Some(self.settings.clone()),
            planet: self.planet.clone(),
            palette: self.palette.clone(),
            own_palette: self.own_palette.clone(),
            climate: self.climate.clone(),
            biomes: self.biomes.clone(),
            materials: self.materials.clone(),
            scatter: self.scatter.clone(),
            patch: self.patch.clone(),
            builds: self.builds.clone(),
            bookmarks: self.bookmarks.clone(),
            layers: self
                .layers
                .iter()
                .map(|layer| LayerV1 {
                    name: Some(layer.name.clone()),
                    node: layer.node.clone(),
                    enabled: layer.enabled,
                    seed: Some(layer.seed),
                    algorithm: Some(layer.node.traits().version_in(self.settings.world)),
                    epochs: layer
                        .epochs
                        .iter()
                        .map(|epoch| EpochV1 { node: epoch.node.clone(), iterations: epoch.iterations })
                        .collect(),
                    branch: layer.branch,
                    mix: layer.mix.clone(),
                    mask: layer.mask.clone(),
                    note: layer.note.clone(),
                    locked: layer.locked,
                    depth: layer.depth,
                })
                .collect(),
        };
        let text = ron_dialect().to_string_pretty(&file, ron_layout(3));
        Ok(text.map_err(|error| SceneError::Unwritable(error.to_string()))? + "\n")
    }

    /// Reads a scene from RON text. Values that are out of range or outdated are replaced, each with a warning.
    pub fn from_ron(text: &str) -> Result<(Self, Vec<Warning>), SceneError> {
        let text = without_byte_order_mark(text);
        let version = version_of(text).map_err(|error| match syntax(error, text) {
            SceneError::Syntax { line, column, message } => SceneError::NotAScene { line, column, message },
            other => other,
        })?;
        match version {
            0 => return Err(SceneError::NoVersion { found: 0 }),
            VERSION => {}
            found => return Err(SceneError::Newer { found }),
        }
        let file: SceneV1 = ron_dialect().from_str(text).map_err(|error| syntax(error, text))?;
        let mut repairs = Repairs::default();
        let scene = repairs.scene(file, text);
        Ok((scene, repairs.warnings()))
    }

    /// Gives the scene's own biome table the name that the palette contains. Files store this name only once, in the
    /// palette.
    pub(super) fn name_biomes(&mut self) {
        let name = self.palette.strip_prefix(BIOME_PREFIX).unwrap_or_default();
        if let Some(table) = self.biomes.as_mut().filter(|table| table.name != name) {
            Arc::make_mut(table).name = name.into();
        }
    }

    /// Reads a scene file; relative paths in the file start from the folder of the file.
    ///
    /// # Errors
    /// When the file cannot be read, or is not a scene.
    pub fn load(path: &Path) -> Result<(Self, Vec<Warning>), SceneError> {
        Self::load_stamped(path).map(|(scene, warnings, _)| (scene, warnings))
    }

    /// Reads a scene file and returns its stamp, which later shows whether the file has changed.
    ///
    /// # Errors
    /// The errors of [`load`](Self::load).
    pub fn load_stamped(path: &Path) -> Result<(Self, Vec<Warning>, FileStamp), SceneError> {
        Self::read_copy(path, path)
    }

    /// Reads a copy of a scene file; relative paths in the copy start from the folder of the `original`.
    ///
    /// # Errors
    /// The errors of [`load`](Self::load).
    pub fn load_copy(path: &Path, original: &Path) -> Result<(Self, Vec<Warning>), SceneError> {
        Self::read_copy(path, original).map(|(scene, warnings, _)| (scene, warnings))
    }

    fn read_copy(path: &Path, original: &Path) -> Result<(Self, Vec<Warning>, FileStamp), SceneError> {
        let (text, stamp) = Self::read_text(path)?;
        let (mut scene, warnings) =
            Self::from_ron(&text).map_err(|source| SceneError::In { path: path.into(), source: Box::new(source) })?;
        scene.resolve_files(&folder_of(original));
        check_paths(original, &scene.files(), PathUse::Read)?;
        Ok((scene, warnings, stamp))
    }

    /// The text of a scene file, and its stamp.
    pub(crate) fn read_text(path: &Path) -> Result<(String, FileStamp), SceneError> {
        check_name(path)?;
        let failed = |source| SceneError::Read { path: path.into(), source };
        let mut bytes = Vec::new();
        // Reading from a pipe or a device could block for ever.
        if !std::fs::metadata(path).map_err(failed)?.is_file() {
            return Err(SceneError::NotAFile { path: path.into() });
        }
        let file = std::fs::File::open(path).map_err(failed)?;
        file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(SceneError::TooLarge { path: path.into() });
        }
        let stamp = FileStamp::of_contents(&bytes, path);
        let text = String::from_utf8(bytes)
            .map_err(|e| SceneError::NotText { path: path.into(), byte: e.utf8_error().valid_up_to() })?;
        Ok((text, stamp))
    }

    /// Writes a scene file and returns the stamp of the new file. The old file stays until the new file is safely on
    /// the disk and reads back as this scene.
    ///
    /// # Errors
    /// When the file cannot be written, or would read back as a different scene.
    pub fn save(&self, to: impl Into<SaveTarget>) -> Result<FileStamp, SceneError> {
        self.write(&to.into(), Self::check_text)
    }

    /// Writes a scene file without reading it back. A program that is about to end uses this function, because a scene
    /// with replaced values is better than no scene.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn save_unchecked(&self, to: impl Into<SaveTarget>) -> Result<FileStamp, SceneError> {
        self.write(&to.into(), |_, _| Ok(()))
    }

    fn write(
        &self,
        to: &SaveTarget,
        check: impl FnOnce(&Self, &str) -> Result<(), SceneError>,
    ) -> Result<FileStamp, SceneError> {
        check_name(to.path())?;
        let mut portable = self.clone();
        portable.shorten_files(&folder_of(to.path()));
        portable.name_biomes();
        let text = portable.to_ron()?;
        if text.len() as u64 > MAX_BYTES {
            return Err(SceneError::Unwritable("it is larger than 16 MB, so it could not be opened again".into()));
        }
        let mut staged = StagedFile::new(to, |file| file.write_all(text.as_bytes()))?;
        let written = staged.contents()?;
        let written = std::str::from_utf8(&written).map_err(|error| SceneError::Unequal(error.to_string()))?;
        check(&portable, written)?;
        staged.commit()?;
        // The user has permitted or chosen all files that an open scene reads.
        portable.resolve_files(&folder_of(to.path()));
        permit_paths(to.path(), &portable.files(), PathUse::Read);
        Ok(FileStamp::of_contents(text.as_bytes(), to.path()))
    }

    /// Checks that `text` reads back as this scene: every number must have the same bits, and not-a-number counts as
    /// equal to itself.
    fn check_text(&self, text: &str) -> Result<(), SceneError> {
        let (read, warnings) = Self::from_ron(text).map_err(|error| SceneError::Unequal(error.to_string()))?;
        if let Some(Warning(mended)) = warnings.into_iter().next() {
            return Err(SceneError::Unequal(mended));
        }
        let is_same = read == *self || *self != self.clone();
        if is_same && read.to_ron()? == text {
            return Ok(());
        }
        let differs = |(a, b): &(&Layer, &Layer)| a != b;
        let layer = self.layers.iter().zip(&read.layers).find(differs).map(|(layer, _)| &layer.name);
        Err(SceneError::Unequal(layer.map_or("its settings differ".into(), |name| format!("layer `{name}` differs"))))
    }
}

/// The path with the ending `.ron`, if it has no ending. Digits after a point, as in `Alps 1.2`, are no ending.
pub fn with_scene_ending(path: &Path) -> PathBuf {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    if ending.chars().any(char::is_alphabetic) || path.file_name().is_none() {
        return path.into();
    }
    let mut named = path.as_os_str().to_os_string();
    named.push(if path.as_os_str().as_encoded_bytes().ends_with(b".") { "ron" } else { ".ron" });
    named.into()
}

/// The absolute path of the folder of a file.
pub(crate) fn folder_of(path: &Path) -> PathBuf {
    let folder = path.parent().unwrap_or(Path::new(""));
    std::path::absolute(folder.join(".")).map_or_else(|_| folder.into(), |absolute| absolute.components().collect())
}
