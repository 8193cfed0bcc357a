//! Scene-wide settings.

use crate::field::{Edges, Voids};
use crate::planet::World;

crate::choices! {
    /// State of the sky, for the light of the 3D view; heights do not depend on it.
    SkyCondition {
        Clear "Clear": "Sun and blue sky; red when the sun is low.",
        Overcast "Overcast": "Even grey light, hardly any shadows.",
        Twilight "Blue hour": "The sun is down: bluish light from the sky alone.",
        Moonlight "Moonlight": "A clear night; the moon takes the position of the sun.",
    }
}

crate::choices! {
    /// How the sun of a square terrain is placed; heights do not depend on it.
    SunPlacement {
        Angles "Direction and height": "The sun's direction and height are set directly.",
        Time "Time of day": "Hour, day and latitude place the sun; after sunset come the blue hour and then moonlight.",
    }
}

crate::choices! {
    /// Surroundings of a square terrain in the 3D view.
    Surroundings {
        Block "Block": "The terrain is a block with cut sides.",
        Land "Endless land": "The terrain continues to the horizon, mirrored at its edges.",
        Sea "Sea": "The terrain lies in a sea that reaches to the horizon.",
    }
}

crate::params! {
    /// Scene-wide settings: the size of the terrain, the seed, the sea and the sun.
    Settings "Scene" in "Scene" {
        /// A square terrain or a whole planet.
        world: World = World::Terrain;
        /// Changes every random value of the scene at once.
        seed: u32 = 1, 0..=u32::MAX, slider 0..=9999;
        /// Samples per side (on a planet: of each of the six faces); doubling it takes four times the time and memory.
        resolution: u32 ["samples"] = 513, 2..=16_384, slider 65..=4097;
        /// Side length of the terrain.
        size_metres: f32 ["m"] = 8000.0, 1.0..=1_000_000.0, slider 500.0..=50_000.0 => |scene| scene.world == World::Terrain;
        /// Height in metres of the value 1.0: scales all heights of the terrain.
        relief_metres as "Height scale": f32 ["m"] = 1800.0, 0.1..=100_000.0, slider 50.0..=20_000.0;
        /// Height of the sea surface.
        sea_level: f32 ["m"] = 0.0, -100_000.0..=100_000.0, slider -500.0..=2000.0;
        /// Behaviour of the terrain at its edges.
        edges: Edges = Edges::Open => |scene| scene.world == World::Terrain;
        /// Behaviour of water and rock at voids: areas without data of imported heights that are cut out, the outside
        /// of a triangle and other samples without ground. Water routing and erosion read it.
        voids: Voids = Voids::Cross => |scene| scene.world == World::Terrain;
        /// How the sun is placed.
        sun: SunPlacement = SunPlacement::Angles => |scene| scene.world == World::Terrain;
        /// Direction of the sun, clockwise from north.
        sun_azimuth: f32 ["°"] = 315.0, 0.0..=360.0 => |scene| !scene.sun_follows_time();
        /// Height of the sun above the horizon.
        sun_elevation: f32 ["°"] = 40.0, 1.0..=90.0, slider 5.0..=90.0 => |scene| !scene.sun_follows_time();
        /// Solar time in hours: the sun stands highest at 12.
        hour: f32 ["h"] = 9.0, 0.0..=24.0 => |scene| scene.sun_follows_time();
        /// Day of the year: 80 is the spring equinox, 172 the longest day in the north, 355 the shortest. The sunshine
        /// maps use it as well.
        day: u32 = 172, 1..=365 => |scene| scene.world == World::Terrain;
        /// Degrees north of the equator: sets the length of the day and how high the sun climbs. The sunshine maps use
        /// it as well.
        latitude: f32 ["°"] = 46.0, -90.0..=90.0 => |scene| scene.world == World::Terrain;
        /// State of the sky.
        sky: SkyCondition = SkyCondition::Clear => |scene| scene.world == World::Terrain;
        /// Amount of haze in the air: 1 is a clear day, higher hides distant terrain.
        haze: f32 = 1.0, 0.0..=50.0, slider 0.0..=10.0 => |scene| scene.world == World::Terrain;
        /// Density of the fog over the lowest ground or the sea: 3 limits the view to about 1 km, 0 is no fog.
        fog: f32 ["1/km"] = 0.0, 0.0..=1000.0, slider 0.0..=5.0 => |scene| scene.world == World::Terrain;
        /// Height over which the fog thins to about a third: higher reaches further up the slopes.
        fog_height: f32 ["m"] = 150.0, 1.0..=20_000.0, slider 10.0..=1500.0 => |scene| scene.has_fog();
        /// Direction from which the wind blows, clockwise from north; waves run with the wind.
        wind_from: f32 ["°"] = 250.0, 0.0..=360.0 => |scene| scene.world == World::Terrain;
        /// Wind speed: faster wind makes the sea and the lakes rougher and the glint of the sun wider.
        wind: f32 ["m/s"] = 6.0, 0.0..=60.0, slider 0.0..=20.0 => |scene| scene.world == World::Terrain;
        /// Fraction of the sky that clouds cover; they also cast shadows, and they do not move.
        clouds: f32 ["share"] = 0.0, 0.0..=1.0 => |scene| scene.world == World::Terrain;
        /// Brightens views of shaded terrain by up to three stops, as eyes adapt; sunlit views do not change.
        auto_exposure: bool = true;
        /// Brightness of the view in stops: +1 doubles it; pictures from above do not change.
        exposure: f32 ["EV"] = 0.0, -10.0..=10.0, slider -3.0..=3.0;
        /// Surroundings of the terrain in the 3D view.
        surroundings: Surroundings = Surroundings::Block => |scene| scene.world == World::Terrain;
    }
}

