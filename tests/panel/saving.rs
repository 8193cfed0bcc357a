//! The question before a file is overwritten, and the earlier versions of a saved file.

use crate::kit::*;
use egui_kittest::kittest::Queryable;
#[cfg(unix)]
use talweg::io::SaveTarget;
#[cfg(unix)]
use talweg_app::features::biomes::BiomesAction;
use talweg_app::features::recovery::RecoveryAction;
use talweg_app::frame::commands::FileAction;

#[test]
fn a_replaced_scene_becomes_an_earlier_version() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scene.ron");
    let mut panels = large(&["Perlin"]);
    let app = panels.state_mut();
    app.editor_mut().state = Some(folder.path().join("state"));
    app.editor_mut().doc.save(&path).unwrap();
    app.editor_mut().doc.edit("Rename", None, |scene| scene.name = "Second".into());
    app.issue(FileAction::Save);
    panels.run();
    panels.state_mut().issue(RecoveryAction::ShowVersions);
    // From the first visible frame on, the button does not move, so that a quick click hits it. In the frame before,
    // egui measures the dialog, which is then invisible and takes no clicks.
    let mut places = Vec::new();
    for _ in 0..12 {
        panels.step();
        places.extend(panels.query_by_label("Restore").map(|button| button.rect()));
    }
    assert!(places.len() > 8 && places[1..].iter().all(|place| *place == places[1]), "{places:?}");
    panels.get_by_label_contains("Earlier versions of");
    panels.get_by_label("Restore").click();
    panels.run();
    let document = &panels.state().editor().doc;
    assert_eq!((document.scene().name.as_str(), document.is_dirty()), ("Untitled", true));
    assert_eq!(document.path(), Some(path.as_path()), "restoring changes no file");
    assert!(std::fs::read_to_string(&path).unwrap().contains("Second"));
    panels.state_mut().editor_mut().doc.undo();
    assert_eq!(panels.state().editor().doc.scene().name, "Second");
}

#[cfg(unix)]
#[test]
fn a_protected_biome_table_needs_confirmation() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("earth.ron");
    std::fs::write(&path, "old").unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o444)).unwrap();
    let mut panels = large(&["Perlin"]);
    panels.state_mut().editor_mut().doc.edit("Change palette", None, |scene| scene.palette = "biome:earth".into());
    for answer in ["Cancel", "Overwrite"] {
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        panels.state_mut().issue(BiomesAction::SaveTo(SaveTarget::new(&path)));
        panels.run();
        panels.get_by_label_contains("is write-protected");
        panels.get_by_label("Another file…");
        click(&mut panels, answer);
    }
    assert!(talweg::appearance_files::BiomeTable::load(&path).is_ok());
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o444);
}
