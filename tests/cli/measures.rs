//! `talweg measure`: text, JSON, CSV, comparisons.

use predicates::prelude::*;
use predicates::str::contains;
use talweg::measure::MEASURES;

use crate::{Folder, talweg};

fn output(args: &[&str]) -> String {
    String::from_utf8(talweg(args).success().get_output().stdout.clone()).unwrap()
}

#[test]
fn the_command_line_prints_what_the_lists_say() {
    let help = output(&["measure", "--help"]);
    let text = output(&["measure", "island", "--size", "65"]);
    let json: serde_json::Value =
        serde_json::from_str(&output(&["measure", "island", "--size", "65", "--json"])).unwrap();
    let csv = output(&["measure", "island", "--size", "65", "--csv"]);
    for m in MEASURES {
        assert!(help.contains(m.meaning) && help.contains(m.source), "{} in --help", m.key);
        assert!(text.contains(&m.label.to_lowercase()), "{} in text", m.key);
        assert!(json.get(m.key).is_some(), "{} in JSON", m.key);
        assert!(csv.lines().any(|line| line.starts_with(&format!("{},", m.key))), "{} in CSV", m.key);
    }
    assert!(text.contains("real terrain 3 to 5"));
    let few = output(&["measure", "island", "--size", "65", "--limit", "prominence=500", "--json"]);
    let few: serde_json::Value = serde_json::from_str(&few).unwrap();
    assert!(few["peaks"].as_u64() < json["peaks"].as_u64() && few["limits"]["prominence_metres"] == 500.0);
}

#[test]
fn the_command_line_compares_two() {
    let against = |set: &str, more: &[&str]| {
        output(&[&["measure", "island", "--size", "65", "--set", set, "--against", "island"], more].concat())
    };
    let json: serde_json::Value = serde_json::from_str(&against("scene.sea_level=600", &["--json"])).unwrap();
    assert_eq!(json["difference"]["rms_metres"], 0.0, "the sea moves no ground");
    assert!(json["first"]["land_fraction"].as_f64() < json["second"]["land_fraction"].as_f64());
    let text = against("scene.relief_metres=900", &[]);
    assert!(text.contains("drainage overlap"), "{text}");
    let csv = against("scene.relief_metres=900", &["--csv"]);
    let line = csv.lines().find(|line| line.starts_with("max_metres,")).unwrap();
    let numbers: Vec<f64> = line.split(',').skip(1).take(3).map(|x| x.parse().unwrap()).collect();
    assert!(numbers[2] > 0.0 && (numbers[1] - numbers[0] - numbers[2]).abs() < 1e-9, "{line}");
}

#[test]
fn the_command_line_says_what_is_wrong() {
    talweg(&["measure", "island", "--limit", "nope=1"]).code(2).stderr(contains("playable_slope"));
    talweg(&["measure", "island", "--limit", "flat_slope"]).code(2).stderr(contains("LIMIT=VALUE"));
    talweg(&["measure", "island", "--limit", "flat_slope=95"]).code(2).stderr(contains("0 to 90"));
    talweg(&["measure", "island", "--json", "--csv"]).code(2);
    talweg(&["measure", "island", "--against", "no-such-scene"]).code(1).stderr(contains("there is no scene"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flat.r32");
    std::fs::write(&path, 5.0f32.to_le_bytes().repeat(25)).unwrap();
    let path = path.to_str().unwrap();
    talweg(&["measure", path, "--side", "0"]).code(2).stderr(contains("--side"));
    // on level ground, the text has a dash and the reason, and the JSON has no value
    talweg(&["measure", path]).success().stdout(contains("–  (the ground is level)").and(contains("5.000 m")));
    let json: serde_json::Value = serde_json::from_str(&output(&["measure", path, "--json"])).unwrap();
    assert!(json["erosion_score"].is_null() && json["bifurcation_ratio"].is_null());
    assert_eq!(json["playable_fraction"], 1.0);
    let drowned = output(&["measure", path, "--sea", "6", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&drowned).unwrap();
    assert_eq!(json["undefined"]["playable_fraction"], "everything is under the sea");
}

#[test]
fn measure_prints_numbers_of_scenes_and_heightmaps() {
    let folder = Folder::new();
    let json = |args: &[&str]| -> serde_json::Value {
        serde_json::from_slice(&talweg(args).success().get_output().stdout).unwrap()
    };
    let scene = json(&["measure", "island", "--size", "65", "--json"]);
    let heights = folder.path_text("island.r32");
    talweg(&["export", "island", "-o", &heights, "--size", "65"]).success();
    let file = json(&["measure", &heights, "--json"]);
    for key in ["erosion_score", "mean_slope", "slope_deviation", "min_metres", "max_metres", "mean_metres"] {
        let (a, b) = (scene[key].as_f64().unwrap(), file[key].as_f64().unwrap());
        assert!((a - b).abs() <= 1e-5 * a.abs().max(1.0), "{key}: {a} {b}");
    }
    let score = scene["slope_deviation"].as_f64().unwrap() / scene["mean_slope"].as_f64().unwrap();
    assert!((scene["erosion_score"].as_f64().unwrap() - score).abs() < 1e-9);
    let verified =
        String::from_utf8(talweg(&["verify", "island", "--size", "65"]).success().get_output().stdout.clone());
    assert_eq!(scene["hash"], verified.unwrap().trim());
    // a step: two of four columns differ by 10 m from a neighbour
    let step: Vec<u8> = [0.0f32, 0.0, 10.0, 10.0].repeat(4).iter().flat_map(|v| v.to_le_bytes()).collect();
    let step = json(&["measure", &folder.write_file("step.r32", step), "--json"]);
    assert_eq!((&step["mean_slope"], &step["slope_deviation"]), (&5.0.into(), &5.0.into()));
    talweg(&["measure", "island", "--size", "33"]).success().stdout(contains("erosion score").and(contains(" m")));
    talweg(&["measure", &folder.write_file("odd.r16", [0u8; 6])]).code(1).stderr(contains("6 bytes"));
}
