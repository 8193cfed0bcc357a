//! Threads that compute tiles. Only the newest list of requests counts: earlier requests that have not started are
//! dropped, and running jobs of an older terrain are cancelled.

use std::collections::HashSet;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::{GroundTile, TileJob};
use crate::view::render::mesh::RenderQuality;

type KeyOf<J> = <<J as TileJob>::Tile as GroundTile>::Key;

struct PoolState<J: TileJob> {
    /// Pending jobs, with the most urgent job last.
    jobs: Vec<J>,
    running: HashSet<(u64, KeyOf<J>)>,
    done: Vec<(u64, J::Tile)>,
    /// Serial number of the current terrain.
    serial: u64,
    is_over: bool,
}

struct PoolShared<J: TileJob> {
    state: Mutex<PoolState<J>>,
    wake: Condvar,
}

impl<J: TileJob> PoolShared<J> {
    fn state(&self) -> MutexGuard<'_, PoolState<J>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A pool of threads; see the module documentation. The threads end when the pool is dropped.
pub struct Pool<J: TileJob> {
    shared: Arc<PoolShared<J>>,
}

impl<J: TileJob> Pool<J> {
    /// Starts one thread per processor, except for one processor that draws. For still images, every processor has a
    /// thread, because drawing waits for the tiles.
    pub fn new(quality: RenderQuality) -> Self {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        let drawing = usize::from(quality != RenderQuality::Still);
        let state =
            PoolState { jobs: Vec::new(), running: HashSet::new(), done: Vec::new(), serial: 0, is_over: false };
        let shared = Arc::new(PoolShared { state: Mutex::new(state), wake: Condvar::new() });
        for k in 0..cores.saturating_sub(drawing).clamp(1, 12) {
            let shared = shared.clone();
            let thread = std::thread::Builder::new().name(format!("talweg-tile-{k}"));
            // ignore the error: with fewer threads, tiles take longer; without any thread, the coarse surface stays on
            // screen
            let _ = thread.spawn(move || work(&shared));
        }
        Self { shared }
    }

    /// Replaces all pending requests by these jobs, with the most urgent job first.
    pub fn set_jobs(&self, serial: u64, jobs: impl DoubleEndedIterator<Item = J>) {
        let mut state = self.shared.state();
        state.serial = serial;
        state.jobs.clear();
        let running = std::mem::take(&mut state.running);
        state.jobs.extend(jobs.rev().filter(|job| !running.contains(&(job.serial(), job.key()))));
        state.running = running;
        if !state.jobs.is_empty() {
            self.shared.wake.notify_all();
        }
    }

    /// The tiles finished since the last call, each with the serial number of its terrain.
    pub fn take_finished(&self) -> Vec<(u64, J::Tile)> {
        let mut state = self.shared.state();
        let done = std::mem::take(&mut state.done);
        for (serial, tile) in &done {
            state.running.remove(&(*serial, tile.key()));
        }
        done
    }
}

impl<J: TileJob> Drop for Pool<J> {
    fn drop(&mut self) {
        self.shared.state().is_over = true;
        self.shared.wake.notify_all();
    }
}

fn work<J: TileJob>(shared: &PoolShared<J>) {
    loop {
        let job = {
            let mut state = shared.state();
            loop {
                if state.is_over {
                    return;
                }
                if let Some(job) = state.jobs.pop() {
                    state.running.insert((job.serial(), job.key()));
                    break job;
                }
                state = shared.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        };
        let (serial, key) = (job.serial(), job.key());
        let stop = || {
            let state = shared.state();
            state.is_over || state.serial != serial
        };
        let made = job.tile(&stop);
        // drop the reference to the terrain before another thread waits for the lock
        drop(job);
        let mut state = shared.state();
        match made {
            Some(tile) => state.done.push((serial, tile)),
            None => {
                state.running.remove(&(serial, key));
            }
        }
    }
}
