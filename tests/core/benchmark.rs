//! The benchmark: its statistics against known distributions, and its runs against a clock that the test controls.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use talweg::benchmark::{
    BenchError, BenchPlan, BenchSubject, Benchmark, ExtremeCase, Extremes, Instruments, Site, Stopwatch, bench,
    document_001, document_002, stats, subjects,
};
use talweg::field::{Cancelled, Control, Edges, Stream, Terrain};
use talweg::nodes::Node;
use talweg::planet::World;

use crate::kits::nodes::node;

// Tests of the statistics of repeated timings.

fn uniform(count: usize, seed: u32) -> Vec<f64> {
    let random = Stream::new(seed, 3);
    (0..count).map(|k| f64::from(random.unit(k as i32, 0))).collect()
}

#[test]
fn an_interval_covers_the_median_as_often_as_it_says() {
    assert_eq!(stats::estimate(&[]), None);
    let one = stats::estimate(&[4.0]).unwrap();
    assert_eq!((one.median, one.low, one.high, one.confidence), (4.0, 4.0, 4.0, 0.0));
    // Expected values from tables of the sign test. Of 11 numbers the interval has ranks 2 to 10; of 10 it has ranks 2
    // to 9 with a confidence of 97.85 %. The interval over all 6 numbers has the confidence 1 - 2⁻⁵.
    let numbers: Vec<f64> = (1..=11).rev().map(f64::from).collect();
    let eleven = stats::estimate(&numbers).unwrap();
    assert_eq!((eleven.low, eleven.median, eleven.high), (2.0, 6.0, 10.0));
    let ten = stats::estimate(&numbers[1..]).unwrap();
    // The numbers 1 to 10 have the mean 5.5 and the variance 55/6. The standard uncertainty of type A is s/√n.
    assert!((ten.mean - 5.5).abs() < 1e-12 && (ten.uncertainty.unwrap() - (55.0f64 / 60.0).sqrt()).abs() < 1e-12);
    assert_eq!(stats::estimate(&[3.0]).unwrap().uncertainty, None, "one observation has no scatter");
    assert!((ten.low, ten.median, ten.high) == (2.0, 5.5, 9.0) && (ten.confidence - 0.978_515_625).abs() < 1e-9);
    assert!((stats::estimate(&numbers[5..]).unwrap().confidence - 0.96875).abs() < 1e-12);
    assert!((stats::estimate(&numbers[8..]).unwrap().confidence - 0.75).abs() < 1e-12);
    // A skewed distribution with a known median: for uniform u the median of u³ is 1/8.
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
    // The spread of fits to noisy times must match the error that they report.
    let fits: Vec<stats::PowerLaw> = (0..4000)
        .map(|seed| {
            // The sum of twelve uniform values minus six is nearly normal.
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

// Tests of benchmark runs.

/// A clock that advances only when work is done.
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

/// A clock that advances by itself at every reading, so that every run lasts one tick.
#[derive(Default)]
struct Ticks(AtomicU64);

impl Instruments for Ticks {
    fn now(&self) -> Duration {
        Duration::from_millis(5 * self.0.fetch_add(1, Ordering::SeqCst))
    }
    fn watch_memory(&self) {}
    fn peak_bytes(&self) -> Option<usize> {
        None
    }
}

/// Work of a given duration, plus `noise`, that makes level terrain.
struct Work<'a> {
    shop: &'a Workshop,
    name: &'static str,
    /// Duration of a run in seconds, as a function of the number of samples and the number of threads.
    seconds: fn(f64, usize) -> f64,
    /// The resulting height, as a function of the index of the run.
    height: fn(usize) -> f32,
    runs: AtomicUsize,
    log: Option<&'a Mutex<Vec<&'static str>>>,
}

impl<'a> Work<'a> {
    fn new(shop: &'a Workshop, name: &'static str, seconds: fn(f64, usize) -> f64) -> Self {
        Self { shop, name, seconds, height: |_| 0.5, runs: AtomicUsize::new(0), log: None }
    }
}

impl BenchSubject for Work<'_> {
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
        pass(7.0); // the benchmark must not count time outside the measured part
        let threads = rayon::current_num_threads();
        let disturbed = 1.0 + 0.01 * f64::from(Stream::new(9, 9).unit(run as i32, 0));
        watch.time(|| {
            self.shop.bytes.fetch_max(10 * site.grid.len(), Ordering::SeqCst);
            pass((self.seconds)(site.grid.samples as f64, threads) * disturbed);
        });
        // The benchmark must not count memory allocated after the measured part either.
        self.shop.bytes.fetch_max(1 << 30, Ordering::SeqCst);
        Ok(made)
    }
}

