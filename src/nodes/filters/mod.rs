//! Nodes that pass over the terrain once.

pub mod levels;
pub mod terrace;
