//! The plan of a build in tiles, and its text.

use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use super::plan_file::PLAN_VERSION;
use crate::eval::window::{LayerPart, SmoothedField};
use crate::field::{Grid, MapKind, Region};
use crate::hydrology::tiled::TileRegions;
use crate::scene::{LayerReader, Scene};

/// Maximum samples per side. Single precision could distinguish more positions, but the files would be impractically
/// large.
pub const MOST_SAMPLES: usize = crate::scene::MAX_EXPORT_SAMPLES;
/// Minimum samples per side of a tile.
pub const LEAST_TILE: usize = 16;

/// Data that a stage writes into the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum StageProduct {
    /// The terrain after the layers of a stage. This includes the intermediate terrain of a process between its
    /// iterations, and the terrain after each stage of an iteration.
    Ground(usize),
    /// The change that a layer's process made on the grid of a stage and all coarser grids. The numbers are those of
    /// the stage and of the layer.
    Change(usize, usize),
    /// Survey data: each tile's summary of its terrain, or the answer for each tile, computed from all summaries.
    Survey(usize),
    /// A smoothed field, or an intermediate field of the smoothing.
    Field(usize),
    /// Drainage data that each tile keeps for its own work in a later stage.
    Kept(usize),
}

impl StageProduct {
    /// The stage that makes the product.
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

/// A layer of a stage, or some of its iterations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedLayer {
    /// Index of the layer in the scene.
    pub layer: usize,
    /// Name of the layer.
    pub name: String,
    /// First iteration and the iteration after the last, on the grid of the stage; `None` for the whole layer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iterations: Option<(u32, u32)>,
}

impl PlannedLayer {
    /// The part of the layer to evaluate.
    pub fn part(&self) -> LayerPart {
        LayerPart { layer: self.layer, iterations: self.iterations.map(|(first, end)| first..end) }
    }
}

/// A step to collect data about the whole terrain for a layer: its drainage (after Barnes 2016 and 2017) or its height
/// range. A water-driven erosion process needs several of these steps in each iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SurveyStep {
    /// Each tile summarises its basins for the other tiles.
    Basins,
    /// One task finds, for each tile, the points where the tile's basins spill.
    Spills,
    /// Each tile lists its flats that touch the border of the tile.
    Flats,
    /// One task measures the distances on these flats: the number of steps that water takes to leave them.
    FlatDistances,
    /// Each tile reports the cells at which water leaves it, and how many of its cells drain through each.
    Flow,
    /// One task computes, for each tile, how many cells of other tiles drain into it.
    Inflows,
    /// Each tile divides the water of each cell between two neighbouring cells and keeps its channel courses. The tile
    /// also reports its trunks: the cells that water of other tiles can reach.
    Courses,
    /// One task computes, for each tile, the areas that drain through its trunks, and the heights of the eroded trunks.
    Trunks,
    /// Each tile erodes its cells that are not trunks.
    #[serde(rename = "Wear")]
    Erosion,
    /// One task finds the trunk streams that an erosion process must preserve, on a whole coarse grid.
    Streams,
    /// Each tile reports its lowest and highest height.
    Range,
    /// One task combines the ranges of all tiles.
    Ranges,
    /// The layer is evaluated with the results of the survey.
    Ground,
}

impl SurveyStep {
    /// The data maps below the layer that the step reads.
    pub fn maps_read(self) -> &'static [MapKind] {
        match self {
            Self::Flow => &[MapKind::Ground, MapKind::Rain],
            Self::Courses => &[MapKind::Ground, MapKind::Rain, MapKind::Hardness, MapKind::Uplift],
            Self::Erosion => &[MapKind::Ground, MapKind::Hardness],
            Self::Basins | Self::Flats | Self::Range => &[MapKind::Ground],
            _ => &[],
        }
    }

    /// Whether the step writes a terrain, as layers and iterations do.
    pub fn leaves_ground(self) -> bool {
        matches!(self, Self::Erosion | Self::Ground)
    }

    /// Whether one task does the step for all tiles, from the tiles' summaries alone.
    pub fn is_one_task(self) -> bool {
        matches!(self, Self::Spills | Self::FlatDistances | Self::Inflows | Self::Trunks | Self::Streams | Self::Ranges)
    }
}

