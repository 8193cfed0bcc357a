//! Playback of a process: play, pause, step, scrub.
//!
//! The playhead is on one process layer at a time. It stays on this layer while the user edits other layers. It leaves
//! the layer when the user plays, steps or scrubs another layer, or when it reaches the end.

use crate::frame::document::Document;
use talweg::eval::Playhead;
use talweg::field::MapKind;
use talweg::nodes::Node;
use talweg::scene::Layer;

/// Range of the speed slider, in iterations per second.
pub const SPEED_RANGE: (f32, f32) = (1.0, 240.0);

/// Position of the playhead and state of the playback.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transport {
    pub(crate) playing: bool,
    /// The process layer and iteration that are shown. With `None`, every process is shown at its end.
    pub(crate) playhead: Option<Playhead>,
    /// Speed of the playback in iterations per second; ignored if `unlimited` is set.
    pub speed: f32,
    /// Whether to play as fast as possible.
    pub unlimited: bool,
}

impl Default for Transport {
    fn default() -> Self {
        Self { playing: false, playhead: None, speed: 30.0, unlimited: false }
    }
}

impl Transport {
    pub fn is_playing(&self) -> bool {
        self.playing
    }

    pub fn playhead(&self) -> Option<Playhead> {
        self.playhead
    }

    pub(crate) fn pause(&mut self) {
        self.playing = false;
    }

    pub(crate) fn put_away(&mut self) {
        self.playing = false;
        self.playhead = None;
    }

    pub(crate) fn renumber(&mut self, number: impl Fn(usize) -> Option<usize>) {
        if let Some(playhead) = self.playhead {
            match number(playhead.layer) {
                Some(layer) => self.playhead = Some(Playhead { layer, ..playhead }),
                None => self.put_away(),
            }
        }
    }
}

impl Document {
    /// Returns the process that the playback controls show, and its number of iterations. The candidates are, in this
    /// order: the playing process, the selected layer, the stream power layer that uses the uplift of the selected
    /// layer, and the process under the playhead.
    pub fn process(&self) -> Option<(usize, u32)> {
        let iterations = |index: usize| {
            let layer = self.scene().layers.get(index).filter(|layer| layer.enabled)?;
            Some((index, layer.iterations(self.scene().samples())?))
        };
        let under_playhead = || iterations(self.transport.playhead?.layer);
        if self.transport.playing {
            under_playhead()
        } else {
            let selected = self.selected_layer();
            let lifted = || self.lifted_by(selected?).and_then(iterations);
            selected.and_then(iterations).or_else(lifted).or_else(under_playhead)
        }
    }

    /// Returns the first stream power layer above the layer at `index` that reads its uplift. The layer itself, or a
    /// layer between the two, must write the uplift map.
    fn lifted_by(&self, index: usize) -> Option<usize> {
        let layers = &self.scene().layers;
        let is_lifted = |layer: &Layer| matches!(layer.node, Node::StreamPower(_) | Node::AnalyticStreamPower(_));
        let process = (index + 1..layers.len()).find(|&k| layers[k].enabled && is_lifted(&layers[k]))?;
        let lifts = |layer: &Layer| layer.enabled && layer.node.traits().writes.contains(&MapKind::Uplift);
        layers[index..process].iter().any(lifts).then_some(process)
    }

    /// The iteration at which [`process`](Self::process) is shown.
    pub fn iteration(&self) -> u32 {
        let Some((layer, total)) = self.process() else { return 0 };
        match self.transport.playhead {
            Some(playhead) if playhead.layer == layer => playhead.iteration.min(total),
            _ => total,
        }
    }

    /// Pauses and shows the process after `iteration` iterations.
    pub fn seek(&mut self, iteration: u32) {
        let Some((layer, total)) = self.process() else { return };
        self.transport.playing = false;
        self.offer = None;
        self.transport.playhead = (iteration < total).then_some(Playhead { layer, iteration });
        self.bump(true);
    }

    /// Advances by one iteration (`by` is 1) or goes back by one (-1).
    pub fn step(&mut self, by: i32) {
        self.seek(self.iteration().saturating_add_signed(by));
    }

    /// Starts the playback at the playhead, or at the start if the playhead is at the end. Pauses a playing process.
    pub fn play_or_pause(&mut self) {
        let Some((layer, total)) = self.process() else { return };
        if self.transport.playing {
            self.pause();
        } else if total > 0 {
            let here = self.iteration();
            let iteration = if here >= total { 0 } else { here };
            self.transport.playing = true;
            self.offer = None;
            self.transport.playhead = Some(Playhead { layer, iteration });
            self.bump(true);
        }
    }

    /// Pauses at the current iteration.
    pub fn pause(&mut self) {
        if self.transport.playing {
            self.transport.playing = false;
            self.bump(true);
        }
    }

    /// Sets the speed in iterations per second. The new speed takes effect immediately.
    pub fn set_speed(&mut self, speed: f32, unlimited: bool) {
        let speed = speed.clamp(SPEED_RANGE.0, SPEED_RANGE.1);
        if (speed, unlimited) == (self.transport.speed, self.transport.unlimited) {
            return;
        }
        (self.transport.speed, self.transport.unlimited) = (speed, unlimited);
        if self.transport.playing {
            self.bump(true);
        }
    }
}
