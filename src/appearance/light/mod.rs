//! Light of the sun and the sky, and the fraction of the sky that is visible from each position.

pub(super) mod openness;
pub mod sky;
