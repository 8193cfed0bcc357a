//! `talweg film`: records the editor's 3D view as a film, without a window.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde_json::json;

use super::doctor::GraphicsArgs;
use super::input::{SceneArgs, SceneJob};
use super::output::ForceArgs;
use super::render::pixels;
use super::{CommandResult, EditorCommands, print, print_json};
use talweg::io::SaveTarget;
use talweg::scene::LightPreset;
use talweg::timelapse::{MOST_FRAMES_A_SECOND, check_target, is_gif};

/// Film the editor's 3D view with a camera that orbits once or follows the bookmarks, as a GIF or a folder of PNG
/// pictures
#[derive(Args)]
#[command(after_help = "\
Examples:
  talweg film alpine-range -o alps.gif --width 480 --height 270
  talweg film canyon.ron -o frames --way flight --frames 300 --preset golden-hour
  talweg film earthlike -o earth.gif --frames 48

A folder of pictures becomes a video with, for example:
  ffmpeg -framerate 30 -i frames/frame-%05d.png -pix_fmt yuv420p canyon.mp4")]
pub struct FilmArgs {
    #[command(flatten)]
    scene: SceneArgs,
    /// File to write (.gif), or a new folder for numbered pictures
    #[arg(short, long, value_name = "FILE.gif|FOLDER")]
    pub output: PathBuf,
    #[command(flatten)]
    force: ForceArgs,
    /// Path of the camera
    #[arg(long, value_enum, value_name = "NAME", default_value = "turntable")]
    pub way: CameraWay,
    /// Number of frames
    #[arg(long, value_name = "N", default_value_t = 72, value_parser = clap::value_parser!(u32).range(2..=100_000))]
    pub frames: u32,
    /// Frames per second of a GIF
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=MOST_FRAMES_A_SECOND as i64))]
    pub fps: u32,
    /// Width in pixels
    #[arg(long, value_name = "N", default_value_t = 640, value_parser = pixels())]
    pub width: u32,
    /// Height in pixels
    #[arg(long, value_name = "N", default_value_t = 360, value_parser = pixels())]
    pub height: u32,
    /// Samples along each side of a pixel, from 1 to 4; more samples make smoother edges, and 4 takes 16 times the work
    #[arg(long, value_name = "TIMES", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=4))]
    pub supersampling: u32,
    /// Drawing mode of the terrain; see `talweg shot --help`
    #[arg(long, value_name = "NAME", default_value = "shaded")]
    pub mode: String,
    /// Light preset, instead of the scene's light
    #[arg(long, value_name = "LIGHT", value_parser = LightPreset::ALL.map(LightPreset::name))]
    preset: Option<String>,
    /// Print what was written as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    graphics: GraphicsArgs,
}

/// Path of the camera of a film.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CameraWay {
    /// Orbits once around the terrain or planet, at a constant height
    Turntable,
    /// Flies through the camera bookmarks of the scene, in their order
    Flight,
}

impl FilmArgs {
    /// The file or folder to write.
    pub fn target(&self) -> SaveTarget {
        self.force.target(&self.output)
    }

    /// Prints a report of the film.
    ///
    /// # Errors
    /// If the standard output is closed.
    pub fn report(&self, count: usize) -> CommandResult {
        if self.json {
            let Self { output, width, height, .. } = self;
            return print_json(&json!({ "path": output, "pictures": count, "width": width, "height": height }));
        }
        let what = if is_gif(&self.output) { "pictures in" } else { "pictures in the folder" };
        print(&format!("{count} {what} {}\n", self.output.display()))
    }
}

pub fn run(args: &FilmArgs, editor: &EditorCommands) -> CommandResult {
    check_target(args.target())?;
    args.graphics.choose(editor)?;
    let mut job: SceneJob = args.scene.load()?;
    if let Some(preset) = args.preset.as_deref().and_then(LightPreset::named) {
        preset.apply(&mut job.scene.settings);
    }
    (editor.film)(args, &job)
}
