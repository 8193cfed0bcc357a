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
    /// How the ground is drawn: shaded, hillshade or wireframe; a construction tree alone also adaptive-tessellation,
    /// adaptive-wireframe, sphere-tracing or tracing-cost
    #[arg(long, value_name = "NAME", default_value = "shaded")]
    pub mode: String,
    /// Data over the ground: slope, change (erosion and deposition), temperature, moisture or a map, like flow, water or hardness
    #[arg(long, value_name = "NAME", default_value = "none")]
    pub overlay: String,
    /// Where the eye is over a terrain: metres from the west and the north edge, metres above the ground, heading (0 is
    /// north, 90 east) and tilt (-90 is down) in degrees
    #[arg(long, value_name = "EAST,SOUTH,ABOVE,HEADING,TILT", value_delimiter = ',', allow_hyphen_values = true)]
    pub from: Vec<f32>,
    /// How a planet is shown: globe, map or orbit
    #[arg(long, value_name = "NAME", default_value = "globe")]
    pub way: String,
    /// From where a planet is seen: degrees of latitude and longitude, metres above the ground, and if wanted heading and
    /// inclination in degrees (0 and -90 look straight down, north up)
    #[arg(long, value_name = "LAT,LON,HEIGHT[,HEADING,PITCH]", allow_hyphen_values = true)]
    pub at: Option<String>,
    /// How many times higher than true the relief of a planet is drawn
    #[arg(long, value_name = "TIMES")]
    pub exaggeration: Option<f32>,
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

    use crate::app::view::{
        Overlay, OverlayChoice, Pose, SIDE_WORLD, SquareTerrain, TreeRecipe, TreeSurface, Unsupported, ViewMode,
        climate_of,
    };
    use crate::field::Control;

    let mode =
        ViewMode::named(&args.mode).ok_or_else(|| unknown("mode", &args.mode, ViewMode::ALL.map(ViewMode::name)))?;
    // there is nothing to compare with
    let overlays = || Overlay::all().into_iter().filter(|overlay| *overlay != Overlay::Difference);
    let overlay = overlays().find(|overlay| overlay.name() == args.overlay);
    let overlay = overlay.ok_or_else(|| unknown("overlay", &args.overlay, overlays().map(Overlay::name)))?;
    let refused = |unsupported: Unsupported| super::usage(anyhow::anyhow!(unsupported.text()));
    let recipe = mode.asks_tree().then(|| TreeRecipe::from_scene(&job.scene)).transpose().map_err(refused)?;
    let terrain = job.evaluate()?;
    if job.scene.as_planet().is_some() {
        return draw_planet(args, &job, &terrain, mode, overlay);
    }
    let palette = crate::look::table_of(&job.scene);
    let climate = Some(climate_of(&job.scene));
    let choice = OverlayChoice { overlay, reference: None, biomes: palette.biomes.clone(), climate };
    let prepared =
        job.pool.install(|| SquareTerrain::new(&terrain, &job.scene.settings, &choice, &Control::default()))?;
    let legend = prepared.legend.clone();
    let tree_surface = recipe.map(|recipe| Arc::new(TreeSurface::new(recipe, None)));
    let mut options = shot::ShotOptions { width: args.width, height: args.height, mode, ..Default::default() };
    if let [east, south, height, heading, tilt] = args.from[..] {
        let place = [east, south].map(|metres| metres / prepared.scale.metres_per_world - 0.5 * SIDE_WORLD);
        let at = glam::Vec3::new(place[0], 0.0, place[1]);
        let ground = match &tree_surface {
            Some(tree_surface) => tree_surface.floor_world(at, 1e-3),
            None => prepared.scale.ground_world(&prepared.terrain, at),
        };
        let eye_world = at.with_y(ground + height / prepared.scale.metres_per_world);
        options.view = shot::ShotView::Pose(Pose { eye_world, yaw: heading.to_radians(), pitch: tilt.to_radians() });
    }
    let subject = shot::ShotSubject::Terrain(prepared.into(), palette.into(), tree_surface);
    shot::shot(&subject, &options, &args.output)?;
    super::print(&format!("{}  {} × {} pixels\n", args.output.display(), args.width, args.height))?;
    match legend {
        None => Ok(()),
        Some(legend) => super::print(&format!("{legend}\n")),
    }
}

#[cfg(feature = "app")]
fn draw_planet(
    args: &ShotArgs,
    job: &super::input::Job,
    terrain: &std::sync::Arc<crate::field::Terrain>,
    mode: crate::app::view::ViewMode,
    overlay: crate::app::view::Overlay,
) -> Outcome {
    use crate::app::shot;
    use crate::app::view::globe::{Body, GlobeCamera, GlobeTerrain, GlobeView, PlanetProjection, PlanetView};
    use crate::app::view::{OverlayChoice, climate_of};
    use crate::field::Control;

    let planet = &job.scene.planet;
    let projection = PlanetProjection::named(&args.way)
        .ok_or_else(|| unknown("way", &args.way, PlanetProjection::ALL.map(PlanetProjection::name)))?;
    let mut planet_view = PlanetView { body: Body::from_planet(planet), view: GlobeView::default(), projection };
    if let Some(times) = args.exaggeration {
        planet_view.view.exaggeration = times.clamp(1.0, 500.0);
    }
    let palette = crate::look::table_of(&job.scene);
    let climate = Some(climate_of(&job.scene));
    let choice = OverlayChoice { overlay, reference: None, biomes: palette.biomes.clone(), climate };
    let radius = f64::from(planet.radius_metres);
    let (settings, palette) = (&job.scene.settings, palette.into());
    let prepare = || GlobeTerrain::new(terrain, settings, radius, &palette, &choice, &Control::default());
    let prepared = std::sync::Arc::new(job.pool.install(prepare)?);
    let size = glam::Vec2::new(args.width as f32, args.height as f32);
    let mut camera = GlobeCamera::framing(&prepared, &planet_view, size);
    if let Some(text) = &args.at {
        camera = camera.placed_over(&prepared, &planet_view, place(text)?);
    }
    let options = shot::ShotOptions { width: args.width, height: args.height, mode, ..Default::default() };
    let subject = shot::ShotSubject::Planet(prepared.clone(), Box::new(planet_view), Box::new(camera));
    shot::shot(&subject, &options, &args.output)?;
    super::print(&format!("{}  {} × {} pixels\n", args.output.display(), args.width, args.height))?;
    match &prepared.legend {
        None => Ok(()),
        Some(legend) => super::print(&format!("{legend}\n")),
    }
}

/// Latitude, longitude, height, heading and inclination.
#[cfg(feature = "app")]
fn place(text: &str) -> Result<[f64; 5], super::Failure> {
    let wrong =
        || super::usage(anyhow::anyhow!("`{text}` is not of the form LAT,LON,HEIGHT or LAT,LON,HEIGHT,HEADING,PITCH"));
    let mut place = [0.0, 0.0, 0.0, 0.0, -90.0];
    let parts: Vec<&str> = text.split(',').collect();
    if parts.len() != 3 && parts.len() != 5 {
        return Err(wrong());
    }
    for (part, out) in parts.iter().zip(&mut place) {
        *out = part.trim().parse().ok().filter(|x: &f64| x.is_finite()).ok_or_else(wrong)?;
    }
    Ok(place)
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
