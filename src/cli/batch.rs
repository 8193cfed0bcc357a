//! `talweg batch`: evaluates one scene with many seeds and values, each variant into its own folder.

use std::path::PathBuf;

use clap::Args;

use super::input::SceneArgs;
use super::output::ForceArgs;
use super::sweeps::listed;
use super::{CommandResult, Failure, print, print_json, usage};
use talweg::scene::Scene;
use talweg::variants::{BatchError, BatchProduct, BatchRequest, PlannedBatch, SeedChoice};

/// Evaluate a scene with many seeds and values, each into its own folder, with a contact sheet and a table of measures
#[derive(Args)]
#[command(after_help = "\
The batch makes all combinations of the seeds and values, at most 1000. It writes a folder for each variant into FOLDER,
named after the values of the variant, and two files:
  sheet.png     contact sheet with thumbnails of all variants
  measures.csv  table with a line for each variant: its values, then all measures of `talweg measure`
--products takes file names: render.png (a picture from above), scene.ron, and every map of `talweg export` in any of its
formats, such as heights.png, heights.exr, flow.tif, normals.png.
Finished variants are kept if their settings are unchanged. After a stop, the same command therefore continues the batch.
Several machines can share the folder and make one variant each with --variant. The command without --variant then writes
the contact sheet and the table.

Examples:
  talweg batch island.ron --seeds 1..50 -o islands
  talweg batch alpine-range --vary Peaks.octaves=3,6 --vary scene.relief_metres=1500,3000 -o ranges
  talweg batch island.ron --seeds 1,7,9 -o islands --products heights.r32,scene.ron --size 1025
  talweg batch island.ron --seeds 1..50 -o islands --variant $SLURM_ARRAY_TASK_ID")]
pub struct BatchArgs {
    #[command(flatten)]
    scene: SceneArgs,
    /// Seeds of the scene: FIRST..LAST, both included, or a list such as 1,7,9
    #[arg(long, value_name = "FIRST..LAST")]
    seeds: Option<SeedChoice>,
    /// Values of a parameter, such as Peaks.octaves=3,6; may be repeated to make all combinations
    #[arg(long, value_name = "LAYER.PARAM=A,B,C")]
    vary: Vec<String>,
    /// Folder to write into; created if missing
    #[arg(short, long, value_name = "FOLDER")]
    output: PathBuf,
    #[command(flatten)]
    force: ForceArgs,
    /// Files of each variant, separated by commas
    #[arg(long, value_name = "FILES", default_value = BatchRequest::PRODUCTS, value_delimiter = ',')]
    products: Vec<BatchProduct>,
    /// Side length of the rendered pictures, in pixels
    #[arg(long, value_name = "N", default_value_t = BatchRequest::PICTURE, value_parser = super::render::pixels())]
    picture: u32,
    /// Side length of the thumbnails on the contact sheet, in pixels
    #[arg(long, value_name = "N", default_value_t = BatchRequest::THUMBNAIL, value_parser = clap::value_parser!(u32).range(32..=512))]
    thumbnail: u32,
    /// Make all variants again, even finished ones
    #[arg(long)]
    anew: bool,
    /// Make only the variant with this number, counted from 1, without the contact sheet and the table
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    variant: Option<u32>,
    /// Print the report as JSON
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

/// Converts an error of a batch: a wrong option becomes a usage error.
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
        "{}  {count} variants, {} of them new and {kept} kept{gathered}\n",
        args.output.display(),
        count - kept
    ))
}
