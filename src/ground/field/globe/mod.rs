//! The cube-sphere: six square grids that together cover a globe without seams and without pinched poles.
//!
//! Projection: a face has the axes c (outwards), e (along rows) and s (along columns). Its sample at (a, b) ∈ [-1, 1]²
//! has the direction of c + tan(a·π/4)·e + tan(b·π/4)·s. The tangent gives equal angular steps along the centre lines
//! of a face. The widths of cells differ by a factor of at most √2, and their areas by a factor of at most 1.4.
//! `topology.rs` defines the faces, borders and neighbours ([`Grid`]). A direction is computed from coordinates that
//! are the same on every face, and one coordinate is exactly ±1. Copies of a sample on several faces therefore have the
//! same bits.
//!
//! Source: Ronchi, Iacono and Paolucci 1996, *The "cubed sphere"*; cell areas from the solid angle of a rectangle.

mod locate;

use crate::field::vector::unit;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

use rayon::prelude::*;

pub use locate::{face_tangents, fast_atan, locate, locate_fast};

use super::Grid;
use super::topology::{AXES, Axis, FACES};

/// The geometry of a globe with `n` samples along each side of a face: directions and areas.
#[derive(Clone, Debug, PartialEq)]
pub struct Globe {
    n: usize,
    /// Tangent of the angle between each row or column and the centre line of the face.
    tangents: Vec<f64>,
}

impl Globe {
    /// A globe with `samples` samples per side of a face; `samples` must be at least 2.
    pub fn new(samples: usize) -> Self {
        let n = samples.max(2);
        let mut tangents = vec![0.0; n];
        for k in n / 2..n {
            let place = (2 * k) as f64 / (n - 1) as f64 - 1.0;
            let tangent = if k == n - 1 { 1.0 } else { libm::tan(place * FRAC_PI_4) };
            // Mirror the values about the centre line, so that both halves have the same bits.
            (tangents[k], tangents[n - 1 - k]) = (tangent, -tangent);
        }
        Self { n, tangents }
    }

    /// Samples per side of a face.
    #[inline]
    pub fn samples(&self) -> usize {
        self.n
    }

    /// Tangent of the angle between row or column `k` and the centre line of the face.
    #[inline]
    pub fn tangent(&self, k: usize) -> f64 {
        self.tangents[k]
    }

    /// Number of samples on all faces; a border sample counts once for every face that stores it.
    #[allow(clippy::len_without_is_empty, reason = "a globe has at least 24 samples")]
    #[inline]
    pub fn len(&self) -> usize {
        FACES * self.n * self.n
    }

    /// The grid of the samples, which finds faces, neighbours and copies.
    #[inline]
    pub fn grid(&self) -> Grid {
        Grid::globe(self.n)
    }

    /// Unit vector from the globe's centre to a sample. Copies of the sample on other faces have the same bits.
    #[inline]
    pub fn direction(&self, face: usize, row: usize, column: usize) -> [f32; 3] {
        self.exact_direction(face, row, column).map(|x| x as f32)
    }

    /// The [`direction`](Self::direction) of a sample in double precision.
    #[inline]
    pub fn exact_direction(&self, face: usize, row: usize, column: usize) -> [f64; 3] {
        face_direction(face, self.tangents[column], self.tangents[row])
    }

    /// Unit vector from the globe's centre to sample `index`.
    #[inline]
    pub fn direction_of(&self, index: usize) -> [f32; 3] {
        let n = self.n;
        self.direction(index / (n * n), index / n % n, index % n)
    }

    /// Writes the unit vectors of row `row` (0 to 6 n, counted over all faces) into x, y and z, with the same bits as
    /// [`direction`](Self::direction).
    pub fn row_directions(&self, row: usize, fields: [&mut [f32]; 3]) {
        let (face, row) = (row / self.n, row % self.n);
        let [out, east, south] = AXES[face];
        let signed = |axis: Axis, length: f64| if axis.is_multiple_of(2) { length } else { -length };
        let (outwards, down) = (signed(out, 1.0), signed(south, self.tangents[row]));
        // The squares are added in the fixed order x, y, z, so that all faces get the same bits.
        let square = |axis: usize| if out / 2 == axis { outwards * outwards } else { down * down };
        let others = match east / 2 {
            0 => [square(1), square(2)],
            1 => [square(0), square(2)],
            _ => [square(0) + square(1), 0.0],
        };
        let mut fields = fields.map(Some);
        let mut field = |axis: Axis| fields[axis / 2].take().map_or(&mut [][..], |field| &mut field[..self.n]);
        let fields = [field(east), field(out), field(south)];
        directions(&self.tangents, signed(east, 1.0), [outwards, down], others, fields);
    }

