//! Builds in tiles whose workers are killed at random moments still give the same bits as the whole terrain.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use talweg::field::Control;
use talweg::io::sweep_folder;
use talweg::nodes::Node;
use talweg::scene::{Layer, Scene, examples};
use talweg::tiles::{TileBuild, tile_plan, write_plan};

use crate::kills::Moments;
use crate::parts::Amounts;
use crate::table::{Finding, Table};

/// An eroded scene, coarse to fine, with filled depressions and flow accumulation.
const SCENE: &str = "eroded-hills";
const SAMPLES: usize = 385;
/// Tile sizes, used in turn.
const TILES: [usize; 4] = [64, 100, 256, 333];
/// Longer than a task takes.
const LONGEST_WAIT_MICROSECONDS: u64 = 60_000;
/// One of this many tasks is killed.
const ONE_OF: u64 = 4;

pub fn run(amounts: &Amounts, table: &mut Table) {
    let row = table.row("builds in tiles, workers killed");
    let scene = match drained_scene() {
        Ok(scene) => scene,
        Err(error) => return row.fail(&error),
    };
    let whole = match whole_hash(&scene) {
        Ok(hash) => hash,
        Err(error) => return row.fail(&error),
    };
    let mut moments = Moments::new(amounts.seed);
    let mut kills = 0;
    for build in 0..amounts.tile_builds {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let tile = TILES[build as usize % TILES.len()];
        match built(&folder.path().join("plan"), &scene, tile, &mut moments, &mut kills) {
            Ok(hash) if hash == whole => row.count(&[]),
            Ok(hash) => row.count(&[(Finding::Torn, format!("build {build}: terrain {hash} instead of {whole}"))]),
            Err(error) => row.count(&[(Finding::Crashed, format!("build {build}: {error}"))]),
        }
    }
    row.note(format!("{kills} workers were killed"));
}

fn drained_scene() -> Result<Scene, String> {
    let example = examples().iter().find(|example| example.name == SCENE).ok_or("there is no such scene")?;
    let mut scene = example.scene.clone();
    for name in ["FillDepressions", "FlowAccumulation"] {
        scene.layers.push(Layer::new(Node::named(name).ok_or("there is no such node")?, 1));
    }
    scene.set(&format!("{}.courses=Steepest", scene.layers.len())).map_err(|error| error.to_string())?;
    Ok(scene)
}

fn whole_hash(scene: &Scene) -> Result<String, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let file = folder.path().join("scene.ron");
    scene.save(&file).map_err(|error| error.to_string())?;
    let size = SAMPLES.to_string();
    run_talweg(&["verify", &file.to_string_lossy(), "--size", &size, "--threads", "2"])
        .map(|hash| hash.trim().to_string())
}

fn run_talweg(words: &[&str]) -> Result<String, String> {
    let output = Command::new(env!("CARGO_BIN_EXE_talweg")).args(words).output().map_err(|error| error.to_string())?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

/// The hash of a build in which one worker in [`ONE_OF`] is killed and its task repeated.
fn built(plan: &Path, scene: &Scene, tile: usize, moments: &mut Moments, kills: &mut u64) -> Result<String, String> {
    let planned = tile_plan(scene, SAMPLES, tile).map_err(|error| error.to_string())?;
    write_plan(plan, &planned, scene).map_err(|error| error.to_string())?;
    let folder = plan.to_string_lossy();
    for (stage, planned) in planned.stages.iter().enumerate() {
        for task in 0..planned.tasks {
            let words =
                ["run-tile", &folder, &stage.to_string(), &task.to_string(), "--threads", "1"].map(String::from);
            if moments.next_below(ONE_OF) == 0 {
                *kills += killed(&words, moments)?;
            }
            run_talweg(&words.each_ref().map(String::as_str))?;
        }
    }
    let build = TileBuild::open(plan).map_err(|error| error.to_string())?;
    for stage in 0..planned.stages.len() {
        sweep_folder(&plan.join(format!("stage-{stage:03}")));
    }
    let merged = build.merged(&Control::default()).map_err(|error| error.to_string())?;
    Ok(format!("{:032x}", merged.hash))
}

/// Starts a worker and kills it after a while; returns 1 unless it had ended by itself.
fn killed(words: &[String], moments: &mut Moments) -> Result<u64, String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_talweg"));
    let started = command.args(words).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let mut worker = started.map_err(|error| error.to_string())?;
    std::thread::sleep(Duration::from_micros(moments.next_below(LONGEST_WAIT_MICROSECONDS)));
    let had_ended = worker.try_wait().map_err(|error| error.to_string())?.is_some();
    worker.kill().and_then(|()| worker.wait()).map_err(|error| error.to_string())?;
    Ok(u64::from(!had_ended))
}
