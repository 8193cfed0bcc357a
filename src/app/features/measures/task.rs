//! Measures of the terrain on screen, taken beside the worker while their panel is open.
//!
//! Edits come first: while the worker computes, nothing begins here and what is under way for an older terrain stops. While
//! an erosion plays there is no rest to wait for: then measuring goes on, on one thread. Once the terrain at full size
//! is measured, the scene is computed at half its resolution to see whether a preview can be believed.

use std::sync::Arc;
use std::time::Instant;

use bevy::prelude::*;

use crate::app::features::measures::panel::{MeasuresInfo, Trust};
use crate::app::frame::document::Document;
use crate::app::frame::evaluation::Bridge;
use crate::app::frame::systems::{EditorResource, FrameCost};
use crate::app::frame::tasks::{Job, Outcome};
use crate::app::view::Waker;
use crate::eval::{Store, thread_pool};
use crate::field::Terrain;
use crate::lab::{Parity, parity};
use crate::measure::{Limits, Measures, Scale, measure};
use crate::nodes::Cancelled;
use crate::planet::{PlanetMeasures, measure_planet};
use crate::scene::Scene;

/// What is measured.
#[derive(Clone, Debug)]
struct Subject {
    terrain: Arc<Terrain>,
    scale: Scale,
    limits: Limits,
    /// The scene of a planet, with what its measures depend on and nothing else.
    planet: Option<Scene>,
}

/// What was found.
#[derive(Clone)]
enum Found {
    Terrain(Arc<Measures>),
    Planet(Arc<PlanetMeasures>),
}

impl PartialEq for Subject {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.terrain, &other.terrain)
            && (self.scale, &self.limits, &self.planet) == (other.scale, &other.limits, &other.planet)
    }
}

struct Running {
    of: Subject,
    job: Job<Result<Found, Cancelled>>,
}

/// The scene at half its resolution; its result stays known for the terrain it was compared with.
struct Checking {
    of: Arc<Terrain>,
    job: Option<Job<Result<Parity, Cancelled>>>,
    found: Option<Parity>,
}

/// See the module.
#[derive(Resource, Default)]
pub struct Measuring {
    running: Option<Running>,
    measured: Option<(Subject, Found)>,
    checking: Option<Checking>,
    /// Something begins as soon as the worker rests.
    waits: bool,
}

impl Measuring {
    /// Whether something is being worked out, or waits for that.
    pub fn is_busy(&self) -> bool {
        self.waits || self.running.is_some() || self.checking.as_ref().is_some_and(|checking| checking.job.is_some())
    }

    fn receive(&mut self) {
        if let Some(running) = &mut self.running {
            match running.job.outcome() {
                Outcome::Running => {}
                Outcome::Done(Ok(found)) => {
                    self.measured = self.running.take().map(|running| (running.of, found));
                }
                _ => self.running = None,
            }
        }
        if let Some(checking) = &mut self.checking
            && let Some(job) = &mut checking.job
        {
            match job.outcome() {
                Outcome::Running => {}
                Outcome::Done(Ok(parity)) => (checking.found, checking.job) = (Some(parity), None),
                _ => checking.job = None,
            }
        }
    }

