//! Data kept outside a scene's own file, so that work survives a crash: the unsaved edits of every running editor, and
//! earlier versions of saved files.
//!
//! ```text
//! STATE/sessions/SESSION/lock          locked by the editor while it runs; the system unlocks it when the editor ends
//!                        session.ron   the open scene file, and the scene itself while it has unsaved edits
//!      /versions/NAME-HASH/TIME-HASH.ron   the version that a save replaced, one folder for each file
//! ```
//! The folder STATE is `TALWEG_STATE`, or otherwise the system's folder for program state ([`state_folder`]). All files
//! in the folder STATE are replaced atomically, like scenes. Errors in this module are reported to the user. Such an
//! error can lose the backup, but never a scene file.

mod session;
mod versions;

pub use session::{FoundWork, OpenScene, RecoveryError, Session, UnsavedWork, abandoned_work, open_elsewhere};
pub use versions::{EarlierVersion, earlier_versions, keep_version};

use std::time::{Duration, SystemTime, UNIX_EPOCH};

pub use crate::user_state::state_folder;
use crate::user_state::{identity, make_private_folder};

/// Number of whole seconds since 1970.
fn unix_seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

fn from_unix_seconds(seconds: u64) -> SystemTime {
    UNIX_EPOCH.checked_add(Duration::from_secs(seconds)).unwrap_or(UNIX_EPOCH)
}

/// A time as text in the local time zone of this machine, such as `2026-11-22 14:05`.
pub fn local_time(time: SystemTime) -> String {
    match jiff::Timestamp::try_from(time) {
        Ok(stamp) => stamp.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string(),
        Err(_) => "at an unknown time".into(),
    }
}
