//! Exports: heightmaps and films.

pub mod task;
