//! The list of all commands and their keys.

use std::sync::Arc;

use bevy_egui::egui;
use egui::{Align, Button, Event, Key, KeyboardShortcut, Layout, Modifiers, RichText, ScrollArea, Ui, vec2};
use egui_phosphor::regular as icon;

use super::panel::PreferencesState;
use crate::frame::commands::{Command, CommandRegistry, Keymap, shortcut_text, shortcuts_text};
use crate::frame::dialogs::modals::scroll_by_keys;
use crate::frame::theme::{colour, icon_button};
use crate::frame::widgets::long_list;

/// A change of the keys of a command.
enum KeyChange {
    Listen(Command),
    None(Command),
    Reset(Command),
    ResetAll,
    /// Removes a key from a command that shares the key with another command.
    TakeAway(Command, KeyboardShortcut),
}

/// Shows the list of commands and keys.
pub fn show(
    ui: &mut Ui,
    state: &mut PreferencesState,
    keymap: &mut Arc<Keymap>,
    registry: &CommandRegistry,
    height: f32,
) {
    let mut change = None;
    ui.horizontal(|ui| {
        ui.label(icon::MAGNIFYING_GLASS);
        let width = ui.available_width() - 90.0;
        let field = egui::TextEdit::singleline(&mut state.search).hint_text("Command or keys").desired_width(width);
        let response = ui.add(field);
        response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::TextEdit, true, "Search commands"));
        if ui.add_enabled(keymap.is_changed(), Button::new("Reset all")).clicked() {
            change = Some(KeyChange::ResetAll);
        }
    });
    ui.add_space(4.0);
    let sought = state.search.to_lowercase();
    let mut section = "";
    let mut found = false;
    ScrollArea::vertical()
        .max_height(height - 34.0)
        .min_scrolled_height(height - 34.0)
        .auto_shrink([false, true])
        .show(ui, |ui| {
            if state.listening.is_none() {
                scroll_by_keys(ui);
            }
            ui.set_width(ui.available_width() - 12.0);
            let commands = by_section(registry.all());
            let count = commands.len();
            let shown = long_list::laid_out(ui, "keys", 20, count);
            for command in commands.into_iter().take(shown) {
                let (info, keys) = (command.info(), shortcuts_text(&keymap.keys(command)));
                let text = format!("{} {} {keys}", command.section(), info.label).to_lowercase();
                if !sought.split_whitespace().all(|word| text.contains(word)) {
                    continue;
                }
                found = true;
                if command.section() != section {
                    section = command.section();
                    ui.add_space(6.0);
                    ui.label(RichText::new(section).strong().color(colour::accent()));
                }
                row(ui, command, &keys, keymap, state.listening.as_ref() == Some(command), &mut change);
                for (chord, other) in registry.conflicts(keymap, command) {
                    conflict(ui, chord, &other, &mut change);
                }
            }
            if !found && shown == count {
                ui.label(RichText::new("No matching command.").color(colour::text_weak()));
            }
        });
    let Some(change) = change else { return };
    state.listening = None;
    match change {
        KeyChange::Listen(command) => state.listening = Some(command),
        KeyChange::None(command) => Arc::make_mut(keymap).choose(&command, Vec::new()),
        KeyChange::Reset(command) => Arc::make_mut(keymap).reset(&command),
        KeyChange::ResetAll => Arc::make_mut(keymap).reset_all(),
        KeyChange::TakeAway(command, chord) => Arc::make_mut(keymap).take_away(&command, chord),
    }
}

/// All commands sorted by section, regardless of the feature that they belong to.
fn by_section(commands: &[Command]) -> Vec<&Command> {
    let first = |section: &str| commands.iter().position(|command| command.section() == section);
    let mut sorted: Vec<&Command> = commands.iter().collect();
    sorted.sort_by_key(|command| first(command.section()));
    sorted
}

fn row(ui: &mut Ui, command: &Command, keys: &str, keymap: &Keymap, listens: bool, change: &mut Option<KeyChange>) {
    let info = command.info();
    ui.horizontal(|ui| {
        ui.label(info.icon);
        ui.label(&info.label).on_hover_text(&info.tooltip);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let reset = format!("Reset the keys of {}", info.label);
            let is_chosen = keymap.is_chosen(command);
            if icon_button(ui, is_chosen, icon::ARROW_COUNTER_CLOCKWISE, &reset)
                .on_hover_text(format!("Restores {}.", usual(command)))
                .clicked()
            {
                *change = Some(KeyChange::Reset(command.clone()));
            }
            let none = format!("Clear keys of {}", info.label);
            if icon_button(ui, !keys.is_empty(), icon::X, &none).on_hover_text("Removes the shortcut.").clicked() {
                *change = Some(KeyChange::None(command.clone()));
            }
            let text = match (listens, keys.is_empty()) {
                (true, _) => RichText::new("Press keys, Esc to cancel").color(colour::accent()),
                (_, true) => RichText::new("none").color(colour::text_weak()),
                _ => RichText::new(keys).color(if is_chosen { colour::text_strong() } else { colour::text() }),
            };
            let button = ui.add(Button::new(text).min_size(vec2(110.0, 22.0)).selected(listens));
            let button = button.on_hover_text("Click, then press the new keys.");
            let label = format!("Keys of {}", info.label);
            button.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, &label));
            if button.clicked() {
                *change = Some(KeyChange::Listen(command.clone()));
            }
        });
    });
}

/// Text with the default keys of a command.
fn usual(command: &Command) -> String {
    match command.info().shortcuts {
        [] => "no keys".into(),
        keys => shortcuts_text(keys),
    }
}

fn conflict(ui: &mut Ui, chord: KeyboardShortcut, other: &Command, change: &mut Option<KeyChange>) {
    ui.horizontal(|ui| {
        ui.add_space(22.0);
        let (keys, name) = (shortcut_text(&chord), other.info().label);
        let text = format!("{} {keys} is also assigned to “{name}”", icon::WARNING);
        ui.label(RichText::new(text).small().color(colour::warning()));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let button = ui.small_button("Reassign");
            let label = format!("Reassign {keys} from {name}");
            button.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, &label));
            if button.clicked() {
                *change = Some(KeyChange::TakeAway(other.clone(), chord));
            }
        });
    });
}

/// Assigns the next key press to the command whose key the user is choosing. Escape cancels.
pub fn hear(ctx: &egui::Context, state: &mut PreferencesState, keymap: &mut Arc<Keymap>) {
    let Some(command) = state.listening.clone() else { return };
    let mut heard = None;
    ctx.input_mut(|input| {
        input.events.retain(|event| match event {
            Event::Key { key, pressed: true, modifiers, .. } => {
                heard = heard.or(Some((*key, *modifiers)));
                false
            }
            Event::Text(_) | Event::Copy | Event::Cut => false,
            _ => true,
        });
    });
    let Some((key, modifiers)) = heard else { return };
    state.listening = None;
    if key != Key::Escape {
        Arc::make_mut(keymap).choose(&command, vec![KeyboardShortcut::new(shortcut_modifiers(modifiers), key)]);
    }
}

/// Returns the modifiers in the form that shortcuts use.
fn shortcut_modifiers(modifiers: Modifiers) -> Modifiers {
    let mut held = Modifiers::NONE;
    for (is_held, modifier) in
        [(modifiers.command, Modifiers::COMMAND), (modifiers.alt, Modifiers::ALT), (modifiers.shift, Modifiers::SHIFT)]
    {
        if is_held {
            held |= modifier;
        }
    }
    held
}
