//! The laboratory: statistics against known distributions, the benchmark against a clock that the test moves, parity
//! against laws that do and do not depend on the resolution, variants against what was asked for.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use talweg::eval::{Store, evaluate, thread_pool};
use talweg::field::{Edges, Grid, Stream, Terrain};
use talweg::lab::{
    BenchError, Benchmark, Corner, Extremes, Instruments, Knob, Maker, NodeSubject, Plan, Site, Size, Stopwatch,
    Subject, Sweep, Variant, VariantError, Verdict, bench, channel_overlap, columns, compare, document_001, draw,
    draw_all, half_samples, neighbours, parity, presets, seeds, sheet, stats, subjects, sweep, table,
};
use talweg::nodes::{Cancelled, Control, Node};
use talweg::param::Value;
use talweg::scene::{Layer, Scene, SetError, Settings, example};

mod node_kit;
use node_kit::node;

// statistics

fn uniform(count: usize, seed: u32) -> Vec<f64> {
    let random = Stream::new(seed, 3);
    (0..count).map(|k| f64::from(random.unit(k as i32, 0))).collect()
}

#[test]
fn an_interval_covers_the_median_as_often_as_it_says() {
    assert_eq!(stats::estimate(&[]), None);
    let one = stats::estimate(&[4.0]).unwrap();
    assert_eq!((one.median, one.low, one.high, one.confidence), (4.0, 4.0, 4.0, 0.0));
    // tables of the sign test: ranks 2 and 10 of 11, 97.85 % between ranks 2 and 9 of 10, 1 - 2⁻⁵ over all of 6
    let numbers: Vec<f64> = (1..=11).rev().map(f64::from).collect();
    let eleven = stats::estimate(&numbers).unwrap();
    assert_eq!((eleven.low, eleven.median, eleven.high), (2.0, 6.0, 10.0));
    let ten = stats::estimate(&numbers[1..]).unwrap();
    assert!((ten.low, ten.median, ten.high) == (2.0, 5.5, 9.0) && (ten.confidence - 0.978_515_625).abs() < 1e-9);
    assert!((stats::estimate(&numbers[5..]).unwrap().confidence - 0.96875).abs() < 1e-12);
    assert!((stats::estimate(&numbers[8..]).unwrap().confidence - 0.75).abs() < 1e-12);
    // a skewed distribution of known median: u³ has 1/8
    for count in [7, 11, 40] {
        let trials = 2000;
        let mut said = 0.0;
        let covered = (0..trials).filter(|&k| {
            let values: Vec<f64> = uniform(count, k).into_iter().map(|u| u * u * u).collect();
            let made = stats::estimate(&values).unwrap();
            said = made.confidence;
            made.low <= 0.125 && 0.125 <= made.high
        });
        let share = covered.count() as f64 / f64::from(trials);
        let deviation = (said * (1.0 - said) / f64::from(trials)).sqrt();
        assert!(said >= stats::CONFIDENCE && (share - said).abs() < 4.0 * deviation, "{count}: {share} for {said}");
    }
}

#[test]
fn power_laws_give_their_exponent_and_an_honest_error() {
    let sizes = [65.0f64, 129.0, 257.0, 513.0, 1025.0];
    let law =
        |exponent: f64| -> Vec<(f64, f64)> { sizes.iter().map(|&n| (n, 3e-6 * libm::pow(n, exponent))).collect() };
    for exponent in [1.0, 2.0, 2.5] {
        let fit = stats::power_law(&law(exponent)).unwrap();
        assert!((fit.exponent - exponent).abs() < 1e-9 && fit.standard_error.unwrap() < 1e-7);
    }
    assert_eq!(stats::power_law(&law(2.0)[..1]), None);
    assert_eq!(stats::power_law(&[(5.0, 1.0), (5.0, 2.0)]), None);
    assert_eq!(stats::power_law(&law(2.0)[..2]).unwrap().standard_error, None);
    // the spread of fits to noisy times is the error that they report
    let fits: Vec<stats::PowerLaw> = (0..4000)
        .map(|seed| {
            // twelve uniform values less six are nearly normal
            let noise = |k: usize| uniform(12, seed * 8 + k as u32).iter().sum::<f64>() - 6.0;
            let noisy: Vec<_> =
                law(2.0).iter().enumerate().map(|(k, &(n, t))| (n, t * libm::exp(0.05 * noise(k)))).collect();
            stats::power_law(&noisy).unwrap()
        })
        .collect();
    let mean = |of: &dyn Fn(&stats::PowerLaw) -> f64| fits.iter().map(of).sum::<f64>() / fits.len() as f64;
    assert!((mean(&|f| f.exponent) - 2.0).abs() < 0.003);
    let spread = mean(&|f| (f.exponent - 2.0) * (f.exponent - 2.0)).sqrt();
    let reported = mean(&|f| f.standard_error.unwrap() * f.standard_error.unwrap()).sqrt();
    assert!((spread / reported - 1.0).abs() < 0.05, "{spread} {reported}");
}

// benchmark

/// A clock that stands still until somebody works.
#[derive(Default)]
struct Workshop {
    nanoseconds: AtomicU64,
    bytes: AtomicUsize,
}

