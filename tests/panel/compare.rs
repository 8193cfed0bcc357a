//! The comparison without a window system: the choice of B, the display of both, and the table.

use std::sync::Arc;

use crate::kit::*;
use bevy_egui::egui;
use egui::accesskit::Role;
use egui::{Key, Modifiers, Rect, pos2, vec2};
use egui_kittest::kittest::Queryable;
use talweg::field::{Control, Edges, Terrain};
use talweg::param::Value;
use talweg::scene::Settings;
use talweg_app::features::compare::CompareAction;
use talweg_app::features::compare::CompareMode;
use talweg_app::features::compare::differences::{DifferenceRow, Table, Values};
use talweg_app::features::compare::panel::CompareInfo;
use talweg_app::features::compare::panel::CompareState;
use talweg_app::features::compare::task::CompareRequest;
use talweg_app::frame::commands::Command;
use talweg_app::frame::document::Group;
use talweg_app::view::Overlay;
use talweg_app::view::{CompareLayout, OverlayChoice, SquareTerrain};

fn kept(effect: &Effect) -> &str {
    match effect {
        Effect::Compare(CompareRequest::Keep { state, .. }) => &state.name,
        other => panic!("{other:?}"),
    }
}

fn table() -> Arc<Table> {
    let row = |label: &str, unit: &'static str, values| DifferenceRow {
        label: label.into(),
        unit,
        help: format!("What {label} means."),
        values,
    };
    let rows = vec![
        row("Highest", "m", Values::Each { a: 812.25, b: 1100.0 }),
        row("Mean slope", "%", Values::Each { a: 41.5, b: 40.0 }),
        row("Erosion score", "", Values::Each { a: 0.9, b: 0.75 }),
        row("Volume above B", "million m³", Values::Between(123.25)),
        row("RMS difference", "m", Values::Between(12.5)),
    ];
    Arc::new(Table { rows, notes: vec!["A is 8 km wide, B is 4 km wide".into()] })
}

/// Updates the panels as the editor does when B is ready.
fn there(panels: &mut Panels, name: &str) {
    *panels.state_mut().get_mut::<CompareInfo>() =
        CompareInfo { b: Some(name.into()), table: Some(table()), ..CompareInfo::default() };
    panels.run();
}

fn free(panels: &Panels) -> Rect {
    panels.state().drawn.as_ref().unwrap().free_rect
}

#[test]
fn one_key_begins_and_ends_comparing_and_is_no_edit() {
    let mut panels = large(&["Perlin", "Thermal"]);
    let (undo, before) = (panels.state().editor().doc.undo_label().map(String::from), free(&panels));
    press(&mut panels, Modifiers::NONE, Key::C);
    assert_eq!(kept(&panels.state().effects[0]), "Untitled (pinned)");
    there(&mut panels, "Untitled (pinned)");
    assert!(panels.query_by_label("View of A: Untitled").is_some());
    assert!(panels.query_by_label("View of B: Untitled (pinned)").is_some());
    assert!(free(&panels).height() < before.height(), "bar and table use their part of the window");
    press(&mut panels, Modifiers::NONE, Key::C);
    assert_eq!(panels.state().effects.last(), Some(&Effect::Compare(CompareRequest::Nothing)));
    *panels.state_mut().get_mut::<CompareInfo>() = CompareInfo::default();
    panels.run();
    assert_eq!(free(&panels), before);
    assert!(panels.query_by_label_contains("View of").is_none());
    let doc = &panels.state().editor().doc;
    assert_eq!(doc.undo_label(), undo.as_deref());
}

#[test]
fn every_way_to_show_both_has_a_key_and_a_button() {
    let mut panels = large(&["Perlin"]);
    there(&mut panels, "B");
    assert_eq!(panels.state().get::<CompareState>().layout(), CompareLayout::Split(0.5));
    click(&mut panels, "Side by side");
    assert_eq!(panels.state().get::<CompareState>().layout(), CompareLayout::Halves);
    press(&mut panels, Modifiers::NONE, Key::X);
    assert!(panels.state().get::<CompareState>().swapped);
    let (a, b) = (panels.get_by_label("View of A: Untitled").rect(), panels.get_by_label("View of B: B").rect());
    assert!(b.right() < a.left(), "swapped: B on the left");
    press(&mut panels, Modifiers::ALT, Key::Num3);
    assert_eq!(
        (panels.state().get::<CompareState>().layout(), panels.state().get::<CompareState>().swapped),
        (CompareLayout::One, false)
    );
    assert!(panels.query_by_label_contains("View of B").is_none());
    click(&mut panels, "Swap A and B");
    assert!(panels.query_by_label("View of B: B").is_some() && panels.query_by_label_contains("View of A").is_none());
    press(&mut panels, Modifiers::ALT, Key::Num1);
    assert_eq!(panels.state().get::<CompareState>().mode, CompareMode::Split);
    click(&mut panels, "Table of differences");
    assert!(!panels.state().get::<CompareState>().table);
    press(&mut panels, Modifiers::SHIFT, Key::C);
    assert!(panels.state().get::<CompareState>().table);
}

