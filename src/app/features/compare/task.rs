//! Computes and measures B, the terrain that the terrain on screen is compared with. The work runs in parallel to the
//! evaluation worker. B is kept until the comparison ends.
//!
//! ```text
//! CompareRequest ──▶ making ──▶ B ──▶ overlaid (the overlay over B) ──▶ ViewState.beside
//!                    └───▶ measuring (with the terrain on screen) ──▶ Table
//! ```
//! Each step runs on a thread of its own with a stop flag. A newer request replaces an older request. The previous
//! result stays until the new result is ready. B does not change, unless it is a variant of the scene. A variant is
//! recomputed after the scene has changed and the worker is idle, so that the recomputation never delays an edit.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use bevy::prelude::*;
use bevy::window::RequestRedraw;

use crate::features::compare::differences::{ScaledTerrain, Table};
use crate::features::compare::make::{B, MakeError, SourceOfB, evaluate_b, subject};
use crate::features::compare::panel::{CompareInfo, CompareState};
use crate::frame::actions::CancelWork;
use crate::frame::document::Document;
use crate::frame::editor::Editor;
use crate::frame::evaluation::EvaluationClient;
use crate::frame::tasks::{Busy, Newest, Outcome, Task, Tasks};
use crate::frame::window::FrameCost;
use crate::view::{ComparedTerrain, Overlay, OverlayChoice, ReferenceTerrain, RenderTerrain, ViewState, climate_of};
use talweg::appearance::PaletteTable;
use talweg::eval::{Playhead, Store};
use talweg::scene::Scene;

/// A request for the scene B.
#[derive(Message, Clone, Debug, PartialEq)]
pub enum CompareRequest {
    /// Uses the terrain on screen as B. If only a preview is on screen, computes B at full resolution.
    Keep { state: State, is_whole: bool },
    /// Uses another state of the scene as B.
    State(State),
    /// Uses the scene in this file as B.
    File(PathBuf),
    /// Uses the variant that the document names as B. This B is recomputed when the scene changes.
    Variant,
    /// Ends the comparison.
    Nothing,
}

/// A scene at a playhead position.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    pub name: String,
    pub scene: Arc<Scene>,
    pub playhead: Option<Playhead>,
}

/// The task that computes the next terrain B.
struct PendingB {
    name: String,
    task: Task<Result<(B, Vec<String>), MakeError>>,
    layers: Arc<AtomicUsize>,
    follows: bool,
}

/// Serial number of B, and the overlay that is shown on B.
type OverlayKey = (u64, Overlay);

/// The terrain B, and the tasks that compute, overlay and measure it.
#[derive(Resource, Default)]
pub struct CompareTask {
    b: Option<B>,
    making: Option<PendingB>,
    overlaid: Newest<OverlayKey, RenderTerrain>,
    table: Newest<(ScaledTerrain, ScaledTerrain), Arc<Table>>,
    store: Arc<Mutex<Option<Store>>>,
    /// The last variant that was computed or is being computed.
    followed: Option<(Arc<Scene>, Option<Playhead>)>,
    /// The overlay that is shown on B.
    overlay: Overlay,
    /// Marks the window as busy while work waits for the worker to become idle.
    waits: Option<Busy>,
}

impl CompareTask {
    /// Starts the work for a request.
    ///
    /// # Errors
    /// When the system refuses to start a thread.
    pub fn handle_request(
        &mut self,
        ask: CompareRequest,
        document: &mut Document,
        evaluation: &mut EvaluationClient,
        tasks: &Tasks,
    ) -> std::io::Result<()> {
        (self.making, self.followed) = (None, None);
        if ask != CompareRequest::Variant {
            document.forget_variant();
        }
        match ask {
            CompareRequest::Nothing => {
                evaluation.compare_with(None);
                let old = std::mem::take(self);
                // drop the old cache on another thread, because freeing this much memory takes time
                std::thread::Builder::new().spawn(move || drop(old))?;
            }
            CompareRequest::Variant => {}
            CompareRequest::File(path) => {
                let name = path.file_stem().map_or_else(|| "scene".into(), |stem| stem.to_string_lossy().into_owned());
                self.make(name, SourceOfB::File(path), false, tasks)?;
            }
            CompareRequest::State(state) => {
                self.make(state.name, SourceOfB::Scene(state.scene, state.playhead), false, tasks)?
            }
            CompareRequest::Keep { state, is_whole } => {
                match evaluation
                    .on_screen()
                    .filter(|(terrain, _)| is_whole && terrain.samples() == state.scene.samples())
                {
                    Some((terrain, prepared)) => {
                        let (colours, climate) = (PaletteTable::for_scene(&state.scene), climate_of(&state.scene));
                        let b = B::new(state.name, terrain.clone(), colours, prepared.clone(), climate);
                        self.set_b(b, evaluation);
                    }
                    // a preview is too coarse for a comparison, so compute B
                    None => self.make(state.name, SourceOfB::Scene(state.scene, state.playhead), false, tasks)?,
                }
            }
        }
        Ok(())
    }

