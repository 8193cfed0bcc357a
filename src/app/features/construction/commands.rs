//! Commands for the pieces of a construction: they take the place of the layer's while a piece is selected.

use std::path::PathBuf;

use bevy_egui::egui::KeyboardShortcut;
use egui_phosphor::regular as icon;

use crate::frame::commands::{Action, Info, keys};
use talweg::construction::edit::Wrap;

/// To which side a piece is pushed, as it is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Push {
    Left,
    Right,
    Away,
    Near,
}

impl Push {
    pub const ALL: [Self; 4] = [Self::Left, Self::Right, Self::Away, Self::Near];

    /// Steps to the right, and away from the eye.
    pub fn steps(self) -> (i32, i32) {
        match self {
            Self::Left => (-1, 0),
            Self::Right => (1, 0),
            Self::Away => (0, 1),
            Self::Near => (0, -1),
        }
    }
}

/// What can be done about pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceAction {
    /// Shows or hides the library.
    Library,
    Rename,
    /// Lets the piece follow the pointer.
    Grab,
    Turn,
    Scale,
    Duplicate,
    /// Makes it an original that copies show, or another copy.
    Instance,
    /// Of the selected point, if one is selected, or of the piece.
    Delete,
    Hide,
    Lock,
    /// To the piece of another material layer that lies there, or unties it.
    Tie,
    Group(Wrap),
    Dissolve,
    Look,
    Push(Push),
    PushFar(Push),
    /// The pointer draws the line of the piece.
    Draw,
    /// The points of a line take the height of the ground without it.
    Lay,
    /// What is moved follows the ground, or no longer.
    Follow,
    Fall,
    /// Gives a contour points, so that its line can be bent.
    Bend,
    ChooseImage,
}

/// The file that was chosen for the selected piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakeImage(pub PathBuf);

impl Action for TakeImage {
    fn section(&self) -> &'static str {
        "Feature"
    }

    fn info(&self) -> Info {
        info(PieceAction::ChooseImage)
    }
}

impl PieceAction {
    /// Those of the menu, in its order.
    pub fn all() -> Vec<Self> {
        let mut all = vec![
            Self::Library,
            Self::Rename,
            Self::Grab,
            Self::Turn,
            Self::Scale,
            Self::Duplicate,
            Self::Instance,
            Self::Delete,
            Self::Hide,
            Self::Lock,
            Self::Tie,
            Self::Look,
        ];
        all.extend(Wrap::ALL.map(Self::Group));
        all.extend([Self::Dissolve, Self::Draw, Self::Lay, Self::Follow, Self::Fall, Self::Bend]);
        all.extend(Push::ALL.map(Self::Push));
        all.extend(Push::ALL.map(Self::PushFar));
        all
    }

    /// Whether it needs no piece to be selected.
    pub fn is_free(self) -> bool {
        matches!(self, Self::Library | Self::Follow)
    }
}

impl Action for PieceAction {
    fn section(&self) -> &'static str {
        "Feature"
    }

    fn info(&self) -> Info {
        info(*self)
    }
}

/// What can be done about the layer of a construction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeAction {
    /// Shows a construction without the layers that follow it.
    ShowAlone,
}

impl Action for TreeAction {
    fn section(&self) -> &'static str {
        "Layer"
    }

    fn info(&self) -> Info {
        Info::new(
            "Isolate",
            "Shows the Construction layer without what follows it, so that the view can be drawn from its tree.",
            icon::TREE,
            keys![COMMAND + Num9],
        )
    }
}

/// What a menu that is called *Group as* writes for an operator.
pub fn operator_label(wrap: Wrap) -> &'static str {
    match wrap {
        Wrap::Blend => "Blend",
        Wrap::Replace => "Replace",
        Wrap::Add => "Add",
        Wrap::Warp => "Warp",
        Wrap::Gullies => "Gullies",
        Wrap::Place => "Place",
        Wrap::Detail => "Level of detail",
        Wrap::Array => "Array",
        Wrap::Scatter => "Scatter",
    }
}

