//! Evaluates some layers of a scene on a window of the grid, with the same code as for the whole grid.
//!
//! A window contains no data outside its borders. Where a border is not an edge of the terrain, the outermost cells of
//! the result are therefore wrong. The width of these wrong margins is the layers' stencil radius from
//! [`layer_stencil`]; [`tiles`](crate::tiles) cuts the margins off.

mod look;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::level::LevelTask;
use super::mask::{self, MaskFields, sharp_weights};
use super::multiscale::{LevelChange, ProcessStart};
use super::plan::LayerStep;
use super::run::run_node;
use super::tile_water::WaterLayer;
use super::{Store, context, mix, plan, readable_source};
use crate::field::{Cancelled, Control, Grid, MapKind, Terrain};
use crate::hydrology::tiled::WordError;
pub use crate::nodes::channels::trunk_streams::TrunkStreams;
use crate::nodes::erosion::stream_power::tiles as stream_power;
use crate::nodes::filters::gauss;
use crate::nodes::voids::restore_heights;
use crate::nodes::{Context, MassBalance, NodeParts, ReadTerrain, WindowDrainage};
use crate::scene::{LayerReader, ReferenceSource, Scene};
pub use look::{LayerStencil, LayerSurvey, layer_stencil, mask_stencil};
use look::{settled_samples, smoothing_metres};

/// A layer, or some of its iterations, on one grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayerPart {
    /// Index of the layer.
    pub layer: usize,
    /// Iterations of a process on that grid, counted over all its stages; `None` means the whole layer.
    pub iterations: Option<Range<u32>>,
}

/// The inputs of an evaluation on a window. All inputs except the changes cover the window itself.
#[derive(Debug)]
pub struct WindowInput {
    /// The terrain below the first of the evaluated layers.
    pub terrain_below: Terrain,
    /// The terrain of a process after its first iterations, if the process has started.
    pub unfinished: Option<Terrain>,
    /// The changes that coarse-to-fine processes made on the next coarser grid, by layer index.
    pub changes: HashMap<usize, Terrain>,
    /// The trunk streams that processes keep in place, by layer index.
    pub streams: HashMap<usize, Arc<TrunkStreams>>,
    /// The terrains that references read. If a reference reads a mask, the heights are its weights.
    pub sources: HashMap<LayerReader, Terrain>,
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
    /// The weights of the layer's mask, which are blurred.
    Mask,
    /// The terrain of a process after the erosion of an iteration; creep smooths it.
    #[serde(rename = "Worn")]
    Eroded,
}

/// Data about the whole terrain, in a window.
#[derive(Debug)]
pub enum SurveyedGround {
    /// The drainage of the terrain.
    Drainage(WindowDrainage),
    /// The lowest and highest height of the whole terrain.
    Range([f32; 2]),
    /// The smoothed heights below the layer.
    Smoothed(Vec<f32>),
    /// The terrain of a process after the erosion of one iteration.
    Eroded(Box<Terrain>),
}

/// The result of an evaluation on a window.
#[derive(Debug)]
pub struct WindowOutput {
    /// The terrain after the last of the evaluated layers. If a process still has iterations to run, its unfinished
    /// terrain.
    pub terrain: Terrain,
    /// The changes that coarse-to-fine processes made on this grid and all coarser grids, by layer index.
    pub changes: HashMap<usize, Terrain>,
}

/// Finds the trunk streams that layer `index` keeps in place on finer grids, encoded as 64-bit words. For this, the
/// function evaluates the stack up to that layer on a whole coarse grid.
///
/// # Errors
/// If the evaluation was cancelled.
pub fn stream_words(scene: &Scene, index: usize, control: &Control) -> Result<Vec<u64>, Cancelled> {
    let Some(layer) = scene.layers.get(index) else { return Ok(Vec::new()) };
    let level = LevelTask { topmost: Some(index), ..LevelTask::whole(scene, settled_samples(layer), control) };
    let made = level.evaluate(&mut Store::forgetful())?.changes;
    control.finish_layers();
    let streams = made.get(&index).and_then(|made| made.streams.as_ref());
    Ok(streams.map(|streams| streams.to_words()).unwrap_or_default())
}

