//! The latest results of whole scenes at full size. Undo and redo show them again without an evaluation.
//!
//! The [`Cache`](super::Cache) of layer results does not serve this purpose. A large result exceeds its budget, and a
//! scene of many layers fills it in one evaluation, so that the result before the last change is dropped.

use std::sync::Arc;

use super::memory::{MemoryUse, NotEnoughMemory, available_memory, check_free};
use super::{ContentKey, plan};
use crate::field::Terrain;
use crate::io::memory::free_memory;
use crate::scene::Scene;

/// Maximum number of results.
const MOST: usize = 16;
/// Earlier results may use 1 / `SHARE` of the free memory.
const SHARE: u64 = 4;
/// Memory limit in bytes for earlier results, if the system does not report its free memory.
const UNREPORTED_BYTES: u64 = 1 << 30;

/// The latest results of whole scenes, newest first.
#[derive(Default)]
pub(super) struct FinishedResults(Vec<(ContentKey, Arc<Terrain>)>);

impl FinishedResults {
    /// The result with this key. Reading a result makes it the newest.
    pub fn get(&mut self, key: ContentKey) -> Option<Arc<Terrain>> {
        let place = self.0.iter().position(|(known, _)| *known == key)?;
        self.0[..=place].rotate_right(1);
        Some(self.0[0].1.clone())
    }

    /// Stores `terrain`, the result of `scene` at full size. Drops the oldest results until the earlier results fit
    /// into their share of the free memory.
    pub fn keep(&mut self, scene: &Scene, terrain: &Arc<Terrain>) {
        let free = free_memory(self.earlier_bytes());
        self.keep_within(scene, terrain, free.map_or(UNREPORTED_BYTES, |free| free / SHARE));
    }

    fn keep_within(&mut self, scene: &Scene, terrain: &Arc<Terrain>, budget: u64) {
        let Some(key) = plan(scene, terrain.samples(), None).last().map(|step| step.result) else { return };
        self.0.retain(|(known, _)| *known != key);
        self.0.insert(0, (key, terrain.clone()));
        self.0.truncate(MOST);
        while self.earlier_bytes() > budget && self.drop_oldest() {}
    }

    /// Checks that the editor has enough memory to evaluate `scene` beside the earlier results. Drops the oldest
    /// results until there is enough.
    ///
    /// # Errors
    /// If there is not enough memory even without earlier results.
    pub fn make_room(&mut self, scene: &Scene, samples: usize) -> Result<(), NotEnoughMemory> {
        let Some(free) = available_memory(&MemoryUse::EDITOR) else { return Ok(()) };
        self.make_room_in(scene, samples, free)
    }

    fn make_room_in(&mut self, scene: &Scene, samples: usize, free: u64) -> Result<(), NotEnoughMemory> {
        loop {
            let checked = check_free(scene, samples, &MemoryUse::EDITOR, free.saturating_sub(self.earlier_bytes()));
            if checked.is_ok() || !self.drop_oldest() {
                return checked;
            }
        }
    }

    /// Memory of all results except the newest, in bytes. The newest result is on screen, so it needs no memory of its
    /// own.
    fn earlier_bytes(&self) -> u64 {
        self.0.iter().skip(1).map(|(_, terrain)| terrain.bytes() as u64).sum()
    }

    /// Drops the oldest result. Returns false if only the newest is left.
    fn drop_oldest(&mut self) -> bool {
        self.0.len() > 1 && self.0.pop().is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::{Store, evaluate, needed_memory};
    use crate::field::Control;
    use crate::nodes::Node;
    use crate::scene::Layer;

    fn result(seed: u32) -> (Scene, ContentKey, Arc<Terrain>) {
        let mut scene = Scene { layers: vec![Layer::new(Node::named("Perlin").unwrap(), seed)], ..Scene::default() };
        scene.settings.resolution = 65;
        let made = evaluate(&scene, 65, None, &mut Store::forgetful(), &Control::default()).unwrap();
        let key = plan(&scene, 65, None).last().unwrap().result;
        (scene, key, made.terrain)
    }

    #[test]
    fn earlier_results_stay_within_their_memory() {
        let results: Vec<_> = (0..4).map(result).collect();
        let each = results[0].2.bytes() as u64;
        let mut kept = FinishedResults::default();
        for (scene, _, terrain) in &results {
            kept.keep_within(scene, terrain, 2 * each);
        }
        let mut known = || results.iter().map(|(_, key, _)| kept.get(*key).is_some()).collect::<Vec<_>>();
        assert_eq!(known(), [false, true, true, true], "the newest and two earlier results");
        kept.keep_within(&results[0].0, &results[0].2, 0);
        let mut known = || results.iter().map(|(_, key, _)| kept.get(*key).is_some()).collect::<Vec<_>>();
        assert_eq!(known(), [true, false, false, false], "without memory, only the result on screen is left");
    }

    #[test]
    fn an_evaluation_gets_the_memory_of_earlier_results() {
        let results: Vec<_> = (0..3).map(result).collect();
        let each = results[0].2.bytes() as u64;
        let mut kept = FinishedResults::default();
        results.iter().for_each(|(scene, _, terrain)| kept.keep_within(scene, terrain, u64::MAX));
        let needed = needed_memory(&results[0].0, 65, &MemoryUse::EDITOR);
        assert!(kept.make_room_in(&results[0].0, 65, needed + 2 * each).is_ok());
        assert_eq!(kept.0.len(), 3);
        assert!(kept.make_room_in(&results[0].0, 65, needed + each).is_ok());
        assert_eq!(kept.0.len(), 2);
        let refused = kept.make_room_in(&results[0].0, 65, needed - 1).unwrap_err();
        assert_eq!((kept.0.len(), refused.free), (1, needed - 1), "earlier results do not count as missing memory");
    }
}
