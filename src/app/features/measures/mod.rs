//! Measures of the terrain on screen.

pub mod panel;
pub mod planet;
pub mod task;
