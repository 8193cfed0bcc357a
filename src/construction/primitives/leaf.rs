//! Primitives in a program: the functions that every primitive implements, the list of all primitives, and the node of
//! a primitive.

use std::borrow::Borrow;
use std::sync::Arc;

use xxhash_rust::xxh3::Xxh3;

use super::contour::PreparedContour;
use super::curve::PreparedCurve;
use super::disc::PreparedDisc;
use super::image::PreparedImage;
use super::ribbon::PreparedRibbon;
use crate::compiled_program::{NodeFrame, NodeOperator, NodeView, ProgramNode};
use crate::geometry::plane::{Area, Capsule, Point};
use crate::gpu_buffer::{Encoder, ImageSamples, Words, op, rounded_outward};
use crate::materials::PieceMaterial;
use crate::materials::shares::MaterialFractions;
use crate::row_samples::{PointRow, RowSamples};
use crate::sample::{Detail, GroundBounds, GroundSample};

/// A primitive prepared for evaluation. All positions are in the primitive's own coordinates.
pub(crate) trait Primitive {
    /// Bounding box of the area where the primitive has weight.
    fn area(&self) -> Area;

    /// Height and weight at `p`, with gradients if `G` is true.
    fn sample<const G: bool>(&self, p: Point, detail: &Detail) -> GroundSample
    where
        Self: Sized;

    /// The weight at `p`. Primitives that know their weight without a height compute it alone.
    fn weight(&self, p: Point, detail: &Detail) -> f64
    where
        Self: Sized,
    {
        self.sample::<false>(p, detail).weight
    }

    /// Bounds of heights, weights and gradients over `capsule`.
    fn bounds(&self, capsule: &Capsule, detail: &Detail) -> GroundBounds;

    /// Samples along a row of points.
    fn row(&self, row: PointRow, detail: &Detail, out: &mut RowSamples)
    where
        Self: Sized,
    {
        for k in 0..row.len() {
            out.set(k, &self.sample::<false>(row.point(k), detail));
        }
    }

    /// Encodes the primitive's parameters in 32-bit words for the graphics card.
    fn encode(&self, out: &mut Words, image_samples: &mut ImageSamples);
}

macro_rules! primitives {
    ($($number:literal $name:ident($primitive:ty) in $stored:ty;)+) => {
        /// A primitive prepared for evaluation. Discs are frequent and small, so they are stored inline; the other
        /// kinds are boxed.
        #[derive(Debug)]
        pub(crate) enum PreparedPrimitive { $($name($stored),)+ }

        impl PreparedPrimitive {
            /// Number that identifies the primitive's kind in the 32-bit words for the graphics card.
            pub fn kind(&self) -> u32 {
                match self { $(Self::$name(_) => $number,)+ }
            }

            #[inline]
            pub fn sample<const G: bool>(&self, p: Point, detail: &Detail) -> GroundSample {
                match self { $(Self::$name(primitive) => primitive.sample::<G>(p, detail),)+ }
            }

            pub fn weight(&self, p: Point, detail: &Detail) -> f64 {
                match self { $(Self::$name(primitive) => primitive.weight(p, detail),)+ }
            }

            pub fn row(&self, row: PointRow, detail: &Detail, out: &mut RowSamples) {
                match self { $(Self::$name(primitive) => primitive.row(row, detail, out),)+ }
            }
        }

        impl std::ops::Deref for PreparedPrimitive {
            type Target = dyn Primitive;

            fn deref(&self) -> &Self::Target {
                match self { $(Self::$name(primitive) => Borrow::<$primitive>::borrow(primitive),)+ }
            }
        }
    };
}

primitives! {
    0 Disc(PreparedDisc) in PreparedDisc;
    1 Curve(PreparedCurve) in Box<PreparedCurve>;
    2 Contour(PreparedContour) in Box<PreparedContour>;
    3 Image(PreparedImage) in Box<PreparedImage>;
    4 Ribbon(PreparedRibbon) in Box<PreparedRibbon>;
}

