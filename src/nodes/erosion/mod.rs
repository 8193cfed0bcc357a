//! Simulations that wear the terrain down.

pub mod coastal;
mod coastal_exposure;
mod coastal_shore;
pub mod droplets;
mod droplets_flight;
mod droplets_tiles;
pub mod rock;
pub mod thermal;
