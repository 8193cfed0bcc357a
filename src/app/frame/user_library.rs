//! The user's library: files that every scene can use. They lie in folders of the configuration folder:
//!
//! | folder | files | where the window shows them |
//! |---|---|---|
//! | `stamps` | heightmaps and images | in lists of images and in the feature library |
//! | `presets` | scenes, of which the first layer is the preset | below the presets of a node, and when a layer is added |
//! | `materials` | lists of material rules | in the ground materials |
//! | `plants` | lists of rules for plants and stones | in the ground materials |
//! | `palettes` | palettes | among the palettes of the scene |
//! | `biomes` | biome tables | among the palettes of the scene |
//!
//! Once a second, while it draws frames, the window checks whether a file was added, changed or deleted.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use bevy_egui::egui;
use egui::Id;

use crate::frame::dialogs::preview::draw_file_picture;
use crate::frame::widgets::scene_picture::SceneThumbnail;
use talweg::appearance_files::{BiomeTable, MaterialRules, Palette, RuleList, ScatterRules};
use talweg::field::Control;
use talweg::io::{FileError, HeightStamp, SaveTarget, StagedFile, is_heightmap};
use talweg::scene::{Layer, Scene, load_material_rules};
use talweg::user_state::{PathUse, permit_paths};

/// Maximum number of files that are read from a folder.
const MOST: usize = 500;
/// Time between two checks of the folders for changes.
const PAUSE: Duration = Duration::from_secs(1);

/// A folder of the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LibraryFolder {
    Stamps,
    Presets,
    Materials,
    Plants,
    Palettes,
    Biomes,
}

impl LibraryFolder {
    pub const ALL: [Self; 6] =
        [Self::Stamps, Self::Presets, Self::Materials, Self::Plants, Self::Palettes, Self::Biomes];

    /// Name of the folder.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stamps => "stamps",
            Self::Presets => "presets",
            Self::Materials => "materials",
            Self::Plants => "plants",
            Self::Palettes => "palettes",
            Self::Biomes => "biomes",
        }
    }

    /// Whether the library reads a file of this name from the folder; it ignores other files. Stamps are no meshes,
    /// because constructions and brushes do not read meshes.
    fn contains(self, path: &Path) -> bool {
        let is_text = || path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("ron"));
        if self == Self::Stamps { is_heightmap(path) } else { is_text() }
    }
}

/// A file of the library, with what was read from it.
#[derive(Clone, Debug, PartialEq)]
pub struct LibraryFile<T> {
    /// The name of the file without its extension.
    pub name: String,
    pub path: PathBuf,
    pub contents: T,
}

/// A preset: a layer with its node, parameters, blending and mask.
pub type OwnPreset = LibraryFile<Layer>;

/// A stamp of the user, with its picture.
#[derive(Clone)]
pub struct OwnStamp {
    pub stamp: &'static HeightStamp,
    mark: FileMark,
    picture: SceneThumbnail,
    /// Whether the picture has been drawn, or cannot be drawn.
    is_done: Arc<AtomicBool>,
}

/// The files of the library, as they were read last.
#[derive(Default)]
pub struct LibraryContents {
    pub stamps: Vec<OwnStamp>,
    pub presets: Vec<OwnPreset>,
    pub materials: Vec<LibraryFile<MaterialRules>>,
    pub plants: Vec<LibraryFile<ScatterRules>>,
    pub palettes: Vec<LibraryFile<Arc<Palette>>>,
    pub biomes: Vec<LibraryFile<BiomeTable>>,
    /// Whether a thread draws, or has drawn, the pictures of the stamps.
    is_drawn: AtomicBool,
    control: Arc<Control>,
}

impl Drop for LibraryContents {
    fn drop(&mut self) {
        self.control.cancel();
    }
}

impl LibraryContents {
    /// The contents that [`UserLibrary::update`] found last.
    pub fn shown_in(ctx: &egui::Context) -> Arc<Self> {
        ctx.data(|data| data.get_temp::<Arc<Self>>(contents_id())).unwrap_or_default()
    }

