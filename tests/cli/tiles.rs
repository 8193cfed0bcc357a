//! Builds in tiles, as people and launchers call them.

use crate::{Folder, save, talweg};
use predicates::prelude::*;
use predicates::str::contains;

fn output(args: &[&str]) -> String {
    String::from_utf8(talweg(args).success().get_output().stdout.clone()).unwrap()
}

#[test]
fn a_tiled_build_equals_the_whole_build() {
    let folder = Folder::new();
    let (scene, plan) = (save("eroded-hills"), folder.path_text("plan"));
    let said = output(&["plan", &scene, "--size", "300", "--tile", "128", "-o", &plan]);
    assert!(
        said.contains("300 × 300 samples in tiles of 128") && said.contains("Computed on the whole terrain at once:"),
        "{said}"
    );
    talweg(&["merge", &plan]).code(1).stderr(contains("is missing; run stage"));
    talweg(&["run-tile", &plan, "1", "99"]).code(2).stderr(contains("no task 99 of stage 1"));
    talweg(&["run-tile", &plan, "0", "0"]).success().stdout(contains("stage 0, tile 0: done"));
    talweg(&["run-tile", &plan, "0", "0"]).success().stdout(contains("was already done"));
    // many tasks in one program, with their numbers on standard input
    let many = |numbers: &str| {
        assert_cmd::Command::cargo_bin("talweg").unwrap().args(["run-tile", &plan, "1"]).write_stdin(numbers).assert()
    };
    many("2\n 0\n").success().stdout("stage 1, tile 2: done\nstage 1, tile 0: done\n");
    many("0\ntwo\n1\n")
        .code(2)
        .stdout("stage 1, tile 0: was already done\n")
        .stderr(contains("`two` is not the number of a"));
    many("99\n").code(2).stderr(contains("no task 99 of stage 1"));
    talweg(&["run-tiles", &plan, "--workers", "2", "--threads", "1"]).success();
    let hash = output(&["merge", &plan]);
    assert_eq!(hash, output(&["verify", &scene, "--size", "300"]));
    let (ours, theirs) = (folder.path("ours.tif"), folder.path("theirs.tif"));
    talweg(&["merge", &plan, "-o", ours.to_str().unwrap()]).success().stdout(contains("300 × 300 samples"));
    talweg(&["export", &scene, "--size", "300", "-o", theirs.to_str().unwrap()]).success();
    assert!(std::fs::read(ours).unwrap() == std::fs::read(theirs).unwrap());
    talweg(&["merge", &plan, "--what", "nothing"]).code(2).stderr(contains("there are heights, water"));
    let wear = folder.path_text("wear.r32");
    talweg(&["merge", &plan, "-o", &wear, "--what", "snow"]).code(1).stderr(contains("writes the map Snow"));
}

#[test]
fn a_build_that_removes_unread_tiles_is_the_same() {
    let folder = Folder::new();
    let (scene, plan) = (save("eroded-hills"), folder.path_text("plan"));
    let said = output(&["plan", &scene, "--size", "300", "--tile", "128", "-o", &plan]);
    assert!(said.contains(" of disk space, or ") && said.contains(", reads 1 0, "), "{said}");
    assert_eq!(std::fs::read_to_string(folder.path("plan/plan.txt")).unwrap(), said);
    talweg(&["run-tiles", &plan, "--prune", "--threads", "1", "-q"]).success();
    let stages = || {
        let entries = std::fs::read_dir(folder.path("plan")).unwrap();
        entries.filter(|entry| entry.as_ref().unwrap().path().is_dir()).count()
    };
    assert_eq!(stages(), 1);
    assert_eq!(output(&["merge", &plan]), output(&["verify", &scene, "--size", "300"]));
    // nothing is left to do
    talweg(&["run-tiles", &plan]).success().stderr(contains("stage").not());
    assert_eq!(stages(), 1);
    // merging the tiles gives the same files as an export of the whole terrain
    let [ours, theirs, web, of_whole] = ["ours.png", "theirs.png", "web", "whole"].map(|name| folder.path_text(name));
    talweg(&["merge", &plan, "-o", &ours, "--what", "slope"]).success();
    talweg(&["export", &scene, "--size", "300", "-o", &theirs, "--what", "slope", "-q"]).success();
    assert!(std::fs::read(&ours).unwrap() == std::fs::read(&theirs).unwrap());
    let place = ["--longitude", "7.7", "--latitude", "46"];
    let merged = [&["merge", &plan, "-o", &web, "--web-map", "terrarium"][..], &place].concat();
    talweg(&merged).success().stdout(contains("tiles, zooms"));
    let whole = [&["web-map", &scene, "-o", &of_whole, "--size", "300", "--pixels", "terrarium"][..], &place].concat();
    talweg(&whole).success();
    let about = |of: &str| std::fs::read(folder.path(of).join("tiles.json")).unwrap();
    assert!(about("web") == about("whole"));
    talweg(&["merge", &plan, "-o", &web, "--web-map", "mapbox"]).code(1).stderr(contains("not empty"));
}

