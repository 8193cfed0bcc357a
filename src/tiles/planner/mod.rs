//! Divides a scene into stages.
//!
//! Consecutive layers share a stage as long as their combined halo stays within [`most_halo`] cells. Then a new stage
//! starts. It reads the product of the previous stage, around each tile as far as its own halo.
//!
//! - A process with a wider halo is divided into batches of iterations, if it is resumable.
//! - Layers that cannot be computed in parts are stages of one task.
//! - Before a coarse-to-fine erosion process there are stages for its coarser grids. Grids of up to two tiles per side
//!   are computed at once, finer grids in tiles.
//! - Before a layer that needs data about its whole input (its drainage or its height range) there are survey stages
//!   ([`SurveyStep`]). Each tile summarises its own terrain, if possible in the stage that makes the terrain. Then one
//!   task computes the answer for every tile.
//! - Fields that a layer or its mask reads smoothed are smoothed in stages before the layer, first by columns of tiles,
//!   then by rows ([`SmoothingStep`]).
//! - A water-driven erosion process has stages for each of its iterations ([`Planner::plan_water_driven_erosion`]).

mod water;

use std::collections::HashMap;

use crate::eval::window::{LayerStencil, LayerSurvey, SmoothedField, layer_stencil, mask_stencil, source_scene};
use crate::eval::{MemoryUse, estimate, terrain_key};
use crate::field::{Edges, MAX_SAMPLES};
use crate::nodes::multiscale::coarser_samples;
use crate::scene::{LayerReader, Scene};
use crate::tiles::plan::{
    PlanStage, PlannedLayer, PlannedMask, PlannedSmoothing, SmoothingStep, StageProduct, SurveyStep, TilePlan,
    tile_count,
};
use crate::tiles::{LEAST_TILE, MOST_SAMPLES, TileError};

/// Maximum halo of a stage in cells. With tiles of 2048 samples per side, a halo of this width takes a quarter of the
/// work.
fn most_halo(tile: usize) -> usize {
    (tile / 16).max(24)
}

/// Plans the build of `scene` at `samples` per side in tiles of `tile` samples.
///
/// # Errors
/// If the scene cannot be built in tiles, or the sizes are out of range.
pub fn tile_plan(scene: &Scene, samples: usize, tile: usize) -> Result<TilePlan, TileError> {
    tile_plan_with_masks(scene, samples, tile, &[])
}

/// As [`tile_plan`], and also keeps the masks of some layers, given by index.
///
/// # Errors
/// As [`tile_plan`].
pub fn tile_plan_with_masks(
    scene: &Scene,
    samples: usize,
    tile: usize,
    masks: &[usize],
) -> Result<TilePlan, TileError> {
    if scene.is_planet() {
        return Err(TileError::Planet);
    }
    if !(2..=MOST_SAMPLES).contains(&samples) || !(LEAST_TILE..=MOST_SAMPLES).contains(&tile) {
        return Err(TileError::Sizes);
    }
    let layers = scene.layers.len();
    if let Some(&layer) = masks.iter().find(|layer| **layer >= layers) {
        return Err(TileError::NoLayer { layer, layers });
    }
    let mut masks = masks.to_vec();
    masks.sort_unstable();
    masks.dedup();
    let mut planner = Planner {
        tile,
        stages: Vec::new(),
        streams: HashMap::new(),
        known: HashMap::new(),
        masks_to_plan: masks,
        masks: Vec::new(),
    };
    let made = planner.plan_stack(&[], scene, samples, None)?;
    for layer in std::mem::take(&mut planner.masks_to_plan) {
        planner.plan_mask(scene, layer, made.ground, samples)?;
    }
    let result = match made.ground {
        Some(result) => result,
        None => planner.plan_level_ground(&[], scene, samples),
    };
    Ok(TilePlan {
        samples,
        tile,
        scene_key: format!("{:032x}", terrain_key(scene, samples).bits()),
        stages: planner.stages,
        result,
        masks: planner.masks,
    })
}

/// The products that exist after the layers of a scene on a grid.
#[derive(Clone, Debug, Default)]
struct StackProducts {
    ground: Option<StageProduct>,
    /// Changes that processes made, by layer.
    changes: HashMap<usize, StageProduct>,
}

