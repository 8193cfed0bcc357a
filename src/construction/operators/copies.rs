//! Copies: pieces that an [array](super::array) or a [scatter](super::scatter) repeats. The pieces are prepared once
//! per variant of their noise. Each copy is stored only as a coordinate map and a bounding box.
//!
//! Transform: copy k maps p to placeₖ + turn · scale · (p - pivot) and z to scale · heightₖ · z + raiseₖ. Overlapping
//! copies are either blended, or each copy B covers the earlier copies A. In the second case, f = (α_B f_B + (1 - α_B)
//! α_A f_A) / α with α = α_B + (1 - α_B) α_A, where a weight above 1 counts as 1. This is the operator *over* of Porter
//! & Duff: each copy in turn replaces the ground below. The gradient and the Lipschitz bound are those of a blend of B
//! with weight α_B and A with weight (1 - α_B) α_A.
//! Source: Génevaux et al. 2014, §5.4 (instances); Porter & Duff 1984 (over).

use std::collections::BTreeMap;

use xxhash_rust::xxh3::Xxh3;

use super::blend::{self, BlendSum, BlendSumRow};
use super::placement::varied;
use super::replace::{capped_weight, capped_weight_bounds};
use crate::compiled_program::{Builder, NodeFrame, NodeOperator, NodeView, Operator, PieceSite, ProgramNode};
use crate::geometry::plane::{Affine, Area, Capsule, Interval, Point, higher, lower, scaled, sub};
use crate::gpu_buffer::{Encoder, op};
use crate::materials::shares::{MaterialBlend, MaterialFractions};
use crate::piece::{CopyGroup, Piece};
use crate::primitives::curve::CurvePoint;
use crate::row_samples::{PointRow, RowSamples};
use crate::sample::{Detail, GroundBounds, GroundSample};
use talweg_ground::field::Stream;

/// Maximum number of copies of one array or scatter.
pub const MOST_COPIES: usize = 250_000;
/// Maximum number of noise variants among the copies of one array or scatter.
pub const MOST_VARIANTS: u32 = 16;

talweg_ground::choices! {
    /// Treatment of overlapping copies: blended, or later copies on top.
    Overlap {
        Blend "Blend": "Overlapping copies blend into each other, in any order.",
        Replace "Later copies on top": "Each copy replaces earlier copies where they overlap, as craters do.",
    }
}

/// The parameters of copies that arrays and scatters share. [`params!`](talweg_ground::params) includes these
/// parameters as `copy_params!();`.
macro_rules! copy_params {
    (@into $head:tt $done:tt [$($rest:tt)*]) => {
        talweg_ground::params! { @each $head $done [
            /// East-west position of the reference point of the features: each copy has this point at its own position.
            pivot_x: f32 ["m"] = 4000.0, -1.0e6..=1.0e6, slider 0.0..=8000.0;
            /// North-south position of the reference point of the features: each copy has this point at its own
            /// position.
            pivot_y: f32 ["m"] = 4000.0, -1.0e6..=1.0e6, slider 0.0..=8000.0;
            /// Clockwise rotation of every copy; lines and rows of copies rotate too.
            turn_angle: f32 ["°"] = 0.0, -360.0..=360.0, slider -180.0..=180.0;
            /// Size factor of every copy, in all directions.
            scale: f32 = 1.0, 0.001..=1000.0, slider 0.1..=4.0;
            /// Maximum random rotation of a copy, to either side.
            turn_jitter: f32 ["°"] = 0.0, 0.0..=180.0;
            /// Maximum random variation of a copy's size, as a fraction of this size.
            scale_jitter: f32 = 0.0, 0.0..=0.95;
            /// Maximum random variation of a copy's height, as a fraction of this height, in addition to the variation
            /// of its size.
            height_jitter: f32 ["share"] = 0.0, 0.0..=1.0;
            /// Number of different noise variants among the copies. Only features with noise, such as hills, differ
            /// between variants. Each variant is computed once.
            variants: u32 = 1, 1..=16;
            /// Treatment of overlapping copies: blended, or later copies on top.
            overlap: $crate::operators::copies::Overlap = $crate::operators::copies::Overlap::Blend;
            /// Seed of all random values.
            seed: u32 = 1, 0..=1_000_000, slider 0..=100;
            $($rest)*
        ] }
    };
}
pub(super) use copy_params;

