//! A search field that finds commands, nodes, parameters of the scene, scenes and help.

mod dialog;
mod items;

use bevy::ecs::system::{In, InMut};
use bevy::prelude::*;
use bevy_egui::egui::Ui;
use egui_phosphor::regular as icon;

use self::dialog::SearchDialog;
pub use self::items::{SearchItem, found_items};
use crate::frame::commands::{Action, CommandApp, CommandQueue, CommandRegistry, Info, keys};
use crate::frame::document::{Group, Selection};
use crate::frame::editor::Editor;
use crate::frame::interface::{InterfaceApp, Slot};
use crate::frame::menu::pick;
use crate::frame::widgets::sought;

pub struct SearchPlugin;

impl Plugin for SearchPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<SoughtParameter>()
            .add_actions([SearchAction::Open], run)
            .add_menu_part("Edit", 50, menu)
            .add_part(Slot::Update, seek);
    }
}

/// Commands of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchAction {
    /// Opens the search field.
    Open,
    /// Selects the layer or scene that a parameter belongs to, and focuses the parameter.
    ShowParameter(Group, usize),
}

impl Action for SearchAction {
    fn section(&self) -> &'static str {
        "Edit"
    }

    fn asks_for_text(&self) -> bool {
        matches!(self, Self::Open)
    }

    fn info(&self) -> Info {
        match self {
            Self::Open => Info::new(
                "Search everything…",
                "Finds commands, nodes, parameters of this scene, scenes and help pages by any word.",
                icon::MAGNIFYING_GLASS,
                keys![COMMAND + K],
            ),
            Self::ShowParameter(..) => {
                Info::new("Show parameter", "Selects the layer and shows this parameter.", icon::SLIDERS, &[])
            }
        }
    }
}

/// The parameter to which the panels must scroll, starting with the next frame.
#[derive(Resource, Default)]
struct SoughtParameter(Option<(Group, usize)>);

fn run(
    In(action): In<SearchAction>,
    registry: Res<CommandRegistry>,
    mut editor: ResMut<Editor>,
    mut parameter: ResMut<SoughtParameter>,
) {
    match action {
        SearchAction::Open => {
            let items = items::all(&editor, &registry);
            editor.dialogs.open(SearchDialog::new(items));
        }
        SearchAction::ShowParameter(group, index) => {
            editor.doc.select(match group {
                Group::Node(layer) | Group::Mix(layer) | Group::Mask(layer) => Selection::Layer(layer),
                Group::Settings | Group::Planet | Group::Climate => Selection::Scene,
            });
            parameter.0 = Some((group, index));
        }
    }
}

fn menu(InMut(ui): InMut<Ui>, mut queue: ResMut<CommandQueue>) {
    ui.separator();
    pick(ui, &mut queue, SearchAction::Open, true);
}

fn seek(InMut(ui): InMut<Ui>, mut parameter: ResMut<SoughtParameter>) {
    sought::forget(ui.ctx());
    if let Some((group, index)) = parameter.0.take() {
        sought::seek(ui.ctx(), group, index);
    }
}
