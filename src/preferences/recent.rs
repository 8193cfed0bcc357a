//! The most recently opened scenes, added nodes, film settings, and folders of file dialogs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::config_file::{ConfigError, ConfigFile};

/// Highest frame rate of a film, as in [`timelapse`](crate::timelapse::MOST_FRAMES_A_SECOND).
const MOST_FRAMES_A_SECOND: u32 = 50;

const MOST: usize = 10;
const MOST_NODES: usize = 6;

#[derive(Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Names {
    recent: Vec<PathBuf>,
    nodes: Vec<String>,
    films: BTreeMap<String, FilmSettings>,
    folders: BTreeMap<String, PathBuf>,
}

/// The settings of a film.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FilmSettings {
    /// Whether the film is a folder of PNG images instead of an animated GIF.
    pub as_images: bool,
    /// Number of frames.
    pub frames: u32,
    /// Frames per second.
    pub frames_a_second: u32,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
}

impl FilmSettings {
    /// Limits settings that were read from a file to the ranges of the dialogs.
    fn limited(self) -> Self {
        Self {
            frames: self.frames.clamp(2, 10_000),
            frames_a_second: self.frames_a_second.clamp(1, MOST_FRAMES_A_SECOND),
            width: self.width.clamp(16, 8192),
            height: self.height.clamp(16, 8192),
            ..self
        }
    }
}

/// The list of recently opened scenes, recently added nodes, last film settings and last folders, and the file that
/// stores them.
#[derive(Debug, Default)]
pub struct Recent {
    file: ConfigFile,
    paths: Vec<PathBuf>,
    nodes: Vec<String>,
    films: BTreeMap<String, FilmSettings>,
    folders: BTreeMap<String, PathBuf>,
}

impl Recent {
    /// Reads the file `recent.ron` in a folder. Without a folder, the list lasts only for this run.
    pub fn load(folder: Option<&Path>) -> (Self, Option<ConfigError>) {
        let (file, names, error) = ConfigFile::open(folder, "recent.ron", "The recent scenes");
        let Names { recent: mut paths, mut nodes, films, folders } = names;
        paths.truncate(MOST);
        nodes.truncate(MOST_NODES);
        let films = films.into_iter().map(|(kind, settings)| (kind, settings.limited())).collect();
        (Self { file, paths, nodes, films, folders }, error)
    }

    /// Paths of the recent scenes, newest first.
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// Moves the scene at `path` to the top of the list of recent scenes, and adds it if needed.
    ///
    /// # Errors
    /// When the list cannot be written. Only the first failure is an error, and the list is still valid for this run.
    pub fn note(&mut self, path: &Path) -> Result<(), ConfigError> {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.into());
        self.paths.retain(|p| *p != path);
        self.paths.insert(0, path);
        self.paths.truncate(MOST);
        self.write()
    }

    /// Removes the scene at `path` from the list of recent scenes.
    ///
    /// # Errors
    /// When the list cannot be written. Only the first failure is an error.
    pub fn forget(&mut self, path: &Path) -> Result<(), ConfigError> {
        self.paths.retain(|p| p != path);
        self.write()
    }

    /// Names of the recently added nodes, newest first.
    pub fn nodes(&self) -> &[String] {
        &self.nodes
    }

    /// Moves the node `name` to the top of the list of recent nodes, and adds it if needed.
    ///
    /// # Errors
    /// When the list cannot be written. Only the first failure is an error, and the list is still valid for this run.
    pub fn note_node(&mut self, name: &str) -> Result<(), ConfigError> {
        if self.nodes.first().is_some_and(|first| first == name) {
            return Ok(());
        }
        self.nodes.retain(|n| n != name);
        self.nodes.insert(0, name.into());
        self.nodes.truncate(MOST_NODES);
        self.write()
    }

    /// The settings of the last film of a kind.
    pub fn film(&self, kind: &str) -> Option<FilmSettings> {
        self.films.get(kind).copied()
    }

    /// Remembers the settings of a film of a kind.
    ///
    /// # Errors
    /// When they cannot be written. Only the first failure is an error, and the settings are still valid for this run.
    pub fn note_film(&mut self, kind: &str, settings: FilmSettings) -> Result<(), ConfigError> {
        if self.films.insert(kind.into(), settings) == Some(settings) {
            return Ok(());
        }
        self.write()
    }

    /// The folders in which the user last opened files, by kind of file.
    pub fn folders(&self) -> &BTreeMap<String, PathBuf> {
        &self.folders
    }

    /// Remembers the folders in which the user last opened files, by kind of file.
    ///
    /// # Errors
    /// When they cannot be written. Only the first failure is an error, and the folders are still valid for this run.
    pub fn note_folders(&mut self, folders: &BTreeMap<String, PathBuf>) -> Result<(), ConfigError> {
        if self.folders == *folders {
            return Ok(());
        }
        self.folders.clone_from(folders);
        self.write()
    }

    fn write(&mut self) -> Result<(), ConfigError> {
        let Self { paths, nodes, films, folders, .. } = self;
        let (recent, nodes) = (paths.clone(), nodes.clone());
        self.file.write(&Names { recent, nodes, films: films.clone(), folders: folders.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recent_files_are_newest_first_unique_and_saved() {
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("config");
        let (mut recent, warning) = Recent::load(Some(&config));
        assert!(warning.is_none());
        for name in ["/a.ron", "/b.ron", "/a.ron"] {
            recent.note(Path::new(name)).unwrap();
        }
        let (mut again, _) = Recent::load(Some(&config));
        assert_eq!(again.paths(), [PathBuf::from("/a.ron"), PathBuf::from("/b.ron")]);
        for k in 0..30 {
            again.note(Path::new(&format!("/{k}.ron"))).unwrap();
        }
        assert_eq!(again.paths().len(), MOST);
    }

    #[test]
    fn recent_nodes_are_saved_beside_recent_scenes() {
        let folder = tempfile::tempdir().unwrap();
        let (mut recent, _) = Recent::load(Some(folder.path()));
        recent.note(Path::new("/a.ron")).unwrap();
        for name in ["Perlin", "Thermal", "Perlin", "Perlin"] {
            recent.note_node(name).unwrap();
        }
        let (again, _) = Recent::load(Some(folder.path()));
        assert_eq!((again.nodes(), again.paths().len()), (&["Perlin".to_string(), "Thermal".into()][..], 1));
    }

    #[test]
    fn film_settings_and_folders_outlast_the_program() {
        let folder = tempfile::tempdir().unwrap();
        let (mut recent, _) = Recent::load(Some(folder.path()));
        let film = FilmSettings { as_images: true, frames: 30, frames_a_second: 99, width: 300, height: 200 };
        recent.note_film("erosion", film).unwrap();
        recent.note_folders(&BTreeMap::from([("heights".into(), "/maps".into())])).unwrap();
        let (again, warning) = Recent::load(Some(folder.path()));
        assert!(warning.is_none());
        assert_eq!(again.film("erosion"), Some(FilmSettings { frames_a_second: 50, ..film }), "limited to 50 fps");
        assert_eq!(again.film("turntable"), None);
        assert_eq!(again.folders().get("heights"), Some(&PathBuf::from("/maps")));
    }

    #[test]
    fn a_broken_list_is_reset_and_reported() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("recent.ron"), "nonsense").unwrap();
        let (mut recent, warning) = Recent::load(Some(folder.path()));
        assert!(warning.unwrap().to_string().contains("Defaults are used"));
        recent.note(Path::new("/a.ron")).unwrap();
        assert_eq!(Recent::load(Some(folder.path())).0.paths().len(), 1);
    }
}
