//! The editor: Bevy and egui, and nothing else of Talweg knows them.

pub mod launch;
pub mod shot;
pub mod view;

/// Opens the editor.
pub fn run(_scene: Option<std::path::PathBuf>) -> Result<(), launch::AppError> {
    Ok(())
}
