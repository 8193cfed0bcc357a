//! Cellular noise (Worley) summed to fractional Brownian motion (fBm).
//!
//! Law: each cell of a square lattice has a feature point, moved from the cell's centre by `jitter`. F₁ and F₂ are the
//! distances, in cells, to the nearest and second nearest point. h = base + amplitude · Σ pⁱ·vᵢ / Σ pⁱ with p the
//! persistence and v = F₁, F₂ or F₂ - F₁ at frequency · lacunarityⁱ.
//! Scheme: the point of a sample's own cell is closer than √2, and the second nearest point is closer than 2, so the
//! points of 5 × 5 cells give the exact result. The points of 3 × 3 cells are tested for all samples, side by side in
//! vector registers. The others are tested only where they can be nearer than the second nearest point of these cells.
//! Boundary: open terrains need no rule; on wrapping terrains each octave's frequency is rounded to a whole number. On
//! a globe the cells are cubes in space (`solid::cells`). A preview is exactly a subsample of the full size. The node
//! Voronoi also offers a given number of points, weights of up to eight distances, and other ways of scattering the
//! points.
//! Source: Worley 1996, *A cellular texture basis function*.

use std::cell::RefCell;
use std::rc::Rc;

use super::octaves::{self, Lattice, LatticeAxis, Octaves, RowReader, offset_params};
use super::solid::SolidField;
use super::solid::cells::SolidCells;
use crate::{Context, Generator, OnPlanet, Traits};
use talweg_ground::field::Cancelled;

talweg_ground::choices! {
    /// The distance from which the height is computed.
    CellDistance {
        Nearest "Nearest (F1)": "Distance to the nearest point: pits with sharp crests between them.",
        Second "Second nearest (F2)": "Distance to the second nearest point: overlapping, rounder cells.",
        Difference "Difference (F2 - F1)": "Difference of both distances, 0 on the cell borders and highest at the points: peaks separated by valleys.",
    }
}

talweg_ground::params! {
    /// Layered cells, each layer finer and lower: scales, cracks, pitted or peaked terrain.
    Cellular "Cellular noise" in "Cells", from "Worley 1996", also "worley cells f1 f2 fbm cracks scales pits stones" {
        /// Number of cells of the first octave along a side: larger values make the cells smaller.
        frequency: f32 = 5.0, 0.1..=256.0, slider 0.5..=32.0;
        /// Number of octaves: more octaves add finer relief, few make smooth hills. Each octave takes the same time.
        octaves: u32 = 4, 1..=16;
        /// Distance from which the height is computed.
        feature: CellDistance = CellDistance::Difference;
        /// Distance of the points from the centres of their cells: 0 gives a regular pattern.
        jitter: f32 ["share"] = 1.0, 0.0..=1.0;
        /// Frequency of each octave relative to the previous octave.
        lacunarity: f32 = 2.0, 1.0..=4.0, slider 1.5..=3.0 => |noise| noise.octaves > 1 && noise.persistence > 0.0;
        /// Amplitude of each octave relative to the previous octave: small values give smooth terrain, large values
        /// jagged terrain.
        persistence: f32 = 0.45, 0.0..=1.0, slider 0.2..=0.8 => |noise| noise.octaves > 1;
        /// Height for a distance of one cell, as a fraction of the relief.
        amplitude: f32 = 1.0, -10.0..=10.0, slider 0.0..=2.0;
        /// Height at the points where the distance is 0, as a fraction of the relief.
        base: f32 = 0.0, -10.0..=10.0, slider -0.5..=1.0;
        offset_params!();
    }
}

impl Generator for Cellular {
    fn traits(&self) -> Traits {
        Traits { on_planet: Some(OnPlanet::DEFAULT), ..Traits::GENERATOR }
    }

