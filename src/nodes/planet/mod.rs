//! Nodes that shape planets: plates, continents, craters, rivers and imported heights.

pub mod continents;
pub mod craters;
pub mod import;
pub mod patch;
pub mod plates;
pub mod river_walk;
pub mod rivers;
