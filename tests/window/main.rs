//! Tests of the real editor in a real window, on a virtual screen (Xvfb) with any Vulkan driver, software renderers
//! included. A script operates mouse and keyboard (`--drive`); each wait ends when the editor reaches a state, never
//! after a fixed time.

mod first_hour;
#[path = "../screen_kit/mod.rs"]
mod screen_kit;

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use screen_kit::{SCENE, Screen, Session};
#[cfg(unix)]
use screen_kit::{left_work, play_until};
use talweg::eval::{Store, evaluate};
use talweg::field::Control;
use talweg::nodes::Node;

impl Session {
    /// Opens `scene` and plays `steps`. All files that the steps write are in the session's folder.
    fn drive(&self, scene: &str, steps: &str) {
        std::fs::write(self.path("steps.ron"), steps).expect("writing the steps");
        let output = self.talweg().args([scene, "--drive", "steps.ron"]).output().expect("talweg starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "the editor ended with {}:\n{said}", output.status);
    }

    fn state(&self, name: &str) -> Value {
        let text = std::fs::read_to_string(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
        serde_json::from_str(&text).expect("the state is JSON")
    }

    fn picture(&self, name: &str) -> Picture {
        Picture::read(&self.path(name))
    }
}

struct Picture {
    width: usize,
    rgb: Vec<u8>,
}

impl Picture {
    fn read(path: &Path) -> Self {
        let file = std::io::BufReader::new(std::fs::File::open(path).expect("the picture is there"));
        let mut reader = png::Decoder::new(file).read_info().expect("a PNG file");
        let mut rgb = vec![0; reader.output_buffer_size().expect("a size")];
        let info = reader.next_frame(&mut rgb).expect("a complete image");
        Self { width: info.width as usize, rgb }
    }

    /// The pixels of a rectangle, given in fractions of the window.
    fn part(&self, x: [f32; 2], y: [f32; 2]) -> Vec<[u8; 3]> {
        let height = self.rgb.len() / 3 / self.width;
        let span = |r: [f32; 2], n: usize| (r[0] * n as f32) as usize..(r[1] * n as f32) as usize;
        let mut out = Vec::new();
        for row in span(y, height) {
            for column in span(x, self.width) {
                let at = (row * self.width + column) * 3;
                out.push([self.rgb[at], self.rgb[at + 1], self.rgb[at + 2]]);
            }
        }
        out
    }
}

/// Fraction of the pixels that differ visibly.
fn difference(a: &[[u8; 3]], b: &[[u8; 3]]) -> f32 {
    assert_eq!(a.len(), b.len());
    let far = |(p, q): (&[u8; 3], &[u8; 3])| (0..3).any(|k| p[k].abs_diff(q[k]) > 6);
    a.iter().zip(b).filter(|&pair| far(pair)).count() as f32 / a.len() as f32
}

/// The centre of the 3D view, away from the panels.
fn view(picture: &Picture) -> Vec<[u8; 3]> {
    picture.part([0.45, 0.95], [0.2, 0.75])
}

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

#[test]
fn a_shot_needs_no_window_and_shows_a_landscape() {
    let session = Session::new();
    std::fs::write(session.path("scene.ron"), SCENE).unwrap();
    let mut shot = session.talweg();
    shot.env_remove("DISPLAY").args(["shot", "scene.ron", "-o", "shot.png", "--width", "320", "--height", "200"]);
    let output = shot.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let picture = session.picture("shot.png");
    assert_eq!((picture.width, picture.rgb.len()), (320, 320 * 200 * 3));
    let shades: std::collections::HashSet<[u8; 3]> = picture.part([0.2, 0.8], [0.3, 0.8]).into_iter().collect();
    assert!(shades.len() > 200, "{} shades", shades.len());
}

const PLANET: &str = r#"(
    version: 1,
    name: "Planet test",
    settings: (world: Planet, resolution: 65, relief_metres: 9000.0, sea_level: 300.0),
    layers: [(name: "Lands", node: Perlin(frequency: 2.0), seed: 1)],
)"#;

#[test]
fn a_planet_is_a_globe_a_map_and_an_orbit_and_can_be_approached() {
    let session = Session::new();
    std::fs::write(session.path("planet.ron"), PLANET).unwrap();
    session.drive(
        "planet.ron",
        r#"[
            Settle, State("space.json"), Picture("space.png"),
            ViewDrag(from: (0.5, 0.5), to: (0.6, 0.5), button: Left, shift: false), Settle, State("turned.json"),
            ViewScroll(at: (0.5, 0.5), lines: 9), ViewScroll(at: (0.5, 0.5), lines: 9), Settle, State("near.json"),
            Picture("near.png"),
            Key("8"), Settle, Picture("map.png"), ViewScroll(at: (0.3, 0.4), lines: 5), Settle, State("map.json"),
            Key("9"), Settle, Picture("orbit.png"),
            Key("7"), Over(50.0, 20.0, 200.0, 30.0, -20.0), Settle, Picture("first.png"), Over(50.0, 20.0, 200.0, 30.0, -20.0), Settle,
            State("high.json"), Over(50.0, 20.0, 20.0, 30.0, -20.0), Settle, State("low.json"), Picture("low.png"),
            Key("0"), Settle, State("back.json"),
        ]"#,
    );
    let number = |name: &str, key: &str| session.state(name)["globe"][key].as_f64().expect("a number");
    let away = number("space.json", "radius");
    assert!(away > 2.0 * 6.371e6, "the whole planet is in view from {away} m");
    let east = (number("space.json", "longitude") - number("turned.json", "longitude")).rem_euclid(360.0);
    assert!(east > 5.0 && east < 90.0, "the ground follows the pointer: {east}° to the west");
    assert!((number("turned.json", "radius") - away).abs() < 1.0, "turning does not zoom");
    let near = number("near.json", "radius");
    assert!(near < 6.371e6 + 0.3 * (away - 6.371e6) && near > 6.3e6, "the wheel approaches: {near}");
    assert_ne!(session.state("map.json")["globe"]["map"][2], session.state("near.json")["globe"]["map"][2]);
    assert!((number("back.json", "radius") - away).abs() < 1000.0, "reset shows the whole planet again");
    // both cameras are above the detailed terrain between the samples, which has been computed at that time
    let sunk = number("high.json", "radius") - number("low.json", "radius");
    assert!((sunk - 180.0).abs() < 1.0, "the eye stands on the ground that is drawn: {sunk} m lower");
    // The pipelines of the first picture near the surface must be ready when the camera stops.
    let pictures = ["space.png", "near.png", "map.png", "orbit.png", "low.png", "first.png"];
    let pictures = pictures.map(|name| view(&session.picture(name)));
    for (k, picture) in pictures.iter().enumerate() {
        let shades: std::collections::HashSet<[u8; 3]> = picture.iter().copied().collect();
        assert!(shades.len() > 100, "picture {k} shows something: {} shades", shades.len());
        for other in &pictures[..k] {
            assert!(difference(picture, other) > 0.1, "a different image");
        }
    }
}

