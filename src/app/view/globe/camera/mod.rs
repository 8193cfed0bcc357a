//! The camera over a globe: its position, its inclination, and how the mouse changes them.
//!
//! Positions are in metres in planet space. Double precision resolves centimetres at 6371 km from the centre. The
//! camera stands upright on the radius through its eye. So panning, turning and zooming are rotations of this upright
//! frame about the centre of the planet, and the poles need no special case.

pub mod map;
pub mod orbit;

use std::f64::consts::FRAC_PI_2;
use talweg::field::smooth_step;

use glam::{DMat3, DQuat, DVec2, DVec3, Vec2};

use crate::view::globe::ground::{GlobeSurface, meet_sphere};
use crate::view::lens::Lens;

/// Greatest upward inclination of the camera near the surface, in radians.
const MAX_PITCH: f64 = 1.05;
/// Greatest distance of the eye from the centre, as a multiple of the globe's radius.
const FARTHEST_RADII: f64 = 30.0;
/// Two heights of the eye, as multiples of the globe's radius. Zooming in from the greater to the smaller height tilts
/// the view from straight down towards the horizon.
const TILT_FROM: f64 = 0.03;
const TILT_TO: f64 = 2.5e-4;
/// Total tilt of the view while zooming in, in radians.
const TILT: f64 = 1.36;

/// Position and direction of the camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GlobePose {
    /// Rotation to planet space from the camera's upright frame: x to the right, y up along the radius, -z ahead.
    pub orientation: DQuat,
    /// Distance of the eye from the centre in metres.
    pub radius: f64,
    /// Inclination in radians, negative downwards.
    pub pitch: f64,
}

/// Tangents of half the horizontal and half the vertical field of view.
fn tangents(lens: &Lens) -> DVec2 {
    let up = f64::from(0.5 * lens.fov_y).tan();
    DVec2::new(up * f64::from(lens.aspect()), up)
}

/// Tilt in radians of a view that looked straight down from far away and has zoomed in to `height_radii`. The unit of
/// this height is the globe's radius.
fn natural_tilt(height_radii: f64) -> f64 {
    let way = (height_radii.max(1e-9) / TILT_FROM).ln() / (TILT_TO / TILT_FROM).ln();
    let s = way.clamp(0.0, 1.0);
    TILT * s * s * (3.0 - 2.0 * s)
}

impl GlobePose {
    /// A pose over a place (unit vector) at a distance from the centre of the globe, looking straight down with north
    /// up.
    pub fn straight_down(direction: DVec3, radius: f64) -> Self {
        Self { orientation: upright(direction, DVec3::Z), radius, pitch: -FRAC_PI_2 }
    }

    pub fn up_vector(&self) -> DVec3 {
        self.orientation * DVec3::Y
    }

    pub fn eye(&self) -> DVec3 {
        self.up_vector() * self.radius
    }

    /// Rotation from view space (x right, y up, -z ahead) to planet space.
    pub fn rotation(&self) -> DQuat {
        self.orientation * DQuat::from_rotation_x(self.pitch)
    }

    pub fn forward(&self) -> DVec3 {
        self.rotation() * DVec3::NEG_Z
    }

    /// Heading in radians, clockwise from north. If the view looks straight down, this is the heading of the image's
    /// upper edge.
    pub fn heading(&self) -> f64 {
        let up = self.up_vector();
        let ahead = self.orientation * DVec3::NEG_Z;
        let east = DVec3::Z.cross(up);
        let north = up.cross(east);
        ahead.dot(east).atan2(ahead.dot(north))
    }

    /// Unit vector of the ray through a point of the image (pixels from its top left corner).
    pub fn ray(&self, lens: &Lens, cursor: Vec2) -> DVec3 {
        let at = (cursor / lens.size * 2.0 - 1.0) * Vec2::new(1.0, -1.0);
        (self.rotation() * (at.as_dvec2() * tangents(lens)).extend(-1.0)).normalize()
    }

    /// Position of a point of the planet in the image, if the point is in front of the eye.
    pub fn project(&self, lens: &Lens, point: DVec3) -> Option<Vec2> {
        let seen = self.rotation().inverse() * (point - self.eye());
        let flat = seen.truncate() / (-seen.z * tangents(lens)) * DVec2::new(1.0, -1.0);
        (seen.z < 0.0).then(|| ((flat * 0.5 + 0.5) * lens.size.as_dvec2()).as_vec2())
    }

