//! Colours of the ground: those of the scene's palette, and those of data laid over it, with their legend.

pub mod legend;
pub mod overlay;
pub mod palette;
pub mod ramp;
