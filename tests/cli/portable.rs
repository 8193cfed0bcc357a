//! Exports and scenes that can be moved and sent: no paths of this computer, edited scene files, and false claims in
//! files.

use predicates::prelude::*;
use predicates::str::contains;

use super::{Folder, talweg};

const HAND_WRITTEN: &str = "\
// My range. Do not lose this line.
(
    version: 1, /* the only version */
    name: \"Range\",
    settings: (resolution: 33, size_metres: 8000.0), // the default, on purpose
    layers: [
        (name: \"Peaks\", node: Perlin(octaves: 8)), // eight
    ],
)
";

fn importing(file: &str) -> String {
    format!("(version: 1, settings: (resolution: 33), layers: [(node: Import(file: {file:?}))])")
}

/// Runs the program in a folder.
fn talweg_in(folder: &std::path::Path, args: &[&str]) -> assert_cmd::assert::Assert {
    assert_cmd::Command::cargo_bin("talweg").unwrap().current_dir(folder).args(args).assert()
}

#[test]
fn exports_contain_no_path_of_this_computer() {
    let folder = Folder::new();
    let project = folder.path("home/ada/project");
    std::fs::create_dir_all(project.join("out")).unwrap();
    talweg_in(&project, &["export", "island", "--size", "33", "-o", "dem.png"]).success();
    std::fs::write(project.join("a.ron"), importing("dem.png")).unwrap();
    let names = ["a.png", "a.tif", "a.exr", "a.glb", "a.obj", "a.ply", "out/b.png", "out/b.glb"];
    let outputs: Vec<&str> = names.iter().flat_map(|name| ["-o", name]).collect();
    talweg_in(&project, &[&["export", "a.ron"], &outputs[..]].concat()).success();
    talweg_in(&project, &["batch", "a.ron", "--seeds", "1..2", "-o", "batch"]).success();
    let mut pending = vec![project.clone()];
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            pending.extend(std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("home/ada"), "{}", path.display());
    }
    // The folder moves with all of its files.
    let moved = folder.path("moved");
    std::fs::rename(&project, &moved).unwrap();
    for name in names.iter().filter(|name| !name.starts_with("out")) {
        talweg_in(&moved, &["verify", name, "-q"]).success();
    }
    talweg_in(&moved, &["verify", "out/b.png", "-q"]).failure().stderr(contains("--allow-outside"));
    talweg_in(&moved, &["verify", "out/b.png", "-q", "--allow-outside"]).success();
    talweg_in(&moved, &["export", "a.ron", "-o", "../far.png", "-q"]).success();
    let far = std::fs::read(folder.path("far.png")).unwrap();
    assert!(!String::from_utf8_lossy(&far).contains(folder.path("").to_str().unwrap()));
}

#[test]
fn a_stored_build_keeps_the_text_of_a_scene() {
    let folder = Folder::new();
    let scene = folder.write_file("alps.ron", HAND_WRITTEN);
    let out = folder.path_text("h.r16");
    let state = folder.path("state");
    let save = |name: &str| {
        let mut command = assert_cmd::Command::cargo_bin("talweg").unwrap();
        command.env("TALWEG_STATE", &state).args(["export", &scene, "-o", &out, "--save-build", name]).assert()
    };
    save("One").success();
    save("Two").success();
    save("One").success();
    let text = std::fs::read_to_string(&scene).unwrap();
    for line in HAND_WRITTEN.lines() {
        assert!(text.contains(line), "{line} is lost in\n{text}");
    }
    assert_eq!((text.matches("\"One\"").count(), text.matches("\"Two\"").count()), (1, 1), "{text}");
    let versions = std::fs::read_dir(state.join("versions")).unwrap().next().unwrap().unwrap().path();
    let kept = std::fs::read_dir(versions).unwrap();
    let texts: Vec<String> = kept.map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap()).collect();
    assert!(texts.iter().any(|text| text == HAND_WRITTEN), "the earlier version is kept");
}

#[test]
fn builds_stored_at_once_by_many_programs_are_all_kept() {
    let folder = Folder::new();
    let scene = folder.write_file("a.ron", HAND_WRITTEN);
    let names: Vec<String> = (0..8).map(|k| format!("build {k}")).collect();
    std::thread::scope(|scope| {
        for name in &names {
            let (scene, out) = (&scene, folder.path_text(&format!("{name}.r16")));
            scope.spawn(move || talweg(&["export", scene, "-q", "-o", &out, "--save-build", name]).success());
        }
    });
    let text = std::fs::read_to_string(&scene).unwrap();
    assert!(names.iter().all(|name| text.contains(&format!("{name:?}"))), "{text}");
}

