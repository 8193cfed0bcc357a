//! Where a terrain lies on the globe.
//!
//! Web Mercator (EPSG:3857): x = R λ, y = R ln tan(π/4 + φ/2), on a sphere of R = 6 378 137 m. Lengths grow with the
//! latitude φ by 1/cos φ, which is the same to all sides, so that a square stays one.

use std::f64::consts::PI;

use super::WebMapError;
use crate::mesh::formats::GeoBounds;

/// Radius of the sphere in metres.
const RADIUS: f64 = 6_378_137.0;
/// Half the side of the map in metres of the projection.
pub(super) const HALF_WORLD: f64 = PI * RADIUS;
/// Latitude where the map ends.
const LAST_LATITUDE: f64 = 85.051_128_779_806_59;

/// The middle of a square terrain on the globe.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MapPlace {
    /// Degrees to the east, from -180 to 180.
    pub longitude: f64,
    /// Degrees to the north, from -85 to 85.
    pub latitude: f64,
}

/// A square in Web Mercator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MercatorSquare {
    /// The north-west corner in metres of the projection.
    west: f64,
    north: f64,
    /// Side in metres of the projection.
    pub side: f64,
}

impl MercatorSquare {
    /// A square of `side_metres` on the ground around a place.
    pub fn new(place: MapPlace, side_metres: f32) -> Result<Self, WebMapError> {
        let MapPlace { longitude, latitude } = place;
        let refused = |message: String| Err(WebMapError::Place(message));
        if !((-180.0..=180.0).contains(&longitude) && (-85.0..=85.0).contains(&latitude)) {
            return refused(format!(
                "longitude {longitude}, latitude {latitude} is not on the map: it goes from -180 to 180 and from -85 to 85"
            ));
        }
        if !(side_metres.is_finite() && side_metres > 0.0) {
            return refused(format!("a terrain of {side_metres} m has no place on the map"));
        }
        let radians = latitude.to_radians();
        let side = f64::from(side_metres) / libm::cos(radians);
        let [x, y] = mercator(longitude, latitude);
        let square = Self { west: x - side / 2.0, north: y + side / 2.0, side };
        let reach = [square.west, square.west + side, square.north, square.north - side];
        if reach.iter().any(|edge| edge.abs() > HALF_WORLD) {
            return refused(format!("a terrain of {side_metres} m around {longitude}, {latitude} goes beyond the map"));
        }
        Ok(square)
    }

    /// Place on the terrain of a place of the projection: u to the east, v to the south, from 0 to 1 within it.
    pub fn terrain_place(&self, x: f64, y: f64) -> [f64; 2] {
        [(x - self.west) / self.side, (self.north - y) / self.side]
    }

    /// The edges: west, south, east, north, in metres of the projection.
    pub fn edges(&self) -> [f64; 4] {
        [self.west, self.north - self.side, self.west + self.side, self.north]
    }

    pub fn bounds(&self) -> GeoBounds {
        let [west, south, east, north] = self.edges();
        let longitude = |x: f64| (x / RADIUS).to_degrees();
        GeoBounds { west: longitude(west), south: latitude(south), east: longitude(east), north: latitude(north) }
    }
}

/// Metres of the projection; what is beyond the map lies on its edge.
pub(super) fn mercator(longitude: f64, latitude: f64) -> [f64; 2] {
    let clamped = latitude.clamp(-LAST_LATITUDE, LAST_LATITUDE).to_radians();
    [RADIUS * longitude.to_radians(), RADIUS * libm::asinh(libm::tan(clamped))]
}

/// Latitude in degrees of a height on the map.
fn latitude(y: f64) -> f64 {
    libm::atan(libm::sinh(y / RADIUS)).to_degrees()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_again_and_squares_have_their_side_on_the_ground() {
        for (longitude, latitude) in [(0.0, 0.0), (7.5, 46.5), (-120.0, -33.0), (179.0, 84.0)] {
            let place = MapPlace { longitude, latitude };
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
        assert!(MercatorSquare::new(MapPlace { longitude: 0.0, latitude: 89.0 }, 10.0).is_err());
        assert!(MercatorSquare::new(MapPlace { longitude: 179.99, latitude: 0.0 }, 10_000.0).is_err());
        assert!(MercatorSquare::new(MapPlace::default(), f32::NAN).is_err());
    }
}
