//! Nodes that shape planets: what falls on them, what others measured of them, and what runs down them to their seas.

pub mod continents;
pub mod craters;
mod craters_impact;
mod craters_planes;
mod craters_population;
mod craters_rough;
mod craters_shape;
mod craters_stamp;
mod craters_surface;
mod craters_tiles;
pub mod import;
pub mod patch;
pub mod river_walk;
pub mod rivers;
mod rivers_mouths;
