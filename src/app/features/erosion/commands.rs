//! Commands of a process: playing it, and going on from a moment of it.

use egui_phosphor::regular as icon;

use crate::frame::commands::{Action, Info, keys};

/// What can be done about the process that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErosionAction {
    PlayPause,
    StepForward,
    StepBack,
    ToStart,
    ToEnd,
    /// Goes on from the playhead with the parameters that were changed there.
    ContinueFromHere,
    Branch,
    /// Of the branches of the process, by index of the layer.
    ShowBranch(usize),
}

impl ErosionAction {
    /// Those that move the playhead, in the order of the menu.
    pub const PLAYING: [Self; 5] = [Self::PlayPause, Self::StepForward, Self::StepBack, Self::ToStart, Self::ToEnd];

    /// Those that need nothing named.
    pub fn all() -> Vec<Self> {
        [Self::PLAYING.as_slice(), &[Self::ContinueFromHere, Self::Branch]].concat()
    }
}

impl Action for ErosionAction {
    fn section(&self) -> &'static str {
        "Erosion"
    }

    fn info(&self) -> Info {
        match self {
            Self::PlayPause => Info::new(
                "Play or pause",
                "Lets the erosion run from where it stands, or stops it there.",
                icon::PLAY,
                keys![NONE + Space],
            ),
            Self::StepForward => {
                Info::new("Step forward", "One iteration on.", icon::CARET_RIGHT, keys![NONE + Period])
            }
            Self::StepBack => Info::new("Step back", "One iteration back.", icon::CARET_LEFT, keys![NONE + Comma]),
            Self::ToStart => {
                Info::new("To start", "Shows the terrain before the erosion.", icon::SKIP_BACK, keys![NONE + Home])
            }
            Self::ToEnd => Info::new("To end", "Shows the finished erosion.", icon::SKIP_FORWARD, keys![NONE + End]),
            Self::ContinueFromHere => Info::new(
                "Continue from here",
                "Up to this iteration the erosion stays what it was; from here on it has the changed parameters.",
                icon::ARROW_BEND_DOWN_RIGHT,
                keys![SHIFT + Enter],
            ),
            Self::Branch => Info::new(
                "Branch from here",
                "Copies the erosion: the copy goes on from this iteration, the old one is kept and hidden.",
                icon::GIT_BRANCH,
                keys![NONE + B],
            ),
            Self::ShowBranch(_) => {
                Info::new("Show branch", "Shows this branch in place of the others.", icon::GIT_BRANCH, &[])
            }
        }
    }
}
