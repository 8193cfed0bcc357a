//! Exports: computes maps, meshes and films while the editor stays usable, and writes them to files.
//!
//! ```text
//! ExportAction ── window ──▶ ExportAction with a choice ──▶ task: ExportTask ──▶ message
//!                                    ▲      │ the file is protected, or has several hard links
//!                                    └──────┴─▶ Overwrite
//! ```

mod dialog;
pub mod task;
mod window;

use std::path::{Component, Path};

use bevy::app::AppExit;
use bevy::ecs::system::{In, InMut};
use bevy::prelude::*;
use bevy_egui::EguiPrimaryContextPass;
use bevy_egui::egui::Ui;
use egui_phosphor::regular as icon;

use self::dialog::FilmDialog;
pub use self::dialog::{film_files, film_kind};
use self::task::{ExportOrder, ExportTask};
pub use self::window::ExportChoice;
use self::window::{ExportWindow, first_choice, title};
use crate::frame::actions::CancelWork;
use crate::frame::commands::{Action, CommandApp, CommandQueue, Info, keys};
use crate::frame::dialogs::files::{Files, file_stem, usual_folder};
use crate::frame::dialogs::overwrite::Overwrite;
use crate::frame::editor::{Editor, capitalised, with_reason};
use crate::frame::interface::InterfaceApp;
use crate::frame::menu::pick;
use crate::frame::status::{Activity, StatusInfo};
use crate::frame::tasks::Tasks;
use crate::frame::window::{FrameSystems, Quitting};
use talweg::export::ExportError;
use talweg::io::system_names::is_rooted;
use talweg::io::{FileError, SaveTarget};
use talweg::preferences::FilmSettings;
use talweg::scene::BuildPreset;
use talweg::tiles::TileError;
use talweg::timelapse::{Film, FilmError};
use talweg::user_state::{PathUse, check_paths, permit_paths};

pub struct ExportPlugin;

impl Plugin for ExportPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<ExportTask>()
            .add_message::<ExportOrder>()
            .add_actions([ExportAction::Open, ExportAction::BuildLast, ExportAction::Timelapse], run)
            .add_menu_part("File", 10, menu)
            .add_systems(PreUpdate, receive.in_set(FrameSystems::Receive))
            .add_systems(
                EguiPrimaryContextPass,
                (
                    show_progress.in_set(FrameSystems::UpdatePanels),
                    (run_orders, put_off_quitting).chain().in_set(FrameSystems::Execute),
                ),
            );
    }
}

/// The export commands.
#[derive(Clone, Debug, PartialEq)]
pub enum ExportAction {
    /// Opens the export window.
    Open,
    /// Asks for a folder, and then opens the export window again.
    ChooseFolder(Box<ExportChoice>),
    /// Opens the export window with these settings.
    OpenWith(Box<ExportChoice>),
    /// Writes the export, and stores its settings as a build preset of the scene.
    Build(Box<ExportChoice>),
    /// Repeats the last build of the scene.
    BuildLast,
    /// Opens the dialog with the settings of a time-lapse.
    Timelapse,
    /// Asks for the file in which to save a time-lapse: an animated GIF, or a folder of PNG images if the second field
    /// is true.
    FilmAs(Film, bool),
    FilmTo(Film, SaveTarget),
}

impl Action for ExportAction {
    fn section(&self) -> &'static str {
        "File"
    }

    fn info(&self) -> Info {
        match self {
            Self::Open | Self::ChooseFolder(_) | Self::OpenWith(_) => Info::new(
                "Export…",
                "Exports heights, data maps, colours, splat maps and meshes for other programs.",
                icon::EXPORT,
                keys![COMMAND + E],
            ),
            Self::Build(_) | Self::BuildLast => Info::new(
                "Build",
                "Repeats the last export of this scene and overwrites its files.",
                icon::HAMMER,
                keys![COMMAND + B],
            ),
            Self::Timelapse | Self::FilmAs(..) | Self::FilmTo(..) => Info::new(
                "Export time-lapse…",
                "Films the selected erosion from above, as a GIF or as numbered images.",
                icon::FILM_STRIP,
                keys![COMMAND_SHIFT + E],
            ),
        }
    }
}