fn info(action: PieceAction) -> Info {
    let (label, tooltip, icon, shortcuts): (&str, &str, _, &'static [KeyboardShortcut]) = match action {
        PieceAction::Library => (
            "Feature library",
            "Shows or hides the features that can be put on the ground.",
            icon::SHAPES,
            keys![NONE + P],
        ),
        PieceAction::Rename => {
            ("Rename feature", "Gives the feature another name.", icon::PENCIL_SIMPLE, keys![NONE + F2])
        }
        PieceAction::Grab => (
            "Move feature",
            "The feature follows the pointer: X or Y keeps it to an axis, Z raises it, a number is a length, a click leaves it there, Esc takes it back.",
            icon::ARROWS_OUT_CARDINAL,
            keys![NONE + G],
        ),
        PieceAction::Turn => (
            "Rotate feature",
            "The feature turns with the pointer; a number is degrees, a click leaves it so, Esc takes it back.",
            icon::ARROWS_CLOCKWISE,
            keys![NONE + R],
        ),
        PieceAction::Scale => (
            "Scale feature",
            "The feature grows and shrinks with the pointer; a number is times, a click leaves it so, Esc takes it back.",
            icon::ARROWS_OUT,
            keys![NONE + S],
        ),
        PieceAction::Duplicate => (
            "Duplicate feature",
            "Puts a copy beside the feature; the two are not linked.",
            icon::COPY,
            keys![COMMAND + D],
        ),
        PieceAction::Instance => (
            "Instance",
            "Puts an instance beside the feature: editing the original edits all of its instances.",
            icon::LINK,
            keys![ALT + D],
        ),
        PieceAction::Delete => (
            "Delete feature or point",
            "Removes the selected point, or else the feature; Undo brings it back.",
            icon::TRASH,
            keys![NONE + Delete],
        ),
        PieceAction::Hide => (
            "Show or hide feature",
            "Takes the feature out of the terrain, or puts it back.",
            icon::EYE,
            keys![NONE + H],
        ),
        PieceAction::Lock => (
            "Lock or unlock feature",
            "A locked feature is not taken hold of in the view, so that it stays where it is.",
            icon::LOCK,
            keys![NONE + L],
        ),
        PieceAction::Tie => (
            "Link or unlink feature",
            "Links the feature to the one of another material layer at its middle, as water to its lake: they move together. Again: unlinks it.",
            icon::LINK_SIMPLE,
            keys![SHIFT + L],
        ),
        PieceAction::Look => ("Frame feature", "Brings the feature into view.", icon::FRAME_CORNERS, keys![SHIFT + F]),
        PieceAction::Group(wrap) => match wrap {
            Wrap::Blend => (
                "Group as blend",
                "Puts a blend around the feature: what is put into it goes over into it.",
                icon::UNITE,
                keys![COMMAND + G],
            ),
            Wrap::Replace => (
                "Group as replace",
                "Puts a replace around the feature: what is put into it takes the place of what came before.",
                icon::EXCLUDE,
                &[],
            ),
            Wrap::Add => (
                "Group as add",
                "Puts an add around the feature: what is put into it is laid on top, as dunes between rocks.",
                icon::PLUS_CIRCLE,
                &[],
            ),
            Wrap::Warp => (
                "Group as warp",
                "Puts a warp around the feature, which bends it by noise or a twist.",
                icon::WAVES,
                &[],
            ),
            Wrap::Gullies => (
                "Group as gullies",
                "Puts gullies around the feature: branching ravines run down its slopes.",
                icon::TREE_STRUCTURE,
                &[],
            ),
            Wrap::Place => (
                "Group as place",
                "Puts a place around the feature, to move, turn, scale and raise all that is in it at once.",
                icon::ARROWS_OUT_CARDINAL,
                &[],
            ),
            Wrap::Detail => (
                "Group as level of detail",
                "The feature shows from afar, the last one put beside it from near.",
                icon::MAGNIFYING_GLASS,
                &[],
            ),
            Wrap::Array => (
                "Group as array",
                "Repeats the feature in a line, in rows and columns, around a centre or along a curve.",
                icon::GRID_NINE,
                &[],
            ),
            Wrap::Scatter => (
                "Group as scatter",
                "Repeats the feature at random inside a circle, an outline or along a curve.",
                icon::DOTS_NINE,
                &[],
            ),
        },
        PieceAction::Dissolve => (
            "Ungroup feature",
            "Takes the operator away and leaves the features in it.",
            icon::INTERSECT,
            keys![COMMAND_SHIFT + G],
        ),
        PieceAction::Push(_) | PieceAction::PushFar(_) => return pushed(action),
        PieceAction::Draw => (
            "Draw line",
            "Press and drag over the ground: the line of the feature runs there, by few points. Esc puts the pen away.",
            icon::SCRIBBLE,
            keys![SHIFT + D],
        ),
        PieceAction::Lay => (
            "Snap to terrain",
            "Every point of the line takes the height that the ground has without it.",
            icon::MAGNET,
            keys![NONE + N],
        ),
        PieceAction::Follow => (
            "Conform to terrain",
            "Roads and rivers that are moved, and their points, take the height of the ground where they come to lie.",
            icon::MAGNET_STRAIGHT,
            keys![SHIFT + N],
        ),
        PieceAction::Fall => (
            "Run downhill",
            "Lowers points so that the line falls from its higher end to its lower one; nothing is raised.",
            icon::TREND_DOWN,
            keys![NONE + D],
        ),
        PieceAction::Bend => (
            "Shape by points",
            "Puts eight points on the contour, which can be moved one by one.",
            icon::BEZIER_CURVE,
            &[],
        ),
        PieceAction::ChooseImage => ("Choose a file…", "Reads heights from an image.", icon::IMAGE, &[]),
    };
    Info::new(label, tooltip, icon, shortcuts)
}

fn pushed(action: PieceAction) -> Info {
    let (push, far) = match action {
        PieceAction::PushFar(push) => (push, true),
        PieceAction::Push(push) => (push, false),
        _ => (Push::Left, false),
    };
    let (to, icon, near_keys, far_keys): (_, _, &'static [KeyboardShortcut], &'static [KeyboardShortcut]) = match push {
        Push::Left => ("to the left", icon::CARET_LEFT, keys![COMMAND + ArrowLeft], keys![COMMAND_SHIFT + ArrowLeft]),
        Push::Right => {
            ("to the right", icon::CARET_RIGHT, keys![COMMAND + ArrowRight], keys![COMMAND_SHIFT + ArrowRight])
        }
        Push::Away => ("away from you", icon::CARET_UP, keys![COMMAND + ArrowUp], keys![COMMAND_SHIFT + ArrowUp]),
        Push::Near => ("towards you", icon::CARET_DOWN, keys![COMMAND + ArrowDown], keys![COMMAND_SHIFT + ArrowDown]),
    };
    let (how, share, shortcuts) =
        if far { ("Push far", "a fiftieth", far_keys) } else { ("Push", "a four-hundredth", near_keys) };
    Info {
        label: format!("{how} {to}"),
        tooltip: format!("Moves the selected point or feature {to} by {share} of the side."),
        icon,
        shortcuts,
    }
}
