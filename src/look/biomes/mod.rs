//! Biomes: the ground coloured by what grows there, from temperature, height, slope and moisture.
//!
//! [`BiomeTable`](crate::palette::BiomeTable) says which types there are, [`BiomeModel`] how they share a place,
//! [`Paint`] asks both for a whole terrain.

mod globe;
mod model;
mod paint;

pub use globe::GlobeSites;
pub use model::{BiomeModel, SiteConditions, Units};
pub use paint::{Biomes, Paint, SiteNeighbours, colours};
