//! Other programs follow the terrain in the editor.

use std::time::Duration;

use serde_json::Value;

use crate::http_kit::{fetch, with_token};
use crate::screen_kit::{SCENE, Session};

#[test]
fn another_program_follows_the_terrain_of_the_editor() {
    let session = Session::new();
    std::fs::write(session.path("scene.ron"), SCENE).unwrap();
    let steps = r#"[
        Settle, Click("Tools"), See("Live link…"), Click("Live link…"), See("Let other programs follow"),
        Click("Let other programs follow"), See("1 program waits for the next terrain"), Click("Close"),
        Click("Hills"), Settle, Drag("Slider:Frequency", 40, 0), Settle, State("changed.json"),
        Click("Tools"), Click("Live link…"), See("No program waits for the next terrain"),
        Click("Let other programs follow"), Gone("No program waits for the next terrain"),
    ]"#;
    std::fs::write(session.path("steps.ron"), steps).unwrap();
    let file = session.path("state/server.json");
    let mut command = session.talweg();
    command.args(["scene.ron", "--drive", "steps.ron"]);
    let editor = std::thread::spawn(move || command.output().unwrap());
    // the editor writes the whole file at once
    while !file.exists() {
        assert!(!editor.is_finished(), "{:?}", editor.join());
        std::thread::sleep(Duration::from_millis(50));
    }
    let told: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let port = told["url"].as_str().unwrap().rsplit(':').next().unwrap().parse().unwrap();
    let ours = with_token(port, told["token"].as_str().unwrap());
    let next = |after: &Value| loop {
        let (status, _, body) = fetch(port, &format!("/v1/terrain?wait=30&after={after}"), &ours);
        match status {
            200 => return serde_json::from_slice::<Value>(&body).unwrap(),
            other => assert_eq!(other, 204),
        }
    };
    let first = next(&0.into());
    let mut last = next(&first["revision"]);
    let output = editor.join().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let changed = session.state("changed.json");
    assert_ne!(first["hash"], last["hash"]);
    last["hash"].take();
    assert!(last["samples"] == first["samples"] && changed["dirty"] == true, "{last}");
    assert!(!file.exists(), "the link that was switched off leaves no address");
}
