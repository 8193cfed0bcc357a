//! Lipschitz bounds of ways, areas and windows of the ground.

use super::{NodeSelection, Program};
use crate::geometry::plane::{Area, Capsule, Interval, Point, add, higher, length, scaled, sub};
use crate::operators::ground_window::GroundWindow;
use crate::sample::{Detail, GroundBounds};

/// Parts of a way across the whole square, and of any way at the most, that [`Program::lipschitz`] looks at.
const LIPSCHITZ_PARTS: f64 = 512.0;
const MOST_PARTS: usize = 96;

impl Program {
    /// A Lipschitz bound of the surface between two places: the greatest of the parts of the way, which are short
    /// enough for their bounds to be tight.
    pub fn lipschitz(&self, from: Point, to: Point, detail: &Detail) -> f64 {
        let segment = sub(to, from);
        let parts = ((length(segment) * (LIPSCHITZ_PARTS / self.side)) as usize).clamp(1, MOST_PARTS);
        let at = |k: usize| add(from, scaled(segment, k as f64 / parts as f64));
        (0..parts).fold(0.0, |steepest, k| {
            // rounding moves the ends of the parts by less than this
            let part = Capsule::segment(at(k), at(k + 1)).padded(1e-9 * self.side);
            higher(steepest, self.surface_bounds(&part, detail).1)
        })
    }

    /// A Lipschitz bound of the surface over an area.
    pub fn lipschitz_in(&self, area: &Area, detail: &Detail) -> f64 {
        self.surface_bounds(&Capsule::area(area), detail).1
    }

    /// Range of the share that a window of the first of `children` lets act, and bound of its gradient.
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

    /// Bounds of the first of `children`: the ground that others come on.
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
