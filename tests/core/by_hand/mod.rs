//! Laws on shapes whose answer is known by hand: a cone, level terrain, a plane, a closed basin.

mod cone;
mod construction;
mod depressions;
mod fast_forms;
mod flats;
mod grid_bias;
mod roads;
mod roughness;