    /// The picture of a stamp of the user, and whether it is still being drawn. The first request starts the thread
    /// that draws the pictures of all stamps.
    pub fn picture(&self, stamp: &HeightStamp) -> Option<(SceneThumbnail, bool)> {
        let own = self.stamps.iter().find(|own| own.stamp == stamp)?;
        if !self.is_drawn.swap(true, Ordering::Relaxed) {
            let (stamps, control) = (self.stamps.clone(), self.control.clone());
            let draw = move || {
                // A thread of earlier contents may still read its last file.
                static DRAWING: Mutex<()> = Mutex::new(());
                let _alone = DRAWING.lock().unwrap_or_else(PoisonError::into_inner);
                for own in stamps.iter().filter(|own| !own.is_done.load(Ordering::Relaxed)) {
                    if control.check().is_err() {
                        return;
                    }
                    // The list shows an unreadable stamp as a plain square; a layer that uses it reports why.
                    let drawn = draw_file_picture(Path::new(&own.stamp.name), &own.picture, &control, false);
                    own.is_done.store(drawn.is_ok() || control.check().is_ok(), Ordering::Relaxed);
                }
            };
            if std::thread::Builder::new().name("talweg-stamps".into()).spawn(draw).is_err() {
                // Without the thread, the squares stay plain.
                self.stamps.iter().for_each(|own| own.is_done.store(true, Ordering::Relaxed));
            }
        }
        Some((own.picture.clone(), !own.is_done.load(Ordering::Relaxed)))
    }
}

fn contents_id() -> Id {
    Id::new("contents of the user's library")
}

/// Length and modification time of a file.
type FileMark = (u64, SystemTime);

/// The files of all folders.
#[derive(Default, PartialEq)]
struct ListedFiles {
    /// The files that are read.
    read: BTreeMap<(LibraryFolder, PathBuf), FileMark>,
    /// The folders with more files than are read, and their numbers of files.
    overfull: Vec<(LibraryFolder, usize)>,
}

/// The user's library, as it was read last.
#[derive(Default)]
pub struct UserLibrary {
    /// The configuration folder, which contains the folders of the library. `None` if the system defines none.
    folder: Option<PathBuf>,
    known: ListedFiles,
    looked: Option<Instant>,
    contents: Arc<LibraryContents>,
}

/// Why a file could not be written into the library or deleted from it.
#[derive(Debug, thiserror::Error)]
pub enum LibraryError {
    /// There is no configuration folder on this system.
    #[error("there is no configuration folder on this system")]
    NoFolder,
    #[error(transparent)]
    Write(#[from] FileError),
    #[error("{path}: {source}")]
    Access { path: PathBuf, source: std::io::Error },
}

impl UserLibrary {
    /// The library in a configuration folder.
    pub fn new(config: Option<&Path>) -> Self {
        Self { folder: config.map(Path::to_path_buf), ..Self::default() }
    }

    pub fn contents(&self) -> &Arc<LibraryContents> {
        &self.contents
    }

