//! Imports heightmaps as scenes: by *File ▸ Import*, or when the user drops files on the window. When the window gets
//! the focus, this module also reloads files of the scene that another program has changed.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bevy::ecs::system::{In, InMut};
use bevy::prelude::*;
use bevy::window::{FileDragAndDrop, WindowFocused};
use bevy_egui::EguiPrimaryContextPass;
use bevy_egui::egui::Ui;
use egui_phosphor::regular as icon;

use crate::frame::actions::CancelWork;
use crate::frame::commands::{Action, CommandApp, CommandQueue, FileAction, Info, keys};
use crate::frame::dialogs::files::{self, Files};
use crate::frame::editor::{Editor, file_name, with_reason};
use crate::frame::interface::InterfaceApp;
use crate::frame::menu::pick;
use crate::frame::status::{Activity, StatusInfo};
use crate::frame::tasks::{SingleTask, Tasks};
use crate::frame::window::FrameSystems;
use crate::view::render::image_textures::forget_files;
use talweg::export::origin::read_origin;
use talweg::io::formats::ReadOptions;
use talweg::io::{FileStamp, Raster, RasterError, check_name, is_heightmap};
use talweg::mesh::import::is_mesh;
use talweg::mesh::raster_or_mesh;
use talweg::scene::Scene;
use talweg::scene::import::scene_from_file_as;

use self::raw::RawDialog;
use self::reading::ReadingDialog;

mod raw;
mod reading;

pub struct ImportPlugin;

impl Plugin for ImportPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<ReadFiles>()
            .init_resource::<ImportTask>()
            .add_actions([ImportAction::Ask], run)
            .add_menu_part("File", 5, menu)
            .add_systems(PreUpdate, (receive, reload_changed).in_set(FrameSystems::Receive))
            .add_systems(
                EguiPrimaryContextPass,
                (show_progress.in_set(FrameSystems::UpdatePanels), (take_dropped, stop).in_set(FrameSystems::Execute)),
            );
    }
}

/// The import commands.
#[derive(Clone, Debug, PartialEq)]
pub enum ImportAction {
    /// Asks for a file to import.
    Ask,
    /// Imports a file. First asks for the layout of a raw file, or shows the contents of any other file.
    File(PathBuf),
    /// Reads a file with the given settings, and shows its contents.
    Inspect(ImportedFile),
    /// Creates a scene from a file whose settings are known. Asks first about unsaved changes.
    Confirmed(ImportedFile),
    /// Creates a scene from a file, after unsaved changes have been saved or discarded.
    Begin(ImportedFile),
}

/// A file to import, with the settings for reading it.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportedFile {
    path: PathBuf,
    options: ReadOptions,
}

impl ImportedFile {
    /// The same file with default settings. The layout of a raw file is kept, because the file does not state it.
    fn without_settings(&self) -> Self {
        let ReadOptions { raw_width, big_endian, first_row_is_south, .. } = self.options;
        let options = ReadOptions { raw_width, big_endian, first_row_is_south, ..ReadOptions::default() };
        Self { options, ..self.clone() }
    }
}

impl Action for ImportAction {
    fn section(&self) -> &'static str {
        "File"
    }

    fn info(&self) -> Info {
        Info::new(
            "Import heights…",
            "Creates a scene from a heightmap of another program, with the extent and relief that the file states.",
            icon::DOWNLOAD_SIMPLE,
            keys![COMMAND_SHIFT + I],
        )
    }
}

/// The running import, if any. Reading a large file takes seconds.
#[derive(Resource, Default)]
pub struct ImportTask(SingleTask<ReadFile, ImportResult>);

/// The result of reading a file.
enum ImportResult {
    /// The contents of the file, to be shown before the import.
    Contents(Arc<Raster>),
    Scene(Box<Scene>),
}

#[derive(Clone)]
struct ReadFile {
    file: ImportedFile,
    /// Edit counter of the document when the import started.
    edits: u64,
}

