//! The context menu of the terrain.

use std::sync::Arc;

use crate::kit::*;
use bevy_egui::egui::{PointerButton, Pos2, pos2};
use egui_kittest::kittest::{NodeT, Queryable};
use talweg::brush::BrushTool;
use talweg::eval::StrokeTarget;
use talweg::field::{Edges, Terrain};
use talweg::nodes::Node;
use talweg::scene::Blend;
use talweg_app::features::ground_menu::{GroundMenuState, PickedPoint};
use talweg_app::view::ViewCommand;

const PLACE: Pos2 = pos2(800.0, 350.0);

/// Sets the point under the pointer, as the view does, and right-clicks it.
fn open(panels: &mut Panels) -> PickedPoint {
    let terrain = Terrain::from_fn(65, Edges::Open, |u, v| 0.9 - 0.5 * v + 0.3 * (u - 0.5).abs());
    let settings = panels.state().editor().doc.scene().settings.clone();
    let point = PickedPoint::on_square(&terrain, &settings, [0.25, 0.25]);
    let state = panels.state_mut().get_mut::<GroundMenuState>();
    (state.terrain, state.under) = (Some(Arc::new(terrain)), Some(point));
    panels.hover_at(PLACE);
    for pressed in [true, false] {
        let event = bevy_egui::egui::Event::PointerButton {
            pos: PLACE,
            button: PointerButton::Secondary,
            pressed,
            modifiers: bevy_egui::egui::Modifiers::NONE,
        };
        panels.event(event);
    }
    panels.run();
    point
}

fn steps(panels: &Panels) -> usize {
    panels.state().editor().doc.edits_done().len()
}

#[test]
fn height_and_slope_of_a_place_go_to_a_mask_in_one_step() {
    let mut panels = large(&["Perlin", "Terrace"]);
    let before = steps(&panels);
    let point = open(&mut panels);
    panels.get_by_label_contains("height 1530.0 m");
    click(&mut panels, "Mask by this height");
    assert_eq!(steps(&panels), before + 1);
    let mask = |panels: &Panels| panels.state().editor().doc.scene().layers[1].mask.clone();
    let made = mask(&panels);
    assert!(made.by_height && made.height_from < point.height_metres && made.height_to > point.height_metres);
    assert!(made.height_to - made.height_from < 400.0, "{made:?}");
    open(&mut panels);
    click(&mut panels, "Mask by this slope");
    assert_eq!(steps(&panels), before + 2);
    let made = mask(&panels);
    assert!(made.by_slope && (made.slope_from..=made.slope_to).contains(&point.slope_degrees), "{made:?}");
    panels.state_mut().editor_mut().doc.undo();
    assert!(!mask(&panels).by_slope && mask(&panels).by_height);
}

#[test]
fn flattened_terrain_stays_editable() {
    let mut panels = panels(bevy_egui::egui::vec2(1280.0, 1100.0), &["Perlin"]);
    let before = steps(&panels);
    let point = open(&mut panels);
    click(&mut panels, "Flatten here");
    assert_eq!(steps(&panels), before + 1);
    let strokes = panels.state().editor().doc.strokes(StrokeTarget::Layer(1)).unwrap().list().to_vec();
    assert_eq!((strokes.len(), strokes[0].brush.tool), (1, BrushTool::Flatten));
    assert_eq!((strokes[0].path[0].x, strokes[0].brush.level), (point.metres[0], 1530.0));
    panels.get_by_label("Brush of stroke 1");
    // a second time: on the same layer
    open(&mut panels);
    click(&mut panels, "Flatten here");
    assert_eq!(steps(&panels), before + 2);
    assert_eq!(panels.state().editor().doc.strokes(StrokeTarget::Layer(1)).unwrap().list().len(), 2);
    panels.get_by_label("Brush of stroke 2");
}

#[test]
fn a_river_starts_at_the_clicked_place() {
    let mut panels = large(&["Perlin"]);
    let before = steps(&panels);
    open(&mut panels);
    click(&mut panels, "Add river from here");
    assert_eq!(steps(&panels), before + 1);
    let layers = &panels.state().editor().doc.scene().layers;
    assert_eq!((layers[1].name.as_str(), layers[1].mix.blend), ("River", Blend::Min));
    assert!(matches!(layers[1].node, Node::Construction(_)));
    panels.state_mut().editor_mut().doc.undo();
    assert_eq!(panels.state().editor().doc.scene().layers.len(), 1);
}

#[test]
fn a_place_is_probed_looked_at_and_closed_again() {
    let mut panels = large(&["Perlin", "Terrace"]);
    open(&mut panels);
    click(&mut panels, "Probe");
    panels.get_by_label("Contribution of each layer");
    panels.get_by_label("Height after");
    press(&mut panels, bevy_egui::egui::Modifiers::NONE, bevy_egui::egui::Key::Escape);
    assert!(panels.query_by_label("Contribution of each layer").is_none());
    open(&mut panels);
    click(&mut panels, "Look at this point");
    let looked = |effect: &Effect| matches!(effect, Effect::View(ViewCommand::Look { .. }));
    assert!(panels.state().effects.iter().any(looked), "{:?}", panels.state().effects);
    open(&mut panels);
    click(&mut panels, "Copy position");
    panels.get_by_label_contains("Copied: 2000.0 m E, 2000.0 m S");
}

#[test]
fn the_menu_is_shorter_without_a_layer_or_terrain() {
    let mut panels = large(&["Perlin"]);
    click(&mut panels, "Scene settings");
    let before = steps(&panels);
    open(&mut panels);
    assert!(panels.get_by_label("Mask by this height").accesskit_node().is_disabled());
    press(&mut panels, bevy_egui::egui::Modifiers::NONE, bevy_egui::egui::Key::Escape);
    assert!(panels.query_by_label("Mask by this height").is_none(), "Escape closes the menu");
    assert_eq!(steps(&panels), before);
}
