//! Position of the sun over a planet, and orientation of the planet in its orbit.
//!
//! The rotation axis keeps its direction through the year. Its tilt ε from the normal of the orbit causes the seasons.
//! The solar longitude λ is 0° at the March equinox. The sun is overhead at the latitude δ with sin δ = sin ε · sin λ.
//! The hour is the local time of the prime meridian: at noon the sun is above this meridian.

use glam::{DMat3, DQuat, DVec3};

/// Orientation of a planet relative to its sun. Angles are in radians.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attitude {
    /// Angle between the rotation axis and the normal of the orbit.
    pub tilt: f64,
    /// Solar longitude: 0 at the March equinox, π/2 at the June solstice.
    pub season: f64,
    /// Hour angle of the sun over the prime meridian: 0 at noon, growing westwards with time.
    pub hour: f64,
}

impl Attitude {
    /// Orientation from the axial tilt and the solar longitude in degrees, and the time of day in hours.
    pub fn new(tilt_degrees: f64, season_degrees: f64, hours: f64) -> Self {
        Self {
            tilt: tilt_degrees.to_radians(),
            season: season_degrees.to_radians(),
            hour: (hours - 12.0).to_radians() * 15.0,
        }
    }

    /// Direction of the sun in the frame of the orbit. The z axis of this frame is the orbit's normal, and its x axis
    /// points to the March equinox.
    fn sun_in_orbit(&self) -> DVec3 {
        DVec3::new(self.season.cos(), self.season.sin(), 0.0)
    }

    /// Direction of the rotation axis in the frame of the orbit.
    fn axis_in_orbit(&self) -> DVec3 {
        DVec3::new(0.0, self.tilt.sin(), self.tilt.cos())
    }

    /// Direction of the sun in the frame that rotates with the planet. The z axis of this frame points north, and its x
    /// axis to the prime meridian.
    pub fn to_sun(self) -> DVec3 {
        self.planet_from_orbit() * self.sun_in_orbit()
    }

    /// Angle by which the prime meridian has turned past the direction of the March equinox, in radians.
    pub fn turn(&self) -> f64 {
        let y = self.axis_in_orbit().cross(DVec3::X);
        let sun = self.sun_in_orbit();
        // the angle along the equator to the sun's meridian, plus the hour angle
        sun.dot(y).atan2(sun.x) + self.hour
    }

    /// Rotation from the frame of the orbit to the frame that rotates with the planet.
    pub fn planet_from_orbit(&self) -> DQuat {
        let axis = self.axis_in_orbit();
        let turn = self.turn();
        let first = DVec3::X * turn.cos() + axis.cross(DVec3::X) * turn.sin();
        DQuat::from_mat3(&DMat3::from_cols(first, axis.cross(first), axis)).inverse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sun_stands_over_its_seasonal_latitude_and_meridian() {
        for (season, latitude) in [(0.0, 0.0), (90.0, 23.4), (180.0, 0.0), (270.0, -23.4), (30.0, 11.45)] {
            for hours in [0.0, 6.0, 9.5, 12.0, 20.0] {
                let sun = Attitude::new(23.4, season, hours).to_sun();
                assert!((sun.z.asin().to_degrees() - latitude).abs() < 0.05, "{season}: {sun}");
                let longitude = sun.y.atan2(sun.x).to_degrees();
                let expected = (12.0 - hours) * 15.0;
                let away = (longitude - expected).rem_euclid(360.0);
                assert!(away.min(360.0 - away) < 1e-6, "{hours} h: {longitude}");
            }
        }
    }

    #[test]
    fn the_axis_keeps_its_direction_through_the_year() {
        for season in 0..12 {
            let attitude = Attitude::new(40.0, f64::from(season) * 30.0, 7.0);
            let north = attitude.planet_from_orbit().inverse() * DVec3::Z;
            assert!(north.distance(DVec3::new(0.0, 40f64.to_radians().sin(), 40f64.to_radians().cos())) < 1e-12);
        }
    }
}