fn run(
    In(action): In<ImportAction>,
    mut editor: ResMut<Editor>,
    mut queue: ResMut<CommandQueue>,
    mut task: ResMut<ImportTask>,
    tasks: Res<Tasks>,
) {
    match action {
        ImportAction::Ask => {
            let dialog =
                Files::open(&editor.doc, files::HEIGHTS_TITLE, files::IMAGES, |path| ImportAction::File(path).into());
            editor.dialogs.open(dialog);
        }
        ImportAction::File(path) => match RawDialog::for_file(&path) {
            Some(dialog) => editor.dialogs.open(dialog),
            None => {
                queue.push(ImportAction::Inspect(ImportedFile { path, options: ReadOptions::default() }));
            }
        },
        ImportAction::Inspect(file) => {
            let read = file.clone();
            let about = ReadFile { file, edits: editor.doc.edits() };
            let begun = task.0.start(&tasks, "import", (about, 0), move |control| {
                let raster = read_contents(&read)?;
                control.check()?;
                Ok(ImportResult::Contents(raster))
            });
            if let Err(error) = begun {
                editor.toasts.failed(&error, with_reason("The heights were not imported", &error));
            }
        }
        ImportAction::Confirmed(file) => editor.leave_scene(&mut queue, ImportAction::Begin(file)),
        ImportAction::Begin(file) => {
            let read = file.clone();
            let about = ReadFile { file, edits: editor.doc.edits() };
            let begun = task.0.start(&tasks, "import", (about, 0), move |control| {
                let scene = scene_from_file_as(&read.path, read.options)?;
                control.check()?;
                Ok(ImportResult::Scene(Box::new(scene)))
            });
            if let Err(error) = begun {
                editor.toasts.failed(&error, with_reason("The heights were not imported", &error));
            }
        }
    }
}

/// Reads the contents of a file.
fn read_contents(file: &ImportedFile) -> Result<Arc<Raster>, RasterError> {
    let failed = |message: String| RasterError::Read { path: file.path.clone(), message };
    check_name(&file.path).map_err(|error| failed(error.to_string()))?;
    let whole = std::path::absolute(&file.path).map_err(|error| failed(error.to_string()))?;
    raster_or_mesh(&whole.to_string_lossy(), file.options)
}

/// Shows the contents of a file that has been read, or opens the new scene.
pub fn receive(mut task: ResMut<ImportTask>, mut editor: ResMut<Editor>, mut queue: ResMut<CommandQueue>) {
    let file = task.0.progress().map(|(file, _)| file.clone());
    match (task.0.ended(), file) {
        (Some(Ok(ImportResult::Contents(raster))), Some(read)) => {
            editor.dialogs.open(ReadingDialog::new(read.file, &raster));
        }
        (Some(Ok(_)), Some(read)) if editor.doc.is_dirty() && editor.doc.edits() != read.edits => {
            // the scene was edited during the import, so ask about unsaved changes; after the answer, the file is read
            // again
            editor.dialogs.ask_about_changes(ImportAction::Begin(read.file).into());
        }
        (Some(Ok(ImportResult::Scene(scene))), Some(read)) => {
            editor.doc.replace(*scene, None);
            editor.toasts.info(format!("Imported {} as the first layer of a new scene", file_name(&read.file.path)));
        }
        (Some(Err(error)), read) => {
            editor.toasts.failed(&error, with_reason("The heights were not imported", &error));
            // The file cannot be read with the chosen settings. The dialog opens again with the default settings.
            let changed = read.map(|read| read.file).filter(|file| file.options != file.without_settings().options);
            queue.extend(changed.map(|file| ImportAction::Inspect(file.without_settings()).into()));
        }
        _ => {}
    }
}

fn show_progress(task: Res<ImportTask>, mut info: ResMut<StatusInfo>) {
    if let Some((read, _)) = task.0.progress() {
        info.activities.push(Activity { text: format!("Reading {}", file_name(&read.file.path)), done: Some(0.0) });
    }
}

fn stop(mut cancelled: MessageReader<CancelWork>, task: Res<ImportTask>) {
    if cancelled.read().next().is_some() {
        task.0.cancel();
    }
}

fn menu(InMut(ui): InMut<Ui>, mut queue: ResMut<CommandQueue>) {
    pick(ui, &mut queue, ImportAction::Ask, true);
}

