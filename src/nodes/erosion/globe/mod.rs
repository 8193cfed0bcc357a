//! Mountain building that goes around a globe: the law of the square ground on the cells of the cube-sphere.
//!
//! What differs is the geometry: distances and areas of cells are the true ones
//! ([`Spherical`](crate::field::Spherical)), so what leaves a cell as volume arrives as volume.

mod mesh;
pub mod stream_power;
