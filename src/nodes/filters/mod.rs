//! Nodes that pass over the terrain once.

pub mod blur;
pub mod clamp;
pub(in crate::nodes) mod gauss;
pub mod invert;
pub mod levels;
mod lines;
pub mod normalise;
pub mod sharpen;
pub mod terrace;