    /// Turns the camera about the centre of the planet so that `point` appears under the cursor. The result is `None`
    /// if the cursor's ray misses the sphere through the point, or grazes it so much that the camera would jump.
    #[must_use]
    pub fn turned_under_cursor(&self, lens: &Lens, point: DVec3, cursor: Vec2) -> Option<Self> {
        let there = meet_sphere(self.eye(), self.ray(lens, cursor), point.length())?;
        let turn = DQuat::from_rotation_arc(there.normalize(), point.normalize());
        (there.angle_between(point) < 1.0).then(|| self.turned(turn))
    }

    /// Turns the camera like [`turned_under_cursor`](Self::turned_under_cursor). If the cursor is off the globe, the
    /// globe's edge follows the cursor.
    #[must_use]
    pub fn drag(&self, lens: &Lens, point: DVec3, cursor: Vec2) -> Self {
        let (eye, ray) = (self.eye(), self.ray(lens, cursor));
        let there = meet_sphere(eye, ray, point.length()).unwrap_or_else(|| eye - ray * eye.dot(ray));
        let (from, to) = (there.normalize_or(self.up_vector()), point.normalize_or(self.up_vector()));
        self.turned(DQuat::from_rotation_arc(from, to))
    }

    fn turned(&self, turn: DQuat) -> Self {
        Self { orientation: (turn * self.orientation).normalize(), ..*self }
    }

    /// Turns the camera about the vertical through a point.
    #[must_use]
    pub fn turn_about(&self, pivot: DVec3, angle: f64) -> Self {
        self.turned(DQuat::from_axis_angle(pivot.normalize_or(self.up_vector()), angle))
    }

    /// Tilts the camera about a point, upwards for a positive angle in radians. The point keeps its position in the
    /// image.
    #[must_use]
    pub fn tilt_about(&self, pivot: DVec3, angle: f64, planet_radius: f64) -> Self {
        let right = self.orientation * DVec3::X;
        let turn = DQuat::from_axis_angle(right, angle);
        let eye = pivot + turn * (self.eye() - pivot);
        let ahead = turn * self.forward();
        let up = eye.normalize_or(self.up_vector());
        let level = up.cross(right);
        let pitch = ahead.dot(up).atan2(ahead.dot(level));
        let tilted = Self { orientation: frame(right, up), radius: eye.length(), pitch };
        // if tilted beyond straight down, the image would be upside down
        let allowed = (-FRAC_PI_2..=max_pitch(tilted.radius, planet_radius)).contains(&pitch);
        if allowed { tilted } else { *self }
    }

    /// Scales the distance of the eye from a point by `factor`. The point stays under the cursor. Near the surface,
    /// zooming in tilts the view towards the horizon, and zooming out tilts it back.
    #[must_use]
    pub fn approach(&self, lens: &Lens, point: DVec3, cursor: Vec2, factor: f64, planet_radius: f64) -> Self {
        let eye = point + (self.eye() - point) * factor;
        let moved = self.moved_to(eye);
        let height = |pose: &Self| (pose.radius - point.length()) / planet_radius;
        let tilt = natural_tilt(height(&moved)) - natural_tilt(height(self));
        let pitch = (moved.pitch + tilt).clamp(-FRAC_PI_2, max_pitch(moved.radius, planet_radius).max(-FRAC_PI_2));
        let tilted = Self { pitch, ..moved };
        let held = |pose: &Self| {
            pose.turned_under_cursor(lens, point, cursor).filter(|held| held.up_vector().dot(pose.up_vector()) > 0.5)
        };
        held(&tilted).or_else(|| held(&moved)).unwrap_or(moved)
    }

    /// The camera at another position of the eye. Its orientation is rotated together with the vertical, along the
    /// shortest arc.
    fn moved_to(&self, eye: DVec3) -> Self {
        let up = eye.normalize_or(self.up_vector());
        let carried = DQuat::from_rotation_arc(self.up_vector(), up) * self.orientation;
        Self { orientation: carried.normalize(), radius: eye.length(), pitch: self.pitch }
    }

    /// Keeps the eye above the surface and within the greatest distance, and keeps the planet in view.
    #[must_use]
    pub fn confined(&self, ground: &GlobeSurface) -> Self {
        let floor = ground.surface(self.up_vector()) + clearance(ground);
        let radius = self.radius.clamp(floor, (FARTHEST_RADII * ground.radius).max(floor));
        let pitch = self.pitch.clamp(-FRAC_PI_2, max_pitch(radius, ground.radius).max(-FRAC_PI_2));
        // normalise only after drift, so that an already confined pose stays unchanged bit for bit
        let stand = if (self.orientation.length_squared() - 1.0).abs() > 1e-12 {
            self.orientation.normalize()
        } else {
            self.orientation
        };
        Self { orientation: stand, radius, pitch }
    }

