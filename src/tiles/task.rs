//! One task of a plan: a tile of a stage, or a stage as a whole.

use std::collections::{BTreeMap, HashMap};

use super::plan::{PlanStage, SCENE_FILE, StageProduct, TilePlan};
use super::{TileError, TileStore};
use crate::eval::terrain_key;
use crate::eval::window::{LayerPart, WindowInput, evaluate_window, level_changes, source_scene};
use crate::field::{Control, Grid, Region, Terrain, samples_around};
use crate::nodes::multiscale::coarser_samples;
use crate::scene::Scene;

/// A build in tiles: the plan in its folder, the scene, the tiles that are there.
#[derive(Clone, Debug)]
pub struct TileBuild {
    /// What is done.
    pub plan: TilePlan,
    /// What is built.
    pub scene: Scene,
    /// Where it is kept.
    pub store: TileStore,
}

/// What became of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskOutcome {
    /// It was carried out.
    Done,
    /// All its tiles were there already.
    WasDone,
}

impl TileBuild {
    /// Reads the plan and the scene in a folder.
    ///
    /// # Errors
    /// When they are not there, or files that the scene names are other ones than when it was planned.
    pub fn open(folder: &std::path::Path) -> Result<Self, TileError> {
        let plan = TilePlan::load(folder)?;
        let (scene, _) = Scene::load(&folder.join(SCENE_FILE))?;
        if plan.scene_key != format!("{:032x}", terrain_key(&scene, plan.samples).bits()) {
            return Err(TileError::OtherScene { path: folder.join(SCENE_FILE) });
        }
        Ok(Self { plan, scene, store: TileStore::new(folder) })
    }

    /// The tiles that a task makes, by row and column.
    pub fn places(&self, stage: usize, task: usize) -> Vec<[usize; 2]> {
        let tiles = self.plan.tiles(stage);
        let place = |tile: usize| [tile / tiles, tile % tiles];
        match self.plan.stages[stage].is_whole() {
            true => (0..tiles * tiles).map(place).collect(),
            false => vec![place(task)],
        }
    }

    /// Whether all that a task makes is there, whole and of this plan. Reads all of it.
    ///
    /// # Errors
    /// When something is there and cannot be read.
    pub fn is_done(&self, stage: usize, task: usize) -> Result<bool, TileError> {
        for &product in &self.plan.stages[stage].writes {
            for place in self.places(stage, task) {
                if self.store.hash(&self.plan, product, place)?.is_none() {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Carries out a task, unless it is done already; call it inside the pool that shall do the work.
    ///
    /// # Errors
    /// When there is no such task, something that it reads is not there yet, a file cannot be read or written, or it
    /// was cancelled.
    pub fn run_task(&self, stage: usize, task: usize, control: &Control) -> Result<TaskOutcome, TileError> {
        let planned = self.plan.stages.get(stage).filter(|planned| task < planned.tasks);
        let planned = planned.ok_or(TileError::NoTask { stage, task })?;
        if self.is_done(stage, task)? {
            return Ok(TaskOutcome::WasDone);
        }
        let scene = self.scene_of(planned)?;
        let made = if planned.layers.is_empty() && planned.writes.contains(&StageProduct::Ground(stage)) {
            let grid = self.window_of(stage, task);
            BTreeMap::from([(StageProduct::Ground(stage), Terrain::flat(grid))])
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
        Ok(TaskOutcome::Done)
    }

    /// The scene whose layers a stage has.
    fn scene_of(&self, planned: &PlanStage) -> Result<Scene, TileError> {
        let mut scene = self.scene.clone();
        for &reader in &planned.of_masks {
            let source = if reader < scene.layers.len() { source_scene(&scene, reader) } else { None };
            scene = source.ok_or_else(|| TileError::NoSource { layer: reader.to_string() })?.1;
        }
        Ok(scene)
    }

    /// The window that a task is computed on: its tile and the halo around it, as a square.
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
            StageProduct::Ground(_) => None,
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
        let read = |product: StageProduct| self.store.window(&self.plan, product, grid);
        let beneath = planned.beneath.map_or_else(|| Ok(Terrain::flat(grid)), read)?;
        let under_way = planned.under_way.map(read).transpose()?;
        let sources = planned.sources.iter().map(|(layer, product)| Ok((*layer, read(*product)?)));
        let sources = sources.collect::<Result<HashMap<_, _>, TileError>>()?;
        let changes = planned.changes.iter().map(|(layer, product)| Ok((*layer, self.coarse(*product, grid)?)));
        let changes = changes.collect::<Result<HashMap<_, _>, TileError>>()?;
        let parts: Vec<LayerPart> = planned.layers.iter().map(|layer| layer.part()).collect();
        let input = WindowInput { beneath, under_way, changes, sources };
        let made = evaluate_window(scene, planned.samples, grid, &parts, input, control)?;
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

    /// What a coarser grid has around the window `fine` of a finer one.
    fn coarse(&self, product: StageProduct, fine: Grid) -> Result<Terrain, TileError> {
        let whole = self.plan.grid(product.stage(), &self.scene);
        debug_assert_eq!(coarser_samples(fine.whole_samples()), Some(whole.samples));
        let [rows, columns] =
            fine.first().map(|first| samples_around(whole.samples, fine.whole_samples(), first..first + fine.samples));
        self.store.window(&self.plan, product, square_window(whole, &Region { rows, columns }))
    }
}

/// The smallest square window of `whole` that holds a region; at an edge it reaches farther inwards.
fn square_window(whole: Grid, region: &Region) -> Grid {
    let side = region.rows.len().max(region.columns.len());
    if side >= whole.samples {
        return whole;
    }
    let first = |start: usize| start.min(whole.samples - side);
    whole.window([first(region.rows.start), first(region.columns.start)], side)
}
