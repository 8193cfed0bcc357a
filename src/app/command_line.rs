//! The command line commands that need the editor's code: opening the editor, and drawing its 3D view without a window.

use std::sync::Arc;

use super::frame::graphics;
use super::frame::launch::guarded;
use super::shot;
use super::shot::film::{CameraPath, ViewFilm};
use super::shot::frame_costs::FrameCosts;
use super::shot::frame_times::FrameTimes;
use super::view::globe::{GlobeTerrain, PlanetAppearance, PlanetView};
use super::view::{
    GlobeCamera, Overlay, OverlayChoice, Pose, SIDE_WORLD, SquareTerrain, TreeRecipe, TreeSurface, Unsupported,
    ViewCommand, ViewMode, ViewProjection, climate_of,
};
use super::{Options, run};
use talweg::appearance::PaletteTable;
use talweg::eval::MemoryUse;
use talweg::field::{Control, Terrain};
use talweg::param::Params;
use talweg::preferences::{GlobeView, PlanetProjection};
use talweg::scene::{CameraBookmark, Scene};
use talweg_cli::doctor::GraphicsReport;
use talweg_cli::{
    CameraWay, CommandResult, EditArgs, EditorCommands, Failure, FilmArgs, SceneJob, ShotArgs, print, print_message,
    usage,
};

/// The commands that need the editor.
pub const COMMANDS: EditorCommands = EditorCommands {
    edit,
    shot: draw_shot,
    film: draw_film,
    graphics: graphics_report,
    choose_graphics: graphics::choose,
};

/// The graphics of this computer. Panics of drivers are part of the report and are not printed.
fn graphics_report() -> GraphicsReport {
    guarded(graphics::report)
        .unwrap_or_else(|error| GraphicsReport { cards: Vec::new(), systems: vec![("Engine", Err(error.to_string()))] })
}

fn edit(args: EditArgs) -> CommandResult {
    args.memory.apply();
    Ok(run(Options { scene: args.scene, drive: args.drive })?)
}

fn draw_shot(args: &ShotArgs, job: &SceneJob) -> CommandResult {
    check_options_for(args, job.scene.is_planet())?;
    let mode = mode_of(&args.mode)?;
    // the difference overlay compares two terrains, but an image shows only one
    let overlays = || Overlay::all().into_iter().filter(|overlay| *overlay != Overlay::Difference);
    let overlay = overlays().find(|overlay| overlay.name() == args.overlay);
    let overlay = overlay.ok_or_else(|| unknown("overlay", &args.overlay, overlays().map(Overlay::name)))?;
    let bookmark = bookmark_of(args, &job.scene)?;
    check_mode(mode, &job.scene)?;
    if args.half_detail.is_some() && !mode.draws_tree() {
        return Err(Failure::Usage(anyhow::anyhow!(
            "--half-detail needs --mode sphere-tracing or --mode adaptive-tessellation"
        )));
    }
    let terrain = job.evaluate(&MemoryUse::VIEW)?;
    if job.scene.is_planet() {
        return draw_planet(args, job, &terrain, mode, overlay);
    }
    let (prepared, palette) = prepared_square(job, &terrain, overlay)?;
    let legend = prepared.legend.clone();
    let tree_surface = tree_surface_of(mode, job, &terrain)?;
    let mut options = picture(args, mode);
    if let Some(side) = args.side.as_deref() {
        options.view = shot::ShotView::Named(side_of(side));
    } else if let Some(bookmark) = bookmark {
        options.view = shot::ShotView::Pose(Pose::from_bookmark(bookmark, job.scene.settings.size_metres));
    }
    if let [east, south, height, heading, tilt] = args.from[..] {
        let place = [east, south].map(|metres| metres / prepared.scale.metres_per_world - 0.5 * SIDE_WORLD);
        let at = glam::Vec3::new(place[0], 0.0, place[1]);
        let ground = match &tree_surface {
            Some(tree_surface) => tree_surface.floor_world(at, 1e-3),
            None => prepared.floor_world(at),
        };
        let eye_world = at.with_y(ground + height / prepared.scale.metres_per_world);
        options.view = shot::ShotView::Pose(Pose { eye_world, yaw: heading.to_radians(), pitch: tilt.to_radians() });
    }
    let subject = shot::ShotSubject::Terrain(prepared, palette, tree_surface);
    shoot((args, job.quiet), &subject, &options, legend.as_ref())
}

/// Refuses options for planets if the scene is flat terrain, and options for flat terrain if it is a planet.
fn check_options_for(args: &ShotArgs, is_planet: bool) -> CommandResult {
    let for_terrains = [
        ("--from", !args.from.is_empty()),
        ("--side", args.side.is_some()),
        ("--orthographic", args.orthographic),
        ("--bookmark", args.bookmark.is_some()),
    ];
    let for_planets = [
        ("--at", args.at.is_some()),
        ("--way", args.way.is_some()),
        ("--exaggeration", args.exaggeration.is_some()),
        ("--globe", !args.globe.is_empty()),
    ];
    let (refused, instead) = if is_planet {
        (&for_terrains, "is for flat terrain, but this scene is a planet; place the camera over a planet with --at")
    } else {
        (&for_planets, "is for planets, but this scene is flat terrain; place the camera over a terrain with --from")
    };
    match refused.iter().find(|(_, is_given)| *is_given) {
        Some((name, _)) => Err(usage(anyhow::anyhow!("{name} {instead}"))),
        None => Ok(()),
    }
}

