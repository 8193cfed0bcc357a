//! Cells of equal angular width that cover the sphere. Plates consist of such cells in a frame that rotates with the
//! plate.
//!
//! A face of the cube has n × n cells. The angles between their centres are equal, as between the samples of a
//! [globe](talweg_ground::field::globe). No centre is on a border of a face, so every position belongs to exactly one
//! cell.

use std::f64::consts::{FRAC_2_PI, FRAC_PI_4};

use rayon::prelude::*;

use crate::generators::octaves::NoiseFade;
use crate::generators::solid::{Solid, SolidNoise, SpacePoints};
use talweg_ground::field::globe::{face_direction, face_tangents, fast_atan};
use talweg_ground::field::vector::dot;
use talweg_ground::field::{Cancelled, Control, Stream};

/// Number of cells whose noise is computed together.
const NOISE_PART: usize = 1024;
/// Marks the absence of a cell or of crust.
pub const NO_CELL: u32 = u32::MAX;

/// A direction or a vector in space.
pub type Vector = [f64; 3];

/// The cells of a sphere of radius 1.
#[derive(Debug)]
pub struct SphereCells {
    n: usize,
    middles: Vec<[f32; 3]>,
    /// The eight cells around each cell, row by row, from the previous row and column to the next row and column. At
    /// the corners of the cube a missing cell is [`NO_CELL`].
    neighbours: Vec<[u32; 8]>,
    /// Areas of the cells of one face, in steradians.
    areas: Vec<f32>,
}

impl SphereCells {
    /// Creates the cells of a sphere, with `n` cells (at least 2) along the side of a face.
    pub fn new(n: usize, control: &Control) -> Result<Self, Cancelled> {
        let n = n.max(2);
        let tangent = |k: f64| libm::tan((2.0 * k / n as f64 - 1.0) * FRAC_PI_4);
        // The tangents include one cell beyond each side of a face.
        let tangents: Vec<f64> = (0..n + 2).map(|k| tangent(k as f64 - 0.5)).collect();
        let borders: Vec<f64> = (0..=n).map(|k| tangent(k as f64)).collect();
        let mut cells = Self { n, middles: Vec::new(), neighbours: Vec::new(), areas: Vec::new() };
        for (face, i, j) in places(n) {
            if j == 0 {
                control.check()?;
            }
            cells.middles.push(face_direction(face, tangents[j + 1], tangents[i + 1]).map(|x| x as f32));
            let mut around = [NO_CELL; 8];
            for (to, (down, right)) in around.iter_mut().zip(STEPS) {
                let (row, column) = (i + down, j + right);
                let (above, left) = (tangents[row], tangents[column]);
                *to = match (1..=n).contains(&row) as u8 + 2 * (1..=n).contains(&column) as u8 {
                    3 => ((face * n + row - 1) * n + column - 1) as u32,
                    // Beyond a border, the cell belongs to the adjacent face.
                    1 => cells.cell(face_direction(face, left, above * left.abs())) as u32,
                    2 => cells.cell(face_direction(face, left * above.abs(), above)) as u32,
                    _ => NO_CELL,
                };
            }
            cells.neighbours.push(around);
        }
        let corner = |x: f64, y: f64| libm::atan(x * y / (x * x + y * y + 1.0).sqrt());
        cells.areas = (0..n * n)
            .map(|k| {
                let (top, bottom) = (borders[k / n], borders[k / n + 1]);
                let (left, right) = (borders[k % n], borders[k % n + 1]);
                (corner(right, bottom) - corner(left, bottom) - corner(right, top) + corner(left, top)) as f32
            })
            .collect();
        Ok(cells)
    }

    /// Total number of cells on all faces.
    pub fn count(&self) -> usize {
        self.middles.len()
    }

    /// Angle between neighbouring cell centres in the middle of a face, in radians.
    pub fn spacing(&self) -> f64 {
        2.0 * FRAC_PI_4 / self.n as f64
    }

