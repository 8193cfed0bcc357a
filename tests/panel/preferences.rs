//! Preferences: theme, size, mouse and keys, and their storage.

use crate::kit::*;
use bevy_egui::egui;
use egui::accesskit::Role;
use egui::{Color32, Event, Key, Modifiers, vec2};
use egui_kittest::kittest::{NodeT, Queryable};
use talweg::preferences::{MouseStyle, PreferencesFile, ThemeChoice};
use talweg_app::features::preferences::{PreferencesAction, PreferencesState};

fn is_open(panels: &Panels) -> bool {
    panels.state().get::<PreferencesState>().is_open
}

#[test]
fn the_window_opens_by_its_key_and_closes_by_escape() {
    let mut panels = large(&["Perlin"]);
    press(&mut panels, Modifiers::COMMAND, Key::Comma);
    assert!(is_open(&panels) && panels.query_by_label("Keyboard shortcuts").is_some());
    press(&mut panels, Modifiers::NONE, Key::Escape);
    assert!(!is_open(&panels));
}

#[test]
fn the_light_theme_applies_at_once_and_is_saved() {
    let folder = tempfile::tempdir().unwrap();
    let mut panels = panels_kept_in(Some(folder.path()), vec2(1280.0, 720.0), &["Perlin"]);
    let brightness = |panels: &Panels| {
        let fill: Color32 = panels.ctx.global_style().visuals.panel_fill;
        u32::from(fill.r()) + u32::from(fill.g()) + u32::from(fill.b())
    };
    assert!(brightness(&panels) < 200);
    press(&mut panels, Modifiers::COMMAND, Key::Comma);
    choose_item(&mut panels, "Theme", "Light");
    assert!(brightness(&panels) > 600);
    assert_eq!(PreferencesFile::load(Some(folder.path())).0.kept().interface.theme, ThemeChoice::Light);
    let again = panels_kept_in(Some(folder.path()), vec2(1280.0, 720.0), &["Perlin"]);
    assert!(brightness(&again) > 600, "the next start restores it");
    choose_item(&mut panels, "Mouse style", "Blender");
    assert_eq!(panels.state().editor().interface.mouse_style, MouseStyle::Blender);
    assert!(panels.query_by_label_contains("The middle button orbits").is_some(), "the mouse style is described");
    click(&mut panels, "Reset interface");
    assert!(brightness(&panels) < 200);
}

#[test]
fn the_interface_grows_and_shrinks_by_keys() {
    let mut panels = large(&["Perlin"]);
    let size = |panels: &Panels| panels.state().editor().interface.scale;
    press(&mut panels, Modifiers::COMMAND, Key::Plus);
    press(&mut panels, Modifiers::COMMAND, Key::Equals);
    assert_eq!(size(&panels), 125.0);
    press(&mut panels, Modifiers::COMMAND, Key::Minus);
    assert_eq!(size(&panels), 110.0);
    press(&mut panels, Modifiers::COMMAND, Key::Num0);
    assert_eq!(size(&panels), 100.0);
    assert_eq!(panels.ctx.zoom_factor(), 1.0, "no other command gets the keys");
}

#[test]
fn numbers_that_switch_off_are_shown_as_words() {
    let mut panels = large(&["Perlin"]);
    press(&mut panels, Modifiers::COMMAND, Key::Comma);
    let shown = |panels: &Panels| widget(panels, Role::SpinButton, "Autosave").accesskit_node().value();
    let enter = |panels: &mut Panels, text: &str| {
        widget(panels, Role::SpinButton, "Autosave").click();
        panels.run();
        press(panels, Modifiers::COMMAND, Key::A);
        panels.event(Event::Text(text.into()));
        press(panels, Modifiers::NONE, Key::Enter);
    };
    assert_eq!(shown(&panels).as_deref(), Some("Off"));
    enter(&mut panels, "2*6");
    assert_eq!(shown(&panels).as_deref(), Some("12 min"));
    enter(&mut panels, "off");
    assert_eq!(panels.state().editor().interface.autosave, 0);
    assert_eq!(shown(&panels).as_deref(), Some("Off"));
}

fn open_keys(panels: &mut Panels) {
    panels.state_mut().issue(PreferencesAction::ShowKeys);
    panels.run();
}

fn search(panels: &mut Panels, text: &str) {
    panels.get_by_role_and_label(Role::TextInput, "Search commands").focus();
    panels.run();
    panels.get_by_role_and_label(Role::TextInput, "Search commands").type_text(text);
    panels.run();
}

