//! Unsaved work of editors that crashed or were killed.

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;

use super::Folder;

#[test]
fn unsaved_work_of_killed_editors_is_restored_or_discarded() {
    use talweg::recovery::{Session, UnsavedWork};
    use talweg::scene::Scene;

    let folder = Folder::new();
    let recover = |args: &[&str]| {
        let mut command = Command::cargo_bin("talweg").unwrap();
        command.env("TALWEG_STATE", folder.path("state")).env("TZ", "UTC").arg("recover").args(args).assert()
    };
    recover(&[]).success().stdout("There is no unsaved work.\n");
    for (name, seconds) in [("Older", 1_700_000_000), ("Newer", 1_800_000_000)] {
        let scene = Scene { name: name.into(), ..Scene::default() };
        let edited = std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
        let work = UnsavedWork { scene, file: None, edited, edit: "Rename".into(), ended: None };
        // dropped without ending the session, as when the editor is killed
        Session::start(&folder.path("state")).unwrap().keep(None, Some(&work)).unwrap();
    }
    let listed = recover(&[]).success();
    let listed = String::from_utf8_lossy(&listed.get_output().stdout).into_owned();
    let lines: Vec<&str> = listed.lines().collect();
    assert!(lines[0].contains("1  2027-01-15") && lines[0].contains("“Newer” not saved in any file"), "{listed}");
    assert!(lines[1].contains("“Older”") && lines[1].contains("last edit: Rename"), "{listed}");
    recover(&["--number", "3", "--discard"]).code(1).stderr(contains("there are 2"));
    recover(&["--number", "2"]).code(2).stderr(contains("--output FILE"));
    recover(&["--discard"]).code(2).stderr(contains("--number N"));
    let out = folder.path_text("saved.ron");
    recover(&["--number", "2", "-o", &out]).success().stdout(contains("“Older”"));
    assert!(std::fs::read_to_string(&out).unwrap().contains("Older"));
    recover(&["-o", &out]).code(1).stderr(contains("exists already"));
    recover(&["--number", "2", "--discard"]).success();
    recover(&["--json"]).success().stdout(contains("Newer").and(contains("Older").not()));
}
