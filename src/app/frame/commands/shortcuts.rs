//! From key presses to commands.

use bevy_egui::egui;
use egui::{Event, Key, Modifiers};

use crate::app::frame::commands::Command;

/// The command whose shortcut was pressed, if any; the key press is taken out of the input.
///
/// While a text field has the keyboard only shortcuts with Ctrl that do not edit text are taken; while any other
/// widget has it, keys that move or press widgets stay with it. While a `piece` of a `construction` is selected its commands come
/// before those of the layer.
pub fn pressed(ctx: &egui::Context, construction: bool, piece: bool) -> Option<Command> {
    let typing = ctx.text_edit_focused();
    let focused = ctx.memory(|memory| memory.focused().is_some());
    let (pieces, others): (Vec<_>, Vec<_>) =
        Command::all().into_iter().partition(|command| matches!(command, Command::Piece(_)));
    let applies = |command: &Command| match command {
        Command::Piece(action) => piece || construction && action.is_free(),
        _ => true,
    };
    let commands: Vec<Command> = pieces.into_iter().filter(applies).chain(others).collect();
    ctx.input_mut(|input| {
        let mut found = None;
        input.events.retain(|event| {
            let &Event::Key { key, pressed: true, modifiers, .. } = event else { return true };
            if found.is_some() || (typing && belongs_to_text(key, modifiers)) || (focused && belongs_to_widget(key)) {
                return true;
            }
            let matches = |command: &&Command| {
                let shortcuts = command.info().shortcuts;
                shortcuts.iter().any(|s| s.logical_key == key && modifiers.matches_exact(s.modifiers))
            };
            found = commands.iter().find(matches).cloned();
            found.is_none()
        });
        found
    })
}

fn belongs_to_text(key: Key, modifiers: Modifiers) -> bool {
    let function_key = matches!(key, Key::F1 | Key::F5);
    !(modifiers.command || function_key) || matches!(key, Key::Z | Key::Y)
}

fn belongs_to_widget(key: Key) -> bool {
    let arrows = matches!(key, Key::ArrowUp | Key::ArrowDown | Key::ArrowLeft | Key::ArrowRight);
    arrows || matches!(key, Key::Space | Key::Enter | Key::Tab | Key::Escape)
}
