//! How open the ground is to the sky: ridges, planes and hollows.

use rayon::prelude::*;

use crate::field::{Cancelled, Control, Terrain};

/// Widths over which the ground is compared with its surroundings, as parts of the side, and their weights.
const SURROUNDINGS: [(f32, f32); 3] = [(1.0 / 320.0, 0.9), (1.0 / 96.0, 0.9), (1.0 / 28.0, 0.7)];

/// How open the ground is to the sky: 0.5 on a plane, towards 0 in hollows and valleys, towards 1 on ridges.
///
/// A point lies in a hollow as far as the mean height around it, over several widths, is above its own.
///
/// The terrain may be a part of a larger one that has `across` samples a side; `relief_over_size` is relief_metres /
/// size_metres of the whole.
///
/// # Errors
/// When `control` says so.
pub fn openness(
    terrain: &Terrain,
    relief_over_size: f32,
    across: usize,
    control: &Control,
) -> Result<Vec<f32>, Cancelled> {
    let n = terrain.samples();
    let widths: Vec<(Blurred, f32)> = SURROUNDINGS
        .iter()
        .map(|&(width, weight)| {
            let halvings = halvings(width, across);
            Ok((Blurred::new(n, &terrain.height, halvings, control)?, weight * relief_over_size / width))
        })
        .collect::<Result<_, Cancelled>>()?;
    let mut out = vec![0.0; terrain.height.len()];
    out.par_chunks_mut(n).enumerate().try_for_each(|(i, row)| {
        control.check()?;
        for (blurred, weight) in &widths {
            blurred.add_row(i, *weight, row);
        }
        let total: f32 = widths.iter().map(|w| w.1).sum();
        for (openness, height) in row.iter_mut().zip(&terrain.height[i * n..]) {
            let rise = total * height - *openness;
            *openness = 0.5 + 0.5 * rise / (1.0 + rise.abs());
        }
        Ok(())
    })?;
    Ok(out)
}

/// How often samples are halved to blocks of about this part of the side.
fn halvings(width: f32, across: usize) -> u32 {
    libm::roundf(libm::log2f(width * across as f32)).max(1.0) as u32
}

/// Samples that the blocks of all widths begin at, on a side of so many.
pub fn openness_blocks(across: usize) -> usize {
    SURROUNDINGS.iter().map(|&(width, _)| 1usize << halvings(width, across)).max().unwrap_or(1)
}

/// Mean heights of blocks of 2^k samples, smoothed.
struct Blurred {
    size: usize,
    block: f32,
    means: Vec<f32>,
}

impl Blurred {
    fn new(n: usize, height: &[f32], halvings: u32, control: &Control) -> Result<Self, Cancelled> {
        let block = 1usize << halvings.min(n.ilog2());
        let size = n.div_ceil(block);
        let mut means = vec![0.0; size * size];
        means.par_chunks_mut(size).enumerate().try_for_each(|(i, row)| {
            control.check()?;
            let rows = i * block..(i * block + block).min(n);
            let height_rows = rows.len();
            for line in rows {
                for (mean, span) in row.iter_mut().zip(height[line * n..][..n].chunks(block)) {
                    *mean += span.iter().sum::<f32>() / (span.len() * height_rows) as f32;
                }
            }
            Ok(())
        })?;
        let columns = smooth_rows(size, &transposed(size, &smooth_rows(size, &means), control)?);
        Ok(Self { size, block: block as f32, means: transposed(size, &columns, control)? })
    }

    /// Adds `weight` times row `i` of the means, as large as the terrain, to `out`.
    fn add_row(&self, i: usize, weight: f32, out: &mut [f32]) {
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
            let (west, along) = place(j);
            *value += line[west] + (line[west + 1] - line[west]) * along;
        }
    }
}

/// Weights 1 2 1 along every row.
fn smooth_rows(n: usize, field: &[f32]) -> Vec<f32> {
    let smooth = |k: usize| {
        let (row, j) = (&field[k / n * n..][..n], k % n);
        0.25 * (row[j.saturating_sub(1)] + 2.0 * row[j] + row[(j + 1).min(n - 1)])
    };
    (0..field.len()).map(smooth).collect()
}

/// A square field with its rows as columns.
///
/// # Errors
/// When `control` says so.
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
