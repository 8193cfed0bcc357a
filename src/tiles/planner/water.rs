//! Plans the survey stages of a layer, and the stages of the iterations of water-driven erosion processes.

use super::{
    CoarseProducts, OpenStage, Planner, VisibleLayer, memory_of_lines, memory_of_rims, memory_of_task, memory_of_whole,
};
use crate::eval::tile_water::WaterLayer;
use crate::eval::window::{LayerSurvey, SmoothedField};
use crate::nodes::{NodeAreas, NodeDrainage};
use crate::scene::{LayerReader, Scene};
use crate::tiles::plan::{
    PlanStage, PlannedLayer, PlannedSmoothing, PlannedSurvey, SmoothingStep, StageProduct, SurveyStep, tile_count,
};

/// Stencil radius, in cells, of an iteration of explicit creep.
const CREEP_CELLS: usize = 1;

impl Planner {
    /// Plans the survey stages for a layer, on the whole terrain below the stage `at`. For a process, the survey is for
    /// one iteration.
    pub(super) fn plan_survey(
        &mut self,
        scene: &Scene,
        (layer, iteration): (&PlannedLayer, Option<u32>),
        asked: LayerSurvey,
        at: &PlanStage,
    ) -> PlannedSurvey {
        let (layer, name) = (layer.layer, layer.name.clone());
        let mut known = PlannedSurvey { layer, name, iteration, step: SurveyStep::Ground, reads: Vec::new() };
        let basins = &[SurveyStep::Basins, SurveyStep::Spills];
        let flats = &[SurveyStep::Flats, SurveyStep::FlatDistances];
        let rounds: &[&[SurveyStep; 2]] = match asked {
            LayerSurvey::Drainage(NodeDrainage { areas: NodeAreas::NotNeeded, .. }) => &[basins],
            LayerSurvey::Drainage(NodeDrainage { areas: NodeAreas::Undivided, .. }) => {
                &[basins, flats, &[SurveyStep::Flow, SurveyStep::Inflows]]
            }
            LayerSurvey::Drainage(NodeDrainage { areas: NodeAreas::Divided, .. }) => {
                &[basins, flats, &[SurveyStep::Courses, SurveyStep::Trunks]]
            }
            LayerSurvey::Range => &[&[SurveyStep::Range, SurveyStep::Ranges]],
        };
        for steps in rounds {
            let mut reads = known.reads.clone();
            for &step in *steps {
                if let Some(told) = self.summarise_below(scene, PlannedSurvey { step, ..known.clone() }, at) {
                    reads = vec![told];
                    continue;
                }
                let stage = self.stages.len();
                let survey = StageProduct::Survey(stage);
                let asking =
                    PlannedSurvey { step, reads: std::mem::replace(&mut reads, vec![survey]), ..known.clone() };
                let mut planned =
                    PlanStage { survey: Some(asking), writes: vec![survey], ..self.stage(&at.source_path, at.samples) };
                if step.is_one_task() {
                    planned.tasks = 1;
                    planned.memory_bytes = memory_of_rims(planned.samples, self.tile, step);
                } else {
                    (planned.halo, planned.terrain_below) = (usize::from(step != SurveyStep::Range), at.terrain_below);
                    planned.memory_bytes = memory_of_task(scene, &planned, self.tile);
                }
                if step == SurveyStep::Courses {
                    planned.writes.push(StageProduct::Kept(stage));
                }
                self.stages.push(planned);
            }
            match steps[0] {
                // Divided water is read alone. Other surveys are read together with the surveys before them.
                SurveyStep::Courses => known.reads = vec![reads[0], StageProduct::Kept(self.stages.len() - 2)],
                _ => known.reads.extend(reads),
            }
        }
        known
    }

    /// Makes the stage that produces the terrain below `at` also write the tiles' summaries, if that stage can compute
    /// them.
    fn summarise_below(&mut self, scene: &Scene, tells: PlannedSurvey, at: &PlanStage) -> Option<StageProduct> {
        let Some(StageProduct::Ground(number)) = at.terrain_below else { return None };
        let halo = match tells.step {
            SurveyStep::Basins => 1,
            SurveyStep::Range => 0,
            _ => return None,
        };
        let before = &self.stages[number];
        // A layer that uses a tile's drainage has no halo in which its result is known.
        let is_known_around = before.survey.as_ref().is_none_or(|survey| {
            let step_of = |product: &StageProduct| Some(self.stages[product.stage()].written_survey()?.step);
            let first = survey.reads.first().and_then(step_of);
            survey.step == SurveyStep::Ground && matches!(first, Some(SurveyStep::Erosion | SurveyStep::Ranges))
        });
        let is_tiled = before.tasks == tile_count(before.samples, self.tile).pow(2) && !before.is_one_piece();
        let is_same = before.source_path == at.source_path && before.samples == at.samples;
        let is_free = !before.layers.is_empty() && before.summary.is_none();
        if !(is_known_around && is_tiled && is_same && is_free) {
            return None;
        }
        let product = StageProduct::Survey(number);
        let mut stage = PlanStage { summary: Some(tells), halo: before.halo + halo, ..before.clone() };
        stage.writes.push(product);
        stage.memory_bytes = memory_of_task(scene, &stage, self.tile);
        self.stages[number] = stage;
        Some(product)
    }

