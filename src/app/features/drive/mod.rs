//! Plays a script of user actions in the real window: `talweg SCENE --drive steps.ron`.
//!
//! The script causes the same window events as a mouse and a keyboard. It finds widgets by their accessible names. Each
//! wait ends when the editor reaches a given state, not after a fixed time. The window test plays such scripts, and the
//! images of the README are made with them. If a step fails, the program exits with code 1 and lists the widgets on
//! screen.

mod input;
mod observe;
mod script;

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bevy::app::AppExit;
use bevy::prelude::*;
use bevy::render::renderer::RenderDevice;
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured};
use bevy::window::PrimaryWindow;
use bevy_egui::egui::accesskit;
use bevy_egui::{EguiContext, EguiOutput, EguiPreUpdateSet, PrimaryEguiContext};

use self::input::Injector;
use self::observe::Observed;
use self::script::{Atom, PointerTarget};
pub use self::script::{ScriptError, Step, read};
use crate::frame::commands::CommandQueue;
use crate::frame::evaluation::EvaluationClient;
use crate::frame::window::{FrameCost, Pacing};
use crate::view::{ViewCamera, ViewState, ViewSystems};
use talweg_cli::print_message;

/// Number of idle frames after which the editor counts as settled.
const QUIET_FRAMES: u32 = 4;
/// Number of frames after which a waiting step fails.
const PATIENCE_FRAMES: u32 = 6000;
/// Number of frames after which a step fails because its widget is not on screen.
const SEARCH_FRAMES: u32 = 200;

/// Plugin that plays `steps`. Relative paths in the steps are relative to the working directory.
pub struct DrivePlugin {
    pub steps: Vec<Step>,
    /// Becomes true when a step fails.
    pub has_failed: Arc<AtomicBool>,
}

#[derive(Resource)]
struct Driver {
    steps: VecDeque<Step>,
    atoms: VecDeque<Atom>,
    present: String,
    quiet: u32,
    waited: u32,
    /// Number of screenshots in progress.
    capturing: u32,
    /// A series of screenshots, one per frame: file name, number of screenshots taken, and total number.
    pictures: Option<(PathBuf, u32, u32)>,
    failed: Option<String>,
    has_failed: Arc<AtomicBool>,
}

/// Number of frames to wait for a disabled widget before the pointer moves to it anyway. egui measures a new dialog in
/// its first frame. In that frame, the dialog is invisible, takes no clicks, and is not at its final position.
const MEASURING_FRAMES: u32 = 3;

/// An accessible widget of the last drawn frame.
struct Widget {
    /// Role and name of the widget: `Role:name`.
    name: String,
    /// Rectangle of the widget, in points.
    rect: Rect,
    is_enabled: bool,
}

#[derive(Resource, Default)]
struct Widgets(Vec<Widget>);

impl Plugin for DrivePlugin {
    fn build(&self, app: &mut App) {
        app.world_mut().resource_mut::<Pacing>().is_continuous = true;
        app.init_resource::<Widgets>()
            .init_resource::<Observed>()
            .insert_resource(Driver {
                steps: self.steps.clone().into(),
                atoms: VecDeque::new(),
                present: String::new(),
                quiet: 0,
                waited: 0,
                capturing: 0,
                pictures: None,
                failed: None,
                has_failed: self.has_failed.clone(),
            })
            .add_systems(PreUpdate, drive.before(EguiPreUpdateSet::ProcessInput))
            .add_systems(
                PostUpdate,
                observe::observe.after(ViewSystems::Apply).run_if(resource_exists::<EvaluationClient>),
            )
            .add_systems(Last, collect_widgets);
    }
}

fn collect_widgets(
    mut widgets: ResMut<Widgets>,
    mut contexts: Query<(&mut EguiContext, &EguiOutput), With<PrimaryEguiContext>>,
) {
    for (mut context, output) in &mut contexts {
        context.get_mut().enable_accesskit();
        // allow long clicks, because a frame can take longer than the click of a user
        context.get_mut().options_mut(|options| options.input_options.max_click_duration = 120.0);
        let Some(update) = &output.platform_output.accesskit_update else { continue };
        let own = |node: &accesskit::Node| node.label().or_else(|| node.value()).map(str::to_string);
        let named_by = |node: &accesskit::Node| {
            let id = node.labelled_by().first()?;
            update.nodes.iter().find(|(other, _)| other == id).and_then(|(_, label)| own(label))
        };
        widgets.0 = update
            .nodes
            .iter()
            .filter_map(|(_, node)| {
                let name = named_by(node).or_else(|| own(node))?;
                let r = node.bounds()?;
                Some(Widget {
                    name: format!("{:?}:{name}", node.role()),
                    rect: Rect::new(r.x0 as f32, r.y0 as f32, r.x1 as f32, r.y1 as f32),
                    is_enabled: !node.is_disabled(),
                })
            })
            .collect();
    }
}

