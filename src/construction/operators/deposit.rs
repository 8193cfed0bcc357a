//! The add operator: a piece is added to the ground below, either everywhere or only where that ground is low, high,
//! flat or steep.
//!
//! Formula: A is the ground below, B the new piece. The height is f = f_A + α f_B with α = min(1, α_B) · H(f_A) ·
//! S(|∇f_A|). H and S are the height and slope bands of a [ground window](super::ground_window). The resulting weight
//! is α_A, or α_A + α² if the new piece extends the terrain. In the second case, f_A is multiplied by σ = α_A/½ where A
//! does not form terrain (α_A < ½).
//! Gradient: exact, by the chain rule.
//! Lipschitz: λ ≤ λ_A + α λ_B + |∇α| |f_B|, where λ_A and λ_B bound |∇f_A| and |∇f_B|.
//! Source: Génevaux et al. 2014, §5.3 and fig. 13.

use super::ground_window::{GroundWindow, ground_window, window_params};
use super::replace::{Extent, capped_weight, capped_weight_bounds, presence, presence_bounds};
use crate::compiled_program::{Builder, NodeFrame, NodeOperator, NodeView, Operator, PieceSite, ProgramNode};
use crate::geometry::plane::{Area, Capsule, Interval, Point, lower};
use crate::gpu_buffer::{Encoder, op};
use crate::materials::shares::{CoveredGround, MaterialFractions};
use crate::piece::{OperatorGroup, PieceForm, piece_form};
use crate::row_samples::{LANES, PointRow, RowSamples};
use crate::sample::{Detail, GroundBounds, GroundSample};

talweg_ground::params! {
    /// Adds the heights of each feature to the ground made by earlier features. The addition can be limited to low or
    /// flat ground, as for dunes between rocks.
    AddSettings "Add" in "Operator", from "Génevaux et al. 2014, fig. 13", also "deposit lay sum dunes sand detail" {
        /// Area in which the result is terrain: the area of the ground below, optionally with the area of the new
        /// feature.
        extent: Extent = Extent::Below;
        window_params!();
    }
}

/// The prepared add operator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Deposit {
    /// Area in which the result is terrain: the area of the ground below, optionally with the area of the new feature.
    pub extent: Extent,
    /// The ground window that limits where pieces are added.
    pub window: GroundWindow,
}

impl PieceForm for OperatorGroup<AddSettings> {
    piece_form!("add", settings, children);

    fn compile(&self, site: &PieceSite, builder: &mut Builder) -> Option<u32> {
        // an added height is relative to the ground, so the frame's lift must not apply to the added pieces
        let children = builder.children(site, site.frame, site.frame.unlifted());
        let window = ground_window!(self.settings, &site.frame);
        builder.group(Operator::Add(Deposit { extent: self.settings.extent, window }), children)
    }
}

impl NodeOperator for Deposit {
    fn sample<const G: bool>(&self, view: NodeView, p: Point, detail: &Detail) -> GroundSample {
        let ground = view.ground::<G>(p, detail);
        let mut below = self.ground(&ground);
        let mut share = None;
        for &child in view.children().iter().skip(1) {
            let laid = view.child::<G>(child, p, detail);
            if laid.weight > 0.0 {
                let share = *share.get_or_insert_with(|| self.window.fraction_at::<G>(view, p, detail, &ground));
                below = self.deposit_sample(&below, &laid, share);
            }
        }
        below
    }

    fn weight(&self, view: NodeView, p: Point, detail: &Detail) -> f64 {
        match self.extent {
            Extent::Below => view.ground_weight(p, detail),
            Extent::Both => self.sample::<false>(view, p, detail).weight,
        }
    }

    fn bounds(&self, view: NodeView, capsule: &Capsule, detail: &Detail) -> GroundBounds {
        let mut below = self.ground_bounds(&view.ground_bound(capsule, detail));
        let mut share = None;
        for &child in view.children().iter().skip(1) {
            let laid = view.child_view(child).bounds(capsule, detail);
            if !laid.is_nothing() {
                let share = *share.get_or_insert_with(|| self.window.fraction_bounds(view, capsule, detail));
                below = self.lay_bounds(&below, &laid, share);
            }
        }
        below
    }

    fn row(&self, view: NodeView, row: PointRow, detail: &Detail, out: &mut RowSamples) {
        let n = row.len();
        view.ground_row(row, detail, out);
        let ground = *out;
        for k in 0..n {
            let sunk = self.ground(&ground.sample(k));
            out.set(k, &sunk);
        }
        let mut shares: Option<[f64; LANES]> = None;
        for &child in view.children().iter().skip(1) {
            let mut laid = RowSamples::NOTHING;
            view.child_view(child).row(row, detail, &mut laid);
            let Some((from, to)) = laid.span(n) else { continue };
            let shares = shares.get_or_insert_with(|| self.window.fraction_row(view, row, detail, &ground));
            for (k, &share) in shares.iter().enumerate().take(to).skip(from) {
                if laid.weight[k] > 0.0 {
                    let sample = self.deposit_sample(&out.sample(k), &laid.sample(k), (share, [0.0; 2]));
                    out.set(k, &sample);
                }
            }
        }
    }

