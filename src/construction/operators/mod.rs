//! What pieces hold pieces for: the laws by which the ground of some becomes that of one.
//!
//! | file | what it holds |
//! |---|---|
//! | [`blend`], [`replace`], [`deposit`], [`ground_window`] | pieces side by side, in place of others, laid on others; where they act |
//! | [`placement`], [`warp`] | pieces elsewhere, and bent |
//! | [`detail`] | pieces for afar and for near |
//! | [`gullies`], [`gully_law`] | erosion by point, and its law, which the filter *Gullies* shares |
//! | [`mod@array`], [`scatter`], [`copies`], [`poisson_disc`] | pieces repeated; where copies lie, what they come to |

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