#[test]
fn the_difference_map_brings_its_overlay_and_takes_it_away() {
    let mut panels = large(&["Perlin"]);
    press(&mut panels, Modifiers::SHIFT, Key::Num1);
    assert_eq!(panels.state().editor().view.overlay, Overlay::Slope);
    there(&mut panels, "B");
    click(&mut panels, "Difference map");
    assert_eq!(panels.state().editor().view.overlay, Overlay::Difference);
    assert!(panels.query_by_label("View of A − B").is_some());
    click(&mut panels, "Split view");
    assert_eq!(panels.state().editor().view.overlay, Overlay::Slope, "the overlay from before");
    press(&mut panels, Modifiers::ALT, Key::Num4);
    press(&mut panels, Modifiers::SHIFT, Key::Num0);
    assert_eq!(
        panels.state().get::<CompareState>().mode,
        CompareMode::One,
        "without its overlay the mode is not the difference map"
    );
    press(&mut panels, Modifiers::SHIFT, Key::Num5);
    click(&mut panels, "End comparison");
    assert_eq!(panels.state().editor().view.overlay, Overlay::None, "without B there is no difference overlay");
}

#[test]
fn the_handle_is_dragged_and_the_camera_leaves_it_alone() {
    let mut panels = large(&["Perlin"]);
    there(&mut panels, "B");
    let area = free(&panels);
    let handle = widget(&panels, Role::Slider, "Split").rect();
    assert!((handle.center().x - area.center().x).abs() < 1.0);
    drag(&mut panels, handle.center(), pos2(area.left() + 0.25 * area.width(), area.center().y));
    assert!((panels.state().get::<CompareState>().split - 0.25).abs() < 0.01);
    assert!(panels.state().drawn.as_ref().unwrap().covered, "the camera stays");
    // the divider stops at the edge
    panels.hover_at(area.left_center() - vec2(80.0, 0.0));
    panels.run();
    drop_at(&mut panels, area.left_center() - vec2(80.0, 0.0));
    assert_eq!(panels.state().get::<CompareState>().split, 0.0);
    assert!(area.contains_rect(widget(&panels, Role::Slider, "Split").rect()), "the divider can be dragged again");
    panels.hover_at(area.center());
    panels.run();
    assert!(!panels.state().drawn.as_ref().unwrap().covered);
}

#[test]
fn b_is_a_hidden_layer_another_scene_or_another_branch() {
    let mut panels = large(&["Perlin", "Thermal"]);
    press(&mut panels, Modifiers::SHIFT, Key::H);
    assert_eq!(panels.state().effects.last(), Some(&Effect::Compare(CompareRequest::Variant)));
    assert_eq!(panels.state().editor().doc.variant_name().as_deref(), Some("without Thermal erosion"));
    let doc = &mut panels.state_mut().editor_mut().doc;
    doc.seek(20);
    let angle = doc.scene().layers[1].node.about().find("talus_angle").unwrap();
    doc.set(Group::Node(1), angle, &Value::Float(20.0), None);
    doc.branch_from_here();
    there(&mut panels, "without Thermal erosion");
    click(&mut panels, "B is without Thermal erosion");
    click(&mut panels, "Compare with “Thermal erosion”");
    let Some(Effect::Compare(CompareRequest::State(state))) = panels.state().effects.last() else { panic!() };
    let shown: Vec<bool> = state.scene.layers.iter().map(|layer| layer.enabled).collect();
    assert_eq!((state.name.as_str(), shown), ("Thermal erosion", vec![true, true, false]));
    assert_eq!(state.playhead.map(|playhead| playhead.layer), Some(1));
    click(&mut panels, "File");
    click(&mut panels, "Compare with scene…");
    assert!(panels.state().editor().dialogs.is_open());
    press(&mut panels, Modifiers::NONE, Key::Escape);
    let menu = ["Pin as B", "Compare with scene…", "Compare without “Thermal erosion B”", "Split view"];
    panels.get_by_role_and_label(Role::Button, "Compare").click();
    panels.run();
    for label in menu {
        assert!(panels.query_all_by_label(label).count() > 0, "{label}");
    }
}

#[test]
fn comparing_branches_names_them_and_hiding_one_leaves_the_bar() {
    let mut panels = large(&["Perlin", "Thermal"]);
    panels.state_mut().editor_mut().doc.branch_from_here();
    panels.run();
    press(&mut panels, Modifiers::SHIFT, Key::B);
    let effects = panels.state().effects.clone();
    assert_eq!(kept(&effects[0]), "Thermal erosion B");
    assert_eq!(panels.state().editor().view.overlay, Overlay::Difference);
    there(&mut panels, "Thermal erosion B");
    press(&mut panels, Modifiers::ALT, Key::Num1);
    assert!(panels.query_by_label("View of A: Thermal erosion").is_some());
    assert!(panels.query_by_label("View of B: Thermal erosion B").is_some());
    press(&mut panels, Modifiers::NONE, Key::H);
    assert_eq!(panels.state().editor().doc.shown_branch(), None);
    click(&mut panels, "Branch Thermal erosion B");
    assert_eq!(panels.state().editor().doc.shown_branch(), Some(2));
}

