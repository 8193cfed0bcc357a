//! The scan of a wrapping grid: blocks of eight rows, one cell after the other.
//!
//! Scheme: the rows of a block advance together, which keeps the processor busy while one chain of dependent cells
//! waits for its own results. All threads share the cells as relaxed atomics (plain loads and stores); the progress of
//! the blocks orders these accesses. A row starts two columns after the row before. At its end a row reaches the cells
//! at its own start again, which have changed by then. The window of the open grid (`open`) holds every cell only once
//! and cannot represent both states of these cells.

use std::hint::select_unpredictable;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use super::lanes::{FirstLowest, Neighbourhood, Offset};
use super::{BlockProgress, ScanLaw, ScanRow};
use crate::Context;
use talweg_ground::field::Cancelled;

/// The values of a cell as atomics.
struct ScanCell<const P: usize>([AtomicU32; P]);

impl<const P: usize> Default for ScanCell<P> {
    fn default() -> Self {
        Self(std::array::from_fn(|_| AtomicU32::default()))
    }
}

impl<const P: usize> ScanCell<P> {
    #[inline(always)]
    fn get(&self, p: usize) -> f32 {
        f32::from_bits(self.0[p].load(Ordering::Relaxed))
    }

    #[inline(always)]
    fn set(&self, p: usize, value: f32) {
        self.0[p].store(value.to_bits(), Ordering::Relaxed);
    }
}

/// Number of rows that a thread advances together.
const LANES: usize = 8;
/// Number of steps that a row lags behind the row before.
const LAG: usize = 5;
/// Number of cells of a row between two checks of the progress of the block before.
const STRIDE: usize = 32;
/// Number of cells in a window: [`STRIDE`] cells and one neighbour at each end.
const REACH: usize = STRIDE + 2;
/// Number of cells that the grid must have for each additional thread.
const CELLS_PER_THREAD: usize = 8 * 1024;

/// The cells of a scan.
#[derive(Default)]
pub struct WrapRows<const P: usize> {
    cells: Vec<ScanCell<P>>,
    blocks: Vec<BlockProgress>,
}

impl<const P: usize> WrapRows<P> {
    /// Scans a wrapping grid once, as [`InPlaceScan::run`](super::InPlaceScan::run) describes.
    pub fn run<'o, const K: usize, L, Out, F>(
        &mut self,
        cx: &Context,
        law: &L,
        mut outs: impl Iterator<Item = ScanRow<'o, K, Out>> + Send,
        finish: F,
    ) -> Result<(), Cancelled>
    where
        L: ScanLaw<P>,
        Out: Send,
        F: Fn(usize, ScanRow<K, Out>) + Sync,
    {
        let side = cx.grid.distinct_side();
        self.cells.resize_with(side * side, ScanCell::default);
        self.blocks.clear();
        self.blocks.resize_with(side.div_ceil(LANES), BlockProgress::default);
        let scan = WrapScan { side, law, cells: &self.cells, blocks: &self.blocks, stopped: AtomicBool::new(false) };
        // the first block reads these rows before the blocks that load them start
        scan.load(0);
        if side > 1 {
            scan.load(side - 1);
        }
        let finish = |row: usize, mut out: ScanRow<'o, K, Out>| {
            for (p, kept) in (L::KEPT..).zip(&mut out.kept) {
                kept.iter_mut().zip(scan.row(row)).for_each(|(kept, cell)| *kept = cell.get(p));
            }
            finish(row, out);
        };
        // row 0 is finished last, because all other rows may still change it
        let first_out = outs.next();
        let rest = Mutex::new((0, outs));
        let work = || {
            while let Some((block, outs)) = scan.claim(&rest) {
                if cx.control.is_cancelled() {
                    scan.stopped.store(true, Ordering::Relaxed);
                }
                if scan.advance(block).is_none() {
                    return;
                }
                let first = (block * LANES).saturating_sub(1).max(1);
                outs.into_iter().enumerate().for_each(|(k, out)| finish(first + k, out));
            }
        };
        let threads = rayon::current_num_threads().min(1 + side * side / CELLS_PER_THREAD);
        if threads == 1 {
            work();
        } else {
            rayon::scope(|scope| (0..threads).for_each(|_| scope.spawn(|_| work())));
        }
        if scan.stopped.load(Ordering::Relaxed) {
            return Err(Cancelled);
        }
        first_out.into_iter().for_each(|out| finish(0, out));
        Ok(())
    }
}

