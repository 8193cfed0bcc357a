//! The biome editor, without a window system.

use crate::kit::*;
use bevy_egui::egui;
use egui::accesskit::Role;
use egui::{Key, Modifiers, Vec2, pos2, vec2};
use egui_kittest::kittest::{NodeT, Queryable};
use talweg::appearance::SiteConditions;
use talweg::appearance_files::BiomeTable;
use talweg_app::features::biomes::panel::BiomesState;
use talweg_app::features::biomes::panel::{Composition, GroundInfo};

/// The editor with the biome table of the Earth open.
fn open(size: Vec2) -> Panels {
    let mut panels = panels(size, &["Perlin"]);
    panels.state_mut().editor_mut().doc.edit("Change palette", None, |scene| scene.palette = "biome:earth".into());
    press(&mut panels, Modifiers::NONE, Key::K);
    panels
}

fn table(panels: &Panels) -> BiomeTable {
    (*panels.state().editor().doc.scene().biome_table().unwrap()).clone()
}

fn undo(panels: &mut Panels) {
    press(panels, Modifiers::COMMAND, Key::Z);
}

#[test]
fn a_key_opens_the_editor_and_a_button_colours_by_biomes() {
    let mut panels = large(&["Perlin"]);
    press(&mut panels, Modifiers::NONE, Key::K);
    assert_eq!(panels.state().editor().doc.scene().palette, "alpine");
    let button = panels
        .get_all_by_role(Role::Button)
        .find(|b| b.accesskit_node().label().is_some_and(|l| l.contains("Colour by biomes")));
    button.expect("a button opens the editor").click();
    panels.run();
    assert_eq!(panels.state().editor().doc.scene().palette, "biome:earth");
    assert_eq!(panels.state().editor().doc.undo_label(), Some("Change biome table"));
    click(&mut panels, "Close the biomes");
    assert!(!panels.state().get::<BiomesState>().open);
}

#[test]
fn biome_types_are_edited_in_one_undo_step_each() {
    let mut panels = open(vec2(1280.0, 720.0));
    let shipped = table(&panels);
    let requests = panels.state().requests.len();
    click(&mut panels, "Type Tundra");
    click(&mut panels, "Duplicate type");
    assert_eq!(table(&panels).types[2].name, "Tundra 2");
    click(&mut panels, "Move type up");
    assert_eq!(table(&panels).types[1].name, "Tundra 2");
    click(&mut panels, "Delete type");
    assert_eq!(table(&panels), shipped);
    assert!(panels.state().editor().doc.scene().biomes.is_none(), "the built-in table is not stored in the scene");
    click(&mut panels, "Add type");
    assert_eq!(table(&panels).types.len(), shipped.types.len() + 1);
    let field = panels.get_by_role_and_label(Role::TextInput, "Name of the type");
    field.focus();
    panels.run();
    panels.get_by_role_and_label(Role::TextInput, "Name of the type").type_text("!");
    panels.run();
    assert!(table(&panels).types.iter().any(|kind| kind.name == "New type!"), "{:?}", table(&panels).types);
    press(&mut panels, Modifiers::NONE, Key::Enter);
    click(&mut panels, "Reset biomes");
    assert_eq!(table(&panels), shipped);
    undo(&mut panels);
    assert_eq!(table(&panels).types.len(), shipped.types.len() + 1);
    for _ in 0..5 {
        undo(&mut panels);
    }
    assert_eq!(table(&panels), shipped);
    assert_eq!(panels.state().requests.len(), requests, "colours need no evaluation");
}

#[test]
fn dragging_an_optimum_or_tolerance_is_one_step() {
    let mut panels = open(vec2(1280.0, 720.0));
    click(&mut panels, "Type Temperate forest");
    let at = |panels: &Panels| {
        let kind = table(panels).types.into_iter().find(|kind| kind.name == "Temperate forest").unwrap();
        kind.moisture.unwrap()
    };
    let before = at(&panels);
    let rect = panels.get_by_label("Moisture axis").rect();
    // the axis runs from 0 to 1
    let x = |value: f32| rect.left() + 2.0 + (rect.width() - 4.0) * value;
    let (from, to) = (pos2(x(before.optimum), rect.top() + 4.0), pos2(x(before.optimum - 0.2), rect.top() + 4.0));
    drag(&mut panels, from, to);
    drop_at(&mut panels, to);
    let moved = at(&panels);
    assert!((moved.optimum - before.optimum + 0.2).abs() < 0.02, "{moved:?}");
    assert_eq!(moved.tolerance, before.tolerance);
    let shoulder = rect.top() + 53.0 - 49.0 * 0.368;
    let from = pos2(x(moved.optimum + moved.tolerance), shoulder);
    let to = pos2(from.x + rect.width() * 0.1, shoulder);
    drag(&mut panels, from, to);
    drop_at(&mut panels, to);
    let wider = at(&panels);
    assert!((wider.tolerance - moved.tolerance - 0.1).abs() < 0.02 && wider.optimum == moved.optimum, "{wider:?}");
    undo(&mut panels);
    assert_eq!(at(&panels), moved);
    undo(&mut panels);
    assert_eq!(at(&panels), before);
    // a condition can be switched off and on
    click(&mut panels, "Moisture");
    let off = table(&panels).types.into_iter().find(|kind| kind.name == "Temperate forest").unwrap();
    assert!(off.moisture.is_none());
    click(&mut panels, "Moisture");
    assert_eq!(at(&panels).optimum, 0.45);
}

#[test]
fn clicked_terrain_lists_its_ground_types() {
    let mut panels = open(vec2(1280.0, 720.0));
    let types = table(&panels).types.len();
    let mut weights = vec![0.0; types];
    (weights[1], weights[3]) = (0.25, 0.75);
    let place = SiteConditions { celsius: 3.5, height: 900.0, slope: 12.0, moisture: 0.4 };
    panels.state_mut().get_mut::<GroundInfo>().0 = Some(Composition { place, weights });
    panels.run();
    panels.get_by_label("3.5 °C, slope 12°, moisture 0.40");
}

#[test]
fn the_biome_editor_fits_small_windows() {
    for size in [vec2(1280.0, 720.0), vec2(1024.0, 640.0)] {
        let panels = open(size);
        for label in
            ["Add type", "Move type down", "Reset biomes", "Save biome table…", "Name of the type", "Temperature axis"]
        {
            let rect = panels.get_by_label(label).rect();
            assert!(rect.left() > size.x - 480.0 && rect.right() < size.x, "{label}: {rect:?} in {size:?}");
        }
        let view = panels.state().drawn.as_ref().unwrap().free_rect;
        assert!(view.width() > 300.0, "{view:?}");
    }
}

#[test]
fn a_new_biome_table_brings_its_climate() {
    let mut panels = open(vec2(1280.0, 720.0));
    panels.state_mut().editor_mut().doc.edit("Change", None, |scene| scene.set("climate.rain=2").unwrap());
    talweg_app::features::biomes::panel::choose(&mut panels.state_mut().editor_mut().doc, "petitprez");
    panels.run();
    let scene = panels.state().editor().doc.scene().clone();
    assert_eq!(scene.climate().equator_temperature, 50.0);
    assert_eq!(scene.biome_table().as_ref(), BiomeTable::named("petitprez"));
    undo(&mut panels);
    assert_eq!(panels.state().editor().doc.scene().climate().rain, 2.0);
}
