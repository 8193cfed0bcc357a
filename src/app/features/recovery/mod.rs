//! Crash recovery. Unsaved edits are written to disk soon after they are made. The next start offers to restore them.
//! When a scene is saved, the replaced file becomes an earlier version.
//!
//! ```text
//! Document ── note ──▶ EditJournal ── task ──▶ session.ron          (talweg::recovery::Session)
//! start: left_work ──▶ FoundSessions ──▶ SceneList ── RecoveryAction ──▶ Document::restore
//! ```

mod journal;
mod list;
#[cfg(unix)]
mod signals;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bevy::app::AppExit;
use bevy::ecs::system::{In, InMut};
use bevy::prelude::*;
use bevy::render::renderer::RenderDevice;
use bevy_egui::EguiPrimaryContextPass;
use bevy_egui::egui::Ui;
use egui_phosphor::regular as icon;

pub use self::journal::EditJournal;
use self::list::{ListedScene, SceneChoice, SceneList};
#[cfg(unix)]
pub use self::signals::end as end_by_signal;
use crate::frame::commands::{Action, Command, CommandApp, CommandQueue, Info};
use crate::frame::crash_report;
use crate::frame::document::Document;
use crate::frame::editor::{Editor, with_reason};
use crate::frame::evaluation::EvaluationClient;
use crate::frame::interface::InterfaceApp;
use crate::frame::menu::pick;
use crate::frame::tasks::{Newest, Outcome, Task, Tasks};
use crate::frame::widgets::scene_picture::SceneThumbnail;
use crate::frame::window::FrameSystems;
use crate::view::Waker;
use talweg::eval::{Cache, Store, Timeline};
use talweg::recovery::{
    FoundWork, RecoveryError, UnsavedWork, abandoned_work, earlier_versions, local_time, state_folder,
};
use talweg::scene::{Scene, SceneError, Warning};
use talweg::variants::{Size, draw};

/// Time between two writes of unsaved edits during a drag. A finished edit is written immediately.
const WHILE_DRAGGING: Duration = Duration::from_millis(500);
/// Time before the next attempt after a failed write.
const AFTER_FAILURE: Duration = Duration::from_secs(5);
/// Size of the thumbnails in the lists.
const PICTURE: Size = Size { samples: 129, pixels: 96 };
/// Cache memory for the evaluation of a thumbnail.
const PICTURE_BYTES: usize = 16 << 20;
/// Maximum number of thumbnails, because users rarely read longer lists to the end.
const MOST_PICTURES: usize = 20;

pub struct RecoveryPlugin;

impl Plugin for RecoveryPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<EditJournal>()
            .init_resource::<FoundSessions>()
            .init_resource::<Writing>()
            .init_resource::<Pictures>()
            .add_actions([RecoveryAction::ShowVersions], run)
            .add_menu_part("File", 10, menu)
            .add_systems(Startup, (watch_signals, watch_card))
            .add_systems(
                PreUpdate,
                (look_for_left_work.run_if(resource_exists::<EvaluationClient>), receive)
                    .chain()
                    .in_set(FrameSystems::Receive),
            )
            .add_systems(EguiPrimaryContextPass, keep.in_set(FrameSystems::Settle));
    }
}

/// Commands on unsaved work and earlier versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecoveryAction {
    /// Lists the unsaved work of editors that crashed or were closed without saving.
    ShowFound,
    /// Opens recovered work, after asking about unsaved changes of the open scene.
    ChooseFound(u64),
    /// Opens recovered work, after changes of the open scene have been saved or discarded.
    OpenFound(u64),
    /// Discards recovered work.
    DiscardFound(u64),
    /// Keeps recovered work, so that the next start offers it again.
    KeepFound,
    /// Lists the earlier versions of the scene's file.
    ShowVersions,
    /// Restores an earlier version, as an edit that can be undone.
    OpenVersion(PathBuf),
    /// Sets the number of earlier versions that are kept of each file.
    KeepVersions(usize),
}

