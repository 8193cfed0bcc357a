//! Builds in tiles: a scene computed tile by tile, on one or many machines. The bits are the same as in a single
//! evaluation.
//!
//! A [`TilePlan`] lists the stages as text. For each stage it says what the stage reads and writes. It also says
//! whether and why the stage is computed on the whole terrain at once. A [`TileBuild`] is a plan with its scene and its
//! [`TileStore`], all in one folder, which can be on a shared disk. [`run_task`](TileBuild::run_task) runs one task of
//! the build, unless the task is done. The code that computes the whole terrain
//! ([`evaluate_window`](crate::eval::window::evaluate_window)) also computes the tiles, each with a halo. The node
//! descriptions ([`NodeParts`](crate::nodes::NodeParts)) determine how a layer is divided.
//!
//! | file | contents |
//! |---|---|
//! | `plan` | the plan |
//! | `plan_file` | the plan and its scene as files, which are checked when they are read |
//! | `planner` | how a scene is divided into stages |
//! | `range` | the lowest and the highest height of tiles |
//! | `tile_file` | the format of a tile's file, verified block by block |
//! | `store` | the tiles of a plan |
//! | `check` | which tiles are complete, missing or bad, and what was made of bad tiles |
//! | `task` | one task of a plan |
//! | `merge` | files made of all tiles of the result, without holding the whole terrain in memory |
//! | `result_rows` | the result, read some rows or a window at a time |
//! | `large_export` | exports of terrains larger than memory, through temporary tiles |
//! | `disk` | disk space of a build, and tiles that no later stage reads |
//! | `launch` | jobs of Slurm and of Open Job Description |

mod check;
mod disk;
mod large_export;
mod launch;
mod merge;
mod plan;
mod plan_file;
mod planner;
mod range;
mod result_rows;
mod store;
mod survey;
mod task;
mod tile_file;

use std::path::PathBuf;

pub use check::{CheckedTile, TileState};
pub use disk::DiskUse;
pub use large_export::LargeExport;
pub use launch::{Launcher, OPENJD_FILE, SLURM_FILE};
pub use merge::MergedTerrain;
pub use plan::{
    LEAST_TILE, MOST_SAMPLES, PlanStage, PlannedLayer, PlannedMask, PlannedSmoothing, PlannedSurvey, SmoothingStep,
    StageProduct, SurveyStep, TilePlan, tile_count,
};
pub use plan_file::{PLAN_FILE, PLAN_VERSION, SCENE_FILE, read_plan, write_plan};
pub use planner::{tile_plan, tile_plan_with_masks};
pub use store::TileStore;
pub use task::{TaskOutcome, TileBuild};
pub use tile_file::{TileFault, TileId};

use crate::export::ExportError;
use crate::field::{Cancelled, MIN_SAMPLES, MapKind};
use crate::hydrology::tiled::WordError;
use crate::io::FileError;
use crate::scene::SceneError;
use crate::web_map::WebMapError;

