//! A row of the list on screen: selection, folding, switches and name.

use bevy_egui::egui;
use egui::{
    Align, Id, Key, Layout, Pos2, Rect, Response, RichText, Sense, Stroke, StrokeKind, Ui, UiBuilder, pos2, vec2,
};
use egui_phosphor::regular as icon;

use super::menu::menu;
use super::rows::PieceRow;
use super::{HEIGHT, INDENT, TreeState, set};
use crate::features::construction::PieceAction;
use crate::frame::commands::Command;
use crate::frame::document::Document;
use crate::frame::theme::{colour, paint_text};
use talweg::construction::edit;
use talweg::construction::{Piece, Tree};

/// Shows a row; returns the command that it issued.
pub(super) fn row(
    ui: &mut Ui,
    document: &mut Document,
    state: &mut TreeState,
    tree: &Tree,
    layer: usize,
    row: &PieceRow,
) -> Option<Command> {
    let id = ui.id().with(("piece", format!("{:?}", row.path)));
    let (_, rect) = ui.allocate_space(vec2(ui.available_width(), HEIGHT));
    let response = ui.interact(rect, id, Sense::click_and_drag());
    let selected = state.is_selected(&row.path);
    if selected {
        let edge = Stroke::new(1.0, colour::accent().gamma_multiply(0.5));
        ui.painter().rect(rect, 4.0, colour::accent_deep(), edge, StrokeKind::Inside);
    } else if response.hovered() {
        ui.painter().rect_filled(rect, 4.0, colour::raised());
    }
    response.widget_info(|| {
        egui::WidgetInfo::selected(egui::WidgetType::SelectableLabel, true, selected, row.title.as_str())
    });
    let command = interact(ui, &response, state, row);
    let tint = match (row.piece.is_none_or(|piece| piece.hidden), selected) {
        (true, _) => colour::text_weak(),
        (false, true) => colour::text_strong(),
        (false, false) => colour::text(),
    };
    let left = rect.left() + 2.0 + row.depth as f32 * INDENT;
    show_caret(ui, state, row, id, pos2(left, rect.top()));
    let symbol = egui::FontId::proportional(15.0);
    ui.painter().text(pos2(left + 26.0, rect.center().y), egui::Align2::CENTER_CENTER, row.icon, symbol, tint);

    let inside = rect.with_min_x(left + 38.0).with_max_x(rect.right() - 4.0);
    let mut inside = ui.new_child(UiBuilder::new().max_rect(inside).layout(Layout::right_to_left(Align::Center)));
    let ui = &mut inside;
    ui.spacing_mut().item_spacing.x = 2.0;
    match row.piece {
        Some(piece) => show_marks(ui, document, tree, layer, row, piece),
        None => {
            ui.label(RichText::new("none").small().color(colour::text_weak()));
        }
    }
    ui.with_layout(Layout::left_to_right(Align::Center), |ui| name(ui, document, state, tree, layer, row, tint));
    response.on_hover_text(row.help);
    command
}

/// Applies the mouse actions on a row; returns the command that they issued.
fn interact(ui: &Ui, response: &Response, state: &mut TreeState, row: &PieceRow) -> Option<Command> {
    let mut command = None;
    if response.hovered() {
        state.hovered = Some(row.path.clone());
    }
    if response.clicked() {
        let adds = ui.input(|i| i.modifiers.shift || i.modifiers.command) && row.piece.is_some();
        if adds { state.toggle_selected(&row.path) } else { state.select(Some(row.path.clone())) }
    }
    if response.double_clicked() && row.piece.is_some() {
        command = Some(Command::from(PieceAction::Rename));
    }
    if response.drag_started() && !row.path.is_root() {
        state.dragged = Some(row.path.clone());
    }
    if let Some(piece) = row.piece {
        response.context_menu(|ui| {
            // a context menu on one of several selected pieces applies to all selected pieces
            if !state.is_selected(&row.path) {
                state.select(Some(row.path.clone()));
            }
            command = menu(ui, piece).or(command.take());
        });
    }
    command
}

