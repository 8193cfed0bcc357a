//! The editor's turn in a frame: reports in, panels, effects and requests out.

mod observe;

use std::sync::Arc;
use std::time::{Duration, Instant};

use bevy::app::AppExit;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy::window::{PrimaryWindow, RequestRedraw, WindowCloseRequested};
use bevy::winit::{UpdateMode, WinitSettings};
use bevy_egui::{EguiContexts, egui};
use serde_json::json;

use crate::app::features::bench::task::{BenchInfo, BenchTask};
use crate::app::features::compare::panel::CompareInfo;
use crate::app::features::compare::task::CompareTask;
use crate::app::features::construction::surface::TreeSurfaceTask;
use crate::app::features::drive::Observed;
use crate::app::features::export::task::{ExportTask, Product};
use crate::app::features::measures::task::MeasureTask;
use crate::app::features::patch::task::PatchTask;
use crate::app::features::variants::thumbnails::{ThumbnailService, VariantsInfo};
use crate::app::frame::commands::{ViewAction, Viewpoint};
use crate::app::frame::crash_recovery::CrashRecovery;
use crate::app::frame::editor;
use crate::app::frame::editor::{Editor, Effect};
use crate::app::frame::evaluation::{EvaluationClient, Picture};
use crate::app::frame::status::{Running, StatusInfo, UnderCursor};
use crate::app::frame::theme;
use crate::app::view::globe::camera::meet_sphere;
use crate::app::view::globe::{Body, GlobeCamera, GlobeProbe, GlobeWay, Planned, Showing, project};
use crate::app::view::{
    Drawn, Piece, Probe, Shown, Side, Stage, ViewCamera, ViewCommand, ViewMode, ViewportArea, Waker, cost_legend,
};
use crate::look::{BiomeTable, table_of};
use crate::planet::Planet;
use crate::planet::climate::Climate;
use crate::planet::projection::from_map;
use crate::scene::{Scene, Trouble};

pub use crate::app::frame::systems::observe::observe;

/// The panels with all they hold.
#[derive(Resource)]
pub struct EditorResource {
    pub editor: Editor,
    themed: bool,
    /// The scene whose colours the view has.
    coloured: Option<Coloured>,
}

impl EditorResource {
    pub fn new(editor: Editor) -> Self {
        Self { editor, themed: false, coloured: None }
    }
}

/// Time that the main world took for a frame since the first terrain was shown; drawing runs beside it.
#[derive(Resource, Default)]
pub struct FrameCost {
    begun: Option<Instant>,
    /// The longest of all frames.
    longest: Duration,
    /// The longest [`receive`] and [`panels`].
    longest_receive: Duration,
    longest_panels: Duration,
    longest_compare: Duration,
    longest_variants: Duration,
    longest_measure: Duration,
}

impl FrameCost {
    /// Comparing took `spent` of this frame.
    pub fn compare(&mut self, spent: Duration) {
        self.longest_compare = self.longest_compare.max(spent);
    }

    /// Ordering and taking thumbnails took `spent` of this frame.
    fn variants(&mut self, spent: Duration) {
        self.longest_variants = self.longest_variants.max(spent);
    }

    /// Measuring took `spent` of this frame.
    pub fn measure(&mut self, spent: Duration) {
        self.longest_measure = self.longest_measure.max(spent);
    }
}

pub fn begin_frame(mut cost: ResMut<FrameCost>) {
    cost.begun = Some(Instant::now());
}

pub fn end_frame(mut cost: ResMut<FrameCost>, drawn: Res<Drawn>) {
    let spent = cost.begun.map_or(Duration::ZERO, |begun| begun.elapsed());
    if drawn.serial() > 0 {
        cost.longest = cost.longest.max(spent);
    }
}

/// Someone closes the window: the editor asks about unsaved changes first.
pub fn ask_before_closing(mut requests: MessageReader<WindowCloseRequested>, mut state: ResMut<EditorResource>) {
    if requests.read().next().is_some() {
        state.editor.close_requested();
    }
}

