//! The coarse terrain of a planet: smooth interpolation between the planet's own samples, and the quantities that the
//! detail depends on.
//!
//! Heights between samples come from bicubic convolution (Keys 1981, a = -½), which passes through every sample. Beyond
//! the border of a cube face the grid continues with the same angular spacing, and the values are read from the
//! adjacent face. On a border both faces read the same samples, so the terrain has no step.

use std::f64::consts::FRAC_2_PI;

use rayon::prelude::*;

use super::octaves::{BlockLane, BlockPoints, PART};
use talweg_ground::field::globe::{Globe, direction_at, face_axes, face_tangents, fast_atan, locate_fast};
use talweg_ground::field::{Cancelled, Control};
use talweg_ground::hydrology::FlowMesh;

/// A quadrangle of samples: its face, and the row and column of its first sample.
pub type QuadPosition = [usize; 3];

/// Positions of the points of a block within their quadrangles on a globe.
pub struct GlobePlaces {
    face: [u8; PART],
    row: [u32; PART],
    column: [u32; PART],
    /// Position of each point within its quadrangle, along columns and rows, from 0 to 1.
    pub inside: [BlockLane; 2],
    /// Gradients of the position along the face's columns and rows, in quadrangles per metre along the surface.
    pub slopes: [[BlockLane; 3]; 2],
}

impl Default for GlobePlaces {
    fn default() -> Self {
        Self {
            face: [0; PART],
            row: [0; PART],
            column: [0; PART],
            inside: [[0.0; PART]; 2],
            slopes: [[[0.0; PART]; 3]; 2],
        }
    }
}

impl GlobePlaces {
    /// Computes the positions of points on a globe with `samples` samples per side of a face. The points are given in
    /// metres from the centre of the globe.
    pub fn find(&mut self, samples: usize, points: &BlockPoints) {
        let mut tangents = [[0.0f64; PART]; 2];
        for k in 0..PART {
            let (face, [right, down]) = face_tangents([points[0][k], points[1][k], points[2][k]]);
            (self.face[k], tangents[0][k], tangents[1][k]) = (face as u8, right, down);
        }
        let first = self.face[0];
        if self.face.iter().all(|&face| face == first) {
            place_all(samples, points, &tangents, face_axes(usize::from(first)), self);
        } else {
            for k in 0..PART {
                locate_point(samples, points, &tangents, face_axes(usize::from(self.face[k])), self, k);
            }
        }
    }

    /// The quadrangle that contains point `k` of the block.
    pub fn quad(&self, k: usize) -> QuadPosition {
        [usize::from(self.face[k]), self.row[k] as usize, self.column[k] as usize]
    }
}

/// Returns the quadrangle that contains a direction. The direction can have any length.
pub fn quad_of(samples: usize, direction: [f64; 3]) -> QuadPosition {
    let (face, u, v) = locate_fast(direction);
    let index = |place: f64| ((place * (samples - 1) as f64) as usize).min(samples - 2);
    [face, index(v), index(u)]
}

#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn place_all(
    samples: usize,
    points: &BlockPoints,
    tangents: &[[f64; PART]; 2],
    axes: [[f64; 3]; 3],
    out: &mut GlobePlaces,
) {
    for k in 0..PART {
        locate_point(samples, points, tangents, axes, out, k);
    }
}

/// Position u of a point along an axis of the face, and the gradient of u. The position u = ½ + (2/π)·atan(e/o) has the
/// gradient (2/π)·(ê - (e/o)·ô)/(o·(1 + (e/o)²)). Here e is the coordinate along the axis, o the coordinate outwards
/// from the face, and ê and ô are the unit vectors of the two directions.
#[inline(always)]
fn locate_point(
    samples: usize,
    points: &BlockPoints,
    tangents: &[[f64; PART]; 2],
    [outwards, right, down]: [[f64; 3]; 3],
    out: &mut GlobePlaces,
    k: usize,
) {
    let last = (samples - 1) as f64;
    let far = points[0][k] * outwards[0] + points[1][k] * outwards[1] + points[2][k] * outwards[2];
    for (along, axis) in [right, down].into_iter().enumerate() {
        let tangent = tangents[along][k];
        let at = (fast_atan(tangent) * FRAC_2_PI + 0.5) * last;
        let at = if at > 0.0 { at } else { 0.0 };
        let whole = at.floor();
        let whole = if whole < last - 1.0 { whole } else { last - 1.0 };
        out.inside[along][k] = (at - whole) as f32;
        let index = whole as i32 as u32;
        if along == 0 {
            out.column[k] = index;
        } else {
            out.row[k] = index;
        }
        let scale = last * FRAC_2_PI / (far * (1.0 + tangent * tangent));
        for space in 0..3 {
            out.slopes[along][space][k] = (scale * (axis[space] - tangent * outwards[space])) as f32;
        }
    }
}

