//! The editor state that lasts across frames: document, view settings, messages, dialogs, recent scenes.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bevy::prelude::Resource;
use bevy_egui::egui;

use super::commands::{Command, CommandQueue, Keymap, Proceed};
use super::dialogs::Dialogs;
use super::dialogs::files::{self, Files};
use super::dialogs::outside::OutsideQuestion;
use super::dialogs::overwrite::Overwrite;
use super::document::Document;
use super::toasts::Toasts;
use super::user_library::UserLibrary;
use crate::frame::commands::FileAction;
use crate::view::{Overlay, TreeDetail, ViewMode, ViewProjection, Waker};
use talweg::export::origin::{OriginError, may_carry_scene, read_origin};
use talweg::io::SaveTarget;
use talweg::preferences::{
    FileDialogChoice, FilmSettings, GlobeView, InterfacePreferences, PanelLayout, PlanetProjection, Preferences,
    PreferencesFile, Recent,
};
use talweg::recovery::{keep_version, open_elsewhere};
use talweg::scene::{Scene, SceneError, Warning};
use talweg::scene_files::missing_files;

/// A scene that ships with the program.
#[derive(Clone, Debug)]
pub struct Example {
    pub name: String,
    /// The scene as RON text.
    pub text: String,
}

/// Settings of the 3D view. The panels change them and the view reads them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ViewSettings {
    pub mode: ViewMode,
    pub overlay: Overlay,
    pub water: bool,
    /// Distance up to which sphere tracing shows the fine detail of a construction.
    pub tree_detail: TreeDetail,
    /// Perspective or orthographic projection of a terrain.
    pub lens: ViewProjection,
    /// Projection of a planet: globe, map or orbit view.
    pub projection: PlanetProjection,
}

impl Default for ViewSettings {
    fn default() -> Self {
        Self {
            mode: ViewMode::default(),
            overlay: Overlay::default(),
            water: true,
            tree_detail: TreeDetail::default(),
            lens: ViewProjection::default(),
            projection: PlanetProjection::default(),
        }
    }
}

/// The state of the editor that lasts across frames.
#[derive(Resource)]
pub struct Editor {
    pub doc: Document,
    pub view: ViewSettings,
    /// Settings with which a planet is drawn.
    pub globe: GlobeView,
    pub toasts: Toasts,
    pub dialogs: Dialogs,
    pub recent: Recent,
    pub examples: Vec<Example>,
    /// Folder for unsaved work and earlier versions of scenes ([`talweg::recovery::state_folder`]). With `None`,
    /// neither is stored.
    pub state: Option<PathBuf>,
    /// Number of earlier versions that are kept of each scene file.
    pub versions_kept: usize,
    /// Preferences for the look and behaviour of the window.
    pub interface: InterfacePreferences,
    /// The keyboard shortcuts of the commands.
    pub keymap: Arc<Keymap>,
    /// Layout of the panels; `None` until the user has moved a panel.
    pub panels: Option<PanelLayout>,
    /// The user's stamps, presets, materials, plants, palettes and biome tables.
    pub library: UserLibrary,
    /// Allows file dialogs of the desktop, and wakes the window when the user has answered one. Scripts and tests have
    /// none, because they cannot operate such dialogs.
    pub desktop_dialogs: Option<Waker>,
    preferences: PreferencesFile,
    config: Option<PathBuf>,
    /// A command that waits until the focused text field has applied its value.
    pub(super) deferred: Option<Command>,
}

impl Editor {
    /// Creates an editor with an empty scene. `config` is the folder for preferences and recent scenes
    /// ([`talweg::preferences::config_folder`]). With `None`, preferences and recent scenes are not stored.
    pub fn new(config: Option<&Path>, examples: Vec<Example>) -> Self {
        let (preferences, unread) = PreferencesFile::load(config);
        let (recent, problem) = Recent::load(config);
        let mut toasts = Toasts::default();
        for problem in [problem.map(|p| p.to_string()), unread.map(|p| p.to_string())].into_iter().flatten() {
            toasts.warning(problem);
        }
        let kept = preferences.kept().clone();
        let (keymap, unread) = Keymap::read(&kept.keys);
        if !unread.is_empty() {
            let list = unread.join(", ");
            toasts.warning(format!("Unknown keys in the preferences were ignored: {list}."));
        }
        Self {
            doc: Document::default(),
            view: ViewSettings { projection: kept.projection, ..ViewSettings::default() },
            globe: kept.globe,
            toasts,
            dialogs: Dialogs::default(),
            recent,
            examples,
            state: None,
            versions_kept: kept.versions,
            interface: kept.interface,
            keymap: keymap.into(),
            panels: kept.panels,
            library: UserLibrary::new(config),
            desktop_dialogs: None,
            preferences,
            config: config.map(Path::to_path_buf),
            deferred: None,
        }
    }

