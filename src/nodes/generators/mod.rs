//! Nodes that fill the grid from nothing.

pub mod billow;
pub mod cellular;
pub mod circles;
pub mod diamond_square;
pub mod fault;
pub mod hybrid;
pub mod import;
pub mod lattice;
pub mod midpoint;
pub mod nearest;
pub mod octaves;
pub mod perlin;
mod picture;
pub mod ridged;
pub mod shape;
pub mod simplex;
pub mod spectral;
pub mod stamp;
pub mod triangular;
pub mod value_noise;
pub mod values;
pub mod voronoi;
pub mod voronoi_midpoint;
