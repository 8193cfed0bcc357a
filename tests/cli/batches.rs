//! Batches, watches, differences between scenes, shell completions and manual pages.

use std::time::{Duration, Instant};

use predicates::prelude::*;
use predicates::str::contains;

use super::{Folder, picture_size, save, talweg};

const HILLS: &str = "(version: 1, settings: (resolution: 33), layers: [(name: \"Hills\", node: Perlin(octaves: 3))])";

fn json(args: &[&str]) -> serde_json::Value {
    serde_json::from_slice(&talweg(args).success().get_output().stdout).unwrap()
}

#[test]
fn a_batch_makes_every_combination_with_a_sheet_and_a_table() {
    let folder = Folder::new();
    let scene = folder.write_file("hills.ron", HILLS);
    let out = folder.path_text("out");
    let batch = ["batch", &scene, "--seeds", "4..6", "--vary", "Hills.octaves=1,5", "--picture", "40", "-o", &out];
    let made = json(&[&batch[..], &["--products", "render.png,heights.r32,scene.ron", "--json"]].concat());
    let variants = made["variants"].as_array().unwrap();
    assert_eq!(variants.len(), 6);
    let names: Vec<String> =
        variants.iter().map(|v| v["folder"].as_str().unwrap().rsplit('/').next().unwrap().into()).collect();
    assert_eq!(&names[..3], ["seed-4_Hills.octaves-1", "seed-4_Hills.octaves-5", "seed-5_Hills.octaves-1"]);
    let table = std::fs::read_to_string(folder.path("out/measures.csv")).unwrap();
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!((rows.len(), &rows[0][..4]), (7, &["variant", "seed", "Hills.octaves", "min_metres"][..]));
    assert!(rows.iter().all(|row| row.len() == rows[0].len()));
    let hash_column = rows[0].iter().position(|key| *key == "hash").unwrap();
    for (k, (name, variant)) in names.iter().zip(variants).enumerate() {
        let at = |file: &str| folder.path(&format!("out/{name}/{file}"));
        assert_eq!(picture_size(&at("render.png")).0, 40);
        assert_eq!(std::fs::metadata(at("heights.r32")).unwrap().len(), 33 * 33 * 4);
        // the saved scene evaluates to the variant
        let verified = talweg(&["verify", at("scene.ron").to_str().unwrap()]).success();
        assert_eq!(String::from_utf8_lossy(&verified.get_output().stdout).trim(), rows[k + 1][hash_column]);
        assert_eq!(variant["hash"], rows[k + 1][hash_column]);
    }
    let hashes: std::collections::BTreeSet<&str> = rows[1..].iter().map(|row| row[hash_column]).collect();
    assert_eq!(hashes.len(), 6, "all variants differ");
    assert!(picture_size(&folder.path("out/sheet.png")).0 > 3 * 192);
}

#[test]
fn a_batch_exports_maps_and_meshes() {
    let folder = Folder::new();
    let scene = folder.write_file("hills.ron", HILLS);
    let out = folder.path_text("out");
    let list = "heights.tif,slope.png,mesh.glb,render.png";
    let batch = ["batch", &scene, "--seeds", "1..2", "--picture", "32", "--products", list, "-o", &out, "--json"];
    assert_eq!(json(&batch)["variants"].as_array().unwrap().len(), 2);
    for variant in ["seed-1", "seed-2"] {
        let file = |name: &str| std::fs::read(folder.path(&format!("out/{variant}/{name}"))).unwrap();
        assert!(file("mesh.glb").starts_with(b"glTF") && file("heights.tif").starts_with(b"II"));
        assert!(file("slope.png").starts_with(b"\x89PNG"));
        let record: serde_json::Value = serde_json::from_slice(&file("variant.json")).unwrap();
        assert_eq!(record["files"].as_array().unwrap().len(), 5, "{record}");
    }
    assert!(json(&batch)["variants"].as_array().unwrap().iter().all(|v| v["is_new"] == false));
}

