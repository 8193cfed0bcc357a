//! Gradient noise at displaced positions, with a separate displacement for each sample.
//!
//! Law: as in the [`lattice`](super::lattice). If the gradients include the fade in y, left = a·x + b and right =
//! c·(x - 1) + d at the lattice columns on either side. The noise is left + w(x)·(right - left).
//! Scheme: the gradients within reach of a displacement are tabulated if the table is not much larger than the grid;
//! otherwise each gradient is drawn when needed. A row is processed in parts. First the positions and table indices of
//! a part's samples are computed, then two lines of four numbers around each sample are read, then the sums are formed.
//! Only the middle step runs sample by sample. The other steps are plain loops compiled for AVX-512, AVX2 and the
//! baseline processor, with the same operations in the same order.
//! Bottleneck: the scattered reads. There are two reads of 16 bytes per sample and octave, and the values are written
//! and read once more. It was slower to compute a run of samples in the same cell together, except in cells of 100
//! samples and more.

use glam::Vec4;
use rayon::prelude::*;

use super::lattice::GradientOctave;
use super::octaves::{CLASSIC, IMPROVED, LINEAR, NoiseFade, fade_weight};

/// Number of samples processed together. The data of more samples would no longer fit into the processor's nearest
/// cache.
const PART: usize = 64;

/// Maximum displacement in cells. At larger displacements, single precision no longer resolves fractions of a cell
/// well.
const FARTHEST: f32 = 2_097_152.0;
/// Maximum number of cells per side for which lattice lines have unique numbers: 2³⁰.
const MOST_CELLS: f32 = 1_073_741_824.0;

/// The lattice of an octave, prepared for reading at displaced positions.
pub struct Scattered {
    /// Number of lattice cells per side.
    cells: f32,
    period: Option<i32>,
    /// Lattice column before each sample. `along` is the distance of the sample from this column in cells.
    columns: Vec<i32>,
    along: Vec<f32>,
    /// Row and column of the first gradient in the table. `width` is the number of gradients per row of the table.
    first: [i32; 2],
    width: u32,
    /// Table with both components of each gradient. It is empty if it is cheaper to draw gradients when needed.
    gradients: Vec<f32>,
}

/// Data that all samples of a row share: the lattice line before the row, the distance of the row from that line in
/// cells, and the amplitude.
#[derive(Clone, Copy)]
struct ScatteredRow {
    line: i32,
    part: f32,
    amplitude: f32,
}

/// Four numbers for one side of a sample, above or below: both components of the left and of the right gradient.
type LatticeLine = [f32; 4];

impl Scattered {
    /// Prepares the lattice for displacements of at most `farthest` side lengths of the terrain.
    pub fn new(octave: &GradientOctave, cells: f32, farthest: f32, samples: usize, wraps: bool) -> Self {
        let (columns, along) = (0..samples).map(|column| octave.column_place(column)).unzip();
        let mut made = Self {
            cells,
            period: wraps.then_some(cells as i32),
            columns,
            along,
            first: [0; 2],
            width: 0,
            gradients: Vec::new(),
        };
        let reach = farthest * cells + 2.0;
        // A window reads only a part of the lattice. On a very large terrain line numbers wrap around.
        let span = |lines: &[i32]| {
            lines
                .last()
                .zip(lines.first())
                .map_or(0.0, |(last, first)| last.wrapping_sub(*first).wrapping_add(1) as f32)
        };
        let lines = span(octave.column_lines()).max(span(octave.row_lines()));
        let side = if wraps { cells } else { cells.min(lines) } + 2.0 * reach + 4.0;
        // With more cells than [`MOST_CELLS`] the line numbers have wrapped around and no longer measure distances.
        if cells < MOST_CELLS && side <= 2.0 * samples as f32 {
            let start = |lines: &[i32]| if wraps { 0 } else { lines[0] }.wrapping_sub(reach as i32 + 1);
            made.first = [start(octave.row_lines()), start(octave.column_lines())];
            let width = side as usize + 2;
            let lines = |axis: usize| (0..width as i32).map(move |k| (axis, k));
            let line = |(axis, k): (usize, i32)| made.wrapped(made.first[axis].wrapping_add(k));
            let columns: Vec<i32> = lines(1).map(line).collect();
            let mut gradients = vec![0.0; 2 * width * width];
            let rows = gradients.as_chunks_mut::<2>().0.par_chunks_mut(width);
            rows.enumerate().for_each(|(k, row)| octave.gradients(&columns, line((0, k as i32)), row));
            (made.width, made.gradients) = (width as u32, gradients);
        }
        made
    }

