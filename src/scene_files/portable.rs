//! Scenes that can be moved: relative paths, missing files, and copies of all files in the folder of the scene.

use std::path::{Path, PathBuf};

use super::edit_text;
use crate::io::formats::side_files as raster_side_files;
use crate::io::system_names::{is_rooted, portable_text};
use crate::io::{FileError, FileStamp, SaveTarget, write_atomically};
use crate::scene::{Scene, SceneError, folder_of, relative_path, text_with_paths};
use crate::user_state::is_below;

/// Maximum number of subfolders that are tried for files of the same name.
const MOST_FOLDERS: usize = 1000;

/// The outcome of [`make_paths_relative`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelativePaths {
    /// Paths that are relative now, as they are in the file.
    pub relative: Vec<String>,
    /// Paths that stay absolute, because they share too few folders with the scene.
    pub absolute: Vec<PathBuf>,
}

/// A file that [`pack_files`] has copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackedFile {
    /// The file outside the folder of the scene.
    pub from: PathBuf,
    /// The copy below the folder of the scene.
    pub to: PathBuf,
}

/// The files that a scene reads and that do not exist. The scene must have been loaded from a file.
pub fn missing_files(scene: &Scene) -> Vec<PathBuf> {
    scene.files().into_iter().filter(|file| !file.is_file()).collect()
}

/// Makes the absolute paths in a scene file relative to its folder, where possible.
///
/// # Errors
/// When the file cannot be read or written.
pub fn make_paths_relative(to: &SaveTarget) -> Result<RelativePaths, SceneError> {
    let folder = folder_of(to.path());
    let mut done = RelativePaths { relative: Vec::new(), absolute: Vec::new() };
    let shortened = |name: &str| relative_path(&folder, Path::new(name)).map(|path| portable_text(&path));
    edit_text(to, |text| {
        let (scene, _) = Scene::from_ron(text)?;
        for path in scene.files().into_iter().filter(|path| is_rooted(path)) {
            match shortened(&path.to_string_lossy()) {
                Some(relative) => done.relative.push(relative),
                None => done.absolute.push(path),
            }
        }
        text_with_paths(text, &shortened)
    })?;
    Ok(done)
}

/// Copies the files that a scene reads from outside its folder into the subfolder `NAME-files`, with the side files of
/// rasters, and makes the scene read the copies.
///
/// # Errors
/// When a file is missing or cannot be copied, or the scene cannot be read or written.
pub fn pack_files(to: &SaveTarget) -> Result<Vec<PackedFile>, SceneError> {
    let path = to.path();
    let folder = folder_of(path);
    let (scene, _) = Scene::load(path)?;
    // A planet reads files of its own, relative to its folder, so a copy of it would not find them.
    let is_packed = |file: &PathBuf| !is_below(&folder, file) && file.extension().is_none_or(|end| end != "ron");
    let outside: Vec<PathBuf> = scene.files().into_iter().filter(is_packed).collect();
    let mut sources: Vec<PathBuf> = outside.iter().filter_map(|file| file.parent().map(PathBuf::from)).collect();
    sources.sort();
    sources.dedup();
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut packed = Vec::new();
    for source in sources {
        let files: Vec<&PathBuf> = outside.iter().filter(|file| file.parent() == Some(&source)).collect();
        packed.extend(copy_together(&files, &folder.join(format!("{stem}-files")))?);
    }
    let moved = |name: &str| {
        let whole = resolved_name(&folder, name);
        let copy = packed.iter().find(|file: &&PackedFile| file.from == whole)?;
        relative_path(&folder, &copy.to).map(|path| portable_text(&path))
    };
    edit_text(to, |text| text_with_paths(text, &moved))?;
    Ok(packed)
}

/// The path that a name in a scene of `folder` has once the scene is loaded.
fn resolved_name(folder: &Path, name: &str) -> PathBuf {
    crate::scene::absolute_name(folder, Path::new(name))
}

