//! Unsaved work after the editor ended in any way.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;

use crate::kit::runs_in_wine;
use crate::screen_kit::{SCENE, Session, left_work, play_until};

/// Waits until this number of sessions has unsaved work on disk, which takes up to a second.
fn wait_until_kept(session: &Session, child: &mut std::process::Child, count: usize) {
    let is_kept = |folder: &Path| {
        std::fs::read_to_string(folder.join("session.ron")).is_ok_and(|text| text.contains("scene:Some("))
    };
    loop {
        let sessions = std::fs::read_dir(session.path("state/sessions")).unwrap();
        if sessions.flatten().filter(|entry| is_kept(&entry.path())).count() >= count {
            return;
        }
        assert!(child.try_wait().unwrap().is_none(), "the editor ended before its work was saved");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

/// After a kill, a system request, a lost display or a lost graphics card, the edit is offered again.
#[test]
fn unsaved_work_survives_any_end() {
    let mut session = Session::new();
    std::fs::write(session.path("scene.ron"), SCENE).unwrap();
    let edit = |state: &str, then: &str| {
        let later = if state == "KILL.json" {
            ""
        } else {
            r#"See("Unsaved work found"), Hover("Later"), Click("Later"), Gone("Unsaved work"),"#
        };
        let click = r#"Settle, Click("Hills"), Settle, Drag("Slider:Frequency", 40, 0), Settle"#;
        format!(r#"[{later} {click}, State("{state}"), {then}]"#)
    };
    let stay = r#"See("what never comes")"#;
    let signals: &[&str] = if runs_in_wine() { &["KILL"] } else { &["KILL", "TERM", "INT", "HUP"] };
    for (k, signal) in signals.iter().enumerate() {
        let state = format!("{signal}.json");
        let mut child = play_until(&session, &edit(&state, stay), &state);
        wait_until_kept(&session, &mut child, k + 1);
        if k == 0 {
            session.drive("scene.ron", r#"[Settle, Gone("Unsaved work"), State("second.json")]"#);
            let said = session.state("second.json")["messages"].to_string();
            assert!(said.contains("Another Talweg window") && said.contains("unsaved edits"), "{said}");
        }
        let sent = Command::new("kill").args([format!("-{signal}"), child.id().to_string()]).status().unwrap();
        assert!(sent.success());
        let ended = child.wait().unwrap();
        assert!(ended.signal().is_some(), "ended by the signal: {ended}");
        assert_eq!(left_work(&session).len(), k + 1, "{signal}");
    }
    // a lost graphics card is reported, and again at the next start
    std::fs::write(session.path("steps.ron"), edit("card.json", &format!("LoseCard, {stay}"))).unwrap();
    let output = session.talweg().args(["scene.ron", "--drive", "steps.ron"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("graphics card") && said.contains("talweg recover"), "{said}");
    let (_, report) = said.split_once("A report of the crash is in ").unwrap_or_else(|| panic!("{said}"));
    let report = std::fs::read_to_string(report.lines().next().unwrap().trim()).unwrap();
    assert!(
        report.contains("graphics card") && report.contains("Last edit") && report.contains("Processor"),
        "{report}"
    );
    let left = left_work(&session);
    assert_eq!(left.len(), signals.len() + 1);
    assert!(left.iter().all(|work| work["name"] == "Window test" && work["error"].is_null()), "{left:?}");

    session.drive(
        "scene.ron",
        r#"[
            See("Unsaved work found"), See("Talweg ended because"), See("the graphics card"), See("Open crash reports"), Picture("offered.png"),
            Hover("Open"), Click("Button:Open"), Settle, Gone("Unsaved work found"), State("recovered.json"), Key("Ctrl+S"), Settle,
        ]"#,
    );
    // every script made the same edit; a state has no hash in a frame in which the terrain is still uploaded
    let edited: Vec<_> = signals.iter().chain(&["card"]).map(|end| session.state(&format!("{end}.json"))).collect();
    let edited = edited.iter().find(|state| state["hash"].is_string()).expect("one of the states has a hash");
    let recovered = session.state("recovered.json");
    assert_eq!(recovered["hash"], edited["hash"]);
    assert_eq!(recovered["dirty"], true);
    assert_eq!(left_work(&session).len(), signals.len(), "opened and saved work is not offered again");

    if session.screen.xvfb.is_some() {
        // the saved file must contain the value at the end of the slider
        std::fs::write(session.path("scene.ron"), SCENE).unwrap();
        let mut child = play_until(&session, &edit("screen.json", stay), "screen.json");
        wait_until_kept(&session, &mut child, signals.len() + 1);
        session.screen.xvfb.take().map(|mut xvfb| (xvfb.kill(), xvfb.wait()));
        let output = child.wait_with_output().unwrap();
        assert!(!output.status.success());
        assert_eq!(left_work(&session).len(), signals.len() + 1, "{}", String::from_utf8_lossy(&output.stderr));
    }
}
