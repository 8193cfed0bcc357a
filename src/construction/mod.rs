//! Construction trees: terrain from pieces that people place, combined by operators (document 004).
//!
//! Every node answers at any place p and level of detail κ with an elevation f, a weight α and their gradients, and
//! over any capsule with bounds of them: f is Lipschitz, α is C¹ and 0 outside a box. There is terrain where α ≥ ½.
//! Places are metres from the north-west corner of the tree's own square ([`Frame::side`]), heights metres above the
//! datum; the node `Construction` fits square and [`Frame::relief`] to those of the scene. Everything is computed in
//! f64 by + - × ÷ √, comparisons and `libm`.
//!
//! | file | what it holds |
//! |---|---|
//! | [`piece`], [`check`], [`text`] | the tree that people edit and files hold; ranges, errors with their way down the tree; RON |
//! | [`disc`], [`curve`], [`contour`], [`image`], [`ribbon`] | the primitives |
//! | [`ground`], [`noise`], [`profile`], [`path`], [`outline`], [`image_sampler`], [`falloff`] | what primitives are made of |
//! | [`blend`], [`replace`], [`deposit`], [`ground_window`], [`warp`], [`placement`], [`detail`] | the operators |
//! | [`gullies`], [`gully_law`] | erosion by point as an operator, and its law, which the filter *Gullies* shares |
//! | [`mod@array`], [`scatter`], [`copies`], [`poisson_disc`] | operators that repeat their pieces; where copies lie, what they come to |
//! | [`sample`], [`plane`] | what is asked and answered; points, boxes, affine maps |
//! | [`program`], [`hierarchy`] | a tree made ready: boxes, maps put together, pruning |
//! | [`material`], [`material_shares`] | what lies on what, and what pieces are made of |
//! | [`fill`], [`rows`], [`change`] | a whole grid or a part of it, row by row; where two trees differ |
//! | [`buffer`] | a program as words that a shader walks |
//! | [`trace`] | sphere tracing |
//! | [`presets`] | composed pieces to begin with |
//! | [`edit`] | what hands do to a tree |

pub mod array;
pub mod blend;
pub mod buffer;
pub mod change;
pub mod check;
mod compiled;
pub mod contour;
pub mod copies;
pub mod curve;
pub mod deposit;
pub mod detail;
pub mod disc;
pub mod edit;
pub mod falloff;
pub mod fill;
pub mod ground;
pub mod ground_window;
pub mod gullies;
pub mod gully_law;
pub mod hierarchy;
pub mod image;
pub mod image_sampler;
pub mod material;
pub mod material_shares;
pub mod noise;
pub mod outline;
pub mod path;
pub mod piece;
pub mod placement;
pub mod plane;
pub mod poisson_disc;
pub mod presets;
pub mod profile;
pub mod program;
pub mod replace;
pub mod ribbon;
pub mod row_samples;
pub mod rows;
pub mod sample;
pub mod scatter;
pub mod text;
pub mod trace;
pub mod warp;

pub use change::changed_area;
pub use check::TreeError;
pub use material::{MaterialLayer, PieceMaterial};
pub use material_shares::MaterialShares;
pub use piece::{CopyGroup, Definition, Frame, Instance, OperatorGroup, Piece, PieceKind, Tree};
pub use plane::{Area, Capsule, Point};
pub use program::{NodeSelection, Program};
pub use row_samples::{LANES, PointRow, RowSamples};
pub use sample::{Detail, GroundBounds, GroundSample, THRESHOLD};

#[cfg(test)]
#[path = "../../tests/core/construction_kit/mod.rs"]
pub(crate) mod construction_kit;
