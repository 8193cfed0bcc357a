//! Construction trees: terrain from primitives that people place, combined by operators (Génevaux et al. 2014).
//!
//! At any point p and level of detail κ, every node returns an elevation f, a weight α and their gradients. Over any
//! capsule (all points within a radius of a segment), every node returns bounds of these values. f is
//! Lipschitz-continuous. α is C¹-continuous and is 0 outside a bounding box. There is terrain where α ≥ ½. Positions
//! are in metres from the north-west corner of the construction's own square ([`Frame::side`]), heights in metres above
//! the datum. The node `Construction` scales the square and [`Frame::relief`] to the side length and the relief of the
//! scene. All values are computed in f64, by basic arithmetic, square roots, comparisons and `libm`.
//!
//! | folder or file | contents |
//! |---|---|
//! | [`piece`], [`check`], [`text`] | the construction tree as people edit it and files store it; validation, with the path to each error; the tree as RON |
//! | [`primitives`] | disc, curve, contour, image and ribbon; the noise, images and falloffs that they use |
//! | [`operators`] | operators on pieces: blend, replace, add, warp, place, gullies, array, scatter |
//! | [`geometry`] | plane geometry: points, boxes and affine maps; curves and outlines, and the distance of a point to them |
//! | [`materials`] | the material layers, and the materials of pieces |
//! | [`sample`], [`row_samples`] | elevations and weights at one point and along a row of points |
//! | [`compiled_program`] | a construction tree compiled for evaluation: bounding boxes, concatenated coordinate maps, pruning; fills a grid or a part of a grid, row by row |
//! | [`gpu_buffer`] | a compiled program as 32-bit words that a shader interprets |
//! | [`trace`] | sphere tracing |
//! | `roads` | notes about roads that are too steep or dam a river |
//! | [`presets`] | ready-made construction trees to start from |
//! | [`edit`] | edits of a construction tree: mouse and panel commands |

#![warn(missing_docs)]

pub mod check;
pub mod compiled_program;
pub mod edit;
pub mod geometry;
pub mod gpu_buffer;
pub mod materials;
pub mod operators;
pub mod piece;
pub mod presets;
pub mod primitives;
mod roads;
pub mod row_samples;
pub mod sample;
pub mod text;
pub mod trace;

pub use check::TreeError;
pub use compiled_program::change::changed_area;
pub use compiled_program::{NodeSelection, Program};
pub use geometry::plane::{Area, Capsule, Point};
pub use materials::shares::MaterialFractions;
pub use materials::{MaterialLayer, PieceMaterial};
pub use piece::{CopyGroup, Definition, Frame, Instance, OperatorGroup, Piece, PieceCounts, PieceKind, Tree};
pub use row_samples::{LANES, PointRow, RowSamples};
pub use sample::{Detail, GroundBounds, GroundSample, THRESHOLD};

#[cfg(test)]
extern crate self as talweg_construction;
#[cfg(test)]
#[path = "../../tests/core/kits/construction.rs"]
pub(crate) mod construction_kit;
