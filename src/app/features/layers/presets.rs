//! The user's presets. Each preset is a file in the configuration folder. The file contains one layer as the text of a
//! scene.

use std::path::{Path, PathBuf};

use bevy::prelude::Resource;

use talweg::io::{FileError, SaveTarget, StagedFile};
use talweg::scene::{Layer, Scene};
use talweg::user_state::{PathUse, permit_paths};

/// Name of the folder for presets within the configuration folder.
const FOLDER: &str = "presets";
/// Maximum number of presets that are read.
const MOST: usize = 500;

/// A layer that is stored as a preset.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnPreset {
    pub name: String,
    pub layer: Layer,
}

/// Why a preset could not be saved or deleted.
#[derive(Debug, thiserror::Error)]
pub enum PresetError {
    /// There is no configuration folder on this system.
    #[error("there is no configuration folder on this system")]
    NoFolder,
    #[error(transparent)]
    Write(#[from] FileError),
    #[error("{path}: {source}")]
    Remove { path: PathBuf, source: std::io::Error },
}

/// The user's presets. They are read from the folder once, and again after each change.
#[derive(Resource, Default)]
pub struct PresetLibrary(Option<Vec<OwnPreset>>);

impl PresetLibrary {
    /// The presets in a configuration folder, sorted by name. Unreadable files are skipped.
    pub fn of_folder(&mut self, config: Option<&Path>) -> &[OwnPreset] {
        self.0.get_or_insert_with(|| read(config))
    }

    /// Saves a preset, given as the text of a scene with one layer. A preset of the same name is replaced.
    ///
    /// # Errors
    /// If the file cannot be written. An existing file then stays unchanged.
    pub fn save(&mut self, config: Option<&Path>, name: &str, text: &str) -> Result<(), PresetError> {
        use std::io::Write;
        let folder = config.ok_or(PresetError::NoFolder)?.join(FOLDER);
        let path = file_of(&folder, name);
        std::fs::create_dir_all(&folder).map_err(|source| PresetError::Remove { path: folder, source })?;
        StagedFile::new(SaveTarget::new(&path), |file| file.write_all(text.as_bytes()))?.commit()?;
        if let Ok((scene, _)) = Scene::from_ron(text) {
            permit_paths(&path, &scene.files(), PathUse::Read);
        }
        self.0 = None;
        Ok(())
    }

    /// Deletes the preset of this name.
    ///
    /// # Errors
    /// If the file cannot be deleted.
    pub fn delete(&mut self, config: Option<&Path>, name: &str) -> Result<(), PresetError> {
        let path = file_of(&config.ok_or(PresetError::NoFolder)?.join(FOLDER), name);
        std::fs::remove_file(&path).map_err(|source| PresetError::Remove { path, source })?;
        self.0 = None;
        Ok(())
    }
}

/// The path of a preset's file. The file name consists of the letters and digits of the preset's name. Hyphens replace
/// all other characters.
fn file_of(folder: &Path, name: &str) -> PathBuf {
    let plain: String = name.trim().chars().map(|c| if c.is_alphanumeric() || c == ' ' { c } else { '-' }).collect();
    folder.join(format!("{plain}.ron"))
}

fn read(config: Option<&Path>) -> Vec<OwnPreset> {
    let Some(entries) = config.and_then(|config| std::fs::read_dir(config.join(FOLDER)).ok()) else {
        return Vec::new();
    };
    let preset = |path: PathBuf| {
        let name = path.file_stem()?.to_str()?.to_string();
        let (scene, _) = Scene::load(&path).ok()?;
        Some(OwnPreset { name, layer: scene.layers.into_iter().next()? })
    };
    let paths = entries.flatten().map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|e| e == "ron"));
    let mut presets: Vec<OwnPreset> = paths.take(MOST).filter_map(preset).collect();
    presets.sort_by(|a, b| a.name.cmp(&b.name));
    presets
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::document::Document;
    use talweg::nodes::Node;

    #[test]
    fn a_preset_is_saved_found_and_deleted() {
        let folder = tempfile::tempdir().unwrap();
        let config = Some(folder.path());
        let mut document = Document::default();
        document.add_layer(Node::named("Terrace").unwrap());
        document.edit("Change", None, |scene| scene.layers[0].mix.opacity = 0.5);
        let mut library = PresetLibrary::default();
        assert!(library.of_folder(config).is_empty());
        library.save(config, "Steps / wide", &document.layer_text(&[0]).unwrap()).unwrap();
        std::fs::write(folder.path().join("presets/broken.ron"), "no scene").unwrap();
        let found = PresetLibrary::default().of_folder(config).to_vec();
        assert_eq!((found.len(), found[0].name.as_str(), found[0].layer.mix.opacity), (1, "Steps - wide", 0.5));
        assert_eq!(library.of_folder(config), found);
        library.delete(config, "Steps - wide").unwrap();
        assert!(library.of_folder(config).is_empty() && library.delete(config, "Steps - wide").is_err());
        assert!(matches!(library.save(None, "x", ""), Err(PresetError::NoFolder)));
    }
}