impl Instruments for Workshop {
    fn now(&self) -> Duration {
        Duration::from_nanos(self.nanoseconds.load(Ordering::SeqCst))
    }
    fn watch_memory(&self) {
        self.bytes.store(0, Ordering::SeqCst);
    }
    fn peak_bytes(&self) -> Option<usize> {
        Some(self.bytes.load(Ordering::SeqCst))
    }
}

/// Takes as long as it is told, with `noise` on top, and makes level ground.
struct Work<'a> {
    shop: &'a Workshop,
    name: &'static str,
    /// Seconds of a run on so many samples and threads.
    seconds: fn(f64, usize) -> f64,
    /// The height it makes, by number of the run.
    height: fn(usize) -> f32,
    runs: AtomicUsize,
    log: Option<&'a Mutex<Vec<&'static str>>>,
}

impl<'a> Work<'a> {
    fn new(shop: &'a Workshop, name: &'static str, seconds: fn(f64, usize) -> f64) -> Self {
        Self { shop, name, seconds, height: |_| 0.5, runs: AtomicUsize::new(0), log: None }
    }
}

impl Subject for Work<'_> {
    fn name(&self) -> String {
        self.name.into()
    }
    fn timed(&self) -> &'static str {
        "field"
    }
    fn run(&self, site: &Site, watch: &mut Stopwatch, control: &Control) -> Result<Terrain, Cancelled> {
        control.check()?;
        let run = self.runs.fetch_add(1, Ordering::SeqCst);
        if let Some(log) = self.log {
            log.lock().unwrap().push(self.name);
        }
        let mut made = Terrain::flat(site.grid);
        made.height.fill((self.height)(run));
        let pass = |seconds: f64| {
            self.shop.nanoseconds.fetch_add((seconds * 1e9).round() as u64, Ordering::SeqCst);
        };
        pass(7.0); // what is not timed does not count
        let threads = rayon::current_num_threads();
        let disturbed = 1.0 + 0.01 * f64::from(Stream::new(9, 9).unit(run as i32, 0));
        watch.time(|| {
            self.shop.bytes.fetch_max(10 * site.grid.len(), Ordering::SeqCst);
            pass((self.seconds)(site.grid.samples as f64, threads) * disturbed);
        });
        // nor does what is taken afterwards
        self.shop.bytes.fetch_max(1 << 30, Ordering::SeqCst);
        Ok(made)
    }
}

fn plan(sizes: &[usize], repetitions: usize, threads: &[usize]) -> Plan {
    Plan { sizes: sizes.into(), repetitions, threads: threads.into(), edges: Edges::Open, extremes: None }
}

fn measured(found: &[&dyn Subject], plan: &Plan, shop: &Workshop) -> Benchmark {
    bench(found, plan, shop, &Control::default(), &mut |_| ()).unwrap()
}

#[test]
fn a_benchmark_finds_time_growth_memory_and_speed_up() {
    let shop = Workshop::default();
    let square = Work::new(&shop, "square", |n, threads| 1e-6 * n * n / (0.2 + 0.8 * threads as f64));
    let slow = Work::new(&shop, "slow", |n, _| 3e-6 * n * n * n);
    let plan = plan(&[9, 17, 33, 65], 11, &[1, 2]);
    let found = measured(&[&square, &slow], &plan, &shop);
    assert!(found.memory_is_counted);
    let [square, slow] = &found.subjects[..] else { panic!("two") };
    for subject in [square, slow] {
        assert_eq!(subject.cells.len(), 8);
        assert!(subject.consistency.is_consistent && subject.consistency.hashes.len() == 4);
        for cell in &subject.cells {
            let time = cell.milliseconds;
            assert!(time.low <= time.median && time.median <= time.high && time.confidence >= 0.95);
            let bytes = cell.samples * cell.samples;
            assert_eq!((cell.peak_bytes, cell.result_bytes), (Some(10 * bytes), 4 * bytes));
            // an observation lasts 2 ms
            let observed = time.median * cell.runs_per_observation as f64;
            assert!(observed > 1.9 || cell.runs_per_observation == 1000, "{observed}");
        }
    }
    let one = square.cell(65, 1).unwrap().milliseconds;
    assert!(one.low >= 4.225 && one.high <= 4.225 * 1.01, "{one:?}");
    let exponent = |subject: &talweg::lab::SubjectResult| subject.growth[0].time.unwrap();
    assert!((exponent(square).exponent - 2.0).abs() < 0.01 && (exponent(slow).exponent - 3.0).abs() < 0.01);
    assert!(exponent(square).standard_error.unwrap() < 0.01);
    assert!((square.growth[0].memory.unwrap().exponent - 2.0).abs() < 1e-9);
    let faster = square.cell(65, 2).unwrap().speed_up;
    assert!((faster.median - 1.8).abs() < 0.02 && faster.low < faster.high, "{faster:?}");
    assert!((slow.cell(65, 2).unwrap().speed_up.median - 1.0).abs() < 0.02);
    let times = slow.cell(65, 1).unwrap().times_the_first.median;
    assert!((times - 3.0 * 65.0).abs() < 3.0, "{times}");
    assert_eq!(square.cell(9, 1).unwrap().times_the_first.median, 1.0);
}

