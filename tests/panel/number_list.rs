//! Lists of numbers: the field of a disc's octaves.

use crate::kit::*;
use crate::pieces::{click_at, on_screen, selected, volcano};
use bevy_egui::egui;
use egui::accesskit::Role;
use egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable;
use talweg::construction::PieceKind;

#[test]
fn a_list_of_numbers_is_typed_in_its_field() {
    let mut panels = volcano();
    click(&mut panels, "Place hills");
    let at = on_screen(&panels, [4000.0, 4000.0]);
    click_at(&mut panels, at);
    let heights = |panels: &Panels| match selected(panels).map(|piece| piece.kind) {
        Some(PieceKind::Disc(disc)) => disc.octave_heights.0,
        _ => panic!("no disc is selected"),
    };
    let type_list = |panels: &mut Panels, typed: &str| {
        let field = panels.get_by_role_and_label(Role::TextInput, "Size heights");
        field.scroll_to_me();
        panels.run();
        let at = panels.get_by_role_and_label(Role::TextInput, "Size heights").rect().center();
        click_at(panels, at);
        press(panels, Modifiers::COMMAND, Key::A);
        panels.event(egui::Event::Text(typed.into()));
        panels.run();
        press(panels, Modifiers::NONE, Key::Enter);
        panels.run();
    };
    type_list(&mut panels, "90 40.5 -15");
    assert_eq!(heights(&panels), [90.0, 40.5, -15.0]);
    type_list(&mut panels, "90 much");
    assert_eq!(heights(&panels), [90.0, 40.5, -15.0], "the list is unchanged");
    let told: Vec<String> = panels.state().editor().toasts.messages().map(|(_, text)| text.to_string()).collect();
    assert!(told.iter().any(|text| text.contains("“much” is not a number. Size heights was not changed.")), "{told:?}");
    press(&mut panels, Modifiers::COMMAND, Key::Z);
    assert_eq!(heights(&panels), [0.0; 0], "one step of the history");
}
