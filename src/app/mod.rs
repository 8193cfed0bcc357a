//! The editor: Bevy and egui, and nothing else of Talweg knows them.
//!
//! ```text
//! PreUpdate   frame::systems::receive   reports of the worker → document, Shown
//!             features::construction::surface::advance   the tree of the scene, where the view asks it → Shown
//!             features::compare::task::advance   the terrain to compare with → Shown
//!             features::bench::task::advance     what a benchmark found → panels
//!             features::measures::task::advance the measures of the terrain on screen
//! Update      view               mouse and view commands → camera
//! PostUpdate  frame::systems::panels    document → panels → edits, effects, request to the worker
//!             view               camera → patches → screen
//! ```
//! [`document`], [`commands`], [`panels`] and [`dialogs`] know egui only and are tested without an engine;
//! [`view`] knows Bevy only; [`systems`] and [`evaluation`] join them.
#![allow(clippy::disallowed_methods, reason = "what is drawn decides no height")]

pub mod features;
pub mod frame;
pub mod shot;
pub mod view;

use std::path::PathBuf;

use bevy::app::{AppExit, TerminalCtrlCHandlerPlugin};
use bevy::camera::CameraOutputMode;
use bevy::camera::visibility::RenderLayers;
use bevy::log::LogPlugin;
use bevy::prelude::*;
use bevy::render::RenderPlugin;
use bevy::render::render_resource::BlendState;
use bevy::render::settings::{Backends, WgpuSettings};
use bevy::window::WindowResolution;
use bevy_egui::{EguiGlobalSettings, EguiPlugin, EguiPrimaryContextPass, PrimaryEguiContext};

use crate::app::features::scene_settings::panel::Swatch;
use crate::app::frame::crash_recovery::CrashRecovery;
use crate::app::frame::editor::{Editor, Example};
use crate::app::frame::evaluation::EvaluationClient;
use crate::app::frame::launch::AppError;
use crate::app::frame::systems::EditorResource;
use crate::look;
use crate::scene::{example, example_for, examples};

/// What the editor is started with.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// A scene file, or the name of an example; a first scene to look at when left out.
    pub scene: Option<PathBuf>,
    /// A script of user actions to play, see [`drive`].
    pub drive: Option<PathBuf>,
}

/// The example that greets people who name no scene.
const FIRST_SCENE: &str = "alpine-range";

/// Opens the editor and stays until it is closed.
///
/// # Errors
/// When there is no screen, no driver, no thread, or the script failed; after a crash, with the place where unsaved work
/// was put.
pub fn run(options: Options) -> Result<(), AppError> {
    let steps = options.drive.as_deref().map(features::drive::read).transpose()?;
    let driven = steps.is_some();
    let recovery = CrashRecovery::default();
    let editor = editor(&options);
    let kept = recovery.clone();
    let outcome = frame::launch::guarded(move || {
        let mut app = build(editor, kept);
        if let Some(steps) = steps {
            app.add_plugins(features::drive::DrivePlugin { steps });
        }
        app.run()
    });
    match outcome {
        Ok(AppExit::Success) => Ok(()),
        Ok(AppExit::Error(_)) if driven => Err(AppError::DriveFailed),
        Ok(AppExit::Error(_)) => Err(recovery.write("the graphics card stopped answering".into())),
        Err(AppError::Engine(message)) => Err(recovery.write(message)),
        Err(other) if recovery.is_empty() => Err(other),
        Err(other) => Err(recovery.write(other.to_string())),
    }
}

fn editor(options: &Options) -> Editor {
    let shipped = examples().iter().map(|e| Example { name: e.scene.name.clone(), text: e.scene.to_ron() }).collect();
    let settings = crate::scene::Settings::default();
    let swatches = look::palette_names()
        .into_iter()
        .filter_map(|name| look::palette(&name))
        .map(|palette| Swatch {
            colours: palette.table(&settings).lut,
            name: palette.name.clone(),
            label: palette.label.clone(),
        })
        .chain(look::biome_names().into_iter().filter_map(|name| look::biome_table(&name)).map(|table| Swatch {
            name: format!("{}{}", look::PREFIX, table.name),
            label: table.label.clone(),
            colours: table.types.iter().map(|kind| [kind.colour[0], kind.colour[1], kind.colour[2], 255]).collect(),
        }))
        .collect();
    let mut editor = Editor::new(frame::recent::Recent::default_file(), shipped, swatches);
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
    for (_, message) in editor.toasts.messages() {
        eprintln!("talweg: {message}");
    }
    editor
}

fn build(editor: Editor, recovery: CrashRecovery) -> App {
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
            .set(RenderPlugin {
                render_creation: WgpuSettings { backends: Some(Backends::PRIMARY), ..default() }.into(),
                ..default()
            })
            .set(LogPlugin { level: bevy::log::Level::ERROR, ..default() })
            // it would wait for the next frame, which an idle editor has not
            .disable::<TerminalCtrlCHandlerPlugin>(),
    )
    .add_plugins(EguiPlugin::default())
    .insert_resource(EguiGlobalSettings { auto_create_primary_context: false, ..default() })
    .add_plugins(view::ViewPlugin)
    .insert_resource(EditorResource::new(editor))
    .insert_resource(recovery)
    .init_resource::<features::drive::Observed>()
    .init_resource::<features::export::task::ExportTask>()
    .init_resource::<features::patch::task::PatchTask>()
    .init_resource::<features::compare::task::CompareTask>()
    .init_resource::<features::construction::surface::TreeSurfaceTask>()
    .init_resource::<features::bench::task::BenchTask>()
    .init_resource::<features::measures::task::MeasureTask>()
    .init_resource::<frame::systems::FrameCost>()
    .add_systems(Startup, (spawn_interface, start_worker))
    .add_systems(First, frame::systems::begin_frame)
    .add_systems(
        PreUpdate,
        (
            frame::systems::ask_before_closing,
            (
                frame::systems::receive,
                features::construction::surface::advance,
                features::compare::task::advance,
                features::measures::task::advance,
                features::bench::task::advance,
            )
                .chain()
                .run_if(resource_exists::<EvaluationClient>),
        )
            .chain(),
    )
    .add_systems(EguiPrimaryContextPass, frame::systems::panels.run_if(resource_exists::<EvaluationClient>))
    .add_systems(
        PostUpdate,
        (frame::systems::pace, frame::systems::observe)
            .chain()
            .after(view::ViewSystems::Apply)
            .run_if(resource_exists::<EvaluationClient>),
    )
    .add_systems(Last, frame::systems::end_frame);
    app
}

/// A camera of its own for the panels: with one camera for both, the restricted viewport of the 3D view would clip them.
fn spawn_interface(mut commands: Commands) {
    commands.spawn((
        PrimaryEguiContext,
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

fn start_worker(mut commands: Commands, waker: Res<view::Waker>, mut exit: MessageWriter<AppExit>) {
    match EvaluationClient::start(waker.clone()) {
        Ok(evaluation) => {
            commands.insert_resource(evaluation);
            let waker = waker.clone();
            commands.insert_resource(features::variants::thumbnails::ThumbnailService::new(move || waker.wake()));
        }
        Err(error) => {
            eprintln!("talweg: {}", AppError::Worker(error));
            exit.write(AppExit::error());
        }
    }
}