/// The shared state of a scan in progress.
struct WrapScan<'a, L, const P: usize> {
    /// Number of distinct rows, which is also the number of distinct columns.
    side: usize,
    law: &'a L,
    cells: &'a [ScanCell<P>],
    blocks: &'a [BlockProgress],
    stopped: AtomicBool,
}

impl<L: ScanLaw<P>, const P: usize> WrapScan<'_, L, P> {
    /// Claims the next block, with the outputs of the rows that it finishes: the last row of the block before, and all
    /// of its own rows but the last.
    fn claim<Out>(&self, rest: &Mutex<(usize, impl Iterator<Item = Out>)>) -> Option<(usize, Vec<Out>)> {
        let mut rest = rest.lock().ok()?;
        let block = rest.0;
        if block == self.blocks.len() {
            return None;
        }
        rest.0 += 1;
        let done_before = if block == 0 { 1 } else { block * LANES - 1 };
        let done = if block + 1 == self.blocks.len() { self.side } else { (block + 1) * LANES - 1 };
        let outs = rest.1.by_ref().take(done.saturating_sub(done_before.max(1))).collect();
        Some((block, outs))
    }

    fn row(&self, row: usize) -> &[ScanCell<P>] {
        &self.cells[row * self.side..][..self.side]
    }

    /// Loads the initial values of the cells of a row.
    fn load(&self, row: usize) {
        let mut values = [const { Vec::new() }; P].map(|_: Vec<f32>| vec![0.0; self.side]);
        self.law.load(row, 0, values.each_mut().map(|values| &mut values[..]));
        for (p, values) in values.iter().enumerate() {
            self.row(row).iter().zip(values).for_each(|(cell, &value)| cell.set(p, value));
        }
    }

    /// Processes all cells of a block. Returns `None` if the scan was stopped.
    fn advance(&self, block: usize) -> Option<()> {
        let first = block * LANES;
        let rows = LANES.min(self.side - first);
        // the last row of this block reads one row beyond it
        (first + 1..(first + rows + 1).min(self.side - 1)).for_each(|row| self.load(row));
        let lanes: [WrapLane<P>; LANES] = std::array::from_fn(|r| self.lane(first + r.min(rows - 1)));
        let steps = self.side + LAG * (rows - 1);
        let mut from = 0;
        while from < steps {
            let to = (from + STRIDE).min(steps);
            if block > 0 {
                self.blocks[block - 1].wait((to + LAG - 1).min(self.side), &self.stopped)?;
            } else if self.stopped.load(Ordering::Relaxed) {
                return None;
            }
            if rows == LANES && to - from == STRIDE {
                self.stride(&lanes, from);
            } else {
                self.single_steps(&lanes[..rows], from..to);
            }
            let done = to.saturating_sub(LAG * (rows - 1));
            self.blocks[block].0.store(done, Ordering::Release);
            from = to;
        }
        Some(())
    }

    /// Processes the cells that the lanes reach in [`STRIDE`] steps, starting at step `from`. If no lane is near the
    /// first or last column, no index needs a check.
    fn stride(&self, lanes: &[WrapLane<P>; LANES], from: usize) {
        let window = |r: usize| from.checked_sub(LAG * r).and_then(|at| lanes[r].window(at));
        let Some(first) = window(0) else {
            return self.single_steps(lanes, from..from + STRIDE);
        };
        let mut windows = [first; LANES];
        for (r, place) in windows.iter_mut().enumerate() {
            let Some(window) = window(r) else {
                return self.single_steps(lanes, from..from + STRIDE);
            };
            *place = window;
        }
        for s in 0..STRIDE {
            // written without a closure: the compiler does not always inline closures, and the code then takes twice
            // the time
            for &[a, b, c] in &windows {
                let around =
                    [[&a[s], &a[s + 1], &a[s + 2]], [&b[s], &b[s + 1], &b[s + 2]], [&c[s], &c[s + 1], &c[s + 2]]];
                self.law.visit(&mut CellNeighbourhood(around));
            }
        }
    }

    /// Processes the cells that the lanes reach in `steps`.
    fn single_steps(&self, lanes: &[WrapLane<P>], steps: std::ops::Range<usize>) {
        for step in steps {
            for (r, lane) in lanes.iter().enumerate() {
                if let Some(at) = step.checked_sub(LAG * r).filter(|&at| at < self.side) {
                    self.law.visit(&mut lane.neighbourhood(at));
                }
            }
        }
    }

    fn lane(&self, row: usize) -> WrapLane<'_, P> {
        let before = if row == 0 { self.side - 1 } else { row - 1 };
        let after = if row + 1 == self.side { 0 } else { row + 1 };
        WrapLane { rows: [before, row, after].map(|row| self.row(row)), start: 2 * row % self.side }
    }
}

