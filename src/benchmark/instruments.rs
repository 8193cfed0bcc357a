//! What a benchmark reads: a clock and the memory that is taken.
//!
//! Bytes are those that the program asks its allocator for, counted by `peakmem-alloc` where the program has installed
//! it (`main.rs` does); otherwise there is no figure, rather than a guess. Every thread counts: what others allocate
//! meanwhile is in the figure.

use std::time::{Duration, Instant};

use peakmem_alloc::{INSTRUMENTED_SYSTEM, PeakMemAllocTrait};

/// A clock and a meter of memory; tests bring their own.
pub trait Instruments: Sync {
    /// Time since some fixed moment; never goes back.
    fn now(&self) -> Duration;
    /// Begins to watch how much more memory is taken than at this moment.
    fn watch_memory(&self);
    /// Most bytes taken at once since then, beyond those that were; `None` if nobody counts.
    fn peak_bytes(&self) -> Option<usize>;
}

/// The machine's clock and the program's own allocator.
pub struct Machine {
    start: Instant,
    counts_memory: bool,
}

impl Machine {
    /// The clock and the memory of this process, from now on.
    pub fn new() -> Self {
        Self { start: Instant::now(), counts_memory: counts_memory() }
    }
}

impl Default for Machine {
    fn default() -> Self {
        Self::new()
    }
}

impl Instruments for Machine {
    fn now(&self) -> Duration {
        self.start.elapsed()
    }

    fn watch_memory(&self) {
        INSTRUMENTED_SYSTEM.reset_peak_memory();
    }

    fn peak_bytes(&self) -> Option<usize> {
        self.counts_memory.then(|| INSTRUMENTED_SYSTEM.get_peak_memory())
    }
}

/// Whether the program has installed the counting allocator: it would see a large block.
fn counts_memory() -> bool {
    const BLOCK: usize = 1 << 20;
    INSTRUMENTED_SYSTEM.reset_peak_memory();
    drop(std::hint::black_box(Vec::<u8>::with_capacity(std::hint::black_box(BLOCK))));
    INSTRUMENTED_SYSTEM.get_peak_memory() >= BLOCK / 2
}

/// Adds up the time of the part of a run that counts, and notes the memory up to its end.
pub struct Stopwatch<'a> {
    instruments: &'a dyn Instruments,
    total: Duration,
    peak_bytes: Option<usize>,
}

impl<'a> Stopwatch<'a> {
    /// A stopwatch that stands at 0; memory is watched from now on.
    pub fn new(instruments: &'a dyn Instruments) -> Self {
        instruments.watch_memory();
        Self { instruments, total: Duration::ZERO, peak_bytes: None }
    }

    /// Does `work` and counts the time it takes.
    pub fn time<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let begun = self.instruments.now();
        let made = work();
        self.total += self.instruments.now().saturating_sub(begun);
        self.peak_bytes = self.instruments.peak_bytes();
        made
    }

    /// Time that ran while it was on.
    pub fn seconds(&self) -> f64 {
        self.total.as_secs_f64()
    }

    /// Most memory taken at once since the watch was made, up to the end of the last work; `None` if nobody counts.
    pub fn peak_bytes(&self) -> Option<usize> {
        self.peak_bytes
    }
}
