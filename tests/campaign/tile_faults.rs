//! Injects one fault at a time into the folder of a tiled build, at a random position and between two random tasks. The
//! build must end with the same bits as the whole terrain, or refuse with an error message. After a refusal, running
//! the tasks again must repair the build.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use talweg::eval::{Store, evaluate};
use talweg::field::Control;
use talweg::nodes::Node;
use talweg::scene::{Layer, Scene};
use talweg::tiles::{
    PLAN_FILE, PlanStage, SCENE_FILE, StageProduct, TileBuild, TilePlan, TileState, tile_plan, write_plan,
};

use crate::kills::Moments;
use crate::parts::Amounts;
use crate::table::{Finding, Table};

const SAMPLES: usize = 97;
const TILE: usize = 32;
const OTHER_TILE: usize = 33;
/// Layers whose stages are of every kind: tiles with halos, surveys, smoothing, batches of iterations, coarser grids.
const LAYERS: [&str; 7] =
    ["Perlin", "Normalise", "Blur", "Thermal", "FillDepressions", "StreamPower", "FlowAccumulation"];
const SETTINGS: [&str; 5] =
    ["2.high=0.8", "4.iterations=12", "4.largest_scale=Samples33", "6.iterations=2", "7.courses=Steepest"];
/// Number of attempts of the control, whose terrain is wrong by design.
const CONTROLS: u64 = 4;

/// A kind of fault.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    Bit,
    Truncation,
    Extension,
    ZeroedPage,
    Removal,
    Swap,
    /// The same tile of a build of another scene.
    OtherScene,
    /// The same tile of a build of this scene with another plan.
    OtherPlan,
    /// A tile, or a plan, of another version.
    OtherVersion,
    /// A changed number, word or bit in the plan's text.
    EditedPlan,
    /// An edited plan with a fitting hash.
    SealedPlan,
    /// A flipped bit in the scene.
    EditedScene,
}

const FAULTS: [Fault; 12] = [
    Fault::Bit,
    Fault::Truncation,
    Fault::Extension,
    Fault::ZeroedPage,
    Fault::Removal,
    Fault::Swap,
    Fault::OtherScene,
    Fault::OtherPlan,
    Fault::OtherVersion,
    Fault::EditedPlan,
    Fault::SealedPlan,
    Fault::EditedScene,
];

/// Complete builds, and the tasks in order.
struct Builds {
    folder: PathBuf,
    sound: TileBuild,
    other_scene: TileBuild,
    other_plan: TileBuild,
    tasks: Vec<(usize, usize)>,
    whole: u128,
}

/// The end of a build.
enum End {
    World(u128),
    Refused(String),
    Panicked,
}

pub fn run(amounts: &Amounts, table: &mut Table) {
    // Each attempt writes hundreds of small files, each synced: in memory that is fast.
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    let folder = folder.expect("a temporary folder");
    let builds = match Builds::new(folder.path()) {
        Ok(builds) => builds,
        Err(error) => return table.row("faults in tiles").fail(&error),
    };
    let mut moments = Moments::new(amounts.seed);
    for (index, fault) in (0_u64..).zip(FAULTS) {
        let row = table.row(format!("fault in tiles: {fault:?}"));
        let kinds = FAULTS.len() as u64;
        let (mut refused, tries) = (0, (amounts.tile_faults + kinds - 1 - index) / kinds);
        for attempt in 0..tries {
            let (findings, was_refused) = builds.attempt(fault, &mut moments);
            refused += u64::from(was_refused);
            let told = |(finding, text)| (finding, format!("{fault:?} {attempt}: {text}"));
            row.count(&findings.into_iter().map(told).collect::<Vec<_>>());
        }
        row.note(format!("{refused} builds refused with a message, {} correct at once", tries - refused));
    }
    let row = table.control_row("control, tiles: a forged tile with fitting hashes", Some(Finding::Torn));
    for _ in 0..CONTROLS {
        row.count(&builds.forge(&mut moments));
    }
}

fn scene(seed: u32) -> Result<Scene, String> {
    let layer = |name: &&str| Node::named(name).map(|node| Layer::new(node, seed)).ok_or(format!("no node {name}"));
    let mut scene = Scene { layers: LAYERS.iter().map(layer).collect::<Result<_, _>>()?, ..Scene::default() };
    scene.settings.size_metres = 4000.0;
    SETTINGS.iter().try_for_each(|setting| scene.set(setting)).map_err(|error| error.to_string())?;
    Ok(scene)
}

