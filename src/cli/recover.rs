//! `talweg recover`: lists, restores or discards unsaved work of editors that crashed or were killed.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::{CommandResult, Failure, print, print_json, usage};
use talweg::recovery::{FoundWork, abandoned_work, local_time, state_folder};
use talweg::scene::with_scene_ending;

/// List unsaved work of editors that crashed or were killed, write it to a file, or discard it
#[derive(Args)]
#[command(after_help = "\
Work that was written to a file stays in the list until --discard removes it. The list does not contain work of running
editors.

Examples:
  talweg recover                                    list unsaved work, the newest first
  talweg recover -o saved.ron                       write the newest
  talweg recover --number 2 -o saved.ron
  talweg recover --number 2 --discard")]
pub struct RecoverArgs {
    /// Scene file to write (.ron); it must not exist yet
    #[arg(short, long, value_name = "SCENE.ron")]
    output: Option<PathBuf>,
    /// Number of the work in the list; the newest is 1
    #[arg(short, long, value_name = "N")]
    number: Option<usize>,
    /// Discard the work, after writing it if --output is given
    #[arg(long)]
    discard: bool,
    /// Print the list as JSON
    #[arg(long, conflicts_with_all = ["output", "number", "discard"])]
    json: bool,
}

#[derive(Serialize)]
struct ListedWork {
    number: usize,
    name: Option<String>,
    edited: Option<String>,
    edit: Option<String>,
    file: Option<PathBuf>,
    kept_in: PathBuf,
    error: Option<String>,
}

impl ListedWork {
    fn new(index: usize, found: &FoundWork) -> Self {
        let work = found.work.as_ref();
        Self {
            number: index + 1,
            name: work.ok().map(|work| work.scene.name.clone()),
            edited: work.ok().map(|work| local_time(work.edited)),
            edit: work.ok().map(|work| work.edit.clone()),
            file: work.ok().and_then(|work| work.file.clone()),
            kept_in: found.path(),
            error: work.err().map(ToString::to_string),
        }
    }

    fn line(&self) -> String {
        let Self { number, name, edited, edit, file, error, .. } = self;
        if let Some(error) = error {
            return format!("{number:>3}  {error}\n");
        }
        let file = file.as_ref().map_or("not saved in any file".into(), |file| format!("of {}", file.display()));
        let text = |part: &Option<String>| part.clone().unwrap_or_default();
        format!("{number:>3}  {}  “{}” {file}; last edit: {}\n", text(edited), text(name), text(edit))
    }
}

pub fn run(args: &RecoverArgs) -> CommandResult {
    let state = state_folder().ok_or_else(|| {
        Failure::Failed(anyhow::anyhow!("this system defines no folder for unsaved work; set TALWEG_STATE to a folder"))
    })?;
    let mut found = abandoned_work(&state)?;
    if args.json {
        return print_json(&found.iter().enumerate().map(|(k, found)| ListedWork::new(k, found)).collect::<Vec<_>>());
    }
    if args.output.is_none() && !args.discard {
        if let Some(number) = args.number {
            let what = format!("say what to do with number {number}: give --output FILE, or --discard");
            return Err(usage(anyhow::anyhow!(what)));
        }
        if found.is_empty() {
            return print("There is no unsaved work.\n");
        }
        let lines: String = found.iter().enumerate().map(|(k, found)| ListedWork::new(k, found).line()).collect();
        return print(&lines);
    }
    if args.discard && args.output.is_none() && args.number.is_none() {
        return Err(usage(anyhow::anyhow!(
            "say which work to discard: give --number N from the list of `talweg recover`"
        )));
    }
    let number = args.number.unwrap_or(1);
    if !(1..=found.len()).contains(&number) {
        let there = match found.len() {
            0 => "there is no unsaved work".to_string(),
            count => format!("there are {count}"),
        };
        return Err(Failure::Failed(anyhow::anyhow!("no unsaved work has the number {number}: {there}")));
    }
    let one = found.swap_remove(number - 1);
    if let Some(output) = &args.output {
        let output = &with_scene_ending(output);
        let work = one.work.as_ref().map_err(|error| anyhow::anyhow!("{error}")).map_err(Failure::Failed)?;
        if output.symlink_metadata().is_ok() {
            let text = format!("{} exists already; give an unused name", output.display());
            return Err(Failure::Failed(anyhow::anyhow!(text)));
        }
        // A scene with wrong values is better than no scene. The values are corrected when the scene is opened.
        work.scene.save_unchecked(output)?;
        print(&format!("{}  “{}” as of {}\n", output.display(), work.scene.name, local_time(work.edited)))?;
    }
    if args.discard {
        one.discard();
    }
    Ok(())
}
