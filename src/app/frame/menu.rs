//! Menu entries, and the File, Edit and Layer entries that belong to the frame.

use bevy::ecs::system::InMut;
use bevy::prelude::{Res, ResMut};
use bevy_egui::egui;
use egui::{Button, RichText, Ui};
use egui_phosphor::regular as icon;

use super::commands::{Command, CommandQueue, ComputeAction, EditAction, FileAction, shortcut_text};
use super::document::Document;
use super::editor::Editor;
use super::menu_bar::submenu;
use super::theme::colour;

/// The entries at the top of the File menu.
pub fn file(InMut(ui): InMut<Ui>, editor: Res<Editor>, mut queue: ResMut<CommandQueue>) {
    for action in [FileAction::New, FileAction::NewPlanet, FileAction::Open] {
        pick(ui, &mut queue, action, true);
    }
    let recent = editor.recent.paths();
    ui.add_enabled_ui(!recent.is_empty(), |ui| {
        submenu(ui, icon::CLOCK_COUNTER_CLOCKWISE, "Open recent", |ui| {
            for path in recent {
                pick(ui, &mut queue, FileAction::OpenRecent(path.clone()), true);
            }
        });
    });
    ui.add_enabled_ui(!editor.examples.is_empty(), |ui| {
        submenu(ui, icon::MOUNTAINS, "Examples", |ui| {
            for example in &editor.examples {
                pick(ui, &mut queue, FileAction::Example(example.name.clone()), true);
            }
        });
    });
    ui.separator();
    pick(ui, &mut queue, FileAction::Save, true);
    pick(ui, &mut queue, FileAction::SaveAs, true);
    submenu(ui, icon::FILES, "Files of the scene", |ui| {
        for action in [FileAction::MissingFiles, FileAction::MakeRelative, FileAction::PackFiles] {
            pick(ui, &mut queue, action, true);
        }
    });
    pick(ui, &mut queue, FileAction::OpenLibrary, true);
}

/// The entry at the bottom of the File menu, which quits the program.
pub fn quit(InMut(ui): InMut<Ui>, mut queue: ResMut<CommandQueue>) {
    ui.separator();
    pick(ui, &mut queue, FileAction::Quit, true);
}

/// The undo and redo entries of the Edit menu.
pub fn edit(InMut(ui): InMut<Ui>, editor: Res<Editor>, mut queue: ResMut<CommandQueue>) {
    for (action, label) in [(EditAction::Undo, editor.doc.undo_label()), (EditAction::Redo, editor.doc.redo_label())] {
        let command = Command::from(action);
        let text = label.map(|label| format!("{} {label}", command.info().label));
        if entry(ui, &command, text.as_deref(), label.is_some(), None) {
            queue.push(command);
        }
    }
}

/// The entry at the bottom of the Layer menu, which evaluates the scene again.
pub fn recompute(InMut(ui): InMut<Ui>, mut queue: ResMut<CommandQueue>) {
    ui.separator();
    pick(ui, &mut queue, ComputeAction::Recompute, true);
}

/// Shows the scene name at the right end of the menu bar; a dot marks unsaved changes.
pub fn scene_name(ui: &mut Ui, document: &Document) {
    let (name, unsaved) = (document.name(), document.is_dirty());
    ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
        ui.add_space(6.0);
        let text = if unsaved { format!("{name} •") } else { name };
        let label = egui::Label::new(RichText::new(text).color(colour::text_weak())).truncate();
        ui.add(label).on_hover_text(if unsaved { "The scene has unsaved changes." } else { "All changes are saved." });
    });
}

/// A menu entry that issues a command.
pub fn pick(ui: &mut Ui, queue: &mut CommandQueue, command: impl Into<Command>, enabled: bool) {
    let command = command.into();
    if entry(ui, &command, None, enabled, None) {
        queue.push(command);
    }
}

/// A menu entry that issues a command and shows a tick if `on` is true.
pub fn tick(ui: &mut Ui, queue: &mut CommandQueue, command: impl Into<Command>, enabled: bool, on: bool) {
    let command = command.into();
    if entry(ui, &command, None, enabled, Some(on)) {
        queue.push(command);
    }
}

/// Draws one line of a menu: icon (or a tick if `on` is `Some(true)`), label and shortcut. Returns whether it was
/// clicked.
pub fn entry(ui: &mut Ui, command: &Command, text: Option<&str>, enabled: bool, on: Option<bool>) -> bool {
    let info = command.info();
    let label = text.unwrap_or(&info.label).to_string();
    let symbol = match on {
        Some(true) => icon::CHECK,
        Some(false) => "    ",
        None => info.icon,
    };
    let text = format!("{symbol}  {label}");
    let mut button = Button::new(text).min_size(egui::vec2(190.0, 24.0)).wrap_mode(egui::TextWrapMode::Extend);
    if let Some(shortcut) = command.shortcut(ui.ctx()) {
        button = button.shortcut_text(shortcut_text(&shortcut));
    }
    let response = ui.add_enabled(enabled, button).on_hover_text(&info.tooltip);
    response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, enabled, &label));
    if response.clicked() {
        ui.close();
    }
    response.clicked()
}
