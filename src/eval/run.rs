//! Runs the node of a layer on the terrain below.

use std::sync::Arc;

use super::multiscale::{LevelChange, ProcessStart};
use super::plan::{LayerStep, ProcessStage};
use super::{Constructions, Store, StrokedFields, Timeline, mix};
use crate::field::{Cancelled, MapKind, Terrain, Voids};
use crate::nodes::channels::trunk_streams::TrunkStreams;
use crate::nodes::generators::reference::Reference;
use crate::nodes::multiscale::StreamBeds;
use crate::nodes::voids::restore_heights;
use crate::nodes::{Context, Filter, Generator, MassBalance, Node, NodeKind, ReadTerrain, Run};
use crate::scene::Layer;

/// Returns the result of the node on the terrain below, before opacity and mask. `coarse` is the change that a process
/// made on the next coarser grid. `read` is the terrain that a reference reads; without it, the node changes nothing.
pub(super) fn run_node(
    step: &LayerStep,
    cx: &Context,
    beneath: Arc<Terrain>,
    coarse: Option<LevelChange>,
    read: Option<ReadTerrain>,
    store: &mut Store,
) -> Result<(Terrain, Option<MassBalance>), Cancelled> {
    match step.layer.node.work() {
        NodeKind::Generator(node) => Ok((generate(node, step, cx, &beneath, &mut store.constructions)?, None)),
        NodeKind::Filter(node) => Ok((filter(node, step, cx, beneath, &mut store.strokes)?, None)),
        NodeKind::Reference(node) => Ok((reference(node, step, cx, beneath, read)?, None)),
        NodeKind::Process(_) => {
            let (result, mass_balance) = run_process(step, cx, beneath, coarse, store)?;
            Ok((result, Some(mass_balance)))
        }
    }
}

/// The result of a generator up to the playhead, blended with the terrain below.
fn generate(
    generator: &dyn Generator,
    step: &LayerStep,
    cx: &Context,
    beneath: &Terrain,
    constructions: &mut Constructions,
) -> Result<Terrain, Cancelled> {
    let mut result = match &step.layer.node {
        Node::Construction(node) => constructions.generate(node, cx)?,
        _ => {
            let mut result = Terrain::flat(cx.grid);
            match (step.generator_step, generator.stepped()) {
                (Some(last), Some(stepped)) => stepped.generate_until(cx, last, &mut result)?,
                _ => generator.generate(cx, &mut result)?,
            }
            result
        }
    };
    mix::blend_generator(cx, &step.layer.mix, beneath, &mut result)?;
    Ok(result)
}

/// The terrain after a layer that reads another layer.
fn reference(
    node: &Reference,
    step: &LayerStep,
    cx: &Context,
    beneath: Arc<Terrain>,
    read: Option<ReadTerrain>,
) -> Result<Terrain, Cancelled> {
    let Some(read) = read else { return Ok(Arc::unwrap_or_clone(beneath)) };
    if !node.makes_heights() {
        let mut result = Arc::unwrap_or_clone(beneath);
        node.apply(cx, read, &mut result)?;
        return Ok(result);
    }
    let mut result = Terrain::flat(cx.grid);
    node.apply(cx, read, &mut result)?;
    mix::blend_generator(cx, &step.layer.mix, &beneath, &mut result)?;
    Ok(result)
}

/// The terrain after running a filter.
fn filter(
    filter: &dyn Filter,
    step: &LayerStep,
    cx: &Context,
    beneath: Arc<Terrain>,
    strokes: &mut StrokedFields,
) -> Result<Terrain, Cancelled> {
    let mut result = Arc::unwrap_or_clone(beneath);
    match &step.layer.node {
        Node::Sculpt(node) => strokes.sculpt(step.terrain_below, node, cx, &mut result)?,
        Node::PaintedMap(node) => strokes.paint(step.terrain_below, node, cx, &mut result)?,
        _ => filter.apply(cx, &mut result)?,
    }
    Ok(result)
}

