//! The keyboard shortcuts of the commands: either the default keys or keys that the user chose.

use std::collections::BTreeMap;
use std::sync::Arc;

use bevy_egui::egui;
use egui::{Id, Key, KeyboardShortcut, ModifierNames, Modifiers};

use super::Command;
use talweg::preferences::ChosenKeys;

/// The keys that the user chose for commands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Keymap {
    /// Chosen keys by command name.
    chosen: BTreeMap<String, Vec<KeyboardShortcut>>,
}

impl Keymap {
    /// Parses the keys in the preferences. Also returns the names of keys that do not exist.
    pub fn read(kept: &ChosenKeys) -> (Self, Vec<String>) {
        let mut unread = Vec::new();
        let mut chord = |text: &String| {
            let read = shortcut_of(text);
            if read.is_none() {
                unread.push(text.clone());
            }
            read
        };
        let chosen =
            kept.iter().map(|(name, keys)| (name.clone(), keys.iter().filter_map(&mut chord).collect())).collect();
        (Self { chosen }, unread)
    }

    /// The chosen keys in the form in which the preferences store them.
    pub fn kept(&self) -> ChosenKeys {
        let texts = |keys: &Vec<KeyboardShortcut>| keys.iter().map(text_of).collect();
        self.chosen.iter().map(|(name, keys)| (name.clone(), texts(keys))).collect()
    }

    /// All keys of a command; menus show only the first.
    pub fn keys(&self, command: &Command) -> Vec<KeyboardShortcut> {
        match self.choice(command) {
            Some(keys) => keys.clone(),
            None => command.info().shortcuts.to_vec(),
        }
    }

    fn choice(&self, command: &Command) -> Option<&Vec<KeyboardShortcut>> {
        if self.chosen.is_empty() { None } else { self.chosen.get(&command.name()) }
    }

    /// Whether the user has chosen keys for a command.
    pub fn is_chosen(&self, command: &Command) -> bool {
        self.choice(command).is_some()
    }

    /// Whether the user has chosen keys for any command.
    pub fn is_changed(&self) -> bool {
        !self.chosen.is_empty()
    }

    /// Assigns keys to a command. An empty list leaves the command without keys.
    pub fn choose(&mut self, command: &Command, keys: Vec<KeyboardShortcut>) {
        if keys == command.info().shortcuts {
            self.reset(command);
        } else {
            self.chosen.insert(command.name(), keys);
        }
    }

    /// Removes one key combination from the keys of a command.
    pub fn take_away(&mut self, command: &Command, chord: KeyboardShortcut) {
        let keys = self.keys(command).into_iter().filter(|keys| *keys != chord).collect();
        self.choose(command, keys);
    }

    /// Restores the default keys of a command.
    pub fn reset(&mut self, command: &Command) {
        self.chosen.remove(&command.name());
    }

    /// Restores the default keys of all commands.
    pub fn reset_all(&mut self) {
        self.chosen.clear();
    }

    /// Whether one of a command's keys was pressed. With Shift, digit keys type other characters. Therefore `place`,
    /// the position of the key on the keyboard, is compared as well. With `KeyMatch::Place`, this applies to all keys
    /// that are no letters: the key to the right of P types `[` on an English keyboard and `ü` on a German one.
    pub(super) fn is_pressed(
        &self,
        command: &Command,
        (key, place): (Key, Option<Key>),
        modifiers: Modifiers,
        by: KeyMatch,
    ) -> bool {
        let fits = |s: &KeyboardShortcut| {
            let is_key = match by {
                KeyMatch::Character => {
                    s.logical_key == key || modifiers.shift && is_digit(s.logical_key) && place == Some(s.logical_key)
                }
                KeyMatch::Place => place == Some(s.logical_key) && !is_letter(s.logical_key),
            };
            is_key && modifiers.matches_exact(s.modifiers)
        };
        match self.choice(command) {
            Some(keys) => keys.iter().any(fits),
            None => command.info().shortcuts.iter().any(fits),
        }
    }

    /// The keymap that the panels of `ctx` use.
    pub fn shown(ctx: &egui::Context) -> Arc<Self> {
        ctx.data(|data| data.get_temp(id())).unwrap_or_default()
    }

    /// Makes the panels of `ctx` use this keymap.
    pub fn show(self: &Arc<Self>, ctx: &egui::Context) {
        let is_shown = ctx.data(|data| data.get_temp::<Arc<Self>>(id())).is_some_and(|shown| Arc::ptr_eq(&shown, self));
        if !is_shown {
            ctx.data_mut(|data| data.insert_temp(id(), self.clone()));
        }
    }
}

fn id() -> Id {
    Id::new("keymap")
}

/// How a pressed key is compared with a shortcut.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyMatch {
    /// By the character that the key types.
    Character,
    /// By the position of the key on the keyboard.
    Place,
}

/// Whether the key types a letter on an English keyboard; the names of these keys are one capital letter.
fn is_letter(key: Key) -> bool {
    let name = key.name().as_bytes();
    name.len() == 1 && name[0].is_ascii_uppercase()
}

fn is_digit(key: Key) -> bool {
    use Key::{Num0, Num1, Num2, Num3, Num4, Num5, Num6, Num7, Num8, Num9};
    matches!(key, Num0 | Num1 | Num2 | Num3 | Num4 | Num5 | Num6 | Num7 | Num8 | Num9)
}

/// Returns a shortcut in its stored form, such as `Ctrl+Shift+S`. `Ctrl` is Cmd on a Mac.
fn text_of(shortcut: &KeyboardShortcut) -> String {
    let held = [
        (shortcut.modifiers.command || shortcut.modifiers.ctrl, "Ctrl+"),
        (shortcut.modifiers.alt, "Alt+"),
        (shortcut.modifiers.shift, "Shift+"),
    ];
    let held: String = held.into_iter().filter(|(is_held, _)| *is_held).map(|(_, name)| name).collect();
    held + shortcut.logical_key.name()
}

