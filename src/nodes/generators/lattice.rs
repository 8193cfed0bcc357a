//! Gradient noise on a lattice, summed octave by octave along rows of the grid.
//!
//! Law (Perlin 1985): every lattice point has a unit gradient g. Inside a cell, at (x, y) from its first corner, noise
//! = lerp(w(y), lerp(w(x), g00·(x, y), g10·(x-1, y)), lerp(w(x), g01·(x, y-1), g11·(x-1, y-1))) with the fade w(t) =
//! 3t² - 2t³ (classic) or 6t⁵ - 15t⁴ + 10t³ (Perlin 2002). The noise is 0 on lattice points, within ±√½, and has a
//! standard deviation of about 0.25.
//!
//! Scheme: the grid is regular, so all values that depend on x alone (lattice column, x, w(x)) are tabulated once per
//! octave. Along one row, the contributions of a cell's left and right corners are linear in x. If the gradients
//! include the fade in y, left = a·x + b and right = c·(x - 1) + d. Hence noise =
//! (a·x + b) + w(x)·((c - a)·x + (d - c - b)). A band keeps the gradients of the two lattice rows around its current
//! row. Loops over a row are compiled for AVX-512, AVX2 and the baseline processor. All three perform the same
//! operations in the same order on each sample, so the results are identical. The result at a position depends only on
//! the position, so a preview is exactly a subsample of the full size.
//!
//! Each octave is shifted by a random fraction of a cell: otherwise all octaves would be 0 together on the lattice
//! points of the first octave.
//! Boundary: open grids cover a part of an infinite lattice; on wrapping grids every octave has a whole number of cells
//! per side and the lattice repeats.

use std::sync::LazyLock;

use super::octaves::{Lattice, LatticeAxis, NoiseFade, Octaves, RowReader};
use talweg_ground::field::{Grid, Stream};

/// Unit gradients: 256 directions, computed with libm so that they are identical on every platform.
static DIRECTIONS: LazyLock<[[f32; 2]; 256]> = LazyLock::new(|| {
    std::array::from_fn(|k| {
        let angle = (k as f64 + 0.5) * (std::f64::consts::TAU / 256.0);
        [libm::cos(angle) as f32, libm::sin(angle) as f32]
    })
});

/// The unit gradient that the random `bits` select.
pub fn direction(bits: u64) -> [f32; 2] {
    DIRECTIONS[usize::from((bits >> 56) as u8)]
}

/// One octave of gradient noise, prepared for a grid.
pub struct GradientOctave {
    stream: Stream,
    columns: LatticeAxis,
    rows: LatticeAxis,
    /// For each column of samples, the fade weight at its position within the lattice cell.
    column_weights: Vec<f32>,
    row_weights: Vec<f32>,
    /// The samples of lattice column c are `runs[c]..runs[c + 1]`. The list is empty if the cells are too narrow for a
    /// computation by runs to be faster.
    runs: Vec<u32>,
}

/// Minimum width of a cell, in samples, from which samples are computed in runs, one run per cell.
const RUN: usize = 6;

impl GradientOctave {
    /// Creates the octaves of `law`, each with its own random lattice.
    pub fn all(grid: Grid, random: Stream, law: &Octaves, fade: NoiseFade) -> Vec<Self> {
        law.lattices(grid, random, 0, 1.0).into_iter().map(|lattice| Self::new(grid, lattice, fade)).collect()
    }

    fn new(grid: Grid, lattice: Lattice, fade: NoiseFade) -> Self {
        let Lattice { stream, columns, rows } = lattice;
        let weights = |axis: &LatticeAxis| axis.fraction.iter().map(|&t| fade.weight(t)).collect();
        let (column_weights, row_weights) = (weights(&columns), weights(&rows));
        let n = grid.samples;
        let mut runs = Vec::new();
        if columns.lines.len() * RUN <= n {
            // The last sample of a wrapping grid is in the first cell, so it is computed separately.
            let last = grid.distinct_side();
            runs = vec![last as u32; columns.lines.len()];
            for j in (0..last).rev() {
                runs[columns.cell[j] as usize] = j as u32;
            }
            for c in (0..runs.len() - 1).rev() {
                runs[c] = runs[c].min(runs[c + 1]);
            }
        }
        Self { stream, columns, rows, column_weights, row_weights, runs }
    }

    /// Lattice columns that the grid's samples need, in ascending order.
    pub fn column_lines(&self) -> &[i32] {
        &self.columns.lines
    }

    /// Lattice rows that the grid's samples need, in ascending order.
    pub fn row_lines(&self) -> &[i32] {
        &self.rows.lines
    }

