//! Evaluates a stack of layers, from the lowest. Each result is cached under a key of everything it depends on.
//!
//! Evaluation is a pure function of (scene, resolution, playhead). [`Store`] only makes it faster and never changes a
//! bit of the result. The editor evaluates through [`Worker`], the command line directly.

mod base;
mod cache;
mod construction;
mod history;
mod layer_clock;
mod live;
mod mask;
mod memory;
mod mix;
mod multiscale;
pub mod parity;
mod plan;
mod strokes;
pub mod tile_water;
mod timeline;
pub mod window;
mod worker;

use std::collections::HashMap;
use std::sync::Arc;

use rayon::ThreadPool;

pub use base::BaseTerrain;
pub use cache::{Cache, ContentKey};
pub use construction::{ChangedRegion, Constructions};
pub use history::{Moment, PlaceProbe, ProcessHistory, history, measure_course, probe};
pub use layer_clock::timed_layers;
pub use live::StrokeTarget;
pub use mask::{LayerMask, layer_mask};
use mask::{SmoothedMask, mask_scene, scene_beneath, scene_up_to};
pub use memory::{MemoryUse, NotEnoughMemory, check_free, check_memory, estimate, memory_at_hand, needed_memory};
use multiscale::LevelChange;
use plan::{GroupBase, LayerStep, ProcessStage, node_values_key, plan, plan_with};
pub use strokes::{StrokedFields, changed_samples};
pub use timeline::Timeline;
pub use worker::{Insight, Output, Play, Request, RequestQuality, Status, Worker, WorkerReport};

use crate::field::{Cancelled, Control, Edges, Grid, MapKind, Stream, Terrain};
use crate::nodes::channels::trunk_streams::TrunkStreams;
use crate::nodes::filters::group::GroupGround;
use crate::nodes::multiscale::{StreamBeds, coarser_samples};
use crate::nodes::{Context, MassBalance, Node, Run, Work};
use crate::scene::{Layer, Problem, Reads, Scene};

/// Maximum samples per side of a preview.
pub const PREVIEW_SAMPLES: usize = 257;

/// Shows a process part of the way: the layer stops after `iteration` iterations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Playhead {
    /// Index of the layer in the scene.
    pub layer: usize,
    /// Iterations at the scene's resolution; at or beyond the last iteration it means the end.
    pub iteration: u32,
}

/// Data that evaluation remembers between calls.
#[derive(Default)]
pub struct Store {
    /// Results of layers.
    pub cache: Cache,
    /// States of processes.
    pub timeline: Timeline,
    /// Compiled construction trees and their results.
    pub constructions: Constructions,
    /// Results of brush strokes.
    pub strokes: StrokedFields,
    /// The current results are temporary and are not cached.
    pub transient: bool,
    /// Only heights are used: mass balances and maps that erosions [record](MapKind::RECORDS) are not made, unless
    /// masks read them.
    heights_alone: bool,
    /// Records that no mask reads in this evaluation.
    unread: Vec<MapKind>,
    /// Mass balances at the end of finished process stages, and of the changes on a grid.
    ended: HashMap<ContentKey, MassBalance>,
    /// Trunk streams that belong to changes on a grid.
    streams: HashMap<ContentKey, Arc<TrunkStreams>>,
}

/// The deepest cached result, from which evaluation resumes.
struct KnownResult {
    /// Number of steps that need not run.
    steps: usize,
    result: Arc<Terrain>,
    /// The terrains below the groups that are still open after this result.
    bases: Vec<Arc<Terrain>>,
}

impl Store {
    /// A store with this cache and timeline and without constructions.
    pub fn new(cache: Cache, timeline: Timeline) -> Self {
        Self { cache, timeline, ..Self::default() }
    }

    /// A store that remembers nothing, for a single evaluation.
    pub fn forgetful() -> Self {
        Self::new(Cache::new(0), Timeline::new(0))
    }

    /// A store that remembers nothing, for a single evaluation whose result is used for `what`.
    pub fn for_use(what: &MemoryUse) -> Self {
        Self { heights_alone: what.heights_alone, ..Self::forgetful() }
    }

