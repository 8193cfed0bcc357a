//! The camera as plain geometry: an eye, a heading and an inclination, and the changes that mouse motions make.
//!
//! Every mouse motion is anchored to one point of the surface. Orbiting keeps the point in place on screen, and panning
//! keeps it under the cursor. Zooming moves the eye straight towards the point. The camera never rolls.

use std::f32::consts::{FRAC_PI_2, PI, TAU};

use glam::{EulerRot, Quat, Vec2, Vec3};

use crate::view::lens::{Lens, ViewProjection};
use crate::view::scale::SIDE_WORLD;
use talweg::scene::CameraBookmark;

/// Greatest and smallest inclination of the camera in radians.
const MAX_PITCH: f32 = 0.35;
const MIN_PITCH: f32 = -FRAC_PI_2;

/// Position of the camera's eye and direction of view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    pub eye_world: Vec3,
    /// Heading in radians, clockwise from north seen from above.
    pub yaw: f32,
    /// Inclination in radians, negative downwards.
    pub pitch: f32,
}

/// The plane in which panning moves the eye.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PanPlane {
    /// The horizontal plane: the eye keeps its height.
    Level,
    /// The plane parallel to the image plane.
    Picture,
}

impl Pose {
    /// The pose of a bookmark over a terrain whose side is `size_metres` long.
    pub fn from_bookmark(bookmark: &CameraBookmark, size_metres: f32) -> Self {
        let [east, south, height, heading, tilt] = bookmark.view();
        let world = SIDE_WORLD / size_metres;
        let eye_world = Vec3::new(east * world - 0.5 * SIDE_WORLD, height * world, south * world - 0.5 * SIDE_WORLD);
        Self { eye_world, yaw: heading.to_radians(), pitch: tilt.to_radians() }
    }

    pub fn rotation(&self) -> Quat {
        Quat::from_euler(EulerRot::YXZ, -self.yaw, self.pitch, 0.0)
    }

    pub fn forward(&self) -> Vec3 {
        self.rotation() * Vec3::NEG_Z
    }

    /// Direction of the ray through a point of the image, in pixels from its top left corner. The direction is not
    /// normalised: its component along [`Pose::forward`] is 1.
    pub fn ray(&self, lens: &Lens, cursor: Vec2) -> Vec3 {
        let from_centre = (cursor / lens.size * 2.0 - 1.0) * Vec2::new(1.0, -1.0) * lens.tangents();
        self.rotation() * from_centre.extend(-1.0)
    }

    /// Position of a point in the image, if the point is in front of the eye.
    pub fn project(&self, lens: &Lens, point_world: Vec3) -> Option<Vec2> {
        let seen = self.rotation().inverse() * (point_world - self.eye_world);
        let flat = seen.truncate() / (-seen.z * lens.tangents()) * Vec2::new(1.0, -1.0);
        (seen.z < 0.0).then(|| (flat * 0.5 + 0.5) * lens.size)
    }

    /// The pose after an orbit about `pivot_world`, which stays in place in the image. `yaw` and `pitch` are changes in
    /// radians.
    #[must_use]
    pub fn rotate_about(&self, pivot_world: Vec3, yaw: f32, pitch: f32) -> Self {
        let turned = Self {
            yaw: (self.yaw + yaw).rem_euclid(TAU),
            pitch: (self.pitch + pitch).clamp(MIN_PITCH, MAX_PITCH.max(self.pitch)),
            ..*self
        };
        let arm = self.rotation().inverse() * (pivot_world - self.eye_world);
        Self { eye_world: pivot_world - turned.rotation() * arm, ..turned }
    }

    /// Moves the eye towards `anchor_world`. The distance between eye and anchor is multiplied by `factor`.
    #[must_use]
    pub fn zoom_towards(&self, anchor_world: Vec3, factor: f32) -> Self {
        Self { eye_world: anchor_world + (self.eye_world - anchor_world) * factor, ..*self }
    }

    /// Moves the eye so that `grabbed_world` appears under the cursor.
    #[must_use]
    pub fn pan_to(&self, lens: &Lens, grabbed_world: Vec3, cursor: Vec2, plane: PanPlane) -> Self {
        let ray = self.ray(lens, cursor);
        let distance = match plane {
            PanPlane::Level if ray.y > -0.02 => return *self,
            PanPlane::Level => (grabbed_world.y - self.eye_world.y) / ray.y,
            PanPlane::Picture => self.forward().dot(grabbed_world - self.eye_world),
        };
        if distance <= 0.0 {
            return *self;
        }
        Self { eye_world: grabbed_world - ray * distance, ..*self }
    }

    /// The pose for another projection. Objects at the distance `distance_world` ahead of the eye keep their size in
    /// the image.
    #[must_use]
    pub fn projected(&self, distance_world: f32, from: ViewProjection, to: ViewProjection) -> Self {
        let farther = distance_world * (to.distance_factor() / from.distance_factor() - 1.0);
        Self { eye_world: self.eye_world - self.forward() * farther, ..*self }
    }

