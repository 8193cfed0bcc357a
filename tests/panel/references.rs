//! Layers that read other layers: the lists that choose them, the mark in the row, and undo.

use crate::kit::*;
use bevy_egui::egui;
use egui::accesskit::Role;
use egui::{Key, Modifiers, vec2};
use egui_kittest::kittest::Queryable;
use talweg::nodes::{Node, Reads};
use talweg::param::Value;
use talweg::scene::LayerReader;

/// The layers *Hills*, *Scree* and *Again*; the last is a reference.
fn named() -> Panels {
    let mut panels = panels(vec2(1280.0, 1600.0), &["Perlin", "Thermal", "Reference"]);
    for (k, name) in ["Hills", "Scree", "Again"].into_iter().enumerate() {
        panels.state_mut().editor_mut().doc.rename_layer(k, name);
    }
    panels.run();
    panels
}

/// Opens a list of the parameters and chooses an entry of it.
fn choose(panels: &mut Panels, list: &str, entry: &str) {
    widget(panels, Role::ComboBox, list).click();
    panels.run();
    let entries: Vec<_> = panels.get_all_by_label(entry).map(|node| node.rect().center()).collect();
    let entry = *entries.last().unwrap();
    panels.hover_at(entry);
    panels.drag_at(entry);
    drop_at(panels, entry);
}

#[test]
fn a_reference_is_added_and_its_layer_chosen_from_a_list() {
    let mut panels = panels(vec2(1280.0, 1600.0), &["Perlin"]);
    click(&mut panels, "Add layer");
    panels.get_by_label("Add Reference").scroll_to_me();
    panels.run_steps(20);
    click(&mut panels, "Add Reference");
    assert_eq!(panels.state().names(), ["Perlin noise", "Reference"]);
    choose(&mut panels, "Layer", "Perlin noise");
    assert_eq!(panels.state().value(1, "source"), Value::Text("Perlin noise".into()));
    let asked = panels.state().requests.last().unwrap().scene.clone();
    assert_eq!(asked.source(LayerReader::Node(1)).unwrap().unwrap().own_layer(), Some(0));
    press(&mut panels, Modifiers::COMMAND, Key::Z);
    assert_eq!(panels.state().value(1, "source"), Value::Text(String::new()));
}

#[test]
fn the_list_leaves_out_layers_that_make_a_circle() {
    let mut panels = named();
    choose(&mut panels, "Layer", "Scree");
    panels.state_mut().editor_mut().doc.edit("Mask", None, |scene| {
        scene.layers[0].mask.by_layer = true;
    });
    assert_eq!(panels.state().editor().doc.scene().readable_layers(LayerReader::Mask(0)), Vec::<String>::new());
    click(&mut panels, "Hills");
    panels.run_steps(20);
    widget(&panels, Role::ComboBox, "Layer").scroll_to_me();
    panels.run_steps(20);
    widget(&panels, Role::ComboBox, "Layer").click();
    panels.run();
    assert!(panels.query_by_label("No other layer can be read.").is_some());
}

#[test]
fn a_row_tells_what_its_layer_reads() {
    let mut panels = named();
    assert!(panels.query_by_label("Again reads other layers").is_none());
    choose(&mut panels, "Layer", "Hills");
    panels.get_by_label("Again reads other layers").hover();
    panels.run();
    panels.run_steps(20);
    panels.get_by_label_contains("The layer reads the height of layer `Hills`.");
    // The name in the reference follows the layer.
    panels.state_mut().editor_mut().doc.rename_layer(0, "Ground");
    panels.run();
    assert_eq!(panels.state().value(2, "source"), Value::Text("Ground".into()));
}

#[test]
fn a_scene_file_is_chosen_with_the_file_dialog() {
    let mut panels = named();
    widget(&panels, Role::ComboBox, "Scene file").click();
    panels.run();
    panels.get_by_label_contains("Choose a scene file").click();
    panels.run();
    assert!(panels.state().editor().dialogs.is_open());
    press(&mut panels, Modifiers::NONE, Key::Escape);
}

/// A reference that writes a map does not blend, so the panel has no blend mode.
#[test]
fn a_reference_that_writes_a_map_has_no_blend_mode() {
    let mut panels = named();
    click(&mut panels, "Blending");
    panels.run_steps(20);
    let blends = |panels: &Panels| panels.query_by_label("Blend").is_some();
    let is_open = blends(&panels);
    if !is_open {
        click(&mut panels, "Blending");
        panels.run_steps(20);
    }
    assert!(blends(&panels));
    panels.state_mut().editor_mut().doc.edit("Use", None, |scene| scene.set("Again.use_as=Data").unwrap());
    panels.run();
    assert!(!blends(&panels));
    let scene = panels.state().editor().doc.scene();
    assert!(matches!(&scene.layers[2].node, Node::Reference(node) if node.reference().reads == Reads::Height));
}