    fn fill(&self, cx: &Context, out: &mut [f32]) -> Result<(), Cancelled> {
        let law = Octaves::new(self.frequency, self.octaves, self.lacunarity, [self.offset_x, self.offset_y]);
        let mut weights = octaves::powers(self.octaves, self.persistence);
        let scale = self.amplitude / weights.iter().sum::<f32>();
        weights.iter_mut().for_each(|w| *w *= scale);
        if cx.grid.is_globe() {
            let octave = |random, frequency| SolidCells::new(random, frequency, self.jitter, self.feature);
            let field = SolidField::from_octaves(cx.grid, cx.random, &law, octave);
            return octaves::sum(cx, self.base, &weights, || field.readers(), out);
        }
        let lattices = law.lattices(cx.grid, cx.random, 2, 1.0);
        let readers = || {
            let squares = Rc::new(RefCell::default());
            lattices.iter().map(|lattice| CellularReader::new(lattice, self, Rc::clone(&squares))).collect()
        };
        octaves::sum(cx, self.base, &weights, readers, out)
    }
}

/// Reads one octave of the noise row by row.
struct CellularReader<'a> {
    lattice: &'a Lattice,
    law: &'a Cellular,
    /// Feature points of 5 lattice rows: the number of the lattice row and, for each lattice column, x and y of the
    /// point in its cell.
    points: [(usize, [Vec<f32>; 2]); AROUND],
    /// For the same points, the squared distance from the samples' row. The readers of all octaves share this space.
    squares: Rc<RefCell<[Vec<f32>; AROUND]>>,
}

/// The points of the 5 lattice rows around a row of samples, from the northernmost: x in the cell, and the squared
/// distance from the samples' row.
type NearPoints<'a> = [(&'a [f32], &'a [f32]); AROUND];

/// Number of rows and columns of cells that are searched around a sample.
const AROUND: usize = 5;
/// The rows and columns of cells next to the sample's cell. The others can hold one of the two nearest points only if
/// the second nearest point of these cells is far.
const NEXT: std::ops::Range<usize> = 1..4;

impl RowReader for CellularReader<'_> {
    fn add(&mut self, row: usize, amplitude: f32, out: &mut [f32]) {
        let upper = self.lattice.rows.cell[row] as usize;
        let y = self.lattice.rows.fraction[row];
        (0..AROUND).for_each(|r| self.prepare(upper + r));
        let mut squares = self.squares.borrow_mut();
        for (r, squares) in squares.iter_mut().enumerate() {
            let (_, [_, points]) = &self.points[(upper + r) % AROUND];
            squares.clear();
            squares.reserve_exact(points.len());
            squares.extend(points.iter().map(|point| {
                let dy = point + (r as f32 - 2.0) - y;
                dy * dy
            }));
        }
        let near = std::array::from_fn(|r| {
            let (_, [x, _]) = &self.points[(upper + r) % AROUND];
            (x.as_slice(), squares[r].as_slice())
        });
        let LatticeAxis { cell, fraction, .. } = &self.lattice.columns;
        add_row(&near, (self.law.feature, y, amplitude), cell, fraction, out);
    }
}

impl<'a> CellularReader<'a> {
    fn new(lattice: &'a Lattice, law: &'a Cellular, squares: Rc<RefCell<[Vec<f32>; AROUND]>>) -> Self {
        let points = std::array::from_fn(|_| (usize::MAX, [Vec::new(), Vec::new()]));
        Self { lattice, law, points, squares }
    }

    /// Computes the feature points of lattice row `line`.
    fn prepare(&mut self, line: usize) {
        let (held, [x_in_cell, y_in_cell]) = &mut self.points[line % AROUND];
        if *held == line {
            return;
        }
        *held = line;
        let Lattice { stream, columns, rows } = self.lattice;
        let y = rows.lines[line];
        let part = |bits: u64| 0.5 + self.law.jitter * ((bits & 0xff_ffff) as f32 * (1.0 / 16_777_216.0) - 0.5);
        x_in_cell.resize(columns.lines.len(), 0.0);
        y_in_cell.resize(columns.lines.len(), 0.0);
        for ((&x, x_in_cell), y_in_cell) in columns.lines.iter().zip(x_in_cell).zip(y_in_cell) {
            let bits = stream.bits(x, y);
            (*x_in_cell, *y_in_cell) = (part(bits), part(bits >> 24));
        }
    }
}

