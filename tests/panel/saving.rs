//! Files that are not written over just so, and what saving replaced.

use crate::kit::*;
use egui_kittest::kittest::Queryable;
#[cfg(unix)]
use talweg::app::features::export::ExportAction;
use talweg::app::features::recovery::RecoveryAction;
use talweg::app::frame::commands::FileAction;
#[cfg(unix)]
use talweg::io::SaveTarget;

#[cfg(unix)]
#[test]
fn an_export_asks_before_it_goes_over_a_file_that_is_protected_or_has_other_names() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for name in ["protected.r16", "linked.r16"] {
        std::fs::write(at(name), "old").unwrap();
    }
    std::fs::set_permissions(at("protected.r16"), std::fs::Permissions::from_mode(0o444)).unwrap();
    std::fs::hard_link(at("linked.r16"), at("other.r16")).unwrap();
    let mut panels = large(&["Perlin"]);
    panels.state_mut().editor_mut().doc.edit("Smaller", None, |scene| scene.settings.resolution = 33);
    for (name, heading) in [("protected.r16", "is write-protected"), ("linked.r16", "has 2 names")] {
        let path = at(name);
        for answer in ["Cancel", "Overwrite"] {
            assert_eq!(std::fs::read(&path).unwrap(), b"old", "{name}");
            panels.state_mut().ask(ExportAction::HeightmapTo(SaveTarget::new(&path)));
            panels.run();
            panels.get_by_label_contains(heading);
            panels.get_by_label("Another file…");
            click(&mut panels, answer);
        }
        let begun = std::time::Instant::now();
        while std::fs::metadata(&path).unwrap().len() != 2 * 33 * 33 {
            assert!(begun.elapsed().as_secs() < 60, "{name} was not exported");
            panels.step();
        }
    }
    assert_eq!(std::fs::read(at("other.r16")).unwrap(), b"old");
}

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
    // from the first frame that has it the button stays where it is: a quick click does not miss
    let mut places = Vec::new();
    for _ in 0..12 {
        panels.step();
        places.extend(panels.query_by_label("Go back to it").map(|button| button.rect()));
    }
    assert!(places.len() > 8 && places.iter().all(|place| *place == places[0]), "{places:?}");
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