/// Copies files of one folder into `folder`, or into the first numbered subfolder in which no other file has one of
/// their names. The files stay together, because readers find side files and the faces of a cube by their names.
fn copy_together(files: &[&PathBuf], folder: &Path) -> Result<Vec<PackedFile>, SceneError> {
    let with_sides: Vec<PathBuf> =
        files.iter().flat_map(|file| side_files(file).into_iter().chain([PathBuf::from(file)])).collect();
    let name = |file: &Path| file.file_name().unwrap_or_default().to_os_string();
    let fits = |target: &PathBuf| with_sides.iter().all(|file| is_free_or_same(file, &target.join(name(file))));
    let numbered = (2..MOST_FOLDERS).map(|k| folder.join(k.to_string()));
    let target = std::iter::once(folder.to_path_buf()).chain(numbered).find(fits);
    let failed = |path: &Path, source| FileError::Write { path: path.into(), source };
    let target = target.ok_or_else(|| failed(folder, std::io::Error::other("too many files have the same name")))?;
    std::fs::create_dir_all(&target).map_err(|error| failed(&target, error))?;
    for file in &with_sides {
        let copy = target.join(name(file));
        if copy.exists() {
            continue;
        }
        let mut source = std::fs::File::open(file).map_err(|source| SceneError::Read { path: file.clone(), source })?;
        write_atomically(SaveTarget::new(&copy).only_new(true), |out| std::io::copy(&mut source, out).map(drop))?;
    }
    Ok(files.iter().map(|file| PackedFile { from: PathBuf::from(file), to: target.join(name(file)) }).collect())
}

/// Whether nothing is at `copy`, or a file with the contents of `file`.
fn is_free_or_same(file: &Path, copy: &Path) -> bool {
    match (FileStamp::read(file), FileStamp::read(copy)) {
        (Ok(file), Ok(copy)) => !copy.is_file() || file == copy,
        (Err(_), Ok(copy)) => !copy.is_file(),
        _ => false,
    }
}

/// Existing files that belong to `file`: the side files of a raster, or the `.bin` file of a glTF mesh.
fn side_files(file: &Path) -> Vec<PathBuf> {
    let numbers = file.extension().filter(|extension| *extension == "gltf").map(|_| file.with_extension("bin"));
    raster_side_files(file).into_iter().chain(numbers.filter(|numbers| numbers.is_file())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn importing(files: &[&str]) -> String {
        let layers: Vec<String> = files.iter().map(|file| format!("(node: Import(file: {file:?}))")).collect();
        format!("(version: 1, // mine\n layers: [{}])", layers.join(", "))
    }

    fn folder_with(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        folder
    }

    #[test]
    fn paths_become_relative_in_place() {
        let folder = folder_with(&[("own/dem.png", ""), ("maps/dem.png", "")]);
        let path = folder.path().join("own/a.ron");
        let whole = |name: &str| folder.path().join(name).display().to_string();
        let text = importing(&[&whole("own/dem.png"), &whole("maps/dem.png"), "/nowhere/dem.png", "stamp:mesa"]);
        std::fs::write(&path, &text).unwrap();
        let named = ["own/dem.png", "maps/dem.png"].map(|name| folder.path().join(name));
        crate::user_state::permit_paths(
            &path,
            &[&named[..], &["/nowhere/dem.png".into()]].concat(),
            crate::user_state::PathUse::Read,
        );
        let done = make_paths_relative(&SaveTarget::new(&path)).unwrap();
        assert_eq!(
            (done.relative, done.absolute),
            (vec!["dem.png".into(), "../maps/dem.png".into()], vec!["/nowhere/dem.png".into()])
        );
        let wanted = text.replace(&whole("own/dem.png"), "dem.png").replace(&whole("maps/dem.png"), "../maps/dem.png");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), wanted);
        assert_eq!(missing_files(&Scene::load(&path).unwrap().0), [PathBuf::from("/nowhere/dem.png")]);
    }

    #[test]
    fn packed_scenes_find_their_files_after_a_move() {
        let files = [("a/dem.png", "one"), ("a/dem.pgw", "place"), ("b/dem.png", "two"), ("own/in.png", "in")];
        let folder = folder_with(&files);
        let path = folder.path().join("own/a.ron");
        let whole = |name: &str| folder.path().join(name).display().to_string();
        std::fs::write(&path, importing(&["in.png", &whole("a/dem.png"), "../b/dem.png"])).unwrap();
        crate::user_state::permit_paths(
            &path,
            &["a/dem.png", "b/dem.png"].map(|name| folder.path().join(name)),
            crate::user_state::PathUse::Read,
        );
        let packed = pack_files(&SaveTarget::new(&path)).unwrap();
        assert_eq!(packed.len(), 2);
        let moved = tempfile::tempdir().unwrap();
        let own = moved.path().join("own");
        std::fs::rename(folder.path().join("own"), &own).unwrap();
        let (scene, _) = Scene::load(&own.join("a.ron")).unwrap();
        let texts: Vec<String> = scene.files().iter().map(|file| std::fs::read_to_string(file).unwrap()).collect();
        assert_eq!(texts, ["in", "one", "two"]);
        assert!(missing_files(&scene).is_empty() && own.join("a-files/dem.pgw").is_file());
        assert!(std::fs::read_to_string(own.join("a.ron")).unwrap().contains("// mine"));
        assert_eq!(pack_files(&SaveTarget::new(own.join("a.ron"))).unwrap(), [], "nothing is left to pack");
    }
}
