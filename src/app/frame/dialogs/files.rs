//! File dialogs for opening, saving and exporting. The save dialog itself asks before it overwrites a file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bevy_egui::egui;
use egui::Shape;
use egui::layers::ShapeIdx;
use egui_file_dialog::{DialogState, FileDialog};
use egui_phosphor::regular as icon;

use super::Dialog;
use super::preview::FilePreview;
use crate::frame::commands::Command;
use crate::frame::document::Document;
use crate::frame::theme::colour;
use talweg::io::PICTURE_EXTENSIONS;

/// File filter for Talweg scenes: name and extensions.
pub const SCENES: (&str, &[&str]) =
    ("Talweg scenes (.ron) and files exported from them", &["ron", "png", "tif", "tiff", "exr", "glb"]);
/// File type of a saved scene; the dialog appends the extension.
pub const SCENE: (&str, &str) = ("Talweg scene", "ron");
/// File filter for heightmaps and images that nodes read.
pub const IMAGES: (&str, &[&str]) = (
    "Heights, images and meshes (.png, .tif, .exr, .r16, .r32, .hgt, .asc, .glb, .obj)",
    &["png", "tif", "tiff", "exr", "r16", "raw", "r32", "hgt", "asc", "glb", "gltf", "obj", "ply", "stl"],
);

/// File filter for the scenes that layers read.
pub const READ_SCENES: (&str, &[&str]) = ("Talweg scenes (.ron)", &["ron"]);

/// Title of the dialog that asks for a scene that a layer reads.
pub const SCENE_TITLE: &str = "Choose a scene file to read";

/// File filter for the images of a ground material.
pub const TEXTURES: (&str, &[&str]) = ("Textures (.png, .jpg, .tif, .exr)", &PICTURE_EXTENSIONS);

/// Title of the dialog that asks for a heightmap or image.
pub const HEIGHTS_TITLE: &str = "Choose a heightmap or image";

/// Width of the preview of the selected file, in points.
const PREVIEW_WIDTH: f32 = 190.0;

/// A file dialog, and the command that receives the chosen path.
pub struct Files {
    dialog: FileDialog,
    /// The kind of the files to open: their title. A dialog for opening starts in the folder in which the user last
    /// chose such a file. A dialog for saving starts in the folder of the scene.
    kind: Option<String>,
    /// Whether the dialog has been shown.
    is_shown: bool,
    /// The preview of the selected file, in a dialog for opening.
    preview: Option<FilePreview>,
    then: Box<dyn Fn(PathBuf) -> Command + Send + Sync>,
}

type LastFolders = BTreeMap<String, PathBuf>;

fn last_folders_id() -> egui::Id {
    egui::Id::new("last folders of file dialogs")
}

/// The folders in which the user last chose files, by kind of file.
pub(in crate::frame) fn last_folders(ctx: &egui::Context) -> LastFolders {
    ctx.data(|data| data.get_temp::<Arc<LastFolders>>(last_folders_id()))
        .map(|known| (*known).clone())
        .unwrap_or_default()
}

/// Sets the folders in which the user last chose files, by kind of file.
pub(in crate::frame) fn set_last_folders(ctx: &egui::Context, folders: &LastFolders) {
    let is_set =
        ctx.data(|data| data.get_temp::<Arc<LastFolders>>(last_folders_id())).is_some_and(|set| *set == *folders);
    if !is_set {
        ctx.data_mut(|data| data.insert_temp(last_folders_id(), Arc::new(folders.clone())));
    }
}

