//! The thread that serves requests: previews, full results, playing processes and brush strokes.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::mpsc::Sender;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use super::messages::{Insight, Output, Play, Request, RequestQuality, WorkerReport};
use super::queue::{RequestQueue, RunningRequest, WorkerShared};
use crate::eval::live::{LiveChange, LiveGround, StrokeTarget};
use crate::eval::{
    ChangedRegion, Evaluated, MemoryUse, PREVIEW_SAMPLES, Playhead, Store, check_memory, evaluate, history, is_cached,
    layer_mask, measure_key_frame_slopes, probe, scene_beneath, timed_layers,
};
use crate::field::{Cancelled, Control, Terrain};
use crate::measure::slopes;
use crate::nodes::multiscale::{LargestScale, coarser_samples};
use crate::scene::{Layer, Scene};

/// Maximum playback time that one frame advances, in seconds. Longer frames would make the animation stutter.
const LONGEST_STEP_SECONDS: f32 = 1.0 / 15.0;

/// Samples per side of the first of several previews.
const FIRST_PREVIEW_SAMPLES: usize = 129;

pub(super) struct WorkerThread<P, F, W> {
    pub(super) shared: Arc<WorkerShared>,
    pub(super) sender: Sender<WorkerReport<P>>,
    pub(super) prepare: F,
    pub(super) wake: W,
}

