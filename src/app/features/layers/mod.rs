//! The layer stack and the parameters of the selected layer.
//!
//! The list ([`stack`]) and the parameters ([`parameters`]) edit the document directly. Actions with a shortcut are
//! [`LayerAction`]s.

pub mod add_menu;
mod commands;
mod dialog;
pub mod parameters;
pub mod stack;
mod uplift;

use std::sync::Arc;

use bevy::ecs::system::{In, InMut};
use bevy::prelude::*;
use bevy_egui::EguiClipboard;
use bevy_egui::egui::{self, Margin, Ui};
use egui_phosphor::regular as icon;

use self::add_menu::misfit;
pub use self::commands::LayerAction;
pub use self::dialog::LayerTextAction;
use self::dialog::TextDialog;
use self::stack::StackState;
pub use self::uplift::UpliftSource;
use crate::features::brush::BrushState;
use crate::features::variants::panel::VariantsState;
use crate::frame::commands::{Action, CommandApp, CommandQueue};
use crate::frame::document::{Document, Selection};
use crate::frame::editor::Editor;
use crate::frame::interface::{InterfaceApp, InterfaceFrame, Slot, parameter_area};
use crate::frame::menu::{pick, tick};
use crate::frame::menu_bar::submenu;
use crate::frame::panels::{DockEdge, DockedPanel, PanelApp, PanelShown};
use crate::frame::status::StatusInfo;
use talweg::construction::{Frame, Tree};
use talweg::nodes::Node;
use talweg::nodes::generators::construction::Construction;
use talweg::planet::World;
use talweg::variants::randomised;

pub struct LayersPlugin;

impl Plugin for LayersPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<StackState>()
            .add_actions(LayerAction::all(), run)
            .add_actions([], dialog::run)
            .add_mode_exit(|mut state: ResMut<StackState>| state.stop_renaming())
            .add_menu("Layer", 20)
            .add_menu_part("Layer", 0, menu)
            .add_panel(
                DockedPanel {
                    size: [329.0, 220.0],
                    least: [280.0, 110.0],
                    margin: Margin { left: 8, right: 8, top: 0, bottom: 4 },
                    ..DockedPanel::new("layers", "Layers", DockEdge::Left)
                },
                None,
                |state: Res<StackState>| PanelShown::Content(state.height()),
                list,
            )
            .add_part(Slot::Parameters, parameters_of_layer);
    }
}

