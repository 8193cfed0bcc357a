//! The three circulation cells on each hemisphere of a planet: wind direction, and rising or sinking air by latitude.
//!
//! Air rises at the equator and at 60° and sinks at 30° and at the poles (Hadley, Ferrel and polar cells). Near the
//! surface the air flows back and is deflected by the rotation of the planet. The resulting winds are the trade winds
//! from the east, the westerlies and the polar easterlies.

use std::f32::consts::FRAC_PI_2;

/// Surface wind at a latitude in radians: its components to the east and to the north, relative to the strongest wind.
pub fn wind(latitude: f32) -> [f32; 2] {
    let away = if latitude < 0.0 { -latitude } else { latitude };
    let side = if latitude < 0.0 { -1.0 } else { 1.0 };
    let cell = libm::sinf(6.0 * away);
    let calm = 1.0 - 0.5 * (away / FRAC_PI_2);
    // Near the equator, the trade winds of both hemispheres meet and continue together to the west.
    let doldrums = 1.0 - away / (FRAC_PI_2 / 6.0);
    let east = if doldrums > 0.0 { -(0.6 + 0.4 * cell) } else { -cell * calm };
    [east, -0.4 * cell * calm * side]
}

/// Fraction of the air's moisture that falls as rain at a latitude in radians, without the effect of mountains. It is 1
/// at the equator and at least 0.1 in sinking air.
pub fn ascent(latitude: f32) -> f32 {
    let away = if latitude < 0.0 { -latitude } else { latitude };
    let rising = 0.5 + 0.5 * libm::cosf(6.0 * away);
    0.1 + 0.9 * rising * (1.0 - 0.35 * (away / FRAC_PI_2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wind_belts_have_their_directions_and_rain() {
        for half in [1.0f32, -1.0] {
            let at = |degrees: f32| wind((half * degrees).to_radians());
            assert!(at(15.0)[0] < -0.8 && at(45.0)[0] > 0.5 && at(75.0)[0] < -0.3);
            // Surface winds blow towards the equator at 15°, towards the pole at 45° and towards the equator at 75°.
            assert!(at(15.0)[1] * half < 0.0 && at(45.0)[1] * half > 0.0 && at(75.0)[1] * half < 0.0);
            let rain = |degrees: f32| ascent((half * degrees).to_radians());
            assert!(rain(0.0) > 3.0 * rain(28.0) && rain(58.0) > 3.0 * rain(30.0) && rain(90.0) < 0.2);
        }
    }
}
