//! Common parts of all commands that evaluate a scene: the scene, changes to the scene, threads, progress.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::{Failure, print_message, usage};
use talweg::eval::{Evaluated, MemoryUse, NotEnoughMemory, Store, ThreadPool, check_memory, evaluate, thread_pool};
use talweg::export::origin::load_scene;
use talweg::field::{Control, MAX_SAMPLES, MIN_SAMPLES, Terrain};
use talweg::io::memory::{limit_memory, parse_bytes};
use talweg::io::printable_line;
use talweg::nodes::Pace;
use talweg::nodes::multiscale::LargestScale;
use talweg::scene::{Layer, Scene, Severity, Warning};
use talweg::tiles::MOST_SAMPLES;

/// The scene and how to evaluate it.
#[derive(Args)]
pub struct SceneArgs {
    /// Scene file, exported file that contains a scene (.png, .tif, .exr), or name of a shipped example
    scene: PathBuf,
    /// Samples per side, instead of the scene's own number
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(MIN_SAMPLES as i64..=MOST_SAMPLES as i64))]
    size: Option<u32>,
    /// Seed, instead of the scene's own seed
    #[arg(long, value_name = "S")]
    seed: Option<u32>,
    /// Change a value, such as Peaks.octaves=6, 2.opacity=0.5 or scene.sea_level=100; may be repeated
    #[arg(long, value_name = "LAYER.PARAM=VALUE")]
    set: Vec<String>,
    /// Number of threads; 0 means one for each processor
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = threads)]
    threads: usize,
    /// Memory limit.
    #[command(flatten)]
    pub memory: MemoryArgs,
    /// Print no warnings and no progress
    #[arg(long, short)]
    pub quiet: bool,
}

/// Memory limit of a command.
#[derive(Args, Clone, Copy)]
pub struct MemoryArgs {
    /// Maximum memory, such as 4GiB, instead of all free memory
    #[arg(long, value_name = "LIMIT", value_parser = parse_bytes)]
    memory: Option<u64>,
}

impl MemoryArgs {
    /// The memory limit in bytes, if the user set one.
    pub fn bytes(self) -> Option<u64> {
        self.memory
    }

    /// Applies the memory limit to the whole program, if the user set one.
    pub fn apply(self) {
        if let Some(bytes) = self.memory {
            limit_memory(bytes);
        }
    }
}

/// The error for work that does not fit into memory, with advice. `size` is the option that reduces the work.
pub fn memory_error(reason: &NotEnoughMemory, size: &str) -> Failure {
    let smaller = reason.fits.map_or("Free some memory".into(), |fits| format!("Give {size} {fits}"));
    Failure::Failed(anyhow::anyhow!("{reason}. {smaller}, or raise the limit with --memory if more is free"))
}

/// Maximum number of threads: starting more threads takes longer than any processor saves by them.
const MAX_THREADS: usize = 256;

fn threads(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|&n| n <= MAX_THREADS).ok_or(format!("give a whole number from 0 to {MAX_THREADS}"))
}

impl SceneArgs {
    /// Path or name of the scene, as typed.
    pub fn path(&self) -> &Path {
        &self.scene
    }

    /// Samples per side, if `--size` is set.
    pub fn size(&self) -> Option<usize> {
        self.size.map(|n| n as usize)
    }

    /// Number of threads; 0 means one for each processor.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Arguments for `scene`, with `size` samples per side if given.
    pub fn plain(scene: &Path, size: Option<u32>, threads: usize, memory: MemoryArgs) -> Self {
        Self { scene: scene.to_path_buf(), size, seed: None, set: Vec::new(), threads, memory, quiet: false }
    }

    /// Arguments for another scene, with the same size, threads and memory, but without the changed values.
    pub fn other(&self, scene: &Path) -> Self {
        Self { quiet: self.quiet, ..Self::plain(scene, self.size, self.threads, self.memory) }
    }

    /// Arguments for another scene, with the same changed values.
    pub fn with_changes_for(&self, scene: &Path) -> Self {
        Self { seed: self.seed, set: self.set.clone(), ..self.other(scene) }
    }

    /// The job for a scene that is not in a file, at `samples` per side.
    pub fn job_of(&self, scene: Scene, samples: usize) -> Result<SceneJob, Failure> {
        self.memory.apply();
        Ok(SceneJob { scene, samples, pool: thread_pool(self.threads)?, quiet: self.quiet })
    }

    /// Loads the scene, applies `--seed` and `--set`, and prints warnings.
    pub fn load(&self) -> Result<SceneJob, Failure> {
        if self.size.is_some_and(|size| size as usize > MAX_SAMPLES) {
            return Err(usage(anyhow::anyhow!(
                "--size: give {MIN_SAMPLES} to {MAX_SAMPLES} samples; larger terrains are built in tiles: with \
                 `talweg export` in one go, or with `talweg plan` on many machines"
            )));
        }
        self.load_for_tiles()
    }

