//! Scenes as RON text.
//!
//! `version` first; only what differs from the default is written; a file is never half-written, and none is replaced
//! before the new text has been read back and found to be the same scene.

use std::cell::Cell;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::file_form::{EpochV1, LayerV1, SceneV1};
use super::old_defaults::WrittenParams;
use super::{CameraBookmark, Layer, MAX_BOOKMARKS, ParamEpoch, Scene};
use crate::appearance_files::{BIOME_PREFIX, DEFAULT_PALETTE, all_palette_names, is_palette};
use crate::io::{FileError, FileStamp, SaveTarget, StagedFile, check_name, ron_dialect};
use crate::param::Params;

/// Version of the files this program writes.
pub const VERSION: u32 = 1;
/// A scene is text that people write; what is larger is not a scene.
const MAX_BYTES: u64 = 16 * 1024 * 1024;
const MAX_BUILDS: usize = 100;
/// As many as any process can have at once.
const MAX_EPOCH_ITERATIONS: u32 = 1_000_000;
const MAX_EPOCHS: usize = 64;

/// Something in a file that was mended on loading.
#[derive(Debug, Clone, PartialEq)]
pub struct Warning(pub String);

/// Why a scene could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum SceneError {
    /// The system refused to read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file could not be written, or its name cannot be used.
    #[error(transparent)]
    Write(#[from] FileError),
    /// The scene cannot be written as text.
    #[error("the scene cannot be written, and a file that was there before is untouched: {0}")]
    Unwritable(String),
    /// What was written is another scene when it is read. A defect of the program, told before anything is replaced.
    #[error(
        "the scene was not written, since read back it would be another one ({0}). A file that was there before is \
         untouched. Undo the last edits, or save under another name and report this"
    )]
    Unequal(String),
    /// A folder or a device.
    #[error("{path} is not a scene: it is a folder or a device, not a file")]
    NotAFile {
        /// The file.
        path: PathBuf,
    },
    /// More bytes than any scene has.
    #[error(
        "{path} is not a scene: it is larger than 16 MB, the most that is read. If it is one, keep its heights in a \
         heightmap that it names"
    )]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// Not UTF-8.
    #[error("{path} is not a scene: it is not text (byte {byte} is not UTF-8)")]
    NotText {
        /// The file.
        path: PathBuf,
        /// Position of the first byte that is no text.
        byte: usize,
    },
    /// The text is no RON, or names what does not exist.
    #[error("line {line}, column {column}: {message}")]
    Syntax {
        /// Line in the file, from 1.
        line: usize,
        /// Column in the line, from 1.
        column: usize,
        /// What is wrong, in words.
        message: String,
    },
    /// RON, but not of a scene.
    #[error("this is no whole Talweg scene; line {line}, column {column}: {message}")]
    NotAScene {
        /// Line in the file, from 1.
        line: usize,
        /// Column in the line, from 1.
        column: usize,
        /// What is wrong, in words.
        message: String,
    },
    /// Of a later program.
    #[error("the scene has version {found}; this program reads version {VERSION}. Open it with a newer Talweg")]
    Newer {
        /// The version that was found.
        found: u32,
    },
    /// Of no program.
    #[error("the scene has version {found}, which never existed; versions begin at 1")]
    NoVersion {
        /// The version that was found.
        found: u32,
    },
    /// An error with the file that it is in.
    #[error("{path}: {source}")]
    In {
        /// The file.
        path: PathBuf,
        /// Why.
        source: Box<SceneError>,
    },
}

/// What comes before everything else; it is read no further than the version.
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
        deserializer.deserialize_struct("Header", &["version"], self)
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
                    return Err(A::Error::custom("the rest is read by the program of that version"));
                }
            }
        }
        Err(A::Error::missing_field("version"))
    }
}

/// The version that `text` begins with: the text of a large file is read once, and that of a newer one not at all.
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
    // in a construction it is the text of the error alone that comes through
    let message = match error.code.to_string() {
        code if code == ron::Error::ExceededRecursionLimit.to_string() => {
            "it is nested too deeply to be a scene".into()
        }
        other => other,
    };
    let text = text.trim_end();
    let end = (text.matches('\n').count() + 1, text.chars().rev().take_while(|&c| c != '\n').count());
    // the text ends before the scene does
    if (error.span.end.line, error.span.end.col) > end {
        return SceneError::NotAScene { line, column, message };
    }
    SceneError::Syntax { line, column, message }
}