    /// The pose from which the box between two corners fills the image as far as possible, with a small margin.
    pub fn framing(low_world: Vec3, high_world: Vec3, yaw: f32, pitch: f32, lens: &Lens) -> Self {
        const MARGIN: f32 = 1.06;
        let mut pose = Self { eye_world: Vec3::ZERO, yaw, pitch };
        let inverse = pose.rotation().inverse();
        let tangents = lens.tangents() / MARGIN;
        let corners: [Vec3; 8] = std::array::from_fn(|k| {
            let pick = |axis: usize| if k >> axis & 1 == 0 { low_world[axis] } else { high_world[axis] };
            inverse * Vec3::new(pick(0), pick(1), pick(2))
        });
        // along each image axis, the box fits exactly if the eye is where the two outermost lines of sight meet
        let mut eye = Vec3::new(0.0, 0.0, f32::NEG_INFINITY);
        for axis in 0..2 {
            let reach = |side: f32| {
                corners.iter().map(|c| side * c[axis] + c.z * tangents[axis]).fold(f32::NEG_INFINITY, f32::max)
            };
            let (left, right) = (reach(-1.0), reach(1.0));
            eye[axis] = 0.5 * (right - left);
            eye.z = eye.z.max(0.5 * (right + left) / tangents[axis]);
        }
        pose.eye_world = pose.rotation() * eye;
        pose
    }
}

/// A short, smooth motion from one pose to another, about the point that both poses look at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Glide {
    from: Orbit,
    to: Orbit,
    target: Pose,
    seconds: f32,
}

/// A pose relative to the point that it looks at.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Orbit {
    focus_world: Vec3,
    distance_world: f32,
    yaw: f32,
    pitch: f32,
}

const GLIDE_SECONDS: f32 = 0.4;

impl Glide {
    /// A glide between two poses that both look roughly at `centre_world`.
    pub fn new(from: Pose, to: Pose, centre_world: Vec3) -> Self {
        let orbit = |pose: Pose| {
            let distance_world = pose.forward().dot(centre_world - pose.eye_world).max(1.0);
            let focus_world = pose.eye_world + pose.forward() * distance_world;
            Orbit { focus_world, distance_world, yaw: pose.yaw, pitch: pose.pitch }
        };
        Self { from: orbit(from), to: orbit(to), target: to, seconds: 0.0 }
    }

