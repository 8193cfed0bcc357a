//! The tour and five lessons. Each step shows an instruction, points at the widget that it names, and detects when the
//! user has followed it. The user can leave and restart a lesson. At its end, the scene stays open.
//!
//! ```text
//! lessons: title, steps ──▶ goals: when a step is done, which widgets lead there ──▶ pointer: the widget on the screen
//! ```

mod goals;
mod lessons;
mod pointer;

use bevy::ecs::system::{In, InMut};
use bevy::prelude::*;
use bevy_egui::EguiPrimaryContextPass;
use bevy_egui::egui::{self, RichText, Ui};
use egui_phosphor::regular as icon;

use self::goals::StepStart;
pub use self::goals::{StepGoal, TourTarget};
pub use self::lessons::{Lesson, LessonName, LessonScene, LessonStep};
use crate::features::brush::BrushState;
use crate::frame::commands::{Action, Command, CommandApp, CommandQueue, Info};
use crate::frame::document::Document;
use crate::frame::editor::Editor;
use crate::frame::interface::{InterfaceApp, InterfaceFrame, Slot};
use crate::frame::menu::{entry, tick};
use crate::frame::menu_bar::submenu;
use crate::frame::panels::Dock;
use crate::frame::theme::colour;
use crate::frame::window::FrameSystems;
use crate::view::{GlobeCamera, ViewCamera};
use talweg::scene::Scene;

pub struct TourPlugin;

impl Plugin for TourPlugin {
    fn build(&self, app: &mut App) {
        let lessons = LessonName::lessons().map(TourAction::Start);
        app.init_resource::<Tour>()
            .add_actions([TourAction::Toggle].into_iter().chain(lessons), run)
            .add_window_close(|mut tour: ResMut<Tour>| tour.step.take().is_some())
            .add_menu_part("Help", -10, menu)
            .add_part(Slot::Update, scroll)
            .add_part(Slot::End, show)
            .add_systems(EguiPrimaryContextPass, update_camera.in_set(FrameSystems::UpdatePanels));
    }
}

/// Commands of the tour and the lessons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TourAction {
    /// Starts the tour, or leaves the tour or lesson.
    Toggle,
    /// Starts a lesson. Asks first if unsaved changes would be lost.
    Start(LessonName),
    /// Starts a lesson in its scene.
    Begin(LessonName),
    /// Continues with the step of this index. After the last step, the lesson ends.
    Go(usize),
}

impl Action for TourAction {
    fn section(&self) -> &'static str {
        "Help"
    }

    fn info(&self) -> Info {
        match self {
            Self::Toggle | Self::Go(_) => {
                let tour = LessonName::Tour.lesson();
                Info::new("Tour in five steps", tour.about, tour.icon, &[])
            }
            Self::Start(name) | Self::Begin(name) => {
                let lesson = name.lesson();
                Info::new(format!("Lesson: {}", lesson.title), lesson.about, lesson.icon, &[])
            }
        }
    }
}

/// Number of frames in which the tour looks for a widget: it scrolls to it and opens its panel.
const MOST_TRIES: u32 = 8;
/// Distance below which the window of the tour does not move, in points. egui rounds positions to pixels.
const LEAST_MOVE: f32 = 2.0;
/// Width of the text in the window of the tour, in points.
const WIDTH: f32 = 300.0;

/// State of the tour, or of the lesson that is being taken.
#[derive(Resource)]
pub struct Tour {
    name: LessonName,
    /// Index of the current step, from 0; `None` if no lesson is being taken.
    pub step: Option<usize>,
    step_start: StepStart,
    /// The camera: three coordinates of the eye, heading and inclination. The window updates these values.
    pub camera: [f64; 5],
    is_done: bool,
    /// The widget at which the tour points, with its frame in points. `None` if it is not on screen.
    pub pointed: Option<(TourTarget, egui::Rect)>,
    /// The widgets that the tour looks for, and for how many frames it has done so.
    sought: (Vec<TourTarget>, u32),
    /// A widget that is scrolled into sight in the next frame.
    scroll_to: Option<egui::Id>,
}

impl Default for Tour {
    fn default() -> Self {
        Self {
            name: LessonName::Tour,
            step: None,
            step_start: StepStart::default(),
            camera: [0.0; 5],
            is_done: false,
            pointed: None,
            sought: (Vec::new(), 0),
            scroll_to: None,
        }
    }
}

