//! Copies: pieces that an [array](super::array) or a [scatter](super::scatter) repeats. The pieces are prepared once
//! per variant of their noise; a copy is a map and a bounding box.
//!
//! Transform: copy k maps p to placeₖ + turn · scale · (p - pivot) and z to scale · heightₖ · z + raiseₖ. Overlapping
//! copies are blended, or each covers the earlier ones: f = (α_B f_B + (1 - α_B) α_A f_A) / α with α = α_B + (1 - α_B)
//! α_A, where a weight above 1 counts as 1. This is Porter & Duff's *over*: as if each copy in turn replaced the ground
//! below. Gradient and Lipschitz: those of a blend of B with weight α_B and A with weight (1 - α_B) α_A.
//! Source: Génevaux et al. 2014, §5.4 (instances); Porter & Duff 1984 (over).

use super::blend::{self, BlendSum};
use super::replace::{held, held_bounds};
use crate::geometry::plane::{Affine, Point, lower, scaled, sub};
use crate::piece::{CopyGroup, Piece, PieceKind};
use crate::primitives::curve::CurvePoint;
use crate::sample::{GroundBounds, GroundSample};
use talweg_ground::field::Stream;

/// Maximum number of copies of one array or scatter.
pub const MOST_COPIES: usize = 250_000;
/// Maximum number of noise variants among copies.
pub const MOST_VARIANTS: u32 = 16;

talweg_ground::choices! {
    /// Treatment of overlapping copies.
    Overlap {
        Blend "Blend": "Overlapping copies blend into each other, in any order.",
        Replace "Later ones on top": "Each copy replaces earlier ones, as craters do.",
    }
}

