//! `talweg plan`, `run-tile`, `run-tiles` and `merge`: builds in tiles.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::{Args, ValueEnum};
use serde_json::json;

use super::input::{MemoryArgs, SceneArgs};
use super::output::ForceArgs;
use super::web_map::{failed_map, print_pyramid};
use super::workers::{WorkerError, run_in_workers};
use super::{CommandResult, Failure, print, print_json, print_message, printable, usage};
use talweg::eval::window::{SmoothedField, smooth_lines};
use talweg::eval::{Store, evaluate, thread_pool, timed_layers};
use talweg::export::ExportReport;
use talweg::export::maps::{ExportMap, mask_layer};
use talweg::export::streamed::streamed_map;
use talweg::field::Control;
use talweg::io::memory::{bytes_text, shortage};
use talweg::io::{check_new_folder, write_atomically};
use talweg::scene::{BuildTiles, Scene};
use talweg::tiles::{
    DiskUse, LEAST_TILE, Launcher, MergedTerrain, PLAN_FILE, PlanStage, PlannedSmoothing, SmoothingStep, SurveyStep,
    TaskOutcome, TileBuild, TileError, TilePlan, tile_plan_with_masks, write_plan,
};
use talweg::web_map::{MapPosition, RasterPyramid, TilePixels};

/// Plan a build in tiles, for terrains larger than memory or for many machines
#[derive(Args)]
#[command(after_help = "\
The folder contains the plan as text (plan.ron), this report (plan.txt: memory, times, disk space), the scene, and later
the tiles. Stages run one after another. Each task of a stage makes a tile. Tasks of one stage can run at the same time,
on any machine that can access the folder. A layer that cannot be computed in tiles is listed with the reason; it is one
task that needs the memory of the whole terrain. The result has the same bits as a build of the whole terrain at once.

Examples:
  talweg plan alpine-range --size 16385 -o alps
  talweg run-tiles alps                       (all tasks on this machine, or:)
  talweg run-tile alps 0 0                    (one task; on a cluster each machine runs some tasks)
  talweg merge alps -o alps.cog.tif
  talweg plan alpine-range --size 16385 -o alps --slurm && bash alps/slurm.sh --partition=long
  talweg plan alpine-range --size 16385 -o alps --openjd && openjd run alps/openjd.json -p PlanFolder=alps")]
pub struct PlanArgs {
    #[command(flatten)]
    scene: SceneArgs,
    /// Number of samples per side of a tile
    #[arg(long, value_name = "N", default_value_t = 2048, value_parser = clap::value_parser!(u32).range(LEAST_TILE as i64..=16_384))]
    tile: u32,
    /// New folder for the plan
    #[arg(short, long, value_name = "FOLDER")]
    output: PathBuf,
    /// Names of layers whose masks are kept as well, for `talweg merge --what mask:LAYER`; may be repeated
    #[arg(long, value_name = "LAYER")]
    masks: Vec<String>,
    /// Also write slurm.sh, which submits a job array for each stage to Slurm
    #[arg(long)]
    slurm: bool,
    /// Also write openjd.json, a job template of Open Job Description with a step for each stage
    #[arg(long)]
    openjd: bool,
    /// Print the plan as JSON
    #[arg(long)]
    json: bool,
}

/// Run one task of a plan, unless it is already done
#[derive(Args)]
#[command(after_help = "\
Tiles are written whole or not at all, with hashes: run a task again if it was killed. A task checks each part of a tile
that it reads, and refuses a bad one. A task that is done is only checked. Many tasks run faster in one program, because it reuses its memory.

Examples:
  talweg run-tile alps 0 12
  seq 0 15 | talweg run-tile alps 0")]
pub struct RunTileArgs {
    /// Folder of the plan
    #[arg(value_name = "PLAN")]
    plan: PathBuf,
    /// Number of the stage
    #[arg(value_name = "STAGE")]
    stage: usize,
    /// Number of the task in the stage; without it, task numbers are read from standard input, one per line
    #[arg(value_name = "TILE")]
    tile: Option<usize>,
    #[command(flatten)]
    work: WorkArgs,
}

