//! Files that the program keeps for this user on this computer: the folder that contains them, and, for each scene, a
//! record of the files outside the scene's folder that it may use.
//!
//! | file | contents |
//! |---|---|
//! | `outside` | the check whether a scene may use a file outside its folder, and the record of permissions |

mod outside;

pub use outside::{
    OutsideError, PathUse, allow_outside_in_this_run, built_files, check_paths, is_below, note_built_files,
    permit_paths,
};

pub(crate) use outside::resolved;

use std::path::{Path, PathBuf};

use crate::io::system_names::canonical;

/// The folder of sessions, earlier versions and permissions. It is `TALWEG_STATE`, or otherwise the system's folder for
/// program state, such as `~/.local/state/talweg`. `None` if the system defines no such folder.
pub fn state_folder() -> Option<PathBuf> {
    match std::env::var_os("TALWEG_STATE") {
        Some(folder) if !folder.is_empty() => Some(PathBuf::from(folder)),
        _ => {
            let dirs = directories::ProjectDirs::from("", "", "talweg")?;
            Some(dirs.state_dir().unwrap_or(dirs.data_local_dir()).to_path_buf())
        }
    }
}

/// A unique path for a file. Symbolic links are resolved if the file exists.
pub(crate) fn identity(path: &Path) -> PathBuf {
    canonical(path).or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.into())
}

/// Creates a folder that only its owner can read, because scenes may be private.
pub fn make_private_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// A name for the data about `file` in the state folder. It contains the name of the file, so that people recognise it,
/// and a hash of the file's full path.
pub(crate) fn name_for(file: &Path) -> String {
    let identity = identity(file);
    let stem = identity.file_stem().unwrap_or_default().to_string_lossy();
    let name: String = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).take(48).collect();
    format!("{name}-{:016x}", xxhash_rust::xxh3::xxh3_64(identity.as_os_str().as_encoded_bytes()))
}
