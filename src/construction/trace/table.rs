//! A table of the ground for ray tracing: the table bounds the ground of each cell before any ray evaluates the
//! construction.
//!
//! Method: the square is divided into cells. Heights at the corners of the cells, interpolated bilinearly, approximate
//! the ground. The residual is the difference between the ground and this approximation. The residual is sampled at
//! random pairs of close points in every block of cells, to measure the residual's magnitude and slope. Both are
//! multiplied by a safety margin of 1.5. A pyramid of maximum heights is built over the cells. These bounds are
//! measured, not proven: the results of [`Tracer`](super::Tracer) with proven bounds are the reference. The measured
//! bounds are ten times tighter than the proven bounds, above all where a ground window limits a piece to a range of
//! slopes. The ground is sampled with the level of detail that a ray from the eye uses at the same distance.
//! Source: Génevaux et al. 2014, §7.1 (local bounds); Tevs, Ihrke & Seidel 2008, *Maximum Mipmaps*.

use rayon::prelude::*;

use super::Tracer;
use crate::compiled_program::NodeSelection;
use crate::geometry::plane::{Area, Interval, higher, length, lower};
use crate::row_samples::{LANES, PointRow};
use crate::sample::Detail;
use talweg_ground::field::Stream;

/// Number of cells per side, a power of two.
const CELLS: usize = 1024;
/// Number of cells per side of a block.
const BLOCK: usize = 16;
const BLOCKS: usize = CELLS / BLOCK;
/// Number of points per side of a block at which the residual is sampled. Each point has a second point close to it.
const PLACES: usize = 8;
/// Distance between the two points of a pair, as a multiple of the cell size.
const APART: f64 = 0.25;
/// Safety factor for residuals between the sampled points.
const MARGIN: f64 = 1.5;

/// Bounds of the difference between the ground and its bilinear approximation, in a block.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Residual {
    /// Maximum absolute difference, in metres.
    pub most: f32,
    /// Maximum slope of the difference, in metres of height per horizontal metre.
    pub slope: f32,
}

/// A measured table of the ground of a square.
#[derive(Clone, Debug)]
pub struct GroundTable {
    /// Side length of a cell, in metres.
    pub(super) cell: f64,
    corners: Vec<f32>,
    residuals: Vec<Residual>,
    /// Pyramid of maximum heights: per cell, per 2 × 2 cells, and so on up to the whole square.
    highest: Vec<Vec<f32>>,
    range: Interval,
}

/// Bilinear heights of a cell: h + east·u + south·v + both·u·v with u and v from 0 to 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct CellPatch {
    pub height: f64,
    pub east: f64,
    pub south: f64,
    pub both: f64,
}

impl GroundTable {
    /// Number of evaluations of the construction tree for a table.
    pub const EVALUATIONS: u64 = ((CELLS + 1) * (CELLS + 1) + 2 * PLACES * PLACES * BLOCKS * BLOCKS) as u64;
    /// Pyramid level of the finest [`tiles`](Self::tiles).
    const TILE_LEVEL: usize = 2;
    /// Number of [`tiles`](Self::tiles) over all levels.
    pub const TILES: usize = {
        let finest = CELLS >> Self::TILE_LEVEL;
        (4 * finest * finest - 1) / 3
    };
    /// Number of pyramid levels.
    pub(super) const LEVELS: usize = CELLS.ilog2() as usize + 1;

    /// Measures the ground that `tracer` traces. `eye` is the position of the eye in metres of the construction.
    pub fn new(tracer: &Tracer, eye: [f64; 3]) -> Self {
        let side = tracer.program.side;
        let cell = side / CELLS as f64;
        let corners = corner_heights(tracer, cell);
        let mut table = Self { cell, corners, residuals: Vec::new(), highest: Vec::new(), range: Interval::EMPTY };
        table.residuals =
            (0..BLOCKS * BLOCKS).into_par_iter().map(|block| table.measured(tracer, eye, block)).collect();
        table.build_pyramid();
        table
    }

