//! Commands on layers and on the layer stack.

use egui_phosphor::regular as icon;

use super::uplift::UpliftSource;
use crate::frame::commands::{Action, Info, keys};
use talweg::nodes::Node;
use talweg::scene::Layer;

/// Commands on layers.
#[derive(Clone, Debug, PartialEq)]
pub enum LayerAction {
    /// Opens the menu of nodes.
    AddMenu,
    /// Adds a layer with this node.
    Add(Box<Node>),
    /// Adds an uplift map and a stream power layer above it.
    AddUplift(UpliftSource),
    /// Adds a layer that is stored as one of the user's presets.
    AddKept(Box<Layer>),
    Rename,
    /// Copies the selected layers to the clipboard, as the text of a scene.
    Copy,
    Cut,
    /// Pastes the layers of a scene text that is on the clipboard.
    Paste,
    Duplicate,
    Delete,
    Solo,
    Toggle,
    /// Locks or unlocks the selected layers.
    Lock,
    /// Opens the note of the layer for editing.
    Note,
    /// Makes the evaluation end at the selected layer, so that the layers above it are ignored.
    EvaluateToHere,
    /// Switches between versions A and B of the layer.
    SwapSides,
    /// Randomises the numeric parameters of the layer.
    Randomise,
    /// Asks for a name under which to save the layer as a preset.
    SavePreset,
    /// Puts the selected layers into a group.
    GroupLayers,
    /// Removes the selected groups and keeps their members.
    Ungroup,
    MoveUp,
    MoveDown,
    SelectAbove,
    SelectBelow,
}

impl LayerAction {
    /// All commands without arguments.
    pub fn all() -> [Self; 23] {
        [
            Self::AddMenu,
            Self::AddUplift(UpliftSource::Strokes),
            Self::AddUplift(UpliftSource::Curves),
            Self::Rename,
            Self::Copy,
            Self::Cut,
            Self::Paste,
            Self::Duplicate,
            Self::Delete,
            Self::Solo,
            Self::Toggle,
            Self::Lock,
            Self::Note,
            Self::EvaluateToHere,
            Self::SwapSides,
            Self::Randomise,
            Self::SavePreset,
            Self::GroupLayers,
            Self::Ungroup,
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

    fn asks_for_text(&self) -> bool {
        matches!(self, Self::AddMenu | Self::Rename | Self::SavePreset)
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
            Self::AddUplift(UpliftSource::Strokes) => Info::new(
                "Add painted uplift and stream power",
                "Paint where mountains grow, then press Space to watch them rise while rivers erode them.",
                icon::PAINT_BRUSH,
                &[],
            ),
            Self::AddUplift(UpliftSource::Curves) => Info::new(
                "Add ridges, rivers and stream power",
                "Draw ridges and rivers as curves, then press Space to watch the mountains grow along them. The new \
                 layers replace the terrain below.",
                icon::BEZIER_CURVE,
                &[],
            ),
            Self::AddKept(layer) => {
                Info::new(format!("Add {}", layer.name), "Adds a layer from your presets.", icon::BOOKMARK_SIMPLE, &[])
            }
            Self::Rename => Info::new("Rename", "Renames the layer.", icon::PENCIL_SIMPLE, keys![NONE + F2]),
            Self::Copy => Info::new(
                "Copy layer",
                "Copies the selected layers as text, to paste into another scene or into a message.",
                icon::COPY,
                keys![COMMAND + C],
            ),
            Self::Cut => Info::new(
                "Cut layer",
                "Copies the selected layers and deletes them.",
                icon::SCISSORS,
                keys![COMMAND + X],
            ),
            Self::Paste => Info::new(
                "Paste layers",
                "Pastes the layers on the clipboard above the selected layer.",
                icon::CLIPBOARD_TEXT,
                keys![COMMAND + V],
            ),
            Self::Duplicate => Info::new(
                "Duplicate",
                "Adds copies of the selected layers above them, with the same seeds.",
                icon::COPY,
                keys![COMMAND + D],
            ),
            Self::Delete => Info::new("Delete", "Deletes the selected layers.", icon::TRASH, keys![NONE + Delete]),
            Self::Solo => Info::new(
                "Solo",
                "Shows a generator alone on flat terrain, or any other layer without the layers above it. Press again \
                 to show all layers.",
                icon::STAR,
                keys![SHIFT + S],
            ),
            Self::Toggle => Info::new(
                "Show or hide",
                "Hides the selected layers from the terrain, or shows them again.",
                icon::EYE,
                keys![NONE + H],
            ),
            Self::Lock => Info::new(
                "Lock",
                "Protects the selected layers from edits and deletion. Press again to unlock them.",
                icon::LOCK_SIMPLE,
                keys![COMMAND + L],
            ),
            Self::Note => Info::new("Note…", "Adds or edits a note about the layer.", icon::NOTE_PENCIL, &[]),
            Self::EvaluateToHere => Info::new(
                "Evaluate up to here",
                "Skips all layers above this one, on screen only. Press again to evaluate all layers.",
                icon::ARROW_LINE_UP,
                keys![SHIFT + E],
            ),
            Self::SwapSides => Info::new(
                "Show A or B",
                "Switches between two versions of the layer, A and B. Both last until the scene is closed.",
                icon::SWAP,
                keys![ALT + B],
            ),
            Self::Randomise => Info::new(
                "Randomise",
                "Changes every number of the layer at random, by up to a quarter of its slider range, and picks \
                 another seed.",
                icon::DICE_FIVE,
                keys![SHIFT + R],
            ),
            Self::SavePreset => Info::new(
                "Save as preset…",
                "Saves the layer to your presets, for use in any scene.",
                icon::BOOKMARK_SIMPLE,
                &[],
            ),
            Self::GroupLayers => Info::new(
                "Group layers",
                "Groups the selected layers, with one blending, opacity and mask for all of them.",
                icon::FOLDER_PLUS,
                keys![COMMAND + G],
            ),
            Self::Ungroup => Info::new(
                "Ungroup layers",
                "Removes the group with its blending and mask. Its layers stay in place.",
                icon::FOLDER_MINUS,
                keys![COMMAND_SHIFT + G],
            ),
            Self::MoveUp => Info::new(
                "Move up",
                "Moves the layer up, so that it acts after the layer above it.",
                icon::ARROW_UP,
                keys![ALT + ArrowUp],
            ),
            Self::MoveDown => Info::new(
                "Move down",
                "Moves the layer down, so that it acts before the layer below it.",
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
