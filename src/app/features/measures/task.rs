//! Measures the terrain on screen while the panel is open. The measurement runs in addition to the evaluation worker.
//!
//! Edits have priority: while the worker computes an edit, no measurement starts, and the measurement of an older
//! terrain stops. While an erosion process plays, the worker is never idle. Measurements therefore start during
//! playback, too, but run on only one thread. After the full-resolution terrain is measured, the scene is also computed
//! at half its resolution, to determine the accuracy of previews.

use std::sync::Arc;
use std::time::Instant;

use bevy::prelude::*;

use crate::features::measures::panel::{MeasuresInfo, MeasuresState, PreviewAccuracy};
use crate::frame::document::Document;
use crate::frame::editor::Editor;
use crate::frame::evaluation::EvaluationClient;
use crate::frame::tasks::{Busy, Newest, Tasks};
use crate::frame::window::FrameCost;
use talweg::eval::parity::{Parity, parity};
use talweg::eval::{Store, thread_pool};
use talweg::field::Cancelled;
use talweg::field::Terrain;
use talweg::measure::{Limits, Measures, PlanetMeasures, TerrainScale, measure, measure_planet};
use talweg::scene::Scene;

/// The terrain to measure.
#[derive(Clone, Debug)]
struct MeasureSubject {
    terrain: Arc<Terrain>,
    scale: TerrainScale,
    limits: Limits,
    /// The scene of a planet, reduced to the settings that affect the measures.
    planet: Option<Scene>,
}

#[derive(Clone)]
enum MeasuredValues {
    Terrain(Arc<Measures>),
    Planet(Arc<PlanetMeasures>),
}

impl PartialEq for MeasureSubject {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.terrain, &other.terrain)
            && (self.scale, &self.limits, &self.planet) == (other.scale, &other.limits, &other.planet)
    }
}

/// The task that measures the terrain, and its newest results.
#[derive(Resource, Default)]
pub struct MeasureTask {
    measures: Newest<MeasureSubject, MeasuredValues>,
    /// The accuracy of the preview, keyed by the full-resolution terrain.
    parity: Newest<Arc<Terrain>, Parity>,
    /// Marks the window as busy while work waits for the worker to become idle.
    waits: Option<Busy>,
}

impl MeasureTask {
    fn subject(document: &Document, evaluation: &EvaluationClient, limits: &Limits) -> Option<MeasureSubject> {
        let terrain = evaluation.terrain.as_ref()?;
        let scene = document.scene();
        // skip this frame: the terrain on screen still belongs to the previous scene
        if terrain.grid.is_globe() != scene.is_planet() {
            return None;
        }
        let planet = scene.as_planet().map(|planet| Scene {
            settings: scene.settings.clone(),
            planet: planet.clone(),
            palette: scene.palette.clone(),
            climate: scene.climate.clone(),
            biomes: scene.biomes.clone(),
            ..Scene::default()
        });
        Some(MeasureSubject {
            terrain: terrain.clone(),
            scale: TerrainScale::for_scene(scene),
            limits: limits.clone(),
            planet,
        })
    }

    /// Starts the next measurement.
    fn advance(&mut self, document: &Document, evaluation: &mut EvaluationClient, limits: &Limits, tasks: &Tasks) {
        self.waits = None;
        let Some(subject) = Self::subject(document, evaluation, limits) else { return };
        let playing = document.transport().is_playing();
        let computing = evaluation.is_busy() && !playing;
        let known = self.measures.done().is_some_and(|(of, _)| *of == subject);
        let running = self.measures.running().map(|of| *of == subject);
        if known {
            self.measures.stop();
        } else if computing {
            if running != Some(true) {
                // the running measurement belongs to an older terrain
                self.measures.stop();
                self.waits = Some(tasks.busy());
            }
        } else if running.is_none_or(|current| !playing && !current) {
            let of = subject.clone();
            let task = tasks.start("measure", move |control| {
                let take = || match &of.planet {
                    Some(scene) => {
                        Ok(MeasuredValues::Planet(Arc::new(measure_planet(&of.terrain, scene, &of.limits, control)?)))
                    }
                    None => Ok(MeasuredValues::Terrain(Arc::new(measure(&of.terrain, of.scale, &of.limits, control)?))),
                };
                let found: Result<_, Cancelled> = match thread_pool(usize::from(playing)) {
                    Ok(pool) => pool.install(take),
                    Err(_) => take(),
                };
                found.ok()
            });
            // if no thread can be started, the next frame tries again
            self.measures.start(subject.clone(), task);
        }
        if subject.planet.is_none() {
            self.check_preview(document, &subject, computing || playing || !known, tasks);
        } else {
            self.parity = Newest::default();
        }
    }

