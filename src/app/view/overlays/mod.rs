//! Colours of the terrain: the scene's palette, and data overlays with their legends.

pub mod choice;
pub mod data;
pub mod legend;
pub mod palette;
pub mod ramp;
