//! Evaluates some layers of a scene on a window of the grid, with the same code as for the whole grid.
//!
//! A window contains no data beyond its sides. Where a side is not an edge of the terrain, the outermost cells of the
//! result are therefore wrong. Their number is the layers' stencil radius from [`layer_look`]; [`tiles`](crate::tiles)
//! cuts them off.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::mask::{self, SmoothedMask, sharp_weights};
use super::multiscale::LevelChange;
use super::tile_water::WaterLayer;
use super::{LayerStep, Store, context, evaluate_level, mix, plan, run_node};
use crate::field::{Cancelled, Control, Edges, Grid, MapKind, Terrain};
use crate::hydrology::tiled::WordError;
pub use crate::nodes::channels::trunk_streams::TrunkStreams;
use crate::nodes::erosion::stream_power::tiles as stream_power;
use crate::nodes::filters::gauss;
use crate::nodes::multiscale::StreamBeds;
use crate::nodes::{Context, DrainedGround, MassBalance, NodeDrainage, NodeParts, Work};
use crate::scene::{Layer, Mask, Scene};

/// A layer, or some of its iterations, on one grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayerPart {
    /// Index of the layer.
    pub layer: usize,
    /// Iterations of a process on that grid, counted over all its stages; `None` for the whole layer.
    pub iterations: Option<Range<u32>>,
}

/// The inputs of an evaluation on a window. All of them cover the window itself, except the changes.
#[derive(Debug)]
pub struct WindowInput {
    /// The terrain below the first of the layers.
    pub beneath: Terrain,
    /// The terrain of a process after its first iterations, if it is in progress.
    pub under_way: Option<Terrain>,
    /// The changes that coarse-to-fine processes made on the next coarser grid, by layer index.
    pub changes: HashMap<usize, Terrain>,
    /// The trunk streams that processes keep in place, by layer index.
    pub streams: HashMap<usize, Arc<TrunkStreams>>,
    /// The results that masks read of other layers, by the index of the layer with the mask.
    pub sources: HashMap<usize, Terrain>,
    /// Data about the whole terrain, by the index of the layer that needs it.
    pub surveys: HashMap<usize, SurveyedGround>,
    /// Smoothed fields of the whole terrain, by the index of the layer that reads them.
    pub smoothed: HashMap<(usize, SmoothedField), Vec<f32>>,
}

/// A field of the whole terrain that a layer reads smoothed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SmoothedField {
    /// The heights below the layer, for its node.
    Ground,
    /// The heights below the layer, for the curvature condition of its mask.
    Curvature,
    /// The weights of its mask, which are blurred.
    Mask,
    /// The terrain of a process after the erosion of an iteration, for its creep.
    Worn,
}

/// Data about the whole terrain, in a window.
#[derive(Debug)]
pub enum SurveyedGround {
    /// Its drainage.
    Drainage(DrainedGround),
    /// Its lowest and highest height.
    Range([f32; 2]),
    /// Its heights, smoothed.
    Smoothed(Vec<f32>),
    /// The terrain after the erosion of an iteration.
    Worn(Box<Terrain>),
}

/// The result of an evaluation on a window.
#[derive(Debug)]
pub struct WindowOutput {
    /// The terrain after the last of the layers, or that of a process with iterations still to run.
    pub terrain: Terrain,
    /// The changes that coarse-to-fine processes made on this grid and all coarser ones, by layer index.
    pub changes: HashMap<usize, Terrain>,
}

/// Stencil radius, in cells, of removing the detail that a coarser grid does not have: the interpolation curve through
/// its samples, on both sides, and a sample between two.
const DETAIL_CELLS: usize = 6;

/// The stencil radius of a layer on a grid, and the other data it needs.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerLook {
    /// Stencil radius of the whole layer, in cells; of a process, over all its iterations.
    pub cells: usize,
    /// Stencil radius of one iteration, in cells, if the process can be interrupted.
    pub iteration_cells: Option<usize>,
    /// Stencil radius of its mask, in cells.
    pub mask_cells: usize,
    /// Stencil radius, in cells, of starting from the result of a coarser grid; it applies again at the end if beds are
    /// restored.
    pub refine_cells: usize,
    /// Whether it needs the coarser result again at its end, to restore beds.
    pub restores_beds: bool,
    /// Samples per side of the grid whose trunk streams it keeps in place, if it does.
    pub settled: Option<usize>,
    /// Iterations of a process on this grid, over all its stages.
    pub iterations: u32,
    /// The process continues from a coarser grid.
    pub is_refined: bool,
    /// The process runs from coarse to fine.
    pub is_level: bool,
    /// The layer that the mask reads.
    pub source: Option<usize>,
    /// Data about the whole terrain that its node needs.
    pub survey: Option<LayerSurvey>,
    /// Whether each of its iterations runs in several steps ([`NodeParts::Worn`]).
    pub is_worn: bool,
    /// Fields of the whole terrain that it reads smoothed, in order of dependency.
    pub smoothed: Vec<SmoothedField>,
}