fn plan(sizes: &[usize], repetitions: usize, threads: &[usize]) -> BenchPlan {
    BenchPlan { sizes: sizes.into(), repetitions, threads: threads.into(), edges: Edges::Open, extremes: None }
}

fn measured(found: &[&dyn BenchSubject], plan: &BenchPlan, shop: &dyn Instruments) -> Benchmark {
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
            // An observation lasts 2 ms.
            let observed = time.median * cell.runs_per_observation as f64;
            assert!(observed > 1.9 || cell.runs_per_observation == 1000, "{observed}");
        }
    }
    let one = square.cell(65, 1).unwrap().milliseconds;
    assert!(one.low >= 4.225 && one.high <= 4.225 * 1.01, "{one:?}");
    let exponent = |subject: &talweg::benchmark::Findings| subject.growth[0].time.unwrap();
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
fn interleaved_runs_share_the_slowdowns_of_the_machine() {
    let (shop, log) = (Workshop::default(), Mutex::default());
    let mut pair = ["a", "b"].map(|name| Work::new(&shop, name, |_, _| 1.0));
    pair.iter_mut().for_each(|work| work.log = Some(&log));
    measured(&[&pair[0], &pair[1]], &plan(&[3, 5], 20, &[1]), &shop);
    let log = log.into_inner().unwrap();
    // Two sizes and two subjects give four cells; each cell runs twice to warm up, then once per repetition.
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
    // The result of one run in twelve differs from the others.
    let fickle =
        Work { height: |run| if run % 12 == 7 { 0.25 } else { 0.5 }, ..Work::new(&shop, "fickle", |_, _| 1.0) };
    let steady = Work::new(&shop, "steady", |_, _| 1.0);
    let found = measured(&[&steady, &fickle], &plan(&[5], 12, &[1]), &shop);
    assert!(found.subjects[0].consistency.is_consistent);
    let consistency = &found.subjects[1].consistency;
    assert!(!consistency.is_consistent);
    assert_eq!((consistency.disagreements[0].others, consistency.disagreements[0].repetitions), (1, 12));
    assert!(found.text().contains("NO") && found.text().contains("1 of 12 results"));
    // Work whose result depends on the number of threads.
    struct Racy;
    impl BenchSubject for Racy {
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

/// Planet rivers run on six cube faces; noise, the other subject, runs on a square.
#[test]
fn planet_nodes_are_measured_on_a_planet() {
    let both = ["Perlin", "PlanetRivers:source_area=1000000"].map(|name| subjects(name).unwrap().remove(0));
    let both: Vec<&dyn BenchSubject> = both.iter().map(|s| s as &dyn BenchSubject).collect();
    let mut plan = plan(&[17, 33], 2, &[1, 2]);
    plan.extremes = Some(Extremes { samples: 9, patience: Duration::from_secs(60) });
    let found = measured(&both, &plan, &Ticks::default());
    let [noise, rivers] = found.subjects.as_slice() else { panic!("two were asked for") };
    assert_eq!((noise.faces, rivers.faces, rivers.samples_of(17)), (1, 6, 6 * 17 * 17));
    assert!(rivers.consistency.is_consistent && rivers.cells.iter().all(|cell| !cell.changes_nothing));
    // The result has three maps (heights, water and flow) of 4 bytes per sample.
    assert_eq!(rivers.cell(33, 1).unwrap().result_bytes, 3 * 4 * 6 * 33 * 33);
    assert!(rivers.extremes.iter().flatten().all(|extreme| extreme.is_finite == Some(true)));
    assert!(found.text().contains("on a planet, six such faces") && found.csv().contains(",pass,33,2,"));
}

#[test]
fn every_node_can_be_measured_and_extremes_are_judged() {
    let shop = Ticks::default();
    let all = subjects("all").unwrap();
    assert_eq!(all.len(), Node::catalogue().iter().filter(|node| node.fits(World::Terrain)).count());
    let all: Vec<&dyn BenchSubject> = all.iter().map(|s| s as &dyn BenchSubject).collect();
    let found = measured(&all, &plan(&[17], 1, &[2]), &shop);
    assert!(found.subjects.iter().all(|s| s.consistency.is_consistent && s.cells[0].milliseconds.median == 5.0));
    assert!(!found.memory_is_counted && found.text().contains("Memory of the resulting terrain"));
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
    assert!(extremes.iter().all(|e| e.times_the_default == Some(1.0)), "one tick each");
    // This node has no default run with which its extreme runs can be compared.
    let levels = subjects("Levels").unwrap();
    let found = measured(&[&levels[0]], &plan, &shop);
    let extremes = found.subjects[0].extremes.as_ref().unwrap();
    assert!(!extremes.is_empty() && extremes.iter().all(|e| e.times_the_default.is_none()));
}

/// A subject with one extreme case. At 33 samples it runs until it is cancelled.
struct Endless;

impl BenchSubject for Endless {
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
    fn corners(&self) -> Vec<ExtremeCase> {
        vec![ExtremeCase { parameter: "length", value: "9".into(), subject: Box::new(Endless) }]
    }
}

#[test]
fn slow_extremes_are_stopped_and_bad_heights_reported() {
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
fn a_benchmark_reports_progress_and_can_be_cancelled() {
    let shop = Workshop::default();
    let work = Work::new(&shop, "work", |_, _| 1.0);
    let (control, mut shares) = (Control::default(), Vec::new());
    let plan = plan(&[9, 17], 4, &[1]);
    bench(&[&work], &plan, &shop, &control, &mut |at| shares.push((at.fraction, at.samples))).unwrap();
    assert!(shares.windows(2).all(|pair| pair[0].0 < pair[1].0) && shares[0] == (0.0, 9) && shares.len() == 2 * 5);
    // Runs of extreme cases count towards the progress too.
    shares.clear();
    let perlin = subjects("Perlin").unwrap();
    let with_corners =
        BenchPlan { extremes: Some(Extremes { samples: 9, patience: Duration::from_secs(60) }), ..plan.clone() };
    bench(&[&perlin[0]], &with_corners, &Ticks::default(), &control, &mut |at| shares.push((at.fraction, at.samples)))
        .unwrap();
    assert!(shares.windows(2).all(|pair| pair[0].0 < pair[1].0) && shares.last().unwrap().0 < 1.0);
    assert_eq!(shares.len(), 2 * 5 + 1 + perlin[0].corners().len());
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
fn subject_names_are_parsed_and_wrong_ones_explained() {
    let named = subjects("Perlin:octaves=3,base=0.25").unwrap();
    assert_eq!(*named[0].node(), node("Perlin", &[("octaves", "3"), ("base", "0.25")]));
    assert_eq!(named[0].name(), "Perlin:octaves=3,base=0.25");
    assert_eq!(subjects("diamond-square").unwrap()[0].name(), "DiamondSquare");
    let pair = document_001();
    assert_eq!(pair.len(), 2);
    // A midpoint displacement of 1025 = 2^10 + 1 samples has ten levels; the noise has as many octaves.
    let talweg::nodes::Node::Perlin(noise) = pair[0].node() else { panic!("{}", pair[0].name()) };
    assert_eq!((1usize << noise.octaves) + 1, 1025);
    assert_eq!((noise.frequency, noise.lacunarity, noise.persistence), (1.0, 2.0, 0.5));
    assert_eq!(subjects("document-001").unwrap().len(), 2);
    let stamps = document_002();
    let names: Vec<String> = stamps.iter().map(BenchSubject::name).collect();
    assert!(names.len() == 3 && names[1].contains("cones") && names[2].contains("bells"), "{names:?}");
    assert_eq!(*stamps[1].node(), node("Stamp", &[("depth", "Samples")]));
    let said = |text: &str| subjects(text).err().unwrap().to_string();
    assert!(said("Lava").contains("talweg nodes"));
    assert!(said("scree").contains("Perhaps") && said("scree").contains("Thermal"));
    assert!(said("Perlin:octave=3").contains("octaves"));
    assert!(said("Perlin:octaves").contains("PARAM=VALUE"));
    assert!(said("Perlin:octaves=99").contains("1 to 16"));
}

/// Document 002 gives the cost C(n) = 2ⁿ + π·(n + 1)·4ⁿ/4 and measured times from 128² to 4096² samples. Both grow
/// nearly as the square of the side length.
#[test]
fn the_cost_in_document_002_is_a_power_of_the_side() {
    let cost = |n: i32| {
        let side = 2f64.powi(n);
        (side, side + std::f64::consts::PI / 4.0 * f64::from(n + 1) * side * side)
    };
    let law = stats::power_law(&(8..=11).map(cost).collect::<Vec<_>>()).unwrap();
    assert!((law.exponent - 2.14).abs() < 0.005, "{law:?}");
    let times = [(128.0, 3.0), (256.0, 8.0), (512.0, 30.0), (1024.0, 123.0), (2048.0, 530.0), (4096.0, 2530.0)];
    let measured = stats::power_law(&times).unwrap();
    println!("document 002: {:.3} by its formula, {:.3} by its times", law.exponent, measured.exponent);
    assert!((measured.exponent - 1.96).abs() < 0.02, "{measured:?}");
}

/// Loading is timed once per observation for each square terrain, with the first number of threads. Planets are not
/// loaded.
#[test]
fn loading_is_timed_besides_evaluation() {
    let noise = subjects("Perlin").unwrap();
    let found = measured(&[&noise[0]], &plan(&[17, 33], 3, &[1, 2]), &Ticks::default());
    for samples in [17, 33] {
        let cell = found.subjects[0].cell(samples, 1).unwrap();
        let load = cell.load_milliseconds.unwrap();
        // The load time is one tick. The file is at most as large as its samples plus the PNG headers.
        assert!((load.median, load.low) == (5.0, 5.0) && load.confidence > 0.7, "{load:?}");
        assert!((100..2 * samples * (samples + 1) + 200).contains(&cell.file_bytes.unwrap()), "{:?}", cell.file_bytes);
        assert!(found.subjects[0].cell(samples, 2).unwrap().load_milliseconds.is_none());
    }
    assert!(found.text().contains("loading, ms") && found.csv().contains("load_ms,file_bytes"));
    let rivers = subjects("PlanetRivers:source_area=1000000").unwrap();
    let found = measured(&[&rivers[0]], &plan(&[9], 1, &[1]), &Ticks::default());
    assert!(found.subjects[0].cells[0].load_milliseconds.is_none());
}

/// Other programs read these names, so they must not change.
#[test]
fn tables_json_and_csv_keep_their_names() {
    let shop = Workshop::default();
    let work = Work::new(&shop, "a, \"b\"", |n, _| 1e-6 * n * n);
    let perlin = subjects("Perlin").unwrap();
    let mut plan = plan(&[9, 17, 33], 6, &[1, 2]);
    plan.extremes = Some(Extremes { samples: 9, patience: Duration::from_secs(60) });
    let mut found = measured(&[&work], &plan, &shop);
    found.subjects.extend(measured(&[&perlin[0]], &plan, &Ticks::default()).subjects);
    let json = serde_json::to_value(&found).unwrap();
    let keys = |value: &serde_json::Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" ");
    assert_eq!(keys(&json), "memory_is_counted processor processors repetitions sizes subjects system threads version");
    let subject = &json["subjects"][1];
    assert_eq!(keys(subject), "cells consistency extremes faces growth name timed");
    assert_eq!(
        keys(&subject["cells"][0]),
        "changes_nothing file_bytes load_milliseconds milliseconds peak_bytes result_bytes runs_per_observation samples \
         speed_up threads times_the_first"
    );
    assert_eq!(keys(&subject["cells"][0]["milliseconds"]), "confidence high low mean median uncertainty");
    assert_eq!(keys(&subject["growth"][0]), "memory threads time");
    assert_eq!(keys(&json["subjects"][0]["growth"][0]["time"]), "exponent sizes standard_error");
    assert_eq!(keys(&subject["consistency"]), "disagreements hashes is_consistent");
    assert_eq!(keys(&subject["extremes"][0]), "is_finite is_level parameter times_the_default value was_stopped");
    let csv = found.csv();
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), 1 + 2 * 3 * 2);
    assert!(lines[0].starts_with("name,timed,samples,threads,median_ms,low_ms,high_ms,confidence,speed_up,"));
    assert!(lines[1].starts_with("\"a, \"\"b\"\"\",field,9,1,"), "{}", lines[1]);
    assert!(lines.iter().skip(2).all(|line| line.replace("a, \"\"b", "").split(',').count() == 18));
    let text = found.text();
    for part in ["Time on 1 thread", "Time on 2 threads", "17²", "2.00 ± 0.00", "speed-up", "Peak memory", "octaves"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(text.lines().all(|line| line.chars().count() < 160 && line == line.trim_end()));
}
