//! One task of a plan: a tile of a stage, or a whole stage.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

use super::plan::{PlanStage, PlannedSmoothing, SmoothingStep, StageProduct, SurveyStep, TilePlan};
use super::plan_file::read_plan;
use super::store::window_region;
use super::tile_file::TileId;
use super::{TileError, TileStore};
use crate::eval::window::{
    LayerPart, WindowInput, evaluate_window, level_changes, smooth_lines, source_scene, trunk_streams, window_mask,
    window_weights,
};
use crate::eval::{Store, evaluate, layer_mask};
use crate::field::{Control, DISPLACEMENT_HALO, Grid, MapKind, Region, Terrain, input_samples};
use crate::nodes::multiscale::coarser_samples;
use crate::scene::Scene;

/// A build in tiles: its plan, its scene, and the tiles finished so far.
#[derive(Clone, Debug)]
pub struct TileBuild {
    /// The plan of the build.
    pub plan: TilePlan,
    /// The scene to build.
    pub scene: Scene,
    /// The folder with the tiles.
    pub store: TileStore,
}

/// The outcome of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskOutcome {
    /// The task was run.
    Done,
    /// The task was not run, because all its tiles existed already.
    WasDone,
}

impl TileBuild {
    /// Reads the plan and the scene in a folder.
    ///
    /// # Errors
    /// If they are missing or were changed, or a file that the scene names has changed since the plan was made.
    pub fn open(folder: &std::path::Path) -> Result<Self, TileError> {
        let (plan, scene) = read_plan(folder)?;
        let store = TileStore::new(folder, &plan);
        Ok(Self { plan, scene, store })
    }

    /// The tiles that a task makes, by row and column.
    pub fn places(&self, stage: usize, task: usize) -> Vec<[usize; 2]> {
        let tiles = self.plan.tiles(stage);
        let place = |tile: usize| [tile / tiles, tile % tiles];
        let planned = &self.plan.stages[stage];
        match planned.along_lines().map(|smoothing| smoothing.step) {
            Some(SmoothingStep::Columns) => (0..tiles).map(|row| [row, task]).collect(),
            Some(_) => (0..tiles).map(|column| [task, column]).collect(),
            None if planned.is_whole() => (0..tiles * tiles).map(place).collect(),
            None => vec![place(task)],
        }
    }

    /// Runs a task, unless it is done; call this function inside the thread pool to use.
    ///
    /// # Errors
    /// If there is no such task, one of its inputs does not exist yet, a file cannot be read or written, or the task
    /// was cancelled.
    pub fn run_task(&self, stage: usize, task: usize, control: &Control) -> Result<TaskOutcome, TileError> {
        self.known_task(stage, task)?;
        if self.is_done(stage, task)? {
            return Ok(TaskOutcome::WasDone);
        }
        // The task reads only its input tiles, in their present state.
        let store = self.store.of_task(self.tiles_read(stage, task), self.first_tile(stage, task))?;
        Self { store, ..self.clone() }.make_tiles(stage, task, control)?;
        Ok(TaskOutcome::Done)
    }

    /// Computes and writes the tiles of a task.
    fn make_tiles(&self, stage: usize, task: usize, control: &Control) -> Result<(), TileError> {
        let planned = &self.plan.stages[stage];
        let scene = self.scene_of(planned)?;
        if let Some(survey) = planned.survey.as_ref().filter(|survey| !survey.step.leaves_ground()) {
            return self.survey(stage, task, survey, &scene, control);
        }
        if let Some(layer) = &planned.mask_of {
            let (grid, samples) = (self.window_of(stage, task), planned.samples);
            let mut mask = Terrain::flat(grid);
            mask.height = match planned.is_one_piece() {
                true => layer_mask(&scene, layer.layer, samples, &mut Store::forgetful(), control)?.weights,
                false => window_mask(&scene, samples, grid, layer.layer, self.input(planned, &scene, grid)?, control)?,
            };
            for place in self.places(stage, task) {
                self.store.write(&self.plan, StageProduct::Field(stage), place, &mask)?;
            }
            return Ok(());
        }
        if let Some(smoothing) = &planned.smoothing {
            match smoothing.step {
                SmoothingStep::Weights => self.weights(stage, task, smoothing, &scene, control)?,
                SmoothingStep::Columns | SmoothingStep::Rows => {
                    self.smooth_tiles(stage, task, smoothing, &scene, control)?;
                }
            }
            return Ok(());
        }
        let wear = planned.survey.as_ref().filter(|survey| survey.step == SurveyStep::Erosion);
        let made = if let Some(wear) = wear {
            BTreeMap::from([(StageProduct::Ground(stage), self.eroded_tile(stage, task, wear, &scene, control)?)])
        } else if planned.layers.is_empty() && planned.writes.contains(&StageProduct::Ground(stage)) {
            let grid = self.window_of(stage, task);
            BTreeMap::from([(StageProduct::Ground(stage), Terrain::flat(grid))])
        } else if scene.blending_group().is_some() {
            let made = evaluate(&scene, planned.samples, None, &mut Store::forgetful(), control)?;
            BTreeMap::from([(StageProduct::Ground(stage), Arc::unwrap_or_clone(made.terrain))])
        } else if planned.layers.is_empty() {
            self.coarser_grids(stage, planned, &scene, control)?
        } else {
            self.evaluated(stage, task, planned, &scene, control)?
        };
        for (product, terrain) in &made {
            for place in self.places(stage, task) {
                control.check()?;
                self.store.write(&self.plan, *product, place, terrain)?;
            }
        }
        Ok(())
    }

