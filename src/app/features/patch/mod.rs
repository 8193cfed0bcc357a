//! Patches of planets. A square of a planet is extracted as a terrain scene and edited there. Then it is applied to the
//! planet again.
//!
//! ```text
//! panel: the square ── PatchAction ──▶ PatchOrder ──▶ task: PatchTask ──▶ PatchResult ──▶ opened
//! ```

pub mod panel;
pub mod task;

use std::path::{Path, PathBuf};

use bevy::ecs::system::{In, InMut};
use bevy::prelude::*;
use bevy_egui::EguiPrimaryContextPass;
use bevy_egui::egui::Ui;
use egui_phosphor::regular as icon;

use self::panel::{PatchInfo, PatchState, absolute, put_back_order};
use self::task::{PatchOrder, PatchResult, PatchTask, PatchedPlanet};
use crate::frame::actions::CancelWork;
use crate::frame::commands::{Action, CommandApp, CommandQueue, Info, Proceed, keys};
use crate::frame::dialogs::files::{self, Files, file_stem};
use crate::frame::dialogs::overwrite::Overwrite;
use crate::frame::document::Selection;
use crate::frame::editor::{Editor, file_name, with_reason};
use crate::frame::interface::{InterfaceApp, InterfaceFrame, Slot};
use crate::frame::menu::pick;
use crate::frame::status::{Activity, StatusInfo};
use crate::frame::tasks::Tasks;
use crate::frame::window::FrameSystems;
use crate::view::globe::PlanetView;
use crate::view::globe::ground::meet_sphere;
use crate::view::{CompareSide, GlobeCamera, GlobeProbe, ViewState, ViewportArea, project};
use talweg::io::SaveTarget;
use talweg::preferences::PlanetProjection;

/// Number of segments of each side of the square's outline.
const OUTLINE_STEPS: usize = 32;

pub struct PatchPlugin;

impl Plugin for PatchPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<PatchState>()
            .init_resource::<PatchInfo>()
            .init_resource::<PatchTask>()
            .add_message::<PatchOrder>()
            .add_actions([PatchAction::Take, PatchAction::PutBack], run)
            .add_window_close(|mut state: ResMut<PatchState>| state.close())
            .add_menu_part("Layer", 20, menu)
            .add_part(Slot::View, outline)
            .add_part(Slot::Window, window)
            .add_systems(PreUpdate, receive.in_set(FrameSystems::Receive))
            .add_systems(
                EguiPrimaryContextPass,
                (update_info.in_set(FrameSystems::UpdatePanels), obey.in_set(FrameSystems::Execute)),
            );
    }
}

/// Commands on patches.
#[derive(Clone, Debug, PartialEq)]
pub enum PatchAction {
    /// Opens the window in which the user chooses the square.
    Take,
    /// Asks for the file in which to save the chosen square.
    AskWhere,
    /// Extracts the chosen square and saves it to this file.
    TakeTo(SaveTarget),
    PutBack,
    /// Opens the planet with the patch applied, after unsaved changes have been saved or discarded.
    ShowPlanet,
}

impl Action for PatchAction {
    fn section(&self) -> &'static str {
        "Layer"
    }

    fn info(&self) -> Info {
        match self {
            Self::Take | Self::AskWhere | Self::TakeTo(_) => Info::new(
                "Extract region…",
                "Extracts a square of the planet as a terrain scene of its own, in finer detail.",
                icon::CROP,
                keys![SHIFT + P],
            ),
            Self::PutBack => Info::new(
                "Apply region",
                "Applies this terrain to the planet that it was extracted from. The first time adds a layer to the \
                 planet.",
                icon::STAMP,
                &[],
            ),
            Self::ShowPlanet => {
                Info::new("Open planet", "Opens the planet with the region applied.", icon::GLOBE_HEMISPHERE_WEST, &[])
            }
        }
    }
}

