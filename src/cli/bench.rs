//! `talweg bench`: compares the cost of nodes.

use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::input::{MemoryArgs, memory_error};
use super::{CommandResult, Failure, print, print_json, usage};
use talweg::benchmark::{
    BenchError, BenchPlan, BenchProgress, BenchSubject, Benchmark, Extremes, Machine, NodeSubject,
};
use talweg::benchmark::{bench, document_001, subjects};
use talweg::eval::{MemoryUse, check_memory};
use talweg::field::{Control, MAX_SAMPLES, MIN_SAMPLES};
use talweg::io::printable_line;
use talweg::planet::World;
use talweg::scene::{Layer, Scene};

/// Measure the cost of nodes: time, memory, growth with size, effect of threads, extreme parameters
#[derive(Args)]
#[command(after_help = "\
NODE is a name from `talweg nodes`, or a group of the nodes for square terrains: generators, filters, processes, all.
document-001 compares Perlin noise and midpoint displacement, as a lecture on terrain in games does. document-002 compares
stamp noise and Perlin noise, as the article on stamp noise does.
Nodes for planets are in no group: give their names. They run on the six faces of a planet. Parameters can follow the
name of a node: Perlin:octaves=1. Without NODE, document-001 is compared.

A generator is timed for its whole field, a filter for one pass, and a process for its first iteration. The input of
filters and processes is Perlin noise, or continents on a planet. Each repetition runs all nodes once, in a new order.
Times are medians with an interval. With six or more repetitions, the interval covers the true median with at least 95 %
confidence. Beside them are the means with their standard uncertainty (type A, s/√n). The power law time ~ side^e is
fitted on a log-log scale, with the standard error of e: e = 2 is linear in the number of samples. Loading means reading
the terrain from a 16-bit PNG in memory. The exit code is 1 if the same inputs gave different results.

Examples:
  talweg bench
  talweg bench document-002 --sizes 257,513,1025,2049
  talweg bench Perlin Perlin:octaves=1 Simplex --sizes 513,1025 --threads 1,2
  talweg bench processes --sizes 257,513 --repetitions 7 --csv
  talweg bench Voronoi --extremes --json")]
pub struct BenchArgs {
    /// Nodes to compare
    #[arg(value_name = "NODE")]
    nodes: Vec<String>,
    /// Samples per side
    #[arg(long, value_name = "N,N,…", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(MIN_SAMPLES as i64..=MAX_SAMPLES as i64))]
    sizes: Vec<u32>,
    /// Number of times that everything is measured
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    repetitions: u32,
    /// Numbers of threads [default: 1, 2 and one for each processor]
    #[arg(long, value_name = "N,N,…", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Vec<u32>,
    /// Also test every numeric parameter at both ends of its hard range, at 129 samples
    #[arg(long)]
    extremes: bool,
    #[command(flatten)]
    memory: MemoryArgs,
    /// Print all results as JSON
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print CSV with one line for each node, size and number of threads
    #[arg(long)]
    csv: bool,
    /// Print no progress
    #[arg(long, short)]
    quiet: bool,
}

impl BenchArgs {
    fn subjects(&self) -> Result<Vec<NodeSubject>, Failure> {
        if self.nodes.is_empty() {
            return Ok(document_001());
        }
        let mut found = Vec::new();
        for text in &self.nodes {
            found.extend(subjects(text).map_err(usage)?);
        }
        Ok(found)
    }

    fn plan(&self) -> BenchPlan {
        let mut plan = BenchPlan { repetitions: self.repetitions as usize, ..BenchPlan::default() };
        if !self.sizes.is_empty() {
            plan.sizes = distinct(&self.sizes);
        }
        if !self.threads.is_empty() {
            plan.threads = distinct(&self.threads);
        }
        plan.extremes = self.extremes.then(Extremes::default);
        plan
    }
}

/// The numbers in ascending order, without repeats.
fn distinct(numbers: &[u32]) -> Vec<usize> {
    let mut sorted: Vec<usize> = numbers.iter().map(|&n| n as usize).collect();
    sorted.sort_unstable();
    sorted.dedup();
    sorted
}

/// Refuses sizes that do not fit into memory. The input terrains of all sizes stay in memory during the whole
/// benchmark.
fn check_sizes(subjects: &[NodeSubject], plan: &BenchPlan) -> CommandResult {
    for subject in subjects {
        let mut scene = if subject.world() == World::Planet { Scene::new_planet() } else { Scene::default() };
        scene.layers = vec![Layer::new(subject.node().clone(), 1)];
        let grounds: usize = plan.sizes.iter().map(|&samples| 4 * scene.grid(samples).len()).sum();
        let what = MemoryUse { constant_bytes: grounds as f64, ..MemoryUse::TERRAIN };
        let largest = plan.sizes.iter().copied().max().unwrap_or(0);
        check_memory(&scene, largest, &what).map_err(|reason| memory_error(&reason, "--sizes up to"))?;
    }
    Ok(())
}

pub fn run(args: &BenchArgs) -> CommandResult {
    args.memory.apply();
    let found = args.subjects()?;
    check_sizes(&found, &args.plan())?;
    let subjects: Vec<&dyn BenchSubject> = found.iter().map(|subject| subject as &dyn BenchSubject).collect();
    let bar = ProgressBar::with_draw_target(Some(STEPS), ProgressDrawTarget::stderr());
    bar.set_style(ProgressStyle::with_template("{bar:32} {percent:>3} %  {msg}")?);
    let mut show = |at: &BenchProgress| {
        if !args.quiet {
            bar.set_position((at.fraction * STEPS as f32) as u64);
            let subject = printable_line(&at.subject);
            bar.set_message(format!("{subject}, {}², {} threads", at.samples, at.threads));
        }
    };
    let made = bench(&subjects, &args.plan(), &Machine::new(), &Control::default(), &mut show);
    bar.finish_and_clear();
    let found = made.map_err(|error: BenchError| Failure::Failed(error.into()))?;
    if args.json {
        print_json(&found)?;
    } else {
        print(&if args.csv { found.csv() } else { found.text() })?;
    }
    refuse_inconsistent(&found)
}

fn refuse_inconsistent(found: &Benchmark) -> CommandResult {
    let wrong: Vec<&str> =
        found.subjects.iter().filter(|s| !s.consistency.is_consistent).map(|s| s.name.as_str()).collect();
    if wrong.is_empty() {
        return Ok(());
    }
    Err(Failure::Failed(anyhow::anyhow!(
        "the same inputs gave different results: {}. This is a defect of Talweg; please report it",
        wrong.join(", ")
    )))
}

const STEPS: u64 = 1000;
