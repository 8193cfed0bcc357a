//! Decides whether a scene may use files outside its own folder.
//!
//! Anybody can write a scene, and a downloaded scene can name any file of this computer. So a scene may read and write
//! files below its own folder only. For other files, the user gives permission once, for one scene file. A record in
//! the state folder remembers the permission:
//!
//! ```text
//! STATE/outside/NAME-HASH.ron   the scene file, the files that it may read or write, and the files of its builds
//! ```
//! Saving a scene permits the files that the scene reads, because it was opened with permission for them, or the user
//! has chosen them since. The record belongs to the path of the scene file. A copy in another folder has no permission,
//! and a changed scene has permission only for the files that the record lists.
//!
//! A scene cannot grant itself a permission. Records are outside its folder, and hidden folders such as `.local` count
//! as outside for writing even below its folder. Symbolic links are resolved before every comparison.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};

use super::{identity, make_private_folder, name_for, state_folder};
use crate::io::system_names::{canonical, is_of_other_system, is_on_other_server, is_reserved};
use crate::io::{FolderLock, ron_layout, write_atomically};

const FOLDER: &str = "outside";
const VERSION: u32 = 1;
/// Maximum size of a record in bytes.
const MAX_BYTES: u64 = 4 << 20;
/// Maximum number of records. The oldest records are removed, and the user is then asked again.
const MOST_RECORDS: usize = 2000;
/// Maximum number of paths that an error names.
const MOST_NAMED: usize = 8;

/// Whether this run may use all files that its scenes name.
static ALLOWED: AtomicBool = AtomicBool::new(false);

/// How a scene uses a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathUse {
    /// The scene reads the file.
    Read,
    /// A build of the scene writes the file.
    Write,
}

/// A scene names files outside its folder, and the user has not permitted them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{} {} files outside its own folder: {}. You have not permitted this. If you trust the scene, add \
     --allow-outside on the command line: it permits these files for this scene from then on", scene.display(),
    if *usage == PathUse::Read { "reads" } else { "writes" }, list(paths)
)]
pub struct OutsideError {
    /// The scene file.
    pub scene: PathBuf,
    /// The paths outside the folder of the scene.
    pub paths: Vec<PathBuf>,
    /// Whether the scene reads or writes the files.
    pub usage: PathUse,
}

fn list(paths: &[PathBuf]) -> String {
    let mut named: Vec<String> = paths.iter().take(MOST_NAMED).map(|path| path.display().to_string()).collect();
    if paths.len() > MOST_NAMED {
        named.push(format!("and {} more", paths.len() - MOST_NAMED));
    }
    named.join(", ")
}

/// Permits all files that scenes name until the program ends, and records the permission for each scene.
pub fn allow_outside_in_this_run() {
    ALLOWED.store(true, Ordering::Relaxed);
}

/// The permissions of one scene file.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OutsideRecord {
    version: u32,
    /// Full path of the scene file. Two paths could have the same hash.
    scene: String,
    reads: BTreeSet<String>,
    writes: BTreeSet<String>,
    /// Files that builds of the scene have written.
    built: BTreeSet<String>,
}

/// Checks that `scene` may use `paths`: each is below its folder, or permitted.
///
/// # Errors
/// When some paths are outside the folder of the scene and not permitted; the error lists them.
pub fn check_paths(scene: &Path, paths: &[PathBuf], usage: PathUse) -> Result<(), OutsideError> {
    let outside = outside_paths(scene, paths, usage);
    if outside.is_empty() {
        return Ok(());
    }
    if ALLOWED.load(Ordering::Relaxed) {
        permit_paths(scene, &outside, usage);
        return Ok(());
    }
    let record = read_record(scene);
    let permitted = match usage {
        PathUse::Read => &record.reads,
        PathUse::Write => &record.writes,
    };
    let paths: Vec<PathBuf> =
        outside.into_iter().filter(|path| !permitted.contains(&*path.to_string_lossy())).collect();
    if paths.is_empty() { Ok(()) } else { Err(OutsideError { scene: scene.into(), paths, usage }) }
}

