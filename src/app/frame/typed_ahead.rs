//! Keyboard input that was typed before the widget that receives it was drawn.
//!
//! A frame takes long on a slow computer, and people type on. What they type after a click or a shortcut belongs to the
//! state that the click or shortcut leads to, so it waits for the next frame. After a command that asks for text, it
//! waits until the text field has the keyboard focus.

use bevy::prelude::Resource;
use bevy_egui::egui;
use egui::{Context, Event};

/// Maximum number of frames to wait for a text field. If none has the focus by then, the command was refused.
const MOST_FRAMES: u32 = 8;

/// The keyboard input that waits.
#[derive(Resource, Default)]
pub struct TypedAhead {
    events: Vec<Event>,
    /// The number of frames since a command asked for text, until a text field has the focus.
    awaited: Option<u32>,
}

impl TypedAhead {
    /// Makes further keyboard input wait until a text field has the focus.
    pub fn await_field(&mut self) {
        self.awaited = Some(0);
    }

    /// Adds keyboard input that waits for the next frame.
    pub fn extend(&mut self, events: impl IntoIterator<Item = Event>) {
        self.events.extend(events);
    }

    /// Puts the input that has waited in front of the input of this frame, and takes out what has to wait.
    pub fn begin_frame(&mut self, ctx: &Context) {
        let is_coming = self.awaited.is_some_and(|frames| frames < MOST_FRAMES) && !ctx.text_edit_focused();
        self.awaited = self.awaited.filter(|_| is_coming).map(|frames| frames + 1);
        ctx.input_mut(|input| {
            let mut events = std::mem::take(&mut self.events);
            events.append(&mut input.events);
            let is_click = |event: &Event| matches!(event, Event::PointerButton { pressed: false, .. });
            let from = if is_coming { Some(0) } else { events.iter().position(is_click) };
            input.events = events;
            self.events = from.map(|from| take_keyboard(&mut input.events, from)).unwrap_or_default();
        });
        if is_coming || !self.events.is_empty() {
            ctx.request_repaint();
        }
    }
}

/// Takes the keyboard input from the position `from` on out of a list of events.
pub fn take_keyboard(events: &mut Vec<Event>, from: usize) -> Vec<Event> {
    let is_keyboard = |event: &mut Event| {
        matches!(event, Event::Key { .. } | Event::Text(_) | Event::Copy | Event::Cut | Event::Paste(_) | Event::Ime(_))
    };
    events.extract_if(from.min(events.len()).., is_keyboard).collect()
}
