//! The cube-sphere: six square grids that together cover a globe without seams and without pinched poles.
//!
//! Law: a sample at (a, b) ∈ [-1, 1]² of the face with the axes c (outwards), e (along rows) and s (along columns)
//! lies in the direction of c + tan(a·π/4)·e + tan(b·π/4)·s. The tangent makes equal steps of equal angles along the middle of a
//! face; cells differ by a factor of at most √2 in width and 1.4 in area.
//! Faces: +X, -X, +Y, -Y, +Z, -Z. North is +Z, longitude 0 is +X and grows to the east, towards +Y. Rows of the four
//! faces around the equator run to the east, their columns to the south.
//! Borders: neighbouring faces repeat the samples between them. A direction is computed from coordinates that are the
//! same on every face (one of them is ±1 exactly), so copies have the same bits. The copy on the face of the lowest
//! number *owns* the sample: neighbours are given as owners, sums count owners, [`Globe::close`] copies owners to the others.
//! At the eight corners of the cube three faces meet: a sample there has three straight and three diagonal neighbours.
//! Source: Ronchi, Iacono and Paolucci 1996, *The "cubed sphere"*; areas of cells by the solid angle of a rectangle.

mod locate;

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

use rayon::prelude::*;

pub use locate::{locate, meet, nearly_located};

/// Squares of a globe.
pub const FACES: usize = 6;

/// Rows and columns to the eight neighbours: north, north-east and on clockwise. Straight ones have even numbers.
pub const STEPS: [(isize, isize); 8] = [(-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1)];

/// An axis of space with a sign: x, -x, y, -y, z, -z are 0 to 5.
type Axis = usize;

/// Axes of each face: outwards, along rows, along columns.
const AXES: [[Axis; 3]; FACES] = [[0, 2, 5], [1, 3, 5], [2, 1, 5], [3, 0, 5], [4, 2, 0], [5, 2, 1]];

const fn opposite(axis: Axis) -> Axis {
    axis ^ 1
}

/// The grid of a globe with `n` samples along the side of a face.
#[derive(Clone, Debug, PartialEq)]
pub struct Globe {
    n: usize,
    /// tan of every row and column.
    tangents: Vec<f64>,
}

/// A sample by its face, row and column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    face: usize,
    row: usize,
    column: usize,
}

impl Globe {
    /// `samples` per side of a face, at least 2.
    pub fn new(samples: usize) -> Self {
        let n = samples.max(2);
        let mut tangents = vec![0.0; n];
        for k in n / 2..n {
            let place = (2 * k) as f64 / (n - 1) as f64 - 1.0;
            let tangent = if k == n - 1 { 1.0 } else { libm::tan(place * FRAC_PI_4) };
            // both halves to the same bits
            (tangents[k], tangents[n - 1 - k]) = (tangent, -tangent);
        }
        Self { n, tangents }
    }

    /// Samples per side of a face.
    pub fn samples(&self) -> usize {
        self.n
    }

    /// Samples of all faces, copies counted.
    #[allow(clippy::len_without_is_empty, reason = "a globe has at least 24 samples")]
    pub fn len(&self) -> usize {
        FACES * self.n * self.n
    }

    /// Samples that are not copies.
    pub fn distinct(&self) -> usize {
        FACES * (self.n - 1) * (self.n - 1) + 2
    }

    fn index(&self, place: Place) -> usize {
        (place.face * self.n + place.row) * self.n + place.column
    }

    fn place(&self, index: usize) -> Place {
        let row = index / self.n;
        Place { face: row / self.n, row: row % self.n, column: index % self.n }
    }

    /// Unit vector of a sample; the same bits on every face that has it.
    pub fn direction(&self, face: usize, row: usize, column: usize) -> [f32; 3] {
        self.exact_direction(face, row, column).map(|x| x as f32)
    }

    /// [`direction`](Self::direction) in double precision.
    pub fn exact_direction(&self, face: usize, row: usize, column: usize) -> [f64; 3] {
        towards(face, self.tangents[column], self.tangents[row])
    }

