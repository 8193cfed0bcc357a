//! `talweg [SCENE]`: opens the editor.

use std::path::PathBuf;

use clap::Args;

use super::doctor::GraphicsArgs;
use super::input::MemoryArgs;
use super::{CommandResult, EditorCommands};

/// Arguments of the editor.
#[derive(Args)]
pub struct EditArgs {
    /// Scene to open in the editor
    pub scene: Option<PathBuf>,
    /// Play user actions from a file and quit; see the documentation of `talweg_app::features::drive`
    #[arg(long, value_name = "STEPS.ron", hide = true)]
    pub drive: Option<PathBuf>,
    /// Memory limit of the editor.
    #[command(flatten)]
    pub memory: MemoryArgs,
    #[command(flatten)]
    graphics: GraphicsArgs,
}

pub fn run(args: EditArgs, editor: &EditorCommands) -> CommandResult {
    args.graphics.choose(editor)?;
    (editor.edit)(args)
}
