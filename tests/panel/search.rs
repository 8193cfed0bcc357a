//! The search field, help pages, and the start window.

use crate::kit::*;
use bevy_egui::egui;
use egui::accesskit::Role;
use egui::{Key, Modifiers, vec2};
use egui_kittest::kittest::Queryable;
use talweg::param::Value;
use talweg_app::features::start::StartAction;
use talweg_app::frame::document::Selection;

fn search(panels: &mut Panels, text: &str) {
    press(panels, Modifiers::COMMAND, Key::K);
    panels.get_by_role_and_label(Role::TextInput, "Search everything").type_text(text);
    panels.run();
}

#[test]
fn a_command_is_found_by_its_words_and_run() {
    let mut panels = large(&["Perlin"]);
    let water = panels.state().editor().view.water;
    search(&mut panels, "rivers lakes hides");
    assert!(panels.query_by_label("Water (Command, View)").is_some(), "its tooltip has these words");
    press(&mut panels, Modifiers::NONE, Key::Enter);
    assert_ne!(panels.state().editor().view.water, water);
    assert!(panels.query_by_role_and_label(Role::TextInput, "Search everything").is_none(), "it is closed");
}

#[test]
fn a_node_is_found_and_becomes_a_layer() {
    let mut panels = large(&["Perlin"]);
    search(&mut panels, "add voronoi");
    click(&mut panels, "Add Voronoi (Node, Cells)");
    assert_eq!(panels.state().names(), ["Perlin noise", "Voronoi"]);
}

#[test]
fn the_name_of_a_node_adds_it_before_it_explains_it() {
    let mut panels = large(&["Perlin"]);
    search(&mut panels, "ridges");
    press(&mut panels, Modifiers::NONE, Key::Enter);
    assert!(panels.state().names().len() > 1, "{:?}", panels.state().names());
    let mut panels = large(&["Perlin"]);
    search(&mut panels, "voronoi");
    press(&mut panels, Modifiers::NONE, Key::Enter);
    assert_eq!(panels.state().names(), ["Perlin noise", "Voronoi"]);
    search(&mut panels, "help voronoi");
    press(&mut panels, Modifiers::NONE, Key::Enter);
    assert!(panels.state().editor().dialogs.is_open(), "the word finds the page");
}

#[test]
fn searching_erode_finds_the_erosions() {
    for word in ["erod", "erode"] {
        let mut panels = large(&["Perlin"]);
        search(&mut panels, word);
        for erosion in ["Thermal erosion", "Droplet erosion", "Hydraulic erosion (shallow water)"] {
            let name = format!("Add {erosion} (Node, Erosion)");
            assert!(panels.query_by_label(&name).is_some(), "{word} does not find {erosion}");
        }
    }
}

#[test]
fn searching_paint_mountains_finds_a_stack_ready_to_paint() {
    for words in ["paint mountains", "painted uplift", "mountains grow"] {
        let mut panels = large(&[]);
        search(&mut panels, words);
        click(&mut panels, "Add painted uplift and stream power (Command, Layer)");
        assert_eq!(panels.state().names(), ["Plain", "Painted uplift", "Mountains"], "{words}");
        let document = &panels.state().editor().doc;
        assert_eq!(document.selection(), Selection::Layer(1), "the map is painted");
        assert_eq!(document.process().map(|(layer, _)| layer), Some(2), "the stream power above it plays");
        press(&mut panels, Modifiers::COMMAND, Key::Z);
        assert!(panels.state().names().is_empty(), "one step");
    }
    let mut panels = large(&["Perlin"]);
    search(&mut panels, "ridges rivers");
    click(&mut panels, "Add ridges, rivers and stream power (Command, Layer)");
    assert_eq!(panels.state().names(), ["Perlin noise", "Ridges and rivers", "Uplift", "Mountains"]);
    assert_eq!(panels.state().editor().doc.selection(), Selection::Layer(1));
    assert_eq!(panels.state().editor().doc.process().map(|(layer, _)| layer), Some(3));
}

#[test]
fn a_found_parameter_is_shown_and_focused() {
    let mut panels = large(&["Perlin", "Thermal"]);
    panels.state_mut().editor_mut().doc.rename_layer(0, "Hills");
    panels.state_mut().editor_mut().doc.select(Selection::Scene);
    panels.run();
    search(&mut panels, "octaves hills");
    click(&mut panels, "Octaves (Parameter of Hills)");
    assert_eq!(panels.state().editor().doc.selection(), Selection::Layer(0));
    let before = panels.state().value(0, "octaves");
    press(&mut panels, Modifiers::NONE, Key::ArrowRight);
    let Value::Int(octaves) = before else { panic!("a whole number") };
    assert_eq!(panels.state().value(0, "octaves"), Value::Int(octaves + 1), "the slider has the keyboard");
}

