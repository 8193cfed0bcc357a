//! Instruments of a benchmark: a clock and a memory counter.
//!
//! The counter counts the bytes requested from the allocator, using `peakmem-alloc` if the program has installed it
//! (`main.rs` does). Otherwise no memory is reported, because any number would be a guess. Allocations of all threads
//! count, so the reported memory includes memory that other threads allocate at the same time.

use std::time::{Duration, Instant};

use peakmem_alloc::{INSTRUMENTED_SYSTEM, PeakMemAllocTrait};

/// A clock and a memory counter; tests supply their own.
pub trait Instruments: Sync {
    /// Time since a fixed moment; never decreases.
    fn now(&self) -> Duration;
    /// Starts to track the peak memory above the current level.
    fn watch_memory(&self);
    /// Peak memory in bytes above the level at the last call of [`watch_memory`](Self::watch_memory); `None` if memory
    /// is not counted.
    fn peak_bytes(&self) -> Option<usize>;
}

/// The instruments of a real benchmark: the machine's clock and the program's allocator.
pub struct Machine {
    start: Instant,
    counts_memory: bool,
}

impl Machine {
    /// The clock, started now, and the memory counter of this process.
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

/// Whether the program has installed the counting allocator. The function allocates a large block to find out.
fn counts_memory() -> bool {
    const BLOCK: usize = 1 << 20;
    INSTRUMENTED_SYSTEM.reset_peak_memory();
    drop(std::hint::black_box(Vec::<u8>::with_capacity(std::hint::black_box(BLOCK))));
    INSTRUMENTED_SYSTEM.get_peak_memory() >= BLOCK / 2
}

/// Sums the time of the measured parts of a run, and records the peak memory up to the end of the last part.
pub struct Stopwatch<'a> {
    instruments: &'a dyn Instruments,
    total: Duration,
    peak_bytes: Option<usize>,
}

impl<'a> Stopwatch<'a> {
    /// A stopwatch at 0, which starts to track the peak memory.
    pub fn new(instruments: &'a dyn Instruments) -> Self {
        instruments.watch_memory();
        Self { instruments, total: Duration::ZERO, peak_bytes: None }
    }

    /// Runs `work` and adds its duration to the measured time.
    pub fn time<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let begun = self.instruments.now();
        let made = work();
        self.total += self.instruments.now().saturating_sub(begun);
        self.peak_bytes = self.instruments.peak_bytes();
        made
    }

    /// Total measured time in seconds.
    pub fn seconds(&self) -> f64 {
        self.total.as_secs_f64()
    }

    /// Peak memory above the level at the creation of the stopwatch, up to the end of the last measured work; `None` if
    /// memory is not counted.
    pub fn peak_bytes(&self) -> Option<usize> {
        self.peak_bytes
    }
}
