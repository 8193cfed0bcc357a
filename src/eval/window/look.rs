//! Describes the data that a layer or its mask reads to compute a sample: its stencil radius, and its data about the
//! whole terrain.

use super::SmoothedField;
use crate::eval::{LayerStep, context, plan};
use crate::field::{Control, Edges, Grid, MapKind};
use crate::nodes::multiscale::{LargestScale, StreamBeds};
use crate::nodes::{Context, NodeDrainage, NodeKind, NodeParts};
use crate::scene::{AttributeReach, Layer, Mask, ProcessSegment, Scene, TerrainAttribute};

/// Stencil radius, in cells, of the step that removes detail which a coarser grid does not have. The radius is wide
/// enough for interpolation through the coarse samples on both sides, even at a fine sample between two coarse samples.
const DETAIL_CELLS: usize = 6;

/// The stencil radius of a layer on a grid, and the other data that the layer needs.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerStencil {
    /// Stencil radius of the whole layer, in cells; for a process, over all its iterations.
    pub cells: usize,
    /// Stencil radius of one iteration, in cells, if the process can be interrupted.
    pub iteration_cells: Option<usize>,
    /// Stencil radius of the layer's mask, in cells.
    pub mask_cells: usize,
    /// Stencil radius, in cells, with which a process reads the coarser grid's result when it starts. A process that
    /// restores channel beds reads that result again when it ends, with the same radius.
    pub refine_cells: usize,
    /// Whether the layer reads the coarser result again when it ends, to restore channel beds.
    pub restores_beds: bool,
    /// Samples per side of the grid on which the layer's trunk streams are found. `None` if the layer keeps no trunk
    /// streams in place.
    pub settled: Option<usize>,
    /// Iterations of a process on this grid, over all its stages.
    pub iterations: u32,
    /// Whether the process continues from a coarser grid.
    pub is_refined: bool,
    /// Whether the process runs from coarse to fine.
    pub is_level: bool,
    /// Data about the whole terrain that the layer's node needs.
    pub survey: Option<LayerSurvey>,
    /// Whether each iteration of the process is computed in several steps ([`NodeParts::StreamPower`]).
    pub is_worn: bool,
    /// Smoothed fields of the whole terrain that the layer reads. A field that depends on another field comes after it.
    pub smoothed: Vec<SmoothedField>,
}

/// Data that a layer needs about the whole terrain below it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LayerSurvey {
    /// The drainage of the terrain.
    Drainage(NodeDrainage),
    /// The lowest and the highest height of the terrain.
    Range,
}