    /// Returns the lattice row before a row of samples, and the distance of the samples from it in cells.
    #[inline(always)]
    pub fn row_place(&self, row: usize) -> (i32, f32) {
        (self.rows.lines[self.rows.cell[row] as usize], self.rows.fraction[row])
    }

    /// Returns the lattice column before a column of samples, and the distance of the samples from it in cells.
    #[inline(always)]
    pub fn column_place(&self, column: usize) -> (i32, f32) {
        (self.columns.lines[self.columns.cell[column] as usize], self.columns.fraction[column])
    }

    /// The gradient at a lattice point.
    pub fn gradient(&self, column: i32, row: i32) -> [f32; 2] {
        direction(self.stream.bits(column, row))
    }

    /// Writes the gradients of a lattice row at `columns` to `out`.
    pub fn gradients(&self, columns: &[i32], row: i32, out: &mut [[f32; 2]]) {
        draw(self.stream, columns, row, &DIRECTIONS, out);
    }

    /// Creates a reader for a band of rows.
    pub fn reader(&self) -> GradientReader<'_> {
        GradientReader { octave: self, upper: None, above: Vec::new(), below: Vec::new(), cells: Vec::new() }
    }
}

/// Reads one octave of the noise row by row. Neighbouring rows share their gradients.
pub struct GradientReader<'a> {
    octave: &'a GradientOctave,
    /// Index, in `rows.lines`, of the lattice row whose gradients are in `above`. The gradients of the next row are in
    /// `below`.
    upper: Option<u32>,
    above: Vec<[f32; 2]>,
    below: Vec<[f32; 2]>,
    /// The coefficients a, b, c and d of each cell of the row, as in the module docs.
    cells: Vec<[f32; 4]>,
}

impl RowReader for GradientReader<'_> {
    fn add(&mut self, row: usize, amplitude: f32, out: &mut [f32]) {
        self.prepare(row, amplitude);
        add_row(self.octave, &self.cells, out);
    }
}

/// Adds the noise of a row, given the coefficients of its cells.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn add_row(octave: &GradientOctave, cells: &[[f32; 4]], out: &mut [f32]) {
    let LatticeAxis { cell, fraction, .. } = &octave.columns;
    let weight = &octave.column_weights;
    let runs = &octave.runs;
    if runs.is_empty() {
        for (((h, &c), &x), &w) in out.iter_mut().zip(cell).zip(fraction).zip(weight) {
            *h += value(cells[c as usize], x, w);
        }
        return;
    }
    for (run, &cell) in runs.windows(2).zip(cells) {
        let span = run[0] as usize..run[1] as usize;
        for ((h, &x), &w) in out[span.clone()].iter_mut().zip(&fraction[span.clone()]).zip(&weight[span]) {
            *h += value(cell, x, w);
        }
    }
    for j in runs[runs.len() - 1] as usize..out.len() {
        out[j] += value(cells[cell[j] as usize], fraction[j], weight[j]);
    }
}

impl GradientReader<'_> {
    fn prepare(&mut self, row: usize, amplitude: f32) {
        let rows = &self.octave.rows;
        let upper = rows.cell[row];
        if self.upper != Some(upper) {
            if self.upper.is_some_and(|u| u + 1 == upper) {
                std::mem::swap(&mut self.above, &mut self.below);
            } else {
                gradients(self.octave, upper, &mut self.above);
            }
            gradients(self.octave, upper + 1, &mut self.below);
            self.upper = Some(upper);
        }
        let (y, w) = (rows.fraction[row], self.octave.row_weights[row]);
        let (top, bottom) = ((1.0 - w) * amplitude, w * amplitude);
        let (top_y, bottom_y) = (top * y, bottom * (y - 1.0));
        // Slope and height at each lattice column on this row.
        let line = |a: [f32; 2], b: [f32; 2]| (top * a[0] + bottom * b[0], top_y * a[1] + bottom_y * b[1]);
        self.cells.clear();
        let mut left = line(self.above[0], self.below[0]);
        self.cells.extend(self.above.iter().zip(&self.below).skip(1).map(|(&a, &b)| {
            let right = line(a, b);
            let cell = [left.0, left.1, right.0 - left.0, right.1 - right.0 - left.1];
            left = right;
            cell
        }));
    }
}

#[inline(always)]
fn value(cell: [f32; 4], x: f32, w: f32) -> f32 {
    (cell[0] * x + cell[1]) + w * (cell[2] * x + cell[3])
}

