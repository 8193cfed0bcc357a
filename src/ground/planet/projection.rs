//! Projections of the cube-sphere to maps: an equirectangular map of the whole planet, or the six faces.
//!
//! The equirectangular map follows Petitprez 2007 and is a cylindrical projection. Its columns are longitudes from
//! -180° to 180°, and its rows are latitudes from the north pole to the south pole. Beyond its left and right edges the
//! map continues at the opposite edge; beyond a pole it continues half a turn away
//! ([`wrapped`](Equirectangular::wrapped), as in Petitprez 2007). Fields are interpolated on the sphere, so the map has
//! no seam and no discontinuity at the poles. Only the projection itself stretches features near the poles.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use rayon::prelude::*;

use crate::field::Globe;
use crate::field::globe::{equirectangular, from_angles};

/// Suffixes that stand for the six faces in file names, in the order of the faces.
pub const FACE_NAMES: [&str; 6] = ["px", "nx", "py", "ny", "pz", "nz"];

crate::choices! {
    /// Whether the samples of a map are areas or points.
    Registration {
        Pixel "Pixel": "Samples are areas: the first column is half a step east of -180°, the first row half a step south of the north pole.",
        Grid "Grid": "Samples are points: the first and last column are both at ±180°, the first and last row are at the poles.",
    }
}

/// An equirectangular map of the whole planet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Equirectangular {
    /// Number of samples per row, around the planet.
    pub width: usize,
    /// Number of rows, from the north pole to the south pole.
    pub height: usize,
    /// Whether the samples of the map are areas or points.
    pub registration: Registration,
}

impl Equirectangular {
    /// A map with the same number of samples per row as there are around the planet's equator. `samples` is the number
    /// of samples along a side of a face.
    pub fn for_samples(samples: usize) -> Self {
        let width = 4 * (samples - 1);
        Self { width, height: width / 2, registration: Registration::Pixel }
    }

    /// Unit vector of the sample at a column and row.
    pub fn direction(&self, column: usize, row: usize) -> [f64; 3] {
        from_angles(self.latitude(row), self.longitude(column))
    }

    fn longitude(&self, column: usize) -> f64 {
        match self.registration {
            Registration::Pixel => (column as f64 + 0.5) / self.width as f64 * TAU - PI,
            // The modulo gives the last column the same bits as the first.
            Registration::Grid => (column % (self.width - 1)) as f64 / (self.width - 1) as f64 * TAU - PI,
        }
    }

    fn latitude(&self, row: usize) -> f64 {
        match self.registration {
            Registration::Pixel => FRAC_PI_2 - (row as f64 + 0.5) / self.height as f64 * PI,
            Registration::Grid => FRAC_PI_2 - row as f64 / (self.height - 1) as f64 * PI,
        }
    }

    /// Precomputed unit vectors of all samples.
    pub fn directions(&self) -> Directions {
        let meridian = |column: usize| {
            let [x, y, _] = from_angles(0.0, self.longitude(column));
            [x, y]
        };
        let parallel = |row: usize| {
            let [level, _, z] = from_angles(self.latitude(row), 0.0);
            [level, z]
        };
        Directions {
            meridians: (0..self.width).map(meridian).collect(),
            parallels: (0..self.height).map(parallel).collect(),
        }
    }

    /// Returns the result of `value` for the direction of every sample, row by row.
    pub fn map<T: Send>(&self, value: impl Fn([f64; 3]) -> T + Sync) -> Vec<T> {
        let directions = self.directions();
        (0..self.width * self.height)
            .into_par_iter()
            .map(|k| value(directions.direction(k % self.width, k / self.width)))
            .collect()
    }

    /// Returns the value of a globe's `field` at every sample of the map.
    pub fn field(&self, globe: &Globe, field: &[f32]) -> Vec<f32> {
        self.map(|direction| globe.sample(field, direction))
    }

    /// Column and row of a direction on the map, which can be between samples. This is the inverse of
    /// [`direction`](Self::direction).
    pub fn map_position(&self, direction: [f64; 3]) -> [f64; 2] {
        let [u, v] = equirectangular(direction);
        match self.registration {
            Registration::Pixel => [u * self.width as f64 - 0.5, v * self.height as f64 - 0.5],
            Registration::Grid => [u * (self.width - 1) as f64, v * (self.height - 1) as f64],
        }
    }

    /// The sample that continues the map at a column and row beyond its edges: columns wrap around, and rows beyond a
    /// pole continue half a turn away.
    pub fn wrapped(&self, column: isize, row: isize) -> (usize, usize) {
        // Number of samples per full turn, and the sum of the indices of a row and of its mirror image at the north
        // pole.
        let (turn, mirror) = match self.registration {
            Registration::Pixel => (self.width as isize, -1),
            Registration::Grid => (self.width as isize - 1, 0),
        };
        let height = self.height as isize;
        let over = |row: isize| (column + turn / 2, row);
        let (column, row) = match row {
            row if row < 0 => over(mirror - row),
            row if row >= height => over(2 * (height - 1) - mirror - row),
            row => (column, row),
        };
        (column.rem_euclid(turn) as usize, row.clamp(0, height - 1) as usize)
    }
}

