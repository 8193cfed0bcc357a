//! The menu bar, with pointer and keyboard.

use crate::kit::*;
use bevy_egui::egui::accesskit::Role;
use bevy_egui::egui::{Key, Modifiers};
use egui_kittest::kittest::{By, NodeT, Queryable};

fn has(panels: &Panels, entry: &str) -> bool {
    panels.query_by_role_and_label(Role::Button, entry).is_some()
}

/// The label of the widget with the focus.
fn focused(panels: &Panels) -> Option<String> {
    let has_focus = By::new().predicate(|node| node.is_focused_in_tree());
    panels.query(has_focus).and_then(|node| node.accesskit_node().label())
}

#[test]
fn pointing_at_another_title_opens_its_menu() {
    let mut panels = large(&["Perlin"]);
    click(&mut panels, "File");
    assert!(has(&panels, "Open…") && !has(&panels, "Rebuild"));
    let layer = panels.get_by_role_and_label(Role::Button, "Layer").rect().center();
    panels.hover_at(layer);
    panels.run();
    assert!(has(&panels, "Rebuild") && !has(&panels, "Open…"));
}

#[test]
fn menus_are_used_by_keys_alone() {
    let mut panels = large(&["Perlin"]);
    press(&mut panels, Modifiers::NONE, Key::F10);
    assert!(has(&panels, "Open…"));
    press(&mut panels, Modifiers::NONE, Key::ArrowDown);
    let first = focused(&panels).expect("an entry has the focus");
    press(&mut panels, Modifiers::NONE, Key::ArrowDown);
    let second = focused(&panels).expect("an entry has the focus");
    assert_ne!(first, second);
    press(&mut panels, Modifiers::NONE, Key::ArrowUp);
    assert_eq!(focused(&panels), Some(first));
    // from the first entry, Up leads to the last, not to a widget behind the menu
    press(&mut panels, Modifiers::NONE, Key::ArrowUp);
    assert_eq!(focused(&panels).as_deref(), Some("Quit"));
    press(&mut panels, Modifiers::NONE, Key::ArrowRight);
    assert!(!has(&panels, "Open…"));
    press(&mut panels, Modifiers::ALT, Key::L);
    assert!(has(&panels, "Rebuild"));
    let layers = panels.state().names();
    press(&mut panels, Modifiers::NONE, Key::ArrowUp);
    assert_eq!(focused(&panels).as_deref(), Some("Rebuild"));
    press(&mut panels, Modifiers::NONE, Key::Enter);
    assert!(!has(&panels, "Rebuild"), "the entry was used");
    assert_eq!(panels.state().names(), layers);
}

#[test]
fn menus_stay_closed_behind_a_dialog() {
    let mut panels = large(&["Perlin"]);
    press(&mut panels, Modifiers::NONE, Key::F12);
    assert!(panels.query_by_label("4K").is_some(), "the dialog of the picture is open");
    press(&mut panels, Modifiers::NONE, Key::F10);
    press(&mut panels, Modifiers::ALT, Key::L);
    assert!(!has(&panels, "Open…") && !has(&panels, "Rebuild"));
    assert!(panels.query_by_label("4K").is_some());
}
