//! The start of the editor: the start window, bookmarks, broken scenes, and computers that cannot show the editor.

#[cfg(target_os = "linux")]
use std::process::Command;

#[cfg(target_os = "linux")]
use crate::kit::runs_in_wine;
use crate::screen_kit::{SCENE, Session};
#[cfg(target_os = "linux")]
use crate::screen_kit::{Screen, program};

#[test]
fn a_scene_opens_at_its_first_bookmark() {
    let session = Session::new();
    // the centre of the terrain, 3 km up, looking down and to the east
    let bookmark = r#"bookmarks: [(name: "Up", east: 1500, south: 1500, height: 3000, heading: 90, tilt: -60)],"#;
    let scene = SCENE.replacen("layers:", &format!("{bookmark}\n    layers:"), 1);
    std::fs::write(session.path("scene.ron"), scene).unwrap();
    session.drive("scene.ron", r#"[Resize(640, 400), Settle, State("a.json")]"#);
    let pose: Vec<f64> = serde_json::from_value(session.state("a.json")["camera"].clone()).unwrap();
    let expected = [0.0, 1000.0, 0.0, std::f64::consts::FRAC_PI_2, -std::f64::consts::FRAC_PI_3];
    assert!(pose.iter().zip(expected).all(|(is, should)| (is - should).abs() < 0.01), "{pose:?}");
}

#[test]
fn the_start_window_opens_without_a_scene_argument() {
    let session = Session::new();
    let steps = r#"[
        See("Paper reproductions"), Click("Paper reproductions"), See("figure 7: Voronoi"),
        Click("Scenes"), See("Alpine range"), Click("Alpine range"), Gone("Paper reproductions"), Settle,
        State("opened.json"),
    ]"#;
    std::fs::write(session.path("steps.ron"), steps).unwrap();
    let output = session.talweg().args(["--drive", "steps.ron"]).output().expect("talweg starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(session.state("opened.json")["title"], "Alpine range — Talweg");
}

#[test]
fn a_broken_scene_is_a_message_in_the_window() {
    let session = Session::new();
    std::fs::write(session.path("broken.ron"), &SCENE[..SCENE.len() / 2]).unwrap();
    session.drive("broken.ron", r#"[See("broken.ron"), Settle, State("state.json")]"#);
    let state = session.state("state.json");
    assert!(state["title"].as_str().unwrap().starts_with("Untitled"));
    assert!(state["messages"][0].as_str().unwrap().contains("line"), "{state}");
}

#[test]
fn a_scene_is_saved_below_long_and_accented_folders() {
    let session = Session::new();
    let long = "a".repeat(100);
    let file = format!("Höhen über Maß/{long}/{long}/{long}/scene.ron");
    std::fs::create_dir_all(session.path(&file).parent().unwrap()).unwrap();
    std::fs::write(session.path(&file), SCENE).unwrap();
    let edit = r#"Click("Hills"), Settle, Drag("Slider:Frequency", 40, 0), Settle"#;
    session.drive(&file, &format!(r#"[Settle, {edit}, Key("Ctrl+S"), See("Saved"), Settle, State("saved.json")]"#));
    let saved = session.state("saved.json");
    assert_eq!(saved["dirty"], false, "{saved}");
    let verify = session.talweg().args(["verify", &file, "--quiet"]).output().unwrap();
    let printed = String::from_utf8(verify.stdout).unwrap();
    assert!(printed.contains(saved["hash"].as_str().unwrap()), "{printed} against {saved}");
}

#[test]
#[cfg(target_os = "linux")]
fn without_a_screen_or_a_driver_there_is_a_message_and_no_panic() {
    let run = |change: &dyn Fn(&mut Command)| {
        let mut command = Command::new(program());
        change(&mut command);
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(!said.contains("panicked"), "{said}");
        said
    };
    let said = run(&|c| {
        c.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").env_remove("WAYLAND_SOCKET");
    });
    let expected = if runs_in_wine() { ["no graphics driver can draw", "Install"] } else { ["no display", "Xvfb"] };
    assert!(expected.iter().all(|words| said.contains(words)), "{said}");
    let screen = Screen::start();
    let said = run(&|c| {
        c.env("DISPLAY", screen.display.as_deref().unwrap_or(":0")).env_remove("WAYLAND_DISPLAY");
        c.env("VK_DRIVER_FILES", "/nonexistent.json").env("VK_ICD_FILENAMES", "/nonexistent.json");
        c.env("LIBGL_DRIVERS_PATH", "/nonexistent").env("__EGL_VENDOR_LIBRARY_FILENAMES", "/nonexistent.json");
    });
    assert!(said.contains("no graphics driver can draw") && said.contains("Vulkan: "), "{said}");
}
