//! The layer stack: several layers at once, locks, notes, versions A and B, costs, the user's presets.

use std::time::Duration;

use crate::kit::*;
use bevy_egui::egui::accesskit::Role;
use bevy_egui::egui::{Key, Modifiers};
use egui_kittest::kittest::{NodeT, Queryable};
use talweg::eval::Insight;
use talweg_app::features::layers::LayerAction;

fn click_with(panels: &mut Panels, modifiers: Modifiers, label: &str) {
    panels.get_by_label(label).click_modifiers(modifiers);
    panels.run();
}

fn names(panels: &Panels) -> Vec<String> {
    panels.state().names()
}

const NODES: [&str; 4] = ["Perlin", "Terrace", "Voronoi", "Blur"];

/// Layers with names that occur nowhere else in the window.
fn named() -> Panels {
    let mut panels = large(&NODES);
    for (k, name) in ["Ground", "Steps", "Cells", "Soft"].into_iter().enumerate() {
        panels.state_mut().editor_mut().doc.rename_layer(k, name);
    }
    panels.run();
    panels
}

#[test]
fn shift_and_ctrl_select_several_and_the_keys_act_on_all() {
    let mut panels = named();
    let labels = names(&panels);
    click(&mut panels, &labels[0]);
    click_with(&mut panels, Modifiers::SHIFT, &labels[2]);
    assert_eq!(panels.state().editor().doc.selected_layers(), [0, 1, 2]);
    click_with(&mut panels, Modifiers::COMMAND, &labels[1]);
    assert_eq!(panels.state().editor().doc.selected_layers(), [0, 2]);
    press(&mut panels, Modifiers::NONE, Key::H);
    let shown =
        |panels: &Panels| panels.state().editor().doc.scene().layers.iter().map(|l| l.enabled).collect::<Vec<_>>();
    assert_eq!(shown(&panels), [false, true, false, true]);
    press(&mut panels, Modifiers::COMMAND, Key::Z);
    assert_eq!(shown(&panels), [true; 4], "one step");
    click(&mut panels, &labels[0]);
    click_with(&mut panels, Modifiers::COMMAND, &labels[2]);
    press(&mut panels, Modifiers::NONE, Key::Delete);
    assert_eq!(names(&panels), [labels[1].clone(), labels[3].clone()]);
    press(&mut panels, Modifiers::COMMAND, Key::Z);
    assert_eq!(names(&panels), labels);
}

#[test]
fn a_locked_layer_is_reported_and_stays() {
    let mut panels = named();
    let labels = names(&panels);
    click(&mut panels, &labels[3]);
    press(&mut panels, Modifiers::COMMAND, Key::L);
    panels.get_by_label_contains("Locked: unlock the layer to edit it.");
    assert!(widget(&panels, Role::Slider, "Radius").accesskit_node().is_disabled());
    press(&mut panels, Modifiers::NONE, Key::Delete);
    panels.get_by_label_contains("is locked; unlock it first");
    assert_eq!(names(&panels).len(), 4);
    click(&mut panels, "Unlock");
    press(&mut panels, Modifiers::NONE, Key::Delete);
    assert_eq!(names(&panels).len(), 3);
}

#[test]
fn a_note_is_shown_and_saved_with_the_scene() {
    let mut panels = large(&NODES);
    panels.state_mut().issue(LayerAction::Note);
    panels.run();
    panels.event(bevy_egui::egui::Event::Text("try wider".into()));
    panels.run();
    click(&mut panels, "Save");
    panels.get_by_label_contains("try wider");
    let scene = panels.state().editor().doc.scene().clone();
    let (read, warnings) = talweg::scene::Scene::from_ron(&scene.to_ron().unwrap()).unwrap();
    assert_eq!((read.layers[3].note.as_str(), warnings.len()), ("try wider", 0));
    let asked = panels.state().requests.len();
    panels.state_mut().editor_mut().doc.set_note(3, "");
    panels.run();
    assert_eq!(panels.state().requests.len(), asked, "a note does not change the terrain");
}

#[test]
fn two_versions_of_a_layer_are_compared() {
    let mut panels = large(&NODES);
    click(&mut panels, "Version B of the layer");
    let opacity = |panels: &Panels| panels.state().editor().doc.scene().layers[3].mix.opacity;
    panels.state_mut().editor_mut().doc.edit("Change opacity", None, |scene| scene.layers[3].mix.opacity = 0.5);
    panels.run();
    press(&mut panels, Modifiers::ALT, Key::B);
    assert_eq!(opacity(&panels), 1.0);
    click(&mut panels, "Version B of the layer");
    assert_eq!(opacity(&panels), 0.5);
}

#[test]
fn rows_show_layer_times_and_the_end_of_evaluation() {
    let mut panels = named();
    let costs = vec![(0, Duration::from_millis(12)), (2, Duration::from_millis(2300))];
    panels.state_mut().info_mut().insight = Insight { costs, ..Insight::default() }.into();
    click(&mut panels, "Layer costs");
    panels.get_by_label_contains("12 ms, ");
    panels.get_by_label_contains("2.3 s, ");
    let labels = names(&panels);
    click(&mut panels, &labels[1]);
    press(&mut panels, Modifiers::SHIFT, Key::E);
    let shown = panels.state().requests.last().unwrap().scene.layers.iter().map(|l| l.enabled).collect::<Vec<_>>();
    assert_eq!(shown, [true, true, false, false]);
    press(&mut panels, Modifiers::SHIFT, Key::E);
    assert!(panels.state().requests.last().unwrap().scene.layers.iter().all(|layer| layer.enabled));
}