    /// A pose above a direction with north up, so far away that the whole globe is in the image.
    pub fn framing(direction: DVec3, highest: f64, lens: &Lens) -> Self {
        let tangents = tangents(lens);
        let half = tangents.min_element().atan();
        Self::straight_down(direction, highest * 1.06 / half.sin())
    }

    /// The same position and height with another heading (radians, clockwise from north) and inclination.
    #[must_use]
    pub fn facing(&self, heading: f64, pitch: f64) -> Self {
        let stand = upright(self.up_vector(), DVec3::Z) * DQuat::from_rotation_y(-heading);
        Self { orientation: stand.normalize(), pitch, ..*self }
    }
}

/// Smallest distance of the eye from the surface in metres: the eye height of a walker, or less on small planets.
pub fn clearance(ground: &GlobeSurface) -> f64 {
    (1e-6 * ground.radius).clamp(0.02, 1.7)
}

/// Greatest upward inclination in radians. Near the surface, the view can point above the horizon; from far away, it
/// must point at the planet.
fn max_pitch(radius: f64, planet_radius: f64) -> f64 {
    let height = ((radius - planet_radius) / planet_radius).max(1e-9);
    let edge = (planet_radius / radius).clamp(0.0, 1.0).asin();
    let s = ((height / 0.03).ln() / (0.5f64 / 0.03).ln()).clamp(0.0, 1.0);
    let far = smooth_step(s);
    MAX_PITCH + (-FRAC_PI_2 + 0.9 * edge - MAX_PITCH) * far
}

/// The upright frame at a place. Its up axis is `up`, and its forward axis is as close to `ahead` as possible.
fn upright(up: DVec3, ahead: DVec3) -> DQuat {
    let right = ahead.cross(up);
    // over a pole, align the frame with the prime meridian
    let right = if right.length_squared() < 1e-18 { DVec3::X.cross(up) } else { right };
    frame(right.normalize(), up)
}

fn frame(right: DVec3, up: DVec3) -> DQuat {
    DQuat::from_mat3(&DMat3::from_cols(right, up, right.cross(up))).normalize()
}

/// A short, smooth motion from one pose to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GlobeGlide {
    from: GlobePose,
    to: GlobePose,
    planet_radius: f64,
    seconds: f64,
}

const GLIDE_SECONDS: f64 = 0.7;

impl GlobeGlide {
    pub fn new(from: GlobePose, to: GlobePose, planet_radius: f64) -> Self {
        Self { from, to, planet_radius, seconds: 0.0 }
    }