    /// The files that a task reads in addition to the plan and the scene.
    ///
    /// # Errors
    /// If there is no such task.
    pub fn files_read(&self, stage: usize, task: usize) -> Result<Vec<PathBuf>, TileError> {
        self.known_task(stage, task)?;
        Ok(self.paths(self.tiles_read(stage, task)))
    }

    /// The files that a task writes.
    ///
    /// # Errors
    /// If there is no such task.
    pub fn files_written(&self, stage: usize, task: usize) -> Result<Vec<PathBuf>, TileError> {
        self.known_task(stage, task)?;
        Ok(self.paths(self.tiles_written(stage, task)))
    }

    fn known_task(&self, stage: usize, task: usize) -> Result<(), TileError> {
        let is_known = self.plan.stages.get(stage).is_some_and(|planned| task < planned.tasks);
        if is_known { Ok(()) } else { Err(TileError::NoTask { stage, task }) }
    }

    fn paths(&self, tiles: Vec<TileId>) -> Vec<PathBuf> {
        tiles.into_iter().map(|tile| self.store.path(tile.product, tile.place)).collect()
    }

    /// The tiles that a task writes.
    pub(super) fn tiles_written(&self, stage: usize, task: usize) -> Vec<TileId> {
        let (writes, places) = (&self.plan.stages[stage].writes, self.places(stage, task));
        writes.iter().flat_map(|&product| places.iter().map(move |&place| TileId { product, place })).collect()
    }

    /// The tile whose file lists the tiles that its task read.
    pub(super) fn first_tile(&self, stage: usize, task: usize) -> TileId {
        TileId { product: self.plan.stages[stage].writes[0], place: self.places(stage, task)[0] }
    }

    /// The tiles that a task reads.
    pub(super) fn tiles_read(&self, stage: usize, task: usize) -> Vec<TileId> {
        let planned = &self.plan.stages[stage];
        let (window, own) = (self.window_of(stage, task), self.places(stage, task));
        let around = match planned.along_lines() {
            Some(_) => own.iter().fold(Region::none(), |all, &place| all.union(&self.plan.region(stage, place))),
            None => window_region(window),
        };
        let is_for_all = planned.survey.as_ref().is_some_and(|survey| survey.step.is_one_task());
        let mut read = Vec::new();
        for product in planned.reads() {
            let from = product.stage();
            let region = match planned.samples == self.plan.stages[from].samples {
                true => around.clone(),
                false => self.coarse_window(product, window),
            };
            let tiles = self.plan.tiles(from);
            for place in (0..tiles * tiles).map(|tile| [tile / tiles, tile % tiles]) {
                let is_read = match product {
                    // All tiles have the same streams, so the first tile's file is read.
                    StageProduct::Survey(_) if planned.streams.iter().any(|(_, streams)| *streams == product) => {
                        place == [0; 2]
                    }
                    StageProduct::Survey(_) => is_for_all || own.contains(&place),
                    StageProduct::Kept(_) => own.contains(&place),
                    _ => self.plan.region(from, place).overlaps(&region),
                };
                read.extend(is_read.then_some(TileId { product, place }));
            }
        }
        read
    }

