//! The ground of a planet between its samples, as [`talweg::planet_detail`] has it: in tiles of the quadtrees of the
//! faces, computed while they are looked at.
//!
//! ```text
//! GlobeTerrain ─Arc─▶ DetailGround ◀── tiles on screen ── TileDrawing ─▶ atlas ─▶ vertex and fragment stage
//!   camera, picker ◀── heights ──┘                            │ missing ▲
//!                                                             ▼         │
//!                                                            pool ─▶ GlobeTile
//! ```
//! A patch ([`lod`](super::lod)) shows the tile of its own place, goes over to that of its parent with the distance,
//! and shows the nearest tile around it until its own is there. Levels whose samples are as wide as those of the planet
//! need none: they show the maps.

mod atlas;
mod detail_ground;
mod drawing;
mod tile;

pub use detail_ground::{DetailGround, TilePainter, palette_colour};
pub use drawing::{PatchTiles, TileDrawing};
pub use tile::{GlobeTile, SIDE, STEPS};

#[cfg(test)]
pub use tile::tests::ground;
