//! The menu bar, with pointer and keyboard.

use crate::kit::*;
use bevy_egui::egui::accesskit::Role;
use bevy_egui::egui::{Event, Key, Modifiers, MouseWheelUnit, Pos2, TouchPhase, vec2};
use egui_kittest::kittest::{By, NodeT, Queryable};
use talweg_app::frame::editor::Example;
use talweg_app::view::ViewProjection;

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

#[test]
fn arrows_open_and_close_a_submenu() {
    let mut panels = large(&["Perlin"]);
    press(&mut panels, Modifiers::ALT, Key::V);
    press(&mut panels, Modifiers::NONE, Key::ArrowDown);
    press(&mut panels, Modifiers::NONE, Key::ArrowDown);
    assert_eq!(focused(&panels).as_deref(), Some("Camera"));
    press(&mut panels, Modifiers::NONE, Key::ArrowRight);
    panels.run();
    assert_eq!(focused(&panels).as_deref(), Some("Frame all"));
    press(&mut panels, Modifiers::NONE, Key::ArrowDown);
    assert_eq!(focused(&panels).as_deref(), Some("Perspective"));
    press(&mut panels, Modifiers::NONE, Key::ArrowLeft);
    assert_eq!(focused(&panels).as_deref(), Some("Camera"));
    assert!(!has(&panels, "Perspective") && has(&panels, "Water"));
    press(&mut panels, Modifiers::NONE, Key::ArrowRight);
    panels.run();
    press(&mut panels, Modifiers::NONE, Key::ArrowUp);
    assert_eq!(focused(&panels).as_deref(), Some("Orthographic"));
    press(&mut panels, Modifiers::NONE, Key::Enter);
    assert!(!has(&panels, "Water"), "the menu is closed");
    assert_eq!(panels.state().editor().view.lens, ViewProjection::Orthographic);
}

fn turn_wheel_down(panels: &mut Panels, place: Pos2) {
    panels.hover_at(place);
    let (unit, delta) = (MouseWheelUnit::Point, vec2(0.0, -300.0));
    panels.event(Event::MouseWheel { unit, delta, phase: TouchPhase::Move, modifiers: Modifiers::NONE });
    panels.run();
}

#[test]
fn a_long_submenu_opens_at_its_top() {
    let mut panels = large(&["Perlin"]);
    let example = |k| Example { name: format!("scene {k:02}"), text: String::new() };
    panels.state_mut().editor_mut().examples = (0..80).map(example).collect();
    let open = |panels: &mut Panels| {
        click(panels, "File");
        click(panels, "Examples");
        panels.run();
        panels.get_by_role_and_label(Role::Button, "scene 00").rect()
    };
    let first = open(&mut panels);
    assert!(first.min.y > 0.0, "the first scene is in the window");
    turn_wheel_down(&mut panels, first.center());
    let scrolled = panels.get_by_role_and_label(Role::Button, "scene 00").rect();
    assert!(scrolled.min.y < first.min.y - 20.0, "scrolled from {first} to {scrolled}");
    press(&mut panels, Modifiers::NONE, Key::Escape);
    assert_eq!(open(&mut panels), first);
}

#[test]
fn a_long_menu_opens_at_its_top() {
    let mut panels = panels(vec2(1000.0, 400.0), &["Perlin", "Hydraulic"]);
    let top = |panels: &Panels| panels.get_by_role_and_label(Role::Button, "Add").rect().min.y;
    click(&mut panels, "Layer");
    panels.run();
    let first = top(&panels);
    let middle = panels.get_by_role_and_label(Role::Button, "Rename").rect().center();
    turn_wheel_down(&mut panels, middle);
    assert!(top(&panels) < first - 20.0, "scrolled: {} {first}", top(&panels));
    press(&mut panels, Modifiers::NONE, Key::Escape);
    click(&mut panels, "Layer");
    panels.run();
    assert_eq!(top(&panels), first);
}

#[test]
fn long_menus_fit_a_window_720_points_high() {
    let mut panels = large(&["Perlin", "Hydraulic"]);
    for (title, first, last) in [
        ("File", "New terrain", "Quit"),
        ("Edit", "Search everything…", "Change keyboard shortcuts…"),
        ("Layer", "Add", "Rebuild"),
        ("View", "Home view", "Full screen"),
        ("Help", "Tour in five steps", "About Talweg"),
    ] {
        click(&mut panels, title);
        for entry in [first, last] {
            let rect = panels.get_by_role_and_label(Role::Button, entry).rect();
            assert!(rect.min.y > 0.0 && rect.max.y < 720.0, "{title}: {entry} is at {rect}");
        }
        panels.key_press(Key::Escape);
        panels.run();
    }
}
