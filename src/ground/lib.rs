//! The lowest floor of Talweg, which every other crate uses: parameters, grids, files, water, brush strokes, meshes
//! and planets.
//!
//! A folder uses only the folders above it in this table. `tests/core/tidy.rs` checks it.
//!
//! | folder | what it holds |
//! |---|---|
//! | [`param`] | one description of a parameter: value, unit, hard range, slider range, sentence |
//! | [`field`] | the grid and its neighbours, terrain with data maps, random streams, slopes |
//! | [`io`] | reading and writing heightmaps and images, writing files safely |
//! | [`hydrology`] | where water flows: flow graph, depressions, drainage areas, lakes, streams |
//! | [`brush`] | brush strokes: their paths, their tools, the samples they change |
//! | [`planet`] | properties of a planet that no layer sets: air, sun, climate, projections |
//! | [`mesh`] | the terrain as triangles within a given error, with walls and water; mesh files, also read as heights |

#![warn(missing_docs)]

#[cfg(test)]
extern crate self as talweg_ground;

pub mod brush;
pub mod field;
pub mod hydrology;
pub mod io;
pub mod mesh;
pub mod param;
pub mod planet;