/// The parameters of copies that arrays and scatters share; [`params!`](talweg_ground::params) includes them as
/// `copy_params!();`.
macro_rules! copy_params {
    (@into $head:tt $done:tt [$($rest:tt)*]) => {
        talweg_ground::params! { @each $head $done [
            /// East-west position of the point in the features that is placed at each copy's position.
            pivot_x: f32 ["m"] = 4000.0, -1.0e6..=1.0e6, slider 0.0..=8000.0;
            /// North-south position of the point in the features that is placed at each copy's position.
            pivot_y: f32 ["m"] = 4000.0, -1.0e6..=1.0e6, slider 0.0..=8000.0;
            /// Rotation of every copy, from east to south; lines and rows rotate with it.
            turn_angle: f32 ["°"] = 0.0, -360.0..=360.0, slider -180.0..=180.0;
            /// Size factor of every copy, in all directions.
            scale: f32 = 1.0, 0.001..=1000.0, slider 0.1..=4.0;
            /// Maximum random rotation of a copy, to either side.
            turn_jitter: f32 ["°"] = 0.0, 0.0..=180.0;
            /// Maximum random size variation of a copy, as a fraction.
            scale_jitter: f32 = 0.0, 0.0..=0.95;
            /// Maximum random height variation of a copy, as a fraction, in addition to its size.
            height_jitter: f32 ["share"] = 0.0, 0.0..=1.0;
            /// Number of different noise variants among the copies; only features with noise, such as hills, differ.
            /// Each variant is computed once.
            variants: u32 = 1, 1..=16;
            /// Treatment of overlapping copies.
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
    /// Random variation of rotation in radians, of size and height as fractions.
    pub(crate) jitter: [f64; 3],
    pub(crate) variants: u32,
    pub(crate) overlap: Overlap,
    pub(crate) seed: u32,
}

/// Implements `style` for a parameter group that includes `copy_params!`.
macro_rules! copy_style {
    ($settings:ty) => {
        impl $settings {
            /// Settings of its copies.
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
pub struct CopyPlace {
    /// Position in metres.
    pub at: Point,
    /// Rotation in radians, from east to south.
    pub turn: f64,
    /// Size factor.
    pub scale: f64,
    /// Height offset in metres.
    pub raise: f64,
    /// Key of its random values: the same copy keeps it whatever surrounds it.
    pub id: [i32; 2],
}

impl CopyPlace {
    /// A copy that is not rotated, scaled or raised.
    pub fn plain(at: Point, id: [i32; 2]) -> Self {
        Self { at, turn: 0.0, scale: 1.0, raise: 0.0, id }
    }
}

/// A copy as maps of positions and heights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Copy {
    /// Map from the pieces' coordinates to the parent's.
    pub map: Affine,
    /// Factor of heights: z ↦ rise · z + lift.
    pub rise: f64,
    /// Offset of heights; see `rise`.
    pub lift: f64,
    /// Index of its noise variant.
    pub variant: u32,
}

impl CopyStyle {
    /// Copies at `places`, with random variation from `seed`.
    pub fn copies(&self, places: &[CopyPlace], seed: u32) -> Vec<Copy> {
        let random = Stream::new(seed, self.seed).fork(0xc0_0135);
        let streams = [0, 1, 2, 3].map(|salt| random.fork(salt));
        let copy = |place: &CopyPlace| {
            let [i, j] = place.id;
            let signed = |k: usize| f64::from(streams[k].signed(i, j)) * self.jitter[k];
            let turn = self.turn + place.turn + signed(0);
            // an angle of 0 must stay exact
            let (sin, cos) = if turn == 0.0 { (0.0, 1.0) } else { (libm::sin(turn), libm::cos(turn)) };
            let scale = self.scale * place.scale * (1.0 + signed(1));
            let rows = [[cos * scale, -sin * scale], [sin * scale, cos * scale]];
            let turned = Affine { rows, offset: [0.0; 2] }.apply(self.pivot);
            let map = Affine { rows, offset: sub(place.at, turned) };
            let variant = (streams[3].bits(i, j) >> 32) as u32 % self.variants.clamp(1, MOST_VARIANTS);
            Copy { map, rise: scale * (1.0 + signed(2)), lift: place.raise, variant }
        };
        places.iter().map(copy).collect()
    }
}

impl Piece {
    /// The copies of an array or a scatter, with random values from `seed`; `None` for other pieces.
    ///
    /// # Errors
    /// When there are too many copies, or the curve or outline has too few points.
    pub fn copies(&self, seed: u32) -> Option<Result<(Vec<Copy>, Overlap), String>> {
        let made = |style: CopyStyle, places: Result<Vec<CopyPlace>, String>| {
            places.map(|places| (style.copies(&places, seed), style.overlap))
        };
        match &self.form {
            PieceKind::Array(group) => Some(made(group.settings.style(), group.places())),
            PieceKind::Scatter(group) => Some(made(group.settings.style(), group.places(seed))),
            _ => None,
        }
    }

    /// The first of the [`copies`](Self::copies).
    pub fn first_copy(&self, seed: u32) -> Option<Copy> {
        self.copies(seed)?.ok()?.0.first().copied()
    }
}

impl<S> CopyGroup<S> {
    /// Positions of its points, in metres.
    pub(crate) fn corners(&self) -> Vec<Point> {
        self.points.iter().map(|CurvePoint { at: (x, y), .. }| [f64::from(*x), f64::from(*y)]).collect()
    }
}

/// The error message for too many copies.
pub(crate) fn too_many() -> String {
    format!("it would have more than {MOST_COPIES} copies; space them farther apart")
}

/// Height and weight of `b` over `a`. Each argument is a height and a weight; the weight of `b` must be above 0.
#[inline]
pub fn heights(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    let w = lower(b.1, 1.0);
    let left = (1.0 - w) * lower(a.1, 1.0);
    if left <= 0.0 { (b.0, w) } else { ((w * b.0 + left * a.0) / (w + left), w + left) }
}

/// `b` over `a`.
#[inline]
pub fn sample(a: &GroundSample, b: &GroundSample) -> GroundSample {
    if b.weight <= 0.0 {
        return *a;
    }
    let ((w, dw), (under, dunder)) = (held(b), held(a));
    let (height, weight) = heights((a.height, a.weight), (b.height, b.weight));
    let mut sum = BlendSum::default();
    sum.add(&GroundSample { weight: w, fade: dw, ..*b }, 1.0);
    let fade = sub(scaled(dunder, 1.0 - w), scaled(dw, under));
    sum.add(&GroundSample { weight: (1.0 - w) * under, fade, ..*a }, 1.0);
    GroundSample { height, weight, ..sum.sample() }
}

/// Bounds of `b` over `a`.
pub fn bounds(a: &GroundBounds, b: &GroundBounds) -> GroundBounds {
    if b.is_nothing() {
        return *a;
    }
    let ((w, dw, laid), (under, dunder, laid_under)) = (held_bounds(b), held_bounds(a));
    let over = GroundBounds { weight: w, fade: dw, laid, ..*b };
    let left = crate::geometry::plane::Interval::new((1.0 - w.high) * under.low, (1.0 - w.low) * under.high);
    let fade = (1.0 - w.low) * dunder + dw * under.high;
    let below = GroundBounds { weight: left, fade, laid: (1.0 - w.low) * laid_under, ..*a };
    let both = blend::bounds(&[over, below]);
    // the weight is 1 - (1 - α_A)(1 - α_B): never above 1, never below α_B
    let weight = both
        .weight
        .intersection(crate::geometry::plane::Interval::new(crate::geometry::plane::higher(w.low, 0.0), 1.0));
    let fade = (1.0 - w.low) * dunder + (1.0 - under.low) * dw;
    GroundBounds { weight, fade: lower(both.fade, fade), ..both }
}
