//! Panels are dragged to other positions and onto each other and resized, and the layout is restored at the next start.

use bevy_egui::egui;
use egui::accesskit::Role;
use egui::{Key, Modifiers, Rect, vec2};
use egui_kittest::kittest::Queryable;
use talweg::nodes::Node;
use talweg::preferences::PanelLayout;
use talweg_app::features::history::HistoryAction;
use talweg_app::frame::panels::{DockEdge, PanelAction};

use crate::kit::{Panels, click, drag, drop_at, large, panels_kept_in, press, widget};

fn view(panels: &Panels) -> Rect {
    panels.state().drawn.as_ref().unwrap().free_rect
}

/// The strip by which a panel is dragged.
fn handle(panels: &Panels, title: &str) -> Rect {
    widget(panels, Role::Button, &format!("Move {title}")).rect()
}

#[test]
fn a_panel_is_dragged_onto_another_and_stays_there() {
    let folder = tempfile::tempdir().unwrap();
    let open = || panels_kept_in(Some(folder.path()), vec2(1280.0, 720.0), &["Perlin"]);
    let mut panels = open();
    let narrow = view(&panels);
    press(&mut panels, Modifiers::NONE, Key::M);
    assert!(view(&panels).width() < narrow.width() - 200.0);
    // onto the centre of the parameter panel: a tab beside it
    let parameters = handle(&panels, "Parameters");
    let (from, to) = (handle(&panels, "Measures").center(), parameters.center() + vec2(0.0, 265.0));
    drag(&mut panels, from, to);
    drop_at(&mut panels, to);
    assert_eq!(view(&panels), narrow, "the view has its full size again");
    let tab = |panels: &Panels, title: &str| widget(panels, Role::Button, title).rect();
    assert!(tab(&panels, "Measures").left() < 330.0);
    assert!(panels.query_by_label("Measuring…").is_some(), "the dropped panel is visible");
    let at = tab(&panels, "Parameters").center();
    panels.hover_at(at);
    panels.drag_at(at);
    drop_at(&mut panels, at);
    assert!(panels.query_by_label("Measuring…").is_none() && panels.query_all_by_label("Octaves").next().is_some());
    // closed and opened again, it is the active tab
    press(&mut panels, Modifiers::NONE, Key::M);
    assert!(panels.query_all_by_label("Octaves").next().is_some());
    press(&mut panels, Modifiers::NONE, Key::M);
    assert!(panels.query_by_label("Measuring…").is_some());
    drop(panels);
    // the next start restores the layout
    let mut again = open();
    press(&mut again, Modifiers::NONE, Key::M);
    assert!(tab(&again, "Measures").left() < 330.0);
    again.state_mut().issue(PanelAction::Reset);
    again.run();
    assert!(handle(&again, "Measures").left() > 900.0);
    assert_eq!(again.state().editor().panels, None);
}

#[test]
fn a_panel_that_is_dropped_on_the_view_does_not_hide_it() {
    let mut panels = large(&["Perlin"]);
    press(&mut panels, Modifiers::NONE, Key::M);
    let (from, to) = (handle(&panels, "Measures").center(), view(&panels).center() + vec2(0.0, 12.0));
    drag(&mut panels, from, to);
    drop_at(&mut panels, to);
    let seen = view(&panels);
    assert!(seen.width() > 900.0 && seen.height() > 200.0, "{seen}");
    assert!(panels.query_by_label("Measuring…").is_some());
}

#[test]
fn borders_are_moved_and_stay_where_they_are_put() {
    let folder = tempfile::tempdir().unwrap();
    let open = || panels_kept_in(Some(folder.path()), vec2(1280.0, 720.0), &["Perlin"]);
    let mut panels = open();
    let left = view(&panels).left();
    let border = egui::pos2(left - 0.5, 300.0);
    drag(&mut panels, border, border + vec2(70.0, 0.0));
    drop_at(&mut panels, border + vec2(70.0, 0.0));
    assert!((view(&panels).left() - left - 70.0).abs() < 3.0, "{}", view(&panels));
    let kept = view(&panels);
    // another panel takes its room from the view only
    press(&mut panels, Modifiers::NONE, Key::M);
    assert_eq!(view(&panels).left(), kept.left());
    press(&mut panels, Modifiers::NONE, Key::M);
    assert_eq!(view(&panels), kept);
    drop(panels);
    let mut again = open();
    assert!((view(&again).left() - kept.left()).abs() < 1.0);
    // the view gets all additional room of a larger window
    again.set_size(vec2(1920.0, 1080.0));
    again.run();
    assert!((view(&again).left() - kept.left()).abs() < 1.0);
    assert!((view(&again).right() - 1920.0).abs() < 2.0);
}

#[test]
fn panel_places_can_be_chosen_without_dragging() {
    let mut panels = large(&["Perlin"]);
    panels.state_mut().issue(HistoryAction::Toggle);
    panels.run();
    let at = handle(&panels, "History").center();
    assert!(at.x > 900.0);
    panels.get_by_label("Move History").click_secondary();
    panels.run();
    click(&mut panels, "Move to the left");
    let there = handle(&panels, "History");
    assert!(there.left() < 20.0 && there.top() > handle(&panels, "Parameters").top(), "{there}");
    panels.state_mut().issue(PanelAction::Dock("history", DockEdge::Bottom));
    panels.run();
    assert!(handle(&panels, "History").top() > view(&panels).bottom());
    let names = panels.state().editor().panels.as_ref().map(|layout: &PanelLayout| layout.panels().len());
    assert_eq!(names, Some(14), "all panels and the view are in the layout");
    panels.get_by_label("Move History").click_secondary();
    panels.run();
    click(&mut panels, "Close History");
    assert!(panels.query_by_label("Move History").is_none());
}

#[test]
fn the_layer_list_is_as_high_as_its_rows() {
    let mut panels = large(&["Perlin"]);
    let end = |panels: &Panels| widget(panels, Role::Button, "Scene settings").rect().bottom();
    let below = |panels: &Panels| handle(panels, "Parameters").top();
    let left = |panels: &Panels| below(panels) - end(panels);
    assert!((0.0..16.0).contains(&left(&panels)), "{} below the last row", left(&panels));
    let low = below(&panels);
    for name in ["Ridged", "Thermal"] {
        panels.state_mut().editor_mut().doc.add_layer(Node::named(name).unwrap());
    }
    panels.run();
    assert!(below(&panels) > low + 40.0, "the list grows");
    assert!((0.0..16.0).contains(&left(&panels)), "{} below the last row", left(&panels));
    // a long list leaves half of the column to the parameters, and is scrolled
    for _ in 0..20 {
        panels.state_mut().editor_mut().doc.add_layer(Node::named("Perlin").unwrap());
    }
    panels.run();
    let middle = 0.5 * (view(&panels).top() + view(&panels).bottom());
    assert!((below(&panels) - middle).abs() < 40.0, "{} in a window of 720", below(&panels));
    // the user's choice stays
    let border = egui::pos2(150.0, below(&panels) - 0.5);
    drag(&mut panels, border, border - vec2(0.0, 150.0));
    drop_at(&mut panels, border - vec2(0.0, 150.0));
    let chosen = below(&panels);
    assert!((chosen - border.y + 150.0).abs() < 4.0, "{chosen}");
    panels.state_mut().editor_mut().doc.add_layer(Node::named("Perlin").unwrap());
    panels.run();
    assert_eq!(below(&panels), chosen);
}
