//! Simulations that wear the terrain down.

pub mod rock;
pub mod stream_power;
pub mod stream_power_law;
pub mod thermal;
pub mod uplift;