/// Run all remaining tasks of a plan on this machine
#[derive(Args)]
#[command(after_help = "\
Workers are separate processes: if one is killed, for example for lack of memory, its task is tried again and the others
continue. Tiles that are missing, bad, or made of tiles that are different now are made anew; `talweg check PLAN` lists
them. With --prune, the tiles of a stage are removed as soon as no later stage reads them, so that the folder needs the
least disk space. Removed tiles are not made again when the build continues after a stop. With --prune, only one program
may work in the folder.

Examples:
  talweg run-tiles alps --workers 2
  talweg run-tiles alps --prune")]
pub struct RunTilesArgs {
    /// Folder of the plan
    #[arg(value_name = "PLAN")]
    plan: PathBuf,
    /// Number of tasks that run at the same time; each needs the memory given in the plan
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    workers: u16,
    /// Remove tiles as soon as no later stage reads them
    #[arg(long)]
    prune: bool,
    #[command(flatten)]
    work: WorkArgs,
    /// Print no progress
    #[arg(long, short)]
    quiet: bool,
}

/// Threads and memory of a task.
#[derive(Args)]
struct WorkArgs {
    /// Number of threads per task; 0 means one for each processor
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    #[command(flatten)]
    memory: MemoryArgs,
}

/// Write files of the whole terrain from all tiles of a plan, without holding the terrain in memory
#[derive(Args)]
#[command(after_help = "\
The file extension selects the format, and the files have the same bytes as files of `talweg export`. Without -o, the
content hash of the terrain is printed, which equals the hash that `talweg verify` prints.

Examples:
  talweg merge alps
  talweg merge alps -o alps.cog.tif -o alps.r32
  talweg merge alps -o wear.tif --what wear
  talweg merge alps -o slope.png --what slope
  talweg merge alps -o ground.png --what splat
  talweg merge alps -o tiles/alps.png --tiles 2049
  talweg merge alps -o m --web-map terrarium --longitude 7.66 --latitude 45.98")]
pub struct MergeArgs {
    /// Folder of the plan
    #[arg(value_name = "PLAN")]
    plan: PathBuf,
    /// File to write; may be repeated
    #[arg(short, long, value_name = "FILE")]
    output: Vec<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
    /// Map to write into the files: heights, a data map that the scene writes, or any other map except occlusion,
    /// sunshine and relief; flow, drainage and wetness need a layer that writes the flow
    #[arg(long, value_name = "MAP", default_value = "heights", value_parser = streamed_map)]
    what: ExportMap,
    /// Cut files into tiles of this many samples per side, named NAME_x0_y0
    #[arg(long, value_name = "SAMPLES", value_parser = clap::value_parser!(u32).range(2..=16_384))]
    tiles: Option<u32>,
    /// Let neighbouring tiles share no samples; otherwise they share the samples along their edges
    #[arg(long, requires = "tiles")]
    unshared: bool,
    /// Write a tile pyramid for maps in browsers into the new folder -o, as `talweg web-map` does
    #[arg(long, value_enum, value_name = "PIXELS", requires = "output", conflicts_with_all = ["tiles", "what"])]
    web_map: Option<MergedPixels>,
    /// Longitude of the centre of the terrain, in degrees east
    #[arg(long, value_name = "DEGREES", default_value_t = 0.0, allow_negative_numbers = true, requires = "web_map")]
    longitude: f64,
    /// Latitude of the centre of the terrain, in degrees north
    #[arg(long, value_name = "DEGREES", default_value_t = 0.0, allow_negative_numbers = true, requires = "web_map")]
    latitude: f64,
    /// Closest zoom; by default the first zoom whose pixels are no larger than the distance between samples
    #[arg(long, value_name = "ZOOM", requires = "web_map")]
    closest: Option<u32>,
    /// Print what was written as JSON
    #[arg(long)]
    json: bool,
}

/// Content of the pixels of a tile pyramid made from a tiled build.
#[derive(Clone, Copy, ValueEnum)]
enum MergedPixels {
    /// Heights to 1/256 m, encoded as colours
    Terrarium,
    /// Heights to 1/10 m, encoded as colours (Mapbox Terrain-RGB)
    Mapbox,
    /// Grey hillshade, lit by the scene's sun
    Hillshade,
}

/// Name of the file with the printed report of `plan`, in the folder of the plan. The times in the report depend on the
/// machine, so the plan itself does not contain them.
const PLAN_TEXT: &str = "plan.txt";

