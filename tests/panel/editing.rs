//! Layers, parameters, menus, shortcuts, files and messages.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use crate::kit::*;
use bevy_egui::egui;
use egui::accesskit::Role;
use egui::{Key, Modifiers, Rect, vec2};
use egui_kittest::kittest::{NodeT, Queryable};
use talweg::eval::RequestQuality;
use talweg::field::{Control, Edges, MapKind, Terrain};
use talweg::nodes::Node;
use talweg::param::{ParamKind, Params, Value};
use talweg::preferences::UnitSystem;
use talweg::scene::SunPlacement;
use talweg_app::features::brush::BrushAction;
use talweg_app::features::construction::{PieceAction, PieceView};
use talweg_app::frame::commands::FileAction;
use talweg_app::frame::document::Selection;
use talweg_app::frame::status::{LayerProgress, StatusInfo, UnderCursor};
use talweg_app::frame::toasts::Kind as ToastKind;
use talweg_app::frame::widgets::inactive::GroupRows;
use talweg_app::view::{Overlay, OverlayChoice, SquareTerrain, TreeRecipe, Unsupported, ViewCommand, ViewMode};

#[test]
fn a_layer_is_added_through_the_menu_of_categories() {
    let mut panels = large(&[]);
    assert!(panels.query_by_label_contains("Add a generator to begin").is_some());
    click(&mut panels, "Add layer");
    assert!(panels.query_by_label("Noise").is_some(), "the menu is by category");
    click(&mut panels, "Add Perlin noise");
    assert_eq!(panels.state().names(), ["Perlin noise"]);
    assert_eq!(panels.state().editor().doc.selection(), Selection::Layer(0));
    assert_eq!(panels.state().requests.last().unwrap().scene.layers.len(), 1);
    assert!(panels.query_by_label("Add Perlin noise").is_none(), "the menu is closed");
}

#[test]
fn the_menu_is_searched_by_name_and_enter_takes_the_first() {
    let mut panels = large(&["Perlin"]);
    press(&mut panels, Modifiers::SHIFT, Key::A);
    panels.get_by_role_and_label(Role::TextInput, "Search nodes").type_text("voronoi");
    panels.run();
    assert!(panels.query_by_label("Add Voronoi").is_some());
    assert!(panels.query_by_label("Add Perlin noise").is_none());
    press(&mut panels, Modifiers::NONE, Key::Enter);
    assert_eq!(panels.state().names(), ["Perlin noise", "Voronoi"]);
}

#[test]
fn a_slider_drag_is_one_undo_step_with_previews() {
    let mut panels = large(&["Perlin"]);
    let before = panels.state().value(0, "octaves");
    panels.state_mut().requests.clear();
    let rail = widget(&panels, Role::Slider, "Octaves").rect();
    drag(&mut panels, rail.center(), rail.right_center() - vec2(6.0, 0.0));
    assert!(!panels.state().requests.is_empty());
    assert!(panels.state().requests.iter().all(|request| request.quality == RequestQuality::Preview));
    drop_at(&mut panels, rail.right_center() - vec2(6.0, 0.0));
    assert_eq!(panels.state().requests.last().unwrap().quality, RequestQuality::PreviewThenFull);
    let after = panels.state().value(0, "octaves");
    assert_ne!(before, after);
    assert_eq!(panels.state().editor().doc.undo_label(), Some("Change octaves"));
    press(&mut panels, Modifiers::COMMAND, Key::Z);
    assert_eq!(panels.state().value(0, "octaves"), before);
    assert_eq!(panels.state().editor().doc.undo_label(), Some("Add Perlin noise"), "one step only");
    press(&mut panels, Modifiers::COMMAND | Modifiers::SHIFT, Key::Z);
    assert_eq!(panels.state().value(0, "octaves"), after);
}

#[test]
fn typed_values_pass_the_slider_and_stop_at_the_hard_range() {
    let mut panels = large(&["Perlin"]);
    for (typed, taken) in [("200", 200.0), ("99999", 256.0), ("nonsense", 256.0), ("0,5", 0.5)] {
        let field = widget(&panels, Role::SpinButton, "Frequency").rect().center();
        panels.hover_at(field);
        panels.drag_at(field);
        panels.drop_at(field);
        panels.run();
        panels.event(egui::Event::Text(typed.into()));
        panels.run();
        press(&mut panels, Modifiers::NONE, Key::Enter);
        assert_eq!(panels.state().value(0, "frequency"), Value::Float(taken), "after typing {typed}");
    }
}

