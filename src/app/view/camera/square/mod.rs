//! The camera over a square terrain, and its motion.

pub mod commands;
pub mod confine;
pub mod mouse;

use bevy::prelude::*;

use super::pose::{Glide, PanPlane, Pose};
use crate::view::compare::CompareSide;
use crate::view::lens::ViewProjection;
use crate::view::scale::SIDE_WORLD;
use crate::view::state::ViewState;
use confine::confined;

/// The camera of the view and its current motion.
#[derive(Resource)]
pub struct ViewCamera {
    pub pose: Pose,
    /// The projection that the pose was made for. The projection of the view may have changed since then.
    projection: ViewProjection,
    glide: Option<Glide>,
    drag: Option<CameraDrag>,
    cursor: Option<Vec2>,
    framed: Framed,
    /// The comparison side under the cursor, and the top left corner of this side's image.
    picture: (CompareSide, Vec2),
}

/// Whether the camera frames the terrain automatically, which ends when the user moves the camera.
#[derive(Clone, Copy, PartialEq)]
enum Framed {
    NotYet,
    /// The camera frames this box in a view of this size. The box stays the same when the terrain changes.
    For {
        size: Vec2,
        low_world: Vec3,
        high_world: Vec3,
    },
    /// The user has moved the camera, so automatic framing has ended.
    ByHand,
}

impl Default for ViewCamera {
    fn default() -> Self {
        let pose = Pose { eye_world: Vec3::new(0.0, SIDE_WORLD, 2.0 * SIDE_WORLD), yaw: 0.0, pitch: -0.5 };
        Self {
            pose,
            projection: ViewProjection::Perspective,
            glide: None,
            drag: None,
            cursor: None,
            framed: Framed::NotYet,
            picture: (CompareSide::A, Vec2::ZERO),
        }
    }
}

impl ViewCamera {
    /// Position of the cursor, in pixels from the top left corner of the window.
    pub fn cursor(&self) -> Option<Vec2> {
        self.cursor
    }

    /// Moves the camera at once to a position, in metres from the west edge, from the north edge and above the terrain.
    /// Heading and tilt are in degrees. Returns false if the view shows no square terrain.
    pub fn stand(&mut self, state: &ViewState, [east, south, above, heading, tilt]: [f32; 5]) -> bool {
        let Some(square) = state.square_on_side(CompareSide::A) else { return false };
        let scale = &square.scale;
        let [x, z] = [east, south].map(|metres| metres / scale.metres_per_world - 0.5 * SIDE_WORLD);
        let at = Vec3::new(x, 0.0, z);
        let ground = match &state.tree_surface {
            Some(tree_surface) => tree_surface.floor_world(at, 1e-3),
            None => square.floor_world(at),
        };
        let eye_world = at.with_y(ground + above / scale.metres_per_world);
        self.set_perspective_pose(Pose { eye_world, yaw: heading.to_radians(), pitch: tilt.to_radians() }, state);
        (self.glide, self.drag, self.framed) = (None, None, Framed::ByHand);
        true
    }

    /// Sets a pose for perspective projection. In an orthographic view, the next frame converts the pose.
    fn set_perspective_pose(&mut self, pose: Pose, state: &ViewState) {
        self.pose = confined(pose, ViewProjection::Perspective, state);
        self.projection = ViewProjection::Perspective;
    }

    /// The projection that the pose is made for.
    pub fn projection(&self) -> ViewProjection {
        self.projection
    }

    /// The pose that shows the same view in perspective projection.
    pub fn perspective_pose(&self, state: &ViewState) -> Pose {
        self.projected(ViewProjection::Perspective, state)
    }

    /// The pose for the same view in another projection. Objects in the centre of the image keep their size.
    fn projected(&self, to: ViewProjection, state: &ViewState) -> Pose {
        if to == self.projection {
            return self.pose;
        }
        let ahead = self.pose.forward();
        let middle = bounds_world(state).map_or(Vec3::ZERO, |(low, high)| 0.5 * (low + high));
        let distance = state.pick(CompareSide::A, self.pose.eye_world, ahead).unwrap_or_else(|| {
            ahead.dot(middle - self.pose.eye_world).max(0.05 * SIDE_WORLD * self.projection.distance_factor())
        });
        self.pose.projected(distance, self.projection, to)
    }

