//! Runs a stack: from the ground up, each layer's result kept under a key made of everything it depends on.
//!
//! Evaluation is a pure function of (scene, resolution, playhead). [`Store`] only makes it faster: it never changes
//! a bit of the result. The editor reaches this through [`Worker`], the command line directly.

mod cache;
mod mix;
mod timeline;
mod worker;

use std::sync::Arc;

use rayon::ThreadPool;

pub use cache::{Cache, Key};
pub use timeline::Timeline;
pub use worker::{Output, Play, Quality, Report, Request, Status, Worker};

use crate::field::{Stream, Terrain};
use crate::nodes::{Cancelled, Context, Control, Ledger, Process, Work};
use crate::param::Params;
use crate::scene::{Layer, Scene};

/// Largest side of a preview.
pub const PREVIEW_SAMPLES: usize = 257;

/// Looks at a process part of the way: the layer stops after `iteration` iterations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Playhead {
    /// Index of the layer in the scene.
    pub layer: usize,
    /// Iterations at the scene's resolution; at or past the end means the end.
    pub iteration: u32,
}

/// What evaluation remembers between calls.
#[derive(Default)]
pub struct Store {
    pub cache: Cache,
    pub timeline: Timeline,
}

impl Store {
    /// Remembers nothing: for a single evaluation.
    pub fn forgetful() -> Self {
        Self { cache: Cache::new(0), timeline: Timeline::new(0) }
    }
}

/// A finished terrain, with the account of the process under the playhead.
#[derive(Clone, Debug)]
pub struct Evaluated {
    pub terrain: Arc<Terrain>,
    /// The account of the layer under the playhead, if it is a process and was run just now.
    pub ledger: Option<Ledger>,
}

/// The threads an evaluation runs on; `threads` 0 means one for each processor.
pub fn thread_pool(threads: usize) -> Result<ThreadPool, rayon::ThreadPoolBuildError> {
    rayon::ThreadPoolBuilder::new().num_threads(threads).thread_name(|k| format!("talweg-eval-{k}")).build()
}

/// A layer that takes part, with the keys of what it makes.
struct Step<'a> {
    index: usize,
    layer: &'a Layer,
    /// Key of what the node makes, whatever the number of iterations.
    node: Key,
    /// Key of the layer's result.
    result: Key,
    /// Iterations of a process.
    iterations: Option<u32>,
    /// At or above a playhead that is not at its end: states on the way, which the cache does not keep.
    passing: bool,
    /// Above such a playhead: not even key frames are worth their memory.
    above: bool,
}

fn context<'a>(scene: &Scene, samples: usize, layer: &Layer, control: &'a Control) -> Context<'a> {
    let settings = &scene.settings;
    Context {
        grid: scene.grid(samples),
        size_metres: settings.size_metres,
        relief_metres: settings.relief_metres,
        sea_level: settings.sea_level / settings.relief_metres,
        scene_samples: scene.samples(),
        random: Stream::new(settings.seed, layer.seed),
        control,
    }
}

/// The layers that take part, from the ground up.
fn plan(scene: &Scene, samples: usize, playhead: Option<Playhead>) -> Vec<Step<'_>> {
    let settings = &scene.settings;
    let mut key = Key::start(&[
        &(scene.grid(samples).samples as u64).to_le_bytes(),
        &settings.resolution.to_le_bytes(),
        &[settings.edges as u8],
        &settings.size_metres.to_le_bytes(),
        &settings.relief_metres.to_le_bytes(),
        &settings.seed.to_le_bytes(),
    ]);
    let control = Control::default();
    let mut passing = false;
    let mut steps = Vec::new();
    for (index, layer) in scene.layers.iter().enumerate() {
        if !layer.enabled || layer.mix.opacity == 0.0 {
            continue;
        }
        let above = passing;
        let iterations = layer.node.as_process().map(|process| {
            let cx = context(scene, samples, layer, &control);
            let end = cx.iterations(process.iterations(), process.pace());
            match playhead.filter(|p| p.layer == index) {
                Some(p) if p.iteration < process.iterations() => {
                    passing = true;
                    cx.iterations(p.iteration, process.pace()).min(end)
                }
                _ => end,
            }
        });
        let mut node = node_key(key, layer);
        if layer.node.reads_sea_level() {
            node = node.with(&settings.sea_level.to_le_bytes());
        }
        key = layer_key(node, layer, iterations);
        steps.push(Step { index, layer, node, result: key, iterations, passing, above });
    }
    steps
}

