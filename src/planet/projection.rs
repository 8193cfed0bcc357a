//! From the cube-sphere to maps: all longitudes and latitudes on one sheet (equirectangular), or the six faces.
//!
//! The map of document 003 is the cylinder: columns are longitudes from -180° to 180°, rows latitudes from the north pole to
//! the south pole. Beyond its left and right edges it goes on at the other side, beyond a pole half a turn away
//! ([`across`], the document's rule). Fields are read from the sphere between samples, so the map has neither a seam nor
//! torn poles; what it repeats, near the poles, is the projection's doing alone.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use rayon::prelude::*;

use crate::field::Globe;
use crate::field::globe::from_angles;

/// Suffixes of the six faces in file names, in their order.
pub const FACE_NAMES: [&str; 6] = ["px", "nx", "py", "ny", "pz", "nz"];

crate::choices! {
    /// What the samples of a map stand for.
    Registration {
        Pixel "Pixel": "Areas: the first column lies half a step east of -180°, the first row half a step south of the pole.",
        Grid "Grid": "Points: the first and last column are both ±180°, the first and last row are the poles.",
    }
}

/// A map of all longitudes and latitudes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Equirectangular {
    pub width: usize,
    pub height: usize,
    pub registration: Registration,
}

impl Equirectangular {
    /// Unit vector of the sample in a column and row.
    pub fn direction(&self, column: usize, row: usize) -> [f64; 3] {
        let (longitude, latitude) = match self.registration {
            Registration::Pixel => (
                (column as f64 + 0.5) / self.width as f64 * TAU - PI,
                FRAC_PI_2 - (row as f64 + 0.5) / self.height as f64 * PI,
            ),
            Registration::Grid => (
                // the last column is the first, to the bit
                (column % (self.width - 1)) as f64 / (self.width - 1) as f64 * TAU - PI,
                FRAC_PI_2 - row as f64 / (self.height - 1) as f64 * PI,
            ),
        };
        from_angles(latitude, longitude)
    }

    /// Something of every sample, row by row.
    pub fn map<T: Send>(&self, value: impl Fn([f64; 3]) -> T + Sync) -> Vec<T> {
        (0..self.width * self.height)
            .into_par_iter()
            .map(|k| value(self.direction(k % self.width, k / self.width)))
            .collect()
    }

    /// A field of the globe.
    pub fn field(&self, globe: &Globe, field: &[f32]) -> Vec<f32> {
        self.map(|direction| globe.sample(field, direction))
    }

    /// The sample that lies beyond the edges of the map: around the planet to the sides, over the pole half a turn away.
    pub fn across(&self, column: isize, row: isize) -> (usize, usize) {
        let (width, height) = (self.width as isize, self.height as isize);
        let over = |row: isize| (column + width / 2, row);
        let (column, row) = match row {
            row if row < 0 => over(-1 - row),
            row if row >= height => over(2 * height - 1 - row),
            row => (column, row),
        };
        (column.rem_euclid(width) as usize, row.clamp(0, height - 1) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(registration: Registration) -> Equirectangular {
        let (width, height) = if registration == Registration::Grid { (65, 33) } else { (64, 32) };
        Equirectangular { width, height, registration }
    }

    #[test]
    fn edges_go_on_and_poles_are_single_points() {
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
        // steps over the edges and the poles are no larger than those inside
        let inside = (0..32)
            .flat_map(|row| (1..64).map(move |column| (column, row)))
            .map(|(column, row)| (at((column, row)) - at((column - 1, row))).abs())
            .fold(0.0, f32::max);
        for row in 0..32 {
            assert!((at((0, row)) - at(pixel.across(-1, row as isize))).abs() <= inside);
        }
        for column in 0..64 {
            assert!((at((column, 0)) - at(pixel.across(column as isize, -1))).abs() <= inside);
            assert!((at((column, 31)) - at(pixel.across(column as isize, 32))).abs() <= inside);
        }
    }

    #[test]
    fn the_documents_rule_leads_over_the_pole_half_a_turn_away() {
        let map = map(Registration::Pixel);
        assert_eq!(map.across(70, 3), (6, 3));
        assert_eq!(map.across(-1, 3), (63, 3));
        assert_eq!(map.across(10, -1), (42, 0));
        assert_eq!(map.across(40, 33), (8, 30));
    }
}