    /// The path of a folder of the library.
    pub fn path(&self, folder: LibraryFolder) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join(folder.name()))
    }

    /// Creates the folders that are missing, and returns the folder that contains them.
    ///
    /// # Errors
    /// If a folder cannot be created.
    pub fn made_folders(&self) -> Result<&Path, LibraryError> {
        let config = self.folder.as_deref().ok_or(LibraryError::NoFolder)?;
        for folder in LibraryFolder::ALL {
            let path = config.join(folder.name());
            std::fs::create_dir_all(&path).map_err(|source| LibraryError::Access { path, source })?;
        }
        Ok(config)
    }

    /// Checks the folders at most once a second, and shows their contents in the lists of `ctx`. Returns an error
    /// message for each added or changed file that cannot be read.
    pub fn update(&mut self, ctx: &egui::Context) -> Vec<String> {
        if self.looked.is_some_and(|looked| looked.elapsed() < PAUSE) {
            return Vec::new();
        }
        let problems = self.read();
        let shown = ctx.data(|data| data.get_temp::<Arc<LibraryContents>>(contents_id()));
        if !shown.is_some_and(|shown| Arc::ptr_eq(&shown, &self.contents)) {
            ctx.data_mut(|data| data.insert_temp(contents_id(), self.contents.clone()));
        }
        problems
    }

    /// Reads the folders if a file was added, changed or deleted. Returns an error message for each added or changed
    /// file that cannot be read, and for each folder that now has too many files.
    pub fn read(&mut self) -> Vec<String> {
        self.looked = Some(Instant::now());
        let found = self.listed();
        if found == self.known {
            return Vec::new();
        }
        let new = found.overfull.iter().filter(|about| !self.known.overfull.contains(about));
        let too_many = new.map(|(folder, count)| {
            let name = folder.name();
            format!("The folder {name} of your library has {count} files; only the first {MOST} by name are offered.")
        });
        let problems = Mutex::new(too_many.collect());
        let is_new = |folder, path: &Path| {
            let key = (folder, path.to_path_buf());
            found.read.get(&key) != self.known.read.get(&key)
        };
        let reader = LibraryReader { found: &found.read, is_new: &is_new, problems: &problems };
        let stamps = found.read.iter().filter(|((folder, _), _)| *folder == LibraryFolder::Stamps);
        let stamps = stamps.map(|((_, path), mark)| {
            let stamp = HeightStamp::in_file(path);
            let old = self.contents.stamps.iter().find(|old| old.stamp.name == stamp.name && old.mark == *mark);
            old.cloned().unwrap_or_else(|| OwnStamp {
                stamp,
                mark: *mark,
                picture: SceneThumbnail::default(),
                is_done: Arc::default(),
            })
        });
        let contents = LibraryContents {
            stamps: stamps.collect(),
            presets: reader.files(LibraryFolder::Presets, &self.contents.presets, |path| {
                let (scene, _) = Scene::load(path).map_err(|error| error.to_string())?;
                scene.layers.into_iter().next().ok_or_else(|| "it has no layer".to_string())
            }),
            materials: reader.files(LibraryFolder::Materials, &self.contents.materials, load_material_rules),
            plants: reader.files(LibraryFolder::Plants, &self.contents.plants, ScatterRules::load),
            palettes: reader
                .files(LibraryFolder::Palettes, &self.contents.palettes, |path| Palette::load(path).map(Arc::new)),
            biomes: reader.files(LibraryFolder::Biomes, &self.contents.biomes, BiomeTable::load),
            is_drawn: AtomicBool::default(),
            control: Arc::default(),
        };
        self.contents = Arc::new(contents);
        self.known = found;
        problems.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// The files of all folders, as they are now.
    fn listed(&self) -> ListedFiles {
        let mut overfull = Vec::new();
        let of_folder = |folder: LibraryFolder| {
            // a folder that does not exist has no files
            let entries = self.path(folder).and_then(|path| std::fs::read_dir(path).ok());
            let paths = entries.into_iter().flatten().flatten().map(|entry| entry.path());
            let mut paths: Vec<PathBuf> = paths.filter(|path| folder.contains(path)).collect();
            paths.sort();
            if paths.len() > MOST {
                overfull.push((folder, paths.len()));
                paths.truncate(MOST);
            }
            paths.into_iter().filter_map(move |path| {
                let about = std::fs::metadata(&path).ok().filter(std::fs::Metadata::is_file)?;
                Some(((folder, path), (about.len(), about.modified().unwrap_or(SystemTime::UNIX_EPOCH))))
            })
        };
        let read = LibraryFolder::ALL.into_iter().flat_map(of_folder).collect();
        ListedFiles { read, overfull }
    }

    /// Writes a text file into a folder. A file of the same name is replaced. Returns its path.
    ///
    /// # Errors
    /// If the file cannot be written. An existing file then stays unchanged.
    pub fn write(&mut self, folder: LibraryFolder, name: &str, text: &str) -> Result<PathBuf, LibraryError> {
        let folder = self.path(folder).ok_or(LibraryError::NoFolder)?;
        let path = file_of(&folder, name);
        std::fs::create_dir_all(&folder).map_err(|source| LibraryError::Access { path: folder, source })?;
        StagedFile::new(SaveTarget::new(&path), |file| file.write_all(text.as_bytes()))?.commit()?;
        self.looked = None;
        Ok(path)
    }

    /// Writes a text file into a folder, under a name that no other file of the folder has. Returns its path.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn add(&mut self, folder: LibraryFolder, name: &str, text: &str) -> Result<PathBuf, LibraryError> {
        let place = self.path(folder).ok_or(LibraryError::NoFolder)?;
        let numbered = (2..).map(|number| format!("{name} {number}"));
        let free = std::iter::once(name.to_string()).chain(numbered).find(|name| !file_of(&place, name).exists());
        self.write(folder, &free.unwrap_or_else(|| name.into()), text)
    }

    /// Saves a preset, given as the text of a scene with one layer. A preset of the same name is replaced.
    ///
    /// # Errors
    /// If the file cannot be written. An existing file then stays unchanged.
    pub fn save_preset(&mut self, name: &str, text: &str) -> Result<(), LibraryError> {
        let path = self.write(LibraryFolder::Presets, name, text)?;
        if let Ok((scene, _)) = Scene::from_ron(text) {
            permit_paths(&path, &scene.files(), PathUse::Read);
        }
        Ok(())
    }

    /// Deletes a file of the library.
    ///
    /// # Errors
    /// If the file cannot be deleted.
    pub fn delete(&mut self, path: &Path) -> Result<(), LibraryError> {
        std::fs::remove_file(path).map_err(|source| LibraryError::Access { path: path.into(), source })?;
        self.looked = None;
        Ok(())
    }
}

