//! The level-of-detail operator: shows a simple piece A at a distance and a detailed piece B close up.
//!
//! Formula: t = 1 - (k_B - κ)/(k_B - k_A), clamped to [0, 1], where κ is the level of detail and k_A to k_B is the
//! range of the transition. At t = 0 only A is visible, at t = 1 only B. Between these values, the result is the blend
//! of A and B. The weight of A is multiplied by 1 - t, the weight of B by t. The paper interpolates f and α separately,
//! which gives the same result if both weights are equal. Unlike separate interpolation, the blend also has a
//! meaningful f where only one of the two pieces has weight.
//! Source: Génevaux et al. 2014, §6 and fig. 16.

use super::blend::{self, BlendSum, BlendSumRow};
use crate::compiled_program::{Builder, NodeFrame, NodeOperator, NodeView, Operator, PieceSite, ProgramNode};
use crate::geometry::plane::{Capsule, Point};
use crate::gpu_buffer::{Encoder, op, rounded_outward};
use crate::materials::shares::{MaterialBlend, MaterialFractions};
use crate::piece::{OperatorGroup, PieceForm, piece_form};
use crate::row_samples::{PointRow, RowSamples};
use crate::sample::{Detail, GroundBounds, GroundSample};

talweg_ground::params! {
    /// Shows the first feature at a distance and the last one close up, with a smooth transition between them.
    DetailSettings "Level of detail" in "Operator", from "Génevaux et al. 2014, fig. 16", also "lod switch fade distance near far" {
        /// Level of detail up to which only the first feature is visible; 0 is far away, 1 is close up.
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
        for (child, share) in self.ends(view.node, detail) {
            if share > 0.0 {
                sum.add(&view.child::<G>(child, p, detail), share);
            }
        }
        sum.sample()
    }

    fn bounds(&self, view: NodeView, capsule: &Capsule, detail: &Detail) -> GroundBounds {
        let ends = self.ends(view.node, detail).into_iter().filter(|(_, share)| *share > 0.0);
        let pieces = ends.map(|(child, share)| {
            let own = view.child_view(child).bounds(capsule, detail);
            GroundBounds {
                weight: own.weight.times(share),
                weight_gradient: own.weight_gradient * share,
                weighted_slope: own.weighted_slope * share,
                ..own
            }
        });
        blend::bounds(&pieces.collect::<Vec<_>>())
    }

    fn row(&self, view: NodeView, row: PointRow, detail: &Detail, out: &mut RowSamples) {
        let mut sums = BlendSumRow::NOTHING;
        for end in self.ends(view.node, detail) {
            if end.1 > 0.0 {
                sums.add_child(view, end, row, detail);
            }
        }
        sums.sample(row.len(), out);
    }

    fn materials(&self, view: NodeView, p: Point, detail: &Detail) -> MaterialFractions {
        let mut sum = MaterialBlend::default();
        for end in self.ends(view.node, detail) {
            sum.add_child(view, end, p, detail);
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