impl Scene {
    /// The scene as RON text.
    ///
    /// # Errors
    /// When something in it is nested too deeply to be read again.
    pub fn to_ron(&self) -> Result<String, SceneError> {
        let file = SceneV1 {
            version: VERSION,
            name: Some(self.name.clone()),
            settings: Some(self.settings.clone()),
            planet: self.planet.clone(),
            palette: self.palette.clone(),
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
        let pretty = ron::ser::PrettyConfig::new().depth_limit(3).indentor("    ".to_string());
        let text = ron_dialect().to_string_pretty(&file, pretty);
        Ok(text.map_err(|error| SceneError::Unwritable(error.to_string()))? + "\n")
    }

    /// Reads RON text; what was out of range or has changed since is mended and reported.
    pub fn from_ron(text: &str) -> Result<(Self, Vec<Warning>), SceneError> {
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
        let mut warnings = Vec::new();
        let mut mend = |owner: &str, group: &mut dyn Params| {
            warnings.extend(group.sanitise().into_iter().map(|moved| Warning(format!("{owner}: {moved}"))));
        };
        // what Talweg writes has a name and settings, and a name and a seed for every layer
        let scene_is_by_hand = file.name.is_none() || file.settings.is_none();
        let mut settings = file.settings.unwrap_or_default();
        mend("scene", &mut settings);
        let mut climate = file.climate;
        if let Some(climate) = &mut climate {
            mend("climate", climate);
        }
        let mut biomes = file.biomes;
        if let Some(table) = &mut biomes {
            mend("biomes", &mut Arc::make_mut(table).climate);
        }
        let mut planet = file.planet;
        mend("planet", &mut planet);
        let mut changed = Vec::new();
        let written = WrittenParams::new(text);
        let layers = file
            .layers
            .into_iter()
            .enumerate()
            .map(|(place, layer)| {
                let mut made = Layer {
                    enabled: layer.enabled,
                    branch: layer.branch,
                    mix: layer.mix,
                    mask: layer.mask,
                    note: layer.note,
                    locked: layer.locked,
                    depth: layer.depth,
                    ..Layer::new(layer.node, layer.seed.unwrap_or_default())
                };
                let is_written_by_hand = scene_is_by_hand || layer.name.is_none() || layer.seed.is_none();
                made.name = layer.name.unwrap_or(made.name);
                let owner = format!("layer `{}`", made.name);
                mend(&owner, made.node.params_mut());
                if layer.epochs.len() > MAX_EPOCHS {
                    changed.push(Warning(format!(
                        "{owner}: its parameters changed {} times while it ran; {MAX_EPOCHS} is the most, the others were left out",
                        layer.epochs.len()
                    )));
                }
                for (k, mut epoch) in layer.epochs.into_iter().take(MAX_EPOCHS).enumerate() {
                    mend(&format!("{owner}, earlier parameters {}", k + 1), epoch.node.params_mut());
                    if made.node.as_process().is_some() && epoch.node.as_process().is_some() {
                        let iterations = epoch.iterations.clamp(1, MAX_EPOCH_ITERATIONS);
                        if iterations != epoch.iterations {
                            changed.push(Warning(format!(
                                "{owner}, earlier parameters {}: they held for {} iterations; it is now {iterations}",
                                k + 1,
                                epoch.iterations
                            )));
                        }
                        made.epochs.push(ParamEpoch { node: epoch.node, iterations });
                    } else {
                        changed.push(Warning(format!(
                            "{owner}: only processes have earlier parameters; those of {} were left out",
                            epoch.node.about().label
                        )));
                    }
                }
                mend(&owner, &mut made.mix);
                mend(&owner, &mut made.mask);
                let now = made.node.traits().version_in(settings.world);
                // Talweg writes no algorithm where it is the first one; what was written by hand means today's node
                let then = layer.algorithm.unwrap_or(if is_written_by_hand { now } else { 1 });
                written.restore(place, &mut made, then);
                if !made.node.traits().has_law_of(then, now) {
                    changed.push(Warning(format!(
                        "{owner}: {} has changed since this scene was saved (algorithm {then}, now {now}); its heights differ",
                        made.node.about().label,
                    )));
                }
                made
            })
            .collect();
        warnings.extend(changed);
        let mut palette = file.palette;
        if !is_palette(&palette) {
            warnings.push(Warning(format!(
                "scene: there is no palette `{palette}`; `{DEFAULT_PALETTE}` is used. Known: {}",
                all_palette_names().join(", ")
            )));
            palette = DEFAULT_PALETTE.into();
        }
        let patch = file.patch.filter(|origin| {
            if !origin.is_sound() {
                let text = "scene: the place it was taken from is no longitude and latitude; it was forgotten";
                warnings.push(Warning(text.into()));
            }
            origin.is_sound()
        });
        let name = file.name.unwrap_or_else(|| Self::default().name);
        let mut builds = file.builds;
        builds.truncate(MAX_BUILDS);
        builds.retain(|build| {
            if build.wrong_number().is_some() {
                let text = "scene: the build preset `{}` has numbers that cannot be; it was left out"
                    .replace("{}", &build.name);
                warnings.push(Warning(text));
            }
            build.wrong_number().is_none()
        });
        let mut bookmarks = file.bookmarks;
        let count = bookmarks.len();
        bookmarks.retain(CameraBookmark::is_sound);
        bookmarks.truncate(MAX_BOOKMARKS);
        if bookmarks.len() < count {
            let text = format!("scene: {} camera bookmarks cannot be and were left out", count - bookmarks.len());
            warnings.push(Warning(text));
        }
        let (materials, scatter) = (file.materials, file.scatter);
        let mut scene = Self {
            name,
            settings,
            planet,
            palette,
            climate,
            biomes,
            materials,
            scatter,
            patch,
            builds,
            bookmarks,
            layers,
        };
        scene.name_biomes();
        let depths = |scene: &Self| scene.layers.iter().map(|layer| layer.depth).collect::<Vec<_>>();
        let written = depths(&scene);
        scene.mend_depths();
        if depths(&scene) != written {
            let text = "scene: layers lie deeper than the groups above them allow; they were moved out";
            warnings.push(Warning(text.into()));
        }
        Ok((scene, warnings))
    }

    /// Gives its own biome table the name that the palette has: files hold it once.
    fn name_biomes(&mut self) {
        let name = self.palette.strip_prefix(BIOME_PREFIX).unwrap_or_default();
        if let Some(table) = self.biomes.as_mut().filter(|table| table.name != name) {
            Arc::make_mut(table).name = name.into();
        }
    }

    /// Reads a scene file; paths of files in it count from its folder.
    ///
    /// # Errors
    /// When it cannot be read, or is no scene.
    pub fn load(path: &Path) -> Result<(Self, Vec<Warning>), SceneError> {
        Self::load_stamped(path).map(|(scene, warnings, _)| (scene, warnings))
    }

    /// Reads a scene file, with the stamp that tells later whether it is still the same.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn load_stamped(path: &Path) -> Result<(Self, Vec<Warning>, FileStamp), SceneError> {
        Self::read_copy(path, path)
    }

