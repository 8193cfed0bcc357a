//! Tiled builds.

pub mod builds;
mod products;
mod water;
