//! The scene with other seeds, values and presets, as thumbnails.

pub mod panel;
pub mod thumbnails;
