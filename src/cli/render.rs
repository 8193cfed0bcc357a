//! `talweg render`: a picture from above, or in perspective by sphere tracing.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde_json::json;

use super::input::SceneArgs;
use super::output::ForceArgs;
use super::trace::TraceArgs;
use super::{CommandResult, Failure, print, print_json, usage};
use talweg::appearance::{GlobePerspective, PaletteTable, PlanetImage, RgbImage, heightmap, relief};
use talweg::appearance_files::{all_palette_names, is_palette};
use talweg::eval::MemoryUse;
use talweg::field::{Cancelled, Control, Terrain};
use talweg::io::{SaveTarget, check_place};
use talweg::preferences::GlobeView;
use talweg::scene::Scene;

/// Draw the terrain from above as a PNG picture, or a construction in perspective
#[derive(Args)]
#[command(after_help = "\
Examples:
  talweg render alpine-range -o alps.png
  talweg render island.ron -o island.png --picture 2048 --palette tropical
  talweg render island.ron -o grown.png --palette biome:earth --set climate.latitude=20
  talweg render island.ron -o banner.png --width 1600 --height 400
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
    /// Side of a square picture, in pixels
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = pixels(), conflicts_with_all = ["width", "height"])]
    picture: u32,
    /// Width in pixels; the longer side spans the terrain, the shorter one shows its middle
    #[arg(long, value_name = "N", value_parser = pixels())]
    width: Option<u32>,
    /// Height in pixels
    #[arg(long, value_name = "N", value_parser = pixels())]
    height: Option<u32>,
    /// What to draw
    #[arg(long, value_enum, default_value_t = Style::Relief, conflicts_with = "sphere_trace")]
    style: Style,
    /// Palette or biome table (biome:earth), in place of the scene's
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

/// How a planet is shown.
#[derive(Args)]
struct GlobeArgs {
    /// How to show a planet
    #[arg(long, value_enum, default_value_t = RenderProjection::Globe)]
    projection: RenderProjection,
    /// Longitude in the middle of a globe, in degrees; the day side without it
    #[arg(long, value_name = "DEGREES", allow_negative_numbers = true)]
    longitude: Option<f64>,
    /// Latitude in the middle of a globe, in degrees
    #[arg(long, value_name = "DEGREES", allow_negative_numbers = true, value_parser = latitude)]
    latitude: Option<f64>,
    /// Draw clouds over a planet as the window does: so much of the sky, from 0 to 1; without a value as much as the
    /// window does at first. Thin air has fewer
    #[arg(long, value_name = "SHARE", num_args = 0..=1, require_equals = true, value_parser = cloud_share)]
    clouds: Option<Option<f32>>,
}

fn cloud_share(text: &str) -> Result<f32, String> {
    text.parse().ok().filter(|share| (0.0..=1.0).contains(share)).ok_or("give a share from 0 to 1".into())
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
    /// Heights as grey, black the lowest and white the highest
    Heights,
}

/// Sides of a picture.
pub fn pixels() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=16_384)
}

/// Refuses what is not a PNG file in an existing folder, before any work is done.
pub fn check_picture(to: &SaveTarget) -> CommandResult {
    let path = to.path();
    if !path.extension().is_some_and(|e| e.eq_ignore_ascii_case("png")) {
        return Err(usage(anyhow::anyhow!("cannot write {}: pictures are .png files", path.display())));
    }
    Ok(check_place(to)?)
}

impl RenderArgs {
    fn size(&self) -> (usize, usize) {
        let (width, height) = match (self.width, self.height) {
            (None, None) => (self.picture, self.picture),
            (width, height) => {
                let one = width.or(height).unwrap_or(self.picture);
                (width.unwrap_or(one), height.unwrap_or(one))
            }
        };
        (width as usize, height as usize)
    }
}

impl RenderArgs {
    /// The size of a picture of a planet: a map is twice as wide as high.
    fn planet_size(&self) -> (usize, usize) {
        let (width, height) = self.size();
        if self.globe.projection == RenderProjection::Map && self.height.is_none() {
            (width, width.div_ceil(2))
        } else {
            (width, height)
        }
    }