impl Tour {
    fn go(&mut self, step: usize, document: &Document) {
        self.step = (step < self.name.lesson().steps.len()).then_some(step);
        self.step_start = StepStart::new(document, self.camera);
        self.is_done = false;
        self.pointed = None;
        self.sought = (Vec::new(), 0);
    }

    /// The current step; `None` if no lesson is being taken.
    pub fn current(&self) -> Option<&'static LessonStep> {
        self.name.lesson().steps.get(self.step?)
    }

    /// Whether the user has done what the current step asks for.
    pub fn is_done(&self) -> bool {
        self.is_done
    }
}

fn update_camera(mut tour: ResMut<Tour>, editor: Res<Editor>, (camera, globe): (Res<ViewCamera>, Res<GlobeCamera>)) {
    // read the camera before the tour starts, so that the first step compares with the current camera
    if editor.doc.scene().is_planet() {
        if !globe.is_gliding() {
            let (up, map) = (globe.pose.up_vector(), &globe.map);
            let zoom = globe.pose.radius + map.radians_per_pixel;
            tour.camera = [up.y + map.longitude, up.z + map.latitude, zoom, globe.pose.heading(), globe.pose.pitch];
        }
    } else if !camera.is_gliding() {
        let pose = camera.pose;
        let [x, y, z] = pose.eye_world.to_array();
        tour.camera = [x, y, z, pose.yaw, pose.pitch].map(f64::from);
    }
}

fn run(
    In(action): In<TourAction>,
    mut editor: ResMut<Editor>,
    mut tour: ResMut<Tour>,
    mut queue: ResMut<CommandQueue>,
) {
    match action {
        TourAction::Toggle if tour.step.is_some() => tour.step = None,
        TourAction::Toggle => queue.push(TourAction::Start(LessonName::Tour)),
        TourAction::Start(name) => match first_scene(name.lesson(), editor.doc.scene()) {
            Some(_) => editor.leave_scene(&mut queue, TourAction::Begin(name)),
            None => queue.push(TourAction::Begin(name)),
        },
        TourAction::Begin(name) => {
            if let Some(scene) = first_scene(name.lesson(), editor.doc.scene()) {
                editor.doc.replace(scene, None);
            }
            tour.name = name;
            tour.go(0, &editor.doc);
        }
        TourAction::Go(step) => {
            let lesson = tour.name.lesson();
            tour.go(step, &editor.doc);
            if tour.step.is_none() && editor.doc.is_dirty() {
                editor.toasts.info(format!("End of “{}”. The scene stays open; Ctrl+S saves it.", lesson.title));
            }
        }
    }
}

/// The scene in which a lesson begins. `None` if it begins in the open scene.
fn first_scene(lesson: &Lesson, open: &Scene) -> Option<Scene> {
    let (text, name) = match lesson.scene {
        LessonScene::Open(_) if !open.is_planet() && !open.layers.is_empty() => return None,
        LessonScene::Planet => return Some(Scene { name: lesson.title.into(), ..Scene::new_planet() }),
        LessonScene::Open(text) | LessonScene::Terrain(text) => (text, lesson.title),
    };
    // a test reads the scenes of all lessons
    let (scene, _) = Scene::from_ron(text).unwrap_or_default();
    Some(Scene { name: name.into(), ..scene })
}

fn menu(InMut(ui): InMut<Ui>, tour: Res<Tour>, mut queue: ResMut<CommandQueue>) {
    tick(ui, &mut queue, TourAction::Toggle, true, tour.step.is_some());
    submenu(ui, icon::STUDENT, "Lessons", |ui| {
        for name in LessonName::lessons() {
            let command = Command::from(TourAction::Start(name));
            if entry(ui, &command, Some(name.lesson().title), true, None) {
                queue.push(command);
            }
        }
    });
}

/// Scrolls the widget of the step into sight. Runs before the panels are drawn.
fn scroll(InMut(ui): InMut<Ui>, mut tour: ResMut<Tour>) {
    if let Some(id) = tour.scroll_to.take() {
        pointer::scroll_to(ui.ctx(), id);
    }
}

