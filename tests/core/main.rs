//! Tests of the engine-free library through its public names, in one program: it is linked once, and its tests share
//! two threads. `cargo test --test core erosion` runs those whose path has "erosion".

#![allow(clippy::disallowed_methods, reason = "no height depends on what a test measures")]

mod analytic;
mod biomes;
mod claims;
mod common;
mod construction;
mod construction_kit;
mod contract;
mod corpus;
mod craters;
mod documents;
mod edits;
mod erosion_age;
mod erosion_classic;
mod erosion_coastal;
mod erosion_creep;
mod erosion_droplets;
mod erosion_glacial;
mod erosion_snow;
mod erosion_streams;
mod erosion_water;
mod erosion_wind;
mod examples;
mod files;
mod filters;
mod fuzz_targets;
mod generators;
mod globe_erosion;
mod globe_filters;
mod globe_kit;
mod globe_rivers;
mod globe_water;
mod golden;
mod hydrology;
mod import;
mod lab;
mod lab_variants;
mod measure_kit;
mod measures;
mod measures_report;
mod measures_void;
mod multiscale;
mod node_kit;
mod outside;
mod patches;
mod pictures;
mod planet;
mod planet_import;
mod random_edits;
mod rivers;
mod saving;
mod scenes;
mod spectrum;
mod tidy;
