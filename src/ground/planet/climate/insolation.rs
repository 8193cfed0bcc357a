//! Sunlight by latitude and season.
//!
//! Equation: Q is the daily mean of the sunlight on level terrain, as a fraction of vertical sunlight. It follows from
//! the latitude φ, the sun's declination δ and the hour angle H of sunset: Q = (H sin φ sin δ + cos φ cos δ sin H) / π,
//! with cos H = -tan φ tan δ. The declination follows from the axial tilt ε and the longitude λ on the orbit: sin δ =
//! sin ε sin λ. The orbit is a circle.
//!
//! Source: Berger 1978; any textbook of climatology.

use std::f32::consts::{PI, TAU};

/// Daily mean of the sunlight, as a fraction of vertical sunlight, at a latitude and for a declination of the sun. Both
/// angles are in radians.
pub fn daily_mean(latitude: f32, declination: f32) -> f32 {
    let (up, level) = (libm::sinf(latitude) * libm::sinf(declination), libm::cosf(latitude) * libm::cosf(declination));
    // The three cases are polar day, polar night, and a day with sunrise and sunset.
    let sunset = if up >= level {
        PI
    } else if up <= -level {
        0.0
    } else {
        libm::acosf(-up / level)
    };
    let mean = (sunset * up + level * libm::sinf(sunset)) / PI;
    if mean > 0.0 { mean } else { 0.0 }
}

/// Declination of the sun for a position on the orbit, given as the longitude since the spring equinox. All angles are
/// in radians.
pub fn declination(tilt: f32, season: f32) -> f32 {
    libm::asinf((libm::sinf(tilt) * libm::sinf(season)).clamp(-1.0, 1.0))
}

/// Mean sunlight over the year at a latitude, for an axial tilt; both angles in radians.
pub fn yearly_mean(latitude: f32, tilt: f32) -> f32 {
    const DAYS: usize = 72;
    let day = |k: usize| daily_mean(latitude, declination(tilt, (k as f32 + 0.5) * (TAU / DAYS as f32)));
    (0..DAYS).map(day).sum::<f32>() / DAYS as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn earth_has_the_sunlight_of_the_tables() {
        // The mean over a sphere is a quarter of the solar constant. Berger gives 0.3053 of the constant at the equator
        // and 0.1266 at the pole, for an axial tilt of 23.44°.
        let tilt = 23.44f32.to_radians();
        assert!((yearly_mean(0.0, tilt) - 0.3053).abs() < 1e-3);
        assert!((yearly_mean(PI / 2.0, tilt) - 0.1266).abs() < 1e-3);
        let rows = 900;
        let sphere = (0..rows).map(|k| ((k as f32 + 0.5) / rows as f32 - 0.5) * PI);
        let mean: f32 = sphere.map(|a| yearly_mean(a, tilt) * libm::cosf(a)).sum::<f32>() * PI / rows as f32 / 2.0;
        assert!((mean - 0.25).abs() < 1e-3, "{mean}");
        // At midsummer the pole gets more sunlight than the equator. At midwinter the pole gets no sunlight.
        assert!(daily_mean(PI / 2.0, tilt) > daily_mean(0.0, tilt));
        assert_eq!(daily_mean(PI / 2.0, -tilt), 0.0);
        // If the axial tilt exceeds 54°, the poles get more sunlight than the equator over the year.
        assert!(yearly_mean(PI / 2.0, 1.2) > yearly_mean(0.0, 1.2));
    }
}
