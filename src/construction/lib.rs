//! Construction trees: terrain from pieces that people place, combined by operators (Génevaux et al. 2014).
//!
//! Every node answers at any place p and level of detail κ with an elevation f, a weight α and their gradients, and
//! over any capsule with bounds of them: f is Lipschitz, α is C¹ and 0 outside a box. There is terrain where α ≥ ½.
//! Places are metres from the north-west corner of the tree's own square ([`Frame::side`]), heights metres above the
//! datum; the node `Construction` fits square and [`Frame::relief`] to those of the scene. Everything is computed in
//! f64 by + - × ÷ √, comparisons and `libm`.
//!
//! | folder or file | what it holds |
//! |---|---|
//! | [`piece`], [`check`], [`text`] | the tree that people edit and files hold; ranges, errors with their way down the tree; RON |
//! | [`primitives`] | disc, curve, contour, image, ribbon, and the noise, pictures and falloffs that they are made of |
//! | [`operators`] | what holds pieces: blended, replaced, added, warped, placed, gullied, repeated |
//! | [`geometry`] | the ground plan: points, boxes and maps; curves, outlines and how far a place is from them |
//! | [`materials`] | what lies on what, and what pieces are made of |
//! | [`sample`], [`row_samples`] | what is asked and answered: of a place, of a row of places |
//! | [`compiled_program`] | a tree made ready: boxes, maps put together, pruning; a whole grid or a part of it, row by row |
//! | [`gpu_buffer`] | a program as words that a shader walks |
//! | [`trace`] | sphere tracing |
//! | [`presets`] | composed pieces to begin with |
//! | [`edit`] | what hands do to a tree |

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
pub mod row_samples;
pub mod sample;
pub mod text;
pub mod trace;

pub use check::TreeError;
pub use compiled_program::change::changed_area;
pub use compiled_program::{NodeSelection, Program};
pub use geometry::plane::{Area, Capsule, Point};
pub use materials::shares::MaterialShares;
pub use materials::{MaterialLayer, PieceMaterial};
pub use piece::{CopyGroup, Definition, Frame, Instance, OperatorGroup, Piece, PieceKind, Tree};
pub use row_samples::{LANES, PointRow, RowSamples};
pub use sample::{Detail, GroundBounds, GroundSample, THRESHOLD};

#[cfg(test)]
#[path = "../../tests/core/construction_kit/mod.rs"]
pub(crate) mod construction_kit;
