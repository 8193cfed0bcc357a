//! Nodes that leave the ground alone and say what it is like: data maps for the layers above.

pub mod file;
pub mod hardness;
pub mod painted;
pub mod rain;
pub mod uplift;