/// Samples per side of the small evaluation that measures the speed of this machine.
const TIMED_SAMPLES: usize = 257;

/// Estimated seconds of each stage on one thread of this machine, from a small evaluation.
fn seconds(scene: &Scene, plan: &TilePlan) -> Result<Vec<f64>, Failure> {
    let samples = TIMED_SAMPLES.min(plan.samples);
    let control = Control::default();
    let pool = thread_pool(1)?;
    let evaluated = || evaluate(scene, samples, None, &mut Store::forgetful(), &control);
    // The first run is not measured, because it builds tables and allocates new memory.
    pool.install(evaluated)?;
    let (made, times) = pool.install(|| timed_layers(&control, evaluated));
    made?;
    // Only iterations on the finest grid are counted.
    let iterations = |layer: usize, samples: usize| {
        let levels = scene.layers[layer].levels(samples);
        let finest = levels.last().map_or(0, |(_, stages)| stages.iter().map(|stage| stage.iterations).sum());
        f64::from(finest.max(1))
    };
    let of_layer = |layer: usize, samples_here: usize, share: f64| {
        let spent = times.iter().find(|(index, _)| *index == layer).map_or(0.0, |(_, time)| time.as_secs_f64());
        let finer = samples_here as f64 / samples as f64;
        spent * finer * finer * share * iterations(layer, samples_here) / iterations(layer, samples)
    };
    // The time to smooth a field once along all rows, or once along all columns.
    let of_lines = |layer: usize, iteration: Option<u32>, field: SmoothedField, samples_here: usize| -> f64 {
        let mut lines = vec![1.0; samples * samples];
        let smooth = || {
            control.enter_layer(layer);
            let made = smooth_lines(scene, samples, (layer, iteration), field, &mut lines, &control);
            control.finish_layers();
            made
        };
        let (_, times) = pool.install(|| timed_layers(&control, smooth));
        let finer = samples_here as f64 / samples as f64;
        times.iter().map(|(_, time)| time.as_secs_f64()).sum::<f64>() * finer * finer
    };
    // Each coarser grid takes a quarter of the time of the next finer grid.
    let of_coarser_grids =
        |samples: usize| -> f64 { times.iter().map(|(layer, _)| of_layer(*layer, samples, 4.0 / 3.0)).sum() };
    let of_stage = |stage: &PlanStage| -> f64 {
        if let Some(water) = stage.survey.as_ref().filter(|water| water.step != SurveyStep::Ground) {
            // Each tile computes its drainage a second time. The tasks that combine the borders of tiles are short and
            // count as 0.
            if water.step == SurveyStep::Streams {
                return of_coarser_grids(stage.samples);
            }
            let share = match water.iteration {
                _ if water.step.is_one_task() => 0.0,
                None => 1.0,
                Some(_) => STEP_SHARE / iterations(water.layer, stage.samples),
            };
            return of_layer(water.layer, stage.samples, share);
        }
        if stage.mask_of.is_some() {
            return 0.0;
        }
        if let Some(smoothing) = &stage.smoothing {
            // Stages that prepare a field for smoothing count as 0, because the time of their layer includes them.
            let is_along_lines = stage.along_lines().is_some();
            let (layer, iteration) = (smoothing.layer, smoothing.iteration);
            return if is_along_lines { of_lines(layer, iteration, smoothing.field, stage.samples) } else { 0.0 };
        }
        if stage.layers.is_empty() {
            return of_coarser_grids(stage.samples);
        }
        let side = stage.samples as f64;
        let computed = (side + 2.0 * (stage.halo * plan_side(stage)) as f64) / side;
        let of_part = |layer: &talweg::tiles::PlannedLayer| {
            let part = match layer.iterations {
                None => 1.0,
                // This stage only starts the process, from the products of a coarser grid.
                Some((0, 0)) => STEP_SHARE,
                Some((first, end)) => f64::from(end - first) / iterations(layer.layer, stage.samples),
            };
            of_layer(layer.layer, stage.samples, part)
        };
        // The time of smoothing is counted for the stages that smooth fields, and subtracted here.
        let is_worn = |layer: usize| {
            stage.survey.as_ref().is_some_and(|survey| survey.iteration.is_some() && survey.layer == layer)
        };
        let smoothed = stage.smoothed.iter().filter(|(layer, ..)| !is_worn(*layer));
        let smoothed = smoothed.map(|&(layer, field, _)| 2.0 * of_lines(layer, None, field, stage.samples));
        let of_part =
            |layer: &talweg::tiles::PlannedLayer| of_part(layer) * if is_worn(layer.layer) { STEP_SHARE } else { 1.0 };
        let own = stage.layers.iter().map(of_part).sum::<f64>() - smoothed.sum::<f64>();
        own.max(0.0) * computed * computed
    };
    Ok(plan.stages.iter().map(of_stage).collect())
}

