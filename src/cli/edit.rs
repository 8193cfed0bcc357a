//! `talweg [SCENE]`: the editor.

use std::path::PathBuf;

use super::Outcome;

#[cfg(feature = "app")]
pub fn run(scene: Option<PathBuf>) -> Outcome {
    crate::app::run(scene).map_err(super::Failure::Failed)
}

#[cfg(not(feature = "app"))]
pub fn run(_scene: Option<PathBuf>) -> Outcome {
    Err(super::no_editor())
}