    /// The pose after another `seconds`, and whether the glide is finished.
    pub fn advance(&mut self, seconds: f32) -> (GlobePose, bool) {
        self.seconds += f64::from(seconds.clamp(0.0, 0.1));
        if self.seconds >= GLIDE_SECONDS {
            return (self.to, true);
        }
        let x = self.seconds / GLIDE_SECONDS;
        let t = smooth_step(x);
        let height = |pose: &GlobePose| (pose.radius - self.planet_radius).max(1e-6 * self.planet_radius).ln();
        let mix = |a: f64, b: f64| a + (b - a) * t;
        let pose = GlobePose {
            orientation: self.from.orientation.slerp(self.to.orientation, t),
            radius: self.planet_radius + mix(height(&self.from), height(&self.to)).exp(),
            pitch: mix(self.from.pitch, self.to.pitch),
        };
        (pose, false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::globe::ground::tests::{Sphere, sphere};

    const LENS: Lens = Lens { fov_y: 0.6, size: Vec2::new(1280.0, 720.0) };

    fn are_near(a: Vec2, b: Vec2) -> bool {
        a.distance(b) < 0.1
    }

    #[test]
    fn rays_and_projection_agree_at_any_height() {
        let Sphere { radius, .. } = sphere();
        for height in [100.0, 5e4, 2e7] {
            let pose = GlobePose {
                pitch: -0.9,
                ..GlobePose::straight_down(DVec3::new(0.3, -0.5, 0.8).normalize(), radius + height)
            };
            for cursor in [Vec2::new(200.0, 610.0), Vec2::new(900.0, 50.0)] {
                let point = pose.eye() + pose.ray(&LENS, cursor) * height;
                assert!(are_near(pose.project(&LENS, point).unwrap(), cursor));
            }
        }
    }

    #[test]
    fn dragging_keeps_the_point_under_the_cursor_across_the_pole() {
        let Sphere { radius, .. } = sphere();
        let mut pose = GlobePose::straight_down(DVec3::new(0.2, 0.1, 0.97).normalize(), 3.0 * radius);
        for k in 0..12 {
            let from = Vec2::new(640.0, 300.0);
            let grabbed = meet_sphere(pose.eye(), pose.ray(&LENS, from), radius).unwrap();
            let to = from + Vec2::new(10.0 * k as f32 - 50.0, 40.0);
            pose = pose.drag(&LENS, grabbed, to);
            assert!(are_near(pose.project(&LENS, grabbed).unwrap(), to));
            assert!((pose.forward() + pose.up_vector()).length() < 1e-9, "the camera no longer looks straight down");
        }
    }

    #[test]
    fn approaching_keeps_the_point_tilts_nearby_and_is_reversible() {
        let planet = sphere();
        let ground = planet.ground(10.0);
        let mut pose = GlobePose::straight_down(DVec3::new(0.5, 0.4, 0.3).normalize(), 3.0 * planet.radius);
        let cursor = Vec2::new(700.0, 420.0);
        let mut steepest = pose.pitch;
        for _ in 0..90 {
            let Some(point) = ground.pick(pose.eye(), pose.ray(&LENS, cursor)) else { break };
            let next = pose.approach(&LENS, point, cursor, 0.85, planet.radius).confined(&ground);
            assert!(
                next.radius >= ground.surface(next.up_vector()) + 0.99 * clearance(&ground),
                "the eye is below the surface"
            );
            pose = next;
            steepest = steepest.max(pose.pitch);
        }
        assert!(
            pose.radius - ground.surface(pose.up_vector()) < 3000.0,
            "{}",
            pose.radius - ground.surface(pose.up_vector())
        );
        assert!(steepest > -0.6, "it looks towards the horizon: {steepest}");
        for _ in 0..120 {
            let point = ground.pick(pose.eye(), pose.forward()).unwrap_or(pose.up_vector() * planet.radius);
            pose = pose.approach(&LENS, point, Vec2::new(640.0, 360.0), 1.18, planet.radius).confined(&ground);
        }
        assert!(pose.pitch < -1.3, "from afar it looks at the planet again: {}", pose.pitch);
        assert!(pose.project(&LENS, DVec3::ZERO).is_some_and(|at| at.distance(LENS.size * 0.5) < 500.0));
    }

    #[test]
    fn turning_and_tilting_keep_the_pivot_and_never_roll() {
        let planet = sphere();
        let mut pose = GlobePose { pitch: -1.0, ..GlobePose::straight_down(DVec3::Y, planet.radius + 3e5) };
        let cursor = Vec2::new(500.0, 300.0);
        let pivot = meet_sphere(pose.eye(), pose.ray(&LENS, cursor), planet.radius).unwrap();
        for k in 0..40 {
            pose = pose.turn_about(pivot, 0.13).tilt_about(pivot, if k < 20 { 0.03 } else { -0.05 }, planet.radius);
            assert!(are_near(pose.project(&LENS, pivot).unwrap(), cursor), "{k}");
            let right = pose.rotation() * DVec3::X;
            assert!(right.dot(pose.up_vector()).abs() < 1e-9, "the camera rolls");
        }
    }

    #[test]
    fn the_eye_always_stays_above_the_ground() {
        let planet = sphere();
        let ground = planet.ground(30.0);
        let mut pose = GlobePose::straight_down(DVec3::X, planet.radius * 2.0);
        let mut dice = 1u64;
        let mut draw = || {
            dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (dice >> 40) as f32 / (1u64 << 24) as f32
        };
        for _ in 0..600 {
            let cursor = Vec2::new(1280.0 * draw(), 720.0 * draw());
            let point = ground.pick(pose.eye(), pose.ray(&LENS, cursor)).unwrap_or(pose.up_vector() * planet.radius);
            let next = match (draw() * 4.0) as u32 {
                0 => pose.drag(&LENS, point, Vec2::new(1280.0 * draw(), 720.0 * draw())),
                1 => {
                    pose.turn_about(point, f64::from(draw())).tilt_about(point, f64::from(draw()) - 0.5, planet.radius)
                }
                _ => pose.approach(&LENS, point, cursor, 0.3 + 1.2 * f64::from(draw()), planet.radius),
            };
            pose = next.confined(&ground);
            assert!(pose.radius >= ground.surface(pose.up_vector()) + 0.99 * clearance(&ground));
            assert!(pose.orientation.is_finite() && (pose.orientation.length() - 1.0).abs() < 1e-6);
            assert!((-FRAC_PI_2..=MAX_PITCH).contains(&pose.pitch));
        }
    }

    #[test]
    fn headings_are_compass_headings() {
        let pose = GlobePose::straight_down(DVec3::X, 2.0);
        assert!(pose.heading().abs() < 1e-9);
        let east = pose.facing(FRAC_PI_2, 0.0);
        assert!(east.forward().distance(DVec3::Y) < 1e-9 && (east.heading() - FRAC_PI_2).abs() < 1e-9);
    }
}