    /// Metric tensor at a sample: the inner products row·row, row·column and column·column of the steps along rows and
    /// columns. The unit is the squared step length at the centre of a face.
    #[inline]
    pub fn metric_tensor(&self, row: usize, column: usize) -> [f32; 3] {
        let (x, y) = (self.tangents[column], self.tangents[row]);
        let (x2, y2) = (1.0 + x * x, 1.0 + y * y);
        let far = x2 + y2 - 1.0;
        [x2 * x2 * y2, -x * y * x2 * y2, y2 * y2 * x2].map(|part| (part / (far * far)) as f32)
    }

    /// Area of a sample's cell on the unit sphere. The areas add up to 4 π if every border sample is counted once.
    #[inline]
    pub fn area(&self, row: usize, column: usize) -> f64 {
        let [top, bottom] = self.border_tangents(row);
        let [left, right] = self.border_tangents(column);
        let inside = rectangle_solid_angle(right, bottom)
            - rectangle_solid_angle(left, bottom)
            - rectangle_solid_angle(right, top)
            + rectangle_solid_angle(left, top);
        inside * self.faces_of_cell(row, column)
    }

    /// Areas of the cells of all samples of a face, row by row, in units of the mean cell area; the same for every
    /// face.
    pub fn areas(&self) -> Vec<f32> {
        let n = self.n;
        let scale = self.grid().distinct_len() as f64 / (4.0 * PI);
        let mut borders: Vec<f64> = (0..n).map(|k| self.border_tangents(k)[0]).collect();
        borders.push(self.border_tangents(n - 1)[1]);
        let line = |y: f64| borders.iter().map(|&x| rectangle_solid_angle(x, y)).collect::<Vec<f64>>();
        let mut areas = vec![0.0; n * n];
        areas.par_chunks_mut(n * SHARED_ROWS).enumerate().for_each(|(band, rows)| {
            let mut top = line(borders[band * SHARED_ROWS]);
            for (row, cells) in (band * SHARED_ROWS..).zip(rows.chunks_mut(n)) {
                let bottom = line(borders[row + 1]);
                for (column, area) in cells.iter_mut().enumerate() {
                    let inside = bottom[column + 1] - bottom[column] - top[column + 1] + top[column];
                    *area = (inside * self.faces_of_cell(row, column) * scale) as f32;
                }
                top = bottom;
            }
        });
        areas
    }

    /// Number of faces over which a sample's cell extends: 1 inside a face, more on its border.
    fn faces_of_cell(&self, row: usize, column: usize) -> f64 {
        let borders = [row, column].iter().filter(|&&k| k == 0 || k == self.n - 1).count();
        [1.0, 2.0, 3.0][borders]
    }

    /// Tangents of the two sides of the cells in row or column `k`, limited to the border of the face.
    fn border_tangents(&self, k: usize) -> [f64; 2] {
        let half = |k: f64| libm::tan((2.0 * k / (self.n - 1) as f64 - 1.0) * FRAC_PI_4);
        let k = k as f64;
        [half((k - 0.5).max(0.0)), half((k + 0.5).min((self.n - 1) as f64))]
    }

    /// Sum over all samples in index order, each weighted by its area in units of the mean cell area. A border sample
    /// counts once.
    pub fn sum(&self, field: &[f32]) -> f64 {
        let (areas, grid) = (self.areas(), self.grid());
        let mut sum = 0.0;
        for (row, (cells, areas)) in field.chunks(self.n).zip(areas.chunks(self.n).cycle()).enumerate() {
            let inner = !row.is_multiple_of(self.n) && row % self.n != self.n - 1;
            for (column, (&value, &area)) in cells.iter().zip(areas).enumerate() {
                let border = !inner || column == 0 || column == self.n - 1;
                if !border || grid.owns(row * self.n + column) {
                    sum += f64::from(value) * f64::from(area);
                }
            }
        }
        sum
    }