    /// The scene whose layers a stage computes.
    fn scene_of(&self, planned: &PlanStage) -> Result<Scene, TileError> {
        let mut scene = self.scene.clone();
        for &reader in &planned.source_path {
            let source = source_scene(&scene, reader);
            scene = source.ok_or_else(|| TileError::NoSource { layer: reader.layer().to_string() })?.scene;
        }
        Ok(scene)
    }

    /// The square window of a task: its tile and the halo around the tile.
    fn window_of(&self, stage: usize, task: usize) -> Grid {
        let (planned, whole) = (&self.plan.stages[stage], self.plan.grid(stage, &self.scene));
        match self.places(stage, task)[..] {
            [place] if !planned.is_whole() => {
                let region = self.plan.region(stage, place).grown(planned.halo, planned.samples);
                square_window(whole, &region)
            }
            _ => whole,
        }
    }

    fn coarser_grids(
        &self,
        stage: usize,
        planned: &PlanStage,
        scene: &Scene,
        control: &Control,
    ) -> Result<BTreeMap<StageProduct, Terrain>, TileError> {
        let layers = planned.writes.iter().filter_map(|product| match product {
            StageProduct::Change(_, layer) => Some(*layer),
            _ => None,
        });
        let topmost = layers.max().unwrap_or(0);
        let changes = level_changes(scene, planned.samples, topmost, control)?;
        Ok(changes.into_iter().map(|(layer, change)| (StageProduct::Change(stage, layer), change)).collect())
    }

    fn evaluated(
        &self,
        stage: usize,
        task: usize,
        planned: &PlanStage,
        scene: &Scene,
        control: &Control,
    ) -> Result<BTreeMap<StageProduct, Terrain>, TileError> {
        let grid = self.window_of(stage, task);
        let parts: Vec<LayerPart> = planned.layers.iter().map(|layer| layer.part()).collect();
        let mut input = self.input(planned, scene, grid)?;
        if let Some(survey) = &planned.survey {
            let [place] = self.places(stage, task)[..] else { return Err(TileError::NoTask { stage, task }) };
            let known = self.survey_answer(stage, place, survey, scene, &input.terrain_below, control)?;
            input.surveys.insert(survey.layer, known);
        }
        let made = evaluate_window(scene, planned.samples, grid, &parts, input, control)?;
        if let Some(tells) = &planned.summary {
            let [place] = self.places(stage, task)[..] else { return Err(TileError::NoTask { stage, task }) };
            let words = self.tile_summary(stage, place, tells, scene, &made.terrain, control)?;
            self.store.write_words(StageProduct::Survey(stage), place, &words)?;
        }
        let mut changes = made.changes;
        let mut products = BTreeMap::from([(StageProduct::Ground(stage), made.terrain)]);
        for &product in &planned.writes {
            if let StageProduct::Change(_, layer) = product
                && let Some(change) = changes.remove(&layer)
            {
                products.insert(product, change);
            }
        }
        Ok(products)
    }

    /// The inputs of a stage on a window, without survey data.
    fn input(&self, planned: &PlanStage, scene: &Scene, grid: Grid) -> Result<WindowInput, TileError> {
        let read = |product: StageProduct| self.store.window(&self.plan, product, grid);
        let sources = planned.sources.iter().map(|(layer, product)| Ok((*layer, read(*product)?)));
        let streams = planned.streams.iter().map(|&(layer, product)| {
            let told = self.survey_words(product, [0; 2])?;
            Ok((layer, told.read(|words| trunk_streams(scene, layer, words))?))
        });
        let changes = planned.changes.iter().map(|(layer, product)| Ok((*layer, self.coarse(*product, grid)?)));
        let smoothed = planned.smoothed.iter().map(|(layer, field, product)| {
            Ok(((*layer, *field), self.store.heights(&self.plan, *product, &window_region(grid))?))
        });
        Ok(WindowInput {
            terrain_below: planned.terrain_below.map_or_else(|| Ok(Terrain::flat(grid)), read)?,
            unfinished: planned.unfinished.map(read).transpose()?,
            sources: sources.collect::<Result<_, TileError>>()?,
            changes: changes.collect::<Result<_, TileError>>()?,
            streams: streams.collect::<Result<_, TileError>>()?,
            surveys: HashMap::new(),
            smoothed: smoothed.collect::<Result<_, TileError>>()?,
        })
    }