    /// The highest cached result of `steps`; `made` returns the base terrains that are not results of layers.
    fn highest_known(
        &mut self,
        steps: &[LayerStep],
        made: &dyn Fn(GroupBase) -> Result<Arc<Terrain>, Cancelled>,
    ) -> Result<Option<KnownResult>, Cancelled> {
        for (k, step) in steps.iter().enumerate().rev() {
            let Some(result) = self.cache.get(step.result) else { continue };
            let bases = step.open.iter().map(|base| match base {
                GroupBase::Made(key) => Ok(self.cache.get(*key)),
                base => made(*base).map(Some),
            });
            if let Some(bases) = bases.collect::<Result<Option<Vec<_>>, _>>()? {
                return Ok(Some(KnownResult { steps: k + 1, result, bases }));
            }
        }
        Ok(None)
    }

    /// The change of a process on the grid of `step` and all coarser ones, if it is cached.
    fn change(&mut self, step: &LayerStep) -> Option<LevelChange> {
        let key = step.change_key()?;
        let mass_balance = *self.ended.get(&key)?;
        let streams = self.streams.get(&key).cloned();
        Some(LevelChange { change: self.cache.get(key)?, mass_balance, streams })
    }

    /// Caches the change of a process, so that it can continue on a finer grid.
    fn keep_change(&mut self, step: &LayerStep, made: &LevelChange) {
        if let Some(key) = step.change_key() {
            self.cache.insert(key, &made.change);
            self.ended.insert(key, made.mass_balance);
            if let Some(streams) = &made.streams {
                // Drop the streams whose changes are no longer in the cache.
                self.streams.retain(|key, _| self.cache.contains(*key));
                self.streams.insert(key, streams.clone());
            }
        }
    }
}

/// A finished terrain, with the mass balance of the process under the playhead.
#[derive(Clone, Debug)]
pub struct Evaluated {
    /// Files and layers that could not be used.
    pub problems: Vec<Problem>,
    /// Heights and data maps at the requested samples.
    pub terrain: Arc<Terrain>,
    /// The mass balance of the layer under the playhead, if it is a process that ran in this evaluation and the balance
    /// is requested.
    pub mass_balance: Option<MassBalance>,
    /// The mass balances of all processes that ran in this evaluation, by layer index.
    pub mass_balances: Vec<(usize, MassBalance)>,
    /// The difference from an earlier terrain, if only a part was computed.
    pub patch: Option<ChangedRegion>,
}

/// The thread pool of an evaluation; `threads` 0 means one thread for each processor.
pub fn thread_pool(threads: usize) -> Result<ThreadPool, rayon::ThreadPoolBuildError> {
    rayon::ThreadPoolBuilder::new().num_threads(threads).thread_name(|k| format!("talweg-eval-{k}")).build()
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
        level: layer.multiscale().scale(samples),
        random: Stream::new(settings.seed, layer.seed),
        control,
    }
}

/// The content key of a scene at `samples` per side, including the contents of the files that the scene names. Equal
/// keys mean equal heights and data maps. Reads the files.
pub fn terrain_key(scene: &Scene, samples: usize) -> ContentKey {
    plan(scene, samples, None).last().map_or_else(|| ContentKey::start(&[b"level"]), |step| step.result)
}

/// Whether [`evaluate`] would find its result in the cache.
pub fn is_cached(scene: &Scene, samples: usize, playhead: Option<Playhead>, store: &mut Store) -> bool {
    plan(scene, samples, playhead).last().is_some_and(|step| store.cache.get(step.result).is_some())
}

/// Evaluates `scene` with `samples` per side; call it inside the thread pool that should do the work.
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

/// [`evaluate`] on a base terrain of the caller, in place of level ground at height 0.
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
    let is_sole = base.is_none() && construction::sole(scene).is_some();
    (store.constructions.newest, store.constructions.has_run) = (None, false);
    store.unread = if store.heights_alone { unread_records(scene) } else { Vec::new() };
    let made = evaluate_level(scene, base, samples, playhead, None, store, control, &mut HashMap::new());
    control.leave_layers();
    let LevelResult { terrain, mass_balances, .. } = made?;
    let of_playhead = |p: Playhead| mass_balances.iter().find(|(index, _)| *index == p.layer).map(|(_, of)| *of);
    let mass_balance = playhead.and_then(of_playhead);
    let patch = store.constructions.newest.take().filter(|_| is_sole);
    if is_sole && store.constructions.has_run {
        // Both must be the same object, so that the view recognises it later.
        store.constructions.share(&terrain);
    }
    Ok(Evaluated { terrain, mass_balance, mass_balances, patch, problems: scene.problems() })
}