/// Settings of copies, shared by arrays and scatters.
pub struct CopyStyle {
    pub(crate) pivot: Point,
    /// Rotation of every copy, in radians.
    pub(crate) turn: f64,
    pub(crate) scale: f64,
    /// Maximum random variation of the rotation in radians, then of the size and of the height as fractions.
    pub(crate) jitter: [f64; 3],
    pub(crate) variants: u32,
    pub(crate) overlap: Overlap,
    pub(crate) seed: u32,
}

/// Implements `style` for a parameter group that includes `copy_params!`.
macro_rules! copy_style {
    ($settings:ty) => {
        impl $settings {
            /// Settings of the copies, converted for computation.
            pub fn style(&self) -> $crate::operators::copies::CopyStyle {
                let radians = |degrees: f32| f64::from(degrees) * (std::f64::consts::PI / 180.0);
                $crate::operators::copies::CopyStyle {
                    pivot: [f64::from(self.pivot_x), f64::from(self.pivot_y)],
                    turn: radians(self.turn_angle),
                    scale: f64::from(self.scale),
                    jitter: [radians(self.turn_jitter), f64::from(self.scale_jitter), f64::from(self.height_jitter)],
                    variants: self.variants,
                    overlap: self.overlap,
                    seed: self.seed,
                }
            }
        }
    };
}
pub(super) use copy_style;

/// Position and transform of a copy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CopyPosition {
    /// Position in metres.
    pub at: Point,
    /// Rotation in radians, from east towards south.
    pub turn: f64,
    /// Size factor.
    pub scale: f64,
    /// Height offset in metres.
    pub raise: f64,
    /// Key from which the copy's random values are drawn. The key does not depend on other copies.
    pub id: [i32; 2],
}

impl CopyPosition {
    /// A copy that is not rotated, scaled or raised.
    pub fn plain(at: Point, id: [i32; 2]) -> Self {
        Self { at, turn: 0.0, scale: 1.0, raise: 0.0, id }
    }
}

/// A copy, stored as a map of positions and a map of heights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Copy {
    /// Map from the pieces' coordinates to the parent's.
    pub map: Affine,
    /// Factor in the map of heights z ↦ `height_scale` · z + `lift`.
    pub height_scale: f64,
    /// Offset in metres in the map of heights; see [`height_scale`](Self::height_scale).
    pub lift: f64,
    /// Index of the copy's noise variant.
    pub variant: u32,
}

impl CopyStyle {
    /// Copies at `places`, with random variation from `seed`.
    pub fn copies(&self, places: &[CopyPosition], seed: u32) -> Vec<Copy> {
        let random = Stream::new(seed, self.seed).fork(0xc0_0135);
        let streams = [0, 1, 2, 3].map(|salt| random.fork(salt));
        let copy = |place: &CopyPosition| {
            let [i, j] = place.id;
            let signed = |k: usize| f64::from(streams[k].signed(i, j)) * self.jitter[k];
            let turn = self.turn + place.turn + signed(0);
            // an angle of 0 must give an exact identity
            let (sin, cos) = if turn == 0.0 { (0.0, 1.0) } else { (libm::sin(turn), libm::cos(turn)) };
            let scale = self.scale * place.scale * (1.0 + signed(1));
            let rows = [[cos * scale, -sin * scale], [sin * scale, cos * scale]];
            let turned = Affine { rows, offset: [0.0; 2] }.apply(self.pivot);
            let map = Affine { rows, offset: sub(place.at, turned) };
            let variant = (streams[3].bits(i, j) >> 32) as u32 % self.variants.clamp(1, MOST_VARIANTS);
            Copy { map, height_scale: scale * (1.0 + signed(2)), lift: place.raise, variant }
        };
        places.iter().map(copy).collect()
    }
}