    fn subject(document: &Document, bridge: &Bridge, limits: &Limits) -> Option<Subject> {
        let terrain = bridge.terrain.as_ref()?;
        let scene = document.scene();
        // what is on screen may still be of the scene before
        if terrain.grid.is_globe() != scene.as_planet().is_some() {
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
        Some(Subject { terrain: terrain.clone(), scale: Scale::of(scene), limits: limits.clone(), planet })
    }

    /// Begins what is needed next.
    fn advance(&mut self, document: &Document, bridge: &mut Bridge, limits: &Limits, waker: &Waker) {
        self.waits = false;
        let Some(subject) = Self::subject(document, bridge, limits) else { return };
        let playing = document.transport().is_playing();
        let computing = bridge.is_busy() && !playing;
        let known = self.measured.as_ref().is_some_and(|(of, _)| *of == subject);
        if known {
            self.running = None;
        } else if computing {
            // what runs is for an older terrain
            self.running = self.running.take().filter(|running| running.of == subject);
            self.waits = self.running.is_none();
        } else if self.running.as_ref().is_none_or(|running| !playing && running.of != subject) {
            let of = subject.clone();
            let job = Job::start("measure", waker, move |control| {
                let take = || match &of.planet {
                    Some(scene) => Ok(Found::Planet(Arc::new(measure_planet(&of.terrain, scene, control)?))),
                    None => Ok(Found::Terrain(Arc::new(measure(&of.terrain, of.scale, &of.limits, control)?))),
                };
                match thread_pool(usize::from(playing)) {
                    Ok(pool) => pool.install(take),
                    Err(_) => take(),
                }
            });
            // without a thread it comes with the next terrain
            self.running = job.ok().map(|job| Running { of: subject.clone(), job });
        }
        if subject.planet.is_none() {
            self.check(document, &subject, computing || playing || !known, waker);
        } else {
            self.checking = None;
        }
    }

    /// Looks whether the preview of the scene can be believed.
    fn check(&mut self, document: &Document, subject: &Subject, later: bool, waker: &Waker) {
        let checked = self.checking.as_ref().is_some_and(|checking| Arc::ptr_eq(&checking.of, &subject.terrain));
        if checked {
            return;
        }
        self.checking = None;
        let whole = !document.is_unfinished() && subject.terrain.samples() == document.scene().samples();
        if later || !whole || subject.terrain.samples() < 5 {
            return;
        }
        let (scene, playhead) = document.shown_scene();
        let full = subject.terrain.clone();
        let job = Job::start("parity", waker, move |control| {
            let look = || parity(&scene, &full, playhead, &mut Store::forgetful(), control);
            // one thread: it is in no hurry
            match thread_pool(1) {
                Ok(pool) => pool.install(look),
                Err(_) => look(),
            }
        });
        self.checking = Some(Checking { of: subject.terrain.clone(), job: job.ok(), found: None });
    }

    /// What the panels say about it.
    pub fn info(&self, document: &Document, bridge: &Bridge, limits: &Limits) -> MeasuresInfo {
        let subject = Self::subject(document, bridge, limits);
        let trust = self.checking.as_ref().and_then(|checking| match (&checking.job, checking.found) {
            (_, Some(parity)) => Some(Trust::Known(parity)),
            (Some(_), None) => Some(Trust::Coming),
            (None, None) => None,
        });
        let found = self.measured.as_ref().map(|(_, found)| found.clone());
        let (measures, planet) = match found {
            Some(Found::Terrain(measures)) => (Some(measures), None),
            Some(Found::Planet(measures)) => (None, Some(measures)),
            None => (None, None),
        };
        MeasuresInfo {
            measures,
            planet,
            stale: self.measured.as_ref().map(|(of, _)| of) != subject.as_ref(),
            preview: subject.is_some_and(|subject| subject.terrain.samples() < document.scene().samples()),
            trust,
        }
    }
}

/// Takes what has become ready and begins what is needed next. After [`crate::app::frame::systems::receive`].
pub fn advance(
    mut measuring: ResMut<Measuring>,
    mut bridge: ResMut<Bridge>,
    state: Res<EditorResource>,
    waker: Res<Waker>,
    mut cost: ResMut<FrameCost>,
) {
    let begun = Instant::now();
    let editor = &state.editor;
    measuring.receive();
    if editor.measures.open {
        measuring.advance(&editor.doc, &mut bridge, &editor.measures.limits, &waker);
    } else if measuring.is_busy() {
        // a closed panel needs nothing
        (measuring.running, measuring.checking, measuring.waits) = (None, None, false);
    }
    cost.measure(begun.elapsed());
}
