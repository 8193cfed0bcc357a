//! The lowest crate of Talweg, which all others use: parameters, grids, files, hydrology, brush strokes, planets and
//! meshes.
//!
//! Each row of the table is a folder. A folder uses only the folders listed above it. `tests/core/repository/tidy.rs`
//! reads the table and checks this rule.
//!
//! | folder | contents |
//! |---|---|
//! | [`param`] | the one description of each parameter: value, unit, hard range, slider range, help sentence |
//! | [`field`] | the grid and its neighbours, terrain with data maps, random streams, slopes |
//! | [`io`] | reads heightmaps and images, writes heightmaps, replaces files safely |
//! | [`hydrology`] | where water flows: flow graph, depressions, drainage areas, lakes, streams |
//! | [`brush`] | brush strokes: path, settings, and the area that each stroke changes |
//! | [`planet`] | properties of a planet other than its layers: atmosphere, sun, climate, projections |
//! | [`mesh`] | the terrain as triangles: to a given error, with walls and water; mesh files, also read as heights |

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
