//! Key frames of processes, in a byte budget, with deterministic replay between them.
//!
//! Key frames stand at multiples of a stride. When the budget is full, whole timelines that were not used lately go
//! first; then the stride of the present one doubles and every other frame is dropped. Beside the key frames each
//! timeline keeps its run where it stopped, so going on costs nothing.

use std::collections::BTreeMap;

use super::Key;
use crate::nodes::Run;

struct Track {
    key: Key,
    stride: u32,
    frames: BTreeMap<u32, Box<dyn Run>>,
    parked: Option<(u32, Box<dyn Run>)>,
}

impl Track {
    fn bytes(&self) -> usize {
        let parked = self.parked.iter().map(|(_, run)| run.bytes());
        parked.chain(self.frames.values().map(|run| run.bytes())).sum()
    }

    fn thin(&mut self) {
        self.stride = self.stride.saturating_mul(2);
        let stride = self.stride;
        self.frames.retain(|iteration, _| iteration.is_multiple_of(stride));
    }
}

/// See the module.
pub struct Timeline {
    /// The most recently used last.
    tracks: Vec<Track>,
    budget: usize,
}

/// Timelines remembered at once; each keeps one parked run beside its key frames.
const MAX_TRACKS: usize = 4;

impl Default for Timeline {
    fn default() -> Self {
        Self::new(Self::DEFAULT_BYTES)
    }
}

impl Timeline {
    pub const DEFAULT_BYTES: usize = 768 << 20;

    /// A budget of 0 keeps nothing at all.
    pub fn new(budget: usize) -> Self {
        Self { tracks: Vec::new(), budget }
    }

    /// Iterations of the key frames of `key`.
    pub fn frames(&self, key: Key) -> Vec<u32> {
        self.tracks.iter().filter(|t| t.key == key).flat_map(|t| t.frames.keys().copied()).collect()
    }

    /// Memory held by key frames and runs that stand still.
    pub fn bytes(&self) -> usize {
        self.tracks.iter().map(Track::bytes).sum()
    }

    /// The latest known state of `key` at or before `target`.
    pub fn resume(&mut self, key: Key, target: u32) -> Option<(u32, Box<dyn Run>)> {
        let track = self.touch(key)?;
        let frame = track.frames.range(..=target).next_back().map(|(&at, _)| at);
        match track.parked.take() {
            Some((at, run)) if at <= target && Some(at) >= frame => Some((at, run)),
            other => {
                track.parked = other;
                frame.map(|at| (at, track.frames[&at].snapshot()))
            }
        }
    }

    /// Keeps `run` as the place where this timeline stopped.
    pub fn park(&mut self, key: Key, iteration: u32, run: Box<dyn Run>) {
        let Some(track) = self.touch(key) else { return };
        track.parked = Some((iteration, run));
        while self.bytes() > self.budget {
            match self.tracks.as_mut_slice() {
                [only] if only.frames.is_empty() => return,
                [only] => only.thin(),
                _ => drop(self.tracks.remove(0)),
            }
        }
    }

    /// Keeps a snapshot of `run` if it stands on the stride.
    pub fn offer(&mut self, key: Key, iteration: u32, run: &dyn Run) {
        let Some(track) = self.touch(key) else { return };
        if !iteration.is_multiple_of(track.stride) || track.frames.contains_key(&iteration) {
            return;
        }
        let size = run.bytes();
        if size > self.budget {
            return; // not even one frame fits
        }
        while self.bytes() + size > self.budget {
            if self.tracks.len() > 1 {
                self.tracks.remove(0);
            } else if self.tracks[0].frames.is_empty() {
                return; // the run that stands here takes it all
            } else {
                self.tracks[0].thin();
            }
        }
        let track = self.tracks.last_mut().expect("touched above");
        if iteration.is_multiple_of(track.stride) {
            track.frames.insert(iteration, run.snapshot());
        }
    }

    fn touch(&mut self, key: Key) -> Option<&mut Track> {
        if self.budget == 0 {
            return None;
        }
        let track = match self.tracks.iter().position(|t| t.key == key) {
            Some(at) => self.tracks.remove(at),
            None => {
                if self.tracks.len() == MAX_TRACKS {
                    self.tracks.remove(0);
                }
                Track { key, stride: 1, frames: BTreeMap::new(), parked: None }
            }
        };
        self.tracks.push(track);
        self.tracks.last_mut()
    }
}