    /// The folder for preferences and presets. With `None`, neither is stored.
    pub fn config(&self) -> Option<&Path> {
        self.config.as_deref()
    }

    /// Reads the files of the library that have changed on the disk.
    pub(super) fn update_library(&mut self, ctx: &egui::Context) {
        for problem in self.library.update(ctx) {
            self.toasts.warning(problem);
        }
    }

    /// Opens the folder of the library in the file manager.
    pub(super) fn open_library(&mut self) {
        let opened =
            self.library.made_folders().map_err(|error| error.to_string()).and_then(|folder| {
                open::that_detached(folder).map_err(|error| format!("{}: {error}", folder.display()))
            });
        if let Err(error) = opened {
            self.toasts.error(with_reason("The folder of your library was not opened", &error));
        }
    }

    /// Shows the open dialog. Returns the commands that the user's answer issues.
    pub(super) fn show_dialogs(&mut self, ctx: &egui::Context) -> Vec<Command> {
        files::set_last_folders(ctx, self.recent.folders());
        let is_desktop = self.interface.file_dialogs == FileDialogChoice::Desktop;
        files::set_desktop_dialogs(ctx, self.desktop_dialogs.as_ref().filter(|_| is_desktop));
        let answer = self.dialogs.show(ctx, &self.doc.name());
        if let Err(problem) = self.recent.note_folders(&files::last_folders(ctx)) {
            self.toasts.warning(problem.to_string());
        }
        answer
    }

    /// Ends a frame. `is_grabbing` says that a dragged object follows the pointer although no button is pressed.
    pub(super) fn end_frame(&mut self, ctx: &egui::Context, is_grabbing: bool) {
        let focused = ctx.memory(|memory| memory.focused()).map(|id| id.value());
        let is_dragging = ctx.input(|i| i.pointer.any_down());
        let liked = || Preferences {
            interface: self.interface.clone(),
            globe: self.globe.clone(),
            projection: self.view.projection,
            versions: self.versions_kept,
            keys: self.keymap.kept(),
            panels: self.panels.clone(),
        };
        if !is_dragging && let Err(problem) = self.preferences.keep(liked()) {
            self.toasts.warning(format!("{problem}."));
        }
        self.doc.end_frame(is_dragging || is_grabbing, focused);
    }

    /// Runs `then` after the user has answered a question about unsaved changes. Without unsaved changes, nothing is
    /// asked.
    pub fn leave_scene(&mut self, queue: &mut CommandQueue, then: impl Into<Command>) {
        let then = then.into();
        if self.doc.is_dirty() { self.dialogs.ask_about_changes(then) } else { queue.push(then) }
    }

    /// Asks for a scene file to open.
    pub(super) fn ask_what_to_open(&mut self) {
        let files = Files::open(&self.doc, "Open scene", files::SCENES, |path| Proceed::Open(path).into());
        self.dialogs.open(files);
    }

    /// Asks where to save the scene, and then runs `then`.
    pub(super) fn ask_where_to_save(&mut self, then: Option<Command>) {
        let name = files::file_stem(&self.doc);
        let save = move |path| FileAction::SaveTo(path, then.clone()).into();
        self.dialogs.open(Files::save(&self.doc, "Save scene", &name, &[files::SCENE], save));
    }

    /// Opens a scene. Errors become messages.
    pub fn open(&mut self, path: &Path) {
        if may_carry_scene(path) {
            return self.open_origin(path);
        }
        match self.doc.open(path) {
            Ok(warnings) => {
                self.show_warnings(&warnings);
                self.note_recent(path);
                if let Some(other) = self.state.as_deref().and_then(|state| open_elsewhere(state, path)) {
                    let unsaved = if other.is_unsaved { ", with unsaved edits" } else { "" };
                    self.toasts.warning(format!(
                        "Another Talweg window has {} open{unsaved} (process {}). The second window to save asks \
                         before it overwrites.",
                        file_name(path),
                        other.process
                    ));
                }
            }
            Err(SceneError::Outside(error)) => self.dialogs.open(OutsideQuestion(error)),
            Err(error) => {
                self.toasts.error(with_reason("The scene was not opened", &error));
                if !path.exists() {
                    self.forget_recent(path);
                }
            }
        }
    }

    /// Opens the scene that is embedded in an exported file.
    fn open_origin(&mut self, path: &Path) {
        match read_origin(path) {
            Ok(origin) => {
                self.doc.replace(origin.scene, None);
                self.show_warnings(&origin.warnings);
                self.toasts
                    .info(format!("Opened the scene inside {}. The scene has no file of its own yet", file_name(path)));
            }
            Err(OriginError::Scene { source: SceneError::Outside(error), .. }) => {
                self.dialogs.open(OutsideQuestion(error));
            }
            Err(error) => self.toasts.error(with_reason("The scene was not opened", &error)),
        }
    }

