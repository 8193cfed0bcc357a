//! Standing and running water on a terrain: depressions, lakes, flow, rivers.

pub(super) mod banks;
pub mod fill;
pub mod flow;
pub mod lakes;
pub mod rivers;
mod routed;