    fn report(&self, width: usize, height: usize) -> CommandResult {
        if self.json {
            return print_json(&json!({ "path": self.output, "width": width, "height": height }));
        }
        print(&format!("{}  {width} × {height} pixels\n", self.output.display()))
    }

    fn planet(
        &self,
        scene: &Scene,
        terrain: &Terrain,
        [width, height]: [usize; 2],
        control: &Control,
    ) -> Result<RgbImage, Cancelled> {
        let mut planet = PlanetImage::new(scene, terrain, control)?;
        if let Some(share) = self.globe.clouds {
            let view = GlobeView::default();
            planet = planet.with_clouds(&GlobeView { cloud_cover: share.unwrap_or(view.cloud_cover), ..view });
        }
        if self.globe.projection == RenderProjection::Map {
            return planet.map(width, height, control);
        }
        let view = GlobePerspective::day_side(&scene.planet);
        let longitude = self.globe.longitude.unwrap_or(view.longitude);
        planet.globe(
            GlobePerspective { longitude, latitude: self.globe.latitude.unwrap_or(view.latitude), ..view },
            [width, height],
            control,
        )
    }

    /// Where the picture goes.
    ///
    /// # Errors
    /// When that is no PNG file in an existing folder.
    pub fn checked_target(&self) -> Result<SaveTarget, Failure> {
        let output = self.force.target(&self.output);
        check_picture(&output)?;
        Ok(output)
    }

    /// The picture of a terrain that is there; call it inside the pool that shall do the work.
    ///
    /// # Errors
    /// When the palette is not known, or `control` says so.
    pub fn picture(&self, scene: &Scene, terrain: &Terrain, control: &Control) -> Result<RgbImage, Failure> {
        let scene = &self.with_palette(scene)?;
        self.check_clouds(scene)?;
        if scene.is_planet() {
            let (width, height) = self.planet_size();
            return Ok(self.planet(scene, terrain, [width, height], control)?);
        }
        let (width, height) = self.size();
        Ok(match self.style {
            Style::Relief => {
                relief(terrain, &scene.settings, &PaletteTable::for_scene(scene), [width, height], control)?
            }
            Style::Heights => heightmap(terrain, width, height, control)?,
        })
    }

    /// Refuses clouds over what is no planet.
    fn check_clouds(&self, scene: &Scene) -> CommandResult {
        if self.globe.clouds.is_some() && !scene.is_planet() {
            return Err(usage(anyhow::anyhow!(
                "--clouds is for planets; over a terrain the view has them by scene.clouds, which `talweg shot` draws"
            )));
        }
        Ok(())
    }

    /// The scene in the colours that are asked for.
    fn with_palette(&self, scene: &Scene) -> Result<Scene, Failure> {
        let mut scene = scene.clone();
        let Some(name) = &self.palette else { return Ok(scene) };
        if !is_palette(name) {
            let known = all_palette_names().join(", ");
            return Err(usage(anyhow::anyhow!("there is no palette `{name}`; the palettes are {known}")));
        }
        // asked for by name, it is the shipped table
        scene.palette.clone_from(name);
        scene.biomes = None;
        Ok(scene)
    }
}

pub fn run(args: &RenderArgs) -> CommandResult {
    let output = args.checked_target()?;
    let job = args.scene.load()?;
    let scene = args.with_palette(&job.scene)?;
    args.check_clouds(&scene)?;
    let (width, height) = args.size();
    if args.trace.sphere_trace {
        return super::trace::run(&args.trace, &job, &PaletteTable::for_scene(&scene), &output, (width, height));
    }
    let (width, height) = if scene.is_planet() { args.planet_size() } else { (width, height) };
    let terrain = job.evaluate(&MemoryUse::picture(&scene, width, height))?;
    let picture = job.pool.install(|| args.picture(&scene, &terrain, &Control::default()))?;
    picture.save(&output).map_err(Failure::from)?;
    args.report(picture.width, picture.height)
}