/// What the colours of a scene depend on.
#[derive(PartialEq)]
struct Coloured {
    palette: String,
    climate: Option<Climate>,
    biomes: Option<Arc<BiomeTable>>,
    planet: Option<Planet>,
    settings: [f32; 3],
}

impl Coloured {
    fn of(scene: &Scene) -> Self {
        let settings = &scene.settings;
        Self {
            palette: scene.palette.clone(),
            climate: scene.climate.clone(),
            biomes: scene.biomes.clone(),
            planet: scene.as_planet().map(|planet| Planet { hour: 0.0, ..planet.clone() }),
            settings: [settings.sea_level, settings.relief_metres, settings.size_metres],
        }
    }
}

/// What arrived from the worker goes on screen.
pub fn receive(
    mut evaluation: ResMut<EvaluationClient>,
    (mut exports, mut patching): (ResMut<ExportTask>, ResMut<PatchTask>),
    mut state: ResMut<EditorResource>,
    mut shown: ResMut<Shown>,
    mut redraw: MessageWriter<RequestRedraw>,
    mut exit: MessageWriter<AppExit>,
    mut cost: ResMut<FrameCost>,
) {
    let begun = Instant::now();
    let state = &mut *state;
    let received = evaluation.receive(&mut state.editor.doc);
    for message in received.failures {
        let text = format!(
            "The terrain could not be computed. {message}. This is a defect of Talweg; undo the last edit to go on."
        );
        state.editor.toasts.error(text);
    }
    for problem in received.problems.into_iter().filter(|problem| problem.trouble == Trouble::Broken) {
        let layer = state.editor.doc.scene().layers.get(problem.layer);
        let name = layer.map_or_else(String::new, |layer| format!("Layer “{}”: ", layer.name));
        state.editor.toasts.warning(format!("{name}{}.", problem.message));
    }
    if let Some(prepared) = received.prepared {
        (shown.prepared, shown.globe) = match prepared {
            Picture::Terrain(terrain) => (Some(terrain), None),
            Picture::Planet(globe) => (None, Some(globe)),
        };
        redraw.write(RequestRedraw);
    }
    let scene = state.editor.doc.scene();
    let colours = Coloured::of(scene);
    if state.coloured.as_ref() != Some(&colours) {
        let table = table_of(scene);
        evaluation.grow(table.biomes.clone(), scene);
        shown.palette = Some(Arc::new(table));
        state.coloured = Some(colours);
        redraw.write(RequestRedraw);
    }
    if let Some(ending) = patching.ended() {
        state.editor.patch_ended(ending);
        redraw.write(RequestRedraw);
    }
    match exports.ended() {
        None => {}
        Some(Ok(_)) if exports.then_quit => {
            exit.write(AppExit::Success);
        }
        Some(Ok(written)) => state.editor.toasts.info(written),
        Some(Err(error)) => {
            exports.then_quit = false;
            state.editor.toasts.error(format!("Nothing was exported: {error}."));
        }
    }
    cost.longest_receive = cost.longest_receive.max(begun.elapsed());
}

/// What the panels can set in motion.
#[derive(SystemParam)]
pub struct Hands<'w> {
    commands: MessageWriter<'w, ViewCommand>,
    mode: ResMut<'w, ViewMode>,
    shown: ResMut<'w, Shown>,
    camera: Res<'w, ViewCamera>,
    globe: Globe<'w>,
    exports: ResMut<'w, ExportTask>,
    patching: ResMut<'w, PatchTask>,
    comparing: ResMut<'w, CompareTask>,
    thumbnails: ResMut<'w, ThumbnailService>,
    bench_task: ResMut<'w, BenchTask>,
    measuring: Res<'w, MeasureTask>,
    surface_task: Res<'w, TreeSurfaceTask>,
    drawn: Res<'w, Drawn>,
    tasks: Res<'w, Tasks>,
    recovery: Res<'w, CrashRecovery>,
    cost: ResMut<'w, FrameCost>,
    exit: MessageWriter<'w, AppExit>,
    redraw: MessageWriter<'w, RequestRedraw>,
}

