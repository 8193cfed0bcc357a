//! Terrain tiles that are computed while they are in view: a pool of threads computes them, and a cache keeps the most
//! recently used. Used for construction trees ([`adaptive`](super::construction_surface::adaptive)) and for the fine
//! terrain of globes ([`globe::tiles`](super::globe)).

pub mod cache;
pub mod pool;

use std::hash::Hash;

/// A tile of terrain.
pub trait GroundTile: Send + Sync + 'static {
    /// Identifies the tile. A tile is useless without its ancestors, whose keys are smaller.
    type Key: Copy + Eq + Ord + Hash + Send + std::fmt::Debug + 'static;

    fn key(&self) -> Self::Key;
}

/// The inputs to compute a tile.
pub trait TileJob: Send + 'static {
    type Tile: GroundTile;

    /// Serial number of the terrain: only tiles of the newest terrain are wanted.
    fn serial(&self) -> u64;

    fn key(&self) -> <Self::Tile as GroundTile>::Key;

    /// Computes the tile. Returns `None` if `stop` returns true; it is polled every few milliseconds.
    fn tile(&self, stop: &dyn Fn() -> bool) -> Option<Self::Tile>;
}