    /// Replaces the document by `scene`.
    pub(super) fn replace_scene(&mut self, scene: Scene) {
        self.toasts.forget_warnings();
        self.doc.replace(scene, None);
    }

    pub(super) fn open_example(&mut self, name: &str) {
        let Some(example) = self.examples.iter().find(|example| example.name == name) else { return };
        match Scene::from_ron(&example.text) {
            Ok((scene, warnings)) => {
                self.doc.replace(scene, None);
                self.show_warnings(&warnings);
            }
            Err(error) => self.toasts.error(with_reason(&format!("The example “{name}” cannot be read"), &error)),
        }
    }

    /// Saves the scene to a file before `then` runs; returns whether the file was written. Asks the user first if
    /// saving would overwrite a protected file, or changes that another program has made.
    pub fn save_to(&mut self, to: SaveTarget, then: Option<&Command>) -> bool {
        let path = to.path();
        if let Some(state) = &self.state
            && let Err(error) = keep_version(state, path, self.versions_kept)
        {
            self.toasts.warning(with_reason("The previous version could not be saved", &error));
        }
        match self.doc.save(&to) {
            Ok(()) => {
                self.toasts.info(format!("Saved {}", file_name(path)));
                self.note_recent(path);
                true
            }
            Err(SceneError::Write(error)) if error.is_replaced() => {
                self.note_recent(path);
                self.toasts.warning(with_reason("The scene may be lost in a power failure; save it again", &error));
                false
            }
            Err(error) => {
                let elsewhere = || ("Save as…", FileAction::SaveElsewhere(then.cloned()).into());
                let over = |to: SaveTarget| FileAction::SaveOver(to.path().into(), then.cloned()).into();
                let question = match &error {
                    SceneError::Write(error) => Overwrite::from_error(error, &to, elsewhere(), over),
                    _ => None,
                };
                self.ask_or_report(question, || with_reason("The scene was not saved", &error));
                false
            }
        }
    }

    /// Changes the file of the scene on the disk, opens it again, and shows the message that `change` returns.
    pub(super) fn change_file(&mut self, change: impl FnOnce(&SaveTarget) -> Result<String, SceneError>) {
        let Some(path) = self.doc.path().map(Path::to_path_buf).filter(|_| !self.doc.is_dirty()) else {
            return self.toasts.warning("Save the scene first.");
        };
        match change(&self.doc.target(&path)) {
            Ok(told) => {
                self.open(&path);
                self.toasts.info(told);
            }
            Err(error) => self.toasts.error(with_reason("The scene's file was not changed", &error)),
        }
    }

    /// Lists the files that the scene reads and that do not exist.
    pub(super) fn report_missing_files(&mut self) {
        let missing = missing_files(self.doc.scene());
        if missing.is_empty() {
            return self.toasts.info("No files are missing.");
        }
        let list: String = missing.iter().map(|path| format!("\n• {}", path.display())).collect();
        self.toasts.warning(format!("Missing files:{list}"));
    }

    /// Opens `question`, which asks whether to overwrite a file. Without a question, shows the message that `told`
    /// returns as an error.
    pub fn ask_or_report(&mut self, question: Option<Overwrite>, told: impl FnOnce() -> String) {
        match question {
            Some(question) => self.dialogs.open(question),
            None => self.toasts.error(told()),
        }
    }

    /// Shows warnings about corrections that were made to the scene when it was opened.
    pub fn show_warnings(&mut self, warnings: &[Warning]) {
        self.toasts.forget_warnings();
        match warnings {
            [] => {}
            [one] => self.toasts.warning(format!("Corrected on opening: {}", one.0)),
            many => {
                let list: String = many.iter().map(|warning| format!("\n• {}", warning.0)).collect();
                self.toasts.warning(format!("Corrected on opening:{list}"));
            }
        }
    }

    /// Remembers the settings of a film of a kind.
    pub fn note_film(&mut self, kind: &str, settings: FilmSettings) {
        if let Err(problem) = self.recent.note_film(kind, settings) {
            self.toasts.warning(problem.to_string());
        }
    }

    fn note_recent(&mut self, path: &Path) {
        if let Err(problem) = self.recent.note(path) {
            self.toasts.warning(problem.to_string());
        }
    }

    fn forget_recent(&mut self, path: &Path) {
        if let Err(problem) = self.recent.forget(path) {
            self.toasts.warning(problem.to_string());
        }
    }
}

/// Joins `what` and its reason into one sentence. The reason is not capitalised, because it may begin with a file name.
pub fn with_reason(what: &str, reason: &dyn std::fmt::Display) -> String {
    let text = format!("{what}: {reason}");
    if text.ends_with('.') { text } else { text + "." }
}

/// The text with a capital first letter.
pub fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Returns the name of a file without its folder.
pub fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.display().to_string())
}
