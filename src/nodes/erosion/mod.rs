//! Simulations that wear the terrain down.

pub mod droplets;
mod droplets_flight;
mod droplets_tiles;
pub mod rock;
pub mod thermal;