#[test]
fn what_slows_the_machine_down_hits_all_alike() {
    let (shop, log) = (Workshop::default(), Mutex::default());
    let mut pair = ["a", "b"].map(|name| Work::new(&shop, name, |_, _| 1.0));
    pair.iter_mut().for_each(|work| work.log = Some(&log));
    measured(&[&pair[0], &pair[1]], &plan(&[3, 5], 20, &[1]), &shop);
    let log = log.into_inner().unwrap();
    // two sizes: four cells, each run twice to warm up, then once a repetition
    assert_eq!(log.len(), 4 * (2 + 20));
    let rounds: Vec<&[&str]> = log[8..].chunks(4).collect();
    for round in &rounds {
        assert_eq!(round.iter().filter(|name| **name == "a").count(), 2, "{round:?}");
    }
    assert!(rounds.iter().any(|round| round[0] == "a") && rounds.iter().any(|round| round[0] == "b"));
}

#[test]
fn results_that_change_are_found() {
    let shop = Workshop::default();
    // the first run of every twelve is another
    let fickle =
        Work { height: |run| if run % 12 == 7 { 0.25 } else { 0.5 }, ..Work::new(&shop, "fickle", |_, _| 1.0) };
    let steady = Work::new(&shop, "steady", |_, _| 1.0);
    let found = measured(&[&steady, &fickle], &plan(&[5], 12, &[1]), &shop);
    assert!(found.subjects[0].consistency.is_consistent);
    let consistency = &found.subjects[1].consistency;
    assert!(!consistency.is_consistent);
    assert_eq!((consistency.disagreements[0].others, consistency.disagreements[0].repetitions), (1, 12));
    assert!(found.text().contains("NO") && found.text().contains("1 of 12 results"));
    // one that depends on the threads
    struct Racy;
    impl Subject for Racy {
        fn name(&self) -> String {
            "racy".into()
        }
        fn timed(&self) -> &'static str {
            "field"
        }
        fn run(&self, site: &Site, watch: &mut Stopwatch, _: &Control) -> Result<Terrain, Cancelled> {
            let mut made = Terrain::flat(site.grid);
            watch.time(|| made.height[0] = rayon::current_num_threads() as f32);
            Ok(made)
        }
    }
    let found = measured(&[&Racy], &plan(&[5], 3, &[1, 2]), &shop);
    let wrong = &found.subjects[0].consistency.disagreements;
    assert_eq!((wrong.len(), wrong[0].threads, wrong[0].others), (1, 2, 3));
}

#[test]
fn every_node_can_be_a_subject_and_extremes_are_looked_at() {
    let shop = Workshop::default();
    let all = subjects("all").unwrap();
    assert_eq!(all.len(), Node::catalogue().len());
    let all: Vec<&dyn Subject> = all.iter().map(|s| s as &dyn Subject).collect();
    let found = measured(&all, &plan(&[17], 1, &[2]), &shop);
    assert!(found.subjects.iter().all(|s| s.consistency.is_consistent));
    let thermal = found.subjects.iter().find(|s| s.name == "Thermal").unwrap();
    assert_eq!(thermal.timed, "iteration");
    let idle = |name: &str| found.subjects.iter().find(|s| s.name == name).unwrap().cells[0].changes_nothing;
    assert!(idle("Levels") && !idle("Perlin") && !idle("FlowAccumulation") && !idle("Invert"));
    assert!(found.text().contains("Levels changes nothing at 17²"));
    let flow = found.subjects.iter().find(|s| s.name == "FlowAccumulation").unwrap();
    assert_eq!(flow.cells[0].result_bytes, 2 * 4 * 17 * 17, "heights and the flow map");

    let mut plan = plan(&[9], 1, &[1]);
    plan.extremes = Some(Extremes { samples: 9, patience: Duration::from_secs(60) });
    let perlin = subjects("Perlin").unwrap();
    let found = measured(&[&perlin[0]], &plan, &shop);
    let extremes = found.subjects[0].extremes.as_ref().unwrap();
    let at = |parameter: &str, value: &str| {
        extremes.iter().find(|e| (e.parameter, e.value.as_str()) == (parameter, value)).unwrap()
    };
    assert!(extremes.iter().all(|e| e.is_finite == Some(true) && !e.was_stopped));
    assert!(at("octaves", "16").is_level == Some(false) && at("octaves", "1").is_finite == Some(true));
    let invert = subjects("Clamp").unwrap();
    assert!(measured(&[&invert[0]], &plan, &shop).subjects[0].extremes.as_ref().unwrap().len() >= 4);
}

/// A subject whose corners end only when they are told to.
struct Endless;

impl Subject for Endless {
    fn name(&self) -> String {
        "endless".into()
    }
    fn timed(&self) -> &'static str {
        "field"
    }
    fn run(&self, site: &Site, _: &mut Stopwatch, control: &Control) -> Result<Terrain, Cancelled> {
        if site.grid.samples == 33 {
            while !control.is_cancelled() {
                std::thread::yield_now();
            }
        }
        control.check()?;
        let mut made = Terrain::flat(site.grid);
        made.height[0] = f32::NAN;
        Ok(made)
    }
    fn corners(&self) -> Vec<Corner> {
        vec![Corner { parameter: "length", value: "9".into(), subject: Box::new(Endless) }]
    }
}