/// Finds the widget of the step, and points at it. Scrolls to the widget and opens its panel if it is out of sight.
fn point(ctx: &egui::Context, tour: &mut Tour, targets: Vec<TourTarget>, view: egui::Rect, dock: &mut Dock) {
    if tour.sought.0 != targets {
        tour.sought = (targets, 0);
    }
    let (targets, tries) = &mut tour.sought;
    let found = pointer::find(ctx, targets, view);
    tour.pointed = None;
    let is_in_sight = found.as_ref().is_some_and(|(found, whole)| found.is_in_sight(*whole));
    if let Some((found, _)) = found.as_ref().filter(|_| is_in_sight)
        && pointer::is_uncovered(ctx, found)
    {
        tour.pointed = Some((targets[found.index].clone(), pointer::outline(ctx, found.rect)));
    } else if *tries < MOST_TRIES {
        *tries += 1;
        match &found {
            Some((found, _)) => tour.scroll_to = Some(found.id),
            None => dock.open_tab(targets.last().and_then(TourTarget::panel)),
        }
        ctx.request_repaint();
    }
}

fn show(
    InMut(ui): InMut<Ui>,
    editor: Res<Editor>,
    brush: Res<BrushState>,
    frame: Res<InterfaceFrame>,
    (mut tour, mut dock): (ResMut<Tour>, ResMut<Dock>),
    mut queue: ResMut<CommandQueue>,
) {
    let (Some(index), Some(step)) = (tour.step, tour.current()) else { return };
    let (ctx, free) = (ui.ctx().clone(), frame.free_rect);
    // the names of the widgets are only collected for screen readers
    ctx.enable_accesskit();
    let camera = tour.camera;
    tour.is_done = tour.is_done || step.goal.is_reached(&tour.step_start, &editor.doc, camera);
    if tour.is_done {
        (tour.pointed, tour.sought) = (None, (Vec::new(), 0));
    } else {
        let targets = step.goal.targets(&editor.doc, brush.target(&editor.doc));
        point(&ctx, &mut tour, targets, free, &mut dock);
    }
    let screen = ctx.viewport_rect();
    let before = ctx.memory(|memory| memory.area_rect(pointer::window_id()));
    let size = before.map_or(egui::vec2(WIDTH + 24.0, 150.0), |before| before.size());
    let (target, now) = (tour.pointed.as_ref().map(|(_, rect)| *rect), before.map(|before| before.min));
    let position = pointer::place(free, screen, size, now, target, &pointer::windows(&ctx));

    let (lesson, is_done, mut is_open) = (tour.name.lesson(), tour.is_done, true);
    let count = lesson.steps.len();
    let window = egui::Window::new(format!("{}, step {} of {count}", lesson.title, index + 1)).id(pointer::window_id());
    let mut window = window.open(&mut is_open).collapsible(false).resizable(false).order(egui::Order::Tooltip);
    window = window.fade_in(false).fade_out(false).constrain_to(screen.shrink(6.0)).default_pos(position);
    // egui ignores the position of a window that is dragged by its title only
    window = window.drag_area(egui::WindowDrag::Anywhere);
    if now.is_some_and(|now| now.distance(position) > LEAST_MOVE) {
        window = window.current_pos(position);
        ctx.request_repaint();
    }
    window.show(&ctx, |ui| {
        ui.set_width(WIDTH);
        ui.label(RichText::new(step.title).strong().color(colour::text_strong()));
        ui.label(step.text);
        ui.add_space(4.0);
        ui.horizontal(|ui| {
            let (symbol, said) = if is_done { (icon::CHECK, "Done") } else { (icon::CIRCLE, "Try it") };
            let tint = if is_done { colour::accent() } else { colour::text_weak() };
            ui.label(RichText::new(format!("{symbol}  {said}")).color(tint));
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                let mut chosen = None;
                let next = if index + 1 == count { "End" } else { "Next step" };
                if ui.add(egui::Button::new(next).selected(is_done)).clicked() {
                    chosen = Some(index + 1);
                }
                if ui.add_enabled(index > 0, egui::Button::new("Back")).clicked() {
                    chosen = Some(index.saturating_sub(1));
                }
                if let Some(step) = chosen {
                    queue.push(TourAction::Go(step));
                    ui.ctx().request_repaint();
                }
            });
        });
    });
    if !is_open {
        tour.step = None;
    }
}
