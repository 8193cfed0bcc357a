//! In-place scans: cell after cell in reading order, each seeing what those before it left, and yet on all threads
//! and with the same bits for any number of them.
//!
//! Order: on an open grid row by row from the north, each row from the west. On a wrapping grid row i begins at column
//! 2i (modulo the distinct columns) and goes once around; were every row to begin at column 0, its first cell would have to
//! wait for the last cell of the row before, and no two rows could run at once.
//! Scheme: a wavefront. A cell reaches one cell around itself, so a row may follow the row before at a few cells'
//! distance and meets exactly the state that the scan in order would have left. Threads take blocks of eight rows in order,
//! and wait until the block before is far enough ahead; within a block the rows advance side by side, which keeps the
//! processor busy while one chain of dependent cells waits for its own results. The cells are relaxed atomics: plain
//! loads and stores that threads may share; the progress of the blocks orders them.
//! Boundary: beyond an open edge lie walls of infinite height; a wrapping grid continues on the other side.

use std::hint::select_unpredictable;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};

use crate::field::{Edges, Grid};
use crate::nodes::{Cancelled, Context};

/// The values of a cell that the scan changes.
pub struct Cell<const P: usize>([AtomicU32; P]);

impl<const P: usize> Cell<P> {
    fn wall() -> Self {
        Self(std::array::from_fn(|_| AtomicU32::new(f32::INFINITY.to_bits())))
    }

    #[inline(always)]
    pub fn get(&self, p: usize) -> f32 {
        f32::from_bits(self.0[p].load(Ordering::Relaxed))
    }

    #[inline(always)]
    pub fn set(&self, p: usize, value: f32) {
        self.0[p].store(value.to_bits(), Ordering::Relaxed);
    }
}

/// A cell and its eight neighbours, row by row.
pub type Around<'a, const P: usize> = [[&'a Cell<P>; 3]; 3];

/// The lesser of two heights.
#[inline(always)]
pub fn less(a: f32, b: f32) -> f32 {
    if b < a { b } else { a }
}

/// The first of the cells that are lowest in value `p`. Chosen without a branch: which one it is cannot be foretold.
#[inline(always)]
pub fn first_lowest<const P: usize>(p: usize, cells: [&Cell<P>; 4]) -> &Cell<P> {
    let [a, b, c, d] = [cells[0].get(p), cells[1].get(p), cells[2].get(p), cells[3].get(p)];
    let first = select_unpredictable(b < a, cells[1], cells[0]);
    let second = select_unpredictable(d < c, cells[3], cells[2]);
    select_unpredictable(less(c, d) < less(a, b), second, first)
}

/// What a scan does with its cells.
pub trait Visit<const P: usize>: Sync {
    /// Sets the cells of a row to what they are before the scan.
    fn load(&self, row: usize, cells: &[Cell<P>]);
    /// Works on cell `k` of the grid, the middle of `around`.
    fn visit(&self, k: usize, around: Around<P>);
}

/// Rows that a thread takes at once and advances side by side.
const LANES: usize = 8;
/// Cells of a row between two looks at the progress of the block before.
const STRIDE: usize = 32;
/// With a neighbour at both ends.
const REACH: usize = STRIDE + 2;
/// Cells of a block that are worth another thread.
const CELLS_PER_THREAD: usize = 8 * 1024;

/// How many cells of the last row of a block are done. Alone in its cache line.
#[derive(Default)]
#[repr(align(128))]
struct Progress(AtomicUsize);

/// The cells of a scan, with a wall around them.
#[derive(Default)]
pub struct Sweep<const P: usize> {
    cells: Vec<Cell<P>>,
    blocks: Vec<Progress>,
}

impl<const P: usize> Sweep<P> {
    /// Scans the grid once. `outs` gives for every row, in order, what [`finish`](Self::run) writes its result to;
    /// a row is finished as soon as no cell can change it any more.
    pub fn run<V, Out, F>(
        &mut self,
        cx: &Context,
        visit: &V,
        outs: impl Iterator<Item = Out> + Send,
        finish: F,
    ) -> Result<(), Cancelled>
    where
        V: Visit<P>,
        Out: Send,
        F: Fn(usize, &[Cell<P>], Out) + Sync,
    {
        let distinct = cx.grid.distinct();
        let width = distinct + 2;
        self.cells.resize_with(width * width, Cell::wall);
        self.blocks.clear();
        self.blocks.resize_with(distinct.div_ceil(LANES), Progress::default);
        let plan =
            Plan { grid: cx.grid, distinct, cells: &self.cells, blocks: &self.blocks, stopped: AtomicBool::new(false) };
        plan.scan(cx, visit, outs, finish)
    }
}

