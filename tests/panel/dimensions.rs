//! Dimensions of pieces that are dragged in the view: radii, widths, steps and arms; also lines of copies and contours.

use crate::kit::*;
use crate::pieces::{choose, crater, look, on_screen, selected, tree};
use bevy_egui::egui;
use egui::accesskit::Role;
use egui::{Key, Modifiers, vec2};
use egui_kittest::kittest::Queryable;
use talweg::construction::edit::dimensions::{PieceDimension, dimensions};
use talweg::construction::edit::transform_path::TransformPath;
use talweg::construction::operators::array::Arrangement;
use talweg::construction::operators::scatter::ScatterRegion;
use talweg::construction::{Piece, PieceKind, Tree};
use talweg_app::features::construction::list::TreeState;

/// Position of a dimension's handle of the selected piece, in metres of the tree.
fn place_of(panels: &Panels, dimension: PieceDimension) -> [f64; 2] {
    let path = panels.state().get::<TreeState>().selected().unwrap().clone();
    let transform = TransformPath::for_piece(&tree(panels), &path, panels.state().editor().doc.tree_seed(0));
    let found = dimensions(&selected(panels).unwrap(), 1000.0);
    transform.outward(found.into_iter().find(|(other, _)| *other == dimension).unwrap().1)
}

/// Drags the handle of a dimension by metres and releases it.
fn drag_dimension(panels: &mut Panels, dimension: PieceDimension, [east, south]: [f64; 2]) {
    let [x, y] = place_of(panels, dimension);
    let (from, to) = (on_screen(panels, [x, y]), on_screen(panels, [x + east, y + south]));
    drag(panels, from, to);
    drop_at(panels, to);
}

fn form(panels: &Panels) -> PieceKind {
    selected(panels).unwrap().kind
}

#[test]
fn a_radius_is_dragged_in_one_step() {
    let mut panels = crater();
    choose(&mut panels, "crater");
    let at = place_of(&panels, PieceDimension::Radius);
    assert_eq!(at, [5600.0, 5000.0]);
    let at = on_screen(&panels, at);
    panels.hover_at(at);
    panels.run();
    assert!(panels.query_by_label_contains("Radius 600 m; drag to change it").is_some());
    drag_dimension(&mut panels, PieceDimension::Radius, [400.0, 0.0]);
    let radius = |panels: &Panels| match form(panels) {
        PieceKind::Contour(contour) => contour.settings.radius,
        _ => 0.0,
    };
    assert!((radius(&panels) - 1000.0).abs() < 60.0, "{}", radius(&panels));
    assert_eq!(panels.state().editor().doc.undo_label(), Some("Change size"));
    press(&mut panels, Modifiers::COMMAND, Key::Z);
    assert_eq!(radius(&panels), 600.0);
}

#[test]
fn arrays_and_scatters_of_the_library_are_sized_in_the_view() {
    let mut panels = crater();
    for item in ["Place hill ring", "Place boulders", "Place craters"] {
        assert!(panels.query_by_label(item).is_some(), "{item}");
    }
    click(&mut panels, "Place boulders");
    look(&mut panels);
    let PieceKind::Scatter(before) = form(&panels) else { panic!("scattered boulders") };
    drag_dimension(&mut panels, PieceDimension::Radius, [500.0, 0.0]);
    let PieceKind::Scatter(after) = form(&panels) else { panic!("scattered boulders") };
    let wider = after.settings.radius - before.settings.radius;
    assert!((wider - 500.0).abs() < 60.0, "{wider}");
    // the line appears as soon as the region is chosen
    widget(&panels, Role::ComboBox, "Region").click();
    panels.run();
    click(&mut panels, "Along a curve");
    let PieceKind::Scatter(along) = form(&panels) else { panic!("scattered boulders") };
    assert_eq!((along.settings.region, along.points.len()), (ScatterRegion::Curve, 3));
    drag_dimension(&mut panels, PieceDimension::Width, [0.0, 700.0]);
    let PieceKind::Scatter(wide) = form(&panels) else { panic!("scattered boulders") };
    assert!((wide.settings.width - along.settings.width - 700.0).abs() < 60.0, "{}", wide.settings.width);

    let strewn = selected(&panels);
    click(&mut panels, "Place hill ring");
    let mut found = false;
    tree(&panels).terrain.visit(&mut |piece| found |= Some(piece) == strewn.as_ref());
    assert!(found, "the next piece is placed beside the copies and is not repeated");
    let PieceKind::Array(ring) = form(&panels) else { panic!("hills in a ring") };
    assert_eq!(ring.settings.arrangement, Arrangement::Radial);
    assert!(!dimensions(&Piece::new(PieceKind::Array(ring)), 1.0).is_empty());
}

#[test]
fn a_placement_is_stretched_and_sheared_by_its_arms() {
    let mut panels = crater();
    let text = r#"(terrain: (form: Blend(of: [
        (name: "leaning", form: Place(settings: (pivot_x: 4000.0, pivot_y: 4000.0), of: [
            (name: "plain", form: Disc(x: 4000.0, y: 4000.0, radius: 3000.0, core: 0.9, surface: Level)),
        ])),
    ])))"#;
    panels.state_mut().editor_mut().doc.edit_tree(0, "Open", None, Tree::from_ron(text).unwrap());
    panels.run();
    look(&mut panels);
    choose(&mut panels, "leaning");
    let settings = |panels: &Panels| match form(panels) {
        PieceKind::Place(group) => group.settings,
        _ => panic!("a placement"),
    };
    drag_dimension(&mut panels, PieceDimension::StretchX, [500.0, 0.0]);
    assert!((settings(&panels).stretch_x - 1.5).abs() < 0.06, "{}", settings(&panels).stretch_x);
    drag_dimension(&mut panels, PieceDimension::StretchY, [1000.0, 0.0]);
    let now = settings(&panels);
    assert!((now.shear_angle - 45.0).abs() < 3.0 && (now.stretch_y - 1.0).abs() < 0.06, "{now:?}");
}

#[test]
fn an_outline_drag_that_would_self_cross_is_refused() {
    // high enough to show all rows
    let mut panels = panels(vec2(1280.0, 1400.0), &["Construction"]);
    let bow = r#"(terrain: (form: Blend(of: [
        (name: "bow", form: Contour(points: [(500.0, 0.0), (-400.0, 300.0), (400.0, 300.0), (-500.0, 0.0)])),
    ])))"#;
    panels.state_mut().editor_mut().doc.edit_tree(0, "Open", None, Tree::from_ron(bow).unwrap());
    panels.run();
    choose(&mut panels, "bow");
    let before = tree(&panels);
    widget(&panels, Role::ComboBox, "Outline").click();
    panels.run();
    click(&mut panels, "Straight");
    assert_eq!(tree(&panels), before);
    assert!(panels.query_by_label_contains("Not changed: the outline would cross or touch itself").is_some());
}