#[test]
fn the_table_shows_both_and_their_difference() {
    let mut panels = large(&["Perlin"]);
    there(&mut panels, "B");
    for text in ["Highest, m", "812", "1100", "−288", "+1.50", "Erosion score", "+0.150", "+12.50"] {
        let found = panels.query_all_by_value(text).count() + panels.query_all_by_label(text).count();
        assert!(found > 0, "{text} is missing");
    }
    panels.state_mut().get_mut::<CompareInfo>().table = None;
    panels.run();
    assert!(panels.query_by_label("Measuring…").is_some());
}

#[test]
fn evaluation_of_b_shows_progress_and_can_be_cancelled() {
    let mut panels = large(&["Perlin"]);
    *panels.state_mut().get_mut::<CompareInfo>() =
        CompareInfo { making: Some(("Alps".into(), 0.4)), ..CompareInfo::default() };
    panels.run();
    assert!(panels.query_by_label("Computing Alps").is_some());
    assert!(panels.query_by_label_contains("View of").is_none(), "A has the whole view while B is not ready");
    click(&mut panels, "Stop computing B");
    assert_eq!(panels.state().effects, [Effect::Cancel]);
}

#[test]
fn two_legends_are_shown_for_two_colour_scales() {
    let legend = |slope: f32| {
        let mut terrain = Terrain::from_fn(33, Edges::Open, |u, v| u * v);
        terrain.map_mut(talweg::field::MapKind::Wear).fill(slope);
        let choice = OverlayChoice { overlay: Overlay::Change, ..OverlayChoice::default() };
        SquareTerrain::new(&Arc::new(terrain), &Settings::default(), &choice, &Control::default())
            .unwrap()
            .legend
            .clone()
    };
    for size in [vec2(1280.0, 720.0), vec2(960.0, 600.0)] {
        let mut panels = panels(size, &["Perlin"]);
        there(&mut panels, "B");
        panels.state_mut().info_mut().legend = legend(0.02);
        panels.state_mut().get_mut::<CompareInfo>().legend = legend(0.02);
        panels.run();
        assert!(panels.query_by_label_contains("Legend: Erosion").is_some(), "one legend for both");
        panels.state_mut().get_mut::<CompareInfo>().legend = legend(0.5);
        panels.run();
        let a = panels.get_by_label_contains("Legend: A: Erosion").rect();
        let b = panels.get_by_label_contains("Legend: B: Erosion").rect();
        assert!(!a.intersects(b) && free(&panels).contains_rect(a) && free(&panels).contains_rect(b), "{a:?} {b:?}");
    }
}

/// With the longest names in the smallest window, all widgets are inside and none overlap.
#[test]
fn the_bar_fits_the_smallest_window() {
    let mut panels = panels(vec2(960.0, 600.0), &["Perlin"]);
    let long = "A scene whose name says everything there is to say about it, and more";
    panels.state_mut().editor_mut().doc.edit("Rename scene", None, |scene| scene.name = long.into());
    for making in [None, Some((long.to_string(), 0.25))] {
        there(&mut panels, long);
        panels.state_mut().get_mut::<CompareInfo>().making = making.clone();
        panels.run();
        let mut names = vec!["End comparison".to_string(), "Split view".into(), "Side by side".into()];
        names.extend(["One at a time", "Difference map", "Swap A and B", "Table of differences"].map(String::from));
        names.push(if making.is_some() { format!("Computing {long}") } else { format!("B is {long}") });
        let rects: Vec<Rect> = names.iter().map(|name| panels.get_by_label(name).rect()).collect();
        for (k, rect) in rects.iter().enumerate() {
            assert!(rect.right() <= 960.0 && rect.left() >= free(&panels).left(), "{} at {rect:?}", names[k]);
            for (other, name) in rects[..k].iter().zip(&names) {
                assert!(!rect.shrink(1.0).intersects(other.shrink(1.0)), "{} lies on {name}", names[k]);
            }
        }
        let tags = ["A", "B"].map(|letter| panels.get_by_label(&format!("View of {letter}: {long}")).rect());
        assert!(tags.iter().all(|tag| free(&panels).contains_rect(*tag)) && !tags[0].intersects(tags[1]), "{tags:?}");
        assert!(free(&panels).height() > 150.0);
    }
}

#[test]
fn the_commands_are_in_the_list_of_shortcuts() {
    let panels = large(&[]);
    for action in CompareAction::all() {
        let command = Command::from(action.clone());
        assert_eq!(command.section(), "Compare");
        assert!(!command.info().shortcuts.is_empty(), "{action:?}");
        assert!(panels.state().commands().contains(&command));
    }
}