/// The terrain after all stages of a process, and the mass balance since the process started on the coarsest grid.
fn run_process(
    step: &LayerStep,
    cx: &Context,
    beneath: Arc<Terrain>,
    coarse: Option<LevelChange>,
    store: &mut Store,
) -> Result<(Terrain, MassBalance), Cancelled> {
    let Store { cache, timeline, ended, unread, .. } = store;
    let mut nothing = Timeline::new(0);
    let timeline = if step.is_above_playhead { &mut nothing } else { timeline };
    let last = step.stages.len().saturating_sub(1);
    // Finished stages are cached like the results of layers.
    let known = (0..last).rev().find_map(|k| {
        let key = step.stages[k].result();
        Some((k + 1, (cache.get(key)?, *ended.get(&key)?)))
    });
    let (first, resumed) = known.map_or((0, None), |(first, resumed)| (first, Some(resumed)));
    // holds the heights of voids at which the land ends, which the change on the coarser grid can reach
    let kept = (coarse.is_some() && cx.voids == Voids::LandEnds).then(|| beneath.clone());
    let ProcessStart { mut ground, mut mass_balance, beds } = ProcessStart::new(step, cx, beneath, coarse, resumed)?;
    for (k, stage) in step.stages.iter().enumerate().skip(first) {
        let (terrain, balance) = run_stage(stage, cx, ground, mass_balance, timeline, unread)?;
        (ground, mass_balance) = (Arc::new(terrain), balance);
        if k < last {
            cache.insert(stage.result(), &ground);
            ended.insert(stage.result(), mass_balance);
        }
    }
    let mut made = Arc::unwrap_or_clone(ground);
    if beds.is_some() || kept.is_some() {
        let before = cx.grid.sum(&made.height);
        beds.map(|beds| beds.restore(cx, &mut made.height)).transpose()?;
        kept.iter().for_each(|beneath| restore_heights(cx, beneath, &mut made));
        mass_balance.resampled += cx.grid.sum(&made.height) - before;
        // The history charts read this record, so that their last point is the final result.
        if let Some(stage) = step.stages.last().filter(|_| timeline.is_kept()) {
            timeline.record(stage.key, stage.iterations, mass_balance);
        }
    }
    Ok((made, mass_balance))
}

/// Runs one stage of a process and returns the mass balance since the process started. `before` is the mass balance at
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
        // There is no run to resume: the playhead is before this stage. A separate timeline for each playhead position
        // would waste memory.
        return Ok((stage.process.start(cx, Arc::unwrap_or_clone(beneath)).terrain().clone(), before));
    }
    let (mut iteration, mut run) =
        timeline.resume(key, target).unwrap_or_else(|| (0, stage.process.start(cx, Arc::unwrap_or_clone(beneath))));
    let begun = iteration;
    if !unread.is_empty() {
        run.drop_records(unread);
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
        timeline.maybe_keep(key, iteration, run.as_ref());
    }
    let mass_balance = mass_balance(run.as_ref());
    if !timeline.is_kept() {
        return Ok((run.into_terrain(), mass_balance));
    }
    let terrain = run.terrain().clone();
    timeline.park(key, iteration, run);
    Ok((terrain, mass_balance))
}

/// Returns the trunk streams of `made` that the process of `layer` keeps in place on finer grids.
pub(super) fn trunk_streams_to_keep(
    layer: &Layer,
    cx: &Context,
    made: &Terrain,
) -> Result<Option<Arc<TrunkStreams>>, Cancelled> {
    let beds = layer.node.traits().finer_grids.stream_beds;
    let settled = beds.trunk_stream_samples(layer.multiscale().largest);
    let settles = beds != StreamBeds::Free && made.grid.samples == settled && !made.grid.is_globe();
    settles.then(|| TrunkStreams::new(cx, made, beds).map(Arc::new)).transpose()
}
