//! Surveys of the whole terrain: each tile's summary of its heights or drainage, and the answers computed from all
//! summaries.

use std::path::PathBuf;

use super::plan::{PlannedSurvey, StageProduct, SurveyStep};
use super::plan_file::{PLAN_FILE, SCENE_FILE};
use super::range::RegionRange;
use super::{TileBuild, TileError};
use crate::eval::tile_water::{WaterLayer, rain};
use crate::eval::window::{SurveyedGround, stream_words};
use crate::field::{Control, Terrain};
use crate::hydrology::DrainedArea;
use crate::hydrology::tiled::{
    BasinSummary, DividedSolution, DrainedRegion, FilledRegion, FlatSolution, FlatSummary, FlowSummary, InflowSolution,
    RegionDrainage, SpillSolution, WordError, solve_flats, solve_inflows, solve_spills,
};
use crate::nodes::WindowDrainage;
use crate::scene::Scene;

impl TileBuild {
    /// Runs the survey step of a task.
    pub(super) fn survey(
        &self,
        stage: usize,
        task: usize,
        survey: &PlannedSurvey,
        scene: &Scene,
        control: &Control,
    ) -> Result<(), TileError> {
        let (plan, product, places) = (&self.plan, StageProduct::Survey(stage), self.places(stage, task));
        let of_all = |words: Vec<Vec<u64>>| {
            for (place, words) in places.iter().zip(words) {
                control.check()?;
                self.store.write_words(product, *place, &words)?;
            }
            Ok(())
        };
        let tiles = plan.regions(stage);
        let told = |number: usize| self.read_survey(survey, 0, places[number]);
        match survey.step {
            SurveyStep::Spills => {
                let read = |number| told(number)?.read(|words| BasinSummary::from_words(words, tiles.rim_len(number)));
                let summaries = (0..tiles.len()).map(read).collect::<Result<Vec<_>, _>>()?;
                of_all(solve_spills(&tiles, &summaries, control)?.iter().map(SpillSolution::to_words).collect())
            }
            SurveyStep::FlatDistances => {
                let read = |number| told(number)?.read(|words| FlatSummary::from_words(words, &tiles.region(number)));
                let summaries = (0..tiles.len()).map(read).collect::<Result<Vec<_>, _>>()?;
                of_all(solve_flats(&tiles, summaries, control)?.iter().map(FlatSolution::to_words).collect())
            }
            SurveyStep::Inflows => {
                let read = |number| told(number)?.read(|words| FlowSummary::from_words(words, tiles.rim_len(number)));
                let summaries = (0..tiles.len()).map(read).collect::<Result<Vec<_>, _>>()?;
                of_all(solve_inflows(&tiles, &summaries, control)?.iter().map(InflowSolution::to_words).collect())
            }
            SurveyStep::Trunks => {
                let asks = self.water_layer(stage, survey, scene)?;
                let read = |number: usize, read: &dyn Fn(&[u64]) -> _| told(number)?.read(read);
                let told = asks.solve_trunks(&tiles, read, control)?;
                of_all(told.iter().map(DividedSolution::to_words).collect())
            }
            SurveyStep::Streams => {
                let words = stream_words(scene, survey.layer, control)?;
                of_all(vec![words; places.len()])
            }
            SurveyStep::Ranges => {
                let ranges = (0..tiles.len()).map(|number| told(number)?.read(RegionRange::from_words));
                let all = ranges.collect::<Result<Vec<_>, _>>()?;
                let all = all.into_iter().fold(RegionRange::NONE, RegionRange::joined);
                of_all(vec![all.to_words(); tiles.len()])
            }
            _ => {
                let [place] = places[..] else { return Err(TileError::NoTask { stage, task }) };
                let beneath = self.terrain_below(stage, task, survey.step.maps_read())?;
                let words = match survey.step {
                    SurveyStep::Flats => {
                        let filled = self.filled_region(stage, place, survey, scene, &beneath, control)?;
                        self.water_layer(stage, survey, scene)?.flats(&beneath, &filled, control)?.to_words()
                    }
                    SurveyStep::Flow => {
                        let region = self.drained_region(stage, place, survey, scene, &beneath, control)?;
                        region.summary(rain(&beneath), control)?.to_words()
                    }
                    SurveyStep::Courses => {
                        let region = self.drained_region(stage, place, survey, scene, &beneath, control)?;
                        let asks = self.water_layer(stage, survey, scene)?;
                        let [told, kept] = asks.summary_and_kept_data(&beneath, region, control)?;
                        self.store.write_words(StageProduct::Kept(stage), place, &kept)?;
                        told
                    }
                    _ => self.tile_summary(stage, place, survey, scene, &beneath, control)?,
                };
                of_all(vec![words])
            }
        }
    }

