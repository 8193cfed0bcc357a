//! Creates requests for the worker, and decides which of its reports are still needed.
//!
//! While the user drags a slider, the document requests previews. When the user releases it, the document requests the
//! full resolution. Playing, stepping and scrubbing request only the full resolution. If a generator is on solo, only
//! this layer is computed: on flat terrain, at full opacity and without a mask. If a filter or an erosion layer is on
//! solo, this layer and all layers below it are computed.

use std::sync::Arc;

use crate::frame::document::Document;
use talweg::eval::{Play, Playhead, Request, RequestQuality, WorkerReport};
use talweg::scene::{Mask, Mix, Scene};

impl Document {
    /// Returns the next request for the worker, if anything has changed since the last request.
    pub fn take_request(&mut self) -> Option<Request> {
        let quality = match (self.seeking, self.dragging) {
            (true, _) => RequestQuality::Full,
            (false, true) => RequestQuality::Preview,
            (false, false) => RequestQuality::PreviewThenFull,
        };
        if let Some((revision, asked)) = self.requested {
            let finer = asked == RequestQuality::Preview && quality != RequestQuality::Preview;
            if revision == self.revision && !finer {
                return None;
            }
        }
        self.requested = Some((self.revision, quality));
        let (scene, playhead) = self.shown_scene();
        let is_unlimited = self.transport.unlimited && self.shown_step().is_none();
        let speed = (!is_unlimited).then(|| self.speed());
        let play = (self.transport.playing && playhead.is_some()).then_some(Play { speed });
        let watch = self.process().map(|(layer, _)| layer).filter(|_| self.watching);
        let place = self.charted_point.filter(|_| self.watching);
        let stroke = self.last_stroke_edit.filter(|(revision, _)| *revision == self.revision).map(|(_, target)| target);
        let (revision, mask) = (self.revision, self.shown_mask);
        Some(Request { revision, scene, quality, playhead, play, history_layer: watch, place, mask, stroke })
    }

    /// Returns whether to show the terrain of a report. Moves the playhead along with a playing process. A preview of
    /// an older revision is accepted if no newer terrain is on screen, because no other preview may arrive during a
    /// drag.
    pub fn accept<P>(&mut self, report: &WorkerReport<P>) -> bool {
        let current = |revision: u64| revision == self.revision;
        let taken = match report {
            WorkerReport::Preview { revision, .. } => *revision >= self.shown_revision,
            WorkerReport::Frame { revision, .. } | WorkerReport::Done { revision, .. } => current(*revision),
            WorkerReport::Mask { .. }
            | WorkerReport::Cancelled { .. }
            | WorkerReport::Refused { .. }
            | WorkerReport::Failed { .. } => false,
        };
        if let (true, WorkerReport::Frame { revision, .. } | WorkerReport::Done { revision, .. }) = (taken, report) {
            self.complete_revision = *revision;
        }
        match report {
            WorkerReport::Frame { output, .. } if taken && self.transport.playing => {
                self.transport.playhead = output.playhead;
            }
            WorkerReport::Done { .. } if taken && self.transport.playing => self.transport.put_away(),
            WorkerReport::Failed { revision, .. } | WorkerReport::Refused { revision, .. } if current(*revision) => {
                self.transport.pause();
            }
            _ => {}
        }
        if let (
            true,
            WorkerReport::Preview { revision, .. }
            | WorkerReport::Frame { revision, .. }
            | WorkerReport::Done { revision, .. },
        ) = (taken, report)
        {
            self.shown_revision = *revision;
            self.on_screen = true;
        }
        taken
    }

    /// The scene and the playhead as shown on screen. Solo and the end of the evaluation are applied to the scene.
    pub fn shown_scene(&self) -> (Arc<Scene>, Option<Playhead>) {
        self.as_shown(Arc::clone(&self.scene))
    }

    /// Applies solo and the end of the evaluation to a scene with the same layers as the current scene.
    pub(crate) fn as_shown(&self, mut shown: Arc<Scene>) -> (Arc<Scene>, Option<Playhead>) {
        let mut playhead = self.transport.playhead;
        if let Some(index) = self.solo.filter(|&index| index < shown.layers.len()) {
            let scene = Arc::make_mut(&mut shown);
            scene.show_layer(index);
            // hide the layers instead of removing them, so that layer indices stay valid and references still
            // find the layers that they read
            if scene.layers[index].node.makes_heights() {
                scene.hide_others(index);
                let layer = &mut scene.layers[index];
                (layer.mix, layer.mask) = (Mix::default(), Mask::default());
                playhead = playhead.filter(|p| p.layer == index);
            } else {
                scene.hide_above(index);
            }
            playhead = playhead.filter(|p| p.layer <= index);
        }
        if let Some(end) = self.last_evaluated.filter(|&end| end < shown.layers.len()) {
            Arc::make_mut(&mut shown).hide_above(end);
            playhead = playhead.filter(|p| p.layer <= end);
        }
        (shown, playhead)
    }
}