impl Files {
    /// Asks for a file of one kind. `then` turns the chosen path into the command that runs.
    pub fn open(
        document: &Document,
        title: &str,
        (kind, endings): (&str, &'static [&'static str]),
        then: impl Fn(PathBuf) -> Command + Send + Sync + 'static,
    ) -> Self {
        let dialog = dialog(document, title).add_file_filter_extensions(kind, endings.to_vec());
        let mut dialog = dialog.default_file_filter(kind).default_size([900.0, 440.0]);
        dialog.set_right_panel_width(PREVIEW_WIDTH);
        Self { dialog, kind: Some(kind.into()), is_shown: false, preview: None, then: Box::new(then) }
    }

    /// Asks where to save a file. `name` is the suggested file name; the extension of the first of `kinds` is appended.
    pub fn save(
        document: &Document,
        title: &str,
        name: &str,
        kinds: &[(&str, &str)],
        then: impl Fn(PathBuf) -> Command + Send + Sync + 'static,
    ) -> Self {
        Self::save_in(None, document, title, name, kinds, then)
    }

    /// Like [`save`](Self::save), for a dialog that starts in `folder` if one is given.
    pub fn save_in(
        folder: Option<PathBuf>,
        document: &Document,
        title: &str,
        name: &str,
        kinds: &[(&str, &str)],
        then: impl Fn(PathBuf) -> Command + Send + Sync + 'static,
    ) -> Self {
        let (first, ending) = kinds.first().copied().unwrap_or_default();
        let dialog = dialog(document, title);
        let dialog = if let Some(folder) = folder { dialog.initial_directory(folder) } else { dialog };
        let dialog = dialog.default_file_name(&format!("{name}.{ending}"));
        let dialog = kinds.iter().fold(dialog, |dialog, (kind, ending)| dialog.add_save_extension(kind, ending));
        let mut dialog = dialog.default_save_extension(first);
        dialog.save_file();
        Self { dialog, kind: None, is_shown: true, preview: None, then: Box::new(then) }
    }
}

impl Files {
    /// Asks for a folder. The dialog starts in the folder `at` if it exists.
    pub fn folder(
        document: &Document,
        title: &str,
        at: &Path,
        then: impl Fn(PathBuf) -> Command + Send + Sync + 'static,
    ) -> Self {
        let dialog = dialog(document, title);
        let mut dialog = if at.is_dir() { dialog.initial_directory(at.into()) } else { dialog };
        dialog.pick_directory();
        Self { dialog, kind: None, is_shown: true, preview: None, then: Box::new(then) }
    }
}

impl Files {
    /// Updates the dialog, with the preview of the selected file on its right.
    fn update_with_preview(&mut self, ctx: &egui::Context) {
        let selected = self.dialog.selected_entry().filter(|entry| entry.is_file()).map(|entry| entry.to_path_buf());
        match &selected {
            Some(path) if self.preview.as_ref().is_some_and(|preview| preview.is_of(path)) => {}
            Some(path) => {
                let is_texture = self.kind.as_deref() == Some(TEXTURES.0);
                self.preview = Some(FilePreview::new(path, is_texture));
            }
            None => self.preview = None,
        }
        let preview = &self.preview;
        self.dialog.update_with_right_panel_ui(ctx, &mut |ui, _| match preview {
            Some(preview) => preview.show(ui),
            None => {
                ui.weak("Select a file to see a preview.");
            }
        });
    }
}

impl Dialog for Files {
    fn show(&mut self, ctx: &egui::Context, _: &str) -> Option<Vec<Command>> {
        if !std::mem::replace(&mut self.is_shown, true) {
            let mut folders = last_folders(ctx);
            let last = self.kind.as_ref().and_then(|kind| folders.remove(kind)).filter(|folder| folder.is_dir());
            if let Some(last) = last {
                self.dialog.config_mut().initial_directory = last;
            }
            self.dialog.pick_file();
        }
        if self.kind.is_some() {
            self.update_with_preview(ctx);
        } else {
            self.dialog.update(ctx);
        }
        recolour_search(ctx);
        match self.dialog.state() {
            DialogState::Picked(path) => {
                if let (Some(kind), Some(folder)) = (&self.kind, path.parent()) {
                    // the dialog starts here again even if the chosen file cannot be read
                    let mut folders = last_folders(ctx);
                    folders.insert(kind.clone(), folder.into());
                    set_last_folders(ctx, &folders);
                }
                Some(vec![(self.then)(path.clone())])
            }
            DialogState::Open => None,
            _ => Some(Vec::new()),
        }
    }
}

