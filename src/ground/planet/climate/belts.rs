//! The three cells of air on each half of a planet: where wind blows from, and where air rises or sinks.
//!
//! Air rises at the equator and at 60°, sinks at 30° and at the poles (Hadley, Ferrel and polar cells). Near the ground
//! it flows back, and the planet's turning bends it: trade winds from the east, westerlies, polar easterlies.

use std::f32::consts::FRAC_PI_2;

/// Wind near the ground at a latitude in radians: to the east and to the north, 1 the strongest.
pub fn wind(latitude: f32) -> [f32; 2] {
    let away = if latitude < 0.0 { -latitude } else { latitude };
    let side = if latitude < 0.0 { -1.0 } else { 1.0 };
    let cell = libm::sinf(6.0 * away);
    let calm = 1.0 - 0.5 * (away / FRAC_PI_2);
    // the trades of both halves meet at the equator and go on to the west together
    let doldrums = 1.0 - away / (FRAC_PI_2 / 6.0);
    let east = if doldrums > 0.0 { -(0.6 + 0.4 * cell) } else { -cell * calm };
    [east, -0.4 * cell * calm * side]
}

/// Share of the moisture in the air that falls as rain where nothing but the belts acts: 0.1 under sinking air, 1 at
/// the equator.
pub fn ascent(latitude: f32) -> f32 {
    let away = if latitude < 0.0 { -latitude } else { latitude };
    let rising = 0.5 + 0.5 * libm::cosf(6.0 * away);
    0.1 + 0.9 * rising * (1.0 - 0.35 * (away / FRAC_PI_2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trades_westerlies_and_polar_easterlies_blow_where_they_should() {
        for half in [1.0f32, -1.0] {
            let at = |degrees: f32| wind((half * degrees).to_radians());
            assert!(at(15.0)[0] < -0.8 && at(45.0)[0] > 0.5 && at(75.0)[0] < -0.3);
            // towards the equator, towards the pole, towards the equator
            assert!(at(15.0)[1] * half < 0.0 && at(45.0)[1] * half > 0.0 && at(75.0)[1] * half < 0.0);
            let rain = |degrees: f32| ascent((half * degrees).to_radians());
            assert!(rain(0.0) > 3.0 * rain(28.0) && rain(58.0) > 3.0 * rain(30.0) && rain(90.0) < 0.2);
        }
    }
}