/// Decodes the trunk streams from the 64-bit words of [`stream_words`].
///
/// # Errors
/// If the words do not encode trunk streams.
pub fn trunk_streams(scene: &Scene, index: usize, words: &[u64]) -> Result<Arc<TrunkStreams>, WordError> {
    let layer = scene.layers.get(index).ok_or(WordError)?;
    let grid = Grid::working(settled_samples(layer), scene.settings.edges);
    TrunkStreams::from_words(words, grid, layer.node.traits().finer_grids.stream_beds).map(Arc::new)
}

/// The terrain that `reader` reads, as a scene to evaluate. `None` if the reference is not set or cannot be read.
pub fn source_scene(scene: &Scene, reader: LayerReader) -> Option<ReferenceSource> {
    readable_source(scene, reader)
}

/// The terrain in `sources` that `reader` reads.
fn read_terrain<'a>(
    scene: &Scene,
    reader: LayerReader,
    sources: &'a HashMap<LayerReader, Terrain>,
) -> Option<ReadTerrain<'a>> {
    let terrain = sources.get(&reader)?;
    let relief_metres = readable_source(scene, reader)?.scene.settings.relief_metres;
    Some(ReadTerrain { terrain, relief_metres })
}

/// Evaluates `parts`, consecutive layers, on the window `grid` of a scene at `samples` per side.
///
/// # Errors
/// If the evaluation was cancelled.
pub fn evaluate_window(
    scene: &Scene,
    samples: usize,
    grid: Grid,
    parts: &[LayerPart],
    input: WindowInput,
    control: &Control,
) -> Result<WindowOutput, Cancelled> {
    let WindowInput { terrain_below, mut unfinished, mut changes, mut streams, sources, mut surveys, mut smoothed } =
        input;
    let steps = plan(scene, samples, None);
    let mut store = Store::forgetful();
    let mut beneath = Arc::new(terrain_below);
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
        let mut result = match &part.iterations {
            None => match filter_surveyed(step, &cx, known, &beneath)? {
                Some(result) => result,
                None => {
                    let read = read_terrain(scene, LayerReader::Node(step.index), &sources);
                    run_node(step, &cx, beneath.clone(), coarse, read, &mut store)?.0
                }
            },
            Some(iterations) => {
                let resumed = unfinished.take().map(|mut terrain| {
                    share_unwritten(step, &beneath, &mut terrain);
                    (Arc::new(terrain), MassBalance::default())
                });
                let ProcessStart { ground, beds, .. } = ProcessStart::new(step, &cx, beneath.clone(), coarse, resumed)?;
                let law = || WaterLayer::find(scene, samples, step.index, Some(iterations.start))?.law();
                let mut terrain = match known {
                    Some(SurveyedGround::Eroded(worn)) if let Some(law) = law() => {
                        let smooth = smooth(SmoothedField::Eroded);
                        stream_power::finish_tile(law, &cx, Arc::unwrap_or_clone(ground), *worn, smooth)?
                    }
                    _ => run_iterations(step, &cx, ground, iterations.clone())?,
                };
                let last = step.stages.iter().map(|stage| stage.iterations).sum::<u32>();
                if iterations.end < last {
                    return Ok(WindowOutput { terrain, changes: made });
                }
                if let Some(beds) = beds {
                    beds.restore(&cx, &mut terrain.height)?;
                }
                if step.is_refined {
                    restore_heights(&cx, &beneath, &mut terrain);
                }
                terrain
            }
        };
        if step.is_level {
            let written = step.layer.node.traits().writes;
            let change = LevelChange::from_terrains(&beneath, &result, written, MassBalance::default());
            made.insert(step.index, Arc::unwrap_or_clone(change.change));
        }
        let source = read_terrain(scene, LayerReader::Mask(step.index), &sources);
        let known = MaskFields {
            heights: smooth(SmoothedField::Curvature),
            weights: smooth(SmoothedField::Mask),
            ..MaskFields::of_terrain(scene, &step.layer.mask, &beneath, control)?
        };
        mix::apply_opacity_and_mask(&cx, step.layer, &beneath, source, &mut store.strokes, known, &mut result)?;
        beneath = Arc::new(result);
    }
    control.finish_layers();
    Ok(WindowOutput { terrain: Arc::unwrap_or_clone(beneath), changes: made })
}

