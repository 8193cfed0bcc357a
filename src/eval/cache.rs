//! Cache of layer results by content key. Its memory is limited: the least recently used results are dropped first.

use std::collections::HashMap;
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_128_with_seed;

use crate::field::Terrain;

/// Hash of everything that a result depends on. A cache stores the result under this key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ContentKey(u128);

impl ContentKey {
    /// The key of the base terrain, computed from `parts`; the keys of the layers above continue from it.
    pub fn start(parts: &[&[u8]]) -> Self {
        parts.iter().fold(Self(0), |key, part| key.join(part))
    }

    /// The key as a 128-bit number.
    pub fn bits(self) -> u128 {
        self.0
    }

    /// The key after adding `part` to the hashed inputs of this key.
    #[must_use]
    pub fn join(self, part: &[u8]) -> Self {
        let mut bytes = Vec::with_capacity(part.len() + 16);
        bytes.extend_from_slice(&self.0.to_le_bytes());
        bytes.extend_from_slice(part);
        Self(xxh3_128_with_seed(&bytes, part.len() as u64))
    }
}

struct CachedResult {
    terrain: Arc<Terrain>,
    used: u64,
}

/// The cache of layer results.
pub struct Cache {
    kept: HashMap<ContentKey, CachedResult>,
    clock: u64,
    bytes: usize,
    budget: usize,
}

impl Default for Cache {
    fn default() -> Self {
        Self::new(Self::DEFAULT_BYTES)
    }
}

impl Cache {
    /// Default memory limit for cached terrains: 1 GiB.
    pub const DEFAULT_BYTES: usize = 1 << 30;

    /// An empty cache limited to `budget` bytes.
    pub fn new(budget: usize) -> Self {
        Self { kept: HashMap::new(), clock: 0, bytes: 0, budget }
    }

    /// Memory of the cached terrains, in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether a terrain is cached under `key`.
    pub fn contains(&self, key: ContentKey) -> bool {
        self.kept.contains_key(&key)
    }

    /// The terrain cached under `key`. Reading a terrain makes it the most recently used.
    pub fn get(&mut self, key: ContentKey) -> Option<Arc<Terrain>> {
        self.clock += 1;
        let kept = self.kept.get_mut(&key)?;
        kept.used = self.clock;
        Some(kept.terrain.clone())
    }

    /// Caches `terrain`, then drops the least recently used terrains until the remaining ones fit into the budget. A
    /// terrain larger than the whole budget is not cached.
    pub fn insert(&mut self, key: ContentKey, terrain: &Arc<Terrain>) {
        let size = terrain.bytes();
        if size > self.budget {
            return;
        }
        self.clock += 1;
        if let Some(old) = self.kept.insert(key, CachedResult { terrain: terrain.clone(), used: self.clock }) {
            self.bytes -= old.terrain.bytes();
        }
        self.bytes += size;
        while self.bytes > self.budget {
            let Some((&oldest, _)) = self.kept.iter().min_by_key(|(_, kept)| kept.used) else { return };
            if let Some(dropped) = self.kept.remove(&oldest) {
                self.bytes -= dropped.terrain.bytes();
            }
        }
    }
}
