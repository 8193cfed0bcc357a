//! Nodes that shape planets: what falls on them, what others measured of them, and what runs down them to their seas.

pub mod continents;
pub mod craters;
pub mod import;
pub mod patch;
pub mod plates;
pub mod river_walk;
pub mod rivers;