/// Smooths whole columns of a field that a layer reads smoothed, or whole rows after the columns are done. `lines` are
/// consecutive columns or rows of a scene at `samples` per side. `iteration` is given if the layer is a process. A
/// field that the layer does not read smoothed is not changed.
///
/// # Errors
/// If the computation was cancelled.
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
        SmoothedField::Eroded => {
            WaterLayer::find(scene, samples, index, iteration).and_then(|asks| asks.creep_deviation())
        }
        _ => smoothing_metres(layer, field),
    };
    let Some(metres) = metres else { return Ok(()) };
    let grid = Grid::working(samples, scene.settings.edges);
    gauss::smooth_lines(&Context { grid, ..context(scene, samples, layer, control) }, lines, metres)
}

/// The mask weights of a layer before blurring, on the window `grid` of a scene at `samples` per side.
///
/// # Errors
/// If the computation was cancelled.
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
    let known = MaskFields {
        heights: input.smoothed.remove(&(layer, SmoothedField::Curvature)),
        ..MaskFields::of_terrain(scene, &reader.mask, &input.terrain_below, control)?
    };
    let strokes = &mut Store::forgetful().strokes;
    let read = read_terrain(scene, LayerReader::Mask(layer), &input.sources);
    sharp_weights(&cx, &reader.mask, &input.terrain_below, read, strokes, known)
}

/// The mask weights of a layer on the window `grid` of a scene at `samples` per side. These weights equal those of
/// [`layer_mask`](super::layer_mask) on the whole terrain.
///
/// # Errors
/// If the computation was cancelled.
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
    let known = MaskFields {
        heights: input.smoothed.remove(&(layer, SmoothedField::Curvature)),
        weights: input.smoothed.remove(&(layer, SmoothedField::Mask)),
        ..MaskFields::of_terrain(scene, &reader.mask, &input.terrain_below, control)?
    };
    let strokes = &mut Store::forgetful().strokes;
    let read = read_terrain(scene, LayerReader::Mask(layer), &input.sources);
    mask::weights(&cx, &reader.mask, &input.terrain_below, read, strokes, known)
}

/// Returns the terrain after a filter that needs `known`, data about the whole terrain. `None` if the node is not a
/// filter of this kind.
fn filter_surveyed(
    step: &LayerStep,
    cx: &Context,
    known: Option<SurveyedGround>,
    beneath: &Terrain,
) -> Result<Option<Terrain>, Cancelled> {
    let Some(known) = known else { return Ok(None) };
    let mut result = Terrain::clone(beneath);
    match (known, step.layer.node.parts()) {
        (SurveyedGround::Drainage(water), NodeParts::Drained(_, node)) => node.apply_drained(cx, water, &mut result)?,
        (SurveyedGround::Range(range), NodeParts::Ranged(node)) => node.apply_ranged(cx, range, &mut result)?,
        (SurveyedGround::Smoothed(smooth), NodeParts::Smoothed(_, node)) => {
            node.apply_smoothed(cx, smooth, &mut result)?;
        }
        _ => return Ok(None),
    }
    Ok(Some(result))
}

/// Makes the maps that a process does not write share the memory of the maps below it.
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

/// Runs the given iterations of a process, counted over all its stages.
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
        // If iterations of this stage remain, a later run continues from this state.
        ground = if end < gone { run.into_resumable_state() } else { run.into_terrain() };
    }
    Ok(ground)
}

/// The changes that coarse-to-fine processes of a scene made, up to the layer `topmost`, by layer index. Each change
/// covers a whole grid of `samples` per side, and includes the changes on all coarser grids.
///
/// # Errors
/// If the evaluation was cancelled.
pub fn level_changes(
    scene: &Scene,
    samples: usize,
    topmost: usize,
    control: &Control,
) -> Result<HashMap<usize, Terrain>, Cancelled> {
    let level = LevelTask { topmost: Some(topmost), ..LevelTask::whole(scene, samples, control) };
    let made = level.evaluate(&mut Store::forgetful())?;
    control.finish_layers();
    Ok(made.changes.into_iter().map(|(layer, made)| (layer, Arc::unwrap_or_clone(made.change))).collect())
}