    /// Stops the running computation and keeps the current B.
    pub fn cancel(&mut self, document: &mut Document) {
        if self.making.take().is_some() {
            document.forget_variant();
        }
    }

    fn make(&mut self, name: String, from: SourceOfB, follows: bool, tasks: &Tasks) -> std::io::Result<()> {
        let layers = Arc::new(AtomicUsize::new(1));
        let (store, told, called) = (self.store.clone(), layers.clone(), name.clone());
        let choice = OverlayChoice { overlay: self.overlay, ..OverlayChoice::default() };
        let task = tasks.start("compare", move |control| evaluate_b(called, from, &choice, &store, &told, control))?;
        self.making = Some(PendingB { name, task, layers, follows });
        Ok(())
    }

    fn set_b(&mut self, b: B, evaluation: &mut EvaluationClient) {
        evaluation.compare_with(Some(ReferenceTerrain {
            terrain: b.subject.terrain.clone(),
            relief_metres: b.subject.scale().relief_metres,
        }));
        self.overlaid.stop();
        self.b = Some(b);
    }

    /// Takes the results of finished tasks.
    fn receive(&mut self, evaluation: &mut EvaluationClient) -> Result<Vec<String>, String> {
        let Some(making) = &mut self.making else { return Ok(Vec::new()) };
        let outcome = making.task.outcome();
        let (name, follows) = match outcome {
            Outcome::Running => return Ok(Vec::new()),
            _ => self.making.take().map_or_else(Default::default, |making| (making.name, making.follows)),
        };
        match outcome {
            Outcome::Done(Ok((b, warnings))) => {
                self.set_b(b, evaluation);
                // do not report problems of a variant, because they were already reported for the scene on screen
                Ok(if follows { Vec::new() } else { warnings })
            }
            Outcome::Done(Err(MakeError::Cancelled(_))) | Outcome::Running => Ok(Vec::new()),
            Outcome::Done(Err(error)) => Err(format!("Cannot compare with “{name}”: {error}.")),
            Outcome::Panicked => {
                self.store = Arc::default();
                Err(format!("“{name}” could not be computed. This is a bug in Talweg; please report it."))
            }
        }
    }

    /// Recomputes the variant after the scene has changed and the worker is idle.
    fn follow(&mut self, document: &Document, evaluation: &mut EvaluationClient, tasks: &Tasks) {
        let follows = self.making.as_ref().is_some_and(|making| making.follows);
        if evaluation.is_busy() || document.transport().is_playing() {
            // evaluate the edited scene before B
            if follows {
                (self.making, self.followed) = (None, None);
            }
            if document.variant().is_some() {
                self.waits = Some(tasks.busy());
            }
            return;
        }
        let (Some((scene, playhead)), Some(name)) = (document.variant_scene(), document.variant_name()) else { return };
        if let Some(b) = self.b.as_mut().filter(|b| b.name != name && !follows && self.followed.is_some()) {
            b.name.clone_from(&name); // the user has renamed the layer of the variant
        }
        if self.followed.as_ref().is_some_and(|(known, at)| *known == scene && *at == playhead) {
            return;
        }
        self.followed = Some((scene.clone(), playhead));
        // if no thread can be started, B is recomputed after the next change
        let _ = self.make(name, SourceOfB::Scene(scene, playhead), true, tasks);
    }

    /// Starts to apply the overlay of the view to B as well. The difference overlay is shown on A only.
    fn apply_overlay(&mut self, overlay: Overlay, tasks: &Tasks) {
        let overlay = if overlay == Overlay::Difference { Overlay::None } else { overlay };
        self.overlay = overlay;
        let Some(b) = &mut self.b else { return };
        let wanted = (b.prepared.base().serial, overlay);
        if self.overlaid.receive()
            && let Some((laid, prepared)) = self.overlaid.take()
            && laid == wanted
        {
            b.prepared = prepared;
        }
        if b.prepared.base().choice.overlay == overlay {
            self.overlaid.stop();
        } else if self.overlaid.running() != Some(&wanted) {
            let (biomes, climate) = (b.palette.biomes.clone(), Some(b.climate.clone()));
            let choice = OverlayChoice { overlay, biomes, climate, ..OverlayChoice::default() };
            let over = b.prepared.clone();
            let task = tasks.start("compare", move |control| over.with_overlay(&choice, control).ok());
            // if no thread can be started, the next frame tries again
            self.overlaid.start(wanted, task);
        }
    }

    /// Measures the terrain on screen and B, if both have full resolution and the table is visible.
    fn measure(&mut self, is_wanted: bool, document: &Document, evaluation: &mut EvaluationClient, tasks: &Tasks) {
        self.table.receive();
        let is_whole = |pair: &(ScaledTerrain, ScaledTerrain)| pair.0.terrain.samples() == document.scene().samples();
        let Some(pair) = self.pair(evaluation).filter(|pair| is_wanted && is_whole(pair)) else { return };
        let known = self.table.done().is_some_and(|(measured, _)| *measured == pair);
        if known || self.table.running() == Some(&pair) {
            return;
        }
        if evaluation.is_busy() {
            self.waits = Some(tasks.busy());
            return;
        }
        let (a, b) = pair.clone();
        let task = tasks.start("compare", move |control| Table::new(&a, &b, control).ok().map(Arc::new));
        self.table.start(pair, task);
    }

