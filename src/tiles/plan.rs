//! The plan of a build in tiles, and its text.

use std::fmt;
use std::ops::Range;
use std::path::Path;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use super::TileError;
use crate::eval::window::{LayerPart, SmoothedField};
use crate::field::{Grid, MapKind, Region};
use crate::hydrology::tiled::TileRegions;
use crate::scene::Scene;

/// Samples a side at the most: single precision tells apart the places of more, but nobody has that much room.
pub const MOST_SAMPLES: usize = crate::scene::MOST_BUILT;
/// Samples a side of a tile at the least.
pub const LEAST_TILE: usize = 16;

/// What a stage leaves in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum StageProduct {
    /// The ground after the layers of a stage, or the terrain of a process whose last iterations are not done, or that
    /// of a stage of an iteration.
    Ground(usize),
    /// What the process of a layer changed on the grid of a stage and all coarser ones: stage, then layer.
    Change(usize, usize),
    /// What each tile tells of its ground, or is told of the whole.
    Survey(usize),
    /// A field on the way to a smoothed one, or that.
    Field(usize),
    /// What each tile keeps of its water for a later stage of its own.
    Kept(usize),
}

impl StageProduct {
    /// The stage that makes it.
    pub fn stage(self) -> usize {
        match self {
            Self::Ground(stage)
            | Self::Change(stage, _)
            | Self::Survey(stage)
            | Self::Field(stage)
            | Self::Kept(stage) => stage,
        }
    }
}

impl fmt::Display for StageProduct {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Ground(stage) => write!(out, "ground of stage {stage}"),
            Self::Change(stage, layer) => write!(out, "change of layer {layer} in stage {stage}"),
            Self::Survey(stage) => write!(out, "survey of stage {stage}"),
            Self::Field(stage) => write!(out, "field of stage {stage}"),
            Self::Kept(stage) => write!(out, "water kept by stage {stage}"),
        }
    }
}

/// A layer of a stage, or some iterations of one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedLayer {
    /// Index of the layer in the scene.
    pub layer: usize,
    /// Its name.
    pub name: String,
    /// Iterations on the grid of the stage; none for the layer as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iterations: Option<(u32, u32)>,
}

impl PlannedLayer {
    /// For the evaluation.
    pub fn part(&self) -> LayerPart {
        LayerPart { layer: self.layer, iterations: self.iterations.map(|(first, end)| first..end) }
    }
}

/// A step on the way to what a layer asks about the whole: its water, after Barnes 2016 and 2017, or its range; or on
/// the way through an iteration of a process that water wears.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SurveyStep {
    /// Each tile tells what others need to know of its basins.
    Basins,
    /// One task tells each tile where its basins spill.
    Spills,
    /// Each tile tells how many of its cells drain out of it, and where.
    Flow,
    /// One task tells each tile how many cells drain into it.
    Inflows,
    /// Each tile divides its water between two neighbours, tells what is to be known of the cells that water of others
    /// may reach, its trunks, and keeps its courses.
    Courses,
    /// One task tells each tile the areas that drain through its trunks, and how high they are once they are worn.
    Trunks,
    /// Each tile wears its other cells.
    Wear,
    /// One task finds the trunk streams that an erosion keeps where they are, on a coarse grid as a whole.
    Streams,
    /// Each tile tells its lowest and its highest height.
    Range,
    /// One task tells each tile those of all.
    Ranges,
    /// The layer is evaluated with what is known.
    Ground,
}

impl SurveyStep {
    /// The data maps beneath that it reads.
    pub fn maps_read(self) -> &'static [MapKind] {
        match self {
            Self::Flow => &[MapKind::Rain],
            Self::Courses => &[MapKind::Rain, MapKind::Hardness, MapKind::Uplift],
            Self::Wear => &[MapKind::Hardness],
            _ => &[],
        }
    }

    /// Whether it leaves what layers and iterations leave: ground.
    pub fn leaves_ground(self) -> bool {
        matches!(self, Self::Wear | Self::Ground)
    }

    /// Whether one task does it for all tiles, from what they tell alone.
    pub fn is_for_all(self) -> bool {
        matches!(self, Self::Spills | Self::Inflows | Self::Trunks | Self::Streams | Self::Ranges)
    }
}

/// What a stage does about the whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedSurvey {
    /// Index of the layer that asks.
    pub layer: usize,
    /// Its name.
    pub name: String,
    /// The iteration on the grid of the stage, of a process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iteration: Option<u32>,
    /// What is done.
    pub step: SurveyStep,
    /// What is known: what the tiles tell, or what they are told; where basins spill comes before what drains into
    /// tiles, what is told of trunks before the courses that a tile kept. At the end of an iteration the worn ground.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<StageProduct>,
}