/// The result of an evaluation on one grid.
struct LevelResult {
    terrain: Arc<Terrain>,
    /// Mass balances of the processes that ran, by layer index.
    mass_balances: Vec<(usize, MassBalance)>,
    /// Changes of processes that run from coarse to fine, by layer index.
    changes: HashMap<usize, LevelChange>,
}

/// [`evaluate_on`] for one grid, after the coarser grids on which processes start. `sources` holds known results of
/// layers that masks read, by index. If `topmost` is set, only the changes up to that layer are wanted, for a finer
/// grid, and the terrain need not be made.
#[allow(clippy::too_many_arguments, reason = "recursive calls pass all arguments")]
fn evaluate_level(
    scene: &Scene,
    base: Option<&BaseTerrain>,
    samples: usize,
    playhead: Option<Playhead>,
    topmost: Option<usize>,
    store: &mut Store,
    control: &Control,
    sources: &mut HashMap<usize, Arc<Terrain>>,
) -> Result<LevelResult, Cancelled> {
    let mut mass_balances = Vec::new();
    let mut steps = plan_with(scene, base, samples, playhead, &mut HashMap::new());
    steps.retain(|step| topmost.is_none_or(|topmost| step.index <= topmost));
    let mut changes = HashMap::new();
    let mut most_known = steps.len();
    if topmost.is_some() {
        for (k, step) in steps.iter().enumerate().filter(|(_, step)| step.is_level) {
            match store.change(step) {
                Some(change) => drop(changes.insert(step.index, change)),
                None => most_known = most_known.min(k),
            }
        }
    }
    let ground = |of: GroupBase| match (of, base) {
        (GroupBase::Start, Some(base)) => base.terrain_on(scene.grid(samples), control),
        _ => Ok(Arc::new(Terrain::flat(scene.grid(samples)))),
    };
    // Everything below the highest cached result can be skipped.
    let without_groups = |steps, result| KnownResult { steps, result, bases: Vec::new() };
    let known = match topmost {
        Some(_) if most_known == steps.len() => {
            without_groups(steps.len(), Arc::new(Terrain::flat(Grid::new(2, Edges::Open))))
        }
        _ => match store.highest_known(&steps[..most_known], &ground)? {
            Some(known) => known,
            None => without_groups(0, ground(GroupBase::Start)?),
        },
    };
    let KnownResult { steps: first, result: mut beneath, mut bases } = known;
    let steps = &steps[first..];
    let mut coarse = match (steps.iter().rfind(|step| step.is_refined), coarser_samples(samples)) {
        (Some(refined), Some(coarser)) => {
            let topmost = Some(refined.index);
            evaluate_level(scene, base, coarser, playhead, topmost, store, control, &mut HashMap::new())?.changes
        }
        _ => HashMap::new(),
    };
    for step in steps {
        control.check()?;
        control.enter_layer(step.index);
        let cx = context(scene, samples, step.layer, control);
        for begins in &step.opens {
            bases.push(beneath.clone());
            if *begins == GroupGround::Level {
                beneath = ground(GroupBase::Level)?;
            }
        }
        let coarse = coarse.remove(&step.index);
        let streams = coarse.as_ref().and_then(|coarse| coarse.streams.clone());
        let is_level = step.is_level && (topmost.is_some() || samples < scene.samples());
        // Drop our reference first, so that an erosion takes the terrain over instead of copying it, if no other owner
        // needs it.
        let is_released = mix::is_opaque_process(step.layer) && !is_level;
        let given = match is_released {
            true => std::mem::replace(&mut beneath, Arc::new(Terrain::flat(Grid::new(2, Edges::Open)))),
            false => beneath.clone(),
        };
        let (mut result, account) = run_node(step, &cx, given, coarse, store)?;
        if matches!(step.layer.node, Node::LayerGroup(_))
            && let Some(base) = bases.pop()
        {
            beneath = base;
            mix::join(&cx, &step.layer.mix, &beneath, &mut result)?;
        }
        if is_level {
            let mut change = LevelChange::from_terrains(
                &beneath,
                &result,
                step.layer.node.traits().writes,
                account.unwrap_or_default(),
            );
            change.streams = match streams {
                None => settled_streams(step.layer, &cx, &result)?,
                streams => streams,
            };
            if !step.is_cut && !step.above && !store.transient {
                store.keep_change(step, &change);
            }
            changes.insert(step.index, change);
        }
        let source = match mask_scene(scene, step.index) {
            None => None,
            Some((index, alone)) => {
                if !sources.contains_key(&index) {
                    let made = evaluate_level(&alone, base, samples, None, None, store, control, sources)?;
                    sources.insert(index, made.terrain);
                    control.enter_layer(step.index);
                }
                sources.get(&index)
            }
        };
        let (source, known) = (source.map(Arc::as_ref), SmoothedMask::default());
        mix::weigh(&cx, step.layer, &beneath, source, &mut store.strokes, known, &mut result)?;
        let account = account.filter(|_| !store.heights_alone);
        mass_balances.extend(account.map(|account| (step.index, account)));
        beneath = Arc::new(result);
        if !step.transient && !store.transient {
            store.cache.insert(step.result, &beneath);
        }
    }
    control.check()?;
    Ok(LevelResult { terrain: beneath, mass_balances, changes })
}

