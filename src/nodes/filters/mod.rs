//! Nodes that change the terrain in a single pass.

pub mod blur;
pub mod clamp;
mod displacement;
mod envelope;
pub mod expander;
pub mod gauss;
pub mod group;
mod height_order;
pub mod invert;
pub mod island;
pub mod levels;
mod lines;
pub mod median;
pub mod normalise;
pub mod perturbation;
pub mod ridges;
mod sampling;
pub mod seamless;
pub mod sharpen;
pub mod spectral_retouch;
pub mod terrace;
pub mod transform;
pub mod warp;