/// Gives the search field the colour of other text fields. The file dialog paints it black in every theme.
fn recolour_search(ctx: &egui::Context) {
    let black = egui::Color32::from_black_alpha(250);
    let layers = ctx.memory(|memory| memory.areas().visible_layer_ids());
    ctx.graphics_mut(|graphics| {
        for layer in layers {
            let Some(list) = graphics.get_mut(layer) else { continue };
            let is_search = |shape: &Shape| matches!(shape, Shape::Rect(rect) if rect.fill == black);
            let entries = list.all_entries().enumerate();
            let found: Vec<usize> = entries.filter(|(_, entry)| is_search(&entry.shape)).map(|(k, _)| k).collect();
            for k in found {
                list.mutate_shape(ShapeIdx(k), |entry| {
                    if let Shape::Rect(rect) = &mut entry.shape {
                        rect.fill = colour::deep();
                    }
                });
            }
        }
    });
}

fn dialog(document: &Document, title: &str) -> FileDialog {
    let dialog = FileDialog::new()
        .title(title)
        .default_size([720.0, 420.0])
        .min_size([520.0, 300.0])
        .anchor(egui::Align2::CENTER_CENTER, [0.0, 0.0])
        .default_file_icon(icon::FILE)
        .default_folder_icon(icon::FOLDER)
        .device_icon(icon::HARD_DRIVE)
        .removable_device_icon(icon::USB)
        .parent_directory_icon(icon::ARROW_UP)
        .back_icon(icon::ARROW_LEFT)
        .forward_icon(icon::ARROW_RIGHT)
        .new_folder_icon(icon::FOLDER_PLUS)
        .menu_icon(icon::LIST)
        .search_icon(icon::MAGNIFYING_GLASS)
        .path_edit_icon(icon::PENCIL_SIMPLE)
        .err_icon(icon::WARNING);
    match folder(document) {
        Some(folder) => dialog.initial_directory(folder),
        None => dialog,
    }
}

/// The folder that contains the scene's file, or the user's documents folder if the scene has no file.
fn folder(document: &Document) -> Option<PathBuf> {
    // a scene path from the command line may contain no folder
    let path = document.path().and_then(|path| std::path::absolute(path).ok());
    let beside = path.as_ref().and_then(|path| path.parent()).filter(|folder| folder.is_dir());
    beside.map(PathBuf::from).or_else(|| {
        let dirs = directories::UserDirs::new()?;
        let documents = dirs.document_dir().filter(|folder| folder.is_dir());
        Some(documents.unwrap_or(dirs.home_dir()).to_path_buf())
    })
}

/// The folder of the scene's file if it exists, otherwise the user's documents folder or the working directory.
pub fn usual_folder(document: &Document) -> PathBuf {
    folder(document).or_else(|| std::env::current_dir().ok()).unwrap_or_default()
}

/// The scene's name without the characters that file systems reject.
pub fn file_stem(document: &Document) -> String {
    let name: String =
        document.name().chars().map(|c| if c.is_control() || "/\\:*?\"<>|".contains(c) { '-' } else { c }).collect();
    let name = name.trim().trim_matches('.');
    if name.is_empty() { "Untitled".into() } else { name.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_have_no_characters_that_file_systems_refuse() {
        let mut document = Document::default();
        for (name, stem) in [("Alps", "Alps"), ("a/b:c", "a-b-c"), ("..", "Untitled"), (" ", "Untitled")] {
            document.edit("Rename scene", None, |scene| scene.name = name.into());
            assert_eq!(file_stem(&document), stem);
        }
    }
}
