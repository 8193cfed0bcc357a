//! The orbit view: the planet in its orbit around the sun, with its axis and its seasons. Sizes are not to scale.

use std::f64::consts::{FRAC_PI_2, TAU};

use glam::{DQuat, DVec3, EulerRot};

use crate::view::globe::sun::Attitude;

/// End points of lines, relative to the eye, each with the line's colour at that point.
pub type LineEnds = Vec<([f32; 3], [f32; 4])>;

/// Radius of the orbit in planet radii; the second constant is the radius of the sun as a fraction of the orbit's
/// radius.
const ORBIT_RADII: f64 = 5.0;
const SUN_SHARE: f64 = 0.18;
/// Initial angle between sun and planet, seen from the centre of the view, in radians.
const BESIDE: f64 = 2.3;

/// Viewpoint of the orbit view. In its frame, the sun is at the centre, and the z axis is the normal of the orbit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OrbitPose {
    /// Angle around the normal of the orbit, in radians.
    pub yaw: f64,
    /// Angle above the plane of the orbit, in radians.
    pub height: f64,
    /// Distance of the eye from the centre of the view, in radii of the orbit.
    pub distance: f64,
}

impl Default for OrbitPose {
    fn default() -> Self {
        Self { yaw: 0.0, height: 0.42, distance: 4.6 }
    }
}

/// The positions of the eye and the sun, relative to the planet, with the lines to draw.
pub struct OrbitView {
    pub eye: DVec3,
    pub rotation: DQuat,
    /// Unit vector from the eye towards the sun; `sun_size` is the sun's radius as a chord of the unit sphere.
    pub sun_from_eye: DVec3,
    pub sun_size: f64,
    pub lines: LineEnds,
}

impl OrbitPose {
    /// Initial viewpoint. The planet is beside the sun and a little behind it, so that its day side is visible. The
    /// planet is on the side of the sun, left or right, on which the image shows the tilt of the axis better.
    pub fn framing(attitude: &Attitude) -> Self {
        let yaw = |beside: f64| FRAC_PI_2 - attitude.season + beside;
        let [left, right] = [-BESIDE, BESIDE].map(yaw);
        let yaw = if left.sin().abs() > right.sin().abs() { left } else { right };
        Self { yaw: yaw.rem_euclid(TAU), ..Self::default() }
    }

    #[must_use]
    pub fn turned(&self, yaw: f64, height: f64) -> Self {
        Self { yaw: (self.yaw + yaw).rem_euclid(TAU), height: (self.height + height).clamp(-1.5, 1.5), ..*self }
    }

    #[must_use]
    pub fn zoomed(&self, factor: f64) -> Self {
        Self { distance: (self.distance * factor).clamp(2.0, 20.0), ..*self }
    }

