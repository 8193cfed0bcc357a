//! Key frames of processes within a byte budget, with deterministic replay between them.
//!
//! Key frames are at iterations that are multiples of a stride. When the budget is full, the states of the least
//! recently used timelines are dropped first. Then the stride of the current timeline doubles and every other frame is
//! dropped. Each timeline also keeps the run at the iteration where it stopped, so that the process continues from
//! there without replay. It also keeps the mass balance of every iteration.

use std::collections::BTreeMap;

use super::ContentKey;
use crate::field::Terrain;
use crate::measure::Slopes;
use crate::nodes::{MassBalance, Run};

struct Track {
    key: ContentKey,
    stride: u32,
    frames: BTreeMap<u32, Box<dyn Run>>,
    parked: Option<(u32, Box<dyn Run>)>,
    /// Statistics after each iteration.
    notes: BTreeMap<u32, Note>,
}

/// Statistics of a process after an iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Note {
    /// The mass balance since the first iteration.
    pub mass_balance: MassBalance,
    /// Slope statistics, if the slopes were measured.
    pub slopes: Option<Slopes>,
}

impl Track {
    fn bytes(&self) -> usize {
        let parked = self.parked.iter().map(|(_, run)| run.bytes());
        let runs: usize = parked.chain(self.frames.values().map(|run| run.bytes())).sum();
        runs + self.notes.len() * size_of::<Note>()
    }

    /// Drops the states and keeps the statistics; returns false if there were no states.
    fn forget_states(&mut self) -> bool {
        let had_any = self.parked.take().is_some() || !self.frames.is_empty();
        self.frames.clear();
        had_any
    }

    fn thin(&mut self) {
        self.stride = self.stride.saturating_mul(2);
        let stride = self.stride;
        self.frames.retain(|iteration, _| iteration.is_multiple_of(stride));
    }
}

/// Key frames of several processes.
pub struct Timeline {
    /// Timelines, the most recently used last.
    tracks: Vec<Track>,
    budget: usize,
}

/// Maximum number of timelines. A process has one timeline on each grid for every set of parameters. Each timeline
/// keeps one parked run in addition to its key frames.
const MAX_TRACKS: usize = 32;

impl Default for Timeline {
    fn default() -> Self {
        Self::new(Self::DEFAULT_BYTES)
    }
}

impl Timeline {
    /// Default memory for key frames: 768 MiB.
    pub const DEFAULT_BYTES: usize = 768 << 20;

    /// An empty store of timelines with this budget in bytes; a store with budget 0 keeps no states and no statistics.
    pub fn new(budget: usize) -> Self {
        Self { tracks: Vec::new(), budget }
    }

    /// Whether the budget allows any key frames.
    pub fn is_kept(&self) -> bool {
        self.budget > 0
    }

    /// The statistics after the iterations of the timeline `key`, in order.
    pub fn notes(&self, key: ContentKey) -> impl Iterator<Item = (u32, Note)> {
        self.tracks.iter().filter(move |t| t.key == key).flat_map(|t| t.notes.iter().map(|(&at, &note)| (at, note)))
    }

    /// The key frames of the timeline `key`: the iteration and the terrain of each.
    pub fn terrains(&self, key: ContentKey) -> impl Iterator<Item = (u32, &Terrain)> {
        let track = self.tracks.iter().find(|t| t.key == key);
        track.into_iter().flat_map(|t| {
            let parked = t.parked.iter().map(|(at, run)| (*at, run.terrain()));
            t.frames.iter().map(|(&at, run)| (at, run.terrain())).chain(parked)
        })
    }

    /// Records the mass balance of the timeline `key` after an iteration.
    pub fn record(&mut self, key: ContentKey, iteration: u32, mass_balance: MassBalance) {
        if let Some(track) = self.touch(key) {
            track.notes.entry(iteration).or_default().mass_balance = mass_balance;
        }
    }

    /// Records the slopes of the terrain in the timeline `key` after an iteration.
    pub fn note_slopes(&mut self, key: ContentKey, iteration: u32, slopes: Slopes) {
        if let Some(track) = self.touch(key) {
            track.notes.entry(iteration).or_default().slopes = Some(slopes);
        }
    }

    /// Memory of key frames and parked runs, in bytes.
    pub fn bytes(&self) -> usize {
        self.tracks.iter().map(Track::bytes).sum()
    }

    /// Returns the latest known state of `key` at or before the iteration `target`. If there is no such state, returns
    /// any other run of `key` that can be reset to iteration 0.
    pub fn resume(&mut self, key: ContentKey, target: u32) -> Option<(u32, Box<dyn Run>)> {
        let track = self.touch(key)?;
        let frame = track.frames.range(..=target).next_back().map(|(&at, _)| at);
        match track.parked.take() {
            Some((at, run)) if at <= target && Some(at) >= frame => Some((at, run)),
            other => {
                track.parked = other;
                let frame = frame.map(|at| (at, track.frames[&at].snapshot()));
                frame.or_else(|| {
                    let later = track.parked.as_ref().map(|(_, run)| run).or_else(|| track.frames.values().next());
                    let mut run = later?.snapshot();
                    run.jump(0).then_some((0, run))
                })
            }
        }
    }

    /// Stores `run` as the state at which the timeline `key` stopped.
    pub fn park(&mut self, key: ContentKey, iteration: u32, run: Box<dyn Run>) {
        let Some(track) = self.touch(key) else { return };
        track.parked = Some((iteration, run));
        while self.bytes() > self.budget && self.make_room() {}
    }

    /// Drops the states of the least recently used timeline, or every other key frame of the current timeline. Returns
    /// false if only the parked run is left.
    fn make_room(&mut self) -> bool {
        let Some((present, others)) = self.tracks.split_last_mut() else { return false };
        if others.iter_mut().any(Track::forget_states) {
            return true;
        }
        let has_frames = !present.frames.is_empty();
        if has_frames {
            present.thin();
        }
        has_frames
    }

    /// Keeps a snapshot of `run` if `iteration` is a multiple of the stride.
    pub fn maybe_keep(&mut self, key: ContentKey, iteration: u32, run: &dyn Run) {
        let Some(track) = self.touch(key) else { return };
        if !iteration.is_multiple_of(track.stride) || track.frames.contains_key(&iteration) {
            return;
        }
        let size = run.bytes();
        if size > self.budget {
            return; // the budget is too small for even one frame
        }
        while self.bytes() + size > self.budget {
            if !self.make_room() {
                return; // the parked run uses the whole budget
            }
        }
        let track = self.tracks.last_mut().expect("touched above");
        if iteration.is_multiple_of(track.stride) {
            track.frames.insert(iteration, run.snapshot());
        }
    }

    fn touch(&mut self, key: ContentKey) -> Option<&mut Track> {
        if self.budget == 0 {
            return None;
        }
        let track = match self.tracks.iter().position(|t| t.key == key) {
            Some(at) => self.tracks.remove(at),
            None => {
                if self.tracks.len() == MAX_TRACKS {
                    self.tracks.remove(0);
                }
                Track { key, stride: 1, frames: BTreeMap::new(), parked: None, notes: BTreeMap::new() }
            }
        };
        self.tracks.push(track);
        self.tracks.last_mut()
    }
}