struct Planner {
    tile: usize,
    stages: Vec<PlanStage>,
    /// Trunk streams, by layer, path of references to the layer's scene, and samples per side of the streams' grid.
    streams: HashMap<(usize, Vec<LayerReader>, usize), StageProduct>,
    /// Layer stacks whose stages are already planned. The key is the content of the scene, the samples per side, and
    /// the topmost layer whose changes are needed.
    known: HashMap<(u128, usize, Option<usize>), StackProducts>,
    /// Layers whose masks are kept and not planned yet, in ascending order.
    masks_to_plan: Vec<usize>,
    masks: Vec<PlannedMask>,
}

/// Products of the coarser grid from which an erosion process starts.
#[derive(Clone, Copy)]
struct CoarseProducts {
    change: StageProduct,
    streams: Option<StageProduct>,
}

impl PlanStage {
    /// Makes the process of `layer` start from the products of a coarser grid, if there are any.
    fn start_from(&mut self, layer: usize, coarse: Option<&CoarseProducts>) {
        self.changes.extend(coarse.map(|coarse| (layer, coarse.change)));
        self.streams.extend(coarse.and_then(|coarse| Some((layer, coarse.streams?))));
    }
}

/// A visible layer, with its halo and other requirements for tiles.
struct VisibleLayer {
    index: usize,
    look: LayerStencil,
    reason: Option<&'static str>,
}

impl Planner {
    /// Creates a stage that is computed in tiles and has no layers yet.
    fn stage(&self, path: &[LayerReader], samples: usize) -> PlanStage {
        PlanStage {
            samples,
            tasks: tile_count(samples, self.tile).pow(2),
            layers: Vec::new(),
            whole: Vec::new(),
            source_path: path.to_vec(),
            halo: 0,
            memory_bytes: 0,
            terrain_below: None,
            unfinished: None,
            changes: Vec::new(),
            streams: Vec::new(),
            sources: Vec::new(),
            survey: None,
            summary: None,
            smoothed: Vec::new(),
            smoothing: None,
            mask_of: None,
            writes: Vec::new(),
        }
    }

    /// Adds a stage that writes a terrain, and returns that product.
    fn push(&mut self, mut stage: PlanStage) -> StageProduct {
        let ground = StageProduct::Ground(self.stages.len());
        stage.writes.insert(0, ground);
        self.stages.push(stage);
        ground
    }

    /// Plans the stages of a scene on a grid. With `topmost`, plans only the coarse-to-fine processes up to that layer,
    /// because only the changes that they make are needed.
    fn plan_stack(
        &mut self,
        path: &[LayerReader],
        scene: &Scene,
        samples: usize,
        topmost: Option<usize>,
    ) -> Result<StackProducts, TileError> {
        let key = (terrain_key(scene, samples).bits(), samples, topmost);
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        if let Some(group) = scene.blending_group() {
            let made = self.whole_stack(path, scene, samples, group);
            self.known.insert(key, made.clone());
            return Ok(made);
        }
        let looks = |index: usize| {
            layer_stencil(scene, samples, index).map(|(look, reason)| VisibleLayer { index, look, reason })
        };
        let end = topmost.map_or(scene.layers.len(), |topmost| topmost + 1);
        let layers: Vec<VisibleLayer> = (0..end).filter_map(looks).collect();
        let made = match topmost {
            Some(topmost) if samples <= 2 * self.tile + 1 => {
                self.plan_coarser_grids(path, scene, samples, topmost, &layers)
            }
            _ => self.stack(path, scene, samples, topmost.is_some(), &layers)?,
        };
        self.known.insert(key, made.clone());
        Ok(made)
    }

    /// Adds one stage that computes all layers of a scene on the whole terrain at once. Stages in tiles do not keep the
    /// terrain below the group `group`, with which the group is blended.
    fn whole_stack(&mut self, path: &[LayerReader], scene: &Scene, samples: usize, group: usize) -> StackProducts {
        let joining = &scene.layers[group].name;
        let mut stage = PlanStage { tasks: 1, ..self.stage(path, samples) };
        for index in (0..scene.layers.len()).filter(|&index| scene.is_shown(index)) {
            let name = scene.layers[index].name.clone();
            stage.whole.push(match scene.blends_with_below(index) {
                true => format!("{name}: it joins the ground below it with the terrain of its layers"),
                false => format!("{name}: it is computed together with the group `{joining}`"),
            });
            stage.layers.push(PlannedLayer { layer: index, name, iterations: None });
        }
        stage.memory_bytes = memory_of_task(scene, &stage, self.tile);
        StackProducts { ground: Some(self.push(stage)), changes: HashMap::new() }
    }