    /// The orbit view of a planet with this radius in metres.
    pub fn view(&self, attitude: &Attitude, radius: f64) -> OrbitView {
        let orbit = ORBIT_RADII * radius;
        let planet_from_orbit = attitude.planet_from_orbit();
        // seen from the sun, the planet is in the direction opposite to the solar longitude
        let place = |season: f64| DVec3::new(-season.cos(), -season.sin(), 0.0) * orbit;
        let planet = place(attitude.season);
        // the camera aims at the centre of the orbit, shifted a little towards the planet
        let level = DVec3::new(-self.yaw.sin(), -self.yaw.cos(), 0.0);
        let eye = (level * self.height.cos() + DVec3::Z * self.height.sin()) * self.distance * orbit;
        let rotation = DQuat::from_euler(EulerRot::ZXY, -self.yaw, FRAC_PI_2 - self.height, 0.0);
        let to_planet = |point: DVec3| planet_from_orbit * (point - planet);
        let from_eye = -to_planet(eye);
        let rel = |point: DVec3| (planet_from_orbit * (point - eye)).as_vec3().to_array();

        let mut lines = LineEnds::new();
        let mut line = |a: DVec3, b: DVec3, colour: [f32; 4]| lines.extend([(rel(a), colour), (rel(b), colour)]);
        let way = [0.30, 0.42, 0.62, 0.55];
        for k in 0..240 {
            let at = |k: i32| place(f64::from(k) * TAU / 240.0);
            line(at(k), at(k + 1), way);
        }
        // lines from the sun to the equinoxes and solstices, each with the direction of the planet's axis
        let axis = planet_from_orbit.inverse() * DVec3::Z;
        for k in 0..4 {
            let at = place(f64::from(k) * FRAC_PI_2);
            line(at - axis * 0.7 * radius, at + axis * 0.7 * radius, [0.55, 0.55, 0.60, 0.6]);
            line(DVec3::ZERO, at, [0.35, 0.36, 0.40, 0.25]);
        }
        line(planet - axis * 1.75 * radius, planet + axis * 1.75 * radius, [0.95, 0.75, 0.35, 1.0]);
        line(DVec3::ZERO, planet, [0.95, 0.80, 0.45, 0.4]);
        line(planet - DVec3::Z * 1.6 * radius, planet + DVec3::Z * 1.6 * radius, [0.45, 0.55, 0.70, 0.5]);
        let back = planet_from_orbit.inverse();
        // lines for the equator and the border between day and night, a little above the surface
        let sun = attitude.to_sun();
        let aside = sun.any_orthonormal_vector();
        let circles =
            [(DVec3::X, DVec3::Y, [0.95, 0.75, 0.35, 0.65]), (aside, sun.cross(aside), [0.55, 0.80, 1.0, 0.9])];
        for (x, y, colour) in circles {
            for k in 0..96 {
                let at = |k: i32| {
                    let turn = f64::from(k) * TAU / 96.0;
                    planet + back * ((x * turn.cos() + y * turn.sin()) * 1.06 * radius)
                };
                line(at(k), at(k + 1), colour);
            }
        }
        let distance = eye.length();
        OrbitView {
            eye: -from_eye,
            rotation: planet_from_orbit * rotation,
            sun_from_eye: (planet_from_orbit * -eye).normalize(),
            sun_size: SUN_SHARE * orbit / distance,
            lines,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_view_shows_the_day_side_with_a_tilted_axis() {
        for k in 0..12 {
            let attitude = Attitude::new(23.4, 30.0 * f64::from(k), 10.0);
            let pose = OrbitPose::framing(&attitude);
            let view = pose.view(&attitude, 1e6);
            let seen = view.rotation.inverse() * -view.eye;
            assert!(seen.x.abs() > 0.6 * ORBIT_RADII * 1e6, "beside the sun: {seen}");
            // the sun is not far behind the planet as seen from the eye, so that the day side is visible
            assert!(attitude.to_sun().dot(view.eye.normalize()) > -0.3);
            let axis = view.rotation.inverse() * DVec3::Z;
            assert!(axis.x.abs() > 0.15, "it leans: {axis}");
        }
    }

    #[test]
    fn the_eye_looks_at_the_sun_and_the_planet_faces_it() {
        for season in [0.0, 80.0, 200.0] {
            let attitude = Attitude::new(23.4, season, 10.0);
            let view = OrbitPose { yaw: 1.1, height: 0.5, distance: 4.0 }.view(&attitude, 1e6);
            let ahead = view.rotation * DVec3::NEG_Z;
            assert!(ahead.distance(view.sun_from_eye) < 1e-9);
            // the north of the orbit is upwards in the image
            let up = view.rotation * DVec3::Y;
            assert!(up.dot(attitude.planet_from_orbit() * DVec3::Z) > 0.5);
            // the drawn sun is in the direction from which the planet's light comes
            let sun = view.eye + view.sun_from_eye * 4.0 * ORBIT_RADII * 1e6;
            assert!(sun.normalize().distance(attitude.to_sun()) < 1e-6);
        }
    }
}
