//! The start window. It offers example scenes with thumbnails, paper reproductions, the tour and the lessons, recent
//! files and blank scenes.
//!
//! ```text
//! StartAction::Show ──▶ StartDialog with cards ──▶ FileAction …
//!            └── task: a thumbnail for each card, stored by content hash (talweg::variants::picture)
//! ```

mod cards;
mod dialog;

use std::sync::{Arc, Weak};

use bevy::ecs::system::{In, InMut};
use bevy::prelude::*;
use bevy_egui::egui::Ui;
use egui_phosphor::regular as icon;

use self::cards::PictureSource;
use self::dialog::StartDialog;
pub use self::dialog::StartPage;
use crate::features::recovery::FoundSessions;
use crate::frame::commands::{Action, CommandApp, CommandQueue, Info};
use crate::frame::editor::Editor;
use crate::frame::interface::InterfaceApp;
use crate::frame::menu::pick;
use crate::frame::tasks::{Newest, Tasks};
use crate::frame::widgets::scene_picture::SceneThumbnail;
use crate::frame::window::FrameSystems;
use talweg::preferences::cache_folder;
use talweg::variants::{Size, picture};

/// Size of the thumbnails on the cards.
const PICTURE: Size = Size { samples: 129, pixels: 160 };

pub struct StartPlugin;

impl Plugin for StartPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<StartPictures>()
            .add_actions([StartAction::Show], run)
            .add_menu_part("File", 5, menu)
            .add_systems(PreUpdate, stop_when_closed.in_set(FrameSystems::Receive));
    }
}

/// Commands of the start window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartAction {
    /// Opens the start window.
    Show,
    /// Sets whether the window opens when Talweg starts without a scene.
    AtStart(bool),
}

impl Action for StartAction {
    fn section(&self) -> &'static str {
        "File"
    }

    fn info(&self) -> Info {
        Info::new("Start window…", "Shows example scenes, paper reproductions and recent files.", icon::HOUSE, &[])
    }
}

/// The task that renders the thumbnails of the open start window.
#[derive(Resource, Default)]
struct StartPictures {
    task: Newest<(), ()>,
    /// A reference that is valid as long as the start window is open.
    window: Weak<()>,
}

fn menu(InMut(ui): InMut<Ui>, mut queue: ResMut<CommandQueue>) {
    pick(ui, &mut queue, StartAction::Show, true);
}

fn run(
    In(action): In<StartAction>,
    mut editor: ResMut<Editor>,
    mut pictures: ResMut<StartPictures>,
    found: Option<Res<FoundSessions>>,
    tasks: Res<Tasks>,
) {
    match action {
        StartAction::Show => {
            let cards = cards::all(&editor);
            let drawn = cards.iter().map(|card| (card.source.clone(), card.picture.clone())).collect();
            let window = Arc::new(());
            pictures.window = Arc::downgrade(&window);
            pictures.task.start((), tasks.start("start window", move |control| draw(drawn, control)));
            let has_unsaved = found.is_some_and(|found| !found.is_empty());
            let at_start = editor.interface.start_window;
            editor.dialogs.open(StartDialog::new(cards, has_unsaved, at_start, window));
        }
        StartAction::AtStart(shows) => editor.interface.start_window = shows,
    }
}

/// Shows the pictures that ship with the program and renders the others. Scenes with a stored thumbnail come first. A
/// scene that cannot be read has no thumbnail.
fn draw(cards: Vec<(PictureSource, SceneThumbnail)>, control: &talweg::field::Control) -> Option<()> {
    let cache = cache_folder().map(|folder| folder.join("pictures"));
    let mut later = Vec::new();
    for (source, shown) in cards {
        control.check().ok()?;
        if let Some(picture) = source.shipped_picture() {
            shown.set(picture.image());
            continue;
        }
        let Some(scene) = source.scene() else { continue };
        let kept = cache.as_deref().and_then(|cache| talweg::variants::kept_picture(cache, &scene, PICTURE));
        match kept {
            Some(image) => shown.set(image),
            None => later.push((scene, shown)),
        }
    }
    for (scene, shown) in later {
        shown.set(picture(cache.as_deref(), &scene, PICTURE, control).ok()?);
    }
    Some(())
}

fn stop_when_closed(mut pictures: ResMut<StartPictures>) {
    if pictures.task.running().is_some() {
        pictures.task.receive();
        if pictures.window.strong_count() == 0 {
            pictures.task.stop();
        }
    }
}
