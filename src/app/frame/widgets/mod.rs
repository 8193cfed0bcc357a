//! Widgets that several features use.

pub mod clipped;
pub mod curve;
pub mod inactive;
pub mod legend;
pub mod links;
pub mod long_list;
pub mod number_list;
pub mod params;
pub mod plot;
pub mod row;
pub mod scene_picture;
pub mod shipped_pictures;
pub mod sought;
pub mod stamp_picture;