    /// Value of a field in a direction, by bilinear interpolation.
    #[inline]
    pub fn sample(&self, field: &[f32], direction: [f64; 3]) -> f32 {
        self.sample_at(field, locate(direction))
    }

    /// Value of a field at the position (u, v) of a face, by bilinear interpolation; u and v are from 0 to 1.
    #[inline]
    pub fn sample_at(&self, field: &[f32], (face, u, v): (usize, f64, f64)) -> f32 {
        let last = (self.n - 1) as f64;
        let (x, y) = (u * last, v * last);
        let (j, i) = ((x as usize).min(self.n - 2), (y as usize).min(self.n - 2));
        let (right, down) = ((x - j as f64) as f32, (y - i as f64) as f32);
        let first = (face * self.n + i) * self.n + j;
        let along = |k: usize| field[k] + (field[k + 1] - field[k]) * right;
        let (top, bottom) = (along(first), along(first + self.n));
        top + (bottom - top) * down
    }
}

/// Number of rows of cells in a band. Within a band, [`rectangle_solid_angle`] is computed once for each corner of the
/// cells, and is shared by the two rows that meet there.
const SHARED_ROWS: usize = 16;

/// Solid angle of the rectangle between the centre of a face and its point (x, y). Coordinates are tangents.
fn rectangle_solid_angle(x: f64, y: f64) -> f64 {
    libm::atan(x * y / (x * x + y * y + 1.0).sqrt())
}

/// Writes the unit vectors of a row, split into the components along the row, outwards and down the columns. `others`
/// are the squares of the outward and downward components, in the order of addition.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn directions(
    tangents: &[f64],
    east: f64,
    [outwards, down]: [f64; 2],
    [first, second]: [f64; 2],
    [along, out, south]: [&mut [f32]; 3],
) {
    for (((tangent, along), out), south) in tangents.iter().zip(along).zip(out).zip(south) {
        let tangent = tangent * east;
        let length = (tangent * tangent + first + second).sqrt();
        (*along, *out, *south) = ((tangent / length) as f32, (outwards / length) as f32, (down / length) as f32);
    }
}

/// Unit vector of the point (a, b) of a face, where a and b are tangents from -1 to 1.
#[inline]
pub fn face_direction(face: usize, a: f64, b: f64) -> [f64; 3] {
    let [out, east, south] = AXES[face];
    let mut v = [0.0; 3];
    for (axis, length) in [(out, 1.0), (east, a), (south, b)] {
        v[axis / 2] = if axis.is_multiple_of(2) { length } else { -length };
    }
    // `unit` adds the squares in the order x, y, z on every face, so that copies of a point have the same bits.
    unit(v)
}

/// The axes of a face as unit vectors: outwards, along its rows, along its columns.
#[inline]
pub fn face_axes(face: usize) -> [[f64; 3]; 3] {
    AXES[face].map(|axis| {
        let sign = if axis.is_multiple_of(2) { 1.0 } else { -1.0 };
        std::array::from_fn(|k| if k == axis / 2 { sign } else { 0.0 })
    })
}

/// Unit vector of the position (u, v) on a face: u along its rows and v along its columns, each from 0 to 1.
#[inline]
pub fn direction_at(face: usize, u: f64, v: f64) -> [f64; 3] {
    face_direction(face, libm::tan((2.0 * u - 1.0) * FRAC_PI_4), libm::tan((2.0 * v - 1.0) * FRAC_PI_4))
}

/// Latitude in radians of a direction, from -π/2 at the south pole to π/2 at the north pole.
#[inline]
pub fn latitude(direction: [f64; 3]) -> f64 {
    let [x, y, z] = direction;
    libm::atan2(z, (x * x + y * y).sqrt())
}

/// Longitude in radians of a direction, from -π to π; 0 at a pole.
pub fn longitude(direction: [f64; 3]) -> f64 {
    libm::atan2(direction[1], direction[0])
}

/// Position of a direction on an equirectangular map, from 0 to 1: eastwards from longitude -180°, and southwards from
/// the north pole.
pub fn equirectangular(direction: [f64; 3]) -> [f64; 2] {
    [longitude(direction) / (2.0 * PI) + 0.5, 0.5 - latitude(direction) / PI]
}