impl Action for RecoveryAction {
    fn section(&self) -> &'static str {
        "File"
    }

    fn info(&self) -> Info {
        match self {
            Self::ShowVersions | Self::OpenVersion(_) | Self::KeepVersions(_) => Info::new(
                "Earlier versions…",
                "Lists the earlier versions of this scene file and restores one.",
                icon::CLOCK_COUNTER_CLOCKWISE,
                &[],
            ),
            Self::OpenFound(_) => Info::new("Open unsaved work", "Continues with unsaved work.", icon::LIFEBUOY, &[]),
            _ => Info::new(
                "Unsaved work…",
                "Lists unsaved work of sessions that ended before it was saved.",
                icon::LIFEBUOY,
                &[],
            ),
        }
    }
}

/// Unsaved work of editors that crashed or were closed. The work is locked, so that no other editor offers it.
#[derive(Resource, Default)]
pub struct FoundSessions {
    looking: Option<Task<Result<Vec<FoundWork>, RecoveryError>>>,
    has_looked: bool,
    found: Vec<(u64, FoundWork)>,
    /// Whether to offer the work as soon as no other dialog is open.
    is_due: bool,
}

impl FoundSessions {
    /// Whether no unsaved work was found.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    fn remove(&mut self, id: u64) -> Option<FoundWork> {
        let index = self.found.iter().position(|(found, _)| *found == id)?;
        Some(self.found.remove(index).1)
    }
}

/// State of the task that writes edits to disk.
#[derive(Resource, Default)]
struct Writing {
    task: Option<Task<Result<(), RecoveryError>>>,
    last: Option<Instant>,
    /// Whether a failed write was reported. The next failure is reported only after a successful write.
    has_told: bool,
}

/// The thumbnails of the open list.
#[derive(Resource, Default)]
struct Pictures(Newest<(), ()>);

fn menu(InMut(ui): InMut<Ui>, editor: Res<Editor>, found: Res<FoundSessions>, mut queue: ResMut<CommandQueue>) {
    pick(ui, &mut queue, RecoveryAction::ShowVersions, editor.doc.path().is_some() && editor.state.is_some());
    if !found.found.is_empty() {
        pick(ui, &mut queue, RecoveryAction::ShowFound, true);
    }
}

/// Watches for signals that end the program. A signal wakes the window, which then closes. If it does not close in
/// time, another thread ends the program.
fn watch_signals(journal: Res<EditJournal>, waker: Option<Res<Waker>>) {
    #[cfg(unix)]
    if let Some(waker) = waker
        && let Err(error) = signals::watch(journal.clone(), waker.clone())
    {
        warn!("signals are not watched: {error}");
    }
    #[cfg(not(unix))]
    let _ = (journal, waker);
}

/// Ends the program when the graphics card is lost, and records the loss as the reason.
fn watch_card(journal: Res<EditJournal>, card: Option<Res<RenderDevice>>, waker: Option<Res<Waker>>) {
    let (Some(card), Some(waker)) = (card, waker) else { return };
    let (journal, waker) = (journal.clone(), waker.clone());
    card.wgpu_device().set_device_lost_callback(move |_, _| {
        journal.note_failure("the graphics card stopped responding".into());
        waker.wake();
    });
}

/// When the window is open, looks for unsaved work of editors that crashed or were closed.
fn look_for_left_work(mut found: ResMut<FoundSessions>, editor: Res<Editor>, tasks: Res<Tasks>) {
    let Some(state) = editor.state.clone().filter(|_| !found.has_looked) else { return };
    found.has_looked = true;
    found.looking = tasks.start("recovery", move |_| abandoned_work(&state)).ok();
}

fn receive(
    mut found: ResMut<FoundSessions>,
    mut editor: ResMut<Editor>,
    mut writing: ResMut<Writing>,
    mut pictures: ResMut<Pictures>,
    mut queue: ResMut<CommandQueue>,
) {
    pictures.0.receive();
    match found.looking.as_mut().map(Task::outcome) {
        None | Some(Outcome::Running) => {}
        Some(outcome) => {
            found.looking = None;
            match outcome {
                Outcome::Done(Ok(left)) => found.found = (0..).zip(left).collect(),
                Outcome::Done(Err(error)) => editor.toasts.warning(with_reason("Cannot look for unsaved work", &error)),
                _ => {}
            }
            found.is_due = !found.found.is_empty();
        }
    }
    if found.is_due && !editor.dialogs.is_waiting() {
        found.is_due = false;
        queue.push(RecoveryAction::ShowFound);
    }
    match writing.task.as_mut().map(Task::outcome) {
        None | Some(Outcome::Running) => {}
        Some(outcome) => {
            writing.task = None;
            let error = match outcome {
                Outcome::Done(Ok(())) => None,
                Outcome::Done(Err(error)) => Some(error.to_string()),
                _ => Some("its thread ended".into()),
            };
            if let Some(error) = &error
                && !writing.has_told
            {
                editor.toasts.warning(with_reason("Unsaved edits cannot be recovered after a crash", error));
            }
            writing.has_told = error.is_some();
        }
    }
}