    /// Direction of the centre of a cell.
    pub fn middle(&self, cell: u32) -> Vector {
        self.middles[cell as usize].map(f64::from)
    }

    /// The eight cells around a cell.
    pub fn neighbours(&self, cell: u32) -> &[u32; 8] {
        &self.neighbours[cell as usize]
    }

    /// Area of a cell in steradians, on a sphere of radius 1.
    pub fn area(&self, cell: u32) -> f32 {
        self.areas[cell as usize % (self.n * self.n)]
    }

    /// Computes three-dimensional noise at the centre of every cell. `octaves` lists the frequency and weight of each
    /// octave.
    pub fn noise(&self, random: Stream, octaves: &[(f32, f32)], control: &Control) -> Result<Vec<f32>, Cancelled> {
        let octaves: Vec<(Solid, f32)> = octaves
            .iter()
            .zip(0..)
            .map(|(&(frequency, weight), k)| (Solid::new(random.fork(k), frequency, NoiseFade::Improved), weight))
            .collect();
        let mut noise = vec![0.0; self.count()];
        noise.par_chunks_mut(NOISE_PART).zip(self.middles.par_chunks(NOISE_PART)).try_for_each(|(out, middles)| {
            control.check()?;
            let axes: [Vec<f32>; 3] = std::array::from_fn(|axis| middles.iter().map(|middle| middle[axis]).collect());
            let mut places = SpacePoints::default();
            for (octave, weight) in &octaves {
                octave.add(axes.each_ref().map(|axis| &axis[..]), *weight, out, &mut places);
            }
            Ok(())
        })?;
        Ok(noise)
    }

    /// Returns the cell that contains a direction. The length of the vector does not matter.
    pub fn cell(&self, direction: Vector) -> usize {
        self.locate(direction).0
    }

    /// Returns the cell that contains a direction, and the position within the cell: along its row and its column, from
    /// 0 to 1.
    #[inline]
    pub fn locate(&self, direction: Vector) -> (usize, [f32; 2]) {
        let (face, tangents) = face_tangents(direction);
        let n = self.n as f64;
        let [(j, x), (i, y)] = tangents.map(|tangent| {
            let along = ((fast_atan(tangent) * FRAC_2_PI + 0.5) * n).clamp(0.0, n);
            let k = (along as usize).min(self.n - 1);
            (k, (along - k as f64) as f32)
        });
        ((face * self.n + i) * self.n + j, [x, y])
    }
}

/// Row and column steps to the eight neighbours. Each step is increased by one, so that it is never negative.
const STEPS: [(usize, usize); 8] = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1), (2, 2)];

fn places(n: usize) -> impl Iterator<Item = (usize, usize, usize)> {
    (0..6 * n * n).map(move |k| (k / (n * n), k / n % n, k % n))
}

/// Returns a + t · b.
pub fn advanced(a: Vector, t: f64, b: Vector) -> Vector {
    std::array::from_fn(|k| a[k] + t * b[k])
}

/// Orientation of a plate: a rotation as a unit quaternion, real part first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlateAttitude([f64; 4]);

impl PlateAttitude {
    /// No rotation.
    pub const LEVEL: Self = Self([1.0, 0.0, 0.0, 0.0]);

    /// Creates a rotation about the axis `spin`. The angle in radians is the length of `spin`.
    pub fn turn(spin: Vector) -> Self {
        let angle = dot(spin, spin).sqrt();
        let half = 0.5 * angle;
        let share = if angle > 0.0 { libm::sin(half) / angle } else { 0.5 };
        Self([libm::cos(half), spin[0] * share, spin[1] * share, spin[2] * share])
    }