/// Data that a layer needs about the whole terrain below it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LayerSurvey {
    /// Its drainage.
    Drainage(NodeDrainage),
    /// Its lowest and its highest height.
    Range,
}

/// The stencil radius of layer `index` of a scene at `samples` a side, with the reason if the layer cannot be computed
/// in parts ([`NodeParts::Whole`]). `None` for a layer that takes no part.
pub fn layer_look(scene: &Scene, samples: usize, index: usize) -> Option<(LayerLook, Option<&'static str>)> {
    let steps = plan(scene, samples, None);
    let step = steps.iter().find(|step| step.index == index)?;
    let control = Control::default();
    let whole = Grid::working(samples, scene.settings.edges);
    let cx = Context { grid: whole, ..context(scene, samples, step.layer, &control) };
    let iterations = step.stages.iter().map(|stage| stage.iterations).sum();
    let beds = step.layer.node.traits().stream_beds;
    let keeps_beds = step.is_refined && keeps_streams(step.layer, samples);
    let refine_cells = if keeps_beds && beds.leaves_out_detail() { DETAIL_CELLS } else { 0 };
    let mut look = LayerLook {
        cells: refine_cells,
        iteration_cells: None,
        mask_cells: usize::from(step.layer.mask.by_slope),
        refine_cells,
        restores_beds: keeps_beds && beds.restores_beds(),
        settled: keeps_beds.then(|| settled_samples(step.layer)),
        iterations,
        is_refined: step.is_refined,
        is_level: step.is_level,
        source: super::mask_scene(scene, index).map(|(source, _)| source),
        survey: None,
        is_worn: false,
        smoothed: smoothed_fields(step.layer).collect(),
    };
    let mask = &step.layer.mask;
    let mut reason = match scene.settings.edges {
        Edges::Wrap => Some("the terrain wraps, so each edge needs data from the opposite edge"),
        Edges::Open => is_painted_together(mask).then_some("its painted mask has smooth or smear strokes"),
    };
    let nodes = stretches(step.layer, samples);
    let mut farthest = Some(0usize);
    let rains = |below: &LayerStep| below.layer.node.traits().writes.contains(&MapKind::Rain);
    let is_rained_on = steps.iter().take_while(|below| below.index < index).any(rains);
    for (parts, iterations) in nodes {
        if is_rained_on && parts.sums_rain() {
            reason = reason.or(Some("its flow depends on the mean rain of the whole terrain"));
        }
        match (parts, parts.cells(&cx)) {
            (NodeParts::Whole(why), _) => reason = reason.or(Some(why)),
            (NodeParts::Iterations { resumes, .. }, Some(cells)) => {
                look.cells = look.cells.saturating_add(cells.saturating_mul(iterations as usize));
                farthest = farthest.filter(|_| resumes).map(|most| most.max(cells));
            }
            (NodeParts::Drained(drainage), _) => {
                (look.cells, look.survey, farthest) = (1, Some(LayerSurvey::Drainage(drainage)), None);
            }
            (NodeParts::Worn(_), _) => (look.is_worn, farthest) = (true, None),
            (NodeParts::Ranged, _) => (look.survey, farthest) = (Some(LayerSurvey::Range), None),
            (_, Some(cells)) => (look.cells, farthest) = (look.cells + cells, None),
            (_, None) => {}
        }
    }
    look.iteration_cells = farthest.filter(|_| step.layer.node.as_process().is_some());
    Some((look, reason))
}

/// Whether the strokes of a mask act on more than each position by itself.
fn is_painted_together(mask: &Mask) -> bool {
    mask.is_active() && mask.by_paint && !mask.painted.act_by_place()
}

/// Samples per side of the grid on which the trunk streams of a layer are found.
fn settled_samples(layer: &Layer) -> usize {
    layer.node.traits().stream_beds.settled_samples(layer.multiscale().largest)
}

/// Whether a grid of `samples` keeps the trunk streams of a coarser grid in place.
fn keeps_streams(layer: &Layer, samples: usize) -> bool {
    let settled = settled_samples(layer);
    layer.node.traits().stream_beds != StreamBeds::Free
        && samples > settled
        && layer.levels(samples).iter().any(|(level, _)| level.samples == settled)
}

