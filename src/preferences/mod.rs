//! Preferences and recently used items, kept between runs in the configuration folder. The files `view.ron` and
//! `recent.ron` are small RON files that users can edit. `view.ron` holds all preferences, although its name only
//! refers to the view.
//!
//! Errors in this module can lose these settings, but never a scene. The program replaces an unreadable file only after
//! it has made a copy of the file.

mod config_file;
mod globe_view;
mod interface;
mod mouse;
mod panel_layout;
mod recent;
mod view;

pub use config_file::ConfigError;
pub use globe_view::{AirModel, GlobeView, PlanetProjection};
pub use interface::{FileDialogChoice, GroundDetail, InterfacePreferences, ThemeChoice, UnitSystem};
pub use mouse::{CameraGesture, DragButton, HeldKeys, MouseStyle};
pub use panel_layout::PanelLayout;
pub use recent::{FilmSettings, Recent};
pub use view::{ChosenKeys, MOST_VERSIONS, Preferences, PreferencesFile};

use std::path::PathBuf;

/// The folder of the configuration files. It is `TALWEG_CONFIG`, or otherwise the system's configuration folder, such
/// as `~/.config/talweg`. `None` if the system defines no such folder.
pub fn config_folder() -> Option<PathBuf> {
    match std::env::var_os("TALWEG_CONFIG") {
        Some(folder) if !folder.is_empty() => Some(PathBuf::from(folder)),
        _ => directories::ProjectDirs::from("", "", "talweg").map(|dirs| dirs.config_dir().to_path_buf()),
    }
}

/// The folder of cached files that the program can recreate: pictures of scenes and textures of materials. It is
/// `TALWEG_CACHE`, or otherwise the system's cache folder, such as `~/.cache/talweg`. `None` if the system defines no
/// such folder.
pub fn cache_folder() -> Option<PathBuf> {
    match std::env::var_os("TALWEG_CACHE") {
        Some(folder) if !folder.is_empty() => Some(PathBuf::from(folder)),
        _ => directories::ProjectDirs::from("", "", "talweg").map(|dirs| dirs.cache_dir().to_path_buf()),
    }
}
