//! Simulations that wear the terrain down.

pub mod rock;
pub mod thermal;