#[test]
fn extremes_that_take_too_long_are_stopped_and_bad_heights_named() {
    let shop = Workshop::default();
    let mut plan = plan(&[9], 1, &[1]);
    plan.extremes = Some(Extremes { samples: 33, patience: Duration::ZERO });
    let found = measured(&[&Endless], &plan, &shop);
    let stopped = &found.subjects[0].extremes.as_ref().unwrap()[0];
    assert!(stopped.was_stopped && stopped.is_finite.is_none() && stopped.times_the_default.is_none());
    plan.extremes = Some(Extremes { samples: 9, patience: Duration::from_secs(60) });
    let bad = &measured(&[&Endless], &plan, &shop).subjects[0];
    assert_eq!(bad.extremes.as_ref().unwrap()[0].is_finite, Some(false));
    assert!(measured(&[&Endless], &plan, &shop).text().contains("NOT FINITE"));
}

#[test]
fn a_benchmark_says_how_far_it_is_and_stops() {
    let shop = Workshop::default();
    let work = Work::new(&shop, "work", |_, _| 1.0);
    let (control, mut shares) = (Control::default(), Vec::new());
    let plan = plan(&[9, 17], 4, &[1]);
    bench(&[&work], &plan, &shop, &control, &mut |at| shares.push((at.share, at.samples))).unwrap();
    assert!(shares.windows(2).all(|pair| pair[0].0 < pair[1].0) && shares[0] == (0.0, 9) && shares.len() == 2 * 5);
    let before = work.runs.load(Ordering::SeqCst);
    let mut told = 0;
    let stopped = bench(&[&work], &plan, &shop, &control, &mut |_| {
        told += 1;
        if told == 4 {
            control.cancel();
        }
    });
    assert!(matches!(stopped, Err(BenchError::Cancelled)));
    assert_eq!(work.runs.load(Ordering::SeqCst) - before, 5, "two cells twice, then one");
}

#[test]
fn names_of_subjects_are_read_and_wrong_ones_explained() {
    let named = subjects("Perlin:octaves=3,base=0.25").unwrap();
    assert_eq!(*named[0].node(), node("Perlin", &[("octaves", "3"), ("base", "0.25")]));
    assert_eq!(named[0].name(), "Perlin:octaves=3,base=0.25");
    assert_eq!(subjects("diamond-square").unwrap()[0].name(), "DiamondSquare");
    assert_eq!(document_001().iter().map(NodeSubject::name).collect::<Vec<_>>().len(), 2);
    let said = |text: &str| subjects(text).err().unwrap().to_string();
    assert!(said("Lava").contains("talweg nodes"));
    assert!(said("scree").contains("Perhaps") && said("scree").contains("Thermal"));
    assert!(said("Perlin:octave=3").contains("octaves"));
    assert!(said("Perlin:octaves").contains("PARAM=VALUE"));
    assert!(said("Perlin:octaves=99").contains("1 to 16"));
}

/// Other programs read these names: they stay.
#[test]
fn tables_json_and_csv_keep_their_names() {
    let shop = Workshop::default();
    let work = Work::new(&shop, "a, \"b\"", |n, _| 1e-6 * n * n);
    let perlin = subjects("Perlin").unwrap();
    let mut plan = plan(&[9, 17, 33], 6, &[1, 2]);
    plan.extremes = Some(Extremes { samples: 9, patience: Duration::from_secs(60) });
    let found = measured(&[&work, &perlin[0]], &plan, &shop);
    let json = serde_json::to_value(&found).unwrap();
    let keys = |value: &serde_json::Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" ");
    assert_eq!(keys(&json), "memory_is_counted processors repetitions sizes subjects system threads");
    let subject = &json["subjects"][1];
    assert_eq!(keys(subject), "cells consistency extremes growth name timed");
    assert_eq!(
        keys(&subject["cells"][0]),
        "changes_nothing milliseconds peak_bytes result_bytes runs_per_observation samples speed_up threads times_the_first"
    );
    assert_eq!(keys(&subject["cells"][0]["milliseconds"]), "confidence high low median");
    assert_eq!(keys(&subject["growth"][0]), "memory threads time");
    assert_eq!(keys(&json["subjects"][0]["growth"][0]["time"]), "exponent sizes standard_error");
    assert_eq!(keys(&subject["consistency"]), "disagreements hashes is_consistent");
    assert_eq!(keys(&subject["extremes"][0]), "is_finite is_level parameter times_the_default value was_stopped");
    let csv = found.csv();
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), 1 + 2 * 3 * 2);
    assert!(lines[0].starts_with("name,timed,samples,threads,median_ms,low_ms,high_ms,confidence,speed_up,"));
    assert!(lines[1].starts_with("\"a, \"\"b\"\"\",field,9,1,"), "{}", lines[1]);
    assert!(lines.iter().skip(2).all(|line| line.replace("a, \"\"b", "").split(',').count() == 15));
    let text = found.text();
    for part in ["Time on 1 thread", "Time on 2 threads", "17²", "2.00 ± 0.00", "speed-up", "Memory", "octaves"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(text.lines().all(|line| line.chars().count() < 160 && line == line.trim_end()));
}

