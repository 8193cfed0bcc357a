//! Brushes: start painting, the list of strokes, and painted masks, which must be visible.

use std::sync::Arc;

use crate::kit::*;
use bevy_egui::egui::accesskit::Role;
use bevy_egui::egui::{Key, Modifiers};
use egui_kittest::kittest::{NodeT, Queryable};
use talweg::brush::{Brush, BrushTool, Stroke, StrokePoint};
use talweg::eval::StrokeTarget;
use talweg::field::MapKind;
use talweg::nodes::Node;
use talweg_app::features::brush::{BrushAction, BrushState, StrokeEdit};
use talweg_app::features::erosion::ErosionAction;
use talweg_app::features::layers::{LayerAction, UpliftSource};

fn add(panels: &mut Panels, name: &str) {
    panels.state_mut().issue(LayerAction::Add(Box::new(Node::named(name).unwrap())));
    panels.run();
}

/// Draws a stroke directly, because the test has no terrain in the view.
fn draw(panels: &mut Panels, target: StrokeTarget, tool: BrushTool) {
    let brush = Brush { tool, radius: 300.0, ..Brush::default() };
    let stroke = Stroke::new(brush, vec![StrokePoint::new(1000.0, 1000.0), StrokePoint::new(2000.0, 1500.0)]);
    panels.state_mut().editor_mut().doc.edit_strokes(target, "Draw stroke", None, |strokes| {
        strokes.list_mut().push(Arc::new(stroke));
    });
    panels.run();
}

fn tools_of(panels: &Panels, target: StrokeTarget) -> Vec<(BrushTool, bool)> {
    let strokes = panels.state().editor().doc.strokes(target).unwrap();
    strokes.list().iter().map(|stroke| (stroke.brush.tool, stroke.hidden)).collect()
}

#[test]
fn numbers_of_a_brush_have_the_unit_of_what_it_paints() {
    let mut panels = panels(bevy_egui::egui::vec2(1280.0, 1100.0), &["Perlin"]);
    let shown = |panels: &Panels, name: &str| {
        panels.get_by_role_and_label(Role::SpinButton, name).accesskit_node().value().unwrap_or_default()
    };
    add(&mut panels, "Sculpt");
    assert!(shown(&panels, "Amount").ends_with(" m"), "{}", shown(&panels, "Amount"));
    assert_eq!(shown(&panels, "Hardness"), "0%");
    click(&mut panels, "Flatten");
    assert_eq!((shown(&panels, "Level").as_str(), shown(&panels, "Strength").as_str()), ("0 m", "50%"));
    add(&mut panels, "PaintedMap");
    assert_eq!(shown(&panels, "Amount"), "100%", "uplift goes from 0 to 1");
    assert_eq!(shown(&panels, "Radius"), "960 m", "the default radius is large");
}

#[test]
fn all_brushes_have_the_same_bar_over_the_view() {
    let mut panels = panels(bevy_egui::egui::vec2(1280.0, 1100.0), &["Perlin"]);
    assert!(panels.query_by_label("Brush radius").is_none());
    let sliders = |panels: &Panels| {
        let names = ["Brush radius", "Brush hardness", "Brush amount", "Brush strength"];
        names.map(|name| panels.query_by_role_and_label(Role::Slider, name).is_some())
    };
    add(&mut panels, "Sculpt");
    assert_eq!(sliders(&panels), [true, true, true, false]);
    let free = panels.state().drawn.as_ref().expect("drawn").free_rect;
    assert!(free.contains_rect(panels.get_by_role_and_label(Role::Slider, "Brush radius").rect()));
    click(&mut panels, "Smooth");
    assert_eq!(sliders(&panels), [true, true, false, true]);
    add(&mut panels, "PaintedMap");
    assert_eq!(sliders(&panels), [true, true, true, false], "of a map");
    press(&mut panels, Modifiers::SHIFT, Key::T);
    assert_eq!(sliders(&panels), [true, true, true, false], "of a mask");
    let rail = panels.get_by_role_and_label(Role::Slider, "Brush hardness").rect();
    drag(&mut panels, rail.left_center() + bevy_egui::egui::vec2(7.0, 0.0), rail.center());
    drop_at(&mut panels, rail.center());
    let state = panels.state();
    let brush = state.get::<BrushState>().brush(&state.editor().doc, Some(StrokeTarget::Mask(2)));
    assert!((brush.hardness - 0.5).abs() < 0.1, "{}", brush.hardness);
    press(&mut panels, Modifiers::NONE, Key::Escape);
    assert_eq!(sliders(&panels), [false; 4], "the bar closes with the brush");
}

