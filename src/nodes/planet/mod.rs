//! Nodes that make planets.

pub mod continents;
pub mod patch;
