//! Finds out which tiles of a build are complete, missing or bad, and which were made of tiles that are different now.

use std::path::PathBuf;

use super::tile_file::{ReadFailure, TileContent, TileFault, TileId};
use super::{StageProduct, TileBuild, TileError};
use crate::field::Control;

/// The state of a tile's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TileState {
    /// The file is the tile of the plan, and complete.
    Complete,
    /// There is no file, and a task that is left to do makes it.
    Missing,
    /// There is no file, and no task that is left to do reads the tile: it was removed after use.
    Removed,
    /// The file cannot be used; its task makes it anew.
    Bad(TileFault),
}

/// A tile of a plan whose file was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedTile {
    /// The tile.
    pub tile: TileId,
    /// Number of the task, within the tile's stage, that makes the tile.
    pub task: usize,
    /// File of the tile.
    pub path: PathBuf,
    /// State of the file.
    pub state: TileState,
}

impl TileBuild {
    /// Checks all tiles of the plan, reading every file.
    ///
    /// # Errors
    /// If an existing file cannot be read, or the check was cancelled.
    pub fn check_tiles(&self, control: &Control) -> Result<Vec<CheckedTile>, TileError> {
        let mut checked = Vec::new();
        for (stage, planned) in self.plan.stages.iter().enumerate() {
            for task in 0..planned.tasks {
                control.check()?;
                let outdated = self.outdated_input(stage, task)?;
                for tile in self.tiles_written(stage, task) {
                    let state = match self.tile_fault(tile)?.or_else(|| outdated.clone()) {
                        None => TileState::Complete,
                        Some(TileFault::Missing) => TileState::Missing,
                        Some(fault) => TileState::Bad(fault),
                    };
                    let path = self.store.path(tile.product, tile.place);
                    checked.push(CheckedTile { tile, task, path, state });
                }
            }
        }
        let open = self.open_stages()?;
        for checked in &mut checked {
            if checked.state == TileState::Missing && !open[checked.tile.product.stage()] {
                checked.state = TileState::Removed;
            }
        }
        Ok(checked)
    }

    /// Whether all products of a task exist, are complete, belong to this plan, and were made of the present versions
    /// of the tiles that the task reads. Reads all of their files.
    ///
    /// # Errors
    /// If a file exists and cannot be read.
    pub fn is_done(&self, stage: usize, task: usize) -> Result<bool, TileError> {
        for tile in self.tiles_written(stage, task) {
            if self.tile_fault(tile)?.is_some() {
                return Ok(false);
            }
        }
        Ok(self.outdated_input(stage, task)?.is_none())
    }

    /// The fault of a tile's file, which is read completely; `None` for a complete tile.
    fn tile_fault(&self, tile: TileId) -> Result<Option<TileFault>, TileError> {
        let checked = match tile.product {
            StageProduct::Survey(_) | StageProduct::Kept(_) => self.store.open(tile),
            _ => self.store.open_fields(&self.plan, tile),
        };
        let checked = checked.and_then(|mut open| {
            open.check_blocks().map_err(|failure: ReadFailure| self.store.failed(tile, failure))?;
            let is_words = matches!(open.head.content, TileContent::Words(_));
            match is_words == matches!(tile.product, StageProduct::Survey(_) | StageProduct::Kept(_)) {
                true => Ok(()),
                false => Err(self.store.failed(tile, TileFault::OtherShape.into())),
            }
        });
        fault_of(checked)
    }

    /// The fault of a task's tiles if a tile that the task read is different now. Tiles that are missing or bad now
    /// are not compared: they may have been removed after use, and are compared once they are made again.
    pub(super) fn outdated_input(&self, stage: usize, task: usize) -> Result<Option<TileFault>, TileError> {
        let mut inputs = None;
        for tile in self.tiles_written(stage, task) {
            let Ok(open) = self.store.open(tile) else { return Ok(None) };
            match &inputs {
                None => inputs = Some(open.head.inputs),
                Some(first) if first.hash != open.head.inputs.hash => return Ok(Some(TileFault::OtherRun(tile))),
                Some(_) => {}
            }
        }
        for read in inputs.into_iter().flat_map(|inputs| inputs.tiles) {
            if self.store.open(read.tile).is_ok_and(|open| open.hash != read.hash) {
                return Ok(Some(TileFault::OldInput(read.tile)));
            }
        }
        Ok(None)
    }

    /// For each stage, whether a tile of it, or of a stage that it reads, was made of a tile that is different now.
    pub(super) fn outdated_stages(&self) -> Result<Vec<bool>, TileError> {
        let mut outdated: Vec<bool> = Vec::new();
        for (stage, planned) in self.plan.stages.iter().enumerate() {
            let mut is_outdated = planned.reads().iter().any(|product| outdated[product.stage()]);
            for task in 0..planned.tasks {
                is_outdated = is_outdated || self.outdated_input(stage, task)?.is_some();
            }
            outdated.push(is_outdated);
        }
        Ok(outdated)
    }

    /// Checks that the heads of all tiles of the result and of the kept masks are in order, and that these tiles were
    /// made of the present versions of the tiles that their tasks read. Later reads check the samples.
    pub(super) fn check_result(&self, control: &Control) -> Result<(), TileError> {
        let plan = &self.plan;
        for product in plan.results() {
            let tiles = plan.tiles(product.stage());
            for place in (0..tiles * tiles).map(|tile| [tile / tiles, tile % tiles]) {
                control.check()?;
                self.store.open_fields(plan, TileId { product, place })?;
            }
        }
        for (stage, _) in plan.stages.iter().enumerate() {
            for task in 0..plan.stages[stage].tasks {
                control.check()?;
                if let Some(fault) = self.outdated_input(stage, task)? {
                    return Err(self.store.failed(self.first_tile(stage, task), fault.into()));
                }
            }
        }
        Ok(())
    }
}

/// The fault of a tile that could be read. Other errors are passed on.
fn fault_of(checked: Result<(), TileError>) -> Result<Option<TileFault>, TileError> {
    match checked {
        Ok(()) => Ok(None),
        Err(TileError::Missing { .. }) => Ok(Some(TileFault::Missing)),
        Err(TileError::BadTile { fault, .. }) => Ok(Some(fault)),
        Err(other) => Err(other),
    }
}
