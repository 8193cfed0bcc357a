//! The benchmark: repeats the comparison from the lecture on terrain in games, with statistics and interleaved runs.
//!
//! A cell is one subject at one size with one number of threads. Every combination is measured. Each cell first runs
//! twice to warm up. The warm-up measures the peak memory. It also determines how many runs one observation needs to
//! last at least [`OBSERVATION`]. In each repetition, every cell is then observed once, so that disturbances of the
//! machine affect all cells alike. Each repetition has a new random order, which is the same on every call. Ratios of
//! times, between two subjects or between two numbers of threads, are computed within each repetition, so that a common
//! slowdown cancels out.
//!
//! With the first number of threads, every observation also loads its result once [from a file](super::loading).
//!
//! The result of every observation is hashed. A subject is consistent if all its hashes of one size agree, in all
//! repetitions and with all numbers of threads.
//!
//! Any [`BenchSubject`] can be measured, and any [`Instruments`] can supply the clock.

use std::time::Duration;

use super::extremes::{RUNS, extremes};
use super::instruments::{Instruments, Stopwatch};
use super::loading::TerrainFile;
use super::report::{BenchCell, Benchmark, Consistency, Disagreement, Findings, Growth};
use super::stats::{Estimate, estimate, power_law};
use super::subject::{BenchSubject, Site};
use crate::eval::{ThreadPool, thread_pool};
use crate::field::topology::FACES;
use crate::field::{Cancelled, Control, Edges, Stream, Terrain};
use crate::planet::World;

/// Minimum duration of an observation. It is so long that the clock's resolution and the wake-up of threads are
/// negligible.
pub const OBSERVATION: Duration = Duration::from_millis(2);
/// Maximum number of runs in one observation.
const MOST_RUNS: usize = 1000;

/// Settings of a benchmark.
#[derive(Clone, Debug, PartialEq)]
pub struct BenchPlan {
    /// Sizes to measure: samples per side, or per side of a face on a planet.
    pub sizes: Vec<usize>,
    /// Number of timed observations of each cell.
    pub repetitions: usize,
    /// Numbers of threads to measure.
    pub threads: Vec<usize>,
    /// Edges of the terrain that the subjects run on.
    pub edges: Edges,
    /// Settings of the test of extreme parameters; `None` skips it.
    pub extremes: Option<Extremes>,
}

/// Settings of the test of extreme parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extremes {
    /// Samples per side of the terrain.
    pub samples: usize,
    /// Time after which a run is stopped.
    pub patience: Duration,
}

impl Default for Extremes {
    fn default() -> Self {
        Self { samples: 129, patience: Duration::from_secs(5) }
    }
}

impl Default for BenchPlan {
    fn default() -> Self {
        let all = std::thread::available_parallelism().map_or(1, usize::from);
        let mut threads = vec![1, 2, all];
        threads.retain(|&t| t <= all);
        threads.sort_unstable();
        threads.dedup();
        Self { sizes: vec![257, 513, 1025, 2049], repetitions: 10, threads, edges: Edges::Open, extremes: None }
    }
}

/// Reason why a benchmark has no result.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// The user cancelled the benchmark.
    #[error("the benchmark was cancelled")]
    Cancelled,
    /// The system could not start the threads.
    #[error("cannot start the benchmark's threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

impl From<Cancelled> for BenchError {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}

/// Progress of a benchmark.
#[derive(Clone, Debug, PartialEq)]
pub struct BenchProgress {
    /// Completed fraction, from 0 to 1, weighted by the number of samples.
    pub fraction: f32,
    /// Name of the subject that runs next.
    pub subject: String,
    /// Samples per side.
    pub samples: usize,
    /// Number of threads.
    pub threads: usize,
}

/// One subject at one size with one number of threads, and its measurements.
#[derive(Default)]
struct CellMeasurements {
    subject: usize,
    size: usize,
    threads: usize,
    /// Number of runs in one observation.
    runs: usize,
    peak_bytes: Option<usize>,
    result_bytes: usize,
    changes_nothing: bool,
    /// Seconds of one run, by repetition.
    seconds: Vec<f64>,
    hashes: Vec<u128>,
    /// Seconds to load the result from a file, by repetition; only for the first number of threads.
    load_seconds: Vec<f64>,
    /// Size of the file from which the result is loaded, in bytes.
    file_bytes: Option<usize>,
}

