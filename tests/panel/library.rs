//! The user's library in the window: stamps, presets, materials, palettes and biome tables of a folder.

use std::path::Path;
use std::time::Duration;

use crate::kit::*;
use bevy_egui::egui;
use egui::accesskit::{Role, Toggled};
use egui::vec2;
use egui_kittest::kittest::{NodeT, Queryable};
use talweg::appearance_files::{MaterialRules, Palette, RuleList};
use talweg_app::features::construction::PieceAction;
use talweg_app::features::ground_rules::GroundRulesAction;

fn put(config: &Path, name: &str, text: &str) {
    let path = config.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// Draws frames until the window shows a widget with this label.
fn wait_for(panels: &mut Panels, label: &str) {
    while panels.query_by_label(label).is_none() {
        std::thread::sleep(Duration::from_millis(20));
        panels.step();
    }
}

const HILL: &str = "ncols 3\nnrows 3\ncellsize 1\n0 0 0\n0 9 0\n0 0 0\n";
const GREY: &str = r##"(label: "Slate", colours: Relief([(0, "#202020"), (1, "#a0b0c0")]))"##;

#[test]
fn a_palette_of_the_library_is_copied_into_the_scene() {
    let config = tempfile::tempdir().unwrap();
    put(config.path(), "palettes/slate.ron", GREY);
    put(config.path(), "biomes/one.ron", r##"(label: "One type", types: [(name: "Sand", colour: "#c0b080")])"##);
    put(config.path(), "palettes/broken.ron", "(label: 3)");
    let mut panels = panels_kept_in(Some(config.path()), vec2(1280.0, 1400.0), &["Perlin"]);
    panels.get_by_label_contains("broken.ron of your library cannot be used");
    click(&mut panels, "Scene settings");
    widget(&panels, Role::RadioButton, "Slate").click();
    panels.run();
    let scene = panels.state().editor().doc.scene().clone();
    let own = scene.own_palette.as_deref().unwrap();
    assert!(own.has_same_contents(&Palette::from_ron("", GREY).unwrap()));
    assert!(scene.to_ron().unwrap().contains("own_palette: (\n"), "the file of the scene contains the palette");
    // the file changes; the scene keeps its palette, and the list shows both
    put(config.path(), "palettes/slate.ron", &GREY.replace("Slate", "Pale slate"));
    wait_for(&mut panels, "Pale slate");
    assert_eq!(widget(&panels, Role::RadioButton, "Slate").accesskit_node().toggled(), Some(Toggled::True));
    widget(&panels, Role::RadioButton, "One type").click();
    panels.run();
    let scene = panels.state().editor().doc.scene();
    assert_eq!((scene.biome_table().unwrap().label.as_str(), scene.own_palette.is_none()), ("One type", true));
    widget(&panels, Role::RadioButton, "Alpine").click();
    panels.run();
    let scene = panels.state().editor().doc.scene();
    assert!(scene.own_palette.is_none() && scene.biomes.is_none() && scene.palette == "alpine");
}

#[test]
fn a_copied_palette_is_a_file_of_the_library() {
    let config = tempfile::tempdir().unwrap();
    let mut panels = panels_kept_in(Some(config.path()), vec2(1280.0, 1400.0), &["Perlin"]);
    click(&mut panels, "Scene settings");
    for name in ["Alpine.ron", "Alpine 2.ron"] {
        panels.get_all_by_role_and_label(Role::RadioButton, "Alpine").next().unwrap().click_secondary();
        panels.run();
        panels.get_by_label_contains("Copy to your library").click();
        panels.run();
        let copied = Palette::load(&config.path().join("palettes").join(name)).unwrap();
        assert!(copied.has_same_contents(Palette::named("alpine").unwrap()), "{name}");
    }
}

#[test]
fn rules_of_the_library_replace_those_of_the_scene() {
    let config = tempfile::tempdir().unwrap();
    put(config.path(), "materials/dry land.ron", "[(material: Sand), (material: Gravel, slope: [20, 30])]");
    let mut panels = panels_kept_in(Some(config.path()), vec2(1280.0, 720.0), &["Perlin"]);
    panels.state_mut().issue(GroundRulesAction::Toggle);
    panels.run();
    click(&mut panels, "Choose rules");
    click(&mut panels, "dry land");
    let rules = panels.state().editor().doc.scene().material_rules();
    let file = MaterialRules::load(&config.path().join("materials/dry land.ron")).unwrap();
    assert_eq!(*rules, file);
    click(&mut panels, "Choose rules");
    click(&mut panels, "Ice");
    let rules = panels.state().editor().doc.scene().material_rules();
    assert_eq!(rules, *MaterialRules::named("ice").unwrap());
}

#[test]
fn a_stamp_of_the_library_is_offered_to_nodes_and_constructions() {
    let config = tempfile::tempdir().unwrap();
    put(config.path(), "stamps/my hill.asc", HILL);
    let mut panels = panels_kept_in(Some(config.path()), vec2(1280.0, 720.0), &["Import"]);
    let path = config.path().join("stamps/my hill.asc").to_string_lossy().into_owned();
    widget(&panels, Role::ComboBox, "File").click();
    panels.run();
    widget(&panels, Role::Button, "my hill").scroll_to_me();
    panels.run();
    widget(&panels, Role::Button, "my hill").click();
    panels.run();
    let text = panels.state().editor().doc.scene().to_ron().unwrap();
    assert!(text.contains(&path), "{text}");
    let mut panels = panels_kept_in(Some(config.path()), vec2(1280.0, 720.0), &["Construction"]);
    assert!(panels.query_by_label("Place my hill stamp").is_some());
    put(config.path(), "stamps/other.asc", HILL);
    wait_for(&mut panels, "Place other stamp");
    panels.state_mut().issue(PieceAction::Library);
    panels.run();
    assert!(panels.query_by_label("Place my hill stamp").is_none());
}