/// Writes unsaved edits to disk. Ends the program after a signal or if the graphics card is lost.
fn keep(
    journal: Res<EditJournal>,
    editor: Res<Editor>,
    tasks: Res<Tasks>,
    mut writing: ResMut<Writing>,
    mut exit: MessageWriter<AppExit>,
) {
    journal.note(&editor.doc);
    if journal.signal().is_some() {
        exit.write(AppExit::Success);
    } else if journal.failure().is_some() {
        exit.write(AppExit::error());
    }
    // wait longer after a failure, for example while the disk is full
    let pause = if writing.has_told { AFTER_FAILURE } else { WHILE_DRAGGING };
    let is_recent = writing.last.is_some_and(|last| last.elapsed() < pause);
    let is_early = is_recent && (writing.has_told || editor.doc.is_dragging());
    if writing.task.is_some() || is_early || !journal.has_news() {
        return;
    }
    writing.last = Some(Instant::now());
    let journal = journal.clone();
    writing.task = tasks.start("journal", move |_| journal.write()).ok();
}

fn run(
    In(action): In<RecoveryAction>,
    mut editor: ResMut<Editor>,
    mut found: ResMut<FoundSessions>,
    mut pictures: ResMut<Pictures>,
    mut queue: ResMut<CommandQueue>,
    journal: Res<EditJournal>,
    tasks: Res<Tasks>,
) {
    let editor = &mut *editor;
    match action {
        RecoveryAction::ShowFound => show_found(editor, &found, &mut pictures, &tasks),
        RecoveryAction::ChooseFound(id) => editor.leave_scene(&mut queue, RecoveryAction::OpenFound(id)),
        RecoveryAction::OpenFound(id) => {
            if let Some(one) = found.remove(id) {
                open_found(editor, &journal, one);
            }
        }
        RecoveryAction::DiscardFound(id) => {
            if let Some(one) = found.remove(id) {
                one.discard();
            }
            show_found(editor, &found, &mut pictures, &tasks);
        }
        // do nothing, because the next start offers the work again
        RecoveryAction::KeepFound => {}
        RecoveryAction::ShowVersions => show_versions(editor, &mut pictures, &tasks),
        RecoveryAction::OpenVersion(version) => match load_version(&version, &editor.doc) {
            Ok((scene, warnings)) => {
                editor.doc.replace_by_edit("Restore earlier version", scene);
                editor.show_warnings(&warnings);
            }
            Err(error) => editor.toasts.error(with_reason("The earlier version was not opened", &error)),
        },
        RecoveryAction::KeepVersions(count) => editor.versions_kept = count,
    }
}

/// Reads an earlier version. File names in it are relative to the scene's folder, not to the folder of the version.
fn load_version(version: &Path, document: &Document) -> Result<(Scene, Vec<Warning>), SceneError> {
    Scene::load_copy(version, document.path().unwrap_or(version))
}

/// Opens recovered work. Its old session is deleted only after this editor has written the work to its own session.
fn open_found(editor: &mut Editor, journal: &EditJournal, found: FoundWork) {
    match &found.work {
        Ok(work) => {
            editor.doc.restore(work.scene.clone(), work.file.clone());
            journal.note(&editor.doc);
            match journal.write() {
                Ok(()) if journal.is_kept() => found.discard(),
                Ok(()) => {}
                Err(error) => {
                    editor.toasts.warning(with_reason("Unsaved edits cannot be recovered after a crash", &error))
                }
            }
        }
        Err(error) => editor.toasts.error(error.to_string()),
    }
}

