//! Nodes that fill the grid from nothing.

pub mod diamond_square;
pub mod lattice;
pub mod nearest;
pub mod octaves;
pub mod perlin;
pub mod ridged;
pub mod spectral;
pub mod stamp;
pub mod value_noise;
pub mod values;
pub mod voronoi;
