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
  talweg shot alpine-range -o view.png --width 1920 --height 1080
  talweg shot eroded-hills -o change.png --overlay change --mode hillshade")]
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
    /// How the ground is drawn: shaded, hillshade or wireframe; a construction tree alone also adaptive-tessellation or
    /// adaptive-wireframe
    #[arg(long, value_name = "NAME", default_value = "shaded")]
    pub mode: String,
    /// Data over the ground: slope, change (erosion and deposition) or a map, like flow, water or hardness
    #[arg(long, value_name = "NAME", default_value = "none")]
    pub overlay: String,
    /// Where the eye is: metres from the west and the north edge, metres above the ground, heading (0 is north, 90 east) and
    /// tilt (-90 is down) in degrees
    #[arg(
        long,
        value_name = "EAST,SOUTH,ABOVE,HEADING,TILT",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    pub from: Vec<f32>,
}

pub fn run(args: ShotArgs) -> Outcome {
    check_picture(&args.output)?;
    let job = args.scene.load()?;
    draw(&args, job)
}

#[cfg(feature = "app")]
fn draw(args: &ShotArgs, job: super::input::Job) -> Outcome {
    use crate::app::shot;
    use std::sync::Arc;

    use crate::app::view::{Choice, Formation, Overlay, Pose, Recipe, SIDE_WORLD, ViewMode, prepare};
    use crate::nodes::Control;

    let mode =
        ViewMode::named(&args.mode).ok_or_else(|| unknown("mode", &args.mode, ViewMode::ALL.map(ViewMode::name)))?;
    // there is nothing to compare with
    let overlays = || Overlay::all().into_iter().filter(|overlay| *overlay != Overlay::Difference);
    let overlay = overlays().find(|overlay| overlay.name() == args.overlay);
    let overlay = overlay.ok_or_else(|| unknown("overlay", &args.overlay, overlays().map(Overlay::name)))?;
    let terrain = job.evaluate()?;
    let palette = crate::look::table_of(&job.scene);
    let choice = Choice { overlay, reference: None };
    let prepared = job.pool.install(|| prepare(&terrain, &job.scene.settings, &choice, &Control::default()))?;
    let legend = prepared.legend.clone();
    let mut formation = None;
    if mode.asks_tree() {
        let recipe = Recipe::of(&job.scene).map_err(|refusal| super::usage(anyhow::anyhow!(refusal.text())))?;
        formation = Some(Arc::new(Formation::new(recipe, None)));
    }
    let mut options = shot::ShotOptions { width: args.width, height: args.height, mode, ..Default::default() };
    if let [east, south, height, heading, tilt] = args.from[..] {
        let place = [east, south].map(|metres| metres / prepared.scale.metres_per_world - 0.5 * SIDE_WORLD);
        let at = glam::Vec3::new(place[0], 0.0, place[1]);
        let ground = match &formation {
            Some(formation) => formation.floor_world(at, 1e-3),
            None => prepared.scale.ground_world(&prepared.terrain, at),
        };
        let eye_world = at.with_y(ground + height / prepared.scale.metres_per_world);
        options.view = shot::ShotView::Pose(Pose { eye_world, yaw: heading.to_radians(), pitch: tilt.to_radians() });
    }
    shot::shot(prepared.into(), palette.into(), formation, &options, &args.output)?;
    super::print(&format!("{}  {} × {} pixels\n", args.output.display(), args.width, args.height))?;
    match legend {
        None => Ok(()),
        Some(legend) => super::print(&format!("{legend}\n")),
    }
}

#[cfg(feature = "app")]
fn unknown(what: &str, name: &str, known: impl IntoIterator<Item = String>) -> super::Failure {
    let known: Vec<String> = known.into_iter().collect();
    super::usage(anyhow::anyhow!("there is no {what} `{name}`; there are {}", known.join(", ")))
}

#[cfg(not(feature = "app"))]
fn draw(_args: &ShotArgs, _job: super::input::Job) -> Outcome {
    Err(super::no_editor())
}
