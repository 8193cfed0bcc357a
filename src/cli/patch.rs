//! `talweg region`: extracts a square of a planet as a terrain, and puts a terrain back onto a planet.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde_json::json;

use super::input::SceneArgs;
use super::output::{ForceArgs, scene_output};
use super::{CommandResult, Failure, print, print_json, usage};
use talweg::eval::MemoryUse;
use talweg::export::origin::load_scene;
use talweg::io::{FileStamp, SaveTarget, check_writable};
use talweg::planet::square::Square;
use talweg::scene::{LONGEST_TERRAIN_METRES, PatchFiles, put_patch_back, take_patch};

/// Extract a region of a planet as a terrain, or apply the edited region to the planet
#[derive(Args)]
#[command(after_help = "\
`take` writes a scene, and next to it the planet's terrain in the square: heights, water, moisture and the planet's other
maps (.r32). The spacing of their samples can be as small as a metre. The file names end with a hash of the contents, so
that a scene always finds the files it was saved with. Rivers enter and leave the square at the same points as on the
planet. The first layers of the scene are the planet's terrain; edit it like any other scene. The scene contains the name
of its planet and its position. `put` evaluates the scene, writes its heights next to the new planet scene, and adds a
layer to the planet that applies these heights. If the planet already has a layer for the same square, `put` replaces its
heights.

Example:
  talweg region take earthlike --longitude 12 --latitude 46 --side 800000 -o alps.ron --samples 1025
  talweg alps.ron                     (erode it, save it)
  talweg region put alps.ron -o earth-with-alps.ron
  talweg region put alps.ron --onto other-planet.ron --longitude -70 --latitude -30 -o other-with-alps.ron")]
pub struct PatchArgs {
    #[command(subcommand)]
    what: PatchSubcommand,
}

#[derive(Subcommand)]
enum PatchSubcommand {
    /// Extract a region of a planet
    Take(TakeArgs),
    /// Apply a region to a planet
    Put(PutArgs),
}

