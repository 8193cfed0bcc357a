//! Talweg's own file dialog, inside the window. A dialog that opens files has a preview of the selected file and a
//! field for the name of a file.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use bevy_egui::egui;
use egui::layers::ShapeIdx;
use egui::{Key, RichText, Shape, TextEdit, Ui};
use egui_file_dialog::{DialogState, Disks, FileDialog, FileSystem, Metadata, NativeFileSystem, UserDirectories};
use egui_phosphor::regular as icon;

use super::{FileRequest, Purpose, TEXTURES};
use crate::frame::dialogs::preview::FilePreview;
use crate::frame::theme::colour;

/// Width of the preview of the selected file, in points.
const PREVIEW_WIDTH: f32 = 190.0;

/// The file dialog inside the window.
pub(super) struct OwnDialog {
    dialog: FileDialog,
    /// The name field and the preview on the right. Only dialogs that open files have them.
    beside: Option<Beside>,
}

/// The preview of the selected file, and the field for a name.
struct Beside {
    preview: Option<FilePreview>,
    is_texture: bool,
    typed: TypedName,
    disk: Arc<WatchedDisk>,
}

impl OwnDialog {
    pub fn open(request: &FileRequest) -> Self {
        let disk = Arc::new(WatchedDisk::default());
        let dialog = FileDialog::with_file_system(disk.clone())
            .title(&request.title)
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
        let dialog = match &request.folder {
            Some(folder) => dialog.initial_directory(folder.clone()),
            None => dialog,
        };
        let mut beside = None;
        let dialog = match &request.purpose {
            Purpose::Open { kind, endings } => {
                let dialog = dialog.add_file_filter_extensions(kind, endings.to_vec());
                let mut dialog = dialog.default_file_filter(kind).default_size([900.0, 440.0]);
                dialog.set_right_panel_width(PREVIEW_WIDTH);
                dialog.pick_file();
                let is_texture = kind == TEXTURES.0;
                beside = Some(Beside { preview: None, is_texture, typed: TypedName::default(), disk });
                dialog
            }
            Purpose::Save { name, kinds } => {
                let dialog = dialog.default_file_name(name);
                let dialog =
                    kinds.iter().fold(dialog, |dialog, (kind, ending)| dialog.add_save_extension(kind, ending));
                let first = kinds.first().map_or("", |(kind, _)| kind);
                let mut dialog = dialog.default_save_extension(first);
                dialog.save_file();
                dialog
            }
            Purpose::Folder => {
                let mut dialog = dialog;
                dialog.pick_directory();
                dialog
            }
        };
        Self { dialog, beside }
    }

    /// Shows the dialog. When the user has answered, returns the chosen path, or `None` after *Cancel*.
    pub fn show(&mut self, ctx: &egui::Context) -> Option<Option<PathBuf>> {
        let typed = match &mut self.beside {
            None => {
                self.dialog.update(ctx);
                None
            }
            Some(beside) => {
                let selected = self.dialog.selected_entry().filter(|entry| entry.is_file());
                beside.select(selected.map(|entry| entry.to_path_buf()).as_deref());
                let mut typed = None;
                self.dialog.update_with_right_panel_ui(ctx, &mut |ui, _| typed = beside.show(ui));
                typed
            }
        };
        recolour_search(ctx);
        match typed {
            Some(TypedPath::File(path)) => return Some(Some(path)),
            Some(TypedPath::Folder(folder)) => {
                self.dialog.config_mut().initial_directory = folder;
                self.dialog.pick_file();
            }
            None => {}
        }
        match self.dialog.state() {
            DialogState::Picked(path) => Some(Some(path.clone())),
            DialogState::Open => None,
            _ => Some(None),
        }
    }
}

impl Beside {
    /// Starts the preview of the selected file, unless it is shown already.
    fn select(&mut self, file: Option<&Path>) {
        match file {
            Some(path) if self.preview.as_ref().is_some_and(|preview| preview.is_of(path)) => {}
            Some(path) => self.preview = Some(FilePreview::new(path, self.is_texture)),
            None => self.preview = None,
        }
    }

    fn show(&mut self, ui: &mut Ui) -> Option<TypedPath> {
        let typed = self.typed.show(ui, &self.disk.folder());
        ui.separator();
        match &self.preview {
            Some(preview) => preview.show(ui),
            None => drop(ui.weak("Select a file to see a preview.")),
        }
        typed
    }
}

