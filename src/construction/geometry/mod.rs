//! Geometry in the horizontal plane of the terrain.
//!
//! | file | contents |
//! |---|---|
//! | [`plane`] | points, boxes, capsules, affine maps |
//! | [`path`], [`line`] | curves through or near points; arc length and offset of a point relative to a curve |
//! | [`segment`], [`room`] | the pieces of a curve, and the largest circles that touch it from one side |
//! | [`outline`] | closed lines that do not cross themselves |
//! | [`profile`] | monotone cubics: cross profiles, and values that vary along a curve |
//! | [`grade`] | heights along a road, whose grade is limited |
//! | [`hierarchy`] | bounding-volume hierarchy |

pub mod grade;
pub mod hierarchy;
mod line;
pub mod outline;
pub mod path;
pub mod plane;
pub mod profile;
mod room;
mod segment;