/// The result of the node on the terrain below, before opacity and mask.
fn run_node(
    step: &LayerStep,
    cx: &Context,
    beneath: Arc<Terrain>,
    coarse: Option<LevelChange>,
    store: &mut Store,
) -> Result<(Terrain, Option<MassBalance>), Cancelled> {
    let layer = step.layer;
    let Store { cache, timeline, ended, constructions, strokes, unread, .. } = store;
    let mut nothing = Timeline::new(0);
    let timeline = if step.above { &mut nothing } else { timeline };
    match layer.node.work() {
        Work::Generator(generator) => {
            let mut result = match &layer.node {
                Node::Construction(node) => constructions.generate(node, cx)?,
                _ => {
                    let mut result = Terrain::flat(cx.grid);
                    generator.generate(cx, &mut result)?;
                    result
                }
            };
            mix::join(cx, &layer.mix, &beneath, &mut result)?;
            Ok((result, None))
        }
        Work::Filter(filter) => {
            let mut result = Arc::unwrap_or_clone(beneath);
            match &layer.node {
                Node::Sculpt(node) => strokes.sculpt(step.beneath, node, cx, &mut result)?,
                Node::PaintedMap(node) => strokes.paint(step.beneath, node, cx, &mut result)?,
                _ => filter.apply(cx, &mut result)?,
            }
            Ok((result, None))
        }
        Work::Process(_) => {
            let mut ground = beneath;
            let mut mass_balance = MassBalance::default();
            let last = step.stages.len().saturating_sub(1);
            // Finished stages are cached like the results of layers.
            let known = (0..last).rev().find_map(|k| {
                let key = step.stages[k].result();
                Some((k + 1, cache.get(key)?, *ended.get(&key)?))
            });
            let mut first = 0;
            let traits = layer.node.traits();
            let goes_on = step.stages.iter().any(|stage| stage.iterations > 0);
            let streams = coarse.as_ref().and_then(|coarse| coarse.streams.clone());
            let holding = streams.filter(|streams| goes_on && streams.restores_beds());
            let mut beds = None;
            if let Some(coarse) = coarse.filter(|_| known.is_none() || holding.is_some()) {
                let (refined, account) = coarse.refine(cx, ground, &traits, goes_on)?;
                beds = holding.as_ref().map(|streams| streams.held(cx, &refined.height)).transpose()?;
                (ground, mass_balance) = (Arc::new(refined), account);
            }
            if let Some((next, terrain, account)) = known {
                (first, ground, mass_balance) = (next, terrain, account);
            }
            for (k, stage) in step.stages.iter().enumerate().skip(first) {
                let (terrain, account) = run_stage(stage, cx, ground, mass_balance, timeline, unread)?;
                (ground, mass_balance) = (Arc::new(terrain), account);
                if k < last {
                    cache.insert(stage.result(), &ground);
                    ended.insert(stage.result(), mass_balance);
                }
            }
            let mut made = Arc::unwrap_or_clone(ground);
            if let (Some(streams), Some(beds)) = (holding, beds) {
                let before = cx.grid.sum(&made.height);
                streams.restore(cx, &beds, &mut made.height)?;
                mass_balance.resampled += cx.grid.sum(&made.height) - before;
                // The last point of the charts must be the final result.
                if let Some(stage) = step.stages.last().filter(|_| timeline.is_kept()) {
                    timeline.record(stage.key, stage.iterations, mass_balance);
                }
            }
            Ok((made, Some(mass_balance)))
        }
    }
}

