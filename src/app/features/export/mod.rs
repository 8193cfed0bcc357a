//! Exports: heightmaps and films are computed beside the evaluation, and written.
//!
//! ```text
//! ExportAction ── dialogs ──▶ ExportAction with a file ──▶ task: ExportTask ──▶ message
//! ```

mod dialog;
pub mod task;

use std::path::PathBuf;

use bevy::app::AppExit;
use bevy::ecs::system::{In, InMut};
use bevy::prelude::*;
use bevy_egui::EguiPrimaryContextPass;
use bevy_egui::egui::Ui;
use egui_phosphor::regular as icon;

use self::dialog::FilmDialog;
use self::task::{ExportTask, Product};
use crate::app::frame::actions::CancelWork;
use crate::app::frame::commands::{Action, CommandApp, CommandQueue, Info, keys};
use crate::app::frame::dialogs::files::{Files, file_stem};
use crate::app::frame::editor::Editor;
use crate::app::frame::interface::InterfaceApp;
use crate::app::frame::menu::pick;
use crate::app::frame::status::{Activity, StatusInfo};
use crate::app::frame::tasks::Tasks;
use crate::app::frame::window::{FrameSystems, Quitting};
use crate::film::Film;

pub struct ExportPlugin;

impl Plugin for ExportPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<ExportTask>()
            .add_message::<ExportOrder>()
            .add_actions([ExportAction::Heightmap, ExportAction::Timelapse], run)
            .add_menu_part("File", 10, menu)
            .add_systems(PreUpdate, receive.in_set(FrameSystems::Receive))
            .add_systems(
                EguiPrimaryContextPass,
                (tell.in_set(FrameSystems::Tell), (obey, put_off_quitting).chain().in_set(FrameSystems::Obey)),
            );
    }
}

/// What can be exported.
#[derive(Clone, Debug, PartialEq)]
pub enum ExportAction {
    /// Asks for a file.
    Heightmap,
    HeightmapTo(PathBuf),
    /// Asks how to film.
    Timelapse,
    /// Asks for a file.
    FilmAs(Film),
    FilmTo(Film, PathBuf),
}

impl Action for ExportAction {
    fn section(&self) -> &'static str {
        "File"
    }

    fn info(&self) -> Info {
        match self {
            Self::Heightmap | Self::HeightmapTo(_) => Info::new(
                "Export heightmap…",
                "Computes the terrain at full size and writes it as 16-bit PNG, r16 or r32; a planet as a map of all longitudes and latitudes.",
                icon::EXPORT,
                keys![COMMAND + E],
            ),
            Self::Timelapse | Self::FilmAs(_) | Self::FilmTo(..) => Info::new(
                "Export time-lapse…",
                "Films the selected erosion from above, as a GIF or as numbered pictures.",
                icon::FILM_STRIP,
                keys![COMMAND_SHIFT + E],
            ),
        }
    }
}

/// Something to compute and to write.
#[derive(Message, Clone, Debug, PartialEq)]
pub struct ExportOrder {
    pub product: Product,
    pub path: PathBuf,
}

fn run(In(action): In<ExportAction>, mut editor: ResMut<Editor>, mut orders: MessageWriter<ExportOrder>) {
    let editor = &mut *editor;
    match action {
        ExportAction::Heightmap => {
            let kinds = [("PNG, 16 bits", "png"), ("Raw, 16-bit whole numbers", "r16"), ("Raw, 32-bit numbers", "r32")];
            let then = |path| ExportAction::HeightmapTo(path).into();
            let files = Files::save(&editor.doc, "Export heightmap", &file_stem(&editor.doc), &kinds, then);
            editor.dialogs.open(files);
        }
        ExportAction::Timelapse => ask_how_to_film(editor),
        ExportAction::FilmAs(film) => {
            let kinds = [("Animated GIF", "gif"), ("Folder of PNG pictures", "frames")];
            let then = move |path| ExportAction::FilmTo(film.clone(), path).into();
            let files = Files::save(&editor.doc, "Export time-lapse", &file_stem(&editor.doc), &kinds, then);
            editor.dialogs.open(files);
        }
        ExportAction::HeightmapTo(path) => {
            orders.write(ExportOrder { product: Product::Heightmap, path });
        }
        ExportAction::FilmTo(film, path) => {
            orders.write(ExportOrder { product: Product::Film(film), path });
        }
    }
}

fn ask_how_to_film(editor: &mut Editor) {
    let process = editor.doc.process().map(|(layer, _)| layer);
    match process.map_or_else(|| Film::topmost_process(editor.doc.scene()), Ok) {
        Ok(layer) => {
            let samples = editor.doc.scene().samples();
            editor.dialogs.open(FilmDialog(Film { layer, samples, ..Film::default() }));
        }
        Err(error) => editor.toasts.warning(format!("{}.", capitalised(&error.to_string()))),
    }
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn menu(InMut(ui): InMut<Ui>, mut queue: ResMut<CommandQueue>) {
    pick(ui, &mut queue, ExportAction::Heightmap, true);
    pick(ui, &mut queue, ExportAction::Timelapse, true);
}

/// Says how an export ended, and ends the program where that waited for it.
fn receive(mut task: ResMut<ExportTask>, mut editor: ResMut<Editor>, mut exit: MessageWriter<AppExit>) {
    match task.work.ended() {
        None => {}
        Some(Ok(_)) if task.then_quit => {
            exit.write(AppExit::Success);
        }
        Some(Ok(written)) => editor.toasts.info(written),
        Some(Err(error)) => {
            task.then_quit = false;
            editor.toasts.error(format!("Nothing was exported: {error}."));
        }
    }
}

fn tell(task: Res<ExportTask>, mut info: ResMut<StatusInfo>) {
    if let Some((file, done)) = task.progress() {
        let text = format!("Exporting {file}, {:.0} %", done * 100.0);
        info.activities.push(Activity { text, done: Some(done) });
    }
}

fn obey(
    mut orders: MessageReader<ExportOrder>,
    mut cancelled: MessageReader<CancelWork>,
    mut task: ResMut<ExportTask>,
    mut editor: ResMut<Editor>,
    tasks: Res<Tasks>,
) {
    if cancelled.read().next().is_some() {
        task.work.cancel();
    }
    for order in orders.read() {
        let what = order.product.name();
        if let Err(error) = task.start(editor.doc.scene(), order.product.clone(), &order.path, &tasks) {
            editor.toasts.error(format!("The {what} was not exported: {error}."));
        }
    }
}

/// The program ends when the export is written.
fn put_off_quitting(mut quitting: ResMut<Quitting>, mut task: ResMut<ExportTask>, mut editor: ResMut<Editor>) {
    if quitting.0 && task.work.is_running() {
        quitting.0 = false;
        task.then_quit = true;
        editor.toasts.info("Talweg closes when the export is written. Esc stops the export.");
    }
}
