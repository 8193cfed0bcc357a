//! Changes of scene files on the disk that keep the text of their author: comments, order and explicit values stay.
//!
//! Each change waits for other programs that change a file in the same folder, keeps the earlier version of the file,
//! and replaces the file atomically.
//!
//! | file | contents |
//! |---|---|
//! | `portable` | relative paths, missing files, and copies of all files in the folder of the scene |

mod portable;

use std::io::Write;

pub use portable::{PackedFile, RelativePaths, make_paths_relative, missing_files, pack_files};

use crate::io::{FolderLock, SaveTarget, write_atomically};
use crate::preferences::{PreferencesFile, config_folder};
use crate::recovery::keep_version;
use crate::scene::{BuildPreset, Scene, SceneError, folder_of, text_with_build};
use crate::user_state::{PathUse, permit_paths, state_folder};

/// Stores `preset` as the first build preset of a scene file, in place of a preset of the same name.
///
/// # Errors
/// When the file cannot be read or written. An existing file is then untouched.
pub fn store_build(to: &SaveTarget, preset: &BuildPreset) -> Result<Scene, SceneError> {
    edit_text(to, |text| text_with_build(text, preset))
}

/// Replaces the text of a scene file by the text that `edit` returns. Returns the new scene.
fn edit_text(to: &SaveTarget, edit: impl FnOnce(&str) -> Result<String, SceneError>) -> Result<Scene, SceneError> {
    let path = to.path();
    // Two programs that change the same file would each lose the change of the other.
    let lock = FolderLock::new(&folder_of(path))?;
    Scene::load(path)?;
    let (text, stamp) = Scene::read_text(path)?;
    let new = edit(&text)?;
    if new != text {
        if let Some(state) = state_folder() {
            let versions = PreferencesFile::load(config_folder().as_deref()).0.kept().versions;
            keep_version(&state, path, versions)?;
        }
        let to = to.clone().if_unchanged_since(stamp);
        write_atomically(to, |file| file.write_all(new.as_bytes()))?;
    }
    drop(lock);
    let (mut scene, _) = Scene::from_ron(&new)?;
    scene.resolve_files(&folder_of(path));
    permit_paths(path, &scene.files(), PathUse::Read);
    Ok(scene)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builds_stored_at_the_same_time_are_all_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.ron");
        std::fs::write(&path, "// mine\n(version: 1, layers: [(node: Perlin(octaves: 8))])").unwrap();
        let names: Vec<String> = (0..12).map(|k| format!("build {k}")).collect();
        std::thread::scope(|scope| {
            for name in &names {
                let preset = BuildPreset { name: name.clone(), ..BuildPreset::default() };
                let to = SaveTarget::new(&path);
                scope.spawn(move || store_build(&to, &preset).unwrap());
            }
        });
        let (scene, _) = Scene::load(&path).unwrap();
        let mut stored: Vec<String> = scene.builds.iter().map(|build| build.name.clone()).collect();
        stored.sort();
        let mut wanted = names;
        wanted.sort();
        assert_eq!(stored, wanted);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("// mine\n(version: 1,") && text.contains("octaves: 8"), "{text}");
    }
}
