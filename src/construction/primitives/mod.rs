//! Primitives (pieces that hold no other pieces), and the functions that primitives use.
//!
//! | file | contents |
//! |---|---|
//! | [`disc`], [`curve`], [`contour`], [`image`], [`ribbon`] | the primitives |
//! | [`ground`], [`noise`] | hills, mountains and dunes as sums of noise |
//! | [`image_sampler`] | images as smooth surfaces |
//! | [`falloff`] | falloff of weights |
//! | `leaf` | primitives as nodes of a program, and the list of all primitives |

pub mod contour;
pub mod curve;
pub mod disc;
pub mod falloff;
pub mod ground;
pub mod image;
pub mod image_sampler;
pub(crate) mod leaf;
pub mod noise;
pub mod ribbon;
