//! Settings of a whole planet: size, air, position relative to the sun.

use std::f32::consts::FRAC_PI_2;

crate::choices! {
    /// Whether the scene is a square terrain or a planet.
    World {
        Terrain "Terrain": "A square terrain.",
        Planet "Planet": "A whole planet. Layers that need a square terrain are skipped.",
    }
}

crate::choices! {
    /// Composition of the air.
    Air {
        Nitrogen "Nitrogen": "The sky is blue by day and red at dusk, as on Earth.",
        Dust "Dust": "The sky is butterscotch by day and bluish around a setting sun, as on Mars.",
        Methane "Methane": "An orange haze fills the sky, as on Titan.",
        Carbon "Carbon dioxide": "Pale yellow clouds cover the sky, as on Venus.",
    }
}

crate::params! {
    /// Planet-wide settings: size, air and position relative to the sun.
    Planet "Planet" in "Planet" {
        /// Radius of the planet at height 0. A greater radius makes the whole terrain larger.
        radius_metres: f32 ["m"] = 6_371_000.0, 1000.0..=1.0e9, slider 200_000.0..=20_000_000.0;
        /// Density of the air; 1 is the density of Earth's air. Thick air lets continents grow; in thin air craters
        /// cover the surface.
        atmosphere: f32 = 1.0, 0.0..=100.0, slider 0.0..=2.0;
        /// Composition of the air. It changes the colour of the sky, not the terrain.
        air: Air = Air::Nitrogen => |planet| planet.atmosphere > 0.0;
        /// Tilt of the axis against the orbit. A greater tilt makes stronger seasons.
        axial_tilt: f32 ["°"] = 23.4, 0.0..=180.0, slider 0.0..=90.0;
        /// Position of the planet on its orbit: 0 is the northern spring equinox, 90 the northern midsummer.
        season: f32 ["°"] = 0.0, 0.0..=360.0;
        /// Time of day at longitude 0.
        hour: f32 ["h"] = 12.0, 0.0..=24.0;
    }
}

impl Planet {
    /// Side length of a face: a quarter of the planet's circumference.
    pub fn side_metres(&self) -> f32 {
        self.radius_metres * FRAC_PI_2
    }

    /// Strength, from 0 to 1, with which the air shields the surface from impacts and erodes the surface. The strength
    /// is 0 without air, ½ at a tenth of Earth's density, and near 1 at Earth's density or more.
    pub fn air_shielding(&self) -> f32 {
        let air = self.atmosphere;
        air / (air + 0.1)
    }

    /// Latitude at which the sun is at the zenith at noon, in radians.
    pub fn declination(&self) -> f32 {
        libm::asinf(libm::sinf(self.axial_tilt.to_radians()) * libm::sinf(self.season.to_radians()))
    }

    /// Unit vector towards the sun in planet coordinates (+Z is the north pole, +X longitude 0).
    pub fn sun_direction(&self) -> [f32; 3] {
        let declination = self.declination();
        let longitude = (180.0 - 15.0 * self.hour).to_radians();
        let level = libm::cosf(declination);
        [level * libm::cosf(longitude), level * libm::sinf(longitude), libm::sinf(declination)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sun_stands_where_the_season_and_the_hour_say() {
        let noon = Planet::default().sun_direction();
        assert!((noon[0] - 1.0).abs() < 1e-6, "noon of the equinox at longitude 0: {noon:?}");
        let summer = Planet { season: 90.0, hour: 18.0, ..Planet::default() };
        assert!((summer.declination().to_degrees() - 23.4).abs() < 1e-3);
        assert!(summer.sun_direction()[1] < -0.9, "in the evening the sun must be in the west");
        assert_eq!(Planet { atmosphere: 0.0, ..Planet::default() }.air_shielding(), 0.0);
    }
}
