//! Files that a scene reads and that are written with it: heights and maps of patches, pictures of pieces.
//!
//! They are written first, under names that have a hash of what is in them, and then the scene, which names them:
//! whenever it stops, and whoever else writes the same scene, a scene has the files that it was saved with.

use std::path::{Path, PathBuf};

use super::patch::map_stem;
use super::{Scene, SceneError};
use crate::field::MapKind;
use crate::io::{FileError, FileStamp, FolderLock, SaveTarget, check_place};

/// Digits of a hash in the name of a file.
const HASH_DIGITS: usize = 16;
/// Bytes of a name that every file system takes.
const LONGEST_NAME: usize = 255;
/// Endings of files that are written with a scene.
const ENDINGS: [&str; 2] = ["r32", "png"];
/// What comes behind the name of a scene in those of the pictures of a piece: heights and weights.
pub const PICTURE_STEMS: [&str; 2] = ["heights", "weights"];

/// `stem-0123456789abcdef.ending`, with as much of the stem as a file's name has room for.
pub fn hashed_name(stem: &str, hash: u64, ending: &str) -> String {
    let end = format!("-{hash:0width$x}.{ending}", width = HASH_DIGITS);
    let mut room = stem.len().min(LONGEST_NAME - end.len());
    while !stem.is_char_boundary(room) {
        room -= 1;
    }
    format!("{}{end}", &stem[..room])
}

/// Writes `files`, which `write` makes and which lie in one folder, and then the scene. If anything fails a scene that
/// was there before keeps its own. Files that only that one read are removed once it is replaced.
///
/// # Errors
/// When one of them cannot be written.
pub fn save_with_files<'a>(
    scene: &Scene,
    to: &SaveTarget,
    files: impl Iterator<Item = &'a Path> + Clone,
    write: impl FnOnce() -> Result<(), FileError>,
) -> Result<FileStamp, SceneError> {
    check_place(to)?;
    let folder = files.clone().next().and_then(Path::parent).unwrap_or(Path::new(""));
    // others that write here wait, so that nobody takes away what has just been written
    let _lock = FolderLock::new(folder);
    let before = Scene::load(to.path()).map_or_else(|_| Vec::new(), |(scene, _)| scene.files());
    let new: Vec<&Path> = files.clone().filter(|file| !file.try_exists().unwrap_or(true)).collect();
    let remove = || new.iter().for_each(|file| drop(std::fs::remove_file(file)));
    write().map_err(|error| {
        // no scene reads them
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
            before.iter().filter(|old| !is_own(old)).for_each(|old| forget(old, folder, &stem));
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

/// Removes a file that was written for the scene `stem` in `folder`, unless another scene there names it.
fn forget(file: &Path, folder: &Path, stem: &str) {
    let Some(name) = file.file_name().and_then(|name| name.to_str()) else { return };
    let stems = std::iter::once(stem.to_string())
        .chain(MapKind::ALL.iter().map(|&kind| map_stem(stem, kind)))
        .chain(PICTURE_STEMS.iter().map(|picture| format!("{stem}-{picture}")));
    let is_named = |(hash, ending): (u64, &str)| stems.into_iter().any(|stem| hashed_name(&stem, hash, ending) == name);
    if file.parent() != Some(folder) || !hash_of(name).is_some_and(is_named) {
        return;
    }
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let is_read = entries.flatten().map(|entry| entry.path()).any(|path| {
        // what cannot be read may name it
        path.extension().is_some_and(|e| e.eq_ignore_ascii_case("ron"))
            && std::fs::read_to_string(path).map_or(true, |text| text.contains(name))
    });
    if !is_read {
        let _ = std::fs::remove_file(file);
    }
}

/// The hash and the ending of a name of [`hashed_name`].
fn hash_of(name: &str) -> Option<(u64, &str)> {
    let (stem, ending) = name.rsplit_once('.').filter(|(_, ending)| ENDINGS.contains(ending))?;
    let (_, digits) = stem.rsplit_once('-').filter(|(_, digits)| digits.len() == HASH_DIGITS)?;
    Some((u64::from_str_radix(digits, 16).ok()?, ending))
}
