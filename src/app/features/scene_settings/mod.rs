//! Settings of the scene.

pub mod panel;
pub mod sun;