// command line

fn talweg(args: &[&str]) -> assert_cmd::assert::Assert {
    assert_cmd::Command::cargo_bin("talweg").unwrap().args(args).assert()
}

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
    // the heights are those of everything else
    let made = Site::new(129, Edges::Open, &Control::default()).unwrap();
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
    // what a thumbnail is made of makes the same terrain elsewhere
    let set = json["variants"][1]["set"][0].as_str().unwrap();
    let measured = json_of(&["measure", "island", "--size", "33", "--set", set, "--json"]);
    assert_eq!(json["variants"][1]["measures"]["erosion_score"], measured["erosion_score"]);
    assert_eq!(json["variants"][1]["measures"]["max_metres"], measured["max_metres"]);
    talweg(&[&quick[..], &["--seeds", "5"]].concat()).success().stdout(predicates::str::contains("5 thumbnails"));
    let picture = png::Decoder::new(std::io::BufReader::new(std::fs::File::open(&out).unwrap())).read_info().unwrap();
    assert!(picture.info().width > 3 * 40 && picture.info().height > 2 * 40);
    for (wrong, said) in [
        (vec!["--sweep", "Coast.nope"], "--sweep: `Coast` has no parameter `nope`; it has"),
        (vec!["--sweep", "Nope.octaves"], "`Coast`"),
        (vec!["--sweep", "Coast.octaves=0..99"], "1 to 16"),
        (vec!["--sweep", "Coast.octaves", "--seeds", "4"], "cannot be used"),
        (vec!["--seeds", "0"], "1..=256"),
        (vec!["--presets", "Nope"], "`Coast`"),
    ] {
        talweg(&[&quick[..], &wrong].concat()).code(2).stderr(predicates::str::contains(said));
    }
    talweg(&["sheet", "island", "-o", "s.jpg"]).code(2).stderr(predicates::str::contains(".png"));
}

// parity

fn scene(nodes: &[Node], resolution: u32) -> Scene {
    let mut scene = Scene { name: "Test".into(), ..Scene::default() };
    scene.settings.resolution = resolution;
    scene.layers = nodes.iter().enumerate().map(|(k, node)| Layer::new(node.clone(), k as u32 + 1)).collect();
    scene
}

fn parity_of(scene: &Scene) -> talweg::lab::Parity {
    let control = Control::default();
    let mut store = Store::forgetful();
    let full = evaluate(scene, scene.samples(), None, &mut store, &control).unwrap().terrain;
    parity(scene, &full, None, &mut store, &control).unwrap()
}

#[test]
fn lattice_generators_have_no_drift() {
    for name in ["Perlin", "DiamondSquare", "Ridged"] {
        let found = parity_of(&scene(&[node(name, &[])], 129));
        assert_eq!((found.samples, found.half_samples), (129, 65));
        assert_eq!((found.rms_metres, found.greatest_metres), (0.0, 0.0), "{name}");
        assert_eq!((found.drainage_overlap, found.verdict), (Some(1.0), Verdict::True), "{name}");
        assert!(found.range_metres > 100.0);
    }
    let level = parity_of(&scene(&[node("Perlin", &[("amplitude", "0")])], 65));
    assert_eq!((level.rms_metres, level.verdict), (0.0, Verdict::True));
    // samples that do not fall on each other
    let odd = parity_of(&scene(&[node("Perlin", &[("octaves", "2")])], 128));
    assert!(odd.half_samples == 64 && odd.rms_metres < 0.002 * odd.range_metres, "{odd:?}");
}

#[test]
fn laws_that_depend_on_the_resolution_are_caught() {
    // beds one sample wide are twice as wide at half the resolution
    let beds = [("width", "0"), ("depth", "150"), ("source_area", "0.02"), ("bank_angle", "30")];
    let found = parity_of(&scene(&[node("Perlin", &[]), node("Rivers", &beds)], 257));
    assert!(found.rms_metres > 5.0 && found.verdict != Verdict::True, "{found:?}");
    assert!(found.greatest_metres >= found.rms_metres);
}

