//! The crate `talweg_construction`: construction trees and the node that evaluates them.

mod copies;
mod cut_out;
mod gullies;
mod materials;
mod outlines;
mod pieces;
mod tracing;
mod tree;
