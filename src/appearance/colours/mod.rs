//! Colours of the ground before light falls on it.

pub mod ground;
pub mod palette;
pub mod snow_sand;
pub mod srgb;