/// One scan under way.
struct Plan<'a, const P: usize> {
    grid: Grid,
    /// Rows and columns that the scan visits.
    distinct: usize,
    cells: &'a [Cell<P>],
    blocks: &'a [Progress],
    stopped: AtomicBool,
}

impl<const P: usize> Plan<'_, P> {
    fn scan<V, Out, F>(
        &self,
        cx: &Context,
        visit: &V,
        mut outs: impl Iterator<Item = Out> + Send,
        finish: F,
    ) -> Result<(), Cancelled>
    where
        V: Visit<P>,
        Out: Send,
        F: Fn(usize, &[Cell<P>], Out) + Sync,
    {
        cx.control.check()?;
        let last = self.distinct - 1;
        // the first block reaches these before the blocks that they belong to
        visit.load(0, self.inner(0));
        if self.wraps() && last > 0 {
            visit.load(last, self.inner(last));
        }
        // the first row of a wrapping grid is finished last
        let first_out = outs.next();
        let rest = Mutex::new((0, outs));
        let work = || {
            loop {
                let Some((block, outs)) = self.claim(&rest) else { return };
                if cx.control.is_cancelled() {
                    self.stopped.store(true, Ordering::Relaxed);
                }
                if self.advance(block, visit).is_none() {
                    return;
                }
                let first = (block * LANES).saturating_sub(1).max(1);
                outs.into_iter().enumerate().for_each(|(k, out)| finish(first + k, self.inner(first + k), out));
            }
        };
        let threads = rayon::current_num_threads().min(1 + self.distinct * self.distinct / CELLS_PER_THREAD);
        if threads == 1 {
            work();
        } else {
            rayon::scope(|scope| (0..threads).for_each(|_| scope.spawn(|_| work())));
        }
        if self.stopped.load(Ordering::Relaxed) {
            return Err(Cancelled);
        }
        first_out.into_iter().for_each(|out| finish(0, self.inner(0), out));
        Ok(())
    }

    /// The next block, with the outputs of the rows that are finished with it: all but its last, and the last of the block
    /// before.
    fn claim<Out>(&self, rest: &Mutex<(usize, impl Iterator<Item = Out>)>) -> Option<(usize, Vec<Out>)> {
        let mut rest = rest.lock().ok()?;
        let block = rest.0;
        if block == self.blocks.len() {
            return None;
        }
        rest.0 += 1;
        let done_before = if block == 0 { 1 } else { block * LANES - 1 };
        let done = if block + 1 == self.blocks.len() { self.distinct } else { (block + 1) * LANES - 1 };
        let outs = rest.1.by_ref().take(done.saturating_sub(done_before.max(1))).collect();
        Some((block, outs))
    }

    fn wraps(&self) -> bool {
        self.grid.edges == Edges::Wrap
    }

    /// A row with the walls at its ends; row 0 here is the wall in the north.
    fn padded(&self, row: usize) -> &[Cell<P>] {
        let width = self.distinct + 2;
        &self.cells[row * width..][..width]
    }

    /// A row without the walls.
    fn inner(&self, row: usize) -> &[Cell<P>] {
        &self.padded(row + 1)[1..=self.distinct]
    }

    /// Works on all cells of a block; `None` if the scan was stopped.
    fn advance(&self, block: usize, visit: &impl Visit<P>) -> Option<()> {
        let first = block * LANES;
        let rows = LANES.min(self.distinct - first);
        let last = self.distinct - 1;
        // the last row of this block reaches one row on
        for row in first + 1..=(first + rows).min(last) {
            if !(self.wraps() && row == last) {
                visit.load(row, self.inner(row));
            }
        }
        let lag = if self.wraps() { 5 } else { 3 };
        let lanes: [Lane<P>; LANES] = std::array::from_fn(|r| self.lane(first + r.min(rows - 1)));
        let steps = self.distinct + lag * (rows - 1);
        let mut from = 0;
        while from < steps {
            let to = (from + STRIDE).min(steps);
            if block > 0 {
                self.wait(&self.blocks[block - 1], (to + lag - 1).min(self.distinct))?;
            } else if self.stopped.load(Ordering::Relaxed) {
                return None;
            }
            if rows == LANES && to - from == STRIDE {
                self.stride(visit, &lanes, from, lag);
            } else {
                self.single_steps(visit, &lanes[..rows], from..to, lag);
            }
            let done = to.saturating_sub(lag * (rows - 1));
            self.blocks[block].0.store(done, Ordering::Release);
            from = to;
        }
        Some(())
    }

    /// Visits the cells that the lanes reach in [`STRIDE`] steps. Where none of them comes near an end, no index needs a
    /// check.
    fn stride(&self, visit: &impl Visit<P>, lanes: &[Lane<P>; LANES], from: usize, lag: usize) {
        let window = |r: usize| from.checked_sub(lag * r).and_then(|at| lanes[r].window(at, self.wraps()));
        let Some(first) = window(0) else {
            return self.single_steps(visit, lanes, from..from + STRIDE, lag);
        };
        let mut windows = [first; LANES];
        for (r, place) in windows.iter_mut().enumerate() {
            let Some(window) = window(r) else {
                return self.single_steps(visit, lanes, from..from + STRIDE, lag);
            };
            *place = window;
        }
        for s in 0..STRIDE {
            // written out: a closure here is not always inlined, at twice the time
            for &(k, [a, b, c]) in &windows {
                let around =
                    [[&a[s], &a[s + 1], &a[s + 2]], [&b[s], &b[s + 1], &b[s + 2]], [&c[s], &c[s + 1], &c[s + 2]]];
                visit.visit(k + s, around);
            }
        }
    }

    /// Visits the cells that the lanes reach in `steps`.
    fn single_steps(&self, visit: &impl Visit<P>, lanes: &[Lane<P>], steps: std::ops::Range<usize>, lag: usize) {
        for step in steps {
            for (r, lane) in lanes.iter().enumerate() {
                match step.checked_sub(lag * r) {
                    Some(at) if at < self.distinct && self.wraps() => lane.around(visit, at),
                    Some(at) if at < self.distinct => lane.inside(visit, at),
                    _ => {}
                }
            }
        }
    }

    /// Waits until `count` cells of the last row of the block before are done.
    fn wait(&self, before: &Progress, count: usize) -> Option<()> {
        let mut tries = 0u32;
        while before.0.load(Ordering::Acquire) < count {
            if self.stopped.load(Ordering::Relaxed) {
                return None;
            }
            tries += 1;
            if tries < 200 {
                std::hint::spin_loop();
            } else {
                std::thread::yield_now();
            }
        }
        if self.stopped.load(Ordering::Relaxed) { None } else { Some(()) }
    }

    fn lane(&self, row: usize) -> Lane<'_, P> {
        let (before, after) = if self.wraps() {
            let last = self.distinct - 1;
            (if row == 0 { last } else { row - 1 }, if row == last { 0 } else { row + 1 })
        } else {
            // padded rows count from the wall
            (row.wrapping_sub(1), row + 1)
        };
        Lane {
            rows: [before.wrapping_add(1), row + 1, after + 1].map(|row| self.padded(row)),
            distinct: self.distinct,
            first_cell: row * self.grid.samples,
            start: 2 * row % self.distinct,
        }
    }
}

