//! `talweg batch`: one scene with many seeds and values, each variant in a folder of its own.

use std::path::PathBuf;

use clap::Args;

use super::input::SceneArgs;
use super::output::ForceArgs;
use super::sweeps::listed;
use super::{CommandResult, Failure, print, print_json, usage};
use crate::scene::Scene;
use crate::variants::{BatchError, BatchProduct, BatchRequest, PlannedBatch, Seeds};

/// Evaluate a scene with many seeds and values, each into a folder, with a contact sheet and a table of measures
#[derive(Args)]
#[command(after_help = "\
All combinations of the seeds and values are made, 1000 at the most. FOLDER then holds a folder for each variant, named by its
values, and
  sheet.png     all of them side by side
  measures.csv  a line for each: its values, then every measure that `talweg measure` knows
Products are named by the files of a variant: render.png (from above), scene.ron, and every map of `talweg export` in any
of its formats, like heights.png, heights.exr, flow.tif, normals.png.
What is there already and still fits is not made again: a batch that was stopped goes on where it was.
Machines that share the folder divide the work with --variant, one each at a time; the whole command then gathers.

Examples:
  talweg batch island.ron --seeds 1..50 -o islands
  talweg batch alpine-range --vary Peaks.octaves=3,6 --vary scene.relief_metres=1500,3000 -o ranges
  talweg batch island.ron --seeds 1,7,9 -o islands --products heights.r32,scene.ron --size 1025
  talweg batch island.ron --seeds 1..50 -o islands --variant $SLURM_ARRAY_TASK_ID")]
pub struct BatchArgs {
    #[command(flatten)]
    scene: SceneArgs,
    /// Seeds of the scene: FIRST..LAST, both included, or a list like 1,7,9
    #[arg(long, value_name = "FIRST..LAST")]
    seeds: Option<Seeds>,
    /// Values of a parameter, like Peaks.octaves=3,6; may be repeated, all combinations are made
    #[arg(long, value_name = "LAYER.PARAM=A,B,C")]
    vary: Vec<String>,
    /// Folder to write into; it is made if it is not there
    #[arg(short, long, value_name = "FOLDER")]
    output: PathBuf,
    #[command(flatten)]
    force: ForceArgs,
    /// Files of each variant, with commas between them
    #[arg(long, value_name = "FILES", default_value = BatchRequest::PRODUCTS, value_delimiter = ',')]
    products: Vec<BatchProduct>,
    /// Side of the rendered pictures, in pixels
    #[arg(long, value_name = "N", default_value_t = BatchRequest::PICTURE, value_parser = super::render::pixels())]
    picture: u32,
    /// Side of the pictures on the sheet, in pixels
    #[arg(long, value_name = "N", default_value_t = BatchRequest::THUMBNAIL, value_parser = clap::value_parser!(u32).range(32..=512))]
    thumbnail: u32,
    /// Make everything anew
    #[arg(long)]
    anew: bool,
    /// Make the variant of that number alone, from 1, and neither the sheet nor the table
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    variant: Option<u32>,
    /// Print what was made as JSON
    #[arg(long)]
    json: bool,
}

impl BatchArgs {
    fn request(&self, scene: &Scene) -> Result<BatchRequest, Failure> {
        let mut sweeps = Vec::new();
        if let Some(seeds) = &self.seeds {
            sweeps.push(seeds.sweep(scene).map_err(|error| usage(anyhow::anyhow!("--seeds: {error}")))?);
        }
        for text in &self.vary {
            sweeps.push(listed(scene, text).map_err(|error| usage(anyhow::anyhow!("--vary: {error}")))?);
        }
        if sweeps.is_empty() {
            return Err(usage(anyhow::anyhow!("give --seeds FIRST..LAST, or --vary LAYER.PARAM=A,B,C, or both")));
        }
        Ok(BatchRequest {
            sweeps,
            folder: self.output.clone(),
            force: self.force.is_forced(),
            products: self.products.clone(),
            picture: self.picture,
            thumbnail: self.thumbnail,
            anew: self.anew,
            variant: self.variant.map(|number| number as usize),
        })
    }
}

/// An option that cannot be is a matter of usage.
fn failed(error: BatchError) -> Failure {
    match error {
        BatchError::Option { .. } => usage(anyhow::anyhow!("--{error}")),
        _ => error.into(),
    }
}

pub fn run(args: &BatchArgs) -> CommandResult {
    let job = args.scene.load()?;
    let batch = PlannedBatch::new(&job.scene, job.samples, args.request(&job.scene)?).map_err(failed)?;
    job.check_memory(job.samples, &batch.memory_use()?)?;
    let report = job.with_progress(|control, show| job.pool.install(|| batch.make(control, show)))?;
    if args.json {
        return print_json(&report.json);
    }
    let (count, kept) = (report.count, report.kept);
    let gathered = if args.variant.is_some() { "" } else { "; sheet.png, measures.csv" };
    print(&format!(
        "{}  {count} variants, {} of them made now and {kept} there before{gathered}\n",
        args.output.display(),
        count - kept
    ))
}