fn run(
    In(action): In<PatchAction>,
    mut editor: ResMut<Editor>,
    mut state: ResMut<PatchState>,
    mut orders: MessageWriter<PatchOrder>,
) {
    let editor = &mut *editor;
    match action {
        PatchAction::Take if editor.doc.scene().is_planet() => state.open(),
        PatchAction::Take => {
            editor.toasts.warning("This scene is a terrain. Open or create a planet to extract a region from.")
        }
        PatchAction::AskWhere => {
            let name = format!("{} region", file_stem(&editor.doc));
            let then = |path| PatchAction::TakeTo(SaveTarget::new(path)).into();
            editor.dialogs.open(Files::save(&editor.doc, "Save region", &name, &[files::SCENE], then));
        }
        PatchAction::TakeTo(to) => {
            if editor.doc.path().is_none() && !editor.save_to(SaveTarget::new(planet_beside(to.path())), None) {
                return;
            }
            let Some(from) = editor.doc.path().map(absolute) else { return };
            state.close();
            let (square, samples) = (state.square(), state.samples);
            let planet = editor.doc.scene().clone();
            orders.write(PatchOrder::Take { planet, from, square, samples, to });
        }
        PatchAction::PutBack => match put_back_order(&editor.doc) {
            Ok(order) => {
                orders.write(order);
            }
            Err(message) => editor.toasts.warning(message.to_string()),
        },
        PatchAction::ShowPlanet => {
            let Some(PatchedPlanet { before, after, file }) = state.patched.take() else { return };
            editor.doc.replace(before, file);
            let is_new = after.layers.len() > editor.doc.scene().layers.len();
            let applied = editor.doc.scene().layers.iter().zip(&after.layers).position(|(old, new)| old != new);
            let layer = applied.unwrap_or(after.layers.len().saturating_sub(1));
            editor.doc.edit("Apply region", None, |scene| *scene = after);
            editor.doc.select(Selection::Layer(layer));
            editor.toasts.info(if is_new {
                "The region was applied as the topmost layer of the planet. Save the planet to keep it."
            } else {
                "The region was applied again, in the layer that it already had. Save the planet to keep it."
            });
        }
    }
}

/// An unused file name in the folder of the patch, for the file of a planet without a file.
fn planet_beside(patch: &Path) -> PathBuf {
    let stem = patch.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let named = |k: u32| {
        let number = if k == 1 { String::new() } else { format!(" {k}") };
        patch.with_file_name(format!("{stem} planet{number}.ron"))
    };
    (1..).map(named).find(|path| !path.exists()).unwrap_or_else(|| named(1))
}

fn menu(InMut(ui): InMut<Ui>, editor: Res<Editor>, mut queue: ResMut<CommandQueue>) {
    ui.separator();
    let is_planet = editor.doc.scene().is_planet();
    pick(ui, &mut queue, PatchAction::Take, is_planet);
    pick(ui, &mut queue, PatchAction::PutBack, !is_planet && editor.doc.scene().patch.is_some());
}

fn outline(
    InMut(ui): InMut<Ui>,
    mut frame: ResMut<InterfaceFrame>,
    (info, editor): (Res<PatchInfo>, Res<Editor>),
    mut state: ResMut<PatchState>,
) {
    panel::outline(ui, &info.border, frame.free_rect);
    frame.takes_primary |= panel::drag_square(ui, &mut state, &editor.doc, &info, frame.free_rect);
}

fn window(
    InMut(ui): InMut<Ui>,
    mut state: ResMut<PatchState>,
    editor: Res<Editor>,
    (info, frame): (Res<PatchInfo>, Res<InterfaceFrame>),
    mut queue: ResMut<CommandQueue>,
) {
    if panel::window(ui.ctx(), &mut state, &editor.doc, &info, frame.free_rect) {
        queue.push(PatchAction::AskWhere);
    }
}

fn receive(
    mut task: ResMut<PatchTask>,
    mut editor: ResMut<Editor>,
    mut state: ResMut<PatchState>,
    mut queue: ResMut<CommandQueue>,
) {
    if let Some(ending) = task.0.ended() {
        finish(ending, &mut editor, &mut state, &mut queue);
    }
}

/// Opens the result of a patch task: the patch, or the planet with the patch applied.
pub fn finish(
    ending: anyhow::Result<PatchResult>,
    editor: &mut Editor,
    state: &mut PatchState,
    queue: &mut CommandQueue,
) {
    match ending {
        Ok(PatchResult::Patch(path)) => {
            let name = file_name(&path);
            editor.toasts.info(format!("Extracted {name}. Edit it, then choose Layer > Apply region"));
            editor.leave_scene(queue, Proceed::Open(path));
        }
        Ok(PatchResult::Planet(patched)) => {
            state.patched = Some(*patched);
            editor.leave_scene(queue, PatchAction::ShowPlanet);
        }
        Err(error) => editor.toasts.failed(&error, with_reason("The region was not computed", &error)),
    }
}

