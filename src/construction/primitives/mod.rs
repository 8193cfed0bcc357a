//! Primitives, which hold no other pieces, and the functions that they use.
//!
//! | file | contents |
//! |---|---|
//! | [`disc`], [`curve`], [`contour`], [`image`], [`ribbon`] | the primitives |
//! | [`ground`], [`noise`] | hills, mountains and dunes as sums of noise |
//! | [`image_sampler`] | images as smooth surfaces |
//! | [`falloff`] | falloff of weights |
//! | `leaf` | primitives in a program, and the list of all |

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