    /// Reads the copy of a scene file; paths of files in it count from the folder of the `original`.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn load_copy(path: &Path, original: &Path) -> Result<(Self, Vec<Warning>), SceneError> {
        Self::read_copy(path, original).map(|(scene, warnings, _)| (scene, warnings))
    }

    fn read_copy(path: &Path, original: &Path) -> Result<(Self, Vec<Warning>, FileStamp), SceneError> {
        check_name(path)?;
        let failed = |source| SceneError::Read { path: path.into(), source };
        let mut bytes = Vec::new();
        // a pipe or a device could keep us waiting for ever
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
        let (mut scene, warnings) =
            Self::from_ron(&text).map_err(|source| SceneError::In { path: path.into(), source: Box::new(source) })?;
        scene.resolve_files(&folder_of(original));
        Ok((scene, warnings, stamp))
    }

    /// Writes a scene file; until the new one is safely on disk, and read back is this scene, the old one stays.
    /// Returns the stamp of what was written.
    ///
    /// # Errors
    /// When it cannot be written, or would be another scene when it is read.
    pub fn save(&self, to: impl Into<SaveTarget>) -> Result<FileStamp, SceneError> {
        self.write(&to.into(), Self::check_text)
    }

    /// Writes a scene file without reading it back: for the last moments of a program, when a scene that is mended on
    /// opening is better than none.
    ///
    /// # Errors
    /// When it cannot be written.
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
        Ok(FileStamp::of_contents(text.as_bytes(), to.path()))
    }

    /// Whether `text` is this scene: every number with all its bits, and not-a-number equal to itself.
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

/// The folder of a file, absolute.
fn folder_of(path: &Path) -> PathBuf {
    let folder = path.parent().unwrap_or(Path::new(""));
    std::path::absolute(folder.join(".")).map_or_else(|_| folder.into(), |absolute| absolute.components().collect())
}
