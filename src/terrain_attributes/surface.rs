//! Slope, aspect and curvatures: attributes of a sample and its eight neighbours.
//!
//! Derivatives: p = ∂z/∂x, q = ∂z/∂y, r = ∂²z/∂x², s = ∂²z/∂x∂y, t = ∂²z/∂y². On a square they are differences of 3 × 3
//! samples. On a globe they are the derivatives of the quadratic surface fitted to the neighbours, in the plane that
//! touches the sphere at the sample; the curvature of the sphere itself does not count.
//!
//! | attribute | law |
//! |---|---|
//! | slope | atan √(p² + q²); differences at open edges are one-sided |
//! | aspect | direction of -(p, q), clockwise from north; -1 on level ground |
//! | mean curvature | -((1 + q²) r - 2 p q s + (1 + p²) t) / (2 (1 + p² + q²)^(3/2)) |
//! | profile curvature | -(p² r + 2 p q s + q² t) / ((p² + q²) (1 + p² + q²)^(3/2)) |
//! | tangential curvature | -(q² r - 2 p q s + p² t) / ((p² + q²) (1 + p² + q²)^(1/2)) |
//! | plan curvature | -(q² r - 2 p q s + p² t) / (p² + q²)^(3/2) |
//!
//! The mean curvature is the mean of the profile and the tangential curvature. All curvatures are in 1/m, positive
//! where the terrain is convex, and 0 along open edges. Where the tangent of the slope is below 10⁻⁵, only the mean
//! curvature is defined, and the others are 0. The grid cannot show contours that turn within a cell, so the plan
//! curvature is limited to ±1 per cell width.
//! Source: Evans 1980; Florinsky 1998, *Accuracy of local topographic variables derived from digital elevation models*;
//! Schmidt, Evans & Brinkmann 2003, *Comparison of polynomial models for land surface curvature calculation*.

use std::ops::Range;

use super::{AttributeRows, TerrainAttribute};
use crate::field::vector::dot;
use crate::field::{
    Globe, Grid, Terrain, globe_gradient, globe_slope_degrees, gradient, gradient_degrees, inner_columns,
    sampled_gradient, slopes_of_row,
};
use crate::scene::Scene;

/// Square of the slope's tangent below which a sample has no direction of steepest descent.
const LEVEL: f32 = 1.0e-10;

/// Slopes in degrees at samples, by central differences.
pub fn slopes<'a>(scene: &'a Scene, terrain: &'a Terrain) -> AttributeRows<'a> {
    let (grid, n) = (terrain.grid, terrain.samples());
    let relief = scene.settings.relief_metres;
    if grid.is_globe() {
        let globe = Globe::new(n);
        let steepness = relief / scene.planet.radius_metres;
        return each_sample(move |k| globe_slope_degrees(&globe, &terrain.height, k, steepness));
    }
    let steepness = scene.settings.relief_over_size();
    Box::new(move |samples, out| {
        let (row, first) = (samples.start / n, samples.start % n);
        slopes_of_row(grid, &terrain.height, row, first..first + samples.len(), steepness, out);
    })
}

/// Calls `value` for each sample.
fn each_sample<'a>(value: impl Fn(usize) -> f32 + Send + Sync + 'a) -> AttributeRows<'a> {
    Box::new(move |samples: Range<usize>, out: &mut [f32]| {
        out.iter_mut().zip(samples).for_each(|(out, k)| *out = value(k));
    })
}

/// Aspects in degrees clockwise from north, from 0 up to 360; -1 on level ground.
pub fn aspects(terrain: &Terrain) -> AttributeRows<'_> {
    let (grid, n) = (terrain.grid, terrain.samples());
    if grid.is_globe() {
        let globe = Globe::new(n);
        return each_sample(move |k| {
            let uphill = globe_gradient(&globe, &terrain.height, k);
            let [x, y, z] = globe.direction_of(grid.owner(k));
            let level = (x * x + y * y).sqrt();
            let east = if level > 0.0 { [-y / level, x / level, 0.0] } else { [0.0, 1.0, 0.0] };
            let north = [y * east[2] - z * east[1], z * east[0] - x * east[2], x * east[1] - y * east[0]];
            aspect_of([dot(uphill, east), -dot(uphill, north)])
        });
    }
    each_sample(move |k| {
        let (east, south) = gradient(grid, &terrain.height, k / n, k % n);
        aspect_of([east, south])
    })
}

/// The aspect for a height gradient to the east and to the south.
fn aspect_of([east, south]: [f32; 2]) -> f32 {
    if east == 0.0 && south == 0.0 {
        return -1.0;
    }
    // The slope faces down the gradient. Adding 0 turns -0 into 0.
    let degrees = libm::atan2f(0.0 - east, south) * (180.0 / std::f32::consts::PI) + 0.0;
    let degrees = if degrees < 0.0 { degrees + 360.0 } else { degrees };
    if degrees < 360.0 { degrees } else { 0.0 }
}