/// Approximate fraction of an iteration's time that each step of the iteration takes.
const STEP_SHARE: f64 = 0.4;

/// Number of tiles along a side of the terrain in a stage.
fn plan_side(stage: &PlanStage) -> usize {
    stage.tasks.isqrt()
}

pub fn run_plan(args: &PlanArgs) -> CommandResult {
    let job = args.scene.load_for_tiles()?;
    let masks = args.masks.iter().map(|name| mask_layer(&job.scene, name)).collect::<Result<Vec<_>, _>>();
    let plan = tile_plan_with_masks(&job.scene, job.samples, args.tile as usize, &masks.map_err(usage)?)?;
    let seconds = seconds(&job.scene, &plan)?;
    write_plan(&args.output, &plan, &job.scene)?;
    let build = TileBuild::open(&args.output)?;
    let launchers = [(args.slurm, Launcher::Slurm), (args.openjd, Launcher::OpenJobDescription)];
    for (_, launcher) in launchers.into_iter().filter(|(is_wanted, _)| *is_wanted) {
        build.write_launcher(launcher)?;
    }
    let disk = plan.disk_use(&job.scene);
    let text = printable(&table(&plan, &seconds, disk));
    write_atomically(args.output.join(PLAN_TEXT), |file| file.write_all(text.as_bytes()))?;
    if args.json {
        let bytes = json!({ "kept": disk.kept, "pruned": disk.pruned });
        let path = args.output.join(PLAN_FILE);
        return print_json(&json!({ "path": path, "plan": plan, "seconds": seconds, "disk_bytes": bytes }));
    }
    print(&text)
}

/// The work of a survey step, as text for people.
fn step_text(step: SurveyStep) -> &'static str {
    match step {
        SurveyStep::Basins => "basins of each tile",
        SurveyStep::Spills => "spill points of the basins of all tiles",
        SurveyStep::Flats => "flats of each tile",
        SurveyStep::FlatDistances => "distances on the flats of all tiles",
        SurveyStep::Flow => "outflow of each tile",
        SurveyStep::Inflows => "inflow of each tile",
        SurveyStep::Courses => "divided drainage of each tile",
        SurveyStep::Trunks => "trunks that other tiles drain into",
        SurveyStep::Erosion => "erosion outside the trunks",
        SurveyStep::Streams => "trunk streams",
        SurveyStep::Range => "lowest and highest height of each tile",
        SurveyStep::Ranges => "lowest and highest height of the whole terrain",
        SurveyStep::Ground => "ground",
    }
}

/// The work of a smoothing step, as text for people.
fn smoothing_text(smoothing: &PlannedSmoothing) -> String {
    let what = match smoothing.field {
        SmoothedField::Ground | SmoothedField::Curvature => "heights",
        SmoothedField::Mask => "mask",
        SmoothedField::Eroded => "eroded heights",
    };
    match smoothing.step {
        SmoothingStep::Weights => "unsoftened mask".into(),
        SmoothingStep::Columns => format!("{what} smoothed along columns of tiles"),
        SmoothingStep::Rows => format!("{what} smoothed along rows of tiles"),
    }
}