#[test]
fn a_stopped_batch_resumes_and_redoes_outdated_variants() {
    let folder = Folder::new();
    let scene = folder.write_file("hills.ron", HILLS);
    let out = folder.path_text("out");
    let batch = |more: &[&str]| {
        let common = ["batch", &scene, "--seeds", "1..3", "--picture", "32", "--thumbnail", "32", "-o", &out, "--json"];
        let made = json(&[&common[..], more].concat());
        let fresh = |v: &serde_json::Value| v["is_new"].as_bool().unwrap();
        made["variants"].as_array().unwrap().iter().map(fresh).collect::<Vec<_>>()
    };
    assert_eq!(batch(&[]), [true; 3]);
    let bytes = |file: &str| std::fs::read(folder.path(file)).unwrap();
    let before = ["out/sheet.png", "out/measures.csv", "out/seed-2/heights.png"].map(bytes);
    assert_eq!(batch(&[]), [false; 3]);
    // as if the program had been killed: one variant is missing, one has half a file, one has a broken record
    std::fs::remove_dir_all(folder.path("out/seed-1")).unwrap();
    std::fs::write(folder.path("out/seed-2/heights.png"), &before[2][..before[2].len() / 2]).unwrap();
    assert_eq!(batch(&[]), [true, true, false]);
    std::fs::write(folder.path("out/seed-3/variant.json"), "{").unwrap();
    assert_eq!(batch(&[]), [false, false, true]);
    let after = ["out/sheet.png", "out/measures.csv", "out/seed-2/heights.png"].map(bytes);
    assert!(before == after, "the repaired files equal those of the first run");
    // another size, another product, another scene: no earlier file fits
    assert_eq!(batch(&["--size", "17"]), [true; 3]);
    assert_eq!(batch(&["--size", "17", "--products", "heights.r16"]), [true; 3]);
    assert_eq!(batch(&["--size", "17", "--products", "heights.r16", "--set", "Hills.octaves=2"]), [true; 3]);
    assert_eq!(batch(&["--size", "17", "--products", "heights.r16", "--set", "Hills.octaves=2"]), [false; 3]);
    assert_eq!(batch(&["--size", "17", "--products", "heights.r16", "--set", "Hills.octaves=2", "--anew"]), [true; 3]);
    let left: Vec<_> = std::fs::read_dir(folder.path("out")).unwrap().map(|f| f.unwrap().file_name()).collect();
    assert_eq!(left.len(), 5, "{left:?}");
}

#[test]
fn workers_that_share_a_folder_make_a_variant_each() {
    let folder = Folder::new();
    let scene = folder.write_file("hills.ron", HILLS);
    let batch = |out: &str, more: &[&str]| {
        let out = folder.path_text(out);
        let common = ["batch", &scene, "--seeds", "1..3", "--picture", "32", "--thumbnail", "32", "-o", &out, "--json"];
        json(&[&common[..], more].concat())
    };
    for variant in ["3", "1", "2"] {
        let made = batch("shared", &["--variant", variant]);
        let [only] = &made["variants"].as_array().unwrap()[..] else { panic!("{made}") };
        assert!(only["is_new"] == true && only["set"][0] == format!("scene.seed={variant}"), "{only}");
        assert!(!folder.path("shared/sheet.png").exists() && !folder.path("shared/measures.csv").exists());
    }
    let gathered = batch("shared", &[]);
    assert!(gathered["variants"].as_array().unwrap().iter().all(|variant| variant["is_new"] == false));
    batch("alone", &[]);
    for file in ["sheet.png", "measures.csv", "seed-2/heights.png"] {
        let bytes = |of: &str| std::fs::read(folder.path(&format!("{of}/{file}"))).unwrap();
        assert!(bytes("shared") == bytes("alone"), "{file}");
    }
}

