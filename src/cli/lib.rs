//! The command line, one file per subcommand. Results are printed on stdout, everything else on stderr.
//!
//! The exit code is 0 for success, 1 for a failure, and 2 for wrong usage. Errors say what happened, where, and what to
//! do. Ctrl-C can end the program at any time. Files are replaced atomically, so no file is left half-written.

#![warn(missing_docs)]

mod batch;
mod bench;
mod check;
mod completions;
mod cut_out;
mod diff;
pub mod doctor;
mod edit;
mod export;
mod film;
mod info;
mod input;
mod licences;
mod measure;
mod nodes;
mod output;
mod patch;
mod portable;
mod reading;
mod recover;
mod render;
#[cfg(not(target_family = "wasm"))]
mod serve;
mod sheet;
mod shot;
mod sweeps;
mod textures;
mod tiles;
mod timelapse;
mod trace;
mod verify;
mod watch;
mod web_map;
mod workers;

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

pub use edit::EditArgs;
pub use film::{CameraWay, FilmArgs};
pub use input::{MemoryArgs, SceneArgs, SceneJob};
pub use licences::third_party_licences;
pub use shot::ShotArgs;

use talweg::io::{FileError, printable};
use talweg::user_state::allow_outside_in_this_run;

#[derive(Parser)]
#[command(
    name = "talweg",
    version,
    about = "A real-time 3D terrain editor: generators, filters and erosion you can watch",
    long_about = None,
    args_conflicts_with_subcommands = true,
    after_help = "\
SCENE is a .ron file, or the name of a shipped example such as `alpine-range`.

Examples:
  talweg                                            open the editor
  talweg island.ron                                 open a scene in it
  talweg render alpine-range -o alps.png            draw a shipped example from above
  talweg export island.ron -o heights.r16 --size 1025
  talweg verify island.ron --set Peaks.octaves=6

Exit codes: 0 done, 1 failed, 2 wrong usage."
)]
struct Cli {
    #[command(subcommand)]
    command: Option<CliCommand>,
    #[command(flatten)]
    edit: edit::EditArgs,
    /// Let scenes use files outside their own folders; each scene keeps the permission for these files
    #[arg(long, global = true)]
    allow_outside: bool,
}

#[derive(Subcommand)]
enum CliCommand {
    Render(render::RenderArgs),
    Shot(ShotArgs),
    Film(FilmArgs),
    Timelapse(timelapse::TimelapseArgs),
    Export(export::ExportArgs),
    WebMap(web_map::WebMapArgs),
    Info(info::InfoArgs),
    Measure(measure::MeasureArgs),
    Diff(diff::DiffArgs),
    Sheet(sheet::SheetArgs),
    Batch(batch::BatchArgs),
    Watch(watch::WatchArgs),
    #[cfg(not(target_family = "wasm"))]
    Serve(serve::ServeArgs),
    #[command(name = "region", alias = "patch")]
    Patch(patch::PatchArgs),
    CutOut(cut_out::CutOutArgs),
    Plan(tiles::PlanArgs),
    RunTile(tiles::RunTileArgs),
    RunTiles(tiles::RunTilesArgs),
    Merge(tiles::MergeArgs),
    Recover(recover::RecoverArgs),
    MakeRelative(portable::MakeRelativeArgs),
    MissingFiles(portable::MissingFilesArgs),
    PackFiles(portable::PackFilesArgs),
    Textures(textures::TexturesArgs),
    Nodes(nodes::NodesArgs),
    Bench(bench::BenchArgs),
    Check(check::CheckArgs),
    Verify(verify::VerifyArgs),
    Doctor(doctor::DoctorArgs),
    Licences(licences::LicencesArgs),
    Completions(completions::CompletionsArgs),
    Man(completions::ManArgs),
}

/// The reason why a command ended without a result.
pub enum Failure {
    /// Exit code 2: the command line itself is wrong.
    Usage(anyhow::Error),
    /// Exit code 1: the command failed.
    Failed(anyhow::Error),
    /// Exit code 1 without a message: the compared scenes differ.
    Different,
}

impl<E: std::error::Error + Send + Sync + 'static> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

impl Failure {
    /// The message of the error.
    pub fn text(&self) -> String {
        match self {
            Self::Usage(error) | Self::Failed(error) => error.to_string(),
            Self::Different => "the compared scenes differ".into(),
        }
    }
}

/// Makes `error` a usage error.
pub fn usage(error: impl Into<anyhow::Error>) -> Failure {
    Failure::Usage(error.into())
}

/// The outcome of a command.
pub type CommandResult = Result<(), Failure>;

/// Commands that need the editor. The program passes these functions in, because this library does not depend on the
/// engine.
pub struct EditorCommands {
    /// Opens the editor and returns when it is closed.
    pub edit: fn(EditArgs) -> CommandResult,
    /// Draws the 3D view of a scene as a picture.
    pub shot: fn(&ShotArgs, &SceneJob) -> CommandResult,
    /// Films the 3D view of a scene.
    pub film: fn(&FilmArgs, &SceneJob) -> CommandResult,
    /// Lists the graphics cards of this computer.
    pub graphics: fn() -> doctor::GraphicsReport,
    /// Makes the editor and the views draw with the graphics system of this name; otherwise returns the reason.
    pub choose_graphics: fn(&str) -> Result<(), String>,
}

