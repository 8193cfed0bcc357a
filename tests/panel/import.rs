//! The import dialog: facts and notes about a heightmap, and the settings for reading it.

use std::path::PathBuf;

use bevy::ecs::system::RunSystemOnce;
use bevy_egui::egui;
use egui::accesskit::Role;
use egui::{Key, vec2};
use egui_kittest::kittest::Queryable;
use talweg_app::features::import::{self, ImportAction};

use crate::kit::{Panels, choose_item, click, large, panels_kept_in};

/// Writes a grid with the heights 1 to 4 m and 24 samples of -9999 that its header does not mention.
fn grid_with_undeclared_void(folder: &tempfile::TempDir) -> PathBuf {
    let path = folder.path().join("hills.asc");
    let rows = ["1 2 3 4 2 1", "2 3 4 4 3 2", "-9999 -9999 -9999 -9999 -9999 -9999"];
    let body = rows.map(|row| format!("{row}\n").repeat(4)).concat();
    let header = "ncols 6\nnrows 12\nxllcorner 0\nyllcorner 0\ncellsize 10\n";
    std::fs::write(&path, format!("{header}{body}")).unwrap();
    path
}

/// Takes the result of the import task, which has ended by then.
fn receive(panels: &mut Panels) {
    panels.state_mut().app.world_mut().run_system_once(import::receive).unwrap();
    panels.run();
}

fn open(panels: &mut Panels, path: PathBuf) {
    panels.state_mut().issue(ImportAction::File(path));
    panels.run();
    receive(panels);
}

#[test]
fn the_dialog_shows_the_facts_and_notes_of_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut panels = large(&[]);
    open(&mut panels, grid_with_undeclared_void(&folder));
    panels.get_by_label("Import heights");
    panels.get_by_label("hills.asc");
    panels.get_by_label("6 × 12");
    panels.get_by_label("1 to 4 m");
    panels.get_by_label("24 samples");
    panels.get_by_label_contains("-9999");
}

#[test]
fn a_setting_reads_the_file_again_and_reaches_the_layer() {
    let folder = tempfile::tempdir().unwrap();
    let mut panels = large(&[]);
    open(&mut panels, grid_with_undeclared_void(&folder));
    choose_item(&mut panels, "No data", "None");
    receive(&mut panels);
    panels.get_by_label("-9999 to 4 m");
    choose_item(&mut panels, "Unit", "Feet");
    receive(&mut panels);
    panels.get_by_label_contains("to 1.2192 m");
    click(&mut panels, "South");
    receive(&mut panels);
    click(&mut panels, "Import");
    receive(&mut panels);
    assert!(panels.query_by_label("Import heights").is_none());
    assert_eq!(panels.state().names().len(), 1);
    let scene = panels.state().editor().doc.scene().to_ron().unwrap();
    for setting in ["no_data: Never", "unit: Feet", "raw_rows: South"] {
        assert!(scene.contains(setting), "{setting} is missing in {scene}");
    }
}

#[test]
fn a_setting_that_the_file_refuses_returns_to_the_files_own() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("high.asc");
    let text =
        format!("ncols 4\nnrows 4\nxllcorner 0\nyllcorner 0\ncellsize 10\n{}", "20000 20000 20001 20000\n".repeat(4));
    std::fs::write(&path, text).unwrap();
    let mut panels = large(&[]);
    open(&mut panels, path);
    choose_item(&mut panels, "Unit", "Kilometres");
    receive(&mut panels);
    panels.get_by_label_contains("The heights were not imported");
    receive(&mut panels);
    panels.get_by_label("Import heights");
    panels.get_by_label("20000 to 20001 m");
}

#[test]
fn cancelling_keeps_the_scene() {
    let folder = tempfile::tempdir().unwrap();
    let mut panels = large(&["Perlin"]);
    let names = panels.state().names();
    open(&mut panels, grid_with_undeclared_void(&folder));
    click(&mut panels, "Cancel");
    receive(&mut panels);
    assert!(panels.query_by_label("Import heights").is_none());
    assert_eq!(panels.state().names(), names);
}

#[test]
fn the_file_dialog_starts_in_the_folder_of_the_last_file() {
    let (scenes, maps) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let config = tempfile::tempdir().unwrap();
    std::fs::write(maps.path().join("broken.png"), "no image").unwrap();
    let mut panels = panels_kept_in(Some(config.path()), vec2(1280.0, 720.0), &["Perlin"]);
    panels.state_mut().editor_mut().doc.save(maps.path().join("beside.ron")).unwrap();
    panels.state_mut().issue(ImportAction::Ask);
    wait_for(&mut panels, "broken.png");
    panels.get_by_label_contains("broken.png").click();
    panels.run();
    panels.get_by_label_contains("Open").click();
    panels.run();
    receive(&mut panels);
    panels.get_by_label_contains("The heights were not imported");
    // the scene lies elsewhere now, and the program has been started again
    let mut panels = panels_kept_in(Some(config.path()), vec2(1280.0, 720.0), &["Perlin"]);
    panels.state_mut().editor_mut().doc.save(scenes.path().join("other.ron")).unwrap();
    panels.state_mut().issue(ImportAction::Ask);
    wait_for(&mut panels, "broken.png");
}

#[test]
fn a_typed_name_opens_a_file_of_the_shown_folder() {
    let folder = tempfile::tempdir().unwrap();
    grid_with_undeclared_void(&folder);
    let mut panels = large(&[]);
    panels.state_mut().editor_mut().doc.save(folder.path().join("beside.ron")).unwrap();
    panels.state_mut().issue(ImportAction::Ask);
    wait_for(&mut panels, "hills.asc");
    enter_name(&mut panels, "hill.asc");
    panels.get_by_label_contains("There is no file");
    (0.."hill.asc".len()).for_each(|_| panels.key_press(Key::Backspace));
    enter_name(&mut panels, "hills.asc");
    panels.get_by_label("Import heights");
    panels.get_by_label("6 × 12");
}

/// Types a name into the file dialog.
fn enter_name(panels: &mut Panels, name: &str) {
    let field = panels.get_by_role_and_label(Role::TextInput, "Name or path");
    field.focus();
    field.type_text(name);
    panels.run();
    panels.key_press(Key::Enter);
    panels.run();
    receive(panels);
}

/// Waits until the file dialog, which reads folders on a thread, lists a file.
fn wait_for(panels: &mut Panels, file: &str) {
    for _ in 0..400 {
        panels.step();
        if panels.query_by_label_contains(file).is_some() {
            panels.run();
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("the dialog does not list {file}");
}
