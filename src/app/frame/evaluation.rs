//! Connects the document and the evaluation worker: sends requests, receives terrains, and computes overlays.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bevy::prelude::*;

use crate::frame::document::Document;
use crate::frame::tasks::{Newest, Tasks};
use crate::view::{Legend, Overlay, OverlayChoice, ReferenceTerrain, RenderTerrain, SquareTerrain, Waker, climate_of};
use talweg::appearance::Biomes;
use talweg::eval::{ChangedRegion, Insight, NotEnoughMemory, PREVIEW_SAMPLES, Status, Worker, WorkerReport};
use talweg::field::{Cancelled, Control, Terrain};
use talweg::scene::{Problem, Scene};

type PrepareResult = Result<RenderTerrain, Cancelled>;

/// The client of the evaluation worker. Holds the last valid result.
#[derive(Resource)]
pub struct EvaluationClient {
    worker: Mutex<Worker<PrepareResult>>,
    wanted: Arc<Mutex<PrepareInput>>,
    waker: Waker,
    shown: Option<RenderTerrain>,
    /// The overlay that is being computed for the terrain on screen, keyed by the terrain's serial number.
    overlay: Newest<u64, RenderTerrain>,
    tasks: Tasks,
    /// The evaluated terrain that is on screen.
    pub terrain: Option<Arc<Terrain>>,
    /// Duration of the last full-resolution evaluation.
    pub elapsed: Option<Duration>,
    /// Lowest and highest height of the terrain on screen, as fractions of the relief.
    pub range: (f32, f32),
    /// Findings about the newest full-resolution terrain.
    pub insight: Arc<Insight>,
    /// Problems with files and layers of the newest scene.
    pub problems: Arc<Vec<Problem>>,
}

/// Input with which the worker thread prepares a terrain for the screen.
#[derive(Default)]
struct PrepareInput {
    choice: OverlayChoice,
    /// The scene of the newest request, and the control that cancels the preparation of its terrain.
    newest: Option<(Arc<Scene>, Arc<Control>)>,
}

impl PrepareInput {
    /// Returns the control that cancels the preparation of a terrain of `scene`. Previews always get a control, even if
    /// their scene is outdated, as in the worker.
    fn control(&self, scene: &Scene, samples: usize) -> Result<Arc<Control>, Cancelled> {
        match &self.newest {
            Some((newest, control)) if std::ptr::eq(&**newest, scene) => Ok(control.clone()),
            _ if samples <= PREVIEW_SAMPLES => Ok(Arc::default()),
            _ => Err(Cancelled),
        }
    }
}

/// The changes that one call of `receive` made.
#[derive(Default)]
pub struct Received {
    pub prepared: Option<RenderTerrain>,
    /// Error messages of evaluations that crashed.
    pub failures: Vec<String>,
    /// The memory shortfall because of which the full-resolution evaluation was not started.
    pub refused: Option<NotEnoughMemory>,
    /// Problems of the current scene that the previous scene did not have.
    pub problems: Vec<Problem>,
}

impl EvaluationClient {
    /// Starts the worker, which wakes the window after every report.
    ///
    /// # Errors
    /// When the system refuses to start a thread.
    pub fn start(waker: Waker, tasks: Tasks) -> std::io::Result<Self> {
        let wanted = Arc::new(Mutex::new(PrepareInput::default()));
        let seen = wanted.clone();
        // the newest square terrain, with the terrain from which it was made
        let newest: Mutex<Option<(Arc<Terrain>, Arc<SquareTerrain>)>> = Mutex::default();
        let prepare = move |terrain: &Arc<Terrain>, scene: &Scene, patch: Option<&ChangedRegion>| {
            let (choice, control) = {
                let wanted = locked(&seen);
                // never refuse a preview here, because the worker never refuses one either
                let size = if patch.is_some() { 0 } else { terrain.samples() };
                (wanted.choice.clone(), wanted.control(scene, size)?)
            };
            let mut newest = newest.lock().unwrap_or_else(PoisonError::into_inner);
            let known = newest.as_ref().zip(patch).filter(|((known, last), patch)| {
                let same_sun = last.towards_sun == scene.settings.sun_direction();
                Arc::ptr_eq(known, &patch.before) && last.choice.has_same_image(&choice) && same_sun
            });
            let renewed = match known {
                Some(((_, last), patch)) => last.renewed(terrain, &scene.settings, &patch.region, &control)?,
                None => None,
            };
            let made = match renewed {
                Some(square) => RenderTerrain::Square(Arc::new(square)),
                None => RenderTerrain::new(terrain, scene, &choice, &control)?,
            };
            *newest = made.square().map(|square| (terrain.clone(), square.clone()));
            Ok(made)
        };
        let wake = waker.clone();
        let worker = Worker::start(0, prepare, move || wake.wake())?;
        Ok(Self {
            worker: Mutex::new(worker),
            wanted,
            waker,
            shown: None,
            overlay: Newest::default(),
            tasks,
            terrain: None,
            elapsed: None,
            range: (0.0, 0.0),
            insight: Arc::default(),
            problems: Arc::default(),
        })
    }

