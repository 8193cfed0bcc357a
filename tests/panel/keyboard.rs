//! The editor without a pointer: focus, panels, long windows, and a layer from its addition to its deletion.

use crate::kit::*;
use bevy_egui::egui::accesskit::Role;
use bevy_egui::egui::{Event, Key, Modifiers, vec2};
use egui_kittest::kittest::{By, NodeT, Queryable};
use talweg::param::Value;
use talweg::scene::Scene;

/// Role and label of the widget with the focus.
fn focused(panels: &Panels) -> Option<(Role, String)> {
    let node = panels.query(By::new().predicate(|node| node.is_focused_in_tree()))?;
    let node = node.accesskit_node();
    Some((node.role(), node.label().unwrap_or_default()))
}

fn plain(panels: &mut Panels, key: Key) {
    press(panels, Modifiers::NONE, key);
}

#[test]
fn a_layer_is_added_changed_moved_and_saved_by_keys() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys.ron");
    let mut panels = large(&["Perlin", "Terrace"]);
    panels.state_mut().editor_mut().doc.save(&path).unwrap();
    press(&mut panels, Modifiers::SHIFT, Key::A);
    panels.event(Event::Text("thermal".into()));
    panels.run();
    plain(&mut panels, Key::Enter);
    panels.run();
    assert_eq!(panels.state().names().len(), 3);
    let (added, name) = (panels.state().editor().doc.selected_layer().unwrap(), panels.state().names()[2].clone());
    assert_eq!(added, 2, "above the selected layer");
    assert_eq!(focused(&panels), None, "Space still plays the erosion");
    // one Tab to the first parameter
    plain(&mut panels, Key::Tab);
    let (role, first) = focused(&panels).expect("a parameter has the focus");
    let spec = panels.state().editor().doc.scene().layers[2].node.about().params[0].clone();
    assert!(role == Role::Slider && first.contains(&*spec.label), "{role:?} {first}");
    let before = panels.state().value(2, spec.name);
    plain(&mut panels, Key::ArrowRight);
    let changed = panels.state().value(2, spec.name);
    assert_ne!(before, changed);
    // the next Tab leads to the number field of the same parameter
    plain(&mut panels, Key::Tab);
    let (role, field) = focused(&panels).expect("the field has the focus");
    assert!(role != Role::Slider && field == first, "{role:?} {field}");
    plain(&mut panels, Key::Escape);
    press(&mut panels, Modifiers::ALT, Key::ArrowDown);
    assert_eq!(panels.state().names()[1], name, "moved below the terraces");
    press(&mut panels, Modifiers::COMMAND, Key::S);
    let (saved, warnings) = Scene::load(&path).unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
    assert_eq!(saved.layers[1].name, name);
    assert!(matches!(changed, Value::Int(_) | Value::Float(_)), "{changed:?}");
    assert_eq!(saved.layers[1].node.params().get(0), changed);
    plain(&mut panels, Key::Delete);
    assert_eq!(panels.state().names().len(), 2);
    press(&mut panels, Modifiers::COMMAND, Key::S);
    assert_eq!(Scene::load(&path).unwrap().0.layers.len(), 2);
}

#[test]
fn f6_jumps_from_panel_to_panel() {
    let mut panels = large(&["Perlin"]);
    plain(&mut panels, Key::F10);
    plain(&mut panels, Key::Escape);
    let mut visited = Vec::new();
    for _ in 0..3 {
        plain(&mut panels, Key::F6);
        visited.push(focused(&panels).expect("a control of the panel"));
    }
    assert!(visited.iter().any(|(role, _)| *role == Role::Slider), "the first parameter: {visited:?}");
    assert!(visited.iter().any(|(_, label)| label == "Layer costs" || label == "Add layer"), "{visited:?}");
    assert_ne!(visited[0], visited[1]);
    press(&mut panels, Modifiers::SHIFT, Key::F6);
    assert_eq!(focused(&panels).as_ref(), Some(&visited[1]));
}

#[test]
fn page_keys_scroll_the_list_of_shortcuts() {
    let mut panels = panels(vec2(1000.0, 500.0), &["Perlin"]);
    plain(&mut panels, Key::F1);
    panels.run();
    let first_line = |panels: &Panels| panels.get_by_role_and_label(Role::Label, "Open…").rect().min.y;
    let top = first_line(&panels);
    plain(&mut panels, Key::PageDown);
    let paged = first_line(&panels);
    assert!(paged < top - 100.0, "{paged} {top}");
    plain(&mut panels, Key::End);
    let end = first_line(&panels);
    assert!(end < paged, "{end} {paged}");
    plain(&mut panels, Key::PageUp);
    assert!(first_line(&panels) > end + 100.0);
    plain(&mut panels, Key::Home);
    assert_eq!(first_line(&panels), top);
}