#[test]
fn fractions_are_shown_and_typed_in_percent() {
    let mut panels = panels(vec2(1280.0, 900.0), &["Perlin", "Thermal"]);
    let shown = |panels: &Panels| widget(panels, Role::SpinButton, "Rate").accesskit_node().value();
    assert_eq!(shown(&panels).as_deref(), Some("30%"));
    for (typed, taken, said) in [("45", 0.45, "45%"), ("7 %", 0.07, "7%"), ("0,5", 0.005, "0.5%"), ("300", 1.0, "100%")]
    {
        let field = widget(&panels, Role::SpinButton, "Rate").rect().center();
        panels.hover_at(field);
        panels.drag_at(field);
        panels.drop_at(field);
        panels.run();
        panels.event(egui::Event::Text(typed.into()));
        panels.run();
        press(&mut panels, Modifiers::NONE, Key::Enter);
        assert_eq!(panels.state().value(1, "rate"), Value::Float(taken), "after typing {typed}");
        assert_eq!(shown(&panels).as_deref(), Some(said), "after typing {typed}");
    }
}

#[test]
fn double_click_and_context_menu_reset() {
    let mut panels = large(&["Perlin"]);
    let set = |panels: &mut Panels| {
        panels.state_mut().editor_mut().doc.set(
            talweg_app::frame::document::Group::Node(0),
            0,
            &Value::Float(20.0),
            None,
        );
        panels.run();
    };
    let spec = &Node::named("Perlin").expect("in the catalogue").about().params[0];
    let default = spec.default.clone();
    set(&mut panels);
    let labels = egui_kittest::kittest::by().role(Role::Label).value("Frequency").include_labels();
    let at = panels.get(labels).rect().center();
    for _ in 0..2 {
        panels.hover_at(at);
        panels.drag_at(at);
        panels.event(egui::Event::PointerButton {
            pos: at,
            button: egui::PointerButton::Primary,
            pressed: false,
            modifiers: Modifiers::NONE,
        });
    }
    panels.run();
    assert_eq!(panels.state().value(0, "frequency"), default, "double click on the label");
    set(&mut panels);
    widget(&panels, Role::Slider, "Frequency").click_secondary();
    panels.run();
    click(&mut panels, &format!("Reset to {}", spec.show(&default)));
    assert_eq!(panels.state().value(0, "frequency"), default, "context menu of the slider");
}

#[test]
fn layers_are_reordered_by_dragging() {
    let mut panels = large(&["Perlin", "Terrace", "Thermal"]);
    assert_eq!(panels.state().names(), ["Perlin noise", "Terraces", "Thermal erosion"]);
    let row = |panels: &Panels, name: &str| row_rect(panels, name);
    let (top, bottom) = (row(&panels, "Thermal erosion"), row(&panels, "Perlin noise"));
    assert!(top.top() < bottom.top(), "the topmost layer is listed first");
    drag(&mut panels, top.center(), bottom.center() + vec2(0.0, 6.0));
    drop_at(&mut panels, bottom.center() + vec2(0.0, 6.0));
    assert_eq!(panels.state().names(), ["Thermal erosion", "Perlin noise", "Terraces"]);
    assert_eq!(panels.state().editor().doc.undo_label(), Some("Reorder layers"));
}

fn row_rect(panels: &Panels, name: &str) -> Rect {
    let rows: Vec<Rect> = panels.get_all_by_role_and_label(Role::Button, name).map(|node| node.rect()).collect();
    rows.into_iter().max_by(|a, b| a.width().total_cmp(&b.width())).unwrap()
}

