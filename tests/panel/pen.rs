//! Drawing lines of pieces in the view.

use std::sync::Arc;

use crate::kit::*;
use crate::pieces::{centre, choose, click_at, crater, on_screen, selected, tree};
use bevy_egui::egui;
use egui::{Key, Modifiers, Pos2};
use egui_kittest::kittest::Queryable;
use talweg::construction::PieceKind;
use talweg::construction::edit::points;

/// Draws with the left button through points in metres of the tree.
fn draw_along(panels: &mut Panels, places: impl Iterator<Item = [f64; 2]>) {
    let at: Vec<Pos2> = places.map(|place| on_screen(panels, place)).collect();
    panels.hover_at(at[0]);
    panels.run();
    panels.drag_at(at[0]);
    panels.run();
    for at in &at[1..] {
        panels.hover_at(*at);
        panels.step();
    }
}

/// Distance of a point from a polyline.
fn distance_to_segment([x, y]: [f64; 2], side: &[[f64; 2]]) -> f64 {
    let ([a, b], [c, d]) = (side[0], side[1]);
    let (east, south) = (c - a, d - b);
    let t = (((x - a) * east + (y - b) * south) / (east * east + south * south)).clamp(0.0, 1.0);
    libm::hypot(a + t * east - x, b + t * south - y)
}

fn lift(panels: &mut Panels, place: [f64; 2]) {
    let at = on_screen(panels, place);
    drop_at(panels, at);
}

#[test]
fn a_line_is_drawn_over_the_view() {
    let mut panels = crater();
    // close the library, which covers the view
    press(&mut panels, Modifiers::NONE, Key::P);
    choose(&mut panels, "road");
    let before = tree(&panels);
    press(&mut panels, Modifiers::SHIFT, Key::D);
    let at = on_screen(&panels, [4000.0, 4000.0]);
    panels.hover_at(at);
    panels.run();
    assert!(panels.query_by_label_contains("Press and drag to draw the line of road").is_some());
    let drawn = panels.state().drawn.unwrap();
    assert!(drawn.primary_taken && !drawn.covered, "the other buttons orbit the view");
    // a click changes neither the line nor the selection
    click_at(&mut panels, at);
    assert!(Arc::ptr_eq(&before, &tree(&panels)) && selected(&panels).unwrap().name == "road");
    // north of the dam under the road, because the terrain behind the dam is hidden
    let wave = |k: usize| {
        let t = k as f64 / 80.0;
        [1500.0 + 5000.0 * t, 1400.0 + 600.0 * libm::sin(7.0 * t)]
    };
    // Escape discards an unfinished line and stops drawing
    draw_along(&mut panels, (0..40).map(wave));
    assert!(panels.query_by_label_contains("Release to apply the line to road").is_some());
    press(&mut panels, Modifiers::NONE, Key::Escape);
    lift(&mut panels, wave(39));
    assert!(Arc::ptr_eq(&before, &tree(&panels)) && !panels.state().drawn.as_ref().unwrap().primary_taken);
    choose(&mut panels, "road");
    press(&mut panels, Modifiers::SHIFT, Key::D);
    draw_along(&mut panels, (0..=80).map(wave));
    lift(&mut panels, wave(80));
    let road = selected(&panels).unwrap();
    let line = points::centreline(&road).unwrap().path.line();
    let count = points::handles(&road).len();
    assert!((4..=14).contains(&count), "{count} points");
    for k in 0..=80 {
        let [x, y] = wave(k);
        let away = line.windows(2).map(|side| distance_to_segment([x, y], side)).fold(f64::INFINITY, f64::min);
        assert!(away < 50.0, "{away} m at {x}, {y}");
    }
    let ends = points::handles(&road);
    assert!(ends[0][0] < 1600.0 && ends[count - 1][0] > 6400.0, "{ends:?}");
    // heights are transferred by the fraction of the length
    let heights: Vec<f32> = points::line(&road).unwrap().iter().map(|point| point.height).collect();
    assert!(heights.windows(2).all(|pair| pair[0] < pair[1]) && heights[0] == 900.0, "{heights:?}");
    assert_eq!(panels.state().editor().doc.undo_label(), Some("Draw line"));
    press(&mut panels, Modifiers::COMMAND, Key::Z);
    assert_eq!((tree(&panels) == before, panels.state().editor().doc.undo_label()), (true, Some("Open")), "one step");
    // with Conform to terrain, the line takes the height of the terrain
    press(&mut panels, Modifiers::SHIFT, Key::N);
    draw_along(&mut panels, (0..=80).map(wave));
    lift(&mut panels, wave(80));
    let road = selected(&panels).unwrap();
    assert!(points::line(&road).unwrap().iter().all(|point| (point.height - 200.0).abs() < 1.0), "{road:?}");
    // the same key stops drawing
    press(&mut panels, Modifiers::SHIFT, Key::D);
    assert!(!panels.state().drawn.as_ref().unwrap().primary_taken);
}

#[test]
fn outlines_are_drawn_or_refused_with_a_reason() {
    let mut panels = crater();
    // close the library, which covers the view
    press(&mut panels, Modifiers::NONE, Key::P);
    choose(&mut panels, "crater");
    press(&mut panels, Modifiers::SHIFT, Key::D);
    let before = tree(&panels);
    let angle = |k: usize| k as f64 / 60.0 * std::f64::consts::TAU;
    let eight = |k: usize| [4500.0 + 1200.0 * libm::sin(angle(k)), 4500.0 + 700.0 * libm::sin(2.0 * angle(k))];
    draw_along(&mut panels, (0..=60).map(eight));
    lift(&mut panels, eight(60));
    assert!(panels.query_by_label_contains("The line was not changed: the outline would cross").is_some());
    assert_eq!(tree(&panels), before);
    let oval = |k: usize| [4500.0 + 1200.0 * libm::cos(angle(k)), 4000.0 + 700.0 * libm::sin(angle(k))];
    draw_along(&mut panels, (0..=60).map(oval));
    lift(&mut panels, oval(60));
    let PieceKind::Contour(contour) = selected(&panels).unwrap().kind else { panic!("it is a contour") };
    assert!((5..=16).contains(&contour.points.len()), "{} points", contour.points.len());
    let [x, y] = centre(&panels);
    assert!((x - 4500.0).abs() < 60.0 && (y - 4000.0).abs() < 60.0, "{x} {y}");
    press(&mut panels, Modifiers::NONE, Key::Escape);
    // locked pieces and pieces without a line give a message
    click(&mut panels, "Lock crater");
    press(&mut panels, Modifiers::SHIFT, Key::D);
    assert!(panels.query_by_label_contains("unlock it to redraw its line").is_some());
    choose(&mut panels, "plain");
    press(&mut panels, Modifiers::SHIFT, Key::D);
    assert!(panels.query_by_label_contains("The feature has no line").is_some());
    assert!(!panels.state().drawn.as_ref().unwrap().primary_taken);
}
