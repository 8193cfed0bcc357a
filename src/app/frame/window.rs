//! The systems that run in each frame: receive terrains, draw the panels, send requests. Further systems close the
//! window, set its title and control the frame rate.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bevy::app::AppExit;
use bevy::ecs::system::{NonSendMarker, SystemState};
use bevy::prelude::*;
use bevy::render::renderer::RenderDevice;
use bevy::window::{PrimaryWindow, RequestRedraw, WindowCloseRequested, WindowResized};
use bevy::winit::{UpdateMode, WinitSettings};
use bevy_egui::{EguiContexts, egui};
use cpu_time::ThreadTime;

use super::actions::{CancelWork, QuitRequested};
use super::commands::{CommandQueue, FileAction};
use super::editor::Editor;
use super::evaluation::EvaluationClient;
use super::interface;
use super::status::{LayerProgress, StatusInfo, UnderCursor};
use super::tasks::Tasks;
use super::theme;
use crate::view::{FrameStatus, GlobeProbe, Overlay, Probe, ViewMode, ViewState, ViewportArea};
use talweg::appearance::PaletteTable;
use talweg::appearance_files::{BiomeTable, MaterialRules, Palette, ScatterRules};
use talweg::planet::Planet;
use talweg::planet::climate::Climate;
use talweg::scene::{Scene, Severity};

/// The stages of a frame in which systems of features run.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FrameSystems {
    /// In `PreUpdate`: take the results of background work.
    Receive,
    /// Before the panels are drawn: update the data that they show.
    UpdatePanels,
    /// Draw the panels.
    Draw,
    /// Start the work that the panels requested.
    Execute,
    /// Send the document's request to the evaluation.
    Send,
    /// Work that depends on whether the evaluation is busy now.
    Settle,
}

/// Frame times of the main world since the first terrain was shown. They do not include rendering, which runs in
/// parallel.
#[derive(Resource, Default)]
pub struct FrameCost {
    /// Time at which the frame began, and the CPU time that the main thread had used until then.
    started: Option<(Instant, Duration)>,
    longest: BTreeMap<&'static str, Duration>,
}

impl FrameCost {
    /// Records that the part of the frame named `what` took `spent`.
    pub fn note(&mut self, what: &'static str, spent: Duration) {
        let longest = self.longest.entry(what).or_default();
        *longest = spent.max(*longest);
    }

    /// Resets the recorded longest durations.
    pub fn forget(&mut self) {
        self.longest.clear();
    }

    /// Returns the longest time that the part named `what` took in a frame.
    pub fn longest(&self, what: &str) -> Duration {
        self.longest.get(what).copied().unwrap_or_default()
    }
}

/// The frame rate while the user is inactive and no work runs.
#[derive(Resource, Default)]
pub struct Pacing {
    /// Whether frames are drawn without pauses even if nothing changes.
    pub is_continuous: bool,
    /// Time between frames in an idle window that has the focus.
    pub idle: Option<Duration>,
}

/// Whether to quit at the end of the frame. A feature that sets it to `false` must quit the program itself later.
#[derive(Resource, Default)]
pub struct Quitting(pub bool);

/// Records the start of a frame. Runs on the main thread, whose CPU time is measured.
pub(super) fn begin_frame(_: NonSendMarker, mut cost: ResMut<FrameCost>) {
    cost.started = Some((Instant::now(), ThreadTime::now().as_duration()));
}

/// Records the duration of the frame and the CPU time that the main thread used in it. CPU time excludes waiting and
/// the time of other programs.
pub(super) fn end_frame(_: NonSendMarker, mut cost: ResMut<FrameCost>, drawn: Res<FrameStatus>) {
    let Some((begun, worked)) = cost.started.filter(|_| drawn.serial() > 0) else { return };
    cost.note("frame", begun.elapsed());
    cost.note("main thread", ThreadTime::now().as_duration().saturating_sub(worked));
}

/// Shrinks the window to the largest texture size of the graphics card if it exceeds that size.
pub(super) fn fit_to_card(mut window: Single<&mut Window, With<PrimaryWindow>>, card: Option<Res<RenderDevice>>) {
    let Some(card) = card else { return };
    let most = card.limits().max_texture_dimension_2d;
    let (width, height) = (window.physical_width(), window.physical_height());
    if width > most || height > most {
        window.resolution.set_physical_resolution(width.min(most), height.min(most));
    }
}

/// Asks about unsaved changes when the user closes the window.
pub(super) fn ask_before_closing(mut requests: MessageReader<WindowCloseRequested>, mut queue: ResMut<CommandQueue>) {
    if requests.read().next().is_some() {
        queue.push(FileAction::Quit);
    }
}

/// The document data that determines the colours of a terrain.
#[derive(PartialEq)]
pub(super) struct Colours {
    palette: String,
    own_palette: Option<Arc<Palette>>,
    climate: Option<Climate>,
    biomes: Option<Arc<BiomeTable>>,
    materials: Option<Arc<MaterialRules>>,
    scatter: Option<Arc<ScatterRules>>,
    planet: Option<Planet>,
    settings: [f32; 3],
}

