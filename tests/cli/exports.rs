//! Exports of many products, for engines, by build presets, and checked against the scene inside the files.

use std::path::Path;
use std::process::{Command, Stdio};

use predicates::prelude::*;
use predicates::str::contains;

use super::{Folder, REPOSITORY, save, talweg};

const SCENE: &str = "(version: 1, settings: (resolution: 33), layers: [(name: Some(\"Peaks\"), node: Perlin())])";

#[test]
fn one_evaluation_writes_many_products() {
    let folder = Folder::new();
    let scene = folder.write_file("a.ron", SCENE);
    let outputs = ["h.png", "h.exr", "h.glb"].map(|name| folder.path_text(name));
    let [png, exr, glb] = &outputs;
    talweg(&["export", &scene, "-o", png, "-o", exr, "-o", glb, "--maps", "slope,normals,splat", "--mesh-error", "5"])
        .success()
        .stdout(contains("h-slope.png").and(contains("h-splat0.png")).and(contains("triangles: ground")));
    for name in ["h.png", "h.exr", "h.glb", "h-slope.png", "h-normals.png", "h-splat0.png", "h-splat0.legend.ron"] {
        assert!(folder.path(name).is_file(), "{name}");
    }
    talweg(&["verify", png, "-q"]).success().stdout(contains("its 33 × 33 samples of heights match its scene"));
    talweg(&["verify", glb, "-q"]).success().stdout(contains("its samples were not compared: a mesh has no grid"));
    talweg(&["verify", &scene]).success().stderr(contains("the same heights and data maps with 1, 2"));
    for file in &outputs {
        talweg(&["verify", file, "-q"]).success();
        talweg(&["check", file]).success();
    }
    // the scene inside a file opens like any other
    talweg(&["export", png, "-o", &folder.path_text("again.r32"), "-q"]).success();
    talweg(&["export", &scene, "-o", &folder.path_text("first.r32"), "-q"]).success();
    assert_eq!(std::fs::read(folder.path("again.r32")).unwrap(), std::fs::read(folder.path("first.r32")).unwrap());
    talweg(&["export", &scene, "-o", glb, "--maps", "slope"]).code(2).stderr(contains("such as FILE.png"));
}

/// The scene has a single noise layer and no erosion.
#[test]
fn flow_and_other_attributes_need_no_layer() {
    let folder = Folder::new();
    let (scene, out) = (folder.write_file("a.ron", SCENE), folder.path_text("m.tif"));
    let maps = "wetness,drainage,aspect,plan-curvature,occlusion,sunshine-day,sunshine-year";
    talweg(&["export", &scene, "-o", &out, "--what", "flow", "--maps", maps, "--json"])
        .success()
        .stdout(contains("\"cells\"").and(contains("\"m²\"")).and(contains("m-sunshine-year.tif")));
    for name in ["m.tif", "m-wetness.tif", "m-sunshine-day.tif"] {
        talweg(&["verify", &folder.path_text(name), "-q"]).success().stdout(contains("match its scene"));
    }
    let masked = ["render", &scene, "-o", &folder.path_text("a.png"), "--set", "1.by_attribute=true"];
    talweg(&[&masked[..], &["--set", "1.attribute=Aspect", "--set", "1.attribute_to=90"]].concat()).success();
}

#[test]
fn a_file_whose_scene_now_has_other_heights_is_reported() {
    let folder = Folder::new();
    let heights = folder.path_text("dem.r32");
    talweg(&["export", "island", "--size", "33", "-o", &heights]).success();
    let text = format!("(version: 1, settings: (resolution: 33), layers: [(node: Import(file: {heights:?}))])");
    let scene = folder.write_file("b.ron", text);
    let file = folder.path_text("b.png");
    talweg(&["export", &scene, "-o", &file]).success();
    talweg(&["verify", &file, "-q"]).success();
    talweg(&["export", "island", "--size", "33", "--seed", "9", "-o", &heights]).success();
    talweg(&["verify", &file, "-q"]).code(1).stderr(contains("gives other heights now"));
    let plain = folder.path("plain.png");
    std::fs::copy(format!("{REPOSITORY}/src/ground/assets/stamps/crater.png"), &plain).unwrap();
    talweg(&["verify", plain.to_str().unwrap()]).code(1).stderr(contains("carries no scene"));
}