fn shortcut_of(text: &str) -> Option<KeyboardShortcut> {
    let (held, key) = text.rsplit_once('+').unwrap_or(("", text));
    let mut modifiers = Modifiers::NONE;
    for name in held.split('+').filter(|name| !name.is_empty()) {
        modifiers |= match name {
            "Ctrl" => Modifiers::COMMAND,
            "Alt" => Modifiers::ALT,
            "Shift" => Modifiers::SHIFT,
            _ => return None,
        };
    }
    Some(KeyboardShortcut::new(modifiers, Key::from_name(key)?))
}

/// Returns a shortcut in the form that menus display: punctuation as the sign on the key.
pub fn shortcut_text(shortcut: &KeyboardShortcut) -> String {
    let text = shortcut.format(&ModifierNames::NAMES, cfg!(target_os = "macos"));
    let sign = shortcut.logical_key.symbol_or_name();
    let is_punctuation = sign.chars().count() == 1 && !sign.starts_with(['⏷', '⏴', '⏵', '⏶']);
    let modifiers = text.strip_suffix(shortcut.logical_key.name()).filter(|_| is_punctuation);
    modifiers.map_or_else(|| text.clone(), |modifiers| format!("{modifiers}{sign}"))
}

/// Returns several shortcuts in displayed form, joined by “or”.
pub fn shortcuts_text(shortcuts: &[KeyboardShortcut]) -> String {
    shortcuts.iter().map(shortcut_text).collect::<Vec<_>>().join(" or ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::commands::EditAction;

    #[test]
    fn menus_show_punctuation_keys_by_their_sign() {
        let shown = |modifiers, key| shortcut_text(&KeyboardShortcut::new(modifiers, key));
        assert_eq!(shown(Modifiers::NONE, Key::OpenBracket), "[");
        assert_eq!(shown(Modifiers::NONE, Key::Num7), "7");
        assert_eq!(shown(Modifiers::SHIFT, Key::ArrowUp), "Shift+Up");
        if !cfg!(target_os = "macos") {
            assert_eq!(shown(Modifiers::COMMAND, Key::Comma), "Ctrl+,");
        }
    }

    #[test]
    fn shortcuts_are_kept_as_text() {
        for text in ["Ctrl+Shift+S", "F5", "Alt+Up", "Shift+2", "Ctrl+Minus", "Ctrl+Alt+Shift+Space"] {
            let read = shortcut_of(text).expect("a shortcut");
            assert_eq!(text_of(&read), text);
        }
        for broken in ["", "Hyper+S", "Ctrl+", "Ctrl+Nothing"] {
            assert_eq!(shortcut_of(broken), None, "{broken}");
        }
    }

    #[test]
    fn chosen_keys_replace_the_default_keys_of_a_command() {
        let undo = Command::from(EditAction::Undo);
        let mut keymap = Keymap::default();
        let own = keymap.keys(&undo);
        let chosen = shortcut_of("F7").unwrap();
        keymap.choose(&undo, vec![chosen]);
        let is_pressed = |key, modifiers| keymap.is_pressed(&undo, (key, None), modifiers, KeyMatch::Character);
        assert!(is_pressed(Key::F7, Modifiers::NONE));
        assert!(!is_pressed(Key::Z, Modifiers::COMMAND));
        let (again, unread) = Keymap::read(&keymap.kept());
        assert!(again == keymap && unread.is_empty());
        keymap.take_away(&undo, chosen);
        assert!(keymap.keys(&undo).is_empty() && keymap.is_chosen(&undo), "an empty list of keys counts as chosen");
        keymap.choose(&undo, own.clone());
        assert!(!keymap.is_changed() && keymap.keys(&undo) == own);
        let broken = ChosenKeys::from([("EditAction.Undo".into(), vec!["Hyper+S".into(), "F8".into()])]);
        let (read, unread) = Keymap::read(&broken);
        assert_eq!((read.keys(&undo).len(), unread), (1, vec!["Hyper+S".to_string()]));
    }

    #[test]
    fn digits_with_shift_are_read_by_key_position() {
        let keymap = Keymap { chosen: [("EditAction.Redo".into(), vec![shortcut_of("Shift+1").unwrap()])].into() };
        let redo = Command::from(EditAction::Redo);
        let is_pressed =
            |key, modifiers| keymap.is_pressed(&redo, (key, Some(Key::Num1)), modifiers, KeyMatch::Character);
        assert!(is_pressed(Key::Exclamationmark, Modifiers::SHIFT));
        assert!(!is_pressed(Key::Num1, Modifiers::NONE));
    }

    #[test]
    fn keys_without_a_letter_are_also_found_by_position() {
        let keymap = Keymap { chosen: [("EditAction.Redo".into(), vec![shortcut_of("]").unwrap()])].into() };
        let redo = Command::from(EditAction::Redo);
        // German: the key types a plus sign.
        let pressed = (Key::Plus, Some(Key::CloseBracket));
        assert!(!keymap.is_pressed(&redo, pressed, Modifiers::NONE, KeyMatch::Character));
        assert!(keymap.is_pressed(&redo, pressed, Modifiers::NONE, KeyMatch::Place));
        // French: the key at the place of Q types A, and means A.
        let keymap = Keymap { chosen: [("EditAction.Redo".into(), vec![shortcut_of("Q").unwrap()])].into() };
        assert!(!keymap.is_pressed(&redo, (Key::A, Some(Key::Q)), Modifiers::NONE, KeyMatch::Place));
    }
}
