//! Patches of planets.

pub mod panel;
pub mod task;
