//! Pieces of ground that hold no others, and what they are made of.
//!
//! | file | what it holds |
//! |---|---|
//! | [`disc`], [`curve`], [`contour`], [`image`], [`ribbon`] | the primitives |
//! | [`ground`], [`noise`] | hills, mountains and dunes as sums of noise |
//! | [`image_sampler`] | pictures as smooth surfaces |
//! | [`falloff`] | how weights end |

pub mod contour;
pub mod curve;
pub mod disc;
pub mod falloff;
pub mod ground;
pub mod image;
pub mod image_sampler;
pub mod noise;
pub mod ribbon;
