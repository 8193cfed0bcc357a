//! The scan of an open grid: blocks of eight rows, with four cells processed at a time.
//!
//! Scheme: the rows of a block advance together, each [`LAG`] columns behind the row before. A block is processed in a
//! private window, in which the rows of the block are shifted against each other. Entry σ of the window holds the cells
//! (r, σ - r·LAG) of all rows r. Row -1 is the last row of the block before, and row 8 the first row of the block
//! after. So the cells of a step form a vector, and so do their neighbours in each direction. The window moves along
//! the block. Cells that enter the window come from the scanned process or from the block before. Cells that leave the
//! window are written to the outputs, except in the last two rows, whose cells are passed to the block after.
//! Boundary: beyond the grid there are walls, which are never lower than a neighbour and give no material.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use glam::{Mat4, Vec4};

use super::lanes::{FirstLowest, LaneValue, Neighbourhood, Offset};
use super::{BlockProgress, ScanLaw, ScanRow};
use crate::Context;
use talweg_ground::field::Cancelled;

/// Number of rows in a block.
const ROWS: usize = 8;
/// Position of row -1 in an entry of the window. With this position rows 1 to 8, which are loaded, fill two whole
/// vectors.
const NORTH: usize = 2;
/// Number of columns that a row lags behind the row before. It is the smallest lag at which the cells of a step have no
/// neighbour in common. A larger lag would give stored vectors time to leave the store buffer before a load at another
/// offset, but measurements show no gain.
const LAG: usize = 3;
/// Number of steps of the scan between two moves of the window.
const STRIDE: usize = 32;
/// Number of entries before and after the entry of a step that the step reads.
const REACH: usize = LAG + 1;
const SPAN: usize = STRIDE + 2 * REACH;
/// Number of cells that the grid must have for each additional thread.
const CELLS_PER_THREAD: usize = 8 * 1024;

/// The cells (r, σ - r·LAG), each at position NORTH + 1 + r. The entry has its own cache line.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Skewed([f32; 16]);

type OpenWindow<const P: usize> = [[Skewed; P]; SPAN];

/// Working memory of a thread.
struct ThreadBuffers<const P: usize> {
    window: OpenWindow<P>,
    /// Rows 1 to 8 of the cells that enter the window next.
    rows: [[[f32; STRIDE]; ROWS]; P],
}

/// Data passed from block to block.
#[derive(Default)]
pub struct Blocks {
    /// For several blocks, the values of the last row of the block and of the row after it.
    lines: Vec<AtomicU32>,
    progress: Vec<BlockProgress>,
}

impl Blocks {
    /// Scans an open grid once, as [`InPlaceScan::run`](super::InPlaceScan::run) describes.
    pub fn run<'o, const P: usize, const K: usize, L, Out, F>(
        &mut self,
        cx: &Context,
        law: &L,
        outs: impl Iterator<Item = ScanRow<'o, K, Out>> + Send,
        finish: F,
    ) -> Result<(), Cancelled>
    where
        L: ScanLaw<P>,
        Out: Send,
        F: Fn(usize, ScanRow<K, Out>) + Sync,
    {
        let side = cx.grid.distinct_side();
        let threads = rayon::current_num_threads().min(1 + side * side / CELLS_PER_THREAD);
        // block k is finished before block k + `threads` starts
        let slots = threads + 1;
        self.lines.resize_with(slots * P * 2 * side, AtomicU32::default);
        self.progress.clear();
        // the last block has fewer rows, or none, so it passes no rows to another block
        self.progress.resize_with(side / ROWS + 1, BlockProgress::default);
        let scan = OpenScan {
            side,
            slots,
            law,
            lines: &self.lines,
            progress: &self.progress,
            stopped: AtomicBool::new(false),
        };
        let rest = Mutex::new((0, outs));
        let work = || {
            let mut desk = ThreadBuffers { window: [[Skewed([0.0; 16]); P]; SPAN], rows: [[[0.0; STRIDE]; ROWS]; P] };
            while let Some((block, mut outs)) = scan.claim(&rest) {
                if cx.control.is_cancelled() {
                    scan.stopped.store(true, Ordering::Relaxed);
                }
                if scan.advance(block, &mut desk, &mut outs).is_none() {
                    return;
                }
                let first = (block * ROWS).saturating_sub(1);
                outs.into_iter().enumerate().for_each(|(k, out)| finish(first + k, out));
            }
        };
        if threads == 1 {
            work();
        } else {
            rayon::scope(|scope| (0..threads).for_each(|_| scope.spawn(|_| work())));
        }
        if scan.stopped.load(Ordering::Relaxed) { Err(Cancelled) } else { Ok(()) }
    }
}

