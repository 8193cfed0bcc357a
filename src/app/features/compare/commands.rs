//! The compare commands. They choose the scene B and how A and B are displayed.

use bevy_egui::egui::KeyboardShortcut;
use egui_phosphor::regular as icon;

use std::path::PathBuf;

use crate::frame::commands::{Action, Info, keys};

/// How the view displays the terrains A and B.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CompareMode {
    #[default]
    Split,
    Halves,
    One,
    Difference,
}

impl CompareMode {
    pub const ALL: [Self; 4] = [Self::Split, Self::Halves, Self::One, Self::Difference];
}

/// The compare commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompareAction {
    /// Starts a comparison with the terrain on screen as B, or ends it.
    Toggle,
    /// Keeps the terrain on screen as B. Edits of the scene do not change this B.
    Keep,
    /// Asks for a scene file whose scene becomes B.
    WithScene,
    /// Uses the scene of this file as B.
    WithFile(PathBuf),
    /// Uses the scene without the selected layer as B.
    WithoutLayer,
    /// Uses a branch of the process as B, by the index of its layer.
    WithBranch(usize),
    Show(CompareMode),
    Swap,
    Table,
    /// Shows the next branch of the process as A and keeps the current branch as B.
    NextBranch,
}

impl CompareAction {
    /// All commands without arguments, in menu order.
    pub fn all() -> Vec<Self> {
        let mut all = vec![Self::Toggle, Self::Keep, Self::WithScene, Self::WithoutLayer];
        all.extend(CompareMode::ALL.map(Self::Show));
        all.extend([Self::Swap, Self::Table]);
        all
    }
}

impl Action for CompareAction {
    fn section(&self) -> &'static str {
        if *self == Self::NextBranch { "Erosion" } else { "Compare" }
    }

    fn info(&self) -> Info {
        info(self)
    }
}

fn info(action: &CompareAction) -> Info {
    let (label, tooltip, icon, shortcuts): (&str, &str, _, &'static [KeyboardShortcut]) = match action {
        CompareAction::Toggle => (
            "Compare",
            "Pins the current terrain as B and compares your further edits with it. Press again to end the comparison.",
            icon::SCALES,
            keys![NONE + C],
        ),
        CompareAction::Keep => (
            "Pin as B",
            "Pins the current terrain as B and compares your further edits with it.",
            icon::PUSH_PIN,
            keys![SHIFT + Num9],
        ),
        CompareAction::WithScene | CompareAction::WithFile(_) => (
            "Compare with scene…",
            "Computes another scene in the background and shows it as B.",
            icon::FOLDER_OPEN,
            keys![COMMAND_SHIFT + C],
        ),
        CompareAction::WithoutLayer => (
            "Compare without this layer",
            "Shows the scene without the selected layer as B, or with the layer if it is hidden. B follows every edit.",
            icon::STACK_MINUS,
            keys![SHIFT + H],
        ),
        CompareAction::WithBranch(_) => (
            "Compare with this branch",
            "Computes the branch in the background and shows it as B. The current branch stays on screen as A.",
            icon::GIT_BRANCH,
            &[],
        ),
        CompareAction::Show(mode) => match mode {
            CompareMode::Split => (
                "Split view",
                "Shows A to the left and B to the right of a divider that you can drag.",
                icon::SQUARE_SPLIT_HORIZONTAL,
                keys![ALT + Num1],
            ),
            CompareMode::Halves => (
                "Side by side",
                "Shows A and B in one half of the view each, with a shared camera.",
                icon::COLUMNS,
                keys![ALT + Num2],
            ),
            CompareMode::One => (
                "One at a time",
                "Shows A in the whole view. Swap to see B from the same camera.",
                icon::SQUARE,
                keys![ALT + Num3],
            ),
            CompareMode::Difference => (
                "Difference map",
                "Colours A by its height difference to B in metres: green above, brown below.",
                icon::INTERSECT,
                keys![ALT + Num4],
            ),
        },
        CompareAction::NextBranch => (
            "Compare branches",
            "Shows the next branch as A, keeps the current one as B and maps their difference in metres.",
            icon::GIT_DIFF,
            keys![SHIFT + B],
        ),
        CompareAction::Swap => {
            ("Swap A and B", "Swaps A and B. Press repeatedly to spot the changes.", icon::SWAP, keys![NONE + X])
        }
        CompareAction::Table => {
            ("Table of differences", "Measures A and B and lists their differences.", icon::TABLE, keys![SHIFT + C])
        }
    };
    Info::new(label, tooltip, icon, shortcuts)
}
