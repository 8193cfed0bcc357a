//! Commands of layers.

use egui_phosphor::regular as icon;

use crate::app::frame::commands::{Action, Info, keys};
use crate::nodes::Node;

/// What can be done about layers.
#[derive(Clone, Debug, PartialEq)]
pub enum LayerAction {
    /// Opens the list of nodes to add.
    AddMenu,
    /// Adds a layer of this node.
    Add(Box<Node>),
    Rename,
    /// To the clipboard, as text of a scene.
    Copy,
    Cut,
    /// Layers of a scene whose text is on the clipboard.
    Paste,
    Duplicate,
    Delete,
    Solo,
    Toggle,
    MoveUp,
    MoveDown,
    SelectAbove,
    SelectBelow,
}

impl LayerAction {
    /// Those that need nothing named.
    pub fn all() -> [Self; 13] {
        [
            Self::AddMenu,
            Self::Rename,
            Self::Copy,
            Self::Cut,
            Self::Paste,
            Self::Duplicate,
            Self::Delete,
            Self::Solo,
            Self::Toggle,
            Self::MoveUp,
            Self::MoveDown,
            Self::SelectAbove,
            Self::SelectBelow,
        ]
    }
}

impl Action for LayerAction {
    fn section(&self) -> &'static str {
        "Layer"
    }

    fn info(&self) -> Info {
        match self {
            Self::AddMenu => Info::new(
                "Add layer…",
                "Adds a generator, filter or erosion above the selected layer.",
                icon::PLUS,
                keys![SHIFT + A],
            ),
            Self::Add(node) => {
                let about = node.about();
                Info::new(format!("Add {}", about.label), about.help, icon::PLUS, &[])
            }
            Self::Rename => Info::new("Rename", "Gives the layer another name.", icon::PENCIL_SIMPLE, keys![NONE + F2]),
            Self::Copy => Info::new(
                "Copy layer",
                "Puts the layer on the clipboard, as text: paste it into another scene, or into a message.",
                icon::COPY,
                keys![COMMAND + C],
            ),
            Self::Cut => Info::new(
                "Cut layer",
                "Puts the layer on the clipboard and takes it out.",
                icon::SCISSORS,
                keys![COMMAND + X],
            ),
            Self::Paste => Info::new(
                "Paste layers",
                "Puts the layers of a scene that is on the clipboard above the selected one.",
                icon::CLIPBOARD_TEXT,
                keys![COMMAND + V],
            ),
            Self::Duplicate => Info::new(
                "Duplicate",
                "Puts a copy of the layer above it, with the same seed.",
                icon::COPY,
                keys![COMMAND + D],
            ),
            Self::Delete => {
                Info::new("Delete", "Removes the layer; Undo brings it back.", icon::TRASH, keys![NONE + Delete])
            }
            Self::Solo => Info::new(
                "Solo",
                "Shows a generator alone on level ground, any other layer without what is above it. Again: shows everything.",
                icon::HEADPHONES,
                keys![SHIFT + S],
            ),
            Self::Toggle => Info::new(
                "Show or hide",
                "Takes the layer out of the terrain, or puts it back.",
                icon::EYE,
                keys![NONE + H],
            ),
            Self::MoveUp => {
                Info::new("Move up", "Lets the layer act after the one above it.", icon::ARROW_UP, keys![ALT + ArrowUp])
            }
            Self::MoveDown => Info::new(
                "Move down",
                "Lets the layer act before the one below it.",
                icon::ARROW_DOWN,
                keys![ALT + ArrowDown],
            ),
            Self::SelectAbove => {
                Info::new("Select above", "Selects the layer above.", icon::CARET_UP, keys![NONE + ArrowUp])
            }
            Self::SelectBelow => {
                Info::new("Select below", "Selects the layer below.", icon::CARET_DOWN, keys![NONE + ArrowDown])
            }
        }
    }
}