fn update_info(
    (task, state, editor): (Res<PatchTask>, Res<PatchState>, Res<Editor>),
    (mut info, mut status): (ResMut<PatchInfo>, ResMut<StatusInfo>),
    (view_state, area): (Res<ViewState>, Res<ViewportArea>),
    (camera, planet_view, probe): (Res<GlobeCamera>, Res<PlanetView>, Res<GlobeProbe>),
) {
    if let Some((doing, done)) = task.0.progress() {
        let text = format!("{doing}, {:.0} %", done * 100.0);
        status.activities.push(Activity { text, done: Some(done) });
    }
    // update the view centre even before the window opens, because the square is initially centred on it
    info.looks_at = looks_at(&view_state, &camera, &planet_view);
    info.under_pointer = probe.hit.map(|hit| [hit.longitude, hit.latitude].map(f64::from));
    info.border =
        if state.is_open() { border(&editor, &state, &view_state, &camera, &planet_view, &area) } else { Vec::new() };
}

/// Longitude and latitude of the view centre of a planet, in degrees.
fn looks_at(view_state: &ViewState, camera: &GlobeCamera, planet_view: &PlanetView) -> Option<[f64; 2]> {
    let prepared = view_state.globe_on_side(CompareSide::A)?;
    let angles = match planet_view.projection {
        PlanetProjection::Map => [camera.map.longitude, camera.map.latitude],
        PlanetProjection::Globe | PlanetProjection::Orbit => {
            let pose = camera.pose;
            let ground = meet_sphere(pose.eye(), pose.forward(), prepared.radius_metres);
            let at = ground.unwrap_or(pose.eye()).normalize();
            [at.y.atan2(at.x), at.z.clamp(-1.0, 1.0).asin()]
        }
    };
    Some(angles.map(f64::to_degrees))
}

/// Computes the visible parts of the outline of the chosen square, in points.
fn border(
    editor: &Editor,
    state: &PatchState,
    view_state: &ViewState,
    camera: &GlobeCamera,
    planet_view: &PlanetView,
    area: &ViewportArea,
) -> Vec<Vec<[f32; 2]>> {
    let (Some(prepared), Some(planet)) = (view_state.globe_on_side(CompareSide::A), editor.doc.scene().as_planet())
    else {
        return Vec::new();
    };
    let size = area.max - area.min;
    let ground = prepared.ground_from(&planet_view.view, camera.pose.eye(), view_state.water);
    let border = state.square().border(f64::from(planet.radius_metres), OUTLINE_STEPS);
    let mut lines: Vec<Vec<[f32; 2]>> = vec![Vec::new()];
    for direction in border {
        let seen = project(camera, planet_view, &ground, size, direction.into()).map(|at| at + area.min);
        let line = lines.last_mut().and_then(|line| line.last().copied());
        // split a line that crosses the edge of a map, because it continues at the opposite edge
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

fn obey(
    mut orders: ResMut<Messages<PatchOrder>>,
    mut cancelled: MessageReader<CancelWork>,
    mut task: ResMut<PatchTask>,
    mut editor: ResMut<Editor>,
    tasks: Res<Tasks>,
) {
    if cancelled.read().next().is_some() {
        task.0.cancel();
    }
    for order in orders.drain() {
        let target = if let PatchOrder::Take { to, .. } = &order { Some(to.clone()) } else { None };
        if let Err(error) = task.start(order, &tasks) {
            let question = target.and_then(|to| question(&to, &error));
            editor.ask_or_report(question, || with_reason("The region was not computed", &error));
        }
    }
}

/// The question whether a patch may overwrite a protected file.
fn question(to: &SaveTarget, error: &anyhow::Error) -> Option<Overwrite> {
    let elsewhere = ("Another file…", PatchAction::AskWhere.into());
    Overwrite::from_error(error.downcast_ref()?, to, elsewhere, |to| PatchAction::TakeTo(to).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::commands::Command;
    use talweg::planet::square::Square;
    use talweg::scene::Scene;

    #[test]
    fn a_protected_file_is_confirmed_before_any_computation() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("alps.ron");
        std::fs::write(&path, "old").unwrap();
        let mut bits = std::fs::metadata(&path).unwrap().permissions();
        bits.set_readonly(true);
        std::fs::set_permissions(&path, bits).unwrap();
        let (mut task, tasks, to) = (PatchTask::default(), Tasks::default(), SaveTarget::new(&path));
        let square = Square { longitude: 20.0, latitude: 30.0, side_metres: 8.0e5 };
        let order = PatchOrder::Take {
            planet: Scene::new_planet(),
            from: "earth.ron".into(),
            square,
            samples: 65,
            to: to.clone(),
        };
        let refused = task.start(order, &tasks).unwrap_err();
        let asked = question(&to, &refused).expect("a question");
        assert_eq!(asked.over, Command::from(PatchAction::TakeTo(to.over_read_only(true).over_links(true))));
        assert_eq!(asked.elsewhere.1, Command::from(PatchAction::AskWhere));
    }
}
