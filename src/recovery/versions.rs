//! Earlier versions of a scene file, one for each save that replaced it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use xxhash_rust::xxh3::xxh3_64;

use super::{from_unix_seconds, make_private_folder, unix_seconds};
use crate::io::{FileError, write_atomically};
use crate::user_state::name_for;

const FOLDER: &str = "versions";
/// Maximum size of a version in bytes, equal to the maximum size of a scene file.
const MAX_BYTES: u64 = 16 << 20;

/// A scene file as it was before a save.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EarlierVersion {
    /// Path of the copy.
    pub path: PathBuf,
    /// Time when this version of the scene was written, in whole seconds.
    pub written: SystemTime,
    hash: u64,
}

impl EarlierVersion {
    /// Parses a file name of the form `TIME-HASH.ron`.
    fn from_path(path: PathBuf) -> Option<Self> {
        let name = path.file_name()?.to_str()?.strip_suffix(".ron")?;
        let (seconds, hash) = name.split_once('-')?;
        let written = from_unix_seconds(seconds.parse().ok()?);
        Some(Self { written, hash: u64::from_str_radix(hash, 16).ok()?, path })
    }
}

/// The earlier versions of `file` in the folder `state`, newest first.
pub fn earlier_versions(state: &Path, file: &Path) -> Vec<EarlierVersion> {
    let entries = std::fs::read_dir(folder(state, file)).into_iter().flatten().flatten();
    let mut versions: Vec<_> = entries.filter_map(|entry| EarlierVersion::from_path(entry.path())).collect();
    versions.sort_by_key(|version| std::cmp::Reverse((version.written, version.hash)));
    versions
}

/// Copies the current contents of `file` before it is replaced, and keeps the newest `most` versions. Does nothing if
/// `file` does not exist, `most` is 0, or the newest version has the same contents.
///
/// # Errors
/// When the copy cannot be written; `file` itself is not touched.
pub fn keep_version(state: &Path, file: &Path, most: usize) -> Result<(), FileError> {
    let path = folder(state, file);
    let failed = |source| FileError::Write { path: path.clone(), source };
    let data = match std::fs::metadata(file) {
        Ok(data) if data.is_file() && data.len() <= MAX_BYTES && most > 0 => data,
        _ => return Ok(()),
    };
    let text = std::fs::read(file).map_err(failed)?;
    let hash = xxh3_64(&text);
    let versions = earlier_versions(state, file);
    if versions.first().is_none_or(|newest| newest.hash != hash) {
        make_private_folder(&path).map_err(failed)?;
        let seconds = unix_seconds(data.modified().unwrap_or_else(|_| SystemTime::now()));
        let copy = path.join(format!("{seconds}-{hash:016x}.ron"));
        write_atomically(&copy, |out| out.write_all(&text))?;
    }
    for old in earlier_versions(state, file).into_iter().skip(most) {
        // If deleting fails, the only effect is one extra version.
        let _ = std::fs::remove_file(old.path);
    }
    Ok(())
}

/// The folder for the versions of `file`.
fn folder(state: &Path, file: &Path) -> PathBuf {
    state.join(FOLDER).join(name_for(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(state: &Path, file: &Path) -> Vec<String> {
        earlier_versions(state, file).iter().map(|v| std::fs::read_to_string(&v.path).unwrap()).collect()
    }

    #[test]
    fn the_newest_versions_are_kept_once_each() {
        let folder = tempfile::tempdir().unwrap();
        let (state, file) = (folder.path().join("state"), folder.path().join("Große Alpen.ron"));
        keep_version(&state, &file, 3).unwrap();
        assert!(texts(&state, &file).is_empty(), "there was nothing to replace");
        for k in 0..6_u64 {
            std::fs::write(&file, format!("version {k}")).unwrap();
            let written = from_unix_seconds(1_700_000_000 + k);
            std::fs::File::options().write(true).open(&file).unwrap().set_modified(written).unwrap();
            keep_version(&state, &file, 3).unwrap();
            keep_version(&state, &file, 3).unwrap();
        }
        assert_eq!(texts(&state, &file), ["version 5", "version 4", "version 3"]);
        assert_eq!(earlier_versions(&state, &file)[0].written, from_unix_seconds(1_700_000_005));
        assert!(texts(&state, &folder.path().join("other/Große Alpen.ron")).is_empty(), "another file of that name");
        keep_version(&state, &file, 1).unwrap();
        assert_eq!(texts(&state, &file), ["version 5"]);
        keep_version(&state, &file, 0).unwrap();
        assert_eq!(texts(&state, &file), ["version 5"], "no new versions are made; existing ones stay");
    }
}