#[test]
fn a_painted_map_is_shown_except_while_mountains_grow() {
    let mut panels = panels(bevy_egui::egui::vec2(1280.0, 1100.0), &[]);
    panels.state_mut().issue(LayerAction::AddUplift(UpliftSource::Strokes));
    panels.run();
    let shown = |panels: &Panels| panels.state().editor().doc.shown_map();
    assert_eq!(shown(&panels), Some(MapKind::Uplift));
    for seen in [None, Some(MapKind::Uplift)] {
        panels.state_mut().issue(ErosionAction::PlayPause);
        panels.run_steps(3);
        assert_eq!(panels.state().editor().doc.transport().is_playing(), seen.is_none());
        assert_eq!(shown(&panels), seen);
    }
}

#[test]
fn a_new_stroke_layer_is_ready_and_its_strokes_stay_editable() {
    let mut panels = panels(bevy_egui::egui::vec2(1280.0, 1100.0), &["Perlin"]);
    add(&mut panels, "Sculpt");
    let on = StrokeTarget::Layer(1);
    let target = |panels: &Panels| panels.state().get::<BrushState>().target(&panels.state().editor().doc);
    assert_eq!(target(&panels), Some(on));
    panels.get_by_label_contains("none yet");
    for tool in [BrushTool::Raise, BrushTool::Lower, BrushTool::Noise] {
        draw(&mut panels, on, tool);
    }
    let request = panels.state().requests.last().unwrap().clone();
    assert_eq!(request.stroke, Some(on), "the worker knows that a brush is active");
    use BrushTool::{Flatten, Lower, Noise, Raise};
    click(&mut panels, "Stroke 2: Lower");
    panels.get_by_label("Brush of stroke 2");
    click(&mut panels, "Flatten");
    assert_eq!(tools_of(&panels, on), [(Raise, false), (Flatten, false), (Noise, false)]);
    click(&mut panels, "Earlier");
    assert_eq!(tools_of(&panels, on), [(Flatten, false), (Raise, false), (Noise, false)]);
    click(&mut panels, "Hide stroke 3");
    press(&mut panels, Modifiers::NONE, Key::CloseBracket);
    press(&mut panels, Modifiers::NONE, Key::Delete);
    assert_eq!(tools_of(&panels, on), [(Raise, false), (Noise, true)], "the stroke is deleted, not the layer");
    for _ in 0..5 {
        panels.state_mut().editor_mut().doc.undo();
    }
    panels.run();
    assert_eq!(tools_of(&panels, on), [(Raise, false), (Lower, false), (Noise, false)]);
    // T and Escape stop painting, and so does the selection of another layer
    press(&mut panels, Modifiers::NONE, Key::T);
    assert_eq!(target(&panels), None);
    press(&mut panels, Modifiers::NONE, Key::T);
    assert_eq!(target(&panels), Some(on));
    press(&mut panels, Modifiers::NONE, Key::Escape);
    assert_eq!(target(&panels), None);
    panels.get_by_label_contains("Start painting").click();
    panels.run();
    panels.state_mut().issue(LayerAction::SelectBelow);
    panels.run();
    assert_eq!(target(&panels), None);
    panels.state_mut().issue(LayerAction::SelectAbove);
    panels.run();
    assert_eq!(target(&panels), None, "a layer with strokes is not painted automatically");
}