    /// A tile's summary of its terrain: its height range or its basins.
    pub(super) fn tile_summary(
        &self,
        stage: usize,
        place: [usize; 2],
        survey: &PlannedSurvey,
        scene: &Scene,
        ground: &Terrain,
        control: &Control,
    ) -> Result<Vec<u64>, TileError> {
        if survey.step == SurveyStep::Range {
            return Ok(RegionRange::of_region(ground, &self.plan.region(stage, place)).to_words());
        }
        let region = self.region_drainage(stage, place, survey, scene, ground, control)?;
        Ok(region.summary(&ground.height).to_words())
    }

    /// The survey data of a tile, from the product with index `number` among those that the survey reads.
    fn read_survey(&self, survey: &PlannedSurvey, number: usize, place: [usize; 2]) -> Result<SurveyWords, TileError> {
        let missing = || TileError::NotAPlan {
            path: self.store.folder().join(PLAN_FILE),
            error: format!("{:?} reads nothing", survey.step),
        };
        let from = *survey.reads.get(number).ok_or_else(missing)?;
        self.survey_words(from, place)
    }

    pub(super) fn survey_words(&self, from: StageProduct, place: [usize; 2]) -> Result<SurveyWords, TileError> {
        Ok(SurveyWords { words: self.store.words(from, place)?, path: self.store.path(from, place) })
    }

    fn region_drainage(
        &self,
        stage: usize,
        place: [usize; 2],
        survey: &PlannedSurvey,
        scene: &Scene,
        beneath: &Terrain,
        control: &Control,
    ) -> Result<RegionDrainage, TileError> {
        let asks = self.water_layer(stage, survey, scene)?;
        Ok(asks.region_drainage(self.plan.region(stage, place), beneath, control)?)
    }