/// A quadrangle's four corner values and the 12 values around them, as 4 rows of 4 values.
pub type Stencil16 = [[f32; 4]; 4];

/// Reads the stencil of `field` around a quadrangle.
pub fn stencil(globe: &Globe, field: &[f32], [face, row, column]: QuadPosition) -> Stencil16 {
    let n = globe.samples();
    let at = |i: isize, j: isize| {
        let last = n as isize - 1;
        if (0..=last).contains(&i) && (0..=last).contains(&j) {
            return field[(face * n + i as usize) * n + j as usize];
        }
        let place = |k: isize| k as f64 / last as f64;
        globe.sample(field, direction_at(face, place(j), place(i)))
    };
    let (row, column) = (row as isize, column as isize);
    std::array::from_fn(|i| std::array::from_fn(|j| at(row + i as isize - 1, column + j as isize - 1)))
}

/// Interpolates the stencil's values by bicubic convolution. Returns the value and its derivatives along the columns
/// and the rows.
#[inline(always)]
pub fn bicubic(around: &Stencil16, [x, y]: [f32; 2]) -> [f32; 3] {
    let weights = |t: f32| {
        let (t2, t3) = (t * t, t * t * t);
        [-0.5 * t + t2 - 0.5 * t3, 1.0 - 2.5 * t2 + 1.5 * t3, 0.5 * t + 2.0 * t2 - 1.5 * t3, 0.5 * (t3 - t2)]
    };
    let slopes = |t: f32| {
        let t2 = t * t;
        [-0.5 + 2.0 * t - 1.5 * t2, 4.5 * t2 - 5.0 * t, 0.5 + 4.0 * t - 4.5 * t2, 1.5 * t2 - t]
    };
    let sum = |row: &[f32; 4], w: &[f32; 4]| row[0] * w[0] + row[1] * w[1] + (row[2] * w[2] + row[3] * w[3]);
    let (wx, wy) = (weights(x), weights(y));
    let (rows, bent) = (around.map(|row| sum(&row, &wx)), around.map(|row| sum(&row, &slopes(x))));
    [sum(&rows, &wy), sum(&bent, &wy), sum(&rows, &slopes(y))]
}

/// Interpolates `field` bilinearly at a position within a quadrangle.
#[inline]
pub fn bilinear(field: &[f32], n: usize, [face, row, column]: QuadPosition, [x, y]: [f32; 2]) -> f32 {
    let k = (face * n + row) * n + column;
    let along = |k: usize| field[k] + (field[k + 1] - field[k]) * x;
    let (top, bottom) = (along(k), along(k + n));
    top + (bottom - top) * y
}

/// Returns the local relief: the root mean square of the terrain's rise over one cell side, averaged over each sample
/// and its neighbours. The rise is in the unit of the heights.
///
/// # Errors
/// If the evaluation is cancelled.
pub fn local_relief(mesh: &FlowMesh, height: &[f32], control: &Control) -> Result<Vec<f32>, Cancelled> {
    let grid = mesh.grid();
    let n = grid.samples;
    let row = |out: &mut [f32], first: usize, value: &(dyn Fn(usize) -> f32 + Sync)| {
        for (j, out) in out.iter_mut().enumerate() {
            if grid.owns(first + j) {
                *out = value(first + j);
            }
        }
    };
    let mut squares = vec![0.0f32; grid.len()];
    squares.par_chunks_mut(n).enumerate().try_for_each(|(i, out)| {
        control.check()?;
        row(out, i * n, &|k| {
            let (mut sum, mut count) = (0.0, 0.0);
            for there in mesh.existing_neighbours(k) {
                let rise = (height[there] - height[k]) / mesh.straight_distance(k, there);
                sum += rise * rise;
                count += 1.0;
            }
            sum / count
        });
        Ok(())
    })?;
    let mut relief = vec![0.0f32; grid.len()];
    relief.par_chunks_mut(n).enumerate().try_for_each(|(i, out)| {
        control.check()?;
        row(out, i * n, &|k| {
            let (mut sum, mut count) = (squares[k], 1.0);
            for there in mesh.existing_neighbours(k) {
                sum += squares[there];
                count += 1.0;
            }
            (sum / count).sqrt()
        });
        Ok(())
    })?;
    grid.close(&mut relief);
    Ok(relief)
}