/// The stencil radius of layer `index` of a scene at `samples` per side. Also returns the reason if the layer cannot be
/// computed in parts ([`NodeParts::WholeTerrain`]). `None` for a layer that is not evaluated.
pub fn layer_stencil(scene: &Scene, samples: usize, index: usize) -> Option<(LayerStencil, Option<&'static str>)> {
    let steps = plan(scene, samples, None);
    let step = steps.iter().find(|step| step.index == index)?;
    let control = Control::default();
    let whole = Grid::working(samples, scene.settings.edges);
    let cx = Context { grid: whole, ..context(scene, samples, step.layer, &control) };
    let iterations = step.stages.iter().map(|stage| stage.iterations).sum();
    let beds = step.layer.node.traits().finer_grids.stream_beds;
    let keeps_beds = step.is_refined && keeps_streams(step.layer, samples);
    let refine_cells = if keeps_beds && beds.keeps_detail_out() { DETAIL_CELLS } else { 0 };
    let mut look = LayerStencil {
        cells: refine_cells,
        iteration_cells: None,
        mask_cells: mask_cells(&step.layer.mask),
        refine_cells,
        restores_beds: keeps_beds && beds.restores_beds(),
        settled: keeps_beds.then(|| settled_samples(step.layer)),
        iterations,
        is_refined: step.is_refined,
        is_level: step.is_level,
        survey: None,
        is_worn: false,
        smoothed: smoothed_fields(step.layer).collect(),
    };
    let mask = &step.layer.mask;
    let mut reason = match scene.settings.edges {
        Edges::Wrap => Some("the terrain wraps, so each edge needs data from the opposite edge"),
        Edges::Open if is_painted_together(mask) => Some("its painted mask has smooth or smear strokes"),
        Edges::Open => match distant_reach(scene, index) {
            None => None,
            Some(AttributeReach::Horizon) => Some("its mask reads the horizon, which may lie anywhere on the terrain"),
            Some(_) => Some("its mask reads the drainage of the whole terrain"),
        },
    };
    let nodes = stretches(step.layer, &cx);
    let mut farthest = Some(0usize);
    let rains = |below: &LayerStep| below.layer.node.traits().writes.contains(&MapKind::Rain);
    let is_rained_on = steps.iter().take_while(|below| below.index < index).any(rains);
    for (parts, iterations) in nodes {
        if is_rained_on && parts.sums_rain() {
            reason = reason.or(Some("its flow depends on the mean rain of the whole terrain"));
        }
        match (parts, parts.cells(&cx)) {
            (NodeParts::WholeTerrain(why), _) => reason = reason.or(Some(why)),
            (NodeParts::Iterations { resumes, .. }, Some(cells)) => {
                look.cells = look.cells.saturating_add(cells.saturating_mul(iterations as usize));
                farthest = farthest.filter(|_| resumes).map(|most| most.max(cells));
            }
            (NodeParts::Drained(drainage, _), _) => {
                (look.cells, look.survey, farthest) = (1, Some(LayerSurvey::Drainage(drainage)), None);
            }
            (NodeParts::StreamPower(..), _) => (look.is_worn, farthest) = (true, None),
            (NodeParts::Ranged(_), _) => (look.survey, farthest) = (Some(LayerSurvey::Range), None),
            (_, Some(cells)) => (look.cells, farthest) = (look.cells + cells, None),
            (_, None) => {}
        }
    }
    look.iteration_cells = farthest.filter(|_| step.layer.node.as_process().is_some());
    Some((look, reason))
}

/// Stencil radius of the conditions of a mask that read neighbours, in cells.
fn mask_cells(mask: &Mask) -> usize {
    let reads_neighbours =
        mask.attribute_read().is_some_and(|attribute| attribute.reach() == AttributeReach::Neighbours);
    usize::from(mask.by_slope || reads_neighbours)
}

/// The distant samples that the mask of layer `index` reads, if it reads any. The mask can then only be computed on the
/// whole terrain at once. A mask that reads the flow map of a layer reads no distant samples itself. A scene in which a
/// group blends with the terrain below is not computed in parts anyway, so that any shown layer below passes its maps
/// on.
fn distant_reach(scene: &Scene, index: usize) -> Option<AttributeReach> {
    let mask = &scene.layers[index].mask;
    let has_flow =
        (0..index).any(|k| scene.is_shown(k) && scene.layers[k].node.traits().writes.contains(&MapKind::Flow));
    let horizon = mask.attribute_read().map(TerrainAttribute::reach).filter(|reach| *reach == AttributeReach::Horizon);
    horizon.or_else(|| (mask.reads_flow() && !has_flow).then_some(AttributeReach::Drainage))
}

/// Whether the mask has strokes whose effect at a position depends on other positions as well.
fn is_painted_together(mask: &Mask) -> bool {
    mask.is_active() && mask.by_paint && !mask.painted.are_pointwise()
}

/// Samples per side of the grid on which the trunk streams of a layer are found.
pub(super) fn settled_samples(layer: &Layer) -> usize {
    layer.node.traits().finer_grids.stream_beds.trunk_stream_samples(layer.multiscale().largest)
}