#[test]
fn drift_is_measured_in_metres_and_drainage_in_cells() {
    let settings = Settings { relief_metres: 1000.0, sea_level: -1e5, ..Settings::default() };
    let control = Control::default();
    let hills = |u: f32, v: f32| 0.5 + 0.2 * libm::sinf(9.0 * u) * libm::cosf(8.0 * v) - 0.3 * v;
    let full = Terrain::from_fn(129, Edges::Open, hills);
    let with = |change: &dyn Fn(f32, f32, f32) -> f32| {
        let half = Terrain::from_fn(65, Edges::Open, |u, v| change(u, v, hills(u, v)));
        compare(&full, &half, &settings, &control).unwrap()
    };
    let raised = with(&|_, _, h| h + 0.05);
    assert!((raised.rms_metres - 50.0).abs() < 0.01 && (raised.greatest_metres - 50.0).abs() < 0.01);
    assert_eq!((raised.drainage_overlap, raised.verdict), (Some(1.0), Verdict::Differs));
    let spike = with(&|u, v, h| if u == 0.5 && v == 0.5 { h + 0.1 } else { h });
    assert!((spike.greatest_metres - 100.0).abs() < 0.01 && (spike.rms_metres - 100.0 / 65.0).abs() < 0.01);
    // the other way up: rivers run where ridges were
    assert!(with(&|_, _, h| 1.0 - h).drainage_overlap.unwrap() < 0.5);

    // one straight valley, and the same some cells to the side
    let valley = |at: f32| Terrain::from_fn(257, Edges::Open, |u, v| 2.0 * (u - at).abs() + 0.1 * (1.0 - v));
    let overlap = |a: f32, b: f32| channel_overlap(&valley(a), &valley(b), -1.0, &control).unwrap().unwrap();
    assert_eq!(overlap(0.5, 0.5), 1.0);
    assert!(overlap(0.5, 0.5 + 1.0 / 256.0) > 0.9 && overlap(0.5, 0.5 + 6.0 / 256.0) < 0.1);
    // all sea: no rivers
    assert_eq!(channel_overlap(&valley(0.5), &valley(0.5), 9.0, &control).unwrap(), None);
}

#[test]
fn parity_stops_and_needs_only_the_half() {
    let scene = scene(&[node("Perlin", &[]), node("Thermal", &[("iterations", "40")])], 129);
    let control = Control::default();
    let full = evaluate(&scene, 129, None, &mut Store::forgetful(), &control).unwrap().terrain;
    control.cancel();
    assert_eq!(parity(&scene, &full, None, &mut Store::forgetful(), &control), Err(Cancelled));
    assert_eq!(compare(&full, &full, &scene.settings, &control), Err(Cancelled));
    assert_eq!([2, 3, 512, 513, 1025].map(half_samples), [1, 2, 256, 257, 513]);
    for samples in [2, 3, 4, 5] {
        let tiny = evaluate(&scene, samples, None, &mut Store::forgetful(), &Control::default()).unwrap().terrain;
        parity(&scene, &tiny, None, &mut Store::forgetful(), &Control::default()).unwrap();
    }
    let wrapping = Terrain::flat(Grid::new(9, Edges::Wrap));
    let found = compare(&wrapping, &Terrain::flat(Grid::new(5, Edges::Wrap)), &scene.settings, &Control::default());
    assert_eq!(found.unwrap().verdict, Verdict::True);
}

// variants

fn hills() -> Scene {
    let mut scene = scene(&[node("Perlin", &[("octaves", "4")]), node("Blur", &[])], 257);
    scene.layers[0].name = "Hills".into();
    scene.layers[1].name = "Soft.edges".into();
    scene.settings.seed = u32::MAX;
    scene
}

const SMALL: Size = Size { samples: 33, pixels: 24 };

fn drawn(variants: &[Variant]) -> Vec<talweg::lab::Thumbnail> {
    let slots = Mutex::new(vec![None; variants.len()]);
    let numbered: Vec<_> = variants.iter().cloned().enumerate().collect();
    let pool = thread_pool(2).unwrap();
    let put = |k: usize, thumbnail| slots.lock().unwrap()[k] = Some(thumbnail);
    pool.install(|| draw_all(&numbered, SMALL, &Control::default(), &put)).unwrap();
    slots.into_inner().unwrap().into_iter().map(Option::unwrap).collect()
}

#[test]
fn seeds_differ_and_come_again() {
    let scene = hills();
    let variants = seeds(&scene, 5).unwrap();
    assert_eq!(variants[0].scene, scene, "the first is what there is");
    let made: Vec<u32> = variants.iter().map(|v| v.scene.settings.seed).collect();
    assert_eq!(made, [u32::MAX, 0, 1, 2, 3]);
    assert_eq!(variants[1].assignments, ["scene.seed=0"]);
    let (once, again) = (drawn(&variants), drawn(&variants));
    assert_eq!(once, again);
    for (a, b) in [(0, 1), (1, 2), (0, 4)] {
        assert_ne!(once[a].picture, once[b].picture);
    }
    // alone, with a store of its own: the same bits
    let alone = draw(&variants[3].scene, SMALL, &mut Store::forgetful(), &Control::default()).unwrap();
    assert_eq!(alone, once[3]);
    assert_eq!((alone.picture.width, alone.rgba().len()), (24, 4 * 24 * 24));
    assert!(alone.rgba().chunks(4).zip(alone.picture.rgb.chunks(3)).all(|(a, b)| a[..3] == *b && a[3] == 255));
    let glance = alone.glance;
    assert!(glance.min_metres < glance.max_metres && glance.erosion_score > 0.0);
    assert!(glance.mean_slope_degrees > 1.0 && glance.mean_slope_degrees < 80.0);
}

