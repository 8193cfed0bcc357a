//! A construction tree as one view shows it: its level of detail can fall with the distance from the eye.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use talweg::construction::Detail;

use crate::view::construction_surface::TreeSurface;

/// The level of detail κ by the distance from the eye: κ = 1/(1 + (t/half)²) at the distance t, as along rays. Source:
/// Génevaux et al. 2014, §6.
///
/// All vertices of a patch have the same κ, that of the distance at which the patch is drawn before it morphs. Between
/// two levels of patches, the morphing mixes the heights of the two values of κ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DetailByDistance {
    /// The distance in world units at which κ is 0.5.
    half_world: f64,
    /// Distance from the eye at which a patch is drawn, as a multiple of the distance between its vertices.
    distance_per_step: f64,
}

/// Number of steps per doubling to which [`DetailByDistance`] rounds the size of the image. A small change of the
/// window then keeps all patches.
const STEPS_PER_DOUBLING: f64 = 4.0;

impl DetailByDistance {
    /// The rule for an image with this many vertices per radian.
    pub fn new(half_world: f64, vertices_per_radian: f64) -> Self {
        let steps = (vertices_per_radian.max(1.0).log2() * STEPS_PER_DOUBLING).round() / STEPS_PER_DOUBLING;
        Self { half_world, distance_per_step: steps.exp2() }
    }

    /// κ of a patch whose vertices are `step_world` apart, from 0 to 1.
    fn level(&self, step_world: f64) -> f64 {
        let far = step_world * self.distance_per_step / self.half_world;
        1.0 / (1.0 + far * far)
    }
}

/// A tree surface with the level of detail of a view.
#[derive(Clone, Debug)]
pub struct ViewSurface {
    /// Serial number of this combination. No two combinations share a number.
    pub serial: u64,
    pub tree_surface: Arc<TreeSurface>,
    /// How the level of detail falls with the distance; `None` for full detail at any distance.
    pub by_distance: Option<DetailByDistance>,
}

impl ViewSurface {
    pub fn new(tree_surface: Arc<TreeSurface>, by_distance: Option<DetailByDistance>) -> Self {
        static SERIAL: AtomicU64 = AtomicU64::new(1);
        Self { serial: SERIAL.fetch_add(1, Ordering::Relaxed), tree_surface, by_distance }
    }

    /// Whether this is the combination of the given surface and rule.
    pub fn is_of(&self, tree_surface: &TreeSurface, by_distance: Option<DetailByDistance>) -> bool {
        (self.tree_surface.serial, self.by_distance) == (tree_surface.serial, by_distance)
    }

    /// The level of detail of a patch whose vertices are `step_world` apart.
    pub fn detail(&self, step_world: f64) -> Detail {
        let detail = self.tree_surface.detail(step_world);
        let by_distance = self.by_distance.map_or(1.0, |rule| rule.level(step_world));
        Detail { level: detail.level * by_distance, ..detail }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_level_of_detail_is_half_at_the_given_distance() {
        // 512 vertices per radian: vertices 0.5 apart are 256 away
        let rule = DetailByDistance::new(256.0, 512.0);
        assert_eq!(rule.level(0.5), 0.5);
        assert!((rule.level(0.25) - 0.8).abs() < 1e-12 && (rule.level(1.0) - 0.2).abs() < 1e-12);
        // a slightly larger image has the same rule, a much larger one shows the same vertices from farther away
        assert_eq!(rule, DetailByDistance::new(256.0, 530.0));
        assert!(DetailByDistance::new(256.0, 1024.0).level(0.5) < 0.3);
    }
}
