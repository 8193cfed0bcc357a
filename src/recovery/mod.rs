//! What is kept outside a scene's own file, so that work survives any end of the program: the edits of every running
//! editor, and the earlier versions of what was saved.
//!
//! ```text
//! STATE/sessions/SESSION/lock          held by the editor as long as it runs; the system frees it however it ends
//!                        session.ron   what is open; the scene itself while it has unsaved edits
//!      /versions/NAME-HASH/TIME-HASH.ron   what a save replaced, one folder for each file
//! ```
//! The folder STATE is `TALWEG_STATE`, else that of the system for such files ([`state_folder`]). Everything in it is
//! replaced in one step, as scenes are. What goes wrong here is told and costs the safety net, never a scene.

mod session;
mod versions;

pub use session::{FoundWork, OpenScene, RecoveryError, Session, UnsavedWork, left_work, open_elsewhere};
pub use versions::{EarlierVersion, earlier_versions, keep_version};

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Where sessions and earlier versions are kept: `TALWEG_STATE`, else the system's folder for the state of programs,
/// such as `~/.local/state/talweg`. None where the system names no such folder.
pub fn state_folder() -> Option<PathBuf> {
    match std::env::var_os("TALWEG_STATE") {
        Some(folder) if !folder.is_empty() => Some(PathBuf::from(folder)),
        _ => {
            let dirs = directories::ProjectDirs::from("", "", "talweg")?;
            Some(dirs.state_dir().unwrap_or(dirs.data_local_dir()).to_path_buf())
        }
    }
}

/// The name by which one file is known, whichever way leads to it: links are followed where the file exists.
fn identity(path: &Path) -> PathBuf {
    path.canonicalize().or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.into())
}

/// Makes a folder that only its owner can read: scenes may be private.
fn make_private_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Whole seconds since 1970.
fn unix_seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

fn from_unix_seconds(seconds: u64) -> SystemTime {
    UNIX_EPOCH.checked_add(Duration::from_secs(seconds)).unwrap_or(UNIX_EPOCH)
}

/// A time as people of this machine's time zone read it: `2026-11-22 14:05`.
pub fn local_time(time: SystemTime) -> String {
    match jiff::Timestamp::try_from(time) {
        Ok(stamp) => stamp.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string(),
        Err(_) => "at an unknown time".into(),
    }
}
