//! `talweg verify`: the same scene gives the same bits, whatever the number of threads.

use clap::Args;
use serde::Serialize;

use super::input::SceneArgs;
use super::{CommandResult, Failure, print, print_json};
use crate::eval::{MemoryUse, thread_pool};
use crate::export::origin::{may_carry_scene, read_origin};

/// Evaluate with 1, 2 and all threads and print the content hash of the heights and data maps
#[derive(Args)]
#[command(after_help = "\
The hash (XXH3-128 of size, heights and data maps) is the same for the same scene on any computer.
Exit code 1 if the numbers of threads disagree, which is a defect of Talweg.
A PNG, GeoTIFF or OpenEXR file that Talweg exported carries its scene: it is evaluated at the size of the file's, and exit
code 1 says that it gives other heights than it did, as after a change of an algorithm or of a file that it reads.

Examples:
  talweg verify alpine-range --size 257
  talweg verify alps.png")]
pub struct VerifyArgs {
    #[command(flatten)]
    scene: SceneArgs,
    /// Print the hashes as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct VerifyRun {
    threads: usize,
    hash: String,
}

pub fn run(args: &VerifyArgs) -> CommandResult {
    let mut job = args.scene.load()?;
    let path = args.scene.path();
    let origin = if may_carry_scene(path) { Some(read_origin(path)?) } else { None };
    if let Some(origin) = &origin {
        job.samples = origin.samples;
    }
    job.check_memory(job.samples, &MemoryUse::TERRAIN)?;
    let mut counts = vec![1, 2, job.pool.current_num_threads()];
    counts.sort_unstable();
    counts.dedup();
    let mut runs = Vec::new();
    for threads in counts {
        let terrain = job.evaluate_in(&thread_pool(threads)?)?;
        runs.push(VerifyRun { threads, hash: format!("{:032x}", terrain.hash()) });
    }
    if runs.iter().any(|run| run.hash != runs[0].hash) {
        let each: Vec<String> = runs.iter().map(|r| format!("{} with {} threads", r.hash, r.threads)).collect();
        return Err(Failure::Failed(anyhow::anyhow!(
            "the terrain depends on the number of threads: {}. This is a defect of Talweg; please report the scene",
            each.join(", ")
        )));
    }
    if let Some(origin) = origin.filter(|origin| origin.hash != runs[0].hash) {
        return Err(Failure::Failed(anyhow::anyhow!(
            "the scene in {} gives other heights now: hash {}, and {} when the file was written. An algorithm or a file \
             that the scene reads has changed since",
            path.display(),
            runs[0].hash,
            origin.hash
        )));
    }
    if args.json { print_json(&runs) } else { print(&format!("{}\n", runs[0].hash)) }
}