#[test]
fn a_faulty_batch_is_refused_before_it_starts() {
    let folder = Folder::new();
    let scene = folder.write_file("hills.ron", HILLS);
    let out = folder.path_text("out");
    let batch = |more: &[&str]| talweg(&[&["batch", &scene, "-o", &out], more].concat()).code(2);
    batch(&[]).stderr(contains("--seeds").and(contains("--vary")));
    batch(&["--seeds", "1-9"]).stderr(contains("1..50"));
    batch(&["--seeds", "0..4000000000"]).stderr(contains("4000000001 variants").and(contains("maximum of 1000")));
    batch(&["--seeds", "1..100", "--vary", "Hills.octaves=1,2,3,4,5,6,7,8,9,10,11"]).stderr(contains("1100 variants"));
    batch(&["--vary", "Hills.octaves"]).stderr(contains("LAYER.PARAM=A,B,C"));
    batch(&["--vary", "Hills.octaves=1,1"]).stderr(contains("twice"));
    batch(&["--vary", "Hills.octaves=1,99"]).stderr(contains("1 to 16"));
    batch(&["--vary", "Hills.octaves=1", "--vary", "1.octaves=2"]).stderr(contains("both sweeps vary `octaves`"));
    batch(&["--vary", "Nope.octaves=1"]).stderr(contains("`Hills`"));
    let products = |list: &str| batch(&["--seeds", "1..2", "--products", list]);
    products("heights.jpg").stderr(contains("`.jpg`"));
    products("../heights.png").stderr(contains("not a file name"));
    products("nonsense.png").stderr(contains("nonsense").and(contains("heights")));
    products("heights.glb").stderr(contains("`mesh`"));
    products("wear.png").stderr(contains("wear").or(contains("Wear")));
    products("render.png,render.png").stderr(contains("twice"));
    batch(&["--seeds", "1..2", "--variant", "3"]).stderr(contains("no variant 3 of 2"));
    assert!(!folder.path("out").exists(), "nothing was begun");
    talweg(&["batch", &scene, "-o", &scene, "--seeds", "1..2"]).code(1).stderr(contains("hills.ron"));
}

#[test]
fn diff_tells_what_has_changed_and_its_exit_code() {
    let folder = Folder::new();
    let one = folder.write_file("one.ron", HILLS);
    let two = folder.write_file("two.ron", HILLS.replace("octaves: 3", "octaves: 5"));
    talweg(&["diff", &one, &one]).code(0).stdout(predicates::str::is_empty());
    talweg(&["diff", &one, &two]).code(1).stdout("layer `Hills`: octaves 3 → 5\n");
    talweg(&["diff", &one, &folder.path_text("none.ron")]).code(2).stderr(contains("none.ron"));
    talweg(&["diff", &one, &folder.write_file("broken.ron", "(")]).code(2).stderr(contains("line 1"));
    talweg(&["diff", &one, "earthlike", "--heights"]).code(2).stderr(contains("planet"));
    talweg(&["diff", &one, &one, "--heights"]).code(0).stdout("heights: the same\n");
    let higher =
        folder.write_file("higher.ron", HILLS.replace("resolution: 33", "resolution: 33, relief_metres: 3600"));
    let found = talweg(&["diff", &one, &higher, "--heights", "--json"]).code(1);
    let found: serde_json::Value = serde_json::from_slice(&found.get_output().stdout).unwrap();
    assert_eq!((&found["changes"][0]["param"], &found["changes"][0]["unit"]), (&"relief_metres".into(), &"m".into()));
    // the second scene is twice as high, so the largest difference is the greatest height, at its position
    let heights = folder.path_text("h.r32");
    talweg(&["export", &one, "-o", &heights]).success();
    let metres: Vec<f32> =
        std::fs::read(heights).unwrap().chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect();
    let (k, most) = metres.iter().map(|m| m.abs()).enumerate().fold((0, 0.0), |a, b| if b.1 > a.1 { b } else { a });
    let number = |value: &serde_json::Value| value.as_f64().unwrap();
    assert!((number(&found["heights"]["largest_metres"]) - f64::from(most)).abs() < 1e-3 * f64::from(most));
    let place = [k % 33, k / 33].map(|cells| cells as f64 * 250.0);
    assert!([0, 1].iter().all(|&i| (number(&found["largest_at"][i]) - place[i]).abs() < 0.01), "{found}: {place:?}");
}