/// Reads the files of one folder after the other.
struct LibraryReader<'a> {
    found: &'a BTreeMap<(LibraryFolder, PathBuf), FileMark>,
    /// Whether a file was added or changed since the last check.
    is_new: &'a dyn Fn(LibraryFolder, &Path) -> bool,
    problems: &'a Mutex<Vec<String>>,
}

impl LibraryReader<'_> {
    /// The readable files of a folder, sorted by name. Adds a message to `problems` for each added or changed file that
    /// cannot be read.
    fn files<T: Clone, E: Display>(
        &self,
        folder: LibraryFolder,
        old: &[LibraryFile<T>],
        read: impl Fn(&Path) -> Result<T, E>,
    ) -> Vec<LibraryFile<T>> {
        let paths = self.found.keys().filter(|(of, _)| *of == folder).map(|(_, path)| path);
        let unchanged =
            |path: &Path| old.iter().find(|file| file.path == path && !(self.is_new)(folder, path)).cloned();
        let file = |path: &PathBuf| match unchanged(path).map_or_else(|| read(path), |file| Ok(file.contents)) {
            Ok(contents) => {
                let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                Some(LibraryFile { name, path: path.clone(), contents })
            }
            Err(error) => {
                if (self.is_new)(folder, path) {
                    let said = format!("{} of your library cannot be used: {error}", path.display());
                    self.problems.lock().unwrap_or_else(PoisonError::into_inner).push(said);
                }
                None
            }
        };
        paths.filter_map(file).collect()
    }
}

