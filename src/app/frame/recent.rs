//! The scenes opened and the nodes added last, kept in a RON file in the configuration folder.
//!
//! The folder is `TALWEG_CONFIG`, else that of the system. What goes wrong here costs the list, never a scene.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::config_file;

const MOST: usize = 10;
const MOST_NODES: usize = 6;
/// A list of ten paths; what is larger is not ours.
const MAX_BYTES: u64 = 256 * 1024;

/// Why the list could not be kept.
#[derive(Debug, thiserror::Error)]
pub enum RecentError {
    #[error("The list of recent scenes could not be read from {path}: {message}. It begins anew")]
    Read { path: PathBuf, message: String },
    #[error("The list of recent scenes could not be written to {path}: {source}. It will be forgotten on quitting")]
    Write { path: PathBuf, source: std::io::Error },
}

#[derive(Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct File {
    recent: Vec<PathBuf>,
    nodes: Vec<String>,
}

/// See the module.
#[derive(Debug, Default)]
pub struct Recent {
    file: Option<PathBuf>,
    paths: Vec<PathBuf>,
    nodes: Vec<String>,
}

impl Recent {
    /// Where the list is kept.
    pub fn default_file() -> Option<PathBuf> {
        let folder = match std::env::var_os("TALWEG_CONFIG") {
            Some(folder) if !folder.is_empty() => Some(PathBuf::from(folder)),
            _ => directories::ProjectDirs::from("", "", "talweg").map(|dirs| dirs.config_dir().to_path_buf()),
        };
        folder.map(|folder| folder.join("recent.ron"))
    }

    /// Reads the list; without a file nothing is kept beyond this run.
    pub fn load(file: Option<PathBuf>) -> (Self, Option<RecentError>) {
        let Some(path) = file else { return (Self::default(), None) };
        match config_file::read(&path, MAX_BYTES) {
            Ok(File { mut recent, mut nodes }) => {
                recent.truncate(MOST);
                nodes.truncate(MOST_NODES);
                (Self { file: Some(path), paths: recent, nodes }, None)
            }
            Err(message) => {
                let error = RecentError::Read { path: path.clone(), message };
                (Self { file: Some(path), ..Self::default() }, Some(error))
            }
        }
    }

    /// The newest first.
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// Puts `path` first.
    ///
    /// # Errors
    /// When the list cannot be written; it holds for this run all the same.
    pub fn note(&mut self, path: &Path) -> Result<(), RecentError> {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.into());
        self.paths.retain(|p| *p != path);
        self.paths.insert(0, path);
        self.paths.truncate(MOST);
        self.write()
    }

    /// Takes `path` off the list.
    ///
    /// # Errors
    /// When the list cannot be written.
    pub fn forget(&mut self, path: &Path) -> Result<(), RecentError> {
        self.paths.retain(|p| p != path);
        self.write()
    }

    /// Names of the nodes that were added, the newest first.
    pub fn nodes(&self) -> &[String] {
        &self.nodes
    }

    /// Puts a node first.
    ///
    /// # Errors
    /// When the list cannot be written; it holds for this run all the same.
    pub fn note_node(&mut self, name: &str) -> Result<(), RecentError> {
        if self.nodes.first().is_some_and(|first| first == name) {
            return Ok(());
        }
        self.nodes.retain(|n| n != name);
        self.nodes.insert(0, name.into());
        self.nodes.truncate(MOST_NODES);
        self.write()
    }

    fn write(&self) -> Result<(), RecentError> {
        let Some(path) = &self.file else { return Ok(()) };
        let file = File { recent: self.paths.clone(), nodes: self.nodes.clone() };
        config_file::write(path, &file).map_err(|source| RecentError::Write { path: path.clone(), source })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newest_first_without_repeats_and_kept_in_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config/recent.ron");
        let (mut recent, warning) = Recent::load(Some(file.clone()));
        assert!(warning.is_none());
        for name in ["/a.ron", "/b.ron", "/a.ron"] {
            recent.note(Path::new(name)).unwrap();
        }
        let (mut again, _) = Recent::load(Some(file));
        assert_eq!(again.paths(), [PathBuf::from("/a.ron"), PathBuf::from("/b.ron")]);
        for k in 0..30 {
            again.note(Path::new(&format!("/{k}.ron"))).unwrap();
        }
        assert_eq!(again.paths().len(), MOST);
    }

    #[test]
    fn nodes_are_kept_beside_the_scenes() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("recent.ron");
        let (mut recent, _) = Recent::load(Some(file.clone()));
        recent.note(Path::new("/a.ron")).unwrap();
        for name in ["Perlin", "Thermal", "Perlin", "Perlin"] {
            recent.note_node(name).unwrap();
        }
        let (again, _) = Recent::load(Some(file));
        assert_eq!((again.nodes(), again.paths().len()), (&["Perlin".to_string(), "Thermal".into()][..], 1));
    }

    #[test]
    fn a_broken_list_begins_anew_and_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("recent.ron");
        std::fs::write(&file, "nonsense").unwrap();
        let (mut recent, warning) = Recent::load(Some(file.clone()));
        assert!(warning.unwrap().to_string().contains("begins anew"));
        recent.note(Path::new("/a.ron")).unwrap();
        assert_eq!(Recent::load(Some(file)).0.paths().len(), 1);
    }
}