    /// Moves the camera at once to a pose that is given for perspective projection.
    pub fn jump_to(&mut self, pose: Pose) {
        (self.pose, self.projection) = (pose, ViewProjection::Perspective);
        (self.glide, self.drag, self.framed) = (None, None, Framed::ByHand);
    }

    /// Makes the camera frame the whole terrain in the next frame.
    pub fn frame_again(&mut self) {
        (self.glide, self.drag, self.framed) = (None, None, Framed::NotYet);
    }

    /// Moves the camera to a position above another place, given as fractions of the side to the east and to the south.
    /// The camera keeps its height and heading unless terrain is in the way.
    pub fn move_over(&mut self, state: &ViewState, [u, v]: [f32; 2]) {
        let mut pose = self.perspective_pose(state);
        (pose.eye_world.x, pose.eye_world.z) = ((u - 0.5) * SIDE_WORLD, (v - 0.5) * SIDE_WORLD);
        self.set_perspective_pose(pose, state);
        (self.glide, self.drag, self.framed) = (None, None, Framed::ByHand);
    }

    /// Moves the camera by a vector in world space, as far as the terrain allows. While walking, `eye_metres` is the
    /// eye's height above the terrain, which is kept as closely as the grid spacing allows.
    pub fn travel(&mut self, state: &ViewState, way_world: Vec3, eye_metres: Option<f32>) {
        let mut pose = self.perspective_pose(state);
        pose.eye_world += way_world;
        if let (Some(metres), Some(square)) = (eye_metres, state.square_on_side(CompareSide::A)) {
            let ground = match &state.tree_surface {
                Some(tree_surface) => tree_surface.floor_world(pose.eye_world, 1e-3),
                None => square.floor_world(pose.eye_world),
            };
            pose.eye_world.y = ground + metres / square.scale.metres_per_world;
        }
        self.set_perspective_pose(pose, state);
        (self.glide, self.framed) = (None, Framed::ByHand);
    }

    /// Turns the camera on the spot to a heading in radians, clockwise from north.
    pub fn turn_to(&mut self, state: &ViewState, yaw: f32) {
        let pose = self.perspective_pose(state);
        self.set_perspective_pose(Pose { yaw: yaw.rem_euclid(std::f32::consts::TAU), ..pose }, state);
        (self.glide, self.drag, self.framed) = (None, None, Framed::ByHand);
    }

    /// Whether the camera glides to another pose.
    pub fn is_gliding(&self) -> bool {
        self.glide.is_some()
    }
}

#[derive(Clone, Copy)]
enum CameraDrag {
    Rotate {
        pivot_world: Vec3,
        from: Vec2,
    },
    Pan {
        grabbed_world: Vec3,
        plane: PanPlane,
    },
    Zoom {
        anchor_world: Vec3,
        from: Vec2,
    },
    Look {
        from: Vec2,
    },
    /// The drag started over a panel or has no effect here, so the camera ignores it.
    Elsewhere,
}

/// The box around all visible terrains.
fn bounds_world(state: &ViewState) -> Option<(Vec3, Vec3)> {
    let boxes = state.squares().map(|square| square.scale.bounds_world());
    boxes.reduce(|(low, high), (other_low, other_high)| (low.min(other_low), high.max(other_high)))
}

/// How high usual mountains stand over level ground, as a share of the height scale.
const MOUNTAINS_OVER_RELIEF: f32 = 0.6;

/// The box that the camera frames when a terrain is opened. Over level ground it has room for the mountains that people
/// add next, because the camera does not follow heights.
fn opening_box(state: &ViewState) -> Option<(Vec3, Vec3)> {
    let (low, mut high) = bounds_world(state)?;
    for scale in state.squares().map(|square| &square.scale) {
        if scale.highest_world - scale.lowest_world < 1e-3 * SIDE_WORLD {
            high.y = high.y.max(scale.highest_world + MOUNTAINS_OVER_RELIEF * scale.relief_world);
        }
    }
    Some((low, high))
}