    fn wrapped(&self, line: i32) -> i32 {
        self.period.map_or(line, |p| line.rem_euclid(p))
    }

    /// Adds amplitude · noise of row `row` to `out`. `east` and `south` hold the displacement of each sample as a
    /// multiple of the side length.
    pub fn add(
        &self,
        octave: &GradientOctave,
        row: usize,
        fade: NoiseFade,
        amplitude: f32,
        [east, south]: [&[f32]; 2],
        out: &mut [f32],
    ) {
        let (line, part) = octave.row_place(row);
        let row = ScatteredRow { line, part, amplitude };
        if self.gradients.is_empty() {
            for (k, h) in out.iter_mut().enumerate() {
                let moved = |by: f32| (by * self.cells).clamp(-FARTHEST, FARTHEST);
                let ((i, y), (j, x)) = (floor(part + moved(south[k])), floor(self.along[k] + moved(east[k])));
                let [above, below] = self.drawn(octave, [line.wrapping_add(i), self.columns[k].wrapping_add(j)]);
                *h += value(|t| fade.weight(t), x, y, above, below) * amplitude;
            }
            return;
        }
        match fade {
            NoiseFade::Linear => read::<LINEAR>(self, row, [east, south], out),
            NoiseFade::Classic => read::<CLASSIC>(self, row, [east, south], out),
            NoiseFade::Improved => read::<IMPROVED>(self, row, [east, south], out),
        }
    }

    /// Gradients at the corners of a cell, drawn from the random stream.
    fn drawn(&self, octave: &GradientOctave, [row, column]: [i32; 2]) -> [LatticeLine; 2] {
        [0, 1].map(|below| {
            let row = self.wrapped(row.wrapping_add(below));
            let gradient = |right: i32| octave.gradient(self.wrapped(column.wrapping_add(right)), row);
            let ([a, b], [c, d]) = (gradient(0), gradient(1));
            [a, b, c, d]
        })
    }

    /// Gradients at the corners of a cell, read from the table; `at` is the index of the cell's first number.
    #[inline(always)]
    fn tabulated(&self, at: u32) -> [LatticeLine; 2] {
        let at = at as usize;
        let under = at + 2 * self.width as usize;
        // The lower line is read first, because its bounds check also covers the upper line.
        let below = Vec4::from_slice(&self.gradients[under..under + 4]);
        [Vec4::from_slice(&self.gradients[at..at + 4]).to_array(), below.to_array()]
    }
}

/// Returns x rounded down to a whole number, and the remainder; |x| must be below 2²².
#[inline(always)]
fn floor(x: f32) -> (i32, f32) {
    // The bits of 1.5·2²³ + x hold the whole number nearest to x. A cast would not vectorise.
    const SHIFT: f32 = 12_582_912.0;
    let shifted = x + SHIFT;
    let nearest = shifted - SHIFT;
    let above = nearest > x;
    let whole = (shifted.to_bits() as i32).wrapping_sub(SHIFT.to_bits() as i32);
    (whole - i32::from(above), x - if above { nearest - 1.0 } else { nearest })
}

/// Interpolates the noise at the position (x, y) within a cell.
#[inline(always)]
fn value(weight: impl Fn(f32) -> f32, x: f32, y: f32, [a, b, c, d]: LatticeLine, [e, f, g, h]: LatticeLine) -> f32 {
    let v = weight(y);
    let (above, above_y, below, below_y) = (1.0 - v, (1.0 - v) * y, v, v * (y - 1.0));
    let left = (a * above + e * below) * x + (b * above_y + f * below_y);
    let right = (c * above + g * below) * (x - 1.0) + (d * above_y + h * below_y);
    left + (right - left) * weight(x)
}

