//! Maps derived from heights alone: slope, curvature, normals, visible fraction of the sky.

use std::ops::Range;

use super::layout::{PixelLayout, SampleValues};
use super::{ExportMap, MapNature, MapRows, MapSheet};
use crate::appearance::{planet_normals, sky_view};
use crate::field::topology::{EdgeFill, FACES};
use crate::field::{
    Cancelled, Control, Edges, Globe, Grid, Terrain, globe_slope_degrees, gradient, inner_columns, slopes_of_row,
};
use crate::io::formats::each_number;
use crate::scene::{Scene, Settings};

/// Width of the margin computed around a planet's face for the sky view, as a fraction of the face's side.
const SKY_MARGIN: f32 = 0.125;

/// Slope in degrees at samples, by central differences.
pub(super) fn slope<'a>(scene: &'a Scene, terrain: &'a Terrain) -> Box<dyn SampleValues + 'a> {
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
fn each_sample<'a>(value: impl Fn(usize) -> f32 + Send + Sync + 'a) -> Box<dyn SampleValues + 'a> {
    Box::new(move |samples: Range<usize>, out: &mut [f32]| {
        out.iter_mut().zip(samples).for_each(|(out, k)| *out = value(k));
    })
}

/// Mean curvature in 1/m, positive where the terrain is convex, and 0 along open edges. For a planet, the result is the
/// curvature of the relief, without the curvature of the sphere itself.
///
/// Law: H = -((1 + q²) r - 2 p q s + (1 + p²) t) / (2 (1 + p² + q²)^(3/2)), with p = ∂z/∂x, q = ∂z/∂y, r = ∂²z/∂x², s =
/// ∂²z/∂x∂y, t = ∂²z/∂y² (Evans 1980; Florinsky 1998). On a square the derivatives are differences of 3 × 3 samples. On
/// a globe they are the derivatives of the quadratic surface fitted to the neighbours, in the plane that touches the
/// sphere at the sample.
pub(super) fn curvature<'a>(scene: &'a Scene, terrain: &'a Terrain) -> Box<dyn SampleValues + 'a> {
    let (grid, n) = (terrain.grid, terrain.samples());
    let relief = scene.settings.relief_metres;
    if grid.is_globe() {
        let (globe, radius) = (Globe::new(n), f64::from(scene.planet.radius_metres));
        return each_sample(move |k| {
            let derivatives = globe_derivatives(&globe, &terrain.height, k);
            let (first, second) = (f64::from(relief) / radius, f64::from(relief) / (radius * radius));
            let [p, q, r, s, t] = derivatives;
            mean_curvature([p * first, q * first, r * second, s * second, t * second].map(|d| d as f32))
        });
    }
    Box::new(move |samples, out| {
        let (row, first) = (samples.start / n, samples.start % n);
        let columns = first..first + samples.len();
        let at = |row: usize, column: usize| terrain.height[row * n + column];
        let inner = inner_columns(grid, &columns);
        let (Some(north), Some(south)) = (grid.previous(row), grid.next(row)) else { return out.fill(0.0) };
        for column in (columns.start..inner.start).chain(inner.end..columns.end) {
            out[column - first] = square_curvature(scene, grid, &at, row, column);
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
        out[k] = curvature_of(around, relief, cell);
    }
}

/// The mean curvature of a square at a row and column, as [`curvature`]; `value` returns the heights in the terrain's
/// own units.
pub(crate) fn square_curvature(
    scene: &Scene,
    grid: Grid,
    value: &(impl Fn(usize, usize) -> f32 + ?Sized),
    row: usize,
    column: usize,
) -> f32 {
    let (relief, cell) = (scene.settings.relief_metres, scene.settings.size_metres * grid.cell());
    let around = |place: usize| Some([grid.previous(place)?, place, grid.next(place)?]);
    let (Some(rows), Some(columns)) = (around(row), around(column)) else { return 0.0 };
    curvature_of(rows.map(|row| columns.map(|column| value(row, column))), relief, cell)
}

/// The mean curvature of the middle of 3 × 3 heights, which are multiples of `relief`; `cell` is their distance.
#[inline(always)]
fn curvature_of(around: [[f32; 3]; 3], relief: f32, cell: f32) -> f32 {
    let at = |down: i32, right: i32| around[(down + 1) as usize][(right + 1) as usize] * relief;
    let here = at(0, 0);
    let p = (at(0, 1) - at(0, -1)) / (2.0 * cell);
    let q = (at(1, 0) - at(-1, 0)) / (2.0 * cell);
    let r = (at(0, 1) - 2.0 * here + at(0, -1)) / (cell * cell);
    let t = (at(1, 0) - 2.0 * here + at(-1, 0)) / (cell * cell);
    let s = (at(1, 1) - at(1, -1) - at(-1, 1) + at(-1, -1)) / (4.0 * cell * cell);
    mean_curvature([p, q, r, s, t])
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

/// The visible fraction of the sky at every sample. Each face of a globe is computed with the terrain beyond its
/// borders. All cells of a globe count as equally wide. Near the corners of faces, up to a third of the horizon's
/// shading is therefore missed.
///
/// # Errors
/// If `control` is cancelled.
pub(super) fn sky(scene: &Scene, terrain: &Terrain, control: &Control) -> Result<Vec<f32>, Cancelled> {
    let grid = terrain.grid;
    if !grid.is_globe() {
        return sky_view(terrain, &scene.settings, control);
    }
    let n = terrain.samples();
    let margin = (SKY_MARGIN * n as f32) as usize;
    let side = n + 2 * margin;
    // Length of the side of the face with its margin, at the same scale.
    let side_metres = scene.side_metres() * (side - 1) as f32 / (n - 1) as f32;
    let settings = Settings { size_metres: side_metres, ..scene.settings.clone() };
    let mut seen = Vec::with_capacity(grid.len());
    for face in 0..FACES {
        let mut square = Terrain::flat(Grid::working(side, Edges::Open));
        square.height = grid.face_with_margin(&terrain.height, face, margin, EdgeFill::Nearest);
        // Only three faces meet at a corner of the cube. The part of the square where a fourth face would be is filled
        // with heights along the border between the two neighbouring faces.
        let (first, last) = (margin, margin + n - 1);
        for row in (0..first).chain(last + 1..side) {
            for column in (0..first).chain(last + 1..side) {
                let inner = |k: usize| k.clamp(first, last);
                let away = row.abs_diff(inner(row)).max(column.abs_diff(inner(column)));
                let beside = if column < first { first - away } else { last + away };
                square.height[row * side + column] = square.height[inner(row) * side + beside];
            }
        }
        let around = sky_view(&square, &settings, control)?;
        seen.extend((margin..margin + n).flat_map(|row| around[row * side + margin..][..n].iter().copied()));
    }
    grid.close(&mut seen);
    Ok(seen)
}

/// Surface normals: east, north and up from -1 to 1. On cube faces, the components are along columns, against rows, and
/// up.
pub(super) fn normals<'a>(
    scene: &'a Scene,
    terrain: &'a Terrain,
    layout: &'a PixelLayout,
    control: &Control,
) -> Result<MapSheet<'a>, Cancelled> {
    if terrain.grid.is_globe() {
        let picture = planet_normals(scene, terrain, layout.planet, control)?;
        let value = move |row: usize, column: usize, channel: usize| {
            f32::from(picture.rgb[(row * picture.width + column) * 3 + channel]) / 127.5 - 1.0
        };
        return Ok(normal_sheet(Box::new(each_number(value))));
    }
    let steepness = scene.settings.relief_over_size();
    let at = move |row, column| normal(gradient(terrain.grid, &terrain.height, row, column), steepness);
    Ok(normal_sheet(each_normal(at)))
}

/// Rows of normals that `at` returns for a row and a column.
pub(super) fn each_normal<'a>(at: impl Fn(usize, usize) -> [f32; 3] + Sync + 'a) -> MapRows<'a> {
    Box::new(move |row, columns, out| {
        out.as_chunks_mut().0.iter_mut().zip(columns).for_each(|(out, column)| *out = at(row, column));
    })
}

/// The normal (east, north, up) of a square at a sample whose height gradient towards the east and the south is given.
pub(super) fn normal((east, south): (f32, f32), steepness: f32) -> [f32; 3] {
    let (x, y) = (-east * steepness, south * steepness);
    let length = (x * x + y * y + 1.0).sqrt();
    [x, y, 1.0].map(|part| part / length)
}

pub(super) fn normal_sheet(rows: MapRows) -> MapSheet {
    MapSheet {
        label: ExportMap::Normals.to_string(),
        nature: MapNature::Vector,
        unit: "",
        channels: 3,
        range: (-1.0, 1.0),
        legend: Vec::new(),
        rows,
    }
}
