//! Comparing two terrains.

pub mod differences;
pub mod make;
pub mod panel;
pub mod task;
