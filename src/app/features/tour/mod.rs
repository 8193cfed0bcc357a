//! A tour in five steps. Each step shows an instruction and detects when the user has followed it. The next step then
//! begins. The user can leave and restart the tour.

use bevy::ecs::system::{In, InMut};
use bevy::prelude::*;
use bevy_egui::EguiPrimaryContextPass;
use bevy_egui::egui::{self, RichText, Ui, vec2};
use egui_phosphor::regular as icon;

use crate::frame::commands::{Action, CommandApp, CommandQueue, Info};
use crate::frame::document::Document;
use crate::frame::editor::Editor;
use crate::frame::interface::{InterfaceApp, InterfaceFrame, Slot};
use crate::frame::menu::tick;
use crate::frame::theme::colour;
use crate::frame::window::FrameSystems;
use crate::view::ViewCamera;

pub struct TourPlugin;

impl Plugin for TourPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<Tour>()
            .add_actions([TourAction::Toggle], run)
            .add_window_close(|mut tour: ResMut<Tour>| tour.step.take().is_some())
            .add_menu_part("Help", -10, menu)
            .add_part(Slot::Window, show)
            .add_systems(EguiPrimaryContextPass, update_camera.in_set(FrameSystems::UpdatePanels));
    }
}

/// Commands of the tour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TourAction {
    /// Starts or leaves the tour.
    Toggle,
    /// Continues with the step of this index. After the last step, the tour ends.
    Go(usize),
}

impl Action for TourAction {
    fn section(&self) -> &'static str {
        "Help"
    }

    fn info(&self) -> Info {
        Info::new(
            "Tour in five steps",
            "Introduces the editor, from the first look around to your own terrain.",
            icon::FLAG,
            &[],
        )
    }
}

/// Title and instruction of each step.
const STEPS: [(&str, &str); 5] = [
    ("Look around", "Drag in the view to orbit around the cursor; scroll to zoom. F frames the whole terrain."),
    ("Change a parameter", "Click a layer on the left and drag one of its sliders. Ctrl+Z undoes the whole drag."),
    ("Add an erosion", "Press Add above the layer list and choose an erosion, such as Thermal erosion."),
    ("Play the erosion", "Press Play in the bar at the bottom, or Space. Drag the bar to any iteration."),
    ("Save and export", "Ctrl+S saves the scene. File > Export… writes heights for other programs."),
];

/// The state of the editor at the start of a step. Comparing with it shows when the step is done.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct StepStart {
    camera: [f32; 5],
    edits: usize,
    processes: usize,
    is_saved: bool,
}

/// State of the tour.
#[derive(Resource, Default)]
pub struct Tour {
    /// Index of the current step, from 0; `None` if the tour is not active.
    pub step: Option<usize>,
    step_start: StepStart,
    /// The camera: three coordinates of the eye, heading and inclination. The window updates these values.
    pub camera: [f32; 5],
    is_done: bool,
}

impl Tour {
    fn go(&mut self, step: usize, document: &Document) {
        self.step = (step < STEPS.len()).then_some(step);
        self.step_start = now(self.camera, document);
        self.is_done = false;
    }

    /// Whether the user has done what `step` asks for.
    fn is_met(&self, step: usize, document: &Document) -> bool {
        let (was, is) = (self.step_start, now(self.camera, document));
        match step {
            0 => was.camera != is.camera,
            1 => is.edits > was.edits,
            2 => is.processes > was.processes,
            3 => document.transport().is_playing(),
            _ => document.path().is_some() && is.is_saved,
        }
    }
}

fn now(camera: [f32; 5], document: &Document) -> StepStart {
    let processes = document.scene().layers.iter().filter(|layer| layer.node.as_process().is_some()).count();
    StepStart { camera, edits: document.edits_done().len(), processes, is_saved: !document.is_dirty() }
}

fn update_camera(mut tour: ResMut<Tour>, camera: Res<ViewCamera>) {
    // read the camera before the tour starts, so that the first step compares with the current camera
    if !camera.is_gliding() {
        let pose = camera.pose;
        let [x, y, z] = pose.eye_world.to_array();
        tour.camera = [x, y, z, pose.yaw, pose.pitch];
    }
}

fn run(In(action): In<TourAction>, editor: Res<Editor>, mut tour: ResMut<Tour>) {
    match action {
        TourAction::Toggle if tour.step.is_some() => tour.step = None,
        TourAction::Toggle => tour.go(0, &editor.doc),
        TourAction::Go(step) => tour.go(step, &editor.doc),
    }
}

fn menu(InMut(ui): InMut<Ui>, tour: Res<Tour>, mut queue: ResMut<CommandQueue>) {
    tick(ui, &mut queue, TourAction::Toggle, true, tour.step.is_some());
}

fn show(
    InMut(ui): InMut<Ui>,
    editor: Res<Editor>,
    frame: Res<InterfaceFrame>,
    mut tour: ResMut<Tour>,
    mut queue: ResMut<CommandQueue>,
) {
    let Some(step) = tour.step else { return };
    tour.is_done |= tour.is_met(step, &editor.doc);
    let (ctx, free) = (ui.ctx().clone(), frame.free_rect);
    let (mut is_open, is_done) = (true, tour.is_done);
    let (title, text) = STEPS[step];
    let shown = egui::Window::new(format!("Tour, step {} of {}", step + 1, STEPS.len())).open(&mut is_open);
    let shown = shown.collapsible(false).resizable(false).default_pos(free.left_bottom() + vec2(12.0, -190.0));
    shown.constrain_to(free.shrink(6.0)).show(&ctx, |ui| {
        ui.set_width(300.0);
        ui.label(RichText::new(title).strong().color(colour::text_strong()));
        ui.label(text);
        ui.add_space(4.0);
        ui.horizontal(|ui| {
            let (symbol, said) = if is_done { (icon::CHECK, "Done") } else { (icon::CIRCLE, "Try it") };
            let tint = if is_done { colour::accent() } else { colour::text_weak() };
            ui.label(RichText::new(format!("{symbol}  {said}")).color(tint));
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                let next = if step + 1 == STEPS.len() { "End" } else { "Next step" };
                if ui.add(egui::Button::new(next).selected(is_done)).clicked() {
                    queue.push(TourAction::Go(step + 1));
                }
                if ui.add_enabled(step > 0, egui::Button::new("Back")).clicked() {
                    queue.push(TourAction::Go(step.saturating_sub(1)));
                }
            });
        });
    });
    if !is_open {
        tour.step = None;
    }
}
