//! Between the document and the worker: requests out, terrains in; and the overlay over them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bevy::prelude::*;

use crate::frame::document::Document;
use crate::frame::tasks::{Newest, Tasks};
use crate::view::{Legend, Overlay, OverlayChoice, Reference, RenderTerrain, SquareTerrain, Waker, climate_of};
use talweg::appearance::Biomes;
use talweg::eval::{ChangedRegion, Insight, NotEnoughMemory, PREVIEW_SAMPLES, Status, Worker, WorkerReport};
use talweg::field::{Cancelled, Control, Terrain};
use talweg::scene::{Problem, Scene};

type PrepareResult = Result<RenderTerrain, Cancelled>;

/// The worker with the last good answer.
#[derive(Resource)]
pub struct EvaluationClient {
    worker: Mutex<Worker<PrepareResult>>,
    wanted: Arc<Mutex<PrepareInput>>,
    waker: Waker,
    /// What is on screen.
    shown: Option<RenderTerrain>,
    /// An overlay that is being made for what is on screen, by its serial.
    overlay: Newest<u64, RenderTerrain>,
    tasks: Tasks,
    /// The terrain on screen.
    pub terrain: Option<Arc<Terrain>>,
    /// Time of the last evaluation at full size.
    pub elapsed: Option<Duration>,
    /// Lowest and highest height of the terrain on screen, as fractions of the relief.
    pub range: (f32, f32),
    /// What is known about the newest terrain at full size.
    pub insight: Arc<Insight>,
    /// Files and layers that the newest scene could not use.
    pub problems: Arc<Vec<Problem>>,
}

/// What the worker's side has to know.
#[derive(Default)]
struct PrepareInput {
    choice: OverlayChoice,
    /// The scene of the newest request, with what stops making its terrain ready for the screen.
    newest: Option<(Arc<Scene>, Arc<Control>)>,
}

impl PrepareInput {
    /// What stops making a terrain of `scene` ready. A preview is let through, as the worker does.
    fn control(&self, scene: &Scene, samples: usize) -> Result<Arc<Control>, Cancelled> {
        match &self.newest {
            Some((newest, control)) if std::ptr::eq(&**newest, scene) => Ok(control.clone()),
            _ if samples <= PREVIEW_SAMPLES => Ok(Arc::default()),
            _ => Err(Cancelled),
        }
    }
}

/// What a round of reports changed.
#[derive(Default)]
pub struct Received {
    pub prepared: Option<RenderTerrain>,
    /// Messages of evaluations that broke.
    pub failures: Vec<String>,
    /// Why the full size was not begun.
    pub refused: Option<NotEnoughMemory>,
    /// Problems that were not there before.
    pub problems: Vec<Problem>,
}

impl EvaluationClient {
    /// Starts the worker; it wakes the window after every report.
    ///
    /// # Errors
    /// When the system refuses a thread.
    pub fn start(waker: Waker, tasks: Tasks) -> std::io::Result<Self> {
        let wanted = Arc::new(Mutex::new(PrepareInput::default()));
        let seen = wanted.clone();
        // the newest that was made, with the terrain that it was made of
        let newest: Mutex<Option<(Arc<Terrain>, Arc<SquareTerrain>)>> = Mutex::default();
        let prepare = move |terrain: &Arc<Terrain>, scene: &Scene, patch: Option<&ChangedRegion>| {
            let (choice, control) = {
                let wanted = locked(&seen);
                // one in passing is let through, as the worker does
                let size = if patch.is_some() { 0 } else { terrain.samples() };
                (wanted.choice.clone(), wanted.control(scene, size)?)
            };
            let mut newest = newest.lock().unwrap_or_else(PoisonError::into_inner);
            let known = newest.as_ref().zip(patch).filter(|((known, last), patch)| {
                let same_sun = last.towards_sun == scene.settings.sun_direction();
                Arc::ptr_eq(known, &patch.before) && last.choice.shows_the_same(&choice) && same_sun
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

    /// Takes all reports that have arrived; of several pictures only the newest is shown.
    pub fn receive(&mut self, document: &mut Document) -> Received {
        let mut received = Received::default();
        while let Some(report) = self.worker().poll() {
            if let WorkerReport::Preview { output, .. }
            | WorkerReport::Frame { output, .. }
            | WorkerReport::Done { output, .. } = &report
                && output.prepared.is_err()
            {
                continue; // superseded on the way to the screen
            }
            let taken = document.accept(&report);
            if let (true, WorkerReport::Done { output, .. }) = (taken, &report) {
                self.elapsed = Some(output.elapsed);
            }
            // what passes by while something is dragged is not looked into
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

    /// Takes an overlay that is ready; starts one where the wanted one is not on screen.
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
        // what was begun is finished even if something newer is wanted: while colours are dragged nothing would ever
        // show
        if self.overlay.running() == Some(&serial) {
            return;
        }
        self.overlay.stop();
        let Some(shown) = &self.shown else { return };
        if !shown.base().choice.shows_the_same(&choice) {
            // on a thread of its own, so that a long evaluation does not hold it up
            let over = shown.clone();
            let task = self.tasks.start("overlay", move |stop| over.with_overlay(&choice, stop).ok());
            // without a thread the overlay comes with the next terrain
            self.overlay.begin(shown.base().serial, task);
        }
    }

    /// The layer whose mask is known.
    pub fn known_mask(&self) -> Option<usize> {
        locked(&self.wanted).choice.mask.as_ref().map(|mask| mask.layer)
    }

    /// Shows another overlay over the same ground; nothing is evaluated. Returns whether it is another one.
    pub fn show_overlay(&mut self, overlay: Overlay) -> bool {
        let choice = &mut locked(&self.wanted).choice;
        if choice.overlay == overlay {
            return false;
        }
        choice.overlay = overlay;
        self.waker.wake();
        true
    }

    /// The ground is painted with `biomes` from now on, or with the palette, and the climate is that of `scene`;
    /// nothing is evaluated.
    pub fn grow(&mut self, biomes: Option<Arc<Biomes>>, scene: &Scene) {
        let choice = &mut locked(&self.wanted).choice;
        (choice.biomes, choice.climate) = (biomes, Some(climate_of(scene)));
        self.waker.wake();
    }

    /// Differences are taken against `reference` from now on.
    pub fn compare_with(&mut self, reference: Option<Reference>) {
        locked(&self.wanted).choice.reference = reference;
        self.waker.wake();
    }

    /// The terrain on screen, as it was evaluated and as it is drawn.
    pub fn on_screen(&self) -> Option<(&Arc<Terrain>, &RenderTerrain)> {
        self.terrain.as_ref().zip(self.shown.as_ref())
    }

    /// What the colours on screen mean.
    pub fn legend(&self) -> Option<Arc<Legend>> {
        self.shown.as_ref()?.base().legend.clone()
    }

    /// What is on screen.
    pub fn picture(&self) -> Option<&RenderTerrain> {
        self.shown.as_ref()
    }

    /// Sends the document's next request, if it has one.
    pub fn send(&mut self, document: &mut Document) {
        if let Some(request) = document.take_request() {
            let newest = (request.scene.clone(), Arc::default());
            self.stop_preparing(Some(newest));
            self.worker().submit(request);
        }
    }

    /// Stops what is being computed; what is on screen stays.
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

    /// How far the running evaluation is.
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