/// A row under way, between its neighbours; with walls at the ends.
struct Lane<'a, const P: usize> {
    rows: [&'a [Cell<P>]; 3],
    distinct: usize,
    /// Place of the row in a field of the grid.
    first_cell: usize,
    /// Where the row begins on a wrapping grid.
    start: usize,
}

/// A stretch of a row: the place of its first cell in a field of the grid, and the cells with their neighbours.
type Window<'a, const P: usize> = (usize, [&'a [Cell<P>; REACH]; 3]);

impl<'a, const P: usize> Lane<'a, P> {
    /// The next [`STRIDE`] cells from `at` steps after the start, if all have their neighbours in the padded rows.
    fn window(&self, at: usize, wraps: bool) -> Option<Window<'a, P>> {
        if at + STRIDE > self.distinct {
            return None;
        }
        let mut j = at;
        if wraps {
            j = (self.start + at) % self.distinct;
            if j == 0 || j + STRIDE >= self.distinct {
                return None;
            }
        }
        let [north, mid, south] = self.rows.map(|row| row[j..].first_chunk());
        Some((self.first_cell + j, [north?, mid?, south?]))
    }

    /// Visits column `j`, which has its neighbours in the padded rows.
    #[inline(always)]
    fn inside(&self, visit: &impl Visit<P>, j: usize) {
        let [north, mid, south] = self.rows;
        if let (Some([a, b, c]), Some([d, e, f]), Some([g, h, i])) =
            (north[j..].first_chunk(), mid[j..].first_chunk(), south[j..].first_chunk())
        {
            visit.visit(self.first_cell + j, [[a, b, c], [d, e, f], [g, h, i]]);
        }
    }

    /// Visits the cell `at` steps after the start of the row of a wrapping grid.
    #[inline(always)]
    fn around(&self, visit: &impl Visit<P>, at: usize) {
        let j = self.start + at;
        let j = if j >= self.distinct { j - self.distinct } else { j };
        if j > 0 && j + 1 < self.distinct {
            self.inside(visit, j);
        } else {
            let west = if j == 0 { self.distinct - 1 } else { j - 1 };
            let east = if j + 1 == self.distinct { 0 } else { j + 1 };
            visit.visit(self.first_cell + j, self.rows.map(|row| [west, j, east].map(|k| &row[k + 1])));
        }
    }
}
