//! The editor. It is the only part of Talweg that uses Bevy and egui.
//!
//! The table runs from the lowest level to the highest. Each folder uses only folders that are above it in the table.
//! `tests/core/repository/tidy.rs` reads the table and checks this rule.
//!
//! | folder | contents |
//! |---|---|
//! | `console` | the console window of Windows |
//! | [`view`] | the 3D view: uses Bevy only, and knows nothing of the panels |
//! | [`frame`] | window, document, evaluation, commands, background tasks, dialogs, menus, status |
//! | [`shot`] | images of the view without a window |
//! | [`features`] | user features: each is a plugin that registers its commands, panels and tasks in the frame |
#![cfg(feature = "window")]
#![allow(clippy::disallowed_methods, reason = "drawing does not affect heights")]
#![allow(missing_docs, reason = "the window is a program, not a library")]

mod command_line;
#[cfg(windows)]
mod console;
pub mod features;
pub mod frame;
pub mod shot;
pub mod view;

pub use command_line::COMMANDS;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bevy::app::{AppExit, TerminalCtrlCHandlerPlugin};
use bevy::camera::CameraOutputMode;
use bevy::camera::visibility::RenderLayers;
use bevy::log::LogPlugin;
use bevy::prelude::*;
use bevy::render::RenderPlugin;
use bevy::render::error_handler::{ErrorType, RenderError, RenderErrorHandler, RenderErrorPolicy};
use bevy::render::render_resource::BlendState;
use bevy::render::settings::WgpuSettings;
use bevy::window::WindowResolution;
use bevy_egui::{EguiGlobalSettings, EguiPlugin, PrimaryEguiContext};

use self::features::recovery::EditJournal;
use self::features::start::StartAction;
use self::features::{FeaturePlugins, drive};
use self::frame::commands::CommandQueue;
use self::frame::editor::{Editor, Example, with_reason};
use self::frame::evaluation::EvaluationClient;
use self::frame::launch::{self, AppError, guarded, guarded_with_end};
use self::frame::tasks::Tasks;
use self::frame::{FramePlugin, crash_report, graphics, keyboard};
use talweg::io::limit_lock_waits;
use talweg::preferences::config_folder;
use talweg::recovery::state_folder;
use talweg::scene::{ShippedScene, example, example_for, examples};
use talweg_cli::print_message;

/// Startup options of the editor.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// A scene file or the name of an example scene. If absent, the editor opens a default example.
    pub scene: Option<PathBuf>,
    /// A script of simulated user actions, see [`drive`].
    pub drive: Option<PathBuf>,
}

/// The example that opens if no scene is named.
const FIRST_SCENE: &str = "alpine-range";

/// Longest time for which the window does not react because another program holds a lock on the folder of a file.
const LONGEST_LOCK_WAIT: Duration = Duration::from_secs(2);

