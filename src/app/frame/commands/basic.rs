//! Commands of the frame itself: files, undo and redo, computation.

use std::path::PathBuf;

use egui_phosphor::regular as icon;

use super::{Action, Command, Info, keys};
use talweg::user_state::OutsideError;

/// Commands that open, save or close a scene.
#[derive(Clone, Debug, PartialEq)]
pub enum FileAction {
    New,
    NewPlanet,
    Open,
    OpenRecent(PathBuf),
    Example(String),
    Save,
    SaveAs,
    /// Makes the paths in the scene's file relative to the folder of this file.
    MakeRelative,
    /// Lists the files that the scene reads and that are missing.
    MissingFiles,
    /// Copies the files that the scene reads into its folder.
    PackFiles,
    /// Opens the folder of the user's library.
    OpenLibrary,
    Quit,
    /// Saves to the scene's file and then runs a command. A scene without a file asks for one first.
    SaveThen(Command),
    /// Saves to this file and then runs the command, if one is given.
    SaveTo(PathBuf, Option<Command>),
    /// Like `SaveTo`, but the user has confirmed to overwrite a file that is write-protected or that another program
    /// has changed.
    SaveOver(PathBuf, Option<Command>),
    /// Asks for another file to save to, and then runs the command, if one is given.
    SaveElsewhere(Option<Command>),
}

impl FileAction {
    /// All file commands that need no argument.
    pub fn all() -> Vec<Self> {
        vec![
            Self::New,
            Self::NewPlanet,
            Self::Open,
            Self::Save,
            Self::SaveAs,
            Self::MakeRelative,
            Self::MissingFiles,
            Self::PackFiles,
            Self::OpenLibrary,
            Self::Quit,
        ]
    }
}

impl Action for FileAction {
    fn section(&self) -> &'static str {
        "File"
    }

    fn info(&self) -> Info {
        match self {
            Self::New => Info::new("New terrain", "Creates an empty terrain.", icon::FILE_PLUS, keys![COMMAND + N]),
            Self::NewPlanet => Info::new(
                "New planet",
                "Creates a planet with continents and oceans in the colours of Earth.",
                icon::GLOBE_HEMISPHERE_WEST,
                keys![COMMAND_SHIFT + N],
            ),
            Self::Open => Info::new("Open…", "Opens a scene file.", icon::FOLDER_OPEN, keys![COMMAND + O]),
            Self::OpenRecent(path) => {
                let name = path.file_name().map_or_else(|| path.display().to_string(), |n| n.display().to_string());
                Info::new(name, format!("Opens {}.", path.display()), icon::CLOCK_COUNTER_CLOCKWISE, &[])
            }
            Self::Example(name) => {
                let tooltip = format!("Opens a copy of the example “{name}”.");
                Info::new(name, tooltip, icon::MOUNTAINS, &[])
            }
            Self::Save | Self::SaveThen(_) => {
                Info::new("Save", "Saves the scene to its file.", icon::FLOPPY_DISK, keys![COMMAND + S])
            }
            Self::SaveOver(..) => Info::new("Overwrite", "Overwrites the file with the scene.", icon::FLOPPY_DISK, &[]),
            Self::SaveAs | Self::SaveElsewhere(_) | Self::SaveTo(..) => Info::new(
                "Save as…",
                "Saves the scene to another file and continues with that file.",
                icon::FLOPPY_DISK,
                keys![COMMAND_SHIFT + S],
            ),
            Self::MakeRelative => Info::new(
                "Make paths relative",
                "Makes the scene's file paths relative to its folder, so that scene and files can be moved together.",
                icon::LINK,
                &[],
            ),
            Self::MissingFiles => Info::new(
                "Report missing files",
                "Lists the files that the scene reads and that do not exist.",
                icon::MAGNIFYING_GLASS,
                &[],
            ),
            Self::PackFiles => Info::new(
                "Pack files into the scene's folder",
                "Copies the files that the scene reads from other folders into the folder of the scene.",
                icon::PACKAGE,
                &[],
            ),
            Self::OpenLibrary => Info::new(
                "Open your library",
                "Opens the folder of your stamps, presets, materials, plants, palettes and biome tables. Files that you \
                 put there appear in the lists of every scene.",
                icon::BOOKS,
                &[],
            ),
            Self::Quit => Info::new(
                "Quit",
                "Quits Talweg. Asks first if there are unsaved changes.",
                icon::SIGN_OUT,
                keys![COMMAND + Q],
            ),
        }
    }
}

/// Commands that replace or close the scene. They run after unsaved changes have been saved or discarded.
#[derive(Clone, Debug, PartialEq)]
pub enum Proceed {
    New,
    NewPlanet,
    /// Asks for a file to open.
    AskWhich,
    Open(PathBuf),
    /// Opens a scene after the user has permitted it to read files outside its folder.
    OpenPermitted(OutsideError),
    Example(String),
    Quit,
}

impl Action for Proceed {
    fn section(&self) -> &'static str {
        "File"
    }

    fn info(&self) -> Info {
        match self {
            Self::New | Self::NewPlanet => Info::new("New scene", "Creates a new scene.", icon::FILE_PLUS, &[]),
            Self::AskWhich | Self::Open(_) | Self::OpenPermitted(_) | Self::Example(_) => {
                Info::new("Open scene", "Opens another scene.", icon::FOLDER_OPEN, &[])
            }
            Self::Quit => Info::new("Quit", "Quits Talweg.", icon::SIGN_OUT, &[]),
        }
    }
}

/// Undo and redo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditAction {
    Undo,
    Redo,
}

impl EditAction {
    pub const ALL: [Self; 2] = [Self::Undo, Self::Redo];
}

impl Action for EditAction {
    fn section(&self) -> &'static str {
        "Edit"
    }

    fn info(&self) -> Info {
        match self {
            Self::Undo => Info::new("Undo", "Undoes the last edit.", icon::ARROW_U_UP_LEFT, keys![COMMAND + Z]),
            Self::Redo => Info::new(
                "Redo",
                "Redoes the last undone edit.",
                icon::ARROW_U_UP_RIGHT,
                keys![COMMAND_SHIFT + Z, COMMAND + Y],
            ),
        }
    }
}

/// Commands that start or stop the evaluation of the scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComputeAction {
    Recompute,
    Cancel,
}

impl ComputeAction {
    pub const ALL: [Self; 2] = [Self::Recompute, Self::Cancel];
}

impl Action for ComputeAction {
    fn section(&self) -> &'static str {
        "Computing"
    }

    fn info(&self) -> Info {
        match self {
            Self::Recompute => {
                Info::new("Rebuild", "Computes the terrain again.", icon::ARROWS_CLOCKWISE, keys![NONE + F5])
            }
            Self::Cancel => Info::new(
                "Cancel",
                "Stops computing or playing. The last finished terrain stays on screen.",
                icon::X,
                keys![NONE + Escape],
            ),
        }
    }
}