    /// Adds one stage that computes the coarser grids of erosion processes on the whole terrain at once.
    fn plan_coarser_grids(
        &mut self,
        path: &[LayerReader],
        scene: &Scene,
        samples: usize,
        topmost: usize,
        layers: &[VisibleLayer],
    ) -> StackProducts {
        let number = self.stages.len();
        let levels = layers.iter().filter(|layer| layer.look.is_level && layer.index <= topmost);
        let changes: HashMap<_, _> =
            levels.map(|layer| (layer.index, StageProduct::Change(number, layer.index))).collect();
        let mut writes: Vec<_> = changes.values().copied().collect();
        writes.sort();
        self.stages.push(PlanStage {
            tasks: 1,
            whole: vec![format!("coarser grids of up to {samples} samples are small enough")],
            memory_bytes: memory_of_whole(scene, samples),
            writes,
            ..self.stage(path, samples)
        });
        StackProducts { ground: None, changes }
    }

    fn stack(
        &mut self,
        path: &[LayerReader],
        scene: &Scene,
        samples: usize,
        wants_changes: bool,
        layers: &[VisibleLayer],
    ) -> Result<StackProducts, TileError> {
        let coarse = match (layers.iter().rfind(|layer| layer.look.is_refined), coarser_samples(samples)) {
            (Some(refined), Some(coarser)) => self.plan_stack(path, scene, coarser, Some(refined.index))?.changes,
            _ => HashMap::new(),
        };
        let mut begins = HashMap::new();
        for layer in layers {
            let Some(&change) = coarse.get(&layer.index) else { continue };
            let streams = layer.look.settled.map(|settled| self.plan_streams(path, scene, layer.index, settled));
            begins.insert(layer.index, CoarseProducts { change, streams });
        }
        let mut sources = HashMap::new();
        for layer in layers {
            for reader in scene.layers[layer.index].readers(layer.index) {
                let made = self.plan_source(path, scene, reader, samples)?;
                sources.extend(made.map(|made| (reader, made)));
            }
        }
        let mut made = StackProducts::default();
        let mut open = OpenStage { stage: self.stage(path, samples), levels: Vec::new() };
        let is_result = path.is_empty() && !wants_changes;
        for layer in layers {
            while is_result && let Some(&wanted) = self.masks_to_plan.first().filter(|wanted| **wanted <= layer.index) {
                if !open.stage.layers.is_empty() {
                    self.close(scene, &mut open, &mut made);
                }
                self.masks_to_plan.remove(0);
                self.plan_mask(scene, wanted, open.stage.terrain_below, samples)?;
            }
            self.add_layer(scene, layer, &begins, &sources, wants_changes, &mut open, &mut made);
        }
        if !open.stage.layers.is_empty() {
            self.close(scene, &mut open, &mut made);
        }
        Ok(made)
    }

