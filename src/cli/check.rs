//! `talweg check`: reads scenes and builds in tiles, and reports their problems.

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use super::{CommandResult, Failure, print, print_json};
use talweg::construction::trace::Tracer;
use talweg::construction::{PieceCounts, Program};
use talweg::export::origin::load_scene;
use talweg::field::Control;
use talweg::nodes::Node;
use talweg::scene::{Layer, Warning};
use talweg::tiles::{CheckedTile, PLAN_FILE, TileBuild, TileError, TileState};

/// Read scenes or plans of builds in tiles, and print every warning and error
#[derive(Args)]
#[command(after_help = "\
Prints a line for each scene without problems (`ok`) and for each problem, and the size of each construction tree: its
pieces, its memory, its area and the bound λ of its slope. For the folder of a plan, it reads all tiles
and prints which are complete, which are missing, and which are bad and why. Exit code 1 if a scene or plan cannot be
read, or if a tile is bad; `talweg run-tiles` makes bad tiles anew.

Examples:
  talweg check saves/*.ron
  talweg check alps --json")]
pub struct CheckArgs {
    /// Scene files, or folders of plans
    #[arg(required = true, value_name = "SCENE|PLAN")]
    scenes: Vec<PathBuf>,
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct CheckFinding {
    scene: PathBuf,
    warnings: Vec<String>,
    error: Option<String>,
    /// The construction trees of the scene.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    constructions: Vec<TreeFinding>,
    /// For a plan: the tiles of its stages.
    #[serde(skip_serializing_if = "Option::is_none")]
    stages: Option<Vec<StageFinding>>,
}

/// Size of a construction tree, as in table 1 of Génevaux et al. 2014.
#[derive(Serialize)]
struct TreeFinding {
    layer: String,
    primitives: usize,
    operators: usize,
    instances: usize,
    /// Size of the compiled tree without its images, in kB (1000 bytes).
    kilobytes: f64,
    /// Size of its images, in kB.
    image_kilobytes: f64,
    /// Area of the construction's square, in km².
    square_kilometres: f64,
    /// Bound λ of the slope of the whole terrain, in metres of height per metre; `None` if there is no finite bound.
    lipschitz: Option<f64>,
}

/// The states of a stage's tiles. If the stage writes several products, each tile counts once for each product.
#[derive(Default, Serialize)]
struct StageFinding {
    stage: usize,
    tiles: usize,
    complete: usize,
    missing: Vec<TileFinding>,
    /// Number of tiles that were removed after use.
    removed: usize,
    bad: Vec<TileFinding>,
}

#[derive(Serialize)]
struct TileFinding {
    tile: String,
    task: usize,
    path: PathBuf,
    /// The reason why the tile is bad.
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<String>,
}

pub fn run(args: &CheckArgs) -> CommandResult {
    let findings: Vec<CheckFinding> = args.scenes.iter().map(|path| finding(path)).collect();
    if args.json {
        print_json(&findings)?;
    } else {
        print(&findings.iter().map(CheckFinding::lines).collect::<String>())?;
    }
    let unread = findings.iter().filter(|finding| finding.error.is_some()).count();
    let stages = findings.iter().filter_map(|finding| finding.stages.as_ref()).flatten();
    match (unread, stages.map(|stage| stage.bad.len()).sum::<usize>()) {
        (0, 0) => Ok(()),
        (0, bad) => {
            Err(Failure::Failed(anyhow::anyhow!("bad tiles: {bad}; `talweg run-tiles` with the plan makes them anew")))
        }
        (unread, _) => Err(Failure::Failed(anyhow::anyhow!("{unread} of {} scenes cannot be read", findings.len()))),
    }
}

fn finding(path: &Path) -> CheckFinding {
    let scene = path.to_path_buf();
    let failed = |error: String| CheckFinding {
        scene: scene.clone(),
        warnings: Vec::new(),
        error: Some(error),
        constructions: Vec::new(),
        stages: None,
    };
    if let Some(folder) = plan_folder(path) {
        return match checked_stages(folder) {
            Ok(stages) => CheckFinding {
                scene,
                warnings: Vec::new(),
                error: None,
                constructions: Vec::new(),
                stages: Some(stages),
            },
            Err(error) => failed(error.to_string()),
        };
    }
    match load_scene(path) {
        Ok((read, warnings)) => {
            let problems = read
                .problems()
                .into_iter()
                .map(|problem| format!("layer `{}`: {}", read.layers[problem.layer].name, problem.message));
            let disabled = read
                .disabled_values()
                .into_iter()
                .map(|value| format!("layer `{}`: {}", read.layers[value.layer].name, value.reason));
            let warnings = warnings.into_iter().map(|Warning(text)| text).chain(problems).chain(disabled).collect();
            let constructions = read.layers.iter().filter_map(TreeFinding::of_layer).collect();
            CheckFinding { scene, warnings, error: None, constructions, stages: None }
        }
        Err(error) => failed(error.to_string()),
    }
}

/// The folder of a plan, if `path` is such a folder or the plan's file in it.
fn plan_folder(path: &Path) -> Option<&Path> {
    match path.file_name() {
        Some(name) if name == PLAN_FILE => path.parent(),
        _ => path.join(PLAN_FILE).is_file().then_some(path),
    }
}

fn checked_stages(folder: &Path) -> Result<Vec<StageFinding>, TileError> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let build = TileBuild::open(folder)?;
    let stages = 0..build.plan.stages.len();
    let mut found: Vec<_> = stages.map(|stage| StageFinding { stage, ..StageFinding::default() }).collect();
    for checked in build.check_tiles(&Control::default())? {
        found[checked.tile.product.stage()].add(checked);
    }
    Ok(found)
}

impl TreeFinding {
    /// The size of the construction tree of a layer; `None` if the layer has none.
    fn of_layer(layer: &Layer) -> Option<Self> {
        let Node::Construction(construction) = &layer.node else { return None };
        let PieceCounts { primitives, operators, instances } = construction.tree.counts();
        let program = Program::shared(&construction.tree, 0);
        let buffer = program.to_buffer();
        let side = f64::from(construction.tree.frame.side) / 1000.0;
        let steepest = Tracer::new(&program).steepest();
        Some(Self {
            layer: layer.name.clone(),
            primitives,
            operators,
            instances,
            kilobytes: buffer.bytes().len() as f64 / 1000.0,
            image_kilobytes: (buffer.image_samples.len() * size_of::<f32>()) as f64 / 1000.0,
            square_kilometres: side * side,
            lipschitz: steepest.is_finite().then_some(steepest),
        })
    }

    fn line(&self, scene: &str) -> String {
        let Self { layer, primitives, operators, instances, .. } = self;
        let images = if self.image_kilobytes > 0.0 {
            format!(" and {:.0} kB of images", self.image_kilobytes)
        } else {
            String::new()
        };
        let copies = if *instances > 0 { format!(", instances: {instances}") } else { String::new() };
        let slope = self.lipschitz.map_or_else(|| "λ unbounded".into(), |slope| format!("λ ≤ {slope:.1}"));
        format!(
            "tree     {scene}: layer `{layer}`: primitives: {primitives}, operators: {operators}{copies}, \
             {:.1} kB{images}, {:.2} km², {slope}\n",
            self.kilobytes, self.square_kilometres
        )
    }
}

impl StageFinding {
    fn add(&mut self, checked: CheckedTile) {
        let CheckedTile { tile, task, path, state } = checked;
        let named = |fault| TileFinding { tile: tile.to_string(), task, path, fault };
        self.tiles += 1;
        match state {
            TileState::Complete => self.complete += 1,
            TileState::Removed => self.removed += 1,
            TileState::Missing => self.missing.push(named(None)),
            TileState::Bad(fault) => self.bad.push(named(Some(fault.to_string()))),
        }
    }

    /// A line for the stage, and one for each tile that is missing or bad.
    fn lines(&self, plan: &str) -> String {
        let Self { stage, tiles, complete, removed, .. } = self;
        let state = if self.missing.is_empty() && self.bad.is_empty() { "ok      " } else { "open    " };
        let removed = if *removed > 0 { format!(", {removed} removed after use") } else { String::new() };
        let (missing, bad) = (self.missing.len(), self.bad.len());
        let mut text = format!(
            "{state} {plan}: stage {stage}: {complete} of {tiles} tiles complete, {missing} missing, {bad} \
             bad{removed}\n"
        );
        for TileFinding { tile, task, .. } in &self.missing {
            text += &format!("missing  {tile} (task {task})\n");
        }
        for TileFinding { tile, path, fault, .. } in &self.bad {
            text += &format!("bad      {tile} {} ({})\n", fault.as_deref().unwrap_or_default(), path.display());
        }
        text
    }
}

impl CheckFinding {
    fn lines(&self) -> String {
        let scene = self.scene.display();
        if let Some(error) = &self.error {
            return format!("error    {error}\n");
        }
        if let Some(stages) = &self.stages {
            return stages.iter().map(|stage| stage.lines(&scene.to_string())).collect();
        }
        let trees: String = self.constructions.iter().map(|tree| tree.line(&scene.to_string())).collect();
        if self.warnings.is_empty() {
            return format!("ok       {scene}\n{trees}");
        }
        self.warnings.iter().map(|text| format!("warning  {scene}: {text}\n")).collect::<String>() + &trees
    }
}
