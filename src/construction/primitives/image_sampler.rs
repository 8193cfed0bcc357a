//! Images as ground: a smooth surface through the samples of a raster, its gradient and bounds.
//!
//! Formula: cubic splines through the samples, with continuous slopes. (The bilinear surface in the paper has creases
//! between samples.) The weights of four samples in a row sum to 1, and their absolute values to at most 5/4. So the
//! value inside a cell is at most 25/32 of the range of the 4 × 4 samples around the cell away from the middle of this
//! range. The slope is a mean of the differences between neighbours, whose weights sum to 1 and their absolute values
//! to at most 15/8. For each block of 16 × 16 samples, the range of the values and the greatest slopes are stored.
//! Source: Génevaux et al. 2014, §4.2 and §7.2.1; Catmull & Rom 1974 (the spline).

use std::sync::Arc;

use crate::geometry::plane::{Interval, higher, lower};
use talweg_ground::io::Raster;

const BLOCK: usize = 16;
/// Maximum number of blocks that are combined for a bound. If more blocks are needed, the bound of the whole image is
/// used.
const MANY: usize = 64;

#[derive(Clone, Copy, Debug)]
struct Block {
    range: Interval,
    /// Greatest slope along x and along y, per sample.
    steps: [f64; 2],
}

impl Block {
    const EMPTY: Self = Self { range: Interval::EMPTY, steps: [0.0; 2] };

    fn union(self, other: Self) -> Self {
        let steps = [higher(self.steps[0], other.steps[0]), higher(self.steps[1], other.steps[1])];
        Self { range: self.range.union(other.range), steps }
    }

    /// Bounds within a cell. `at` returns the samples around the cell, by row and column from 0 to 3.
    fn of_cell(at: impl Fn(usize, usize) -> f64) -> Self {
        let (mut range, mut across, mut down) = (Interval::EMPTY, Interval::EMPTY, Interval::EMPTY);
        for row in 0..4 {
            for column in 0..4 {
                let value = at(row, column);
                range = range.union(Interval::one(value));
                if column > 0 {
                    across = across.union(Interval::one(value - at(row, column - 1)));
                }
                if row > 0 {
                    down = down.union(Interval::one(value - at(row - 1, column)));
                }
            }
        }
        let [middle, half] = [0.5 * (range.low + range.high), 25.0 / 32.0 * (range.high - range.low)];
        let steepest =
            |steps: Interval| (0.5 * (steps.low + steps.high)).abs() + 15.0 / 16.0 * (steps.high - steps.low);
        Self { range: Interval::centred(middle, half), steps: [steepest(across), steepest(down)] }
    }
}

/// A raster prepared for sampling.
#[derive(Clone, Debug)]
pub struct ImageSampler {
    raster: Arc<Raster>,
    blocks: Vec<Block>,
    columns: usize,
    whole: Block,
}

impl ImageSampler {
    /// Prepares an image and the bounds of its blocks.
    pub fn new(raster: Arc<Raster>) -> Self {
        let (w, h) = (raster.width, raster.height);
        let (columns, rows) = (w.div_ceil(BLOCK), h.div_ceil(BLOCK));
        // Position 0 in a cell's 4 × 4 samples is one sample before the cell.
        let sample =
            |i: usize, j: usize| f64::from(raster.values[(i.max(1) - 1).min(h - 1) * w + (j.max(1) - 1).min(w - 1)]);
        let mut whole = Block::EMPTY;
        let mut blocks = Vec::with_capacity(columns * rows);
        for bi in 0..rows {
            for bj in 0..columns {
                let mut block = Block::EMPTY;
                // The last sample of a block can be the end of the cell before it.
                for i in (bi * BLOCK).saturating_sub(1)..(bi * BLOCK + BLOCK).min(h) {
                    for j in (bj * BLOCK).saturating_sub(1)..(bj * BLOCK + BLOCK).min(w) {
                        block = block.union(Block::of_cell(|row, column| sample(i + row, j + column)));
                    }
                }
                whole = whole.union(block);
                blocks.push(block);
            }
        }
        Self { raster, blocks, columns, whole }
    }

    /// The raster that is sampled.
    pub fn raster(&self) -> &Raster {
        &self.raster
    }

    /// Index of the last sample along x and along y.
    fn last(&self) -> [f64; 2] {
        [(self.raster.width - 1) as f64, (self.raster.height - 1) as f64]
    }