/// The field for the name or the path of a file.
#[derive(Default)]
struct TypedName {
    text: String,
    problem: Option<String>,
}

/// A path that exists.
#[derive(Debug, PartialEq)]
enum TypedPath {
    File(PathBuf),
    Folder(PathBuf),
}

impl TypedName {
    /// Shows the field. Returns the path after the user has pressed Enter. Names belong to the folder `shown`.
    fn show(&mut self, ui: &mut Ui, shown: &Path) -> Option<TypedPath> {
        let label = ui.label("Name or path");
        let field = TextEdit::singleline(&mut self.text).desired_width(f32::INFINITY);
        let field = ui.add(field).labelled_by(label.id).on_hover_text("Enter opens the file, or shows the folder.");
        if field.changed() {
            self.problem = None;
        }
        if let Some(problem) = &self.problem {
            ui.label(RichText::new(problem).small().color(colour::warning()));
        }
        if !field.lost_focus() || !ui.input(|input| input.key_pressed(Key::Enter)) || self.text.trim().is_empty() {
            return None;
        }
        match typed_path(&self.text, shown) {
            Ok(path) => {
                *self = Self::default();
                Some(path)
            }
            Err(problem) => {
                self.problem = Some(problem);
                field.request_focus();
                None
            }
        }
    }
}

/// The file or the folder that a user has typed: a path, a path that starts in the home folder (`~`), or a name in the
/// folder `shown`. Quotation marks around it, which file managers add when they copy a path, are ignored.
fn typed_path(text: &str, shown: &Path) -> Result<TypedPath, String> {
    let text = text.trim().trim_matches(['"', '\'']);
    let home = directories::UserDirs::new().map(|dirs| dirs.home_dir().to_path_buf());
    let path = match (text.strip_prefix('~'), home) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with(['/', '\\']) => {
            home.join(rest.trim_start_matches(['/', '\\']))
        }
        _ => shown.join(text),
    };
    if path.is_dir() {
        Ok(TypedPath::Folder(path))
    } else if path.is_file() {
        Ok(TypedPath::File(path))
    } else {
        Err(format!("There is no file {}.", path.display()))
    }
}

/// The file system, which remembers the folder whose files the dialog shows.
#[derive(Default)]
struct WatchedDisk(Mutex<PathBuf>);

impl WatchedDisk {
    fn folder(&self) -> PathBuf {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl FileSystem for WatchedDisk {
    fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        NativeFileSystem.metadata(path)
    }

    fn is_dir(&self, path: &Path) -> bool {
        NativeFileSystem.is_dir(path)
    }

    fn is_file(&self, path: &Path) -> bool {
        NativeFileSystem.is_file(path)
    }

    fn read_dir(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = path.into();
        NativeFileSystem.read_dir(path)
    }

    fn get_disks(&self, canonicalize_paths: bool) -> Disks {
        NativeFileSystem.get_disks(canonicalize_paths)
    }

    fn is_path_hidden(&self, path: &Path) -> bool {
        NativeFileSystem.is_path_hidden(path)
    }

    fn create_dir(&self, path: &Path) -> io::Result<()> {
        NativeFileSystem.create_dir(path)
    }

    fn user_dirs(&self, canonicalize_paths: bool) -> Option<UserDirectories> {
        NativeFileSystem.user_dirs(canonicalize_paths)
    }

    fn current_dir(&self) -> io::Result<PathBuf> {
        NativeFileSystem.current_dir()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typed_name_is_a_file_of_the_shown_folder() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("hill.png"), "").unwrap();
        std::fs::create_dir(at("maps")).unwrap();
        let file = TypedPath::File(at("hill.png"));
        assert_eq!(typed_path(" hill.png ", folder.path()).unwrap(), file);
        assert_eq!(typed_path(&format!("\"{}\"", at("hill.png").display()), Path::new("/")).unwrap(), file);
        assert_eq!(typed_path("maps", folder.path()), Ok(TypedPath::Folder(at("maps"))));
        assert!(matches!(typed_path("~", folder.path()), Ok(TypedPath::Folder(_))));
        let missing = typed_path("valley.png", folder.path()).unwrap_err();
        assert!(missing.contains(&at("valley.png").display().to_string()), "{missing}");
    }
}