/// Unit vector at a latitude and longitude in radians; at a pole the longitude has no effect.
pub fn from_angles(latitude: f64, longitude: f64) -> [f64; 3] {
    let level = if latitude.abs() >= FRAC_PI_2 { 0.0 } else { libm::cos(latitude) };
    [level * libm::cos(longitude), level * libm::sin(longitude), libm::sin(latitude)]
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "test results do not affect heights")]

    use super::*;
    use std::collections::HashMap;

    #[test]
    fn copies_have_the_bits_of_their_unique_owner() {
        for n in [2, 3, 4, 9, 10] {
            let globe = Globe::new(n);
            let mut seen: HashMap<[u32; 3], usize> = HashMap::new();
            for k in 0..globe.len() {
                // -0 and 0 are the same coordinate.
                let bits = globe.direction_of(k).map(|x| (x + 0.0).to_bits());
                let first = *seen.entry(bits).or_insert(k);
                assert_eq!(globe.grid().owner(k), first, "{k} of {n}");
            }
            assert_eq!(seen.len(), globe.grid().distinct_len());
        }
    }

    #[test]
    fn rows_and_faces_have_the_bits_of_their_samples() {
        for n in [2, 5, 40] {
            let globe = Globe::new(n);
            let mut fields: [Vec<f32>; 3] = std::array::from_fn(|_| vec![0.0; n]);
            for row in 0..FACES * n {
                let [x, y, z] = &mut fields;
                globe.row_directions(row, [x, y, z]);
                for (column, ((x, y), z)) in fields[0].iter().zip(&fields[1]).zip(&fields[2]).enumerate() {
                    let expected = globe.direction(row / n, row % n, column).map(f32::to_bits);
                    assert_eq!([x, y, z].map(|c| c.to_bits()), expected, "{row}, {column} of {n}");
                }
            }
            let scale = globe.grid().distinct_len() as f64 / (4.0 * PI);
            let areas = globe.areas();
            assert!((0..n * n).all(|k| areas[k] == (globe.area(k / n, k % n) * scale) as f32), "{n}");
        }
    }

    #[test]
    fn areas_cover_the_sphere_and_sums_do_not_count_copies() {
        for n in [2, 3, 17, 32] {
            let globe = Globe::new(n);
            let owned = (0..globe.len()).filter(|&k| globe.grid().owns(k));
            let all: f64 = owned.map(|k| globe.area(k / n % n, k % n)).sum();
            assert!((all - 4.0 * PI).abs() < 1e-9, "{all}");
            let ones = vec![1.0; globe.len()];
            assert!((globe.sum(&ones) - globe.grid().distinct_len() as f64).abs() < 1e-3 * n as f64);
        }
    }

    #[test]
    fn positions_invert_and_fields_are_read_between_samples() {
        let globe = Globe::new(33);
        let field: Vec<f32> = (0..globe.len()).map(|k| globe.direction_of(k)[2]).collect();
        for face in 0..FACES {
            for (u, v) in [(0.3, 0.8), (0.0, 0.5), (1.0, 0.01), (0.5, 0.5)] {
                let direction = direction_at(face, u, v);
                let (found, x, y) = locate(direction);
                if u > 0.0 && u < 1.0 {
                    assert_eq!(found, face);
                    assert!((x - u).abs() < 1e-12 && (y - v).abs() < 1e-12);
                }
                assert!((f64::from(globe.sample(&field, direction)) - direction[2]).abs() < 2e-3);
                let (near, a, b) = locate_fast(direction);
                assert!(near == found && (a - x).abs() < 3e-11 && (b - y).abs() < 3e-11);
            }
        }
    }

    #[test]
    fn north_is_up_and_east_is_right() {
        let globe = Globe::new(5);
        let [x, y, z] = globe.direction(0, 0, 2);
        assert!(x > 0.0 && y == 0.0 && z > 0.0, "the top of the first face must point north");
        assert!(globe.direction(0, 2, 4)[1] > 0.0, "its right side must point east");
        let at = from_angles(0.5, -2.0);
        assert!((latitude(at) - 0.5).abs() < 1e-12 && (longitude(at) + 2.0).abs() < 1e-12);
        assert_eq!(from_angles(FRAC_PI_2, 1.0)[..2], [0.0, 0.0]);
    }
}
