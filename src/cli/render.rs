//! `talweg render`: draws a picture from above, or in perspective by sphere tracing.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde_json::json;

use super::input::SceneArgs;
use super::output::ForceArgs;
use super::trace::TraceArgs;
use super::{CommandResult, Failure, print, print_json, usage};
use talweg::appearance::{MOST_PIXELS, PaletteTable, PictureError, PictureRequest, PictureStyle, check_picture};
use talweg::eval::MemoryUse;
use talweg::field::Control;
use talweg::preferences::GlobeView;

/// Draw the terrain from above as a PNG picture, or draw a construction in perspective
#[derive(Args)]
#[command(after_help = "\
Examples:
  talweg render alpine-range -o alps.png
  talweg render island.ron -o island.png --picture 2048 --palette tropical
  talweg render island.ron -o grown.png --palette biome:earth --set climate.latitude=20
  talweg render island.ron -o banner.png --width 1600 --height 400
  talweg render paper-001-midpoint-displacement -o map.png --style colours --colour-bar --palette document-001-bands-25
  talweg render earthlike -o cloudy.png --clouds
  talweg render paper-004-fig-22-oasis -o oasis.png --sphere-trace --azimuth 200 --width 1280 --height 720")]
pub struct RenderArgs {
    #[command(flatten)]
    scene: SceneArgs,
    /// Picture to write (.png)
    #[arg(short, long, value_name = "PICTURE.png")]
    output: PathBuf,
    #[command(flatten)]
    force: ForceArgs,
    /// Side length of a square picture, in pixels
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = pixels(), conflicts_with_all = ["width", "height"])]
    picture: u32,
    /// Width in pixels; the longer side of the picture spans the terrain, and the shorter side shows its middle part
    #[arg(long, value_name = "N", value_parser = pixels())]
    width: Option<u32>,
    /// Height in pixels
    #[arg(long, value_name = "N", value_parser = pixels())]
    height: Option<u32>,
    /// Style of the picture
    #[arg(long, value_enum, default_value_t = Style::Relief, conflicts_with = "sphere_trace")]
    style: Style,
    /// Draw a colour bar with the heights on the right side of the picture, which makes the picture wider
    #[arg(long, conflicts_with = "sphere_trace")]
    colour_bar: bool,
    /// Palette or biome table (such as biome:earth), instead of the scene's own
    #[arg(long, value_name = "NAME")]
    palette: Option<String>,
    #[command(flatten)]
    trace: TraceArgs,
    #[command(flatten)]
    globe: GlobeArgs,
    /// Print what was written as JSON
    #[arg(long, conflicts_with = "sphere_trace")]
    json: bool,
}

/// View of a planet.
#[derive(Args)]
struct GlobeArgs {
    /// Draw a planet as a globe or as a map
    #[arg(long, value_enum, default_value_t = RenderProjection::Globe)]
    projection: RenderProjection,
    /// Longitude at the centre of a globe, in degrees; by default the globe shows the day side and a part of the night
    /// side
    #[arg(long, value_name = "DEGREES", allow_negative_numbers = true)]
    longitude: Option<f64>,
    /// Latitude at the centre of a globe, in degrees
    #[arg(long, value_name = "DEGREES", allow_negative_numbers = true, value_parser = latitude)]
    latitude: Option<f64>,
    /// Draw clouds over a planet, as the editor does, that cover this fraction of the sky, from 0 to 1; without a
    /// value, the editor's default. Planets with thin air have fewer clouds
    #[arg(long, value_name = "SHARE", num_args = 0..=1, require_equals = true, value_parser = cloud_share)]
    clouds: Option<Option<f32>>,
}

fn cloud_share(text: &str) -> Result<f32, String> {
    text.parse().ok().filter(|share| (0.0..=1.0).contains(share)).ok_or("give a fraction from 0 to 1".into())
}

fn latitude(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|degrees: &f64| degrees.abs() <= 90.0).ok_or("give degrees from -90 to 90".into())
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum RenderProjection {
    /// The planet from space, lit by its own sun
    Globe,
    /// All longitudes and latitudes, twice as wide as high
    Map,
}

#[derive(Clone, Copy, ValueEnum)]
enum Style {
    /// Colours, light and shadow
    Relief,
    /// The palette's colours of the heights, without light and shadow
    Colours,
    /// Heights as grey levels: black is the lowest, white the highest
    Heights,
}

/// The parser for the side length of a picture in pixels.
pub fn pixels() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=i64::from(MOST_PIXELS))
}

/// Converts a picture error: a wrong option becomes a usage error.
pub fn failed(error: PictureError) -> Failure {
    match error {
        PictureError::File(error) => error.into(),
        PictureError::Cancelled(error) => error.into(),
        _ => usage(error),
    }
}

impl RenderArgs {
    fn request(&self) -> PictureRequest {
        let globe = &self.globe;
        PictureRequest {
            side: self.picture,
            width: self.width,
            height: self.height,
            style: match self.style {
                Style::Relief => PictureStyle::Relief,
                Style::Colours => PictureStyle::Colours,
                Style::Heights => PictureStyle::Heights,
            },
            colour_bar: self.colour_bar,
            palette: self.palette.clone(),
            as_map: globe.projection == RenderProjection::Map,
            longitude: globe.longitude,
            latitude: globe.latitude,
            clouds: globe.clouds.map(|cover| cover.unwrap_or(GlobeView::default().cloud_cover)),
        }
    }

    fn report(&self, width: usize, height: usize) -> CommandResult {
        if self.json {
            return print_json(&json!({ "path": self.output, "width": width, "height": height }));
        }
        print(&format!("{}  {width} × {height} pixels\n", self.output.display()))
    }
}

pub fn run(args: &RenderArgs) -> CommandResult {
    let output = args.force.target(&args.output);
    check_picture(&output).map_err(failed)?;
    let job = args.scene.load()?;
    let request = args.request();
    let scene = request.recoloured(&job.scene).map_err(failed)?;
    let [width, height] = request.size(&scene);
    if args.trace.sphere_trace {
        return super::trace::run(&args.trace, &job, &PaletteTable::for_scene(&scene), &output, (width, height));
    }
    let terrain = job.evaluate(&MemoryUse::picture(&scene, width, height))?;
    let drawn = job.pool.install(|| request.draw(&scene, &terrain, &Control::default()));
    let picture = drawn.map_err(failed)?;
    picture.save(&output).map_err(Failure::from)?;
    args.report(picture.width, picture.height)
}