    /// Unit vector of the sample of that index.
    pub fn direction_of(&self, index: usize) -> [f32; 3] {
        let Place { face, row, column } = self.place(index);
        self.direction(face, row, column)
    }

    /// Unit vectors of row `row` of all rows, from 0 to 6 n, into x, y and z; the bits of [`direction`](Self::direction).
    pub fn row_directions(&self, row: usize, fields: [&mut [f32]; 3]) {
        let (face, row) = (row / self.n, row % self.n);
        let [out, east, south] = AXES[face];
        let signed = |axis: Axis, length: f64| if axis.is_multiple_of(2) { length } else { -length };
        let (outwards, down) = (signed(out, 1.0), signed(south, self.tangents[row]));
        // the squares are added in the order of space: x and y, then z
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

    /// The neighbour of a sample in one of the [`STEPS`], as the index of its owner. There is none at the corners of the
    /// cube in the two directions in which three faces leave no fourth.
    pub fn neighbour(&self, index: usize, step: usize) -> Option<usize> {
        let here = self.place(index);
        let (down, right) = STEPS[step];
        let last = self.n as isize - 1;
        let (row, column) = (here.row as isize + down, here.column as isize + right);
        let inside = |k: isize| (0..=last).contains(&k);
        let place = match (inside(row), inside(column)) {
            (true, true) => Place { face: here.face, row: row as usize, column: column as usize },
            (false, false) => return None,
            (false, true) => {
                self.across(here.face, if row < 0 { Side::North } else { Side::South }, column as usize, 1)
            }
            (true, false) => {
                // at a corner the straight steps over both borders reach the same sample
                if right != 0 && down == 0 && (here.row == 0 || here.row == self.n - 1) {
                    return None;
                }
                self.across(here.face, if column < 0 { Side::West } else { Side::East }, row as usize, 1)
            }
        };
        Some(self.index(self.owned(place)))
    }

    /// The copy of a sample that owns it.
    pub fn owner(&self, index: usize) -> usize {
        self.index(self.owned(self.place(index)))
    }

    /// Whether the sample is no copy.
    pub fn owns(&self, index: usize) -> bool {
        self.owner(index) == index
    }

    fn owned(&self, place: Place) -> Place {
        self.copies(place)
            .into_iter()
            .flatten()
            .fold(place, |least, copy| if copy.face < least.face { copy } else { least })
    }

    /// The copies of a sample on the faces across the borders it lies on.
    fn copies(&self, place: Place) -> [Option<Place>; 2] {
        let last = self.n - 1;
        let across = |side: Side, along: usize| Some(self.across(place.face, side, along, 0));
        [
            match place.row {
                0 => across(Side::North, place.column),
                row if row == last => across(Side::South, place.column),
                _ => None,
            },
            match place.column {
                0 => across(Side::West, place.row),
                column if column == last => across(Side::East, place.row),
                _ => None,
            },
        ]
    }

    /// The sample `depth` steps behind a border of `face`, at `along` of the border.
    fn across(&self, face: usize, side: Side, along: usize, depth: usize) -> Place {
        let [out, east, south] = AXES[face];
        let (beyond, along_axis) = match side {
            Side::North => (opposite(south), east),
            Side::South => (south, east),
            Side::West => (opposite(east), south),
            Side::East => (east, south),
        };
        let last = self.n - 1;
        // on the face beyond, the border lies on the side of our own face, and depth leads away from it
        let coordinate = |axis: Axis| match axis {
            a if a == out => last - depth,
            a if a == opposite(out) => depth,
            a if a == along_axis => along,
            _ => last - along,
        };
        Place { face: beyond, row: coordinate(AXES[beyond][2]), column: coordinate(AXES[beyond][1]) }
    }

    /// The closed lines along the rows and columns of the faces: three families of `samples` rings that each run through
    /// four faces. A ring is its four straight parts in the order they are passed, as (first index, stride); the last sample
    /// of a part and the first of the next are copies of each other. Every face belongs to two families.
    pub fn rings(&self) -> [Vec<[(usize, isize); 4]>; 3] {
        let starts = [(0, Side::East), (0, Side::South), (2, Side::South)];
        starts.map(|(face, heading)| (0..self.n).map(|k| self.ring(face, heading, k)).collect())
    }

    fn ring(&self, face: usize, mut heading: Side, along: usize) -> [(usize, isize); 4] {
        let n = self.n as isize;
        let mut place = match heading {
            Side::East => Place { face, row: along, column: 0 },
            _ => Place { face, row: 0, column: along },
        };
        std::array::from_fn(|_| {
            let stride = [-n, n, -1, 1][heading as usize];
            let part = (self.index(place), stride);
            let along = if stride.abs() == 1 { place.row } else { place.column };
            let [out, ..] = AXES[place.face];
            place = self.across(place.face, heading, along, 0);
            let [_, east, south] = AXES[place.face];
            heading = match out {
                a if a == south => Side::North,
                a if a == opposite(south) => Side::South,
                a if a == east => Side::West,
                _ => Side::East,
            };
            part
        })
    }

    /// Copies every border sample from its owner to the faces that repeat it.
    pub fn close<T: Copy>(&self, field: &mut [T]) {
        let last = self.n - 1;
        for face in 1..FACES {
            for along in 0..self.n {
                for (row, column) in [(0, along), (last, along), (along, 0), (along, last)] {
                    let place = Place { face, row, column };
                    field[self.index(place)] = field[self.index(self.owned(place))];
                }
            }
        }
    }

    /// Area on the unit sphere that a sample stands for: 4 π over all owners.
    pub fn area(&self, row: usize, column: usize) -> f64 {
        let [top, bottom] = self.around(row);
        let [left, right] = self.around(column);
        let inside = quarter(right, bottom) - quarter(left, bottom) - quarter(right, top) + quarter(left, top);
        inside * self.shares(row, column)
    }

    /// Areas of all samples of a face, row by row, in cells of the mean area; the same for every face.
    pub fn areas(&self) -> Vec<f32> {
        let n = self.n;
        let scale = self.distinct() as f64 / (4.0 * PI);
        let mut borders: Vec<f64> = (0..n).map(|k| self.around(k)[0]).collect();
        borders.push(self.around(n - 1)[1]);
        let line = |y: f64| borders.iter().map(|&x| quarter(x, y)).collect::<Vec<f64>>();
        let mut areas = vec![0.0; n * n];
        areas.par_chunks_mut(n * SHARED_ROWS).enumerate().for_each(|(band, rows)| {
            let mut top = line(borders[band * SHARED_ROWS]);
            for (row, cells) in (band * SHARED_ROWS..).zip(rows.chunks_mut(n)) {
                let bottom = line(borders[row + 1]);
                for (column, area) in cells.iter_mut().enumerate() {
                    let inside = bottom[column + 1] - bottom[column] - top[column + 1] + top[column];
                    *area = (inside * self.shares(row, column) * scale) as f32;
                }
                top = bottom;
            }
        });
        areas
    }

    /// A cell on a border holds as much of the faces beyond as of its own.
    fn shares(&self, row: usize, column: usize) -> f64 {
        let borders = [row, column].iter().filter(|&&k| k == 0 || k == self.n - 1).count();
        [1.0, 2.0, 3.0][borders]
    }

    /// tan of the borders of the cells of row or column `k`, which end at the border of the face.
    fn around(&self, k: usize) -> [f64; 2] {
        let half = |k: f64| libm::tan((2.0 * k / (self.n - 1) as f64 - 1.0) * FRAC_PI_4);
        let k = k as f64;
        [half((k - 0.5).max(0.0)), half((k + 0.5).min((self.n - 1) as f64))]
    }

    /// Sum over the owners, each by its area in cells of the mean area, in the order of their indices.
    pub fn sum(&self, field: &[f32]) -> f64 {
        let areas = self.areas();
        let mut sum = 0.0;
        for (row, (cells, areas)) in field.chunks(self.n).zip(areas.chunks(self.n).cycle()).enumerate() {
            let inner = !row.is_multiple_of(self.n) && row % self.n != self.n - 1;
            for (column, (&value, &area)) in cells.iter().zip(areas).enumerate() {
                let border = !inner || column == 0 || column == self.n - 1;
                if !border || self.owns(row * self.n + column) {
                    sum += f64::from(value) * f64::from(area);
                }
            }
        }
        sum
    }

    /// Value of a field in a direction, bilinear.
    pub fn sample(&self, field: &[f32], direction: [f64; 3]) -> f32 {
        self.sample_at(field, locate(direction))
    }

    /// Value of a field at a place of a face, both from 0 to 1; bilinear.
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

#[derive(Clone, Copy, Debug)]
enum Side {
    North,
    South,
    West,
    East,
}

/// Rows of cells that share the angles at their corners.
const SHARED_ROWS: usize = 16;

/// Solid angle between the axes of a face and the point (x, y) of it, given as tangents.
fn quarter(x: f64, y: f64) -> f64 {
    libm::atan(x * y / (x * x + y * y + 1.0).sqrt())
}

/// Unit vectors along a row: into what they have along it, outwards and down the columns. `others` are the squares of the latter
/// two, as they are added.
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

/// Unit vector of the point (a, b) of a face, given as tangents.
pub fn towards(face: usize, a: f64, b: f64) -> [f64; 3] {
    let [out, east, south] = AXES[face];
    let mut v = [0.0; 3];
    for (axis, length) in [(out, 1.0), (east, a), (south, b)] {
        v[axis / 2] = if axis.is_multiple_of(2) { length } else { -length };
    }
    // in the order of space, whatever the face
    let length = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt();
    v.map(|x| x / length)
}

/// Unit vector of the place (u, v) of a face: along its rows and its columns, from 0 to 1.
pub fn direction_at(face: usize, u: f64, v: f64) -> [f64; 3] {
    towards(face, libm::tan((2.0 * u - 1.0) * FRAC_PI_4), libm::tan((2.0 * v - 1.0) * FRAC_PI_4))
}

/// Latitude in radians, from -π/2 at the south pole to π/2.
pub fn latitude(direction: [f64; 3]) -> f64 {
    let [x, y, z] = direction;
    libm::atan2(z, (x * x + y * y).sqrt())
}

/// Longitude in radians, from -π to π; 0 at a pole.
pub fn longitude(direction: [f64; 3]) -> f64 {
    libm::atan2(direction[1], direction[0])
}

/// Place of a direction on a map of all longitudes and latitudes: from the west (longitude -180°) to the east and from the
/// north to the south, from 0 to 1.
pub fn equirectangular(direction: [f64; 3]) -> [f64; 2] {
    [longitude(direction) / (2.0 * PI) + 0.5, 0.5 - latitude(direction) / PI]
}

/// Unit vector at a latitude and longitude in radians; a pole is one point.
pub fn from_angles(latitude: f64, longitude: f64) -> [f64; 3] {
    let level = if latitude.abs() >= FRAC_PI_2 { 0.0 } else { libm::cos(latitude) };
    [level * libm::cos(longitude), level * libm::sin(longitude), libm::sin(latitude)]
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "no height depends on what a test measures")]

