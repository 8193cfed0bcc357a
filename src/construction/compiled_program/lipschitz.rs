//! Lipschitz bounds of segments, areas and ground windows.

use super::{NodeSelection, Program};
use crate::geometry::plane::{Area, Capsule, Interval, Point, add, higher, length, scaled, sub};
use crate::operators::ground_window::GroundWindow;
use crate::sample::{Detail, GroundBounds};

/// Number of parts into which [`Program::lipschitz`] divides a segment as long as the side; [`MOST_PARTS`] is the
/// maximum for any segment.
const LIPSCHITZ_PARTS: f64 = 512.0;
const MOST_PARTS: usize = 96;

impl Program {
    /// A Lipschitz bound of the surface between two points: the maximum over parts of the segment. The parts are short,
    /// so that their bounds are tight.
    pub fn lipschitz(&self, from: Point, to: Point, detail: &Detail) -> f64 {
        let segment = sub(to, from);
        let parts = ((length(segment) * (LIPSCHITZ_PARTS / self.side)) as usize).clamp(1, MOST_PARTS);
        let at = |k: usize| add(from, scaled(segment, k as f64 / parts as f64));
        (0..parts).fold(0.0, |steepest, k| {
            // the padding exceeds the rounding error of the parts' ends
            let part = Capsule::segment(at(k), at(k + 1)).padded(1e-9 * self.side);
            higher(steepest, self.surface_bounds(&part, detail).1)
        })
    }

    /// A Lipschitz bound of the surface over an area.
    pub fn lipschitz_in(&self, area: &Area, detail: &Detail) -> f64 {
        self.surface_bounds(&Capsule::area(area), detail).1
    }

    /// Range of the fraction by which a ground window acts on the first of `children`, and the bound of its gradient.
    pub(super) fn share_over(
        &self,
        selection: &NodeSelection,
        children: &[u32],
        window: &GroundWindow,
        capsule: &Capsule,
        detail: &Detail,
    ) -> (Interval, f64) {
        let wide = capsule.padded(window.sight());
        let ground = self.first_bound(selection, children, &wide, detail).surface(self.ground);
        let steep = window.steepness(capsule.middle(), |q| match children.first() {
            Some(child) if self.nodes[*child as usize].area.contains(q) => {
                self.ask::<false>(selection, *child, q, detail).surface(self.ground).0
            }
            _ => self.ground,
        });
        window.share_over(ground, steep, capsule.radius())
    }

    /// Bounds of the first of `children`, which is the ground that later children are laid on.
    pub(super) fn first_bound(
        &self,
        selection: &NodeSelection,
        children: &[u32],
        capsule: &Capsule,
        detail: &Detail,
    ) -> GroundBounds {
        children.first().map_or(GroundBounds::NOTHING, |&child| self.bound(selection, child, capsule, detail))
    }
}
