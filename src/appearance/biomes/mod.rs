//! Biomes: terrain colours from temperature, height, slope and moisture.
//!
//! [`BiomeTable`](crate::appearance_files::BiomeTable) lists the ground types, [`BiomeModel`] weights them at a
//! position, and [`Paint`] applies both to a whole terrain.

mod globe;
pub mod ground_types;
mod model;
mod paint;
mod sampled_ground;

pub use globe::GlobeSites;
pub use model::{BiomeModel, SiteConditions, Units};
pub use paint::{Biomes, Paint, SiteNeighbours, colours};
pub use sampled_ground::SampledGround;