/// Parses the command line and runs the command. `editor` is `None` if the program was built without the editor.
pub fn run(editor: Option<&EditorCommands>) -> ExitCode {
    let cli = Cli::parse_from(match text_arguments() {
        Ok(arguments) => arguments,
        Err(error) => return ended(Err(error)),
    });
    if cli.allow_outside {
        allow_outside_in_this_run();
    }
    ended(match cli.command {
        None => editor.ok_or_else(no_editor).and_then(|editor| edit::run(cli.edit, editor)),
        Some(CliCommand::Render(args)) => render::run(&args),
        Some(CliCommand::Shot(args)) => editor.ok_or_else(no_editor).and_then(|editor| shot::run(&args, editor)),
        Some(CliCommand::Film(args)) => editor.ok_or_else(no_editor).and_then(|editor| film::run(&args, editor)),
        Some(CliCommand::Timelapse(args)) => timelapse::run(&args),
        Some(CliCommand::Export(args)) => export::run(&args),
        Some(CliCommand::WebMap(args)) => web_map::run(&args),
        Some(CliCommand::Info(args)) => info::run(&args),
        Some(CliCommand::Measure(args)) => measure::run(&args),
        Some(CliCommand::Diff(args)) => diff::run(&args),
        Some(CliCommand::Sheet(args)) => sheet::run(&args),
        Some(CliCommand::Batch(args)) => batch::run(&args),
        Some(CliCommand::Watch(args)) => watch::run(&args),
        #[cfg(not(target_family = "wasm"))]
        Some(CliCommand::Serve(args)) => serve::run(&args),
        Some(CliCommand::Patch(args)) => patch::run(&args),
        Some(CliCommand::CutOut(args)) => cut_out::run(&args),
        Some(CliCommand::Plan(args)) => tiles::run_plan(&args),
        Some(CliCommand::RunTile(args)) => tiles::run_one(&args),
        Some(CliCommand::RunTiles(args)) => tiles::run_all(&args),
        Some(CliCommand::Merge(args)) => tiles::run_merge(&args),
        Some(CliCommand::Recover(args)) => recover::run(&args),
        Some(CliCommand::MakeRelative(args)) => portable::run_make_relative(&args),
        Some(CliCommand::MissingFiles(args)) => portable::run_missing_files(&args),
        Some(CliCommand::PackFiles(args)) => portable::run_pack_files(&args),
        Some(CliCommand::Textures(args)) => textures::run(&args),
        Some(CliCommand::Nodes(args)) => nodes::run(&args),
        Some(CliCommand::Bench(args)) => bench::run(&args),
        Some(CliCommand::Check(args)) => check::run(&args),
        Some(CliCommand::Verify(args)) => verify::run(&args),
        Some(CliCommand::Doctor(args)) => doctor::run(&args, editor),
        Some(CliCommand::Licences(args)) => licences::run(&args),
        Some(CliCommand::Completions(args)) => completions::run(&args),
        Some(CliCommand::Man(args)) => completions::write_manual(&args),
    })
}

/// The arguments, if all of them are UTF-8. An argument that is not UTF-8 could only be a file name, and scenes cannot
/// refer to files with such names. Every command therefore refuses it before any work.
fn text_arguments() -> Result<Vec<String>, Failure> {
    let text = |argument: OsString| {
        argument.into_string().map_err(|argument| usage(FileError::Name { path: PathBuf::from(argument) }))
    };
    // Replace the program's own name, which depends on the installation.
    let name = std::iter::once(Ok("talweg".to_string()));
    name.chain(std::env::args_os().skip(1).map(text)).collect()
}

fn ended(outcome: CommandResult) -> ExitCode {
    let (code, failure) = match outcome {
        Ok(()) => return ExitCode::SUCCESS,
        Err(Failure::Different) => return ExitCode::from(1),
        Err(failure @ Failure::Failed(_)) => (1, failure),
        Err(failure @ Failure::Usage(_)) => (2, failure),
    };
    // The texts of Talweg's errors already include the texts of their causes.
    print_message(&failure.text());
    ExitCode::from(code)
}

/// Prints a line for people on standard error. Write errors are ignored: nobody could read a message about them.
pub fn print_message(text: &str) {
    let _ = writeln!(std::io::stderr(), "talweg: {}", printable(text));
}

/// Prints a result. A closed pipe is not an error: the reader of the pipe needs no more lines.
pub fn print(text: &str) -> CommandResult {
    let mut out = std::io::stdout().lock();
    match out.write_all(printable(text).as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::Failed(anyhow::anyhow!("the result could not be printed: {error}")))
        }
        _ => Ok(()),
    }
}

/// Prints a result as JSON.
fn print_json(value: &impl serde::Serialize) -> CommandResult {
    print(&format!("{}\n", serde_json::to_string_pretty(value)?))
}

/// The error for commands that need the editor in a program built without it.
fn no_editor() -> Failure {
    Failure::Failed(anyhow::anyhow!(
        "this talweg was built without the editor; build it with the cargo feature `window`, or see `talweg --help` \
         for the commands that work without it"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }
}
