//! Terrain colours before lighting.

pub mod ground;
pub mod palette;
pub mod snow_sand;
pub mod srgb;
