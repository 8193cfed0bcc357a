//! Nodes that shape planets: land, what falls on it, and what runs down it to the seas.

pub mod continents;
pub mod craters;
mod craters_population;
mod craters_rough;
mod craters_shape;
mod craters_stamp;
mod craters_surface;
