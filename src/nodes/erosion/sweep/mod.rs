//! In-place scans: each cell in reading order reads the changes of the cells before it. The scans use all threads and
//! produce the same bits for any number of threads.
//!
//! Order: on an open grid row by row from the north, each row from the west. On a wrapping grid row i starts at column
//! 2i (modulo the distinct columns) and runs once around the terrain. If every row started at column 0, its first cell
//! would have to wait for the last cell of the row before, and no two rows could be processed at once.
//! Scheme: a wavefront. The stencil radius is one cell, so a row can follow the row before at a distance of a few cells
//! and still reads exactly the state of a sequential scan. Blocks of eight rows advance together; threads take blocks
//! in order and wait until the block before is far enough ahead. An open grid is processed in vectors ([`mod@open`]), a
//! wrapping grid cell by cell ([`mod@wrap`]).
//! Boundary: beyond an open edge there are walls; a wrapping grid continues on the other side.
//! Squares only: the bits of a scan depend on its single reading order. On a globe three faces meet at each corner, so
//! no reading order lets every row follow the row before. On planets the reference forms ([`gather`](super::gather))
//! replace the scans.

pub(super) mod lanes;
mod open;
mod wrap;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::Context;
use lanes::Neighbourhood;
use open::Blocks;
use talweg_ground::field::{Cancelled, Edges};
use wrap::WrapRows;

/// The equations of a scan over cells with `P` values each.
pub trait ScanLaw<const P: usize>: Sync {
    /// Index of the first value that is kept after the scan.
    const KEPT: usize;
    /// Number of values of each cell that are loaded before the scan; these are the first values of a cell.
    const LOADED: usize;
    /// Values of a wall: a wall is never the lower neighbour of a cell, and gives nothing.
    const WALL: [f32; P];

    /// Loads the initial values of consecutive cells of a row, starting at `column`.
    fn load(&self, row: usize, column: usize, cells: [&mut [f32]; P]);
    /// Processes the cells at the centre of the neighbourhood `around`.
    fn visit<A: Neighbourhood>(&self, around: &mut A);
}

/// Number of finished cells in the last row of a block. The counter has its own cache line.
#[derive(Default)]
#[repr(align(128))]
pub struct BlockProgress(pub AtomicUsize);

impl BlockProgress {
    /// Waits until at least `count` cells are finished. Returns `None` if the scan was stopped.
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

/// Output of a row: the slices for the `K` kept values of its cells, and other data needed to finish the row.
pub struct ScanRow<'a, const K: usize, Out> {
    pub kept: [&'a mut [f32]; K],
    pub out: Out,
}

/// Memory that one scan leaves for the next scan to reuse.
#[derive(Default)]
pub struct InPlaceScan<const P: usize> {
    blocks: Blocks,
    rows: WrapRows<P>,
}

impl<const P: usize> InPlaceScan<P> {
    /// Scans the grid once. `outs` holds the outputs of the rows, in order. `finish` gets each row as soon as its cells
    /// can no longer change.
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