#[test]
fn a_command_gets_new_keys_that_work_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    let mut panels = panels_kept_in(Some(folder.path()), vec2(1280.0, 720.0), &["Perlin"]);
    open_keys(&mut panels);
    search(&mut panels, "duplicate");
    assert!(panels.query_by_label("Keys of Undo").is_none(), "only matching commands");
    click(&mut panels, "Keys of Duplicate");
    press(&mut panels, Modifiers::COMMAND, Key::J);
    assert_eq!(panels.state().names().len(), 1, "the keys are assigned without running the command");
    press(&mut panels, Modifiers::NONE, Key::Escape);
    press(&mut panels, Modifiers::COMMAND, Key::D);
    assert_eq!(panels.state().names().len(), 1, "the old keys are free");
    press(&mut panels, Modifiers::COMMAND, Key::J);
    assert_eq!(panels.state().names().len(), 2);
    press(&mut panels, Modifiers::NONE, Key::F1);
    assert!(panels.query_by_label("Ctrl+J").is_some(), "the list of shortcuts shows them");
    press(&mut panels, Modifiers::NONE, Key::Escape);
    let mut again = panels_kept_in(Some(folder.path()), vec2(1280.0, 720.0), &["Perlin"]);
    press(&mut again, Modifiers::COMMAND, Key::J);
    assert_eq!(again.state().names().len(), 2, "the next start restores them");
    open_keys(&mut again);
    search(&mut again, "duplicate");
    click(&mut again, "Reset the keys of Duplicate");
    press(&mut again, Modifiers::NONE, Key::Escape);
    press(&mut again, Modifiers::COMMAND, Key::D);
    assert_eq!(again.state().names().len(), 3);
}

#[test]
fn a_key_conflict_names_the_other_command() {
    let mut panels = large(&["Perlin"]);
    open_keys(&mut panels);
    assert!(panels.query_by_label_contains("is also assigned to").is_none(), "the default keys have no conflicts");
    search(&mut panels, "measures");
    panels.get_by_label("Keys of Measures").click();
    panels.run();
    press(&mut panels, Modifiers::NONE, Key::W);
    assert!(panels.query_by_label_contains("W is also assigned to “Water”").is_some());
    click(&mut panels, "Reassign W from Water");
    assert!(panels.query_by_label_contains("is also assigned to").is_none());
    let water = panels.state().editor().view.water;
    press(&mut panels, Modifiers::NONE, Key::Escape);
    press(&mut panels, Modifiers::NONE, Key::W);
    assert_eq!(panels.state().editor().view.water, water, "the key triggers the other command now");
    open_keys(&mut panels);
    click(&mut panels, "Reset all");
    press(&mut panels, Modifiers::NONE, Key::Escape);
    press(&mut panels, Modifiers::NONE, Key::W);
    assert_ne!(panels.state().editor().view.water, water);
}

#[test]
fn escape_leaves_the_old_keys() {
    let mut panels = large(&["Perlin"]);
    open_keys(&mut panels);
    search(&mut panels, "undo");
    click(&mut panels, "Keys of Undo");
    assert!(panels.query_by_label_contains("Keys of Undo").is_some());
    press(&mut panels, Modifiers::NONE, Key::Escape);
    assert!(is_open(&panels), "Escape only stopped waiting for a key");
    assert!(!panels.state().editor().keymap.is_changed());
}

#[test]
fn every_command_has_a_name_of_its_own_for_the_preferences() {
    let panels = large(&[]);
    let mut names: Vec<String> = panels.state().commands().iter().map(|command| command.name()).collect();
    let all = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), all);
}

#[test]
fn a_key_means_the_same_whatever_is_selected() {
    let panels = large(&[]);
    let keymap = panels.state().editor().keymap.clone();
    let commands = panels.state().commands();
    let verb = |label: &str| label.split([' ', '…']).next().unwrap_or_default().to_lowercase();
    for (k, one) in commands.iter().enumerate() {
        for other in &commands[k + 1..] {
            let shared = keymap.keys(one).into_iter().find(|chord| keymap.keys(other).contains(chord));
            let (a, b) = (one.info().label, other.info().label);
            assert!(shared.is_none() || verb(&a) == verb(&b), "{shared:?} means {a} and {b}");
        }
    }
}