/// Formats the stages as a table, followed by the layers that are computed on the whole terrain at once.
fn table(plan: &TilePlan, seconds: &[f64], disk: DiskUse) -> String {
    let mut text = format!(
        "{} × {} samples in tiles of {}; times are for one thread of this machine\n",
        plan.samples, plan.samples, plan.tile
    );
    for (number, (stage, seconds)) in plan.stages.iter().zip(seconds).enumerate() {
        let layer = |layer: &talweg::tiles::PlannedLayer| match layer.iterations {
            None => layer.name.clone(),
            Some((first, end)) => format!("{} {first} to {end}", layer.name),
        };
        let layers: Vec<_> = stage.layers.iter().map(layer).collect();
        let layers = match &stage.survey {
            Some(water) if water.step != SurveyStep::Ground => format!("{}, {}", water.name, step_text(water.step)),
            _ if stage.mask_of.is_some() => {
                stage.mask_of.iter().map(|layer| format!("mask of {}", layer.name)).collect()
            }
            _ if stage.smoothing.is_some() => {
                let told = |smoothing: &PlannedSmoothing| format!("{}, {}", smoothing.name, smoothing_text(smoothing));
                stage.smoothing.iter().map(told).collect()
            }
            _ if layers.is_empty() => "coarser grids of erosions".into(),
            _ => layers.join(", "),
        };
        let tells = stage.summary.as_ref().map(|tells| format!(", {}", step_text(tells.step))).unwrap_or_default();
        let tasks = if stage.is_whole() { "1 task".into() } else { format!("{} tasks", stage.tasks) };
        let halo = if stage.halo > 0 { format!(", halo of {} cells", stage.halo) } else { String::new() };
        let (samples, memory) = (stage.samples, bytes_text(stage.memory_bytes));
        let mut before: Vec<_> = stage.reads().iter().map(|product| product.stage().to_string()).collect();
        before.dedup();
        let before = if before.is_empty() { String::new() } else { format!(", reads {}", before.join(" ")) };
        text += &format!(
            "stage {number}: {tasks} at {samples} samples{halo}{before}, {memory} each, {seconds:.1} s: {layers}{tells}\n"
        );
    }
    let [kept, pruned] = [disk.kept, disk.pruned].map(bytes_text);
    text += &format!(
        "In total {:.1} s, and about {kept} of disk space, or {pruned} with run-tiles --prune\n",
        seconds.iter().sum::<f64>()
    );
    let whole: Vec<_> = plan.stages.iter().flat_map(|stage| &stage.whole).collect();
    if !whole.is_empty() {
        text += "Computed on the whole terrain at once:\n";
        whole.iter().for_each(|reason| text += &format!("  {reason}\n"));
    }
    text
}

fn check_memory(stage: &PlanStage) -> CommandResult {
    match shortage(stage.memory_bytes) {
        None => Ok(()),
        Some(short) => {
            let way = if stage.is_whole() { "Run it on a machine with more" } else { "Plan smaller tiles" };
            Err(Failure::Failed(anyhow::anyhow!(
                "this task {short}. {way}, or raise the limit with --memory if more is free"
            )))
        }
    }
}

pub fn run_one(args: &RunTileArgs) -> CommandResult {
    args.work.memory.apply();
    let build = TileBuild::open(&args.plan)?;
    let number = args.stage;
    let known = |task: usize| build.plan.stages.get(number).filter(|stage| task < stage.tasks);
    let no_task = |task: usize| usage(anyhow::anyhow!(TileError::NoTask { stage: number, task }));
    let stage = known(args.tile.unwrap_or(0)).ok_or_else(|| no_task(args.tile.unwrap_or(0)))?;
    check_memory(stage)?;
    let pool = thread_pool(args.work.threads)?;
    let run = |task: usize| -> CommandResult {
        known(task).ok_or_else(|| no_task(task))?;
        let said = match pool.install(|| build.run_task(number, task, &Control::default()))? {
            TaskOutcome::Done => "done",
            TaskOutcome::WasDone => "was already done",
        };
        print(&format!("stage {number}, tile {task}: {said}\n"))
    };
    match args.tile {
        Some(task) => run(task),
        None => std::io::stdin().lines().try_for_each(|line| {
            let line = line?;
            run(line.trim().parse().map_err(|_| usage(anyhow::anyhow!("`{line}` is not the number of a task")))?)
        }),
    }
}

/// Maximum number of times that a run makes bad tiles of earlier stages anew.
const REPAIRS: usize = 3;