/// Writes the gradients on lattice row `line`, at every column of the octave.
fn gradients(octave: &GradientOctave, line: u32, out: &mut Vec<[f32; 2]>) {
    let columns = &octave.columns.lines;
    out.resize(columns.len(), [0.0; 2]);
    directions(octave.stream, columns, octave.rows.lines[line as usize], out);
}

/// Draws the unit gradients of the lattice row `row` at `columns`.
pub fn directions(stream: Stream, columns: &[i32], row: i32, out: &mut [[f32; 2]]) {
    draw(stream, columns, row, &DIRECTIONS, out);
}

/// Draws the gradients of one lattice row at `columns`.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn draw(stream: Stream, columns: &[i32], row: i32, directions: &[[f32; 2]; 256], out: &mut [[f32; 2]]) {
    let at = |column: i32| (stream.bits(column, row) >> 56) as u8;
    // The loop runs in chunks, so that random bits are mixed in SIMD lanes before the table look-ups.
    let (parts, rest) = columns.as_chunks::<32>();
    let (drawn, drawn_rest) = out.as_chunks_mut::<32>();
    for (columns, drawn) in parts.iter().zip(drawn) {
        // These loops do not use `map`, because it does not vectorise.
        let mut chosen = [0u8; 32];
        for (chosen, &column) in chosen.iter_mut().zip(columns) {
            *chosen = at(column);
        }
        for (g, chosen) in drawn.iter_mut().zip(chosen) {
            *g = directions[usize::from(chosen)];
        }
    }
    for (&column, g) in rest.iter().zip(drawn_rest) {
        *g = directions[usize::from(at(column))];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use talweg_ground::field::Edges;

    const LAW: Octaves = Octaves { count: 1, frequency: 8.0, lacunarity: 2.0, offset: [0.0; 2] };

    fn table(octave: &GradientOctave, n: usize) -> Vec<f32> {
        let mut reader = octave.reader();
        let mut out = vec![0.0; n * n];
        for (i, row) in out.chunks_mut(n).enumerate() {
            reader.add(i, 1.0, row);
        }
        out
    }

    /// Computes the noise at a single sample with the equation at the top of the module.
    fn by_the_law(octave: &GradientOctave, fade: NoiseFade, i: usize, j: usize) -> f32 {
        let (x, y) = (octave.columns.fraction[j], octave.rows.fraction[i]);
        let (c, r) = (octave.columns.cell[j] as usize, octave.rows.cell[i] as usize);
        let dot = |dx: usize, dy: usize| {
            let g = direction(octave.stream.bits(octave.columns.lines[c + dx], octave.rows.lines[r + dy]));
            g[0] * (x - dx as f32) + g[1] * (y - dy as f32)
        };
        let lerp = |t: f32, a: f32, b: f32| a + (b - a) * t;
        let (u, v) = (fade.weight(x), fade.weight(y));
        lerp(v, lerp(u, dot(0, 0), dot(1, 0)), lerp(u, dot(0, 1), dot(1, 1)))
    }

    #[test]
    fn rows_agree_with_the_law_in_wide_narrow_and_skipped_cells() {
        for frequency in [0.3, 3.7, 24.0, 100.3, 5000.0] {
            for edges in [Edges::Open, Edges::Wrap] {
                let n = 65;
                let law = Octaves { frequency, ..LAW };
                let octave = &GradientOctave::all(Grid::new(n, edges), Stream::new(1, 2), &law, NoiseFade::Classic)[0];
                for (k, h) in table(octave, n).into_iter().enumerate() {
                    let expected = by_the_law(octave, NoiseFade::Classic, k / n, k % n);
                    assert!((h - expected).abs() < 2e-6, "{frequency} {edges:?} {k}: {h} is not {expected}");
                }
            }
        }
    }

    #[test]
    fn zero_on_lattice_points_and_within_its_bound() {
        let n = 257;
        let grid = Grid::new(n, Edges::Open);
        let axis = || LatticeAxis::new(grid, 0, 8.0, 0.0, 0.0, 0);
        let lattice = Lattice { stream: Stream::new(3, 4), columns: axis(), rows: axis() };
        let noise = table(&GradientOctave::new(grid, lattice, NoiseFade::Improved), n);
        for i in (0..n).step_by(32) {
            for j in (0..n).step_by(32) {
                assert_eq!(noise[i * n + j], 0.0);
            }
        }
        assert!(noise.iter().all(|h| h.abs() <= 0.5f32.sqrt() + 1e-6));
    }

    #[test]
    fn directions_have_length_one() {
        assert!(DIRECTIONS.iter().all(|g| (g[0] * g[0] + g[1] * g[1] - 1.0).abs() < 1e-6));
    }
}
