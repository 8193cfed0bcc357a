//! Results that a new user can reach in the first hour, with few actions and without reading the guide.

use serde_json::Value;

use crate::screen_kit::{SCENE, Session};

/// Counts the user actions of a script; steps that wait or record do not count.
fn actions(steps: &str) -> usize {
    const WAITS: [&str; 5] = ["Settle", "See(", "Gone(", "State(", "Picture("];
    let lines = steps.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"));
    lines.filter(|line| !WAITS.iter().any(|wait| line.starts_with(wait))).count()
}

/// Plays steps, one per line, from the start window on. Saved files go into the session's folder.
fn play(session: &Session, steps: &str) {
    std::fs::write(session.path("steps.ron"), steps).unwrap();
    let mut talweg = session.talweg();
    let home = session.path("");
    talweg.env("HOME", &home).env("USERPROFILE", &home).env_remove("XDG_CONFIG_HOME").args(["--drive", "steps.ron"]);
    let output = talweg.output().expect("talweg starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn state(session: &Session, name: &str) -> Value {
    let text = std::fs::read_to_string(session.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    serde_json::from_str(&text).expect("the state is JSON")
}

/// The hash of a scene file as the command line computes it.
fn verified(session: &Session, file: &str) -> String {
    let output = session.talweg().args(["verify", file, "--quiet"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_landscape_is_made_and_exported_in_12_actions() {
    let session = Session::new();
    let made = r#"
        See("New terrain"),
        Click("New terrain"),
        Settle,
        State("bare.json"),
        Click("Add layer"),
        Click("Add Perlin noise"),
        Settle,
        State("shaped.json"),
        Click("Add layer"),
        Type("erode"),
        Key("Enter"),
        Settle,
        State("eroded.json"),
        Click("Add layer"),
        Type("sculpt"),
        Key("Enter"),
        Settle,
        ViewDrag(from: (0.35, 0.35), to: (0.55, 0.38), button: Left, shift: false),
        Settle,
        State("painted.json"),
        Key("Ctrl+E"),
        See("Export terrain"),
        Click("Export"),
        Gone("Export terrain"),
        See("Exported"),
        Settle,
        State("exported.json"),
    "#;
    assert_eq!(actions(made), 12, "the number in the test name");
    let saved = r#"Key("Ctrl+S"), See("File name"), Key("Enter"), See("Saved")"#;
    play(&session, &format!("[{made}{saved}]"));
    let hash = |name: &str| state(&session, name)["hash"].as_str().expect("at rest").to_string();
    let hashes = ["bare.json", "shaped.json", "eroded.json", "painted.json"].map(hash);
    for pair in hashes.windows(2) {
        assert_ne!(pair[0], pair[1], "every layer changes the terrain");
    }
    assert_eq!(hash("exported.json"), hashes[3]);
    assert!(verified(&session, "Untitled.ron").contains(&hashes[3]), "the saved terrain was on screen");
    let exported = std::fs::read_dir(session.path("")).unwrap().flatten().map(|file| file.file_name());
    let exported: Vec<String> = exported.filter_map(|name| name.into_string().ok()).collect();
    assert!(exported.iter().any(|name| name.ends_with(".png") || name.ends_with(".tif")), "{exported:?}");
}

#[test]
fn painted_mountains_grow_while_watched() {
    let session = Session::new();
    let steps = r#"[
        See("New terrain"),
        Click("New terrain"),
        Settle,
        Key("Ctrl+K"),
        Type("paint mountains"),
        Key("Enter"),
        Settle,
        State("level.json"),
        Picture("level.png"),
        ViewDrag(from: (0.35, 0.5), to: (0.65, 0.5), button: Left, shift: false),
        Settle,
        State("grown.json"),
        Picture("grown.png"),
        Key("Home"),
        Settle,
        State("start.json"),
        Key("Space"),
        Iteration(5),
        Key("Space"),
        Settle,
        State("paused.json"),
        // more is painted on the way, with the playhead where it is
        ViewDrag(from: (0.5, 0.4), to: (0.5, 0.65), button: Left, shift: false),
        Settle,
        State("more.json"),
        Key("End"),
        Settle,
        State("end.json"),
        Picture("end.png"),
    ]"#;
    play(&session, steps);
    let names = ["level.json", "grown.json", "start.json", "paused.json", "more.json", "end.json"];
    let [level, grown, start, paused, more, end] = names.map(|name| state(&session, name));
    assert_eq!(level["layers"].as_array().unwrap().len(), 3, "plain, map and stream power: {level}");
    assert_ne!(level["hash"], grown["hash"], "the painted area rises");
    assert_eq!(start["iteration"], 0, "the keys play the process above the selected map");
    let iteration = paused["iteration"].as_u64().unwrap();
    assert!((5..60).contains(&iteration), "{iteration}");
    assert_eq!(more["iteration"], paused["iteration"]);
    assert_ne!(more["hash"], paused["hash"], "a stroke during playback acts immediately");
    assert_ne!(end["hash"], grown["hash"]);
    let turned = |state: &Value| [3, 4].map(|k| state["camera"][k].clone());
    assert_eq!(turned(&level), turned(&end), "the brush does not move the camera");
}

#[test]
fn mountains_follow_a_ridge_bent_by_a_handle() {
    let session = Session::new();
    let steps = r#"[
        See("New terrain"),
        Click("New terrain"),
        Settle,
        Resize(1280, 720),
        Settle,
        Key("Ctrl+K"),
        Type("ridges rivers"),
        Key("Enter"),
        Settle,
        Click("Close the library"),
        Click("ridge"),
        Settle,
        State("as-it-came.json"),
        // the handle of the second point, which lies on the mountains that grew over it
        ViewDrag(from: (0.3537, 0.3323), to: (0.3, 0.47), button: Left, shift: false),
        Settle,
        State("bent.json"),
        Key("Ctrl+Z"),
        Settle,
        State("straight.json"),
    ]"#;
    play(&session, steps);
    let [came, bent, straight] = ["as-it-came.json", "bent.json", "straight.json"].map(|name| state(&session, name));
    let points = |state: &Value| state["piece"]["points"].as_array().expect("the ridge is selected").clone();
    let moved: Vec<usize> = (0..5).filter(|&k| points(&came)[k] != points(&bent)[k]).collect();
    assert_eq!(moved, [1], "one point of five: {} {}", came["piece"], bent["piece"]);
    assert_ne!(came["hash"], bent["hash"]);
    assert_eq!(bent["undo"], "Move point");
    assert_eq!((&straight["hash"], points(&straight)), (&came["hash"], points(&came)));
}

#[test]
fn every_edit_is_undone_and_redone_to_the_bit() {
    let session = Session::new();
    let edits = r#"
        Click("Add layer"),
        Click("Add Perlin noise"),
        Settle,
        Click("Add layer"),
        Type("sculpt"),
        Key("Enter"),
        Settle,
        ViewDrag(from: (0.35, 0.35), to: (0.55, 0.38), button: Left, shift: false),
        Settle,
        Click("Smooth"),
        ViewDrag(from: (0.4, 0.33), to: (0.5, 0.38), button: Left, shift: false),
        Settle,
        Click("Add layer"),
        Type("thermal"),
        Key("Enter"),
        Settle,
        Drag("Slider:Talus angle", 30, 0),
        Settle,"#;
    let edit_count = 6;
    let keys = |key: &str, count: usize| format!("Key(\"{key}\"), ").repeat(count);
    let script = format!(
        r#"[See("New terrain"), Click("New terrain"), Settle, State("bare.json"), {edits} State("done.json"),
        {} Settle, State("one-left.json"), Key("Ctrl+Z"), Settle, State("undone.json"),
        {} Settle, State("redone.json")]"#,
        keys("Ctrl+Z", edit_count - 1),
        keys("Ctrl+Shift+Z", edit_count),
    );
    play(&session, &script);
    let names = ["bare.json", "done.json", "one-left.json", "undone.json", "redone.json"];
    let [bare, done, one_left, undone, redone] = names.map(|name| state(&session, name));
    assert_ne!(done["hash"], bare["hash"]);
    assert_ne!(one_left["hash"], bare["hash"], "each action above is an edit of its own: the last undo left the first");
    assert_eq!(undone["undo"], Value::Null, "everything is undone");
    assert_eq!((&undone["hash"], &undone["layers"]), (&bare["hash"], &bare["layers"]));
    assert_eq!((&redone["hash"], &redone["undo"], &redone["layers"]), (&done["hash"], &done["undo"], &done["layers"]));
}

#[test]
fn options_for_the_other_world_are_refused_with_advice() {
    let session = Session::new();
    std::fs::write(session.path("planet.ron"), crate::planets::PLANET).unwrap();
    std::fs::write(session.path("scene.ron"), SCENE).unwrap();
    for (scene, options, advice) in [
        ("planet.ron", ["--preset", "golden-hour"], "--set planet.hour=18"),
        ("planet.ron", ["--side", "top"], "--at"),
        ("planet.ron", ["--bookmark", "First"], "--at"),
        ("scene.ron", ["--at", "10,20,3000"], "--from"),
        ("scene.ron", ["--way", "map"], "--from"),
        ("scene.ron", ["--exaggeration", "2"], "--from"),
        ("scene.ron", ["--globe", "rim_light=2"], "--from"),
        ("planet.ron", ["--exaggeration", "900"], "from 1 to 500"),
    ] {
        let refused = session.talweg().args(["shot", scene, "-o", "p.png"]).args(options).output().unwrap();
        let said = String::from_utf8_lossy(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{options:?}: {said}");
        assert!(said.contains(advice), "{options:?}: {said}");
    }
}
