//! Position of a terrain on the globe.
//!
//! Web Mercator (EPSG:3857): x = R λ, y = R ln tan(π/4 + φ/2), on a sphere with the radius R = 6 378 137 m. λ is the
//! longitude and φ the latitude. The projection enlarges lengths by the factor 1/cos φ, equally in all directions, so
//! that a square remains a square.

use std::f64::consts::PI;

use super::WebMapError;
use crate::mesh::formats::GeoBounds;

/// Radius of the projection's sphere in metres.
const RADIUS: f64 = 6_378_137.0;
/// Half the side length of the world map, in projected metres.
pub(super) const HALF_WORLD: f64 = PI * RADIUS;
/// Latitude of the northern edge of the map, in degrees.
const LAST_LATITUDE: f64 = 85.051_128_779_806_59;

/// Position of the centre of a square terrain on the globe.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MapPosition {
    /// Longitude in degrees east, from -180 to 180.
    pub longitude: f64,
    /// Latitude in degrees north, from -85 to 85.
    pub latitude: f64,
}

/// The square that a terrain covers in Web Mercator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MercatorSquare {
    /// Position of the north-west corner, east and north of longitude 0 and latitude 0, in projected metres.
    west: f64,
    north: f64,
    /// Side length in projected metres.
    pub side: f64,
}

impl MercatorSquare {
    /// The projected square of a terrain with a side length of `side_metres`, centred at `place`.
    pub fn new(place: MapPosition, side_metres: f32) -> Result<Self, WebMapError> {
        let MapPosition { longitude, latitude } = place;
        let refused = |message: String| Err(WebMapError::Position(message));
        if !((-180.0..=180.0).contains(&longitude) && (-85.0..=85.0).contains(&latitude)) {
            return refused(format!(
                "longitude {longitude}, latitude {latitude} is not on the map, which covers -180 to 180 and -85 to 85"
            ));
        }
        if !(side_metres.is_finite() && side_metres > 0.0) {
            return refused(format!("a terrain of {side_metres} m does not fit on the map"));
        }
        let radians = latitude.to_radians();
        let side = f64::from(side_metres) / libm::cos(radians);
        let [x, y] = mercator(longitude, latitude);
        let square = Self { west: x - side / 2.0, north: y + side / 2.0, side };
        let reach = [square.west, square.west + side, square.north, square.north - side];
        if reach.iter().any(|edge| edge.abs() > HALF_WORLD) {
            return refused(format!(
                "a terrain of {side_metres} m around {longitude}, {latitude} extends beyond the map"
            ));
        }
        Ok(square)
    }

    /// Converts a projected position to a position on the terrain: u to the east and v to the south. Both are from 0 to
    /// 1 inside the terrain.
    pub fn terrain_place(&self, x: f64, y: f64) -> [f64; 2] {
        [(x - self.west) / self.side, (self.north - y) / self.side]
    }

    /// The coordinates of the west, south, east and north edge, in projected metres.
    pub fn edges(&self) -> [f64; 4] {
        [self.west, self.north - self.side, self.west + self.side, self.north]
    }

    pub fn bounds(&self) -> GeoBounds {
        let [west, south, east, north] = self.edges();
        let longitude = |x: f64| (x / RADIUS).to_degrees();
        GeoBounds { west: longitude(west), south: latitude(south), east: longitude(east), north: latitude(north) }
    }
}

/// Converts a longitude and a latitude in degrees to projected metres, clamped to the map.
pub(super) fn mercator(longitude: f64, latitude: f64) -> [f64; 2] {
    let clamped = latitude.clamp(-LAST_LATITUDE, LAST_LATITUDE).to_radians();
    [RADIUS * longitude.to_radians(), RADIUS * libm::asinh(libm::tan(clamped))]
}

/// Latitude in degrees of a projected northing.
fn latitude(y: f64) -> f64 {
    libm::atan(libm::sinh(y / RADIUS)).to_degrees()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn map_positions_invert_and_squares_keep_their_side() {
        for (longitude, latitude) in [(0.0, 0.0), (7.5, 46.5), (-120.0, -33.0), (179.0, 84.0)] {
            let place = MapPosition { longitude, latitude };
            let square = MercatorSquare::new(place, 2000.0).unwrap();
            let [x, y] = mercator(longitude, latitude);
            let [u, v] = square.terrain_place(x, y);
            assert!((u - 0.5).abs() < 1e-9 && (v - 0.5).abs() < 1e-9);
            let GeoBounds { west, south, east, north } = square.bounds();
            let metres = (east - west).to_radians() * RADIUS * libm::cos(latitude.to_radians());
            assert!((metres - 2000.0).abs() < 1e-3, "{metres}");
            let metres = (north - south).to_radians() * RADIUS;
            assert!((metres - 2000.0).abs() < 1.0, "{metres}");
        }
        assert!(MercatorSquare::new(MapPosition { longitude: 0.0, latitude: 89.0 }, 10.0).is_err());
        assert!(MercatorSquare::new(MapPosition { longitude: 179.99, latitude: 0.0 }, 10_000.0).is_err());
        assert!(MercatorSquare::new(MapPosition::default(), f32::NAN).is_err());
    }
}
