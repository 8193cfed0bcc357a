//! Slopes of a heightfield by central differences; at open edges the differences are one-sided.

use std::ops::Range;

use super::topology::{EAST, NORTH, SOUTH, WEST};
use super::{Globe, Grid};
use crate::field::vector::{dot, minus};

/// Height gradient at (row, column): ∂h/∂x (to the east) and ∂h/∂y (to the south), in units of relief per side length.
#[inline]
pub fn gradient(grid: Grid, height: &[f32], row: usize, column: usize) -> (f32, f32) {
    let n = grid.samples;
    sampled_gradient(grid, |i, j| height[i * n + j], row, column)
}

/// The [`gradient`] of heights that the function `at` returns for a row and column.
pub fn sampled_gradient(grid: Grid, at: impl Fn(usize, usize) -> f32, row: usize, column: usize) -> (f32, f32) {
    let (west, east) = (grid.previous(column), grid.next(column));
    let (north, south) = (grid.previous(row), grid.next(row));
    let steps = |a: Option<usize>, b: Option<usize>| (usize::from(a.is_some()) + usize::from(b.is_some())) as f32;
    let dx = at(row, east.unwrap_or(column)) - at(row, west.unwrap_or(column));
    let dy = at(south.unwrap_or(row), column) - at(north.unwrap_or(row), column);
    (dx / (steps(west, east) * grid.cell()), dy / (steps(north, south) * grid.cell()))
}

/// Slope in degrees at (row, column). `relief_over_size` is the relief divided by the side length, both in metres.
#[inline]
pub fn slope_degrees(grid: Grid, height: &[f32], row: usize, column: usize, relief_over_size: f32) -> f32 {
    gradient_degrees(gradient(grid, height, row, column), relief_over_size)
}

/// Slope in degrees for a [`gradient`] to the east and to the south, in units of relief per side length.
/// `relief_over_size` is the relief divided by the side length, both in metres.
#[inline]
pub fn gradient_degrees((gx, gy): (f32, f32), relief_over_size: f32) -> f32 {
    let tangent = (gx * gx + gy * gy).sqrt() * relief_over_size;
    libm::atanf(tangent) * (180.0 / std::f32::consts::PI)
}

/// The columns among `columns` whose neighbours to the west and to the east are the samples beside them in the row.
pub fn inner_columns(grid: Grid, columns: &Range<usize>) -> Range<usize> {
    let start = columns.start.max(1).min(columns.end);
    start..columns.end.min(grid.samples - 1).max(start)
}

/// Slopes in degrees of some columns of a row, with the bits of [`slope_degrees`].
pub fn slopes_of_row(
    grid: Grid,
    height: &[f32],
    row: usize,
    columns: Range<usize>,
    relief_over_size: f32,
    out: &mut [f32],
) {
    let inner = inner_columns(grid, &columns);
    for column in (columns.start..inner.start).chain(inner.end..columns.end) {
        out[column - columns.start] = slope_degrees(grid, height, row, column, relief_over_size);
    }
    if inner.is_empty() {
        return;
    }
    let (north, south) = (grid.previous(row), grid.next(row));
    let steps = (usize::from(north.is_some()) + usize::from(south.is_some())) as f32;
    let of = |row: usize, columns: Range<usize>| &grid.row(height, row)[columns];
    let sides = [
        of(row, inner.start - 1..inner.end - 1),
        of(row, inner.start + 1..inner.end + 1),
        of(north.unwrap_or(row), inner.clone()),
        of(south.unwrap_or(row), inner.clone()),
    ];
    let distances = [2.0 * grid.cell(), steps * grid.cell()];
    slopes_between(sides, distances, relief_over_size, &mut out[inner.start - columns.start..][..inner.len()]);
}

/// Slopes in degrees of samples with the given neighbours in the west, east, north and south. `distances` are the
/// distances between the neighbours in the west and the east, and between the neighbours in the north and the south.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn slopes_between(
    [west, east, north, south]: [&[f32]; 4],
    [across, along]: [f32; 2],
    relief_over_size: f32,
    out: &mut [f32],
) {
    let n = out.len();
    let (west, east, north, south) = (&west[..n], &east[..n], &north[..n], &south[..n]);
    for k in 0..n {
        let (gx, gy) = ((east[k] - west[k]) / across, (south[k] - north[k]) / along);
        let tangent = (gx * gx + gy * gy).sqrt() * relief_over_size;
        out[k] = arctangent(tangent) * (180.0 / std::f32::consts::PI);
    }
}

/// The arctangent of a number that is not negative, with the bits of [`libm::atanf`]. There are no branches, so that
/// loops vectorise.
#[inline(always)]
#[allow(clippy::approx_constant, reason = "the leading part of π/4, rounded down")]
fn arctangent(x: f32) -> f32 {
    // π/2, rounded down: the leading part of a sum of two numbers.
    const RIGHT_ANGLE: f32 = f32::from_bits(0x3fc9_0fda);
    // Reduces x to (x - c) / (1 + c x), the tangent of the angle from atan c, which is the sum of two numbers.
    let [above, below, high, low] = if x < 0.4375 {
        [x, 1.0, 0.0, 0.0]
    } else if x < 0.6875 {
        [2.0 * x - 1.0, 2.0 + x, 4.636_476e-1, 5.012_158_2e-9]
    } else if x < 1.1875 {
        [x - 1.0, x + 1.0, 7.853_981e-1, 3.774_894_7e-8]
    } else if x < 2.4375 {
        [x - 1.5, 1.0 + 1.5 * x, 9.827_937e-1, 3.447_321_7e-8]
    } else {
        [-1.0, x, RIGHT_ANGLE, 7.549_789_4e-8]
    };
    let t = above / below;
    let z = t * t;
    let w = z * z;
    let odd = z * (3.333_332_8e-1 + w * (1.425_363_6e-1 + w * 6.168_760_7e-2));
    let even = w * (-1.999_915_8e-1 + w * -1.064_801_77e-1);
    let angle = high - ((t * (odd + even) - low) - t);
    if x >= 67_108_864.0 { RIGHT_ANGLE } else { angle }
}