#[test]
fn rename_duplicate_hide_solo_and_delete_from_the_keyboard() {
    let mut panels = large(&["Perlin", "Terrace"]);
    press(&mut panels, Modifiers::NONE, Key::F2);
    panels.event(egui::Event::Text("Steps".into()));
    panels.run();
    press(&mut panels, Modifiers::NONE, Key::Enter);
    assert_eq!(panels.state().names(), ["Perlin noise", "Steps"]);
    press(&mut panels, Modifiers::NONE, Key::F2);
    for letter in ["S", "t", "a", "i", "r", "s"] {
        panels.event(egui::Event::Text(letter.into()));
        panels.run();
    }
    press(&mut panels, Modifiers::NONE, Key::Enter);
    assert_eq!(panels.state().names(), ["Perlin noise", "Stairs"], "typed letter by letter");
    press(&mut panels, Modifiers::NONE, Key::F2);
    panels.event(egui::Event::Text("Nothing".into()));
    panels.run();
    press(&mut panels, Modifiers::NONE, Key::Escape);
    assert_eq!(panels.state().names(), ["Perlin noise", "Stairs"], "Escape keeps the name");
    panels.state_mut().editor_mut().doc.rename_layer(1, "Steps");
    press(&mut panels, Modifiers::COMMAND, Key::D);
    assert_eq!(panels.state().names(), ["Perlin noise", "Steps", "Steps copy"]);
    press(&mut panels, Modifiers::NONE, Key::H);
    assert!(!panels.state().editor().doc.scene().layers[2].enabled);
    press(&mut panels, Modifiers::SHIFT, Key::S);
    assert_eq!(panels.state().editor().doc.solo(), Some(2));
    press(&mut panels, Modifiers::NONE, Key::Delete);
    assert_eq!(panels.state().names(), ["Perlin noise", "Steps"]);
    assert_eq!(panels.state().editor().doc.solo(), None);
    press(&mut panels, Modifiers::NONE, Key::ArrowDown);
    assert_eq!(panels.state().editor().doc.selection(), Selection::Layer(0));
}

#[test]
fn letters_typed_into_a_field_are_no_shortcuts() {
    let mut panels = large(&["Perlin"]);
    press(&mut panels, Modifiers::NONE, Key::F2);
    press(&mut panels, Modifiers::NONE, Key::H);
    press(&mut panels, Modifiers::NONE, Key::Delete);
    assert!(panels.state().editor().doc.scene().layers[0].enabled);
    assert_eq!(panels.state().names().len(), 1);
    panels.event(egui::Event::Text("Hills".into()));
    panels.run();
    press(&mut panels, Modifiers::COMMAND, Key::D);
    assert_eq!(panels.state().names(), ["Hills", "Hills copy"], "the text is applied before the command");
}

#[test]
fn the_eye_hides_and_solo_shows_alone() {
    let mut panels = large(&["Perlin", "Ridged"]);
    click(&mut panels, "Hide Perlin noise");
    assert!(!panels.state().editor().doc.scene().layers[0].enabled);
    click(&mut panels, "Solo Ridged noise");
    let shown: Vec<bool> = panels.state().requests.last().unwrap().scene.layers.iter().map(|l| l.enabled).collect();
    assert_eq!(shown, [false, true]);
    click(&mut panels, "Solo Ridged noise");
    // as in Photoshop, Alt and a click on the eye show one layer alone
    panels.get_by_label("Hide Ridged noise").click_modifiers(Modifiers::ALT);
    panels.run();
    assert_eq!(panels.state().editor().doc.solo(), Some(1));
}

#[test]
fn transport_buttons_move_the_playhead() {
    let mut panels = large(&["Perlin", "Thermal"]);
    panels.state_mut().requests.clear();
    click(&mut panels, "Jump to start");
    let request = panels.state().requests.last().unwrap().clone();
    assert_eq!((request.quality, request.playhead.unwrap().iteration), (RequestQuality::Full, 0));
    click(&mut panels, "Step forward");
    assert_eq!(panels.state().editor().doc.iteration(), 1);
    press(&mut panels, Modifiers::NONE, Key::Space);
    assert!(panels.state().requests.last().unwrap().play.is_some());
    click(&mut panels, "As fast as possible");
    assert_eq!(panels.state().requests.last().unwrap().play.unwrap().speed, None);
    press(&mut panels, Modifiers::NONE, Key::Escape);
    assert!(!panels.state().editor().doc.transport().is_playing());
    assert_eq!(panels.state().effects, [Effect::Cancel]);
    let rail = widget(&panels, Role::Slider, "Iteration").rect();
    drag(&mut panels, rail.left_center() + vec2(8.0, 0.0), rail.center());
    assert_eq!(panels.state().requests.last().unwrap().quality, RequestQuality::Full, "scrubbing");
    drop_at(&mut panels, rail.center());
    click(&mut panels, "Perlin noise");
    assert!(panels.query_by_label("Jump to start").is_some(), "the playhead still stands on the erosion");
    click(&mut panels, "Jump to end");
    assert_eq!(panels.state().editor().doc.played(), Some((0, 9)), "the octaves of the selected noise");
}