#[derive(Args)]
struct TakeArgs {
    #[command(flatten)]
    planet: SceneArgs,
    /// Longitude of the centre of the square, in degrees
    #[arg(long, value_name = "DEGREES", allow_negative_numbers = true, value_parser = degrees::<180>)]
    longitude: f64,
    /// Latitude of the centre of the square, in degrees
    #[arg(long, value_name = "DEGREES", allow_negative_numbers = true, value_parser = degrees::<90>)]
    latitude: f64,
    /// Side length of the square, in metres
    #[arg(long, value_name = "METRES")]
    side: f64,
    /// Number of samples per side of the terrain
    #[arg(long, value_name = "N", default_value_t = 1025, value_parser = clap::value_parser!(u32).range(2..=16_384))]
    samples: u32,
    /// Scene to write (.ron)
    #[arg(short, long, value_name = "SCENE.ron")]
    output: PathBuf,
    #[command(flatten)]
    force: ForceArgs,
    /// Print what was written as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
struct PutArgs {
    #[command(flatten)]
    patch: SceneArgs,
    /// Planet that receives the terrain; by default the planet that the terrain was extracted from
    #[arg(long, value_name = "PLANET")]
    onto: Option<PathBuf>,
    /// Longitude of the centre of the square, in degrees; by default its original position
    #[arg(long, value_name = "DEGREES", allow_negative_numbers = true, value_parser = degrees::<180>)]
    longitude: Option<f64>,
    /// Latitude of the centre of the square, in degrees; by default its original position
    #[arg(long, value_name = "DEGREES", allow_negative_numbers = true, value_parser = degrees::<90>)]
    latitude: Option<f64>,
    /// Planet scene to write (.ron)
    #[arg(short, long, value_name = "SCENE.ron")]
    output: PathBuf,
    #[command(flatten)]
    force: ForceArgs,
    /// Print what was written as JSON
    #[arg(long)]
    json: bool,
}

fn degrees<const MOST: u32>(text: &str) -> Result<f64, String> {
    let inside = |d: &f64| d.abs() <= f64::from(MOST);
    text.parse().ok().filter(inside).ok_or(format!("give degrees from -{MOST} to {MOST}"))
}

pub fn run(args: &PatchArgs) -> CommandResult {
    match &args.what {
        PatchSubcommand::Take(args) => take_out(args),
        PatchSubcommand::Put(args) => put_patch(args),
    }
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Failed(anyhow::anyhow!("cannot read {}: {error}. Nothing was written", path.display()))
}

/// The target for the scene file, and the name of its heightmap without the hash. The scene file is not replaced if
/// another program changes it in the meantime.
fn target_of(scene: &Path, force: &ForceArgs) -> Result<(SaveTarget, PathBuf), Failure> {
    let scene = &scene_output(scene)?;
    let target = force.target(scene);
    check_writable(&target)?;
    let heights = std::path::absolute(scene.with_extension("r32"))?;
    let stamp = FileStamp::read(scene).map_err(|error| unreadable(scene, &error))?;
    Ok((target.if_unchanged_since(stamp), heights))
}

fn saved(files: &PatchFiles, target: &SaveTarget, json: bool) -> CommandResult {
    files.save(target)?;
    if json {
        let maps: Vec<&Path> = files.maps().map(|(_, file)| file).collect();
        return print_json(&json!({ "scene": target.path(), "heights": files.heights(), "maps": maps }));
    }
    let (path, heights) = (target.path().display(), files.heights().display());
    let mut text = format!("{path}  the scene\n{heights}  heights in metres, read by the scene\n");
    for (_, file) in files.maps() {
        text += &format!("{}  a map, read by the scene\n", file.display());
    }
    print(&text)
}

fn take_out(args: &TakeArgs) -> CommandResult {
    let (target, heights) = target_of(&args.output, &args.force)?;
    if !(1.0..=LONGEST_TERRAIN_METRES).contains(&args.side) {
        return Err(usage(anyhow::anyhow!("--side: give a length from 1 m to {LONGEST_TERRAIN_METRES} m")));
    }
    let job = args.planet.load()?;
    let square = Square { longitude: args.longitude, latitude: args.latitude, side_metres: args.side };
    // The memory includes the square with its maps, and the fields for sampling the planet.
    let taken = 4.0 * 4.0 * f64::from(args.samples) * f64::from(args.samples);
    let terrain = job.evaluate(&MemoryUse::EXPORT.with_bytes(taken))?;
    let given = args.planet.path();
    // The scene refers to a shipped planet by its name.
    let from = if given.try_exists().map_err(|error| unreadable(given, &error))? {
        std::path::absolute(given)?
    } else {
        given.with_extension("")
    };
    let files = take_patch(&job.scene, &terrain, square, args.samples as usize, &from, &heights)?;
    saved(&files, &target, args.json)
}

fn put_patch(args: &PutArgs) -> CommandResult {
    let (target, heights) = target_of(&args.output, &args.force)?;
    let job = args.patch.load()?;
    let origin = job.scene.patch.as_ref();
    let missing = |what: &str| {
        let name = args.patch.path().display();
        usage(anyhow::anyhow!("{name} does not record which planet it was extracted from; give --{what}"))
    };
    let onto = args.onto.clone().or_else(|| origin.map(|o| o.planet.clone().into())).ok_or_else(|| missing("onto"))?;
    let longitude = args.longitude.or(origin.map(|o| o.longitude)).ok_or_else(|| missing("longitude"))?;
    let latitude = args.latitude.or(origin.map(|o| o.latitude)).ok_or_else(|| missing("latitude"))?;
    let (planet, _) = load_scene(&onto)?;
    let square = Square { longitude, latitude, side_metres: f64::from(job.scene.settings.size_metres) };
    let terrain = job.evaluate(&MemoryUse::EXPORT)?;
    let files = put_patch_back(&planet, square, &job.scene, &terrain, &heights)?;
    saved(&files, &target, args.json)
}
