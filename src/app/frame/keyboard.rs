//! Converts key presses of the window to egui events. Each event carries the modifiers that were held when the key went
//! down. `bevy_egui` would give all key presses of a frame the modifiers held at the end of the frame. At low frame
//! rates, `Ctrl+Z` would then become `z`.

use bevy::input::keyboard::{Key, KeyboardFocusLost, KeyboardInput};
use bevy::prelude::*;
use bevy_egui::helpers::{bevy_to_egui_key, bevy_to_egui_physical_key};
use bevy_egui::input::EguiInputEvent;
use bevy_egui::{EguiClipboard, EguiContextSettings, EguiInputSystemSettings, PrimaryEguiContext, egui};

/// The modifier keys that are held down now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct HeldModifiers {
    shift: bool,
    ctrl: bool,
    alt: bool,
    /// The Windows key; on a Mac, the Command key.
    system: bool,
}

impl HeldModifiers {
    fn of_egui(self) -> egui::Modifiers {
        let is_mac = cfg!(target_os = "macos");
        egui::Modifiers {
            alt: self.alt,
            ctrl: self.ctrl,
            shift: self.shift,
            mac_cmd: is_mac && self.system,
            command: if is_mac { self.system } else { self.ctrl },
        }
    }

    /// Whether a key press with these modifiers types a character. Ctrl and Alt together count as AltGr, except on a
    /// Mac.
    fn types(self) -> bool {
        !self.system && !self.ctrl || !cfg!(target_os = "macos") && self.ctrl && self.alt
    }

    /// Returns the egui events of one key press or release. `pasted` returns the text of the clipboard.
    fn events(&mut self, input: &KeyboardInput, pasted: impl FnOnce() -> Option<String>) -> Vec<egui::Event> {
        let pressed = input.state.is_pressed();
        match input.logical_key {
            Key::Shift => self.shift = pressed,
            Key::Control => self.ctrl = pressed,
            Key::Alt => self.alt = pressed,
            Key::Super | Key::Meta => self.system = pressed,
            _ => {}
        }
        let mut events = Vec::new();
        if pressed && self.types() {
            match &input.logical_key {
                Key::Character(text) if !text.chars().any(char::is_control) => {
                    events.push(egui::Event::Text(text.to_string()));
                }
                Key::Space => events.push(egui::Event::Text(" ".into())),
                _ => {}
            }
        }
        let physical_key = bevy_to_egui_physical_key(&input.key_code);
        // on keyboards without Latin letters, use the position of the key
        let Some(key) = bevy_to_egui_key(&input.logical_key).or(physical_key) else { return events };
        let modifiers = self.of_egui();
        events.push(egui::Event::Key { key, pressed, repeat: input.repeat, modifiers, physical_key });
        if pressed && modifiers.command {
            match key {
                egui::Key::C => events.push(egui::Event::Copy),
                egui::Key::X => events.push(egui::Event::Cut),
                egui::Key::V => events.extend(pasted().map(egui::Event::Text)),
                _ => {}
            }
        }
        events
    }
}

/// Settings of the egui context that keep `bevy_egui` from reading the keyboard.
pub fn context_settings() -> EguiContextSettings {
    let input = EguiInputSystemSettings { run_write_keyboard_input_messages_system: false, ..default() };
    EguiContextSettings { input_system_settings: input, ..default() }
}

/// Reads the keyboard input of the window and sends it to egui.
pub(super) fn read(
    mut inputs: MessageReader<KeyboardInput>,
    mut lost: MessageReader<KeyboardFocusLost>,
    mut held: Local<HeldModifiers>,
    mut clipboard: Option<ResMut<EguiClipboard>>,
    context: Option<Single<Entity, With<PrimaryEguiContext>>>,
    mut events: MessageWriter<EguiInputEvent>,
) {
    // if the window loses the focus while keys are held, it receives no event for their release
    if lost.read().next().is_some() {
        *held = HeldModifiers::default();
    }
    for input in inputs.read() {
        let heard = held.events(input, || clipboard.as_mut().and_then(|clipboard| clipboard.get_text()));
        if let Some(context) = &context {
            events.write_batch(heard.into_iter().map(|event| EguiInputEvent { context: **context, event }));
        }
    }
}

#[cfg(test)]
mod tests {
    use bevy::input::ButtonState;
    use bevy::input::keyboard::KeyCode;

    use super::*;

    fn input(key_code: KeyCode, logical_key: Key, is_pressed: bool) -> KeyboardInput {
        let state = if is_pressed { ButtonState::Pressed } else { ButtonState::Released };
        KeyboardInput { key_code, logical_key, state, text: None, repeat: false, window: Entity::PLACEHOLDER }
    }

    #[test]
    fn a_chord_within_one_frame_is_a_chord() {
        let mut held = HeldModifiers::default();
        let letter = |is_pressed| input(KeyCode::KeyZ, Key::Character("z".into()), is_pressed);
        let ctrl = |is_pressed| input(KeyCode::ControlLeft, Key::Control, is_pressed);
        let inputs = [ctrl(true), letter(true), letter(false), ctrl(false), letter(true), letter(false)];
        let events: Vec<egui::Event> = inputs.iter().flat_map(|input| held.events(input, || None)).collect();
        let pressed: Vec<bool> = events
            .iter()
            .filter_map(|event| match event {
                egui::Event::Key { key: egui::Key::Z, pressed: true, modifiers, .. } => Some(modifiers.ctrl),
                _ => None,
            })
            .collect();
        assert_eq!(pressed, [true, false], "Ctrl+Z, then z");
        let typed = events.iter().filter(|event| matches!(event, egui::Event::Text(text) if text == "z")).count();
        assert_eq!(typed, 1, "the shortcut types no text");
        assert_eq!(held, HeldModifiers::default());
    }

    #[test]
    fn the_chords_of_the_clipboard_are_its_commands() {
        let mut held = HeldModifiers { ctrl: true, system: cfg!(target_os = "macos"), ..HeldModifiers::default() };
        let mut heard =
            |code, text: &str| held.events(&input(code, Key::Character(text.into()), true), || Some("x".into()));
        assert!(heard(KeyCode::KeyC, "c").contains(&egui::Event::Copy));
        assert!(heard(KeyCode::KeyX, "x").contains(&egui::Event::Cut));
        assert!(heard(KeyCode::KeyV, "v").contains(&egui::Event::Text("x".into())));
    }
}