/// A row in progress, with its two neighbouring rows.
struct WrapLane<'a, const P: usize> {
    rows: [&'a [ScanCell<P>]; 3],
    /// Column where the row starts.
    start: usize,
}

/// A section of a row with its neighbours.
type WrapWindow<'a, const P: usize> = [&'a [ScanCell<P>; REACH]; 3];

impl<'a, const P: usize> WrapLane<'a, P> {
    /// Returns the [`STRIDE`] cells that follow from `at` steps after the start of the row. Returns `None` if one of
    /// the cells is in the first or last column.
    fn window(&self, at: usize) -> Option<WrapWindow<'a, P>> {
        let side = self.rows[1].len();
        let j = (self.start + at) % side;
        if at + STRIDE > side || j == 0 || j + STRIDE >= side {
            return None;
        }
        let [north, mid, south] = self.rows.map(|row| row[j - 1..].first_chunk());
        Some([north?, mid?, south?])
    }

    /// The cell that is `at` steps after the start of the row, with its neighbours.
    fn neighbourhood(&self, at: usize) -> CellNeighbourhood<'a, P> {
        let side = self.rows[1].len();
        let j = (self.start + at) % side;
        let west = if j == 0 { side - 1 } else { j - 1 };
        let east = if j + 1 == side { 0 } else { j + 1 };
        CellNeighbourhood(self.rows.map(|row| [west, j, east].map(|j| &row[j])))
    }
}

/// A cell and its eight neighbours, row by row.
struct CellNeighbourhood<'a, const P: usize>([[&'a ScanCell<P>; 3]; 3]);

impl<const P: usize> CellNeighbourhood<'_, P> {
    #[inline(always)]
    fn cell(&self, (south, east): Offset) -> &ScanCell<P> {
        self.0[(south + 1) as usize][(east + 1) as usize]
    }
}

impl<const P: usize> Neighbourhood for CellNeighbourhood<'_, P> {
    type Value = f32;

    #[inline(always)]
    fn get(&self, p: usize, place: Offset) -> f32 {
        self.cell(place).get(p)
    }

    #[inline(always)]
    fn set(&mut self, p: usize, place: Offset, value: f32) {
        self.cell(place).set(p, value);
    }

    #[inline(always)]
    fn lower_lowest(&mut self, p: usize, [a, b, c, d]: [Offset; 4], lowest: &FirstLowest<f32>, amount: f32) {
        let first = select_unpredictable(lowest.second, self.cell(b), self.cell(a));
        let last = select_unpredictable(lowest.fourth, self.cell(d), self.cell(c));
        let cell = select_unpredictable(lowest.last, last, first);
        cell.set(p, cell.get(p) - amount);
    }
}
