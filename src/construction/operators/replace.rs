//! The replace operator: a piece B replaces the ground A below.
//!
//! Formula: f = (1 - α_B) f_A + α_B f_B. The weight α is α_A, or (1 - α_B) α_A + α_B² if B extends the terrain. A
//! weight α_B above 1 counts as 1. A [ground window](super::ground_window) reduces α_B to α_B H S, depending on the
//! height and the slope of A. With the second formula for α, 1 - α_B is multiplied by σ = α_A/½ where A is not terrain
//! (α_A < ½), so that f approaches f_B. The paper does not define f_A where A is not terrain. If f followed the
//! formula up to the edge of A, it would jump there from (1 - α_B) f_A + α_B f_B to f_B. With the first formula for α,
//! f is exact wherever there is ground.
//! Lipschitz: λ ≤ (1 - α_B) λ_A + α_B λ_B + λ_αB |f_B - f_A|, where λ_A, λ_B and λ_αB bound |∇f_A|, |∇f_B| and |∇α_B|.
//! Source: Génevaux et al. 2014, §5.2 and fig. 12.

use super::ground_window::{GroundWindow, ground_window, window_params};
use crate::compiled_program::{Builder, NodeFrame, NodeOperator, NodeView, Operator, PieceSite, ProgramNode};
use crate::geometry::plane::{Area, Capsule, Interval, Point, higher, lower, scaled};
use crate::gpu_buffer::{Encoder, op};
use crate::materials::shares::{CoveredGround, MaterialFractions};
use crate::piece::{OperatorGroup, PieceForm, piece_form};
use crate::row_samples::{LANES, PointRow, RowSamples};
use crate::sample::{Detail, GroundBounds, GroundSample, THRESHOLD};

talweg_ground::choices! {
    /// Area in which the result is terrain: the area of the ground below, optionally with the area of the new feature.
    Extent {
        Below "As below": "There is terrain only where there was terrain before.",
        Both "With the new feature": "Terrain also appears where there is only the new feature. The ground below has no height outside its own area, so its height counts less where its weight is below one half.",
    }
}

talweg_ground::params! {
    /// Each feature replaces the ground made by earlier features: a lake, a road, one crater over another.
    ReplaceSettings "Replace" in "Operator", from "Génevaux et al. 2014, fig. 12", also "carve cut sculpt over" {
        /// Area in which the result is terrain: the area of the ground below, optionally with the area of the new
        /// feature.
        extent: Extent = Extent::Below;
        window_params!();
    }
}

/// The prepared replace operator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Replacement {
    /// Area in which the result is terrain: the area of the ground below, optionally with the area of the new feature.
    pub extent: Extent,
    /// The ground window that limits where the ground is replaced.
    pub window: GroundWindow,
}

impl PieceForm for OperatorGroup<ReplaceSettings> {
    piece_form!("replace", settings, children);

    fn compile(&self, site: &PieceSite, builder: &mut Builder) -> Option<u32> {
        let children = builder.children(site, site.frame, site.frame);
        let window = ground_window!(self.settings, &site.frame);
        builder.group(Operator::Replace(Replacement { extent: self.settings.extent, window }), children)
    }
}

impl NodeOperator for Replacement {
    fn sample<const G: bool>(&self, view: NodeView, p: Point, detail: &Detail) -> GroundSample {
        let ground = view.ground::<G>(p, detail);
        let (mut below, mut share) = (ground, None);
        view.each(
            1,
            |area| area.contains(p),
            |child| {
                let mut above = view.child::<G>(child, p, detail);
                if above.weight > 0.0 && !self.window.is_open() {
                    let share = *share.get_or_insert_with(|| self.window.fraction_at::<G>(view, p, detail, &ground));
                    above = GroundWindow::scaled_weight(&above, share);
                }
                below = sample(&below, &above, self.extent);
            },
        );
        below
    }

    fn weight(&self, view: NodeView, p: Point, detail: &Detail) -> f64 {
        match self.extent {
            Extent::Below => view.ground_weight(p, detail),
            Extent::Both => self.sample::<false>(view, p, detail).weight,
        }
    }

    fn bounds(&self, view: NodeView, capsule: &Capsule, detail: &Detail) -> GroundBounds {
        let mut below = view.ground_bound(capsule, detail);
        let around = capsule.area_of();
        let mut share = None;
        view.each(
            1,
            |area| area.meets(&around),
            |child| {
                let mut above = view.child_view(child).bounds(capsule, detail);
                if !self.window.is_open() && !above.is_nothing() {
                    let share = *share.get_or_insert_with(|| self.window.fraction_bounds(view, capsule, detail));
                    above = GroundWindow::scaled_weight_bounds(&above, share);
                }
                below = bounds(&below, &above, self.extent);
            },
        );
        below
    }