/// Opens the editor and returns when it is closed.
///
/// # Errors
/// If the display or the graphics driver is missing, if the system refuses a thread, or if the script fails. After a
/// crash, the error also says where unsaved work was stored.
pub fn run(options: Options) -> Result<(), AppError> {
    let steps = options.drive.as_deref().map(drive::read).transpose().map_err(|e| AppError::Script(e.to_string()))?;
    let script_failed = Arc::new(AtomicBool::new(false));
    let has_failed = script_failed.clone();
    let state = state_folder();
    let mut editor = editor(&options, state.clone());
    let greets = options.scene.is_none() && editor.interface.start_window;
    let journal = match state.as_deref().map(EditJournal::start_session) {
        None => EditJournal::default(),
        Some(Ok(journal)) => journal,
        Some(Err(error)) => {
            editor.toasts.warning(with_reason("Unsaved edits cannot be recovered after a crash", &error));
            EditJournal::default()
        }
    };
    for (_, message) in editor.toasts.messages() {
        print_message(message);
    }
    limit_lock_waits(LONGEST_LOCK_WAIT);
    let kept = journal.clone();
    let aborted = journal.clone();
    let tell_end = move |message: &str| {
        print_message(&ended(&aborted, aborted.failure().unwrap_or_else(|| engine_failure(message))).to_string());
    };
    let settings = match guarded(graphics::settings).and_then(|settings| settings) {
        Ok(settings) => settings,
        Err(error) => {
            journal.end();
            return Err(error);
        }
    };
    #[cfg(windows)]
    console::close_own_console();
    let outcome = guarded_with_end(tell_end, move || {
        let mut app = build(editor, kept, settings);
        if greets {
            app.world_mut().resource_mut::<CommandQueue>().push(StartAction::Show);
        }
        match steps {
            Some(steps) => drop(app.add_plugins(drive::DrivePlugin { steps, has_failed })),
            None => drop(app.add_systems(Startup, allow_desktop_dialogs)),
        }
        app.run()
    });
    match outcome {
        Ok(AppExit::Success) => {
            #[cfg(unix)]
            if let Some(signal) = journal.signal() {
                // save unsaved work: a signal is not the user's choice to discard it
                if !journal.is_unsaved() {
                    journal.end();
                }
                features::recovery::end_by_signal(signal);
            }
            journal.end();
            Ok(())
        }
        Ok(AppExit::Error(_)) if script_failed.load(Ordering::Relaxed) => {
            journal.end();
            Err(AppError::DriveFailed)
        }
        Ok(AppExit::Error(_)) => {
            let lost = || "the window or the graphics card was lost".into();
            Err(ended(&journal, journal.failure().unwrap_or_else(lost)))
        }
        // after the graphics card is lost, the engine can fail with many different messages, so report the lost card
        // instead
        Err(AppError::Engine(message)) => {
            Err(ended(&journal, journal.failure().unwrap_or_else(|| engine_failure(&message))))
        }
        Err(other) if !journal.is_unsaved() => {
            journal.end();
            Err(other)
        }
        Err(other) => Err(ended(&journal, other.to_string())),
    }
}

/// The message for a panic of the engine. Most panics during drawing are caused by the graphics card.
fn engine_failure(message: &str) -> String {
    let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
    // the message ends with the package and the file of the panic
    let is_drawing =
        ["(wgpu", "(bevy_render", "(bevy_pbr", "(bevy_core_pipeline"].iter().any(|at| message.contains(at));
    if is_drawing { format!("drawing on the graphics card failed: {message}") } else { message }
}

/// Returns the error for an unintended end of the program. Also stores unsaved work for recovery, and a report.
fn ended(journal: &EditJournal, message: String) -> AppError {
    let last_edit = journal.last_edit();
    let mut recovery = journal.end_unexpectedly(&message);
    let report = state_folder()
        .map(|state| crash_report::write(&state, &message, &last_edit, launch::last_backtrace().as_deref()));
    match report {
        Some(Ok(path)) => recovery.push_str(&format!(". A report of the crash is in {}", path.display())),
        Some(Err(error)) => recovery.push_str(&format!(". The report of the crash could not be written: {error}")),
        None => {}
    }
    AppError::Crashed { message, recovery }
}

fn editor(options: &Options, state: Option<PathBuf>) -> Editor {
    let text = |e: &ShippedScene| Some(Example { name: e.scene.name.clone(), text: e.scene.to_ron().ok()? });
    let shipped = examples().iter().filter_map(text).collect();
    let mut editor = Editor::new(config_folder().as_deref(), shipped);
    editor.state = state;
    match &options.scene {
        None => {
            if let Some(first) = example(FIRST_SCENE) {
                editor.doc.replace(first.scene.clone(), None);
            }
        }
        Some(path) => match example_for(path) {
            Some(shipped) => editor.doc.replace(shipped.scene.clone(), None),
            None => editor.open(path),
        },
    }
    editor
}

