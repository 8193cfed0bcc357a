//! Cache of tiles: the most recently used tiles keep their slots in the atlas on the graphics card.

use std::collections::HashMap;
use std::sync::Arc;

use super::GroundTile;

/// A tile and its slot in the atlas.
struct CachedTile<T> {
    tile: Arc<T>,
    slot: u32,
    used: u64,
}

/// A cache of tiles; see the module documentation.
pub struct TileCache<T: GroundTile> {
    kept: HashMap<T::Key, CachedTile<T>>,
    free: Vec<u32>,
    slots: u32,
    now: u64,
}

impl<T: GroundTile> TileCache<T> {
    pub fn new(slots: u32) -> Self {
        Self { kept: HashMap::new(), free: (0..slots).rev().collect(), slots, now: 1 }
    }

    pub fn slots(&self) -> u32 {
        self.slots
    }

    /// Adds slots until there are `slots`. All tiles keep their slots.
    pub fn grow(&mut self, slots: u32) {
        self.free.extend((self.slots..slots).rev());
        self.slots = self.slots.max(slots);
    }

    pub fn get(&self, key: T::Key) -> Option<&Arc<T>> {
        self.kept.get(&key).map(|kept| &kept.tile)
    }

    pub fn slot(&self, key: T::Key) -> Option<u32> {
        self.kept.get(&key).map(|kept| kept.slot)
    }

    /// All tiles, in arbitrary order.
    pub fn tiles(&self) -> impl Iterator<Item = &Arc<T>> {
        self.kept.values().map(|kept| &kept.tile)
    }

    /// Begins a frame. The `needed` tiles are used in this frame and cannot be evicted.
    pub fn use_now(&mut self, needed: impl Iterator<Item = T::Key>) {
        self.now += 1;
        for key in needed {
            if let Some(kept) = self.kept.get_mut(&key) {
                kept.used = self.now;
            }
        }
    }

    /// Adds a tile, which replaces any tile with the same key. If the cache is full, the least recently used tiles are
    /// evicted. Returns the tile's slot, or `None` if all slots are in use.
    pub fn insert(&mut self, tile: Arc<T>) -> Option<u32> {
        let key = tile.key();
        if let Some(kept) = self.kept.get_mut(&key) {
            kept.tile = tile;
            return Some(kept.slot);
        }
        if self.free.is_empty() {
            self.make_room();
        }
        let slot = self.free.pop()?;
        self.kept.insert(key, CachedTile { tile, slot, used: self.now });
        Some(slot)
    }

    /// Frees an eighth of the slots by evicting the least recently used tiles.
    fn make_room(&mut self) {
        let mut old: Vec<(u64, T::Key)> =
            self.kept.iter().filter(|(_, kept)| kept.used < self.now).map(|(key, kept)| (kept.used, *key)).collect();
        // among tiles of the same age, evict the finest first, because a tile is useless without its parent
        old.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)));
        for (_, key) in old.into_iter().take((self.slots / 8).max(1) as usize) {
            self.drop_tile(key);
        }
    }

    fn drop_tile(&mut self, key: T::Key) {
        if let Some(kept) = self.kept.remove(&key) {
            self.free.push(kept.slot);
        }
    }

    /// Keeps only the tiles for which `keep` returns true.
    pub fn retain(&mut self, keep: impl Fn(&T) -> bool) {
        let gone: Vec<T::Key> =
            self.kept.values().filter(|kept| !keep(&kept.tile)).map(|kept| kept.tile.key()).collect();
        gone.into_iter().for_each(|key| self.drop_tile(key));
    }

    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.kept.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A test tile with only a key.
    #[derive(Debug)]
    struct Plain(u32);

    impl GroundTile for Plain {
        type Key = u32;

        fn key(&self) -> u32 {
            self.0
        }
    }

    fn tile(key: u32) -> Arc<Plain> {
        Arc::new(Plain(key))
    }

    #[test]
    fn tiles_in_use_stay_and_the_oldest_others_are_removed() {
        let mut cache = TileCache::new(8);
        for k in 0..8 {
            assert!(cache.insert(tile(k)).is_some());
            cache.use_now(std::iter::once(tile(k).0));
        }
        cache.use_now([3, 4].into_iter().map(|k| tile(k).0));
        let slot = cache.slot(tile(0).0);
        assert_eq!(cache.insert(tile(20)), slot, "the oldest tile is evicted");
        assert!(cache.get(tile(0).0).is_none() && cache.get(tile(3).0).is_some());
        cache.use_now((0..30).map(|k| tile(k).0));
        assert_eq!(cache.insert(tile(21)), None, "all slots are in use");
        assert_eq!(cache.insert(tile(3)), cache.slot(tile(3).0), "a new version of a tile replaces the old version");
        assert_eq!(cache.len(), 8);
        cache.grow(9);
        assert_eq!((cache.slots(), cache.insert(tile(21))), (9, Some(8)), "a larger cache has a free slot");
        cache.retain(|tile| tile.0 == 3);
        assert_eq!(cache.len(), 1);
    }
}
