//! Enter triggers the main button of a dialog. In a focused field it only ends the input.

use crate::kit::*;
use bevy_egui::egui;
use egui::accesskit::Role;
use egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable;
use talweg_app::features::export::ExportAction;
use talweg_app::features::export::task::ExportOrder;
use talweg_app::features::import::ImportAction;
use talweg_app::frame::commands::FileAction;

/// Issues the command with this label, as a menu does.
fn issue(panels: &mut Panels, label: &str) {
    let found = panels.state().commands().into_iter().find(|command| command.info().label == label);
    panels.state_mut().issue(found.unwrap_or_else(|| panic!("there is no “{label}”")));
    panels.run();
}

fn enter(panels: &mut Panels) {
    press(panels, Modifiers::NONE, Key::Enter);
}

fn is_open(panels: &Panels) -> bool {
    panels.state().editor().dialogs.is_open()
}

#[test]
fn enter_closes_pages() {
    for (command, heading) in [
        ("User guide", "User guide"),
        ("Keyboard shortcuts", "Keyboard shortcuts"),
        ("About Talweg", concat!("Talweg ", env!("CARGO_PKG_VERSION"))),
    ] {
        let mut panels = large(&["Perlin"]);
        issue(&mut panels, command);
        assert!(is_open(&panels), "{command}");
        panels.get_all_by_label(heading).next().expect(heading);
        enter(&mut panels);
        assert!(!is_open(&panels), "{command}");
    }
}

#[test]
fn enter_continues_to_the_file_dialog() {
    // the file dialog has the same heading as these windows, so a widget of the window shows which one is open
    for (command, own) in [
        ("Save picture of the view…", "Supersampling"),
        ("Save film of the view…", "Turntable: once around the terrain"),
        ("Export time-lapse…", "Choose a file…"),
        ("Cut out terrain…", "South edge"),
    ] {
        let mut panels = large(&["Perlin", "Thermal"]);
        issue(&mut panels, command);
        assert!(panels.query_all_by_label(own).count() > 0, "{command}");
        enter(&mut panels);
        assert_eq!(panels.query_all_by_label(own).count(), 0, "{command}");
        assert!(is_open(&panels), "the file is asked for after {command}");
    }
}

#[test]
fn enter_ends_a_text_field_first() {
    let mut panels = large(&["Perlin"]);
    issue(&mut panels, "Save picture of the view…");
    let place = widget(&panels, Role::SpinButton, "Width").rect().center();
    panels.hover_at(place);
    panels.drag_at(place);
    drop_at(&mut panels, place);
    panels.event(egui::Event::Text("800".into()));
    panels.run();
    enter(&mut panels);
    assert!(panels.query_all_by_label("Supersampling").count() > 0, "Enter only ended the input in the field");
    enter(&mut panels);
    assert_eq!(panels.query_all_by_label("Supersampling").count(), 0);
}

#[test]
fn enter_starts_an_export() {
    let folder = tempfile::tempdir().unwrap();
    let mut panels = large(&["Perlin"]);
    panels.state_mut().editor_mut().doc.save(folder.path().join("scene.ron")).unwrap();
    panels.state_mut().issue(ExportAction::Open);
    panels.run();
    enter(&mut panels);
    assert!(!is_open(&panels));
    assert!(matches!(&panels.state_mut().take_messages::<ExportOrder>()[..], [ExportOrder::Build(_)]));
}

#[test]
fn raw_heights_are_read_as_the_dialog_says() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hills.r16");
    std::fs::write(&path, [0; 2 * 33 * 33]).unwrap();
    let mut panels = large(&["Perlin"]);
    panels.state_mut().issue(ImportAction::File(path));
    panels.run();
    panels.get_by_label("Import raw heights");
    enter(&mut panels);
    assert_eq!(panels.query_all_by_label("Import raw heights").count(), 0);
    panels.get_by_label_contains("Save the changes to");
}

#[test]
fn changes_are_saved_before_the_scene_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scene.ron");
    let mut panels = large(&["Perlin"]);
    panels.state_mut().editor_mut().doc.save(&path).unwrap();
    panels.state_mut().editor_mut().doc.edit("Rename", None, |scene| scene.name = "Kept".into());
    panels.state_mut().issue(FileAction::New);
    panels.run();
    panels.get_by_label_contains("Save the changes to");
    enter(&mut panels);
    assert!(std::fs::read_to_string(&path).unwrap().contains("Kept"));
    assert!(panels.state().editor().doc.scene().name != "Kept" && !panels.state().editor().doc.is_dirty());
}

#[test]
fn files_of_other_programs_are_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scene.ron");
    let mut panels = large(&["Perlin"]);
    panels.state_mut().editor_mut().doc.save(&path).unwrap();
    panels.state_mut().editor_mut().doc.edit("Rename", None, |scene| scene.name = "Mine".into());
    std::fs::write(&path, "(version: 1, name: \"Theirs\")").unwrap();
    panels.state_mut().issue(FileAction::Save);
    panels.run();
    panels.get_by_label("Overwrite");
    enter(&mut panels);
    assert!(std::fs::read_to_string(&path).unwrap().contains("Theirs"));
    assert!(is_open(&panels), "another file is asked for");
}

#[test]
fn enter_saves_a_preset_under_its_name() {
    let mut panels = large(&["Perlin"]);
    issue(&mut panels, "Save as preset…");
    panels.run();
    assert!(is_open(&panels));
    enter(&mut panels);
    assert!(!is_open(&panels));
}
