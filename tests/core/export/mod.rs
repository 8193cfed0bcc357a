//! Exported files.

mod attributes;
mod by_tiles;
pub mod files;
mod samples;
mod web_map;