impl PreparedPrimitive {
    /// Whether the primitive lies along a curve, whose arcs the 32-bit words hold.
    pub fn is_along_curve(&self) -> bool {
        matches!(self, Self::Curve(_) | Self::Ribbon(_))
    }
}

/// A primitive with its coordinate frame, as a node of a program.
#[derive(Debug)]
pub(crate) struct Leaf {
    pub primitive: Arc<PreparedPrimitive>,
    /// Hash of the parameters and images from which the primitive was prepared.
    pub made_of: u64,
    pub frame: NodeFrame,
}

impl Leaf {
    /// The same primitive. A disc evaluates its ground even where it has no weight. Use this only to measure the time
    /// that skipping saves.
    pub fn evaluated_everywhere(&self) -> Self {
        let primitive = match &*self.primitive {
            PreparedPrimitive::Disc(disc) => Arc::new(PreparedPrimitive::Disc(disc.evaluated_everywhere())),
            _ => self.primitive.clone(),
        };
        Self { primitive, ..*self }
    }
}

impl NodeOperator for Leaf {
    #[inline]
    fn sample<const G: bool>(&self, _: NodeView, p: Point, detail: &Detail) -> GroundSample {
        let Self { primitive, frame, .. } = self;
        if frame.is_plain {
            return primitive.sample::<G>(p, detail);
        }
        frame.sample_outward::<G>(primitive.sample::<G>(frame.inward.apply(p), &frame.detail(detail)))
    }

    fn weight(&self, _: NodeView, p: Point, detail: &Detail) -> f64 {
        let Self { primitive, frame, .. } = self;
        if frame.is_plain {
            return primitive.weight(p, detail);
        }
        primitive.weight(frame.inward.apply(p), &frame.detail(detail))
    }

    fn bounds(&self, _: NodeView, capsule: &Capsule, detail: &Detail) -> GroundBounds {
        let Self { primitive, frame, .. } = self;
        if frame.is_plain {
            return primitive.bounds(capsule, detail);
        }
        frame.bounds_outward(&primitive.bounds(&frame.inward.map_capsule(capsule), &frame.detail(detail)))
    }

    fn row(&self, _: NodeView, row: PointRow, detail: &Detail, out: &mut RowSamples) {
        let (n, frame) = (row.len(), &self.frame);
        if frame.is_plain {
            self.primitive.row(row, detail, out);
            return;
        }
        let (xs, ys) = frame.row_inward(row);
        self.primitive.row(PointRow { xs: &xs[..n], ys: &ys[..n] }, &frame.detail(detail), out);
        for height in &mut out.height[..n] {
            *height = *height * frame.height_scale + frame.lift;
        }
    }

    fn materials(&self, _: NodeView, _: Point, _: &Detail) -> MaterialFractions {
        MaterialFractions::whole(self.frame.material)
    }

    fn encode(&self, node: &ProgramNode, around: &NodeFrame, out: &mut Encoder) {
        let primitive = out.primitive(&self.primitive);
        let NodeFrame { inward, height_scale: rise, lift, stretching, is_plain, .. } = around.composed(&self.frame);
        let area = rounded_outward(&around.area_outward(&node.area));
        let start = out.start(if is_plain { op::LEAF } else { op::PLACED }, area);
        out.code.word(primitive);
        if !is_plain {
            out.code.map(&inward);
            out.code.reals([rise, lift, stretching]);
        }
        out.end(start);
    }

    fn key(&self) -> u64 {
        let mut key = Xxh3::new();
        key.update(&self.made_of.to_le_bytes());
        self.frame.bits().iter().for_each(|bits| key.update(&bits.to_le_bytes()));
        if self.has_material() {
            key.update(&[self.frame.material as u8]);
        }
        key.digest()
    }

    fn area(&self, _: &[Area]) -> Area {
        self.frame.inward.inverse().area(&self.primitive.area())
    }

    fn has_material(&self) -> bool {
        self.frame.material != PieceMaterial::Unset
    }

    fn is_mapped(&self) -> bool {
        !self.frame.is_plain
    }
}
