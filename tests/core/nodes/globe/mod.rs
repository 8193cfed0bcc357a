//! Nodes on planets.

mod detail;
mod erosion;
mod filters;
mod import;
mod planet;
mod rivers;
mod water;
