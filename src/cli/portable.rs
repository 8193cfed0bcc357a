//! `talweg make-relative`, `talweg missing-files` and `talweg pack-files`: scenes that can be moved and sent.

use std::path::PathBuf;

use clap::Args;

use super::output::ForceArgs;
use super::{CommandResult, Failure, print, print_json};
use talweg::export::origin::load_scene;
use talweg::scene_files::{make_paths_relative, missing_files, pack_files};

/// Make the paths in a scene file relative to its folder
#[derive(Args)]
#[command(after_help = "\
Only the paths in the text change; comments and explicit values stay. The earlier version is kept: see `talweg recover`.

Example:
  talweg make-relative island.ron")]
pub struct MakeRelativeArgs {
    /// Scene file
    scene: PathBuf,
    #[command(flatten)]
    force: ForceArgs,
}

/// List the files that a scene reads and that are missing
#[derive(Args)]
#[command(after_help = "\
Prints a line for each missing file. Exit code 1 if there is any.

Example:
  talweg missing-files island.ron")]
pub struct MissingFilesArgs {
    /// Scene file, or exported file that carries a scene
    scene: PathBuf,
    /// Print the list as JSON
    #[arg(long)]
    json: bool,
}

/// Copy the files that a scene reads into the folder of the scene
#[derive(Args)]
#[command(after_help = "\
The copies are in the subfolder NAME-files, with the side files of rasters, and the scene reads them from there. The folder
of the scene can then be moved or sent. A scene of somebody else needs --allow-outside as well.

Example:
  talweg pack-files island.ron")]
pub struct PackFilesArgs {
    /// Scene file
    scene: PathBuf,
    #[command(flatten)]
    force: ForceArgs,
}

pub fn run_make_relative(args: &MakeRelativeArgs) -> CommandResult {
    let done = make_paths_relative(&args.force.target(&args.scene))?;
    let relative = done.relative.iter().map(|path| format!("relative  {path}\n"));
    let absolute = done.absolute.iter().map(|path| format!("absolute  {}\n", path.display()));
    let text: String = relative.chain(absolute).collect();
    print(if text.is_empty() { "all paths were relative already\n" } else { &text })?;
    match done.absolute.len() {
        0 => Ok(()),
        count => Err(Failure::Failed(anyhow::anyhow!(
            "{count} paths stay absolute, because the files share too few folders with the scene. `talweg pack-files` \
             copies the files"
        ))),
    }
}

pub fn run_missing_files(args: &MissingFilesArgs) -> CommandResult {
    let missing = missing_files(&load_scene(&args.scene)?.0);
    if args.json {
        print_json(&missing)?;
    } else {
        print(&missing.iter().map(|path| format!("missing  {}\n", path.display())).collect::<String>())?;
    }
    match missing.len() {
        0 => Ok(()),
        count => Err(Failure::Failed(anyhow::anyhow!(
            "{count} files of {} are missing. Put them at the listed paths, or choose other files in the layers",
            args.scene.display()
        ))),
    }
}

pub fn run_pack_files(args: &PackFilesArgs) -> CommandResult {
    let packed = pack_files(&args.force.target(&args.scene))?;
    let lines = packed.iter().map(|file| format!("{}  from {}\n", file.to.display(), file.from.display()));
    let text: String = lines.collect();
    print(if text.is_empty() { "all files were in the folder of the scene already\n" } else { &text })
}
