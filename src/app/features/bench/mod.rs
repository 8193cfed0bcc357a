//! The benchmark lab.

pub mod findings;
pub mod panel;
pub mod report;
pub mod task;