/// The shared state of a scan in progress.
struct OpenScan<'a, L, const P: usize> {
    /// Number of rows of the grid, which is also the number of columns.
    side: usize,
    /// Number of blocks that fit in `lines`.
    slots: usize,
    law: &'a L,
    lines: &'a [AtomicU32],
    progress: &'a [BlockProgress],
    stopped: AtomicBool,
}

impl<L: ScanLaw<P>, const P: usize> OpenScan<'_, L, P> {
    /// Claims the next block, with the outputs of the rows that it finishes: the last row of the block before, and all
    /// of its own rows but the last.
    fn claim<'o, const K: usize, Out>(
        &self,
        rest: &Mutex<(usize, impl Iterator<Item = ScanRow<'o, K, Out>>)>,
    ) -> Option<(usize, Vec<ScanRow<'o, K, Out>>)> {
        let mut rest = rest.lock().ok()?;
        let block = rest.0;
        if block == self.progress.len() {
            return None;
        }
        rest.0 += 1;
        let rows = if block == 0 { ROWS - 1 } else { ROWS };
        Some((block, rest.1.by_ref().take(rows).collect()))
    }

    /// Processes all cells of a block. Returns `None` if the scan was stopped.
    fn advance<const K: usize, Out>(
        &self,
        block: usize,
        desk: &mut ThreadBuffers<P>,
        outs: &mut [ScanRow<K, Out>],
    ) -> Option<()> {
        let rows = ROWS.min(self.side - block * ROWS);
        desk.window.fill(L::WALL.map(|wall| Skewed([wall; 16])));
        let worked_on = if rows > 0 { self.side + (rows - 1) * LAG } else { 0 };
        let end = (self.side + rows * LAG + REACH) as isize;
        // the first iteration only fills the window
        let mut from = -(STRIDE as isize);
        loop {
            self.enter(block, from + REACH as isize, desk)?;
            if (0..worked_on as isize).contains(&from) {
                stride(self.law, &mut desk.window);
            }
            self.leave(block, from - REACH as isize, &desk.window, outs);
            from += STRIDE as isize;
            if from >= end {
                return Some(());
            }
            desk.window.copy_within(STRIDE.., 0);
        }
    }

    /// Fills the end of the window, starting at entry σ = `first`, with the values that the cells have before the block
    /// is processed.
    fn enter(&self, block: usize, first: isize, desk: &mut ThreadBuffers<P>) -> Option<()> {
        let ThreadBuffers { window, rows } = desk;
        if block > 0 {
            self.progress[block - 1]
                .wait((first + STRIDE as isize).clamp(0, self.side as isize) as usize, &self.stopped)?;
        } else if self.stopped.load(Ordering::Relaxed) {
            return None;
        }
        self.load_from_previous_block(block, first, window);
        for r in 1..=ROWS {
            let (column, inside) = self.columns(first, r + 1);
            let row = block * ROWS + r;
            let mut cells = rows.each_mut().map(|rows| &mut rows[r - 1][..]);
            if row < self.side && inside.len() == STRIDE {
                // this branch has a length known at compile time
                self.law.load(row, column, cells);
                continue;
            }
            cells.iter_mut().zip(L::WALL).for_each(|(cells, wall)| cells.fill(wall));
            if row < self.side && !inside.is_empty() {
                self.law.load(row, column, cells.map(|cells| &mut cells[inside.clone()]));
            }
        }
        for (p, rows) in rows[..L::LOADED].iter().enumerate() {
            for (group, rows) in rows.as_chunks::<4>().0.iter().enumerate() {
                for k in (0..STRIDE).step_by(4) {
                    let cells = transposed(|row| Vec4::from_slice(&rows[row][k..]));
                    for j in 0..4 {
                        cells.col(j).write_to_slice(&mut window[2 * REACH + k + j][p].0[NORTH + 2 + 4 * group..]);
                    }
                }
            }
        }
        Some(())
    }

    /// Fills the end of the window in rows -1 and 0 with values that the previous block left. For the first block, row
    /// -1 is a wall and row 0 holds unprocessed cells.
    fn load_from_previous_block(&self, block: usize, first: isize, window: &mut OpenWindow<P>) {
        for r in [0, 1] {
            let (column, inside) = self.columns(first, r);
            let entries = &mut window[2 * REACH..];
            if block == 0 || inside.len() < STRIDE {
                let wall = |entry: &mut [Skewed; P]| (0..P).for_each(|p| entry[p].0[NORTH + r] = L::WALL[p]);
                entries.iter_mut().for_each(wall);
            }
            let entries = &mut entries[inside];
            if block > 0 {
                for p in 0..L::LOADED {
                    let line = &self.line(block - 1, p, r)[column..][..entries.len()];
                    for (entry, bits) in entries.iter_mut().zip(line) {
                        entry[p].0[NORTH + r] = f32::from_bits(bits.load(Ordering::Relaxed));
                    }
                }
            } else if r == 1 {
                let mut cells = [[0.0; STRIDE]; P];
                self.law.load(0, column, cells.each_mut().map(|cells| &mut cells[..entries.len()]));
                for (k, entry) in entries.iter_mut().enumerate() {
                    (0..P).for_each(|p| entry[p].0[NORTH + r] = cells[p][k]);
                }
            }
        }
    }

    /// Writes out the start of the window, starting at entry σ = `first`, with the values that the cells have after the
    /// block was processed.
    fn leave<const K: usize, Out>(
        &self,
        block: usize,
        first: isize,
        window: &OpenWindow<P>,
        outs: &mut [ScanRow<K, Out>],
    ) {
        // the northernmost block has no row before it
        let without = if block == 0 { 1 } else { 0 };
        for kept in 0..K {
            let mut rows = [[0.0; STRIDE]; ROWS];
            for (group, rows) in rows.as_chunks_mut::<4>().0.iter_mut().enumerate() {
                for k in (0..STRIDE).step_by(4) {
                    let cells = transposed(|j| Vec4::from_slice(&window[k + j][L::KEPT + kept].0[NORTH + 4 * group..]));
                    for (j, row) in rows.iter_mut().enumerate() {
                        cells.col(j).write_to_slice(&mut row[k..]);
                    }
                }
            }
            if block > 0 && L::KEPT + kept >= L::LOADED {
                // these values of the last row of the block before were not loaded into the window
                let (column, inside) = self.columns(first, 0);
                let line = &self.line(block - 1, L::KEPT + kept, 0)[column..];
                for (cell, bits) in rows[0][inside].iter_mut().zip(line) {
                    *cell = f32::from_bits(bits.load(Ordering::Relaxed));
                }
            }
            for (place, out) in (without..ROWS).zip(outs.iter_mut()) {
                let (column, inside) = self.columns(first, place);
                let out = &mut out.kept[kept][column..];
                match out.first_chunk_mut() {
                    // this branch has a length known at compile time
                    Some(out) if inside.len() == STRIDE => *out = rows[place],
                    _ => out[..inside.len()].copy_from_slice(&rows[place][inside]),
                }
            }
        }
        if block + 1 < self.progress.len() {
            for place in [ROWS, ROWS + 1] {
                let (column, inside) = self.columns(first, place);
                // the row after the block has only its loaded values so far
                for p in 0..if place == ROWS { P } else { L::LOADED } {
                    let line = &self.line(block, p, place - ROWS)[column..][..inside.len()];
                    for (bits, entry) in line.iter().zip(&window[inside.clone()]) {
                        bits.store(entry[p].0[NORTH + place].to_bits(), Ordering::Relaxed);
                    }
                }
            }
            let done = first + STRIDE as isize - (ROWS * LAG) as isize;
            self.progress[block].0.store(done.clamp(0, self.side as isize) as usize, Ordering::Release);
        }
    }

    /// The range of the [`STRIDE`] entries starting at σ = `first` that hold a cell of the row at `place`, and the
    /// column of the first of these cells.
    fn columns(&self, first: isize, place: usize) -> (usize, Range<usize>) {
        let column = first + LAG as isize - (place * LAG) as isize;
        let side = self.side as isize;
        let inside = (-column).clamp(0, STRIDE as isize)..(side - column).clamp(0, STRIDE as isize);
        let inside = inside.start as usize..inside.end.max(inside.start) as usize;
        (column.clamp(0, side) as usize, inside)
    }

    /// The line in which `block` passes on value `p` of its last row, or of the row after it.
    fn line(&self, block: usize, p: usize, row: usize) -> &[AtomicU32] {
        &self.lines[((block % self.slots * P + p) * 2 + row) * self.side..][..self.side]
    }
}

