//! Turns the driver's events into the messages that winit, the window library, would send.

use bevy::ecs::system::SystemParam;
use bevy::input::ButtonState;
use bevy::input::keyboard::{Key, KeyCode, KeyboardInput};
use bevy::input::mouse::{MouseButton, MouseButtonInput, MouseScrollUnit, MouseWheel};
use bevy::input::touch::TouchPhase;
use bevy::prelude::*;
use bevy::window::{CursorMoved, PrimaryWindow, WindowEvent};

#[derive(SystemParam)]
pub struct Injector<'w, 's> {
    window: Single<'w, 's, Entity, With<PrimaryWindow>>,
    all: MessageWriter<'w, WindowEvent>,
    moved: MessageWriter<'w, CursorMoved>,
    buttons: MessageWriter<'w, MouseButtonInput>,
    wheel: MessageWriter<'w, MouseWheel>,
    keys: MessageWriter<'w, KeyboardInput>,
    pointer: Local<'s, Vec2>,
}

impl Injector<'_, '_> {
    /// Moves the pointer to `position` in the window, in points.
    pub fn move_to(&mut self, window: &mut Window, position: Vec2) {
        *self.pointer = position;
        window.set_cursor_position(Some(position));
        let event = CursorMoved { window: *self.window, position, delta: None };
        self.all.write(WindowEvent::CursorMoved(event.clone()));
        self.moved.write(event);
    }

    pub fn move_by(&mut self, window: &mut Window, by: Vec2) {
        let position = *self.pointer + by;
        self.move_to(window, position);
    }

    pub fn button(&mut self, button: MouseButton, pressed: bool) {
        let event = MouseButtonInput { button, state: state(pressed), window: *self.window };
        self.all.write(WindowEvent::MouseButtonInput(event));
        self.buttons.write(event);
    }

    pub fn scroll(&mut self, lines: f32) {
        let event = MouseWheel {
            unit: MouseScrollUnit::Line,
            x: 0.0,
            y: lines,
            window: *self.window,
            phase: TouchPhase::Moved,
        };
        self.all.write(WindowEvent::MouseWheel(event));
        self.wheel.write(event);
    }

    pub fn key(&mut self, name: &str, pressed: bool) {
        let (key_code, logical_key) = key_of(name);
        let text = match &logical_key {
            Key::Character(c) if pressed => Some(c.clone()),
            _ => None,
        };
        let event =
            KeyboardInput { key_code, logical_key, state: state(pressed), text, repeat: false, window: *self.window };
        self.all.write(WindowEvent::KeyboardInput(event.clone()));
        self.keys.write(event);
    }
}

fn state(pressed: bool) -> ButtonState {
    if pressed { ButtonState::Pressed } else { ButtonState::Released }
}

fn key_of(name: &str) -> (KeyCode, Key) {
    let letters = [
        KeyCode::KeyA,
        KeyCode::KeyB,
        KeyCode::KeyC,
        KeyCode::KeyD,
        KeyCode::KeyE,
        KeyCode::KeyF,
        KeyCode::KeyG,
        KeyCode::KeyH,
        KeyCode::KeyI,
        KeyCode::KeyJ,
        KeyCode::KeyK,
        KeyCode::KeyL,
        KeyCode::KeyM,
        KeyCode::KeyN,
        KeyCode::KeyO,
        KeyCode::KeyP,
        KeyCode::KeyQ,
        KeyCode::KeyR,
        KeyCode::KeyS,
        KeyCode::KeyT,
        KeyCode::KeyU,
        KeyCode::KeyV,
        KeyCode::KeyW,
        KeyCode::KeyX,
        KeyCode::KeyY,
        KeyCode::KeyZ,
    ];
    let digits = [
        KeyCode::Digit0,
        KeyCode::Digit1,
        KeyCode::Digit2,
        KeyCode::Digit3,
        KeyCode::Digit4,
        KeyCode::Digit5,
        KeyCode::Digit6,
        KeyCode::Digit7,
        KeyCode::Digit8,
        KeyCode::Digit9,
    ];
    match name {
        "Ctrl" => (KeyCode::ControlLeft, Key::Control),
        "Shift" => (KeyCode::ShiftLeft, Key::Shift),
        "Alt" => (KeyCode::AltLeft, Key::Alt),
        "Enter" => (KeyCode::Enter, Key::Enter),
        "Escape" => (KeyCode::Escape, Key::Escape),
        "Tab" => (KeyCode::Tab, Key::Tab),
        "Space" | " " => (KeyCode::Space, Key::Space),
        "Delete" => (KeyCode::Delete, Key::Delete),
        "Backspace" => (KeyCode::Backspace, Key::Backspace),
        "Home" => (KeyCode::Home, Key::Home),
        "End" => (KeyCode::End, Key::End),
        "Left" => (KeyCode::ArrowLeft, Key::ArrowLeft),
        "Right" => (KeyCode::ArrowRight, Key::ArrowRight),
        "F1" => (KeyCode::F1, Key::F1),
        "F2" => (KeyCode::F2, Key::F2),
        other => {
            let c = other.chars().next().unwrap_or(' ').to_ascii_lowercase();
            let code = match c {
                'a'..='z' => letters[c as usize - 'a' as usize],
                '0'..='9' => digits[c as usize - '0' as usize],
                '.' => KeyCode::Period,
                ',' => KeyCode::Comma,
                '-' => KeyCode::Minus,
                '/' => KeyCode::Slash,
                '\\' => KeyCode::Backslash,
                _ => KeyCode::Unidentified(bevy::input::keyboard::NativeKeyCode::Unidentified),
            };
            (code, Key::Character(other.into()))
        }
    }
}