/// Adds a row from the table, with a fade that is known at compile time.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn read<const FADE: u8>(from: &Scattered, row: ScatteredRow, moves: [&[f32]; 2], out: &mut [f32]) {
    let start = read_parts::<FADE, PART>(from, row, moves, 0, out);
    let start = read_parts::<FADE, 8>(from, row, moves, start, out);
    read_parts::<FADE, 1>(from, row, moves, start, out);
}

/// Adds as many parts of N samples as fit, starting at sample `start`. Returns the first sample that was not processed.
#[inline(always)]
fn read_parts<const FADE: u8, const N: usize>(
    from: &Scattered,
    row: ScatteredRow,
    [east, south]: [&[f32]; 2],
    start: usize,
    out: &mut [f32],
) -> usize {
    let weight = fade_weight::<FADE>;
    let columns = from.columns[start..].as_chunks::<N>().0;
    let along = from.along[start..].as_chunks::<N>().0;
    let (east, south) = (east[start..].as_chunks::<N>().0, south[start..].as_chunks::<N>().0);
    let parts = out[start..].as_chunks_mut::<N>().0;
    let ends = start + N * parts.len();
    let origin = row.line.wrapping_sub(from.first[0]).wrapping_mul(from.width as i32).wrapping_sub(from.first[1]);
    let (mut at, mut across, mut down) = ([0u32; N], [0.0f32; N], [0.0f32; N]);
    let (mut above, mut below) = ([[0.0f32; 4]; N], [[0.0f32; 4]; N]);
    for ((((out, columns), along), east), south) in parts.iter_mut().zip(columns).zip(along).zip(east).zip(south) {
        for k in 0..N {
            let (i, y) = floor(row.part + south[k] * from.cells);
            let (j, x) = floor(along[k] + east[k] * from.cells);
            let line = i.wrapping_mul(from.width as i32).wrapping_add(origin);
            at[k] = (line.wrapping_add(columns[k]).wrapping_add(j) as u32).wrapping_mul(2);
            (across[k], down[k]) = (x, y);
        }
        for k in 0..N {
            [above[k], below[k]] = from.tabulated(at[k]);
        }
        for k in 0..N {
            out[k] += value(weight, across[k], down[k], above[k], below[k]) * row.amplitude;
        }
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generators::octaves::Octaves;
    use talweg_ground::field::{Edges, Grid, Stream};

    /// Noise from the table equals noise from drawn gradients, both in whole parts and in the remainder of a row.
    #[test]
    fn the_table_holds_the_drawn_points() {
        // At the last two offsets, lattice line numbers wrap around.
        for (edges, offset) in [(Edges::Open, [0.3, -2.0]), (Edges::Wrap, [0.3, -2.0]), (Edges::Open, [-3.0e9, 3.0e9])]
        {
            for n in [9, 64, 65, 139] {
                let law = Octaves { count: 1, frequency: 7.0, lacunarity: 2.0, offset };
                let octave = &GradientOctave::all(Grid::new(n, edges), Stream::new(1, 2), &law, NoiseFade::Improved)[0];
                let farthest = 0.2;
                let mut places = Scattered::new(octave, 7.0, farthest, n, edges == Edges::Wrap);
                let move_of = |k: usize| farthest * (((k * 37) % 101) as f32 / 50.0 - 1.0);
                let moves: [Vec<f32>; 2] = [0, 5].map(|of| (0..n).map(|k| move_of(k + of)).collect());
                for fade in [NoiseFade::Linear, NoiseFade::Classic, NoiseFade::Improved] {
                    let read = |places: &Scattered| {
                        let mut out = vec![0.25; n];
                        for row in [0, n / 2, n - 1] {
                            places.add(octave, row, fade, 0.5, [&moves[0], &moves[1]], &mut out);
                        }
                        out
                    };
                    let tabulated = read(&places);
                    let gradients = std::mem::take(&mut places.gradients);
                    assert!(!gradients.is_empty() && tabulated == read(&places), "{edges:?} {n} {fade:?}");
                    places.gradients = gradients;
                }
            }
        }
    }
}
