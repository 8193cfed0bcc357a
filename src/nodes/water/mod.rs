//! Standing and running water on the ground as it is: hollows, lakes, flow, rivers.

mod banks;
pub mod fill;
pub mod flow;
pub mod lakes;
pub mod rivers;
mod routed;
