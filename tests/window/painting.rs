//! Brushes: terrain and masks painted in the view.

use serde_json::Value;

use crate::kit::view;
use crate::screen_kit::Session;
use talweg::eval::{Store, evaluate};
use talweg::field::Control;
use talweg::nodes::Node;

#[test]
fn terrain_and_mask_are_painted_eroded_undone_and_saved() {
    let session = Session::new();
    let scene = r#"(version: 1, name: "Hands", settings: (resolution: 257),
        layers: [(name: "Ground", node: Perlin(), seed: 1)])"#;
    std::fs::write(session.path("hands.ron"), scene).unwrap();
    session.drive(
        "hands.ron",
        r#"[
            Settle, State("bare.json"),
            Key("Shift+A"), Type("sculpt"), Key("Enter"), Settle, State("added.json"),
            ViewDrag(from: (0.45, 0.45), to: (0.6, 0.5), button: Left, shift: false), Settle, State("raised.json"),
            Click("Erode"),
            ViewDrag(from: (0.45, 0.5), to: (0.6, 0.55), button: Left, shift: false), Settle, State("eroded.json"),
            Key("Ctrl+Z"), Settle, State("back.json"),
            Key("Ctrl+Z"), Settle, State("undone.json"),
            Key("Ctrl+Y"), Key("Ctrl+Y"), Settle, State("redone.json"),
            Key("Shift+A"), Type("terrace"), Key("Enter"), Settle, State("terraced.json"),
            Key("Shift+T"), Settle, State("kept.json"), Picture("kept.png"),
            ViewDrag(from: (0.4, 0.5), to: (0.65, 0.5), button: Left, shift: false), Settle,
            State("masked.json"), Picture("masked.png"),
            Key("Ctrl+S"), Settle,
        ]"#,
    );
    let state = |name: &str| session.state(&format!("{name}.json"));
    let hash = |name: &str| state(name)["hash"].clone();
    assert_eq!(hash("added"), hash("bare"), "without strokes nothing changes");
    assert_eq!(state("raised")["undo"], "Raise with the brush");
    assert_eq!(state("eroded")["undo"], "Erode with the brush");
    assert_eq!(state("raised")["camera"], state("bare")["camera"], "drawing does not move the camera");
    let hashes = ["bare", "raised", "eroded"].map(hash);
    assert!(hashes[0] != hashes[1] && hashes[1] != hashes[2], "{hashes:?}");
    // each stroke is one undo step, and redo restores the same bits
    assert_eq!([hash("back"), hash("undone"), hash("redone")], [&hashes[1], &hashes[0], &hashes[2]].map(Value::clone));
    // a mask without strokes disables the layer
    assert_ne!(hash("terraced"), hashes[2]);
    assert_eq!(hash("kept"), hashes[2]);
    assert!(hash("masked") != hashes[2] && hash("masked") != hash("terraced"));
    let [kept, masked] = ["kept.png", "masked.png"].map(|name| view(&session.picture(name)));
    let violet = |picture: &[[u8; 3]]| picture.iter().filter(|[r, g, b]| *b > g.saturating_add(40) && *r > *g).count();
    assert!(violet(&masked) > violet(&kept) + 300, "the mask is seen: {} {}", violet(&kept), violet(&masked));
    // the file contains the strokes and gives the same terrain
    let (read, warnings) = talweg::scene::Scene::load(&session.path("hands.ron")).unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
    let Node::Sculpt(sculpt) = &read.layers[1].node else { panic!("{:?}", read.layers[1].node) };
    assert_eq!((sculpt.strokes.list().len(), read.layers[2].mask.painted.list().len()), (2, 1));
    let pool = talweg::eval::thread_pool(0).unwrap();
    let made = pool.install(|| evaluate(&read, 257, None, &mut Store::forgetful(), &Control::default())).unwrap();
    assert_eq!(masked_hash(&made.terrain), hash("masked"));
}

/// The hash of a terrain in the form that the editor reports.
fn masked_hash(terrain: &talweg::field::Terrain) -> Value {
    Value::String(format!("{:032x}", terrain.hash()))
}
