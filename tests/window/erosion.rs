//! An erosion in the window: its charts, its branches and its film.

use crate::screen_kit::{SCENE, Session};

#[test]
fn an_erosion_is_charted_branched_and_filmed() {
    let session = Session::new();
    std::fs::write(session.path("scene.ron"), SCENE).unwrap();
    session.drive(
        "scene.ron",
        r#"[
            Settle, Click("Slides"), Key("Shift+G"), See("Mean height step"), Settle,
            ViewClick(0.5, 0.5), See("m south"), See("Slides"), Settle, Picture("charts.png"),
            // a change on the way, kept as a branch
            Key("Home"), Settle, Key("Space"), Iteration(10), Key("Space"), Settle, State("here.json"),
            Drag("Slider:Talus angle", 30, 0), See("Changed at iteration"), Key("B"), Settle,
            State("branch.json"), Picture("branch.png"),
            Key("Shift+B"), See("Legend: Difference A − B, m"), Settle, State("other.json"),
            Key("Shift+0"), Key("End"), Settle,
            Key("Ctrl+Shift+E"), See("Export time-lapse"),
            Click("SpinButton:Size"), Key("Ctrl+A"), Type("96"), Key("Enter"),
            Click("Choose a file…"), See("File name"), Click("Save"), See("images"), Settle, State("filmed.json"),
        ]"#,
    );
    let (here, branch, other) = (session.state("here.json"), session.state("branch.json"), session.state("other.json"));
    let part = here["iteration"].as_u64().unwrap();
    assert!(part > 0 && part < 40, "{part}");
    assert_eq!(branch["layers"].as_array().unwrap().len(), 3);
    assert_eq!(branch["iteration"], here["iteration"]);
    assert_eq!(branch["hash"], here["hash"], "identical up to the branch");
    assert_eq!((&other["iteration"], &other["hash"]), (&here["iteration"], &here["hash"]));
    assert_eq!(branch["camera"][3], here["camera"][3], "a click on the ground does not turn the camera");
    let film = std::fs::read(session.path("Window test.gif")).expect("in the scene's folder");
    assert!(film.starts_with(b"GIF89a\x60\0\x60\0") && film.len() > 10_000, "{:?}", &film[..12]);
}