impl Colours {
    fn of_scene(scene: &Scene) -> Self {
        let settings = &scene.settings;
        Self {
            palette: scene.palette.clone(),
            own_palette: scene.own_palette.clone(),
            climate: scene.climate.clone(),
            biomes: scene.biomes.clone(),
            materials: scene.materials.clone(),
            scatter: scene.scatter.clone(),
            planet: scene.as_planet().map(|planet| Planet { hour: 0.0, ..planet.clone() }),
            settings: [settings.sea_level, settings.relief_metres, settings.size_metres],
        }
    }
}

/// Shows the results of the evaluation on screen.
pub(super) fn receive(
    mut evaluation: ResMut<EvaluationClient>,
    mut editor: ResMut<Editor>,
    mut view_state: ResMut<ViewState>,
    mut redraw: MessageWriter<RequestRedraw>,
    mut cost: ResMut<FrameCost>,
    mut coloured: Local<Option<Colours>>,
) {
    let begun = Instant::now();
    let editor = &mut *editor;
    let received = evaluation.receive(&mut editor.doc);
    for message in received.failures {
        let text = format!(
            "The terrain could not be computed. {message}. This is a bug in Talweg; undo the last edit to continue."
        );
        editor.toasts.error(text);
    }
    if let Some(reason) = received.refused {
        editor
            .toasts
            .warning(format!("{reason}. A preview is shown. Choose a lower resolution in the scene settings."));
    }
    for problem in received.problems.into_iter().filter(|problem| problem.severity == Severity::Broken) {
        let layer = editor.doc.scene().layers.get(problem.layer);
        let name = layer.map_or_else(String::new, |layer| format!("Layer “{}”: ", layer.name));
        editor.toasts.warning(format!("{name}{}.", problem.message));
    }
    if let Some(prepared) = received.prepared {
        view_state.terrain = Some(prepared);
        redraw.write(RequestRedraw);
    }
    let scene = editor.doc.scene();
    let colours = Colours::of_scene(scene);
    if coloured.as_ref() != Some(&colours) {
        let table = PaletteTable::for_scene(scene);
        evaluation.recolour(table.biomes.clone(), scene);
        view_state.palette = Some(Arc::new(table));
        *coloured = Some(colours);
        redraw.write(RequestRedraw);
    }
    cost.note("receive", begun.elapsed());
}

/// Updates the data about the evaluation and the view that the panels show.
pub(super) fn update_status(
    mut info: ResMut<StatusInfo>,
    mut evaluation: ResMut<EvaluationClient>,
    editor: Res<Editor>,
    probe: Res<Probe>,
    globe: Res<GlobeProbe>,
) {
    let (scene, settings) = (editor.doc.scene(), &editor.doc.scene().settings);
    let samples = evaluation.terrain.as_ref().map(|t| t.samples());
    *info = StatusInfo {
        running: evaluation.status().map(|s| LayerProgress {
            layer: s.layer,
            layers: s.layers,
            fraction: s.fraction,
            preview: s.preview,
            elapsed: s.elapsed,
        }),
        activities: Vec::new(),
        stopped: editor.doc.is_unfinished() && !evaluation.is_busy(),
        last_evaluation: evaluation.elapsed,
        samples,
        preview: samples.is_some_and(|n| n < scene.samples()),
        range_metres: evaluation.terrain.is_some().then(|| {
            let (low, high) = evaluation.range;
            (low * settings.relief_metres, high * settings.relief_metres)
        }),
        cursor: under_cursor(&probe, &globe),
        legend: evaluation.legend(),
        insight: evaluation.insight.clone(),
        problems: evaluation.problems.clone(),
    };
}

fn under_cursor(probe: &Probe, globe: &GlobeProbe) -> Option<UnderCursor> {
    let on_terrain = probe.hit.map(|hit| UnderCursor {
        height_metres: hit.height_metres,
        east_metres: hit.position_metres[0],
        south_metres: hit.position_metres[1],
        latitude_longitude: None,
    });
    let on_planet = globe.hit.map(|hit| UnderCursor {
        height_metres: hit.height_metres,
        east_metres: 0.0,
        south_metres: 0.0,
        latitude_longitude: Some([hit.latitude, hit.longitude]),
    });
    on_planet.or(on_terrain)
}

