//! Commands on the pieces of a construction. While a piece is selected, their keys take precedence over those of the
//! layer commands.

use std::path::PathBuf;

use bevy_egui::egui::KeyboardShortcut;
use egui_phosphor::regular as icon;

use crate::frame::commands::{Action, Info, keys};
use talweg::construction::edit::Wrap;

/// Direction in which an arrow key moves a piece, as seen on screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Push {
    Left,
    Right,
    Away,
    Near,
}

impl Push {
    pub const ALL: [Self; 4] = [Self::Left, Self::Right, Self::Away, Self::Near];

    /// Number of steps to the right on screen, and number of steps away from the viewer.
    pub fn steps(self) -> (i32, i32) {
        match self {
            Self::Left => (-1, 0),
            Self::Right => (1, 0),
            Self::Away => (0, 1),
            Self::Near => (0, -1),
        }
    }
}

/// Commands on pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceAction {
    /// Shows or hides the library of pieces.
    Library,
    Rename,
    /// Moves the piece with the pointer.
    Grab,
    Turn,
    Scale,
    Duplicate,
    /// Turns the piece into an original with one instance. If the piece already is an original, adds another instance.
    Instance,
    /// Deletes the selected point, or the piece if no point is selected.
    Delete,
    Hide,
    Lock,
    /// Links the selected piece with a piece of another material layer that lies at its centre, or unlinks it.
    Tie,
    Group(Wrap),
    Dissolve,
    Look,
    Push(Push),
    PushFar(Push),
    /// Starts drawing a new line for the piece with the pointer.
    Draw,
    /// Moves the points of a line vertically to the height that the terrain has without the piece.
    Lay,
    /// Toggles whether moved lines follow the terrain.
    Follow,
    Fall,
    /// Adds points to the line of a contour, so that the user can bend it.
    Bend,
    ChooseImage,
}

/// Sets the chosen image file for the selected piece.
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
    /// The piece commands in the order of the menu.
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

    /// Whether the command works without a selected piece.
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

/// Commands on the layer that contains a construction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeAction {
    /// Shows a construction without the layers above it.
    ShowAlone,
}

impl Action for TreeAction {
    fn section(&self) -> &'static str {
        "Layer"
    }

    fn info(&self) -> Info {
        Info::new(
            "Isolate",
            "Shows the Construction layer without the layers above it, drawn directly from its features.",
            icon::TREE,
            keys![COMMAND + Num9],
        )
    }
}

