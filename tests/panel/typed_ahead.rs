//! Keyboard input that is typed before the widget that receives it is drawn.

use crate::kit::*;
use bevy_egui::egui::accesskit::Role;
use bevy_egui::egui::{Event, Key, Modifiers, PointerButton};
use egui_kittest::kittest::Queryable;

fn typed(text: &str) -> Vec<Event> {
    text.chars()
        .flat_map(|letter| {
            let key = Key::from_name(&letter.to_uppercase().to_string()).expect("a key of the keyboard");
            [Event::Text(letter.to_string()), key_press(Modifiers::NONE, key)]
        })
        .collect()
}

fn key_press(modifiers: Modifiers, key: Key) -> Event {
    Event::Key { key, physical_key: None, pressed: true, repeat: false, modifiers }
}

#[test]
fn text_typed_in_the_frame_of_a_shortcut_reaches_its_field() {
    let mut panels = large(&["Perlin"]);
    let water = panels.state().editor().view.water;
    let shortcut = key_press(Modifiers::SHIFT, Key::A);
    panels.input_mut().events.extend([vec![shortcut], typed("warp")].concat());
    panels.run();
    assert_eq!(widget(&panels, Role::TextInput, "Search nodes").value().as_deref(), Some("warp"));
    assert_eq!(panels.state().editor().view.water, water, "the letters were no shortcuts");
    press(&mut panels, Modifiers::NONE, Key::Enter);
    assert_eq!(panels.state().names().len(), 2);
}

#[test]
fn text_typed_in_the_frame_of_a_click_reaches_the_field() {
    let mut panels = large(&["Perlin"]);
    let water = panels.state().editor().view.water;
    let pos = panels.get_by_label("Add layer").rect().center();
    panels.hover_at(pos);
    panels.run();
    let button =
        |pressed| Event::PointerButton { pos, button: PointerButton::Primary, pressed, modifiers: Modifiers::NONE };
    panels.input_mut().events.extend([vec![button(true), button(false)], typed("warp")].concat());
    panels.run();
    assert_eq!(widget(&panels, Role::TextInput, "Search nodes").value().as_deref(), Some("warp"));
    assert_eq!(panels.state().editor().view.water, water, "the letters were no shortcuts");
}

#[test]
fn two_shortcuts_in_one_frame_both_act() {
    let mut panels = large(&["Perlin"]);
    let before = panels.state().editor().view;
    panels.input_mut().events.extend([key_press(Modifiers::NONE, Key::W), key_press(Modifiers::NONE, Key::O)]);
    panels.run();
    let view = &panels.state().editor().view;
    assert_ne!(view.water, before.water);
    assert_ne!(view.lens, before.lens);
}
