//! Nodes that fill the grid from nothing.

pub mod diamond_square;
pub mod lattice;
pub mod nearest;
pub mod perlin;
pub mod ridged;
pub mod voronoi;
