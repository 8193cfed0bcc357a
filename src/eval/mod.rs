//! Evaluates a stack of layers, from the lowest layer up. Each result is cached under a key of everything that the
//! result depends on.
//!
//! Evaluation is a pure function of the scene, the resolution and the playhead. A [`Store`] only makes evaluation
//! faster and never changes a bit of the result. The editor evaluates through a [`Worker`], the command line directly.

mod base;
mod cache;
mod construction;
mod curves;
mod finished;
mod history;
mod layer_clock;
mod level;
mod live;
mod mask;
mod memory;
mod mix;
mod multiscale;
pub mod parity;
mod plan;
mod run;
mod store;
mod strokes;
pub mod tile_water;
mod timeline;
pub mod window;
mod worker;

use std::sync::Arc;

pub use base::BaseTerrain;
pub use cache::{Cache, ContentKey};
pub use construction::{ChangedRegion, Constructions};
pub use curves::{ProcessCurve, ProcessPoint, process_curves};
pub use history::{Moment, PositionProbe, ProcessHistory, history, measure_key_frame_slopes, probe};
pub use layer_clock::timed_layers;
use level::{LevelResult, LevelTask};
pub use live::StrokeTarget;
pub use mask::{LayerMask, layer_mask};
use mask::{readable_source, scene_beneath, scene_up_to};
pub use memory::{MemoryUse, NotEnoughMemory, available_memory, check_free, check_memory, estimate, needed_memory};
use plan::{LayerStep, node_values_key, plan};
pub use store::Store;
pub use strokes::{StrokedFields, changed_samples};
pub use timeline::Timeline;
pub use worker::{Insight, Output, Play, Request, RequestQuality, Status, Worker, WorkerReport};

use crate::field::{Cancelled, Control, MapKind, Stream, Terrain};
use crate::nodes::{Context, GeneratorStep, LayerReference, MassBalance, Reads};
use crate::scene::{Layer, Problem, Scene};

/// Maximum samples per side of a preview.
pub const PREVIEW_SAMPLES: usize = 257;

/// Stops a process after some of its iterations, or a generator after some of its steps, to show the terrain at that
/// point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Playhead {
    /// Index of the layer in the scene.
    pub layer: usize,
    /// Iterations or steps to show, counted at the scene's resolution. A value at or beyond the last one means the end
    /// of the process or generator.
    pub iteration: u32,
}

/// A finished terrain, with the mass balance of the process under the playhead.
#[derive(Clone, Debug)]
pub struct Evaluated {
    /// Files and layers that could not be used.
    pub problems: Vec<Problem>,
    /// Heights and data maps, with the requested number of samples per side.
    pub terrain: Arc<Terrain>,
    /// The mass balance of the layer under the playhead. `None` if that layer is not a process, did not run in this
    /// evaluation, or if mass balances are not requested.
    pub mass_balance: Option<MassBalance>,
    /// The mass balances of all processes that ran in this evaluation, by layer index.
    pub mass_balances: Vec<(usize, MassBalance)>,
    /// The difference from an earlier terrain, if only a part of the terrain was computed.
    pub patch: Option<ChangedRegion>,
}

/// The threads of an evaluation. On a system without threads, such as WASI, the work runs on the caller's thread.
#[derive(Debug)]
pub struct ThreadPool(Option<rayon::ThreadPool>);

impl ThreadPool {
    /// Runs work in this pool, and waits for it.
    pub fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match &self.0 {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }

    /// Number of threads.
    pub fn current_num_threads(&self) -> usize {
        self.0.as_ref().map_or(1, rayon::ThreadPool::current_num_threads)
    }
}

/// Creates the thread pool of an evaluation. `threads` 0 means one thread for each processor.
///
/// # Errors
/// If the system refuses a thread.
pub fn thread_pool(threads: usize) -> Result<ThreadPool, rayon::ThreadPoolBuildError> {
    if cfg!(target_family = "wasm") {
        return Ok(ThreadPool(None));
    }
    let builder = rayon::ThreadPoolBuilder::new().num_threads(threads);
    builder.thread_name(|k| format!("talweg-eval-{k}")).build().map(Some).map(ThreadPool)
}

fn context<'a>(scene: &'a Scene, samples: usize, layer: &Layer, control: &'a Control) -> Context<'a> {
    let settings = &scene.settings;
    Context {
        grid: scene.grid(samples),
        size_metres: scene.side_metres(),
        relief_metres: settings.relief_metres,
        sea_level: settings.sea_level / settings.relief_metres,
        planet: scene.as_planet(),
        scene_samples: scene.samples(),
        cell_ratio: layer.multiscale().scale(samples),
        voids: settings.voids,
        random: Stream::new(settings.seed, layer.seed),
        control,
    }
}

