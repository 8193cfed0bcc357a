//! Simulations of erosion; some of them also build the terrain up.

pub mod analytic_stream_power;
pub(crate) mod buffers;
pub mod coastal;
pub mod cover;
pub mod creep;
pub mod droplets;
pub mod dunes;
mod gather;
pub mod glacial;
pub mod gullies;
pub mod hydraulic;
pub mod hydraulic_fast;
mod lowest;
pub mod olsen;
pub mod rock;
pub(crate) mod run;
pub mod shallow_water;
pub mod snow;
pub mod stream_power;
mod suspended_sediment;
mod sweep;
pub mod talus;
pub mod thermal;
pub mod thermal_fast;
pub mod wind;