#[test]
fn watch_runs_its_command_at_each_save_despite_errors() {
    let folder = Folder::new();
    let scene = folder.write_file("hills.ron", HILLS);
    let out = folder.path("h.r32");
    let program = assert_cmd::cargo::cargo_bin("talweg");
    let mut watch = std::process::Command::new(program);
    watch.args(["watch", &scene, "--every", "0.05", "--runs", "4", "--", "export", "-o", out.to_str().unwrap(), "-q"]);
    let child = watch.stderr(std::process::Stdio::piped()).stdout(std::process::Stdio::piped()).spawn().unwrap();
    let bytes = || std::fs::read(&out).unwrap_or_default();
    let until = |what: &str, is_so: &dyn Fn() -> bool| {
        let begin = Instant::now();
        while !is_so() {
            assert!(begin.elapsed() < Duration::from_secs(60), "{what}: waited for a minute");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    until("the first export", &|| bytes().len() == 33 * 33 * 4);
    let first = bytes();
    // time for the poll after each run
    std::thread::sleep(Duration::from_millis(300));
    folder.write_file("hills.ron", "(version: 1, broken");
    std::thread::sleep(Duration::from_millis(1500));
    assert!(bytes() == first, "a broken scene exports nothing");
    folder.write_file("hills.ron", HILLS.replace("octaves: 3", "octaves: 6"));
    until("the export of the mended scene", &|| bytes() != first);
    std::thread::sleep(Duration::from_millis(300));
    folder.write_file("hills.ron", HILLS);
    until("the export of the first scene again", &|| bytes() == first);
    let done = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.success() && said.contains("line 1"), "{said}");
    assert_eq!((said.matches("has changed").count(), said.matches("command failed").count()), (3, 1), "{said}");
    talweg(&["watch", "no-such.ron", "--", "export", "-o", "a.png"]).code(1).stderr(contains("no-such.ron"));
    talweg(&["watch", &scene, "--", "nodes"]).code(2).stderr(contains("takes a scene").and(contains("export")));
    talweg(&["watch", &scene, "--", "export"]).code(2).stderr(contains("--output"));
}

#[test]
fn shells_and_manual_pages_know_every_command() {
    let folder = Folder::new();
    for (shell, mark) in [("bash", "_talweg"), ("zsh", "#compdef talweg"), ("fish", "complete -c talweg")] {
        talweg(&["completions", shell])
            .success()
            .stdout(contains(mark).and(contains("timelapse")).and(contains("vary")));
    }
    talweg(&["completions", "cmd"]).code(2).stderr(contains("powershell"));
    let man = folder.path_text("man1");
    talweg(&["man", &man]).success().stdout(contains("pages"));
    let page = |name: &str| std::fs::read_to_string(folder.path(&format!("man1/{name}"))).unwrap();
    assert!(page("talweg.1").contains("talweg\\-export") && page("talweg-export.1").contains(".TH talweg-export 1"));
    assert!(page("talweg-region-take.1").contains("longitude"));
    let before = page("talweg.1");
    talweg(&["man", &man]).success();
    assert_eq!(before, page("talweg.1"));
    talweg(&["man", &save("island")]).code(1).stderr(contains("island.ron"));
}

#[test]
fn written_files_are_reported_to_scripts() {
    let folder = Folder::new();
    let picture =
        json(&["render", "island", "-o", &folder.path_text("a.png"), "--size", "17", "--picture", "24", "--json"]);
    assert_eq!((&picture["width"], picture["path"].as_str()), (&24.into(), Some(folder.path_text("a.png").as_str())));
    let film = ["timelapse", "eroded-hills", "--size", "17", "--frames", "2", "--picture", "16", "--json", "-o"];
    assert_eq!(json(&[&film[..], &[&folder.path_text("film.gif")]].concat())["pictures"], 2);
    let take = ["patch", "take", "earthlike", "--size", "9", "--longitude", "1", "--latitude", "2", "--side", "1e5"];
    let taken = json(&[&take[..], &["--samples", "9", "--json", "-o", &folder.path_text("a.ron")]].concat());
    assert!(std::path::Path::new(taken["heights"].as_str().unwrap()).is_file());
}

/// Elevation models of other programs are measured at their own size, without their gaps.
#[test]
fn elevation_models_are_measured_as_they_are() {
    let folder = Folder::new();
    let grid = "ncols 4\nnrows 4\nxllcorner 0\nyllcorner 0\ncellsize 100\nNODATA_value -9999\n\
                0 10 20 30\n0 10 -9999 30\n0 10 20 30\n0 10 20 30\n";
    let file = folder.write_file("grid.asc", grid);
    let measured = json(&["measure", &file, "--json"]);
    assert_eq!((&measured["min_metres"], &measured["max_metres"]), (&0.0.into(), &30.0.into()));
    let steep = measured["mean_steepness"].as_f64().unwrap();
    // the slope is 10 m in 100 m; one of 15 samples has no terrain to the east or west, so its slope is 0
    assert!((steep - 5.7106 * 14.0 / 15.0).abs() < 1e-3, "{steep}°");
    talweg(&["measure", &folder.write_file("broken.tif", "II*"), "--json"]).code(1).stderr(contains("broken.tif"));
    talweg(&["measure", &folder.write_file("a.bmp", "BM")]).code(1);
}