#[test]
fn an_own_preset_is_saved_adopted_and_added() {
    let folder = tempfile::tempdir().unwrap();
    let size = bevy_egui::egui::vec2(1280.0, 900.0);
    let mut panels = panels_kept_in(Some(folder.path()), size, &NODES);
    panels.state_mut().editor_mut().doc.edit("Change opacity", None, |scene| scene.layers[3].mix.opacity = 0.5);
    panels.state_mut().issue(LayerAction::SavePreset);
    panels.run();
    click(&mut panels, "Save");
    panels.state_mut().editor_mut().doc.undo();
    panels.run();
    click(&mut panels, "Your preset Blur");
    assert_eq!(panels.state().editor().doc.scene().layers[3].mix.opacity, 0.5);
    click(&mut panels, "Add layer");
    click(&mut panels, "Add your preset Blur");
    assert_eq!(panels.state().editor().doc.scene().layers[4].mix.opacity, 0.5);
}

/// Centre of the row of a layer.
fn centre_of_row(panels: &Panels, name: &str) -> bevy_egui::egui::Pos2 {
    panels.get_by_label(name).rect().center()
}

#[test]
fn layers_are_grouped_folded_dragged_in_and_ungrouped() {
    let mut panels = named();
    let stack = |panels: &Panels| {
        let scene = panels.state().editor().doc.scene();
        scene.layers.iter().map(|layer| format!("{}{}", layer.name, layer.depth)).collect::<Vec<_>>().join(" ")
    };
    click(&mut panels, "Steps");
    click_with(&mut panels, Modifiers::SHIFT, "Cells");
    press(&mut panels, Modifiers::COMMAND, Key::G);
    assert_eq!(stack(&panels), "Ground0 Steps1 Cells1 Group0 Soft0");
    panels.state_mut().editor_mut().doc.rename_layer(3, "Hills");
    panels.run();
    // a group has the blending parameters of any other layer
    assert!(panels.query_by_label("Blending").is_some());
    widget(&panels, Role::ComboBox, "Blend");
    widget(&panels, Role::ComboBox, "Ground");
    let asked = panels.state().requests.len();
    click(&mut panels, "Fold Hills");
    assert!(panels.query_by_label("Cells").is_none() && panels.query_by_label("Soft").is_some());
    assert_eq!(panels.state().requests.len(), asked, "folding does not change the terrain");
    click(&mut panels, "Unfold Hills");
    // dropped below the group's row, it becomes the topmost member
    let (from, to) = (centre_of_row(&panels, "Soft"), centre_of_row(&panels, "Cells"));
    drag(&mut panels, from, to - bevy_egui::egui::vec2(0.0, 8.0));
    drop_at(&mut panels, to - bevy_egui::egui::vec2(0.0, 8.0));
    assert_eq!(stack(&panels), "Ground0 Steps1 Cells1 Soft1 Hills0");
    click(&mut panels, "Hide Hills");
    let shown = panels.state().requests.last().unwrap().scene.clone();
    assert_eq!((0..5).filter(|&k| shown.is_shown(k)).collect::<Vec<_>>(), [0]);
    press(&mut panels, Modifiers::COMMAND, Key::Z);
    click(&mut panels, "Hills");
    press(&mut panels, Modifiers::COMMAND | Modifiers::SHIFT, Key::G);
    assert_eq!(stack(&panels), "Ground0 Steps0 Cells0 Soft0");
}

#[test]
fn actions_on_a_group_apply_to_its_layers() {
    let mut panels = named();
    click(&mut panels, "Steps");
    click_with(&mut panels, Modifiers::SHIFT, "Cells");
    press(&mut panels, Modifiers::COMMAND, Key::G);
    panels.state_mut().editor_mut().doc.rename_layer(3, "Hills");
    press(&mut panels, Modifiers::COMMAND, Key::D);
    let expected = ["Ground", "Steps", "Cells", "Hills", "Steps copy", "Cells copy", "Hills copy", "Soft"];
    assert_eq!(names(&panels), expected);
    press(&mut panels, Modifiers::NONE, Key::Delete);
    assert_eq!(names(&panels), ["Ground", "Steps", "Cells", "Hills", "Soft"], "the copies were selected");
    click(&mut panels, "Hills");
    press(&mut panels, Modifiers::NONE, Key::Delete);
    assert_eq!(names(&panels), ["Ground", "Soft"]);
    press(&mut panels, Modifiers::COMMAND, Key::Z);
    click(&mut panels, "Hills");
    press(&mut panels, Modifiers::ALT, Key::ArrowUp);
    assert_eq!(names(&panels), ["Ground", "Soft", "Steps", "Cells", "Hills"], "the group moves as a whole");
}

#[test]
fn reroll_changes_the_numbers_of_a_layer_and_is_undone() {
    let mut panels = large(&["Perlin", "Terrace"]);
    let layer = |panels: &Panels| panels.state().editor().doc.scene().layers[1].clone();
    let before = layer(&panels);
    press(&mut panels, Modifiers::SHIFT, Key::R);
    let drawn = layer(&panels);
    assert!(drawn.node != before.node && drawn.seed != before.seed);
    assert_eq!(panels.state().editor().doc.undo_label(), Some("Randomise"));
    press(&mut panels, Modifiers::COMMAND, Key::Z);
    assert_eq!(layer(&panels), before);
    press(&mut panels, Modifiers::COMMAND, Key::L);
    press(&mut panels, Modifiers::SHIFT, Key::R);
    assert_eq!(layer(&panels).node, before.node, "it is locked");
}
