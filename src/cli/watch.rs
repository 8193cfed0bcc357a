//! `talweg watch`: repeats a command whenever a scene, or a file that the scene names, is saved.
//!
//! Each run is a separate process, so a failure ends only that run. Files are polled several times a second, which
//! works on every file system, including network folders. A changed file counts as complete when two successive polls
//! find the same contents.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use clap::{Args, CommandFactory, Parser};

use super::{Cli, CommandResult, Failure, print_message, usage};
use talweg::export::origin::load_scene;
use talweg::io::FileStamp;

/// Repeat a command whenever a scene, or a file that the scene names, is saved
#[derive(Args)]
#[command(after_help = "\
COMMAND is any talweg command that takes a scene. Write it without the scene, which is inserted automatically. After an
error in the scene, talweg continues to watch. Ctrl-C ends it.

Examples:
  talweg watch island.ron -- export -o island.png --size 1025
  talweg watch island.ron -- render -o island.png --picture 2048
  talweg watch island.ron -- measure --json")]
pub struct WatchArgs {
    /// Scene file
    scene: PathBuf,
    /// Seconds between two polls of the files
    #[arg(long, value_name = "SECONDS", default_value_t = 0.2, value_parser = seconds)]
    every: f64,
    /// End after this many runs, including the first one
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    runs: Option<u32>,
    /// Command to run, with its options
    #[arg(required = true, num_args = 1.., trailing_var_arg = true, allow_hyphen_values = true, value_name = "COMMAND")]
    command: Vec<String>,
}

fn seconds(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|s: &f64| (0.02..=3600.0).contains(s)).ok_or("give seconds from 0.02 to 3600".into())
}

pub fn run(args: &WatchArgs) -> CommandResult {
    if !args.scene.exists() {
        return Err(Failure::Failed(anyhow::anyhow!(
            "there is no scene file {}; give a file that can be saved. Save an example in the editor to get one",
            args.scene.display()
        )));
    }
    let line = command_line(args)?;
    let program = std::env::current_exe()?;
    let mut done = 0;
    loop {
        let watched = WatchedFiles::of_scene(&args.scene);
        let begin = Instant::now();
        print_message(&format!("{} …", line.join(" ")));
        match Command::new(&program).args(&line).status() {
            Ok(status) if status.success() => {
                print_message(&format!("done in {:.1} s; watching {}", begin.elapsed().as_secs_f64(), watched.text()));
            }
            Ok(status) => {
                let code = status.code().map_or("stopped by a signal".into(), |code| format!("exit code {code}"));
                print_message(&format!("the command failed ({code}); watching {} for the next save", watched.text()));
            }
            Err(error) => return Err(Failure::Failed(anyhow::anyhow!("cannot run {}: {error}", program.display()))),
        }
        done += 1;
        if args.runs.is_some_and(|runs| done >= runs) {
            return Ok(());
        }
        let changed = watched.wait(Duration::from_secs_f64(args.every));
        print_message(&format!("{} has changed", changed.display()));
    }
}

/// The command with the scene inserted after its name. It is an error if the command takes no scene or is otherwise
/// invalid.
fn command_line(args: &WatchArgs) -> Result<Vec<String>, Failure> {
    let name = &args.command[0];
    let cli = Cli::command();
    let takes_scene = |command: &clap::Command| {
        let mut arguments = command.get_positionals();
        arguments.next().is_some_and(|first| ["scene", "scenes"].contains(&first.get_id().as_str()))
    };
    let usable = |command: &&clap::Command| takes_scene(command) && command.get_name() != "watch";
    let known: Vec<&str> = cli.get_subcommands().filter(usable).map(clap::Command::get_name).collect();
    if !known.contains(&name.as_str()) {
        return Err(usage(anyhow::anyhow!(
            "`{name}` is not a command that takes a scene; give one of {}",
            known.join(", ")
        )));
    }
    let scene = args.scene.to_str().map(str::to_string).unwrap_or_default();
    // A name that starts with a hyphen would be read as an option.
    let scene = if scene.starts_with('-') { format!("./{scene}") } else { scene };
    let mut line = vec![name.clone(), scene];
    line.extend(args.command[1..].iter().cloned());
    let tried = std::iter::once("talweg").chain(line.iter().map(String::as_str)).map(OsStr::new);
    Cli::try_parse_from(tried).map_err(|error| {
        let text = error.to_string();
        usage(anyhow::anyhow!("{}", text.strip_prefix("error: ").unwrap_or(&text).trim_end()))
    })?;
    Ok(line)
}

/// The watched files, each with its stamp when it was last read.
pub(super) struct WatchedFiles(BTreeMap<PathBuf, Option<FileStamp>>);

impl WatchedFiles {
    /// The scene and all files that the scene reads. While the scene cannot be read, only the scene file.
    pub fn of_scene(scene: &Path) -> Self {
        let mut paths = vec![scene.to_path_buf()];
        if let Ok((read, _)) = load_scene(scene) {
            paths.extend(read.files_read());
        }
        // An unreadable file has no stamp; it counts as changed when it becomes readable.
        Self(paths.into_iter().map(|path| (path.clone(), FileStamp::read(&path).ok())).collect())
    }

    fn text(&self) -> String {
        match self.0.len() {
            1 => "the scene".into(),
            n => format!("the scene and {} files that it names", n - 1),
        }
    }

    /// Waits until a file has changed and is no longer being written. Returns the path of that file.
    pub fn wait(&self, every: Duration) -> PathBuf {
        loop {
            std::thread::sleep(every);
            let changed = self.0.iter().find(|(path, stamp)| has_changed(path, stamp.as_ref()));
            let Some((path, _)) = changed else { continue };
            // An editor that replaces the file can leave the file missing for a moment.
            let mut last = None;
            loop {
                let now = FileStamp::read(path).ok().filter(FileStamp::is_file);
                if now.is_some() && now == last {
                    return path.clone();
                }
                last = now;
                std::thread::sleep(every);
                // The file exists again and is unchanged.
                if last.is_some() && !has_changed(path, self.0[path].as_ref()) {
                    break;
                }
            }
        }
    }
}

fn has_changed(path: &Path, stamp: Option<&FileStamp>) -> bool {
    match stamp {
        Some(stamp) => stamp.looks_changed(path) && stamp.has_changed(path),
        None => FileStamp::read(path).is_ok(),
    }
}