/// Height gradient on a globe at sample `index`, in relief units per radian. The vector points uphill and is tangent to
/// the sphere.
///
/// The differences along the face's rows and columns determine the vector, whatever the angle between rows and columns.
/// Copies of a sample on other faces have the same slope as the sample itself.
pub fn globe_gradient(globe: &Globe, height: &[f32], index: usize) -> [f32; 3] {
    let index = globe.grid().owner(index);
    let difference = |forth: usize, back: usize| {
        let [forth, back] = [forth, back].map(|step| globe.grid().neighbour(index, step).unwrap_or(index));
        let (a, b) = (globe.direction_of(forth), globe.direction_of(back));
        (minus(a, b), height[forth] - height[back])
    };
    let ((right, along), (down, across)) = (difference(EAST, WEST), difference(SOUTH, NORTH));
    let (rr, rd, dd) = (dot(right, right), dot(right, down), dot(down, down));
    let area = rr * dd - rd * rd;
    let (x, y) = ((along * dd - across * rd) / area, (across * rr - along * rd) / area);
    std::array::from_fn(|k| x * right[k] + y * down[k])
}

/// Slope in degrees at a sample of a globe. `relief_over_radius` is the relief divided by the radius, both in metres.
#[inline]
pub fn globe_slope_degrees(globe: &Globe, height: &[f32], index: usize, relief_over_radius: f32) -> f32 {
    let [x, y, z] = globe_gradient(globe, height, index);
    libm::atanf((x * x + y * y + z * z).sqrt() * relief_over_radius) * (180.0 / std::f32::consts::PI)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{Edges, Terrain};

    #[test]
    fn a_plane_has_its_slope_everywhere_edges_included() {
        let plane = Terrain::from_fn(33, Edges::Open, |u, v| 0.5 * u + 0.25 * v);
        let tangent = (0.5f32 * 0.5 + 0.25 * 0.25).sqrt() * 2.0;
        let degrees = libm::atanf(tangent).to_degrees();
        for (i, j) in (0..33).flat_map(|i| (0..33).map(move |j| (i, j))) {
            let slope = slope_degrees(plane.grid, &plane.height, i, j, 2.0);
            assert!((slope - degrees).abs() < 1e-3, "{slope} at {i}, {j}");
        }
    }

    #[test]
    fn arctangents_have_the_bits_of_libm() {
        let stride = if cfg!(debug_assertions) { 9973 } else { 97 };
        let limits = [0.4375f32, 0.6875, 1.1875, 2.4375, 67_108_864.0].map(f32::to_bits);
        let near = limits.iter().flat_map(|bits| bits - 2..bits + 2);
        for bits in (0..=f32::INFINITY.to_bits()).step_by(stride).chain(near).chain([f32::INFINITY.to_bits()]) {
            let x = f32::from_bits(bits);
            assert_eq!(arctangent(x).to_bits(), libm::atanf(x).to_bits(), "{x}");
        }
        assert!(arctangent(f32::NAN).is_nan());
    }

    #[test]
    fn slopes_of_a_row_have_the_bits_of_each_slope() {
        for edges in [Edges::Open, Edges::Wrap] {
            let hill = Terrain::from_fn(34, edges, |u, v| libm::sinf(u * 37.0) * libm::cosf(v * 23.0));
            for (row, columns) in (0..34).flat_map(|row| [0..34, 0..1, 33..34, 5..20].map(|columns| (row, columns))) {
                let mut slopes = vec![0.0; columns.len()];
                slopes_of_row(hill.grid, &hill.height, row, columns.clone(), 0.3, &mut slopes);
                let each = columns.clone().map(|column| slope_degrees(hill.grid, &hill.height, row, column, 0.3));
                assert!(each.zip(&slopes).all(|(a, b)| a.to_bits() == b.to_bits()), "{edges:?} {row} {columns:?}");
            }
        }
    }

    /// The test height is h = x. With θ the angle from the x axis, h = cos θ, so the slope is sin θ.
    #[test]
    fn the_slope_on_a_globe_is_that_of_the_function() {
        let globe = Globe::new(65);
        let height: Vec<f32> = (0..globe.len()).map(|k| globe.direction_of(k)[0]).collect();
        for k in 0..globe.len() {
            let [x, y, z] = globe_gradient(&globe, &height, k);
            let slope = (x * x + y * y + z * z).sqrt();
            let here = globe.direction_of(k);
            let expected = (here[1] * here[1] + here[2] * here[2]).sqrt();
            // At the corners of the cube the differences are one-sided.
            let corner = (0..8).any(|step| globe.grid().neighbour(k, step).is_none());
            assert!((slope - expected).abs() < if corner { 0.05 } else { 2e-3 }, "{slope} at {k}");
        }
    }
}
