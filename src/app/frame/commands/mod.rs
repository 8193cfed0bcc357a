//! Every command once: label, tooltip, icon, shortcut. Menus, buttons, shortcuts and the list of shortcuts read it.

/// `keys![COMMAND + S]`: Ctrl, on a Mac Cmd, and S.
macro_rules! keys {
    ($($modifiers:ident + $key:ident),*) => {{
        use $crate::app::commands::held;
        const KEYS: &[egui::KeyboardShortcut] = &[ $( egui::KeyboardShortcut::new(held::$modifiers, egui::Key::$key) ),* ];
        KEYS
    }};
}

mod held {
    use bevy_egui::egui::Modifiers;

    pub const NONE: Modifiers = Modifiers::NONE;
    pub const ALT: Modifiers = Modifiers::ALT;
    pub const SHIFT: Modifiers = Modifiers::SHIFT;
    pub const COMMAND: Modifiers = Modifiers::COMMAND;
    pub const COMMAND_SHIFT: Modifiers = Modifiers { shift: true, ..Modifiers::COMMAND };
}

mod compare;
mod shortcuts;
mod tree;
mod view;

use std::path::PathBuf;

use bevy_egui::egui;
use egui::KeyboardShortcut;
use egui_phosphor::regular as icon;

use super::document::Group;
pub use super::view::globe::GlobeWay;
pub use super::view::{Overlay, ViewMode};
use crate::nodes::Node;
pub use compare::{CompareAction, Way};
pub use shortcuts::pressed;
pub use tree::{PieceAction, Push};
pub use view::{ViewAction, Viewpoint};

/// Something a person can ask for.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    New,
    NewPlanet,
    Open,
    OpenRecent(PathBuf),
    Example(String),
    Save,
    SaveAs,
    ExportHeightmap,
    Quit,
    Undo,
    Redo,
    AddLayer,
    /// A layer of this node.
    Add(Box<Node>),
    RenameLayer,
    DuplicateLayer,
    DeleteLayer,
    SoloLayer,
    /// Shows a construction without the layers that follow it.
    TreeAlone,
    ToggleLayer,
    MoveLayerUp,
    MoveLayerDown,
    /// Opens or closes the contact sheet.
    Variants,
    SelectAbove,
    SelectBelow,
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
    CompareBranch,
    ToggleCharts,
    ToggleMeasures,
    /// Opens the biome editor, or closes it.
    ToggleBiomes,
    OpenBiomes,
    SaveBiomes,
    ExportTimelapse,
    /// A picture for a parameter of the scene.
    ChooseImage(Group, usize),
    /// Opens the window that asks which square of the planet is taken.
    TakePatch,
    PutPatchBack,
    Recompute,
    Cancel,
    View(ViewAction),
    /// Thumbnails of lower and higher values in the tooltips of sliders, or none.
    SliderGhosts,
    Compare(CompareAction),
    /// For the pieces of a construction.
    Piece(PieceAction),
    /// Opens the benchmark lab, or closes it.
    Benchmark,
    Shortcuts,
    About,
}

/// What menus, buttons and the list of shortcuts say about a command.
#[derive(Clone, Debug)]
pub struct Info {
    pub label: String,
    /// One sentence that says what happens.
    pub tooltip: String,
    pub icon: &'static str,
    /// The first is the one shown.
    pub shortcuts: &'static [KeyboardShortcut],
}