/// Handles dropped files: opens scenes and exported files with an embedded scene, and imports all other heightmaps.
fn take_dropped(
    mut dropped: MessageReader<FileDragAndDrop>,
    mut editor: ResMut<Editor>,
    mut queue: ResMut<CommandQueue>,
) {
    for message in dropped.read() {
        let FileDragAndDrop::DroppedFile { path_buf, .. } = message else { continue };
        if editor.dialogs.is_open() {
            editor.toasts.warning("Close the open dialog first, then drop the file again.");
            continue;
        }
        match dropped_action(path_buf) {
            Some(DroppedFile::Scene(path)) => queue.push(FileAction::OpenRecent(path)),
            Some(DroppedFile::Heights(path)) => queue.push(ImportAction::File(path)),
            None => editor.toasts.error(format!(
                "Cannot open {}: it is neither a scene nor a heightmap. Supported: {}.",
                file_name(path_buf),
                files::IMAGES.0
            )),
        }
    }
}

/// The way in which a dropped file is handled.
#[derive(Clone, Debug, PartialEq)]
enum DroppedFile {
    Scene(PathBuf),
    Heights(PathBuf),
}

fn dropped_action(path: &Path) -> Option<DroppedFile> {
    let is_scene = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("ron"));
    if is_scene || read_origin(path).is_ok() {
        return Some(DroppedFile::Scene(path.into()));
    }
    (is_heightmap(path) || is_mesh(path)).then(|| DroppedFile::Heights(path.into()))
}

/// The files that the scene reads, with their stamps at the last check.
#[derive(Resource, Default)]
struct ReadFiles(Vec<(PathBuf, Option<FileStamp>)>);

impl ReadFiles {
    /// Checks the stamps of the files. Returns the files that existed at the last check and have changed since then.
    fn check(&mut self, files: Vec<PathBuf>) -> Vec<PathBuf> {
        let stamped = files.into_iter().map(|path| {
            let stamp = FileStamp::read(&path).ok();
            (path, stamp)
        });
        let now: Vec<_> = stamped.collect();
        let before = std::mem::replace(&mut self.0, now);
        let is_other = |(path, stamp): &&(PathBuf, Option<FileStamp>)| {
            before.iter().any(|(other, was)| other == path && was != stamp)
        };
        self.0.iter().filter(is_other).map(|(path, _)| path.clone()).collect()
    }
}

/// Reloads changed files when the window gets the focus.
fn reload_changed(mut focused: MessageReader<WindowFocused>, mut seen: ResMut<ReadFiles>, mut editor: ResMut<Editor>) {
    if focused.read().count() == 0 {
        return;
    }
    let changed = seen.check(editor.doc.scene().files_read());
    if let Some(first) = changed.first() {
        let others = if changed.len() > 1 { format!(" and {} other files", changed.len() - 1) } else { String::new() };
        editor.toasts.info(format!("Changed on disk and reloaded: {}{others}", file_name(first)));
        forget_files(&changed);
        editor.doc.recompute();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_changed_files_are_reported() {
        let folder = tempfile::tempdir().unwrap();
        let [a, b] = ["a.png", "b.png"].map(|name| folder.path().join(name));
        std::fs::write(&a, "one").unwrap();
        let mut seen = ReadFiles::default();
        let both = || vec![a.clone(), b.clone()];
        assert!(seen.check(both()).is_empty(), "the first check finds no change");
        assert!(seen.check(both()).is_empty());
        std::fs::write(&b, "new").unwrap();
        assert_eq!(seen.check(both()), std::slice::from_ref(&b));
        std::fs::write(&a, "longer").unwrap();
        assert_eq!(seen.check(both()), std::slice::from_ref(&a));
        assert!(seen.check(Vec::new()).is_empty());
    }

    #[test]
    fn dropped_files_are_recognised_by_kind() {
        let at = |name: &str| PathBuf::from(name);
        assert_eq!(dropped_action(Path::new("a.ron")), Some(DroppedFile::Scene(at("a.ron"))));
        assert_eq!(dropped_action(Path::new("a.tif")), Some(DroppedFile::Heights(at("a.tif"))));
        assert_eq!(dropped_action(Path::new("a.txt")), None);
    }
}