    /// Value at (u, v) and its derivatives with respect to u and v. Both coordinates run from 0 (first sample) to 1
    /// (last sample) and are clamped to this range.
    #[inline]
    pub fn sample(&self, u: f64, v: f64) -> (f64, [f64; 2]) {
        let last = self.last();
        let cell_and_share = |t: f64, last: f64| {
            let x = t.clamp(0.0, 1.0) * last;
            let cell = lower(x as usize as f64, last - 1.0);
            (cell as usize, x - cell)
        };
        let ((j, fx), (i, fy)) = (cell_and_share(u, last[0]), cell_and_share(v, last[1]));
        let (wx, dx) = weights(fx);
        let (wy, dy) = weights(fy);
        let (w, h) = (self.raster.width, self.raster.height);
        let column = [j.saturating_sub(1), j, j + 1, (j + 2).min(w - 1)];
        let row = [i.saturating_sub(1), i, i + 1, (i + 2).min(h - 1)];
        let (mut value, mut slope) = (0.0, [0.0; 2]);
        for a in 0..4 {
            let line = &self.raster.values[row[a] * w..(row[a] + 1) * w];
            let (mut along, mut across) = (0.0, 0.0);
            for b in 0..4 {
                let sample = f64::from(line[column[b]]);
                along += wx[b] * sample;
                across += dx[b] * sample;
            }
            value += wy[a] * along;
            slope[0] += wy[a] * across;
            slope[1] += dy[a] * along;
        }
        let inside = |t: f64| if (0.0..=1.0).contains(&t) { 1.0 } else { 0.0 };
        (value, [slope[0] * last[0] * inside(u), slope[1] * last[1] * inside(v)])
    }

    /// Range of the values over the ranges `u` and `v`, and bounds of the derivatives with respect to u and v.
    pub fn bounds(&self, u: Interval, v: Interval) -> (Interval, [f64; 2]) {
        let last = self.last();
        let span = |t: Interval, last: f64| {
            let at = |t: f64| (t.clamp(0.0, 1.0) * last) as usize / BLOCK;
            at(t.low)..at(t.high) + 1
        };
        let (columns, rows) = (span(u, last[0]), span(v, last[1]));
        let mut block = self.whole;
        if columns.len() * rows.len() <= MANY {
            block = Block::EMPTY;
            for i in rows {
                for j in columns.clone() {
                    block = block.union(self.blocks[i * self.columns + j]);
                }
            }
        }
        (block.range, [block.steps[0] * last[0], block.steps[1] * last[1]])
    }
}

/// Weights of four samples, and the derivatives of these weights. `t` is the position between the second and the third
/// sample, from 0 to 1.
fn weights(t: f64) -> ([f64; 4], [f64; 4]) {
    let s = 1.0 - t;
    let outer = |t: f64, s: f64| -0.5 * t * s * s;
    let inner = |t: f64, s: f64| s * (1.0 + t - 1.5 * t * t);
    let w = [outer(t, s), inner(t, s), inner(s, t), outer(s, t)];
    let outer_slope = |t: f64, s: f64| 0.5 * s * (3.0 * t - 1.0);
    let inner_slope = |t: f64| t * (4.5 * t - 5.0);
    let d = [outer_slope(t, s), inner_slope(t), -inner_slope(s), -outer_slope(s, t)];
    (w, d)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_surface_passes_through_the_samples() {
        let raster = talweg_ground::io::raster("stamp:mountain").unwrap();
        let picture = ImageSampler::new(raster.clone());
        let last = [raster.width - 1, raster.height - 1];
        for (k, sample) in raster.values.iter().enumerate() {
            let [u, v] = [k % raster.width, k / raster.width];
            let (value, _) = picture.sample(u as f64 / last[0] as f64, v as f64 / last[1] as f64);
            assert!((value - f64::from(*sample)).abs() < 1e-9, "sample {u}, {v}: {value} instead of {sample}");
        }
    }

    #[test]
    fn image_bounds_hold_everywhere() {
        let picture = ImageSampler::new(talweg_ground::io::raster("stamp:mountain").unwrap());
        for k in 0..200 {
            let (u, v) = (f64::from(k % 17) / 17.0, f64::from(k % 13) / 13.0);
            let (ru, rv) = (Interval::new(u, u + 0.05), Interval::new(v, v + 0.03));
            let (range, steep) = picture.bounds(ru, rv);
            for i in 0..40 {
                let at = |i: i32| picture.sample(u + 0.05 * f64::from(i % 7) / 7.0, v + 0.03 * f64::from(i % 5) / 5.0);
                let (value, slope) = at(i);
                assert!(value >= range.low - 1e-12 && value <= range.high + 1e-12);
                assert!(slope[0].abs() <= steep[0] + 1e-9 && slope[1].abs() <= steep[1] + 1e-9);
            }
            let e = 1e-6;
            let (_, slope) = picture.sample(u + 0.011, v + 0.017);
            let difference =
                (picture.sample(u + 0.011 + e, v + 0.017).0 - picture.sample(u + 0.011 - e, v + 0.017).0) / (2.0 * e);
            assert!((difference - slope[0]).abs() < 1e-3, "{difference} {slope:?}");
        }
    }
}