/// The trunk streams that layer `index` keeps in place on finer grids, as words. They come from a whole coarse grid,
/// which is evaluated up to that layer.
///
/// # Errors
/// If it was cancelled.
pub fn stream_words(scene: &Scene, index: usize, control: &Control) -> Result<Vec<u64>, Cancelled> {
    let Some(layer) = scene.layers.get(index) else { return Ok(Vec::new()) };
    let (topmost, settled, mut store) = (Some(index), settled_samples(layer), Store::forgetful());
    let made = evaluate_level(scene, None, settled, None, topmost, &mut store, control, &mut HashMap::new())?.changes;
    control.leave_layers();
    let streams = made.get(&index).and_then(|made| made.streams.as_ref());
    Ok(streams.map(|streams| streams.to_words()).unwrap_or_default())
}

/// The trunk streams from [`stream_words`].
///
/// # Errors
/// If the words are not trunk streams.
pub fn trunk_streams(scene: &Scene, index: usize, words: &[u64]) -> Result<Arc<TrunkStreams>, WordError> {
    let layer = scene.layers.get(index).ok_or(WordError)?;
    let grid = Grid::working(settled_samples(layer), scene.settings.edges);
    TrunkStreams::from_words(words, grid, layer.node.traits().stream_beds).map(Arc::new)
}

/// How each stage of a layer can be computed in parts on a grid, with its iterations; a single stage if the node is not
/// a process.
fn stretches(layer: &Layer, samples: usize) -> Vec<(NodeParts, u32)> {
    match (layer.levels(samples).pop(), layer.node.work()) {
        (Some((_, stages)), Work::Process(_)) => {
            let mut all: Vec<_> = stages.iter().map(|stage| (stage.node.traits().parts, stage.iterations)).collect();
            all.push((layer.node.traits().parts, 0));
            all
        }
        _ => vec![(layer.node.traits().parts, 1)],
    }
}

/// The fields of the whole terrain that a layer reads smoothed, in order of dependency.
fn smoothed_fields(layer: &Layer) -> impl Iterator<Item = SmoothedField> + use<'_> {
    let fields = [SmoothedField::Ground, SmoothedField::Curvature, SmoothedField::Mask];
    fields.into_iter().filter(|&field| smoothing_metres(layer, field).is_some())
}

/// The standard deviation in metres with which a layer smooths a field; `None` if it does not read it smoothed.
fn smoothing_metres(layer: &Layer, field: SmoothedField) -> Option<f32> {
    let mask = Some(&layer.mask).filter(|mask| mask.is_active());
    match (field, layer.node.traits().parts) {
        (SmoothedField::Ground, NodeParts::Smoothed(smoothing)) => Some(smoothing.metres),
        // For an iteration, the stream power law returns it.
        (SmoothedField::Ground | SmoothedField::Worn, _) => None,
        (SmoothedField::Curvature, _) => mask.filter(|mask| mask.by_curvature).map(|mask| mask.curvature_metres),
        (SmoothedField::Mask, _) => mask.map(|mask| mask.soften_metres).filter(|&metres| metres > 0.0),
    }
}

/// The layer that the mask of layer `index` reads, if any, and the scene whose result the mask reads.
pub fn source_scene(scene: &Scene, index: usize) -> Option<(usize, Scene)> {
    super::mask_scene(scene, index)
}