/// Measures `subjects` on the calling thread and on thread pools that this function creates.
pub fn bench(
    subjects: &[&dyn BenchSubject],
    plan: &BenchPlan,
    instruments: &dyn Instruments,
    control: &Control,
    progress: &mut dyn FnMut(&BenchProgress),
) -> Result<Benchmark, BenchError> {
    let pools = plan.threads.iter().map(|&t| thread_pool(t)).collect::<Result<Vec<_>, _>>()?;
    let sites = Sites::new(subjects, plan, control)?;
    let mut beds = Vec::new();
    for size in 0..plan.sizes.len() {
        for threads in 0..pools.len() {
            for subject in 0..subjects.len() {
                beds.push(CellMeasurements { subject, size, threads, runs: 1, ..CellMeasurements::default() });
            }
        }
    }
    let weight = |bed: &CellMeasurements| sites.site(subjects[bed.subject], bed.size).grid.len() as f64;
    let corners: usize = plan.extremes.map_or(0, |_| subjects.iter().map(|s| s.corners().len() + 1).sum());
    let mut tally = ProgressCounter {
        done: 0.0,
        // The warm-up counts as two repetitions.
        all: beds.iter().map(weight).sum::<f64>() * (plan.repetitions + 2) as f64
            + plan.extremes.map_or(0.0, |how| corner_weight(&how) * corners as f64),
        subjects,
        plan,
        tell: progress,
    };
    let lab = BenchRunner { subjects, sites: &sites, pools: &pools, instruments, control };
    for bed in &mut beds {
        tally.next(bed);
        lab.warm_up(bed)?;
        tally.done += 2.0 * weight(bed);
    }
    for repetition in 0..plan.repetitions {
        for k in shuffled(beds.len(), repetition) {
            tally.next(&beds[k]);
            lab.observe(&mut beds[k])?;
            tally.done += weight(&beds[k]);
        }
    }
    let mut results: Vec<Findings> = (0..subjects.len()).map(|k| summary(k, subjects, plan, &beds)).collect();
    if let Some(how) = plan.extremes {
        let small = BenchPlan { sizes: vec![how.samples], ..plan.clone() };
        let sites = Sites::new(subjects, &small, control)?;
        let pool = thread_pool(plan.threads.iter().copied().max().unwrap_or(0))?;
        for (subject, result) in subjects.iter().zip(&mut results) {
            let mut next = || {
                let share = (tally.done / tally.all) as f32;
                tally.report(subject.name(), how.samples, pool.current_num_threads(), share);
                tally.done += corner_weight(&how);
            };
            result.extremes = Some(extremes(
                *subject,
                sites.site(*subject, 0),
                how.patience,
                &pool,
                instruments,
                control,
                &mut next,
            )?);
        }
    }
    Ok(Benchmark {
        repetitions: plan.repetitions,
        sizes: plan.sizes.clone(),
        threads: plan.threads.clone(),
        processors: std::thread::available_parallelism().map_or(1, usize::from),
        processor: processor(),
        system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        version: env!("CARGO_PKG_VERSION"),
        memory_is_counted: beds.iter().all(|bed| bed.peak_bytes.is_some()),
        subjects: results,
    })
}

/// Weight in the progress of one run with an extreme parameter, relative to other runs.
fn corner_weight(how: &Extremes) -> f64 {
    (RUNS * how.samples * how.samples) as f64
}

/// The processor's name on Linux; `None` on other systems, which have no file with this name.
fn processor() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    line.split_once(':').map(|(_, name)| name.trim().to_string())
}

/// Converts the finished work to the progress of the benchmark.
struct ProgressCounter<'a> {
    done: f64,
    all: f64,
    subjects: &'a [&'a dyn BenchSubject],
    plan: &'a BenchPlan,
    tell: &'a mut dyn FnMut(&BenchProgress),
}