fn run(In(action): In<ExportAction>, mut editor: ResMut<Editor>, mut orders: MessageWriter<ExportOrder>) {
    let editor = &mut *editor;
    let offered = |editor: &Editor| first_choice(editor.doc.scene(), editor.doc.path(), usual_folder(&editor.doc));
    match action {
        ExportAction::Open => {
            let window = ExportWindow::new(editor.doc.scene(), offered(editor));
            editor.dialogs.open(window);
        }
        ExportAction::OpenWith(choice) => {
            let window = ExportWindow::new(editor.doc.scene(), *choice);
            editor.dialogs.open(window);
        }
        ExportAction::ChooseFolder(choice) => {
            let (folder, choice) = (choice.folder.clone(), *choice);
            let then = move |folder| ExportAction::OpenWith(Box::new(ExportChoice { folder, ..choice.clone() })).into();
            editor.dialogs.open(Files::folder(&editor.doc, "Export to folder", &folder, then));
        }
        ExportAction::Build(choice) => {
            let mut preset = choice.preset.clone();
            let usual = offered(editor).folder;
            if choice.folder != usual {
                // store the folder relative to the scene's folder, because the preset is read that way when it is built
                // again
                preset.folder = choice.folder.join(&preset.folder).to_string_lossy().into_owned();
            }
            editor.doc.edit("Save build preset", None, |scene| {
                scene.builds.retain(|build| title(build) != title(&preset));
                scene.builds.insert(0, preset);
            });
            if let Some(file) = &choice.scene_file {
                // The window has shown the folder and the names.
                permit_paths(file, &choice.files(editor.doc.scene()), PathUse::Write);
            }
            orders.write(ExportOrder::Build(choice));
        }
        // open the window if there is no build yet, or if the preset writes files outside the scene's folder; the scene
        // may come from somebody else
        ExportAction::BuildLast if !is_build_permitted(editor, &offered(editor)) => {
            let window = ExportWindow::new(editor.doc.scene(), offered(editor));
            editor.dialogs.open(window);
        }
        ExportAction::BuildLast => {
            let choice = offered(editor);
            orders.write(ExportOrder::Build(Box::new(choice)));
        }
        ExportAction::Timelapse => ask_how_to_film(editor),
        ExportAction::FilmAs(film, as_images) => {
            let is_generator = editor.doc.scene().iterations(film.layer).is_none();
            let Film { frames, frames_a_second, pixels, .. } = film;
            let side = pixels as u32;
            let settings = FilmSettings { as_images, frames, frames_a_second, width: side, height: side };
            editor.note_film(film_name(is_generator), settings);
            let kinds = film_files(as_images);
            let then = move |path| ExportAction::FilmTo(film.clone(), SaveTarget::new(path)).into();
            let files = Files::save(&editor.doc, "Export time-lapse", &file_stem(&editor.doc), &kinds, then);
            editor.dialogs.open(files);
        }
        ExportAction::FilmTo(film, to) => {
            orders.write(ExportOrder::Film(film, to));
        }
    }
}

/// Whether the last build can be repeated without asking the user. A build must exist, and all of its files must lie in
/// the folder of the scene or be permitted by the user.
fn is_build_permitted(editor: &Editor, choice: &ExportChoice) -> bool {
    let scene = editor.doc.scene();
    scene.builds.first().is_some_and(|preset| match &choice.scene_file {
        Some(file) => check_paths(file, &choice.files(scene), PathUse::Write).is_ok(),
        None => !leads_elsewhere(preset),
    })
}