#[test]
fn exports_are_named_after_the_file() {
    let folder = Folder::new();
    let scene = folder.write_file("alps.ron", HAND_WRITTEN);
    talweg(&["export", &scene, "--preset", "godot", "--size", "512", "-o", &folder.path_text("out"), "-q"]).success();
    let names: Vec<String> = std::fs::read_dir(folder.path("out"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != "README.txt")
        .collect();
    assert!(!names.is_empty() && names.iter().all(|name| name.starts_with("alps-")), "{names:?}");
}

#[test]
fn paths_become_relative_and_files_are_packed() {
    let folder = Folder::new();
    for name in ["own", "maps"] {
        std::fs::create_dir(folder.path(name)).unwrap();
    }
    let heights = folder.path_text("maps/dem.png");
    talweg(&["export", "island", "--size", "33", "-o", &heights]).success();
    let scene = folder.write_file("own/a.ron", importing(&heights).replace("layers", "// mine\nlayers"));
    talweg(&["make-relative", &scene]).failure().stderr(contains("--allow-outside"));
    talweg(&["make-relative", &scene, "--allow-outside"]).success().stdout(contains("../maps/dem.png"));
    let text = std::fs::read_to_string(&scene).unwrap();
    assert!(text.contains("// mine") && text.contains("\"../maps/dem.png\""), "{text}");
    talweg(&["make-relative", &scene]).success().stdout(contains("relative already"));
    talweg(&["missing-files", &scene]).success().stdout("");
    talweg(&["pack-files", &scene]).success().stdout(contains("a-files"));
    std::fs::remove_dir_all(folder.path("maps")).unwrap();
    talweg(&["verify", &scene]).success();
    std::fs::remove_file(folder.path("own/a-files/dem.png")).unwrap();
    talweg(&["missing-files", &scene]).code(1).stdout(contains("missing").and(contains("dem.png")));
}

#[test]
fn a_name_without_an_ending_becomes_a_scene_file() {
    let folder = Folder::new();
    for (name, written) in [("piece", "piece.ron"), ("piece 1.2", "piece 1.2.ron")] {
        talweg(&["cut-out", "island", "--size", "33", "--area", "2000,2000,6000,6000", "-o", &folder.path_text(name)])
            .success();
        assert!(folder.path(written).is_file(), "{written}");
    }
    talweg(&[
        "cut-out",
        "island",
        "--size",
        "33",
        "--area",
        "2000,2000,6000,6000",
        "-o",
        &folder.path_text("piece.png"),
    ])
    .code(2);
}

#[test]
fn claimed_sizes_end_in_an_error() {
    let folder = Folder::new();
    let scene = folder.write_file("a.ron", HAND_WRITTEN);
    for name in ["a.ply", "a.obj", "a.glb", "a.png"] {
        let path = folder.path_text(name);
        talweg(&["export", &scene, "-o", &path, "-q"]).success();
        let bytes = std::fs::read(&path).unwrap();
        for claim in ["99999999", "16385", "-1", "1e9", "18446744073709551616"] {
            let forged = forged_samples(&bytes, name, claim);
            std::fs::write(&path, forged).unwrap();
            talweg(&["verify", &path]).code(1).stderr(contains("samples per side"));
        }
    }
}

/// Returns the file with another number of samples in its metadata texts.
fn forged_samples(bytes: &[u8], name: &str, claim: &str) -> Vec<u8> {
    let (old, new) = match name.rsplit('.').next() {
        Some("png") => return picture_with_scene(claim, |_| ()),
        Some("glb") => ("\"talweg samples\":\"33\"".to_string(), format!("\"talweg samples\":\"{claim}\"")),
        _ => ("[\"talweg samples\",\"33\"]".to_string(), format!("[\"talweg samples\",\"{claim}\"]")),
    };
    let at = bytes.windows(old.len()).position(|window| window == old.as_bytes()).expect("the texts of the file");
    let mut forged = [&bytes[..at], new.as_bytes(), &bytes[at + old.len()..]].concat();
    if name.ends_with("glb") {
        for place in [8, 12] {
            let length = u32::from_le_bytes(forged[place..place + 4].try_into().unwrap());
            let length = length.wrapping_add(new.len() as u32).wrapping_sub(old.len() as u32);
            forged[place..place + 4].copy_from_slice(&length.to_le_bytes());
        }
    }
    forged
}

/// A level PNG with a scene of `samples` per side. `more` writes chunks after the header.
fn picture_with_scene(samples: &str, more: impl Fn(&mut png::Writer<&mut Vec<u8>>)) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, 33, 33);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.add_text_chunk("talweg samples".into(), samples.into()).unwrap();
    encoder.add_itxt_chunk("talweg scene".into(), HAND_WRITTEN.into()).unwrap();
    let mut writer = encoder.write_header().unwrap();
    more(&mut writer);
    writer.write_image_data(&[0; 33 * 33]).unwrap();
    writer.finish().unwrap();
    bytes
}

