//! Implicit transport along the lines of a grid: the exchange of every cell with its neighbours in a row or a column.
//!
//! Cell k has the old content r_k and the new content x_k. In a step it gives a_k x_k to cell k + 1, and cell k + 1
//! gives c_k x_(k+1) back. So (1 + a_k + c_(k-1)) x_k - a_(k-1) x_(k-1) - c_k x_(k+1) = r_k. All a and c are 0 or
//! above, so the columns of the matrix sum to 1 and no x is below 0. So for any step length nothing is created or lost,
//! and no cell gives more than it has. Elimination keeps e_k = 1 + c_(k-1) e_(k-1) / (e_(k-1) + a_(k-1)), in which
//! nothing is subtracted (Grassmann, Taksar & Heyman 1985). Hence volumes are accurate to the last digits even where a
//! and c are millions. On a wrapping terrain the last cell of a line is separated and solved at the end. [`LANES`]
//! adjacent lines are processed together as a vector. Cells between which nothing flows in any of these lines, as on
//! bare ground, stay unchanged.

use rayon::prelude::*;

use crate::Context;
use talweg_ground::field::{Cancelled, Edges, Grid};

/// Number of lines that are solved together.
pub const LANES: usize = 8;
/// One value for each of the lines that are solved together.
pub type Lane = [f64; LANES];

/// Whether any of the values is not 0.
#[inline(always)]
pub fn holds_any(lane: &Lane) -> bool {
    lane.iter().fold(false, |any, &value| any | (value != 0.0))
}

/// Direction of the lines of a square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineDirection {
    /// The lines are the rows.
    EastWest,
    /// The lines are the columns.
    NorthSouth,
}

/// The lines of a square grid in one direction, without the copied samples of a wrapping grid.
#[derive(Clone, Copy, Debug)]
pub struct GridLines {
    direction: LineDirection,
    samples: usize,
    /// Number of lines, which is also the number of cells in each line.
    pub cells: usize,
    /// Whether the first cell of a line is the neighbour of its last cell.
    pub wraps: bool,
}

impl GridLines {
    /// The rows or columns of `grid`.
    pub fn new(grid: Grid, direction: LineDirection) -> Self {
        Self { direction, samples: grid.samples, cells: grid.distinct_side(), wraps: grid.edges == Edges::Wrap }
    }

    /// Direction of these lines.
    pub fn direction(&self) -> LineDirection {
        self.direction
    }

    /// Reads a block of lines, each value times `factor`. Lanes beyond the last line keep their values.
    pub fn load<T: Copy + Into<f64>>(&self, block: usize, field: &[T], factor: f64, out: &mut [Lane]) {
        let (first, lanes) = (block * LANES, self.lanes(block));
        match self.direction {
            LineDirection::EastWest => {
                for lane in lanes {
                    let row = &field[(first + lane) * self.samples..][..self.cells];
                    out.iter_mut().zip(row).for_each(|(out, &value)| out[lane] = value.into() * factor);
                }
            }
            LineDirection::NorthSouth => {
                for (k, out) in out.iter_mut().enumerate() {
                    let part = &field[k * self.samples + first..][..lanes.end];
                    out.iter_mut().zip(part).for_each(|(out, &value)| *out = value.into() * factor);
                }
            }
        }
    }

    /// Runs `work` on all blocks in parallel, each with its part of `outs` and its own working memory. Checks for
    /// cancellation before each block. Returns the results in the order of the blocks.
    pub fn blocks<S: Default + Send, const FIELDS: usize, R: Send>(
        &self,
        cx: &Context,
        outs: &mut [Vec<Lane>; FIELDS],
        work: impl Fn(&mut S, usize, [&mut [Lane]; FIELDS]) -> R + Sync,
    ) -> Result<Vec<R>, Cancelled> {
        let blocks = self.cells.div_ceil(LANES);
        let mut parts: Vec<[&mut [Lane]; FIELDS]> =
            (0..blocks).map(|_| std::array::from_fn(|_| Default::default())).collect();
        for (field, out) in outs.iter_mut().enumerate() {
            out.resize(blocks * self.cells, [0.0; LANES]);
            out.chunks_mut(self.cells).zip(&mut parts).for_each(|(chunk, parts)| parts[field] = chunk);
        }
        let run = |scratch: &mut S, (block, parts)| {
            cx.control.check()?;
            Ok(work(scratch, block, parts))
        };
        parts.into_par_iter().enumerate().map_init(S::default, run).collect()
    }

