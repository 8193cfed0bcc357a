//! Simulations that wear the terrain down.

pub mod cover;
pub mod dunes;
mod dunes_run;
pub mod coastal;
mod coastal_exposure;
mod coastal_shore;
pub mod droplets;
mod droplets_flight;
mod droplets_tiles;
pub mod rock;
pub mod shallow_water;
pub mod snow;
pub mod thermal;
pub mod wind;
pub mod stream_power;
pub mod stream_power_law;
pub mod thermal;
pub mod uplift;
