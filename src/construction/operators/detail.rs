//! The level-of-detail operator: shows a simple piece A at a distance and a detailed piece B close up.
//!
//! Formula: f = (1 - t) f_A + t f_B and α = (1 - t) α_A + t α_B with t = 1 - (k_B - κ)/(k_B - k_A), clamped to [0, 1].
//! Here κ is the level of detail, and k_A to k_B is the range of the transition. At t = 0 only A is visible, at t = 1
//! only B. The paper does not define f where a piece is not terrain (α < ½). There, the share of this piece is
//! multiplied by σ = α/½: f = ((1 - t) σ_A f_A + t σ_B f_B) / ((1 - t) σ_A + t σ_B). Where both pieces are terrain,
//! this is the formula of the paper.
//! Source: Génevaux et al. 2014, §6 and fig. 16.

use super::blend::{self, BlendSum, BlendSumRow};
use super::replace::{presence, presence_bounds};
use crate::compiled_program::{Builder, NodeFrame, NodeOperator, NodeView, Operator, PieceSite, ProgramNode};
use crate::geometry::plane::{Capsule, Interval, Point, add, higher, lower, scaled};
use crate::gpu_buffer::{Encoder, op, rounded_outward};
use crate::materials::shares::{MaterialBlend, MaterialFractions};
use crate::piece::{OperatorGroup, PieceForm, piece_form};
use crate::row_samples::{LANES, PointRow, RowSamples};
use crate::sample::{Detail, GroundBounds, GroundSample, THRESHOLD};

talweg_ground::params! {
    /// Shows the first feature at a distance and the last one close up, with a smooth transition between them.
    DetailSettings "Level of detail" in "Operator", from "Génevaux et al. 2014, fig. 16", also "lod switch fade distance near far" {
        /// Level of detail up to which only the first feature is visible; 0 is far away, 1 is close up. It must be
        /// lower than the other level.
        from: f32 = 0.3, 0.0..=1.0;
        /// Level of detail from which only the last feature is visible.
        to: f32 = 0.7, 0.0..=1.0;
    }
}

impl DetailSettings {
    /// Fraction of the last piece at the level of detail `level`, from 0 to 1.
    pub fn fraction_at(&self, level: f64) -> f64 {
        let (from, to) = (f64::from(self.from), f64::from(self.to));
        if level <= from {
            0.0
        } else if level >= to {
            1.0
        } else {
            1.0 - (to - level) / (to - from)
        }
    }

    /// The bounds of a child with its weight capped to σ, for the fractions `share` of the child.
    fn present(own: &GroundBounds, share: Interval) -> GroundBounds {
        let (sigma, dsigma, laid) = presence_bounds(own);
        GroundBounds {
            weight: sigma.product(share),
            weight_gradient: dsigma * share.high,
            weighted_slope: laid * share.high,
            ..*own
        }
    }

    /// The first and the last child with their fractions. Children between the first and the last are never visible.
    fn ends(&self, node: &ProgramNode, detail: &Detail) -> [(u32, f64); 2] {
        let (share, last) = (self.fraction_at(detail.level), node.children.len() - 1);
        [(node.children[0], 1.0 - share), (node.children[last], share)]
    }
}

impl PieceForm for OperatorGroup<DetailSettings> {
    piece_form!("level of detail", settings, children);

    fn compile(&self, site: &PieceSite, builder: &mut Builder) -> Option<u32> {
        let children = builder.children(site, site.frame, site.frame);
        builder.group(Operator::Detail(self.settings.clone()), children)
    }
}

impl NodeOperator for DetailSettings {
    fn sample<const G: bool>(&self, view: NodeView, p: Point, detail: &Detail) -> GroundSample {
        let mut sum = BlendSum::default();
        let (mut weight, mut fade) = (0.0, [0.0; 2]);
        for (child, share) in self.ends(view.node, detail) {
            if share > 0.0 {
                let own = view.child::<G>(child, p, detail);
                weight += own.weight * share;
                fade = add(fade, scaled(own.weight_gradient, share));
                let (sigma, dsigma) = presence(&own);
                sum.add(&GroundSample { weight: sigma, weight_gradient: dsigma, ..own }, share);
            }
        }
        GroundSample { weight, weight_gradient: fade, ..sum.sample() }
    }