/// A step on the way to a smoothed field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SmoothingStep {
    /// Each tile works out the weights of the mask, which are to be softened.
    Weights,
    /// Each column of tiles is smoothed along whole columns.
    Columns,
    /// Each row of tiles is smoothed along whole rows.
    Rows,
}

/// What a stage does to smooth a field. Smoothing runs along whole lines, each by itself, so a task takes a whole row
/// or column of tiles.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedSmoothing {
    /// Index of the layer that reads it.
    pub layer: usize,
    /// Its name.
    pub name: String,
    /// The iteration on the grid of the stage, of a process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iteration: Option<u32>,
    /// Which field.
    pub field: SmoothedField,
    /// What is done, with what lies [`beneath`](PlanStage::beneath).
    pub step: SmoothingStep,
}

/// The mask of a layer, kept beside the result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedMask {
    /// Index of the layer in the scene.
    pub layer: usize,
    /// Its name.
    pub name: String,
    /// Its weights.
    pub product: StageProduct,
}

/// What is done tile by tile, or once for the whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanStage {
    /// Samples a side of its grid.
    pub samples: usize,
    /// Tasks: tiles, from the north-west row by row, or rows or columns of them, or 1 for the whole.
    pub tasks: usize,
    /// Its layers, from the ground up. None where it goes through the coarser grids of erosions.
    pub layers: Vec<PlannedLayer>,
    /// Why it is done as a whole, if it is: a sentence for each layer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub whole: Vec<String>,
    /// The scene whose layers they are: that of the mask of a layer, in there that of the mask of the next; empty for
    /// the scene itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub of_masks: Vec<usize>,
    /// Cells around a tile that are computed with it and cut off.
    pub halo: usize,
    /// Bytes that a task takes at the most.
    pub memory_bytes: u64,
    /// The ground below its first layer; none for level ground.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beneath: Option<StageProduct>,
    /// The terrain of a process whose first iterations are done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub under_way: Option<StageProduct>,
    /// What erosions changed on the next coarser grid, by layer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<(usize, StageProduct)>,
    /// The trunk streams that erosions keep where they are, by layer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub streams: Vec<(usize, StageProduct)>,
    /// What masks read, by the layer that has the mask.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<(usize, StageProduct)>,
    /// What it does about the whole, where a layer asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub survey: Option<PlannedSurvey>,
    /// What its tiles tell of the ground that they leave, on the way to what a layer above asks about the whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tells: Option<PlannedSurvey>,
    /// Smoothed fields, each with the layer that reads it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub smoothed: Vec<(usize, SmoothedField, StageProduct)>,
    /// What it does to smooth a field, if that is what it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub smoothing: Option<PlannedSmoothing>,
    /// The layer whose mask it works out, on the ground beneath it, if that is what it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mask_of: Option<PlannedLayer>,
    /// What it leaves.
    pub writes: Vec<StageProduct>,
}

impl PlanStage {
    /// Everything that it reads.
    pub fn reads(&self) -> Vec<StageProduct> {
        let named = self.changes.iter().chain(&self.streams).chain(&self.sources).map(|(_, product)| *product);
        let known = self.survey.iter().flat_map(|survey| &survey.reads).copied();
        let smoothed = self.smoothed.iter().map(|(.., product)| *product);
        let known = known.chain(smoothed);
        let mut all: Vec<_> = self.beneath.into_iter().chain(self.under_way).chain(named).chain(known).collect();
        all.sort();
        all.dedup();
        all
    }

    /// What its [survey](StageProduct::Survey) is about.
    pub fn survey_told(&self) -> Option<&PlannedSurvey> {
        self.tells.as_ref().or(self.survey.as_ref())
    }

    /// Whether something in it can be computed as a whole only.
    pub fn is_one_piece(&self) -> bool {
        !self.whole.is_empty()
    }

    /// Whether it is done as a whole.
    pub fn is_whole(&self) -> bool {
        self.tasks == 1
    }

    /// What it does along whole lines, if that is what it does.
    pub fn along_lines(&self) -> Option<&PlannedSmoothing> {
        self.smoothing.as_ref().filter(|smoothing| smoothing.step != SmoothingStep::Weights)
    }
}

