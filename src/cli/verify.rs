//! `talweg verify`: checks that the evaluation of a scene has the same bits with any number of threads.

use std::fmt::Write;
use std::path::Path;

use clap::Args;
use serde::Serialize;

use super::input::SceneArgs;
use super::{CommandResult, Failure, print, print_json, print_message, usage};
use talweg::eval::{MemoryUse, thread_pool};
use talweg::export::origin::{may_carry_scene, read_origin};
use talweg::export::sample_check::{SampleCheck, check_samples};
use talweg::field::MAX_SAMPLES;
use talweg::scene::{ExampleHash, HASHED_SAMPLES, example_hashes, examples};

/// The value of the argument SCENE if it is missing.
const NO_SCENE: &str = "-";

/// Evaluate a scene with 1, 2 and all threads, and print the content hash of the heights and data maps
#[derive(Args)]
#[command(mut_arg("scene", |arg| arg.required(false).default_value(NO_SCENE).hide_default_value(true)))]
#[command(after_help = "\
The hash (XXH3-128 of size, heights and data maps) is the same for the same scene on any computer. The exit code is 1 if
the hash depends on the number of threads, which is a defect of Talweg.

A PNG, GeoTIFF or OpenEXR file exported by Talweg contains its scene. The scene is evaluated at the size of the file. The
exit code is 1 if the heights differ from those at the export, for example because an algorithm changed, or a file that
the scene reads. Then the samples of the file are compared with the evaluated scene. The exit code is 1 if a sample
differs by more than one step of the file's numbers. For GLB, OBJ and PLY files, only the scene is checked.

--examples evaluates every shipped scene and compares its hash with the hash that this version of Talweg publishes. All
systems and processors must print the same lines. The exit code is 1 if a hash differs.

Examples:
  talweg verify alpine-range --size 257
  talweg verify alps.png
  talweg verify --examples")]
pub struct VerifyArgs {
    #[command(flatten)]
    scene: SceneArgs,
    /// Evaluate every shipped scene, and compare its hash with the published one
    #[arg(long, conflicts_with_all = ["scene", "size", "seed", "set"])]
    examples: bool,
    /// Print the hashes as JSON
    #[arg(long)]
    json: bool,
}

/// A shipped scene, with the hash of its terrain on this computer.
#[derive(Serialize)]
struct VerifiedExample {
    name: &'static str,
    hash: String,
    published: Option<String>,
    is_same: bool,
}

#[derive(Serialize)]
struct VerifyRun {
    threads: usize,
    hash: String,
}

pub fn run(args: &VerifyArgs) -> CommandResult {
    if args.examples {
        return verify_examples(args);
    }
    if args.scene.path() == Path::new(NO_SCENE) {
        return Err(usage(anyhow::anyhow!("give a SCENE, or --examples for all shipped scenes")));
    }
    let mut job = args.scene.load()?;
    let path = args.scene.path();
    let origin = if may_carry_scene(path) { Some(read_origin(path)?) } else { None };
    if let Some(origin) = &origin {
        if origin.samples > MAX_SAMPLES {
            return Err(Failure::Failed(anyhow::anyhow!(
                "the terrain of {} has {} samples per side, and at most {MAX_SAMPLES} can be verified. Verify its scene \
                 instead, with a smaller --size",
                path.display(),
                origin.samples
            )));
        }
        job.samples = origin.samples;
    }
    job.check_memory(job.samples, &MemoryUse::TERRAIN)?;
    let mut counts = vec![1, 2, job.pool.current_num_threads()];
    counts.sort_unstable();
    counts.dedup();
    let (mut runs, mut made) = (Vec::new(), None);
    for threads in counts {
        let terrain = job.evaluate_in(&thread_pool(threads)?, &MemoryUse::TERRAIN)?;
        runs.push(VerifyRun { threads, hash: format!("{:032x}", terrain.hash()) });
        made = Some(terrain);
    }
    if runs.iter().any(|run| run.hash != runs[0].hash) {
        let each: Vec<String> = runs.iter().map(|r| format!("{} with {} threads", r.hash, r.threads)).collect();
        return Err(Failure::Failed(anyhow::anyhow!(
            "the terrain depends on the number of threads: {}. This is a defect of Talweg; please report the scene",
            each.join(", ")
        )));
    }
    let counts = runs.iter().map(|run| run.threads.to_string()).collect::<Vec<_>>().join(", ");
    let mut said = format!("the same heights and data maps with {counts} threads");
    if let Some(origin) = &origin {
        let name = path.display();
        if origin.hash != runs[0].hash {
            return Err(Failure::Failed(anyhow::anyhow!(
                "the scene in {name} gives other heights now: its hash is {}, and was {} when the file was written. An \
                 algorithm or a file that the scene reads has changed since",
                runs[0].hash,
                origin.hash
            )));
        }
        let Some(terrain) = made else { return Ok(()) };
        let scene = &job.scene;
        let check = job.with_progress(|control, _| {
            job.pool.install(|| check_samples(path, scene, &terrain, control)).map_err(Failure::from)
        })?;
        if let SampleCheck::Differs { .. } = check {
            return Err(Failure::Failed(anyhow::anyhow!(
                "{name}: {check}. Another program has changed the file since Talweg wrote it, but not the scene in it: export \
                 it again"
            )));
        }
        said = format!("{name}: its scene still gives the same heights, and {check}");
    }
    if args.json {
        return print_json(&runs);
    }
    // For a scene file, only the hash is printed, so that scripts can read it.
    match origin {
        Some(_) => print(&format!("{}\n{said}\n", runs[0].hash)),
        None => {
            print(&format!("{}\n", runs[0].hash))?;
            if !job.quiet {
                print_message(&said);
            }
            Ok(())
        }
    }
}

fn verify_examples(args: &VerifyArgs) -> CommandResult {
    let mut verified = Vec::new();
    for example in examples() {
        let job = args.scene.job_of(example.scene.clone(), HASHED_SAMPLES)?;
        let terrain = job.evaluate(&MemoryUse::TERRAIN)?;
        let hash = ExampleHash::new(&terrain).terrain;
        let published = example_hashes().get(example.name).map(|hash| hash.terrain.clone());
        let is_same = published.as_ref() == Some(&hash);
        if !args.json {
            let mut line = format!("{} {} {hash}", if is_same { "ok     " } else { "differs" }, example.name);
            if let Some(published) = published.as_ref().filter(|_| !is_same) {
                let _ = write!(line, ", published {published}");
            }
            print(&(line + "\n"))?;
        }
        verified.push(VerifiedExample { name: example.name, hash, published, is_same });
    }
    if args.json {
        print_json(&verified)?;
    }
    let differing = verified.iter().filter(|example| !example.is_same).count();
    if differing > 0 {
        return Err(Failure::Failed(anyhow::anyhow!(
            "{differing} of {} shipped scenes differ from the published ones. This is a defect of Talweg; please report \
             these lines with the system and the processor",
            verified.len()
        )));
    }
    Ok(())
}