/// Unit vectors of all samples of a map, computed from tables for its rows and columns.
pub struct Directions {
    /// Cosine and sine of the longitude of each column.
    meridians: Vec<[f64; 2]>,
    /// Cosine and sine of the latitude of each row.
    parallels: Vec<[f64; 2]>,
}

impl Directions {
    /// Unit vector of the sample at a column and row, with the same bits as [`Equirectangular::direction`].
    #[inline]
    pub fn direction(&self, column: usize, row: usize) -> [f64; 3] {
        let ([x, y], [level, z]) = (self.meridians[column], self.parallels[row]);
        [level * x, level * y, z]
    }
}

/// Unit vector of a position on an equirectangular map, from 0 to 1 along both axes. This is the inverse of
/// [`equirectangular`].
pub fn from_map([x, y]: [f64; 2]) -> [f64; 3] {
    crate::field::globe::from_angles((0.5 - y) * std::f64::consts::PI, (x - 0.5) * std::f64::consts::TAU)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "test results do not affect heights")]

    use super::*;

    fn map(registration: Registration) -> Equirectangular {
        let (width, height) = if registration == Registration::Grid { (65, 33) } else { (64, 32) };
        Equirectangular { width, height, registration }
    }

    #[test]
    fn rows_and_columns_give_the_bits_of_every_sample() {
        for registration in [Registration::Pixel, Registration::Grid] {
            let map = map(registration);
            let directions = map.directions();
            for (column, row) in (0..map.width).flat_map(|column| (0..map.height).map(move |row| (column, row))) {
                let bits = |d: [f64; 3]| d.map(f64::to_bits);
                assert_eq!(
                    bits(directions.direction(column, row)),
                    bits(map.direction(column, row)),
                    "{column}, {row}"
                );
            }
        }
    }

    #[test]
    fn map_edges_continue_and_poles_are_single_points() {
        let globe = Globe::new(33);
        let field: Vec<f32> = (0..globe.len())
            .map(|k| globe.direction_of(k))
            .map(|[x, y, z]| (3.0 * x).sin() + (2.0 * y).cos() * z)
            .collect();
        let grid = map(Registration::Grid);
        let values = grid.field(&globe, &field);
        for row in 0..33 {
            assert_eq!(values[row * 65].to_bits(), values[row * 65 + 64].to_bits());
        }
        for row in [0, 32] {
            assert!((0..65).all(|column| values[row * 65 + column] == values[row * 65]), "a pole is one point");
        }
        let pixel = map(Registration::Pixel);
        let values = pixel.field(&globe, &field);
        let at = |(column, row): (usize, usize)| values[row * 64 + column];
        // Steps across the edges and the poles are no larger than steps inside the map.
        let inside = (0..32)
            .flat_map(|row| (1..64).map(move |column| (column, row)))
            .map(|(column, row)| (at((column, row)) - at((column - 1, row))).abs())
            .fold(0.0, f32::max);
        for row in 0..32 {
            assert!((at((0, row)) - at(pixel.wrapped(-1, row as isize))).abs() <= inside);
        }
        for column in 0..64 {
            assert!((at((column, 0)) - at(pixel.wrapped(column as isize, -1))).abs() <= inside);
            assert!((at((column, 31)) - at(pixel.wrapped(column as isize, 32))).abs() <= inside);
        }
    }

    #[test]
    fn the_documents_rule_crosses_the_pole_to_half_a_turn_away() {
        let map = map(Registration::Pixel);
        assert_eq!(map.wrapped(70, 3), (6, 3));
        assert_eq!(map.wrapped(-1, 3), (63, 3));
        assert_eq!(map.wrapped(10, -1), (42, 0));
        assert_eq!(map.wrapped(40, 33), (8, 30));
    }

    #[test]
    fn the_row_beyond_a_pole_of_a_point_map_is_the_next_but_one() {
        let map = self::map(Registration::Grid);
        assert_eq!(map.wrapped(64, 3), (0, 3));
        assert_eq!(map.wrapped(10, -1), (42, 1));
        assert_eq!(map.wrapped(40, 33), (8, 31));
    }

    #[test]
    fn map_positions_are_those_of_the_samples() {
        for map in [Registration::Pixel, Registration::Grid].map(self::map) {
            for (column, row) in [(0, 7), (31, 1), (63, 30), (17, 16)] {
                let [x, y] = map.map_position(map.direction(column, row));
                assert!((x - column as f64).abs() < 1e-9 && (y - row as f64).abs() < 1e-9, "{column}, {row}: {x}, {y}");
            }
        }
    }
}