#[test]
fn a_mask_is_shown_while_it_is_edited() {
    let mut panels = panels(bevy_egui::egui::vec2(1280.0, 1400.0), &["Perlin", "Terrace"]);
    let shown = |panels: &Panels| panels.state().editor().doc.shown_mask();
    assert_eq!(shown(&panels), None);
    panels.state_mut().issue(BrushAction::PaintMask);
    panels.run();
    let on = StrokeTarget::Mask(1);
    assert_eq!(shown(&panels), Some(1));
    assert!(panels.state().editor().doc.scene().layers[1].mask.by_paint);
    draw(&mut panels, on, BrushTool::Raise);
    let request = panels.state().requests.last().unwrap().clone();
    assert_eq!((request.mask, request.stroke), (Some(1), Some(on)));
    assert!(panels.query_by_label("Erode").is_none(), "there is no terrain to erode");
    click(&mut panels, "Show on terrain");
    assert_eq!(shown(&panels), None);
    let doc = &mut panels.state_mut().editor_mut().doc;
    doc.edit("Change mask", None, |scene| scene.layers[1].mask.by_height = true);
    panels.run();
    assert_eq!(shown(&panels), Some(1), "the mask is shown after a change of a condition");
    panels.state_mut().issue(LayerAction::SelectBelow);
    panels.run();
    assert_eq!(shown(&panels), None);
}

#[test]
fn a_new_construction_is_empty_and_in_metres_of_the_scene() {
    let mut panels = large(&["Perlin"]);
    panels.state_mut().editor_mut().doc.edit("Change size", None, |scene| scene.settings.size_metres = 3000.0);
    add(&mut panels, "Construction");
    let tree = panels.state().editor().doc.tree_of(1).unwrap().clone();
    assert_eq!((tree.count(), tree.frame.side), (1, 3000.0), "an empty tree");
    panels.get_by_label_contains("Place road");
}

#[test]
fn a_stroke_is_duplicated_mirrored_and_offset() {
    let mut panels = large(&["Perlin"]);
    add(&mut panels, "Sculpt");
    let target = StrokeTarget::Layer(1);
    draw(&mut panels, target, BrushTool::Raise);
    let paths = |panels: &Panels| -> Vec<Vec<[f32; 2]>> {
        let strokes = panels.state().editor().doc.strokes(target).unwrap();
        strokes.list().iter().map(|stroke| stroke.path.iter().map(|point| [point.x, point.y]).collect()).collect()
    };
    let side = panels.state().editor().doc.scene().settings.size_metres;
    let drawn = vec![[1000.0, 1000.0], [2000.0, 1500.0]];
    click(&mut panels, "Stroke 1: Raise");
    let choose = |panels: &mut Panels, entry: &str| {
        click(panels, "Change the path of the stroke");
        click(panels, entry);
    };
    choose(&mut panels, "Duplicate stroke");
    assert_eq!(paths(&panels), [drawn.clone(), drawn.clone()]);
    choose(&mut panels, "Mirror stroke west to east");
    let mirrored = vec![[side - 1000.0, 1000.0], [side - 2000.0, 1500.0]];
    assert_eq!(paths(&panels), [drawn.clone(), mirrored.clone()], "the copy is selected");
    choose(&mut panels, "Mirror stroke north to south");
    assert_eq!(paths(&panels)[1], [[side - 1000.0, side - 1000.0], [side - 2000.0, side - 1500.0]]);
    press(&mut panels, Modifiers::COMMAND, Key::Z);
    panels.state_mut().issue(BrushAction::Edit(StrokeEdit::Offset { is_right: true }));
    panels.run();
    // the mirrored stroke runs to the south-west, so its right side is the north-west
    let moved = paths(&panels)[1].clone();
    let away = |k: usize| libm::hypotf(moved[k][0] - mirrored[k][0], moved[k][1] - mirrored[k][1]);
    assert!((away(0) - 300.0).abs() < 3.0 && (away(1) - 300.0).abs() < 3.0, "the radius of the brush: {moved:?}");
    assert!(moved[0][0] < mirrored[0][0] && moved[0][1] < mirrored[0][1], "{moved:?} beside {mirrored:?}");
    assert_eq!(panels.state().editor().doc.undo_label(), Some("Offset stroke"));
    assert_eq!(paths(&panels)[0], drawn, "the first stroke stays");
}
