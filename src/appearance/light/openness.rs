//! Openness of the terrain to the sky: high on ridges, medium on planes, low in hollows.

use std::ops::Range;

use rayon::prelude::*;

use crate::field::{Cancelled, Control, SquareReader, Terrain};

/// Widths of the areas around a position over which heights are averaged, as fractions of the terrain's side. The
/// second number is the weight of each width.
const SURROUNDINGS: [(f32, f32); 3] = [(1.0 / 320.0, 0.9), (1.0 / 96.0, 0.9), (1.0 / 28.0, 0.7)];

/// Openness of the terrain to the sky: 0.5 on a plane, towards 0 in hollows and valleys, towards 1 on ridges.
///
/// A position is in a hollow if the mean height around it is above its own height. The result combines the mean heights
/// over areas of several widths.
///
/// The terrain can be a part of a larger terrain with `across` samples per side. `relief_over_size` is relief_metres /
/// size_metres of the whole terrain.
///
/// # Errors
/// If the computation was cancelled.
pub fn openness(
    terrain: &Terrain,
    relief_over_size: f32,
    across: usize,
    control: &Control,
) -> Result<Vec<f32>, Cancelled> {
    // A part of a larger terrain is treated as a separate square with its own edges.
    let (n, heights) = (terrain.samples(), &terrain.height);
    let widths = SURROUNDINGS.map(|(width, weight)| {
        let blurred = Blurred::new(n, heights, halvings(width, across), control)?;
        Ok((blurred, weight * relief_over_size / width))
    });
    let widths = widths.into_iter().collect::<Result<_, Cancelled>>()?;
    SurroundingHeights { widths }.openness([0; 2], n, heights, control)
}

/// Mean heights around every position of a square terrain, over several widths.
pub struct SurroundingHeights {
    /// Smoothed mean heights over each width, with the weight of that width.
    widths: Vec<(Blurred, f32)>,
}

/// Number of rows read at a time.
const ROWS: usize = 256;

impl SurroundingHeights {
    /// Reads a square terrain in parts. [`openness`](Self::openness) then returns the same bits as [`openness`] of the
    /// whole terrain. `relief_over_size` is relief_metres / size_metres.
    ///
    /// # Errors
    /// As [`SquareReader::rows`].
    pub fn of_square(square: &dyn SquareReader, relief_over_size: f32, control: &Control) -> Result<Self, Cancelled> {
        let n = square.grid().samples;
        let mut means = SURROUNDINGS.map(|(width, _)| BlockMeans::new(n, halvings(width, n)));
        for first in (0..n).step_by(ROWS) {
            control.check()?;
            let rows = square.rows(None, first..(first + ROWS).min(n))?;
            for (k, row) in rows.chunks(n).enumerate() {
                means.iter_mut().for_each(|means| means.add_row(first + k, row));
            }
        }
        let blurred = |means: BlockMeans, (width, weight): (f32, f32)| {
            Ok((means.smoothed(control)?, weight * relief_over_size / width))
        };
        let widths = means.into_iter().zip(SURROUNDINGS).map(|(means, width)| blurred(means, width));
        Ok(Self { widths: widths.collect::<Result<_, Cancelled>>()? })
    }

    /// The [`openness`] of a window of the square with `side` samples per side. The window starts at the given row and
    /// column of the whole terrain.
    ///
    /// # Errors
    /// If the computation was cancelled.
    pub fn openness(
        &self,
        [top, left]: [usize; 2],
        side: usize,
        heights: &[f32],
        control: &Control,
    ) -> Result<Vec<f32>, Cancelled> {
        let mut out = vec![0.0; heights.len()];
        out.par_chunks_mut(side).enumerate().try_for_each(|(i, row)| {
            control.check()?;
            for (blurred, weight) in &self.widths {
                blurred.add_row([top + i, left], *weight, row);
            }
            let total: f32 = self.widths.iter().map(|w| w.1).sum();
            for (openness, height) in row.iter_mut().zip(&heights[i * side..]) {
                let rise = total * height - *openness;
                *openness = 0.5 + 0.5 * rise / (1.0 + rise.abs());
            }
            Ok(())
        })?;
        Ok(out)
    }
}

/// Number of times that `across` samples are halved until a block of samples is about `width` wide, a fraction of the
/// side.
fn halvings(width: f32, across: usize) -> u32 {
    libm::roundf(libm::log2f(width * across as f32)).max(1.0) as u32
}

/// Size in samples of the largest blocks, on a side of `across` samples. At every multiple of this size, a block of
/// each width starts.
pub fn openness_blocks(across: usize) -> usize {
    SURROUNDINGS.iter().map(|&(width, _)| 1usize << halvings(width, across)).max().unwrap_or(1)
}

/// Mean heights over blocks of 2^k × 2^k samples of a square terrain.
struct BlockMeans {
    samples: usize,
    block: usize,
    size: usize,
    means: Vec<f32>,
}

impl BlockMeans {
    fn new(samples: usize, halvings: u32) -> Self {
        let block = 1usize << halvings.min(samples.ilog2());
        let size = samples.div_ceil(block);
        Self { samples, block, size, means: vec![0.0; size * size] }
    }