/// The survey step of a stage, for a layer that needs data about the whole terrain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedSurvey {
    /// Index of the layer for which the survey is made.
    pub layer: usize,
    /// Name of the layer.
    pub name: String,
    /// The iteration on the grid of the stage, for a process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iteration: Option<u32>,
    /// The survey step that the stage takes.
    pub step: SurveyStep,
    /// Summaries and answers that the step reads, in a fixed order. The spill points of basins come first, then the
    /// distances on flats, then the inflows into tiles. The answer about trunks comes before the channel courses that a
    /// tile kept. At the end of an iteration, the step reads the eroded terrain.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<StageProduct>,
}

/// A step on the way to a smoothed field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SmoothingStep {
    /// Each tile computes the weights of the mask that later steps blur.
    Weights,
    /// Each task smooths the whole columns of samples in one column of tiles.
    Columns,
    /// Each task smooths the whole rows of samples in one row of tiles.
    Rows,
}

/// The smoothing step of a stage. Smoothing treats each line of samples independently, so a task covers a whole row or
/// column of tiles.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedSmoothing {
    /// Index of the layer that reads the smoothed field.
    pub layer: usize,
    /// Name of the layer.
    pub name: String,
    /// The iteration on the grid of the stage, for a process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iteration: Option<u32>,
    /// The field to smooth.
    pub field: SmoothedField,
    /// The step, which is applied to the product [`terrain_below`](PlanStage::terrain_below).
    pub step: SmoothingStep,
}

/// The mask of a layer that is kept in addition to the result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedMask {
    /// Index of the layer in the scene.
    pub layer: usize,
    /// Name of the layer.
    pub name: String,
    /// The weights of the mask.
    pub product: StageProduct,
}

/// A stage of a build. Its work is done tile by tile, or once for the whole terrain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanStage {
    /// Samples per side of the stage's grid.
    pub samples: usize,
    /// Number of tasks. There is one task for each tile (in row order from the north-west), for each row or column of
    /// tiles, or for the whole terrain.
    pub tasks: usize,
    /// Layers of the stage, from the lowest up; empty for a stage that computes the coarser grids of erosion processes.
    pub layers: Vec<PlannedLayer>,
    /// Reasons why the stage is computed on the whole terrain at once, one sentence for each layer. Empty if the stage
    /// is computed in tiles.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub whole: Vec<String>,
    /// Identifies the scene that contains the layers, as a path of references. Each reference reads another scene. The
    /// first reader is in the scene itself, the next in the scene that the first reads, and so on. Empty for the scene
    /// itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[serde(rename = "of_masks")]
    pub source_path: Vec<LayerReader>,
    /// Width of the halo in cells. The task also computes the halo around its tile, and then cuts it off.
    pub halo: usize,
    /// Maximum memory of a task in bytes.
    pub memory_bytes: u64,
    /// The terrain below the stage's first layer; `None` for level ground.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(rename = "beneath")]
    pub terrain_below: Option<StageProduct>,
    /// The terrain of an unfinished process, whose first iterations are done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(rename = "under_way")]
    pub unfinished: Option<StageProduct>,
    /// Changes that erosion processes made on the next coarser grid, each with the index of its layer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<(usize, StageProduct)>,
    /// Trunk streams that erosion processes must preserve, each with the index of its layer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub streams: Vec<(usize, StageProduct)>,
    /// Terrains that references read, each with its reader.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<(LayerReader, StageProduct)>,
    /// The stage's work in a survey of the whole terrain, if a layer needs a survey.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub survey: Option<PlannedSurvey>,
    /// The survey step that the stage also runs on the terrain that it writes, for a layer above.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(rename = "tells")]
    pub summary: Option<PlannedSurvey>,
    /// Smoothed fields that the stage reads, each with the layer that needs the field.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub smoothed: Vec<(usize, SmoothedField, StageProduct)>,
    /// The stage's work in smoothing a field. `None` for a stage of another kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub smoothing: Option<PlannedSmoothing>,
    /// The layer whose mask the stage computes on the terrain below. `None` for a stage of another kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mask_of: Option<PlannedLayer>,
    /// The products that the stage writes.
    pub writes: Vec<StageProduct>,
}

