//! The folder of an agent. An agent reads and writes only files in this folder and below, and reads the shipped
//! examples.

use std::path::{Component, Path, PathBuf};

use talweg::export::origin::load_scene;
use talweg::io::system_names::canonical;
use talweg::io::{SaveTarget, check_name};
use talweg::scene::{Scene, Warning, example, examples};
use talweg::user_state::is_below;

use crate::running::ServerError;

/// Maximum number of scene files that are listed.
const MOST_LISTED: usize = 1000;
/// Maximum depth of folders that are searched for scenes.
const MOST_DEEP: usize = 8;

/// A folder whose scenes agents may read and write.
#[derive(Clone, Debug)]
pub struct SceneFolder(PathBuf);

impl SceneFolder {
    /// The existing folder `path`.
    ///
    /// # Errors
    /// If there is no such folder.
    pub fn new(path: &Path) -> Result<Self, ServerError> {
        let opened = canonical(path).and_then(|folder| std::fs::read_dir(&folder).map(|_| folder));
        opened.map(Self).map_err(|source| ServerError::Folder { path: path.into(), source })
    }

    /// The path of the folder, with all symbolic links resolved.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The path of the file `name`, which is relative to the folder.
    ///
    /// # Errors
    /// If the file is not below the folder, is hidden, or has a name that some systems do not allow.
    pub(crate) fn file(&self, name: &str) -> Result<PathBuf, String> {
        let relative = Path::new(name);
        let is_plain = |part| matches!(part, Component::Normal(part) if !part.as_encoded_bytes().starts_with(b"."));
        if name.is_empty() || name.contains('\\') || !relative.components().all(is_plain) {
            return Err(format!(
                "`{name}` is not the name of a file in the folder of the server. Give a name without `..`, without a \
                 leading `/`, without `\\` and without hidden parts, such as island.ron or maps/heights.png"
            ));
        }
        let path = self.0.join(relative);
        check_name(&path).map_err(|error| error.to_string())?;
        if !is_below(&self.0, &path) {
            return Err(format!("`{name}` leads out of the folder of the server through a link"));
        }
        Ok(path)
    }

    /// Loads the scene file `name` of the folder, or the shipped example `name`.
    ///
    /// # Errors
    /// If there is no such scene, it cannot be read, or it uses files outside the folder.
    pub(crate) fn load(&self, name: &str) -> Result<(Scene, Vec<Warning>), String> {
        let path = self.file(name)?;
        if !path.exists() {
            let shipped = example(name.trim_end_matches(".ron"));
            return shipped.map(|shipped| (shipped.scene.clone(), Vec::new())).ok_or_else(|| {
                format!(
                    "there is no scene `{name}`, neither in the folder nor among the examples; list_scenes lists all"
                )
            });
        }
        let (scene, warnings) = load_scene(&path).map_err(|error| error.to_string())?;
        self.check_files(&scene)?;
        Ok((scene, warnings))
    }

    /// Checks that all files that `scene` reads are in the folder.
    pub(crate) fn check_files(&self, scene: &Scene) -> Result<(), String> {
        match scene.files_read().iter().find(|path| !is_below(&self.0, path)) {
            Some(path) => Err(format!("the scene reads {}, which is not in the folder of the server", path.display())),
            None => Ok(()),
        }
    }

    /// The target of a new file, or with `replace` of an existing one.
    pub(crate) fn target(&self, name: &str, replace: bool) -> Result<SaveTarget, String> {
        let path = self.file(name)?;
        if path.exists() && !replace {
            return Err(format!("`{name}` exists already; give another name, or `replace: true` to replace it"));
        }
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|error| format!("the folder of `{name}`: {error}"))?;
        }
        Ok(SaveTarget::new(path).only_new(!replace))
    }

    /// Names of the scene files in the folder and below, in alphabetical order.
    pub(crate) fn scene_files(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut waiting = vec![(self.0.clone(), 0)];
        while let Some((folder, depth)) = waiting.pop() {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                let (path, name) = (entry.path(), entry.file_name());
                let Ok(kind) = entry.file_type() else { continue };
                if name.as_encoded_bytes().starts_with(b".") {
                    continue;
                }
                if kind.is_dir() && depth < MOST_DEEP {
                    waiting.push((path, depth + 1));
                } else if kind.is_file() && path.extension().is_some_and(|ending| ending == "ron") {
                    let relative = path.strip_prefix(&self.0).map(|path| path.to_string_lossy().replace('\\', "/"));
                    found.extend(relative);
                }
            }
        }
        found.sort();
        found.truncate(MOST_LISTED);
        found
    }

    /// Names of the shipped examples.
    pub(crate) fn example_names() -> impl Iterator<Item = &'static str> {
        examples().iter().map(|shipped| shipped.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_in_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let scenes = SceneFolder::new(folder.path()).unwrap();
        assert_eq!(scenes.file("a/b.ron").unwrap(), scenes.path().join("a/b.ron"));
        for outside in
            ["", "../a.ron", "/etc/passwd", "a/../../b.ron", "c:\\a.ron", ".hidden.ron", "a/.b/c.ron", "./a.ron"]
        {
            assert!(scenes.file(outside).is_err(), "{outside}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_out_of_the_folder_are_refused() {
        let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::os::unix::fs::symlink(outside.path(), folder.path().join("link")).unwrap();
        let scenes = SceneFolder::new(folder.path()).unwrap();
        assert!(scenes.file("link/a.ron").unwrap_err().contains("leads out"));
    }
}