impl Piece {
    /// The copies of an array or a scatter, with random values from `seed`; `None` for other pieces.
    ///
    /// # Errors
    /// When there would be too many copies, or when the curve or outline has too few points.
    pub fn copies(&self, seed: u32) -> Option<CopiesResult> {
        self.kind.as_form().copies(seed)
    }

    /// The first copy in the list that [`copies`](Self::copies) returns.
    pub fn first_copy(&self, seed: u32) -> Option<Copy> {
        self.copies(seed)?.ok()?.0.first().copied()
    }
}

/// The copies with the treatment of their overlap; or the reason why the copies cannot be created.
pub type CopiesResult = Result<(Vec<Copy>, Overlap), String>;

impl<S> CopyGroup<S> {
    /// Positions of the points of the curve or outline, in metres.
    pub(crate) fn corners(&self) -> Vec<Point> {
        self.points.iter().map(|CurvePoint { at: (x, y), .. }| [f64::from(*x), f64::from(*y)]).collect()
    }
}

/// The error message for too many copies.
pub(crate) fn too_many() -> String {
    format!("there would be more than {MOST_COPIES} copies; increase the distance between copies")
}

/// Height and weight where the copy `b` covers the earlier copies `a`. Each argument is a height and a weight; the
/// weight of `b` must be above 0.
#[inline]
pub fn heights(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    let w = lower(b.1, 1.0);
    let left = (1.0 - w) * lower(a.1, 1.0);
    if left <= 0.0 { (b.0, w) } else { ((w * b.0 + left * a.0) / (w + left), w + left) }
}

/// The sample where the copy `b` covers the earlier copies `a`.
#[inline]
pub fn sample(a: &GroundSample, b: &GroundSample) -> GroundSample {
    if b.weight <= 0.0 {
        return *a;
    }
    let ((w, dw), (under, dunder)) = (capped_weight(b), capped_weight(a));
    let (height, weight) = heights((a.height, a.weight), (b.height, b.weight));
    let mut sum = BlendSum::default();
    sum.add(&GroundSample { weight: w, weight_gradient: dw, ..*b }, 1.0);
    let fade = sub(scaled(dunder, 1.0 - w), scaled(dw, under));
    sum.add(&GroundSample { weight: (1.0 - w) * under, weight_gradient: fade, ..*a }, 1.0);
    GroundSample { height, weight, ..sum.sample() }
}

/// Bounds of the ground where the copy `b` covers the earlier copies `a`.
pub fn bounds(a: &GroundBounds, b: &GroundBounds) -> GroundBounds {
    if b.is_nothing() {
        return *a;
    }
    let ((w, dw, laid), (under, dunder, laid_under)) = (capped_weight_bounds(b), capped_weight_bounds(a));
    let over = GroundBounds { weight: w, weight_gradient: dw, weighted_slope: laid, ..*b };
    let left = Interval::new((1.0 - w.high) * under.low, (1.0 - w.low) * under.high);
    let fade = (1.0 - w.low) * dunder + dw * under.high;
    let below = GroundBounds { weight: left, weight_gradient: fade, weighted_slope: (1.0 - w.low) * laid_under, ..*a };
    let both = blend::bounds(&[over, below]);
    // the weight is 1 - (1 - α_A)(1 - α_B), which is at most 1 and at least α_B
    let weight = both.weight.intersection(Interval::new(higher(w.low, 0.0), 1.0));
    let fade = (1.0 - w.low) * dunder + (1.0 - under.low) * dw;
    GroundBounds { weight, weight_gradient: lower(both.weight_gradient, fade), ..both }
}

/// A copy of a child node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ProgramCopy {
    pub(crate) frame: NodeFrame,
    /// Bounding box of the area where the copy has weight, in the node's coordinates.
    pub(crate) area: Area,
    /// Index of the child.
    pub(crate) child: u32,
}