/// Curvatures of one kind in 1/m.
pub fn curvatures<'a>(scene: &'a Scene, terrain: &'a Terrain, kind: TerrainAttribute) -> AttributeRows<'a> {
    let (grid, n) = (terrain.grid, terrain.samples());
    let relief = scene.settings.relief_metres;
    if grid.is_globe() {
        let (globe, radius) = (Globe::new(n), f64::from(scene.planet.radius_metres));
        let cell = (globe_cell(n) * radius) as f32;
        return each_sample(move |k| {
            let derivatives = globe_derivatives(&globe, &terrain.height, k);
            let (first, second) = (f64::from(relief) / radius, f64::from(relief) / (radius * radius));
            let [p, q, r, s, t] = derivatives;
            let derivatives = [p * first, q * first, r * second, s * second, t * second].map(|d| d as f32);
            curvature_of(kind, derivatives, cell)
        });
    }
    if kind != TerrainAttribute::MeanCurvature {
        let at = move |row: usize, column: usize| terrain.height[row * n + column];
        return each_sample(move |k| square_curvature(scene, grid, kind, &at, k / n, k % n));
    }
    Box::new(move |samples, out| {
        let (row, first) = (samples.start / n, samples.start % n);
        let columns = first..first + samples.len();
        let at = |row: usize, column: usize| terrain.height[row * n + column];
        let inner = inner_columns(grid, &columns);
        let (Some(north), Some(south)) = (grid.previous(row), grid.next(row)) else { return out.fill(0.0) };
        for column in (columns.start..inner.start).chain(inner.end..columns.end) {
            out[column - first] = square_curvature(scene, grid, kind, &at, row, column);
        }
        if !inner.is_empty() {
            let around = [north, row, south].map(|row| &grid.row(&terrain.height, row)[inner.start - 1..=inner.end]);
            let cell = scene.settings.size_metres * grid.cell();
            inner_curvatures(around, relief, cell, &mut out[inner.start - first..inner.end - first]);
        }
    })
}

/// The mean curvatures of consecutive samples, from their row and the rows before and after it. The rows start one
/// sample before the first sample and end one sample after the last. The results have the bits of [`square_curvature`].
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn inner_curvatures([north, here, south]: [&[f32]; 3], relief: f32, cell: f32, out: &mut [f32]) {
    let n = out.len();
    let [north, here, south] = [north, here, south].map(|row| &row[..n + 2]);
    for k in 0..n {
        let around = [north, here, south].map(|row| [row[k], row[k + 1], row[k + 2]]);
        out[k] = mean_curvature(square_derivatives(around, relief, cell));
    }
}

/// The attribute of a square at a row and column, if it depends on the neighbours only, in its
/// [unit](TerrainAttribute::unit). `value` returns the heights in the terrain's own units. The result has the bits of
/// [`attribute_rows`](super::attribute_rows). `None` for other attributes.
pub fn square_attribute(
    scene: &Scene,
    grid: Grid,
    attribute: TerrainAttribute,
    value: &(impl Fn(usize, usize) -> f32 + ?Sized),
    [row, column]: [usize; 2],
) -> Option<f32> {
    Some(match attribute {
        TerrainAttribute::Slope => {
            gradient_degrees(sampled_gradient(grid, value, row, column), scene.settings.relief_over_size())
        }
        TerrainAttribute::Aspect => {
            let (east, south) = sampled_gradient(grid, value, row, column);
            aspect_of([east, south])
        }
        TerrainAttribute::MeanCurvature
        | TerrainAttribute::ProfileCurvature
        | TerrainAttribute::PlanCurvature
        | TerrainAttribute::TangentialCurvature => square_curvature(scene, grid, attribute, value, row, column),
        _ => return None,
    })
}

/// A curvature of a square at a row and column; `value` returns the heights in the terrain's own units.
fn square_curvature(
    scene: &Scene,
    grid: Grid,
    kind: TerrainAttribute,
    value: &(impl Fn(usize, usize) -> f32 + ?Sized),
    row: usize,
    column: usize,
) -> f32 {
    let (relief, cell) = (scene.settings.relief_metres, scene.settings.size_metres * grid.cell());
    let around = |place: usize| Some([grid.previous(place)?, place, grid.next(place)?]);
    let (Some(rows), Some(columns)) = (around(row), around(column)) else { return 0.0 };
    let around = rows.map(|row| columns.map(|column| value(row, column)));
    curvature_of(kind, square_derivatives(around, relief, cell), cell)
}

/// The derivatives p, q, r, s and t at the middle of 3 × 3 heights, which are multiples of `relief`; `cell` is their
/// distance.
#[inline(always)]
fn square_derivatives(around: [[f32; 3]; 3], relief: f32, cell: f32) -> [f32; 5] {
    let at = |down: i32, right: i32| around[(down + 1) as usize][(right + 1) as usize] * relief;
    let here = at(0, 0);
    let p = (at(0, 1) - at(0, -1)) / (2.0 * cell);
    let q = (at(1, 0) - at(-1, 0)) / (2.0 * cell);
    let r = (at(0, 1) - 2.0 * here + at(0, -1)) / (cell * cell);
    let t = (at(1, 0) - 2.0 * here + at(-1, 0)) / (cell * cell);
    let s = (at(1, 1) - at(1, -1) - at(-1, 1) + at(-1, -1)) / (4.0 * cell * cell);
    [p, q, r, s, t]
}

