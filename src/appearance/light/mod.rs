//! Light sources and the amount of light at each position.

pub(super) mod openness;
pub mod sky;
