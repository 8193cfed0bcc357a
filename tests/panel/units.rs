//! Feet and miles are shown and typed, while scenes store metres.

use std::sync::Arc;

use crate::kit::*;
use bevy_egui::egui;
use egui::accesskit::Role;
use egui::{Key, Modifiers, PointerButton, vec2};
use egui_kittest::kittest::{NodeT, Queryable};
use talweg::field::{Edges, Terrain};
use talweg::measure::TerrainScale;
use talweg::nodes::Node;
use talweg::preferences::{PreferencesFile, UnitSystem};
use talweg_app::features::ground_menu::GroundMenuState;
use talweg_app::features::map::{MapAction, MapState};
use talweg_app::features::ruler::{Ruler, RulerAction};
use talweg_app::frame::document::Selection;

fn imperial(nodes: &[&str]) -> Panels {
    let mut panels = panels(vec2(1280.0, 1100.0), nodes);
    panels.state_mut().editor_mut().interface.units = UnitSystem::Imperial;
    panels.run();
    panels
}

/// Types into the field of a parameter.
fn type_number(panels: &mut Panels, field: &str, text: &str) {
    let at = widget(panels, Role::SpinButton, field).rect().center();
    panels.hover_at(at);
    panels.drag_at(at);
    panels.drop_at(at);
    panels.run();
    if !text.is_empty() {
        panels.event(egui::Event::Text(text.into()));
        panels.run();
    }
    press(panels, Modifiers::NONE, Key::Enter);
}

fn shown(panels: &Panels, field: &str) -> String {
    widget(panels, Role::SpinButton, field).accesskit_node().value().unwrap_or_default()
}

#[test]
fn chosen_units_apply_at_once_and_are_saved() {
    let folder = tempfile::tempdir().unwrap();
    let mut panels = panels_kept_in(Some(folder.path()), vec2(1280.0, 1100.0), &["Perlin"]);
    panels.state_mut().editor_mut().doc.select(Selection::Scene);
    panels.run();
    assert!(shown(&panels, "Size").ends_with(" m"), "{}", shown(&panels, "Size"));
    press(&mut panels, Modifiers::COMMAND, Key::Comma);
    widget(&panels, Role::ComboBox, "Units").click();
    panels.run();
    panels.get_by_role_and_label(Role::Button, "Imperial").click();
    panels.run();
    press(&mut panels, Modifiers::NONE, Key::Escape);
    assert!(shown(&panels, "Size").ends_with(" ft"), "{}", shown(&panels, "Size"));
    assert_eq!(PreferencesFile::load(Some(folder.path())).0.kept().interface.units, UnitSystem::Imperial);
    let mut again = panels_kept_in(Some(folder.path()), vec2(1280.0, 1100.0), &["Perlin"]);
    again.state_mut().editor_mut().doc.select(Selection::Scene);
    again.run();
    assert!(shown(&again, "Size").ends_with(" ft"), "the next start restores them");
}

#[test]
fn a_height_typed_in_feet_becomes_metres_of_the_scene() {
    let mut panels = imperial(&["Perlin"]);
    panels.state_mut().editor_mut().doc.select(Selection::Scene);
    panels.run();
    for (field, typed, metres, said) in [
        ("Height scale", "4921.26", 1500.0, "4921.26 ft"),
        ("Height scale", "1000 ft", 304.8, "1000 ft"),
        ("Height scale", "250 m", 250.0, "820.21 ft"),
        ("Sea level", "-100", -30.48, "-100 ft"),
        ("Size", "2 mi", 3218.688, "10560 ft"),
    ] {
        type_number(&mut panels, field, typed);
        let settings = &panels.state().editor().doc.scene().settings;
        let kept = match field {
            "Size" => settings.size_metres,
            "Sea level" => settings.sea_level,
            _ => settings.relief_metres,
        };
        assert!((kept - metres).abs() < 1e-5 * metres.abs(), "{field} of {typed}: {kept} m");
        assert_eq!(shown(&panels, field), said);
    }
}

#[test]
fn an_unedited_field_changes_nothing() {
    let mut panels = imperial(&["Perlin"]);
    // 4265.091863… feet: the text has fewer digits
    panels.state_mut().editor_mut().doc.edit("Change", None, |scene| scene.settings.relief_metres = 1300.0);
    panels.state_mut().editor_mut().doc.select(Selection::Scene);
    panels.run();
    assert_eq!(shown(&panels, "Height scale"), "4265.09 ft");
    let steps = panels.state().editor().doc.undo_label().map(str::to_string);
    type_number(&mut panels, "Height scale", "");
    assert_eq!(panels.state().editor().doc.scene().settings.relief_metres, 1300.0);
    assert_eq!(panels.state().editor().doc.undo_label().map(str::to_string), steps);
}

#[test]
fn ruler_contours_and_brush_are_shown_in_feet() {
    let mut panels = imperial(&["Perlin"]);
    let terrain = Arc::new(Terrain::from_fn(65, Edges::Open, |u, v| 0.2 + 0.5 * u + 0.1 * v));
    let scale = TerrainScale::for_scene(panels.state().editor().doc.scene());
    panels.state_mut().get_mut::<GroundMenuState>().terrain = Some(terrain.clone());
    panels.state_mut().get_mut::<Ruler>().grounds = [Some((terrain, scale)), None];
    panels.state_mut().get_mut::<MapState>().interval = 30.48;
    panels.state_mut().issue(MapAction::Toggle);
    panels.state_mut().issue(RulerAction::Toggle);
    panels.run();
    let rect = panels.get_by_label("Map of the terrain").rect();
    let side = rect.width().min(rect.height());
    for u in [0.25, 0.75] {
        let pos = rect.center() + vec2((u - 0.5) * side, 0.0);
        panels.hover_at(pos);
        for pressed in [true, false] {
            let (button, modifiers) = (PointerButton::Primary, Modifiers::NONE);
            panels.event(egui::Event::PointerButton { pos, button, pressed, modifiers });
        }
        panels.run();
    }
    // the side is 8 km long; 4 km are 13,123.4 feet
    panels.get_by_label_contains("13123.4 ft");
    let interval = panels.get_all_by_role(Role::SpinButton).find_map(|field| {
        field.accesskit_node().value().filter(|value| value.starts_with("100") && value.ends_with(" ft"))
    });
    assert!(interval.is_some(), "the interval of the contours");
    panels.state_mut().editor_mut().doc.add_layer(Node::named("Sculpt").unwrap());
    panels.run();
    type_number(&mut panels, "Radius", "500");
    assert_eq!(shown(&panels, "Radius"), "500 ft");
}
