//! `talweg shot`: draws the editor's 3D view as a picture, without a window.

use std::path::PathBuf;

use clap::Args;

use super::doctor::GraphicsArgs;
use super::input::SceneArgs;
use super::output::ForceArgs;
use super::render::{failed, pixels};
use super::{CommandResult, EditorCommands, usage};
use talweg::appearance::check_picture;
use talweg::io::SaveTarget;
use talweg::param::{Params, Value};
use talweg::preferences::GlobeView;
use talweg::scene::LightPreset;

/// Draw the editor's 3D view as a PNG picture, without a window
#[derive(Args)]
#[command(after_help = "\
Example:
  talweg shot alpine-range -o view.png --width 1920 --height 1080
  talweg shot alpine-range -o evening.png --preset golden-hour --from 5600,2600,30,200,-10
  talweg shot alpine-range -o plan.png --side top --orthographic
  talweg shot eroded-hills -o change.png --overlay change --mode hillshade
  talweg shot paper-004-fig-16-levels-of-detail -o 16.png --mode sphere-tracing --half-detail 2000
  talweg shot alpine-range -o view.png --size 4097 --width 1920 --height 1080 --frame-times 240")]
pub struct ShotArgs {
    #[command(flatten)]
    scene: SceneArgs,
    /// Picture to write (.png)
    #[arg(short, long, value_name = "VIEW.png")]
    pub output: PathBuf,
    #[command(flatten)]
    force: ForceArgs,
    /// Width in pixels
    #[arg(long, value_name = "N", default_value_t = 1280, value_parser = pixels())]
    pub width: u32,
    /// Height in pixels
    #[arg(long, value_name = "N", default_value_t = 720, value_parser = pixels())]
    pub height: u32,
    /// Samples along each side of a pixel, from 1 to 4; more samples make smoother edges, and 4 takes 16 times the work
    #[arg(long, value_name = "TIMES", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=4))]
    pub supersampling: u32,
    /// Drawing mode: shaded, hillshade or wireframe; for a construction also adaptive-tessellation or
    /// adaptive-wireframe, and, if no layers are above the construction, sphere-tracing or tracing-cost
    #[arg(long, value_name = "NAME", default_value = "shaded")]
    pub mode: String,
    /// Distance from the camera, in metres, at which the level of detail is halved: octaves of noise fade out, and
    /// levels of detail switch to their simple primitives. Needs --mode sphere-tracing or adaptive-tessellation
    #[arg(long, value_name = "M", value_parser = metres)]
    pub half_detail: Option<f32>,
    /// Data drawn over the terrain: slope, change (erosion and deposition), temperature, moisture or a map such as
    /// flow, water or hardness
    #[arg(long, value_name = "NAME", default_value = "none")]
    pub overlay: String,
    /// Camera over a terrain: metres from the west and the north edge, metres above the terrain, heading (0 is north,
    /// 90 east) and tilt (-90 is down) in degrees
    #[arg(
        long,
        value_name = "EAST,SOUTH,ABOVE,HEADING,TILT",
        value_delimiter = ',',
        allow_hyphen_values = true,
        conflicts_with = "side"
    )]
    pub from: Vec<f32>,
    /// View of a whole terrain: perspective, top, or from the south, east, north or west
    #[arg(long, value_name = "SIDE", value_parser = ["perspective", "top", "south", "east", "north", "west"])]
    pub side: Option<String>,
    /// Draw without perspective: a plan for the top view, elevations for the side views
    #[arg(long, requires = "side")]
    pub orthographic: bool,
    /// Name of a camera bookmark of the scene; by default the first bookmark, unless --side or --from is given
    #[arg(long, value_name = "NAME", conflicts_with_all = ["from", "side"])]
    pub bookmark: Option<String>,
    /// Light preset, instead of the scene's light
    #[arg(long, value_name = "LIGHT", value_parser = LightPreset::ALL.map(LightPreset::name))]
    pub preset: Option<String>,
    /// View of a planet: globe, map or orbit; the globe by default
    #[arg(long, value_name = "NAME")]
    pub way: Option<String>,
    /// Camera over a planet: latitude and longitude in degrees, metres above the terrain, and optionally heading and
    /// pitch in degrees (0 and -90 look straight down, north up)
    #[arg(long, value_name = "LAT,LON,HEIGHT[,HEADING,PITCH]", allow_hyphen_values = true)]
    pub at: Option<String>,
    /// Factor by which the relief of a planet is exaggerated, from 1 to 500
    #[arg(long, value_name = "TIMES", value_parser = exaggeration)]
    pub exaggeration: Option<f32>,
    /// Display setting of a planet, as in the window, for example air=Formula, rim_light=2 or cloud_cover=0; can be
    /// repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = globe_setting)]
    pub globe: Vec<(usize, Value)>,
    /// Also draw this many frames as the window does, with a camera that orbits once, and print their times
    #[arg(long, value_name = "FRAMES", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub frame_times: Option<u32>,
    /// Count the work of a frame for a graphics card, with any driver, and estimate the time that a mid-range card
    /// needs
    #[arg(long)]
    pub frame_costs: bool,
    #[command(flatten)]
    graphics: GraphicsArgs,
}

/// Parses a display setting of a planet: the index of the parameter, and its value.
fn globe_setting(text: &str) -> Result<(usize, Value), String> {
    let about = GlobeView::default().about();
    let names = || about.names.join(", ");
    let (name, value) = text.split_once('=').ok_or_else(|| format!("write NAME=VALUE, with one of {}", names()))?;
    let index = about.find(name.trim()).ok_or_else(|| format!("there is no `{name}`; there are {}", names()))?;
    let value = about.params[index].parse(value).map_err(|error| error.to_string())?;
    Ok((index, value))
}

fn exaggeration(text: &str) -> Result<f32, String> {
    text.parse().ok().filter(|times| (1.0..=500.0).contains(times)).ok_or("give a factor from 1 to 500".into())
}

fn metres(text: &str) -> Result<f32, String> {
    text.parse().ok().filter(|metres| (0.1..=1.0e8).contains(metres)).ok_or("give metres from 0.1 to 1e8".into())
}

impl ShotArgs {
    /// The picture to write.
    pub fn target(&self) -> SaveTarget {
        self.force.target(&self.output)
    }
}

pub fn run(args: &ShotArgs, editor: &EditorCommands) -> CommandResult {
    check_picture(&args.target()).map_err(failed)?;
    args.graphics.choose(editor)?;
    let mut job = args.scene.load()?;
    if let Some(preset) = args.preset.as_deref().and_then(LightPreset::named) {
        if job.scene.is_planet() {
            return Err(usage(anyhow::anyhow!(
                "--preset is for terrains; the light of a planet follows its hour and its sun, such as --set planet.hour=18"
            )));
        }
        preset.apply(&mut job.scene.settings);
    }
    (editor.shot)(args, &job)
}
