//! Tests of the engine-free library through its public API. They are one program, so that the library is linked once.
//! All tests together use two threads. `cargo test --test core erosion` runs the tests whose path contains "erosion".
//!
//! Each folder here tests the folder of `src/` with the same name. `kits` has code that several tests share, and
//! `repository` checks the source tree itself.

#![allow(clippy::disallowed_methods, reason = "no height depends on what a test measures")]

mod appearance;
mod benchmark;
mod by_hand;
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