/// Whether a preset writes files outside the folder of its scene.
fn leads_elsewhere(preset: &BuildPreset) -> bool {
    let files = preset.products.iter().filter_map(|product| product.file.as_deref());
    let is_below = |path: &str| {
        let path = Path::new(path);
        !is_rooted(path) && path.components().all(|part| matches!(part, Component::Normal(_)))
    };
    !files.chain([preset.folder.as_str(), preset.file_names.as_str()]).all(is_below)
}

fn ask_how_to_film(editor: &mut Editor) {
    let played = editor.doc.played().map(|(layer, _)| layer);
    match played.map_or_else(|| Film::topmost_layer(editor.doc.scene()), Ok) {
        Ok(layer) => {
            let scene = editor.doc.scene();
            let is_generator = scene.iterations(layer).is_none();
            let mut film = Film { samples: scene.samples(), shows_steps: is_generator, ..Film::of_layer(scene, layer) };
            let last = editor.recent.film(film_name(is_generator));
            if let Some(FilmSettings { frames, frames_a_second, width, .. }) = last {
                film = Film { frames_a_second, pixels: width as usize, ..film };
                // a generator has one frame for each step
                film.frames = if is_generator { film.frames } else { frames };
            }
            let as_images = last.is_some_and(|last| last.as_images);
            editor.dialogs.open(FilmDialog { film, as_images, is_generator });
        }
        Err(error) => editor.toasts.warning(format!("{}.", capitalised(&error.to_string()))),
    }
}

/// The name under which the settings of a time-lapse are remembered.
fn film_name(is_generator: bool) -> &'static str {
    if is_generator { "generator" } else { "erosion" }
}

fn menu(InMut(ui): InMut<Ui>, mut queue: ResMut<CommandQueue>) {
    pick(ui, &mut queue, ExportAction::Open, true);
    pick(ui, &mut queue, ExportAction::BuildLast, true);
    pick(ui, &mut queue, ExportAction::Timelapse, true);
}

/// Shows a message when an export has ended. Quits the program if quitting was delayed until the export ended.
fn receive(mut task: ResMut<ExportTask>, mut editor: ResMut<Editor>, mut exit: MessageWriter<AppExit>) {
    match task.work.ended() {
        None => {}
        Some(Ok(_)) if task.then_quit => {
            exit.write(AppExit::Success);
        }
        Some(Ok(written)) => editor.toasts.info(written),
        Some(Err(error)) => {
            task.then_quit = false;
            editor.toasts.failed(&error, failure(&error));
        }
    }
}

fn show_progress(task: Res<ExportTask>, mut info: ResMut<StatusInfo>) {
    if let Some((name, done)) = task.progress() {
        let text = format!("Exporting {name}, {:.0} %", done * 100.0);
        info.activities.push(Activity { text, done: Some(done) });
    }
}

fn run_orders(
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
        let Err(error) = task.start(editor.doc.scene(), &editor.doc.name(), order, &tasks) else { continue };
        let question = file_error(&error).and_then(|error| order.question(error));
        editor.ask_or_report(question, || with_reason(&format!("The {} was not exported", order.name()), &error));
    }
}

/// The message about a failed export. It says whether the file on disk has the old or the new contents.
fn failure(error: &anyhow::Error) -> String {
    let is_replaced = file_error(error).is_some_and(FileError::is_replaced);
    with_reason(if is_replaced { "Exported, with a problem" } else { "Nothing was exported" }, error)
}

/// The file error that caused `error`, if there is one.
fn file_error(error: &anyhow::Error) -> Option<&FileError> {
    let of_film = error.downcast_ref().and_then(|error| match error {
        FilmError::File(error) => Some(error),
        _ => None,
    });
    let of_export = || match error.downcast_ref()? {
        ExportError::File(error) => Some(error),
        _ => None,
    };
    let of_tiles = || match error.downcast_ref()? {
        TileError::File(error) | TileError::Export(ExportError::File(error)) => Some(error),
        _ => None,
    };
    of_film.or_else(of_export).or_else(of_tiles).or_else(|| error.downcast_ref())
}

