//! `talweg [SCENE]`: the editor.

use std::path::PathBuf;

use super::Outcome;

#[cfg(feature = "app")]
pub fn run(scene: Option<PathBuf>) -> Outcome {
    Ok(crate::app::run(scene)?)
}

#[cfg(not(feature = "app"))]
pub fn run(_scene: Option<PathBuf>) -> Outcome {
    Err(super::no_editor())
}
