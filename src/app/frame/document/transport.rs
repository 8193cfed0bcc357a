//! Playback of a process, iteration by iteration, or of a generator, step by step: play, pause, step, scrub.
//!
//! The playhead is on one layer at a time. It stays on this layer while the user edits other layers. It leaves the
//! layer when the user plays, steps or scrubs another layer, or when it reaches the end.

use crate::frame::document::Document;
use talweg::eval::Playhead;
use talweg::field::MapKind;
use talweg::nodes::Node;
use talweg::scene::Layer;

/// Range of the speed slider for processes, in iterations per second.
pub const SPEED_RANGE: (f32, f32) = (1.0, 240.0);
/// Range of the speed slider for generators, in steps per second.
pub const STEP_SPEED_RANGE: (f32, f32) = (0.25, 60.0);
/// Usual speed of a generator in steps per second, and the time in seconds after which a generator with many steps
/// ends.
const USUAL_STEP_SPEED: f32 = 2.0;
const LONGEST_SHOW: f32 = 20.0;

/// Position of the playhead and state of the playback.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transport {
    pub(crate) playing: bool,
    /// The layer that is played, and the iteration or step that is shown. With `None`, every layer is shown at its end.
    pub(crate) playhead: Option<Playhead>,
    /// Speed of processes in iterations per second; ignored if `unlimited` is set.
    pub speed: f32,
    /// Whether to play processes as fast as possible.
    pub unlimited: bool,
    /// Speed of generators in steps per second; `None` until the user chooses one.
    pub step_speed: Option<f32>,
}

impl Default for Transport {
    fn default() -> Self {
        Self { playing: false, playhead: None, speed: 30.0, unlimited: false, step_speed: None }
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
    /// Returns the layer that the playback controls show, with its last iteration or step. This is the playing layer,
    /// or the selected generator if no process is stopped by the playhead, or [`process`](Self::process). A stopped
    /// process thus stays within reach while the user edits the layers below it.
    pub fn played(&self) -> Option<(usize, u32)> {
        let played = |index: usize| Some((self.shown_layer(index)?, self.scene().timeline_end(index)?));
        let under_playhead = || played(self.transport.playhead?.layer);
        if self.transport.playing {
            return under_playhead();
        }
        let selected = self.selected_layer().and_then(played);
        let is_stopped = self.transport.playhead.is_some_and(|playhead| !self.is_generator(playhead.layer));
        selected.filter(|_| !is_stopped).or_else(|| self.process()).or(selected).or_else(under_playhead)
    }

    /// Returns the process that the charts and the branches belong to, and its number of iterations. The candidates
    /// are, in this order: the playing process, the selected layer, the stream power layer that uses the uplift of the
    /// selected layer, and the process under the playhead.
    pub fn process(&self) -> Option<(usize, u32)> {
        let iterations = |index: usize| Some((self.shown_layer(index)?, self.scene().iterations(index)?));
        let under_playhead = || iterations(self.transport.playhead?.layer);
        if self.transport.playing {
            under_playhead()
        } else {
            let selected = self.selected_layer();
            let lifted = || self.lifted_by(selected?).and_then(iterations);
            selected.and_then(iterations).or_else(lifted).or_else(under_playhead)
        }
    }

    /// `index`, if the layer is shown.
    fn shown_layer(&self, index: usize) -> Option<usize> {
        self.scene().layers.get(index).filter(|layer| layer.enabled).map(|_| index)
    }

    /// The generator that the playback controls show, at its current step.
    pub fn played_step(&self) -> Option<Playhead> {
        let (layer, _) = self.played().filter(|&(layer, _)| self.is_generator(layer))?;
        Some(Playhead { layer, iteration: self.iteration() })
    }

    /// The step that the playhead stops a generator at, if the layer is on screen.
    pub fn shown_step(&self) -> Option<Playhead> {
        self.shown_scene().1.filter(|playhead| self.is_generator(playhead.layer))
    }

    fn is_generator(&self, layer: usize) -> bool {
        self.scene().layers.get(layer).is_some_and(|layer| layer.node.as_stepped().is_some())
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

    /// The iteration or step at which [`played`](Self::played) is shown.
    pub fn iteration(&self) -> u32 {
        self.played().map_or(0, |played| self.position_of(played))
    }

    /// The iteration at which [`process`](Self::process) is shown.
    pub fn process_iteration(&self) -> u32 {
        self.process().map_or(0, |process| self.position_of(process))
    }

    /// The position at which a layer is shown, which ends at `total`.
    fn position_of(&self, (layer, total): (usize, u32)) -> u32 {
        match self.transport.playhead {
            Some(playhead) if playhead.layer == layer => playhead.iteration.min(total),
            _ => total,
        }
    }

    /// Pauses and shows the layer after `iteration` iterations or steps.
    pub fn seek(&mut self, iteration: u32) {
        let Some((layer, total)) = self.played() else { return };
        self.transport.playing = false;
        self.offer = None;
        self.transport.playhead = (iteration < total).then_some(Playhead { layer, iteration });
        self.bump(true);
    }

    /// Advances by one iteration or step (`by` is 1) or goes back by one (-1).
    pub fn step(&mut self, by: i32) {
        self.seek(self.iteration().saturating_add_signed(by));
    }

    /// Starts the playback at the playhead, or at the start if the playhead is at the end. Pauses a playing layer.
    pub fn play_or_pause(&mut self) {
        let Some((layer, total)) = self.played() else { return };
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

    /// Speed of [`played`](Self::played) in iterations or steps per second. A generator with many steps is faster, so
    /// that it ends after 20 s.
    pub fn speed(&self) -> f32 {
        match self.played() {
            Some((layer, total)) if self.is_generator(layer) => {
                self.transport.step_speed.unwrap_or(USUAL_STEP_SPEED.max(total as f32 / LONGEST_SHOW))
            }
            _ => self.transport.speed,
        }
    }

    /// Sets the speed of [`played`](Self::played) in iterations or steps per second. `unlimited` plays a process as
    /// fast as possible. The new speed takes effect immediately.
    pub fn set_speed(&mut self, speed: f32, unlimited: bool) {
        let before = self.transport;
        if self.played_step().is_some() {
            if speed != self.speed() {
                self.transport.step_speed = Some(speed.clamp(STEP_SPEED_RANGE.0, STEP_SPEED_RANGE.1));
            }
        } else {
            self.transport.speed = speed.clamp(SPEED_RANGE.0, SPEED_RANGE.1);
            self.transport.unlimited = unlimited;
        }
        if self.transport != before && self.transport.playing {
            self.bump(true);
        }
    }
}
