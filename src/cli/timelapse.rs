//! `talweg timelapse`: makes a film of an erosion process or of the steps of a generator, without a window.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::input::{SceneArgs, memory_error};
use super::output::ForceArgs;
use super::{CommandResult, print, print_json, usage};
use talweg::appearance::PaletteTable;
use talweg::timelapse::{Film, FilmError, MOST_FRAMES_A_SECOND, check_target, is_gif};

/// Film an erosion from its first to its last iteration, or a generator step by step, as a GIF or a folder of PNG
/// pictures
#[derive(Args)]
#[command(after_help = "\
Examples:
  talweg timelapse eroded-hills -o hills.gif
  talweg timelapse canyon.ron -o frames --frames 240 --picture 1080
  talweg timelapse canyon.ron -o canyon.gif --layer Rivers --set Rivers.iterations=400
  talweg timelapse paper-001-midpoint-displacement -o midpoints.gif --steps

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
    /// Layer to film, by name or number; by default the topmost erosion, or the topmost generator with steps if there
    /// is no erosion
    #[arg(long, value_name = "LAYER")]
    layer: Option<String>,
    /// Number of frames, from the first to the last iteration or step; by default 60 for an erosion, and one for each
    /// step of a generator, 60 at most
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=100_000))]
    frames: Option<u32>,
    /// Frames per second of a GIF; by default 12 for an erosion and 2 for a generator
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MOST_FRAMES_A_SECOND as i64))]
    fps: Option<u32>,
    /// Draw the points and cells of each step of a generator over the terrain, and write its formula below
    #[arg(long)]
    steps: bool,
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
        None => Film::topmost_layer(&job.scene)?,
    };
    if args.steps && job.scene.layers[layer].node.as_stepped().is_none() {
        let name = &job.scene.layers[layer].name;
        return Err(usage(anyhow::anyhow!(
            "--steps: layer `{name}` is not a generator with steps; choose one with --layer"
        )));
    }
    let usual = Film::of_layer(&job.scene, layer);
    let film = Film {
        frames: args.frames.unwrap_or(usual.frames),
        frames_a_second: args.fps.unwrap_or(usual.frames_a_second),
        samples: job.samples,
        pixels: args.picture as usize,
        shows_steps: args.steps,
        ..usual
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
