//! Between the document and the worker: requests out, terrains in.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bevy::prelude::*;

use super::document::Document;
use super::view::{Prepared, Waker, prepare};
use crate::eval::{Report, Status, Worker};
use crate::field::Terrain;
use crate::scene::Scene;

/// The worker with the last good answer.
#[derive(Resource)]
pub struct Bridge {
    worker: Mutex<Worker<Arc<Prepared>>>,
    /// The terrain on screen.
    pub terrain: Option<Arc<Terrain>>,
    /// Time of the last evaluation at full size.
    pub elapsed: Option<Duration>,
    /// Lowest and highest height of the terrain on screen, as fractions of the relief.
    pub range: (f32, f32),
}

/// What a round of reports changed.
#[derive(Default)]
pub struct Received {
    pub prepared: Option<Arc<Prepared>>,
    /// Messages of evaluations that broke.
    pub failures: Vec<String>,
}

impl Bridge {
    /// Starts the worker; it wakes the window after every report.
    ///
    /// # Errors
    /// When the system refuses a thread.
    pub fn start(waker: Waker) -> std::io::Result<Self> {
        let prepare = |terrain: &Arc<Terrain>, scene: &Scene| Arc::new(prepare(terrain, &scene.settings));
        let worker = Worker::start(0, prepare, move || waker.wake())?;
        Ok(Self { worker: Mutex::new(worker), terrain: None, elapsed: None, range: (0.0, 0.0) })
    }

    fn worker(&mut self) -> &mut Worker<Arc<Prepared>> {
        self.worker.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes all reports that have arrived; of several pictures only the newest is shown.
    pub fn receive(&mut self, document: &mut Document) -> Received {
        let mut received = Received::default();
        while let Some(report) = self.worker().poll() {
            let taken = document.accept(&report);
            if let (true, Report::Done { output, .. }) = (taken, &report) {
                self.elapsed = Some(output.elapsed);
            }
            match report {
                Report::Preview { output, .. } | Report::Frame { output, .. } | Report::Done { output, .. }
                    if taken =>
                {
                    self.range = output.prepared.bounds.whole();
                    self.terrain = Some(output.terrain);
                    received.prepared = Some(output.prepared);
                }
                Report::Failed { message, .. } => received.failures.push(message),
                _ => {}
            }
        }
        received
    }

    /// Sends the document's next request, if it has one.
    pub fn send(&mut self, document: &mut Document) {
        if let Some(request) = document.take_request() {
            self.worker().submit(request);
        }
    }

    /// Stops what is being computed; what is on screen stays.
    pub fn cancel(&mut self) {
        self.worker().cancel();
    }

    /// How far the running evaluation is.
    pub fn status(&mut self) -> Option<Status> {
        self.worker().status()
    }

    pub fn is_busy(&mut self) -> bool {
        self.worker().is_busy()
    }
}