/// The reason why a build in tiles, or a part of it, cannot be done.
#[derive(Debug, thiserror::Error)]
pub enum TileError {
    /// The scene is a planet, whose six faces cannot be cut into tiles of a single square.
    #[error(
        "a planet cannot be built in tiles, because its six faces meet at their borders and a tile is a window of one \
         square; extract a region of it first (`talweg region take`)"
    )]
    Planet,
    /// The size of the terrain or of the tiles is out of range.
    #[error("give {MIN_SAMPLES} to {MOST_SAMPLES} samples per side, and tiles of {LEAST_TILE} to {MOST_SAMPLES}")]
    Sizes,
    /// A stage belongs to a terrain that no reference of the scene reads.
    #[error("layer {layer} of the scene reads no other layer, as the plan says; make a new plan")]
    NoSource {
        /// Index of the layer that reads.
        layer: String,
    },
    /// The build should keep the mask of a layer that the scene does not have.
    #[error("the scene has no layer {layer} whose mask could be kept; it has {layers} layers")]
    NoLayer {
        /// Index of the layer.
        layer: usize,
        /// Number of layers of the scene.
        layers: usize,
    },
    /// The plan cannot be written as text.
    #[error("the plan cannot be written: {0}")]
    Text(String),
    /// A file cannot be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The file that cannot be read.
        path: PathBuf,
        /// The cause of the failure.
        source: std::io::Error,
    },
    /// A folder cannot be created.
    #[error("cannot make the folder {path}: {source}")]
    Folder {
        /// The folder that cannot be created.
        path: PathBuf,
        /// The cause of the failure.
        source: std::io::Error,
    },
    /// A file is not a plan.
    #[error("{path} is not a valid plan of a build in tiles: {error}")]
    NotAPlan {
        /// The file.
        path: PathBuf,
        /// Description of the fault in the plan.
        error: String,
    },
    /// The plan was made by another version of the program, which may compute other bits.
    #[error(
        "{path} was made by Talweg {talweg} (plan format {version}), and this is Talweg {} (plan format \
         {PLAN_VERSION}); tiles of two versions may not fit together: make a new plan in another folder",
        env!("CARGO_PKG_VERSION")
    )]
    OtherProgram {
        /// The file of the plan.
        path: PathBuf,
        /// The version of Talweg that made the plan.
        talweg: String,
        /// The version of the plan's text.
        version: u32,
    },
    /// The plan was changed after it was written.
    #[error(
        "{path} was edited or damaged after it was made: {difference}. A plan cannot be edited; make a new plan in \
         another folder"
    )]
    EditedPlan {
        /// The file of the plan.
        path: PathBuf,
        /// The difference that was found.
        difference: String,
    },
    /// The scene differs from the one for which the plan was made.
    #[error("{path}, or a file that it names, has changed since the plan was made; make a new plan in another folder")]
    OtherScene {
        /// The file of the scene.
        path: PathBuf,
    },
    /// The plan has no task with this stage number and task number.
    #[error("the plan has no task {task} of stage {stage}")]
    NoTask {
        /// Number of the stage.
        stage: usize,
        /// Number of the task.
        task: usize,
    },
    /// A tile does not exist yet.
    #[error("{tile} is missing; run stage {} first ({path})", tile.product.stage())]
    Missing {
        /// The tile.
        tile: TileId,
        /// File of the tile.
        path: PathBuf,
    },
    /// A tile's file is not the tile that was asked for, or is damaged.
    #[error(
        "{tile} {fault} ({path}); run stage {} again, which makes it anew, and then the stages after it. `talweg \
         run-tiles` does both",
        tile.product.stage()
    )]
    BadTile {
        /// The tile.
        tile: TileId,
        /// File of the tile.
        path: PathBuf,
        /// The fault that was found.
        fault: TileFault,
    },
    /// Tiles of one stage have different data maps.
    #[error("{path} has different data maps than its neighbours; remove it and run its task again")]
    OtherMaps {
        /// The tile's file whose data maps differ from those of its neighbours.
        path: PathBuf,
    },
    /// A tile's drainage summary is inconsistent.
    #[error("{path}: {source}; remove it and run its task again")]
    Words {
        /// The file with the summary.
        path: PathBuf,
        /// The inconsistency that was found.
        source: WordError,
    },
    /// A stage needs more memory than is free.
    #[error(
        "stage {stage} of the build in tiles {short}: {}. Give a smaller size, hide such a layer, or raise the \
         limit with --memory if more is free", layers.join("; ")
    )]
    Memory {
        /// Number of the stage in the plan.
        stage: usize,
        /// The memory needed and the free memory.
        short: String,
        /// Layers of the stage, or the reasons why they are computed on the whole terrain at once.
        layers: Vec<String>,
    },
    /// The result of the build has no such map.
    #[error("no shown layer of the scene writes the map {0:?}; add one that does and make a new plan, or omit the map")]
    NoMap(MapKind),
    /// A map that depends on the flow was requested, and the result has no flow.
    #[error(
        "the map `{0}` needs the drainage of the whole terrain, and tiles keep it only if a layer computes it; no shown \
         layer of the scene writes the map flow. Add a layer Flow on top and make a new plan, or omit the map"
    )]
    NoFlow(String),
    /// The plan does not keep the requested mask.
    #[error(
        "the plan keeps no mask of layer `{layer}`, {known}; make a new plan with --masks `{layer}`, or omit the mask"
    )]
    NoMask {
        /// Name of the layer whose mask was requested.
        layer: String,
        /// Names of the masks that tiles of the plan keep, for the message.
        known: String,
    },
    /// The scene cannot be read or written.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// A file cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A product cannot be made.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// A pyramid of tiles cannot be made.
    #[error(transparent)]
    WebMap(#[from] WebMapError),
    /// The build was cancelled.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}
