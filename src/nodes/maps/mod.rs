//! Nodes that write data maps for the layers above and do not change the heights.

pub mod file;
pub mod hardness;
pub mod painted;
pub mod rain;
pub mod uplift;