/// Label of an operator in the menu *Group as*.
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
            "Shows or hides the library of features to place on the terrain.",
            icon::SHAPES,
            keys![NONE + P],
        ),
        PieceAction::Rename => ("Rename feature", "Renames the feature.", icon::PENCIL_SIMPLE, keys![NONE + F2]),
        PieceAction::Grab => (
            "Move feature",
            "Moves the feature with the pointer. X or Y locks an axis, Z changes the height. Type a number to set the \
             distance. Click to confirm, Esc to cancel.",
            icon::ARROWS_OUT_CARDINAL,
            keys![NONE + G],
        ),
        PieceAction::Turn => (
            "Rotate feature",
            "Rotates the feature with the pointer. Type a number to set the angle in degrees. Click to confirm, Esc to \
             cancel.",
            icon::ARROWS_CLOCKWISE,
            keys![NONE + R],
        ),
        PieceAction::Scale => (
            "Scale feature",
            "Scales the feature with the pointer. Type a number to set the factor. Click to confirm, Esc to cancel.",
            icon::ARROWS_OUT,
            keys![NONE + S],
        ),
        PieceAction::Duplicate => {
            ("Duplicate feature", "Adds an independent copy beside the feature.", icon::COPY, keys![COMMAND + D])
        }
        PieceAction::Instance => (
            "Add instance",
            "Adds an instance beside the feature. Editing the original changes all of its instances.",
            icon::LINK,
            keys![ALT + D],
        ),
        PieceAction::Delete => (
            "Delete feature or point",
            "Deletes the selected point, or the feature if no point is selected.",
            icon::TRASH,
            keys![NONE + Delete],
        ),
        PieceAction::Hide => (
            "Show or hide feature",
            "Hides the feature from the terrain, or shows it again.",
            icon::EYE,
            keys![NONE + H],
        ),
        PieceAction::Lock => (
            "Lock or unlock feature",
            "Locks the feature, so that it cannot be dragged in the view, or unlocks it.",
            icon::LOCK,
            keys![NONE + L],
        ),
        PieceAction::Tie => (
            "Link or unlink feature",
            "Links the feature with the feature of another material layer at its centre, such as a lake with its \
             water, so that they move together. Press again to unlink.",
            icon::LINK_SIMPLE,
            keys![SHIFT + L],
        ),
        PieceAction::Look => ("Frame feature", "Zooms the view to the feature.", icon::FRAME_CORNERS, keys![SHIFT + F]),
        PieceAction::Group(wrap) => return group_info(wrap),
        PieceAction::Dissolve => (
            "Ungroup feature",
            "Removes the operator and keeps its members.",
            icon::INTERSECT,
            keys![COMMAND_SHIFT + G],
        ),
        PieceAction::Push(_) | PieceAction::PushFar(_) => return pushed(action),
        PieceAction::Draw => (
            "Draw line",
            "Redraws the line of the feature: press and drag over the terrain. Esc stops drawing.",
            icon::SCRIBBLE,
            keys![SHIFT + D],
        ),
        PieceAction::Lay => (
            "Snap to terrain",
            "Moves every point of the line to the height of the terrain without the feature.",
            icon::MAGNET,
            keys![NONE + N],
        ),
        PieceAction::Follow => (
            "Conform to terrain",
            "Keeps roads, rivers and their points at terrain height while you move them.",
            icon::MAGNET_STRAIGHT,
            keys![SHIFT + N],
        ),
        PieceAction::Fall => (
            "Run downhill",
            "Lowers points so that the line descends from its higher to its lower end. No point is raised.",
            icon::TREND_DOWN,
            keys![NONE + D],
        ),
        PieceAction::Bend => (
            "Shape by points",
            "Adds eight points to the contour, which you can move one by one.",
            icon::BEZIER_CURVE,
            &[],
        ),
        PieceAction::ChooseImage => ("Choose a file…", "Loads heights from an image.", icon::IMAGE, &[]),
    };
    Info::new(label, tooltip, icon, shortcuts)
}

/// The commands of the menu *Group as*.
fn group_info(wrap: Wrap) -> Info {
    let (label, tooltip, icon, shortcuts): (&str, &str, _, &'static [KeyboardShortcut]) = match wrap {
        Wrap::Blend => (
            "Group as blend",
            "Wraps the feature in a blend: its members merge smoothly.",
            icon::UNITE,
            keys![COMMAND + G],
        ),
        Wrap::Replace => (
            "Group as replace",
            "Wraps the feature in a replace: each member replaces the members before it.",
            icon::EXCLUDE,
            &[],
        ),
        Wrap::Add => (
            "Group as add",
            "Wraps the feature in an add: further members are added on top, like dunes between rocks.",
            icon::PLUS_CIRCLE,
            &[],
        ),
        Wrap::Warp => {
            ("Group as warp", "Wraps the feature in a warp, which distorts it by noise or a twist.", icon::WAVES, &[])
        }
        Wrap::Gullies => (
            "Group as gullies",
            "Wraps the feature in gullies: branching ravines run down its slopes.",
            icon::TREE_STRUCTURE,
            &[],
        ),
        Wrap::Place => (
            "Group as place",
            "Wraps the feature in a place, which moves, rotates, scales and raises all of its members together.",
            icon::ARROWS_OUT_CARDINAL,
            &[],
        ),
        Wrap::Detail => (
            "Group as level of detail",
            "Shows this feature from afar and the last member of the group from nearby.",
            icon::MAGNIFYING_GLASS,
            &[],
        ),
        Wrap::Array => (
            "Group as array",
            "Repeats the feature in a line, in a grid, around a centre or along a curve.",
            icon::GRID_NINE,
            &[],
        ),
        Wrap::Scatter => (
            "Group as scatter",
            "Scatters copies of the feature inside a circle, inside an outline or along a curve.",
            icon::DOTS_NINE,
            &[],
        ),
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
    let (how, share, shortcuts) = if far { ("Push far", "1/50", far_keys) } else { ("Push", "1/400", near_keys) };
    Info {
        label: format!("{how} {to}"),
        tooltip: format!("Moves the selected point or feature {to} by {share} of the terrain's side length."),
        icon,
        shortcuts,
    }
}