    /// Starts to compute the accuracy of the preview.
    fn check_preview(&mut self, document: &Document, subject: &MeasureSubject, later: bool, tasks: &Tasks) {
        let is_it = |of: &Arc<Terrain>| Arc::ptr_eq(of, &subject.terrain);
        if self.parity.running().is_some_and(is_it) || self.parity.done().is_some_and(|(of, _)| is_it(of)) {
            return;
        }
        self.parity = Newest::default();
        let whole = !document.is_unfinished() && subject.terrain.samples() == document.scene().samples();
        if later || !whole || subject.terrain.samples() < 5 {
            return;
        }
        let (scene, playhead) = document.shown_scene();
        let full = subject.terrain.clone();
        let task = tasks.start("parity", move |control| {
            let look = || parity(&scene, &full, playhead, &mut Store::forgetful(), control);
            // use one thread, because the preview accuracy is not urgent
            let found = match thread_pool(1) {
                Ok(pool) => pool.install(look),
                Err(_) => look(),
            };
            found.ok()
        });
        self.parity.start(subject.terrain.clone(), task);
    }

    /// The data that the panels show.
    pub fn info(&self, document: &Document, evaluation: &EvaluationClient, limits: &Limits) -> MeasuresInfo {
        let subject = Self::subject(document, evaluation, limits);
        let known = self.parity.done().map(|(_, parity)| PreviewAccuracy::Known(*parity));
        let trust = known.or(self.parity.running().map(|_| PreviewAccuracy::Coming));
        let found = self.measures.done().map(|(_, found)| found.clone());
        let (measures, planet) = match found {
            Some(MeasuredValues::Terrain(measures)) => (Some(measures), None),
            Some(MeasuredValues::Planet(measures)) => (None, Some(measures)),
            None => (None, None),
        };
        MeasuresInfo {
            measures,
            planet,
            stale: self.measures.done().map(|(of, _)| of) != subject.as_ref(),
            preview: subject.is_some_and(|subject| subject.terrain.samples() < document.scene().samples()),
            trust,
        }
    }
}

/// Takes the results of finished measurements and starts the next measurement.
pub(super) fn advance(
    mut task: ResMut<MeasureTask>,
    mut evaluation: ResMut<EvaluationClient>,
    (editor, state): (Res<Editor>, Res<MeasuresState>),
    tasks: Res<Tasks>,
    mut cost: ResMut<FrameCost>,
) {
    let begun = Instant::now();
    task.measures.receive();
    task.parity.receive();
    if state.open {
        task.advance(&editor.doc, &mut evaluation, &state.limits, &tasks);
    } else {
        // a closed panel needs no measures
        task.measures.stop();
        (task.parity, task.waits) = (Newest::default(), None);
    }
    cost.note("measure", begun.elapsed());
}

/// Updates the data that the panel shows.
pub(super) fn update_info(
    task: Res<MeasureTask>,
    evaluation: Res<EvaluationClient>,
    (editor, state): (Res<Editor>, Res<MeasuresState>),
    mut info: ResMut<MeasuresInfo>,
) {
    *info = task.info(&editor.doc, &evaluation, &state.limits);
}