#[test]
fn unsaved_changes_need_confirmation() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hills.ron");
    let mut panels = large(&["Perlin"]);
    press(&mut panels, Modifiers::COMMAND, Key::N);
    assert!(panels.query_by_label_contains("Save the changes to").is_some());
    press(&mut panels, Modifiers::SHIFT, Key::S);
    assert_eq!(panels.state().editor().doc.solo(), None, "no shortcuts behind a dialog");
    click(&mut panels, "Cancel");
    assert_eq!(panels.state().names().len(), 1);
    panels.state_mut().editor_mut().doc.save(&path).unwrap();
    press(&mut panels, Modifiers::COMMAND, Key::D);
    panels.state_mut().issue(FileAction::Quit);
    panels.run();
    assert!(panels.state().effects.is_empty());
    click(&mut panels, "Save");
    assert_eq!(panels.state().effects, [Effect::Quit], "saved to its file, then quit");
    assert_eq!(talweg::scene::Scene::load(&path).unwrap().0.layers.len(), 2);
    press(&mut panels, Modifiers::COMMAND, Key::D);
    press(&mut panels, Modifiers::COMMAND, Key::N);
    click(&mut panels, "Don't save");
    assert!(panels.state().names().is_empty());
}

#[test]
fn a_file_changed_by_another_program_needs_confirmation() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hills.ron");
    let layers = || talweg::scene::Scene::load(&path).unwrap().0.layers.len();
    let mut panels = large(&["Perlin"]);
    panels.state_mut().editor_mut().doc.save(&path).unwrap();
    let theirs = || std::fs::write(&path, "(version: 1, layers: [])").unwrap();
    theirs();
    press(&mut panels, Modifiers::COMMAND, Key::D);
    panels.state_mut().issue(FileAction::Save);
    panels.run();
    assert!(panels.query_by_label_contains("has changed on the disk").is_some());
    click(&mut panels, "Cancel");
    assert_eq!((layers(), panels.state().editor().doc.is_dirty()), (0, true));
    // the command that waits for the save runs after the file was overwritten
    press(&mut panels, Modifiers::COMMAND, Key::N);
    click(&mut panels, "Save");
    assert!(panels.state().editor().doc.is_dirty());
    click(&mut panels, "Overwrite");
    assert_eq!((layers(), panels.state().names().len()), (2, 0));
    panels.state_mut().editor_mut().open(&path);
    press(&mut panels, Modifiers::COMMAND, Key::D);
    theirs();
    panels.state_mut().issue(FileAction::Save);
    panels.run();
    click(&mut panels, "Reload");
    assert_eq!((panels.state().names().len(), panels.state().editor().doc.is_dirty()), (0, false));
}

#[cfg(unix)]
#[test]
fn saving_over_a_write_protected_file_needs_confirmation() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hills.ron");
    let mut panels = large(&["Perlin"]);
    panels.state_mut().editor_mut().doc.save(&path).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o444)).unwrap();
    press(&mut panels, Modifiers::COMMAND, Key::D);
    panels.state_mut().issue(FileAction::Save);
    panels.run();
    assert!(panels.query_by_label_contains("is write-protected").is_some());
    click(&mut panels, "Overwrite");
    assert!(!panels.state().editor().doc.is_dirty());
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o444);
}

#[test]
fn a_broken_file_is_reported_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("broken.ron");
    std::fs::write(&path, "(version: 1,\n layers: [(node: Perlin(octaves: \"x\"))])").unwrap();
    let mut panels = large(&["Perlin"]);
    panels.state_mut().editor_mut().open(&path);
    panels.run();
    let messages: Vec<(ToastKind, String)> =
        panels.state().editor().toasts.messages().map(|(kind, text)| (kind, text.to_string())).collect();
    assert_eq!(messages[0].0, ToastKind::Error);
    assert!(messages[0].1.contains("broken.ron") && messages[0].1.contains("line 2"), "{}", messages[0].1);
    assert!(panels.query_by_label_contains("was not opened").is_some());
    assert!(panels.query_by_label("Copy").is_some());
    assert_eq!(panels.state().names().len(), 1);
    click(&mut panels, "Close message");
    assert_eq!(panels.state().editor().toasts.messages().count(), 0);
}