impl Command {
    /// The commands that need nothing named, in the order of the menus.
    pub fn all() -> Vec<Self> {
        let mut all = vec![
            Self::New,
            Self::NewPlanet,
            Self::Open,
            Self::Save,
            Self::SaveAs,
            Self::ExportHeightmap,
            Self::ExportTimelapse,
            Self::Quit,
            Self::Undo,
            Self::Redo,
            Self::AddLayer,
            Self::RenameLayer,
            Self::DuplicateLayer,
            Self::DeleteLayer,
            Self::SoloLayer,
            Self::TreeAlone,
            Self::ToggleLayer,
            Self::MoveLayerUp,
            Self::MoveLayerDown,
            Self::Variants,
            Self::SelectAbove,
            Self::SelectBelow,
            Self::PlayPause,
            Self::StepForward,
            Self::StepBack,
            Self::ToStart,
            Self::ToEnd,
            Self::ContinueFromHere,
            Self::Branch,
            Self::CompareBranch,
            Self::ToggleCharts,
            Self::ToggleMeasures,
            Self::ToggleBiomes,
            Self::OpenBiomes,
            Self::SaveBiomes,
            Self::TakePatch,
            Self::PutPatchBack,
            Self::Recompute,
            Self::Cancel,
        ];
        all.extend(Self::view().into_iter().map(Self::View));
        all.push(Self::SliderGhosts);
        all.extend(CompareAction::all().into_iter().map(Self::Compare));
        all.extend(PieceAction::all().into_iter().map(Self::Piece));
        all.extend([Self::Benchmark, Self::Shortcuts, Self::About]);
        all
    }

    /// The actions of the View menu.
    pub fn view() -> Vec<ViewAction> {
        let mut view = vec![ViewAction::Reset, ViewAction::Frame];
        view.extend(Viewpoint::ALL.map(ViewAction::From));
        view.extend(ViewMode::ALL.map(ViewAction::Mode));
        view.extend(Overlay::all().into_iter().map(ViewAction::Overlay));
        view.push(ViewAction::ToggleWater);
        view.extend(GlobeWay::ALL.map(ViewAction::Way));
        view
    }

