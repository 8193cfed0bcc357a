//! Biomes: the ground coloured by what grows there, from temperature, height, slope and moisture.
//!
//! [`BiomeTable`](crate::appearance_files::BiomeTable) says which types there are, [`BiomeModel`] how they share a
//! place, [`Paint`] asks both for a whole terrain.

mod globe;
pub mod ground_types;
mod model;
mod paint;
mod sampled_ground;

pub use globe::GlobeSites;
pub use model::{BiomeModel, SiteConditions, Units};
pub use paint::{Biomes, Paint, SiteNeighbours, colours};
pub use sampled_ground::SampledGround;
