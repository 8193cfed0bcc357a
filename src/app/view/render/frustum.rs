//! The view frustum of a camera.

use glam::{Mat4, Vec3, Vec4};

/// The volume that a camera sees, bounded by planes.
#[derive(Clone, Copy, Debug)]
pub struct Frustum {
    /// Bounding planes as (normal, offset), with normals pointing inwards. There is no far plane.
    planes: [Vec4; 5],
    /// Greatest distances, in world units, by which the drawn terrain can be below and above its stored heights.
    pub slack_world: (f32, f32),
}

impl Frustum {
    pub fn new(clip_from_world: Mat4) -> Self {
        let row = |i| clip_from_world.row(i);
        // clip depth is 1 at the near plane and falls to 0 at infinity
        let planes = [row(3) + row(0), row(3) - row(0), row(3) + row(1), row(3) - row(1), row(3) - row(2)];
        Self { planes, slack_world: (0.0, 0.0) }
    }

    /// The same frustum for terrain that is drawn up to `falls_world` below and up to `rises_world` above its stored
    /// heights.
    pub fn with_slack(self, falls_world: f32, rises_world: f32) -> Self {
        Self { slack_world: (falls_world, rises_world), ..self }
    }

    /// Whether a box between two corners may be visible. The test can report an invisible box as visible, but never the
    /// reverse.
    pub fn meets(&self, low: Vec3, high: Vec3) -> bool {
        self.planes.iter().all(|plane| {
            let farthest = Vec3::select(plane.truncate().cmpge(Vec3::ZERO), high, low);
            plane.truncate().dot(farthest) + plane.w >= 0.0
        })
    }
}