impl ProgressCounter<'_> {
    fn next(&mut self, bed: &CellMeasurements) {
        let share = (self.done / self.all) as f32;
        let name = self.subjects[bed.subject].name();
        self.report(name, self.plan.sizes[bed.size], self.plan.threads[bed.threads], share);
    }

    fn report(&mut self, subject: String, samples: usize, threads: usize, share: f32) {
        (self.tell)(&BenchProgress { fraction: share, subject, samples, threads });
    }
}

/// The sites on which subjects run, one for each size.
struct Sites {
    terrains: Vec<Site>,
    planets: Vec<Site>,
}

impl Sites {
    /// Builds the sites on which the subjects run.
    fn new(subjects: &[&dyn BenchSubject], plan: &BenchPlan, control: &Control) -> Result<Self, Cancelled> {
        let of = |world: World| {
            let sizes: &[usize] = if subjects.iter().any(|s| s.world() == world) { &plan.sizes } else { &[] };
            sizes.iter().map(|&n| Site::new(n, world, plan.edges, control)).collect::<Result<Vec<_>, Cancelled>>()
        };
        Ok(Self { terrains: of(World::Terrain)?, planets: of(World::Planet)? })
    }

    fn site(&self, subject: &dyn BenchSubject, size: usize) -> &Site {
        match subject.world() {
            World::Terrain => &self.terrains[size],
            World::Planet => &self.planets[size],
        }
    }
}

/// The state shared by all runs.
struct BenchRunner<'a> {
    subjects: &'a [&'a dyn BenchSubject],
    sites: &'a Sites,
    pools: &'a [ThreadPool],
    instruments: &'a dyn Instruments,
    control: &'a Control,
}

impl BenchRunner<'_> {
    /// Runs a subject once. Returns the terrain and the stopwatch.
    fn run(&self, bed: &CellMeasurements) -> Result<(Terrain, Stopwatch<'_>), Cancelled> {
        self.control.check()?;
        let mut watch = Stopwatch::new(self.instruments);
        let subject = self.subjects[bed.subject];
        let site = self.sites.site(subject, bed.size);
        let made = self.pools[bed.threads].install(|| subject.run(site, &mut watch, self.control))?;
        Ok((made, watch))
    }

    /// Measures the duration and the memory of a run. The first run is not measured, because its caches are cold.
    fn warm_up(&self, bed: &mut CellMeasurements) -> Result<(), Cancelled> {
        self.run(bed)?;
        let (made, watch) = self.run(bed)?;
        bed.peak_bytes = watch.peak_bytes();
        bed.result_bytes = made.bytes();
        let subject = self.subjects[bed.subject];
        bed.changes_nothing = subject.works_on_input() && made == self.sites.site(subject, bed.size).input;
        let (wanted, seconds) = (OBSERVATION.as_secs_f64(), watch.seconds());
        bed.runs = if seconds * MOST_RUNS as f64 <= wanted { MOST_RUNS } else { (wanted / seconds) as usize + 1 };
        Ok(())
    }

    /// Loads the result from a file, and measures the time. The file is written anew each time, because one stored file
    /// per cell would need too much memory.
    fn load(&self, bed: &mut CellMeasurements, made: &Terrain) -> Result<(), Cancelled> {
        self.control.check()?;
        let Some(file) = TerrainFile::new(made) else { return Ok(()) };
        let mut watch = Stopwatch::new(self.instruments);
        if let Some(loaded) = watch.time(|| file.load()) {
            bed.load_seconds.push(watch.seconds());
            bed.file_bytes = Some(file.bytes());
            drop(std::hint::black_box(loaded));
        }
        Ok(())
    }

    fn observe(&self, bed: &mut CellMeasurements) -> Result<(), Cancelled> {
        let mut sum = 0.0;
        for k in 0..bed.runs {
            let (made, watch) = self.run(bed)?;
            sum += watch.seconds();
            if k == 0 {
                bed.hashes.push(made.hash());
                if bed.threads == 0 {
                    self.load(bed, &made)?;
                }
            }
        }
        bed.seconds.push(sum / bed.runs as f64);
        Ok(())
    }
}

