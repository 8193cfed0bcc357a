//! Threads that compute patches. Of what is asked for, the newest list counts; what was asked for before and has not
//! begun is forgotten, and what belongs to an older tree surface is given up.

use std::collections::HashSet;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::super::tree_surface::TreeSurface;
use super::patch::TilePatch;
use super::quadtree::TileKey;

/// A patch to be computed.
#[derive(Clone)]
pub struct TileJob {
    pub tree_surface: Arc<TreeSurface>,
    pub key: TileKey,
    pub parent: Option<Arc<TilePatch>>,
}

#[derive(Default)]
struct PoolState {
    /// The most urgent last.
    jobs: Vec<TileJob>,
    running: HashSet<(u64, TileKey)>,
    done: Vec<TilePatch>,
    /// The tree surface that counts.
    serial: u64,
    is_over: bool,
}

#[derive(Default)]
struct PoolShared {
    state: Mutex<PoolState>,
    wake: Condvar,
}

impl PoolShared {
    fn state(&self) -> MutexGuard<'_, PoolState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// See the module. Its threads end when it is dropped.
pub struct Pool {
    shared: Arc<PoolShared>,
}

impl Pool {
    /// Patches have so many quads along a side.
    pub fn new(quads: usize, threads: usize) -> Self {
        let shared = Arc::new(PoolShared::default());
        for k in 0..threads {
            let shared = shared.clone();
            let thread = std::thread::Builder::new().name(format!("talweg-patch-{k}"));
            // with fewer threads it takes longer; without any the grid stays on screen
            let _ = thread.spawn(move || work(&shared, quads));
        }
        Self { shared }
    }

    /// What shall be computed now, the most urgent first, in place of what was asked for before.
    pub fn ask(&self, serial: u64, jobs: impl DoubleEndedIterator<Item = TileJob>) {
        let mut state = self.shared.state();
        state.serial = serial;
        state.jobs.clear();
        let running = std::mem::take(&mut state.running);
        state.jobs.extend(jobs.rev().filter(|job| !running.contains(&(job.tree_surface.serial, job.key))));
        state.running = running;
        if !state.jobs.is_empty() {
            self.shared.wake.notify_all();
        }
    }

    /// What was finished since the last time.
    pub fn take(&self) -> Vec<TilePatch> {
        let mut state = self.shared.state();
        let done = std::mem::take(&mut state.done);
        for patch in &done {
            state.running.remove(&(patch.serial, patch.key));
        }
        done
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.state().is_over = true;
        self.shared.wake.notify_all();
    }
}

fn work(shared: &PoolShared, quads: usize) {
    loop {
        let job = {
            let mut state = shared.state();
            loop {
                if state.is_over {
                    return;
                }
                if let Some(job) = state.jobs.pop() {
                    state.running.insert((job.tree_surface.serial, job.key));
                    break job;
                }
                state = shared.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        };
        let serial = job.tree_surface.serial;
        let stop = || {
            let state = shared.state();
            state.is_over || state.serial != serial
        };
        let made = TilePatch::new(&job.tree_surface, job.key, quads, job.parent.as_deref(), stop);
        let mut state = shared.state();
        match made {
            Some(patch) => state.done.push(patch),
            None => {
                state.running.remove(&(serial, job.key));
            }
        }
    }
}