/// A curvature in 1/m from the derivatives p, q, r, s and t; `cell` is the width of a cell in metres.
fn curvature_of(kind: TerrainAttribute, derivatives: [f32; 5], cell: f32) -> f32 {
    if kind == TerrainAttribute::MeanCurvature {
        return mean_curvature(derivatives);
    }
    let [p, q, r, s, t] = derivatives;
    let steep = p * p + q * q;
    if steep < LEVEL {
        return 0.0;
    }
    let length = 1.0 + steep;
    let across = -(q * q * r - 2.0 * p * q * s + p * p * t);
    match kind {
        TerrainAttribute::ProfileCurvature => {
            -(p * p * r + 2.0 * p * q * s + q * q * t) / (steep * length * length.sqrt())
        }
        TerrainAttribute::TangentialCurvature => across / (steep * length.sqrt()),
        _ => {
            let most = 1.0 / cell;
            (across / (steep * steep.sqrt())).clamp(-most, most)
        }
    }
}

#[inline(always)]
fn mean_curvature([p, q, r, s, t]: [f32; 5]) -> f32 {
    let length = 1.0 + p * p + q * q;
    -((1.0 + q * q) * r - 2.0 * p * q * s + (1.0 + p * p) * t) / (2.0 * length * length.sqrt())
}

/// First and second derivatives of a globe's field at a sample, along two perpendicular directions, in radians. They
/// are the coefficients of the surface p x + q y + ½ r x² + s x y + ½ t y² with the least squared distance to the
/// neighbours.
fn globe_derivatives(globe: &Globe, field: &[f32], index: usize) -> [f64; 5] {
    let grid = globe.grid();
    let index = grid.owner(index);
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let direction = |k: usize| globe.direction_of(k).map(f64::from);
    let up = direction(index);
    // The axis that is most nearly horizontal determines the first direction.
    let flattest = (0..3).min_by(|&a, &b| up[a].abs().total_cmp(&up[b].abs())).unwrap_or(0);
    let east: [f64; 3] = std::array::from_fn(|k| f64::from(k == flattest) - up[flattest] * up[k]);
    let length = dot(east, east).sqrt();
    let east = east.map(|v| v / length);
    let south =
        [up[1] * east[2] - up[2] * east[1], up[2] * east[0] - up[0] * east[2], up[0] * east[1] - up[1] * east[0]];
    // Coordinates are in cells, so that all terms have similar magnitudes.
    let cell = globe_cell(globe.samples());
    let mut normal = [[0.0f64; 6]; 5];
    for neighbour in grid.neighbours(index).into_iter().flatten() {
        let towards = direction(neighbour);
        // Distances are measured along the arc, so that distances in the tangent plane equal those on the sphere.
        let (x, y) = (dot(towards, east), dot(towards, south));
        let flat = (x * x + y * y).sqrt();
        let arc = libm::atan2(flat, dot(towards, up)) / flat.max(f64::MIN_POSITIVE) / cell;
        let (x, y) = (x * arc, y * arc);
        let terms = [x, y, 0.5 * x * x, x * y, 0.5 * y * y];
        let rise = f64::from(field[neighbour]) - f64::from(field[index]);
        for (row, term) in normal.iter_mut().zip(terms) {
            for (sum, other) in row.iter_mut().zip(terms.into_iter().chain([rise])) {
                *sum += term * other;
            }
        }
    }
    let [p, q, r, s, t] = solved(normal);
    [p / cell, q / cell, r / (cell * cell), s / (cell * cell), t / (cell * cell)]
}

/// Angle between neighbouring samples along the middle of a face, in radians.
fn globe_cell(samples: usize) -> f64 {
    std::f64::consts::FRAC_PI_2 / (samples - 1) as f64
}

/// Solves five linear equations by elimination with pivoting; each row ends with its right-hand side. Unknowns that the
/// equations do not determine are 0.
fn solved(mut rows: [[f64; 6]; 5]) -> [f64; 5] {
    for k in 0..5 {
        let pivot = (k..5).max_by(|&a, &b| rows[a][k].abs().total_cmp(&rows[b][k].abs())).unwrap_or(k);
        rows.swap(k, pivot);
        if rows[k][k].abs() < 1e-9 {
            rows[k] = [0.0; 6];
            rows[k][k] = 1.0;
            continue;
        }
        let lead = rows[k];
        for row in &mut rows[k + 1..] {
            let times = row[k] / lead[k];
            row.iter_mut().zip(lead).for_each(|(value, of)| *value -= times * of);
        }
    }
    let mut found = [0.0; 5];
    for k in (0..5).rev() {
        let known: f64 = (k + 1..5).map(|j| rows[k][j] * found[j]).sum();
        found[k] = (rows[k][5] - known) / rows[k][k];
    }
    found
}
