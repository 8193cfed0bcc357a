//! The ground material rules of the scene. They decide where each material covers the terrain, and where plants and
//! stones are placed.

mod band;
mod conditions;
mod lists;
pub mod panel;
mod sampled;
mod textures;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bevy::ecs::system::{In, InMut};
use bevy::prelude::*;
use bevy_egui::egui::Ui;
use egui_phosphor::regular as icon;

use self::panel::{GroundRulesState, RuleTab};
use self::sampled::{RuleCoverTask, RuleCoverage};
use crate::frame::commands::{Action, CommandApp, CommandQueue, Info};
use crate::frame::dialogs::files::{Files, TEXTURES, file_stem};
use crate::frame::dialogs::overwrite::Overwrite;
use crate::frame::editor::{Editor, file_name, with_reason};
use crate::frame::interface::InterfaceApp;
use crate::frame::menu::tick;
use crate::frame::panels::{DockEdge, DockedPanel, PanelApp, PanelShown};
use crate::frame::window::FrameSystems;
use talweg::appearance_files::{RuleList, ScatterRules};
use talweg::io::{FileError, SaveTarget};
use talweg::scene::{load_material_rules, save_material_rules};

/// File filter for rule lists: name and extensions.
const LISTS: (&str, &[&str]) = ("Rule lists (.ron)", &["ron"]);
const LIST: (&str, &str) = ("Rule list", "ron");

pub struct GroundRulesPlugin;

impl Plugin for GroundRulesPlugin {
    fn build(&self, app: &mut App) {
        let files =
            RuleTab::ALL.into_iter().flat_map(|tab| [GroundRulesAction::Open(tab), GroundRulesAction::Save(tab)]);
        app.init_resource::<GroundRulesState>()
            .init_resource::<RuleCoverage>()
            .init_resource::<RuleCoverTask>()
            .add_actions(std::iter::once(GroundRulesAction::Toggle).chain(files), run)
            .add_menu_part("View", 31, view_menu)
            .add_panel(
                DockedPanel {
                    place: 3,
                    size: [310.0, 320.0],
                    least: [270.0, 120.0],
                    ..DockedPanel::new("ground-rules", "Ground materials", DockEdge::Right)
                },
                Some(GroundRulesAction::Toggle.into()),
                |state: Res<GroundRulesState>| PanelShown::from(state.open),
                ground_rules,
            )
            .add_systems(PreUpdate, sampled::advance.in_set(FrameSystems::Receive));
    }
}

/// Commands of the ground rules panel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GroundRulesAction {
    /// Opens or closes the ground rules panel.
    Toggle,
    Open(RuleTab),
    Save(RuleTab),
    OpenFrom(RuleTab, PathBuf),
    /// Asks for a file name in the user's library.
    SaveToLibrary(RuleTab),
    SaveTo(RuleTab, SaveTarget),
    /// Asks for an image of the textures of the rule with this index.
    ChooseTextures(usize),
    /// Gives the rule with this index the textures to which an image belongs.
    TexturesFrom(usize, PathBuf),
}

impl Action for GroundRulesAction {
    fn section(&self) -> &'static str {
        if *self == Self::Toggle { "View" } else { "File" }
    }

    fn info(&self) -> Info {
        match self {
            Self::Toggle => Info::new(
                "Ground materials",
                "Edits the rules that distribute rock, grass, snow and other materials, and plants and stones.",
                icon::STACK_SIMPLE,
                &[],
            ),
            Self::Open(tab) | Self::OpenFrom(tab, _) => {
                let text = "Replaces the rules of the scene with the rules of a file.";
                Info::new(format!("Open {}…", tab.title().to_lowercase()), text, icon::FOLDER_OPEN, &[])
            }
            Self::Save(tab) | Self::SaveTo(tab, _) => {
                let text = "Saves the rules of the scene to a file, for use in other scenes.";
                Info::new(format!("Save {}…", tab.title().to_lowercase()), text, icon::FLOPPY_DISK, &[])
            }
            Self::SaveToLibrary(_) => {
                let text = "Saves the rules of the scene to your library. They appear in this menu in every scene.";
                Info::new("Save to your library…", text, icon::FLOPPY_DISK, &[])
            }
            Self::ChooseTextures(_) | Self::TexturesFrom(..) => {
                let text = "Replaces the built-in texture by image files. Choose any image of the material; the other \
                            maps are found in its folder by their names.";
                Info::new("Choose textures…", text, icon::IMAGE_SQUARE, &[])
            }
        }
    }
}