impl Settings {
    /// Whether the world is a planet.
    pub fn is_planet(&self) -> bool {
        self.world == World::Planet
    }

    /// Relief divided by side length: converts a slope in the units of papers (fraction of the relief per fraction of
    /// the side) to the tangent of the slope angle.
    pub fn relief_over_size(&self) -> f32 {
        self.relief_metres / self.size_metres
    }

    /// Whether hour, day and latitude place the sun.
    pub fn sun_follows_time(&self) -> bool {
        self.world == World::Terrain && self.sun == SunPlacement::Time
    }

    /// Whether a square terrain has fog.
    pub fn has_fog(&self) -> bool {
        self.world == World::Terrain && self.fog > 0.0
    }

    /// The light source of a square terrain and the state of the sky, either as set directly or from the time of day.
    ///
    /// The sun's declination follows Cooper 1969, *The absorption of radiation in solar stills*. The sun's elevation
    /// and azimuth follow from the spherical triangle of pole, zenith and sun. While the sun is up to 8 degrees below
    /// the horizon, a clear sky has the light of the blue hour. With a lower sun, the moon is opposite the sun.
    pub fn light_source(&self) -> LightSource {
        if !self.sun_follows_time() {
            let (azimuth_degrees, elevation_degrees) = (self.sun_azimuth, self.sun_elevation);
            return LightSource { azimuth_degrees, elevation_degrees, sky: self.sky };
        }
        let (azimuth, elevation) = sun_at(self.hour, self.day, self.latitude);
        let opposite = (azimuth + 180.0) % 360.0;
        let (azimuth_degrees, elevation, sky) = match self.sky {
            SkyCondition::Clear if elevation < TWILIGHT_ENDS => (opposite, -elevation, SkyCondition::Moonlight),
            SkyCondition::Clear if elevation < 0.0 => (azimuth, LOWEST_SUN, SkyCondition::Twilight),
            sky => (azimuth, elevation, sky),
        };
        LightSource { azimuth_degrees, elevation_degrees: elevation.max(LOWEST_SUN), sky }
    }

    /// Unit vector towards the sun; its components point east, up and south.
    pub fn sun_direction(&self) -> [f32; 3] {
        let LightSource { azimuth_degrees, elevation_degrees, .. } = self.light_source();
        let (azimuth, elevation) = (azimuth_degrees.to_radians(), elevation_degrees.to_radians());
        let level = libm::cosf(elevation);
        [libm::sinf(azimuth) * level, libm::sinf(elevation), -libm::cosf(azimuth) * level]
    }
}

/// The light source over a square terrain: the sun or the moon.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LightSource {
    /// Direction of the light source in degrees, clockwise from north, 0 to 360.
    pub azimuth_degrees: f32,
    /// Angle above the horizon in degrees, [`LOWEST_SUN`] to 90.
    pub elevation_degrees: f32,
    /// State of the sky.
    pub sky: SkyCondition,
}

