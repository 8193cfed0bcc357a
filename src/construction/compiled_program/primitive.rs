//! The primitives of a program, by kind.

use crate::geometry::plane::{Area, Capsule, Point};
use crate::primitives::{contour, curve, disc, image, ribbon};
use crate::sample::{Detail, GroundBounds, GroundSample};

/// A primitive prepared for evaluation, in its own coordinates. Discs are frequent and small, so they are stored
/// inline; the other kinds are boxed.
#[derive(Debug)]
pub enum PreparedPrimitive {
    /// A disc.
    Disc(disc::PreparedDisc),
    /// A curve.
    Curve(Box<curve::PreparedCurve>),
    /// A contour.
    Contour(Box<contour::PreparedContour>),
    /// An image.
    Image(Box<image::PreparedImage>),
    /// A ribbon.
    Ribbon(Box<ribbon::PreparedRibbon>),
}

impl PreparedPrimitive {
    pub(crate) fn area(&self) -> Area {
        match self {
            Self::Disc(leaf) => leaf.area(),
            Self::Curve(leaf) => leaf.area(),
            Self::Contour(leaf) => leaf.area(),
            Self::Image(leaf) => leaf.area(),
            Self::Ribbon(leaf) => leaf.area(),
        }
    }

    #[inline]
    pub(crate) fn sample<const G: bool>(&self, p: Point, detail: &Detail) -> GroundSample {
        match self {
            Self::Disc(leaf) => leaf.sample::<G>(p, detail),
            Self::Curve(leaf) => leaf.sample::<G>(p),
            Self::Contour(leaf) => leaf.sample::<G>(p),
            Self::Image(leaf) => leaf.sample::<G>(p),
            Self::Ribbon(leaf) => leaf.sample::<G>(p),
        }
    }

    pub(crate) fn bounds(&self, capsule: &Capsule, detail: &Detail) -> GroundBounds {
        match self {
            Self::Disc(leaf) => leaf.bounds(capsule, detail),
            Self::Curve(leaf) => leaf.bounds(capsule),
            Self::Contour(leaf) => leaf.bounds(capsule),
            Self::Image(leaf) => leaf.bounds(capsule),
            Self::Ribbon(leaf) => leaf.bounds(capsule),
        }
    }
}
