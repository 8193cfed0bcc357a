//! Parameters, erosion, camera and files, as a user works with them: edit, undo, play, save, reopen.

use crate::kit::{difference, view};
use crate::screen_kit::{SCENE, Session};

#[test]
fn a_person_opens_edits_plays_saves_and_reopens() {
    let session = Session::new();
    std::fs::write(session.path("scene.ron"), SCENE).unwrap();
    session.drive(
        "scene.ron",
        r#"[
            Settle, State("opened.json"), Picture("opened.png"),
            // a parameter
            Click("Hills"), Settle, Drag("Slider:Frequency", 40, 0), Settle, State("edited.json"), Picture("edited.png"),
            Key("Ctrl+Z"), Settle, State("undone.json"),
            Key("Ctrl+Shift+Z"), Settle, State("redone.json"),
            // erosion, step by step
            Click("Slides"), Settle, Key("Home"), Settle, State("start.json"), Picture("start.png"),
            Key("Space"), Iteration(10), Key("Space"), Settle, State("paused.json"),
            Key("End"), Settle, State("end.json"),
            // the camera
            ViewDrag(from: (0.5, 0.6), to: (0.7, 0.55), button: Left, shift: false), Settle, State("turned.json"),
            Picture("turned.png"),
            ViewScroll(at: (0.5, 0.6), lines: 3), Settle, State("zoomed.json"),
            // what happens on the panel stays on the panel
            Scroll("Slides", -3), Drag("Label:Layers", 400, 200), Settle, State("panel.json"),
            Key("Ctrl+S"), Settle, State("saved.json"),
        ]"#,
    );
    let (opened, edited) = (session.state("opened.json"), session.state("edited.json"));
    assert_eq!(opened["title"], "Window test — Talweg");
    assert_eq!(opened["samples"], 129);
    assert_ne!(opened["hash"], edited["hash"], "dragging the slider changes the terrain");
    assert!(edited["title"].as_str().unwrap().contains('•'), "{edited}");
    assert_eq!(session.state("undone.json")["hash"], opened["hash"], "one drag is one undo step");
    assert_eq!(session.state("undone.json")["dirty"], false);
    assert_eq!(session.state("redone.json")["hash"], edited["hash"]);

    let (start, paused, end) = (session.state("start.json"), session.state("paused.json"), session.state("end.json"));
    assert_eq!(start["iteration"], 0);
    assert!(paused["iteration"].as_u64().unwrap() >= 10);
    assert_ne!(start["hash"], paused["hash"]);
    assert_eq!(end["iteration"], 40);
    assert_eq!(end["hash"], edited["hash"], "playing ends where the evaluation ended");

    for name in ["edited.json", "undone.json", "redone.json", "start.json", "end.json"] {
        assert_eq!(session.state(name)["camera"], opened["camera"], "a new terrain does not move the camera: {name}");
    }
    let (turned, zoomed, panel) =
        (session.state("turned.json"), session.state("zoomed.json"), session.state("panel.json"));
    assert_ne!(turned["camera"], end["camera"]);
    assert_ne!(zoomed["camera"], turned["camera"]);
    assert_eq!(panel["camera"], zoomed["camera"], "wheel and drag over a panel must not reach the camera");

    let picture = |name: &str| view(&session.picture(name));
    assert!(difference(&picture("opened.png"), &picture("edited.png")) > 0.1, "the new terrain is drawn");
    assert!(difference(&picture("edited.png"), &picture("start.png")) > 0.02, "the initial terrain is drawn");
    assert!(difference(&picture("start.png"), &picture("turned.png")) > 0.1, "the camera turned");
    let shades: std::collections::HashSet<[u8; 3]> = picture("opened.png").into_iter().collect();
    assert!(shades.len() > 200, "the view shows a landscape, not a plain colour: {} shades", shades.len());

    // a new window and the command line show the saved terrain
    assert_eq!(session.state("saved.json")["dirty"], false);
    session.drive("scene.ron", r#"[Settle, State("reopened.json")]"#);
    assert_eq!(session.state("reopened.json")["hash"], edited["hash"]);
    let verify = session.talweg().args(["verify", "scene.ron", "--quiet"]).output().unwrap();
    let printed = String::from_utf8(verify.stdout).unwrap();
    assert!(printed.contains(edited["hash"].as_str().unwrap()), "{printed} against {edited}");
}
