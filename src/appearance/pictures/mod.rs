//! Finished pictures of terrains and planets.

pub(super) mod colour_bar;
pub(super) mod image;
pub(super) mod planet;
pub(super) mod relief;
pub(super) mod request;
pub mod text;
pub mod traced;
