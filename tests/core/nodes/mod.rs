//! The crate `talweg_nodes`: generators, filters and erosion.

mod contract;
mod craters;
mod documents;
mod documents_words;
mod erosion;
mod filters;
mod generator_steps;
mod generators;
mod globe;
mod golden;
mod in_place;
mod multiscale;
mod noise;
mod rivers;
mod voids;
