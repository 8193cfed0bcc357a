//! The functions of a program's operators, and the list of all operators.

use xxhash_rust::xxh3::xxh3_64;

use super::{NodeFrame, NodeView, ProgramNode};
use crate::geometry::plane::{Area, Capsule, Point};
use crate::gpu_buffer::Encoder;
use crate::materials::shares::MaterialFractions;
use crate::operators::blend::BlendOperator;
use crate::operators::copies::{NodeCopies, ProgramCopy};
use crate::operators::deposit::Deposit;
use crate::operators::detail::DetailSettings;
use crate::operators::gullies::GullyNode;
use crate::operators::replace::Replacement;
use crate::operators::warp::WarpNode;
use crate::primitives::leaf::Leaf;
use crate::row_samples::{PointRow, RowSamples};
use crate::sample::{Detail, GroundBounds, GroundSample};

/// An operator prepared for evaluation, or a primitive.
pub(crate) trait NodeOperator: std::fmt::Debug {
    /// The sample at a point in the node's box, with gradients if `G` is true.
    fn sample<const G: bool>(&self, view: NodeView, p: Point, detail: &Detail) -> GroundSample
    where
        Self: Sized;

    /// The weight of the [`sample`](Self::sample). Operators that know their weight without a height compute it alone.
    fn weight(&self, view: NodeView, p: Point, detail: &Detail) -> f64
    where
        Self: Sized,
    {
        self.sample::<false>(view, p, detail).weight
    }

    /// Bounds over a capsule that touches the node's box.
    fn bounds(&self, view: NodeView, capsule: &Capsule, detail: &Detail) -> GroundBounds;

    /// Samples along a row of points, equal to those of [`sample`](Self::sample) bit for bit.
    fn row(&self, view: NodeView, row: PointRow, detail: &Detail, out: &mut RowSamples);

    /// Materials at a point where the node has weight.
    fn materials(&self, view: NodeView, p: Point, detail: &Detail) -> MaterialFractions;

    /// Encodes the node for the graphics card. `around` is the frame of the copy that contains the node.
    fn encode(&self, node: &ProgramNode, around: &NodeFrame, out: &mut Encoder);

    /// Hash of all parameters that define the node. The children are not included.
    fn key(&self) -> u64 {
        xxh3_64(format!("{self:?}").as_bytes())
    }

    /// Bounding box of the area where the node has weight, in the coordinates of its children. `children` holds the
    /// bounding boxes of the children.
    fn area(&self, children: &[Area]) -> Area {
        children.iter().copied().fold(Area::EMPTY, Area::union)
    }

    /// The boxes of the children, for a bounding-volume hierarchy; empty if all children are tested one by one.
    fn searched(&self, _children: &[Area]) -> Vec<Area> {
        Vec::new()
    }

    /// Whether the order of the children matters. If so, the first child is always evaluated.
    fn is_ordered(&self) -> bool {
        true
    }

    /// Whether the operator has a material of its own.
    fn has_material(&self) -> bool {
        false
    }

    /// The copies of the children in an array or a scatter; empty for other operators.
    fn copies(&self) -> &[ProgramCopy] {
        &[]
    }

    /// Stencil radius in metres: the greatest distance from a point at which the operator samples its children.
    fn sight(&self) -> f64 {
        0.0
    }

    /// Maps an area from the parent's coordinates to the children's.
    fn inward(&self, area: Area) -> Area {
        area
    }

    /// Maps an area from the children's coordinates to the parent's.
    fn outward(&self, area: Area) -> Area {
        area
    }

    /// Whether rounding can make the weight positive just outside the bounding box, because the map to the children's
    /// coordinates is not the identity.
    fn is_mapped(&self) -> bool {
        false
    }
}

macro_rules! operators {
    ($($name:ident($operator:ty),)+) => {
        /// Kind of a node, with its prepared parameters.
        #[derive(Debug)]
        pub(crate) enum Operator { $($name($operator),)+ }

        impl Operator {
            #[inline]
            pub fn sample<const G: bool>(&self, view: NodeView, p: Point, detail: &Detail) -> GroundSample {
                match self { $(Self::$name(operator) => operator.sample::<G>(view, p, detail),)+ }
            }

            pub fn weight(&self, view: NodeView, p: Point, detail: &Detail) -> f64 {
                match self { $(Self::$name(operator) => operator.weight(view, p, detail),)+ }
            }
        }

        impl std::ops::Deref for Operator {
            type Target = dyn NodeOperator;

            fn deref(&self) -> &Self::Target {
                match self { $(Self::$name(operator) => operator,)+ }
            }
        }
    };
}

operators! {
    Leaf(Leaf),
    Blend(BlendOperator),
    Replace(Replacement),
    Add(Deposit),
    Warp(WarpNode),
    Detail(DetailSettings),
    Gullies(GullyNode),
    Repeat(NodeCopies),
}