    /// Returns the lanes of a block that hold a line; the last block can have unused lanes.
    pub fn lanes(&self, block: usize) -> std::ops::Range<usize> {
        0..(self.cells - block * LANES).min(LANES)
    }

    /// Writes the cells of row `row` of the grid to `out`, from a field of blocks. `row` must be below
    /// [`cells`](Self::cells).
    pub fn unload_row(&self, blocks: &[Lane], row: usize, out: &mut [f64]) {
        let out = &mut out[..self.cells];
        match self.direction {
            LineDirection::EastWest => {
                let block = &blocks[row / LANES * self.cells..][..self.cells];
                out.iter_mut().zip(block).for_each(|(out, values)| *out = values[row % LANES]);
            }
            LineDirection::NorthSouth => {
                for (block, out) in out.chunks_mut(LANES).enumerate() {
                    out.copy_from_slice(&blocks[block * self.cells + row][..out.len()]);
                }
            }
        }
    }
}

/// The exchange between neighbouring cells of a block of lines in a step.
#[derive(Default)]
pub struct Exchange {
    /// Amount that cell k gives to the next cell, per unit of its new content.
    pub onward: Vec<Lane>,
    /// Amount that cell k gets from the next cell, per unit of that cell's new content.
    pub back: Vec<Lane>,
    /// Amounts that the first and the last cell lose over open edges, per unit of their new content.
    pub edge_loss: [Lane; 2],
    /// Inverses of the pivots of the elimination.
    inverse: Vec<Lane>,
    /// Coefficients of the separated last cell of a wrapping line.
    separated: Vec<Lane>,
}

impl Exchange {
    /// Resets the exchange to lines of `cells` between which nothing flows.
    pub fn reset(&mut self, cells: usize) {
        for table in [&mut self.onward, &mut self.back] {
            table.clear();
            table.resize(cells, [0.0; LANES]);
        }
        self.edge_loss = [[0.0; LANES]; 2];
    }