/// Remembers that `scene` may use those of `paths` that are outside its folder. If the record cannot be written, the
/// user is asked again.
pub fn permit_paths(scene: &Path, paths: &[PathBuf], usage: PathUse) {
    let outside = outside_paths(scene, paths, usage);
    if outside.is_empty() {
        return;
    }
    change_record(scene, |record| {
        let permitted = match usage {
            PathUse::Read => &mut record.reads,
            PathUse::Write => &mut record.writes,
        };
        permitted.extend(outside.iter().map(|path| path.to_string_lossy().into_owned()));
    });
}

/// Remembers files that a build of `scene` has written. The next build may replace them.
pub fn note_built_files(scene: &Path, files: &[PathBuf]) {
    if !files.is_empty() {
        change_record(scene, |record| record.built.extend(files.iter().map(|file| text(file))));
    }
}

/// The files that builds of `scene` have written, with all symbolic links resolved.
pub fn built_files(scene: &Path) -> BTreeSet<PathBuf> {
    read_record(scene).built.into_iter().map(PathBuf::from).collect()
}

/// Whether `path` is `folder` or below it after all symbolic links are resolved.
pub fn is_below(folder: &Path, path: &Path) -> bool {
    path_below(folder, path).is_some()
}

/// The part of the resolved `path` below the resolved `folder`; `None` if the path is not below it.
fn path_below(folder: &Path, path: &Path) -> Option<PathBuf> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    resolved(path).strip_prefix(resolved(folder)).ok().map(PathBuf::from)
}

/// The resolved paths outside the folder of `scene`, each once. For writing, hidden files and folders count as outside.
fn outside_paths(scene: &Path, paths: &[PathBuf], usage: PathUse) -> Vec<PathBuf> {
    let whole = std::path::absolute(scene).unwrap_or_else(|_| scene.into());
    let folder = whole.parent().unwrap_or(Path::new("/"));
    let is_hidden = |path: &Path| path.components().any(|part| part.as_os_str().as_encoded_bytes().starts_with(b"."));
    let is_inside = |path: &Path| {
        !is_foreign(folder, path)
            && path_below(folder, path).is_some_and(|path| usage == PathUse::Read || !is_hidden(&path))
    };
    let named = |path: &PathBuf| if is_foreign(folder, path) { path.clone() } else { resolved(path) };
    let mut outside: Vec<PathBuf> = paths.iter().filter(|path| !is_inside(path)).map(named).collect();
    outside.sort();
    outside.dedup();
    outside
}

/// Whether a path cannot be below `folder`, by its text alone: the path of another system, a device, or a file on a
/// server that the folder is not on.
fn is_foreign(folder: &Path, path: &Path) -> bool {
    is_of_other_system(path) || is_reserved(path) || is_on_other_server(folder, path)
}

/// The absolute path with all symbolic links resolved. Parts that do not exist stay as they are.
pub(crate) fn resolved(path: &Path) -> PathBuf {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.into());
    let parts: Vec<Component> = whole.components().collect();
    for length in (1..=parts.len()).rev() {
        let existing: PathBuf = parts[..length].iter().collect();
        let Ok(mut real) = canonical(&existing) else { continue };
        for part in &parts[length..] {
            match part {
                Component::ParentDir => drop(real.pop()),
                part => real.push(part),
            }
        }
        return real;
    }
    whole
}

/// The resolved path as text. Scenes contain only UTF-8 names, so other paths never match.
fn text(path: &Path) -> String {
    resolved(path).to_string_lossy().into_owned()
}

fn record_path(state: &Path, scene: &Path) -> PathBuf {
    state.join(FOLDER).join(name_for(scene) + ".ron")
}

/// The record of `scene`, empty if there is none or it cannot be read.
fn read_record(scene: &Path) -> OutsideRecord {
    let identity = identity(scene).to_string_lossy().into_owned();
    let read = || {
        let mut text = String::new();
        let file = std::fs::File::open(record_path(&state_folder()?, scene)).ok()?;
        file.take(MAX_BYTES).read_to_string(&mut text).ok()?;
        ron::from_str::<OutsideRecord>(&text).ok()
    };
    read().filter(|record| record.version == VERSION && record.scene == identity).unwrap_or_else(|| OutsideRecord {
        version: VERSION,
        scene: identity.clone(),
        ..OutsideRecord::default()
    })
}

