//! Copies: pieces that an [array](super::array) or a [scatter](super::scatter) repeats. The pieces are made ready once
//! (once for each variant of their hills); a copy is a map and a box.
//!
//! Law: copy k takes p to placeₖ + turn · scale · (p - pivot) and z to scale · heightₖ · z + raiseₖ. Copies that meet
//! are blended, or the later one lies on the earlier ones: f = (α_B f_B + (1 - α_B) α_A f_A) / α with α = α_B + (1 -
//! α_B) α_A, a weight above 1 counting as 1. That is Porter & Duff's *over*: on any ground below, one copy after the
//! other replaces it.
//! Gradient and Lipschitz: those of a blend of B by α_B with A by (1 - α_B) α_A.
//! Source: Génevaux et al. 2014, §5.4 (instances); Porter & Duff 1984 (over).

use super::blend::{self, BlendSum};
use super::replace::{held, held_bounds};
use crate::geometry::plane::{Affine, Point, lower, scaled, sub};
use crate::piece::{CopyGroup, Piece, PieceKind};
use crate::primitives::curve::CurvePoint;
use crate::sample::{GroundBounds, GroundSample};
use talweg_ground::field::Stream;

/// Copies of one array or scatter at the most.
pub const MOST_COPIES: usize = 250_000;
/// Sets of hills that copies show at the most.
pub const MOST_VARIANTS: u32 = 16;

talweg_ground::choices! {
    /// What happens where copies meet.
    Overlap {
        Blend "Blend": "They go over into each other, in any order.",
        Replace "Later ones on top": "Each takes the place of those before it, as craters do.",
    }
}

/// What arrays and scatters say of their copies; [`params!`](talweg_ground::params) takes it in as `copy_params!();`.
macro_rules! copy_params {
    (@into $head:tt $done:tt [$($rest:tt)*]) => {
        talweg_ground::params! { @each $head $done [
            /// East-west place of the features that comes to lie where a copy is put.
            pivot_x: f32 ["m"] = 4000.0, -1.0e6..=1.0e6, slider 0.0..=8000.0;
            /// North-south place of the features that comes to lie where a copy is put.
            pivot_y: f32 ["m"] = 4000.0, -1.0e6..=1.0e6, slider 0.0..=8000.0;
            /// By how much every copy is turned, from east to south; lines and rows turn with them.
            turn_angle: f32 ["°"] = 0.0, -360.0..=360.0, slider -180.0..=180.0;
            /// How many times as large every copy is, in every direction.
            scale: f32 = 1.0, 0.001..=1000.0, slider 0.1..=4.0;
            /// By how much more or less single copies are turned at the most, at random.
            turn_jitter: f32 ["°"] = 0.0, 0.0..=180.0;
            /// By what share single copies are larger or smaller at the most, at random.
            scale_jitter: f32 = 0.0, 0.0..=0.95;
            /// By what share single copies are higher or lower at the most, at random, beside their size.
            height_jitter: f32 ["share"] = 0.0, 0.0..=1.0;
            /// How many kinds of hills the copies show: those of features that have noise differ from one kind to the
            /// next. Each kind is made ready once.
            variants: u32 = 1, 1..=16;
            /// What happens where copies meet.
            overlap: $crate::operators::copies::Overlap = $crate::operators::copies::Overlap::Blend;
            /// Chooses everything that is random.
            seed: u32 = 1, 0..=1_000_000, slider 0..=100;
            $($rest)*
        ] }
    };
}
pub(super) use copy_params;

/// What arrays and scatters say of their copies.
pub struct CopyStyle {
    pub(crate) pivot: Point,
    /// Radians.
    pub(crate) turn: f64,
    pub(crate) scale: f64,
    /// Of turns in radians, of sizes and heights as shares.
    pub(crate) jitter: [f64; 3],
    pub(crate) variants: u32,
    pub(crate) overlap: Overlap,
    pub(crate) seed: u32,
}

/// Writes down how a group of parameters with `copy_params!` says it.
macro_rules! copy_style {
    ($settings:ty) => {
        impl $settings {
            /// What is said of every copy.
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

/// Where a copy is put.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CopyPlace {
    /// In metres.
    pub at: Point,
    /// By how much it is turned there, in radians from east to south.
    pub turn: f64,
    /// How many times as large it is there.
    pub scale: f64,
    /// Metres by which it is raised.
    pub raise: f64,
    /// What its random values go by: the same for the same copy, whatever is around it.
    pub id: [i32; 2],
}

impl CopyPlace {
    /// Neither turned, scaled nor raised.
    pub fn plain(at: Point, id: [i32; 2]) -> Self {
        Self { at, turn: 0.0, scale: 1.0, raise: 0.0, id }
    }
}

/// A copy of the pieces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Copy {
    /// From places of the pieces to those around.
    pub map: Affine,
    /// z ↦ rise · z + lift.
    pub rise: f64,
    /// See `rise`.
    pub lift: f64,
    /// Which set of hills it shows.
    pub variant: u32,
}

impl CopyStyle {
    /// Copies at these places, with the random values of `seed`.
    pub fn copies(&self, places: &[CopyPlace], seed: u32) -> Vec<Copy> {
        let random = Stream::new(seed, self.seed).fork(0xc0_0135);
        let streams = [0, 1, 2, 3].map(|salt| random.fork(salt));
        let copy = |place: &CopyPlace| {
            let [i, j] = place.id;
            let signed = |k: usize| f64::from(streams[k].signed(i, j)) * self.jitter[k];
            let turn = self.turn + place.turn + signed(0);
            // quarter turns of nothing stay exact
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
    /// The copies that an array or a scatter makes, with the random values of `seed`; `None` of other pieces.
    ///
    /// # Errors
    /// When they are too many, or where they lie is not said.
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

    /// The first of its [`copies`](Self::copies).
    pub fn first_copy(&self, seed: u32) -> Option<Copy> {
        self.copies(seed)?.ok()?.0.first().copied()
    }
}

impl<S> CopyGroup<S> {
    /// The points in the plane.
    pub(crate) fn corners(&self) -> Vec<Point> {
        self.points.iter().map(|CurvePoint { at: (x, y), .. }| [f64::from(*x), f64::from(*y)]).collect()
    }
}

/// The sentence for copies that are too many.
pub(crate) fn too_many() -> String {
    format!("its copies would be more than {MOST_COPIES}; put them farther apart")
}

/// Height and weight of `b` on `a`, each a height and a weight; that of `b` is above 0.
#[inline]
pub fn heights(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    let w = lower(b.1, 1.0);
    let left = (1.0 - w) * lower(a.1, 1.0);
    if left <= 0.0 { (b.0, w) } else { ((w * b.0 + left * a.0) / (w + left), w + left) }
}

/// `b` on `a`.
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

/// Bounds of `b` on `a`.
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
    // 1 - (1 - α_A)(1 - α_B): never above 1, never below either
    let weight = both
        .weight
        .intersection(crate::geometry::plane::Interval::new(crate::geometry::plane::higher(w.low, 0.0), 1.0));
    let fade = (1.0 - w.low) * dunder + (1.0 - under.low) * dw;
    GroundBounds { weight, fade: lower(both.fade, fade), ..both }
}