/// Shows the arrow that folds and unfolds the children of a piece.
fn show_caret(ui: &Ui, state: &mut TreeState, row: &PieceRow, id: Id, corner: Pos2) {
    if row.piece.is_none_or(|piece| piece.children().is_empty()) {
        return;
    }
    let caret = Rect::from_min_size(corner, vec2(16.0, HEIGHT));
    let is_folded = state.folded.contains(&row.path);
    let fold = ui.interact(caret, id.with("fold"), Sense::click());
    fold.widget_info(|| {
        let what = if is_folded { "Unfold" } else { "Fold" };
        egui::WidgetInfo::labeled(egui::WidgetType::Button, true, format!("{what} {}", row.title))
    });
    let symbol = if is_folded { icon::CARET_RIGHT } else { icon::CARET_DOWN };
    let tint = if fold.hovered() { colour::text_strong() } else { colour::text_weak() };
    let font = egui::FontId::proportional(12.0);
    ui.painter().text(caret.center(), egui::Align2::CENTER_CENTER, symbol, font, tint);
    if fold.clicked() {
        match state.folded.iter().position(|folded| *folded == row.path) {
            Some(k) => drop(state.folded.remove(k)),
            None => state.folded.push(row.path.clone()),
        }
    }
}

/// Shows the switches of a piece for visibility and lock, its kind, and its link.
fn show_marks(ui: &mut Ui, document: &mut Document, tree: &Tree, layer: usize, row: &PieceRow, piece: &Piece) {
    let (hidden, locked) = (piece.hidden, piece.locked);
    let eye = if hidden { icon::EYE_SLASH } else { icon::EYE };
    let what = if hidden { "Show" } else { "Hide" };
    let tip = Command::from(PieceAction::Hide).tooltip(ui.ctx());
    if small_toggle(ui, eye, hidden, &format!("{what} {}", row.title)).on_hover_text(tip).clicked() {
        let mut tree = tree.clone();
        edit::link_group::hide(&mut tree, &row.path);
        document.edit_tree(layer, if hidden { "Show feature" } else { "Hide feature" }, None, tree);
    }
    let lock = if locked { icon::LOCK } else { icon::LOCK_OPEN };
    let what = if locked { "Unlock" } else { "Lock" };
    let tip = Command::from(PieceAction::Lock).tooltip(ui.ctx());
    if small_toggle(ui, lock, locked, &format!("{what} {}", row.title)).on_hover_text(tip).clicked() {
        let label = if locked { "Unlock feature" } else { "Lock feature" };
        set(document, layer, tree, &row.path, label, |p| p.locked ^= true);
    }
    let kind = match row.path.is_root() {
        true => piece.kind(),
        false if piece.name.is_empty() => "",
        false => piece.kind(),
    };
    ui.label(RichText::new(kind).small().color(colour::text_weak()));
    if !piece.link_group.is_empty() {
        let link = RichText::new(icon::LINK_SIMPLE).size(13.0).color(colour::text_weak());
        ui.label(link).on_hover_text("Linked with a feature of another material layer, such as a lake with its water.");
    }
}

fn small_toggle(ui: &mut Ui, symbol: &str, on: bool, label: &str) -> Response {
    let tint = if on { colour::text_strong() } else { colour::text_weak() };
    let text = RichText::new(symbol).size(14.0).color(tint);
    let button = egui::Button::new(text).frame(false).min_size(vec2(20.0, 20.0));
    let response = ui.add(button);
    response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, label));
    response
}

fn name(
    ui: &mut Ui,
    document: &mut Document,
    state: &mut TreeState,
    tree: &Tree,
    layer: usize,
    row: &PieceRow,
    tint: egui::Color32,
) {
    let Some(renaming) = state.renaming.as_mut().filter(|renaming| renaming.path == row.path) else {
        // only paint the title, because the row itself has the accessible name
        let hidden = row.piece.is_none_or(|piece| piece.hidden);
        paint_text(ui, ui.available_rect_before_wrap(), &row.title, tint, hidden);
        return;
    };
    let id = egui::Id::new("rename piece");
    let field = egui::TextEdit::singleline(&mut renaming.text).id(id).desired_width(f32::INFINITY);
    let response = ui.add(field.margin(vec2(4.0, 1.0)));
    response.widget_info(|| egui::WidgetInfo {
        label: Some("Feature name".into()),
        ..egui::WidgetInfo::text_edit(true, &row.title, renaming.text.as_str(), "")
    });
    if response.lost_focus() {
        if !ui.input(|i| i.key_pressed(Key::Escape)) {
            let mut tree = tree.clone();
            edit::rename(&mut tree, &row.path, &renaming.text);
            document.edit_tree(layer, "Rename feature", None, tree);
        }
        state.renaming = None;
    } else if !response.has_focus() {
        response.request_focus();
        if !std::mem::replace(&mut renaming.begun, true) {
            crate::frame::widgets::row::select_all(ui, id, &renaming.text);
        }
    }
}
