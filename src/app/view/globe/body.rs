//! The properties of a planet that the view needs to draw it.

use super::sun::Attitude;
use talweg::planet::{Air, Planet};

/// Returns three properties of a kind of air: its scattering of red, green and blue, the colour of its sky light, and
/// its amount of ozone. Scattering and ozone are relative to the Earth.
fn colours(air: Air) -> ([f64; 3], [f32; 3], f64) {
    match air {
        Air::Nitrogen => ([1.0, 1.0, 1.0], [0.42, 0.62, 1.0], 1.0),
        Air::Dust => ([4.2, 1.25, 0.28], [0.95, 0.72, 0.48], 0.0),
        Air::Methane => ([5.0, 1.0, 0.12], [1.0, 0.62, 0.25], 0.0),
        Air::Carbon => ([3.2, 1.15, 0.33], [1.0, 0.86, 0.58], 0.0),
    }
}

/// The properties of a planet, apart from its terrain, that the view needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanetAppearance {
    pub attitude: Attitude,
    /// Density of the air, relative to the Earth.
    pub air_density: f32,
    /// Scattering of red, green and blue by clear air, relative to the Earth's air.
    pub air_tint: [f64; 3],
    /// Amount of ozone, relative to the Earth.
    pub ozone: f64,
    /// Colour of the sky light.
    pub sky: [f32; 3],
}

impl Default for PlanetAppearance {
    fn default() -> Self {
        Self::from_planet(&Planet::default())
    }
}

impl PlanetAppearance {
    pub fn from_planet(planet: &Planet) -> Self {
        let [tilt, season, hour] = [planet.axial_tilt, planet.season, planet.hour].map(f64::from);
        let (air_tint, sky, ozone) = colours(planet.air);
        Self { attitude: Attitude::new(tilt, season, hour), air_density: planet.atmosphere, air_tint, ozone, sky }
    }
}
