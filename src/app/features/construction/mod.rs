//! Construction trees: the list of their pieces, the library, the pieces in the view.

pub mod actions;
pub mod library;
pub mod list;
pub mod notice;
pub mod piece;
pub mod profile;
pub mod surface;
pub mod viewport;