#[cfg(test)]
mod tests {
    use super::*;
    use talweg_ground::field::globe::from_angles;

    #[test]
    fn detail_has_the_samples_and_slopes_and_no_step_at_faces() {
        let globe = Globe::new(33);
        let law = |[x, y, z]: [f64; 3]| 0.4 * x + libm::sin(3.0 * y) * z;
        let field: Vec<f32> = (0..globe.len()).map(|k| law(globe.direction_of(k).map(f64::from)) as f32).collect();
        let read = |direction: [f64; 3]| {
            let mut places = GlobePlaces::default();
            places.find(33, &direction.map(|x| [x; PART]));
            let inside = [places.inside[0][7], places.inside[1][7]];
            let [value, x, y] = bicubic(&stencil(&globe, &field, places.quad(7)), inside);
            assert_eq!(places.quad(7), quad_of(33, direction));
            (value, [0, 1, 2].map(|k| x * places.slopes[0][k][7] + y * places.slopes[1][k][7]))
        };
        for k in 0..400 {
            let (latitude, longitude) = (0.0077 * f64::from(k) - 1.54, 0.61 * f64::from(k) - 3.0);
            let here = from_angles(latitude, longitude);
            let (value, slope) = read(here);
            assert!((f64::from(value) - law(here)).abs() < 2e-3, "{k}");
            for axis in 0..3 {
                let mut beside = here;
                beside[axis] += 1e-4;
                let rise = (f64::from(read(beside).0) - f64::from(value)) / 1e-4;
                assert!((rise - f64::from(slope[axis])).abs() < 0.02, "sample {k}: rise {rise}, slope {slope:?}");
            }
        }
        // positions on both sides of a border, and on both sides of a corner of the cube
        for (a, b) in [(0.3, 1.0), (-0.77, 1.0), (1.0, 1.0), (1.0, 0.01)] {
            let near = |s: f64| read([1.0, a * s, b]).0.max(read([b, 1.0, a * s]).0);
            assert!((near(1.0 - 1e-7) - near(1.0 + 1e-7)).abs() < 1e-4);
            let sides = [1.0 - 1e-9, 1.0 + 1e-9].map(|z| read([1.0, a, z]).0);
            assert!((sides[0] - sides[1]).abs() < 1e-5, "{sides:?}");
        }
        for k in [0, 40, 33 * 33 * 3 + 500] {
            assert!((read(globe.direction_of(k).map(f64::from)).0 - field[k]).abs() < 1e-5);
        }
    }

    #[test]
    fn the_local_relief_of_a_tilted_globe_is_its_rise_over_a_cell() {
        let globe = Globe::new(65);
        let mesh = FlowMesh::new(globe.grid());
        let field: Vec<f32> = (0..globe.len()).map(|k| globe.direction_of(k)[2]).collect();
        let relief = local_relief(&mesh, &field, &Control::default()).unwrap();
        let cell = (4.0 * std::f32::consts::PI / globe.grid().distinct_len() as f32).sqrt();
        // On the equator the slope is 1. The mean square over the eight directions is half of the slope's square.
        let equator = globe.grid().owner(32 * 65 + 32);
        assert!((relief[equator] / cell / 0.5f32.sqrt() - 1.0).abs() < 0.05, "{}", relief[equator] / cell);
        let pole = 4 * 65 * 65 + 32 * 65 + 32;
        assert!(relief[pole] < 0.15 * relief[equator]);
    }
}
