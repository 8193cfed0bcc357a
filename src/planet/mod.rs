//! What a planet is besides its stack of layers.

pub mod climate;