#[test]
fn an_engine_folder_is_exported_and_a_build_repeated() {
    let folder = Folder::new();
    let scene = folder.write_file("a.ron", SCENE);
    let unity = folder.path_text("unity");
    talweg(&["export", &scene, "--preset", "unity", "-o", &unity, "--save-build", "For Unity"])
        .success()
        .stdout(contains("README.txt"));
    let raw = folder.path("unity/a-heights.raw");
    let raw = if raw.is_file() { raw } else { folder.path("unity/untitled-heights.raw") };
    let before = std::fs::read(&raw).unwrap();
    assert_eq!(before.len(), 33 * 33 * 2);
    std::fs::write(&raw, "gone").unwrap();
    talweg(&["export", &scene, "--build", "For Unity"]).success();
    assert_eq!(std::fs::read(&raw).unwrap(), before);
    // the scene and its files can be moved together
    let text = std::fs::read_to_string(folder.path("a.ron")).unwrap();
    assert!(text.contains("folder: \"unity\"") && !text.contains(folder.path("").to_str().unwrap()), "{text}");
    talweg(&["export", &scene, "--build", "No"]).code(2).stderr(contains("it has For Unity"));
    talweg(&["export", &scene, "--preset", "unity", "--size", "100", "-o", &unity])
        .code(2)
        .stderr(contains("the nearest size is 129"));
    talweg(&["export", &scene, "--preset", "word", "-o", &unity]).code(2).stderr(contains("worldpainter"));
}

#[test]
fn one_command_exports_formats_maps_and_an_engine_folder() {
    let folder = Folder::new();
    let scene = save("droplet-gullies");
    let args = "-o a.png -o b.exr -o c.glb --maps flow,wear,slope --preset unreal --size 127 --json";
    let done = assert_cmd::Command::cargo_bin("talweg")
        .unwrap()
        .current_dir(folder.path(""))
        .args(["export", &scene])
        .args(args.split(' '))
        .assert()
        .success();
    let said: serde_json::Value = serde_json::from_slice(&done.get_output().stdout).unwrap();
    assert_eq!(
        final_names(&folder.path("")),
        ["a-flow.png", "a-slope.png", "a-wear.png", "a.png", "b.exr", "c.glb", "unreal"]
    );
    let inside = final_names(&folder.path("unreal"));
    assert!(inside.contains(&"README.txt".to_string()) && inside.len() > 3, "{inside:?}");
    // the report lists all files under their given names
    let of =
        |list: &str| said[list].as_array().unwrap().iter().map(|one| one["path"].as_str().unwrap()).collect::<Vec<_>>();
    let mut named = of("rasters");
    named.extend(of("meshes"));
    assert!(["a.png", "b.exr", "c.glb", "a-flow.png"].iter().all(|name| named.contains(name)), "{named:?}");
    assert!(named.iter().all(|name| folder.path(name).is_file()), "{named:?}");
    talweg(&["export", &scene, "--preset", "unreal", "-o", "one", "-o", "two"]).code(2).stderr(contains("one folder"));
}

/// Names of the permanent files of a folder, in order.
fn final_names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().into_string().unwrap());
    let mut names: Vec<_> = names.filter(|name| !name.starts_with(".talweg-")).collect();
    names.sort();
    names
}