/// Writes the image file and prints what it lacks, its size, its legend and the requested measurements.
fn shoot(
    (args, quiet): (&ShotArgs, bool),
    subject: &shot::ShotSubject,
    options: &shot::ShotOptions,
    legend: Option<&impl std::fmt::Display>,
) -> CommandResult {
    let report = shot::shot(subject, options, args.target())?;
    print(&format!("{}  {} × {} pixels\n", args.output.display(), args.width, args.height))?;
    if !quiet {
        report.lacks().iter().for_each(|lack| print_message(&format!("warning: {lack}")));
    }
    if let Some(legend) = legend {
        print(&format!("{legend}\n"))?;
    }
    if args.frame_costs {
        print(&FrameCosts::count(subject, options)?.to_string())?;
    }
    let Some(frames) = args.frame_times else { return Ok(()) };
    print(&FrameTimes::measure(subject, options, frames)?.to_string())
}

/// Renders the 3D view of a scene as a film in which the camera moves.
fn draw_film(args: &FilmArgs, job: &SceneJob) -> CommandResult {
    let mode = mode_of(&args.mode)?;
    check_mode(mode, &job.scene)?;
    let settings = &job.scene.settings;
    let path = match args.way {
        CameraWay::Turntable => CameraPath::Turntable,
        CameraWay::Flight => {
            let stops = job.scene.bookmarks.iter().map(|stop| Pose::from_bookmark(stop, settings.size_metres));
            CameraPath::Through(stops.collect())
        }
    };
    let is_planet = job.scene.is_planet();
    if matches!(&path, CameraPath::Through(stops) if is_planet || stops.len() < 2) {
        return Err(usage(shot::ShotError::NoBookmarks));
    }
    let terrain = job.evaluate(&MemoryUse::VIEW)?;
    let subject = if is_planet {
        let body = PlanetAppearance::from_planet(&job.scene.planet);
        let view = PlanetView { body, view: GlobeView::default(), projection: PlanetProjection::Globe };
        let prepared = prepared_globe(job, &terrain, Overlay::None)?;
        let camera = GlobeCamera::framing(&prepared, &view, glam::Vec2::new(args.width as f32, args.height as f32));
        shot::ShotSubject::Planet(prepared, Box::new(view), Box::new(camera))
    } else {
        let (prepared, palette) = prepared_square(job, &terrain, Overlay::None)?;
        shot::ShotSubject::Terrain(prepared, palette, tree_surface_of(mode, job, &terrain)?)
    };
    let (width, height, supersampling) = (args.width, args.height, args.supersampling);
    let picture = shot::ShotOptions { width, height, supersampling, mode, ..Default::default() };
    let film = ViewFilm { path, frames: args.frames, frames_a_second: args.fps, picture };
    let to = args.target();
    let count = job.with_progress(|control, show| film.shoot(&subject, &to, control, show))?;
    args.report(count)
}

fn mode_of(name: &str) -> Result<ViewMode, Failure> {
    ViewMode::named(name).ok_or_else(|| unknown("mode", name, ViewMode::ALL.map(ViewMode::name)))
}

/// Returns an error if the scene cannot be drawn in this view mode, before any terrain is computed.
fn check_mode(mode: ViewMode, scene: &Scene) -> Result<(), Failure> {
    recipe_of(mode, scene, None).map(|_| ())
}

/// The recipe of the construction tree that a view mode draws in place of the grid; `None` for modes that draw the
/// grid.
fn recipe_of(mode: ViewMode, scene: &Scene, terrain: Option<&Arc<Terrain>>) -> Result<Option<TreeRecipe>, Failure> {
    let refused = |unsupported: Unsupported| usage(anyhow::anyhow!(unsupported.text()));
    let recipe =
        mode.draws_tree().then(|| TreeRecipe::from_scene(scene, mode, terrain)).transpose().map_err(refused)?;
    Ok(recipe.flatten())
}

/// The construction tree that a view mode draws in place of the grid, combined with the effects of the other layers.
fn tree_surface_of(
    mode: ViewMode,
    job: &SceneJob,
    terrain: &Arc<Terrain>,
) -> Result<Option<Arc<TreeSurface>>, Failure> {
    let Some(recipe) = recipe_of(mode, &job.scene, Some(terrain))? else { return Ok(None) };
    let made = job.pool.install(|| TreeSurface::new(recipe, None, &Control::default()))?;
    Ok(Some(Arc::new(made)))
}