#[allow(clippy::too_many_arguments, reason = "a Bevy system has one argument per input")]
fn drive(
    mut driver: ResMut<Driver>,
    widgets: Res<Widgets>,
    (observed, view_state, mut camera): (Res<Observed>, Res<ViewState>, ResMut<ViewCamera>),
    mut injector: Injector,
    mut exit: MessageWriter<AppExit>,
    mut commands: Commands,
    mut queue: ResMut<CommandQueue>,
    (mut window, mut pacing, mut cost): (Single<&mut Window, With<PrimaryWindow>>, ResMut<Pacing>, ResMut<FrameCost>),
    card: Option<Res<RenderDevice>>,
) {
    let driver = &mut *driver;
    driver.quiet = if observed.busy { 0 } else { driver.quiet + 1 };
    if let Some(why) = driver.failed.take() {
        driver.has_failed.store(true, Ordering::Relaxed);
        print_message(&format!("step {} failed: {why}", driver.present));
        exit.write(AppExit::error());
        return;
    }
    if driver.atoms.is_empty() {
        let Some(step) = driver.steps.pop_front() else {
            exit.write(AppExit::Success);
            return;
        };
        driver.present = format!("{step:?}");
        driver.waited = 0;
        driver.atoms = step.atoms().into();
    }
    driver.waited += 1;
    let Some(atom) = driver.atoms.front().cloned() else { return };
    let mut done = true;
    if let Some((path, taken, count)) = driver.pictures.take() {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        take_picture(&mut commands, path.with_file_name(format!("{name}-{taken}.png")));
        driver.capturing += 1;
        driver.pictures = (taken + 1 < count).then_some((path, taken + 1, count));
    }
    match atom {
        Atom::Move(place) => match locate(&place, &widgets.0, driver.waited > MEASURING_FRAMES, observed.view) {
            Some(position) => injector.move_to(&mut window, position),
            None if driver.waited < SEARCH_FRAMES => done = false,
            None => driver.failed = Some(not_found(&place, &widgets.0)),
        },
        Atom::MoveBy(by) => injector.move_by(&mut window, by),
        Atom::Button(button, pressed) => injector.button(button, pressed),
        Atom::Scroll(lines) => injector.scroll(lines),
        Atom::Key(key, pressed) => injector.key(&key, pressed),
        Atom::Frame => {}
        Atom::View(command) => {
            queue.push(command);
        }
        Atom::Camera(from) => {
            if !camera.stand(&view_state, from) {
                driver.failed = Some("there is no terrain to stand on".into());
            }
        }
        Atom::Settle => done = driver.quiet >= QUIET_FRAMES,
        Atom::Iteration(least) => done = observed.iteration >= least,
        Atom::Present(name, wanted) => done = widgets.0.iter().any(|widget| widget.name.contains(&name)) == wanted,
        Atom::Picture(path) => {
            driver.capturing = 1;
            take_picture(&mut commands, path);
            driver.atoms[0] = Atom::PicturesSaved;
            done = false;
        }
        Atom::Pictures(path, count) => driver.pictures = Some((path, 0, count)),
        Atom::PicturesSaved => done = driver.pictures.is_none() && driver.capturing == 0,
        Atom::LoseCard => {
            if let Some(card) = &card {
                card.wgpu_device().destroy();
            }
        }
        Atom::Rest => {
            pacing.is_continuous = false;
            return;
        }
        Atom::Resize(width, height) => window.resolution.set_physical_resolution(width, height),
        Atom::State(path) => {
            if let Err(error) = std::fs::write(&path, format!("{:#}\n", observed.state)) {
                driver.failed = Some(format!("cannot write {}: {error}", path.display()));
            }
            cost.forget();
        }
    }
    if done {
        driver.atoms.pop_front();
        driver.waited = 0;
    } else if driver.waited > PATIENCE_FRAMES {
        driver.failed = Some(format!("gave up after {PATIENCE_FRAMES} frames"));
    }
}

fn take_picture(commands: &mut Commands, path: PathBuf) {
    commands.spawn(Screenshot::primary_window()).observe(
        move |captured: On<ScreenshotCaptured>, mut driver: ResMut<Driver>| {
            driver.capturing -= 1;
            let saved = captured
                .image
                .clone()
                .try_into_dynamic()
                .map_err(|e| e.to_string())
                .and_then(|image| image.to_rgb8().save(&path).map_err(|e| e.to_string()));
            if let Err(error) = saved {
                driver.failed = Some(format!("cannot write {}: {error}", path.display()));
            }
        },
    );
}

fn locate(place: &PointerTarget, widgets: &[Widget], even_disabled: bool, view: Rect) -> Option<Vec2> {
    match place {
        PointerTarget::View(x, y) => Some(view.min + view.size() * Vec2::new(*x, *y)),
        PointerTarget::Widget { name, x, y } => {
            let on_screen = || widgets.iter().filter(|w| w.rect.width() > 0.0);
            let exact = |n: &str| n == name || n.split_once(':').is_some_and(|(_, bare)| bare == name);
            let found = on_screen().find(|w| exact(&w.name));
            let found = found.or_else(|| on_screen().find(|w| w.name.contains(name)));
            let found = found.filter(|w| w.is_enabled || even_disabled);
            found.map(|w| w.rect.min + w.rect.size() * Vec2::new(*x, *y))
        }
    }
}

fn not_found(place: &PointerTarget, widgets: &[Widget]) -> String {
    let names: Vec<&str> = widgets.iter().map(|widget| widget.name.as_str()).collect();
    format!("{place:?} is not on screen; on screen are: {}", names.join(" | "))
}
