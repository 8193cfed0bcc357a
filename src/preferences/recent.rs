//! The most recently opened scenes and added nodes.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::config_file::{ConfigError, ConfigFile};

const MOST: usize = 10;
const MOST_NODES: usize = 6;

#[derive(Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Names {
    recent: Vec<PathBuf>,
    nodes: Vec<String>,
}

/// The list of recently opened scenes and recently added nodes, and the file that stores it.
#[derive(Debug, Default)]
pub struct Recent {
    file: ConfigFile,
    paths: Vec<PathBuf>,
    nodes: Vec<String>,
}

impl Recent {
    /// Reads the file `recent.ron` in a folder. Without a folder, the list lasts only for this run.
    pub fn load(folder: Option<&Path>) -> (Self, Option<ConfigError>) {
        let (file, names, error) = ConfigFile::open(folder, "recent.ron", "The recent scenes");
        let Names { recent: mut paths, mut nodes } = names;
        paths.truncate(MOST);
        nodes.truncate(MOST_NODES);
        (Self { file, paths, nodes }, error)
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

    fn write(&mut self) -> Result<(), ConfigError> {
        self.file.write(&Names { recent: self.paths.clone(), nodes: self.nodes.clone() })
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
    fn a_broken_list_is_reset_and_reported() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("recent.ron"), "nonsense").unwrap();
        let (mut recent, warning) = Recent::load(Some(folder.path()));
        assert!(warning.unwrap().to_string().contains("Defaults are used"));
        recent.note(Path::new("/a.ron")).unwrap();
        assert_eq!(Recent::load(Some(folder.path())).0.paths().len(), 1);
    }
}
