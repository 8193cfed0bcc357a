//! What can be done in the editor: a folder for each feature.

pub mod bench;
pub mod biomes;
pub mod charts;
pub mod compare;
pub mod construction;
pub mod drive;
pub mod erosion;
pub mod export;
pub mod layers;
pub mod measures;
pub mod patch;
pub mod planet_view;
pub mod scene_settings;
pub mod variants;
