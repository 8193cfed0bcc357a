//! Slopes and normals by central differences (one-sided at open edges).

use rayon::prelude::*;

use super::{Grid, Terrain};

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

/// Slope in degrees at every sample. `relief_over_size` is relief_metres / size_metres.
pub fn slope_degrees(terrain: &Terrain, relief_over_size: f32) -> Vec<f32> {
    let grid = terrain.grid;
    let mut out = vec![0.0; grid.len()];
    out.par_chunks_mut(grid.samples).enumerate().for_each(|(i, row)| {
        for (j, slope) in row.iter_mut().enumerate() {
            let (gx, gy) = gradient(grid, &terrain.height, i, j);
            let tangent = (gx * gx + gy * gy).sqrt() * relief_over_size;
            *slope = libm::atanf(tangent) * (180.0 / std::f32::consts::PI);
        }
    });
    out
}

/// Unit normals (east, up, south) at every sample.
pub fn normals(terrain: &Terrain, relief_over_size: f32) -> Vec<[f32; 3]> {
    let grid = terrain.grid;
    let mut out = vec![[0.0; 3]; grid.len()];
    out.par_chunks_mut(grid.samples).enumerate().for_each(|(i, row)| {
        for (j, normal) in row.iter_mut().enumerate() {
            let (gx, gy) = gradient(grid, &terrain.height, i, j);
            let (x, z) = (-gx * relief_over_size, -gy * relief_over_size);
            let length = (x * x + 1.0 + z * z).sqrt();
            *normal = [x / length, 1.0 / length, z / length];
        }
    });
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Edges;

    #[test]
    fn a_plane_has_its_slope_everywhere_edges_included() {
        let plane = Terrain::from_fn(33, Edges::Open, |u, v| 0.5 * u + 0.25 * v);
        let tangent = (0.5f32 * 0.5 + 0.25 * 0.25).sqrt() * 2.0;
        let degrees = libm::atanf(tangent).to_degrees();
        assert!(slope_degrees(&plane, 2.0).iter().all(|s| (s - degrees).abs() < 1e-3));
        let n = normals(&plane, 2.0)[40];
        assert!((n[0] / n[1] + 1.0).abs() < 1e-4 && (n[2] / n[1] + 0.5).abs() < 1e-4, "{n:?}");
    }
}