fn run(
    In(action): In<LayerAction>,
    mut editor: ResMut<Editor>,
    mut state: ResMut<StackState>,
    mut clipboard: Option<ResMut<EguiClipboard>>,
) {
    let editor = &mut *editor;
    let (selected, all) = (editor.doc.selected_layer(), editor.doc.selected_layers());
    let changes = matches!(
        action,
        LayerAction::Cut
            | LayerAction::Delete
            | LayerAction::MoveUp
            | LayerAction::MoveDown
            | LayerAction::GroupLayers
            | LayerAction::Ungroup
            | LayerAction::SwapSides
            | LayerAction::Randomise
    );
    if let Some(name) = editor.doc.first_locked(&editor.doc.with_members(&all)).filter(|_| changes) {
        let text = format!("Layer “{name}” is locked; unlock it first.");
        return editor.toasts.info(text);
    }
    match (action.clone(), selected) {
        (LayerAction::AddMenu, _) => state.add_menu.open(),
        (LayerAction::Add(node), _) => {
            if let Err(problem) = editor.recent.note_node(node.about().name) {
                editor.toasts.warning(problem.to_string());
            }
            let node = blank(*node, &editor.doc);
            editor.doc.add_layer(node);
        }
        (LayerAction::AddUplift(source), _) => {
            let scene = editor.doc.scene();
            if scene.is_planet() {
                return editor.toasts.info(format!("{}.", misfit(World::Planet).trim_end_matches('.')));
            }
            let (layers, worked_on) = uplift::layers(scene, source);
            editor.doc.add_layers(&action.info().label, layers, worked_on);
        }
        (LayerAction::AddKept(layer), _) => editor.doc.add_own_preset(&layer),
        (LayerAction::SelectAbove, _) => {
            editor.doc.select(Selection::Layer(selected.map_or(0, |index| index + 1)));
        }
        (LayerAction::SelectBelow, _) => {
            let below = selected.and_then(|index| index.checked_sub(1));
            editor.doc.select(below.map_or(Selection::Scene, Selection::Layer));
        }
        (LayerAction::Paste, _) => {
            let text = clipboard.as_mut().and_then(|clipboard| clipboard.get_text());
            paste(editor, &text.unwrap_or_default());
        }
        (_, None) => {}
        (copies @ (LayerAction::Copy | LayerAction::Cut), Some(_)) => match editor.doc.layer_text(&all) {
            Ok(text) => {
                if let Some(clipboard) = &mut clipboard {
                    clipboard.set_text(&text);
                }
                if copies == LayerAction::Cut {
                    editor.doc.delete_layers(&all);
                }
            }
            Err(problem) => editor.toasts.error(format!("The layer was not copied: {problem}.")),
        },
        (LayerAction::Rename, Some(index)) => state.rename(&editor.doc, index),
        (LayerAction::Duplicate, Some(_)) => editor.doc.duplicate_layers(&all),
        (LayerAction::Delete, Some(_)) => editor.doc.delete_layers(&all),
        (LayerAction::Lock, Some(_)) => editor.doc.toggle_locks(&all),
        (LayerAction::Note, Some(index)) => {
            let layer = &editor.doc.scene().layers[index];
            editor.dialogs.open(TextDialog::note(index, layer));
        }
        (LayerAction::EvaluateToHere, Some(index)) => editor.doc.toggle_last_evaluated(index),
        (LayerAction::SwapSides, Some(index)) => {
            let side = editor.doc.shown_side(index).unwrap_or_default();
            editor.doc.show_version(index, 1 - side);
        }
        (LayerAction::Randomise, Some(index)) => {
            let drawn = randomised(&editor.doc.scene().layers[index], rand::random());
            editor.doc.edit("Randomise", None, |scene| scene.layers[index] = drawn);
        }
        (LayerAction::SavePreset, Some(index)) => {
            let layer = &editor.doc.scene().layers[index];
            editor.dialogs.open(TextDialog::preset(index, layer));
        }
        (LayerAction::Solo, Some(index)) => editor.doc.toggle_solo(index),
        (LayerAction::Toggle, Some(_)) => editor.doc.toggle_layers(&all),
        (LayerAction::MoveUp, Some(index)) => editor.doc.move_up(index),
        (LayerAction::MoveDown, Some(index)) => editor.doc.move_down(index),
        (LayerAction::GroupLayers, Some(_)) => editor.doc.group_layers(&all),
        (LayerAction::Ungroup, Some(_)) => editor.doc.ungroup(&all),
    }
}

fn paste(editor: &mut Editor, text: &str) {
    match editor.doc.paste_layers(text) {
        Ok(warnings) => warnings.into_iter().for_each(|warning| editor.toasts.warning(warning.0)),
        Err(problem) => editor.toasts.warning(format!("The clipboard does not contain layers: {problem}.")),
    }
}

/// Returns the node of a new layer. A new construction gets an empty tree in the metres of the scene, instead of the
/// example tree that is its default.
fn blank(node: Node, document: &Document) -> Node {
    let Node::Construction(construction) = &node else { return node };
    if *construction != Construction::default() {
        return node;
    }
    let settings = &document.scene().settings;
    let frame = Frame { side: settings.size_metres, relief: settings.relief_metres, ..Frame::default() };
    let tree = Arc::new(Tree { frame, ..Tree::default() });
    Node::Construction(Construction { tree, ..construction.clone() })
}

