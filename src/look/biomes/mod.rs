//! Biomes: the ground coloured by what grows there, from temperature, height, slope and moisture.
//!
//! [`BiomeTable`] says which types there are, [`Law`] how they share a place, [`Paint`] asks both for a whole terrain.

mod globe;
mod law;
mod paint;
mod table;

pub use law::{Law, Place, Units};
pub use paint::{Around, Biomes, Paint, colours};
pub(crate) use table::dialect;
pub use table::{
    Bell, BiomeError, BiomeTable, GroundType, Heights, LEAST_TOLERANCE, Level, MAX_TYPES, PREFIX, biome_names,
    biome_table, shipped_biome_table,
};
