//! Commands on a process: play, step, continue and branch.

use egui_phosphor::regular as icon;

use crate::frame::commands::{Action, Info, keys};

/// Commands on the process that the playback controls show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErosionAction {
    PlayPause,
    StepForward,
    StepBack,
    ToStart,
    ToEnd,
    /// Continues the process from the playhead with the changed parameters.
    ContinueFromHere,
    Branch,
    /// Shows or hides the points and cells of a generator's step.
    ToggleStepMarks,
    /// Shows a branch of the process, by the index of its layer.
    ShowBranch(usize),
}

impl ErosionAction {
    /// The commands that move the playhead, in menu order.
    pub const PLAYING: [Self; 5] = [Self::PlayPause, Self::StepForward, Self::StepBack, Self::ToStart, Self::ToEnd];

    /// All commands without arguments.
    pub fn all() -> Vec<Self> {
        [Self::PLAYING.as_slice(), &[Self::ContinueFromHere, Self::Branch, Self::ToggleStepMarks]].concat()
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
                "Plays the erosion or generator from the current iteration or step, or pauses it.",
                icon::PLAY,
                keys![NONE + Space],
            ),
            Self::StepForward => {
                Info::new("Step forward", "Advances by one iteration or step.", icon::CARET_RIGHT, keys![NONE + Period])
            }
            Self::StepBack => {
                Info::new("Step back", "Goes back by one iteration or step.", icon::CARET_LEFT, keys![NONE + Comma])
            }
            Self::ToStart => Info::new(
                "Jump to start",
                "Shows the terrain before the first iteration or step.",
                icon::SKIP_BACK,
                keys![NONE + Home],
            ),
            Self::ToEnd => Info::new(
                "Jump to end",
                "Shows the finished erosion or generator.",
                icon::SKIP_FORWARD,
                keys![NONE + End],
            ),
            Self::ContinueFromHere => Info::new(
                "Continue from here",
                "Keeps the erosion up to this iteration and continues with the changed parameters.",
                icon::ARROW_BEND_DOWN_RIGHT,
                keys![SHIFT + Enter],
            ),
            Self::Branch => Info::new(
                "Branch from here",
                "Copies the erosion. The copy continues from this iteration; the original is hidden.",
                icon::GIT_BRANCH,
                keys![NONE + B],
            ),
            Self::ToggleStepMarks => Info::new(
                "Points and cells of a step",
                "Draws the new points of a generator's step over the terrain, with the cells that they come from.",
                icon::DOTS_NINE,
                &[],
            ),
            Self::ShowBranch(_) => {
                Info::new("Show branch", "Shows this branch and hides the others.", icon::GIT_BRANCH, &[])
            }
        }
    }
}