    /// Measures the residual of a block.
    fn measured(&self, tracer: &Tracer, eye: [f64; 3], block: usize) -> Residual {
        let (row, column) = (block / BLOCKS, block % BLOCKS);
        let wide = self.cell * BLOCK as f64;
        let low = [column as f64 * wide, row as f64 * wide];
        let area = Area { low, high: [low[0] + wide, low[1] + wide] };
        let selection = tracer.program.selection(&area.grown(self.cell));
        let middle = area.centre();
        let height = f64::from(self.corner(row * BLOCK + BLOCK / 2, column * BLOCK + BLOCK / 2));
        let way = [middle[0] - eye[0], middle[1] - eye[1], height - eye[2]];
        let detail = tracer.finer_detail((way[0] * way[0] + way[1] * way[1] + way[2] * way[2]).sqrt(), 0.0);
        let stream = Stream::new(block as u32, 0x7ab1e);
        let (mut most, mut steep) = (0.0, 0.0);
        let mut at = [[0.0; LANES]; 2];
        let mut heights = [0.0; LANES];
        for pass in 0..2 * PLACES * PLACES / LANES {
            for k in 0..LANES / 2 {
                let place = pass * LANES / 2 + k;
                let along = |axis: usize, part: usize| {
                    let jitter = f64::from(stream.unit(place as i32, axis as i32));
                    low[axis] + (part as f64 + jitter) * (wide / PLACES as f64)
                };
                let p = [along(0, place % PLACES), along(1, place / PLACES)];
                let turn = [[1.0, 0.0], [0.0, 1.0], [0.7, 0.7], [0.7, -0.7]][(place + place / PLACES) % 4];
                for axis in 0..2 {
                    let other = p[axis] + APART * self.cell * turn[axis];
                    at[axis][2 * k] = p[axis];
                    at[axis][2 * k + 1] = lower(higher(other, area.low[axis]), area.high[axis]);
                }
            }
            tracer.heights_along(&selection, PointRow { xs: &at[0], ys: &at[1] }, &detail, &mut heights);
            let residual = |k: usize| heights[k] - self.height([at[0][k], at[1][k]]);
            for k in (0..LANES).step_by(2) {
                let (a, b) = (residual(k), residual(k + 1));
                let (dx, dy) = (at[0][k] - at[0][k + 1], at[1][k] - at[1][k + 1]);
                let far = (dx * dx + dy * dy).sqrt();
                most = higher(most, higher(a.abs(), b.abs()));
                if far > 1e-3 * self.cell {
                    steep = higher(steep, (a - b).abs() / far);
                }
            }
        }
        // the small terms allow for the rounding of the table's heights to f32
        Residual {
            most: (MARGIN * most + 1e-6 * self.cell + 1e-7 * height.abs()) as f32,
            slope: (MARGIN * steep) as f32,
        }
    }

    /// Builds the pyramid of maximum heights.
    fn build_pyramid(&mut self) {
        let mut level: Vec<f32> = (0..CELLS * CELLS)
            .into_par_iter()
            .map(|k| {
                let (i, j) = (k / CELLS, k % CELLS);
                let top = self.corner(i, j).max(self.corner(i, j + 1));
                top.max(self.corner(i + 1, j).max(self.corner(i + 1, j + 1))) + self.residual(i, j).most
            })
            .collect();
        let mut side = CELLS;
        while side > 1 {
            let above = greatest_of_fours(&level, side);
            self.highest.push(std::mem::replace(&mut level, above));
            side /= 2;
        }
        let most = self.residuals.iter().fold(0.0f32, |most, residual| most.max(residual.most));
        let lowest = self.corners.iter().fold(f32::INFINITY, |low, corner| low.min(*corner));
        self.range = Interval::new(f64::from(lowest - most), f64::from(level[0]));
        self.highest.push(level);
    }

    /// Range of the ground's heights according to the table, in metres.
    pub fn range(&self) -> Interval {
        self.range
    }

    /// The table for the GPU. The list starts with the maximum heights of tiles of 4 × 4 cells, row by row. The maxima
    /// of every 2 × 2 tiles follow, and so on up to the whole square: [`TILES`](Self::TILES) values in total. The
    /// maximum slopes of the same tiles follow, in the same order.
    pub fn tiles(&self) -> Vec<f32> {
        let mut tiles: Vec<f32> = self.highest[Self::TILE_LEVEL..].concat();
        let per_metre = 1.0 / self.cell;
        let slopes = (0..CELLS * CELLS).into_par_iter().map(|k| {
            let (i, j) = (k / CELLS, k % CELLS);
            let patch = self.patch(i, j);
            let east = higher(patch.east.abs(), (patch.east + patch.both).abs());
            let south = higher(patch.south.abs(), (patch.south + patch.both).abs());
            length([east, south].map(|rise| rise * per_metre)) as f32 + self.residual(i, j).slope
        });
        let (mut level, mut side) = (slopes.collect::<Vec<f32>>(), CELLS);
        while side > 1 {
            level = greatest_of_fours(&level, side);
            side /= 2;
            if side <= Self::count(Self::TILE_LEVEL) {
                tiles.extend_from_slice(&level);
            }
        }
        tiles
    }

