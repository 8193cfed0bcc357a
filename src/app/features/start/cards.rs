//! The cards of the start window. Each card offers a scene.

use std::path::PathBuf;

use super::StartPage;
use crate::frame::commands::{Command, FileAction};
use crate::frame::editor::Editor;
use crate::frame::widgets::scene_picture::SceneThumbnail;
use talweg::scene::{Scene, SourceWork};

/// The source of a thumbnail.
#[derive(Clone)]
pub enum PictureSource {
    /// The RON text of a scene.
    Text(String),
    File(PathBuf),
}

impl PictureSource {
    /// The scene, if it can be read.
    pub fn scene(&self) -> Option<Scene> {
        match self {
            Self::Text(text) => Scene::from_ron(text).ok().map(|(scene, _)| scene),
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
            title: caption(&example.name, work).to_string(),
            about: command.info().tooltip,
            source: PictureSource::Text(example.text.clone()),
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

/// The caption below the thumbnail. It omits the name of the published work, which is the heading above all thumbnails
/// of the work.
pub fn caption<'a>(name: &'a str, work: Option<&SourceWork>) -> &'a str {
    if work.is_none() {
        return name;
    }
    let figure = name.find("figure ").map(|at| &name[at..]);
    figure.or_else(|| name.split_once(": ").map(|(_, caption)| caption)).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captions_omit_the_name_of_the_work() {
        let work = SourceWork::all().first();
        assert_eq!(caption("Le Martelot 2005, figure 2: rough", work), "figure 2: rough");
        assert_eq!(caption("Stamp noise: first picture", work), "first picture");
        assert_eq!(caption("A moon", work), "A moon");
        assert_eq!(caption("Alps: figure 2", None), "Alps: figure 2");
    }
}
