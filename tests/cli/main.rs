//! The program as people and scripts call it: results, exit codes, messages.

mod agent_tasks;
mod batches;
mod benchmark;
mod exports;
mod help;
#[path = "../http_kit/mod.rs"]
mod http_kit;
mod measures;
mod portable;
mod readings;
mod recover;
mod server;
mod strangers;
mod tiles;
mod timelapse;

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;

/// The folder that holds `saves` and `assets`.
const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn talweg(args: &[&str]) -> assert_cmd::assert::Assert {
    Command::cargo_bin("talweg").unwrap().args(args).assert()
}

fn save(name: &str) -> String {
    format!("{REPOSITORY}/saves/{name}.ron")
}

/// A temporary folder with scene files for a test.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }
    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
    fn path_text(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().into()
    }
    fn write_file(&self, name: &str, text: impl AsRef<[u8]>) -> String {
        std::fs::write(self.path(name), text).unwrap();
        self.path_text(name)
    }
}

fn picture_size(path: &Path) -> (u32, u32, png::ColorType, png::BitDepth) {
    let file = std::io::BufReader::new(std::fs::File::open(path).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    assert!(bytes.iter().any(|b| *b != bytes[0]), "an empty picture");
    (info.width, info.height, info.color_type, info.bit_depth)
}

#[test]
fn doctor_lists_what_was_found_and_what_it_means() {
    let folder = Folder::new();
    let doctor = |state: &str| {
        let mut command = Command::cargo_bin("talweg").unwrap();
        let path = folder.path(state);
        command.args(["doctor"]).env("TALWEG_STATE", &path).env("TALWEG_CONFIG", folder.path("config"));
        let ended = command.assert().success();
        String::from_utf8(ended.get_output().stdout.clone()).unwrap()
    };
    let text = doctor("state");
    for part in ["Talweg ", "System ", "Processor ", "Memory ", "Graphics ", "Settings ", "Cache ", "\n- "] {
        assert!(text.contains(part), "{part:?} is missing in:\n{text}");
    }
    assert!(text.contains(&format!("{}: can be written", folder.path("state").display())), "{text}");
}

#[test]
fn an_unknown_graphics_system_is_refused_with_the_known_ones() {
    let mut command = Command::cargo_bin("talweg").unwrap();
    let refused = command.args(["doctor", "--graphics", "glide"]).assert();
    let has_editor = Command::cargo_bin("talweg").unwrap().args(["doctor"]).assert().success();
    let text = String::from_utf8_lossy(&has_editor.get_output().stdout).into_owned();
    match text.contains("has no editor") {
        true => refused.success(),
        false => refused.code(2).stderr(contains("--graphics cannot be glide here; give one of")),
    };
}

#[test]
fn render_draws_a_picture_of_the_size_that_was_asked_for() {
    let folder = Folder::new();
    let out = folder.path_text("a.png");
    let rgb8 = (png::ColorType::Rgb, png::BitDepth::Eight);
    talweg(&["render", "island", "-o", &out, "--size", "65", "--picture", "48"]).success().stdout(contains("48 × 48"));
    assert_eq!(picture_size(&folder.path("a.png")), (48, 48, rgb8.0, rgb8.1));
    talweg(&["render", "island", "-o", &out, "--size", "65", "--width", "60", "--height", "20", "--style", "heights"])
        .success();
    assert_eq!(picture_size(&folder.path("a.png")), (60, 20, rgb8.0, rgb8.1));
    talweg(&["render", "island", "-o", &out, "--picture", "0"]).code(2);
    talweg(&["render", "island", "-o", &out, "--picture", "9", "--width", "9"]).code(2);
    talweg(&["render", "island", "-o", &folder.path_text("a.jpg")]).code(2).stderr(contains(".png"));
    talweg(&["render", "island", "-o", &out, "--palette", "pink"]).code(2).stderr(contains("alpine"));
}

#[test]
fn render_traces_constructions_in_perspective() {
    let folder = Folder::new();
    let out = folder.path_text("a.png");
    let scene = "paper-004-fig-22-oasis";
    let size = ["--width", "48", "--height", "32"];
    let traced = |more: &[&str]| {
        let plain = ["render", scene, "-o", &out, "--sphere-trace"];
        talweg(&[&plain[..], &size[..], more].concat())
    };
    traced(&["--threads", "1"]).success().stdout(contains("48 × 32").and(contains("evaluations per pixel")));
    let first = std::fs::read(folder.path("a.png")).unwrap();
    traced(&["--threads", "2"]).success();
    assert!(first == std::fs::read(folder.path("a.png")).unwrap(), "one thread and two draw the same");
    traced(&["--eye", "1100,2500,400", "--target", "1100,1100,0", "--fov", "60"]).success();
    assert!(first != std::fs::read(folder.path("a.png")).unwrap(), "the picture from another position differs");
    traced(&["--evaluations"]).success().stdout(contains("heights and").and(contains("table of bounds")));
    traced(&["--evaluations", "--local-bounds"]).success().stdout(contains("local bounds"));
    traced(&["--evaluations", "--global-bound"]).success().stdout(contains("global bound"));
    traced(&["--eye", "1,2"]).code(2).stderr(contains("three numbers"));
    talweg(&["render", scene, "-o", &out, "--evaluations"]).code(2).stderr(contains("--sphere-trace"));
    talweg(&["render", "island", "-o", &out, "--sphere-trace"]).code(2).stderr(contains("construction"));
}

#[test]
fn export_writes_every_format_with_its_report() {
    let folder = Folder::new();
    let common = ["export", "island", "--size", "33", "--json", "-o"];
    let report = |file: &str| -> serde_json::Value {
        let done = talweg(&[&common[..], &[&folder.path_text(file)]].concat()).success();
        let report: serde_json::Value = serde_json::from_slice(&done.get_output().stdout).unwrap();
        report["rasters"][0].clone()
    };
    let floats = report("h.r32");
    let metres: Vec<f32> = std::fs::read(folder.path("h.r32"))
        .unwrap()
        .chunks_exact(4)
        .map(|b| f32::from_le_bytes(b.try_into().unwrap()))
        .collect();
    assert_eq!(metres.len(), 33 * 33);
    let range = metres.iter().fold((f32::MAX, f32::MIN), |(a, b), &h| (a.min(h), b.max(h)));
    assert_eq!(floats["min"].as_f64().unwrap() as f32, range.0);
    assert_eq!(floats["max"].as_f64().unwrap() as f32, range.1);

    let words = report("h.r16");
    let step = words["per_step"].as_f64().unwrap() as f32;
    let bytes = std::fs::read(folder.path("h.r16")).unwrap();
    assert_eq!(bytes.len(), 33 * 33 * 2);
    for (two, height) in bytes.chunks_exact(2).zip(&metres) {
        let back = range.0 + f32::from(u16::from_le_bytes(two.try_into().unwrap())) * step;
        assert!((back - height).abs() <= step, "{back} m, not {height} m");
    }
    assert_eq!(report("h.png")["samples"], 33);
    assert_eq!(picture_size(&folder.path("h.png")), (33, 33, png::ColorType::Grayscale, png::BitDepth::Sixteen));
    talweg(&["export", "island", "-o", &folder.path_text("h.png"), "--size", "33"])
        .success()
        .stdout(contains("m per step"));
}

#[test]
fn unwritable_places_are_named_before_any_work() {
    let folder = Folder::new();
    let export = |out: &str| talweg(&["export", "island", "--size", "16", "-o", out]);
    export(&folder.path_text("h.tga")).code(2).stderr(contains("`.tga`").and(contains(".r16")).and(contains(".r32")));
    export(&folder.path_text("h")).code(2).stderr(contains(".png"));
    export(&folder.path_text("none/at-all/h.r16")).code(1).stderr(contains("there is no folder").and(contains("none")));
    std::fs::create_dir(folder.path("dir.r16")).unwrap();
    export(&folder.path_text("dir.r16")).code(1).stderr(contains("is a folder"));
    folder.write_file("file", "");
    export(&folder.path_text("file/h.r16")).code(1).stderr(contains("there is no folder"));
    #[cfg(target_os = "linux")]
    export("/proc/h.r16").code(1).stderr(contains("cannot write /proc/h.r16"));
}

#[test]
fn nodes_lists_the_whole_catalogue() {
    let text = talweg(&["nodes"]).success();
    let text = String::from_utf8(text.get_output().stdout.clone()).unwrap();
    let json = talweg(&["nodes", "--json"]).success();
    let json: serde_json::Value = serde_json::from_slice(&json.get_output().stdout).unwrap();
    let catalogue = talweg::nodes::Node::catalogue();
    assert_eq!(json["nodes"].as_array().unwrap().len(), catalogue.len());
    for (node, entry) in catalogue.iter().zip(json["nodes"].as_array().unwrap()) {
        let about = node.about();
        assert_eq!((entry["name"].as_str(), entry["help"].as_str()), (Some(about.name), Some(about.help)));
        assert!(text.contains(about.help), "{}", about.name);
        for (spec, param) in about.params.iter().zip(entry["params"].as_array().unwrap()) {
            assert_eq!(param["name"], spec.name);
            assert!(text.contains(spec.help), "{}.{}", about.name, spec.name);
        }
    }
    assert_eq!(json["scene"]["params"][0]["name"], "world");
    let thermal = talweg(&["nodes", "thermal"]).success();
    let thermal = String::from_utf8(thermal.get_output().stdout.clone()).unwrap();
    assert!(thermal.contains("talus_angle") && !thermal.contains("StreamPower"), "{thermal}");
    assert!(thermal.lines().count() < 60 && !thermal.contains("SCENE"), "{thermal}");
    talweg(&["nodes", "Lava"]).code(2).stderr(contains("no node or piece “Lava”"));
}

#[test]
fn broken_scenes_say_what_and_where() {
    let folder = Folder::new();
    let good = std::fs::read_to_string(save("island")).unwrap();
    let nested = format!("(version: 1, layers: {}", "[".repeat(10_000));
    let cases: &[(&str, Vec<u8>, &str)] = &[
        ("truncated.ron", good.as_bytes()[..good.len() / 2].to_vec(), "line "),
        ("newer.ron", good.replacen("version: 1", "version: 99", 1).into_bytes(), "version 99"),
        ("zero.ron", good.replacen("version: 1", "version: 0", 1).into_bytes(), "versions begin at 1"),
        ("nested.ron", nested.into_bytes(), "line 1"),
        ("prose.ron", b"Dear diary,".to_vec(), "line 1, column 1"),
        ("empty.ron", Vec::new(), "line 1"),
        ("binary.ron", vec![0x89, b'P', b'N', b'G', 0, 0xff], "not text"),
        ("unknown.ron", b"(version: 1, layers: [(node: Perlin(frequncy: 3))])".to_vec(), "frequncy"),
        ("nonode.ron", b"(version: 1, layers: [(node: Lava())])".to_vec(), "Lava"),
    ];
    for (name, bytes, message) in cases {
        let file = folder.write_file(name, bytes);
        for command in ["check", "verify"] {
            let said = talweg(&[command, &file]).code(1);
            let output = said.get_output();
            let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
            assert!(text.contains(message) && text.contains(name), "{command} {name}: {text}");
        }
    }
    talweg(&["verify", &folder.path_text("missing.ron")])
        .code(1)
        .stderr(contains("missing.ron").and(contains("island")));
    talweg(&["verify", folder.0.path().to_str().unwrap()]).code(1).stderr(contains("a folder or a device"));
}

#[test]
fn check_prints_ok_warnings_and_errors() {
    let folder = Folder::new();
    let shipped = std::fs::read_dir(format!("{REPOSITORY}/saves"))
        .unwrap()
        .map(|entry| entry.unwrap().path().to_str().unwrap().to_owned());
    let shipped: Vec<String> = shipped.filter(|path| path.ends_with(".ron")).collect();
    let arguments: Vec<&str> = ["check"].into_iter().chain(shipped.iter().map(String::as_str)).collect();
    let said = talweg(&arguments).success();
    let text = String::from_utf8_lossy(&said.get_output().stdout).into_owned();
    assert_eq!(text.lines().filter(|line| line.starts_with("ok ")).count(), shipped.len(), "{text}");
    assert!(shipped.len() > 70 && !text.contains("warning"), "{text}");
    let odd = folder.write_file("odd.ron", "(version: 1, palette: \"pink\", layers: [(node: Perlin(octaves: 99))])");
    talweg(&["check", &odd]).success().stdout(contains("`octaves` was 99").and(contains("no palette `pink`")));
    let bad = folder.write_file("bad.ron", "(");
    let said = talweg(&["check", &save("island"), &bad, "--json"]).code(1);
    let json: serde_json::Value = serde_json::from_slice(&said.get_output().stdout).unwrap();
    assert!(json[0]["error"].is_null() && json[1]["error"].as_str().unwrap().contains("line 1"));
    talweg(&["check"]).code(2);
    talweg(&["verify", &odd, "--size", "9"]).success().stderr(contains("warning").and(contains("odd.ron")));
    talweg(&["verify", &odd, "--size", "9", "--quiet"]).success().stderr(predicates::str::is_empty());
}

#[test]
fn verify_prints_one_hash_that_scene_seed_size_and_set_decide() {
    let hash = |args: &[&str]| {
        let done = talweg(&[&["verify", "alpine-range"], args].concat()).success();
        let text = String::from_utf8(done.get_output().stdout.clone()).unwrap();
        assert!(text.len() == 33 && text.trim().bytes().all(|b| b.is_ascii_hexdigit()), "{text:?}");
        text
    };
    let plain = hash(&["--size", "65"]);
    for threads in ["1", "2", "3", "7"] {
        assert_eq!(hash(&["--size", "65", "--threads", threads]), plain);
    }
    assert_ne!(hash(&["--size", "65", "--seed", "99"]), plain);
    assert_ne!(hash(&["--size", "65", "--set", "Crests.octaves=4"]), plain);
    assert_ne!(hash(&["--size", "66"]), plain);
    let text = talweg(&["verify", "island", "--size", "17", "--json", "--threads", "3"]).success();
    let runs: serde_json::Value = serde_json::from_slice(&text.get_output().stdout).unwrap();
    let threads: Vec<i64> = runs.as_array().unwrap().iter().map(|r| r["threads"].as_i64().unwrap()).collect();
    assert_eq!(threads, [1, 2, 3]);
}

#[test]
fn wrong_usage_is_exit_code_2_and_says_what_is_right() {
    let verify = |args: &[&str]| talweg(&[&["verify", "island", "--size", "9"], args].concat());
    verify(&["--set", "Coast"]).code(2).stderr(contains("LAYER.PARAM=VALUE"));
    verify(&["--set", "Nope.octaves=3"]).code(2).stderr(contains("`Coast`"));
    verify(&["--set", "Coast.nope=3"]).code(2).stderr(contains("octaves"));
    verify(&["--set", "Coast.octaves=many"]).code(2).stderr(contains("1 to 16"));
    verify(&["--set", "Coast.octaves=99"]).code(2).stderr(contains("1 to 16"));
    verify(&["--set", "Coast.octaves=3", "--set", "scene.seed=5"]).success();
    for size in ["1", "16385", "many", "-4"] {
        talweg(&["verify", "island", "--size", size]).code(2);
    }
    verify(&["--threads", "-1"]).code(2);
    verify(&["--threads", "100000"]).code(2).stderr(contains("256"));
}

#[test]
fn a_file_takes_precedence_over_an_example_of_its_name() {
    let folder = Folder::new();
    folder.write_file("island", "(");
    let mut command = Command::cargo_bin("talweg").unwrap();
    command.current_dir(folder.0.path()).args(["verify", "island"]).assert().code(1).stderr(contains("line 1"));
}

#[test]
fn a_reader_that_stops_reading_is_no_error() {
    use std::process::{Command, Stdio};
    let program = assert_cmd::cargo::cargo_bin("talweg");
    let mut child = Command::new(program).arg("nodes").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
}

#[cfg(not(feature = "window"))]
#[test]
fn without_the_editor_the_program_says_so() {
    let folder = Folder::new();
    talweg(&[]).code(1).stderr(contains("without the editor"));
    talweg(&[&save("island")]).code(1).stderr(contains("without the editor"));
    talweg(&["shot", "island", "-o", &folder.path_text("v.png")]).code(1).stderr(contains("without the editor"));
}

/// Ground types with a legend, temperature and moisture, for planets and terrains.
#[test]
fn ground_types_and_climate_are_exported_and_measured() {
    let folder = Folder::new();
    let indexed = |path: &str| {
        let file = std::io::BufReader::new(std::fs::File::open(folder.path(path)).unwrap());
        let mut reader = png::Decoder::new(file).read_info().unwrap();
        let palette = reader.info().palette.as_ref().expect("a palette").to_vec();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        assert_eq!((info.color_type, info.bit_depth), (png::ColorType::Indexed, png::BitDepth::Eight));
        (info.width, info.height, pixels, palette)
    };
    let to = |name: &str, what: &str| {
        let path = folder.path_text(name);
        talweg(&["export", "earthlike", "--size", "33", "--what", what, "-o", &path]).success();
        std::fs::read(path).unwrap()
    };
    to("types.png", "types");
    let (width, height, pixels, palette) = indexed("types.png");
    assert_eq!((width, height), (128, 64));
    let legend = String::from_utf8(std::fs::read(folder.path("types.legend.ron")).unwrap()).unwrap();
    let types = legend.lines().filter(|line| line.contains("index:")).count();
    assert_eq!(palette.len(), 3 * types);
    assert!(legend.contains("(index: 0, name: \"Ice\", colour: \"#f1f5f8\")") && palette[..3] == [0xf1, 0xf5, 0xf8]);
    assert!(pixels.iter().all(|&k| usize::from(k) < types));
    let mut seen: Vec<u8> = pixels.clone();
    seen.sort_unstable();
    seen.dedup();
    assert!(seen.len() > 5, "{seen:?}");
    // both poles are white, but most of the planet is not
    assert!(pixels[..128].iter().all(|&k| [0, 17].contains(&k)), "ice or sea ice at the north pole");
    talweg(&[
        "export",
        "earthlike",
        "--size",
        "33",
        "--what",
        "biomes",
        "--projection",
        "cube",
        "-o",
        &folder.path_text("c.png"),
    ])
    .success()
    .stdout(contains("c-nz.png").and(contains("c.legend.ron")));
    assert_eq!(indexed("c-px.png").0, 33);

    let floats = |bytes: &[u8]| -> Vec<f32> {
        bytes.chunks_exact(4).map(|four| f32::from_le_bytes(four.try_into().unwrap())).collect()
    };
    let celsius = floats(&to("celsius.r32", "temperature"));
    assert_eq!(celsius.len(), 128 * 64);
    let row = |row: usize| celsius[row * 128..][..128].iter().sum::<f32>() / 128.0;
    assert!(
        row(32) > row(12) && row(12) > row(0) && row(32) > 10.0 && row(0) < 0.0,
        "{} {} {}",
        row(32),
        row(12),
        row(0)
    );
    let moisture = floats(&to("moisture.r32", "moisture"));
    assert!(moisture.iter().all(|m| (0.0..3.0).contains(m)));
    assert!(to("moisture.png", "moisture").starts_with(b"\x89PNG"));

    let json = |args: &[&str]| -> serde_json::Value {
        serde_json::from_slice(&talweg(args).success().get_output().stdout).unwrap()
    };
    let climate = &json(&["measure", "earthlike", "--size", "33", "--json"])["climate"];
    let number = |of: &serde_json::Value, key: &str| of[key].as_f64().unwrap();
    let heat = &climate["celsius"];
    assert!(number(heat, "min") < number(heat, "mean") && number(heat, "mean") < number(heat, "max"), "{heat}");
    let shares = climate["types"].as_array().unwrap();
    let whole: f64 = shares.iter().map(|kind| number(kind, "share")).sum();
    assert!((whole - 1.0).abs() < 1e-9 && shares.len() == types, "{whole}");
    talweg(&["measure", "earthlike", "--size", "33"])
        .success()
        .stdout(contains("mean temperature").and(contains("share sea ice")).and(contains("largest basin")));

    // a terrain has ground types as well
    let scene = folder.write_file("flat.ron", "(version: 1, palette: \"biome:earth\", layers: [(node: Perlin())])");
    let flat = |name: &str, what: &str| {
        talweg(&["export", &scene, "--size", "17", "--what", what, "-o", &folder.path_text(name)]).success();
    };
    flat("flat.png", "types");
    assert_eq!(indexed("flat.png").0, 17);
    flat("flat.r32", "temperature");
    let field = floats(&std::fs::read(folder.path("flat.r32")).unwrap());
    let measured = &json(&["measure", &scene, "--size", "17", "--json"])["climate"]["celsius"];
    let mean = field.iter().map(|&v| f64::from(v)).sum::<f64>() / field.len() as f64;
    assert!((number(measured, "mean") - mean).abs() < 1e-4, "{measured} and {mean}");
    talweg(&["measure", &scene, "--size", "17", "--csv"]).success().stdout(contains("max_moisture,"));
    // a palette has the default ground types, and a terrain has normals
    talweg(&["export", "island", "--size", "17", "--what", "types", "-o", &folder.path_text("usual.png")]).success();
    talweg(&["export", &scene, "--size", "17", "--what", "normals", "-o", &folder.path_text("normals.png")]).success();
    talweg(&["export", "earthlike", "--size", "17", "--what", "control", "-o", &folder.path_text("no.exr")])
        .code(2)
        .stderr(contains("this scene is a planet"));
}

#[test]
fn a_scene_whose_heightmap_is_missing_is_not_drawn() {
    let folder = Folder::new();
    let scene = folder.write_file("a.ron", "(version: 1, layers: [(name: \"Dem\", node: Import(file: \"dem.png\"))])");
    let missing = contains("layer `Dem`").and(contains("dem.png"));
    talweg(&["check", &scene]).success().stdout(contains("warning").and(contains("dem.png")));
    talweg(&["render", &scene, "-o", &folder.path_text("a.png")]).code(1).stderr(missing);
    talweg(&["export", "island", "--size", "33", "-o", &folder.path_text("dem.png")]).success();
    // the path is relative to the folder of the scene
    talweg(&["render", &scene, "--size", "33", "-o", &folder.path_text("a.png")]).success();
}

#[test]
fn a_patch_is_put_back_without_naming_its_place() {
    let folder = Folder::new();
    let planet = folder.write_file("earth.ron", std::fs::read(save("earthlike")).unwrap());
    let at = ["--longitude", "20", "--latitude", "30", "--side", "800000", "--samples", "33"];
    let take = |planet: &str, to: &str| {
        let output = folder.path_text(to);
        let args = [&["region", "take", planet, "-o", &output, "--size", "17"][..], &at].concat();
        talweg(&args).success();
        output
    };
    let patch = take(&planet, "alps.ron");
    assert!(std::fs::read_to_string(&patch).unwrap().contains("planet: \"earth.ron\""));
    talweg(&["region", "put", &patch, "-o", &folder.path_text("back.ron")]).success();
    let back = std::fs::read_to_string(folder.path("back.ron")).unwrap();
    assert!(back.contains("Patch(") && back.contains("longitude: 20"));
    let shipped = take("earthlike", "shipped.ron");
    assert!(std::fs::read_to_string(&shipped).unwrap().contains("planet: \"earthlike\""));
    talweg(&["region", "put", &shipped, "-o", &folder.path_text("onto-shipped.ron")]).success();
    let plain = folder.write_file("plain.ron", "(version: 1, layers: [(node: Perlin())])");
    talweg(&["region", "put", &plain, "-o", &folder.path_text("no.ron")]).failure().stderr(contains("--onto"));
}

#[cfg(unix)]
mod unix {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn small(out: &str) -> [&str; 7] {
        ["render", "island", "--size", "9", "--quiet", "-o", out]
    }

    #[test]
    fn a_write_protected_file_needs_force() {
        let folder = Folder::new();
        let set_mode =
            |path: &str, mode| std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        let protected = |name: &str| {
            let path = folder.write_file(name, "old");
            set_mode(&path, 0o444);
            path
        };
        let [png, gif, ron] = ["a.png", "a.gif", "a.ron"].map(protected);
        let legend = protected("t.legend.ron");
        let types = folder.path_text("t.png");
        let take =
            ["patch", "take", "earthlike", "--size", "9", "--longitude", "1", "--latitude", "2", "--side", "1e5"];
        let commands: [(&str, Vec<&str>); 6] = [
            (&png, small(&png).to_vec()),
            (&png, vec!["export", "island", "--size", "9", "-o", &png]),
            (&png, vec!["sheet", "island", "--seeds", "1", "--size", "9", "--picture", "32", "-o", &png]),
            (&gif, vec!["timelapse", "eroded-hills", "--size", "9", "--frames", "2", "--picture", "16", "-o", &gif]),
            (&legend, vec!["export", "earthlike", "--what", "types", "--size", "9", "-o", &types]),
            (&ron, [&take[..], &["-o", &ron]].concat()),
        ];
        for (file, command) in commands {
            talweg(&command).code(1).stderr(contains("write-protected").and(contains("--force")));
            assert_eq!(std::fs::read(file).unwrap(), b"old");
            talweg(&[&command[..], &["--force"]].concat()).success();
            assert_ne!(std::fs::read(file).unwrap(), b"old");
            assert_eq!(std::fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o444);
            set_mode(file, 0o644);
            std::fs::write(file, "old").unwrap();
            set_mode(file, 0o444);
        }
    }

    #[test]
    fn links_are_written_through_and_pipes_are_refused() {
        let folder = Folder::new();
        let real = folder.write_file("real.png", "old");
        symlink("real.png", folder.path("link.png")).unwrap();
        talweg(&small(&folder.path_text("link.png"))).success();
        assert!(std::fs::read(&real).unwrap().starts_with(b"\x89PNG"));
        assert!(std::fs::symlink_metadata(folder.path("link.png")).unwrap().is_symlink());
        assert!(std::process::Command::new("mkfifo").arg(folder.path("pipe.png")).status().unwrap().success());
        talweg(&small(&folder.path_text("pipe.png"))).code(1).stderr(contains("it is a pipe, not a file"));
    }

    #[test]
    fn names_that_are_not_text_are_refused_before_any_work() {
        let folder = Folder::new();
        let odd = |name: &str| {
            let mut bytes = folder.path_text(name).into_bytes();
            bytes.extend(b"\xff.ron");
            OsString::from_vec(bytes)
        };
        let take = ["patch", "take", "earthlike", "--longitude", "1", "--latitude", "2", "--side", "1e5", "-o"];
        let commands: [&[&str]; 6] =
            [&["verify"], &["check"], &["measure"], &["export", "island", "-o"], &small("")[..6], &take];
        for command in commands {
            let mut program = Command::cargo_bin("talweg").unwrap();
            program.args(command).arg(odd("a")).assert().code(2).stderr(contains("not UTF-8"));
        }
        // a folder with a name that is not UTF-8 makes all paths in it invalid
        std::fs::create_dir(odd("folder")).unwrap();
        for command in [&["verify", "a.ron"][..], &["measure", "a.r32"], &small("a.png")] {
            let mut program = Command::cargo_bin("talweg").unwrap();
            program.current_dir(odd("folder")).args(command).assert().code(1).stderr(contains("not UTF-8"));
        }
        assert_eq!(std::fs::read_dir(folder.0.path()).unwrap().count(), 1);
    }
}

/// With any limit of its address space, a command ends with its result or an error message.
#[cfg(target_os = "linux")]
#[test]
fn scenes_larger_than_memory_are_refused() {
    let folder = Folder::new();
    let (program, out) = (assert_cmd::cargo::cargo_bin("talweg"), folder.path_text("h.r16"));
    for (kibibytes, size) in [(1_000_000, "16384"), (4_000_000, "16384"), (1_000_000, "129")] {
        // larger exports are built in tiles, but `verify` needs the whole
        let command = if size == "129" { "export island -o \"$1\"" } else { "verify island" };
        let line = format!("ulimit -v {kibibytes}; exec \"$0\" {command} -q --threads 2 --size {size}");
        let done = Command::new("sh").arg("-c").arg(line).arg(&program).arg(&out).assert();
        if size == "129" {
            done.success();
        } else {
            let said = contains("At 16384 samples this needs up to").and(contains("are free")).and(contains("--size"));
            done.code(1).stderr(said);
        }
    }
    assert_eq!(std::fs::metadata(&out).unwrap().len(), 2 * 129 * 129);
    // the engine of the window would abort
    #[cfg(feature = "window")]
    for command in ["island", "shot island --size 65 -o \"$1\""] {
        let line = format!("ulimit -v 1000000; exec \"$0\" {command}");
        let done = Command::new("sh").arg("-c").arg(line).arg(&program).arg(folder.path_text("view.png")).assert();
        done.code(1).stderr(contains("of address space").and(contains("ulimit -v")));
    }
    let refused = talweg(&["verify", "island", "--size", "4097", "--memory", "200MiB"]);
    refused.code(1).stderr(contains("200 MiB are free; ").and(contains("--memory")));
    talweg(&["verify", "island", "--size", "33", "--memory", "200MiB"]).success();
    talweg(&["bench", "--sizes", "4097", "--memory", "160MiB", "-q"]).code(1).stderr(contains("--sizes"));
    talweg(&["verify", "island", "--memory", "plenty"]).code(2).stderr(contains("such as 4GiB"));
}
