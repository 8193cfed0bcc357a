//! `talweg shot`: the editor's 3D view as a picture, without a window.

use std::path::PathBuf;

use clap::Args;

use super::Outcome;
use super::input::SceneArgs;
use super::render::{check_picture, pixels};

/// Draw the editor's 3D view as a PNG picture, without a window
#[derive(Args)]
#[command(after_help = "\
Example:
  talweg shot alpine-range -o view.png --width 1920 --height 1080")]
pub struct ShotArgs {
    #[command(flatten)]
    scene: SceneArgs,
    /// Picture to write (.png)
    #[arg(short, long, value_name = "VIEW.png")]
    pub output: PathBuf,
    /// Width in pixels
    #[arg(long, value_name = "N", default_value_t = 1280, value_parser = pixels())]
    pub width: u32,
    /// Height in pixels
    #[arg(long, value_name = "N", default_value_t = 720, value_parser = pixels())]
    pub height: u32,
}

pub fn run(args: ShotArgs) -> Outcome {
    check_picture(&args.output)?;
    let job = args.scene.load()?;
    draw(&args, job)
}

#[cfg(feature = "app")]
fn draw(args: &ShotArgs, job: super::input::Job) -> Outcome {
    use crate::app::{shot, view};
    let terrain = job.evaluate()?;
    let palette = crate::look::table_of(&job.scene);
    let prepared = job.pool.install(|| view::prepare(&terrain, &job.scene.settings));
    let options = shot::ShotOptions { width: args.width, height: args.height, ..Default::default() };
    shot::shot(prepared.into(), palette.into(), &options, &args.output)?;
    super::print(&format!("{}  {} × {} pixels\n", args.output.display(), args.width, args.height))
}

#[cfg(not(feature = "app"))]
fn draw(_args: &ShotArgs, _job: super::input::Job) -> Outcome {
    Err(super::no_editor())
}
