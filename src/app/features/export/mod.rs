//! Exports: heightmaps and films are computed beside the evaluation, and written.
//!
//! ```text
//! ExportAction ── dialogs ──▶ ExportAction with a file ──▶ task: ExportTask ──▶ message
//!                                    ▲      │ the file is protected, or has other names
//!                                    └──────┴─▶ Overwrite
//! ```

mod dialog;
pub mod task;

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
use crate::app::frame::dialogs::overwrite::Overwrite;
use crate::app::frame::editor::{Editor, because};
use crate::app::frame::interface::InterfaceApp;
use crate::app::frame::menu::pick;
use crate::app::frame::status::{Activity, StatusInfo};
use crate::app::frame::tasks::Tasks;
use crate::app::frame::window::{FrameSystems, Quitting};
use crate::film::{Film, FilmError};
use crate::io::{FileError, SaveTarget};

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
    HeightmapTo(SaveTarget),
    /// Asks how to film.
    Timelapse,
    /// Asks for a file.
    FilmAs(Film),
    FilmTo(Film, SaveTarget),
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
    pub to: SaveTarget,
}

fn run(In(action): In<ExportAction>, mut editor: ResMut<Editor>, mut orders: MessageWriter<ExportOrder>) {
    let editor = &mut *editor;
    match action {
        ExportAction::Heightmap => {
            let kinds = [("PNG, 16 bits", "png"), ("Raw, 16-bit whole numbers", "r16"), ("Raw, 32-bit numbers", "r32")];
            let then = |path| ExportAction::HeightmapTo(SaveTarget::new(path)).into();
            let files = Files::save(&editor.doc, "Export heightmap", &file_stem(&editor.doc), &kinds, then);
            editor.dialogs.open(files);
        }
        ExportAction::Timelapse => ask_how_to_film(editor),
        ExportAction::FilmAs(film) => {
            let kinds = [("Animated GIF", "gif"), ("Folder of PNG pictures", "frames")];
            let then = move |path| ExportAction::FilmTo(film.clone(), SaveTarget::new(path)).into();
            let files = Files::save(&editor.doc, "Export time-lapse", &file_stem(&editor.doc), &kinds, then);
            editor.dialogs.open(files);
        }
        ExportAction::HeightmapTo(to) => {
            orders.write(ExportOrder { product: Product::Heightmap, to });
        }
        ExportAction::FilmTo(film, to) => {
            orders.write(ExportOrder { product: Product::Film(film), to });
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
            editor.toasts.error(failure(&error));
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
        let ExportOrder { product, to } = order;
        let Err(error) = task.start(editor.doc.scene(), product.clone(), to, &tasks) else { continue };
        let question = file_error(&error).and_then(|error| order.question(error));
        editor.ask_or_tell(question, || because(&format!("The {} was not exported", product.name()), &error));
    }
}

/// What is told when an export failed: whether its file is the old one or the new one.
fn failure(error: &anyhow::Error) -> String {
    let is_replaced = file_error(error).is_some_and(FileError::is_replaced);
    because(if is_replaced { "It was exported, but" } else { "Nothing was exported" }, error)
}

/// What a file has to do with an error, if one has.
fn file_error(error: &anyhow::Error) -> Option<&FileError> {
    match error.downcast_ref() {
        Some(FilmError::File(error)) => Some(error),
        _ => error.downcast_ref(),
    }
}

impl ExportOrder {
    /// Asks before it goes over a file that somebody protected.
    fn question(&self, error: &FileError) -> Option<Overwrite> {
        let again = match self.product.clone() {
            Product::Heightmap => ExportAction::Heightmap,
            Product::Film(film) => ExportAction::FilmAs(film),
        };
        let over = |to| match self.product.clone() {
            Product::Heightmap => ExportAction::HeightmapTo(to).into(),
            Product::Film(film) => ExportAction::FilmTo(film, to).into(),
        };
        Overwrite::from_error(error, &self.to, ("Another file…", again.into()), over)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::frame::commands::Command;
    use crate::app::frame::dialogs::overwrite::OverwriteReason;

    #[test]
    fn what_is_protected_is_asked_about_and_written_over_only_when_that_is_chosen() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("alps.r16");
        std::fs::write(&path, "old").unwrap();
        let mut bits = std::fs::metadata(&path).unwrap().permissions();
        bits.set_readonly(true);
        std::fs::set_permissions(&path, bits).unwrap();
        for product in [Product::Heightmap, Product::Film(Film::default())] {
            let order = ExportOrder { product, to: SaveTarget::new(&path) };
            let refused = crate::io::check_place(&order.to).unwrap_err();
            let question = order.question(&refused).expect("it is asked about");
            assert_eq!(question.reason, OverwriteReason::ReadOnly);
            let over = order.to.clone().over_read_only(true).over_links(true);
            assert!(crate::io::check_place(&over).is_ok());
            let wanted = match order.product.clone() {
                Product::Heightmap => ExportAction::HeightmapTo(over),
                Product::Film(film) => ExportAction::FilmTo(film, over),
            };
            assert_eq!(question.over, Command::from(wanted));
        }
    }

    #[test]
    fn an_export_that_failed_after_the_replacement_does_not_say_that_nothing_was_exported() {
        let source = || std::io::Error::other("the disk does not answer");
        let unsynced = || FileError::Unsynced { path: "alps.png".into(), source: source() };
        for error in [anyhow::Error::from(unsynced()), FilmError::from(unsynced()).into()] {
            let said = failure(&error);
            assert!(said.starts_with("It was exported, but: alps.png is replaced"), "{said}");
        }
        let said = failure(&FileError::Write { path: "alps.png".into(), source: source() }.into());
        assert!(said.starts_with("Nothing was exported: ") && said.contains("untouched"), "{said}");
        assert!(failure(&anyhow::anyhow!("stopped")).starts_with("Nothing was exported"));
    }
}
