//! Operators combine or transform the ground of the pieces that they hold.
//!
//! One file defines everything about an operator: its parameters, the compilation of a piece (`PieceForm`), and the
//! functions of its node (`NodeOperator`). These functions return samples with gradients, bounds, rows, materials, and
//! 32-bit words for the graphics card. A new operator needs a file in this folder and a line in the list of
//! [`PieceKind`](crate::PieceKind). If its node is new, it also needs a line in the list in
//! `compiled_program/operator.rs`. The words for the graphics card need an opcode, a row in
//! [`gpu_buffer`](crate::gpu_buffer), and a case in `src/app/assets/shaders/trace.wgsl`.
//!
//! | file | contents |
//! |---|---|
//! | [`blend`], [`replace`], [`deposit`], [`ground_window`] | blend pieces, replace the ground below, add to the ground below; the range of heights and slopes to which these operators are limited |
//! | [`placement`], [`warp`] | move and warp pieces |
//! | [`detail`] | choose pieces by level of detail |
//! | [`gullies`], [`gully_law`] | gullies evaluated point by point, and the gully function, which the filter *Gullies* shares |
//! | [`mod@array`], [`scatter`], [`copies`], [`poisson_disc`] | repeat pieces: positions of copies, and the combination of overlapping copies |

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