/// Maps that erosions record and that no mask of `scene` reads.
fn unread_records(scene: &Scene) -> Vec<MapKind> {
    let is_read = |&kind: &MapKind| {
        scene.layers.iter().any(|Layer { mask, .. }| {
            mask.by_data && mask.data == kind
                || mask.by_layer && mask.layer_reads == Reads::Data && mask.layer_data == kind
        })
    };
    MapKind::RECORDS.into_iter().filter(|kind| !is_read(kind)).collect()
}

/// The trunk streams of `made` that finer grids of the process of `layer` keep in place.
fn settled_streams(layer: &Layer, cx: &Context, made: &Terrain) -> Result<Option<Arc<TrunkStreams>>, Cancelled> {
    let beds = layer.node.traits().stream_beds;
    let settled = beds.settled_samples(layer.multiscale().largest);
    let settles = beds != StreamBeds::Free && made.grid.samples == settled && !made.grid.is_globe();
    settles.then(|| TrunkStreams::new(cx, made, beds).map(Arc::new)).transpose()
}

/// Runs one stage of a process and returns the mass balance since the process started; `before` is the mass balance at
/// the start of the stage.
fn run_stage(
    stage: &ProcessStage,
    cx: &Context,
    beneath: Arc<Terrain>,
    before: MassBalance,
    timeline: &mut Timeline,
    unread: &[MapKind],
) -> Result<(Terrain, MassBalance), Cancelled> {
    let (key, target) = (stage.key, stage.iterations);
    if target == 0 {
        // There is nothing to resume: the playhead is before this stage. A timeline for each playhead position would
        // waste memory.
        return Ok((stage.process.start(cx, Arc::unwrap_or_clone(beneath)).terrain().clone(), before));
    }
    let (mut iteration, mut run) =
        timeline.resume(key, target).unwrap_or_else(|| (0, stage.process.start(cx, Arc::unwrap_or_clone(beneath))));
    let begun = iteration;
    if !unread.is_empty() {
        run.leave_out(unread);
    }
    let mass_balance = |run: &dyn Run| {
        let mut so_far = before;
        so_far += run.mass_balance();
        so_far
    };
    while iteration < target {
        if iteration + 1 < target && run.jump(target - 1) {
            iteration = target - 1;
        }
        cx.control.advance((iteration - begun) as f32 / (target - begun) as f32);
        if !timeline.is_kept() {
            cx.control.check()?;
            run.step_in_place(cx)?;
            iteration += 1;
            continue;
        }
        let stepped = cx.control.check().and_then(|()| run.step(cx));
        if let Err(cancelled) = stepped {
            timeline.park(key, iteration, run);
            return Err(cancelled);
        }
        iteration += 1;
        timeline.record(key, iteration, mass_balance(run.as_ref()));
        timeline.offer(key, iteration, run.as_ref());
    }
    let mass_balance = mass_balance(run.as_ref());
    if !timeline.is_kept() {
        return Ok((run.into_terrain(), mass_balance));
    }
    let terrain = run.terrain().clone();
    timeline.park(key, iteration, run);
    Ok((terrain, mass_balance))
}

#[cfg(test)]
mod tests;