pub(super) fn draw(world: &mut World, contexts: &mut SystemState<EguiContexts>, mut themed: Local<bool>) -> Result {
    let begun = Instant::now();
    let ctx = contexts.get_mut(world)?.ctx_mut()?.clone();
    if !*themed {
        theme::prepare(&ctx);
        *themed = true;
        world.write_message(RequestRedraw);
        return Ok(()); // the fonts are available from the next frame on
    }
    let builder = egui::UiBuilder::new().layer_id(egui::LayerId::background()).max_rect(ctx.viewport_rect());
    let mut root = egui::Ui::new(ctx, egui::Id::new("root"), builder);
    let drawn = interface::draw(world, &mut root);
    world.insert_resource(drawn);
    world.resource_mut::<ViewportArea>().set_if_neq(ViewportArea {
        min: Vec2::new(drawn.free_rect.min.x, drawn.free_rect.min.y),
        max: Vec2::new(drawn.free_rect.max.x, drawn.free_rect.max.y),
        pointer_over_ui: drawn.covered,
        primary_taken: drawn.primary_taken,
    });
    if world.resource::<EvaluationClient>().terrain.is_some() {
        world.resource_mut::<FrameCost>().note("panels", begun.elapsed());
    }
    Ok(())
}

/// Draws several frames after the window was resized: panels take their new places in the first frame, the view in the
/// next, and without events no further frame would follow.
pub(super) fn repaint_resized(
    mut resized: MessageReader<WindowResized>,
    mut frames: Local<u32>,
    mut redraw: MessageWriter<RequestRedraw>,
) {
    if resized.read().last().is_some() {
        *frames = 4;
    }
    if *frames > 0 {
        *frames -= 1;
        redraw.write(RequestRedraw);
    }
}

/// Copies the view settings of the editor to the 3D view.
pub(super) fn apply_view_settings(
    editor: Res<Editor>,
    mut mode: ResMut<ViewMode>,
    mut view_state: ResMut<ViewState>,
    mut evaluation: ResMut<EvaluationClient>,
    mut redraw: MessageWriter<RequestRedraw>,
) {
    let view = &editor.view;
    if mode.set_if_neq(view.mode) {
        redraw.write(RequestRedraw);
    }
    if view_state.water != view.water {
        view_state.water = view.water;
        redraw.write(RequestRedraw);
    }
    if view_state.projection != view.lens {
        view_state.projection = view.lens;
        redraw.write(RequestRedraw);
    }
    let half_detail = view.tree_detail.half_metres(editor.doc.scene().settings.size_metres);
    if view_state.half_detail != half_detail {
        view_state.half_detail = half_detail;
        redraw.write(RequestRedraw);
    }
    if view_state.ground_detail != editor.interface.ground_detail {
        view_state.ground_detail = editor.interface.ground_detail;
        redraw.write(RequestRedraw);
    }
    // show the mask or map that is being painted
    let mask = editor.doc.shown_mask();
    let is_known = mask.is_some() && evaluation.known_mask() == mask;
    let map = editor.doc.shown_map().map(Overlay::Map);
    if evaluation.show_overlay(if is_known { Overlay::Mask } else { map.unwrap_or(view.overlay) }) {
        redraw.write(RequestRedraw);
    }
}

/// Stops the evaluation when cancelling was requested.
pub(super) fn cancel(mut cancelled: MessageReader<CancelWork>, mut evaluation: ResMut<EvaluationClient>) {
    if cancelled.read().next().is_some() {
        evaluation.cancel();
    }
}

/// Sends the document's request to the evaluation worker.
pub(super) fn send(mut evaluation: ResMut<EvaluationClient>, mut editor: ResMut<Editor>) {
    evaluation.send(&mut editor.doc);
}

/// Sets the window title, and quits the program if that was requested.
pub(super) fn update_window(
    editor: Res<Editor>,
    mut window: Single<&mut Window, With<PrimaryWindow>>,
    mut exit: MessageWriter<AppExit>,
    quitting: Res<Quitting>,
) {
    let title = editor.doc.title();
    if window.title != title {
        window.title = title;
    }
    if quitting.0 {
        exit.write(AppExit::Success);
    }
}

/// Records a request to quit. Features can delay the end of the program.
pub(super) fn note_quit(mut requests: MessageReader<QuitRequested>, mut quitting: ResMut<Quitting>) {
    if requests.read().next().is_some() {
        quitting.0 = true;
    }
}

/// Sets when the next frame is drawn: at a reduced rate while work runs, and otherwise only after an event.
pub(super) fn pace(
    mut evaluation: ResMut<EvaluationClient>,
    tasks: Res<Tasks>,
    pacing: Res<Pacing>,
    mut winit: ResMut<WinitSettings>,
) {
    let calm = UpdateMode::reactive_low_power(Duration::from_secs(60));
    let mode = if pacing.is_continuous {
        UpdateMode::Continuous
    } else if evaluation.is_busy() || tasks.is_busy() {
        UpdateMode::reactive_low_power(Duration::from_millis(60))
    } else if tasks.is_timing() {
        // draw rarely, because drawing distorts the measured times
        UpdateMode::reactive_low_power(Duration::from_millis(500))
    } else {
        calm
    };
    let focused = match pacing.idle {
        Some(idle) if mode == calm => UpdateMode::reactive_low_power(idle),
        _ => mode,
    };
    if (winit.focused_mode, winit.unfocused_mode) != (focused, mode) {
        (winit.focused_mode, winit.unfocused_mode) = (focused, mode);
    }
}