#[test]
fn a_text_that_inflates_without_end_is_refused() {
    let folder = Folder::new();
    let mut text = png::text_metadata::ITXtChunk::new("talweg more", " ".repeat(40 << 20));
    text.compressed = true;
    text.compress_text().unwrap();
    let packed = picture_with_scene("33", |writer| writer.write_text_chunk(&text).unwrap());
    assert!(packed.len() < 8 << 20, "the file is smaller than its text: {}", packed.len());
    let path = folder.write_file("a.png", packed);
    talweg(&["verify", &path]).code(1).stderr(contains("32 MiB"));
    talweg(&["check", &path]).code(1).stdout(contains("32 MiB"));
    // Each text is below the limit, but all texts together exceed it.
    let mut text = png::text_metadata::ITXtChunk::new("talweg more", " ".repeat(10 << 20));
    text.compressed = true;
    text.compress_text().unwrap();
    let packed = picture_with_scene("33", |writer| (0..8).for_each(|_| writer.write_text_chunk(&text).unwrap()));
    talweg(&["check", &folder.write_file("a.png", packed)]).code(1).stdout(contains("32 MiB"));
}

#[test]
fn names_in_scenes_command_no_terminal() {
    let folder = Folder::new();
    let name = "\\u{1b}[2J\\u{1b}]0;owned\\u{7}\\u{9b}31m\\u{202e}evil";
    let layer = format!("(name: \"{name}\", node: Import(file: \"{name}.png\"))");
    let text = format!("(version: 1, name: \"{name}\", builds: [(name: \"{name}\")], layers: [{layer}])");
    let scene = folder.write_file("a.ron", text);
    let out = folder.path_text("o.png");
    let commands: [&[&str]; 7] = [
        &["check", &scene],
        &["check", &scene, "--json"],
        &["verify", &scene],
        &["measure", &scene],
        &["export", &scene, "-o", &out],
        &["export", &scene, "--build", "no"],
        &["missing-files", &scene],
    ];
    for command in commands {
        let done = assert_cmd::Command::cargo_bin("talweg").unwrap().args(command).output().unwrap();
        let said = String::from_utf8([done.stdout, done.stderr].concat()).unwrap();
        let is_command = |c: char| c.is_control() && c != '\n' || ('\u{202a}'..='\u{202e}').contains(&c);
        assert!(!said.is_empty() && !said.contains(is_command), "{command:?}: {said:?}");
    }
}

#[test]
fn byte_order_marks_are_no_errors() {
    let folder = Folder::new();
    let scene = folder.write_file("a.ron", format!("\u{feff}{HAND_WRITTEN}"));
    talweg(&["check", &scene]).success().stdout(contains("ok"));
    talweg(&["export", &scene, "-o", &folder.path_text("h.r16"), "--save-build", "One"]).success();
    talweg(&["check", &scene]).success().stdout(contains("ok"));
}

/// A scene that reads another scene file gives its terrain, moves with it, and reports a circle of layers.
#[test]
fn scenes_that_read_scenes_move_and_report_circles() {
    let folder = Folder::new();
    let (own, moved) = (folder.path("own"), folder.path("moved"));
    std::fs::create_dir(&own).unwrap();
    let scene = |layers: &str| format!("(version: 1, settings: (resolution: 33), layers: [{layers}])");
    std::fs::write(own.join("part.ron"), scene("(name: \"Peaks\", node: Ridged(), seed: 4)")).unwrap();
    let reading = "(name: \"Hills\", node: Perlin()), (name: \"Again\", node: Reference(source_file: \"part.ron\"))";
    std::fs::write(own.join("a.ron"), scene(reading)).unwrap();
    std::fs::rename(&own, &moved).unwrap();
    let exported = |arguments: &[&str]| {
        talweg_in(&moved, &[&["export"], arguments, &["-o", "made.r32", "--force", "-q"]].concat()).success();
        std::fs::read(moved.join("made.r32")).unwrap()
    };
    let part = exported(&["part.ron"]);
    assert_eq!(exported(&["a.ron"]), part);
    assert_eq!(exported(&["a.ron", "--set", "Again.source=Peaks"]), part);
    let hills = exported(&["a.ron", "--set", "Again.enabled=false"]);
    assert_ne!(hills, part);
    assert_eq!(exported(&["a.ron", "--set", "Again.source_file=", "--set", "Again.source=Hills"]), hills);
    talweg_in(&moved, &["check", "a.ron"]).success().stdout(contains("ok"));
    let circle = "(name: \"A\", node: Reference(source: \"B\")), (name: \"B\", node: Reference(source: \"A\"))";
    std::fs::write(moved.join("circle.ron"), scene(circle)).unwrap();
    let told = talweg_in(&moved, &["check", "circle.ron"]).success();
    told.stdout(contains("layer `A`: the layer reads layer `B`, which reads this layer; this is a circle"));
}