fn build(editor: Editor, journal: EditJournal, settings: WgpuSettings) -> App {
    let window = Window {
        title: editor.doc.title(),
        resolution: WindowResolution::new(1280, 720),
        resize_constraints: WindowResizeConstraints { min_width: 960.0, min_height: 600.0, ..default() },
        ..default()
    };
    let mut app = App::new();
    app.add_plugins(
        DefaultPlugins
            .set(WindowPlugin { primary_window: Some(window), close_when_requested: false, ..default() })
            .set(RenderPlugin { render_creation: settings.into(), ..default() })
            .set(LogPlugin { level: bevy::log::Level::ERROR, ..default() })
            // Bevy's handler acts only in the next frame, but an idle editor draws no frames
            .disable::<TerminalCtrlCHandlerPlugin>(),
    )
    .add_plugins(EguiPlugin::default())
    .insert_resource(EguiGlobalSettings { auto_create_primary_context: false, ..default() })
    .insert_resource(editor)
    .insert_resource(journal)
    .insert_resource(RenderErrorHandler(on_render_error))
    .add_plugins((view::ViewPlugin, FramePlugin, FeaturePlugins))
    .add_systems(Startup, (spawn_interface, start_evaluation));
    app
}

/// Number of drawing errors after which the editor gives up. While the user enlarges the window, image sizes can
/// disagree for some frames, which causes such errors.
const MOST_REFUSALS: u32 = 60;

/// Ends the program if the graphics card has stopped answering or keeps rejecting draw calls. At the next start, the
/// editor offers to recover the unsaved work and shows the reason.
fn on_render_error(error: &RenderError, main_world: &mut World, _: &mut World) -> RenderErrorPolicy {
    let journal = main_world.resource::<EditJournal>();
    if matches!(error.ty, ErrorType::Validation) && journal.count_drawing_failure() < MOST_REFUSALS {
        return RenderErrorPolicy::Ignore;
    }
    journal.note_failure(graphics::drawing_failure(error));
    main_world.write_message(AppExit::error());
    RenderErrorPolicy::StopRendering
}

/// Spawns a separate camera for the panels. If panels and 3D view shared a camera, the smaller viewport of the 3D view
/// would clip the panels.
fn spawn_interface(mut commands: Commands) {
    commands.spawn((
        PrimaryEguiContext,
        keyboard::context_settings(),
        Camera2d,
        RenderLayers::none(),
        Msaa::Off,
        Camera {
            order: 1,
            output_mode: CameraOutputMode::Write {
                blend_state: Some(BlendState::ALPHA_BLENDING),
                clear_color: ClearColorConfig::None,
            },
            clear_color: ClearColorConfig::Custom(Color::NONE),
            ..default()
        },
    ));
}

/// Lets the desktop show file dialogs.
fn allow_desktop_dialogs(mut editor: ResMut<Editor>, waker: Res<view::Waker>) {
    editor.desktop_dialogs = Some(waker.clone());
}

fn start_evaluation(mut commands: Commands, waker: Res<view::Waker>, mut exit: MessageWriter<AppExit>) {
    let tasks = Tasks::new(waker.clone());
    match EvaluationClient::start(waker.clone(), tasks.clone()) {
        Ok(evaluation) => {
            commands.insert_resource(evaluation);
            commands.insert_resource(tasks);
        }
        Err(error) => {
            print_message(&AppError::Worker(error).to_string());
            exit.write(AppExit::error());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_while_drawing_names_the_graphics_card() {
        let of_engine =
            engine_failure("called `Result::unwrap()`\non an `Err` (bevy_pbr-0.19.1/src/cluster/gpu.rs:1156)");
        assert_eq!(
            of_engine,
            "drawing on the graphics card failed: called `Result::unwrap()` on an `Err` \
             (bevy_pbr-0.19.1/src/cluster/gpu.rs:1156)"
        );
        let own = "index out of bounds (src/app/frame/document/mod.rs:7)";
        assert_eq!(engine_failure(own), own);
    }
}
