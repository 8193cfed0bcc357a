//! Standing and running water on the ground as it is: depressions, lakes, flow, rivers.

pub(super) mod banks;
pub mod fill;
pub mod flow;
pub mod lakes;
pub mod rivers;
mod routed;