    fn materials(&self, view: NodeView, p: Point, detail: &Detail) -> MaterialFractions {
        let mut covered = CoveredGround::new(view, p, detail);
        let mut acting = None;
        for &child in view.children().iter().skip(1) {
            let weight = lower(view.child_weight(child, p, detail), 1.0);
            if weight > 0.0 && view.child_view(child).node.has_material {
                let share = *acting.get_or_insert_with(|| self.window.fraction(view, p, detail));
                covered.cover(child, weight * share);
            }
        }
        covered.shares()
    }

    fn encode(&self, node: &ProgramNode, around: &NodeFrame, out: &mut Encoder) {
        let start = out.open(op::ADD, node, around);
        out.code.word(self.extent as u32);
        let probe = self.window.encode(node, around, out);
        out.ground(probe, |out| out.step(node.children[0], around));
        // an added height is relative to the ground, so the frame's lift must not apply to the added pieces
        let level = around.unlifted();
        node.children[1..].iter().for_each(|&child| out.step(child, &level));
        out.give(start);
    }

    fn area(&self, children: &[Area]) -> Area {
        self.extent.area(children)
    }

    fn sight(&self) -> f64 {
        self.window.sight()
    }
}

impl Deposit {
    /// The ground to which pieces are added. Where the weight of the ground is too low for terrain, but a piece can
    /// form terrain, the height of the ground fades to 0.
    #[inline]
    fn ground(&self, a: &GroundSample) -> GroundSample {
        if self.extent == Extent::Below {
            return *a;
        }
        let (sigma, dsigma) = presence(a);
        let slope = [0, 1].map(|k| sigma * a.slope[k] + dsigma[k] * a.height);
        GroundSample { height: sigma * a.height, slope, ..*a }
    }

    /// Bounds of the ground to which pieces are added.
    fn ground_bounds(&self, a: &GroundBounds) -> GroundBounds {
        if self.extent == Extent::Below {
            return *a;
        }
        let (sigma, dsigma, laid) = presence_bounds(a);
        let slope = (laid + dsigma * a.height.max_abs()) * (1.0 + 1e-9);
        GroundBounds {
            height: a.height.product(sigma).widened_for_rounding(),
            slope,
            weighted_slope: slope * a.weight.high,
            ..*a
        }
    }

    /// The ground sample `a` with the sample `b` deposited on it. `share` holds the fraction of `b` that is added, and
    /// the gradient of this fraction.
    #[inline]
    fn deposit_sample(&self, a: &GroundSample, b: &GroundSample, share: (f64, Point)) -> GroundSample {
        let (w, dw) = capped_weight(b);
        let dw = [0, 1].map(|k| dw[k] * share.0 + w * share.1[k]);
        let w = w * share.0;
        let slope = [0, 1].map(|k| a.slope[k] + w * b.slope[k] + dw[k] * b.height);
        let height = a.height + w * b.height;
        if self.extent == Extent::Below {
            return GroundSample { height, slope, ..*a };
        }
        let fade = [0, 1].map(|k| a.weight_gradient[k] + 2.0 * w * dw[k]);
        GroundSample { height, weight: a.weight + w * w, slope, weight_gradient: fade }
    }

    /// Bounds of the ground `a` with `b` deposited on it. `share` holds the range of the fraction that is added, and
    /// the bound of its gradient.
    fn lay_bounds(&self, a: &GroundBounds, b: &GroundBounds, share: (Interval, f64)) -> GroundBounds {
        let (w, dw, laid) = capped_weight_bounds(b);
        let dw = dw * share.0.high + w.high * share.1;
        let (w, laid) = (w.product(share.0), laid * share.0.high);
        let more = laid + dw * b.height.max_abs();
        let height = a.height.plus(b.height.product(w)).widened_for_rounding();
        let slope = (a.slope + more) * (1.0 + 1e-9);
        if self.extent == Extent::Below {
            let laid = lower((a.weighted_slope + a.weight.high * more) * (1.0 + 1e-9), slope * a.weight.high);
            return GroundBounds { height, slope, weighted_slope: laid, ..*a };
        }
        let weight = Interval::new(a.weight.low + w.low * w.low, a.weight.high + w.high * w.high);
        GroundBounds {
            height,
            weight,
            slope,
            weight_gradient: a.weight_gradient + 2.0 * w.high * dw,
            weighted_slope: slope * weight.high,
        }
    }
}