#[test]
fn messages_leave_by_escape_and_after_a_while() {
    let mut panels = large(&["Perlin"]);
    let count = |panels: &Panels| panels.state().editor().toasts.messages().count();
    panels.state_mut().editor_mut().toasts.error("first");
    panels.state_mut().editor_mut().toasts.warning("second");
    panels.run_steps(2);
    press(&mut panels, Modifiers::NONE, Key::Escape);
    assert_eq!(count(&panels), 1);
    assert!(panels.state().effects.is_empty(), "the key cancels nothing else");
    panels.state_mut().editor_mut().toasts.warning("third");
    // 25 seconds: the warning has left, the error stays
    panels.run_steps(625);
    let left: Vec<String> = panels.state().editor().toasts.messages().map(|(_, text)| text.to_string()).collect();
    assert_eq!(left, ["first"]);
    panels.run_steps(900);
    assert_eq!(count(&panels), 0);
}

#[test]
fn repairs_on_opening_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mended.ron");
    std::fs::write(&path, "(version: 1, layers: [(node: Perlin(octaves: 999, frequency: -3.0))])").unwrap();
    let mut panels = large(&[]);
    panels.state_mut().editor_mut().open(&path);
    panels.run();
    let editor = &panels.state().editor();
    let (kind, text) = editor.toasts.messages().next().unwrap();
    assert_eq!(kind, ToastKind::Warning);
    assert!(text.contains("octaves") && text.contains("frequency"), "{text}");
    assert!(!editor.doc.is_dirty());
    assert_eq!(editor.recent.paths().len(), 1);
}

#[test]
fn an_example_is_opened_as_a_copy() {
    let mut panels = large(&[]);
    panels.state_mut().issue(FileAction::Example("Hills".into()));
    panels.run();
    let doc = &panels.state().editor().doc;
    assert_eq!((doc.scene().layers.len(), doc.path(), doc.is_dirty()), (1, None::<&Path>, false));
}

#[test]
fn view_keys_move_the_camera_and_change_the_view() {
    let mut panels = large(&[]);
    press(&mut panels, Modifiers::NONE, Key::F);
    press(&mut panels, Modifiers::NONE, Key::W);
    press(&mut panels, Modifiers::COMMAND, Key::Num2);
    assert_eq!(panels.state().effects, [Effect::View(ViewCommand::Frame)]);
    assert!(!panels.state().editor().view.water);
    assert_eq!(panels.state().editor().view.mode.label(), "Hillshade");
}

#[test]
fn an_undrawable_tree_says_why_and_offers_solo() {
    let mut panels = large(&["Construction", "Thermal"]);
    press(&mut panels, Modifiers::COMMAND, Key::Num6);
    let mode = panels.state().editor().view.mode;
    assert!(mode == ViewMode::Traced && mode.draws_tree());
    let scene = panels.state().editor().doc.shown_scene().0;
    let unsupported =
        TreeRecipe::from_scene(&scene, ViewMode::Traced, None).expect_err("an erosion above the construction");
    panels.state_mut().get_mut::<PieceView>().unsupported = Some(unsupported);
    panels.run();
    assert!(panels.query_by_label_contains("Layers above the construction tree").is_some());
    click(&mut panels, "Isolate");
    assert_eq!(panels.state().editor().doc.solo(), Some(0));
    assert!(
        TreeRecipe::from_scene(&panels.state().editor().doc.shown_scene().0, ViewMode::Traced, None).is_ok(),
        "the tree alone can be drawn"
    );
    click(&mut panels, "Show the grid");
    assert_eq!(panels.state().editor().view.mode, ViewMode::Shaded);
}

#[test]
fn a_key_traces_a_tree_and_unsupported_cards_are_reported() {
    let mut panels = large(&["Construction"]);
    press(&mut panels, Modifiers::COMMAND, Key::Num6);
    assert_eq!(panels.state().editor().view.mode, ViewMode::Traced);
    press(&mut panels, Modifiers::COMMAND, Key::Num7);
    assert_eq!(panels.state().editor().view.mode, ViewMode::TracedCost);
    for (unsupported, text) in
        [(Unsupported::NoStorage, "storage buffers"), (Unsupported::TooLarge, "too deep or too large")]
    {
        panels.state_mut().get_mut::<PieceView>().unsupported = Some(unsupported);
        panels.run();
        assert!(panels.query_by_label_contains(text).is_some(), "{unsupported:?} is not said");
    }
    click(&mut panels, "Show the grid");
    assert_eq!(panels.state().editor().view.mode, ViewMode::Shaded);
    click(&mut panels, "View");
    click(&mut panels, "Display mode");
    for mode in ViewMode::ALL {
        assert!(panels.query_by_label(mode.label()).is_some(), "{} is not in the menu", mode.label());
    }
}