/// A square terrain prepared for drawing, with its colours.
fn prepared_square(
    job: &SceneJob,
    terrain: &Arc<Terrain>,
    overlay: Overlay,
) -> Result<(Arc<SquareTerrain>, Arc<PaletteTable>), Failure> {
    let palette = PaletteTable::for_scene(&job.scene);
    let climate = Some(climate_of(&job.scene));
    let choice = OverlayChoice { overlay, biomes: palette.biomes.clone(), climate, ..OverlayChoice::default() };
    let prepare = || SquareTerrain::new(terrain, &job.scene.settings, &choice, &Control::default());
    Ok((job.pool.install(prepare)?.into(), palette.into()))
}

/// A planet prepared for drawing, with its colours.
fn prepared_globe(job: &SceneJob, terrain: &Arc<Terrain>, overlay: Overlay) -> Result<Arc<GlobeTerrain>, Failure> {
    let palette = PaletteTable::for_scene(&job.scene);
    let climate = Some(climate_of(&job.scene));
    let choice = OverlayChoice { overlay, biomes: palette.biomes.clone(), climate, ..OverlayChoice::default() };
    let radius = f64::from(job.scene.planet.radius_metres);
    let (settings, palette) = (&job.scene.settings, palette.into());
    let ground = (radius, Some(job.scene.detail_source()));
    let prepare = || GlobeTerrain::new(terrain, settings, ground, &palette, &choice, &Control::default());
    Ok(job.pool.install(prepare)?.into())
}

/// Size, projection and mode of the image.
fn picture(args: &ShotArgs, mode: ViewMode) -> shot::ShotOptions {
    let (width, height, supersampling) = (args.width, args.height, args.supersampling);
    let projection = if args.orthographic { ViewProjection::Orthographic } else { ViewProjection::Perspective };
    let half_detail = args.half_detail;
    shot::ShotOptions { width, height, supersampling, mode, projection, half_detail, ..Default::default() }
}

/// The view command for a view name that was given on the command line.
fn side_of(name: &str) -> ViewCommand {
    match name {
        "top" => ViewCommand::Top,
        "south" => ViewCommand::FromSouth,
        "east" => ViewCommand::FromEast,
        "north" => ViewCommand::FromNorth,
        "west" => ViewCommand::FromWest,
        _ => ViewCommand::Perspective,
    }
}

/// The bookmark that the arguments name, or the scene's first bookmark if they name none.
fn bookmark_of<'a>(args: &ShotArgs, scene: &'a Scene) -> Result<Option<&'a CameraBookmark>, Failure> {
    let Some(name) = &args.bookmark else { return Ok(scene.bookmarks.first()) };
    let names = || scene.bookmarks.iter().map(|bookmark| bookmark.name.clone());
    let found = scene.bookmarks.iter().find(|bookmark| bookmark.name == *name);
    found.map(Some).ok_or_else(|| unknown("bookmark", name, names()))
}

fn draw_planet(
    args: &ShotArgs,
    job: &SceneJob,
    terrain: &Arc<Terrain>,
    mode: ViewMode,
    overlay: Overlay,
) -> CommandResult {
    let planet = &job.scene.planet;
    let projection = match args.way.as_deref() {
        None => PlanetProjection::default(),
        Some(way) => PlanetProjection::named(way)
            .ok_or_else(|| unknown("way", way, PlanetProjection::ALL.map(PlanetProjection::name)))?,
    };
    let mut planet_view =
        PlanetView { body: PlanetAppearance::from_planet(planet), view: GlobeView::default(), projection };
    for (index, value) in &args.globe {
        planet_view.view.set(*index, value).map_err(|error| usage(anyhow::Error::new(error)))?;
    }
    if let Some(times) = args.exaggeration {
        planet_view.view.exaggeration = times;
    }
    let prepared = prepared_globe(job, terrain, overlay)?;
    let size = glam::Vec2::new(args.width as f32, args.height as f32);
    let mut camera = GlobeCamera::framing(&prepared, &planet_view, size);
    if let Some(text) = &args.at {
        camera = camera.placed_over(&prepared, &planet_view, camera_position(text)?);
    }
    let options = picture(args, mode);
    let subject = shot::ShotSubject::Planet(prepared.clone(), Box::new(planet_view), Box::new(camera));
    shoot((args, job.quiet), &subject, &options, prepared.legend.as_ref())
}

/// Parses a camera position: latitude, longitude, height, heading and inclination.
fn camera_position(text: &str) -> Result<[f64; 5], Failure> {
    let wrong = || usage(anyhow::anyhow!("`{text}` is not of the form LAT,LON,HEIGHT or LAT,LON,HEIGHT,HEADING,PITCH"));
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

fn unknown(what: &str, name: &str, known: impl IntoIterator<Item = String>) -> Failure {
    let known: Vec<String> = known.into_iter().collect();
    usage(anyhow::anyhow!("there is no {what} `{name}`; choose from {}", known.join(", ")))
}
