//! Pieces of a construction, placed and moved in the view.

use serde_json::Value;

use crate::screen_kit::Session;

#[test]
fn a_road_is_placed_from_the_library_moved_and_undone() {
    let session = Session::new();
    let scene = r#"(version: 1, name: "Pieces", settings: (resolution: 257),
        layers: [(name: "Ground", node: Construction(), seed: 1)])"#;
    std::fs::write(session.path("pieces.ron"), scene).unwrap();
    session.drive(
        "pieces.ron",
        r#"[
            Settle, State("opened.json"),
            DragToView("Place road", 0.5, 0.52), Settle, State("placed.json"),
            ViewDrag(from: (0.5, 0.52), to: (0.6, 0.5), button: Left, shift: false), Settle,
            State("moved.json"),
            Key("Ctrl+Z"), Settle, State("back.json"),
            Key("Ctrl+Z"), Settle, State("undone.json"),
        ]"#,
    );
    let [opened, placed, moved, back, undone] =
        ["opened", "placed", "moved", "back", "undone"].map(|name| session.state(&format!("{name}.json")));
    assert_eq!(placed["piece"]["title"], "road");
    assert_eq!(placed["undo"], "Place road");
    assert_ne!(placed["hash"], opened["hash"]);
    // the centre of a road and its middle point are close together; either may be grabbed
    let label = moved["undo"].as_str().expect("something was done");
    assert!(label == "Move feature" || label == "Move point", "{label}");
    let place = |state: &Value| [0, 1].map(|k| state["piece"]["points"][2][k].as_f64().expect("a place"));
    let (from, to) = (place(&placed), place(&moved));
    let [x, y] = [to[0] - from[0], to[1] - from[1]];
    assert!((x * x + y * y).sqrt() > 300.0, "{from:?} {to:?}");
    assert_eq!(moved["camera"], placed["camera"], "the camera does not move");
    assert_eq!((&back["hash"], place(&back)), (&placed["hash"], from));
    assert_eq!(undone["hash"], opened["hash"]);
}