/// Evaluates `parts`, consecutive layers, on the window `grid` of a scene at `samples` a side.
///
/// # Errors
/// If it was cancelled.
pub fn evaluate_window(
    scene: &Scene,
    samples: usize,
    grid: Grid,
    parts: &[LayerPart],
    input: WindowInput,
    control: &Control,
) -> Result<WindowOutput, Cancelled> {
    let WindowInput { beneath, mut under_way, mut changes, mut streams, sources, mut surveys, mut smoothed } = input;
    let steps = plan(scene, samples, None);
    let mut store = Store::forgetful();
    let mut beneath = Arc::new(beneath);
    let mut made = HashMap::new();
    for part in parts {
        control.check()?;
        let Some(step) = steps.iter().find(|step| step.index == part.layer) else { continue };
        control.enter_layer(step.index);
        let cx = Context { grid, ..context(scene, samples, step.layer, control) };
        let coarse = changes.remove(&step.index).map(|change| LevelChange {
            change: Arc::new(change),
            mass_balance: MassBalance::default(),
            streams: streams.remove(&step.index),
        });
        let mut smooth = |field| smoothed.remove(&(step.index, field));
        let known = surveys.remove(&step.index).or_else(|| smooth(SmoothedField::Ground).map(SurveyedGround::Smoothed));
        let mut result = match (&part.iterations, known, step.layer.node.work()) {
            (_, Some(known), Work::Filter(filter)) => {
                let mut result = Terrain::clone(&beneath);
                match known {
                    // Only processes use this.
                    SurveyedGround::Worn(_) => {}
                    SurveyedGround::Drainage(water) => filter.apply_drained(&cx, water, &mut result)?,
                    SurveyedGround::Range(range) => filter.apply_ranged(&cx, range, &mut result)?,
                    SurveyedGround::Smoothed(smooth) => filter.apply_smoothed(&cx, smooth, &mut result)?,
                }
                result
            }
            (None, ..) => run_node(step, &cx, beneath.clone(), coarse, &mut store)?.0,
            (Some(iterations), known, _) => {
                let streams = coarse.as_ref().and_then(|coarse| coarse.streams.clone());
                let refined = match coarse {
                    Some(coarse) => {
                        Some(Arc::new(coarse.refine(&cx, beneath.clone(), &step.layer.node.traits(), true)?.0))
                    }
                    None => None,
                };
                let streams = streams.filter(|streams| streams.restores_beds());
                let holding = match (streams, &refined) {
                    (Some(streams), Some(refined)) => Some((streams.clone(), streams.held(&cx, &refined.height)?)),
                    _ => None,
                };
                let ground = match (under_way.take(), refined) {
                    (Some(mut terrain), _) => {
                        share_unwritten(step, &beneath, &mut terrain);
                        Arc::new(terrain)
                    }
                    (None, Some(refined)) => refined,
                    (None, None) => beneath.clone(),
                };
                let last = step.stages.iter().map(|stage| stage.iterations).sum::<u32>();
                let law = || WaterLayer::find(scene, samples, step.index, Some(iterations.start))?.law();
                let mut terrain = match known {
                    Some(SurveyedGround::Worn(worn)) if let Some(law) = law() => {
                        let smooth = smooth(SmoothedField::Worn);
                        stream_power::crept_tile(law, &cx, Arc::unwrap_or_clone(ground), *worn, smooth)?
                    }
                    _ => run_iterations(step, &cx, ground, iterations.clone())?,
                };
                if iterations.end < last {
                    return Ok(WindowOutput { terrain, changes: made });
                }
                if let Some((streams, held)) = holding {
                    streams.restore(&cx, &held, &mut terrain.height)?;
                }
                terrain
            }
        };
        if step.is_level {
            let written = step.layer.node.traits().writes;
            let change = LevelChange::from_terrains(&beneath, &result, written, MassBalance::default());
            made.insert(step.index, Arc::unwrap_or_clone(change.change));
        }
        let source = sources.get(&step.index);
        let known = SmoothedMask { heights: smooth(SmoothedField::Curvature), weights: smooth(SmoothedField::Mask) };
        mix::weigh(&cx, step.layer, &beneath, source, &mut store.strokes, known, &mut result)?;
        beneath = Arc::new(result);
    }
    control.leave_layers();
    Ok(WindowOutput { terrain: Arc::unwrap_or_clone(beneath), changes: made })
}

/// Smooths whole columns of a field that a layer reads smoothed, or whole rows after its columns. `lines` are
/// consecutive, of a scene at `samples` a side; `iteration` is given if the layer is a process. A field that the layer
/// does not read smoothed stays as it is.
///
/// # Errors
/// If it was cancelled.
pub fn smooth_lines(
    scene: &Scene,
    samples: usize,
    (index, iteration): (usize, Option<u32>),
    field: SmoothedField,
    lines: &mut [f32],
    control: &Control,
) -> Result<(), Cancelled> {
    let Some(layer) = scene.layers.get(index) else { return Ok(()) };
    let metres = match field {
        SmoothedField::Worn => {
            WaterLayer::find(scene, samples, index, iteration).and_then(|asks| asks.creep_deviation())
        }
        _ => smoothing_metres(layer, field),
    };
    let Some(metres) = metres else { return Ok(()) };
    let grid = Grid::working(samples, scene.settings.edges);
    gauss::smooth_lines(&Context { grid, ..context(scene, samples, layer, control) }, lines, metres)
}

/// The mask weights of a layer before blurring, on the window `grid` of a scene at `samples` a side.
///
/// # Errors
/// If it was cancelled.
pub fn window_weights(
    scene: &Scene,
    samples: usize,
    grid: Grid,
    layer: usize,
    mut input: WindowInput,
    control: &Control,
) -> Result<Vec<f32>, Cancelled> {
    let Some(reader) = scene.layers.get(layer) else { return Ok(vec![1.0; grid.len()]) };
    let cx = Context { grid, ..context(scene, samples, reader, control) };
    let smooth = input.smoothed.remove(&(layer, SmoothedField::Curvature));
    let strokes = &mut Store::forgetful().strokes;
    sharp_weights(&cx, &reader.mask, &input.beneath, input.sources.get(&layer), strokes, smooth)
}