/// The copies of a node, in order. Each distinct child is prepared once.
#[derive(Debug)]
pub(crate) struct NodeCopies {
    pub(crate) copies: Vec<ProgramCopy>,
    pub(crate) overlap: Overlap,
}

impl NodeCopies {
    /// Adds an array or a scatter to a program: the pieces once for each noise variant in use, and all copies.
    pub(super) fn compile(made: CopiesResult, site: &PieceSite, builder: &mut Builder) -> Option<u32> {
        let (copies, overlap) = match made {
            Ok(made) => made,
            Err(problem) => {
                builder.problem(site, problem);
                return None;
            }
        };
        builder.has_room_for(copies.len(), site, "with its copies")?;
        let frame = &site.frame;
        let mut variants = BTreeMap::new();
        let (mut placed, mut children) = (Vec::with_capacity(copies.len()), Vec::new());
        for copy in &copies {
            let child = *variants.entry(copy.variant).or_insert_with(|| {
                let inner = NodeFrame::new(varied(frame.seed, copy.variant)).with_material(frame.material);
                children.push(builder.blend(site, inner)?);
                Some(children.len() as u32 - 1)
            });
            let frame = frame.placed(&copy.map, (copy.height_scale, copy.lift), frame.seed);
            let (Some(child), Some(frame)) = (child, frame) else { continue };
            let own = builder.nodes[children[child as usize] as usize].area;
            placed.push(ProgramCopy { area: frame.inward.inverse().area(&own), frame, child });
        }
        let repeated = Self { copies: placed, overlap };
        (!repeated.copies.is_empty()).then(|| builder.node(Operator::Repeat(repeated), children))
    }
}

/// The view of the child that a copy shows, and the point `p` in the child's coordinates.
fn copy_view<'a>(view: NodeView<'a>, copy: &ProgramCopy, p: Point) -> (NodeView<'a>, Point) {
    (view.child_view(view.node.children[copy.child as usize]), copy.frame.inward.apply(p))
}

impl NodeOperator for NodeCopies {
    fn sample<const G: bool>(&self, view: NodeView, p: Point, detail: &Detail) -> GroundSample {
        let (mut sum, mut below) = (BlendSum::default(), GroundSample::default());
        view.each(
            0,
            |area| area.contains(p),
            |k| {
                let copy = &self.copies[k as usize];
                if !copy.area.contains(p) {
                    return;
                }
                let (child, q) = copy_view(view, copy, p);
                if !child.node.area.contains(q) {
                    return;
                }
                let own = copy.frame.sample_outward::<G>(child.sample::<G>(q, &copy.frame.detail(detail)));
                match self.overlap {
                    Overlap::Blend => sum.add(&own, 1.0),
                    Overlap::Replace => below = sample(&below, &own),
                }
            },
        );
        match self.overlap {
            Overlap::Blend => sum.sample(),
            Overlap::Replace => below,
        }
    }

    fn bounds(&self, view: NodeView, capsule: &Capsule, detail: &Detail) -> GroundBounds {
        let (around, mut pieces) = (capsule.area_of(), Vec::new());
        view.each(
            0,
            |area| area.meets(&around),
            |k| {
                let copy = &self.copies[k as usize];
                if copy.area.meets(&around) {
                    let (child, inner) = (
                        view.child_view(view.node.children[copy.child as usize]),
                        copy.frame.inward.map_capsule(capsule),
                    );
                    pieces.push(copy.frame.bounds_outward(&child.bounds(&inner, &copy.frame.detail(detail))));
                }
            },
        );
        match self.overlap {
            Overlap::Blend => blend::bounds(&pieces),
            // there is nothing below the first copy
            Overlap::Replace => pieces.iter().fold(GroundBounds::NOTHING, |below, above| bounds(&below, above)),
        }
    }