#[test]
fn exports_larger_than_memory_use_tiles_or_say_why_not() {
    let folder = Folder::new();
    let (scene, whole, tiles) = (save("eroded-hills"), folder.path_text("whole.tif"), folder.path_text("tiles.tif"));
    talweg(&["export", &scene, "--size", "1500", "-o", &whole, "-q"]).success();
    talweg(&["export", &scene, "--size", "1500", "-o", &tiles, "--memory", "80MiB"])
        .success()
        .stderr(contains("note: without tiles this export needs up to").and(contains("it is built in tiles of")));
    assert!(std::fs::read(&whole).unwrap() == std::fs::read(&tiles).unwrap());
    // a product that needs the whole terrain is refused, with the memory that it needs
    let mesh = folder.path_text("a.glb");
    talweg(&["export", &scene, "--size", "1500", "-o", &mesh, "--memory", "80MiB"])
        .code(1)
        .stderr(contains("Give --size"));
    talweg(&["export", &scene, "--size", "20000", "-o", &mesh])
        .code(2)
        .stderr(contains("`mesh` needs the whole terrain").and(contains("--size 16384 or less")));
    // the error names the layer and the reason
    let heights = folder.path_text("a.r32");
    talweg(&["export", "sea-cliffs", "--size", "32768", "-o", &heights, "--memory", "8GiB"]).code(1).stderr(
        contains("needs").and(contains("are free: ")).and(contains("Waves: ")).and(contains("Give a smaller size")),
    );
    let left: Vec<_> = std::fs::read_dir(folder.path("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "{left:?}");
}

#[test]
fn a_plan_keeps_masks_and_makes_splat_maps() {
    let folder = Folder::new();
    let (scene, plan) = (folder.path_text("masked.ron"), folder.path_text("plan"));
    let text = r#"(version: 1, name: "Masked", layers: [
        (name: "Land", node: Perlin()),
        (name: "Hills", node: Billow(), mask: (by_height: true, height_to: 300.0, height_feather: 100.0)),
    ])"#;
    std::fs::write(&scene, text).unwrap();
    let words = ["plan", &scene, "--size", "300", "--tile", "128", "-o", &plan, "--masks", "Hills"];
    assert!(output(&words).contains("mask of Hills"));
    talweg(&["run-tiles", &plan, "--prune", "--threads", "1", "-q"]).success();
    for (what, name) in [("mask:Hills", "mask.tif"), ("splat", "ground.png"), ("colours", "colours.png")] {
        let (ours, theirs) = (folder.path_text(&format!("ours/{name}")), folder.path_text(&format!("theirs/{name}")));
        std::fs::create_dir_all(folder.path("ours")).unwrap();
        talweg(&["merge", &plan, "-o", &ours, "--what", what]).success().stdout(contains("300 × 300 samples"));
        talweg(&["export", &scene, "--size", "300", "-o", &theirs, "--what", what, "-q"]).success();
    }
    let names = |of: &str| {
        let entries = std::fs::read_dir(folder.path(of)).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    assert_eq!(names("ours"), names("theirs"));
    assert!(names("ours").len() > 4, "{:?}", names("ours"));
    for name in names("ours") {
        let [ours, theirs] = ["ours", "theirs"].map(|of| std::fs::read(folder.path(of).join(&name)).unwrap());
        assert!(ours == theirs, "{name:?}");
    }
    let other = folder.path_text("other.tif");
    talweg(&["merge", &plan, "-o", &other, "--what", "mask:Land"]).code(1).stderr(contains("it keeps those of Hills"));
    talweg(&["merge", &plan, "-o", &other, "--what", "occlusion"]).code(2).stderr(contains("there is no map"));
    talweg(&["plan", &scene, "-o", &folder.path_text("no"), "--masks", "Nowhere"])
        .code(2)
        .stderr(contains("Land, Hills"));
}

#[test]
fn a_plan_is_written_for_schedulers_too() {
    let folder = Folder::new();
    let plan = folder.path_text("plan");
    let said = output(&["plan", "lake-district", "--size", "257", "--tile", "64", "-o", &plan, "--slurm", "--openjd"]);
    let stages = said.lines().filter(|line| line.starts_with("stage ")).count();
    let script = std::fs::read_to_string(folder.path("plan/slurm.sh")).unwrap();
    assert_eq!(script.lines().filter(|line| line.contains("+=$(submit ")).count(), stages);
    let template = std::fs::read_to_string(folder.path("plan/openjd.json")).unwrap();
    let template: serde_json::Value = serde_json::from_str(&template).unwrap();
    assert_eq!(template["specificationVersion"], "jobtemplate-2023-09");
    assert_eq!(template["steps"].as_array().unwrap().len(), stages);
}

#[test]
fn a_plan_is_text_and_larger_than_any_whole_build() {
    let folder = Folder::new();
    let plan = folder.path_text("plan");
    let words = ["plan", "alpine-range", "--size", "65537", "-o", &plan, "--json"];
    let said: serde_json::Value = serde_json::from_str(&output(&words)).unwrap();
    let stages = said["plan"]["stages"].as_array().unwrap();
    assert_eq!(stages.last().unwrap()["tasks"], 32 * 32);
    // every task takes less than 4 GiB, including the coarser grids
    assert!(stages.iter().all(|stage| stage["memory_bytes"].as_u64().unwrap() < 4 << 30), "{stages:?}");
    assert!(std::fs::read_to_string(folder.path("plan/plan.ron")).unwrap().contains("samples: 65537"));
    talweg(&["plan", "alpine-range", "-o", &plan]).code(1).stderr(contains("not empty"));
    let short = ["run-tile", &plan, "0", "0", "--memory", "1MiB"];
    talweg(&short).code(1).stderr(contains("are free").and(contains("--memory")));
    talweg(&["verify", "island", "--size", "20000"]).code(2).stderr(contains("talweg plan"));
    talweg(&["plan", "earthlike", "-o", &folder.path_text("no")]).code(1).stderr(contains("extract a region of it"));
}

#[test]
fn damaged_tiles_are_listed_and_computed_again() {
    let folder = Folder::new();
    let (scene, plan) = (save("eroded-hills"), folder.path_text("plan"));
    output(&["plan", &scene, "--size", "300", "--tile", "128", "-o", &plan]);
    let said = output(&["check", &plan]);
    assert!(said.contains("stage 0: 0 of") && said.contains("missing  tile 0-0 of the"), "{said}");
    talweg(&["run-tiles", &plan, "--threads", "1", "-q"]).success();
    let hash = output(&["merge", &plan]);
    assert!(!output(&["check", &plan]).contains("missing  "));
    let damage = |name: &str| {
        let mut bytes = std::fs::read(folder.path(name)).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(folder.path(name), bytes).unwrap();
    };
    let last = {
        let mut stages: Vec<_> =
            std::fs::read_dir(folder.path("plan")).unwrap().map(|e| e.unwrap().file_name()).collect();
        stages.retain(|name| name.to_string_lossy().starts_with("stage-"));
        stages.sort();
        stages.last().unwrap().to_string_lossy().into_owned()
    };
    let (result, before) = (format!("plan/{last}/ground-0-1.tile"), "plan/stage-001/ground-1-1.tile");
    damage(&result);
    damage(before);
    talweg(&["check", &plan])
        .code(1)
        .stdout(contains("bad      tile 0-1 of the ground of stage").and(contains("is damaged in rows")))
        .stderr(contains("bad tiles: 2").and(contains("run-tiles")));
    let found = assert_cmd::Command::cargo_bin("talweg").unwrap().args(["check", &plan, "--json"]).output().unwrap();
    let found: serde_json::Value = serde_json::from_slice(&found.stdout).unwrap();
    let bad = &found[0]["stages"][1]["bad"][0];
    assert_eq!((bad["tile"].as_str(), bad["task"].as_u64()), (Some("tile 1-1 of the ground of stage 1"), Some(3)));
    talweg(&["merge", &plan]).code(1).stderr(contains("is damaged").and(contains("run stage")));
    talweg(&["run-tiles", &plan, "--threads", "1", "-q"]).success();
    assert_eq!(output(&["merge", &plan]), hash);
    // A plan that was edited is refused, and nothing is computed.
    let text = std::fs::read_to_string(folder.path("plan/plan.ron")).unwrap();
    std::fs::write(folder.path("plan/plan.ron"), text.replacen("tasks: ", "tasks: 1", 1)).unwrap();
    for words in [&["check", &plan][..], &["run-tiles", &plan], &["merge", &plan], &["run-tile", &plan, "0", "0"]] {
        let said = talweg(words).code(1);
        let said = String::from_utf8(said.get_output().clone().stderr).unwrap()
            + &String::from_utf8(said.get_output().clone().stdout).unwrap();
        assert!(said.contains("plan.ron was edited or damaged"), "{words:?}: {said}");
    }
}

#[test]
fn texts_of_a_plan_hold_no_terminal_codes() {
    let folder = Folder::new();
    let (scene, plan) = (folder.path_text("codes.ron"), folder.path_text("plan"));
    let text = "(version: 1, name: \"N\\u{1b}]0;x\\u{7}\", layers: [
        (name: \"L\\u{1b}[2J\\u{9b}31m\\u{202e}\", node: Perlin()), (name: \"\\u{1b}[8mD\", node: Lakes())])";
    std::fs::write(&scene, text).unwrap();
    output(&["plan", &scene, "--size", "200", "--tile", "64", "-o", &plan, "--slurm", "--openjd"]);
    for name in ["plan.txt", "plan.ron", "scene.ron", "slurm.sh", "openjd.json"] {
        let text = std::fs::read_to_string(folder.path("plan").join(name)).unwrap();
        let codes: Vec<char> = text.chars().filter(|c| c.is_control() && !"\n\t".contains(*c)).collect();
        assert!(codes.is_empty(), "{name}: {codes:?}");
    }
}
