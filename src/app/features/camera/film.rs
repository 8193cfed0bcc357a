//! A film of the view: a turntable or a flight through the camera bookmarks. A thread of its own renders it off-screen.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use bevy::ecs::system::{In, InMut};
use bevy::prelude::*;
use bevy_egui::egui::{self, Align, DragValue, Layout, Ui};
use egui_phosphor::regular as icon;

use crate::features::export::{film_files, film_kind};
use crate::frame::actions::CancelWork;
use crate::frame::commands::{Action, Command, CommandQueue, Info};
use crate::frame::dialogs::Dialog;
use crate::frame::dialogs::files::{Files, file_stem};
use crate::frame::dialogs::modals::{button, dismissed, is_confirmed, main_button, modal};
use crate::frame::dialogs::overwrite::Overwrite;
use crate::frame::editor::{Editor, file_name, with_reason};
use crate::frame::menu::pick;
use crate::frame::status::{Activity, StatusInfo};
use crate::frame::tasks::{SingleTask, Tasks};
use crate::shot::film::{CameraPath, ViewFilm};
use crate::shot::{ShotError, ShotOptions};
use crate::view::{Pose, ViewState};
use talweg::io::SaveTarget;
use talweg::preferences::FilmSettings;
use talweg::timelapse::{FilmError, MOST_FRAMES_A_SECOND, check_target};

/// The settings of a film.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FilmChoice {
    /// Whether the film is a flight through the bookmarks instead of a turntable.
    pub is_flight: bool,
    /// Whether the film is a folder of PNG images instead of an animated GIF.
    pub as_images: bool,
    pub frames: u32,
    pub frames_a_second: u32,
    /// Width in pixels.
    pub width: u32,
    pub height: u32,
}

impl FilmChoice {
    /// Default settings: a film of 3.6 seconds, small enough to be sent by e-mail.
    const USUAL: Self =
        Self { is_flight: false, as_images: false, frames: 72, frames_a_second: 20, width: 640, height: 360 };

    /// These settings, with those of the last film.
    fn with(self, last: Option<FilmSettings>) -> Self {
        let Some(FilmSettings { as_images, frames, frames_a_second, width, height }) = last else { return self };
        Self { as_images, frames, frames_a_second, width, height, ..self }
    }
}

/// The name under which the settings of a film of the view are remembered.
const FILM: &str = "view";

/// Commands for films of the view.
#[derive(Clone, Debug, PartialEq)]
pub enum ViewFilmAction {
    /// Opens the dialog with the settings of a film.
    Ask,
    /// Asks for the file in which to save a film with these settings.
    AskWhere(FilmChoice),
    Write(FilmChoice, SaveTarget),
}

impl Action for ViewFilmAction {
    fn section(&self) -> &'static str {
        "View"
    }

    fn info(&self) -> Info {
        Info::new(
            "Save film of the view…",
            "Films a turntable of the terrain or a flight through the camera bookmarks, as a GIF or as images.",
            icon::FILM_REEL,
            &[],
        )
    }
}

/// Progress of a running film: its file name, and the rendered fraction as the bits of an f32.
type FilmProgress = (String, Arc<AtomicU32>);

/// The film that is being rendered, if any.
#[derive(Resource, Default)]
pub(super) struct ViewFilmTask(SingleTask<FilmProgress, String>);

pub(super) fn menu(InMut(ui): InMut<Ui>, editor: Res<Editor>, mut queue: ResMut<CommandQueue>) {
    pick(ui, &mut queue, ViewFilmAction::Ask, !editor.doc.scene().is_planet());
}

pub(super) fn run(
    In(action): In<ViewFilmAction>,
    mut editor: ResMut<Editor>,
    view_state: Option<Res<ViewState>>,
    mut task: ResMut<ViewFilmTask>,
    tasks: Res<Tasks>,
) {
    let editor = &mut *editor;
    match action {
        ViewFilmAction::Ask => {
            let has_stops = editor.doc.scene().bookmarks.len() > 1;
            editor.dialogs.open(ViewFilmDialog { choice: FilmChoice::USUAL.with(editor.recent.film(FILM)), has_stops });
        }
        ViewFilmAction::AskWhere(choice) => {
            let FilmChoice { as_images, frames, frames_a_second, width, height, .. } = choice;
            editor.note_film(FILM, FilmSettings { as_images, frames, frames_a_second, width, height });
            let kinds = film_files(as_images);
            let then = move |path| ViewFilmAction::Write(choice, SaveTarget::new(path)).into();
            let name = format!("{} {}", file_stem(&editor.doc), if choice.is_flight { "flight" } else { "turntable" });
            editor.dialogs.open(Files::save(&editor.doc, "Save film of the view", &name, &kinds, then));
        }
        ViewFilmAction::Write(choice, to) => {
            let Some(subject) = view_state.as_deref().and_then(super::shown_terrain) else {
                return editor.toasts.info("No terrain on screen to film.");
            };
            if let Err(error) = check_target(&to) {
                let again = ("Another file…", ViewFilmAction::AskWhere(choice).into());
                let over = |to| ViewFilmAction::Write(choice, to).into();
                let question = match &error {
                    FilmError::File(error) => Overwrite::from_error(error, &to, again, over),
                    _ => None,
                };
                return editor.ask_or_report(question, || with_reason("The film was not drawn", &error));
            }
            let scene = editor.doc.scene();
            let stops = scene.bookmarks.iter().map(|stop| Pose::from_bookmark(stop, scene.settings.size_metres));
            let path = if choice.is_flight { CameraPath::Through(stops.collect()) } else { CameraPath::Turntable };
            let FilmChoice { frames, frames_a_second, width, height, .. } = choice;
            let picture = ShotOptions { width, height, mode: editor.view.mode, ..ShotOptions::default() };
            let film = ViewFilm { path, frames, frames_a_second, picture };
            let (name, drawn) = (file_name(to.path()), Arc::new(AtomicU32::new(0)));
            let (told, layers) = (drawn.clone(), scene.layers.len());
            let begun = task.0.start(&tasks, "film", ((name.clone(), drawn), layers), move |control| {
                let progress = |share: f32| told.store(share.to_bits(), Ordering::Relaxed);
                match film.shoot(&subject, &to, control, progress) {
                    Ok(count) => Ok(format!("Saved {name}: {count} images")),
                    Err(ShotError::Film(FilmError::Cancelled(stopped))) => Err(stopped.into()),
                    Err(error) => Err(error.into()),
                }
            });
            if let Err(error) = begun {
                editor.toasts.error(with_reason("The film was not drawn", &error));
            }
        }
    }
}