    fn corner(&self, i: usize, j: usize) -> f32 {
        self.corners[i * (CELLS + 1) + j]
    }

    /// Number of cells per side of a pyramid level.
    pub(super) fn count(level: usize) -> usize {
        CELLS >> level
    }

    /// Maximum height of a cell of a pyramid level.
    #[inline]
    pub(super) fn highest(&self, level: usize, i: usize, j: usize) -> f64 {
        f64::from(self.highest[level][i * Self::count(level) + j])
    }

    /// The residual of the block that contains a cell.
    #[inline]
    pub(super) fn residual(&self, i: usize, j: usize) -> Residual {
        self.residuals[i / BLOCK * BLOCKS + j / BLOCK]
    }

    /// Coefficients of the bilinear heights in a cell.
    #[inline]
    pub(super) fn patch(&self, i: usize, j: usize) -> CellPatch {
        let at = |i: usize, j: usize| f64::from(self.corner(i, j));
        let (a, b, c, d) = (at(i, j), at(i, j + 1), at(i + 1, j), at(i + 1, j + 1));
        CellPatch { height: a, east: b - a, south: c - a, both: a - b - c + d }
    }

    /// The bilinear height at a point; outside the square, the height at the nearest point of its edge.
    pub(super) fn height(&self, p: [f64; 2]) -> f64 {
        let part = p.map(|x| lower(higher(x / self.cell, 0.0), CELLS as f64));
        let [j, i] = part.map(|x| (x as usize).min(CELLS - 1));
        let patch = self.patch(i, j);
        let (u, v) = (part[0] - j as f64, part[1] - i as f64);
        patch.height + patch.east * u + patch.south * v + patch.both * u * v
    }
}

/// Maxima of the blocks of 2 × 2 values in a square of `side` × `side` values.
fn greatest_of_fours(values: &[f32], side: usize) -> Vec<f32> {
    let half = side / 2;
    let greatest = |k: usize| {
        let at = 2 * (k / half) * side + 2 * (k % half);
        values[at].max(values[at + 1]).max(values[at + side].max(values[at + side + 1]))
    };
    (0..half * half).map(greatest).collect()
}

/// Heights at the corners of all cells, row by row, with the detail that the cell size can resolve.
fn corner_heights(tracer: &Tracer, cell: f64) -> Vec<f32> {
    let n = CELLS + 1;
    let detail = Detail { level: tracer.level, spacing: cell };
    let mut corners = vec![0.0f32; n * n];
    corners.par_chunks_mut(n * BLOCK).enumerate().for_each(|(band, rows)| {
        let count = rows.len() / n;
        for left in (0..n).step_by(LANES) {
            let right = (left + LANES).min(n);
            let (mut xs, mut heights) = ([0.0; LANES], [0.0; LANES]);
            xs.iter_mut().enumerate().for_each(|(k, x)| *x = (left + k) as f64 * cell);
            let first = (band * BLOCK) as f64 * cell;
            let area = Area { low: [xs[0], first], high: [xs[right - left - 1], first + count as f64 * cell] };
            let selection = tracer.program.selection(&area);
            for i in 0..count {
                let ys = [(band * BLOCK + i) as f64 * cell; LANES];
                let row = PointRow { xs: &xs[..right - left], ys: &ys[..right - left] };
                tracer.heights_along(&selection, row, &detail, &mut heights);
                for (corner, height) in rows[i * n + left..i * n + right].iter_mut().zip(heights) {
                    *corner = height as f32;
                }
            }
        }
    });
    corners
}

impl Tracer<'_> {
    /// Heights of the surface along a row of points; only the pieces near the row are evaluated.
    pub(super) fn heights_around(&self, row: PointRow, detail: &Detail, out: &mut [f64]) {
        let area = Area::enclosing(row.xs.iter().zip(row.ys).map(|(x, y)| [*x, *y]));
        let selection = self.program.selection(&area.grown(1e-9 * self.program.side));
        self.heights_along(&selection, row, detail, out);
    }

    /// Heights of the surface along a row of points.
    pub(super) fn heights_along(&self, selection: &NodeSelection, row: PointRow, detail: &Detail, out: &mut [f64]) {
        match self.of {
            super::TracedSurface::Ground => self.program.covered_row(selection, row, detail, out),
            super::TracedSurface::Water => self.program.water_row(selection, row, detail, self.dry, out),
        }
    }
}
