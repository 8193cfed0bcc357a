//! Tests of commands that read files from other programs, and of the published hashes of shipped scenes.

use serde_json::Value;

use super::*;

/// Path of a small file from another program that Talweg once read wrongly.
fn case(name: &str) -> String {
    format!("{REPOSITORY}/tests/core/ground/foreign/cases/{name}")
}

fn json(args: &[&str]) -> Value {
    serde_json::from_slice(&talweg(args).success().get_output().stdout).unwrap()
}

#[test]
fn info_names_what_is_read_and_what_is_not() {
    let file = case("04-undeclared-9999.tif");
    talweg(&["info", &file]).success().stdout(contains("65 × 65").and(contains("note: 25 samples hold -9999")));
    let about = json(&["info", &file, "--json"]);
    assert_eq!(
        (&about["columns"], &about["samples_without_data"], &about["epsg"]),
        (&65.into(), &25.into(), &32632.into())
    );
    assert_eq!(about["range_metres"], serde_json::json!([500.0, 756.0]));
    assert_eq!(about["notes"][0]["kind"], "undeclared-no-data");
    let kept = json(&["info", &file, "--no-data", "none", "--json"]);
    assert_eq!((&kept["samples_without_data"], &kept["range_metres"][0]), (&0.into(), &(-9999.0).into()));
    let tile = json(&["info", &case("12-terrarium.png"), "--numbers", "terrarium", "--json"]);
    assert_eq!(tile["range_metres"], serde_json::json!([500.0, 756.0]));
    talweg(&["info", &file, "--no-data", "nothing"]).code(2).stderr(contains("`nothing` is not a number"));
    talweg(&["info", &case("palette.tif")]).code(1).stderr(contains("gdal_translate -expand gray"));
    talweg(&["info", &case("crc.png")]).code(1).stderr(contains("damaged"));
}

#[test]
fn all_commands_read_a_file_in_the_same_way() {
    let folder = Folder::new();
    for name in ["04-undeclared-9999.tif", "02-rotated-u16.tif", "webmercator-60N.tif"] {
        let file = case(name);
        let note = json(&["info", &file, "--json"])["notes"][0]["text"].as_str().unwrap().to_string();
        talweg(&["measure", &file, "--json"]).success().stderr(contains(&note));
        let import = format!("(version: 1, layers: [(node: Import(file: {file:?}))])");
        let scene = folder.write_file("import.ron", import);
        talweg(&["check", &scene, "--allow-outside"]).success().stdout(contains(&note));
        let info = json(&["info", &file, "--json"]);
        let measured = json(&["measure", &file, "--json"]);
        for (place, key) in ["min_metres", "max_metres"].into_iter().enumerate() {
            let height = measured[key].as_f64().unwrap();
            assert!((height - info["range_metres"][place].as_f64().unwrap()).abs() < 1e-3, "{name} {key}");
        }
    }
}

#[test]
fn pipes_and_heightmaps_without_a_scene_are_refused_with_advice() {
    talweg(&["export", "island", "-o", "-"]).code(2).stderr(contains("standard output").and(contains("out.png")));
    talweg(&["export", "island", "-o", "/dev/stdout"]).failure().stderr(contains("standard output"));
    talweg(&["check", "-"]).code(1).stdout(contains("standard input"));
    let file = case("01-north-up.tif");
    talweg(&["diff", &file, &file]).code(2).stderr(contains("talweg measure A --against B"));
}

#[test]
fn an_export_warns_of_a_projection_that_changes_lengths() {
    let folder = Folder::new();
    let [mercator, utm] = ["mercator.tif", "utm.tif"].map(|name| folder.path_text(name));
    let place = |file: &str, epsg: &str, origin: &str| {
        talweg(&["export", "island", "--size", "17", "-o", file, "--epsg", epsg, "--origin", origin]).success()
    };
    place(&mercator, "3857", "1000000,8399737").stderr(contains("15 km on the map, which is 7.51 km"));
    place(&utm, "32632", "500000,5100000").stderr(contains("changes lengths").not());
}

#[test]
fn exported_pictures_keep_their_cell_size() {
    let folder = Folder::new();
    let [png, tif] = ["i.png", "i.tif"].map(|name| folder.path_text(name));
    talweg(&["export", "island", "--size", "65", "-o", &png, "-o", &tif]).success();
    let [a, b] = [&png, &tif].map(|file| json(&["measure", file, "--json"]));
    let [a, b] = [&a, &b].map(|all| all["mean_steepness"].as_f64().unwrap());
    assert!((a / b - 1.0).abs() < 1e-3, "{a} {b}");
    let cell = |file: &str| json(&["info", file, "--json"])["cell_metres"][0].as_f64().unwrap();
    assert!((cell(&png) - 15_000.0 / 64.0).abs() < 1e-3 && (cell(&tif) - cell(&png)).abs() < 1e-3);
}

#[test]
fn shipped_scenes_have_the_published_hashes() {
    let all = json(&["verify", "--examples", "--json", "--quiet"]);
    let all = all.as_array().unwrap();
    assert!(all.len() >= 77 && all.iter().all(|one| one["is_same"] == true && one["hash"] == one["published"]));
    talweg(&["verify", "--examples", "island"]).code(2);
    talweg(&["verify"]).code(2).stderr(contains("SCENE"));
}

#[test]
fn measures_have_closed_mass_balances() {
    let folder = Folder::new();
    let scene = "(version: 1, settings: (resolution: 257), layers: [(name: \"Noise\", node: Perlin()), \
                 (name: \"Water\", node: Hydraulic(iterations: 20)), (name: \"Slides\", node: Thermal(iterations: 20))])";
    let measured = json(&["measure", &folder.write_file("a.ron", scene), "--json"]);
    let balances = measured["mass_balances"].as_array().unwrap();
    let names: Vec<_> = balances.iter().map(|balance| balance["layer"].as_str().unwrap()).collect();
    assert_eq!(names, ["Water", "Slides"]);
    for balance in balances {
        let part = |name: &str| balance["cubic_metres"][name].as_f64().unwrap();
        assert!(part("eroded") > 0.0 && part("residual").abs() < 1e-6 * part("eroded"), "{balance}");
    }
    let heights = json(&["measure", &case("01-north-up.tif"), "--json"]);
    assert_eq!(heights["mass_balances"], serde_json::json!([]));
}
