//! Code that several tests share: scenes in which nodes run, random construction trees and edits, external programs.

pub mod common;
pub mod construction;
pub mod fuzz_targets;
pub mod globe;
pub mod measure;
pub mod nodes;
pub mod outside;
pub mod random_edits;
