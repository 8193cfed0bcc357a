//! Everything that comes up in front of the panels: files, unsaved changes, shortcuts, about.

mod files;
mod modals;

use std::path::PathBuf;

use bevy_egui::egui;

use crate::app::frame::dialogs::files::Files;
use crate::app::frame::document::{Document, Group};
use crate::film::Film;

/// What to do once unsaved changes have been dealt with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Then {
    New,
    NewPlanet,
    /// Ask for a file to open.
    AskWhich,
    Open(PathBuf),
    Example(String),
    /// Open the planet that a patch was put back onto.
    PatchedPlanet,
    Quit,
}

/// What a dialog came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Nothing happens.
    Stay,
    /// Save first, then go on.
    Save(Then),
    /// Go on without saving.
    Discard(Then),
    SaveTo(PathBuf, Option<Then>),
    Open(PathBuf),
    /// A scene to compare with.
    Compare(PathBuf),
    Export(PathBuf),
    /// How to film; where to is asked next.
    Film(Film),
    FilmTo(Film, PathBuf),
    /// Where a patch of the planet is written.
    TakePatch(PathBuf),
    /// A biome table.
    OpenBiomes(PathBuf),
    SaveBiomes(PathBuf),
    /// A file for the selected piece of a construction.
    Picture(PathBuf),
    /// A file for a parameter.
    Image(Group, usize, PathBuf),
}

/// See the module. One dialog is open at a time.
#[derive(Default)]
pub struct Dialogs {
    open: Option<Dialog>,
}

enum Dialog {
    Files(Box<Files>),
    Unsaved(Then),
    Film(Film),
    Shortcuts,
    About,
}

impl Dialogs {
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    pub fn ask_about_changes(&mut self, then: Then) {
        self.open = Some(Dialog::Unsaved(then));
    }

    pub fn ask_what_to_open(&mut self, document: &Document) {
        self.open = Some(Dialog::Files(Box::new(Files::open(document))));
    }

    pub fn ask_which_scene(&mut self, document: &Document) {
        self.open = Some(Dialog::Files(Box::new(Files::compare(document))));
    }

    pub fn ask_where_to_save(&mut self, document: &Document, then: Option<Then>) {
        self.open = Some(Dialog::Files(Box::new(Files::save(document, then))));
    }

    pub fn ask_where_to_save_patch(&mut self, document: &Document) {
        self.open = Some(Dialog::Files(Box::new(Files::patch(document))));
    }

    pub fn ask_where_to_export(&mut self, document: &Document) {
        self.open = Some(Dialog::Files(Box::new(Files::export(document))));
    }

    pub fn ask_how_to_film(&mut self, document: &Document, layer: usize) {
        let samples = document.scene().samples();
        self.open = Some(Dialog::Film(Film { layer, samples, ..Film::default() }));
    }

    pub fn ask_where_to_film(&mut self, document: &Document, film: Film) {
        self.open = Some(Dialog::Files(Box::new(Files::film(document, film))));
    }

    pub fn ask_which_image(&mut self, document: &Document, group: Group, param: usize) {
        self.open = Some(Dialog::Files(Box::new(Files::image(document, group, param))));
    }

    pub fn ask_which_biomes(&mut self, document: &Document) {
        self.open = Some(Dialog::Files(Box::new(Files::open_biomes(document))));
    }

    pub fn ask_where_to_save_biomes(&mut self, document: &Document) {
        self.open = Some(Dialog::Files(Box::new(Files::save_biomes(document))));
    }

    /// A picture for the selected piece of a construction.
    pub fn ask_which_picture(&mut self, document: &Document) {
        self.open = Some(Dialog::Files(Box::new(Files::picture(document))));
    }

    pub fn show_shortcuts(&mut self) {
        self.open = Some(Dialog::Shortcuts);
    }

    pub fn show_about(&mut self) {
        self.open = Some(Dialog::About);
    }

    /// Shows the open dialog; returns its answer when it has one, and is closed then.
    pub fn show(&mut self, ctx: &egui::Context, scene_name: &str) -> Option<Answer> {
        let answer = match self.open.as_mut()? {
            Dialog::Files(files) => files.show(ctx),
            Dialog::Unsaved(then) => modals::unsaved(ctx, scene_name, then),
            Dialog::Film(film) => modals::film(ctx, film),
            Dialog::Shortcuts => modals::shortcuts(ctx),
            Dialog::About => modals::about(ctx),
        }?;
        self.open = None;
        Some(answer)
    }
}
