//! Tests of the engine-free library through its public API, in one program, so that it is linked once. Its tests share
//! two threads. `cargo test --test core erosion` runs the tests whose path contains "erosion".
//!
//! A folder here has the tests of the folder of `src/` with that name; `kits` has what several tests share, and
//! `repository` checks the source tree itself.

#![allow(clippy::disallowed_methods, reason = "no height depends on what a test measures")]

mod appearance;
mod benchmark;
mod construction;
mod export;
mod ground;
mod kits;
mod measure;
mod nodes;
mod repository;
mod scene;
mod tiles;
mod variants;