impl ExportOrder {
    /// The question whether to overwrite a protected file.
    fn question(&self, error: &FileError) -> Option<Overwrite> {
        match self {
            Self::Build(choice) => {
                let again = ExportAction::OpenWith(choice.clone());
                let over = |_| ExportAction::Build(Box::new(ExportChoice { force: true, ..(**choice).clone() })).into();
                let to = SaveTarget::new(error.path());
                Overwrite::from_error(error, &to, ("Other files…", again.into()), over)
            }
            Self::Film(film, to) => {
                let as_images = to.path().extension().is_none_or(|ending| ending != "gif");
                let again = ExportAction::FilmAs(film.clone(), as_images);
                let over = |to| ExportAction::FilmTo(film.clone(), to).into();
                Overwrite::from_error(error, to, ("Another file…", again.into()), over)
            }
        }
    }
}

/// Delays quitting until the export is written.
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
    use crate::frame::commands::Command;
    use crate::frame::dialogs::overwrite::OverwriteReason;
    use talweg::scene::BuildProduct;

    #[test]
    fn protected_files_are_overwritten_only_after_confirmation() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("alps.r16");
        std::fs::write(&path, "old").unwrap();
        let mut bits = std::fs::metadata(&path).unwrap().permissions();
        bits.set_readonly(true);
        std::fs::set_permissions(&path, bits).unwrap();
        let to = SaveTarget::new(&path);
        let product = BuildProduct { map: "heights".into(), format: "r16".into(), file: Some("alps.r16".into()) };
        let preset = BuildPreset { products: vec![product], ..BuildPreset::default() };
        let choice = ExportChoice { preset, folder: folder.path().into(), scene_file: None, force: false };
        let forced = ExportChoice { force: true, ..choice.clone() };
        let over = to.clone().over_read_only(true).over_links(true);
        let refused = talweg::io::check_writable(&to).unwrap_err();
        let orders = [
            (ExportOrder::Build(Box::new(choice)), ExportAction::Build(Box::new(forced))),
            (ExportOrder::Film(Film::default(), to), ExportAction::FilmTo(Film::default(), over.clone())),
        ];
        for (order, wanted) in orders {
            let question = order.question(&refused).expect("a question");
            assert_eq!((question.reason, &question.path), (OverwriteReason::ReadOnly, &path));
            assert!(talweg::io::check_writable(&over).is_ok());
            assert_eq!(question.over, Command::from(wanted));
        }
    }

    #[test]
    fn files_outside_the_scene_folder_need_confirmation() {
        let preset = |folder: &str, file: Option<&str>| {
            let file = file.map(Into::into);
            let product = BuildProduct { map: "heights".into(), format: "png".into(), file };
            BuildPreset { folder: folder.into(), products: vec![product], ..BuildPreset::default() }
        };
        assert!(!leads_elsewhere(&preset("", None)) && !leads_elsewhere(&preset("out/a", Some("b.png"))));
        for (folder, file) in [("/tmp", None), ("../a", None), ("", Some("/a.png")), ("", Some("a/../../b.png"))] {
            assert!(leads_elsewhere(&preset(folder, file)), "{folder} {file:?}");
        }
    }

    #[test]
    fn a_failure_after_the_replacement_reports_exported_files() {
        let source = || std::io::Error::other("the disk does not answer");
        let unsynced = || FileError::Unsynced { path: "alps.png".into(), source: source() };
        for error in [anyhow::Error::from(unsynced()), FilmError::from(unsynced()).into()] {
            let said = failure(&error);
            assert!(said.starts_with("Exported, with a problem: alps.png is replaced"), "{said}");
        }
        let said = failure(&FileError::Write { path: "alps.png".into(), source: source() }.into());
        assert!(said.starts_with("Nothing was exported: ") && said.contains("untouched"), "{said}");
        assert!(failure(&anyhow::anyhow!("stopped")).starts_with("Nothing was exported"));
    }
}