/// The requirements of a layer's mask alone: its stencil radius and the fields that it reads smoothed, with the reason
/// if the mask can only be computed as a whole.
pub fn mask_look(scene: &Scene, index: usize) -> (LayerLook, Option<&'static str>) {
    let mask = &scene.layers[index].mask;
    let reason = match scene.settings.edges {
        Edges::Wrap => Some("the terrain wraps, so each edge needs data from the opposite edge"),
        Edges::Open if scene.joining_group().is_some() => Some("a group blends its terrain with the terrain below"),
        Edges::Open => is_painted_together(mask).then_some("it has smooth or smear strokes"),
    };
    let look = LayerLook {
        cells: 0,
        iteration_cells: None,
        mask_cells: usize::from(mask.by_slope),
        refine_cells: 0,
        restores_beds: false,
        settled: None,
        iterations: 0,
        is_refined: false,
        is_level: false,
        source: super::mask_scene(scene, index).map(|(source, _)| source),
        survey: None,
        is_worn: false,
        smoothed: smoothed_fields(&scene.layers[index]).filter(|&field| field != SmoothedField::Ground).collect(),
    };
    (look, reason)
}

/// The mask weights of a layer on the window `grid` of a scene at `samples` a side, as
/// [`layer_mask`](super::layer_mask) on the whole terrain.
///
/// # Errors
/// If it was cancelled.
pub fn window_mask(
    scene: &Scene,
    samples: usize,
    grid: Grid,
    layer: usize,
    mut input: WindowInput,
    control: &Control,
) -> Result<Vec<f32>, Cancelled> {
    let Some(reader) = scene.layers.get(layer) else { return Ok(vec![1.0; grid.len()]) };
    let cx = Context { grid, ..context(scene, samples, reader, control) };
    let known = SmoothedMask {
        heights: input.smoothed.remove(&(layer, SmoothedField::Curvature)),
        weights: input.smoothed.remove(&(layer, SmoothedField::Mask)),
    };
    let strokes = &mut Store::forgetful().strokes;
    mask::weights(&cx, &reader.mask, &input.beneath, input.sources.get(&layer), strokes, known)
}

/// Maps that a process does not write stay those below it and share their memory.
fn share_unwritten(step: &LayerStep, beneath: &Terrain, terrain: &mut Terrain) {
    let written = |kind: MapKind| step.layer.node.traits().writes.contains(&kind);
    let stretch_wrote =
        |kind: MapKind| step.layer.epochs.iter().any(|epoch| epoch.node.traits().writes.contains(&kind));
    for &kind in MapKind::ALL {
        if !written(kind) && !stretch_wrote(kind) {
            terrain.set_map(kind, beneath.map(kind).cloned());
        }
    }
}

/// Runs some iterations of a process, counted over all its stages.
fn run_iterations(
    step: &LayerStep,
    cx: &Context,
    ground: Arc<Terrain>,
    iterations: Range<u32>,
) -> Result<Terrain, Cancelled> {
    let (mut ground, mut gone) = (Arc::unwrap_or_clone(ground), 0);
    for stage in &step.stages {
        let (first, end) = (gone.max(iterations.start), (gone + stage.iterations).min(iterations.end));
        gone += stage.iterations;
        if first >= end {
            continue;
        }
        let mut run = stage.process.start(cx, ground);
        for iteration in first..end {
            cx.control.advance((iteration - iterations.start) as f32 / iterations.len() as f32);
            cx.control.check()?;
            run.step_in_place(cx)?;
        }
        // Another run continues from this state.
        ground = if end < gone { run.into_under_way() } else { run.into_terrain() };
    }
    Ok(ground)
}

/// The changes that coarse-to-fine processes of a scene made on a whole grid of `samples` and all coarser ones, up to
/// the layer `topmost`, by layer index.
///
/// # Errors
/// If it was cancelled.
pub fn level_changes(
    scene: &Scene,
    samples: usize,
    topmost: usize,
    control: &Control,
) -> Result<HashMap<usize, Terrain>, Cancelled> {
    let mut store = Store::forgetful();
    let made = evaluate_level(scene, None, samples, None, Some(topmost), &mut store, control, &mut HashMap::new())?;
    control.leave_layers();
    Ok(made.changes.into_iter().map(|(layer, made)| (layer, Arc::unwrap_or_clone(made.change))).collect())
}