/// Changes the record of `scene`. Other programs wait meanwhile, so that no permission is lost.
fn change_record(scene: &Path, change: impl FnOnce(&mut OutsideRecord)) {
    let Some(state) = state_folder() else { return };
    let path = record_path(&state, scene);
    let folder = state.join(FOLDER);
    if make_private_folder(&folder).is_err() {
        return;
    }
    let Ok(_lock) = FolderLock::new(&folder) else { return };
    let mut record = read_record(scene);
    change(&mut record);
    let Ok(text) = ron::ser::to_string_pretty(&record, ron_layout(usize::MAX)) else { return };
    let _ = write_atomically(&path, |out| out.write_all(text.as_bytes()));
    remove_old_records(&folder);
}

fn remove_old_records(folder: &Path) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut records: Vec<_> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "ron"))
        .map(|path| (std::fs::metadata(&path).and_then(|data| data.modified()).ok(), path))
        .collect();
    if records.len() > MOST_RECORDS {
        records.sort();
        for (_, path) in &records[..records.len() - MOST_RECORDS] {
            let _ = std::fs::remove_file(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_compared_after_links_and_dots() {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("own");
        std::fs::create_dir_all(own.join("maps")).unwrap();
        std::fs::write(folder.path().join("secret.png"), "").unwrap();
        let inside = ["maps/dem.png", "new/folder/dem.png", "maps/../dem.png", "../own/dem.png", "."];
        assert!(inside.iter().all(|name| is_below(&own, &own.join(name))));
        let outside = ["../secret.png", "maps/../../secret.png", "new/../../secret.png", "..", "../own-2/dem.png"];
        assert!(outside.iter().all(|name| !is_below(&own, &own.join(name))));
        assert!(!is_below(&own, Path::new("/secret.png")));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(folder.path(), own.join("link")).unwrap();
            assert!(!is_below(&own, &own.join("link/secret.png")) && !is_below(&own, &own.join("link/new.png")));
            assert!(is_below(&own, &own.join("link/own/dem.png")));
        }
    }

    #[test]
    fn hidden_folders_are_outside_for_writing() {
        let folder = tempfile::tempdir().unwrap();
        let scene = folder.path().join("a.ron");
        let paths = [".config/autostart/x.png", ".profile.csv", "maps/x.png"].map(|name| folder.path().join(name));
        assert_eq!(outside_paths(&scene, &paths, PathUse::Write).len(), 2);
        assert!(outside_paths(&scene, &paths, PathUse::Read).is_empty());
    }

    #[test]
    fn permission_is_for_one_file_one_path_and_one_use() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(file("own")).unwrap();
        std::fs::create_dir_all(file("other")).unwrap();
        let (scene, copy) = (file("own/a.ron"), file("other/a.ron"));
        let wanted = [file("dem.png"), file("own/inside.png")];
        let error = check_paths(&scene, &wanted, PathUse::Read).unwrap_err();
        assert_eq!(error.paths, [resolved(&wanted[0])]);
        assert!(error.to_string().contains("dem.png") && error.to_string().contains("--allow-outside"), "{error}");
        permit_paths(&scene, &wanted, PathUse::Read);
        assert_eq!(check_paths(&scene, &wanted, PathUse::Read), Ok(()));
        assert!(check_paths(&scene, &wanted, PathUse::Write).is_err(), "only reading was permitted");
        assert!(check_paths(&copy, &wanted, PathUse::Read).is_err(), "a copy has no permission");
        assert!(check_paths(&scene, &[file("dem.png.key")], PathUse::Read).is_err());
        assert!(built_files(&scene).is_empty());
        note_built_files(&scene, &wanted);
        assert_eq!(built_files(&scene), wanted.iter().map(|path| resolved(path)).collect());
        assert!(built_files(&copy).is_empty());
    }
}