fn show_found(editor: &mut Editor, found: &FoundSessions, pictures: &mut Pictures, tasks: &Tasks) {
    if found.found.is_empty() {
        return;
    }
    let mut drawn = Vec::new();
    let listed = found.found.iter().map(|(id, found)| {
        let throw_away = SceneChoice::twice("Discard", RecoveryAction::DiscardFound(*id).into());
        match &found.work {
            Ok(work) => {
                let picture = SceneThumbnail::default();
                drawn.push((work.scene.clone(), picture.clone()));
                let open = Command::from(RecoveryAction::ChooseFound(*id));
                ListedScene {
                    heading: work.scene.name.clone(),
                    lines: lines_about(work),
                    picture: Some(picture),
                    choices: vec![SceneChoice::main("Open", open), throw_away],
                }
            }
            Err(error) => ListedScene {
                heading: "Cannot be read".into(),
                lines: vec![error.to_string()],
                picture: None,
                choices: vec![throw_away],
            },
        }
    });
    let list = SceneList {
        id: "unsaved work",
        title: "Unsaved work found".into(),
        text: "Talweg ended before this work was saved. Open or discard it, or decide later.".into(),
        scenes: listed.collect(),
        foot: SceneChoice::once("Later", RecoveryAction::KeepFound.into()),
        kept: None,
        reports: crash_reports(),
    };
    draw_pictures(pictures, tasks, drawn);
    editor.dialogs.open(list);
}

/// The folder of crash reports, if there is one.
fn crash_reports() -> Option<PathBuf> {
    state_folder().map(|state| crash_report::folder(&state)).filter(|reports| reports.is_dir())
}

fn lines_about(work: &UnsavedWork) -> Vec<String> {
    let file = work.file.as_ref().map_or("Never saved to a file".into(), |file| format!("File: {}", file.display()));
    let mut lines = vec![format!("Edited {}", local_time(work.edited)), file];
    if !work.edit.is_empty() {
        lines.push(format!("Last edit: {}", work.edit));
    }
    lines.extend(work.ended.as_ref().map(|why| format!("Talweg ended because {why}.")));
    lines
}

fn show_versions(editor: &mut Editor, pictures: &mut Pictures, tasks: &Tasks) {
    let (Some(state), Some(path)) = (&editor.state, editor.doc.path()) else { return };
    let versions = earlier_versions(state, path);
    let mut drawn = Vec::new();
    let listed = versions.iter().map(|version| {
        let read = load_version(&version.path, &editor.doc);
        let picture = SceneThumbnail::default();
        let (heading, lines) = match read {
            Ok((scene, _)) => {
                let layers = scene.layers.len();
                let line = format!("“{}”, {layers} {}", scene.name, if layers == 1 { "layer" } else { "layers" });
                drawn.push((scene, picture.clone()));
                (local_time(version.written), vec![line])
            }
            Err(error) => (local_time(version.written), vec![format!("It cannot be read: {error}")]),
        };
        let open = Command::from(RecoveryAction::OpenVersion(version.path.clone()));
        ListedScene { heading, lines, picture: Some(picture), choices: vec![SceneChoice::main("Restore", open)] }
    });
    let list = SceneList {
        id: "earlier versions",
        title: format!("Earlier versions of “{}”", editor.doc.name()),
        text: if versions.is_empty() {
            "No earlier versions yet. Each save keeps the replaced file as an earlier version.".into()
        } else {
            "Restoring is an edit: you can undo it, and no file changes until you save.".into()
        },
        scenes: listed.collect(),
        foot: SceneChoice::once("Close", RecoveryAction::KeepFound.into()),
        kept: Some(editor.versions_kept),
        reports: None,
    };
    draw_pictures(pictures, tasks, drawn);
    editor.dialogs.open(list);
}

/// Renders thumbnails of scenes one after the other, in the background.
fn draw_pictures(pictures: &mut Pictures, tasks: &Tasks, scenes: Vec<(Scene, SceneThumbnail)>) {
    let task = tasks.start("pictures", move |control| {
        for (scene, picture) in scenes.into_iter().take(MOST_PICTURES) {
            let mut store = Store::new(Cache::new(PICTURE_BYTES), Timeline::new(0));
            let drawn = draw(&scene, PICTURE, &mut store, control).ok()?;
            picture.set(drawn.image);
        }
        Some(())
    });
    pictures.0.start((), task);
}