impl PlanStage {
    /// All products that the stage reads.
    pub fn reads(&self) -> Vec<StageProduct> {
        let named = self.changes.iter().chain(&self.streams).map(|(_, product)| *product);
        let named = named.chain(self.sources.iter().map(|(_, product)| *product));
        let known = self.survey.iter().flat_map(|survey| &survey.reads).copied();
        let smoothed = self.smoothed.iter().map(|(.., product)| *product);
        let known = known.chain(smoothed);
        let mut all: Vec<_> = self.terrain_below.into_iter().chain(self.unfinished).chain(named).chain(known).collect();
        all.sort();
        all.dedup();
        all
    }

    /// The survey step whose [survey](StageProduct::Survey) product the stage writes.
    pub fn written_survey(&self) -> Option<&PlannedSurvey> {
        self.summary.as_ref().or(self.survey.as_ref())
    }

    /// Whether a part of the stage can only be computed on the whole terrain at once.
    pub fn is_one_piece(&self) -> bool {
        !self.whole.is_empty()
    }

    /// Whether one task computes the whole stage.
    pub fn is_whole(&self) -> bool {
        self.tasks == 1
    }

    /// The smoothing of the stage, if its tasks smooth whole rows or columns of samples.
    pub fn along_lines(&self) -> Option<&PlannedSmoothing> {
        self.smoothing.as_ref().filter(|smoothing| smoothing.step != SmoothingStep::Weights)
    }
}

/// A build in tiles: all stages in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TilePlan {
    /// Samples per side of the result.
    pub samples: usize,
    /// Samples per side of a tile; the last tile of a row has the remaining samples.
    pub tile: usize,
    /// Hash of everything that the result depends on, including the contents of files that the scene names.
    pub scene_key: String,
    /// All stages; each is listed after the stages that it reads.
    pub stages: Vec<PlanStage>,
    /// The product that is the result of the build.
    pub result: StageProduct,
    /// Masks that are kept in addition to the result.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub masks: Vec<PlannedMask>,
}

impl TilePlan {
    /// Key of the plan, stored in the heads of its tiles so that files of another plan or version are not used by
    /// mistake.
    pub fn key(&self) -> u128 {
        xxh3_128(format!("{PLAN_VERSION} {} {self:?}", env!("CARGO_PKG_VERSION")).as_bytes())
    }

    /// Key of the scene in the heads of tiles.
    pub fn scene_bits(&self) -> u128 {
        u128::from_str_radix(&self.scene_key, 16).unwrap_or_default()
    }

    /// The products to keep at the end: the result and the additional masks.
    pub fn results(&self) -> impl Iterator<Item = StageProduct> + '_ {
        std::iter::once(self.result).chain(self.masks.iter().map(|mask| mask.product))
    }

    /// The tiles of a stage.
    pub fn regions(&self, stage: usize) -> TileRegions {
        let samples = self.stages[stage].samples;
        let spans = (0..self.tiles(stage)).map(|index| tile_span(samples, self.tile, index)).collect();
        TileRegions::new(samples, spans)
    }

    /// The grid of a stage, with the edges of `scene`.
    pub fn grid(&self, stage: usize, scene: &Scene) -> Grid {
        Grid::working(self.stages[stage].samples, scene.settings.edges)
    }

    /// Number of tiles per side of a stage.
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

/// Number of tiles per side. The last tile is between 0.5 and 1.5 times as large as the others.
pub fn tile_count(samples: usize, tile: usize) -> usize {
    ((samples + tile / 2) / tile).max(1)
}

/// The samples that the row or column of tiles with number `index` covers.
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
