//! Geometry of the ground plan: what pieces are laid out by.
//!
//! | file | what it holds |
//! |---|---|
//! | [`plane`] | points, boxes, capsules, affine maps |
//! | [`path`], [`line`] | curves through points or near them; how far a place is along and beside them |
//! | [`outline`] | closed lines of any simple shape |
//! | [`profile`] | monotone cubics: cross profiles, and what changes along a curve |
//! | [`hierarchy`] | boxes around boxes |

pub mod hierarchy;
mod line;
pub mod outline;
pub mod path;
pub mod plane;
pub mod profile;