impl<P, F: Fn(&Arc<Terrain>, &Scene, Option<&ChangedRegion>) -> P, W: Fn()> WorkerThread<P, F, W> {
    pub(super) fn work(&self, store: &mut Store) {
        let live = &mut LiveGround::default();
        while let Some((request, control)) = self.next() {
            let revision = request.revision;
            let result = catch_unwind(AssertUnwindSafe(|| self.serve(&request, &control, store, live)));
            self.shared.queue().running = None;
            match result {
                Ok(Ok(())) => {}
                Ok(Err(Cancelled)) => self.report(WorkerReport::Cancelled { revision }),
                Err(panic) => {
                    (*store, *live) = (Store::default(), LiveGround::default());
                    let message = panic
                        .downcast_ref::<String>()
                        .cloned()
                        .or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string))
                        .unwrap_or_else(|| "unknown panic".into());
                    self.report(WorkerReport::Failed { revision, message });
                }
            }
        }
    }

    /// Waits for the next request, registers it as running (so that a cancel affects it) and returns it.
    fn next(&self) -> Option<(Request, Arc<Control>)> {
        let mut queue = self.shared.queue();
        loop {
            if queue.quit {
                return None;
            }
            if let Some(request) = queue.pending.take() {
                let control = Arc::new(Control::default());
                queue.running = Some(RunningRequest {
                    control: control.clone(),
                    revision: request.revision,
                    layers: request.scene.layers.len(),
                    preview: request.quality == RequestQuality::Preview,
                    started: Instant::now(),
                });
                return Some((request, control));
            }
            queue = self.shared.wake_up.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn serve(
        &self,
        request: &Request,
        control: &Control,
        store: &mut Store,
        live: &mut LiveGround,
    ) -> Result<(), Cancelled> {
        let full = request.scene.samples();
        let revision = request.revision;
        match request.stroke.filter(|_| request.quality == RequestQuality::Preview) {
            // During the stroke only the mask is reported, because computing the layers below the mask would take too
            // long.
            Some(StrokeTarget::Mask(layer)) => {
                let is_known = is_cached(&scene_beneath(&request.scene, layer), full, None, store);
                let samples = if is_known { full } else { PREVIEW_SAMPLES.min(full) };
                return self.report_mask(request, samples, store, control);
            }
            Some(StrokeTarget::Layer(layer)) => {
                if let Some(change) = live.stroke_update(request, layer, store, control)? {
                    let output = self.live_output(request, &change);
                    self.report(WorkerReport::Preview { revision, output });
                    return Ok(());
                }
            }
            None => {}
        }
        // A small change of a construction needs no preview.
        let at_once = request.playhead.is_none() && store.constructions.is_small_change(&request.scene);
        let is_known = is_cached(&request.scene, full, request.playhead, store);
        let checked = match is_known {
            true => check_memory(&request.scene, full, &MemoryUse::EDITOR),
            false => store.finished.make_room(&request.scene, full),
        };
        let refused = checked.err().filter(|_| full > PREVIEW_SAMPLES);
        let small = if at_once && refused.is_none() { full } else { PREVIEW_SAMPLES.min(full) };
        // A result in memory needs no preview. For example, undo shows the full size at once.
        let wants_preview = request.quality == RequestQuality::PreviewThenFull
            && small < full
            // After a stroke, the terrain on screen is closer to the result than a preview is.
            && request.stroke.is_none()
            && !is_known;
        let previews = match request.quality {
            RequestQuality::Preview => vec![small],
            // If there is not enough memory for the full size, the larger previews may not fit either.
            _ if wants_preview && refused.is_some() => vec![small],
            _ if wants_preview => previews_on_the_way(&request.scene, small),
            _ => Vec::new(),
        };
        for samples in previews {
            let output = self.evaluate(request, control, samples, request.playhead, store)?;
            self.report(WorkerReport::Preview { revision, output });
        }
        if request.quality == RequestQuality::Preview {
            return self.report_mask(request, small, store, control);
        }
        if let Some(reason) = refused {
            self.report(WorkerReport::Refused { revision, reason });
            return Ok(());
        }
        match (request.play, request.playhead) {
            (Some(play), Some(from)) => self.play(request, control, play, from, store),
            _ => {
                let output = self.evaluate(request, control, full, request.playhead, store)?;
                if request.playhead.is_none() {
                    store.finished.keep(&request.scene, &output.terrain);
                }
                live.restart(request, &output.terrain);
                self.report(WorkerReport::Done { revision, output });
                self.report_mask(request, full, store, control)
            }
        }
    }

    fn evaluate(
        &self,
        request: &Request,
        control: &Control,
        samples: usize,
        playhead: Option<Playhead>,
        store: &mut Store,
    ) -> Result<Output<P>, Cancelled> {
        let started = Instant::now();
        {
            let mut queue = self.shared.queue();
            let is_full = samples == request.scene.samples();
            if queue.quit || (queue.pending.is_some() && is_full && request.quality != RequestQuality::Preview) {
                return Err(Cancelled); // a newer request replaced this request before it started
            }
            if let Some(running) = &mut queue.running {
                running.preview = !is_full || request.quality == RequestQuality::Preview;
                running.started = started;
            }
        }
        // During a drag, intermediate results are not needed later.
        store.transient = request.quality == RequestQuality::Preview;
        let (evaluated, costs) = timed_layers(control, || evaluate(&request.scene, samples, playhead, store, control));
        let transient = std::mem::take(&mut store.transient);
        let Evaluated { terrain, mass_balance, patch, problems, .. } = evaluated?;
        let elapsed = started.elapsed();
        let prepared = (self.prepare)(&terrain, &request.scene, patch.as_ref().filter(|_| transient));
        control.check()?;
        let insight = match samples == request.scene.samples() && !transient {
            true => Arc::new(Insight { costs, ..collect_insight(request, &terrain, playhead, store, control)? }),
            false => Arc::default(),
        };
        Ok(Output { terrain, prepared, playhead, mass_balance, problems, insight, elapsed })
    }

    /// The output to report for the terrain under a brush.
    fn live_output(&self, request: &Request, change: &LiveChange) -> Output<P> {
        let patch = ChangedRegion { before: change.before.clone(), region: change.region.clone() };
        let prepared = (self.prepare)(&change.terrain, &request.scene, Some(&patch));
        Output {
            terrain: change.terrain.clone(),
            prepared,
            playhead: None,
            mass_balance: None,
            problems: request.scene.problems(),
            insight: Arc::default(),
            elapsed: change.elapsed,
        }
    }

    /// Reports the mask if the request wants one.
    fn report_mask(
        &self,
        request: &Request,
        samples: usize,
        store: &mut Store,
        control: &Control,
    ) -> Result<(), Cancelled> {
        let Some(layer) = request.mask.filter(|&layer| layer < request.scene.layers.len()) else { return Ok(()) };
        store.transient = request.quality == RequestQuality::Preview;
        let mask = layer_mask(&request.scene, layer, samples, store, control);
        store.transient = false;
        self.report(WorkerReport::Mask { revision: request.revision, mask: Arc::new(mask?) });
        Ok(())
    }

    /// Steps through a process or generator at the requested speed. The next frame is computed only after the owner of
    /// the worker has received the last frame. A process that is too slow for this speed runs as fast as it can, in
    /// steps short enough to look continuous.
    fn play(
        &self,
        request: &Request,
        control: &Control,
        play: Play,
        from: Playhead,
        store: &mut Store,
    ) -> Result<(), Cancelled> {
        let full = request.scene.samples();
        let end = request.scene.timeline_end(from.layer).unwrap_or(0);
        let mut at = from.iteration;
        // A process continues at once. A generator first shows the step that it starts from, for as long as the others.
        let is_generator = request.scene.iterations(from.layer).is_none();
        if is_generator && at < end && play.speed.is_some() {
            let output = self.evaluate(request, control, full, Some(from), store)?;
            self.report_frame(request, output)?;
        }
        let lead = u32::from(!is_generator);
        // The time when the clock was set, and the iteration at that time. The due iteration is computed from these two
        // values.
        let (mut clock, mut base) = (Instant::now(), at);
        while at < end {
            let mut next = at + 1;
            if let Some(speed) = play.speed {
                let due = base + lead + (clock.elapsed().as_secs_f32() * speed) as u32;
                if due <= at {
                    let wait = (at + 1 - lead - base) as f32 / speed.max(1e-3) - clock.elapsed().as_secs_f32();
                    self.pause(Duration::from_secs_f32(wait.clamp(0.001, 0.25)))?;
                    continue;
                }
                let longest = at + ((speed * LONGEST_STEP_SECONDS) as u32).max(1);
                next = due.min(longest);
                if due > longest {
                    (clock, base) = (Instant::now(), next);
                }
            }
            at = next.min(end);
            let playhead = Some(Playhead { layer: from.layer, iteration: at });
            let output = self.evaluate(request, control, full, playhead, store)?;
            if at == end {
                self.report(WorkerReport::Done { revision: request.revision, output });
                return Ok(());
            }
            self.report_frame(request, output)?;
        }
        let output = self.evaluate(request, control, full, None, store)?;
        self.report(WorkerReport::Done { revision: request.revision, output });
        Ok(())
    }

    /// Reports a frame, and waits until the owner of the worker has received it.
    fn report_frame(&self, request: &Request, output: Output<P>) -> Result<(), Cancelled> {
        self.shared.frame_out.store(true, Ordering::Release);
        self.report(WorkerReport::Frame { revision: request.revision, output });
        while self.shared.frame_out.load(Ordering::Acquire) {
            self.pause(Duration::from_millis(50))?;
        }
        Ok(())
    }

    /// Waits until the queue changes, at most for `most`.
    fn pause(&self, most: Duration) -> Result<(), Cancelled> {
        let queue = self.shared.queue();
        let stop = |d: &RequestQueue| {
            d.quit || d.pending.is_some() || d.running.as_ref().is_some_and(|r| r.control.is_cancelled())
        };
        if stop(&queue) {
            return Err(Cancelled);
        }
        let (queue, _) = self.shared.wake_up.wait_timeout(queue, most).unwrap_or_else(PoisonError::into_inner);
        if stop(&queue) { Err(Cancelled) } else { Ok(()) }
    }

    fn report(&self, report: WorkerReport<P>) {
        // Sending fails if the owner of the worker has dropped the handle; then nobody needs the report.
        if self.sender.send(report).is_ok() {
            (self.wake)();
        }
    }
}

/// The preview sizes before the full size. If erosion processes run from coarse to fine, these are all grids from
/// [`FIRST_PREVIEW_SAMPLES`] up, which are evaluated in any case. Otherwise `small` is the only size.
fn previews_on_the_way(scene: &Scene, small: usize) -> Vec<usize> {
    let is_refined = |layer: &Layer| layer.enabled && layer.multiscale().largest != LargestScale::OneGrid;
    if !scene.layers.iter().any(is_refined) {
        return vec![small];
    }
    let mut sizes: Vec<usize> = std::iter::successors(coarser_samples(scene.samples()), |&size| coarser_samples(size))
        .take_while(|&samples| samples >= FIRST_PREVIEW_SAMPLES)
        .collect();
    sizes.reverse();
    if sizes.is_empty() { vec![small] } else { sizes }
}

/// Collects the extra information about a terrain at full size and its history.
fn collect_insight(
    request: &Request,
    terrain: &Arc<Terrain>,
    playhead: Option<Playhead>,
    store: &mut Store,
    control: &Control,
) -> Result<Insight, Cancelled> {
    let (scene, samples) = (&*request.scene, terrain.samples());
    let mut insight = Insight { slopes: Some(slopes(terrain)), ..Insight::default() };
    if let Some(layer) = request.history_layer {
        measure_key_frame_slopes(scene, samples, layer, store, control)?;
        insight.history = history(scene, samples, layer, store);
    }
    if let Some(place) = request.place {
        insight.probe = Some(probe(scene, terrain, playhead, place, request.history_layer, store, control)?);
    }
    control.check()?;
    Ok(insight)
}