/// What the view of a planet has to say and to hear.
#[derive(SystemParam)]
pub struct Globe<'w> {
    probe: Res<'w, GlobeProbe>,
    showing: ResMut<'w, Showing>,
    camera: Res<'w, GlobeCamera>,
    time: Res<'w, Time<Real>>,
}

/// Draws the panels and carries out what they ask for.
pub fn panels(
    mut contexts: EguiContexts,
    mut state: ResMut<EditorResource>,
    mut evaluation: ResMut<EvaluationClient>,
    mut hands: Hands,
    mut area: ResMut<ViewportArea>,
    probe: Res<Probe>,
    mut window: Single<&mut Window, With<PrimaryWindow>>,
) -> Result {
    let ctx = contexts.ctx_mut()?.clone();
    let state = &mut *state;
    if !state.themed {
        theme::apply(&ctx);
        state.themed = true;
        hands.redraw.write(RequestRedraw);
        return Ok(()); // fonts are there from the next frame on
    }
    let begun = Instant::now();
    let builder = egui::UiBuilder::new().layer_id(egui::LayerId::background()).max_rect(ctx.viewport_rect());
    let mut root = egui::Ui::new(ctx.clone(), egui::Id::new("root"), builder);
    let mut info = status(&mut evaluation, &hands.exports, &state.editor, &probe, &hands.globe.probe);
    info.compare = hands.comparing.info(&state.editor.doc, &evaluation);
    let receiving = Instant::now();
    hands.thumbnails.receive();
    info.variants = hands.thumbnails.info();
    let received = receiving.elapsed();
    info.no_tree = hands.surface_task.refusal().or(hands.drawn.refusal());
    if state.editor.view.mode == ViewMode::TracedCost && info.no_tree.is_none() {
        info.legend = Some(Arc::new(cost_legend()));
    }
    info.bench = hands.bench_task.info();
    info.measures = hands.measuring.info(&state.editor.doc, &evaluation, &state.editor.measures.limits);
    info.stage = stage(&hands, &area);
    info.patching = hands.patching.progress();
    state.editor.pieces.work_with(&hands.tasks);
    // also before the window is there: it begins where the view looks
    info.looks_at = looks_at(&hands);
    if state.editor.patch.is_open() {
        info.patch_on_screen = patch_on_screen(&state.editor, &hands, &area);
    }
    info.places_on_screen = places_on_screen(&state.editor, &hands, &area);
    let drawn = state.editor.ui(&mut root, &info);
    if state.editor.doc.is_watching() && state.editor.doc.tree().is_none() && !drawn.covered {
        watch_clicked_place(&ctx, &drawn, &mut state.editor, &probe, &hands.globe.probe);
    }
    show_planet(&mut state.editor, &mut hands);
    if state.editor.biomes.open
        && !drawn.covered
        && let Some(place) = clicked_place(&ctx, &drawn, &probe, &hands.globe.probe)
    {
        state.editor.biomes.place = Some(place);
    }
    area.set_if_neq(ViewportArea {
        min: Vec2::new(drawn.free_rect.min.x, drawn.free_rect.min.y),
        max: Vec2::new(drawn.free_rect.max.x, drawn.free_rect.max.y),
        pointer_over_ui: drawn.covered,
    });
    for effect in drawn.effects {
        carry_out(effect, &mut state.editor, &mut evaluation, &mut hands);
    }
    evaluation.send(&mut state.editor.doc);
    let is_busy = evaluation.is_busy() || state.editor.doc.transport().is_playing();
    let wanting = Instant::now();
    hands.thumbnails.want(&state.editor.wants(), is_busy);
    hands.cost.variants(received + wanting.elapsed());
    hands.recovery.keep(&state.editor.doc);
    let title = state.editor.doc.title();
    if window.title != title {
        window.title = title;
    }
    if evaluation.terrain.is_some() {
        hands.cost.longest_panels = hands.cost.longest_panels.max(begun.elapsed());
    }
    Ok(())
}

/// Degrees that clouds drift in a second.
const DRIFT: f32 = 0.3;
/// So often they are drawn while nothing else happens.
const DRIFT_PACE: Duration = Duration::from_millis(250);