/// The numbers from 0 to `n` - 1 in a pseudo-random order that depends on `round`.
fn shuffled(n: usize, round: usize) -> Vec<usize> {
    let random = Stream::new(round as u32, 0);
    let mut order: Vec<usize> = (0..n).collect();
    for k in (1..n).rev() {
        order.swap(k, (random.bits(k as i32, 0) % (k as u64 + 1)) as usize);
    }
    order
}

fn summary(subject: usize, subjects: &[&dyn BenchSubject], plan: &BenchPlan, beds: &[CellMeasurements]) -> Findings {
    let own: Vec<&CellMeasurements> = beds.iter().filter(|bed| bed.subject == subject).collect();
    let find = |subject: usize, size: usize, threads: usize| {
        beds.iter().find(|bed| (bed.subject, bed.size, bed.threads) == (subject, size, threads))
    };
    let cells = own
        .iter()
        .map(|bed| BenchCell {
            samples: plan.sizes[bed.size],
            threads: plan.threads[bed.threads],
            milliseconds: estimate(&bed.seconds).unwrap_or_default().times(1e3),
            runs_per_observation: bed.runs,
            changes_nothing: bed.changes_nothing,
            speed_up: find(subject, bed.size, 0).and_then(|one| quotient(one, bed)).unwrap_or_default(),
            times_the_first: find(0, bed.size, bed.threads).and_then(|one| quotient(bed, one)).unwrap_or_default(),
            result_bytes: bed.result_bytes,
            peak_bytes: bed.peak_bytes,
            load_milliseconds: estimate(&bed.load_seconds).map(|load| load.times(1e3)),
            file_bytes: bed.file_bytes,
        })
        .collect::<Vec<_>>();
    let growth = |threads: usize, cost: &dyn Fn(&BenchCell) -> f64| {
        let points: Vec<(f64, f64)> =
            cells.iter().filter(|cell| cell.threads == threads).map(|cell| (cell.samples as f64, cost(cell))).collect();
        power_law(&points)
    };
    let growths = plan
        .threads
        .iter()
        .map(|&threads| Growth {
            threads,
            time: growth(threads, &|cell| cell.milliseconds.median),
            memory: growth(threads, &|cell| cell.peak_bytes.unwrap_or(cell.result_bytes) as f64),
        })
        .collect();
    Findings {
        name: subjects[subject].name(),
        timed: subjects[subject].timed(),
        faces: if subjects[subject].world() == World::Planet { FACES } else { 1 },
        growth: growths,
        consistency: consistency(plan, &own),
        cells,
        extremes: None,
    }
}

/// Ratio of the times of `above` to the times of `below`; the ratio is computed for each repetition.
fn quotient(above: &CellMeasurements, below: &CellMeasurements) -> Option<Estimate> {
    let pairs = above.seconds.iter().zip(&below.seconds).filter(|(_, b)| **b > 0.0);
    estimate(&pairs.map(|(a, b)| a / b).collect::<Vec<_>>())
}

fn consistency(plan: &BenchPlan, beds: &[&CellMeasurements]) -> Consistency {
    let mut hashes = Vec::new();
    let mut disagreements = Vec::new();
    for (size, &samples) in plan.sizes.iter().enumerate() {
        let of_size: Vec<_> = beds.iter().filter(|bed| bed.size == size).collect();
        let Some(&expected) = of_size.first().and_then(|bed| bed.hashes.first()) else { continue };
        hashes.push(format!("{expected:032x}"));
        for bed in of_size {
            let others = bed.hashes.iter().filter(|&&hash| hash != expected).count();
            if others > 0 {
                let (threads, repetitions) = (plan.threads[bed.threads], bed.hashes.len());
                disagreements.push(Disagreement { samples, threads, others, repetitions });
            }
        }
    }
    Consistency { is_consistent: disagreements.is_empty(), hashes, disagreements }
}
