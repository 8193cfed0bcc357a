//! Biomes: the ground coloured by what grows there, from temperature, height, slope and moisture.
//!
//! [`BiomeTable`](crate::palette::BiomeTable) says which types there are, [`Law`] how they share a place, [`Paint`] asks both for a whole terrain.

mod globe;
mod law;
mod paint;

pub use law::{Law, Place, Units};
pub use paint::{Around, Biomes, Paint, colours};
