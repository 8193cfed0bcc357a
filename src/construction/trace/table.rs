//! A table of the ground for rays: what a cell may hold is known before any ray asks for it.
//!
//! Scheme: the square is cut into cells. Heights at their corners, bilinear in between, stand for the ground; what the
//! ground is more or less than that, the residual, is measured at random places of every block of cells, in pairs that
//! lie close together: how great it is and how fast it changes. Both are taken half as great again. Over the cells
//! stands a pyramid of the highest ground there may be.
//! The bounds are measured, not proven: what [`Tracer`](super::Tracer) finds with proven bounds is the reference. They
//! are ten times tighter, above all where pieces are laid by slope.
//! The ground is asked as finely as a ray from the eye asks for it there.
//! Source: Génevaux et al. 2014, §7.1 (local bounds); Tevs, Ihrke & Seidel 2008, *Maximum Mipmaps*.

use rayon::prelude::*;

use super::Tracer;
use crate::compiled_program::NodeSelection;
use crate::geometry::plane::{Area, Interval, higher, length, lower};
use crate::row_samples::{LANES, PointRow};
use crate::sample::Detail;
use talweg_ground::field::Stream;

/// Cells along a side, a power of two.
const CELLS: usize = 1024;
/// Cells along a side of a block.
const BLOCK: usize = 16;
const BLOCKS: usize = CELLS / BLOCK;
/// Places of a block at which the residual is measured, along a side; each has a partner.
const PLACES: usize = 8;
/// How far a partner lies, in cells.
const APART: f64 = 0.25;
/// What is measured at places, beside what may be between them.
const MARGIN: f64 = 1.5;

/// What the ground is beside the corners of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Residual {
    /// The greatest difference, in metres.
    pub most: f32,
    /// How fast it changes along the plan.
    pub slope: f32,
}

/// The ground of a square as rays need it.
#[derive(Clone, Debug)]
pub struct GroundTable {
    /// Side of a cell, in metres.
    pub(super) cell: f64,
    corners: Vec<f32>,
    residuals: Vec<Residual>,
    /// The highest ground of every cell, of every four of them, and so on up to the whole.
    highest: Vec<Vec<f32>>,
    range: Interval,
}

/// Heights at the corners of a cell, as h + east·u + south·v + both·u·v with u and v from 0 to 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct CellPatch {
    pub height: f64,
    pub east: f64,
    pub south: f64,
    pub both: f64,
}

impl GroundTable {
    /// How often the tree was asked for a table.
    pub const EVALUATIONS: u64 = ((CELLS + 1) * (CELLS + 1) + 2 * PLACES * PLACES * BLOCKS * BLOCKS) as u64;
    /// Level of the pyramid whose cells are the finest [`tiles`](Self::tiles).
    const TILE_LEVEL: usize = 2;
    /// How many [`tiles`](Self::tiles) there are in all levels.
    pub const TILES: usize = {
        let finest = CELLS >> Self::TILE_LEVEL;
        (4 * finest * finest - 1) / 3
    };
    /// Levels of the pyramid.
    pub(super) const LEVELS: usize = CELLS.ilog2() as usize + 1;

    /// The ground that `tracer` traces, as seen from `eye`, in metres of the tree.
    pub fn new(tracer: &Tracer, eye: [f64; 3]) -> Self {
        let side = tracer.program.side;
        let cell = side / CELLS as f64;
        let corners = corner_heights(tracer, cell);
        let mut table = Self { cell, corners, residuals: Vec::new(), highest: Vec::new(), range: Interval::EMPTY };
        table.residuals =
            (0..BLOCKS * BLOCKS).into_par_iter().map(|block| table.measured(tracer, eye, block)).collect();
        table.pile_up();
        table
    }

    /// The residual of a block.
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
        // heights of the table are rounded
        Residual {
            most: (MARGIN * most + 1e-6 * self.cell + 1e-7 * height.abs()) as f32,
            slope: (MARGIN * steep) as f32,
        }
    }

    /// Builds the pyramid over the cells.
    fn pile_up(&mut self) {
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

    /// Lowest and highest ground there may be.
    pub fn range(&self) -> Interval {
        self.range
    }

    /// The table as graphics cards read it: the highest ground of tiles of 4 × 4 cells, row by row, of every four of
    /// them, and so on up to the whole, [`TILES`](Self::TILES) in all; and of as many how fast the ground changes along
    /// the plan at the most.
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

    /// Cells along a side of the pyramid's level.
    pub(super) fn count(level: usize) -> usize {
        CELLS >> level
    }

    /// The highest ground of a cell of a level.
    #[inline]
    pub(super) fn highest(&self, level: usize, i: usize, j: usize) -> f64 {
        f64::from(self.highest[level][i * Self::count(level) + j])
    }

    /// The residual of the block of a cell.
    #[inline]
    pub(super) fn residual(&self, i: usize, j: usize) -> Residual {
        self.residuals[i / BLOCK * BLOCKS + j / BLOCK]
    }

    /// The corners of a cell.
    #[inline]
    pub(super) fn patch(&self, i: usize, j: usize) -> CellPatch {
        let at = |i: usize, j: usize| f64::from(self.corner(i, j));
        let (a, b, c, d) = (at(i, j), at(i, j + 1), at(i + 1, j), at(i + 1, j + 1));
        CellPatch { height: a, east: b - a, south: c - a, both: a - b - c + d }
    }

    /// The bilinear height at a place of the square.
    fn height(&self, p: [f64; 2]) -> f64 {
        let part = p.map(|x| higher(x / self.cell, 0.0));
        let [j, i] = part.map(|x| (x as usize).min(CELLS - 1));
        let patch = self.patch(i, j);
        let (u, v) = (part[0] - j as f64, part[1] - i as f64);
        patch.height + patch.east * u + patch.south * v + patch.both * u * v
    }
}

/// The greatest of every four values of a square of `side`.
fn greatest_of_fours(values: &[f32], side: usize) -> Vec<f32> {
    let half = side / 2;
    let greatest = |k: usize| {
        let at = 2 * (k / half) * side + 2 * (k % half);
        values[at].max(values[at + 1]).max(values[at + side].max(values[at + side + 1]))
    };
    (0..half * half).map(greatest).collect()
}

/// Heights at the corners of all cells, row by row, as finely as they can show.
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
    /// Heights of the surface along a row of places, of which only the pieces around them are asked.
    pub(super) fn heights_around(&self, row: PointRow, detail: &Detail, out: &mut [f64]) {
        let area = Area::enclosing(row.xs.iter().zip(row.ys).map(|(x, y)| [*x, *y]));
        let selection = self.program.selection(&area.grown(1e-9 * self.program.side));
        self.heights_along(&selection, row, detail, out);
    }

    /// Heights of the surface along a row of places.
    pub(super) fn heights_along(&self, selection: &NodeSelection, row: PointRow, detail: &Detail, out: &mut [f64]) {
        match self.of {
            super::TracedSurface::Ground => self.program.covered_row(selection, row, detail, out),
            super::TracedSurface::Water => self.program.water_row(selection, row, detail, self.dry, out),
        }
    }
}