    /// Like [`load`](Self::load), for commands that build in tiles and therefore allow larger sizes.
    pub fn load_for_tiles(&self) -> Result<SceneJob, Failure> {
        self.memory.apply();
        let (mut scene, warnings) = load_scene(&self.scene)?;
        if !self.quiet {
            for Warning(text) in warnings {
                print_message(&format!("warning: {}: {text}", self.scene.display()));
            }
        }
        if let Some(seed) = self.seed {
            scene.settings.seed = seed;
        }
        for change in &self.set {
            scene.set(change).map_err(|e| usage(anyhow::anyhow!("--set: {e}")))?;
        }
        if !self.quiet {
            // Values that the file itself sets without effect are the business of `talweg check`.
            let is_set = |parameter: &str| {
                let names = self.set.iter().filter_map(|change| change.split_once('=')?.0.trim().rsplit_once('.'));
                names.map(|(_, name)| name).any(|name| name == parameter)
            };
            for value in scene.disabled_values().into_iter().filter(|value| is_set(value.parameter)) {
                print_message(&format!("warning: layer `{}`: {}", scene.layers[value.layer].name, value.reason));
            }
        }
        for problem in scene.problems() {
            let text = format!("layer `{}`: {}", scene.layers[problem.layer].name, problem.message);
            match problem.severity {
                Severity::Broken => return Err(Failure::Failed(anyhow::anyhow!(text))),
                Severity::Idle if !self.quiet => print_message(&format!("warning: {text}")),
                Severity::Idle => {}
            }
        }
        let samples = self.size.map_or(scene.samples(), |n| n as usize);
        if !self.quiet
            && samples > scene.samples()
            && scene.layers.iter().any(|layer| layer.enabled && grows_with_the_grid(layer))
        {
            let ratio = (samples - 1) as f64 / (scene.samples() - 1) as f64;
            print_message(&format!(
                "note: an erosion on one grid needs up to {:.0} times as many iterations to reach as far as at {} \
                 samples, which may take long. Set its largest scale to avoid that",
                ratio * ratio,
                scene.samples()
            ));
        }
        Ok(SceneJob { scene, samples, pool: thread_pool(self.threads)?, quiet: self.quiet })
    }
}

/// Whether the process of a layer needs more iterations on a finer grid.
fn grows_with_the_grid(layer: &Layer) -> bool {
    layer
        .node
        .as_process()
        .is_some_and(|process| process.multiscale().largest == LargestScale::OneGrid && process.pace() != Pace::Time)
}

/// A loaded scene, with the thread pool that evaluates it.
pub struct SceneJob {
    /// The scene to evaluate.
    pub scene: Scene,
    /// Samples per side.
    pub samples: usize,
    /// The thread pool in which the scene is evaluated.
    pub pool: ThreadPool,
    /// Whether only results and errors are printed.
    pub quiet: bool,
}

impl SceneJob {
    /// Evaluates the scene on the job's threads, with a progress bar if the output is a terminal. Refuses the work if
    /// the evaluation and the later use `what` of the terrain do not fit into memory together.
    pub fn evaluate(&self, what: &MemoryUse) -> Result<Arc<Terrain>, Failure> {
        self.check_memory(self.samples, what)?;
        self.evaluate_in(&self.pool, what)
    }

    /// Refuses work that does not fit into memory, before it starts.
    pub fn check_memory(&self, samples: usize, what: &MemoryUse) -> Result<(), Failure> {
        check_memory(&self.scene, samples, what).map_err(|reason| memory_error(&reason, "--size"))
    }

    /// Evaluates the scene like [`Self::evaluate`], and returns the mass balances of its processes as well.
    pub fn evaluate_with_balances(&self, what: &MemoryUse) -> Result<Evaluated, Failure> {
        self.check_memory(self.samples, what)?;
        self.evaluated(&self.pool, what)
    }

    /// Evaluates the scene in another thread pool. The cache leaves room for the later use `what` of the terrain.
    pub fn evaluate_in(&self, pool: &ThreadPool, what: &MemoryUse) -> Result<Arc<Terrain>, Failure> {
        Ok(self.evaluated(pool, what)?.terrain)
    }

    fn evaluated(&self, pool: &ThreadPool, what: &MemoryUse) -> Result<Evaluated, Failure> {
        self.with_progress(|control, _| {
            pool.install(|| evaluate(&self.scene, self.samples, None, &mut Store::for_use(what), control))
        })
    }

    /// Runs `work`, with a progress bar if the output is a terminal. The work reports its finished fraction to the
    /// function that it receives, or its progress through the control.
    pub fn with_progress<T, E: Into<Failure>>(
        &self,
        work: impl FnOnce(&Control, &(dyn Fn(f32) + Sync)) -> Result<T, E>,
    ) -> Result<T, Failure> {
        let control = Control::default();
        let bar = ProgressBar::with_draw_target(Some(STEPS), ProgressDrawTarget::stderr());
        if self.quiet || bar.is_hidden() {
            return work(&control, &|_| ()).map_err(Into::into);
        }
        bar.set_style(ProgressStyle::with_template("{bar:32} {percent:>3} %  {msg}")?);
        let told = AtomicU32::new(f32::NAN.to_bits());
        let (done, waiting) = channel::<()>();
        let made = std::thread::scope(|scope| {
            let (control, bar, told) = (&control, &bar, &told);
            scope.spawn(move || {
                // The sender is dropped when the work ends.
                while let Err(RecvTimeoutError::Timeout) = waiting.recv_timeout(Duration::from_millis(80)) {
                    self.show(control, f32::from_bits(told.load(Ordering::Relaxed)), bar);
                }
            });
            let made = work(control, &|share: f32| told.store(share.to_bits(), Ordering::Relaxed));
            drop(done);
            made
        });
        bar.finish_and_clear();
        made.map_err(Into::into)
    }

    fn show(&self, control: &Control, told: f32, bar: &ProgressBar) {
        let (layer, fraction) = control.progress();
        let evaluated = (layer as f32 + fraction) / self.scene.layers.len().max(1) as f32;
        let share = if told.is_nan() { evaluated } else { told };
        bar.set_position((share * STEPS as f32) as u64);
        if let Some(layer) = self.scene.layers.get(layer) {
            bar.set_message(printable_line(&layer.name));
        }
    }
}

const STEPS: u64 = 1000;
