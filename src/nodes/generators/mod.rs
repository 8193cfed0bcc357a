//! Nodes that fill the grid from nothing.

pub mod billow;
pub mod cellular;
pub mod circles;
pub mod construction;
pub mod diamond_square;
pub mod fault;
pub mod hybrid;
pub mod import;
pub mod lattice;
pub mod midpoint;
pub mod octaves;
pub mod perlin;
pub mod ridged;
pub mod scattered;
pub mod shape;
pub mod simplex;
pub mod solid;
pub mod spectral;
pub mod squig_river;
pub mod stamp;
pub mod triangular;
pub mod value_noise;
pub mod values;
pub mod voronoi;
pub mod voronoi_midpoint;
pub mod warp;