    fn bounds(&self, view: NodeView, capsule: &Capsule, detail: &Detail) -> GroundBounds {
        let all = Interval::new(0.0, 1.0);
        let ends = self
            .ends(view.node, detail)
            .map(|(child, share)| (child, if detail.is_every_level() { all } else { Interval::one(share) }));
        let pieces: Vec<(GroundBounds, Interval)> = (ends.into_iter().filter(|(_, share)| share.high > 0.0))
            .map(|(child, share)| (view.child_view(child).bounds(capsule, detail), share))
            .filter(|(own, _)| !own.is_nothing())
            .collect();
        let present: Vec<GroundBounds> = pieces.iter().map(|(own, share)| Self::present(own, *share)).collect();
        let mut mixed = blend::bounds(&present);
        if pieces.is_empty() {
            return mixed;
        }
        if pieces.iter().all(|(own, _)| own.weight.low >= THRESHOLD) {
            // between two heights whose shares do not depend on the point
            mixed.slope = lower(mixed.slope, pieces.iter().fold(0.0, |slope, (own, _)| higher(slope, own.slope)));
        }
        let highest = pieces.iter().fold(THRESHOLD, |high, (own, _)| higher(high, own.weight.high));
        let (mut weight, mut fade) = (Interval::one(0.0), 0.0);
        if detail.is_every_level() {
            // a piece without weight here leaves the share of the other
            let missing = pieces.len() < 2;
            weight = pieces.iter().fold(Interval::EMPTY, |weight, (own, _)| weight.union(own.weight));
            weight = if missing { weight.union(Interval::one(0.0)) } else { weight };
            fade = pieces.iter().fold(0.0, |fade, (own, _)| higher(fade, own.weight_gradient));
        } else {
            for (own, share) in &pieces {
                weight = weight.plus(own.weight.times(share.high));
                fade += own.weight_gradient * share.high;
            }
        }
        // α is at most the sum of the shares σ, times the greatest α and at least ½
        let laid = lower(mixed.weighted_slope * highest * (1.0 + 1e-9), mixed.slope * weight.high);
        GroundBounds { weight, weight_gradient: fade, weighted_slope: laid, ..mixed }
    }

    fn row(&self, view: NodeView, row: PointRow, detail: &Detail, out: &mut RowSamples) {
        let mut sums = BlendSumRow::NOTHING;
        let mut weights = [0.0; LANES];
        for (child, share) in self.ends(view.node, detail) {
            let mut samples = RowSamples::NOTHING;
            if share <= 0.0 {
                continue;
            }
            let Some(span) = view.part_row(child, row, detail, &mut samples) else { continue };
            for (sum, weight) in weights[span.0..span.1].iter_mut().zip(&mut samples.weight) {
                *sum += *weight * share;
                *weight = if *weight < THRESHOLD { *weight / THRESHOLD } else { 1.0 };
            }
            sums.add(&samples, share, span);
        }
        sums.sample(row.len(), out);
        out.weight[..row.len()].copy_from_slice(&weights[..row.len()]);
    }

    fn materials(&self, view: NodeView, p: Point, detail: &Detail) -> MaterialFractions {
        let mut sum = MaterialBlend::default();
        for end in self.ends(view.node, detail) {
            let sample = view.child::<false>(end.0, p, detail);
            let weight = presence(&sample).0 * end.1;
            if weight > 0.0 {
                sum.add(&view.child_view(end.0).materials(p, detail), weight);
            }
        }
        sum.blended()
    }

    fn encode(&self, node: &ProgramNode, around: &NodeFrame, out: &mut Encoder) {
        let start = out.open(op::DETAIL, node, around);
        out.code.reals([self.from, self.to]);
        for (which, (child, _)) in (0..).zip(self.ends(node, &Detail::FULL)) {
            let area = out.program.nodes[child as usize].area;
            let share = out.start(op::SHARE, rounded_outward(&around.area_outward(&area)));
            out.code.word(which);
            out.step(child, around);
            out.end(share);
        }
        out.give(start);
    }
}