#[test]
fn the_interface_grows_together_with_the_view() {
    let session = Session::new();
    std::fs::write(session.path("scene.ron"), SCENE).unwrap();
    session.drive(
        "scene.ron",
        r#"[
            Settle, State("usual.json"), Picture("usual.png"), KeyPictures("Ctrl+=", "frame.png", 8), Gone("Interface at"),
            Settle, Picture("larger.png"),
            Key("Ctrl+="), Settle, State("large.json"), Picture("large.png"),
            ViewDrag(from: (0.5, 0.6), to: (0.7, 0.55), button: Left, shift: false), Settle, State("turned.json"),
            Click("Hills"), Settle, Key("Ctrl+0"), Settle, State("back.json"),
        ]"#,
    );
    // The terrain is framed again in the next frame, so only the edges of the view are compared.
    let parts = |name: &str| {
        let picture = session.picture(name);
        let (panels, bar) = (picture.part([0.0, 0.2], [0.1, 0.9]), picture.part([0.3, 0.75], [0.88, 0.945]));
        [panels, bar, picture.part([0.24, 0.3], [0.75, 0.88]), picture.part([0.9, 1.0], [0.75, 0.88])]
    };
    let (usual, larger) = (parts("usual.png"), parts("larger.png"));
    let mut seen = Vec::new();
    for k in 0..8 {
        let frame = parts(&format!("frame-{k}.png"));
        let is = |of: &[Vec<[u8; 3]>; 4]| [0, 1, 2, 3].map(|part| difference(&frame[part], &of[part]) < 0.03);
        let (is_usual, is_larger) = (is(&usual), is(&larger));
        assert!(is_usual == [true; 4] || is_larger == [true; 4], "frame {k}: usual {is_usual:?}, larger {is_larger:?}");
        seen.push(is_larger[0]);
    }
    assert!(seen.contains(&false) && seen.contains(&true), "the change is among the frames: {seen:?}");
    let right = |name: &str| session.state(name)["view"][2].as_f64().expect("a number");
    assert!((1.25 * right("large.json") - right("usual.json")).abs() < 2.0, "larger points, so fewer of them");
    assert_ne!(
        session.state("turned.json")["camera"],
        session.state("large.json")["camera"],
        "the view gets the mouse input"
    );
    let picture = session.picture("large.png");
    let shades: std::collections::HashSet<[u8; 3]> = picture.part([0.8, 0.98], [0.4, 0.8]).into_iter().collect();
    assert!(shades.len() > 50, "the view goes to the right edge: {} shades", shades.len());
    assert_eq!(right("back.json"), right("usual.json"));
}

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
fn overlays_appear_and_disappear_with_their_legends() {
    let session = Session::new();
    std::fs::write(session.path("scene.ron"), SCENE).unwrap();
    session.drive(
        "scene.ron",
        r#"[
            Settle, Picture("plain.png"), State("plain.json"),
            Key("Shift+2"), See("Legend: Erosion and deposition, m: ≤"), Settle, Picture("change.png"), State("change.json"),
            Key("Shift+3"), See("Legend: No layer writes a flow map"), Settle, Picture("flow.png"),
            Key("Shift+5"), See("Legend: Choose"), Key("Shift+9"), See("Legend: Difference A − B, m"), Settle,
            Key("C"), Gone("Legend"), Settle, Picture("again.png"), State("again.json"),
        ]"#,
    );
    let picture = |name: &str| view(&session.picture(name));
    let plain = picture("plain.png");
    assert!(difference(&plain, &picture("change.png")) > 0.02, "erosion and deposition are coloured");
    assert!(difference(&plain, &picture("flow.png")) < 0.001, "without the map, no overlay");
    assert!(difference(&plain, &picture("again.png")) < 0.001);
    assert_eq!(session.state("plain.json")["hash"], session.state("change.json")["hash"]);
    assert_eq!(session.state("again.json")["dirty"], false, "an overlay is no edit");
    let refused = session.talweg().args(["shot", "scene.ron", "-o", "x.png", "--overlay", "colour"]).output().unwrap();
    let said = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains("hardness"), "{said}");
}