#[test]
fn an_overlay_is_toggled_in_the_menu() {
    let mut panels = large(&[]);
    click(&mut panels, "View");
    click(&mut panels, "Overlay");
    for overlay in Overlay::all() {
        assert!(panels.query_by_label(&overlay.label()).is_some(), "{} is not in the menu", overlay.label());
    }
    click(&mut panels, "Erosion and deposition");
    assert_eq!(panels.state().editor().view.overlay, Overlay::Change);
    press(&mut panels, Modifiers::SHIFT, Key::Num2);
    assert_eq!(panels.state().editor().view.overlay, Overlay::None);
}

#[test]
fn the_legend_fits_the_view_of_the_smallest_window() {
    let mut terrain = Terrain::from_fn(33, Edges::Open, |u, v| u * v);
    terrain.map_mut(MapKind::Wear).fill(0.02);
    let choice = OverlayChoice { overlay: Overlay::Change, ..OverlayChoice::default() };
    let settings = talweg::scene::Settings::default();
    let prepared = SquareTerrain::new(&Arc::new(terrain), &settings, &choice, &Control::default()).unwrap();
    let mut panels = panels(vec2(960.0, 600.0), &["Thermal"]);
    panels.state_mut().info_mut().legend = prepared.legend.clone();
    panels.run();
    let legend = panels.get_by_label_contains("Legend: Erosion and deposition, m: ≤ −40, −20, 0, 20, ≥ 40");
    let free = panels.state().drawn.as_ref().unwrap().free_rect;
    assert!(free.contains_rect(legend.rect()), "{:?} in {free:?}", legend.rect());
    panels.state_mut().editor_mut().interface.units = UnitSystem::Imperial;
    panels.run();
    panels.get_by_label_contains("Legend: Erosion and deposition, ft: ≤ −131, −65.6, 0, 65.6, ≥ 131");
    assert!(!panels.state().drawn.as_ref().unwrap().covered);
    let missing = prepared.with_overlay(
        &OverlayChoice { overlay: Overlay::Map(MapKind::Flow), ..OverlayChoice::default() },
        &Control::default(),
    );
    panels.state_mut().info_mut().legend = missing.unwrap().legend.clone();
    panels.run();
    assert!(panels.query_by_label("Legend: No layer writes a flow map").is_some());
    panels.state_mut().info_mut().legend = None;
    panels.run();
    assert!(panels.query_by_label_contains("Legend").is_none());
}

#[test]
fn every_command_says_what_it_does_and_no_two_share_a_shortcut() {
    let mut owners: HashMap<String, String> = HashMap::new();
    for command in large(&[]).state().commands() {
        let info = command.info();
        assert!(!info.label.is_empty() && !info.icon.is_empty(), "{command:?}");
        assert!(info.tooltip.ends_with('.') && info.tooltip.len() > 5, "{command:?}: {}", info.tooltip);
        for shortcut in info.shortcuts {
            // while a piece or stroke is selected, its shortcuts replace those of the layer
            let is_scoped = command.action::<PieceAction>().is_some() || command.action::<BrushAction>().is_some();
            let state = if is_scoped { command.section() } else { "" };
            if let Some(other) = owners.insert(format!("{shortcut:?} {state}"), info.label.clone()) {
                panic!("{other} and {} share {shortcut:?}", info.label);
            }
        }
    }
}

#[test]
fn every_node_shows_its_parameters_in_the_smallest_window() {
    for node in Node::catalogue() {
        let about = node.about();
        let mut panels = panels(vec2(1024.0, 640.0), &[about.name]);
        let width = panels.state().drawn.as_ref().unwrap().free_rect.left();
        assert!(panels.query_all_by_label_contains(about.help).count() > 0, "{}: no sentence", about.name);
        let GroupRows { in_place, .. } = GroupRows::new(node.params(), |_| true);
        for spec in &about.params {
            let label = talweg_title(spec);
            // a height in metres and the same height as a fraction share one label
            let has_row = in_place.iter().any(|(k, _)| talweg_title(&about.params[*k]) == label);
            let found = panels.query_all(egui_kittest::kittest::by().label(label).include_labels()).count()
                + panels.query_all_by_value(label).count();
            assert_eq!(found > 0, has_row, "{}: {label}", about.name);
            assert!(!spec.help.is_empty(), "{}: {label} has no sentence", about.name);
        }
        panels.run_steps(20);
        assert_eq!(panels.state().drawn.as_ref().unwrap().free_rect.left(), width, "{}: the panel grows", about.name);
        assert_inside(&panels, about.name, width);
    }
}