    fn row(&self, view: NodeView, row: PointRow, detail: &Detail, out: &mut RowSamples) {
        view.ground_row(row, detail, out);
        let ground = (!self.window.is_open()).then_some(*out);
        let mut shares: Option<[f64; LANES]> = None;
        for &child in view.children().iter().skip(1) {
            let mut above = RowSamples::NOTHING;
            let Some(span) = view.part_row(child, row, detail, &mut above) else { continue };
            if let Some(ground) = &ground
                && above.span(span.1 - span.0).is_some()
            {
                let shares = shares.get_or_insert_with(|| self.window.fraction_row(view, row, detail, ground));
                for (weight, share) in above.weight.iter_mut().zip(&shares[span.0..span.1]) {
                    *weight = lower(*weight, 1.0) * share;
                }
            }
            for k in span.0..span.1 {
                let (height, weight) = (above.height[k - span.0], above.weight[k - span.0]);
                if weight > 0.0 {
                    (out.height[k], out.weight[k]) =
                        heights((out.height[k], out.weight[k]), (height, weight), self.extent);
                }
            }
        }
    }

    fn materials(&self, view: NodeView, p: Point, detail: &Detail) -> MaterialFractions {
        let mut covered = CoveredGround::new(view, p, detail);
        let mut ground = if self.extent == Extent::Both { view.ground_weight(p, detail) } else { 0.0 };
        let mut acting = None;
        for &child in view.children().iter().skip(1) {
            let weight = lower(view.child_weight(child, p, detail), 1.0);
            if weight <= 0.0 {
                continue;
            }
            let weight = weight * *acting.get_or_insert_with(|| self.window.fraction(view, p, detail));
            if weight <= 0.0 {
                continue;
            }
            let mut w = weight;
            if self.extent == Extent::Both {
                let left = (1.0 - weight) * lower(ground / THRESHOLD, 1.0);
                w = weight / (left + weight);
                ground = (1.0 - weight) * ground + weight * weight;
            }
            covered.cover(child, w);
        }
        covered.shares()
    }

    fn encode(&self, node: &ProgramNode, around: &NodeFrame, out: &mut Encoder) {
        let start = out.open(op::REPLACE, node, around);
        out.code.word(self.extent as u32);
        let probe = self.window.encode(node, around, out);
        out.ground(probe, |out| out.step(node.children[0], around));
        out.in_runs(node, around, 1..node.children.len());
        out.give(start);
    }

    fn area(&self, children: &[Area]) -> Area {
        self.extent.area(children)
    }

    fn searched(&self, children: &[Area]) -> Vec<Area> {
        // the ground (the first child) is evaluated everywhere, so its bounding box is never tested
        children.to_vec()
    }

    fn sight(&self) -> f64 {
        self.window.sight()
    }
}

impl Extent {
    /// Bounding box of the area where the result has weight, from the boxes of the ground and of the later pieces.
    pub(crate) fn area(self, children: &[Area]) -> Area {
        match self {
            Self::Below => children[0],
            Self::Both => children.iter().copied().fold(Area::EMPTY, Area::union),
        }
    }
}

/// The 32-bit words for the graphics card store extents as these numbers; the number 2 stands for copies that cover
/// each other.
const _: () = assert!(Extent::Below as u32 == 0 && Extent::Both as u32 == 1);

/// The weight of `b` capped at 1, and the gradient of the capped weight.
pub fn capped_weight(b: &GroundSample) -> (f64, Point) {
    if b.weight < 1.0 { (b.weight, b.weight_gradient) } else { (1.0, [0.0; 2]) }
}

/// Bounds of min(1, α), of the gradient of min(1, α), and of min(1, α)|∇f|.
pub fn capped_weight_bounds(b: &GroundBounds) -> (Interval, f64, f64) {
    let weight = Interval::new(lower(b.weight.low, 1.0), lower(b.weight.high, 1.0));
    let fade = if b.weight.low >= 1.0 { 0.0 } else { b.weight_gradient };
    (weight, fade, lower(b.weighted_slope, product(b.slope, weight.high)))
}

/// The product of two bounds; 0 times infinity counts as 0.
fn product(bound: f64, by: f64) -> f64 {
    if by == 0.0 { 0.0 } else { bound * by }
}

/// Height and weight where the piece `b` replaces the ground `a`. Each argument is a height and a weight; the weight of
/// `b` must be above 0.
#[inline]
pub fn heights(a: (f64, f64), b: (f64, f64), extent: Extent) -> (f64, f64) {
    let w = if b.1 < 1.0 { b.1 } else { 1.0 };
    if extent == Extent::Below {
        return (a.0 + w * (b.0 - a.0), a.1);
    }
    let sigma = if a.1 < THRESHOLD { a.1 / THRESHOLD } else { 1.0 };
    let left = (1.0 - w) * sigma;
    ((left * a.0 + w * b.0) / (left + w), (1.0 - w) * a.1 + w * w)
}