/// Whether [`evaluate`] would find its result in the cache.
pub fn is_cached(scene: &Scene, samples: usize, playhead: Option<Playhead>, store: &mut Store) -> bool {
    plan(scene, samples, playhead).last().is_some_and(|step| store.cache.get(step.result).is_some())
}

/// Evaluates `scene` with `samples` per side; call it inside the pool that shall do the work.
///
/// # Errors
/// [`Cancelled`] when `control` says so; the store keeps what was finished.
pub fn evaluate(
    scene: &Scene,
    samples: usize,
    playhead: Option<Playhead>,
    store: &mut Store,
    control: &Control,
) -> Result<Evaluated, Cancelled> {
    let mut ledger = None;
    let steps = plan(scene, samples, playhead);
    // the highest result that is known makes everything below it needless
    let known = steps.iter().enumerate().rev().find_map(|(k, step)| Some((k + 1, store.cache.get(step.result)?)));
    let (first, mut below) = known.unwrap_or_else(|| (0, Arc::new(Terrain::flat(scene.grid(samples)))));
    for step in &steps[first..] {
        control.check()?;
        control.enter_layer(step.index);
        let cx = context(scene, samples, step.layer, control);
        let mut nothing = Timeline::new(0);
        let timeline = if step.above { &mut nothing } else { &mut store.timeline };
        let (result, account) = run_layer(step.layer, &cx, &below, step.node, step.iterations, timeline)?;
        if playhead.is_some_and(|p| p.layer == step.index) {
            ledger = account;
        }
        below = Arc::new(result);
        if !step.passing {
            store.cache.insert(step.result, &below);
        }
    }
    control.check()?;
    Ok(Evaluated { terrain: below, ledger })
}

/// Key of what the node makes of what is below, whatever the number of iterations.
fn node_key(below: Key, layer: &Layer) -> Key {
    let about = layer.node.about();
    let mut key =
        below.with(about.name.as_bytes()).with(&layer.node.version().to_le_bytes()).with(&layer.seed.to_le_bytes());
    for (k, spec) in about.params.iter().enumerate() {
        if spec.name != "iterations" || layer.node.as_process().is_none() {
            key = key.with(spec.show(&layer.node.params().get(k)).as_bytes());
        }
    }
    key
}

fn layer_key(node: Key, layer: &Layer, iterations: Option<u32>) -> Key {
    let mut key = node;
    if let Some(count) = iterations {
        key = key.with(&count.to_le_bytes());
    }
    for group in [&layer.mix as &dyn Params, &layer.mask] {
        for (k, spec) in group.about().params.iter().enumerate() {
            key = key.with(spec.show(&group.get(k)).as_bytes());
        }
    }
    key
}

fn run_layer(
    layer: &Layer,
    cx: &Context,
    below: &Arc<Terrain>,
    node_key: Key,
    iterations: Option<u32>,
    timeline: &mut Timeline,
) -> Result<(Terrain, Option<Ledger>), Cancelled> {
    let mut result;
    let mut ledger = None;
    match layer.node.work() {
        Work::Generator(generator) => {
            result = Terrain::clone(below);
            generator.fill(cx, &mut result.height)?;
            mix::blend(cx, layer.mix.blend, layer.mix.smoothness, &below.height, &mut result.height)?;
        }
        Work::Filter(filter) => {
            result = Terrain::clone(below);
            filter.apply(cx, &mut result)?;
        }
        Work::Process(process) => {
            let (terrain, account) = run_process(process, cx, below, node_key, iterations.unwrap_or(0), timeline)?;
            result = terrain;
            ledger = Some(account);
        }
    }
    mix::weigh(cx, layer, below, &mut result)?;
    Ok((result, ledger))
}

fn run_process(
    process: &dyn Process,
    cx: &Context,
    below: &Arc<Terrain>,
    key: Key,
    target: u32,
    timeline: &mut Timeline,
) -> Result<(Terrain, Ledger), Cancelled> {
    let (mut iteration, mut run) =
        timeline.resume(key, target).unwrap_or_else(|| (0, process.start(cx, Terrain::clone(below))));
    let begun = iteration;
    while iteration < target {
        cx.control.advance((iteration - begun) as f32 / (target - begun) as f32);
        let stepped = cx.control.check().and_then(|()| run.step(cx));
        if let Err(cancelled) = stepped {
            timeline.park(key, iteration, run);
            return Err(cancelled);
        }
        iteration += 1;
        timeline.offer(key, iteration, run.as_ref());
    }
    let (terrain, ledger) = (run.terrain().clone(), run.ledger());
    timeline.park(key, iteration, run);
    Ok((terrain, ledger))
}

#[cfg(test)]
mod tests;
