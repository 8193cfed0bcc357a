//! Tiles of ground that are computed while they are looked at: threads that make them, a cache that keeps those that
//! were used last. For trees ([`adaptive`](super::construction_surface::adaptive)) and for the ground of planets
//! between its samples ([`globe::tiles`](super::globe)).

pub mod cache;
pub mod pool;

use std::hash::Hash;

/// A tile of ground.
pub trait GroundTile: Send + Sync + 'static {
    /// Which it is. Tiles are of no use without those whose keys are less.
    type Key: Copy + Eq + Ord + Hash + Send + std::fmt::Debug + 'static;

    fn key(&self) -> Self::Key;
}

/// What is needed to compute a tile.
pub trait TileJob: Send + 'static {
    type Tile: GroundTile;

    /// Of the ground: only tiles of the newest are wanted.
    fn serial(&self) -> u64;

    fn key(&self) -> <Self::Tile as GroundTile>::Key;

    /// Computes it; `None` if `stop` says so, which is asked every few milliseconds.
    fn tile(&self, stop: &dyn Fn() -> bool) -> Option<Self::Tile>;
}
