//! The blend operator: adjacent pieces blend into each other where they overlap.
//!
//! Formula: f = Σ αᵢ fᵢ / Σ αᵢ and α = Σ αᵢ, summed over any number of pieces i, in any order.
//! Gradient: ∇f = Σ (αᵢ ∇fᵢ + (fᵢ - f) ∇αᵢ) / Σ αᵢ.
//! Lipschitz: |∇f| ≤ max λ_f + Σ λ_α |fᵢ - f| / Σ αᵢ, where λ_f and λ_α bound |∇fᵢ| and |∇αᵢ|. The annex of the paper
//! omits the division by Σ αᵢ, which is correct only if the weights sum to 1. Where all weights vanish, |∇f| has no
//! bound. A bound of the weighted gradient is therefore kept too: α|∇f| ≤ Σ α|∇fᵢ| + Σ λ_α |fᵢ - f|
//! ([`GroundBounds::weighted_slope`]).
//! Source: Génevaux et al. 2014, §5.1, fig. 10 and 11, and annex.

use crate::compiled_program::{Builder, NodeFrame, NodeOperator, NodeView, PieceSite, ProgramNode};
use crate::geometry::plane::{Area, Capsule, Interval, Point, higher, lower, scaled};
use crate::gpu_buffer::{Encoder, op};
use crate::materials::shares::MaterialFractions;
use crate::piece::{OperatorGroup, PieceForm, piece_form};
use crate::row_samples::{LANES, PointRow, RowSamples};
use crate::sample::{Detail, GroundBounds, GroundSample};

talweg_ground::params! {
    /// Blends features into each other where they overlap; their order does not matter.
    BlendSettings "Blend" in "Operator", from "Génevaux et al. 2014, fig. 10", also "group union merge mix" {}
}

impl PieceForm for OperatorGroup<BlendSettings> {
    piece_form!("blend", settings, children);

    fn compile(&self, site: &PieceSite, builder: &mut Builder) -> Option<u32> {
        builder.blend(site, site.frame)
    }
}

/// The prepared blend operator.
#[derive(Debug)]
pub(crate) struct BlendOperator;

impl NodeOperator for BlendOperator {
    fn sample<const G: bool>(&self, view: NodeView, p: Point, detail: &Detail) -> GroundSample {
        view.sum::<G>(p, detail)
    }

    fn weight(&self, view: NodeView, p: Point, detail: &Detail) -> f64 {
        view.sum_weight(p, detail)
    }

    fn bounds(&self, view: NodeView, capsule: &Capsule, detail: &Detail) -> GroundBounds {
        view.sum_bounds(capsule, detail)
    }

    fn row(&self, view: NodeView, row: PointRow, detail: &Detail, out: &mut RowSamples) {
        view.sum_row(row, detail, out);
    }

    fn materials(&self, view: NodeView, p: Point, detail: &Detail) -> MaterialFractions {
        view.sum_materials(p, detail)
    }

    fn encode(&self, node: &ProgramNode, around: &NodeFrame, out: &mut Encoder) {
        let start = out.open(op::BLEND, node, around);
        out.grouped(node, around);
        out.give(start);
    }

    fn searched(&self, children: &[Area]) -> Vec<Area> {
        children.to_vec()
    }

    fn is_ordered(&self) -> bool {
        false
    }
}

/// Weighted sums of a blend.
#[derive(Clone, Copy, Debug, Default)]
pub struct BlendSum {
    /// The sum Σ α; `moment` is the sum Σ α f.
    weight: f64,
    moment: f64,
    /// The sum Σ ∇α; `slope` is the sum Σ α ∇f, and `lift` the sum Σ f ∇α.
    fade: Point,
    slope: Point,
    lift: Point,
    count: u32,
    only: GroundSample,
}

impl BlendSum {
    /// Adds the sample of a piece to the sums. The weight of the sample is multiplied by `share`.
    #[inline]
    pub fn add(&mut self, piece: &GroundSample, share: f64) {
        let weight = piece.weight * share;
        if weight <= 0.0 {
            return;
        }
        if self.count == 0 {
            self.only = GroundSample { weight, weight_gradient: scaled(piece.weight_gradient, share), ..*piece };
        }
        self.count += 1;
        self.weight += weight;
        self.moment += weight * piece.height;
        for k in 0..2 {
            let fade = piece.weight_gradient[k] * share;
            self.fade[k] += fade;
            self.slope[k] += weight * piece.slope[k];
            self.lift[k] += fade * piece.height;
        }
    }

    /// The blend of the samples added so far; a single sample is returned unchanged.
    #[inline]
    pub fn sample(&self) -> GroundSample {
        if self.count < 2 {
            return self.only;
        }
        let per_weight = 1.0 / self.weight;
        let height = self.moment * per_weight;
        let slope = [0, 1].map(|k| (self.slope[k] + self.lift[k] - height * self.fade[k]) * per_weight);
        GroundSample { height, weight: self.weight, slope, weight_gradient: self.fade }
    }
}

/// Weighted sums of a blend, one for each point of a row.
pub(crate) struct BlendSumRow {
    weight: [f64; LANES],
    moment: [f64; LANES],
    count: [u32; LANES],
    only: RowSamples,
}

impl BlendSumRow {
    pub const NOTHING: Self =
        Self { weight: [0.0; LANES], moment: [0.0; LANES], count: [0; LANES], only: RowSamples::NOTHING };

