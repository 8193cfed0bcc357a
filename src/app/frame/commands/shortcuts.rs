//! Maps key presses to commands.

use bevy::prelude::World;
use bevy_egui::egui;
use egui::{Event, Key, Modifiers};

use super::keymap::KeyMatch;
use crate::frame::commands::{Command, CommandRegistry};
use crate::frame::editor::Editor;
use crate::frame::typed_ahead::take_keyboard;

/// Returns the command whose shortcut was pressed, if any, with the keyboard input after the shortcut. Removes both
/// from the input.
///
/// While a text field has the focus, only shortcuts with Ctrl that do not edit text apply. While another widget has the
/// focus, it receives the keys that move the focus or press a button. While a type of actions has precedence in the
/// current state, its keys are tried first.
pub fn pressed(world: &World, ctx: &egui::Context) -> Option<(Command, Vec<Event>)> {
    let typing = ctx.text_edit_focused();
    let focused = ctx.memory(|memory| memory.focused().is_some());
    let registry = world.resource::<CommandRegistry>();
    let keymap = &world.resource::<Editor>().keymap;
    let scope = |command: &Command| registry.scopes.get(&command.0.as_any().type_id());
    let (scoped, others): (Vec<_>, Vec<_>) = registry.all().iter().partition(|command| scope(command).is_some());
    let applies = |command: &&Command| scope(command).is_some_and(|applies| applies(world, command));
    let commands: Vec<&Command> = scoped.into_iter().filter(applies).chain(others).collect();
    ctx.input_mut(|input| {
        let (place, command) = input.events.iter().enumerate().find_map(|(place, event)| {
            let &Event::Key { key, pressed: true, modifiers, physical_key, .. } = event else { return None };
            if (typing && belongs_to_text(key, modifiers)) || (focused && belongs_to_widget(key)) {
                return None;
            }
            // a key that types another character of a shortcut means this character, wherever it is
            [KeyMatch::Character, KeyMatch::Place].into_iter().find_map(|by| {
                let matches = |command: &&&Command| keymap.is_pressed(command, (key, physical_key), modifiers, by);
                commands.iter().find(matches).map(|command| (place, (*command).clone()))
            })
        })?;
        input.events.remove(place);
        Some((command, take_keyboard(&mut input.events, place)))
    })
}

fn belongs_to_text(key: Key, modifiers: Modifiers) -> bool {
    let function_key = matches!(key, Key::F1 | Key::F5 | Key::F6 | Key::F11);
    !(modifiers.command || function_key) || matches!(key, Key::Z | Key::Y | Key::C | Key::X | Key::V)
}

fn belongs_to_widget(key: Key) -> bool {
    let arrows = matches!(key, Key::ArrowUp | Key::ArrowDown | Key::ArrowLeft | Key::ArrowRight);
    arrows || matches!(key, Key::Space | Key::Enter | Key::Tab | Key::Escape)
}
