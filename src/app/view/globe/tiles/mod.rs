//! The fine terrain of a globe between its samples, from [`talweg::planet_detail`]. The fine terrain consists of tiles
//! of the faces' quadtrees, which are computed on demand while they are in view.
//!
//! ```text
//! GlobeTerrain ─Arc─▶ FineTerrain ◀─── tiles on screen ── TileDrawing ─▶ atlas ─▶ vertex and fragment stage
//!   camera, picker ◀── heights ──┘                            │ missing ▲
//!                                                             ▼         │
//!                                                            pool ─▶ GlobeTile
//! ```
//! A patch ([`lod`](super::lod)) shows its own tile, which morphs with distance into the parent's tile. Until its own
//! tile is ready, the patch shows the tile of the nearest ancestor, and its skirts cover the step to its neighbours.
//! Levels with a sample spacing as wide as the globe's spacing need no tiles: they show the globe's maps.

mod atlas;
mod detail_ground;
mod drawing;
#[cfg(test)]
mod flight;
mod plants;
mod skirts;
mod tile;

pub use detail_ground::{FineTerrain, TilePainter, palette_colour};
pub use drawing::{PatchTiles, TileDrawing, needed_tiles, room_for_tiles};
pub use plants::{MOST_METRES, PlantedGlobe, seen_cells};

#[cfg(test)]
pub use tile::tests::ground;