/// A complete build in a new folder.
fn complete(folder: &Path, scene: &Scene, tile: usize) -> Result<TileBuild, String> {
    let plan = tile_plan(scene, SAMPLES, tile).map_err(|error| error.to_string())?;
    write_plan(folder, &plan, scene).map_err(|error| error.to_string())?;
    let build = TileBuild::open(folder).map_err(|error| error.to_string())?;
    run_tasks(&build, &tasks(&plan))?;
    Ok(build)
}

fn tasks(plan: &TilePlan) -> Vec<(usize, usize)> {
    let stages = plan.stages.iter().enumerate();
    stages.flat_map(|(stage, planned)| (0..planned.tasks).map(move |task| (stage, task))).collect()
}

fn run_tasks(build: &TileBuild, tasks: &[(usize, usize)]) -> Result<(), String> {
    for &(stage, task) in tasks {
        build.run_task(stage, task, &Control::default()).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// Runs some tasks in a folder as a scheduler does, and merges the tiles.
fn end_of(folder: &Path, tasks: &[(usize, usize)]) -> End {
    let made = catch_unwind(AssertUnwindSafe(|| {
        let build = TileBuild::open(folder).map_err(|error| error.to_string())?;
        run_tasks(&build, tasks)?;
        build.merged(&Control::default()).map(|merged| merged.hash).map_err(|error| error.to_string())
    }));
    match made {
        Ok(Ok(hash)) => End::World(hash),
        Ok(Err(sentence)) => End::Refused(sentence),
        Err(_) => End::Panicked,
    }
}

fn below(moments: &mut Moments, end: usize) -> usize {
    moments.next_below(end.max(1) as u64) as usize
}

impl Builds {
    fn new(folder: &Path) -> Result<Self, String> {
        let (ours, other) = (scene(1)?, scene(2)?);
        let sound = complete(&folder.join("sound"), &ours, TILE)?;
        let made = evaluate(&ours, SAMPLES, None, &mut Store::forgetful(), &Control::default());
        let whole = made.map_err(|error| error.to_string())?.terrain.hash();
        let merged = sound.merged(&Control::default()).map_err(|error| error.to_string())?;
        if merged.hash != whole {
            return Err("the undamaged build differs from the whole terrain".into());
        }
        Ok(Self {
            folder: folder.into(),
            other_scene: complete(&folder.join("scene"), &other, TILE)?,
            other_plan: complete(&folder.join("plan"), &ours, OTHER_TILE)?,
            tasks: tasks(&sound.plan),
            sound,
            whole,
        })
    }

    /// Makes a new folder in which the first `done` tasks are done; returns the folder and the paths of its files.
    fn begun(&self, done: usize) -> (PathBuf, Vec<PathBuf>) {
        let folder = self.folder.join("damaged");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir(&folder).expect("a folder");
        let mut files = Vec::new();
        for &(stage, task) in &self.tasks[..done] {
            files.extend(self.sound.files_written(stage, task).expect("a task of the plan"));
        }
        let sound = self.sound.store.folder();
        let plain = [PLAN_FILE, SCENE_FILE].map(|name| sound.join(name));
        let copied = |file: &PathBuf| {
            let to = folder.join(file.strip_prefix(sound).expect("a file of the build"));
            fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
            fs::copy(file, &to).expect("a copy");
            to
        };
        plain.iter().for_each(|file| drop(copied(file)));
        let files = files.iter().map(copied).collect();
        (folder, files)
    }

    /// Makes one fault and ends the build; returns the findings, and whether the build was refused.
    fn attempt(&self, fault: Fault, moments: &mut Moments) -> (Vec<(Finding, String)>, bool) {
        let done = 2 + below(moments, self.tasks.len() - 1);
        let (folder, files) = self.begun(done.min(self.tasks.len()));
        let is_in_tile = match fault {
            Fault::EditedPlan | Fault::SealedPlan | Fault::EditedScene => false,
            Fault::OtherVersion => moments.next_below(2) == 0,
            _ => true,
        };
        let place = match is_in_tile {
            true => self.damage_tile(fault, &files, moments),
            false => self.damage_plan(fault, &folder, moments),
        };
        let mut findings = Vec::new();
        if is_in_tile && !lists_bad_tile(&folder) {
            findings.push((Finding::WrongSentence, format!("{place}: talweg check does not list the tile")));
        }
        let rest = &self.tasks[done.min(self.tasks.len())..];
        let was_refused = match end_of(&folder, rest) {
            End::World(hash) if hash == self.whole => false,
            End::World(hash) => {
                findings.push((Finding::Torn, format!("{place}: terrain {hash:032x} instead of {:032x}", self.whole)));
                false
            }
            End::Panicked => {
                findings.push((Finding::Crashed, place.clone()));
                false
            }
            End::Refused(sentence) => {
                if !says_what_to_do(&sentence) {
                    findings.push((Finding::WrongSentence, format!("{place}: {sentence}")));
                }
                true
            }
        };
        if was_refused {
            findings.extend(self.heal(&folder, is_in_tile).map(|text| (Finding::Lost, format!("{place}: {text}"))));
        }
        (findings, was_refused)
    }

    /// Runs all tasks again, after restoring the plan and the scene if the fault was in them. Returns an error that
    /// remains.
    fn heal(&self, folder: &Path, is_in_tile: bool) -> Option<String> {
        if !is_in_tile {
            for name in [PLAN_FILE, SCENE_FILE] {
                fs::copy(self.sound.store.folder().join(name), folder.join(name)).expect("a copy");
            }
        }
        match end_of(folder, &self.tasks) {
            End::World(hash) if hash == self.whole => None,
            End::World(_) => Some("running the tasks again gives different terrain".into()),
            End::Refused(sentence) => Some(format!("running the tasks again ends with: {sentence}")),
            End::Panicked => Some("running the tasks again panics".into()),
        }
    }

    /// Damages a tile; returns what was done.
    fn damage_tile(&self, fault: Fault, files: &[PathBuf], moments: &mut Moments) -> String {
        let file = &files[below(moments, files.len())];
        let mut bytes = fs::read(file).expect("a tile");
        let name = file.strip_prefix(&self.folder).unwrap_or(file).display();
        match fault {
            Fault::Bit => {
                let bit = below(moments, 8 * bytes.len());
                bytes[bit / 8] ^= 1 << (bit % 8);
            }
            Fault::Truncation => bytes.truncate(below(moments, bytes.len())),
            Fault::Extension => bytes.extend(std::iter::repeat_n(7, 1 + below(moments, 9000))),
            Fault::ZeroedPage => {
                let start = below(moments, bytes.len());
                let page = start..(start + 512).min(bytes.len());
                let was_zero = bytes[page.clone()].iter().all(|byte| *byte == 0);
                bytes[page].fill(if was_zero { 0xff } else { 0 });
            }
            Fault::Removal => {
                fs::remove_file(file).expect("a tile");
                return format!("{name} removed");
            }
            Fault::Swap => {
                let others: Vec<&PathBuf> = files.iter().filter(|other| *other != file).collect();
                let near = others.iter().filter(|other| other.parent() == file.parent());
                // Half of the swaps are between tiles of one stage, which have the same size.
                let near: Vec<&PathBuf> = near.copied().filter(|_| moments.next_below(2) == 0).collect();
                let chosen = if near.is_empty() { &others } else { &near };
                let other = chosen[below(moments, chosen.len())];
                let theirs = fs::read(other).expect("a tile");
                fs::write(other, &bytes).expect("a tile");
                fs::write(file, theirs).expect("a tile");
                return format!("{name} swapped with {}", other.display());
            }
            Fault::OtherScene | Fault::OtherPlan => {
                let from = if fault == Fault::OtherScene { &self.other_scene } else { &self.other_plan };
                let same = from.store.folder().join(file.strip_prefix(self.folder.join("damaged")).expect("a tile"));
                // Another plan may have no tile of this name; another of its tiles then takes the place.
                let all = || from.files_written(below(&mut Moments::new(bytes.len() as u64), 3), 0).expect("a task");
                bytes = fs::read(&same).unwrap_or_else(|_| fs::read(&all()[0]).expect("a tile"));
            }
            _ => bytes[7] = b'2',
        }
        fs::write(file, bytes).expect("a tile");
        format!("{fault:?} in {name}")
    }

    /// Damages the plan or the scene; returns what was done.
    fn damage_plan(&self, fault: Fault, folder: &Path, moments: &mut Moments) -> String {
        let path = folder.join(if fault == Fault::EditedScene { SCENE_FILE } else { PLAN_FILE });
        let text = fs::read_to_string(&path).expect("a text");
        let edited = match fault {
            Fault::OtherVersion => match moments.next_below(2) {
                0 => text.replacen("version: 2", "version: 1", 1),
                _ => text.replacen("talweg: \"", "talweg: \"9.", 1),
            },
            Fault::SealedPlan => return self.seal_edited_plan(folder, moments),
            Fault::EditedPlan if moments.next_below(3) > 0 => edited_number(&text, moments),
            _ => {
                let mut bytes = text.clone().into_bytes();
                let bit = below(moments, 8 * bytes.len());
                bytes[bit / 8] ^= 1 << (bit % 8);
                fs::write(&path, &bytes).expect("a text");
                return format!("bit {bit} of {}", path.display());
            }
        };
        fs::write(&path, &edited).expect("a text");
        let line = text.lines().zip(edited.lines()).find(|(before, after)| before != after);
        format!("{fault:?}: {line:?}")
    }

    /// Writes an edited plan as the program would: with hashes that fit.
    fn seal_edited_plan(&self, folder: &Path, moments: &mut Moments) -> String {
        let mut plan = self.sound.plan.clone();
        let number = ABSURD[below(moments, ABSURD.len())];
        let stage = below(moments, plan.stages.len());
        let what = below(moments, 7);
        match what {
            0 => plan.samples = number,
            1 => plan.tile = number,
            2 => plan.stages[stage].halo = number,
            3 => plan.stages[stage].samples = number,
            4 => plan.stages[stage].tasks = number,
            5 => plan.result = StageProduct::Ground(number),
            _ => plan.stages.truncate(stage),
        }
        let sealed = self.folder.join("sealed");
        let _ = fs::remove_dir_all(&sealed);
        write_plan(&sealed, &plan, &self.sound.scene).expect("a plan");
        fs::copy(sealed.join(PLAN_FILE), folder.join(PLAN_FILE)).expect("a copy");
        format!("sealed edit {what} of stage {stage}: {number}")
    }

    /// The control: a tile with other heights and fitting hashes, which no reader can tell from a sound one.
    fn forge(&self, moments: &mut Moments) -> Vec<(Finding, String)> {
        let is_first = |stage: &&PlanStage| stage.tasks > 1 && stage.reads().is_empty();
        let Some(stage) = self.sound.plan.stages.iter().position(|stage| is_first(&stage)) else {
            return vec![(Finding::Crashed, "no stage is computed without input tiles".into())];
        };
        let first = self.tasks.iter().filter(|(number, _)| *number <= stage).count();
        let (folder, _) = self.begun(first);
        let (product, tiles) = (StageProduct::Ground(stage), self.sound.plan.tiles(stage));
        let place = [below(moments, tiles), below(moments, tiles)];
        let forged = TileBuild::open(&folder).and_then(|build| {
            let heights = build.store.heights(&build.plan, product, &build.plan.region(stage, place))?;
            let raised: Vec<f32> = heights.iter().map(|height| height + 0.01).collect();
            build.store.write_field(&build.plan, product, place, &raised)
        });
        if let Err(error) = forged {
            return vec![(Finding::Crashed, error.to_string())];
        }
        match end_of(&folder, &self.tasks[first..]) {
            End::World(hash) if hash != self.whole => vec![(Finding::Torn, format!("tile {place:?} was forged"))],
            _ => Vec::new(),
        }
    }
}

/// Numbers that no plan has.
const ABSURD: [usize; 8] = [0, 1, 2, 7, 4096, 1 << 31, 1 << 62, usize::MAX];

/// The text with one of its numbers replaced.
fn edited_number(text: &str, moments: &mut Moments) -> String {
    let body = text.find("plan:").unwrap_or(0);
    let starts: Vec<usize> = text
        .char_indices()
        .filter(|(at, c)| *at > body && c.is_ascii_digit() && text[..*at].ends_with([' ', '(']))
        .map(|(at, _)| at)
        .collect();
    let start = starts[below(moments, starts.len())];
    let end = start + text[start..].find(|c: char| !c.is_ascii_digit()).unwrap_or(0);
    let number = ABSURD[below(moments, ABSURD.len())].to_string();
    let number = if number == text[start..end] { "3".into() } else { number };
    format!("{}{number}{}", &text[..start], &text[end..])
}

/// Whether the check of the build names a tile that is bad or missing.
fn lists_bad_tile(folder: &Path) -> bool {
    let checked = TileBuild::open(folder).and_then(|build| build.check_tiles(&Control::default()));
    checked.is_ok_and(|tiles| tiles.iter().any(|tile| tile.state != TileState::Complete))
}

/// Whether a refusal says where the fault is and what to do.
fn says_what_to_do(sentence: &str) -> bool {
    let names_file = [".tile", ".words", PLAN_FILE, SCENE_FILE].iter().any(|name| sentence.contains(name));
    let mends = ["run stage", "new plan", "not a valid", "cannot read", "scene", "line "];
    names_file && mends.iter().any(|mend| sentence.contains(mend))
}