/// Describes the generator step under `playhead` at the scene's own resolution. `None` if the layer is not a generator
/// that can be played.
pub fn generator_step(scene: &Scene, playhead: Playhead) -> Option<GeneratorStep> {
    let layer = scene.layers.get(playhead.layer)?;
    let stepped = layer.node.as_stepped()?;
    let end = layer.generator_steps(scene.samples(), scene.side_metres())?;
    let control = Control::default();
    Some(stepped.describe_step(&context(scene, scene.samples(), layer, &control), playhead.iteration.min(end)))
}

/// The content key of a scene at `samples` per side, including the contents of the files that the scene names. This
/// function reads those files. Equal keys mean equal heights and data maps.
pub fn terrain_key(scene: &Scene, samples: usize) -> ContentKey {
    plan(scene, samples, None).last().map_or_else(|| ContentKey::start(&[b"level"]), |step| step.result)
}

/// Whether [`evaluate`] would find its result in the store.
pub fn is_cached(scene: &Scene, samples: usize, playhead: Option<Playhead>, store: &mut Store) -> bool {
    plan(scene, samples, playhead).last().is_some_and(|step| store.result(step.result).is_some())
}

/// Evaluates `scene` with `samples` per side. The evaluation uses the thread pool in which the caller runs this
/// function.
///
/// # Errors
/// [`Cancelled`] if `control` requests it; the store keeps finished results.
pub fn evaluate(
    scene: &Scene,
    samples: usize,
    playhead: Option<Playhead>,
    store: &mut Store,
    control: &Control,
) -> Result<Evaluated, Cancelled> {
    evaluate_on(None, scene, samples, playhead, store, control)
}

/// Like [`evaluate`], on the caller's base terrain in place of level ground at height 0.
///
/// # Errors
/// As [`evaluate`].
pub fn evaluate_on(
    base: Option<&BaseTerrain>,
    scene: &Scene,
    samples: usize,
    playhead: Option<Playhead>,
    store: &mut Store,
    control: &Control,
) -> Result<Evaluated, Cancelled> {
    let is_sole = base.is_none() && construction::sole_construction(scene).is_some();
    (store.constructions.newest, store.constructions.has_run) = (None, false);
    store.unread = if store.heights_only { unread_records(scene) } else { Vec::new() };
    let made = LevelTask { base, playhead, ..LevelTask::whole(scene, samples, control) }.evaluate(store);
    control.finish_layers();
    let LevelResult { terrain, mass_balances, .. } = made?;
    let of_playhead = |p: Playhead| mass_balances.iter().find(|(index, _)| *index == p.layer).map(|(_, of)| *of);
    let mass_balance = playhead.and_then(of_playhead);
    let patch = store.constructions.newest.take().filter(|_| is_sole);
    if is_sole && store.constructions.has_run {
        // The cached result and the returned terrain must share one allocation, so that the view recognises the terrain
        // later.
        store.constructions.reuse_allocation(&terrain);
    }
    Ok(Evaluated { terrain, mass_balance, mass_balances, patch, problems: scene.problems() })
}

/// Maps that erosion processes record and that no layer of `scene`, or of the other scenes that it reads, reads.
fn unread_records(scene: &Scene) -> Vec<MapKind> {
    let others = scene.scenes_read();
    let layers = || others.iter().map(|(_, other)| &**other).chain([scene]).flat_map(|scene| &scene.layers);
    let is_read = |&kind: &MapKind| {
        layers().any(|layer| {
            let reads = |from: LayerReference| from.reads == Reads::Data && from.data == kind;
            let by_layer = layer.mask.by_layer && reads(layer.mask.reference());
            let by_flow = kind == MapKind::Flow && layer.mask.reads_flow();
            by_flow
                || layer.mask.by_data && layer.mask.data == kind
                || by_layer
                || layer.node.reference().is_some_and(reads)
        })
    };
    // Only processes that carry sediment on read the sediment of the process before them.
    let carries_on = |layer: &Layer| layer.node.traits().finer_grids.carries_sediment_on;
    let sediment = Some(MapKind::Sediment).filter(|_| !layers().any(carries_on));
    MapKind::EROSION_RECORDS.into_iter().chain(sediment).filter(|kind| !is_read(kind)).collect()
}

#[cfg(test)]
mod tests;