fn menu(InMut(ui): InMut<Ui>, editor: Res<Editor>, mut queue: ResMut<CommandQueue>) {
    let world = editor.doc.scene().settings.world;
    submenu(ui, icon::PLUS, "Add", |ui| {
        let mut category = "";
        let catalogue = Node::catalogue();
        for about in catalogue.iter().map(Node::about) {
            if about.category == category {
                continue;
            }
            category = about.category;
            ui.menu_button(category, |ui| {
                for node in catalogue.iter().filter(|node| node.about().category == category) {
                    let about = node.about();
                    let button = ui.add_enabled(node.fits(world), egui::Button::new(about.label));
                    if button.on_hover_text(about.help).on_disabled_hover_text(misfit(world)).clicked() {
                        queue.push(LayerAction::Add(Box::new(node.clone())));
                    }
                }
            });
        }
        ui.separator();
        for source in UpliftSource::ALL {
            pick(ui, &mut queue, LayerAction::AddUplift(source), world == World::Terrain);
        }
    });
    ui.separator();
    let selected = editor.doc.selected_layer();
    let is_selected = selected.is_some();
    let top = editor.doc.scene().layers.len().saturating_sub(1);
    for action in [LayerAction::Rename, LayerAction::Duplicate, LayerAction::Delete] {
        pick(ui, &mut queue, action, is_selected);
    }
    submenu(ui, icon::CLIPBOARD, "Clipboard", |ui| {
        pick(ui, &mut queue, LayerAction::Copy, is_selected);
        pick(ui, &mut queue, LayerAction::Cut, is_selected);
        pick(ui, &mut queue, LayerAction::Paste, true);
    });
    submenu(ui, icon::FOLDER, "Order and groups", |ui| {
        pick(ui, &mut queue, LayerAction::MoveUp, selected.is_some_and(|index| index < top));
        pick(ui, &mut queue, LayerAction::MoveDown, selected.is_some_and(|index| index > 0));
        pick(ui, &mut queue, LayerAction::GroupLayers, is_selected);
        let has_group = editor.doc.selected_layers().iter().any(|&index| editor.doc.scene().group(index).is_some());
        pick(ui, &mut queue, LayerAction::Ungroup, has_group);
    });
    submenu(ui, icon::EYE, "Visibility", |ui| {
        pick(ui, &mut queue, LayerAction::Toggle, is_selected);
        pick(ui, &mut queue, LayerAction::Solo, is_selected);
        tick(ui, &mut queue, LayerAction::EvaluateToHere, is_selected, editor.doc.last_evaluated().is_some());
    });
    ui.separator();
    for action in [LayerAction::Note, LayerAction::SwapSides, LayerAction::Randomise, LayerAction::SavePreset] {
        pick(ui, &mut queue, action, is_selected);
    }
    let is_locked = selected.is_some_and(|index| editor.doc.is_locked(index));
    tick(ui, &mut queue, LayerAction::Lock, is_selected, is_locked);
}

fn list(
    InMut(ui): InMut<Ui>,
    mut editor: ResMut<Editor>,
    mut state: ResMut<StackState>,
    info: Res<StatusInfo>,
    mut queue: ResMut<CommandQueue>,
) {
    let editor = &mut *editor;
    let library = editor.library.contents();
    let offered = (editor.recent.nodes(), library.presets.as_slice());
    queue.extend(stack::show(ui, &mut editor.doc, &mut state, offered, &info));
}

#[allow(clippy::too_many_arguments, reason = "a Bevy system has one argument per input")]
fn parameters_of_layer(
    InMut(ui): InMut<Ui>,
    frame: Res<InterfaceFrame>,
    mut editor: ResMut<Editor>,
    mut variants: ResMut<VariantsState>,
    mut brush: ResMut<BrushState>,
    info: Res<StatusInfo>,
    mut queue: ResMut<CommandQueue>,
) {
    let Selection::Layer(index) = editor.doc.selection() else { return };
    if !frame.has_parameters {
        let library = editor.library.contents().clone();
        parameter_area(ui, index, |ui| {
            let (document, ghosts, own) = (&mut editor.doc, &mut variants.ghosts, &library.presets);
            queue.extend(parameters::show(ui, document, index, &info.problems, ghosts, &mut brush, own));
        });
    }
}
