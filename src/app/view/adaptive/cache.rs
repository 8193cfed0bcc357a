//! The patches that are there: places in the atlas on the graphics card, given to what was used last.

use std::collections::HashMap;
use std::sync::Arc;

use super::patch::TilePatch;
use super::quadtree::TileKey;

/// A patch with its place in the atlas.
#[derive(Clone)]
struct CachedTile {
    patch: Arc<TilePatch>,
    slot: u32,
    used: u64,
}

/// See the module.
#[derive(Default)]
pub struct TileCache {
    kept: HashMap<TileKey, CachedTile>,
    free: Vec<u32>,
    slots: u32,
    now: u64,
}

impl TileCache {
    pub fn new(slots: u32) -> Self {
        Self { kept: HashMap::new(), free: (0..slots).rev().collect(), slots, now: 1 }
    }

    pub fn slots(&self) -> u32 {
        self.slots
    }

    pub fn get(&self, key: TileKey) -> Option<&Arc<TilePatch>> {
        self.kept.get(&key).map(|kept| &kept.patch)
    }

    pub fn slot(&self, key: TileKey) -> Option<u32> {
        self.kept.get(&key).map(|kept| kept.slot)
    }

    /// Begins a frame in which `needed` are used: they stay.
    pub fn use_now(&mut self, needed: impl Iterator<Item = TileKey>) {
        self.now += 1;
        for key in needed {
            if let Some(kept) = self.kept.get_mut(&key) {
                kept.used = self.now;
            }
        }
    }

    /// Puts a patch on the cache, in place of the one of its key or of those not used for longest; its place, or `None`
    /// where everything is in use.
    pub fn put(&mut self, patch: Arc<TilePatch>) -> Option<u32> {
        if let Some(kept) = self.kept.get_mut(&patch.key) {
            kept.patch = patch;
            return Some(kept.slot);
        }
        if self.free.is_empty() {
            self.make_room();
        }
        let slot = self.free.pop()?;
        self.kept.insert(patch.key, CachedTile { patch, slot, used: self.now });
        Some(slot)
    }

    /// Frees an eighth of the places, those that were not used for longest.
    fn make_room(&mut self) {
        let mut old: Vec<(u64, TileKey)> =
            self.kept.iter().filter(|(_, kept)| kept.used < self.now).map(|(key, kept)| (kept.used, *key)).collect();
        // the finest first among those of an age: a patch is of no use without its parent
        old.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)));
        for (_, key) in old.into_iter().take((self.slots / 8).max(1) as usize) {
            self.drop_patch(key);
        }
    }

    fn drop_patch(&mut self, key: TileKey) {
        if let Some(kept) = self.kept.remove(&key) {
            self.free.push(kept.slot);
        }
    }

    /// Keeps only the patches that `keep` says.
    pub fn retain(&mut self, keep: impl Fn(&TilePatch) -> bool) {
        let gone: Vec<TileKey> =
            self.kept.values().filter(|kept| !keep(&kept.patch)).map(|kept| kept.patch.key).collect();
        gone.into_iter().for_each(|key| self.drop_patch(key));
    }

    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.kept.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patch(column: u32) -> Arc<TilePatch> {
        Arc::new(TilePatch {
            key: TileKey { level: 9, column, row: 0 },
            serial: 1,
            quads: 2,
            texels: Vec::new(),
            lowest_world: 0.0,
            highest_world: 0.0,
            wettest_world: 0.0,
        })
    }

    #[test]
    fn what_is_in_use_stays_and_the_rest_goes_oldest_first() {
        let mut cache = TileCache::new(8);
        for k in 0..8 {
            assert!(cache.put(patch(k)).is_some());
            cache.use_now(std::iter::once(patch(k).key));
        }
        cache.use_now([3, 4].into_iter().map(|k| patch(k).key));
        let slot = cache.slot(patch(0).key);
        assert_eq!(cache.put(patch(20)), slot, "the oldest makes room");
        assert!(cache.get(patch(0).key).is_none() && cache.get(patch(3).key).is_some());
        cache.use_now((0..30).map(|k| patch(k).key));
        assert_eq!(cache.put(patch(21)), None, "everything is in use");
        assert_eq!(cache.put(patch(3)), cache.slot(patch(3).key), "a new version takes the place of the old");
        assert_eq!(cache.len(), 8);
        cache.retain(|patch| patch.key.column == 3);
        assert_eq!(cache.len(), 1);
    }
}