#[test]
fn a_sweep_hits_its_ends_and_goes_by_factors_over_decades() {
    let scene = hills();
    let values = |text: &str, count: usize| -> Vec<f32> {
        let sweep = Sweep::parse(&scene, text, count).unwrap();
        sweep.values.iter().map(|v| if let Value::Float(v) = v { *v } else { panic!("a number") }).collect()
    };
    // the slider's range spans decades: 0.5 to 32 by equal factors
    let by_factors = values("Hills.frequency", 7);
    assert_eq!(by_factors, [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0]);
    assert_eq!(values("Hills.frequency=2..4", 3), [2.0, 3.0, 4.0]);
    assert_eq!(values("Hills.frequency=4..2", 3), [4.0, 3.0, 2.0]);
    assert_eq!(values("Hills.amplitude=-1..1", 5), [-1.0, -0.5, 0.0, 0.5, 1.0]);
    assert_eq!(values("Soft.edges.opacity", 2), [0.0, 1.0]);
    let (first, last) = (by_factors[0], by_factors[6]);
    let variants = sweep(&scene, &Sweep::parse(&scene, "Hills.frequency", 7).unwrap()).unwrap();
    let frequency =
        |scene: &Scene| if let Node::Perlin(perlin) = &scene.layers[0].node { perlin.frequency } else { 0.0 };
    assert_eq!((frequency(&variants[0].scene), frequency(&variants[6].scene)), (first, last));
    assert_eq!((variants[2].caption.as_str(), variants[2].short.as_str()), ("Frequency 2", "2"));
    let pictures = drawn(&variants);
    assert!(pictures.windows(2).all(|pair| pair[0].picture != pair[1].picture));
    // what --set takes makes the same scene
    let mut set = scene.clone();
    set.set(&variants[5].assignments[0]).unwrap();
    assert_eq!(set, variants[5].scene);

    let whole = Sweep::parse(&scene, "1.octaves", 40).unwrap();
    assert_eq!(whole.values.len(), 16, "no value twice");
    assert_eq!(Sweep::parse(&scene, "1.fade", 9).unwrap().values, [Value::Choice(0), Value::Choice(1)]);
    assert_eq!(Sweep::parse(&scene, "1.by_slope", 9).unwrap().values, [Value::Bool(false), Value::Bool(true)]);
    let relief = Sweep::parse(&scene, "scene.relief_metres=100..1000", 4).unwrap();
    assert_eq!(sweep(&scene, &relief).unwrap()[1].caption, "Relief metres 400 m");
}

#[test]
fn two_sweeps_make_a_table() {
    let scene = hills();
    let across = Sweep::parse(&scene, "Hills.octaves=1..3", 3).unwrap();
    let down = Sweep::parse(&scene, "Hills.persistence=0.2..0.8", 2).unwrap();
    let variants = table(&scene, &across, &down).unwrap();
    let captions: Vec<&str> = variants.iter().map(|v| v.short.as_str()).collect();
    assert_eq!(captions, ["1, 0.2", "2, 0.2", "3, 0.2", "1, 0.8", "2, 0.8", "3, 0.8"]);
    assert_eq!(variants[5].assignments, ["1.octaves=3", "1.persistence=0.8"]);
    assert_eq!(table(&scene, &across, &across).unwrap_err(), VariantError::Twice("octaves"));
}

#[test]
fn layers_have_seeds_and_presets_to_go_through() {
    let mut scene = hills();
    scene.layers.push(Layer::new(node("Thermal", &[]), 9));
    let found = sweep(&scene, &Sweep::parse(&scene, "Hills.seed=3..5", 3).unwrap()).unwrap();
    assert_eq!(found.iter().map(|v| v.scene.layers[0].seed).collect::<Vec<_>>(), [3, 4, 5]);
    let mut set = scene.clone();
    set.set(&found[1].assignments[0]).unwrap();
    assert_eq!(set, found[1].scene);
    assert_eq!(neighbours(&scene, Some(1), "seed", 1).unwrap().higher.len(), 1);

    let about = scene.layers[2].node.about();
    let found = presets(&scene, 2).unwrap();
    assert_eq!(found.len(), about.presets.len());
    for (variant, preset) in found.iter().zip(&about.presets) {
        assert_eq!(variant.caption, preset.label);
        assert_eq!(variant.scene.layers[2].node.present_preset().unwrap().name, preset.name);
        let mut set = scene.clone();
        set.set(&variant.assignments[0]).unwrap();
        assert_eq!(set, variant.scene);
    }
    assert!(presets(&scene, 1).unwrap_err().to_string().contains("`Soft.edges` has no presets"));
}

#[test]
fn wrong_names_and_ranges_are_explained() {
    let scene = hills();
    let said = |text: &str| Sweep::parse(&scene, text, 4).unwrap_err();
    assert!(matches!(said("Nope.octaves"), VariantError::Name(SetError::NoLayer(..))));
    assert!(said("Nope.octaves").to_string().contains("`Hills`"));
    assert!(said("Hills.octave").to_string().contains("octaves") && said("scene.nope").to_string().contains("seed"));
    assert!(said("octaves").to_string().contains("LAYER.PARAM=FROM..TO"));
    assert!(said("Hills.octaves=3").to_string().contains("FROM..TO"));
    assert!(said("Hills.octaves=0..5").to_string().contains("1 to 16"));
    assert!(said("Hills.fade=1..2").to_string().contains("leave out"));
    let mask = Knob::named(&scene, "Hills.image").unwrap().values(None, 3);
    assert!(mask.unwrap_err().to_string().contains("cannot be swept"));
}