#[test]
fn a_parameter_of_the_scene_is_found() {
    let mut panels = large(&["Perlin"]);
    search(&mut panels, "sea level");
    click(&mut panels, "Sea level (Parameter of Scene settings)");
    assert_eq!(panels.state().editor().doc.selection(), Selection::Scene);
}

#[test]
fn scenes_and_help_are_found_and_arrows_choose() {
    let mut panels = large(&[]);
    search(&mut panels, "hills example");
    press(&mut panels, Modifiers::NONE, Key::Enter);
    assert_eq!(panels.state().names(), ["Perlin noise"], "the layer of the example");
    search(&mut panels, "thermal erosion");
    press(&mut panels, Modifiers::NONE, Key::ArrowDown);
    press(&mut panels, Modifiers::NONE, Key::ArrowUp);
    click(&mut panels, "Thermal erosion (Help)");
    assert!(panels.query_by_label_contains("Lets loose rock slide").is_some(), "the page is open");
    panels.get_by_label("Add as layer").click_accesskit();
    panels.run();
    assert_eq!(panels.state().names().last().unwrap(), "Thermal erosion");
    search(&mut panels, "no match at all");
    assert!(panels.query_by_label_contains("No matches").is_some());
    press(&mut panels, Modifiers::NONE, Key::Escape);
    assert!(panels.query_by_role_and_label(Role::TextInput, "Search everything").is_none());
}

#[test]
fn the_start_window_opens_scenes_and_can_be_switched_off() {
    let folder = tempfile::tempdir().unwrap();
    let mut panels = panels_kept_in(Some(folder.path()), vec2(1280.0, 720.0), &[]);
    panels.state_mut().issue(StartAction::Show);
    panels.run();
    click(&mut panels, "Recent files");
    assert!(panels.query_by_label("No recent files").is_some());
    click(&mut panels, "Scenes");
    click(&mut panels, "Hills");
    assert_eq!(panels.state().names(), ["Perlin noise"], "the layer of the example");
    assert!(panels.query_by_label("Recent files").is_none(), "it is closed");
    panels.state_mut().issue(StartAction::Show);
    panels.run();
    click(&mut panels, "Show at startup");
    press(&mut panels, Modifiers::NONE, Key::Escape);
    assert!(!panels.state().editor().interface.start_window);
    let again = panels_kept_in(Some(folder.path()), vec2(1280.0, 720.0), &[]);
    assert!(!again.state().editor().interface.start_window, "the setting is stored");
}

#[test]
fn a_refused_number_is_explained() {
    let mut panels = large(&["Perlin"]);
    for (typed, said) in [("nonsense", "“nonsense” is not a number"), ("99999", "Frequency ranges from 0.1 to 256")]
    {
        let field = widget(&panels, Role::SpinButton, "Frequency").rect().center();
        panels.hover_at(field);
        panels.drag_at(field);
        panels.drop_at(field);
        panels.run();
        panels.event(egui::Event::Text(typed.into()));
        panels.run();
        press(&mut panels, Modifiers::NONE, Key::Enter);
        let told: Vec<String> = panels.state().editor().toasts.messages().map(|(_, text)| text.to_string()).collect();
        assert!(told.iter().any(|text| text.contains(said)), "{told:?}");
    }
}

#[test]
fn the_add_menu_regains_its_height_after_an_empty_search() {
    let mut panels = large(&[]);
    click(&mut panels, "Add layer");
    panels.get_by_role_and_label(Role::TextInput, "Search nodes").type_text("zzz");
    panels.run();
    for _ in 0..3 {
        press(&mut panels, Modifiers::NONE, Key::Backspace);
    }
    let low = panels.get_by_label("Add Billow noise").rect().center();
    panels.hover_at(low);
    panels.drag_at(low);
    drop_at(&mut panels, low);
    assert_eq!(panels.state().names(), ["Billow noise"], "the lower entries can be clicked");
}

#[test]
fn the_history_goes_back_and_forth_by_clicks() {
    let mut panels = large(&["Perlin", "Terrace", "Thermal"]);
    press(&mut panels, Modifiers::COMMAND, Key::H);
    assert!(panels.query_by_label("Edit 3: Add Thermal erosion").is_some());
    click(&mut panels, "Edit 1: Add Perlin noise");
    assert_eq!(panels.state().names(), ["Perlin noise"]);
    click(&mut panels, "Edit 3: Add Thermal erosion");
    assert_eq!(panels.state().names().len(), 3);
    click(&mut panels, "Edit 0: Original");
    assert!(panels.state().names().is_empty());
    press(&mut panels, Modifiers::COMMAND, Key::H);
    assert!(panels.query_by_label("Edit 0: Original").is_none());
}