    use super::*;
    use std::collections::HashMap;

    fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
        a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    }

    #[test]
    fn copies_have_the_bits_of_their_owner_and_owners_are_all_different() {
        for n in [2, 3, 4, 9, 10] {
            let globe = Globe::new(n);
            let mut seen: HashMap<[u32; 3], usize> = HashMap::new();
            for k in 0..globe.len() {
                // -0 and 0 are the same place
                let bits = globe.direction_of(k).map(|x| (x + 0.0).to_bits());
                let first = *seen.entry(bits).or_insert(k);
                assert_eq!(globe.owner(k), first, "{k} of {n}");
            }
            assert_eq!(seen.len(), globe.distinct());
        }
    }

    #[test]
    fn neighbours_are_mutual_near_and_as_many_as_there_are() {
        for n in [3, 4, 9] {
            let globe = Globe::new(n);
            let mut corners = 0;
            for k in (0..globe.len()).filter(|&k| globe.owns(k)) {
                let around: Vec<usize> = (0..8).filter_map(|s| globe.neighbour(k, s)).collect();
                let mut distinct = around.clone();
                distinct.sort_unstable();
                distinct.dedup();
                assert_eq!(distinct.len(), around.len(), "{k} of {n}: {around:?}");
                corners += usize::from(around.len() == 6);
                assert!(around.len() == 8 || around.len() == 6);
                for &other in &around {
                    assert!(globe.owns(other) && other != k);
                    assert!((0..8).any(|s| globe.neighbour(other, s) == Some(k)), "{other} does not know {k} of {n}");
                    let (a, b) = (globe.direction_of(k), globe.direction_of(other));
                    let cosine = dot(a.map(f64::from), b.map(f64::from));
                    // near the corners of the cube rows and columns meet at up to 120°: a diagonal is then √3 steps long
                    assert!(cosine > (1.74 * FRAC_PI_2 / (n - 1) as f64).cos() - 1e-6);
                }
                // the straight ones of every copy are the same set
                let straight = |k: usize| {
                    let mut set: Vec<_> = (0..8).step_by(2).filter_map(|s| globe.neighbour(k, s)).collect();
                    set.sort_unstable();
                    set
                };
                for copy in (0..globe.len()).filter(|&c| globe.owner(c) == k) {
                    assert_eq!(straight(copy), straight(k));
                }
            }
            assert_eq!(corners, 8);
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
            let scale = globe.distinct() as f64 / (4.0 * PI);
            let areas = globe.areas();
            assert!((0..n * n).all(|k| areas[k] == (globe.area(k / n, k % n) * scale) as f32), "{n}");
        }
    }

    #[test]
    fn areas_cover_the_sphere_and_sums_do_not_count_copies() {
        for n in [2, 3, 17, 32] {
            let globe = Globe::new(n);
            let owned = (0..globe.len()).filter(|&k| globe.owns(k));
            let all: f64 = owned.map(|k| globe.area(k / n % n, k % n)).sum();
            assert!((all - 4.0 * PI).abs() < 1e-9, "{all}");
            let ones = vec![1.0; globe.len()];
            assert!((globe.sum(&ones) - globe.distinct() as f64).abs() < 1e-3 * n as f64);
        }
    }

    #[test]
    fn a_place_is_found_again_and_fields_are_read_between_samples() {
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
                let (near, a, b) = nearly_located(direction);
                assert!(near == found && (a - x).abs() < 3e-11 && (b - y).abs() < 3e-11);
            }
        }
    }

    #[test]
    fn north_is_up_and_east_is_right() {
        let globe = Globe::new(5);
        let [x, y, z] = globe.direction(0, 0, 2);
        assert!(x > 0.0 && y == 0.0 && z > 0.0, "the top of the first face looks north");
        assert!(globe.direction(0, 2, 4)[1] > 0.0, "its right looks east");
        let at = from_angles(0.5, -2.0);
        assert!((latitude(at) - 0.5).abs() < 1e-12 && (longitude(at) + 2.0).abs() < 1e-12);
        assert_eq!(from_angles(FRAC_PI_2, 1.0)[..2], [0.0, 0.0]);
    }

    #[test]
    fn rings_close_and_pass_every_sample_of_a_face_twice() {
        let globe = Globe::new(5);
        let mut passed = vec![0; globe.len()];
        for ring in globe.rings().iter().flatten() {
            let ends: Vec<[usize; 2]> =
                ring.iter().map(|&(first, stride)| [first, (first as isize + 4 * stride) as usize]).collect();
            for (k, end) in ends.iter().enumerate() {
                assert_eq!(globe.owner(end[1]), globe.owner(ends[(k + 1) % 4][0]));
            }
            for &(first, stride) in ring {
                (0..5).for_each(|k| passed[(first as isize + k * stride) as usize] += 1);
            }
        }
        assert!(passed.iter().all(|&count| count == 2));
    }

    #[test]
    fn closing_copies_owners() {
        let globe = Globe::new(4);
        let mut field: Vec<usize> = (0..globe.len()).collect();
        globe.close(&mut field);
        assert!((0..globe.len()).all(|k| field[k] == globe.owner(k)));
    }
}
