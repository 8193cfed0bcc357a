//! `talweg [SCENE]`: the editor.

use std::path::PathBuf;

use clap::Args;

use super::Outcome;

#[derive(Args)]
pub struct EditArgs {
    /// Scene to open in the editor
    pub scene: Option<PathBuf>,
    /// Play user actions from a file and quit, see the documentation of `talweg::app::features::drive`
    #[arg(long, value_name = "STEPS.ron", hide = true)]
    pub drive: Option<PathBuf>,
}

#[cfg(feature = "app")]
pub fn run(args: EditArgs) -> Outcome {
    Ok(crate::app::run(crate::app::Options { scene: args.scene, drive: args.drive })?)
}

#[cfg(not(feature = "app"))]
pub fn run(_args: EditArgs) -> Outcome {
    Err(super::no_editor())
}
