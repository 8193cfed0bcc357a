//! The 2D map and the ruler.

use std::sync::Arc;

use crate::kit::*;
use bevy_egui::egui::{Modifiers, PointerButton, Pos2};
use egui_kittest::kittest::{NodeT, Queryable};
use talweg::field::{Edges, Terrain};
use talweg::measure::TerrainScale;
use talweg_app::features::ground_menu::GroundMenuState;
use talweg_app::features::map::{MapAction, MapLink, MapRequest, MapState};
use talweg_app::features::ruler::{Ruler, RulerAction};
use talweg_app::view::ViewCommand;

fn open(nodes: &[&str]) -> Panels {
    let mut panels = large(nodes);
    let terrain = Arc::new(Terrain::from_fn(65, Edges::Open, |u, v| 0.2 + 0.5 * u + 0.1 * v));
    let scale = TerrainScale::for_scene(panels.state().editor().doc.scene());
    panels.state_mut().get_mut::<GroundMenuState>().terrain = Some(terrain.clone());
    panels.state_mut().get_mut::<Ruler>().grounds = [Some((terrain, scale)), None];
    panels.state_mut().get_mut::<MapLink>().camera = Some(([0.5, 0.9], 0.0, 0.4));
    panels.state_mut().issue(MapAction::Toggle);
    panels.run();
    panels
}

/// Screen position of a point of the terrain on the map.
fn screen_position(panels: &Panels, [u, v]: [f32; 2]) -> Pos2 {
    let rect = panels.get_by_label("Map of the terrain").rect();
    let side = rect.width().min(rect.height());
    rect.center() + side * bevy_egui::egui::vec2(u - 0.5, v - 0.5)
}

fn click_at(panels: &mut Panels, at: Pos2, button: PointerButton) {
    panels.hover_at(at);
    for pressed in [true, false] {
        panels.event(bevy_egui::egui::Event::PointerButton { pos: at, button, pressed, modifiers: Modifiers::NONE });
    }
    panels.run();
}

#[test]
fn the_ruler_is_laid_on_the_map_and_measures() {
    let mut panels = open(&["Perlin"]);
    click(&mut panels, "Ruler on the map");
    panels.get_by_label("Click two points on the terrain.");
    for place in [[0.2, 0.2], [0.7, 0.2], [0.7, 0.6]] {
        let place = screen_position(&panels, place);
        click_at(&mut panels, place, PointerButton::Primary);
    }
    let points = panels.state().get::<Ruler>().points().to_vec();
    assert_eq!(points.len(), 3);
    assert!((points[1][0] - 0.7).abs() < 0.01 && (points[1][1] - 0.2).abs() < 0.01, "{points:?}");
    // the side is 8 km long, so the two segments are 4 km and 3.2 km
    let length = panels.get_by_label_contains("7200.0 m");
    assert!(length.rect().width() > 0.0);
    panels.get_by_label_contains("km²");
    panels.state_mut().issue(RulerAction::Shorten);
    panels.run();
    panels.get_by_label_contains("4000.0 m");
    assert!(panels.query_by_label_contains("km²").is_none());
    press(&mut panels, Modifiers::NONE, bevy_egui::egui::Key::Escape);
    assert!(!panels.state().get::<Ruler>().is_active());
    assert_eq!(panels.state().get::<Ruler>().points().len(), 0, "a closed panel is not shown");
}

#[test]
fn the_map_moves_the_camera_and_has_the_ground_menu() {
    let mut panels = open(&["Perlin"]);
    let (from, to) = (screen_position(&panels, [0.5, 0.9]), screen_position(&panels, [0.25, 0.5]));
    drag(&mut panels, from, to);
    drop_at(&mut panels, to);
    let asked = panels.state_mut().take_messages::<MapRequest>();
    let Some(MapRequest::MoveCamera([u, v])) = asked.last() else { panic!("{asked:?}") };
    assert!((u - 0.25).abs() < 0.02 && (v - 0.5).abs() < 0.02, "{asked:?}");
    let from = screen_position(&panels, [0.5, 0.9]);
    let ahead = from - bevy_egui::egui::vec2(0.0, 46.0);
    drag(&mut panels, ahead, from + bevy_egui::egui::vec2(80.0, 0.0));
    drop_at(&mut panels, from + bevy_egui::egui::vec2(80.0, 0.0));
    let asked = panels.state_mut().take_messages::<MapRequest>();
    let Some(MapRequest::TurnCamera(yaw)) = asked.last() else { panic!("{asked:?}") };
    assert!((yaw - std::f32::consts::FRAC_PI_2).abs() < 0.05, "to the east: {yaw}");
    let place = screen_position(&panels, [0.3, 0.3]);
    click_at(&mut panels, place, PointerButton::Secondary);
    click(&mut panels, "Look at this point");
    let looked = |effect: &Effect| matches!(effect, Effect::View(ViewCommand::Look { .. }));
    assert!(panels.state().effects.iter().any(looked), "{:?}", panels.state().effects);
}

#[test]
fn the_map_opens_and_closes_except_for_planets() {
    let mut panels = open(&["Perlin"]);
    assert!(panels.get_by_label("Map of the terrain").rect().width() > 200.0);
    press(&mut panels, Modifiers::SHIFT, bevy_egui::egui::Key::M);
    assert!(panels.query_by_label("Map of the terrain").is_none());
    let doc = &mut panels.state_mut().editor_mut().doc;
    doc.edit("Make a planet", None, |scene| scene.settings.world = talweg::planet::World::Planet);
    panels.state_mut().get_mut::<MapState>().is_open = true;
    panels.run();
    panels.get_by_label_contains("Planets have their own map");
    click(&mut panels, "Tools");
    assert!(panels.get_by_label("Ruler").accesskit_node().is_disabled());
}