#[test]
fn a_killed_export_leaves_nothing_under_a_final_name() {
    let folder = Folder::new();
    let whole = folder.path_text("whole");
    let args = ["export", "island", "--size", "513", "-q", "--preset", "unity", "-o"];
    talweg(&[&args[..], &[whole.as_str()]].concat()).success();
    let all = final_names(&folder.path("whole"));
    assert!(all.len() > 3, "{all:?}");
    let (place, mut killed) = (folder.path("unity"), 0);
    for moment in 0..24 {
        let mut program = Command::new(assert_cmd::cargo::cargo_bin("talweg"))
            .args(args)
            .arg(&place)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(15 * moment));
        program.kill().unwrap();
        killed += usize::from(!program.wait().unwrap().success());
        // the exported folder is complete, or it does not exist
        if place.exists() {
            assert_eq!(final_names(&place), all);
            std::fs::remove_dir_all(&place).unwrap();
        }
        assert_eq!(final_names(&folder.path("")), ["whole"]);
    }
    assert!(killed > 0);
    talweg(&[&args[..], &[place.to_str().unwrap()]].concat()).success();
    let left: Vec<_> = std::fs::read_dir(folder.path("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "temporary files of killed exports are removed: {left:?}");
}

#[test]
fn tiles_for_web_maps_are_a_new_folder() {
    let folder = Folder::new();
    let scene = folder.write_file("a.ron", SCENE);
    for (pixels, about) in [("terrarium", "tiles.json"), ("colours", "tiles.json"), ("quantized", "layer.json")] {
        let out = folder.path_text(pixels);
        let args = ["web-map", &scene, "-o", &out, "--pixels", pixels, "--longitude", "-7.5", "--closest", "8"];
        talweg(&args).success().stdout(contains("to 8"));
        assert!(folder.path(pixels).join(about).is_file(), "{pixels}");
        talweg(&args).code(1).stderr(contains("not empty"));
    }
    let args = ["web-map", &scene, "-o", &folder.path_text("no"), "--latitude", "89"];
    talweg(&args).code(2);
    talweg(&["web-map", "earthlike", "-o", &folder.path_text("no")])
        .code(2)
        .stderr(contains("export the planet as a map"));
    assert!(!folder.path("no").exists());
}

#[test]
fn invalid_options_are_refused_with_a_reason() {
    let folder = Folder::new();
    let scene = folder.write_file("a.ron", SCENE);
    let out = folder.path_text("a.png");
    let refused = |more: &[&str], said: &str| {
        let args = [&["export", scene.as_str(), "-o", out.as_str()], more].concat();
        talweg(&args).code(2).stderr(contains(said));
    };
    refused(&["--what", "soup"], "there is no map `soup`");
    refused(&["--range", "5..1"], "the lower first");
    refused(&["--tiles", "10"], "give a size of");
    refused(&["--origin", "1"], "like 2600000,1200000");
    refused(&["--mesh-error", "-1"], "0 or above");
    refused(&["--what", "ice"], "no shown layer");
    refused(&["--what", "ice"], "its layers write no data maps");
    refused(&["--epsg", "4326", "--origin", "7,46"], "the UTM zone there is EPSG:32632");
    refused(&["--what", "control"], ".tif, .cog.tif, .exr");
    assert!(!folder.path("a.png").exists());
    talweg(&["export", &scene, "-o", &out, "--range", "-100..2000", "--json"])
        .success()
        .stdout(contains("\"min\": -100.0").and(contains("\"max\": 2000.0")));
}

/// Runs the examples of the help, each small and in a folder of its own.
#[test]
fn the_examples_of_the_help_work() {
    let help = String::from_utf8(talweg(&["export", "--help"]).success().get_output().stdout.clone()).unwrap();
    let examples =
        help.split("Examples:").nth(1).unwrap().lines().filter_map(|line| line.trim().strip_prefix("talweg export "));
    let examples: Vec<&str> = examples.collect();
    assert!(examples.len() > 7, "{help}");
    for example in examples {
        let folder = Folder::new();
        let mut args: Vec<String> = example.split(' ').map(str::to_string).collect();
        if args[0].ends_with(".ron") {
            folder.write_file(&args[0], std::fs::read_to_string(save("island")).unwrap());
        }
        // large sizes take long, and only the options matter here
        for (large, small) in [("2049", "257"), ("513", "129"), ("32768", "65"), ("4096", "64")] {
            args.iter_mut().filter(|arg| *arg == large).for_each(|arg| *arg = small.into());
        }
        let needs_size = !args.contains(&"--size".to_string()) && !args.contains(&"--preset".to_string());
        if needs_size {
            args.extend(["--size".into(), "65".into()]);
        } else if args.contains(&"--preset".to_string()) {
            args.extend(["--size".into(), "127".into()]);
        }
        let done = assert_cmd::Command::cargo_bin("talweg")
            .unwrap()
            .current_dir(folder.path(""))
            .arg("export")
            .args(&args)
            .output();
        let done = done.unwrap();
        assert!(done.status.success(), "{example}: {}", String::from_utf8_lossy(&done.stderr));
    }
}

#[test]
fn a_new_folder_is_created_or_reported_missing() {
    let folder = Folder::new();
    let scene = folder.write_file("a.ron", SCENE);
    let (new, beside) = (folder.path_text("new/a.png"), folder.path_text("b.r32"));
    talweg(&["export", &scene, "-o", &new, "-o", &beside, "--maps", "slope"]).success();
    assert_eq!(final_names(&folder.path("new")), ["a-slope.png", "a.png"]);
    assert!(folder.path("b.r32").is_file());
    talweg(&["export", &scene, "-o", &folder.path_text("no/such/a.png")])
        .code(1)
        .stderr(contains("there is no folder"));
    talweg(&["export", &scene, "-o", &folder.path_text("x/a.png"), "--what", "ice"]).code(2);
    assert!(!folder.path("no").exists() && !folder.path("x").exists());
}

#[test]
fn the_catalogue_says_which_maps_a_node_writes() {
    let said = talweg(&["nodes", "--json"]).success();
    let catalogue: serde_json::Value = serde_json::from_slice(&said.get_output().stdout).unwrap();
    let nodes = catalogue["nodes"].as_array().unwrap();
    let of = |name: &str| nodes.iter().find(|node| node["name"] == name).unwrap()["writes"].clone();
    let writes = |name: &str, map: &str| of(name).as_array().unwrap().iter().any(|written| written == map);
    assert!(writes("Droplets", "wear") && writes("Thermal", "deposits"), "{} {}", of("Droplets"), of("Thermal"));
    assert_eq!(of("Perlin"), serde_json::json!([]));
    talweg(&["nodes"]).success().stdout(contains("Writes the maps "));
}

#[test]
fn an_unsupported_file_is_refused_with_alternatives() {
    let folder = Folder::new();
    for (name, format) in [("a.r16", "16-bit"), ("a.asc", "ESRI ASCII grid"), ("a.stl", "STL"), ("a.raw", "16-bit")] {
        let file = folder.path_text(name);
        talweg(&["export", "island", "--size", "33", "-o", &file, "-q"]).success();
        for words in [&["verify", &file][..], &["export", &file, "-o", &folder.path_text("b.png")]] {
            let said = String::from_utf8(talweg(words).code(1).get_output().stderr.clone()).unwrap();
            let told = [name, "carries no scene", format, "GeoTIFF"];
            assert!(told.iter().all(|part| said.contains(part)), "{said}");
        }
    }
    for name in ["cut.tif", "cut.png", "cut.exr", "cut.glb", "cut.ply"] {
        let file = folder.path_text(name);
        talweg(&["export", "island", "--size", "33", "-o", &file, "-q"]).success();
        let bytes = std::fs::read(&file).unwrap();
        for length in [0, 5, 40] {
            std::fs::write(&file, &bytes[..length]).unwrap();
            let said = talweg(&["verify", &file]).code(1).get_output().stderr.clone();
            let said = String::from_utf8(said).unwrap();
            let what_would_do = said.contains("copy it again") || said.contains("carries no scene");
            assert!(said.contains(name) && what_would_do, "{name}, {length} bytes: {said}");
        }
    }
    let gone = folder.path_text("gone.tif");
    talweg(&["verify", &gone]).code(1).stderr(contains("cannot read").and(contains("No such file")));
}
