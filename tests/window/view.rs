//! The 3D view: shots, overlays, two terrains side by side, the size of the interface and of the window.

use crate::kit::{Picture, difference, runs_in_wine, view};
use crate::screen_kit::{SCENE, Session};

#[test]
fn a_shot_needs_no_window_and_shows_a_landscape() {
    let session = Session::new();
    std::fs::write(session.path("scene.ron"), SCENE).unwrap();
    let mut shot = session.talweg();
    if !runs_in_wine() {
        shot.env_remove("DISPLAY");
    }
    shot.args(["shot", "scene.ron", "-o", "shot.png", "--width", "320", "--height", "200"]);
    let output = shot.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let picture = session.picture("shot.png");
    assert_eq!((picture.width, picture.rgb.len()), (320, 320 * 200 * 3));
    let shades: std::collections::HashSet<[u8; 3]> = picture.part([0.2, 0.8], [0.3, 0.8]).into_iter().collect();
    assert!(shades.len() > 200, "{} shades", shades.len());
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
fn overlays_appear_and_disappear_with_their_legends() {
    let session = Session::new();
    std::fs::write(session.path("scene.ron"), SCENE).unwrap();
    session.drive(
        "scene.ron",
        r#"[
            Settle, Picture("plain.png"), State("plain.json"),
            Key("Shift+2"), See("Legend: Erosion and deposition, m: ≤"), Settle, Picture("change.png"), State("change.json"),
            Key("Shift+4"), See("Legend: No layer writes a water map"), Settle, Picture("water.png"),
            Key("Shift+5"), See("Legend: Choose"), Key("Shift+9"), See("Legend: Difference A − B, m"), Settle,
            Key("C"), Gone("Legend"), Settle, Picture("again.png"), State("again.json"),
        ]"#,
    );
    let picture = |name: &str| view(&session.picture(name));
    let plain = picture("plain.png");
    assert!(difference(&plain, &picture("change.png")) > 0.02, "erosion and deposition are coloured");
    assert!(difference(&plain, &picture("water.png")) < 0.001, "without the map, no overlay");
    assert!(difference(&plain, &picture("again.png")) < 0.001);
    assert_eq!(session.state("plain.json")["hash"], session.state("change.json")["hash"]);
    assert_eq!(session.state("again.json")["dirty"], false, "an overlay is no edit");
    let refused = session.talweg().args(["shot", "scene.ron", "-o", "x.png", "--overlay", "colour"]).output().unwrap();
    let said = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains("hardness"), "{said}");
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
    assert_eq!(ended["beside_bytes"], 0, "the textures of B are released");
    assert_eq!(ended["undo"], "Change frequency", "comparing is no edit");
}

#[test]
fn a_window_too_large_for_the_card_is_made_smaller() {
    let session = Session::new();
    std::fs::write(session.path("scene.ron"), SCENE).unwrap();
    session.drive("scene.ron", r#"[Settle, Resize(16500, 640), Settle, State("large.json")]"#);
    let width = session.state("large.json")["view"][2].as_f64().unwrap();
    assert!(width > 1000.0 && width < 16500.0, "{width}");
}
