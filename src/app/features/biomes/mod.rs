//! The biome editor.

pub mod axis;
pub mod panel;