/// A build in tiles: what is done, in which order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TilePlan {
    /// Of this form of the text.
    pub version: u32,
    /// The program that made it.
    pub talweg: String,
    /// Samples a side of the result.
    pub samples: usize,
    /// Samples a side of a tile; the last of a row takes what is left.
    pub tile: usize,
    /// Hash of what the result follows from, the contents of files that the scene names among it.
    pub scene_key: String,
    /// What is done, each after those that it reads.
    pub stages: Vec<PlanStage>,
    /// The result.
    pub result: StageProduct,
    /// Masks beside it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub masks: Vec<PlannedMask>,
}

/// Version of the text.
pub const VERSION: u32 = 1;
/// The plan in its folder.
pub const PLAN_FILE: &str = "plan.ron";
/// The scene in the folder of a plan.
pub const SCENE_FILE: &str = "scene.ron";

impl TilePlan {
    /// As text.
    ///
    /// # Errors
    /// When it cannot be written as text.
    pub fn to_ron(&self) -> Result<String, TileError> {
        let pretty = ron::ser::PrettyConfig::new().depth_limit(4).indentor("    ".to_string());
        ron::ser::to_string_pretty(self, pretty)
            .map(|text| text + "\n")
            .map_err(|error| TileError::Text(error.to_string()))
    }

    /// Reads the plan in a folder.
    ///
    /// # Errors
    /// When there is none, or it is of another version or program.
    pub fn load(folder: &Path) -> Result<Self, TileError> {
        let path = folder.join(PLAN_FILE);
        let text = std::fs::read_to_string(&path).map_err(|source| TileError::Read { path: path.clone(), source })?;
        let plan: Self = ron::from_str(&text)
            .map_err(|error| TileError::NotAPlan { path: path.clone(), error: error.to_string() })?;
        if plan.version != VERSION || plan.talweg != env!("CARGO_PKG_VERSION") {
            return Err(TileError::OtherProgram { path, talweg: plan.talweg });
        }
        plan.check().map_err(|error| TileError::NotAPlan { path, error })?;
        Ok(plan)
    }

    /// What is wrong with it, if somebody wrote it by hand.
    fn check(&self) -> Result<(), String> {
        let is_made = |before: usize, product: &StageProduct| {
            product.stage() < before && self.stages[product.stage()].writes.contains(product)
        };
        if !(2..=MOST_SAMPLES).contains(&self.samples) || self.tile < LEAST_TILE {
            return Err(format!("it has {} samples in tiles of {}", self.samples, self.tile));
        }
        for (number, stage) in self.stages.iter().enumerate() {
            let tiles = tile_count(stage.samples, self.tile);
            let known = if stage.along_lines().is_some() { [tiles; 2] } else { [1, tiles.pow(2)] };
            if !(2..=MOST_SAMPLES).contains(&stage.samples) || !known.contains(&stage.tasks) {
                return Err(format!("stage {number} has {} samples and {} tasks", stage.samples, stage.tasks));
            }
            let makes_field = stage.smoothing.is_some() || stage.mask_of.is_some();
            if makes_field && stage.writes != [StageProduct::Field(number)] {
                return Err(format!("stage {number} makes a field and leaves something else"));
            }
            if let Some(error) = stage.survey.as_ref().and_then(|survey| self.survey_error(number, survey)) {
                return Err(format!("stage {number} {error}"));
            }
            let is_told = |tells: &PlannedSurvey| {
                let is_ground = !stage.layers.is_empty() && !stage.is_one_piece() && stage.mask_of.is_none();
                let fits = matches!(tells.step, SurveyStep::Basins | SurveyStep::Range) && tells.reads.is_empty();
                is_ground && fits && stage.writes.contains(&StageProduct::Survey(number))
            };
            if stage.tells.as_ref().is_some_and(|tells| !is_told(tells)) {
                return Err(format!("stage {number} tells what it does not know"));
            }
            if let Some(product) = stage.reads().iter().find(|product| !is_made(number, product)) {
                return Err(format!("stage {number} reads the {product}, which no stage before it makes"));
            }
        }
        match self.results().all(|result| is_made(self.stages.len(), &result)) {
            true => Ok(()),
            false => Err("nothing makes its result, or a mask beside it".into()),
        }
    }

