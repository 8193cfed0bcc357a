//! Several pieces of a construction, selected and edited together.

use crate::kit::*;
use crate::pieces::{choose, crater, on_screen, row, selected, tree, volcano};
use bevy_egui::egui;
use egui::{Key, Modifiers, PointerButton, Pos2};
use egui_kittest::kittest::Queryable;
use talweg::construction::edit::{PiecePath, pick_index};
use talweg::construction::{MaterialLayer, Piece, PieceKind};
use talweg_app::features::construction::list::TreeState;

/// Clicks with held modifiers.
fn click_with(panels: &mut Panels, at: Pos2, modifiers: Modifiers) {
    panels.hover_at(at);
    panels.run();
    for pressed in [true, false] {
        let button = PointerButton::Primary;
        panels.event_modifiers(egui::Event::PointerButton { pos: at, button, pressed, modifiers }, modifiers);
        panels.run();
    }
    for _ in 0..12 {
        panels.step();
    }
}

fn add(panels: &mut Panels, name: &str, modifiers: Modifiers) {
    let at = row(panels, name).center();
    click_with(panels, at, modifiers);
}

fn chosen(panels: &Panels) -> Vec<String> {
    let tree = tree(panels);
    let pieces = panels.state().get::<TreeState>().selected_pieces();
    pieces.iter().map(|path| path.piece(&tree).unwrap().title()).collect()
}

fn titles(panels: &Panels) -> Vec<String> {
    tree(panels).terrain.children().iter().map(Piece::title).collect()
}

#[test]
fn a_stamp_of_the_library_is_added_to_the_ground() {
    let mut panels = volcano();
    panels.get_by_label("Place oxbow lake stamp").scroll_to_me();
    panels.run();
    click(&mut panels, "Place oxbow lake stamp");
    assert_eq!(panels.state().editor().doc.undo_label(), Some("Place oxbow lake stamp"));
    let PieceKind::Image(image) = selected(&panels).unwrap().kind else { panic!("it is an image") };
    assert_eq!(image.settings.picture.0, "stamp:oxbow-lake");
}

#[test]
fn several_pieces_are_edited_as_one() {
    let mut panels = crater();
    choose(&mut panels, "crater");
    add(&mut panels, "road", Modifiers::SHIFT);
    add(&mut panels, "picture", Modifiers::COMMAND);
    assert_eq!(chosen(&panels), ["crater", "road", "picture"]);
    assert!(panels.query_by_label_contains("3 features are selected").is_some());
    add(&mut panels, "picture", Modifiers::SHIFT);
    assert_eq!(chosen(&panels), ["crater", "road"]);
    // also in the view, beside the handles of the selected picture
    let picture = on_screen(&panels, [3000.0, 5600.0]);
    click_with(&mut panels, picture, Modifiers::SHIFT);
    assert_eq!(chosen(&panels), ["crater", "road", "picture"]);
    click_with(&mut panels, picture, Modifiers::SHIFT);
    assert_eq!(chosen(&panels), ["crater", "road"]);
    let undo = |panels: &mut Panels, label: &str| {
        assert_eq!(panels.state().editor().doc.undo_label(), Some(label));
        press(panels, Modifiers::COMMAND, Key::Z);
        assert_eq!(panels.state().editor().doc.undo_label(), Some("Open"), "{label} is one step");
    };
    let before = tree(&panels);
    let east = |panels: &Panels| {
        let tree = tree(panels);
        let path = |k: usize| PiecePath::material(MaterialLayer::Terrain).child(k);
        [1, 3].map(|k| pick_index::centre(&tree, &path(k)).unwrap()[0])
    };
    // move with the arrow keys
    press(&mut panels, Modifiers::COMMAND, Key::ArrowRight);
    assert_eq!(east(&panels), [5020.0, 4020.0]);
    undo(&mut panels, "Push features");
    press(&mut panels, Modifiers::NONE, Key::H);
    assert!(tree(&panels).terrain.children().iter().map(|piece| piece.hidden).eq([false, true, false, true]));
    undo(&mut panels, "Hide features");
    press(&mut panels, Modifiers::COMMAND, Key::D);
    assert_eq!(titles(&panels), ["plain", "crater", "crater 2", "picture", "road", "road 2"]);
    assert_eq!(chosen(&panels), ["crater 2", "road 2"]);
    undo(&mut panels, "Duplicate features");
    choose(&mut panels, "crater");
    add(&mut panels, "road", Modifiers::SHIFT);
    press(&mut panels, Modifiers::COMMAND, Key::G);
    assert_eq!(titles(&panels), ["plain", "picture", "Blend"]);
    undo(&mut panels, "Group features");
    choose(&mut panels, "crater");
    add(&mut panels, "road", Modifiers::SHIFT);
    press(&mut panels, Modifiers::NONE, Key::Delete);
    assert_eq!(titles(&panels), ["plain", "picture"]);
    undo(&mut panels, "Delete features");
    assert_eq!(tree(&panels), before);
    // the handle belongs to the last selected piece
    choose(&mut panels, "road");
    add(&mut panels, "crater", Modifiers::SHIFT);
    let (from, to) = (on_screen(&panels, [5000.0, 5000.0]), on_screen(&panels, [5600.0, 4400.0]));
    drag(&mut panels, from, to);
    assert!(panels.query_by_label_contains("2 features: Moved").is_some());
    drop_at(&mut panels, to);
    let [crater, road] = east(&panels);
    assert!((crater - 5600.0).abs() < 90.0 && (road - crater + 1000.0).abs() < 1.0, "{crater} {road}");
    undo(&mut panels, "Move features");
    // one locked piece keeps all of them in place
    click(&mut panels, "Lock road");
    press(&mut panels, Modifiers::COMMAND, Key::ArrowRight);
    assert!(panels.query_by_label_contains("Feature “road” is locked").is_some());
    assert_eq!(east(&panels), [5000.0, 4000.0]);
    // Escape selects only the last one, then none
    assert_eq!(chosen(&panels), ["road", "crater"]);
    press(&mut panels, Modifiers::NONE, Key::Escape);
    assert_eq!(chosen(&panels), ["crater"]);
    press(&mut panels, Modifiers::NONE, Key::Escape);
    assert_eq!(chosen(&panels), Vec::<String>::new());
}

#[test]
fn only_sibling_pieces_can_be_grouped() {
    let mut panels = volcano();
    choose(&mut panels, "side crater");
    add(&mut panels, "gullies", Modifiers::SHIFT);
    let before = tree(&panels);
    press(&mut panels, Modifiers::COMMAND, Key::G);
    assert!(panels.query_by_label_contains("only features in the same operator can be grouped").is_some());
    assert_eq!(tree(&panels), before);
}
