//! What people like and what they opened last, kept between runs in the configuration folder: `view.ron` and
//! `recent.ron`, small RON files that anybody may edit. `view.ron` holds all preferences; it has its name from when
//! there were only those of the view.
//!
//! What goes wrong here costs these settings, never a scene. A file that cannot be read is not written over before a
//! copy of it is kept.

mod config_file;
mod globe_view;
mod interface;
mod mouse;
mod panel_layout;
mod recent;
mod view;

pub use config_file::ConfigError;
pub use globe_view::{AirModel, GlobeView, PlanetProjection};
pub use interface::{GroundDetail, InterfacePreferences, ThemeChoice, UnitSystem};
pub use mouse::{CameraGesture, DragButton, HeldKeys, MouseStyle};
pub use panel_layout::PanelLayout;
pub use recent::Recent;
pub use view::{ChosenKeys, MOST_VERSIONS, Preferences, PreferencesFile};

use std::path::PathBuf;

/// Where these files are: `TALWEG_CONFIG`, else the system's folder for the configuration of programs, such as
/// `~/.config/talweg`. None where the system names no such folder.
pub fn config_folder() -> Option<PathBuf> {
    match std::env::var_os("TALWEG_CONFIG") {
        Some(folder) if !folder.is_empty() => Some(PathBuf::from(folder)),
        _ => directories::ProjectDirs::from("", "", "talweg").map(|dirs| dirs.config_dir().to_path_buf()),
    }
}

/// Where pictures of scenes are kept, which can be drawn again: `TALWEG_CACHE`, else the system's folder for what may
/// be deleted, such as `~/.cache/talweg`. None where the system names no such folder.
pub fn cache_folder() -> Option<PathBuf> {
    match std::env::var_os("TALWEG_CACHE") {
        Some(folder) if !folder.is_empty() => Some(PathBuf::from(folder)),
        _ => directories::ProjectDirs::from("", "", "talweg").map(|dirs| dirs.cache_dir().to_path_buf()),
    }
}
