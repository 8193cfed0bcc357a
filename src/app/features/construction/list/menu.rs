//! The menu of a piece, and the menu of operators.

use bevy_egui::egui::Ui;
use egui_phosphor::regular as icon;

use crate::features::construction::PieceAction;
use crate::features::construction::commands::operator_label;
use crate::frame::commands::Command;
use talweg::construction::Piece;
use talweg::construction::edit::Wrap;

/// Shows the menu of a piece; returns the chosen command.
pub(super) fn menu(ui: &mut Ui, piece: &Piece) -> Option<Command> {
    let mut chosen = None;
    let mut entries = vec![
        (PieceAction::Look, true),
        (PieceAction::Rename, true),
        (PieceAction::Duplicate, true),
        (PieceAction::Instance, true),
        (PieceAction::Hide, true),
        (PieceAction::Lock, true),
        (PieceAction::Tie, true),
        (PieceAction::Delete, true),
    ];
    if piece.takes_pieces() {
        entries.push((PieceAction::Dissolve, !piece.children().is_empty()));
    }
    for (action, enabled) in entries {
        let command = Command::from(action);
        if crate::frame::menu::entry(ui, &command, None, enabled, None) {
            chosen = Some(command);
        }
    }
    ui.separator();
    ui.menu_button(group_text(), |ui| chosen = operator_entries(ui).or(chosen.take()));
    chosen
}

/// Label of the menu of operators.
pub fn group_text() -> String {
    format!("{}  Group as", icon::UNITE)
}

/// The menu entries of the operators; returns the chosen command.
pub fn operator_entries(ui: &mut Ui) -> Option<Command> {
    let mut chosen = None;
    for wrap in Wrap::ALL {
        let command = Command::from(PieceAction::Group(wrap));
        if crate::frame::menu::entry(ui, &command, Some(operator_label(wrap)), true, None) {
            chosen = Some(command);
        }
    }
    chosen
}