    /// The layer for which a survey is made, with the drainage that it needs.
    fn water_layer<'a>(
        &self,
        stage: usize,
        survey: &PlannedSurvey,
        scene: &'a Scene,
    ) -> Result<WaterLayer<'a>, TileError> {
        WaterLayer::find(scene, self.plan.stages[stage].samples, survey.layer, survey.iteration)
            .ok_or_else(|| TileError::OtherScene { path: self.store.folder().join(SCENE_FILE) })
    }

    /// The terrain of a tile after the erosion of an iteration.
    pub(super) fn eroded_tile(
        &self,
        stage: usize,
        task: usize,
        survey: &PlannedSurvey,
        scene: &Scene,
        control: &Control,
    ) -> Result<Terrain, TileError> {
        let [place] = self.places(stage, task)[..] else { return Err(TileError::NoTask { stage, task }) };
        let [told, kept] = [self.read_survey(survey, 0, place)?, self.read_survey(survey, 1, place)?];
        let ground = self.terrain_below(stage, task, survey.step.maps_read())?;
        let region = self.plan.region(stage, place);
        let asks = self.water_layer(stage, survey, scene)?;
        asks.eroded_tile(&ground, region, [&kept.words, &told.words], control)?.map_err(|error| kept.broken(error))
    }

    /// The filled surface of a tile, computed with the spill points of the tile's basins.
    fn filled_region(
        &self,
        stage: usize,
        place: [usize; 2],
        survey: &PlannedSurvey,
        scene: &Scene,
        beneath: &Terrain,
        control: &Control,
    ) -> Result<FilledRegion, TileError> {
        let region = self.region_drainage(stage, place, survey, scene, beneath, control)?;
        let told = self.read_survey(survey, 0, place)?;
        let spills = told.read(SpillSolution::from_words)?;
        if !spills.fits(&region, &self.plan.regions(stage)) {
            return Err(told.broken(WordError));
        }
        Ok(region.fill(&beneath.height, &spills, control)?)
    }

    /// The drainage of a tile over its filled surface, with the distances on the flats at its rim.
    fn drained_region(
        &self,
        stage: usize,
        place: [usize; 2],
        survey: &PlannedSurvey,
        scene: &Scene,
        beneath: &Terrain,
        control: &Control,
    ) -> Result<DrainedRegion, TileError> {
        let filled = self.filled_region(stage, place, survey, scene, beneath, control)?;
        let plan = &self.plan;
        let (region, samples) = (plan.region(stage, place), plan.stages[stage].samples);
        let flats =
            self.read_survey(survey, 1, place)?.read(|words| FlatSolution::from_words(words, &region, samples))?;
        Ok(self.water_layer(stage, survey, scene)?.drained_region(beneath, filled, &flats, control)?)
    }

    /// The survey results for a layer, in the window of a tile.
    pub(super) fn survey_answer(
        &self,
        stage: usize,
        place: [usize; 2],
        survey: &PlannedSurvey,
        scene: &Scene,
        beneath: &Terrain,
        control: &Control,
    ) -> Result<SurveyedGround, TileError> {
        let first = survey.reads.first().copied();
        let step =
            first.and_then(|product| self.plan.stages[product.stage()].survey.as_ref()).map(|survey| survey.step);
        let region = self.plan.region(stage, place);
        match (step, first) {
            (Some(SurveyStep::Ranges), _) => {
                return Ok(SurveyedGround::Range(
                    self.read_survey(survey, 0, place)?.read(RegionRange::from_words)?.range(),
                ));
            }
            (Some(SurveyStep::Erosion), Some(worn)) => {
                return Ok(SurveyedGround::Eroded(Box::new(self.store.window(&self.plan, worn, beneath.grid)?)));
            }
            (Some(SurveyStep::Trunks), _) => {
                let [told, kept] = [self.read_survey(survey, 0, place)?, self.read_survey(survey, 1, place)?];
                let areas = WaterLayer::divided_areas(beneath.grid, region, [&kept.words, &told.words]);
                let areas = areas.map_err(|error| kept.broken(error))?;
                return Ok(SurveyedGround::Drainage(WindowDrainage { surface: Vec::new(), areas }));
            }
            _ => {}
        }
        if survey.reads.len() == 1 {
            let FilledRegion { surface, .. } = self.filled_region(stage, place, survey, scene, beneath, control)?;
            return Ok(SurveyedGround::Drainage(WindowDrainage { surface, areas: Vec::new() }));
        }
        let drained = self.drained_region(stage, place, survey, scene, beneath, control)?;
        let told = self.read_survey(survey, 2, place)?;
        let inflow = told.read(InflowSolution::from_words)?;
        if !inflow.fits(&region, &self.plan.regions(stage)) {
            return Err(told.broken(WordError));
        }
        let areas = DrainedArea::into_cells(drained.areas(rain(beneath), &inflow, control)?);
        Ok(SurveyedGround::Drainage(WindowDrainage { surface: drained.surface, areas }))
    }
}

/// The survey data of a file, as 64-bit words.
pub(super) struct SurveyWords {
    words: Vec<u64>,
    path: PathBuf,
}

impl SurveyWords {
    pub(super) fn read<T>(&self, read: impl Fn(&[u64]) -> Result<T, WordError>) -> Result<T, TileError> {
        read(&self.words).map_err(|error| self.broken(error))
    }

    fn broken(&self, source: WordError) -> TileError {
        TileError::Words { path: self.path.clone(), source }
    }
}