    /// Heading of the command in the list of shortcuts.
    pub fn section(&self) -> &'static str {
        match self {
            Self::New | Self::NewPlanet | Self::Open | Self::OpenRecent(_) | Self::Example(_) | Self::Save => "File",
            Self::SaveAs | Self::ExportHeightmap | Self::ExportTimelapse | Self::Quit => "File",
            Self::OpenBiomes | Self::SaveBiomes => "File",
            Self::Undo | Self::Redo => "Edit",
            Self::PlayPause | Self::StepForward | Self::StepBack | Self::ToStart | Self::ToEnd => "Erosion",
            Self::ContinueFromHere | Self::Branch | Self::ShowBranch(_) => "Erosion",
            Self::CompareBranch | Self::ToggleCharts => "Erosion",
            Self::Recompute | Self::Cancel => "Computing",
            Self::View(_) | Self::ToggleMeasures | Self::ToggleBiomes | Self::SliderGhosts => "View",
            Self::Compare(_) => "Compare",
            Self::Piece(_) => "Piece of a construction",
            Self::Benchmark | Self::Shortcuts | Self::About => "Help",
            _ => "Layer",
        }
    }

    pub fn info(&self) -> Info {
        let (label, tooltip, icon, shortcuts): (&str, &str, _, &'static [KeyboardShortcut]) = match self {
            Self::New => ("New terrain", "Begins a terrain without layers.", icon::FILE_PLUS, keys![COMMAND + N]),
            Self::NewPlanet => (
                "New planet",
                "Begins a planet with continents and oceans in the colours of Earth.",
                icon::GLOBE_HEMISPHERE_WEST,
                keys![COMMAND_SHIFT + N],
            ),
            Self::Open => ("Open…", "Opens a scene file.", icon::FOLDER_OPEN, keys![COMMAND + O]),
            Self::OpenRecent(path) => {
                let name = path.file_name().map_or_else(|| path.display().to_string(), |n| n.display().to_string());
                let tooltip = format!("Opens {}.", path.display());
                return Info { label: name, tooltip, icon: icon::CLOCK_COUNTER_CLOCKWISE, shortcuts: &[] };
            }
            Self::Example(name) => {
                let tooltip = format!("Opens a copy of the example “{name}”; the example itself stays as it is.");
                return Info { label: name.clone(), tooltip, icon: icon::MOUNTAINS, shortcuts: &[] };
            }
            Self::Save => ("Save", "Writes the scene to its file.", icon::FLOPPY_DISK, keys![COMMAND + S]),
            Self::SaveAs => (
                "Save as…",
                "Writes the scene to another file and goes on with that.",
                icon::FLOPPY_DISK,
                keys![COMMAND_SHIFT + S],
            ),
            Self::ExportHeightmap => (
                "Export heightmap…",
                "Computes the terrain at full size and writes it as 16-bit PNG, r16 or r32; a planet as a map of all longitudes and latitudes.",
                icon::EXPORT,
                keys![COMMAND + E],
            ),
            Self::Quit => {
                ("Quit", "Ends Talweg; asks first if there are unsaved changes.", icon::SIGN_OUT, keys![COMMAND + Q])
            }
            Self::Undo => ("Undo", "Takes the last edit back.", icon::ARROW_U_UP_LEFT, keys![COMMAND + Z]),
            Self::Redo => {
                ("Redo", "Brings back what was undone.", icon::ARROW_U_UP_RIGHT, keys![COMMAND_SHIFT + Z, COMMAND + Y])
            }
            Self::AddLayer => (
                "Add layer…",
                "Adds a generator, filter or erosion above the selected layer.",
                icon::PLUS,
                keys![SHIFT + A],
            ),
            Self::Add(node) => {
                let about = node.about();
                return Info {
                    label: format!("Add {}", about.label),
                    tooltip: about.help.into(),
                    icon: icon::PLUS,
                    shortcuts: &[],
                };
            }
            Self::RenameLayer => ("Rename", "Gives the layer another name.", icon::PENCIL_SIMPLE, keys![NONE + F2]),
            Self::DuplicateLayer => {
                ("Duplicate", "Puts a copy of the layer above it, with the same seed.", icon::COPY, keys![COMMAND + D])
            }
            Self::DeleteLayer => {
                ("Delete", "Removes the layer; Undo brings it back.", icon::TRASH, keys![NONE + Delete])
            }
            Self::SoloLayer => (
                "Solo",
                "Shows a generator alone on level ground, any other layer without what is above it. Again: shows everything.",
                icon::HEADPHONES,
                keys![NONE + S],
            ),
            Self::TreeAlone => (
                "Show the tree alone",
                "Shows the Construction layer without what follows it, so that the view can be drawn from its tree.",
                icon::TREE,
                keys![COMMAND + Num0],
            ),
            Self::ToggleLayer => {
                ("Show or hide", "Takes the layer out of the terrain, or puts it back.", icon::EYE, keys![NONE + H])
            }
            Self::MoveLayerUp => {
                ("Move up", "Lets the layer act after the one above it.", icon::ARROW_UP, keys![ALT + ArrowUp])
            }
            Self::MoveLayerDown => {
                ("Move down", "Lets the layer act before the one below it.", icon::ARROW_DOWN, keys![ALT + ArrowDown])
            }
            Self::Variants => (
                "Variants…",
                "Shows other seeds, values and presets as thumbnails; a click takes one.",
                icon::GRID_NINE,
                keys![NONE + V],
            ),
            Self::SelectAbove => ("Select above", "Selects the layer above.", icon::CARET_UP, keys![NONE + ArrowUp]),
            Self::SelectBelow => {
                ("Select below", "Selects the layer below.", icon::CARET_DOWN, keys![NONE + ArrowDown])
            }
            Self::PlayPause => (
                "Play or pause",
                "Lets the erosion run from where it stands, or stops it there.",
                icon::PLAY,
                keys![NONE + Space],
            ),
            Self::StepForward => ("Step forward", "One iteration on.", icon::CARET_RIGHT, keys![NONE + Period]),
            Self::StepBack => ("Step back", "One iteration back.", icon::CARET_LEFT, keys![NONE + Comma]),
            Self::ToStart => ("To start", "Shows the terrain before the erosion.", icon::SKIP_BACK, keys![NONE + Home]),
            Self::ToEnd => ("To end", "Shows the finished erosion.", icon::SKIP_FORWARD, keys![NONE + End]),
            Self::ContinueFromHere => (
                "Continue from here",
                "Up to this iteration the erosion stays what it was; from here on it has the changed parameters.",
                icon::ARROW_BEND_DOWN_RIGHT,
                keys![SHIFT + Enter],
            ),
            Self::Branch => (
                "Branch from here",
                "Copies the erosion: the copy goes on from this iteration, the old one is kept and hidden.",
                icon::GIT_BRANCH,
                keys![NONE + B],
            ),
            Self::ShowBranch(_) => ("Show branch", "Shows this branch in place of the others.", icon::GIT_BRANCH, &[]),
            Self::CompareBranch => (
                "Compare branches",
                "Shows the next branch as A and keeps the one on screen as B, with their difference in metres.",
                icon::GIT_DIFF,
                keys![SHIFT + B],
            ),
            Self::ToggleCharts => (
                "Charts",
                "Plots what the erosion moves, how steep the ground is, and one place you click.",
                icon::CHART_LINE,
                keys![NONE + G],
            ),
            Self::ToggleMeasures => (
                "Measures",
                "Measures the terrain: slopes, peaks, roughness, drainage, playability, beside what real terrain has.",
                icon::RULER,
                keys![NONE + M],
            ),
            Self::ToggleBiomes => (
                "Biomes",
                "Edits the ground types that colour the scene: what grows where, by temperature, height, slope and moisture.",
                icon::TREE,
                keys![NONE + K],
            ),
            Self::OpenBiomes => (
                "Open biome table…",
                "Colours the scene by the ground types of a file; the scene keeps a copy of them.",
                icon::FOLDER_OPEN,
                &[],
            ),
            Self::SaveBiomes => (
                "Save biome table…",
                "Writes the ground types of the scene to a file of their own.",
                icon::FLOPPY_DISK,
                &[],
            ),
            Self::ExportTimelapse => (
                "Export time-lapse…",
                "Films the selected erosion from above, as a GIF or as numbered pictures.",
                icon::FILM_STRIP,
                keys![COMMAND_SHIFT + E],
            ),
            Self::ChooseImage(..) => ("Choose a file…", "Reads heights or brightness from a file.", icon::IMAGE, &[]),
            Self::TakePatch => (
                "Take a patch…",
                "Makes a square of the planet a terrain scene of its own, in finer detail.",
                icon::CROP,
                keys![SHIFT + P],
            ),
            Self::PutPatchBack => (
                "Put the patch back",
                "Lays this terrain onto the planet it was taken from, as a layer of its own.",
                icon::STAMP,
                &[],
            ),
            Self::Recompute => {
                ("Compute again", "Asks for the terrain once more.", icon::ARROWS_CLOCKWISE, keys![NONE + F5])
            }
            Self::Cancel => (
                "Cancel",
                "Stops computing or playing; the last finished terrain stays on screen.",
                icon::X,
                keys![NONE + Escape],
            ),
            Self::View(action) => return view::info(*action),
            Self::SliderGhosts => (
                "Previews on sliders",
                "Shows lower and higher values as small pictures while the pointer rests on a slider.",
                icon::IMAGES,
                &[],
            ),
            Self::Compare(action) => return compare::info(*action),
            Self::Piece(action) => return tree::info(*action),
            Self::Benchmark => (
                "Benchmark…",
                "Measures what nodes cost: time with its uncertainty, memory, growth with size, the effect of threads.",
                icon::TIMER,
                keys![COMMAND_SHIFT + B],
            ),
            Self::Shortcuts => {
                ("Keyboard shortcuts", "Lists all keyboard shortcuts.", icon::KEYBOARD, keys![NONE + F1])
            }
            Self::About => ("About Talweg", "Version and licence.", icon::INFO, &[]),
        };
        Info { label: label.into(), tooltip: tooltip.into(), icon, shortcuts }
    }

    /// The tooltip with the shortcut behind it.
    pub fn tooltip(&self, ctx: &egui::Context) -> String {
        let info = self.info();
        match info.shortcuts.first() {
            Some(shortcut) => format!("{} ({})", info.tooltip, ctx.format_shortcut(shortcut)),
            None => info.tooltip,
        }
    }
}
