//! Simulations that wear the terrain down.

pub mod rock;
pub mod shallow_water;
pub mod thermal;
