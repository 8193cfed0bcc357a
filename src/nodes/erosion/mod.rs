//! Simulations that wear the terrain down, and some that build it up.

mod buffers;
pub mod coastal;
mod coastal_exposure;
mod coastal_shore;
pub mod cover;
pub mod creep;
pub mod droplets;
mod droplets_brush;
mod droplets_flight;
mod droplets_ground;
mod droplets_tiles;
pub mod dunes;
mod dunes_run;
mod gather;

pub mod hydraulic;
pub mod hydraulic_fast;
mod lanes;
mod lowest;
pub mod olsen;
pub mod power_root;
pub mod rock;
pub mod shallow_water;
mod silt;
pub mod snow;
pub mod stream_power;
pub mod stream_power_law;
mod sweep;
mod sweep_open;
mod sweep_wrap;
pub mod thermal;
pub mod thermal_fast;
pub mod uplift;
pub mod wind;
