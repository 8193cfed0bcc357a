//! A square on a planet, in the azimuthal equidistant projection around its centre.
//!
//! North is up at the centre, and the map preserves distances from the centre in every direction.

use crate::field::globe::{from_angles, latitude, longitude};
use crate::field::vector::dot;

/// A square on a planet, given by its centre and its side length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Square {
    /// Longitude of the centre in degrees.
    pub longitude: f64,
    /// Latitude of the centre in degrees.
    pub latitude: f64,
    /// Side length of the square in metres.
    pub side_metres: f64,
}

/// Maximum side length of a square, as a fraction of half the planet's circumference. The corners of larger squares
/// would be too far from the centre for the projection.
const MAX_SIDE_FRACTION: f64 = 0.5;

impl Square {
    /// Maximum side length of a square on a planet, in metres.
    pub fn longest_side(radius_metres: f64) -> f64 {
        std::f64::consts::PI * radius_metres * MAX_SIDE_FRACTION
    }

    /// Unit vectors along the border, `per_side` on each side of the square. The last point repeats the first.
    pub fn border(&self, radius_metres: f64, per_side: usize) -> Vec<[f64; 3]> {
        let corners = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0), (0.0, 0.0)];
        let step = |k: usize| k as f64 / per_side as f64;
        let sides = corners.windows(2).flat_map(|pair| {
            let ((u, v), (to_u, to_v)) = (pair[0], pair[1]);
            (0..per_side).map(move |k| (u + (to_u - u) * step(k), v + (to_v - v) * step(k)))
        });
        sides.chain([corners[0]]).map(|(u, v)| self.direction(radius_metres, u, v)).collect()
    }

    /// Unit vector of the position (u, v) in the square: to the east and to the south, from 0 to 1.
    pub fn direction(&self, radius_metres: f64, u: f64, v: f64) -> [f64; 3] {
        self.frame(radius_metres).direction(u, v)
    }

    /// Precomputes the axes of the square, for the conversion of many directions.
    pub fn frame(&self, radius_metres: f64) -> SquareAxes {
        let (right, up) = self.axes();
        SquareAxes { middle: self.middle(), right, up, side_metres: self.side_metres, radius_metres }
    }

    /// Position (u, v) in the square of a direction from the planet's centre. `None` if the direction is more than 120°
    /// from the centre of the square.
    pub fn position(&self, radius_metres: f64, direction: [f64; 3]) -> Option<[f64; 2]> {
        let (right, up) = self.axes();
        let (out, east, north) = (dot(direction, self.middle()), dot(direction, right), dot(direction, up));
        if out < -0.5 {
            return None;
        }
        let level = (east * east + north * north).sqrt();
        let metres = if level < 1.0e-15 { radius_metres } else { radius_metres * libm::atan2(level, out) / level };
        Some([0.5 + east * metres / self.side_metres, 0.5 - north * metres / self.side_metres])
    }

    /// A square centred at a direction.
    pub fn centred(direction: [f64; 3], side_metres: f64) -> Self {
        Self { longitude: longitude(direction).to_degrees(), latitude: latitude(direction).to_degrees(), side_metres }
    }

    fn middle(&self) -> [f64; 3] {
        from_angles(self.latitude.to_radians(), self.longitude.to_radians())
    }

    /// Unit vectors to the east and to the north at the centre.
    fn axes(&self) -> ([f64; 3], [f64; 3]) {
        let [x, y, z] = self.middle();
        let around = self.longitude.to_radians();
        let east = [-libm::sin(around), libm::cos(around), 0.0];
        (east, [y * east[2] - z * east[1], z * east[0] - x * east[2], x * east[1] - y * east[0]])
    }
}

/// A square with precomputed axes, for the conversion of many positions.
#[derive(Clone, Copy, Debug)]
pub struct SquareAxes {
    middle: [f64; 3],
    right: [f64; 3],
    up: [f64; 3],
    side_metres: f64,
    radius_metres: f64,
}

/// Squared angle, in squared radians, below which four terms of the series give sine and cosine to the last bit.
const SMALL: f64 = 1.0e-4;

impl SquareAxes {
    /// Position of sample `k` of `samples` along a side, from 0 to 1.
    pub fn position(&self, k: usize, samples: usize) -> f64 {
        k as f64 / (samples - 1) as f64
    }

    /// Unit vector of the position (u, v); equal to the result of [`Square::direction`].
    #[inline]
    pub fn direction(&self, u: f64, v: f64) -> [f64; 3] {
        let (east, south) = ((u - 0.5) * self.side_metres, (v - 0.5) * self.side_metres);
        let way = east * east + south * south;
        let square = way / (self.radius_metres * self.radius_metres);
        let (along, out) = if square < SMALL {
            let sine = 1.0 - square / 6.0 * (1.0 - square / 20.0 * (1.0 - square / 42.0));
            let cosine = 1.0 - square / 2.0 * (1.0 - square / 12.0 * (1.0 - square / 30.0));
            (sine / self.radius_metres, cosine)
        } else {
            let (distance, angle) = (way.sqrt(), square.sqrt());
            (libm::sin(angle) / distance, libm::cos(angle))
        };
        let Self { middle, right, up, .. } = self;
        std::array::from_fn(|k| middle[k] * out + (right[k] * east - up[k] * south) * along)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_directions_are_inverse_and_north_is_up() {
        let square = Square { longitude: 170.0, latitude: 60.0, side_metres: 2.0e6 };
        let radius = 6.371e6;
        for (u, v) in [(0.5, 0.5), (0.0, 0.0), (1.0, 0.3), (0.2, 0.9)] {
            let [x, y] = square.position(radius, square.direction(radius, u, v)).unwrap();
            assert!((x - u).abs() < 1e-9 && (y - v).abs() < 1e-9, "{u}, {v} became {x}, {y}");
        }
        assert!(latitude(square.direction(radius, 0.5, 0.0)) > latitude(square.direction(radius, 0.5, 0.5)));
        // The projection preserves distances: half of the side length is 1000 km to the north.
        let up = latitude(square.direction(radius, 0.5, 0.0)) - 60f64.to_radians();
        assert!((up * radius - 1.0e6).abs() < 1.0);
        assert_eq!(square.position(radius, square.direction(radius, 0.5, 0.5).map(|c| -c)), None);
    }
}
