//! `talweg bench` and `talweg sheet`.

use talweg::benchmark::Site;
use talweg::field::{Control, Edges};
use talweg::planet::World;

use crate::talweg;

fn json_of(args: &[&str]) -> serde_json::Value {
    serde_json::from_slice(&talweg(args).success().get_output().stdout).unwrap()
}

#[test]
fn the_command_measures_nodes_and_counts_their_memory() {
    let quick = ["bench", "Perlin", "DiamondSquare", "--sizes", "65,129", "--repetitions", "2", "--quiet"];
    let found = json_of(&[&quick[..], &["--threads", "2,1", "--json"]].concat());
    assert_eq!((&found["memory_is_counted"], &found["repetitions"]), (&true.into(), &2.into()));
    assert_eq!((&found["sizes"], &found["threads"]), (&serde_json::json!([65, 129]), &serde_json::json!([1, 2])));
    for (subject, name) in found["subjects"].as_array().unwrap().iter().zip(["Perlin", "DiamondSquare"]) {
        assert_eq!(subject["name"], name);
        for cell in subject["cells"].as_array().unwrap() {
            let (peak, result) = (cell["peak_bytes"].as_u64().unwrap(), cell["result_bytes"].as_u64().unwrap());
            assert!(peak >= result && peak < 8 * result + 100_000, "{name}: {peak} of {result}");
        }
    }
    // the heights of the benchmark's result are those of other evaluations
    let made = Site::new(129, World::Terrain, Edges::Open, &Control::default()).unwrap();
    assert_eq!(found["subjects"][0]["consistency"]["hashes"][1], format!("{:032x}", made.input.hash()));

    talweg(&quick).success().stdout(predicates::str::contains("Too few repetitions"));
    let csv = talweg(&[&quick[..], &["--csv"]].concat()).success();
    assert!(csv.get_output().stdout.starts_with(b"name,timed,samples,threads,median_ms"));
    for (wrong, said) in [
        (["bench", "Lava"], "talweg nodes"),
        (["bench", "--sizes=1"], "2..=16384"),
        (["bench", "--repetitions=0"], "1..=10000"),
        (["bench", "Perlin:octaves=x"], "1 to 16"),
    ] {
        talweg(&wrong).code(2).stderr(predicates::str::contains(said));
    }
}

#[test]
fn the_command_draws_sheets() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("s.png").to_str().unwrap().to_string();
    let quick = ["sheet", "island", "-o", &out, "--size", "33", "--picture", "40"];
    let json = json_of(&[&quick[..], &["--sweep", "Coast.frequency=2..8", "--count", "3", "--json"]].concat());
    let keys = |value: &serde_json::Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" ");
    assert_eq!(keys(&json), "columns picture samples variants");
    assert_eq!((&json["samples"], json["variants"].as_array().unwrap().len()), (&33.into(), 3));
    assert_eq!(keys(&json["variants"][0]), "caption measures set");
    assert_eq!(keys(&json["variants"][0]["measures"]), "erosion_score max_metres mean_slope_degrees min_metres");
    assert_eq!(json["variants"][1]["caption"], "Frequency 5");
    // the assignments of a thumbnail reproduce its terrain
    let set = json["variants"][1]["set"][0].as_str().unwrap();
    let measured = json_of(&["measure", "island", "--size", "33", "--set", set, "--json"]);
    for measure in ["erosion_score", "max_metres"] {
        // serde_json may read the last digit of a number differently
        let [thumbnail, whole] =
            [&json["variants"][1]["measures"], &measured].map(|measures| measures[measure].as_f64().unwrap());
        assert!((thumbnail - whole).abs() <= 1e-14 * whole.abs(), "{measure}: {thumbnail} {whole}");
    }
    talweg(&[&quick[..], &["--seeds", "5"]].concat()).success().stdout(predicates::str::contains("5 thumbnails"));
    let picture = png::Decoder::new(std::io::BufReader::new(std::fs::File::open(&out).unwrap())).read_info().unwrap();
    assert!(picture.info().width > 3 * 40 && picture.info().height > 2 * 40);
    let slides = ["sheet", "eroded-hills", "--presets", "Slides", "-o", &out, "--size", "33", "--picture", "32"];
    talweg(&slides).success().stdout(predicates::str::contains("thumbnails"));
    for (wrong, said) in [
        (vec!["--sweep", "Coast.nope"], "--sweep: `Coast` has no parameter `nope`; it has"),
        (vec!["--sweep", "Nope.octaves"], "`Coast`"),
        (vec!["--sweep", "Coast.octaves=0..99"], "1 to 16"),
        (vec!["--sweep", "Coast.octaves", "--seeds", "4"], "cannot be used"),
        (vec!["--seeds", "0"], "1..=256"),
        (vec!["--sweep", "Coast.seed=0..255", "--sweep", "Coast.frequency", "--count", "256"], "give 31250 at most"),
        (vec!["--presets", "Nope"], "`Coast`"),
    ] {
        talweg(&[&quick[..], &wrong].concat()).code(2).stderr(predicates::str::contains(said));
    }
    talweg(&["sheet", "island", "-o", "s.jpg"]).code(2).stderr(predicates::str::contains(".png"));
}
