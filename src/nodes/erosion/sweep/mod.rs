//! In-place scans: cell after cell in reading order, each seeing what those before it left, and yet on all threads
//! and with the same bits for any number of them.
//!
//! Order: on an open grid row by row from the north, each row from the west. On a wrapping grid row i begins at column
//! 2i (modulo the distinct columns) and goes once around; were every row to begin at column 0, its first cell would
//! have to wait for the last cell of the row before, and no two rows could run at once.
//! Scheme: a wavefront. A cell reaches one cell around itself, so a row may follow the row before at a few cells'
//! distance and meets exactly the state that the scan in order would have left. Blocks of eight rows advance side by
//! side, and threads take blocks in order and wait until the block before is far enough ahead. An open grid is worked
//! on in vectors ([`mod@open`]), a wrapping one cell by cell ([`mod@wrap`]).
//! Boundary: beyond an open edge lie walls; a wrapping grid continues on the other side.
//! Squares only: a scan has one reading order and bits that depend on it. Six faces that meet at their borders, three
//! at a corner, have none in which every row could follow the row before. On planets the reference forms
//! ([`gather`](super::gather)) do this work.

pub(super) mod lanes;
mod open;
mod wrap;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::Context;
use lanes::Neighbourhood;
use open::Blocks;
use talweg_ground::field::{Cancelled, Edges};
use wrap::WrapRows;

/// What a scan does with its cells, which have `P` values each.
pub trait ScanLaw<const P: usize>: Sync {
    /// The first of the values that are wanted after the scan.
    const KEPT: usize;
    /// How many of the values, from the first on, cells have before they are worked on.
    const LOADED: usize;
    /// Values of a wall: a neighbour of none that is higher, and a cell that gives nothing.
    const WALL: [f32; P];

    /// Sets cells of a row from `column` on to what they are before the scan.
    fn load(&self, row: usize, column: usize, cells: [&mut [f32]; P]);
    /// Works on the cells in the middle of `around`.
    fn visit<A: Neighbourhood>(&self, around: &mut A);
}

/// How many cells of the last row of a block are done. Alone in its cache line.
#[derive(Default)]
#[repr(align(128))]
pub struct BlockProgress(pub AtomicUsize);

impl BlockProgress {
    /// Waits until `count` of them are; nothing if the scan was stopped.
    pub fn wait(&self, count: usize, stopped: &AtomicBool) -> Option<()> {
        let mut tries = 0u32;
        while self.0.load(Ordering::Acquire) < count {
            if stopped.load(Ordering::Relaxed) {
                return None;
            }
            tries += 1;
            if tries < 200 {
                std::hint::spin_loop();
            } else {
                std::thread::yield_now();
            }
        }
        if stopped.load(Ordering::Relaxed) { None } else { Some(()) }
    }
}

/// Where the `K` values of the cells of a row go that are wanted after the scan, and whatever else is needed to finish
/// it.
pub struct ScanRow<'a, const K: usize, Out> {
    pub kept: [&'a mut [f32]; K],
    pub out: Out,
}

/// What scans need from one to the next.
#[derive(Default)]
pub struct InPlaceScan<const P: usize> {
    blocks: Blocks,
    rows: WrapRows<P>,
}

impl<const P: usize> InPlaceScan<P> {
    /// Scans the grid once. `outs` gives where the rows go, in order; `finish` gets each row as soon as no cell of it
    /// can change any more.
    pub fn run<'o, const K: usize, L, Out, F>(
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
        cx.control.check()?;
        match cx.grid.edges {
            Edges::Open => self.blocks.run(cx, law, outs, finish),
            Edges::Wrap => self.rows.run(cx, law, outs, finish),
        }
    }
}