/// How the planet is shown goes to the view; clouds drift.
fn show_planet(editor: &mut Editor, hands: &mut Hands) {
    let Some(planet) = editor.doc.scene().as_planet() else { return };
    let body = Body::of(planet);
    let view = &mut editor.globe;
    if hands.shown.globe.as_ref().is_some_and(|prepared| hands.globe.showing.drifts(prepared)) {
        // the window is woken for it now and then, see `pace`
        let seconds = hands.globe.time.delta_secs().min(2.0 * DRIFT_PACE.as_secs_f32());
        view.cloud_drift = (view.cloud_drift + DRIFT * seconds).rem_euclid(360.0);
    }
    hands.globe.showing.set_if_neq(Showing { body, view: view.clone(), way: editor.view.way });
}

/// A click on the ground, one that does not turn the camera, chooses the place that is watched.
fn watch_clicked_place(
    ctx: &egui::Context,
    drawn: &panels::Drawn,
    editor: &mut Editor,
    probe: &Probe,
    globe: &GlobeProbe,
) {
    if let Some(place) = clicked_place(ctx, drawn, probe, globe) {
        editor.doc.watch_place(Some(place));
    }
}

/// The place of the ground that a click hits, one that does not turn the camera; of a planet that on a map of all
/// longitudes and latitudes.
fn clicked_place(ctx: &egui::Context, drawn: &panels::Drawn, probe: &Probe, globe: &GlobeProbe) -> Option<[f32; 2]> {
    let at = ctx.input(|i| i.pointer.primary_clicked().then(|| i.pointer.interact_pos()).flatten())?;
    let is_free = drawn.free_rect.contains(at);
    let on_planet = globe.hit.map(|hit| hit.on_map());
    on_planet.or(probe.hit.map(|hit| [hit.u, hit.v])).filter(|_| is_free)
}

/// The terrain that is edited, as it is seen.
fn stage(hands: &Hands, area: &ViewportArea) -> Option<Stage> {
    let view = Rect { min: area.min, max: area.max };
    if !view.max.is_finite() || view.size().min_element() < 1.0 {
        return None;
    }
    let (prepared, _) = hands.shown.of(Side::A)?;
    let piece = hands.shown.pieces().into_iter().flatten().find(|piece| piece.side == Side::A)?;
    let lens = hands.shown.layout().lens(view.size());
    let (prepared, formation) = (prepared.clone(), hands.shown.formation.clone());
    Some(Stage { pose: hands.camera.pose, lens, origin: piece.picture(view).min, prepared, formation })
}

/// Where the watched place is seen.
fn places_on_screen(editor: &Editor, hands: &Hands, area: &ViewportArea) -> Vec<[f32; 2]> {
    let watched = editor.doc.place().filter(|_| editor.doc.is_watching());
    let Some([u, v]) = watched.or(editor.biomes.place.filter(|_| editor.biomes.open)) else { return Vec::new() };
    let view = Rect { min: area.min, max: area.max };
    if let Some(prepared) = &hands.shown.globe {
        let (camera, showing) = (&*hands.globe.camera, &*hands.globe.showing);
        let ground = prepared.ground_from(&showing.view, camera.pose.eye(), hands.shown.water);
        let direction = from_map([u, v].map(f64::from)).into();
        let at = project(camera, showing, &ground, view.size(), direction).map(|at| at + view.min);
        return at.filter(|at| view.contains(*at)).map(|at| [at.x, at.y]).into_iter().collect();
    }
    let lens = hands.shown.layout().lens(view.size());
    let seen = |piece: Piece| {
        let (prepared, _) = hands.shown.of(piece.side)?;
        let point = prepared.scale.world(u, v, prepared.terrain.height_at(u, v));
        let at = hands.camera.pose.project(&lens, point)? + piece.picture(view).min;
        piece.rect(view).contains(at).then_some([at.x, at.y])
    };
    hands.shown.pieces().into_iter().flatten().filter_map(seen).collect()
}