pub fn run_all(args: &RunTilesArgs) -> CommandResult {
    args.work.memory.apply();
    let build = TileBuild::open(&args.plan)?;
    let mut open = build.open_stages()?;
    let (mut number, mut repairs) = (0, 0);
    while number < open.len() {
        if open[number]
            && let Err(failure) = run_stage(args, &build, number)
        {
            // A task fails if an earlier stage left a bad tile. That stage is then open again.
            open = build.open_stages()?;
            let Some(bad) = open[..number].iter().position(|is_open| *is_open).filter(|_| repairs < REPAIRS) else {
                return Err(failure);
            };
            print_message(&format!("tiles of stage {bad} are bad or missing; they are made anew"));
            (number, repairs) = (bad, repairs + 1);
            continue;
        }
        if args.prune {
            build.remove_unread_tiles(number, &open);
        }
        number += 1;
    }
    Ok(())
}

/// Runs the tasks of a stage that are left to do.
fn run_stage(args: &RunTilesArgs, build: &TileBuild, number: usize) -> CommandResult {
    let stage = &build.plan.stages[number];
    check_memory(stage)?;
    if !args.quiet {
        print_message(&format!("stage {number} of {}: {} tasks", build.plan.stages.len(), stage.tasks));
    }
    let most = usize::from(args.workers).min(stage.tasks);
    run_in_workers(&|| worker(args, number), most, stage.tasks).map_err(|gave_up| {
        Failure::Failed(match gave_up {
            WorkerError::Task { task, tries } => anyhow::anyhow!(
                "tile {task} of stage {number} failed {tries} times; run talweg run-tile {} {number} {task} for the reason",
                args.plan.display()
            ),
            WorkerError::NoWorker(error) => anyhow::Error::new(error).context("cannot start a worker"),
        })
    })
}

/// The command of a worker for tasks of a stage.
fn worker(args: &RunTilesArgs, stage: usize) -> std::io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("run-tile").arg(&args.plan).arg(stage.to_string()).arg("--threads").arg(args.work.threads.to_string());
    if let Some(bytes) = args.work.memory.bytes() {
        command.arg("--memory").arg(bytes.to_string());
    }
    // Memory pages of 2 MiB, if the system has them, reduce the time for allocation.
    if std::env::var_os("GLIBC_TUNABLES").is_none() {
        command.env("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1");
    }
    Ok(command)
}

pub fn run_merge(args: &MergeArgs) -> CommandResult {
    let build = TileBuild::open(&args.plan)?;
    let control = Control::default();
    let merged = build.merged(&control)?;
    let hash = format!("{:032x}", merged.hash);
    if let Some(pixels) = args.web_map {
        return merge_web_map(args, &build, &merged, pixels, &control);
    }
    let tiling = args.tiles.map(|samples| BuildTiles { samples, shared_edges: !args.unshared });
    let mut report = ExportReport::default();
    for path in &args.output {
        let target = args.force.target(Path::new(path));
        let written = build.write_merged(&merged, &args.what, &target, tiling, &control)?;
        report.rasters.extend(written.rasters);
        report.others.extend(written.others);
    }
    if args.json {
        return print_json(&json!({ "hash": hash, "rasters": report.rasters, "others": report.others }));
    }
    if args.output.is_empty() {
        return print(&format!("{hash}\n"));
    }
    print(&super::export::lines(&report))
}

/// Writes tile pyramids for maps in browsers, one into each given folder.
fn merge_web_map(
    args: &MergeArgs,
    build: &TileBuild,
    merged: &MergedTerrain,
    pixels: MergedPixels,
    control: &Control,
) -> CommandResult {
    let settings = &build.scene.settings;
    let pyramid = RasterPyramid {
        pixels: match pixels {
            MergedPixels::Terrarium => TilePixels::Terrarium,
            MergedPixels::Mapbox => TilePixels::MapboxRgb,
            MergedPixels::Hillshade => TilePixels::Hillshade(settings.sun_direction()),
        },
        position: MapPosition { longitude: args.longitude, latitude: args.latitude },
        side_metres: settings.size_metres,
        relief_metres: settings.relief_metres,
        closest_zoom: args.closest,
    };
    args.output.iter().try_for_each(|folder| {
        check_new_folder(folder)?;
        let made = build.write_pyramid(merged, &pyramid, folder, control);
        let report = made.map_err(|error| match error {
            TileError::WebMap(error) => failed_map(error),
            other => other.into(),
        })?;
        print_pyramid(&report, folder, args.json)
    })
}
