//! Tiled builds.

pub mod builds;
mod faults;
mod products;
mod voids;
mod water;
