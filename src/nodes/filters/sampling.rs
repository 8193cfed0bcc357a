//! Reads fields between their samples, and moves terrain together with its data maps.
//!
//! Scheme: heights are interpolated by the Catmull-Rom cubic through 4 × 4 samples, or linearly from 2 × 2. The cubic
//! keeps slopes continuous, but can overshoot a little next to cliffs. Linear interpolation never leaves the range of
//! the samples. Data maps are always interpolated linearly. A position exactly on a sample gives exactly that sample's
//! value. On a globe a position is a direction. Faces are read with [`ghosts`] around them, so that cubics continue
//! across their borders.
//! Source: Catmull & Rom 1974; Keys 1981.

use std::sync::Arc;

use crate::Context;
use talweg_ground::field::globe::{direction_at, locate};
use talweg_ground::field::{Cancelled, Edges, Globe, Grid, MapKind, Terrain};

/// The values that a field has beyond its edges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OutsideFill {
    /// The value of the sample at the edge.
    Edge,
    /// The value on the opposite side, as if the field repeated.
    Wrap,
    /// The value of the field reflected at the edge.
    Mirror,
    /// Height 0.
    Flat,
}

impl OutsideFill {
    /// The fill that matches the edges of the scene: open or wrapping.
    pub fn for_edges(grid: Grid) -> Self {
        match grid.edges {
            Edges::Open => Self::Edge,
            Edges::Wrap => Self::Wrap,
        }
    }
}

/// The interpolation of heights between samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Resampling {
    Linear,
    Cubic,
}

/// Gives every sample (i, j) the height and the data map values at the position `place(i, j)` = (row, column), in
/// samples of the whole grid.
pub fn resample_terrain(
    cx: &Context,
    terrain: &mut Terrain,
    beyond: OutsideFill,
    between: Resampling,
    place: impl Fn(usize, usize) -> [f64; 2] + Sync,
) -> Result<(), Cancelled> {
    let distinct = cx.grid.distinct_side();
    let first = cx.grid.first().map(|first| first as f64);
    let read = |field: &[f32], between: Resampling| {
        let source = Source { samples: cx.grid.samples, field, beyond };
        let mut out = vec![0.0; field.len()];
        cx.rows(&mut out, |i, row| {
            // On a wrapping grid the last row and column repeat the first.
            let i = i % distinct;
            let (mut places, mut taps) = ([[0.0; LANES]; 2], [AxisTaps::default(), AxisTaps::default()]);
            for (block, heights) in row.chunks_mut(LANES).enumerate() {
                let [y, x] = &mut places;
                for (lane, (y, x)) in y.iter_mut().zip(x).take(heights.len()).enumerate() {
                    // The position is exact, because a window rounds it in the same way as the whole grid.
                    let [place_y, place_x] = place(i, (block * LANES + lane) % distinct);
                    (*y, *x) = (place_y - first[0], place_x - first[1]);
                }
                let [y, x] = &places;
                match between {
                    Resampling::Linear => {
                        heights.iter_mut().zip(y.iter().zip(x)).for_each(|(h, (&y, &x))| *h = source.linear(y, x));
                    }
                    Resampling::Cubic => {
                        places.iter().zip(&mut taps).for_each(|(places, taps)| weigh(places, taps));
                        heights.iter_mut().enumerate().for_each(|(lane, h)| *h = source.tapped(&places, &taps, lane));
                    }
                }
            }
        })?;
        Ok(out)
    };
    replace_fields(terrain, between, read)
}

/// Replaces the heights and each data map by the result of `read` for that field.
fn replace_fields(
    terrain: &mut Terrain,
    between: Resampling,
    read: impl Fn(&[f32], Resampling) -> Result<Vec<f32>, Cancelled>,
) -> Result<(), Cancelled> {
    let height = read(&terrain.height, between)?;
    for &kind in MapKind::ALL {
        if let Some(map) = terrain.map(kind).cloned() {
            terrain.set_map(kind, Some(Arc::new(read(&map, Resampling::Linear)?)));
        }
    }
    terrain.height = height;
    Ok(())
}

/// Number of rows and columns beyond a face that a cubic reads.
const MARGIN: usize = 2;