    /// Adds a layer to the open stage, or closes that stage and starts new stages.
    #[allow(clippy::too_many_arguments, reason = "it is the body of a loop over layers")]
    fn add_layer(
        &mut self,
        scene: &Scene,
        layer: &VisibleLayer,
        coarse: &HashMap<usize, CoarseProducts>,
        sources: &HashMap<LayerReader, StageProduct>,
        wants_changes: bool,
        open: &mut OpenStage,
        made: &mut StackProducts,
    ) {
        let (index, look, most) = (layer.index, &layer.look, most_halo(self.tile));
        let name = scene.layers[index].name.clone();
        let cells = look.cells.saturating_add(look.mask_cells);
        let batch = look.iteration_cells.filter(|_| cells > most).map(|cells| (most / cells.max(1)).max(1) as u32);
        let too_far = batch.is_none() && cells > 2 * self.tile;
        let reason = layer
            .reason
            .map(str::to_string)
            .or_else(|| too_far.then(|| format!("it reads {cells} cells around each sample, more than two tiles")));
        if reason.is_some() != open.stage.is_one_piece() && !open.stage.layers.is_empty() {
            self.close(scene, open, made);
        }
        let mut planned = PlannedLayer { layer: index, name, iterations: None };
        let mut smoothed = Vec::new();
        if reason.is_none() && !look.smoothed.is_empty() {
            if !open.stage.layers.is_empty() {
                self.close(scene, open, made);
            }
            let source = sources.get(&LayerReader::Mask(index)).copied();
            smoothed = self.plan_smoothing(scene, &planned, look, source, &open.stage);
        }
        if let (None, Some(asked)) = (&reason, look.survey) {
            if !open.stage.layers.is_empty() {
                self.close(scene, open, made);
            }
            open.stage.survey = Some(self.plan_survey(scene, (&planned, None), asked, &open.stage));
            open.stage.halo = cells;
            open.stage.smoothed = smoothed;
            open.add(planned, look, coarse, sources, wants_changes);
            if matches!(asked, LayerSurvey::Drainage(_)) {
                // The layer's result is known only inside the tile, so no halo remains for the next layer.
                self.close(scene, open, made);
            }
            return;
        }
        if reason.is_none() && look.is_worn && look.iterations > 0 {
            if !open.stage.layers.is_empty() {
                self.close(scene, open, made);
            }
            open.stage.smoothed = smoothed;
            self.plan_water_driven_erosion(scene, layer, &mut planned, coarse.get(&index).copied(), open);
            open.add(planned, look, coarse, sources, wants_changes);
            return;
        }
        if let Some(reason) = reason {
            open.stage.whole.push(format!("{}: {reason}", planned.name));
            open.stage.tasks = 1;
        } else {
            if open.stage.halo + cells.min(most) > most && !open.stage.layers.is_empty() {
                self.close(scene, open, made);
            }
            let Some(batch) = batch else {
                open.stage.halo += cells;
                open.stage.smoothed.extend(smoothed);
                open.add(planned, look, coarse, sources, wants_changes);
                return;
            };
            // Every batch except the last is a stage of its own. All batches have the same terrain below.
            if !open.stage.layers.is_empty() {
                self.close(scene, open, made);
            }
            let iteration_cells = look.iteration_cells.unwrap_or(0);
            let mut first = 0;
            while first + batch < look.iterations {
                let mut stage = PlanStage { halo: iteration_cells * batch as usize, ..open.stage.clone() };
                planned.iterations = Some((first, first + batch));
                stage.layers.push(planned.clone());
                if first == 0 {
                    stage.halo += look.refine_cells;
                    stage.start_from(index, coarse.get(&index));
                }
                stage.memory_bytes = memory_of_task(scene, &stage, self.tile);
                open.stage.unfinished = Some(self.push(stage));
                first += batch;
            }
            let left = (look.iterations - first) as usize;
            open.stage.halo = iteration_cells * left + look.mask_cells;
            if first == 0 || look.restores_beds {
                open.stage.halo += look.refine_cells;
            }
            if first > 0 && look.restores_beds {
                open.stage.start_from(index, coarse.get(&index));
            }
            planned.iterations = (first > 0).then_some((first, look.iterations));
            open.stage.smoothed.extend(smoothed);
        }
        open.add(planned, look, coarse, sources, wants_changes);
    }

    /// Plans the stages of the terrain, or of the mask, that `reader` reads.
    fn plan_source(
        &mut self,
        path: &[LayerReader],
        scene: &Scene,
        reader: LayerReader,
        samples: usize,
    ) -> Result<Option<StageProduct>, TileError> {
        let Some(source) = source_scene(scene, reader) else { return Ok(None) };
        let path = [path, &[reader]].concat();
        let ground = self.plan_stack(&path, &source.scene, samples, None)?.ground;
        if let Some(layer) = source.mask() {
            return self.plan_mask_field(&path, &source.scene, layer, ground, samples).map(Some);
        }
        Ok(Some(ground.unwrap_or_else(|| self.plan_level_ground(&path, scene, samples))))
    }

    /// Plans a stage of level ground, for a scene without layers.
    fn plan_level_ground(&mut self, path: &[LayerReader], scene: &Scene, samples: usize) -> StageProduct {
        let level = self.stage(path, samples);
        // A wrapping square cannot be cut into windows.
        let tasks = if scene.settings.edges == Edges::Wrap { 1 } else { level.tasks };
        self.push(PlanStage { tasks, ..level })
    }