    /// The pose after another `seconds`, and whether the glide is finished.
    pub fn advance(&mut self, seconds: f32) -> (Pose, bool) {
        self.seconds += seconds.clamp(0.0, 0.1);
        if self.seconds >= GLIDE_SECONDS {
            return (self.target, true);
        }
        let x = self.seconds / GLIDE_SECONDS;
        let t = x * x * (3.0 - 2.0 * x);
        let turn = (self.to.yaw - self.from.yaw + PI).rem_euclid(TAU) - PI;
        let mix = |a: f32, b: f32| a + (b - a) * t;
        let pose =
            Pose { eye_world: Vec3::ZERO, yaw: self.from.yaw + turn * t, pitch: mix(self.from.pitch, self.to.pitch) };
        let distance = mix(self.from.distance_world.ln(), self.to.distance_world.ln()).exp();
        let focus = self.from.focus_world.lerp(self.to.focus_world, t);
        (Pose { eye_world: focus - pose.forward() * distance, ..pose }, false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LENS: Lens = Lens { fov_y: 0.7, size: Vec2::new(1280.0, 720.0) };
    const POSE: Pose = Pose { eye_world: Vec3::new(-300.0, 500.0, 700.0), yaw: 0.4, pitch: -0.6 };

    fn are_near(a: Vec2, b: Vec2) -> bool {
        a.distance(b) < 0.05
    }

    #[test]
    fn headings_are_compass_headings() {
        let east = Pose { eye_world: Vec3::ZERO, yaw: FRAC_PI_2, pitch: 0.0 };
        assert!(east.forward().distance(Vec3::X) < 1e-6);
        let down = Pose { pitch: -FRAC_PI_2, ..east };
        assert!(down.forward().distance(Vec3::NEG_Y) < 1e-6);
    }

    #[test]
    fn rays_and_projection_agree() {
        let cursor = Vec2::new(200.0, 610.0);
        let point = POSE.eye_world + POSE.ray(&LENS, cursor) * 321.0;
        assert!(are_near(POSE.project(&LENS, point).unwrap(), cursor));
        assert_eq!(POSE.project(&LENS, POSE.eye_world - POSE.forward()), None);
    }

    #[test]
    fn rotating_keeps_the_pivot_where_it_is() {
        let pivot = Vec3::new(40.0, 60.0, 30.0);
        let before = POSE.project(&LENS, pivot).unwrap();
        for (yaw, pitch) in [(0.3, 0.0), (-2.0, 0.2), (5.0, -3.0), (0.0, 9.0)] {
            let turned = POSE.rotate_about(pivot, yaw, pitch);
            assert!(
                are_near(turned.project(&LENS, pivot).unwrap(), before),
                "orbiting by yaw {yaw} and pitch {pitch} moves the pivot on screen"
            );
            assert!((turned.eye_world.distance(pivot) - POSE.eye_world.distance(pivot)).abs() < 1e-2);
            assert!((MIN_PITCH..=MAX_PITCH).contains(&turned.pitch));
        }
    }

    #[test]
    fn panning_keeps_the_grabbed_point_under_the_cursor() {
        let grabbed = POSE.eye_world + POSE.ray(&LENS, Vec2::new(500.0, 300.0)) * 800.0;
        for plane in [PanPlane::Level, PanPlane::Picture] {
            let cursor = Vec2::new(720.0, 410.0);
            let moved = POSE.pan_to(&LENS, grabbed, cursor, plane);
            assert!(are_near(moved.project(&LENS, grabbed).unwrap(), cursor));
            assert_eq!((moved.yaw, moved.pitch), (POSE.yaw, POSE.pitch));
            if plane == PanPlane::Level {
                assert!((moved.eye_world.y - POSE.eye_world.y).abs() < 1e-2);
            }
        }
    }

    #[test]
    fn zooming_keeps_the_point_under_the_cursor() {
        let cursor = Vec2::new(900.0, 500.0);
        let anchor = POSE.eye_world + POSE.ray(&LENS, cursor) * 600.0;
        let closer = POSE.zoom_towards(anchor, 0.5);
        assert!(are_near(closer.project(&LENS, anchor).unwrap(), cursor));
        assert!((closer.eye_world.distance(anchor) - 0.5 * POSE.eye_world.distance(anchor)).abs() < 1e-2);
    }

    #[test]
    fn orthographic_lengths_do_not_depend_on_depth() {
        let [near, far] = [ViewProjection::Perspective, ViewProjection::Orthographic]
            .map(|projection| Lens { fov_y: projection.field_of_view(), ..LENS });
        let pose = Pose { pitch: -0.5, ..POSE };
        let distance = 800.0;
        let away = pose.projected(distance, ViewProjection::Perspective, ViewProjection::Orthographic);
        let focus = pose.eye_world + pose.forward() * distance;
        let right = pose.rotation() * Vec3::X * 50.0;
        let length = |pose: &Pose, lens: &Lens, at: Vec3| {
            pose.project(lens, at).unwrap().distance(pose.project(lens, at + right).unwrap())
        };
        // both projections show the same length at the focus; only the orthographic projection shows it unchanged at
        // other depths
        let (whole, parallel) = (length(&pose, &near, focus), length(&away, &far, focus));
        assert!(
            (whole - parallel).abs() < 0.01 * whole,
            "length of the projected segment: {whole} in perspective, {parallel} in orthographic projection"
        );
        for depth in [-300.0, 300.0] {
            let at = focus + pose.forward() * depth;
            assert!((length(&away, &far, at) - parallel).abs() < 0.002 * parallel, "{depth}");
            assert!((length(&pose, &near, at) - whole).abs() > 0.2 * whole, "{depth}");
        }
        let back = away.projected(
            distance * ViewProjection::Orthographic.distance_factor(),
            ViewProjection::Orthographic,
            ViewProjection::Perspective,
        );
        assert!(back.eye_world.distance(pose.eye_world) < 0.1, "{back:?}");
    }

    #[test]
    fn framing_shows_every_corner_with_little_margin() {
        let (low, high) = (Vec3::new(-500.0, -60.0, -500.0), Vec3::new(500.0, 240.0, 500.0));
        for (yaw, pitch) in [(0.7, -0.5), (0.0, -FRAC_PI_2), (3.0, -0.1)] {
            let pose = Pose::framing(low, high, yaw, pitch, &LENS);
            let (mut least, mut most) = (Vec2::INFINITY, Vec2::NEG_INFINITY);
            for k in 0..8 {
                let corner = Vec3::select(glam::BVec3::new(k & 1 > 0, k & 2 > 0, k & 4 > 0), high, low);
                let seen = pose.project(&LENS, corner).unwrap();
                (least, most) = (least.min(seen), most.max(seen));
            }
            assert!(
                least.min_element() >= 0.0 && most.cmple(LENS.size).all(),
                "the framed box covers pixels {least} to {most}"
            );
            let used = (most - least) / LENS.size;
            assert!(used.max_element() > 0.85, "yaw {yaw}, pitch {pitch}: the box fills only {used} of the image");
        }
    }

    #[test]
    fn a_glide_takes_the_shortest_turn_and_ends_exactly() {
        let from = Pose { yaw: 6.0, ..POSE };
        let to = Pose { eye_world: Vec3::new(0.0, 900.0, 900.0), yaw: 0.2, pitch: -0.8 };
        let mut glide = Glide::new(from, to, Vec3::ZERO);
        for _ in 0..100 {
            let (pose, finished) = glide.advance(0.016);
            if finished {
                assert_eq!(pose, to);
                return;
            }
            assert!((6.0..=6.5).contains(&pose.yaw), "{}", pose.yaw);
        }
        panic!("the glide never arrives");
    }
}
