//! The list of the pieces of a construction, in the order of the construction tree, and the selection of pieces.
//!
//! Rows can be dragged. Between two rows, a line shows where the dragged piece will be inserted. Over an operator, a
//! frame shows that the piece will become its member. An invalid target is red, and the status line shows the reason.
//!
//! | file | contents |
//! |---|---|
//! | `state` | the selected pieces, and the action in progress |
//! | `rows` | the rows, with their titles and icons |
//! | `row_view` | a row on screen |
//! | `drag` | dragging of rows |
//! | `menu` | the menu of a piece |

mod drag;
mod menu;
mod row_view;
mod rows;
mod state;

use bevy_egui::egui;
use egui::{Align, Layout, Rect, RichText, Ui};
use egui_phosphor::regular as icon;

pub use menu::{group_text, operator_entries};
pub use rows::{material_words, piece_icon, title_of};
pub use state::TreeState;

use self::drag::drag;
use self::row_view::row;
use self::rows::list;
use crate::features::construction::PieceAction;
use crate::frame::commands::Command;
use crate::frame::document::Document;
use crate::frame::theme::{colour, icon_button};
use talweg::construction::edit::{self, PiecePath};
use talweg::construction::{Piece, Tree};

const HEIGHT: f32 = 24.0;
const INDENT: f32 = 14.0;

/// Shows the list; returns the command that a row issued.
pub fn show(ui: &mut Ui, document: &mut Document, state: &mut TreeState) -> Option<Command> {
    let (layer, tree) = document.tree().map(|(layer, tree)| (layer, tree.clone()))?;
    let mut command = None;
    ui.horizontal(|ui| {
        ui.label(RichText::new("Features").strong().size(14.0));
        let pieces = tree.count();
        ui.label(RichText::new(if pieces == 1 { "1".into() } else { pieces.to_string() }).color(colour::text_weak()));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let selected = state.selected.as_ref().is_some_and(|path| path.piece(&tree).is_some());
            for action in [PieceAction::Delete, PieceAction::Instance, PieceAction::Duplicate] {
                let ask = Command::from(action);
                let button = icon_button(ui, selected, ask.info().icon, &ask.info().label);
                if button.on_hover_text(ask.tooltip(ui.ctx())).clicked() {
                    command = Some(ask);
                }
            }
            ui.add_enabled_ui(selected, |ui| {
                let menu = ui.menu_button(RichText::new(icon::UNITE).size(16.0), |ui| {
                    command = operator_entries(ui).or(command.take());
                });
                menu.response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, "Group as"));
                menu.response.on_hover_text("Wraps the feature in an operator.");
            });
        });
    });
    ui.add_space(2.0);
    let rows = list(&tree, state);
    ui.spacing_mut().item_spacing.y = 0.0;
    let scroll = egui::ScrollArea::vertical().id_salt("pieces").auto_shrink(false);
    scroll.show_rows(ui, HEIGHT, rows.len(), |ui, shown| {
        let top = ui.cursor().top() - shown.start as f32 * HEIGHT;
        let across = ui.available_rect_before_wrap().x_range();
        if state.is_sought
            && let Some(k) = rows.iter().position(|row| Some(&row.path) == state.selected.as_ref())
        {
            state.is_sought = false;
            let from = top + k as f32 * HEIGHT;
            ui.scroll_to_rect(Rect::from_x_y_ranges(across, from..=from + HEIGHT), None);
        }
        for k in shown {
            let asked = row(ui, document, state, &tree, layer, &rows[k]);
            command = command.take().or(asked);
        }
        if let Some(from) = state.dragged.clone() {
            drag(ui, document, state, &tree, layer, &rows, &from, top, across);
        }
    });
    command
}

/// Changes one piece.
pub fn set(
    document: &mut Document,
    layer: usize,
    tree: &Tree,
    path: &PiecePath,
    label: &str,
    change: impl FnOnce(&mut Piece),
) {
    let mut tree = tree.clone();
    if let Some(piece) = path.piece_mut(&mut tree) {
        let before = piece.clone();
        change(piece);
        edit::link_group::update_linked(&mut tree, &before, path, document.tree_seed(layer));
        document.edit_tree(layer, label, None, tree);
    }
}
