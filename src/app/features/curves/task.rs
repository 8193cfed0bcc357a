//! Computes the curves on a thread of its own, so that the editor stays usable.

use std::sync::Arc;

use bevy::prelude::*;

use crate::frame::tasks::{Newest, Tasks};
use talweg::eval::{ProcessCurve, process_curves, thread_pool};
use talweg::scene::Scene;

/// A request for the curves of some layers of a scene.
#[derive(Clone, Debug)]
pub struct CurvesOrder {
    pub scene: Arc<Scene>,
    /// Indices of the layers, in the order of the legend.
    pub layers: Vec<usize>,
    /// Whether to hide the other chosen processes while one is measured.
    pub alone: bool,
}

impl PartialEq for CurvesOrder {
    fn eq(&self, other: &Self) -> bool {
        // the window compares orders in every frame, so the usual case must not compare whole scenes
        let same_scene = || Arc::ptr_eq(&self.scene, &other.scene) || self.scene == other.scene;
        (&self.layers, self.alone) == (&other.layers, other.alone) && same_scene()
    }
}

/// The computation of the curves, and the newest curves.
#[derive(Resource, Default)]
pub struct CurvesTask(Newest<CurvesOrder, Vec<ProcessCurve>>);

impl CurvesTask {
    /// Starts to compute the curves. A running computation stops.
    ///
    /// # Errors
    /// When the system refuses to start a thread.
    pub fn start(&mut self, order: CurvesOrder, tasks: &Tasks) -> std::io::Result<()> {
        let of = order.clone();
        // a timing task, because drawing the window would distort the run times
        let task = tasks.start_timing("curves", move |control| {
            let compute = || process_curves(&of.scene, &of.layers, of.alone, control).ok();
            match thread_pool(0) {
                Ok(pool) => pool.install(compute),
                Err(_) => compute(),
            }
        })?;
        self.0.start(order, Ok(task));
        Ok(())
    }

    pub fn stop(&mut self) {
        self.0.stop();
    }

    pub fn receive(&mut self) {
        self.0.receive();
    }

    pub fn is_running(&self) -> bool {
        self.0.running().is_some()
    }

    /// The newest curves, with the order that they belong to.
    pub fn curves(&self) -> Option<&(CurvesOrder, Vec<ProcessCurve>)> {
        self.0.done()
    }
}