    /// Adds `samples` at the points `from..to` of the row, with their weights multiplied by the fraction `share`.
    pub fn add(&mut self, samples: &RowSamples, share: f64, (from, to): (usize, usize)) {
        let part = from..to;
        let only = (&mut self.only.height[part.clone()], &mut self.only.weight[part.clone()]);
        let sums = (&mut self.weight[part.clone()], &mut self.moment[part.clone()], &mut self.count[part]);
        add_samples((&samples.height[..to - from], &samples.weight[..to - from]), share, sums, only);
    }

    /// Adds the samples of a child along a row, with its weights multiplied by the fraction `share`.
    pub fn add_child(&mut self, view: NodeView, (child, share): (u32, f64), row: PointRow, detail: &Detail) {
        let mut samples = RowSamples::NOTHING;
        if let Some(span) = view.part_row(child, row, detail, &mut samples) {
            self.add(&samples, share, span);
        }
    }

    /// The blend of the samples added so far, at the first `n` points of the row.
    pub fn sample(&self, n: usize, out: &mut RowSamples) {
        mean_samples(self, &mut out.height[..n], &mut out.weight[..n]);
    }
}

/// Adds heights and weights to the sums Σ α, the moments Σ α f and the counts of samples with weight. Also stores the
/// first sample that has weight: a point with only one such sample returns this sample unchanged.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn add_samples(
    (height, weight): (&[f64], &[f64]),
    share: f64,
    (sum, moment, count): (&mut [f64], &mut [f64], &mut [u32]),
    (only_height, only_weight): (&mut [f64], &mut [f64]),
) {
    let only = only_height.iter_mut().zip(only_weight);
    let sums = sum.iter_mut().zip(moment).zip(count);
    for (((&height, &weight), (only_height, only_weight)), ((sum, moment), count)) in
        height.iter().zip(weight).zip(only).zip(sums)
    {
        let w = weight * share;
        let there = w > 0.0;
        let first = there & (*count == 0);
        *only_height = if first { height } else { *only_height };
        *only_weight = if first { w } else { *only_weight };
        *count += u32::from(there);
        *sum += if there { w } else { 0.0 };
        *moment += if there { w * height } else { 0.0 };
    }
}

/// Height and weight of the blend at each point of a row. If only one sample has weight at a point, this sample is
/// returned unchanged.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn mean_samples(sums: &BlendSumRow, heights: &mut [f64], weights: &mut [f64]) {
    let only = sums.only.height.iter().zip(&sums.only.weight);
    let sums = sums.weight.iter().zip(&sums.moment).zip(&sums.count);
    for (((height, weight), (&only_height, &only_weight)), ((&sum, &moment), &count)) in
        heights.iter_mut().zip(weights).zip(only).zip(sums)
    {
        let mean = moment * (1.0 / sum);
        *height = if count > 1 { mean } else { only_height };
        *weight = if count > 1 { sum } else { only_weight };
    }
}

/// The two smallest numbers of a set. They suffice to find the minimum of the set without any one of its numbers.
struct TwoLeast(f64, f64);

impl TwoLeast {
    fn new(values: impl Iterator<Item = f64>) -> Self {
        values.fold(Self(f64::INFINITY, f64::INFINITY), |Self(first, second), v| {
            if v < first { Self(v, first) } else { Self(first, lower(second, v)) }
        })
    }

    /// The minimum of the set after one number equal to `value` is removed.
    fn min_without(&self, value: f64) -> f64 {
        if value == self.0 { self.1 } else { self.0 }
    }
}

/// Bounds of a blend of pieces.
pub fn bounds(pieces: &[GroundBounds]) -> GroundBounds {
    let mut there = pieces.iter().filter(|piece| !piece.is_nothing());
    let (Some(first), second) = (there.next(), there.next()) else { return GroundBounds::NOTHING };
    if second.is_none() {
        return *first;
    }
    let there = || pieces.iter().filter(|piece| !piece.is_nothing());
    let mut sum = GroundBounds {
        height: Interval::EMPTY,
        weight: Interval::one(0.0),
        slope: 0.0,
        weight_gradient: 0.0,
        weighted_slope: 0.0,
    };
    for piece in there() {
        sum.height = sum.height.union(piece.height);
        sum.weight = sum.weight.plus(piece.weight);
        sum.slope = higher(sum.slope, piece.slope);
        sum.weight_gradient += piece.weight_gradient;
        sum.weighted_slope += piece.weighted_slope;
    }
    let (lows, highs) = (TwoLeast::new(there().map(|p| p.height.low)), TwoLeast::new(there().map(|p| -p.height.high)));
    let lift = there().fold(0.0, |lift, piece| {
        // f is between the height of this piece and the heights of the others; the larger the weight of this piece, the
        // closer f is to its height
        let others = Interval::new(lows.min_without(piece.height.low), -highs.min_without(-piece.height.high));
        let spread = piece.height.spread(&others);
        let most = sum.weight.high - piece.weight.high + piece.weight.low;
        let share = if most > 0.0 { 1.0 - piece.weight.low / most } else { 1.0 };
        lift + piece.weight_gradient * spread * higher(share, 0.0)
    });
    let mean = lower(sum.slope, sum.weighted_slope / sum.weight.low);
    let slope = mean + lift / sum.weight.low;
    let slope = if slope.is_nan() { f64::INFINITY } else { slope * (1.0 + 1e-9) };
    let laid = lower((sum.weighted_slope + lift) * (1.0 + 1e-9), slope * sum.weight.high);
    GroundBounds { slope, weighted_slope: laid, height: sum.height.widened_for_rounding(), ..sum }
}
