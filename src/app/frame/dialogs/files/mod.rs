//! File dialogs for opening, saving and exporting. The desktop draws them if it has such dialogs and the preferences
//! allow it; otherwise Talweg draws them inside its window. Every dialog asks before it overwrites a file.

mod desktop;
mod own;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bevy_egui::egui;

use self::desktop::{DesktopAnswer, DesktopDialog};
use self::own::OwnDialog;
use super::Dialog;
use crate::frame::commands::Command;
use crate::frame::document::Document;
use crate::view::Waker;
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

/// The title, the purpose and the first folder of a file dialog.
#[derive(Clone)]
struct FileRequest {
    title: String,
    purpose: Purpose,
    /// The folder that the dialog shows first.
    folder: Option<PathBuf>,
}

#[derive(Clone)]
enum Purpose {
    /// A file to open. `kind` is the title of the files that have one of the endings. The dialog starts in the folder
    /// in which the user last chose a file of this kind.
    Open {
        kind: String,
        endings: &'static [&'static str],
    },
    /// A file to write: its suggested name, and the titles and endings of the kinds of files. A name without one of the
    /// endings gets the first one.
    Save {
        name: String,
        kinds: Vec<(String, String)>,
    },
    Folder,
}

impl FileRequest {
    /// The path to write to, for a path that the user has chosen in a dialog that appends no ending.
    fn with_ending(&self, path: PathBuf) -> PathBuf {
        let Purpose::Save { kinds, .. } = &self.purpose else { return path };
        let has = |ending: &str| path.extension().is_some_and(|own| own.eq_ignore_ascii_case(ending));
        match kinds.first() {
            Some((_, first)) if !kinds.iter().any(|(_, ending)| has(ending)) => {
                let mut name = path.into_os_string();
                name.push(".");
                name.push(first);
                name.into()
            }
            _ => path,
        }
    }
}

/// A file dialog, and the command that receives the chosen path.
pub struct Files {
    request: FileRequest,
    /// `None` until the first frame.
    stage: Option<Stage>,
    then: Box<dyn Fn(PathBuf) -> Command + Send + Sync>,
}

/// The dialog that is on screen: that of the desktop, or Talweg's own one.
enum Stage {
    Desktop(DesktopDialog),
    Own(Box<OwnDialog>),
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

fn desktop_id() -> egui::Id {
    egui::Id::new("waker for file dialogs of the desktop")
}

/// Allows or forbids file dialogs of the desktop. Each runs in a thread, which wakes the window when the user has
/// chosen.
pub(in crate::frame) fn set_desktop_dialogs(ctx: &egui::Context, waker: Option<&Waker>) {
    ctx.data_mut(|data| match waker {
        Some(waker) => {
            data.insert_temp(desktop_id(), waker.clone());
        }
        None => data.remove::<Waker>(desktop_id()),
    });
}

impl Files {
    /// Asks for a file of one kind. `then` turns the chosen path into the command that runs.
    pub fn open(
        document: &Document,
        title: &str,
        (kind, endings): (&str, &'static [&'static str]),
        then: impl Fn(PathBuf) -> Command + Send + Sync + 'static,
    ) -> Self {
        let purpose = Purpose::Open { kind: kind.into(), endings };
        Self::new(title, purpose, folder(document), then)
    }

    /// Asks where to save a file. `name` is the suggested file name without its extension. The dialog starts in the
    /// folder of the scene.
    pub fn save(
        document: &Document,
        title: &str,
        name: &str,
        kinds: &[(&str, &str)],
        then: impl Fn(PathBuf) -> Command + Send + Sync + 'static,
    ) -> Self {
        Self::save_in(None, document, title, name, kinds, then)
    }

    /// Like [`save`](Self::save), for a dialog that starts in `start` if a folder is given.
    pub fn save_in(
        start: Option<PathBuf>,
        document: &Document,
        title: &str,
        name: &str,
        kinds: &[(&str, &str)],
        then: impl Fn(PathBuf) -> Command + Send + Sync + 'static,
    ) -> Self {
        let kinds: Vec<_> = kinds.iter().map(|(kind, ending)| (kind.to_string(), ending.to_string())).collect();
        let ending = kinds.first().map_or("", |(_, ending)| ending);
        let purpose = Purpose::Save { name: format!("{name}.{ending}"), kinds };
        Self::new(title, purpose, start.or_else(|| folder(document)), then)
    }

    /// Asks for a folder. The dialog starts in the folder `at` if it exists.
    pub fn folder(
        document: &Document,
        title: &str,
        at: &Path,
        then: impl Fn(PathBuf) -> Command + Send + Sync + 'static,
    ) -> Self {
        let start = if at.is_dir() { Some(at.into()) } else { folder(document) };
        Self::new(title, Purpose::Folder, start, then)
    }

    fn new(
        title: &str,
        purpose: Purpose,
        folder: Option<PathBuf>,
        then: impl Fn(PathBuf) -> Command + Send + Sync + 'static,
    ) -> Self {
        let request = FileRequest { title: title.into(), purpose, folder };
        Self { request, stage: None, then: Box::new(then) }
    }