/// Four rows of four values as a transposed matrix.
#[inline(always)]
fn transposed(row: impl Fn(usize) -> Vec4) -> Mat4 {
    Mat4::from_cols(row(0), row(1), row(2), row(3)).transpose()
}

/// Processes the cells of [`STRIDE`] consecutive steps.
#[inline(never)]
fn stride<const P: usize>(law: &impl ScanLaw<P>, window: &mut OpenWindow<P>) {
    for step in 0..STRIDE {
        law.visit(&mut FourNeighbourhoods { window, entry: step + REACH, place: NORTH + 1 });
        law.visit(&mut FourNeighbourhoods { window, entry: step + REACH, place: NORTH + 5 });
    }
}

/// Four cells that a step processes, in four rows starting at `place`, with their neighbours.
struct FourNeighbourhoods<'a, const P: usize> {
    window: &'a mut OpenWindow<P>,
    entry: usize,
    place: usize,
}

impl<const P: usize> FourNeighbourhoods<'_, P> {
    /// Entry of the window that holds a neighbour, and the neighbour's position in the entry.
    #[inline(always)]
    fn entry_and_place(&self, (south, east): Offset) -> (usize, usize) {
        ((self.entry as isize + east + LAG as isize * south) as usize, (self.place as isize + south) as usize)
    }
}

impl<const P: usize> Neighbourhood for FourNeighbourhoods<'_, P> {
    type Value = Vec4;

    #[inline(always)]
    fn get(&self, p: usize, place: Offset) -> Vec4 {
        let (entry, place) = self.entry_and_place(place);
        Vec4::from_slice(&self.window[entry][p].0[place..])
    }

    #[inline(always)]
    fn set(&mut self, p: usize, place: Offset, value: Vec4) {
        let (entry, place) = self.entry_and_place(place);
        value.write_to_slice(&mut self.window[entry][p].0[place..]);
    }

    /// All other neighbours lose +0, which keeps their bits, including the sign of zero.
    #[inline(always)]
    fn lower_lowest(&mut self, p: usize, places: [Offset; 4], lowest: &FirstLowest<Vec4>, amount: Vec4) {
        let (first, last) = (amount.except(lowest.last), amount.only(lowest.last));
        let parts = [
            first.except(lowest.second),
            first.only(lowest.second),
            last.except(lowest.fourth),
            last.only(lowest.fourth),
        ];
        for k in 0..4 {
            self.set(p, places[k], self.get(p, places[k]) - parts[k]);
        }
    }
}
