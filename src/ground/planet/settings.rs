//! What holds for a planet as a whole.

use std::f32::consts::FRAC_PI_2;

crate::choices! {
    /// What the scene shows.
    World {
        Terrain "Terrain": "A square of ground.",
        Planet "Planet": "A whole planet. Layers that need a square are left out.",
    }
}

crate::choices! {
    /// What the air is made of.
    Air {
        Nitrogen "Nitrogen": "Blue by day and red at dusk, as on Earth.",
        Dust "Dust": "Butterscotch by day and bluish around a setting sun, as on Mars.",
        Methane "Methane": "An orange haze, as on Titan.",
        Carbon "Carbon dioxide": "A pale yellow overcast, as on Venus.",
    }
}

crate::params! {
    /// What holds for the whole planet: its size, its air, and how it stands to the sun.
    Planet "Planet" in "Planet" {
        /// Radius at height 0.
        radius_metres: f32 ["m"] = 6_371_000.0, 1000.0..=1.0e9, slider 200_000.0..=20_000_000.0;
        /// Density of the air; 1 is Earth's. Thick air lets continents grow; in thin air craters cover the ground.
        atmosphere: f32 = 1.0, 0.0..=100.0, slider 0.0..=2.0;
        /// What the air is made of. It changes the colour of the sky, not the ground.
        air: Air = Air::Nitrogen => |planet| planet.atmosphere > 0.0;
        /// How far the axis leans from upright on the orbit. More makes stronger seasons.
        axial_tilt: f32 ["°"] = 23.4, 0.0..=180.0, slider 0.0..=90.0;
        /// Where the planet stands on its orbit: 0 is the northern spring equinox, 90 the northern midsummer.
        season: f32 ["°"] = 0.0, 0.0..=360.0;
        /// Time of day at longitude 0.
        hour: f32 ["h"] = 12.0, 0.0..=24.0;
    }
}

impl Planet {
    /// Length of a side of a face: a quarter of the way around.
    pub fn side_metres(&self) -> f32 {
        self.radius_metres * FRAC_PI_2
    }

    /// How much the air keeps stones out and wears the ground down: 0 without air, half at a tenth of Earth's, near 1
    /// from Earth's on.
    pub fn shelter(&self) -> f32 {
        let air = self.atmosphere;
        air / (air + 0.1)
    }

    /// Latitude where the sun stands in the zenith at noon, in radians.
    pub fn declination(&self) -> f32 {
        libm::asinf(libm::sinf(self.axial_tilt.to_radians()) * libm::sinf(self.season.to_radians()))
    }

    /// Unit vector towards the sun, in the planet's own axes (+Z is the north pole, +X longitude 0).
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
        assert!(summer.sun_direction()[1] < -0.9, "in the evening the sun stands in the west");
        assert_eq!(Planet { atmosphere: 0.0, ..Planet::default() }.shelter(), 0.0);
    }
}