/// Whether a layer keeps the trunk streams of a coarser grid in place on a grid of `samples` per side.
fn keeps_streams(layer: &Layer, samples: usize) -> bool {
    let settled = settled_samples(layer);
    layer.node.traits().finer_grids.stream_beds != StreamBeds::Free
        && samples > settled
        && layer.levels(samples).iter().any(|(level, _)| level.samples == settled)
}

/// The requirements of a layer's mask alone: its stencil radius and the fields that it reads smoothed. Also returns the
/// reason if the mask can only be computed on the whole terrain at once.
pub fn mask_stencil(scene: &Scene, index: usize) -> (LayerStencil, Option<&'static str>) {
    let mask = &scene.layers[index].mask;
    let reason = match scene.settings.edges {
        Edges::Wrap => Some("the terrain wraps, so each edge needs data from the opposite edge"),
        Edges::Open if scene.blending_group().is_some() => Some("a group blends its terrain with the terrain below"),
        Edges::Open if is_painted_together(mask) => Some("it has smooth or smear strokes"),
        Edges::Open => match distant_reach(scene, index) {
            None => None,
            Some(AttributeReach::Horizon) => Some("it reads the horizon, which may lie anywhere on the terrain"),
            Some(_) => Some("it reads the drainage of the whole terrain"),
        },
    };
    let look = LayerStencil {
        cells: 0,
        iteration_cells: None,
        mask_cells: mask_cells(mask),
        refine_cells: 0,
        restores_beds: false,
        settled: None,
        iterations: 0,
        is_refined: false,
        is_level: false,
        survey: None,
        is_worn: false,
        smoothed: smoothed_fields(&scene.layers[index]).filter(|&field| field != SmoothedField::Ground).collect(),
    };
    (look, reason)
}

/// For each stage of a layer, how the stage can be computed in parts on the grid of `cx`, and its number of iterations
/// on that grid. A node that is not a process has a single stage.
fn stretches<'a>(layer: &'a Layer, cx: &Context) -> Vec<(NodeParts<'a>, u32)> {
    let on_grid = |stage: &ProcessSegment| match layer.multiscale().largest {
        LargestScale::OneGrid => cx.iterations(stage.iterations, stage.process.pace()),
        _ => stage.iterations,
    };
    match (layer.levels(cx.grid.samples).pop(), layer.node.work()) {
        (Some((_, stages)), NodeKind::Process(_)) => {
            let mut all: Vec<_> = stages.iter().map(|stage| (stage.node.parts(), on_grid(stage))).collect();
            all.push((layer.node.parts(), 0));
            all
        }
        _ => vec![(layer.node.parts(), 1)],
    }
}

/// The smoothed fields of the whole terrain that a layer reads. A field that depends on another field comes after it.
fn smoothed_fields(layer: &Layer) -> impl Iterator<Item = SmoothedField> + use<'_> {
    let fields = [SmoothedField::Ground, SmoothedField::Curvature, SmoothedField::Mask];
    fields.into_iter().filter(|&field| smoothing_metres(layer, field).is_some())
}

/// The standard deviation, in metres, with which a layer smooths a field; `None` if the layer does not read the field
/// smoothed.
pub(super) fn smoothing_metres(layer: &Layer, field: SmoothedField) -> Option<f32> {
    let mask = Some(&layer.mask).filter(|mask| mask.is_active());
    match (field, layer.node.parts()) {
        (SmoothedField::Ground, NodeParts::Smoothed(smoothing, _)) => Some(smoothing.metres),
        // These fields are smoothed within an iteration, with the deviation that the creep of the stream power equation
        // sets.
        (SmoothedField::Ground | SmoothedField::Eroded, _) => None,
        (SmoothedField::Curvature, _) => mask.filter(|mask| mask.by_curvature).map(|mask| mask.curvature_metres),
        (SmoothedField::Mask, _) => mask.map(|mask| mask.soften_metres).filter(|&metres| metres > 0.0),
    }
}