    /// Plans the stages of the mask of a layer, which the build keeps, on the terrain below the layer.
    fn plan_mask(
        &mut self,
        scene: &Scene,
        index: usize,
        beneath: Option<StageProduct>,
        samples: usize,
    ) -> Result<(), TileError> {
        let product = self.plan_mask_field(&[], scene, index, beneath, samples)?;
        self.masks.push(PlannedMask { layer: index, name: scene.layers[index].name.clone(), product });
        Ok(())
    }

    /// Plans the stages of the mask of a layer, on the terrain below the layer.
    fn plan_mask_field(
        &mut self,
        path: &[LayerReader],
        scene: &Scene,
        index: usize,
        beneath: Option<StageProduct>,
        samples: usize,
    ) -> Result<StageProduct, TileError> {
        let (name, (look, reason)) = (scene.layers[index].name.clone(), mask_stencil(scene, index));
        let layer = PlannedLayer { layer: index, name: name.clone(), iterations: None };
        let mut stage = PlanStage { terrain_below: beneath, mask_of: Some(layer.clone()), ..self.stage(path, samples) };
        if let Some(reason) = reason {
            stage.whole.push(format!("mask of {name}: {reason}"));
            (stage.tasks, stage.terrain_below) = (1, None);
        } else {
            let reader = LayerReader::Mask(index);
            let source = self.plan_source(path, scene, reader, samples)?;
            stage.halo = look.mask_cells;
            stage.smoothed = self.plan_smoothing(scene, &layer, &look, source, &stage);
            // If the mask is blurred, an earlier stage has read the source.
            let is_softened = look.smoothed.contains(&SmoothedField::Mask);
            stage.sources = source.filter(|_| !is_softened).map(|source| (reader, source)).into_iter().collect();
        }
        stage.memory_bytes = memory_of_task(scene, &stage, self.tile);
        let product = StageProduct::Field(self.stages.len());
        stage.writes.push(product);
        self.stages.push(stage);
        Ok(product)
    }

    /// Plans the stages that smooth fields for a layer, on the terrain below the stage `at`. `source` is the terrain
    /// that the layer's mask reads.
    fn plan_smoothing(
        &mut self,
        scene: &Scene,
        layer: &PlannedLayer,
        look: &LayerStencil,
        source: Option<StageProduct>,
        at: &PlanStage,
    ) -> Vec<(usize, SmoothedField, StageProduct)> {
        let mut made: Vec<(usize, SmoothedField, StageProduct)> = Vec::new();
        for &field in &look.smoothed {
            let mut from = at.terrain_below;
            let steps = [SmoothingStep::Weights, SmoothingStep::Columns, SmoothingStep::Rows];
            for step in steps.into_iter().skip(usize::from(field != SmoothedField::Mask)) {
                let smoothing =
                    PlannedSmoothing { layer: layer.layer, name: layer.name.clone(), iteration: None, field, step };
                let product = StageProduct::Field(self.stages.len());
                let mut stage = PlanStage {
                    terrain_below: from,
                    smoothing: Some(smoothing),
                    writes: vec![product],
                    ..self.stage(&at.source_path, at.samples)
                };
                if step == SmoothingStep::Weights {
                    stage.halo = look.mask_cells;
                    stage.sources = source.iter().map(|&source| (LayerReader::Mask(layer.layer), source)).collect();
                    stage.smoothed =
                        made.iter().filter(|(_, of, _)| *of == SmoothedField::Curvature).copied().collect();
                    stage.memory_bytes = memory_of_task(scene, &stage, self.tile);
                } else {
                    stage.tasks = tile_count(stage.samples, self.tile);
                    stage.memory_bytes = memory_of_lines(stage.samples, self.tile);
                }
                self.stages.push(stage);
                from = Some(product);
            }
            made.extend(from.map(|product| (layer.layer, field, product)));
        }
        // The blurred weights already include the curvature condition, so its smoothed heights are not needed.
        made.retain(|(_, field, _)| {
            *field != SmoothedField::Curvature || !look.smoothed.contains(&SmoothedField::Mask)
        });
        made
    }