    /// Combines this rotation with a following rotation `next`. Both are in world coordinates.
    pub fn followed(self, next: Self) -> Self {
        let ([a, b, c, d], [e, f, g, h]) = (next.0, self.0);
        let product = [
            a * e - b * f - c * g - d * h,
            a * f + b * e + c * h - d * g,
            a * g - b * h + c * e + d * f,
            a * h + b * g - c * f + d * e,
        ];
        let length = product.iter().map(|x| x * x).sum::<f64>().sqrt();
        Self(product.map(|x| x / length))
    }

    /// The rotation as a matrix, row by row.
    pub fn matrix(self) -> PlateRotation {
        let [w, x, y, z] = self.0;
        PlateRotation([
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
        ])
    }
}

/// A rotation matrix from the frame of a plate to the world.
#[derive(Clone, Copy, Debug)]
pub struct PlateRotation([Vector; 3]);

impl PlateRotation {
    /// Converts from the plate's frame to the world.
    #[inline]
    pub fn outwards(&self, v: Vector) -> Vector {
        self.0.map(|row| dot(row, v))
    }

    /// Converts from the world to the plate's frame.
    #[inline]
    pub fn inwards(&self, v: Vector) -> Vector {
        let [a, b, c] = self.0;
        std::array::from_fn(|k| a[k] * v[0] + b[k] * v[1] + c[k] * v[2])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use talweg_ground::field::vector::{cross, unit};

    #[test]
    fn cells_cover_the_sphere_and_neighbours_are_mutual() {
        for n in [2, 5, 16] {
            let cells = SphereCells::new(n, &Control::default()).unwrap();
            let whole: f64 = (0..cells.count() as u32).map(|c| f64::from(cells.area(c))).sum();
            assert!((whole - 4.0 * std::f64::consts::PI).abs() < 1e-5, "{whole}");
            let mut corners = 0;
            for c in 0..cells.count() as u32 {
                assert_eq!(cells.cell(cells.middle(c)), c as usize);
                for &there in cells.neighbours(c) {
                    if there == NO_CELL {
                        corners += 1;
                        continue;
                    }
                    assert!(cells.neighbours(there).contains(&c), "{c} and {there} of {n}");
                    let apart = 1.0 - dot(cells.middle(c), cells.middle(there));
                    assert!(there != c && apart < 2.3 * cells.spacing() * cells.spacing(), "{apart}");
                }
            }
            assert_eq!(corners, 24);
        }
    }

    /// After any number of steps a point is at the position to which a single rotation about the same pole moves it.
    #[test]
    fn points_go_along_small_circles() {
        let spin = [0.003, -0.011, 0.007];
        let mut attitude = PlateAttitude::LEVEL;
        (0..500).for_each(|_| attitude = attitude.followed(PlateAttitude::turn(spin)));
        let at_once = PlateAttitude::turn(spin.map(|x| 500.0 * x));
        let pole = unit(spin);
        for point in [[1.0, 0.0, 0.0], unit([0.2, -0.5, 0.4]), pole] {
            let (moved, expected) = (attitude.matrix().outwards(point), at_once.matrix().outwards(point));
            assert!((0..3).all(|k| (moved[k] - expected[k]).abs() < 1e-12), "{moved:?} {expected:?}");
            // The point's distance to the pole is unchanged, and it has moved around the pole by the angle ω · t.
            assert!((dot(moved, pole) - dot(point, pole)).abs() < 1e-13);
            let around = |v: Vector| advanced(v, -dot(v, pole), pole);
            let (from, to) = (around(point), around(moved));
            let angle = libm::atan2(dot(cross(from, to), pole), dot(from, to));
            let gone = 500.0 * dot(spin, spin).sqrt();
            let turns = (gone - angle) / std::f64::consts::TAU;
            assert!(dot(from, from) < 1e-20 || (turns - turns.round()).abs() < 1e-12, "{angle} {gone}");
            let back = attitude.matrix().inwards(moved);
            assert!((0..3).all(|k| (back[k] - point[k]).abs() < 1e-14));
        }
    }
}
