//! Operators: combine or transform the ground of the pieces that they hold.
//!
//! One file says everything about an operator: its parameters, how a piece is compiled (`PieceForm`), and what its node
//! returns (`NodeOperator`): samples with gradients, bounds, rows, materials, words for the graphics card. A new
//! operator is a file here, a line in the list of [`PieceKind`](crate::PieceKind) and, if its node is new, a line in
//! the list in `compiled_program/operator.rs`. Its words need an opcode, a row in [`gpu_buffer`](crate::gpu_buffer),
//! and a case in `assets/shaders/trace.wgsl`.
//!
//! | file | contents |
//! |---|---|
//! | [`blend`], [`replace`], [`deposit`], [`ground_window`] | blend pieces, replace the ground below, add to it; the window of heights and slopes where they act |
//! | [`placement`], [`warp`] | move and warp pieces |
//! | [`detail`] | choose pieces by level of detail |
//! | [`gullies`], [`gully_law`] | erosion point by point, and its function, which the filter *Gullies* shares |
//! | [`mod@array`], [`scatter`], [`copies`], [`poisson_disc`] | repeat pieces: positions of copies, and how overlapping copies combine |

pub mod array;
pub mod blend;
pub mod copies;
pub mod deposit;
pub mod detail;
pub mod ground_window;
pub mod gullies;
pub mod gully_law;
pub mod placement;
pub mod poisson_disc;
pub mod replace;
pub mod scatter;
pub mod warp;