    fn worker(&mut self) -> &mut Worker<PrepareResult> {
        self.worker.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes all reports that have arrived. If several terrains have arrived, only the newest is shown.
    pub fn receive(&mut self, document: &mut Document) -> Received {
        let mut received = Received::default();
        while let Some(report) = self.worker().poll() {
            if let WorkerReport::Preview { output, .. }
            | WorkerReport::Frame { output, .. }
            | WorkerReport::Done { output, .. } = &report
                && output.prepared.is_err()
            {
                continue; // a newer request arrived while this terrain was prepared
            }
            let taken = document.accept(&report);
            if let (true, WorkerReport::Done { output, .. }) = (taken, &report) {
                self.elapsed = Some(output.elapsed);
            }
            // previews that are shown during a drag are not analysed
            let complete = !matches!(report, WorkerReport::Preview { .. });
            match report {
                WorkerReport::Preview { output, .. }
                | WorkerReport::Frame { output, .. }
                | WorkerReport::Done { output, .. }
                    if taken =>
                {
                    if complete && output.terrain.samples() == document.scene().samples() {
                        self.insight = output.insight;
                    }
                    if *self.problems != output.problems {
                        received.problems =
                            output.problems.iter().filter(|p| !self.problems.contains(p)).cloned().collect();
                        self.problems = Arc::new(output.problems);
                    }
                    self.terrain = Some(output.terrain);
                    received.prepared = output.prepared.ok();
                }
                WorkerReport::Mask { mask, .. } => locked(&self.wanted).choice.mask = Some(mask),
                WorkerReport::Failed { message, .. } => received.failures.push(message),
                WorkerReport::Refused { revision, reason } if revision == document.revision() => {
                    received.refused = Some(reason);
                }
                _ => {}
            }
        }
        if let Some(prepared) = &received.prepared {
            self.range = prepared.base().range;
            self.shown = Some(prepared.clone());
        }
        self.update_overlay(&mut received);
        received
    }

    /// Takes a finished overlay. Starts to compute the selected overlay if another overlay is on screen.
    fn update_overlay(&mut self, received: &mut Received) {
        let Some(shown) = &self.shown else { return };
        let (serial, choice) = (shown.base().serial, locked(&self.wanted).choice.clone());
        if self.overlay.receive()
            && let Some((over, picture)) = self.overlay.take()
            && over == serial
        {
            received.prepared = Some(picture.clone());
            self.shown = Some(picture);
        }
        // finish a started overlay even if a newer one is requested; otherwise no overlay would ever show while the
        // user drags a colour
        if self.overlay.running() == Some(&serial) {
            return;
        }
        self.overlay.stop();
        let Some(shown) = &self.shown else { return };
        if !shown.base().choice.has_same_image(&choice) {
            // compute the overlay on a thread of its own, so that a long evaluation does not delay it
            let over = shown.clone();
            let task = self.tasks.start("overlay", move |stop| over.with_overlay(&choice, stop).ok());
            // if no thread can be started, the overlay is computed with the next terrain
            self.overlay.start(shown.base().serial, task);
        }
    }

    /// Index of the layer whose mask has been computed.
    pub fn known_mask(&self) -> Option<usize> {
        locked(&self.wanted).choice.mask.as_ref().map(|mask| mask.layer)
    }

    /// Shows another overlay over the same terrain, without an evaluation. Returns whether the overlay changed.
    pub fn show_overlay(&mut self, overlay: Overlay) -> bool {
        let choice = &mut locked(&self.wanted).choice;
        if choice.overlay == overlay {
            return false;
        }
        choice.overlay = overlay;
        self.waker.wake();
        true
    }

    /// Colours the terrain with `biomes` under the climate of `scene`. If `biomes` is `None`, the palette is used.
    /// Nothing is evaluated.
    pub fn recolour(&mut self, biomes: Option<Arc<Biomes>>, scene: &Scene) {
        let choice = &mut locked(&self.wanted).choice;
        (choice.biomes, choice.climate) = (biomes, Some(climate_of(scene)));
        self.waker.wake();
    }

    /// Sets the reference terrain that difference overlays compare with.
    pub fn compare_with(&mut self, reference: Option<ReferenceTerrain>) {
        locked(&self.wanted).choice.reference = reference;
        self.waker.wake();
    }

    /// The terrain on screen, both as evaluated and as drawn.
    pub fn on_screen(&self) -> Option<(&Arc<Terrain>, &RenderTerrain)> {
        self.terrain.as_ref().zip(self.shown.as_ref())
    }

    /// The legend of the overlay on screen.
    pub fn legend(&self) -> Option<Arc<Legend>> {
        self.shown.as_ref()?.base().legend.clone()
    }

    /// The terrain on screen in the form that the view draws.
    pub fn drawn_terrain(&self) -> Option<&RenderTerrain> {
        self.shown.as_ref()
    }

    /// Sends the document's next request to the worker, if there is a request.
    pub fn send(&mut self, document: &mut Document) {
        if let Some(request) = document.take_request() {
            let newest = (request.scene.clone(), Arc::default());
            self.stop_preparing(Some(newest));
            self.worker().submit(request);
        }
    }

    /// Stops the running evaluation; the terrain on screen stays.
    pub fn cancel(&mut self) {
        self.stop_preparing(None);
        self.worker().cancel();
    }

    fn stop_preparing(&self, newest: Option<(Arc<Scene>, Arc<Control>)>) {
        let before = std::mem::replace(&mut locked(&self.wanted).newest, newest);
        if let Some((_, control)) = before {
            control.cancel();
        }
    }

    /// Progress of the running evaluation.
    pub fn status(&mut self) -> Option<Status> {
        self.worker().status()
    }

    pub fn is_busy(&mut self) -> bool {
        self.overlay.running().is_some() || self.worker().is_busy()
    }
}

fn locked(wanted: &Mutex<PrepareInput>) -> MutexGuard<'_, PrepareInput> {
    wanted.lock().unwrap_or_else(PoisonError::into_inner)
}
