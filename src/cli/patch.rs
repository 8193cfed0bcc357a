//! `talweg patch`: a square of a planet as a terrain, and back.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde_json::json;

use super::input::SceneArgs;
use super::output::ForceArgs;
use super::{CommandResult, Failure, print, print_json, usage};
use crate::eval::MemoryUse;
use crate::export::origin::load_scene;
use crate::io::{FileStamp, SaveTarget, check_place};
use crate::planet::square::Square;
use crate::scene::{LONGEST_TERRAIN_METRES, PatchFiles, put_patch_back, take_patch};

/// Take a square of a planet out as a terrain, or put it back
#[derive(Args)]
#[command(after_help = "\
`take` writes the scene, and beside it the planet's ground there at the samples asked for, down to a metre: heights, water,
moisture and what other maps the planet has (.r32). The names of these files end on a hash of what is in them, so that a
scene always has those it was saved with. Rivers run in and out where the planet's do. Work on the scene as on any other;
its first layers are the planet's ground. The scene remembers its planet and its place there. `put` evaluates it, writes its heights
beside the new planet, and adds a layer to the planet that lays them onto the globe.

Example:
  talweg patch take earthlike --longitude 12 --latitude 46 --side 800000 -o alps.ron --samples 1025
  talweg alps.ron                     (erode it, save it)
  talweg patch put alps.ron -o earth-with-alps.ron
  talweg patch put alps.ron --onto other-planet.ron --longitude -70 --latitude -30 -o other-with-alps.ron")]
pub struct PatchArgs {
    #[command(subcommand)]
    what: PatchSubcommand,
}

#[derive(Subcommand)]
enum PatchSubcommand {
    /// Take a square out of a planet
    Take(TakeArgs),
    /// Put a terrain back onto a planet
    Put(PutArgs),
}

#[derive(Args)]
struct TakeArgs {
    #[command(flatten)]
    planet: SceneArgs,
    /// Longitude of the middle of the square, in degrees
    #[arg(long, value_name = "DEGREES", allow_negative_numbers = true, value_parser = degrees::<180>)]
    longitude: f64,
    /// Latitude of the middle of the square, in degrees
    #[arg(long, value_name = "DEGREES", allow_negative_numbers = true, value_parser = degrees::<90>)]
    latitude: f64,
    /// Side of the square on the ground, in metres
    #[arg(long, value_name = "METRES")]
    side: f64,
    /// Samples per side of the terrain
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
    /// The planet that it is put onto; without it the one it was taken from
    #[arg(long, value_name = "PLANET")]
    onto: Option<PathBuf>,
    /// Longitude of the middle of the square, in degrees; without it where it was taken
    #[arg(long, value_name = "DEGREES", allow_negative_numbers = true, value_parser = degrees::<180>)]
    longitude: Option<f64>,
    /// Latitude of the middle of the square, in degrees; without it where it was taken
    #[arg(long, value_name = "DEGREES", allow_negative_numbers = true, value_parser = degrees::<90>)]
    latitude: Option<f64>,
    /// Planet to write (.ron)
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
        PatchSubcommand::Put(args) => put(args),
    }
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Failed(anyhow::anyhow!("cannot read {}: {error}. Nothing was written", path.display()))
}

/// The scene file as it is now, to be replaced only if it stays so, and what the heightmap that belongs to it is
/// called, but for its hash.
fn target_of(scene: &Path, force: &ForceArgs) -> Result<(SaveTarget, PathBuf), Failure> {
    if !scene.extension().is_some_and(|e| e.eq_ignore_ascii_case("ron")) {
        return Err(usage(anyhow::anyhow!("cannot write {}: scenes are .ron files", scene.display())));
    }
    let target = force.target(scene);
    check_place(&target)?;
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
    // the square with its maps, and what its planet is asked with
    let taken = 4.0 * 4.0 * f64::from(args.samples) * f64::from(args.samples);
    let terrain = job.evaluate(&MemoryUse::EXPORT.with_bytes(taken))?;
    let given = args.planet.path();
    // a shipped planet stays a name
    let from = if given.try_exists().map_err(|error| unreadable(given, &error))? {
        std::path::absolute(given)?
    } else {
        given.with_extension("")
    };
    let files = take_patch(&job.scene, &terrain, square, args.samples as usize, &from, &heights)?;
    saved(&files, &target, args.json)
}

fn put(args: &PutArgs) -> CommandResult {
    let (target, heights) = target_of(&args.output, &args.force)?;
    let job = args.patch.load()?;
    let origin = job.scene.patch.as_ref();
    let missing = |what: &str| {
        let name = args.patch.path().display();
        usage(anyhow::anyhow!("{name} does not say which planet it was taken from; give --{what}"))
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
