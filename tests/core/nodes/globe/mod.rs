//! Nodes on planets.

mod detail;
mod documents_words;
mod erosion;
mod filters;
mod import;
mod planet;
mod rivers;
mod water;
