//! What several tests share: places to run nodes, random trees and edits, external programs.

pub mod common;
pub mod construction;
pub mod fuzz_targets;
pub mod globe;
pub mod measure;
pub mod nodes;
pub mod outside;
pub mod random_edits;
