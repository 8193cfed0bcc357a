//! The cards of the start window. Each card offers a scene.

use std::path::PathBuf;

use super::StartPage;
use crate::frame::commands::{Command, FileAction};
use crate::frame::editor::Editor;
use crate::frame::widgets::scene_picture::SceneThumbnail;
use crate::frame::widgets::shipped_pictures::{PictureSubject, ShippedPicture};
use talweg::scene::{Scene, SourceWork};

/// The source of a thumbnail.
#[derive(Clone)]
pub enum PictureSource {
    /// The name and the RON text of an example scene.
    Example {
        name: String,
        text: String,
    },
    File(PathBuf),
}

impl PictureSource {
    /// The picture that ships with the program.
    pub fn shipped_picture(&self) -> Option<ShippedPicture> {
        match self {
            Self::Example { name, .. } => ShippedPicture::find(PictureSubject::Example(name)),
            Self::File(_) => None,
        }
    }

    /// The scene, if it can be read.
    pub fn scene(&self) -> Option<Scene> {
        match self {
            Self::Example { text, .. } => Scene::from_ron(text).ok().map(|(scene, _)| scene),
            Self::File(path) => Scene::load(path).ok().map(|(scene, _)| scene),
        }
    }
}

/// A scene with its thumbnail and texts.
pub struct StartCard {
    pub page: StartPage,
    /// The published work that the scene reproduces, if any.
    pub work: Option<&'static SourceWork>,
    pub title: String,
    /// Tooltip text of the card.
    pub about: String,
    pub source: PictureSource,
    pub picture: SceneThumbnail,
    pub command: Command,
}

/// All cards, in the order of the pages of the start window.
pub fn all(editor: &Editor) -> Vec<StartCard> {
    let examples = editor.examples.iter().map(|example| {
        let work = SourceWork::of_scene(&example.name);
        let command = Command::from(FileAction::Example(example.name.clone()));
        StartCard {
            page: if work.is_some() { StartPage::Works } else { StartPage::Scenes },
            work,
            title: work.map_or(example.name.as_str(), |_| SourceWork::caption(&example.name)).to_string(),
            about: command.info().tooltip,
            source: PictureSource::Example { name: example.name.clone(), text: example.text.clone() },
            picture: SceneThumbnail::default(),
            command,
        }
    });
    let recent = editor.recent.paths().iter().map(|path| {
        let command = Command::from(FileAction::OpenRecent(path.clone()));
        StartCard {
            page: StartPage::Recent,
            work: None,
            title: path.file_stem().unwrap_or(path.as_os_str()).display().to_string(),
            about: path.display().to_string(),
            source: PictureSource::File(path.clone()),
            picture: SceneThumbnail::default(),
            command,
        }
    });
    let mut cards: Vec<StartCard> = recent.chain(examples).collect();
    cards.sort_by_key(|card| card.page);
    cards
}