#[test]
fn neighbours_stand_to_both_sides_of_the_present_value() {
    let scene = hills();
    let values = |parameter: &str| {
        let found = neighbours(&scene, Some(0), parameter, 2).unwrap();
        [found.lower, found.higher].map(|side| side.into_iter().map(|v| v.short).collect::<Vec<_>>().join(" "))
    };
    // frequency 3 on a slider from 0.5 to 32 by factors: 64^(1/8) = 1.68 each
    assert_eq!(values("frequency"), ["1.784 1.061", "5.045 8.485"]);
    // 4 octaves on a slider from 1 to 16
    assert_eq!(values("octaves"), ["2 1", "6 8"]);
    assert_eq!(values("opacity"), ["0.875 0.75", ""], "at its end there is nothing higher");
    assert_eq!(values("fade"), ["Classic", ""]);
    assert_eq!(values("by_slope"), ["", "on"]);
    assert!(neighbours(&scene, Some(0), "nope", 2).is_err() && neighbours(&scene, Some(0), "layer", 2).is_err());
    assert_eq!(neighbours(&scene, None, "sun_elevation", 1).unwrap().higher.len(), 1);
}

#[test]
fn drawing_stops_and_the_newest_order_comes_first() {
    let control = Control::default();
    control.cancel();
    let numbered: Vec<_> = seeds(&hills(), 3).unwrap().into_iter().enumerate().collect();
    let none = |_: usize, _| panic!("nothing was to be drawn");
    assert_eq!(draw_all(&numbered, SMALL, &control, &none), Err(Cancelled));

    let notified = std::sync::Arc::new(AtomicUsize::new(0));
    let counter = notified.clone();
    let maker = Maker::new(1, move || _ = counter.fetch_add(1, Ordering::SeqCst)).unwrap();
    // far more than can be drawn before the next line
    let many = seeds(&hills(), 200).unwrap();
    let few = seeds(&hills(), 3).unwrap();
    maker.order(1, many.clone(), Size { samples: 129, pixels: 48 });
    maker.order(2, few.clone(), SMALL);
    assert!(maker.is_busy());
    let mut all = Vec::new();
    while let Some(made) = maker.wait() {
        all.push((made.order, made.index, made.thumbnail));
    }
    let last_of = |order: u64| all.iter().rposition(|(o, ..)| *o == order).unwrap();
    assert!(last_of(2) < last_of(1), "the newer order is done first");
    let mut indices: Vec<usize> = all.iter().filter(|(o, ..)| *o == 1).map(|(_, k, _)| *k).collect();
    indices.sort_unstable();
    assert_eq!(indices, (0..200).collect::<Vec<_>>(), "the older one was finished, each once");
    assert_eq!(notified.load(Ordering::SeqCst), 203);
    let expected = drawn(&few);
    assert!(all.iter().filter(|(o, ..)| *o == 2).all(|(_, k, thumbnail)| *thumbnail == expected[*k]));
    assert!(!maker.is_busy());
    // an order in the place of another, and one that is forgotten
    maker.order(3, many.clone(), SMALL);
    maker.order(3, few, SMALL);
    maker.order(4, many, SMALL);
    maker.forget(4);
    let mut seen: Vec<(u64, usize)> = Vec::new();
    while let Some(made) = maker.wait() {
        seen.push((made.order, made.index));
    }
    assert!(seen.iter().filter(|(order, _)| *order == 3).count() >= 3);
    assert!((0..3).all(|k| seen.contains(&(3, k))), "{seen:?}");
}

#[test]
fn a_sheet_holds_every_thumbnail_with_its_words() {
    let variants = seeds(&hills(), 6).unwrap();
    let thumbnails: Vec<_> = variants.iter().zip(drawn(&variants)).collect();
    let picture = sheet("Hills: seeds", &thumbnails, 3);
    let gap = 8;
    let at = |x: usize, y: usize| &picture.rgb[(y * picture.width + x) * 3..][..3];
    // find each thumbnail where the one before leaves off
    let mut found = 0;
    for y in 0..picture.height - 24 {
        for x in (gap..picture.width - 24).step_by(24 + gap) {
            let holds = |t: &talweg::lab::Thumbnail| {
                (0..24).all(|row| {
                    let line = &t.picture.rgb[row * 72..][..72];
                    picture.rgb[((y + row) * picture.width + x) * 3..][..72] == *line
                })
            };
            found += thumbnails.iter().filter(|(_, t)| holds(t)).count();
        }
    }
    assert_eq!(found, 6);
    let paper = at(0, 0).to_vec();
    let heading = (0..24).flat_map(|y| (0..picture.width).map(move |x| (x, y))).filter(|&(x, y)| at(x, y) != paper);
    assert!(heading.count() > 50, "the heading is written");
    assert_eq!([1, 2, 4, 5, 9, 12, 16, 25].map(columns), [1, 2, 2, 3, 3, 4, 4, 5]);
    assert!(sheet("Nothing", &[], 4).height > 0);
    assert!(example("island").is_some());
}
