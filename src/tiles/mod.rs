//! Worlds in tiles: a scene built piece by piece, on one machine or many, to the same bits as at once.
//!
//! A [`TilePlan`] says in text which stages there are, what each reads and leaves, and what has to be done as a whole
//! and why. A [`TileBuild`] is a plan with its scene and its [`TileStore`], all in one folder that may lie on a shared
//! disk; [`run_task`](TileBuild::run_task) carries out one task of it and does nothing where it is done. Tiles are
//! computed with a halo by the code that computes the whole
//! ([`evaluate_window`](crate::eval::window::evaluate_window)); what nodes say of themselves
//! ([`NodeParts`](crate::nodes::NodeParts)) decides how.
//!
//! | file | what it holds |
//! |---|---|
//! | `plan` | the plan and its text |
//! | `planner` | how a scene is divided into stages |
//! | `range` | the lowest and the highest height of tiles |
//! | `store` | tiles as files |
//! | `task` | one task of a plan |
//! | `merge` | files made of all tiles of the result, without holding the whole |
//! | `result_rows` | the result some rows or a window at a time |
//! | `large_export` | the files of an export, of a terrain that is built in tiles for it and not kept |
//! | `disk` | the disk that a build takes, and tiles that nothing reads any more |
//! | `launch` | jobs of Slurm and of Open Job Description |

mod disk;
mod large_export;
mod launch;
mod merge;
mod plan;
mod planner;
mod range;
mod result_rows;
mod store;
mod survey;
mod task;

use std::path::{Path, PathBuf};

pub use disk::DiskUse;
pub use large_export::LargeExport;
pub use launch::{Launcher, OPENJD_FILE, SLURM_FILE};
pub use merge::MergedTerrain;
pub use plan::{
    LEAST_TILE, MOST_SAMPLES, PLAN_FILE, PlanStage, PlannedLayer, PlannedMask, PlannedSmoothing, PlannedSurvey,
    SCENE_FILE, SmoothingStep, StageProduct, SurveyStep, TilePlan, tile_count,
};
pub use planner::{tile_plan, tile_plan_with_masks};
pub use store::TileStore;
pub use task::{TaskOutcome, TileBuild};

use crate::export::ExportError;
use crate::field::{Cancelled, MIN_SAMPLES, MapKind};
use crate::hydrology::tiled::WordError;
use crate::io::{FileError, sweep_folder, write_atomically};
use crate::scene::{Scene, SceneError};
use crate::web_map::WebMapError;

/// Why something of a build in tiles cannot be done.
#[derive(Debug, thiserror::Error)]
pub enum TileError {
    /// Planets have no tiles of this kind.
    #[error(
        "a planet cannot be built in tiles: a tile is a window of one square, and a planet is six that meet at \
         their borders; extract a region of it (`talweg patch take`), which can"
    )]
    Planet,
    /// Sizes out of range.
    #[error("give {MIN_SAMPLES} to {MOST_SAMPLES} samples a side, and tiles of {LEAST_TILE} at the least")]
    Sizes,
    /// A mask reads a layer that makes nothing.
    #[error("a mask reads layer `{layer}`, which takes no part; show that layer or leave the condition out")]
    NoSource {
        /// The layer.
        layer: String,
    },
    /// The plan cannot be written as text.
    #[error("the plan cannot be written: {0}")]
    Text(String),
    /// A file cannot be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A folder cannot be made.
    #[error("cannot make the folder {path}: {source}")]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file is no plan.
    #[error("{path} is no plan of tiles: {error}")]
    NotAPlan {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        error: String,
    },
    /// The plan is of another version of the program, which may give other bits.
    #[error("{path} was made by Talweg {talweg}, and tiles of two versions would not fit together; plan anew")]
    OtherProgram {
        /// The plan.
        path: PathBuf,
        /// The version.
        talweg: String,
    },
    /// The scene is not the one that was planned.
    #[error("{path}, or a file that it names, has changed since it was planned; plan anew in another folder")]
    OtherScene {
        /// The scene.
        path: PathBuf,
    },
    /// There is no such task.
    #[error("the plan has no task {task} of stage {stage}")]
    NoTask {
        /// Number of the stage.
        stage: usize,
        /// Number of the task.
        task: usize,
    },
    /// A tile is not there yet.
    #[error(
        "tile {}-{} of the {product} is not there, or not whole; run stage {} first ({path})",
        place[0], place[1], product.stage()
    )]
    Missing {
        /// What it is of.
        product: StageProduct,
        /// Row and column.
        place: [usize; 2],
        /// Its file.
        path: PathBuf,
    },
    /// Tiles of one stage have different data maps.
    #[error("{path} has other data maps than its neighbours; remove it and run its task again")]
    OtherMaps {
        /// The file.
        path: PathBuf,
    },
    /// What tiles tell of their water makes no sense.
    #[error("{path}: {source}; remove it and run its task again")]
    Words {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: WordError,
    },
    /// A stage takes more memory than there is.
    #[error(
        "stage {stage} of the build in tiles {short}: {}. Give a smaller size, leave such a layer out, or give \
         --memory LIMIT if you know that there is more", layers.join("; ")
    )]
    Memory {
        /// Number of the stage.
        stage: usize,
        /// What it needs and what is free.
        short: String,
        /// Its layers, with the reason where they are computed as a whole.
        layers: Vec<String>,
    },
    /// The result has no such map.
    #[error("no shown layer of the scene writes the map {0:?}; add one that does and plan anew, or leave the map out")]
    NoMap(MapKind),
    /// The plan has no such mask.
    #[error("the plan has no mask of layer `{layer}`, {known}; plan anew with --masks `{layer}`, or leave it out")]
    NoMask {
        /// The layer.
        layer: String,
        /// What it has.
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
    /// It was cancelled.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Writes a plan and its scene into a new folder; the plan last, so that a folder without one is none of a build.
///
/// # Errors
/// When the folder is there with anything but a scene in it, or cannot be written.
pub fn write_plan(folder: &Path, plan: &TilePlan, scene: &Scene) -> Result<(), TileError> {
    let text = plan.to_ron()?;
    let failed = |source| TileError::Folder { path: folder.into(), source };
    std::fs::create_dir_all(folder).map_err(failed)?;
    sweep_folder(folder);
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        // what was killed before it had written the plan
        if entry.map_err(failed)?.file_name() != SCENE_FILE {
            return Err(FileError::NotEmpty { path: folder.into() }.into());
        }
    }
    scene.save(folder.join(SCENE_FILE))?;
    Ok(write_atomically(folder.join(PLAN_FILE), |file| std::io::Write::write_all(file, text.as_bytes()))?)
}
