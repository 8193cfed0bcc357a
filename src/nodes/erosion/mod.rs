//! Simulations that wear the terrain down.

mod buffers;
pub mod hydraulic;
pub mod hydraulic_fast;
mod lowest;
pub mod olsen;
pub mod rock;
mod silt;
mod sweep;
pub mod thermal;
pub mod thermal_fast;