fn run(In(action): In<GroundRulesAction>, mut editor: ResMut<Editor>, mut state: ResMut<GroundRulesState>) {
    let editor = &mut *editor;
    match action {
        GroundRulesAction::Toggle => state.open = !state.open,
        GroundRulesAction::Open(tab) => {
            let then = move |path| GroundRulesAction::OpenFrom(tab, path).into();
            let title = format!("Open {}", tab.title().to_lowercase());
            editor.dialogs.open(Files::open(&editor.doc, &title, LISTS, then));
        }
        GroundRulesAction::Save(tab) => ask_where_to_save(editor, tab, None),
        GroundRulesAction::SaveToLibrary(tab) => {
            if let Err(error) = editor.library.made_folders() {
                editor.toasts.error(with_reason("The rules were not saved", &error));
                return;
            }
            let folder = editor.library.path(tab.library_folder());
            ask_where_to_save(editor, tab, folder);
        }
        GroundRulesAction::OpenFrom(tab, path) => open(editor, tab, &path),
        GroundRulesAction::SaveTo(tab, to) => save(editor, tab, &to),
        GroundRulesAction::ChooseTextures(rule) => {
            let then = move |path| GroundRulesAction::TexturesFrom(rule, path).into();
            editor.dialogs.open(Files::open(&editor.doc, "Choose an image of the material", TEXTURES, then));
        }
        GroundRulesAction::TexturesFrom(rule, image) => textures::apply(editor, rule, &image),
    }
}

/// Asks for a file name, in `folder` or in the folder of the scene.
fn ask_where_to_save(editor: &mut Editor, tab: RuleTab, folder: Option<PathBuf>) {
    let (title, what) = (tab.title().to_lowercase(), format!("{} {}", file_stem(&editor.doc), tab.file_stem()));
    let then = move |path| GroundRulesAction::SaveTo(tab, SaveTarget::new(path)).into();
    let dialog = Files::save_in(folder, &editor.doc, &format!("Save {title}"), &what, &[LIST], then);
    editor.dialogs.open(dialog);
}

fn open(editor: &mut Editor, tab: RuleTab, path: &Path) {
    let label = format!("Open {}", tab.title().to_lowercase());
    let read = match tab {
        RuleTab::Materials => load_material_rules(path).map(|own| {
            editor.doc.edit(&label, None, |scene| scene.materials = Some(Arc::new(own)));
        }),
        RuleTab::Plants => ScatterRules::load(path).map(|own| {
            editor.doc.edit(&label, None, |scene| scene.scatter = Some(Arc::new(own)));
        }),
    };
    if let Err(error) = read {
        let what = "The rules were not opened; the scene keeps its rules";
        editor.toasts.error(with_reason(what, &error));
    }
}

fn save(editor: &mut Editor, tab: RuleTab, to: &SaveTarget) {
    let scene = editor.doc.scene();
    let saved: Result<(), FileError> = match tab {
        RuleTab::Materials => save_material_rules(&scene.material_rules(), to),
        RuleTab::Plants => scene.scatter_rules().save(to),
    };
    match saved {
        Ok(()) => editor.toasts.info(format!("Saved {}", file_name(to.path()))),
        Err(error) => {
            let elsewhere = ("Another file…", GroundRulesAction::Save(tab).into());
            let over = |to| GroundRulesAction::SaveTo(tab, to).into();
            let question = Overwrite::from_error(&error, to, elsewhere, over);
            editor.ask_or_report(question, || with_reason("The rules were not saved", &error));
        }
    }
}

fn view_menu(InMut(ui): InMut<Ui>, state: Res<GroundRulesState>, mut queue: ResMut<CommandQueue>) {
    tick(ui, &mut queue, GroundRulesAction::Toggle, true, state.open);
}

fn ground_rules(
    InMut(ui): InMut<Ui>,
    mut editor: ResMut<Editor>,
    mut state: ResMut<GroundRulesState>,
    covers: Res<RuleCoverage>,
    mut queue: ResMut<CommandQueue>,
) {
    let library = editor.library.contents().clone();
    queue.extend(panel::show(ui, &mut state, &mut editor.doc, &library, &covers));
}