pub(super) fn show_progress(task: Res<ViewFilmTask>, mut info: ResMut<StatusInfo>) {
    if let Some(((name, drawn), _)) = task.0.progress() {
        let done = f32::from_bits(drawn.load(Ordering::Relaxed));
        info.activities.push(Activity { text: format!("Filming {name}, {:.0} %", done * 100.0), done: Some(done) });
    }
}

pub(super) fn cancel(mut cancelled: MessageReader<CancelWork>, task: Res<ViewFilmTask>) {
    if cancelled.read().next().is_some() {
        task.0.cancel();
    }
}

/// Shows a message when a film has ended or failed.
pub(super) fn receive(_: InMut<Ui>, mut task: ResMut<ViewFilmTask>, mut editor: ResMut<Editor>) {
    match task.0.ended() {
        None => {}
        Some(Ok(written)) => editor.toasts.info(written),
        Some(Err(error)) => editor.toasts.failed(&error, with_reason("The film was not drawn", &format!("{error:#}"))),
    }
}

/// The dialog with the settings of a film.
struct ViewFilmDialog {
    choice: FilmChoice,
    /// Whether the scene has enough bookmarks for a flight.
    has_stops: bool,
}

impl Dialog for ViewFilmDialog {
    fn show(&mut self, ctx: &egui::Context, _: &str) -> Option<Vec<Command>> {
        let (choice, has_stops) = (&mut self.choice, self.has_stops);
        // read the Enter key before the fields are drawn, because a field loses the focus when Enter is pressed
        let (mut answer, has_entered) = (None, is_confirmed(ctx));
        let modal = modal(ctx, "film of the view").show(ctx, |ui| {
            ui.set_width(400.0);
            ui.heading("Save film of the view");
            ui.label(
                "Films the view without panels, with its current light and colours. Each frame takes as long as a \
                 single image.",
            );
            ui.add_space(8.0);
            ui.radio_value(&mut choice.is_flight, false, "Turntable: once around the terrain");
            ui.add_enabled_ui(has_stops, |ui| {
                let flight = ui.radio_value(&mut choice.is_flight, true, "Flight through the camera bookmarks");
                flight.on_disabled_hover_text("Needs at least two camera bookmarks: View > Add camera bookmark.");
            });
            ui.add_space(6.0);
            egui::Grid::new("film of the view").num_columns(2).spacing(egui::vec2(16.0, 6.0)).show(ui, |ui| {
                let row = |ui: &mut Ui, name: &str, tip: &str, field: DragValue| {
                    let label = ui.label(name).on_hover_text(tip);
                    ui.add_sized([120.0, 22.0], field.update_while_editing(false))
                        .labelled_by(label.id)
                        .on_hover_text(tip);
                    ui.end_row();
                };
                film_kind(ui, &mut choice.as_images);
                row(
                    ui,
                    "Frames",
                    "Number of frames of the film.",
                    DragValue::new(&mut choice.frames).range(2..=10_000),
                );
                let speed = DragValue::new(&mut choice.frames_a_second).range(1..=MOST_FRAMES_A_SECOND).suffix(" fps");
                row(ui, "Frame rate", "Frames per second of the GIF.", speed);
                for (name, side) in [("Width", &mut choice.width), ("Height", &mut choice.height)] {
                    row(ui, name, "Size of each frame in pixels.", DragValue::new(side).range(16..=4096).suffix(" px"));
                }
            });
            ui.add_space(14.0);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if ui.add(main_button("Save as…")).clicked() || has_entered {
                    answer = Some(vec![ViewFilmAction::AskWhere(*choice).into()]);
                }
                if ui.add(button("Cancel")).clicked() {
                    answer = Some(Vec::new());
                }
            });
        });
        answer.or_else(|| dismissed(ctx, &modal))
    }
}
