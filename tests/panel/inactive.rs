//! Parameters without effect are grey, and their tooltips name the reason.

use crate::kit::*;
use bevy_egui::egui;
use egui::accesskit::Role;
use egui_kittest::kittest::{NodeT, Queryable};
use talweg::nodes::Node;
use talweg::param::Value;
use talweg::scene::Mask;
use talweg_app::frame::document::Group;
use talweg_app::frame::widgets::inactive::{GroupRows, MOST_IN_PLACE, reason};

/// Panels with a river on a triangle. Its entry, exit, tributaries and forks have no effect.
fn triangle_river() -> Panels {
    let mut panels = large(&["SquigRiver"]);
    set(&mut panels, "layout", 1);
    assert_eq!(panels.state().value(0, "layout"), Value::Choice(1));
    panels
}

fn set(panels: &mut Panels, name: &str, choice: usize) {
    let index = Node::named("SquigRiver").unwrap().about().find(name).unwrap();
    panels.state_mut().editor_mut().doc.set(Group::Node(0), index, &Value::Choice(choice), None);
    panels.run();
}

fn is_grey(panels: &Panels, role: Role, label: &str) -> bool {
    widget(panels, role, label).accesskit_node().is_disabled()
}

/// Whether any text on screen contains `text`.
fn is_told(panels: &Panels, text: &str) -> bool {
    panels.query_all_by_label_contains(text).count() + panels.query_all_by_value(text).count() > 0
}

/// Keeps the pointer over a widget until its tooltip is open.
fn rest_on(panels: &mut Panels, role: Role, label: &str) {
    let at = widget(panels, role, label).rect().center();
    panels.hover_at(at);
    panels.run_steps(30);
}

#[test]
fn a_grey_row_cannot_be_changed_and_names_the_reason() {
    let mut panels = triangle_river();
    assert!(is_grey(&panels, Role::ComboBox, "Entry"));
    assert!(!is_grey(&panels, Role::ComboBox, "Layout"));
    let before = panels.state().value(0, "entry");
    widget(&panels, Role::ComboBox, "Entry").click();
    panels.run();
    assert!(panels.query_by_role_and_label(Role::Button, "East").is_none(), "the list of a grey row does not open");
    assert_eq!(panels.state().value(0, "entry"), before);
    let rail = widget(&panels, Role::Slider, "Tributaries").rect();
    let tributaries = panels.state().value(0, "tributaries");
    drag(&mut panels, rail.left_center(), rail.right_center());
    drop_at(&mut panels, rail.right_center());
    assert_eq!(panels.state().value(0, "tributaries"), tributaries, "a grey slider does not move");
    assert!(!is_told(&panels, "Has no effect"), "no row is under the pointer for long");
    rest_on(&mut panels, Role::ComboBox, "Entry");
    assert!(is_told(&panels, "Has no effect while Layout is Triangle."));
    rest_on(&mut panels, Role::ComboBox, "Layout");
    assert!(!is_told(&panels, "Has no effect"), "an active row has no such reason");
}

#[test]
fn a_grey_row_becomes_active_with_the_other_parameter() {
    let mut panels = triangle_river();
    assert!(is_grey(&panels, Role::ComboBox, "Entry"));
    choose_item(&mut panels, "Layout", "Square");
    assert!(!is_grey(&panels, Role::ComboBox, "Entry"));
    choose_item(&mut panels, "Entry", "East");
    assert_eq!(panels.state().value(0, "entry"), Value::Choice(1));
    choose_item(&mut panels, "Layout", "Triangle");
    assert!(is_grey(&panels, Role::ComboBox, "Entry"));
    assert_eq!(panels.state().value(0, "entry"), Value::Choice(1), "a grey row keeps its value");
}

#[test]
fn many_parameters_without_effect_are_in_a_closed_section() {
    let mut panels = large(&["SquigRiver"]);
    let paper = panels.state().editor().doc.scene().layers[0].node.about();
    let banks = paper.find("banks").unwrap();
    panels.state_mut().editor_mut().doc.set(Group::Node(0), banks, &Value::Choice(1), None);
    panels.run();
    let rows = GroupRows::new(panels.state().editor().doc.scene().layers[0].node.params(), |_| true);
    assert!(rows.in_section.len() > MOST_IN_PLACE, "{:?}", rows.in_section);
    assert!(rows.in_place.iter().all(|(_, matters)| *matters));
    assert!(panels.query_by_role_and_label(Role::Slider, "Detail").is_none());
    let title = format!("Without effect ({})", rows.in_section.len());
    panels.get_by_label(&title).scroll_to_me();
    panels.run();
    click(&mut panels, &title);
    panels.run_steps(20);
    widget(&panels, Role::Slider, "Detail").scroll_to_me();
    panels.run_steps(20);
    assert!(is_grey(&panels, Role::Slider, "Detail"));
    rest_on(&mut panels, Role::Slider, "Detail");
    assert!(is_told(&panels, "Has no effect while Banks is "));
}

/// Every reason has the labels of the panel, not the names in files.
#[test]
fn every_reason_names_what_the_panel_shows() {
    let mut checked = 0;
    for mut node in Node::catalogue() {
        for (index, spec) in node.about().params.iter().enumerate() {
            let Some(reason) = reason(node.params_mut(), index) else { continue };
            let words = reason.strip_prefix("Has no effect while ").and_then(|rest| rest.strip_suffix('.'));
            let is_file = spec.name.starts_with("raw_");
            let starts_with_label = |text: &str| {
                node.about()
                    .params
                    .iter()
                    .any(|other| other.name != spec.name && text.starts_with(other.label.trim_end_matches(" metres")))
            };
            let is_named = words.is_some_and(|words| words.split(" and ").any(starts_with_label));
            assert!(is_file || is_named, "{} {}: {reason}", node.about().name, spec.name);
            assert!(!reason.contains(['_', '`']), "{} {}: {reason}", node.about().name, spec.name);
            checked += 1;
        }
    }
    assert!(checked > 50, "{checked}");
    let mut mask = Mask::default();
    let find = |name: &str| talweg::param::Params::about(&Mask::default()).find(name).unwrap();
    assert_eq!(reason(&mut mask, find("slope_to")).as_deref(), Some("Has no effect while By slope is off."));
    let two = reason(&mut mask, find("layer_data")).unwrap();
    assert!(two.contains("By layer is off and ") || two.contains(" and By layer is off"), "{two}");
}