    /// Replaces the old contents `held` of the cells by their contents after the step.
    pub fn solve(&mut self, wraps: bool, held: &mut [Lane]) {
        let cells = held.len();
        if cells == 1 {
            return;
        }
        let last = cells - 1;
        let Self { onward, back, edge_loss: off, inverse, separated: apart } = self;
        for table in [&mut *inverse, &mut *apart] {
            table.resize(cells, [0.0; LANES]);
        }
        let chain = if wraps { last } else { cells };
        // fraction of a unit of content that stays in the cells processed so far; it gives the inverses of the pivots
        let mut stays: Lane = if wraps { back[last].map(|back| 1.0 + back) } else { off[0].map(|off| 1.0 + off) };
        for k in 0..chain {
            let is_end = !wraps && k == last;
            // a cell from and to which nothing flows keeps its content
            if k > 0 && !is_end && ![&onward[k - 1], &back[k - 1], &onward[k]].into_iter().any(holds_any) {
                (stays, inverse[k]) = ([1.0; LANES], [1.0; LANES]);
                continue;
            }
            if k > 0 {
                let (before, here) = held.split_at_mut(k);
                let (before, here) = (&before[k - 1], &mut here[0]);
                let (on, back, inverse) = (&onward[k - 1], &back[k - 1], &inverse[k - 1]);
                for lane in 0..LANES {
                    stays[lane] = 1.0 + back[lane] * (stays[lane] * inverse[lane]);
                    here[lane] += on[lane] * inverse[lane] * before[lane];
                }
            }
            if is_end {
                (0..LANES).for_each(|lane| stays[lane] += off[1][lane]);
                inverse[k] = stays.map(|pivot| 1.0 / pivot);
            } else {
                let (on, inverse) = (&onward[k], &mut inverse[k]);
                (0..LANES).for_each(|lane| inverse[lane] = 1.0 / (stays[lane] + on[lane]));
            }
        }
        let back_substitute = |x: &mut [Lane], end: usize| {
            (0..LANES).for_each(|lane| x[end][lane] *= inverse[end][lane]);
            for k in (0..end).rev() {
                let (here, next) = x.split_at_mut(k + 1);
                let (here, next) = (&mut here[k], &next[0]);
                let (back, inverse) = (&back[k], &inverse[k]);
                (0..LANES).for_each(|lane| here[lane] = (here[lane] + back[lane] * next[lane]) * inverse[lane]);
            }
        };
        if !wraps {
            back_substitute(held, last);
            return;
        }
        // x_k = held_k + apart_k · x_last
        apart[0] = onward[last];
        for k in 1..last {
            for lane in 0..LANES {
                apart[k][lane] = onward[k - 1][lane] * inverse[k - 1][lane] * apart[k - 1][lane];
            }
        }
        let end = last - 1;
        (0..LANES).for_each(|lane| apart[end][lane] += back[end][lane]);
        back_substitute(apart, end);
        back_substitute(held, end);
        // the amount that the last cell gives away is now in the other cells, since nothing is lost on the way
        let mut given = [0.0; LANES];
        for row in &apart[..last] {
            (0..LANES).for_each(|lane| given[lane] += row[lane]);
        }
        for lane in 0..LANES {
            let got = onward[end][lane] * held[end][lane] + back[last][lane] * held[0][lane];
            held[last][lane] = (held[last][lane] + got) / (1.0 + given[lane]);
        }
        for k in 0..last {
            for lane in 0..LANES {
                held[k][lane] += apart[k][lane] * held[last][lane];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Solves the full matrix of lane 0 by Gaussian elimination with pivoting, as a reference.
    fn dense(exchange: &Exchange, wraps: bool, held: &[f64]) -> Vec<f64> {
        let n = held.len();
        let mut rows: Vec<Vec<f64>> = (0..n).map(|i| (0..=n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
        let mut give = |from: usize, to: Option<usize>, rate: f64| {
            rows[from][from] += rate;
            if let Some(to) = to {
                rows[to][from] -= rate;
            }
        };
        for k in 0..if wraps { n } else { n - 1 } {
            give(k, Some((k + 1) % n), exchange.onward[k][0]);
            give((k + 1) % n, Some(k), exchange.back[k][0]);
        }
        if !wraps {
            give(0, None, exchange.edge_loss[0][0]);
            give(n - 1, None, exchange.edge_loss[1][0]);
        }
        (0..n).for_each(|k| rows[k][n] = held[k]);
        for k in 0..n {
            let best = (k..n).max_by(|&a, &b| rows[a][k].abs().total_cmp(&rows[b][k].abs())).unwrap();
            rows.swap(k, best);
            let pivot = rows[k].clone();
            for (i, row) in rows.iter_mut().enumerate().filter(|(i, _)| *i != k) {
                let factor = row[k] / pivot[k];
                assert!(i < n);
                row.iter_mut().zip(&pivot).for_each(|(a, b)| *a -= factor * b);
            }
        }
        (0..n).map(|k| rows[k][n] / rows[k][k]).collect()
    }

    #[test]
    fn lines_are_solved_and_nothing_is_lost_at_any_rate() {
        for (cells, wraps) in [(2, false), (2, true), (3, true), (9, false), (12, true)] {
            for scale in [0.3, 50.0, 1e9] {
                let mut exchange = Exchange::default();
                exchange.reset(cells);
                let random = |k: usize, salt: usize| {
                    let unit = ((k * 7919 + salt * 104_729) % 1000) as f64 / 1000.0;
                    unit * unit * unit
                };
                for k in 0..cells {
                    exchange.onward[k] = [scale * random(k, 1); LANES];
                    exchange.back[k] = [scale * random(k, 2); LANES];
                }
                let start: Vec<f64> = (0..cells).map(|k| if k % 3 == 0 { 100.0 } else { random(k, 3) }).collect();
                let mut held: Vec<Lane> = start.iter().map(|&h| [h; LANES]).collect();
                exchange.solve(wraps, &mut held);
                let [before, after] = [start.iter().sum::<f64>(), held.iter().map(|x| x[3]).sum::<f64>()];
                assert!((after / before - 1.0).abs() < 1e-12, "{cells} {wraps} {scale}: {before} {after}");
                assert!(held.iter().all(|x| x[0] >= 0.0));
                let exact = dense(&exchange, wraps, &start);
                for (x, exact) in held.iter().zip(&exact) {
                    assert!((x[0] - exact).abs() < 1e-6 * before, "{cells} {wraps} {scale}: {x:?} {exact}");
                }
            }
        }
        // in this case, content leaves over the open edges and is lost
        let mut exchange = Exchange::default();
        exchange.reset(4);
        exchange.edge_loss = [[1.0; LANES], [3.0; LANES]];
        let mut held = vec![[8.0; LANES]; 4];
        exchange.solve(false, &mut held);
        assert_eq!(held.iter().map(|x| x[0]).collect::<Vec<_>>(), [4.0, 8.0, 8.0, 2.0]);
    }
}