/// Gives every sample of a globe the height and the data map values in the direction `place(index, direction)`, a
/// vector of any length. A sample that several faces share is computed only once.
pub fn resample_globe(
    cx: &Context,
    terrain: &mut Terrain,
    between: Resampling,
    place: impl Fn(usize, [f64; 3]) -> [f64; 3] + Sync,
) -> Result<(), Cancelled> {
    let (grid, n) = (cx.grid, cx.grid.samples);
    let globe = Globe::new(n);
    let read = |field: &[f32], between: Resampling| {
        let faces: Vec<Vec<f32>> = match between {
            Resampling::Linear => Vec::new(),
            Resampling::Cubic => (0..grid.faces()).map(|face| face_with_margin(&globe, field, face, MARGIN)).collect(),
        };
        let mut out = vec![0.0; field.len()];
        cx.rows(&mut out, |row, cells| {
            for (column, h) in cells.iter_mut().enumerate() {
                let k = row * n + column;
                if !grid.owns(k) {
                    continue;
                }
                let (face, u, v) = locate(place(k, globe.exact_direction(row / n, row % n, column)));
                *h = match between {
                    Resampling::Linear => globe.sample_at(field, (face, u, v)),
                    Resampling::Cubic => {
                        let within = |at: f64| at * (n - 1) as f64 + MARGIN as f64;
                        let source = Source { samples: n + 2 * MARGIN, field: &faces[face], beyond: OutsideFill::Edge };
                        source.cubic(within(v), within(u))
                    }
                };
            }
        })?;
        grid.close(&mut out);
        Ok(out)
    };
    replace_fields(terrain, between, read)
}

/// A face of a globe as a square of n + 2 · `margin` samples. The margin holds the values on the continued rows and
/// columns of the face, read from the adjacent faces with cubics.
///
/// In the margin a sample is on a row or column of the adjacent face, between two samples of that face. The lattice
/// therefore has no bend at the border. `margin` must be small compared with n.
pub fn face_with_margin(globe: &Globe, field: &[f32], face: usize, margin: usize) -> Vec<f32> {
    let n = globe.samples();
    let side = n + 2 * margin;
    let mut out = vec![0.0; side * side];
    for (row, cells) in out.chunks_mut(side).enumerate() {
        let inside = |k: usize| (margin..margin + n).contains(&k);
        if inside(row) {
            let first = (face * n + row - margin) * n;
            cells[margin..margin + n].copy_from_slice(&field[first..first + n]);
        }
        let last = (n - 1) as f64;
        let along = |k: usize| (k as f64 - margin as f64) / last;
        for (column, h) in cells.iter_mut().enumerate().filter(|&(column, _)| !(inside(row) && inside(column))) {
            let (beyond, u, v) = locate(direction_at(face, along(column), along(row)));
            let source = Source { samples: n, field: &field[beyond * n * n..][..n * n], beyond: OutsideFill::Edge };
            *h = source.cubic(v * last, u * last);
        }
    }
    out
}

struct Source<'a> {
    samples: usize,
    field: &'a [f32],
    beyond: OutsideFill,
}

/// Distance from an edge, in samples, within which positions beyond the edge count as inside. Otherwise rounding could
/// cut off an edge that is rotated onto itself.
const RIM: f64 = 1.0e-6;

