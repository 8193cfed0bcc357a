//! Evaluation of gully nodes: the child plus the height that the gully function adds.

use super::frame::NodeFrame;
use super::{NodeSelection, Program, ProgramNode};
use crate::geometry::plane::{Capsule, Point, add, sub};
use crate::operators::gullies::PreparedGullies;
use crate::row_samples::{LANES, PointRow, RowSamples};
use crate::sample::{Detail, GroundBounds, GroundSample};

impl Program {
    /// The sample of a child at a point in the child's coordinates; weight 0 outside its bounding box.
    fn sample_inside<const G: bool>(
        &self,
        selection: &NodeSelection,
        id: u32,
        p: Point,
        detail: &Detail,
    ) -> GroundSample {
        if self.nodes[id as usize].area.contains(p) {
            self.ask::<G>(selection, id, p, detail)
        } else {
            GroundSample::default()
        }
    }

    /// The sample of a gully node at `p`, in the parent's coordinates.
    pub(super) fn sample_gullies<const G: bool>(
        &self,
        selection: &NodeSelection,
        node: &ProgramNode,
        (gullies, frame): (&PreparedGullies, &NodeFrame),
        p: Point,
        detail: &Detail,
    ) -> GroundSample {
        let (child, p, detail) = (selection.children(node)[0], frame.inward.apply(p), frame.detail(detail));
        let own = self.sample_inside::<G>(selection, child, p, &detail);
        let pulled = |own: GroundSample| {
            let pull = |g: Point| if G && !frame.is_plain { frame.inward.pull(g) } else { g };
            GroundSample { slope: pull(own.slope), fade: pull(own.fade), ..own }
        };
        if own.weight <= 0.0 || frame.rise == 0.0 || !gullies.are_shown(&detail) {
            return pulled(own);
        }
        let smooth = gullies.smooth_detail(&detail);
        let around = gullies
            .places_around(p)
            .map(|q| self.sample_inside::<G>(selection, child, q, &smooth).surface(self.ground));
        let slope = gullies.slope(around.map(|(height, _)| height), frame.rise);
        if !G {
            let height = own.height + frame.rise * gullies.raised(p, slope, &detail);
            return pulled(GroundSample { height, ..own });
        }
        // gradients of the two slope components
        let [east, south] = [0, 1].map(|axis| gullies.slope(around.map(|(_, gradient)| gradient[axis]), frame.rise));
        let turns = [[east[0], south[0]], [east[1], south[1]]];
        let raised = gullies.raised_with_gradient(p, slope, turns, &detail);
        let height = own.height + frame.rise * raised.value;
        pulled(GroundSample { height, slope: add(own.slope, raised.gradient.map(|g| frame.rise * g)), ..own })
    }

    /// Bounds of a gully node over a capsule.
    pub(super) fn bounds_of_gullies(
        &self,
        selection: &NodeSelection,
        node: &ProgramNode,
        (gullies, frame): (&PreparedGullies, &NodeFrame),
        capsule: &Capsule,
        detail: &Detail,
    ) -> GroundBounds {
        let child = selection.children(node)[0];
        let (inner, detail) = (frame.inward.map_capsule(capsule), frame.detail(detail));
        let own = self.bound(selection, child, &inner, &detail);
        let (height, slope, laid) = if own.is_nothing() || frame.rise == 0.0 || !gullies.are_shown(&detail) {
            (own.height, own.slope, own.laid)
        } else {
            let (smooth, middle) = (gullies.smooth_detail(&detail), inner.middle());
            let around = gullies.places_around(middle);
            let heights =
                around.map(|q| self.sample_inside::<false>(selection, child, q, &smooth).surface(self.ground).0);
            let [east, west, south, north] = around.map(|q| {
                let by = sub(q, middle);
                let there = Capsule { from: add(inner.from, by), to: add(inner.to, by), pad: inner.pad };
                self.bound(selection, child, &there, &smooth).surface(self.ground).1
            });
            let per = 0.5 / gullies.base / frame.rise.abs();
            let change = per * ((east + west) * (east + west) + (south + north) * (south + north)).sqrt();
            let disc = (middle, inner.radius());
            let (range, steepest) = gullies.bounds(disc, gullies.slope(heights, frame.rise), change, &detail);
            let steepest = steepest * frame.rise.abs() * (1.0 + 1e-9);
            (
                own.height.plus(range.times(frame.rise)).widened_for_rounding(),
                own.slope + steepest,
                own.laid + own.weight.high * steepest,
            )
        };
        let by = frame.stretching;
        GroundBounds { height, slope: slope * by, fade: own.fade * by, laid: laid * by, ..own }
    }

    /// Samples of a gully node along a row.
    pub(crate) fn gullies_row(
        &self,
        selection: &NodeSelection,
        node: &ProgramNode,
        (gullies, frame): (&PreparedGullies, &NodeFrame),
        row: PointRow,
        detail: &Detail,
        out: &mut RowSamples,
    ) {
        let (child, n, detail) = (selection.children(node)[0], row.len(), frame.detail(detail));
        let (mut xs, mut ys) = ([0.0; LANES], [0.0; LANES]);
        for k in 0..n {
            [xs[k], ys[k]] = frame.inward.apply(row.point(k));
        }
        self.child_row(selection, child, PointRow { xs: &xs[..n], ys: &ys[..n] }, &detail, out);
        if out.span(n).is_none() || frame.rise == 0.0 || !gullies.are_shown(&detail) {
            return;
        }
        let smooth = gullies.smooth_detail(&detail);
        let mut heights = [[0.0; 4]; LANES];
        for side in 0..4 {
            let (mut east, mut south) = ([0.0; LANES], [0.0; LANES]);
            for k in 0..n {
                [east[k], south[k]] = gullies.places_around([xs[k], ys[k]])[side];
            }
            let mut lanes = RowSamples::NOTHING;
            self.child_row(selection, child, PointRow { xs: &east[..n], ys: &south[..n] }, &smooth, &mut lanes);
            for (k, heights) in heights.iter_mut().enumerate().take(n) {
                let sample = if lanes.weight[k] > 0.0 { lanes.sample(k) } else { GroundSample::default() };
                heights[side] = sample.surface(self.ground).0;
            }
        }
        for k in (0..n).filter(|&k| out.weight[k] > 0.0).collect::<Vec<_>>() {
            let slope = gullies.slope(heights[k], frame.rise);
            out.height[k] += frame.rise * gullies.raised([xs[k], ys[k]], slope, &detail);
        }
    }
}
