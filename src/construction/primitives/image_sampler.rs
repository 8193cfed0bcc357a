//! Images as ground: a smooth surface through the samples of a raster, its gradient and bounds.
//!
//! Formula: uniform cubic B-splines with the samples as control points. The splines are C²-continuous and never exceed
//! the range of the samples. The slope of a spline is a mean of differences between neighbouring samples, so the
//! greatest difference bounds the slope. (The bilinear surface in the paper has the same bound, but it has creases
//! between samples.) For each block of 16 × 16 samples, the range of the samples and the greatest differences between
//! neighbours are stored.
//! Source: Génevaux et al. 2014, §4.2 and §7.2.1.

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
    /// Greatest difference between neighbouring samples along x and along y.
    steps: [f64; 2],
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
        let at = |i: usize, j: usize| f64::from(raster.values[i.min(h - 1) * w + j.min(w - 1)]);
        let mut whole = Block { range: Interval::EMPTY, steps: [0.0; 2] };
        let mut blocks = Vec::with_capacity(columns * rows);
        for bi in 0..rows {
            for bj in 0..columns {
                let mut block = Block { range: Interval::EMPTY, steps: [0.0; 2] };
                // include a margin of two samples: splines inside the block use them
                for i in (bi * BLOCK).saturating_sub(2)..(bi * BLOCK + BLOCK + 2).min(h) {
                    for j in (bj * BLOCK).saturating_sub(2)..(bj * BLOCK + BLOCK + 2).min(w) {
                        let v = at(i, j);
                        block.range = block.range.union(Interval::one(v));
                        block.steps[0] = higher(block.steps[0], (at(i, j + 1) - v).abs());
                        block.steps[1] = higher(block.steps[1], (at(i + 1, j) - v).abs());
                    }
                }
                whole.range = whole.range.union(block.range);
                whole.steps = [higher(whole.steps[0], block.steps[0]), higher(whole.steps[1], block.steps[1])];
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
            block = Block { range: Interval::EMPTY, steps: [0.0; 2] };
            for i in rows {
                for j in columns.clone() {
                    let one = &self.blocks[i * self.columns + j];
                    block.range = block.range.union(one.range);
                    block.steps = [higher(block.steps[0], one.steps[0]), higher(block.steps[1], one.steps[1])];
                }
            }
        }
        (block.range, [block.steps[0] * last[0], block.steps[1] * last[1]])
    }
}

/// Cubic B-spline weights of four samples, and the derivatives of these weights. `t` is the position between the second
/// and the third sample, from 0 to 1.
fn weights(t: f64) -> ([f64; 4], [f64; 4]) {
    let s = 1.0 - t;
    let w = [
        s * s * s / 6.0,
        (3.0 * t * t * t - 6.0 * t * t + 4.0) / 6.0,
        (3.0 * s * s * s - 6.0 * s * s + 4.0) / 6.0,
        t * t * t / 6.0,
    ];
    let d = [-0.5 * s * s, 1.5 * t * t - 2.0 * t, 2.0 * s - 1.5 * s * s, 0.5 * t * t];
    (w, d)
}

#[cfg(test)]
mod tests {
    use super::*;

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
