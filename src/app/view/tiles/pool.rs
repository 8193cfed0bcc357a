//! Threads that compute tiles. Of what is asked for, the newest list counts; what was asked for before and has not
//! begun is forgotten, and what belongs to older ground is given up.

use std::collections::HashSet;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::{GroundTile, TileJob};
use crate::view::render::mesh::RenderQuality;

type KeyOf<J> = <<J as TileJob>::Tile as GroundTile>::Key;

struct PoolState<J: TileJob> {
    /// The most urgent last.
    jobs: Vec<J>,
    running: HashSet<(u64, KeyOf<J>)>,
    done: Vec<(u64, J::Tile)>,
    /// The ground that counts.
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

/// See the module. Its threads end when it is dropped.
pub struct Pool<J: TileJob> {
    shared: Arc<PoolShared<J>>,
}

impl<J: TileJob> Pool<J> {
    /// One thread for each processor but one, which draws; for all of them where a single picture is drawn, which waits
    /// for the tiles.
    pub fn new(quality: RenderQuality) -> Self {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        let drawing = usize::from(quality != RenderQuality::Still);
        let state =
            PoolState { jobs: Vec::new(), running: HashSet::new(), done: Vec::new(), serial: 0, is_over: false };
        let shared = Arc::new(PoolShared { state: Mutex::new(state), wake: Condvar::new() });
        for k in 0..cores.saturating_sub(drawing).clamp(1, 12) {
            let shared = shared.clone();
            let thread = std::thread::Builder::new().name(format!("talweg-tile-{k}"));
            // with fewer threads it takes longer; without any the coarse ground stays on screen
            let _ = thread.spawn(move || work(&shared));
        }
        Self { shared }
    }

    /// What shall be computed now, the most urgent first, in place of what was asked for before.
    pub fn ask(&self, serial: u64, jobs: impl DoubleEndedIterator<Item = J>) {
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

    /// What was finished since the last time, with the number of the ground it belongs to.
    pub fn take(&self) -> Vec<(u64, J::Tile)> {
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
        // the ground goes before anybody waits for the lock
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
