//! Disk space of a build in tiles, and the removal of tiles that no later stage reads.

use super::{PlanStage, StageProduct, TileBuild, TileError, TilePlan};
use crate::eval::window::source_scene;
use crate::field::MapKind;
use crate::scene::Scene;

/// Disk space that a build needs, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiskUse {
    /// Total disk space if all tiles are kept.
    pub kept: u64,
    /// Peak disk space if tiles are removed as soon as no later stage reads them.
    pub pruned: u64,
}

/// Approximate number of drainage fields that a tile keeps: channel courses, division of water between neighbours,
/// drainage areas and fill depths.
const DRAINAGE_FIELDS: usize = 4;

impl TilePlan {
    /// Estimates the disk space of the build, as if every sample had all data maps of the layers below. The drainage
    /// summaries that tiles exchange are negligible and not counted.
    pub fn disk_use(&self, scene: &Scene) -> DiskUse {
        let bytes: Vec<u64> = self.stages.iter().map(|stage| self.stage_bytes(stage, scene)).collect();
        let (mut now, mut pruned, mut there) = (0, 0, vec![false; bytes.len()]);
        for done in 0..bytes.len() {
            (now, there[done]) = (now + bytes[done], true);
            pruned = pruned.max(now);
            let is_read = self.read_after(done, &vec![true; bytes.len()]);
            for stage in (0..=done).filter(|&stage| !is_read[stage]) {
                now -= if std::mem::take(&mut there[stage]) { bytes[stage] } else { 0 };
            }
        }
        DiskUse { kept: bytes.iter().sum(), pruned }
    }

    /// For each stage, whether an `open` stage after `done` reads it. The result and the kept masks always count as
    /// read.
    fn read_after(&self, done: usize, open: &[bool]) -> Vec<bool> {
        let mut is_read = vec![false; self.stages.len()];
        self.results().for_each(|result| is_read[result.stage()] = true);
        for (stage, _) in self.stages.iter().zip(open).skip(done + 1).filter(|(_, open)| **open) {
            stage.reads().iter().for_each(|product| is_read[product.stage()] = true);
        }
        is_read
    }

    /// Bytes of all tiles of a stage.
    fn stage_bytes(&self, stage: &PlanStage, scene: &Scene) -> u64 {
        let mut scene = scene.clone();
        for &reader in &stage.source_path {
            let Some(source) = source_scene(&scene, reader) else { break };
            scene = source.scene;
        }
        // Count the maps that exist above the topmost layer of the stage.
        let top = stage.layers.iter().map(|layer| layer.layer + 1).max();
        let maps = |below: usize| {
            let layers = scene.layers.iter().take(below).filter(|layer| layer.enabled);
            let written: Vec<MapKind> = layers.flat_map(|layer| layer.node.traits().writes).copied().collect();
            MapKind::ALL.iter().filter(|kind| written.contains(kind)).count()
        };
        // Count the state fields of a process that is unfinished here and ends in a later stage.
        let states = |product: StageProduct| match self.stages.iter().any(|stage| stage.unfinished == Some(product)) {
            true => top.map_or(0, |top| scene.layers[top - 1].node.traits().memory.state_fields),
            false => 0,
        };
        let fields = |product: &StageProduct| match product {
            StageProduct::Ground(_) => 1 + maps(top.unwrap_or(0)) + states(*product),
            StageProduct::Change(_, layer) => 1 + maps(layer + 1),
            StageProduct::Field(_) => 1,
            StageProduct::Survey(_) => 0,
            StageProduct::Kept(_) => DRAINAGE_FIELDS,
        };
        let fields: usize = stage.writes.iter().map(fields).sum();
        4 * (stage.samples * stage.samples * fields) as u64
    }
}

impl TileBuild {
    /// For each stage, whether it has tasks left to do. This is the case if tiles are missing, bad, or made of tiles
    /// that are different now, and the result or another stage with tasks left needs them. Tiles that were
    /// [removed](Self::remove_unread_tiles) after use are therefore not made again.
    ///
    /// # Errors
    /// If an existing tile cannot be read.
    pub fn open_stages(&self) -> Result<Vec<bool>, TileError> {
        let stages = &self.plan.stages;
        let mut open = self.outdated_stages()?;
        for number in (0..stages.len()).rev() {
            if !self.plan.read_after(number, &open)[number] {
                open[number] = false;
            } else if !open[number] {
                for task in 0..stages[number].tasks {
                    if !self.is_done(number, task)? {
                        open[number] = true;
                        break;
                    }
                }
            }
        }
        Ok(open)
    }

    /// Removes the tiles of all stages up to `done` that no later `open` stage reads. A folder that cannot be removed
    /// is left in place.
    pub fn remove_unread_tiles(&self, done: usize, open: &[bool]) {
        let is_read = self.plan.read_after(done, open);
        for stage in (0..=done).filter(|&stage| !is_read[stage]) {
            if let Some(folder) = self.store.path(StageProduct::Ground(stage), [0; 2]).parent() {
                let _ = std::fs::remove_dir_all(folder);
            }
        }
    }
}
