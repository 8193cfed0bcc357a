//! Simulations that wear the terrain down.

pub mod thermal;