    /// The terrain on screen and the terrain B, if both exist.
    fn pair(&self, evaluation: &EvaluationClient) -> Option<(ScaledTerrain, ScaledTerrain)> {
        let (terrain, prepared) = evaluation.on_screen()?;
        let (a, b) = (subject(terrain.clone(), prepared), self.b.as_ref()?.subject.clone());
        (a.is_planet() == b.is_planet()).then_some((a, b))
    }

    /// The terrain B as the view shows it. `None` if one of the two terrains is a planet and the other is not.
    fn compared_terrain(&self, state: &CompareState, evaluation: &EvaluationClient) -> Option<ComparedTerrain> {
        self.pair(evaluation)?;
        let b = self.b.as_ref()?;
        Some(ComparedTerrain {
            terrain: b.prepared.clone(),
            palette: b.palette.clone(),
            layout: state.layout(),
            swapped: state.swapped,
        })
    }

    /// The data about the comparison that the panels show.
    pub fn info(&self, document: &Document, evaluation: &EvaluationClient) -> CompareInfo {
        let waiting = || document.variant_name().filter(|_| self.followed.is_none()).map(|name| (name, 0.0));
        let making = self.making.as_ref().map(|making| {
            let (layer, fraction) = making.task.control().progress();
            let layers = making.layers.load(Ordering::Relaxed).max(1);
            (making.name.clone(), ((layer as f32 + fraction) / layers as f32).min(1.0))
        });
        let measured = self.table.done().map(|(pair, _)| pair);
        CompareInfo {
            b: self.b.as_ref().map(|b| b.name.clone()),
            is_planet: self.b.as_ref().is_some_and(|b| b.subject.is_planet()),
            making: making.or_else(waiting),
            legend: self.b.as_ref().and_then(|b| b.prepared.base().legend.clone()),
            table: self.table.done().map(|(_, table)| table.clone()),
            stale: measured.is_some() && measured != self.pair(evaluation).as_ref(),
        }
    }
}

/// Takes the results of finished tasks, starts the next tasks, and updates the view.
#[allow(clippy::too_many_arguments, reason = "a Bevy system has one argument per input")]
pub(super) fn advance(
    mut task: ResMut<CompareTask>,
    mut evaluation: ResMut<EvaluationClient>,
    mut editor: ResMut<Editor>,
    state: Res<CompareState>,
    mut view_state: ResMut<ViewState>,
    tasks: Res<Tasks>,
    mut redraw: MessageWriter<RequestRedraw>,
    mut cost: ResMut<FrameCost>,
) {
    let begun = Instant::now();
    let editor = &mut *editor;
    match task.receive(&mut evaluation) {
        Ok(warnings) => warnings.into_iter().for_each(|warning| editor.toasts.warning(warning)),
        Err(message) => {
            editor.doc.forget_variant();
            editor.toasts.error(message);
        }
    }
    task.waits = None;
    task.follow(&editor.doc, &mut evaluation, &tasks);
    task.apply_overlay(editor.view.overlay, &tasks);
    task.measure(state.table, &editor.doc, &mut evaluation, &tasks);
    let beside = task.compared_terrain(&state, &evaluation);
    let same = match (&view_state.compared, &beside) {
        (None, None) => true,
        (Some(old), Some(new)) => {
            old.terrain.base().serial == new.terrain.base().serial
                && (old.layout, old.swapped) == (new.layout, new.swapped)
        }
        _ => false,
    };
    if !same {
        view_state.compared = beside;
        redraw.write(RequestRedraw);
    }
    cost.note("compare", begun.elapsed());
}

/// Updates the data that the panels show.
pub(super) fn update_info(
    task: Res<CompareTask>,
    evaluation: Res<EvaluationClient>,
    editor: Res<Editor>,
    mut info: ResMut<CompareInfo>,
) {
    *info = task.info(&editor.doc, &evaluation);
}

/// Executes the compare requests, and stops the computation if the user cancels it.
pub(super) fn obey(
    mut asks: ResMut<Messages<CompareRequest>>,
    mut cancelled: MessageReader<CancelWork>,
    mut task: ResMut<CompareTask>,
    (mut editor, mut evaluation): (ResMut<Editor>, ResMut<EvaluationClient>),
    tasks: Res<Tasks>,
    mut redraw: MessageWriter<RequestRedraw>,
) {
    let editor = &mut *editor;
    if cancelled.read().next().is_some() {
        task.cancel(&mut editor.doc);
    }
    for ask in asks.drain() {
        if let Err(error) = task.handle_request(ask, &mut editor.doc, &mut evaluation, &tasks) {
            editor.toasts.error(format!("Cannot start the comparison: {error}."));
        }
        redraw.write(RequestRedraw);
    }
}
