//! Colours of the terrain: the scene's palette, and data overlays with their legends.

pub mod legend;
pub mod overlay;
pub mod palette;
pub mod ramp;
