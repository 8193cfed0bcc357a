//! Where light comes from and how much of it places get.

pub(super) mod openness;
pub mod sky;