/// Longitude and latitude of the middle of the view of a planet, in degrees.
fn looks_at(hands: &Hands) -> Option<[f64; 2]> {
    let prepared = hands.shown.globe.as_ref()?;
    let (camera, showing) = (&*hands.globe.camera, &*hands.globe.showing);
    let angles = match showing.way {
        GlobeWay::Map => [camera.map.longitude, camera.map.latitude],
        GlobeWay::Globe | GlobeWay::Orbit => {
            let pose = camera.pose;
            let ground = meet_sphere(pose.eye(), pose.forward(), prepared.radius_metres);
            let at = ground.unwrap_or(pose.eye()).normalize();
            [at.y.atan2(at.x), at.z.clamp(-1.0, 1.0).asin()]
        }
    };
    Some(angles.map(f64::to_degrees))
}

/// Steps of a side of the square's outline.
const OUTLINE_STEPS: usize = 32;

/// The border of the square that is being chosen, where it is in sight.
fn patch_on_screen(editor: &Editor, hands: &Hands, area: &ViewportArea) -> Vec<Vec<[f32; 2]>> {
    let (Some(prepared), Some(planet)) = (&hands.shown.globe, editor.doc.scene().as_planet()) else {
        return Vec::new();
    };
    let (camera, showing) = (&*hands.globe.camera, &*hands.globe.showing);
    let size = area.max - area.min;
    let ground = prepared.ground_from(&showing.view, camera.pose.eye(), hands.shown.water);
    let border = editor.patch.square().border(f64::from(planet.radius_metres), OUTLINE_STEPS);
    let mut lines: Vec<Vec<[f32; 2]>> = vec![Vec::new()];
    for direction in border {
        let seen = project(camera, showing, &ground, size, direction.into()).map(|at| at + area.min);
        let line = lines.last_mut().and_then(|line| line.last().copied());
        // a map goes on at its other edge
        let torn = seen.zip(line).is_some_and(|(at, before)| (at.x - before[0]).abs() > 0.5 * size.x);
        if (seen.is_none() && line.is_some()) || torn {
            lines.push(Vec::new());
        }
        if let (Some(at), Some(line)) = (seen, lines.last_mut()) {
            line.push([at.x, at.y]);
        }
    }
    lines.retain(|line| line.len() > 1);
    lines
}

