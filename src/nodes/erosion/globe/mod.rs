//! Erosion that goes around a globe: the laws of the square ground on the cells of the cube-sphere.
//!
//! What differs is the geometry ([`mesh`], [`Links`](crate::field::metric::Links)): distances and areas of cells are the true ones, so what leaves a cell as
//! volume arrives as volume, and a slope is a slope on every face, over every border and at the eight corners of the cube. Each
//! node keeps its parameters, maps and books; its `start` takes the form of this folder where the grid is a globe.
//! Sums of the books count every cell by its area, in cells of the mean area, as [`Grid::sum`](crate::field::Grid::sum) does.

pub mod creep;
pub mod hydraulic;
mod mesh;
pub mod stream_power;
pub mod thermal;