/// Number of samples that are computed side by side.
const PART: usize = 16;

/// Adds the noise of a row of samples, given the lattice column and the position in it of each sample. `law` holds the
/// distance from which the height is computed, the position of the row in its lattice row, and the amplitude.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn add_row(near: &NearPoints, law: (CellDistance, f32, f32), cells: &[u32], fractions: &[f32], out: &mut [f32]) {
    let done = out.len() / PART * PART;
    let parts = cells.as_chunks::<PART>().0.iter().zip(fractions.as_chunks::<PART>().0);
    for (out, (cells, fractions)) in out.as_chunks_mut::<PART>().0.iter_mut().zip(parts) {
        add_part(near, law, cells, fractions, out);
    }
    for k in done..out.len() {
        let mut sum = [out[k]];
        add_part(near, law, &[cells[k]], &[fractions[k]], &mut sum);
        out[k] = sum[0];
    }
}

#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "loops over arrays of equal length vectorise")]
fn add_part<const N: usize>(
    near: &NearPoints,
    (feature, y, amplitude): (CellDistance, f32, f32),
    cells: &[u32; N],
    fractions: &[f32; N],
    out: &mut [f32; N],
) {
    let mut least = [[f32::INFINITY; N]; 2];
    let is_one_cell = cells.iter().all(|cell| *cell == cells[0]);
    for (points, squares) in &near[NEXT] {
        for c in NEXT {
            let (mut px, mut dy) = ([0.0; N], [0.0; N]);
            if is_one_cell {
                let point = cells[0] as usize + c;
                (px, dy) = ([points[point]; N], [squares[point]; N]);
            } else {
                for k in 0..N {
                    let point = cells[k] as usize + c;
                    (px[k], dy[k]) = (points[point], squares[point]);
                }
            }
            let shift = c as f32 - 2.0;
            for k in 0..N {
                let x = fractions[k] - (px[k] + shift);
                let square = x * x + dy[k];
                let second = if square > least[0][k] { square } else { least[0][k] };
                least[0][k] = if square < least[0][k] { square } else { least[0][k] };
                least[1][k] = if second < least[1][k] { second } else { least[1][k] };
            }
        }
    }
    // The outer cells are at least this far from a sample: one cell and the distance to the nearest edge of its cell.
    let mut is_far = [false; N];
    for k in 0..N {
        let x = fractions[k];
        let reach = 1.0 + x.min(1.0 - x).min(y).min(1.0 - y);
        is_far[k] = least[1][k] * 1.0001 > reach * reach;
    }
    if is_far.contains(&true) {
        for k in (0..N).filter(|k| is_far[*k]) {
            [least[0][k], least[1][k]] = with_outer_cells(near, cells[k], fractions[k], [least[0][k], least[1][k]]);
        }
    }
    for k in 0..N {
        let [first, second] = [least[0][k], least[1][k]];
        out[k] += amplitude
            * match feature {
                CellDistance::Nearest => first.sqrt(),
                CellDistance::Second => second.sqrt(),
                CellDistance::Difference => second.sqrt() - first.sqrt(),
            };
    }
}

/// Squared distances of a sample at `x` in the cell `cell` to its nearest and second nearest point, given these
/// distances to the points of the cells next to it.
#[inline(never)]
fn with_outer_cells(near: &NearPoints, cell: u32, x: f32, mut least: [f32; 2]) -> [f32; 2] {
    let cells = cell as usize..cell as usize + AROUND;
    for (r, (points, squares)) in near.iter().enumerate() {
        for (c, (point, dy)) in points[cells.clone()].iter().zip(&squares[cells.clone()]).enumerate() {
            if NEXT.contains(&r) && NEXT.contains(&c) {
                continue;
            }
            let x = x - (point + (c as f32 - 2.0));
            let square = x * x + dy;
            least = [least[0].min(square), least[1].min(square.max(least[0]))];
        }
    }
    least
}