    /// Plans the stage that finds the trunk streams of a layer, on a whole grid of `settled` samples per side.
    pub(super) fn plan_streams(
        &mut self,
        path: &[LayerReader],
        scene: &Scene,
        layer: usize,
        settled: usize,
    ) -> StageProduct {
        let key = (layer, path.to_vec(), settled);
        if let Some(&known) = self.streams.get(&key) {
            return known;
        }
        let (product, name) = (StageProduct::Survey(self.stages.len()), scene.layers[layer].name.clone());
        let survey = PlannedSurvey { layer, name, iteration: None, step: SurveyStep::Streams, reads: Vec::new() };
        self.stages.push(PlanStage {
            tasks: 1,
            survey: Some(survey),
            memory_bytes: memory_of_whole(scene, settled),
            writes: vec![product],
            ..self.stage(path, settled)
        });
        self.streams.insert(key, product);
        product
    }

    /// Plans the stages of a water-driven erosion process, except the last stage of its last iteration. Later layers
    /// can still join that stage.
    pub(super) fn plan_water_driven_erosion(
        &mut self,
        scene: &Scene,
        layer: &VisibleLayer,
        planned: &mut PlannedLayer,
        coarse: Option<CoarseProducts>,
        open: &mut OpenStage,
    ) {
        let (index, look) = (layer.index, &layer.look);
        if let Some(coarse) = coarse {
            // The first stage starts from the products of a coarser grid.
            let mut begun = PlanStage { halo: look.refine_cells, ..open.stage.clone() };
            begun.layers.push(PlannedLayer { iterations: Some((0, 0)), ..planned.clone() });
            begun.start_from(index, Some(&coarse));
            begun.memory_bytes = memory_of_task(scene, &begun, self.tile);
            open.stage.unfinished = Some(self.push(begun));
        }
        for iteration in 0..look.iterations {
            let Some(asks) = WaterLayer::find(scene, open.stage.samples, index, Some(iteration)) else { continue };
            let before = open.stage.unfinished.or(open.stage.terrain_below);
            let at = PlanStage { terrain_below: before, ..self.stage(&open.stage.source_path, open.stage.samples) };
            let drainage = LayerSurvey::Drainage(asks.drainage());
            let known = self.plan_survey(scene, (planned, Some(iteration)), drainage, &at);
            let wear = PlannedSurvey { step: SurveyStep::Erosion, ..known.clone() };
            let mut stage = PlanStage { survey: Some(wear), halo: 1, ..at.clone() };
            stage.memory_bytes = memory_of_task(scene, &stage, self.tile);
            let worn = self.push(stage);
            open.stage.survey = Some(PlannedSurvey { reads: vec![worn], ..known });
            planned.iterations = Some((iteration, iteration + 1));
            let smoothed = asks.creep_deviation().map(|_| {
                let mut from = worn;
                for step in [SmoothingStep::Columns, SmoothingStep::Rows] {
                    let (field, name) = (SmoothedField::Eroded, planned.name.clone());
                    let smoothing = PlannedSmoothing { layer: index, name, iteration: Some(iteration), field, step };
                    let product = StageProduct::Field(self.stages.len());
                    self.stages.push(PlanStage {
                        terrain_below: Some(from),
                        smoothing: Some(smoothing),
                        writes: vec![product],
                        tasks: tile_count(at.samples, self.tile),
                        memory_bytes: memory_of_lines(at.samples, self.tile),
                        ..self.stage(&at.source_path, at.samples)
                    });
                    from = product;
                }
                (index, SmoothedField::Eroded, from)
            });
            open.stage.halo = if smoothed.is_some() { 0 } else { CREEP_CELLS };
            if iteration + 1 < look.iterations {
                let mut stage = open.stage.clone();
                stage.smoothed = smoothed.into_iter().collect();
                stage.layers.push(planned.clone());
                stage.memory_bytes = memory_of_task(scene, &stage, self.tile);
                open.stage.unfinished = Some(self.push(stage));
            } else {
                open.stage.smoothed.extend(smoothed);
                open.stage.halo += look.mask_cells;
            }
        }
    }
}
