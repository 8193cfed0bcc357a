//! Watching a process: play, pause, step, scrub.
//!
//! The playhead stands on one process layer at a time and stays there while other layers are edited, until the
//! transport of another layer is used or the playhead reaches the end.

use crate::frame::document::Document;
use talweg::eval::Playhead;
use talweg::field::MapKind;
use talweg::nodes::Node;
use talweg::scene::Layer;

/// Iterations a second that the speed slider offers.
pub const SPEED_RANGE: (f32, f32) = (1.0, 240.0);

/// Where the playhead stands and whether it moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transport {
    pub(crate) playing: bool,
    /// `None` is the end of every process.
    pub(crate) playhead: Option<Playhead>,
    /// Iterations a second, unless `unlimited`.
    pub speed: f32,
    /// As fast as the machine can.
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
    /// The process that the transport moves, with its number of iterations: the one that plays, else the selected
    /// layer, else the stream power that the selected layer gives its uplift to, else the one under the playhead.
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

    /// The first stream power above a layer, where that one makes the map of the uplift, or one between the two does.
    fn lifted_by(&self, index: usize) -> Option<usize> {
        let layers = &self.scene().layers;
        let is_lifted = |layer: &Layer| matches!(layer.node, Node::StreamPower(_) | Node::AnalyticStreamPower(_));
        let process = (index + 1..layers.len()).find(|&k| layers[k].enabled && is_lifted(&layers[k]))?;
        let lifts = |layer: &Layer| layer.enabled && layer.node.traits().writes.contains(&MapKind::Uplift);
        layers[index..process].iter().any(lifts).then_some(process)
    }

    /// Where the playhead stands in [`process`](Self::process).
    pub fn iteration(&self) -> u32 {
        let Some((layer, total)) = self.process() else { return 0 };
        match self.transport.playhead {
            Some(playhead) if playhead.layer == layer => playhead.iteration.min(total),
            _ => total,
        }
    }

    /// Shows the process after `iteration` iterations.
    pub fn seek(&mut self, iteration: u32) {
        let Some((layer, total)) = self.process() else { return };
        self.transport.playing = false;
        self.offer = None;
        self.transport.playhead = (iteration < total).then_some(Playhead { layer, iteration });
        self.bump(true);
    }

    /// One iteration on (`by` 1) or back (-1).
    pub fn step(&mut self, by: i32) {
        self.seek(self.iteration().saturating_add_signed(by));
    }

    /// Plays from the playhead, or from the start when it stands at the end; pauses when it plays.
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

    /// Stops playing where it is.
    pub fn pause(&mut self) {
        if self.transport.playing {
            self.transport.playing = false;
            self.bump(true);
        }
    }

    /// Iterations a second; takes effect at once.
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