impl Source<'_> {
    fn is_inside(&self, y: f64, x: f64) -> bool {
        let last = (self.samples - 1) as f64 + RIM;
        self.beyond != OutsideFill::Flat || (y >= -RIM && y <= last && x >= -RIM && x <= last)
    }

    #[inline(always)]
    fn index(&self, k: i64) -> usize {
        let side = self.samples as i64 - 1;
        if (0..side).contains(&k) {
            return k as usize;
        }
        let index = match self.beyond {
            OutsideFill::Edge | OutsideFill::Flat => k.clamp(0, side),
            OutsideFill::Wrap => k.rem_euclid(side),
            OutsideFill::Mirror => {
                let folded = k.rem_euclid(2 * side);
                if folded > side { 2 * side - folded } else { folded }
            }
        };
        index as usize
    }

    fn linear(&self, y: f64, x: f64) -> f32 {
        if !self.is_inside(y, x) {
            return 0.0;
        }
        let ([i, j], [fy, fx]) = ([y, x].map(floor), [y, x].map(fraction));
        if fy == 0.0 && fx == 0.0 {
            return self.field[self.index(i) * self.samples + self.index(j)];
        }
        let [left, right] = [self.index(j), self.index(j + 1)];
        let [above, below] =
            [self.index(i), self.index(i + 1)].map(|i| &self.field[i * self.samples..][..self.samples]);
        let along = |row: &[f32]| if fx == 0.0 { row[left] } else { row[left] + (row[right] - row[left]) * fx };
        let (a, b) = (along(above), along(below));
        if fy == 0.0 { a } else { a + (b - a) * fy }
    }

    fn cubic(&self, y: f64, x: f64) -> f32 {
        let ([i, j], [fy, fx]) = ([y, x].map(floor), [y, x].map(fraction));
        match self.is_inside(y, x) {
            false => 0.0,
            true if fy == 0.0 && fx == 0.0 => self.field[self.index(i) * self.samples + self.index(j)],
            true => self.weighted([i, j], [weights(fy), weights(fx)]),
        }
    }

    /// Evaluates [`cubic`](Self::cubic) at one position of a group. `taps` holds the weights of the group, and `lane`
    /// is the number of the position in the group.
    #[inline(always)]
    fn tapped(&self, [y, x]: &[[f64; LANES]; 2], taps: &[AxisTaps; 2], lane: usize) -> f32 {
        let ([i, j], [fy, fx]) =
            (taps.each_ref().map(|axis| axis.whole[lane] as i64), taps.each_ref().map(|axis| axis.fraction[lane]));
        match self.is_inside(y[lane], x[lane]) {
            false => 0.0,
            true if fy == 0.0 && fx == 0.0 => self.field[self.index(i) * self.samples + self.index(j)],
            true => self.weighted([i, j], taps.each_ref().map(|axis| axis.weights.each_ref().map(|w| w[lane]))),
        }
    }

    /// Returns the weighted sum of the 4 × 4 samples around (i, j).
    #[inline(always)]
    fn weighted(&self, [i, j]: [i64; 2], [wy, wx]: [[f32; 4]; 2]) -> f32 {
        let across = |v: [f32; 4]| (wx[0] * v[0] + wx[1] * v[1]) + (wx[2] * v[2] + wx[3] * v[3]);
        let high = self.samples as i64 - 3;
        let rows = if (1..=high).contains(&i) && (1..=high).contains(&j) {
            let first = (i as usize - 1) * self.samples + j as usize - 1;
            let four = |k: usize| {
                let row = &self.field[first + k * self.samples..][..4];
                across([row[0], row[1], row[2], row[3]])
            };
            [four(0), four(1), four(2), four(3)]
        } else {
            let columns = [-1, 0, 1, 2].map(|k| self.index(j + k));
            [-1, 0, 1, 2].map(|k| {
                let row = &self.field[self.index(i + k) * self.samples..][..self.samples];
                across(columns.map(|j| row[j]))
            })
        };
        (wy[0] * rows[0] + wy[1] * rows[1]) + (wy[2] * rows[2] + wy[3] * rows[3])
    }
}

/// Number of positions whose weights are computed together.
const LANES: usize = 64;

/// The samples and weights that a cubic uses along one axis.
struct AxisTaps {
    /// Positions rounded down to whole numbers.
    whole: [f64; LANES],
    fraction: [f32; LANES],
    weights: [[f32; LANES]; 4],
}

impl Default for AxisTaps {
    fn default() -> Self {
        Self { whole: [0.0; LANES], fraction: [0.0; LANES], weights: [[0.0; LANES]; 4] }
    }
}

/// Computes the weights at `places`.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn weigh(places: &[f64; LANES], taps: &mut AxisTaps) {
    for (lane, place) in places.iter().enumerate() {
        let whole = place.floor();
        let t = (place - whole) as f32;
        taps.whole[lane] = whole;
        taps.fraction[lane] = t;
        let four = weights(t);
        taps.weights.iter_mut().zip(four).for_each(|(weights, weight)| weights[lane] = weight);
    }
}

/// `x` rounded down.
#[inline(always)]
pub fn floor(x: f64) -> i64 {
    let whole = x as i64;
    whole - i64::from(x < whole as f64)
}

fn fraction(x: f64) -> f32 {
    (x - floor(x) as f64) as f32
}

/// Catmull-Rom weights of four samples around a position at `t` between the middle two.
#[inline(always)]
fn weights(t: f32) -> [f32; 4] {
    let (t2, t3) = (t * t, t * t * t);
    [0.5 * (2.0 * t2 - t3 - t), 0.5 * (3.0 * t3 - 5.0 * t2 + 2.0), 0.5 * (4.0 * t2 - 3.0 * t3 + t), 0.5 * (t3 - t2)]
}
