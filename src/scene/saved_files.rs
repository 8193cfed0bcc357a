//! Files that are written together with the scene that reads them: heights and maps of patches, pictures of
//! construction primitives.
//!
//! The program first writes the files, with a hash of their contents in their names, and then the scene that refers to
//! them. A scene therefore always finds its files, even if saving is interrupted or another program saves the same
//! scene.

use std::path::{Path, PathBuf};

use super::patch::map_stem;
use super::{Scene, SceneError};
use crate::field::MapKind;
use crate::io::{FileError, FileStamp, FolderLock, SaveTarget, check_writable};

/// Number of hash digits in a file name.
const HASH_DIGITS: usize = 16;
/// Maximum length of a file name in bytes. Every file system accepts names of this length.
const LONGEST_NAME: usize = 255;
/// Extensions of files that are written with a scene.
const ENDINGS: [&str; 2] = ["r32", "png"];
/// Suffixes in the file names of a primitive's two pictures, which contain heights and weights. They follow the name of
/// the scene.
pub const PICTURE_SUFFIXES: [&str; 2] = ["heights", "weights"];

/// A file name of the form `stem-0123456789abcdef.ending`, with the stem shortened if the file name would be too long.
pub fn hashed_name(stem: &str, hash: u64, ending: &str) -> String {
    let end = format!("-{hash:0width$x}.{ending}", width = HASH_DIGITS);
    let mut room = stem.len().min(LONGEST_NAME - end.len());
    while !stem.is_char_boundary(room) {
        room -= 1;
    }
    format!("{}{end}", &stem[..room])
}

/// Calls `write`, which first writes `files` into one folder and then writes the scene. If anything fails, an existing
/// scene keeps its files. After the old scene is replaced, files that no scene reads any more are removed.
///
/// # Errors
/// When one of the files cannot be written.
pub fn save_with_files<'a>(
    scene: &Scene,
    to: &SaveTarget,
    files: impl Iterator<Item = &'a Path> + Clone,
    write: impl FnOnce() -> Result<(), FileError>,
) -> Result<FileStamp, SceneError> {
    check_writable(to)?;
    let folder = files.clone().next().and_then(Path::parent).unwrap_or(Path::new(""));
    // Other programs that save into this folder wait, so that none of them removes files that were just written.
    let _lock = FolderLock::new(folder)?;
    let before = Scene::load(to.path()).map_or_else(|_| Vec::new(), |(scene, _)| scene.files());
    let new: Vec<&Path> = files.clone().filter(|file| !file.try_exists().unwrap_or(true)).collect();
    let remove = || new.iter().for_each(|file| drop(std::fs::remove_file(file)));
    write().map_err(|error| {
        // The save failed, so no scene reads the new files.
        remove();
        match error {
            FileError::Unsynced { path, source } => FileError::Write { path, source },
            other => other,
        }
    })?;
    match scene.save(to) {
        Ok(stamp) => {
            let stem = to.path().file_stem().unwrap_or_default().to_string_lossy();
            let is_own = |old: &PathBuf| files.clone().any(|file| file == old);
            before.iter().filter(|old| !is_own(old)).for_each(|old| remove_unused(old, folder, &stem));
            Ok(stamp)
        }
        Err(error) => {
            let is_replaced = matches!(&error, SceneError::Write(error) if error.is_replaced());
            if !is_replaced {
                remove();
            }
            Err(error)
        }
    }
}

/// Removes a file that was written for the scene `stem` in `folder`, unless a scene in that folder still refers to the
/// file.
fn remove_unused(file: &Path, folder: &Path, stem: &str) {
    let Some(name) = file.file_name().and_then(|name| name.to_str()) else { return };
    let stems = std::iter::once(stem.to_string())
        .chain(MapKind::ALL.iter().map(|&kind| map_stem(stem, kind)))
        .chain(PICTURE_SUFFIXES.iter().map(|picture| format!("{stem}-{picture}")));
    let is_named = |(hash, ending): (u64, &str)| stems.into_iter().any(|stem| hashed_name(&stem, hash, ending) == name);
    if file.parent() != Some(folder) || !hash_of(name).is_some_and(is_named) {
        return;
    }
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let is_read = entries.flatten().map(|entry| entry.path()).any(|path| {
        // A scene that cannot be read may refer to the file, so the file stays.
        path.extension().is_some_and(|e| e.eq_ignore_ascii_case("ron"))
            && std::fs::read_to_string(path).map_or(true, |text| text.contains(name))
    });
    if !is_read {
        let _ = std::fs::remove_file(file);
    }
}

/// The hash and the extension in a name that [`hashed_name`] made.
fn hash_of(name: &str) -> Option<(u64, &str)> {
    let (stem, ending) = name.rsplit_once('.').filter(|(_, ending)| ENDINGS.contains(ending))?;
    let (_, digits) = stem.rsplit_once('-').filter(|(_, digits)| digits.len() == HASH_DIGITS)?;
    Some((u64::from_str_radix(digits, 16).ok()?, ending))
}
