//! Slopes by central differences (one-sided at open edges).

use super::Grid;

/// ∂h/∂x (to the east) and ∂h/∂y (to the south) at (row, column), in relief over side.
#[inline]
pub fn gradient(grid: Grid, height: &[f32], row: usize, column: usize) -> (f32, f32) {
    let n = grid.samples;
    let at = |i: usize, j: usize| height[i * n + j];
    let (west, east) = (grid.before(column), grid.after(column));
    let (north, south) = (grid.before(row), grid.after(row));
    let steps = |a: Option<usize>, b: Option<usize>| (usize::from(a.is_some()) + usize::from(b.is_some())) as f32;
    let dx = at(row, east.unwrap_or(column)) - at(row, west.unwrap_or(column));
    let dy = at(south.unwrap_or(row), column) - at(north.unwrap_or(row), column);
    (dx / (steps(west, east) * grid.cell()), dy / (steps(north, south) * grid.cell()))
}

/// Slope in degrees at (row, column). `relief_over_size` is relief_metres / size_metres.
pub fn slope_degrees(grid: Grid, height: &[f32], row: usize, column: usize, relief_over_size: f32) -> f32 {
    let (gx, gy) = gradient(grid, height, row, column);
    let tangent = (gx * gx + gy * gy).sqrt() * relief_over_size;
    libm::atanf(tangent) * (180.0 / std::f32::consts::PI)
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
}
