//! What saving replaced.

use crate::kit::*;
use egui_kittest::kittest::Queryable;
use talweg::app::features::recovery::RecoveryAction;
use talweg::app::frame::commands::FileAction;

#[test]
fn what_a_save_replaced_is_an_earlier_version_to_go_back_to() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scene.ron");
    let mut panels = large(&["Perlin"]);
    let app = panels.state_mut();
    app.editor_mut().state = Some(folder.path().join("state"));
    app.editor_mut().doc.save(&path).unwrap();
    app.editor_mut().doc.edit("Rename", None, |scene| scene.name = "Second".into());
    app.ask(FileAction::Save);
    panels.run();
    panels.state_mut().ask(RecoveryAction::ShowVersions);
    // from the first frame that shows it the button stays where it is, so that a quick click does not miss; in the one
    // before egui measures the dialog, which is invisible then and takes no clicks
    let mut places = Vec::new();
    for _ in 0..12 {
        panels.step();
        places.extend(panels.query_by_label("Go back to it").map(|button| button.rect()));
    }
    assert!(places.len() > 8 && places[1..].iter().all(|place| *place == places[1]), "{places:?}");
    panels.get_by_label_contains("Earlier versions of");
    panels.get_by_label("Go back to it").click();
    panels.run();
    let document = &panels.state().editor().doc;
    assert_eq!((document.scene().name.as_str(), document.is_dirty()), ("Untitled", true));
    assert_eq!(document.path(), Some(path.as_path()), "going back touches no file");
    assert!(std::fs::read_to_string(&path).unwrap().contains("Second"));
    panels.state_mut().editor_mut().doc.undo();
    assert_eq!(panels.state().editor().doc.scene().name, "Second");
}