    /// The result and the masks beside it.
    pub fn results(&self) -> impl Iterator<Item = StageProduct> + '_ {
        std::iter::once(self.result).chain(self.masks.iter().map(|mask| mask.product))
    }

    /// What is wrong with what a stage does about the whole.
    fn survey_error(&self, number: usize, survey: &PlannedSurvey) -> Option<String> {
        let step_of = |product: &StageProduct| match product {
            StageProduct::Survey(stage) => self.stages.get(*stage).and_then(|stage| Some(stage.survey_told()?.step)),
            StageProduct::Kept(stage) | StageProduct::Ground(stage) => {
                self.stages.get(*stage).and_then(|stage| Some(stage.survey.as_ref()?.step))
            }
            StageProduct::Change(..) | StageProduct::Field(_) => None,
        };
        let reads: Vec<_> = survey.reads.iter().map(step_of).collect();
        let fits = match survey.step {
            SurveyStep::Basins | SurveyStep::Range | SurveyStep::Streams => reads.is_empty(),
            SurveyStep::Ranges => reads == [Some(SurveyStep::Range)],
            SurveyStep::Spills => reads == [Some(SurveyStep::Basins)],
            SurveyStep::Flow => reads == [Some(SurveyStep::Spills)],
            SurveyStep::Inflows => reads == [Some(SurveyStep::Flow)],
            SurveyStep::Courses => reads == [Some(SurveyStep::Spills)],
            SurveyStep::Trunks => reads == [Some(SurveyStep::Courses)],
            SurveyStep::Wear => reads == [Some(SurveyStep::Trunks), Some(SurveyStep::Courses)],
            SurveyStep::Ground => {
                reads == [Some(SurveyStep::Ranges)]
                    || reads == [Some(SurveyStep::Spills)]
                    || reads == [Some(SurveyStep::Spills), Some(SurveyStep::Inflows)]
                    || reads == [Some(SurveyStep::Trunks), Some(SurveyStep::Courses)]
                    || reads == [Some(SurveyStep::Wear)]
            }
        };
        let writes = &self.stages[number].writes;
        let leaves = match survey.step {
            SurveyStep::Ground => true,
            SurveyStep::Wear => *writes == [StageProduct::Ground(number)],
            SurveyStep::Courses => *writes == [StageProduct::Survey(number), StageProduct::Kept(number)],
            _ => *writes == [StageProduct::Survey(number)],
        };
        (!fits || !leaves).then(|| format!("reads or leaves what the step {:?} does not", survey.step))
    }

    /// The tiles of a stage.
    pub fn regions(&self, stage: usize) -> TileRegions {
        let samples = self.stages[stage].samples;
        let spans = (0..self.tiles(stage)).map(|index| tile_span(samples, self.tile, index)).collect();
        TileRegions::new(samples, spans)
    }

    /// What the files of a stage follow from: those of another plan are not taken for them.
    pub fn stage_key(&self, stage: usize) -> u128 {
        let text = format!("{}/{}/{}/{stage}/{:?}", self.scene_key, self.samples, self.tile, self.stages[stage]);
        xxh3_128(text.as_bytes())
    }

    /// The grid of a stage, with the edges of `scene`.
    pub fn grid(&self, stage: usize, scene: &Scene) -> Grid {
        Grid::working(self.stages[stage].samples, scene.settings.edges)
    }

    /// Tiles a side of a stage.
    pub fn tiles(&self, stage: usize) -> usize {
        tile_count(self.stages[stage].samples, self.tile)
    }

    /// The samples of a tile of a stage, by its row and column.
    pub fn region(&self, stage: usize, [row, column]: [usize; 2]) -> Region {
        let samples = self.stages[stage].samples;
        let span = |index: usize| tile_span(samples, self.tile, index);
        Region { rows: span(row), columns: span(column) }
    }
}

/// Tiles along a side: the last takes up to half a tile more, or less.
pub fn tile_count(samples: usize, tile: usize) -> usize {
    ((samples + tile / 2) / tile).max(1)
}

/// The samples of a row or column of tiles.
pub fn tile_span(samples: usize, tile: usize, index: usize) -> Range<usize> {
    let end = if index + 1 == tile_count(samples, tile) { samples } else { (index + 1) * tile };
    index * tile..end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_cover_a_side_once() {
        for (samples, tile) in [(513, 64), (513, 100), (513, 256), (513, 333), (20, 64), (96, 64), (65, 64)] {
            let spans: Vec<_> = (0..tile_count(samples, tile)).map(|k| tile_span(samples, tile, k)).collect();
            assert_eq!((spans[0].start, spans[spans.len() - 1].end), (0, samples));
            assert!(spans.windows(2).all(|pair| pair[0].end == pair[1].start));
            assert!(spans.iter().all(|span| !span.is_empty() && 2 * span.len() <= 3 * tile));
        }
    }
}
