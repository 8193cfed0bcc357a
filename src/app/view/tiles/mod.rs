//! Terrain tiles that are computed while they are in view. A pool of threads computes the tiles, and a cache keeps the
//! most recently used tiles. Construction trees ([`adaptive`](super::construction_surface::adaptive)) and the fine
//! terrain of globes ([`globe::tiles`](super::globe)) are drawn from such tiles.

pub mod cache;
pub mod pool;

use std::hash::Hash;

/// A tile of terrain that can be cached.
pub trait GroundTile: Send + Sync + 'static {
    /// Identifies the tile. A tile cannot be drawn without its ancestors, which have smaller keys.
    type Key: Copy + Eq + Ord + Hash + Send + std::fmt::Debug + 'static;

    fn key(&self) -> Self::Key;
}

/// The inputs from which a thread computes a tile.
pub trait TileJob: Send + 'static {
    type Tile: GroundTile;

    /// Serial number of the job's terrain. Only tiles of the newest terrain are wanted.
    fn serial(&self) -> u64;

    fn key(&self) -> <Self::Tile as GroundTile>::Key;

    /// Computes the tile. Polls `stop` every few milliseconds and returns `None` if `stop` returns true.
    fn tile(&self, stop: &dyn Fn() -> bool) -> Option<Self::Tile>;
}
