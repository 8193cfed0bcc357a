//! Choosing a file to open, to save to, or to export to. The dialog itself asks before it overwrites.

use std::path::PathBuf;

use bevy_egui::egui;
use egui_file_dialog::{DialogState, FileDialog};
use egui_phosphor::regular as icon;

use crate::app::frame::dialogs::{Answer, Then};
use crate::app::frame::document::{Document, Group};
use crate::film::Film;

const IMAGES: &str = "Heights and pictures (.png, .r16, .r32)";
const SCENES: &str = "Talweg scenes (.ron)";
/// The dialog itself puts the ending behind it.
const SCENE: &str = "Talweg scene";

const TABLES: &str = "Biome tables (.ron)";
const TABLE: &str = "Biome table";

enum Purpose {
    Open,
    Compare,
    Save(Option<Then>),
    Export,
    Film(Film),
    Image(Group, usize),
    OpenBiomes,
    SaveBiomes,
    Picture,
    Patch,
}

/// See the module.
pub struct Files {
    dialog: FileDialog,
    purpose: Purpose,
}

impl Files {
    pub fn open(document: &Document) -> Self {
        Self::scene(document, "Open scene", Purpose::Open)
    }

    pub fn compare(document: &Document) -> Self {
        Self::scene(document, "Compare with scene", Purpose::Compare)
    }

    fn scene(document: &Document, title: &str, purpose: Purpose) -> Self {
        let dialog =
            dialog(document, title).add_file_filter_extensions(SCENES, vec!["ron"]).default_file_filter(SCENES);
        let mut files = Self { dialog, purpose };
        files.dialog.pick_file();
        files
    }

    pub fn save(document: &Document, then: Option<Then>) -> Self {
        let dialog = dialog(document, "Save scene")
            .default_file_name(&format!("{}.ron", file_stem(document)))
            .add_save_extension(SCENE, "ron")
            .default_save_extension(SCENE);
        let mut files = Self { dialog, purpose: Purpose::Save(then) };
        files.dialog.save_file();
        files
    }

    pub fn patch(document: &Document) -> Self {
        let dialog = dialog(document, "Save patch")
            .default_file_name(&format!("{} patch.ron", file_stem(document)))
            .add_save_extension(SCENE, "ron")
            .default_save_extension(SCENE);
        let mut files = Self { dialog, purpose: Purpose::Patch };
        files.dialog.save_file();
        files
    }

    pub fn export(document: &Document) -> Self {
        let png = "PNG, 16 bits";
        let dialog = dialog(document, "Export heightmap")
            .default_file_name(&format!("{}.png", file_stem(document)))
            .add_save_extension(png, "png")
            .add_save_extension("Raw, 16-bit whole numbers", "r16")
            .add_save_extension("Raw, 32-bit numbers", "r32")
            .default_save_extension(png);
        let mut files = Self { dialog, purpose: Purpose::Export };
        files.dialog.save_file();
        files
    }

    pub fn film(document: &Document, film: Film) -> Self {
        let gif = "Animated GIF";
        let dialog = dialog(document, "Export time-lapse")
            .default_file_name(&format!("{}.gif", file_stem(document)))
            .add_save_extension(gif, "gif")
            .add_save_extension("Folder of PNG pictures", "frames")
            .default_save_extension(gif);
        let mut files = Self { dialog, purpose: Purpose::Film(film) };
        files.dialog.save_file();
        files
    }

    pub fn image(document: &Document, group: Group, param: usize) -> Self {
        Self::heights(document, Purpose::Image(group, param))
    }

    pub fn picture(document: &Document) -> Self {
        Self::heights(document, Purpose::Picture)
    }

    fn heights(document: &Document, purpose: Purpose) -> Self {
        let dialog = dialog(document, "Choose a heightmap or picture")
            .add_file_filter_extensions(IMAGES, vec!["png", "r16", "r32"])
            .default_file_filter(IMAGES);
        let mut files = Self { dialog, purpose };
        files.dialog.pick_file();
        files
    }

    pub fn open_biomes(document: &Document) -> Self {
        let dialog = dialog(document, "Open biome table");
        let mut files = Self {
            dialog: dialog.add_file_filter_extensions(TABLES, vec!["ron"]).default_file_filter(TABLES),
            purpose: Purpose::OpenBiomes,
        };
        files.dialog.pick_file();
        files
    }

    pub fn save_biomes(document: &Document) -> Self {
        let dialog = dialog(document, "Save biome table")
            .default_file_name(&format!("{} biomes.ron", file_stem(document)))
            .add_save_extension(TABLE, "ron")
            .default_save_extension(TABLE);
        let mut files = Self { dialog, purpose: Purpose::SaveBiomes };
        files.dialog.save_file();
        files
    }

    /// Shows the dialog; returns its answer when it has one.
    pub fn show(&mut self, ctx: &egui::Context) -> Option<Answer> {
        self.dialog.update(ctx);
        match self.dialog.state() {
            DialogState::Picked(path) => Some(match &self.purpose {
                Purpose::Open => Answer::Open(path.clone()),
                Purpose::Compare => Answer::Compare(path.clone()),
                Purpose::Save(then) => Answer::SaveTo(path.clone(), then.clone()),
                Purpose::Export => Answer::Export(path.clone()),
                Purpose::Film(film) => Answer::FilmTo(film.clone(), path.clone()),
                Purpose::OpenBiomes => Answer::OpenBiomes(path.clone()),
                Purpose::SaveBiomes => Answer::SaveBiomes(path.clone()),
                Purpose::Picture => Answer::Picture(path.clone()),
                Purpose::Patch => Answer::TakePatch(path.clone()),
                Purpose::Image(group, param) => Answer::Image(*group, *param, path.clone()),
            }),
            DialogState::Open => None,
            _ => Some(Answer::Stay),
        }
    }
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

/// The folder of the scene's file, else the person's documents.
fn folder(document: &Document) -> Option<PathBuf> {
    // a scene named on the command line may have no folder in its name
    let path = document.path().and_then(|path| std::path::absolute(path).ok());
    let beside = path.as_ref().and_then(|path| path.parent()).filter(|folder| folder.is_dir());
    beside.map(PathBuf::from).or_else(|| {
        let dirs = directories::UserDirs::new()?;
        let documents = dirs.document_dir().filter(|folder| folder.is_dir());
        Some(documents.unwrap_or(dirs.home_dir()).to_path_buf())
    })
}

/// The scene's name without what file systems refuse.
fn file_stem(document: &Document) -> String {
    let name: String =
        document.name().chars().map(|c| if c.is_control() || "/\\:*?\"<>|".contains(c) { '-' } else { c }).collect();
    let name = name.trim().trim_matches('.');
    if name.is_empty() { "Untitled".into() } else { name.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_hold_nothing_a_file_system_refuses() {
        let mut document = Document::default();
        for (name, stem) in [("Alps", "Alps"), ("a/b:c", "a-b-c"), ("..", "Untitled"), (" ", "Untitled")] {
            document.edit("Rename scene", None, |scene| scene.name = name.into());
            assert_eq!(file_stem(&document), stem);
        }
    }
}