    /// Opens the dialog of the desktop or Talweg's own one.
    fn first_stage(&mut self, ctx: &egui::Context) -> Stage {
        if let Purpose::Open { kind, .. } = &self.request.purpose
            && let Some(last) = last_folders(ctx).remove(kind).filter(|folder| folder.is_dir())
        {
            self.request.folder = Some(last);
        }
        match ctx.data(|data| data.get_temp::<Waker>(desktop_id())) {
            Some(waker) => Stage::Desktop(DesktopDialog::open(&self.request, waker)),
            None => self.own_stage(),
        }
    }

    fn own_stage(&self) -> Stage {
        Stage::Own(Box::new(OwnDialog::open(&self.request)))
    }

    /// The commands for the chosen path. The next dialog for such a file starts in the same folder, even if the file
    /// cannot be read.
    fn chosen(&self, ctx: &egui::Context, path: PathBuf) -> Vec<Command> {
        if let (Purpose::Open { kind, .. }, Some(folder)) = (&self.request.purpose, path.parent()) {
            let mut folders = last_folders(ctx);
            folders.insert(kind.clone(), folder.into());
            set_last_folders(ctx, &folders);
        }
        vec![(self.then)(path)]
    }

    /// Takes a path that was chosen in the dialog of the desktop. If an ending is appended and this file exists,
    /// Talweg's own dialog asks before it is overwritten.
    fn take_from_desktop(&mut self, ctx: &egui::Context, path: PathBuf) -> Option<Vec<Command>> {
        let whole = self.request.with_ending(path.clone());
        if whole == path || !whole.exists() {
            return Some(self.chosen(ctx, whole));
        }
        self.request.folder = whole.parent().map(PathBuf::from);
        if let (Purpose::Save { name, .. }, Some(file)) = (&mut self.request.purpose, whole.file_name()) {
            *name = file.to_string_lossy().into_owned();
        }
        self.stage = Some(self.own_stage());
        None
    }
}

impl Dialog for Files {
    fn show(&mut self, ctx: &egui::Context, _: &str) -> Option<Vec<Command>> {
        let mut stage = self.stage.take().unwrap_or_else(|| self.first_stage(ctx));
        if let Stage::Desktop(dialog) = &stage {
            match dialog.show(ctx) {
                None => {}
                Some(DesktopAnswer::Chosen(path)) => return self.take_from_desktop(ctx, path),
                Some(DesktopAnswer::Cancelled) => return Some(Vec::new()),
                Some(DesktopAnswer::Unavailable) => stage = self.own_stage(),
            }
        }
        let answer = match &mut stage {
            Stage::Desktop(_) => None,
            Stage::Own(dialog) => dialog.show(ctx),
        };
        self.stage = Some(stage);
        answer.map(|path| path.map_or_else(Vec::new, |path| self.chosen(ctx, path)))
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
    use crate::frame::commands::FileAction;

    #[test]
    fn file_names_have_no_characters_that_file_systems_refuse() {
        let mut document = Document::default();
        for (name, stem) in [("Alps", "Alps"), ("a/b:c", "a-b-c"), ("..", "Untitled"), (" ", "Untitled")] {
            document.edit("Rename scene", None, |scene| scene.name = name.into());
            assert_eq!(file_stem(&document), stem);
        }
    }

    #[test]
    fn a_name_without_an_ending_of_its_kind_gets_one() {
        let kinds = [("GIF", "gif"), ("MP4", "mp4")];
        let files = Files::save(&Document::default(), "Save", "film", &kinds, |_| Command::from(FileAction::Save));
        for (chosen, whole) in [
            ("/a/film.gif", "/a/film.gif"),
            ("/a/film.MP4", "/a/film.MP4"),
            ("/a/film", "/a/film.gif"),
            ("/a/film.v2", "/a/film.v2.gif"),
        ] {
            assert_eq!(files.request.with_ending(chosen.into()), PathBuf::from(whole));
        }
    }

    #[test]
    fn the_desktop_never_overwrites_a_file_that_nobody_chose() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("hill.ron"), "").unwrap();
        let save = |path| FileAction::SaveTo(path, None).into();
        let mut files = Files::save(&Document::default(), "Save", "hill", &[SCENE], save);
        let ctx = egui::Context::default();
        assert!(files.take_from_desktop(&ctx, folder.path().join("valley")).is_some(), "no such file exists");
        assert!(files.take_from_desktop(&ctx, folder.path().join("hill.ron")).is_some(), "the desktop has asked");
        assert!(files.take_from_desktop(&ctx, folder.path().join("hill")).is_none(), "Talweg's dialog asks");
        assert!(matches!(files.stage, Some(Stage::Own(_))));
        assert!(matches!(&files.request.purpose, Purpose::Save { name, .. } if name == "hill.ron"));
    }
}
