//! Code that several tests share: test scenes for nodes, random construction trees and edits, and external programs.

pub mod common;
pub mod construction;
pub mod fuzz_targets;
pub mod globe;
pub mod measure;
pub mod nodes;
pub mod outside;
pub mod random_edits;
