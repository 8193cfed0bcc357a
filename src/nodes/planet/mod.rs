//! Nodes that make planets.

pub mod continents;