    /// The sample rows inside the row of blocks with the index `blocks`.
    fn rows(&self, blocks: usize) -> Range<usize> {
        blocks * self.block..(blocks * self.block + self.block).min(self.samples)
    }

    /// Adds a row of the square; rows must come in order.
    fn add_row(&mut self, row: usize, heights: &[f32]) {
        let blocks = row / self.block;
        let height_rows = self.rows(blocks).len();
        add_spans(&mut self.means[blocks * self.size..][..self.size], heights, self.block, height_rows);
    }

    fn smoothed(self, control: &Control) -> Result<Blurred, Cancelled> {
        let Self { block, size, means, .. } = self;
        let columns = smooth_rows(size, &transposed(size, &smooth_rows(size, &means), control)?);
        Ok(Blurred { size, block: block as f32, means: transposed(size, &columns, control)? })
    }
}

/// Adds one row of heights to the means of a row of blocks, each of which contains `height_rows` rows.
fn add_spans(means: &mut [f32], heights: &[f32], block: usize, height_rows: usize) {
    for (mean, span) in means.iter_mut().zip(heights.chunks(block)) {
        *mean += span.iter().sum::<f32>() / (span.len() * height_rows) as f32;
    }
}

/// Smoothed mean heights over blocks of 2^k × 2^k samples.
struct Blurred {
    size: usize,
    block: f32,
    means: Vec<f32>,
}

impl Blurred {
    fn new(n: usize, height: &[f32], halvings: u32, control: &Control) -> Result<Self, Cancelled> {
        let mut made = BlockMeans::new(n, halvings);
        let mut means = std::mem::take(&mut made.means);
        means.par_chunks_mut(made.size).enumerate().try_for_each(|(i, row)| {
            control.check()?;
            let rows = made.rows(i);
            let height_rows = rows.len();
            rows.for_each(|line| add_spans(row, &height[line * n..][..n], made.block, height_rows));
            Ok(())
        })?;
        BlockMeans { means, ..made }.smoothed(control)
    }

    /// Interpolates the means along row `i` of the terrain's samples, from column `left` on, and adds them times
    /// `weight` to `out`.
    fn add_row(&self, [i, left]: [usize; 2], weight: f32, out: &mut [f32]) {
        let last = (self.size - 1) as f32;
        let place = |k: usize| {
            let at = ((k as f32 + 0.5) / self.block - 0.5).clamp(0.0, last);
            let low = (at as usize).min(self.size.saturating_sub(2));
            (low, at - low as f32)
        };
        let (north, down) = place(i);
        let rows = |row: usize| &self.means[row.min(self.size - 1) * self.size..][..self.size];
        let between = rows(north).iter().zip(rows(north + 1)).map(|(a, b)| weight * (a + (b - a) * down));
        let mut line: Vec<f32> = between.collect();
        line.push(line[self.size - 1]);
        for (j, value) in out.iter_mut().enumerate() {
            let (west, along) = place(left + j);
            *value += line[west] + (line[west + 1] - line[west]) * along;
        }
    }
}

/// Smooths every row with the filter weights 1 2 1.
fn smooth_rows(n: usize, field: &[f32]) -> Vec<f32> {
    let smooth = |k: usize| {
        let (row, j) = (&field[k / n * n..][..n], k % n);
        0.25 * (row[j.saturating_sub(1)] + 2.0 * row[j] + row[(j + 1).min(n - 1)])
    };
    (0..field.len()).map(smooth).collect()
}

/// A square field with rows and columns exchanged.
///
/// # Errors
/// If the computation was cancelled.
pub fn transposed(n: usize, field: &[f32], control: &Control) -> Result<Vec<f32>, Cancelled> {
    const BLOCK: usize = 32;
    let mut out = vec![0.0; field.len()];
    out.par_chunks_mut(BLOCK * n).enumerate().try_for_each(|(block, rows)| {
        control.check()?;
        for from in (0..n).step_by(BLOCK) {
            for (i, row) in rows.chunks_mut(n).enumerate() {
                for (j, value) in row.iter_mut().enumerate().skip(from).take(BLOCK) {
                    *value = field[j * n + block * BLOCK + i];
                }
            }
        }
        Ok(())
    })?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Edges;

    #[test]
    fn a_plane_is_half_open_and_a_pit_is_darker_than_a_peak() {
        let middle = |terrain: Terrain| openness(&terrain, 0.25, 65, &Control::default()).unwrap()[32 * 65 + 32];
        let plane = middle(Terrain::from_fn(65, Edges::Open, |u, _| 0.1 * u));
        assert!((plane - 0.5).abs() < 0.02, "{plane}");
        let bump = |sign: f32| {
            middle(Terrain::from_fn(65, Edges::Open, |u, v| sign * (0.2 - libm::hypotf(u - 0.5, v - 0.5)).max(0.0)))
        };
        assert!(bump(-1.0) < 0.4 && bump(1.0) > 0.6);
    }

    #[test]
    fn transposing_twice_changes_nothing() {
        for n in [2, 33, 100] {
            let field: Vec<f32> = (0..n * n).map(|k| k as f32).collect();
            let once = transposed(n, &field, &Control::default()).unwrap();
            assert_eq!(once[n - 1], field[(n - 1) * n]);
            assert_eq!(transposed(n, &once, &Control::default()).unwrap(), field);
        }
    }
}
