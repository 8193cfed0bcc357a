//! Laws on shapes whose answer is known by hand: a cone, level terrain, a plane, a closed basin.

mod cone;
mod fast_forms;
mod roughness;