fn status(evaluation: &mut EvaluationClient, exports: &ExportTask, editor: &Editor, probe: &Probe, globe: &GlobeProbe) -> StatusInfo {
    let settings = &editor.doc.scene().settings;
    let samples = evaluation.terrain.as_ref().map(|t| t.samples());
    StatusInfo {
        running: evaluation.status().map(|s| Running {
            layer: s.layer,
            layers: s.layers,
            fraction: s.fraction,
            preview: s.preview,
            elapsed: s.elapsed,
        }),
        exporting: exports.progress(),
        patching: None,
        stopped: editor.doc.is_unfinished() && !evaluation.is_busy(),
        last_evaluation: evaluation.elapsed,
        samples,
        preview: samples.is_some_and(|n| n < editor.doc.scene().samples()),
        range_metres: evaluation.terrain.is_some().then(|| {
            let (low, high) = evaluation.range;
            (low * settings.relief_metres, high * settings.relief_metres)
        }),
        cursor: under_cursor(probe, globe),
        legend: evaluation.legend(),
        insight: evaluation.insight.clone(),
        problems: evaluation.problems.clone(),
        places_on_screen: Vec::new(),
        looks_at: None,
        patch_on_screen: Vec::new(),
        no_tree: None,
        compare: CompareInfo::default(),
        variants: VariantsInfo::default(),
        bench: BenchInfo::default(),
        measures: panels::MeasuresInfo::default(),
        ground: editor.biomes.place.filter(|_| editor.biomes.open).and_then(|[u, v]| evaluation.composition(u, v)),
        stage: None,
    }
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

fn export(product: Product, path: &std::path::Path, editor: &mut Editor, hands: &mut Hands) {
    let what = product.name();
    if let Err(error) = hands.exports.start(editor.doc.scene(), product, path, &hands.tasks) {
        editor.toasts.error(format!("The {what} was not exported: {error}."));
    }
}

fn carry_out(effect: Effect, editor: &mut Editor, evaluation: &mut EvaluationClient, hands: &mut Hands) {
    match effect {
        Effect::Cancel => {
            evaluation.cancel();
            hands.exports.cancel();
            hands.patching.cancel();
            hands.comparing.cancel(&mut editor.doc);
        }
        Effect::Look([low, high]) => {
            hands.commands.write(ViewCommand::Look { low_world: low.into(), high_world: high.into() });
        }
        Effect::Compare(ask) => {
            let hands = &mut *hands;
            if let Err(error) = hands.comparing.ask(ask, &mut editor.doc, evaluation, &hands.tasks) {
                editor.toasts.error(format!("There is nothing to compare with: {error}."));
            }
        }
        Effect::Bench(ask) => {
            if let Err(error) = hands.bench_task.ask(ask, &hands.tasks) {
                editor.toasts.error(format!("The benchmark did not begin: {error}."));
            }
        }
        Effect::Export { path } => export(Product::Heightmap, &path, editor, hands),
        Effect::Patch(task) => {
            if let Err(error) = hands.patching.start(*task, &hands.tasks) {
                editor.toasts.error(format!("There is no patch: {error}."));
            }
        }
        Effect::Film { film, path } => export(Product::Film(film), &path, editor, hands),
        Effect::Quit if hands.exports.is_running() => {
            hands.exports.then_quit = true;
            editor.toasts.info("Talweg closes when the export is written. Esc stops the export.");
        }
        Effect::Quit => {
            hands.exit.write(AppExit::Success);
        }
        Effect::View(action) => match action {
            ViewAction::Frame => {
                hands.commands.write(ViewCommand::Frame);
            }
            ViewAction::Reset | ViewAction::From(Viewpoint::Default) => {
                hands.commands.write(ViewCommand::Perspective);
            }
            ViewAction::From(side) => {
                hands.commands.write(match side {
                    Viewpoint::Default => ViewCommand::Perspective,
                    Viewpoint::Top => ViewCommand::Top,
                    Viewpoint::South => ViewCommand::FromSouth,
                    Viewpoint::East => ViewCommand::FromEast,
                    Viewpoint::North => ViewCommand::FromNorth,
                    Viewpoint::West => ViewCommand::FromWest,
                });
            }
            ViewAction::Mode(mode) => *hands.mode = mode,
            ViewAction::Overlay(_) => evaluation.show_overlay(editor.view.overlay),
            ViewAction::ToggleWater => hands.shown.water = editor.view.water,
            ViewAction::Way(_) => {} // shown with the other settings
        },
    }
    hands.redraw.write(RequestRedraw);
}

/// Frames come at a calm pace while something is computed, and only on events otherwise. Clouds drift slowly, and not in a
/// window that nobody works in.
pub fn pace(
    mut evaluation: ResMut<EvaluationClient>,
    tasks: Res<Tasks>,
    (shown, showing): (Res<Shown>, Res<Showing>),
    mut winit: ResMut<WinitSettings>,
    driven: Option<Res<crate::app::features::drive::Driven>>,
) {
    let calm = UpdateMode::reactive_low_power(Duration::from_secs(60));
    let mode = if driven.is_some() {
        UpdateMode::Continuous
    } else if evaluation.is_busy() || tasks.is_busy() {
        UpdateMode::reactive_low_power(Duration::from_millis(60))
    } else if tasks.is_timing() {
        // seldom: drawing takes time from what is measured
        UpdateMode::reactive_low_power(Duration::from_millis(500))
    } else {
        calm
    };
    let drifts = shown.globe.as_ref().is_some_and(|prepared| showing.drifts(prepared));
    let focused = if drifts && mode == calm { UpdateMode::reactive_low_power(DRIFT_PACE) } else { mode };
    if (winit.focused_mode, winit.unfocused_mode) != (focused, mode) {
        (winit.focused_mode, winit.unfocused_mode) = (focused, mode);
    }
}