#[test]
fn an_erosion_is_charted_branched_and_filmed() {
    let session = Session::new();
    std::fs::write(session.path("scene.ron"), SCENE).unwrap();
    session.drive(
        "scene.ron",
        r#"[
            Settle, Click("Slides"), Key("Shift+G"), See("Mean slope"), Settle,
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

#[test]
fn two_terrains_are_drawn_side_by_side_from_the_same_place() {
    let session = Session::new();
    let hills: String = SCENE.lines().filter(|line| !line.contains("Slides")).collect();
    // auto exposure adapts to scene A, so it is off in this comparison
    let hills = hills.replacen("settings: (", "settings: (auto_exposure: false, ", 1);
    std::fs::write(session.path("scene.ron"), hills).unwrap();
    session.drive(
        "scene.ron",
        r#"[
            Settle, Key("C"), See("View of B"), Key("Alt+2"), Settle, State("same.json"), Picture("same.png"),
            Drag("Slider:Frequency", 40, 0), ViewHover(0.9, 0.9), Settle, Picture("halves.png"),
            Key("Alt+1"), Settle, Picture("split.png"),
            Key("Alt+3"), Settle, Picture("a.png"), Key("X"), Settle, Picture("b.png"), State("b.json"),
            Key("C"), Gone("View of"), Settle, State("ended.json"),
        ]"#,
    );
    let (same, b, ended) = (session.state("same.json"), session.state("b.json"), session.state("ended.json"));
    // the view without the names at the top and the divider in the middle
    let edge = |k: usize| same["view"][k].as_f64().unwrap() as usize;
    let (left, top, right, bottom) = (edge(0), edge(1) + 34, edge(2), edge(3));
    let half = (right - left) / 2;
    let part = |picture: &Picture, from: usize, to: usize| -> Vec<[u8; 3]> {
        let row =
            |y: usize| picture.rgb[(y * picture.width + from) * 3..][..(to - from) * 3].as_chunks::<3>().0.to_vec();
        (top..bottom).flat_map(row).collect()
    };
    let west = |picture: &Picture| part(picture, left, left + half - 16);
    let east = |picture: &Picture| part(picture, left + half + 16, right);
    let pair =
        |picture: &Picture| (part(picture, left + 2, left + half - 2), part(picture, right - half + 2, right - 2));
    let picture = |name: &str| session.picture(name);
    let (a_half, b_half) = pair(&picture("same.png"));
    assert!(difference(&a_half, &b_half) < 0.01, "the same terrain from the same camera, twice");
    let (a_half, b_half) = pair(&picture("halves.png"));
    assert!(difference(&a_half, &b_half) > 0.1, "A has changed, B has not");
    let (split, a_alone, b_alone) = (picture("split.png"), picture("a.png"), picture("b.png"));
    assert!(difference(&west(&split), &west(&a_alone)) < 0.005, "A on the left");
    assert!(difference(&east(&split), &east(&b_alone)) < 0.005, "B on the right");
    assert!(difference(&west(&split), &west(&b_alone)) > 0.1 && difference(&east(&split), &east(&a_alone)) > 0.1);
    assert_eq!(same["camera"], b["camera"], "comparing does not move the camera");
    assert!(b["beside_bytes"].as_u64().unwrap() > 129 * 129 * 8);
    assert_eq!(ended["beside_bytes"], 0, "B's textures are given back");
    assert_eq!(ended["undo"], "Change frequency", "comparing is no edit");
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
#[cfg(target_os = "linux")]
fn without_a_screen_or_a_driver_there_is_a_message_and_no_panic() {
    let run = |change: &dyn Fn(&mut Command)| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_talweg"));
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
    assert!(said.contains("no display") && said.contains("Xvfb"), "{said}");
    let screen = Screen::start();
    let said = run(&|c| {
        c.env("DISPLAY", screen.display.as_deref().unwrap_or(":0")).env_remove("WAYLAND_DISPLAY");
        c.env("VK_DRIVER_FILES", "/nonexistent.json").env("VK_ICD_FILENAMES", "/nonexistent.json");
        c.env("LIBGL_DRIVERS_PATH", "/nonexistent").env("__EGL_VENDOR_LIBRARY_FILENAMES", "/nonexistent.json");
    });
    assert!(said.contains("Vulkan driver"), "{said}");
}

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

/// Waits until this number of sessions has unsaved work on disk, which takes up to a second.
#[cfg(unix)]
fn wait_until_kept(session: &Session, child: &mut std::process::Child, count: usize) {
    let is_kept = |folder: &Path| {
        std::fs::read_to_string(folder.join("session.ron")).is_ok_and(|text| text.contains("scene:Some("))
    };
    loop {
        let sessions = std::fs::read_dir(session.path("state/sessions")).unwrap();
        if sessions.flatten().filter(|entry| is_kept(&entry.path())).count() >= count {
            return;
        }
        assert!(child.try_wait().unwrap().is_none(), "it ended before its work was saved");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

/// Kill, system request, lost display, lost graphics card: the edit is offered again after each of them.
#[cfg(unix)]
#[test]
fn unsaved_work_survives_any_end() {
    use std::os::unix::process::ExitStatusExt;

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
    for (k, signal) in ["KILL", "TERM", "INT", "HUP"].into_iter().enumerate() {
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
    let left = left_work(&session);
    assert_eq!(left.len(), 5);
    assert!(left.iter().all(|work| work["name"] == "Window test" && work["error"].is_null()), "{left:?}");

    session.drive(
        "scene.ron",
        r#"[
            See("Unsaved work found"), See("Talweg ended because"), See("the graphics card"), Picture("offered.png"),
            Hover("Open"), Click("Button:Open"), Settle, Gone("Unsaved work found"), State("recovered.json"), Key("Ctrl+S"), Settle,
        ]"#,
    );
    // every script made the same edit; a state has no hash in a frame in which the terrain is still uploaded
    let edited = ["KILL.json", "TERM.json", "INT.json", "HUP.json", "card.json"].map(|name| session.state(name));
    let edited = edited.iter().find(|state| state["hash"].is_string()).expect("one was at rest");
    let recovered = session.state("recovered.json");
    assert_eq!(recovered["hash"], edited["hash"]);
    assert_eq!(recovered["dirty"], true);
    assert_eq!(left_work(&session).len(), 4, "opened and saved work is not offered again");

    if session.screen.xvfb.is_some() {
        // the saved file must contain the value at the end of the slider
        std::fs::write(session.path("scene.ron"), SCENE).unwrap();
        let mut child = play_until(&session, &edit("screen.json", stay), "screen.json");
        wait_until_kept(&session, &mut child, 5);
        session.screen.xvfb.take().map(|mut xvfb| (xvfb.kill(), xvfb.wait()));
        let output = child.wait_with_output().unwrap();
        assert!(!output.status.success());
        assert_eq!(left_work(&session).len(), 5, "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn a_window_too_large_for_the_card_is_made_smaller() {
    let session = Session::new();
    std::fs::write(session.path("scene.ron"), SCENE).unwrap();
    session.drive("scene.ron", r#"[Settle, Resize(16500, 640), Settle, State("large.json")]"#);
    let width = session.state("large.json")["view"][2].as_f64().unwrap();
    assert!(width > 1000.0 && width < 16500.0, "{width}");
}