/// The path of a file with a name that the user has entered. The file name consists of the letters and digits of this
/// name. Hyphens replace all other characters. A file without a name is called “unnamed”.
fn file_of(folder: &Path, name: &str) -> PathBuf {
    let plain: String = name.trim().chars().map(|c| if c.is_alphanumeric() || c == ' ' { c } else { '-' }).collect();
    folder.join(format!("{}.ron", if plain.is_empty() { "unnamed" } else { &plain }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::document::Document;
    use talweg::nodes::Node;

    #[test]
    fn a_preset_is_saved_found_and_deleted() {
        let folder = tempfile::tempdir().unwrap();
        let mut document = Document::default();
        document.add_layer(Node::named("Terrace").unwrap());
        document.edit("Change", None, |scene| scene.layers[0].mix.opacity = 0.5);
        let mut library = UserLibrary::new(Some(folder.path()));
        assert!(library.read().is_empty() && library.contents().presets.is_empty());
        library.save_preset("Steps / wide", &document.layer_text(&[0]).unwrap()).unwrap();
        std::fs::write(folder.path().join("presets/broken.ron"), "no scene").unwrap();
        let problems = library.read();
        assert!(problems.len() == 1 && problems[0].contains("broken.ron"), "{problems:?}");
        let found = library.contents().presets.clone();
        let about = (found.len(), found[0].name.as_str(), found[0].contents.mix.opacity);
        assert_eq!(about, (1, "Steps - wide", 0.5));
        assert!(library.read().is_empty());
        let path = found[0].path.clone();
        library.delete(&path).unwrap();
        library.read();
        assert!(library.contents().presets.is_empty() && library.delete(&path).is_err());
        assert!(library.add(LibraryFolder::Palettes, " ", "").unwrap().ends_with("palettes/unnamed.ron"));
        let mut nowhere = UserLibrary::new(None);
        assert!(matches!(nowhere.save_preset("x", ""), Err(LibraryError::NoFolder)));
    }

    #[test]
    fn a_folder_with_too_many_files_is_reported_once() {
        let folder = tempfile::tempdir().unwrap();
        let mut library = UserLibrary::new(Some(folder.path()));
        library.made_folders().unwrap();
        for number in 0..=MOST {
            std::fs::write(folder.path().join(format!("stamps/{number}.png")), "").unwrap();
        }
        let problems = library.read();
        assert!(problems.len() == 1 && problems[0].contains("stamps") && problems[0].contains("501"), "{problems:?}");
        assert_eq!(library.contents().stamps.len(), MOST);
        assert!(library.read().is_empty());
    }

    #[test]
    fn each_folder_is_read_and_read_again_after_a_change() {
        let folder = tempfile::tempdir().unwrap();
        let mut library = UserLibrary::new(Some(folder.path()));
        library.made_folders().unwrap();
        let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        put("stamps/hill.asc", "ncols 2\nnrows 2\ncellsize 1\n1 2\n3 4\n");
        put("stamps/notes.txt", "not a stamp");
        put("materials/dry.ron", "[(material: Sand)]");
        put("plants/few.ron", "[]");
        put("palettes/grey.ron", r##"(label: "Grey", colours: Relief([(0, "#000000"), (1, "#ffffff")]))"##);
        put("biomes/one.ron", r##"(label: "One", types: [(name: "Sand", colour: "#c0b080")])"##);
        assert!(library.read().is_empty());
        let contents = library.contents().clone();
        assert_eq!((contents.stamps.len(), contents.stamps[0].stamp.title.as_str()), (1, "hill"));
        assert_eq!((contents.materials[0].name.as_str(), contents.materials[0].contents.0.len()), ("dry", 1));
        assert_eq!((contents.plants[0].name.as_str(), contents.plants[0].contents.0.len()), ("few", 0));
        assert_eq!(contents.palettes[0].contents.label, "Grey");
        assert_eq!(contents.biomes[0].contents.label, "One");
        put("palettes/grey.ron", r##"(label: "Light grey", colours: Relief([(0, "#808080"), (1, "#ffffff")]))"##);
        std::fs::remove_file(folder.path().join("stamps/hill.asc")).unwrap();
        put("biomes/one.ron", "(label: 3)");
        let problems = library.read();
        assert!(problems.len() == 1 && problems[0].contains("one.ron"), "{problems:?}");
        let contents = library.contents();
        assert_eq!(contents.palettes[0].contents.label, "Light grey");
        assert!(contents.stamps.is_empty() && contents.biomes.is_empty());
    }
}
