//! Operators: combine or transform the ground of the pieces that they hold.
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