    /// The weights of a mask in a tile, before blurring.
    fn weights(
        &self,
        stage: usize,
        task: usize,
        smoothing: &PlannedSmoothing,
        scene: &Scene,
        control: &Control,
    ) -> Result<(), TileError> {
        let (planned, grid) = (&self.plan.stages[stage], self.window_of(stage, task));
        let mut weights = Terrain::flat(grid);
        let input = self.input(planned, scene, grid)?;
        weights.height = window_weights(scene, planned.samples, grid, smoothing.layer, input, control)?;
        for place in self.places(stage, task) {
            self.store.write(&self.plan, StageProduct::Field(stage), place, &weights)?;
        }
        Ok(())
    }

    /// Smooths a row or column of tiles along lines of samples that span the whole terrain.
    fn smooth_tiles(
        &self,
        stage: usize,
        task: usize,
        smoothing: &PlannedSmoothing,
        scene: &Scene,
        control: &Control,
    ) -> Result<(), TileError> {
        let (planned, places) = (&self.plan.stages[stage], self.places(stage, task));
        let (samples, by_columns) = (planned.samples, smoothing.step == SmoothingStep::Columns);
        let regions: Vec<Region> = places.iter().map(|&place| self.plan.region(stage, place)).collect();
        let count = regions.first().map_or(0, |first| if by_columns { first.columns.len() } else { first.rows.len() });
        let mut lines = vec![0.0; count * samples];
        // Returns the index in `lines` where a row of a tile starts, and the distance in `lines` between successive
        // samples of that row.
        let row_in_lines = |region: &Region, row: usize| match by_columns {
            true => (region.rows.start + row, samples),
            false => (row * samples + region.columns.start, 1),
        };
        for region in &regions {
            control.check()?;
            let Some(from) = planned.terrain_below else { continue };
            let values = self.store.heights(&self.plan, from, region)?;
            for (row, values) in values.chunks(region.columns.len()).enumerate() {
                let (first, step) = row_in_lines(region, row);
                lines[first..].iter_mut().step_by(step).zip(values).for_each(|(line, value)| *line = *value);
            }
        }
        let of_layer = (smoothing.layer, smoothing.iteration);
        smooth_lines(scene, samples, of_layer, smoothing.field, &mut lines, control)?;
        for (&place, region) in places.iter().zip(&regions) {
            control.check()?;
            let mut values = Vec::with_capacity(region.len());
            for row in 0..region.rows.len() {
                let (first, step) = row_in_lines(region, row);
                values.extend(lines[first..].iter().step_by(step).take(region.columns.len()));
            }
            self.store.write_field(&self.plan, StageProduct::Field(stage), place, &values)?;
        }
        Ok(())
    }

    /// The terrain below the window of a task, with some of its data maps.
    pub(super) fn terrain_below(&self, stage: usize, task: usize, maps: &[MapKind]) -> Result<Terrain, TileError> {
        let grid = self.window_of(stage, task);
        match self.plan.stages[stage].terrain_below {
            Some(product) => self.store.window_of_maps(&self.plan, product, grid, maps),
            None => Ok(Terrain::flat(grid)),
        }
    }

    /// The product of a coarser grid, in the area around the window `fine` of a finer grid.
    fn coarse(&self, product: StageProduct, fine: Grid) -> Result<Terrain, TileError> {
        let whole = self.plan.grid(product.stage(), &self.scene);
        debug_assert_eq!(coarser_samples(fine.whole_samples()), Some(whole.samples));
        let region = self.coarse_window(product, fine);
        self.store.window(&self.plan, product, square_window(whole, &region))
    }

    /// The samples of a coarser grid in the area around the window `fine` of a finer grid.
    fn coarse_window(&self, product: StageProduct, fine: Grid) -> Region {
        let whole = self.plan.grid(product.stage(), &self.scene);
        let [rows, columns] =
            fine.first().map(|first| input_samples(whole.samples, fine.whole_samples(), first..first + fine.samples));
        let around = Region { rows, columns }.grown(DISPLACEMENT_HALO, whole.samples);
        window_region(square_window(whole, &around))
    }
}

/// The smallest square window of `whole` that contains a region. If it would cross an edge of the terrain, the window
/// is shifted inwards.
fn square_window(whole: Grid, region: &Region) -> Grid {
    let side = region.rows.len().max(region.columns.len());
    if side >= whole.samples {
        return whole;
    }
    let first = |start: usize| start.min(whole.samples - side);
    whole.window([first(region.rows.start), first(region.columns.start)], side)
}