/// The label of a parameter in the panel.
fn talweg_title(spec: &talweg::param::ParamSpec) -> &str {
    if spec.unit == "m" { spec.label.strip_suffix(" metres").unwrap_or(&spec.label) } else { &spec.label }
}

/// Asserts that all widgets are inside the window, and those of the side panel inside the panel.
fn assert_inside(panels: &Panels, what: &str, side: f32) {
    let window = panels.ctx.viewport_rect();
    // the menu bar extends above the view
    let below_menu = panels.state().drawn.as_ref().unwrap().free_rect.top();
    let controls = [Role::Button, Role::Slider, Role::SpinButton, Role::CheckBox, Role::ComboBox, Role::TextInput];
    for role in controls {
        for node in panels.query_all_by_role(role) {
            let rect = node.rect();
            let name = node.accesskit_node().label().unwrap_or_default();
            assert!(rect.left() >= 0.0 && rect.right() <= window.right() + 0.5, "{what}: {role:?} {name} at {rect:?}");
            if rect.left() < side && rect.top() >= below_menu {
                assert!(rect.right() <= side, "{what}: {role:?} {name} at {rect:?} is wider than the panel, {side}");
            }
        }
    }
}

#[test]
fn the_scene_settings_fit_and_show_every_parameter() {
    let mut panels = panels(vec2(1024.0, 640.0), &["Thermal"]);
    panels.state_mut().editor_mut().doc.select(Selection::Scene);
    panels.run();
    let idle = panels.state().drawn.as_ref().unwrap().free_rect;
    *panels.state_mut().info_mut() = StatusInfo {
        running: Some(LayerProgress {
            layer: 0,
            layers: 1,
            fraction: 0.5,
            preview: false,
            elapsed: std::time::Duration::from_secs(2),
        }),
        last_evaluation: Some(std::time::Duration::from_millis(300)),
        samples: Some(4097),
        range_metres: Some((-120.0, 4321.0)),
        cursor: Some(UnderCursor {
            height_metres: 1234.5,
            east_metres: 12_345.0,
            south_metres: 23_456.0,
            latitude_longitude: None,
        }),
        ..StatusInfo::default()
    };
    panels.run();
    let free = panels.state().drawn.as_ref().unwrap().free_rect;
    assert_eq!(free, idle, "panels stay in place when work starts");
    assert_inside(&panels, "scene settings", free.left());
    // some parameters appear only with certain values of others
    for (sun, fog) in [(SunPlacement::Angles, 0.0), (SunPlacement::Time, 1.0)] {
        let edit = |scene: &mut talweg::scene::Scene| (scene.settings.sun, scene.settings.fog) = (sun, fog);
        panels.state_mut().editor_mut().doc.edit("Light", None, edit);
        panels.run();
        let settings = panels.state().editor().doc.scene().settings.clone();
        for (_, spec) in settings.about().params.iter().enumerate().filter(|(k, _)| settings.matters(*k)) {
            let is_number = matches!(spec.kind, ParamKind::Float { .. } | ParamKind::Int { .. });
            let label = if spec.name == "seed" { "Seed" } else { talweg_title(spec) };
            let is_there = panels.query_by_role_and_label(Role::SpinButton, label).is_some();
            assert!(is_there || !is_number, "{label} is missing");
        }
    }
    let told = panels.query_by_label_contains(" GiB free").is_some();
    assert!(told || !cfg!(target_os = "linux"), "needed and free memory");
    click(&mut panels, "1025");
    assert_eq!(panels.state().editor().doc.scene().settings.resolution, 1025);
    assert!(panels.query_by_label_contains("Layer 1 of 1").is_some());
    click(&mut panels, "Cancel");
    assert_eq!(panels.state().effects, [Effect::Cancel]);
}
