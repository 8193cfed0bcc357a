//! The graph of layers: a click on a box selects its layer.

use crate::kit::*;
use bevy_egui::egui::vec2;
use egui_kittest::kittest::Queryable;
use talweg_app::features::graph::GraphAction;
use talweg_app::frame::document::Selection;

#[test]
fn a_click_in_the_graph_selects_a_layer() {
    let mut panels = panels(vec2(1280.0, 1000.0), &["Perlin", "Thermal", "Reference"]);
    for (k, name) in ["Hills", "Scree", "Again"].into_iter().enumerate() {
        panels.state_mut().editor_mut().doc.rename_layer(k, name);
    }
    panels.state_mut().editor_mut().doc.edit("Read", None, |scene| scene.set("Again.source=Hills").unwrap());
    panels.state_mut().issue(GraphAction::Toggle);
    panels.run();
    panels.run_steps(10);
    let centre = |panels: &Panels, name: &str| panels.get_by_label(name).rect().center();
    assert!(centre(&panels, "Graph: Again").y < centre(&panels, "Graph: Hills").y, "the lowest layer is at the bottom");
    // The drawing is zoomed, so a click at the position of a box in the drawing would miss it.
    let choose = |panels: &mut Panels, name: &str| {
        panels.get_by_label(name).click_accesskit();
        panels.run();
    };
    choose(&mut panels, "Graph: Hills");
    assert_eq!(panels.state().editor().doc.selection(), Selection::Layer(0));
    choose(&mut panels, "Graph: Scree");
    assert_eq!(panels.state().editor().doc.selection(), Selection::Layer(1));
    let depth = panels.state().editor().doc.edits_done().len();
    click(&mut panels, "Close the graph");
    assert!(panels.query_by_label("Graph: Hills").is_none());
    assert_eq!(panels.state().editor().doc.edits_done().len(), depth, "the graph edits nothing");
}
