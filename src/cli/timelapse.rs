//! `talweg timelapse`: makes a film of an erosion process, without a window.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::input::{SceneArgs, memory_error};
use super::output::ForceArgs;
use super::{CommandResult, print, print_json, usage};
use talweg::appearance::PaletteTable;
use talweg::timelapse::{Film, FilmError, MOST_FRAMES_A_SECOND, check_target, is_gif};

/// Film an erosion process from its first to its last iteration, as a GIF or a folder of PNG pictures
#[derive(Args)]
#[command(after_help = "\
Examples:
  talweg timelapse eroded-hills -o hills.gif
  talweg timelapse canyon.ron -o frames --frames 240 --picture 1080
  talweg timelapse canyon.ron -o canyon.gif --layer Rivers --set Rivers.iterations=400

A folder of pictures becomes a video with, for example:
  ffmpeg -framerate 30 -i frames/frame-%05d.png -pix_fmt yuv420p canyon.mp4")]
pub struct TimelapseArgs {
    #[command(flatten)]
    scene: SceneArgs,
    /// File to write (.gif), or a new folder for numbered pictures
    #[arg(short, long, value_name = "FILE.gif|FOLDER")]
    output: PathBuf,
    #[command(flatten)]
    force: ForceArgs,
    /// Layer to film, by name or number; by default the topmost erosion
    #[arg(long, value_name = "LAYER")]
    layer: Option<String>,
    /// Number of frames, from the first to the last iteration
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(2..=100_000))]
    frames: u32,
    /// Frames per second of a GIF
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..=MOST_FRAMES_A_SECOND as i64))]
    fps: u32,
    /// Side length of the pictures, in pixels
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = clap::value_parser!(u32).range(16..=8192))]
    picture: u32,
    /// Print what was written as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &TimelapseArgs) -> CommandResult {
    let output = args.force.target(&args.output);
    check_target(&output)?;
    let job = args.scene.load()?;
    let layer = match &args.layer {
        Some(name) => job.scene.find_layer(name).map_err(|e| usage(anyhow::anyhow!("--layer: {e}")))?,
        None => Film::topmost_process(&job.scene)?,
    };
    let film = Film {
        layer,
        frames: args.frames,
        frames_a_second: args.fps,
        samples: job.samples,
        pixels: args.picture as usize,
    };
    let palette = PaletteTable::for_scene(&job.scene);
    let count = job.with_progress(|control, show| {
        let made = job.pool.install(|| film.shoot(&job.scene, &palette, &output, control, show));
        made.map_err(|error| match error {
            FilmError::Memory(reason) => memory_error(&reason, "--size"),
            error => error.into(),
        })
    })?;
    if args.json {
        let picture = args.picture;
        return print_json(&json!({ "path": args.output, "pictures": count, "width": picture, "height": picture }));
    }
    let what = if is_gif(&args.output) { "pictures in" } else { "pictures in the folder" };
    print(&format!("{count} {what} {}\n", args.output.display()))
}