    /// Ends the open stage, and opens another one that starts from its product.
    fn close(&mut self, scene: &Scene, open: &mut OpenStage, made: &mut StackProducts) {
        let next = self.stage(&open.stage.source_path, open.stage.samples);
        let mut stage = std::mem::replace(&mut open.stage, next);
        let number = self.stages.len();
        for layer in std::mem::take(&mut open.levels) {
            let change = StageProduct::Change(number, layer);
            stage.writes.push(change);
            made.changes.insert(layer, change);
        }
        stage.memory_bytes = memory_of_task(scene, &stage, self.tile);
        let ground = self.push(stage);
        (made.ground, open.stage.terrain_below) = (Some(ground), Some(ground));
    }
}

/// The stage to which layers are being added.
struct OpenStage {
    stage: PlanStage,
    /// Layers whose changes later stages need.
    levels: Vec<usize>,
}

impl OpenStage {
    fn add(
        &mut self,
        planned: PlannedLayer,
        look: &LayerStencil,
        coarse: &HashMap<usize, CoarseProducts>,
        sources: &HashMap<LayerReader, StageProduct>,
        wants_changes: bool,
    ) {
        let index = planned.layer;
        if planned.iterations.is_none() {
            self.stage.start_from(index, coarse.get(&index));
        }
        let is_softened =
            self.stage.smoothed.iter().any(|(of, field, _)| (*of, *field) == (index, SmoothedField::Mask));
        // If the mask is blurred, an earlier stage has read the source.
        let mask = Some(LayerReader::Mask(index)).filter(|_| !is_softened);
        let readers = [LayerReader::Node(index)].into_iter().chain(mask);
        self.stage.sources.extend(readers.filter_map(|reader| Some((reader, *sources.get(&reader)?))));
        self.levels.extend((wants_changes && look.is_level).then_some(index));
        self.stage.layers.push(planned);
    }
}

/// Maximum memory in bytes of a task of a stage.
fn memory_of_task(scene: &Scene, stage: &PlanStage, tile: usize) -> u64 {
    let widest = (tile + tile / 2 + 2 * stage.halo).min(stage.samples);
    let cells = (widest * widest) as u64;
    let water = if stage.survey.is_some() || stage.summary.is_some() { WATER_BYTES * cells } else { 0 };
    let smoothed = NUMBER_BYTES * cells * stage.smoothed.len() as u64;
    memory_of_whole(scene, if stage.is_one_piece() { stage.samples } else { widest }) + water + smoothed
}

/// Size in bytes of one value of a field.
const NUMBER_BYTES: u64 = 4;
/// Values per sample of a line that the threads hold while they smooth. Each of up to 16 threads holds 8 lines in
/// double precision, in two copies.
const LINE_NUMBERS: u64 = 16 * 2 * 8 * 2;

/// Maximum memory in bytes for smoothing a row or column of tiles: its lines, and one tile.
fn memory_of_lines(samples: usize, tile: usize) -> u64 {
    let widest = (tile + tile / 2).min(samples) as u64;
    NUMBER_BYTES * (samples as u64 * (widest + LINE_NUMBERS) + 2 * widest * widest)
}

/// Additional bytes per cell for the drainage of a tile.
const WATER_BYTES: u64 = 24;
/// Bytes per cell on the border of a tile, in the task that combines the drainage of all tiles.
const RIM_BYTES: u64 = 600;
/// Like [`RIM_BYTES`], for the task that combines trunks: many more trunk cells are inside tiles than on their borders.
const TRUNK_BYTES: u64 = 5000;

/// Maximum memory in bytes for combining the drainage of all tiles.
fn memory_of_rims(samples: usize, tile: usize, step: SurveyStep) -> u64 {
    let tiles = tile_count(samples, tile) as u64;
    let each = if step == SurveyStep::Trunks { TRUNK_BYTES } else { RIM_BYTES };
    // One bit for each cell, for the search on flats and for the summary that it is read from.
    let bits = if step == SurveyStep::FlatDistances { samples as u64 * samples as u64 / 4 } else { 0 };
    each * 4 * tiles * samples as u64 + bits
}

/// Maximum memory in bytes for evaluating a scene at `samples` per side.
fn memory_of_whole(scene: &Scene, samples: usize) -> u64 {
    let known = samples.min(MAX_SAMPLES);
    let more = samples as f64 / known as f64;
    (estimate(scene, known, &MemoryUse::TERRAIN) as f64 * more * more) as u64
}