    fn row(&self, view: NodeView, row: PointRow, detail: &Detail, out: &mut RowSamples) {
        let n = row.len();
        let around = Area::enclosing((0..n).map(|k| row.point(k)));
        let mut sums = BlendSumRow::NOTHING;
        out.weight[..n].fill(0.0);
        view.each(
            0,
            |area| area.meets(&around),
            |k| {
                let copy = &self.copies[k as usize];
                let Some(span) = row.span(&copy.area) else { return };
                let (part, frame) = (row.part(span), &copy.frame);
                let (xs, ys) = frame.row_inward(part);
                let inner = PointRow { xs: &xs[..part.len()], ys: &ys[..part.len()] };
                let mut own = RowSamples::NOTHING;
                view.child_view(view.node.children[copy.child as usize]).row(inner, &frame.detail(detail), &mut own);
                for k in 0..part.len() {
                    own.height[k] = own.height[k] * frame.height_scale + frame.lift;
                    if !copy.area.contains(part.point(k)) {
                        own.weight[k] = 0.0;
                    }
                }
                match self.overlap {
                    Overlap::Blend => sums.add(&own, 1.0, span),
                    Overlap::Replace => {
                        for k in (span.0..span.1).filter(|k| own.weight[k - span.0] > 0.0) {
                            let above = (own.height[k - span.0], own.weight[k - span.0]);
                            (out.height[k], out.weight[k]) = heights((out.height[k], out.weight[k]), above);
                        }
                    }
                }
            },
        );
        if self.overlap == Overlap::Blend {
            sums.sample(n, out);
        }
    }

    fn materials(&self, view: NodeView, p: Point, detail: &Detail) -> MaterialFractions {
        let (mut sum, mut shares, mut ground) = (MaterialBlend::default(), MaterialFractions::default(), 0.0);
        view.each(
            0,
            |area| area.contains(p),
            |k| {
                let copy = &self.copies[k as usize];
                let (child, q) = copy_view(view, copy, p);
                if !copy.area.contains(p) || !child.node.area.contains(q) {
                    return;
                }
                let detail = copy.frame.detail(detail);
                let weight = child.sample::<false>(q, &detail).weight;
                if weight <= 0.0 {
                    return;
                }
                let own = child.materials(q, &detail);
                match self.overlap {
                    Overlap::Blend => sum.add(&own, weight),
                    Overlap::Replace => {
                        let weight = lower(weight, 1.0);
                        let all = weight + (1.0 - weight) * ground;
                        (shares, ground) = (shares.covered_by(&own, weight / all), all);
                    }
                }
            },
        );
        match self.overlap {
            Overlap::Blend => sum.blended(),
            Overlap::Replace => shares,
        }
    }

    fn encode(&self, node: &ProgramNode, around: &NodeFrame, out: &mut Encoder) {
        let start = match self.overlap {
            Overlap::Blend => {
                let start = out.open(op::BLEND, node, around);
                out.grouped(node, around);
                start
            }
            Overlap::Replace => {
                let start = out.open(op::REPLACE, node, around);
                out.code.word(OVER);
                // these 11 words mean that no ground window limits the copies
                out.code.words([0; 11]);
                out.ground(None, |out| {
                    let nothing = out.start(op::GROUP, [0.0; 4]);
                    out.end(nothing);
                });
                out.in_runs(node, around, 0..self.copies.len());
                start
            }
        };
        out.give(start);
    }

    fn key(&self) -> u64 {
        let mut key = Xxh3::new();
        for copy in &self.copies {
            copy.frame.bits().iter().for_each(|bits| key.update(&bits.to_le_bytes()));
            key.update(&copy.child.to_le_bytes());
        }
        key.update(format!("{:?}", self.overlap).as_bytes());
        key.digest()
    }

    fn area(&self, _: &[Area]) -> Area {
        self.copies.iter().map(|copy| copy.area).fold(Area::EMPTY, Area::union)
    }

    fn searched(&self, _: &[Area]) -> Vec<Area> {
        self.copies.iter().map(|copy| copy.area).collect()
    }

    fn is_ordered(&self) -> bool {
        false
    }

    fn copies(&self) -> &[ProgramCopy] {
        &self.copies
    }
}

/// Number that stands for copies that cover each other, where the 32-bit words store an
/// [`Extent`](super::replace::Extent).
const OVER: u32 = 2;
