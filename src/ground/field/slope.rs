//! Slopes of a heightfield by central differences; at open edges the differences are one-sided.

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
