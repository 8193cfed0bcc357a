//! Stores results and states between evaluations.

use std::collections::HashMap;
use std::sync::Arc;

use super::finished::FinishedResults;
use super::multiscale::LevelChange;
use super::plan::{GroupBase, LayerStep};
use super::{Cache, Constructions, ContentKey, MemoryUse, StrokedFields, Timeline};
use crate::field::{Cancelled, MapKind, Terrain};
use crate::nodes::MassBalance;
use crate::nodes::channels::trunk_streams::TrunkStreams;

/// Cached results of layers and states of processes, shared by successive evaluations.
#[derive(Default)]
pub struct Store {
    /// Cached results of layers.
    pub cache: Cache,
    /// The latest results of whole scenes.
    pub(super) finished: FinishedResults,
    /// Cached states of processes.
    pub timeline: Timeline,
    /// Compiled construction trees and their results.
    pub constructions: Constructions,
    /// Cached results of brush strokes.
    pub strokes: StrokedFields,
    /// Whether the current results are temporary and are not cached.
    pub transient: bool,
    /// Whether only heights are used. Mass balances and maps that erosion processes [record](MapKind::EROSION_RECORDS)
    /// are then not made, unless masks read them.
    pub(super) heights_only: bool,
    /// Maps recorded by erosion processes that no mask reads in this evaluation.
    pub(super) unread: Vec<MapKind>,
    /// Mass balances of finished process stages, and of changes that coarse-to-fine processes made on a grid.
    pub(super) ended: HashMap<ContentKey, MassBalance>,
    /// Trunk streams that belong to changes which processes made on a grid.
    pub(super) streams: HashMap<ContentKey, Arc<TrunkStreams>>,
}

/// The cached result that is highest in the stack, from which evaluation resumes.
pub(super) struct CachedPrefix {
    /// Number of steps whose results are already included and that need not run.
    pub steps: usize,
    pub result: Arc<Terrain>,
    /// The terrains below the groups that are still open after this result.
    pub bases: Vec<Arc<Terrain>>,
}

impl Store {
    /// A store with this cache and this timeline, without constructions.
    pub fn new(cache: Cache, timeline: Timeline) -> Self {
        Self { cache, timeline, ..Self::default() }
    }

    /// A store that caches nothing, for a single evaluation.
    pub fn forgetful() -> Self {
        Self::new(Cache::new(0), Timeline::new(0))
    }

    /// A store that caches nothing, for a single evaluation whose result is used for `what`.
    pub fn for_use(what: &MemoryUse) -> Self {
        Self { heights_only: what.heights_only, ..Self::forgetful() }
    }

    /// The result with this key, if it is in memory.
    pub(super) fn result(&mut self, key: ContentKey) -> Option<Arc<Terrain>> {
        self.finished.get(key).or_else(|| self.cache.get(key))
    }

    /// Finds the cached result that is highest in the stack, among the results of `steps`. `made` returns the base
    /// terrains that are not results of layers.
    pub(super) fn highest_known(
        &mut self,
        steps: &[LayerStep],
        made: &dyn Fn(GroupBase) -> Result<Arc<Terrain>, Cancelled>,
    ) -> Result<Option<CachedPrefix>, Cancelled> {
        for (k, step) in steps.iter().enumerate().rev() {
            let Some(result) = self.result(step.result) else { continue };
            let bases = step.open.iter().map(|base| match base {
                GroupBase::LayerResult(key) => Ok(self.result(*key)),
                base => made(*base).map(Some),
            });
            if let Some(bases) = bases.collect::<Result<Option<Vec<_>>, _>>()? {
                return Ok(Some(CachedPrefix { steps: k + 1, result, bases }));
            }
        }
        Ok(None)
    }

    /// The change that a process made on the grid of `step` and all coarser grids, if this change is cached.
    pub(super) fn change(&mut self, step: &LayerStep) -> Option<LevelChange> {
        let key = step.change_key()?;
        let mass_balance = *self.ended.get(&key)?;
        let streams = self.streams.get(&key).cloned();
        Some(LevelChange { change: self.cache.get(key)?, mass_balance, streams })
    }

    /// Caches the change of a process, so that the process can continue on a finer grid.
    pub(super) fn keep_change(&mut self, step: &LayerStep, made: &LevelChange) {
        if let Some(key) = step.change_key() {
            self.cache.insert(key, &made.change);
            self.ended.insert(key, made.mass_balance);
            if let Some(streams) = &made.streams {
                // Drop the streams whose changes are no longer in the cache.
                self.streams.retain(|key, _| self.cache.contains(*key));
                self.streams.insert(key, streams.clone());
            }
        }
    }
}