/// The sample where the piece `b` replaces the ground `a`.
#[inline]
pub fn sample(a: &GroundSample, b: &GroundSample, extent: Extent) -> GroundSample {
    if b.weight <= 0.0 {
        return *a;
    }
    let (w, dw) = capped_weight(b);
    let (height, weight) = heights((a.height, a.weight), (b.height, b.weight), extent);
    if extent == Extent::Below {
        let step = b.height - a.height;
        let slope = [0, 1].map(|k| a.slope[k] + w * (b.slope[k] - a.slope[k]) + dw[k] * step);
        return GroundSample { height, slope, ..*a };
    }
    let (sigma, dsigma) = presence(a);
    let (left, norm) = ((1.0 - w) * sigma, (1.0 - w) * sigma + w);
    let slope = [0, 1].map(|k| {
        let dleft = (1.0 - w) * dsigma[k] - dw[k] * sigma;
        (left * a.slope[k] + dleft * (a.height - height) + w * b.slope[k] + dw[k] * (b.height - height)) / norm
    });
    let fade = [0, 1].map(|k| (1.0 - w) * a.weight_gradient[k] + dw[k] * (2.0 * w - a.weight));
    GroundSample { height, weight, slope, weight_gradient: fade }
}

/// The factor σ = α/½, at most 1, which says how close the ground `a` is to being terrain; and its gradient ∇σ.
pub fn presence(a: &GroundSample) -> (f64, Point) {
    if a.weight < THRESHOLD {
        (a.weight / THRESHOLD, scaled(a.weight_gradient, 1.0 / THRESHOLD))
    } else {
        (1.0, [0.0; 2])
    }
}

/// Bounds of σ, of |∇σ| and of σ|∇f|.
pub fn presence_bounds(a: &GroundBounds) -> (Interval, f64, f64) {
    let sigma = Interval::new(lower(a.weight.low / THRESHOLD, 1.0), lower(a.weight.high / THRESHOLD, 1.0));
    let fade = if a.weight.low >= THRESHOLD { 0.0 } else { a.weight_gradient / THRESHOLD };
    (sigma, fade, lower(product(a.slope, sigma.high), a.weighted_slope / THRESHOLD))
}

/// Bounds of the ground where the piece `b` replaces the ground `a`.
pub fn bounds(a: &GroundBounds, b: &GroundBounds, extent: Extent) -> GroundBounds {
    if b.is_nothing() {
        return *a;
    }
    let (w, dw, laid_b) = capped_weight_bounds(b);
    let step = a.height.spread(&b.height);
    let height = if w.low >= 1.0 { b.height } else { a.height.union(b.height) }.widened_for_rounding();
    if extent == Extent::Below {
        if a.is_nothing() {
            return *a;
        }
        let mean = lower(product(a.slope, 1.0 - w.low) + laid_b, higher(a.slope, b.slope));
        let slope = (mean + dw * step) * (1.0 + 1e-9);
        let under = (1.0 - w.low) * a.weighted_slope + a.weight.high * (laid_b + dw * step);
        let laid = lower(under * (1.0 + 1e-9), slope * a.weight.high);
        return GroundBounds { height, slope, weighted_slope: laid, ..*a };
    }
    let (sigma, dsigma, laid_a) = presence_bounds(a);
    let dleft = (1.0 - w.low) * dsigma + dw * sigma.high;
    let most = (1.0 - w.low) * laid_a + laid_b + (dleft + dw) * step;
    // the normalising sum σ (1 - w) + w is smallest where σ and w are smallest
    let least = higher(sigma.low + (1.0 - sigma.low) * w.low, 0.0);
    let slope = if least > 0.0 { most / least * (1.0 + 1e-9) } else { f64::INFINITY };
    let weight = Interval::new(
        higher((1.0 - w.high) * a.weight.low, 0.0) + w.low * w.low,
        (1.0 - w.low) * a.weight.high + w.high * w.high,
    );
    let turn = higher((2.0 * w.high - a.weight.low).abs(), (2.0 * w.low - a.weight.high).abs());
    // the weight α is at most max(1, α_A) times the normalising sum
    let laid = lower(most * higher(1.0, a.weight.high) * (1.0 + 1e-9), slope * weight.high);
    GroundBounds {
        height,
        weight,
        slope,
        weight_gradient: (1.0 - w.low) * a.weight_gradient + dw * turn,
        weighted_slope: laid,
    }
}