/// Minimum elevation of the light source, in degrees.
pub const LOWEST_SUN: f32 = 1.0;
/// Elevation of the sun in degrees at which twilight ends. Below this elevation there is no daylight.
const TWILIGHT_ENDS: f32 = -8.0;
/// Tilt of the Earth's axis in degrees.
const OBLIQUITY: f32 = 23.45;

/// Azimuth (clockwise from north) and elevation of the sun in degrees, for a solar hour, a day of the year and a
/// latitude.
fn sun_at(hour: f32, day: u32, latitude: f32) -> (f32, f32) {
    let [east, north, up] = direction_to_sun(hour, day, latitude);
    let azimuth = libm::atan2f(east, north).to_degrees();
    (if azimuth < 0.0 { azimuth + 360.0 } else { azimuth }, libm::asinf(up.clamp(-1.0, 1.0)).to_degrees())
}

/// Unit vector towards the sun, also below the horizon, for a solar hour, a day of the year and a latitude in degrees;
/// its components point east, north and up. The sun's declination follows Cooper 1969.
pub fn direction_to_sun(hour: f32, day: u32, latitude: f32) -> [f32; 3] {
    let declination = (OBLIQUITY * libm::sinf(std::f32::consts::TAU * (284.0 + day as f32) / 365.0)).to_radians();
    let (latitude, turned) = (latitude.to_radians(), (15.0 * (hour - 12.0)).to_radians());
    let (sin_latitude, cos_latitude) = (libm::sinf(latitude), libm::cosf(latitude));
    let (sin_declination, cos_declination) = (libm::sinf(declination), libm::cosf(declination));
    let up = sin_latitude * sin_declination + cos_latitude * cos_declination * libm::cosf(turned);
    let east = -cos_declination * libm::sinf(turned);
    let north = cos_latitude * sin_declination - sin_latitude * cos_declination * libm::cosf(turned);
    [east, north, up]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings_at(hour: f32, day: u32, latitude: f32) -> Settings {
        Settings { sun: SunPlacement::Time, hour, day, latitude, ..Settings::default() }
    }

    /// Known values: at noon the elevation is 90° - latitude + declination; at the equinoxes the sun rises in the east
    /// at six; beyond the polar circle the sun does not set at midsummer.
    #[test]
    fn the_sun_stands_where_the_almanac_has_it() {
        let near = |a: f32, b: f32| assert!((a - b).abs() < 0.6, "{a} {b}");
        let greenwich = settings_at(12.0, 172, 51.48).light_source();
        near(greenwich.elevation_degrees, 61.96);
        near(greenwich.azimuth_degrees, 180.0);
        near(settings_at(12.0, 355, 51.48).light_source().elevation_degrees, 15.09);
        near(settings_at(12.0, 172, -33.9).light_source().azimuth_degrees % 360.0, 0.0);
        let (azimuth, elevation) = sun_at(6.0, 80, 46.0);
        near(azimuth, 90.0);
        near(elevation, 0.0);
        assert!(sun_at(0.0, 172, 70.0).1 > 0.0);
        // Sunrise in Zurich on the longest day, computed from its 15 h 55 min of daylight in the almanac of the Swiss
        // Federal Office.
        let rises =
            (0..1440).map(|minute| minute as f32 / 60.0).find(|hour| sun_at(*hour, 172, 47.4).1 > -0.83).unwrap();
        near(2.0 * (12.0 - rises), 15.92);
    }

    #[test]
    fn after_sunset_comes_the_blue_hour_and_then_the_moon() {
        let sky = |hour: f32| settings_at(hour, 80, 46.0).light_source().sky;
        assert_eq!([12.0, 18.4, 23.0].map(sky), [SkyCondition::Clear, SkyCondition::Twilight, SkyCondition::Moonlight]);
        let night = settings_at(24.0, 80, 46.0);
        assert!(night.sun_direction()[1] > 0.5, "the moon stands high at midnight: {:?}", night.sun_direction());
        let overcast = Settings { sky: SkyCondition::Overcast, ..settings_at(23.0, 80, 46.0) };
        assert_eq!(overcast.light_source().sky, SkyCondition::Overcast);
    }
}
