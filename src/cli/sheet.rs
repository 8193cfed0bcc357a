//! `talweg sheet`: draws variants of a scene next to each other.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use clap::Args;
use serde_json::json;

use super::input::{SceneArgs, SceneJob};
use super::output::ForceArgs;
use super::render::failed;
use super::sweeps::swept;
use super::{CommandResult, Failure, print, print_json, usage};
use talweg::appearance::check_picture;
use talweg::eval::MemoryUse;
use talweg::variants::{STORE_BYTES, columns, draw_all, presets, seeds, sheet, sweep, table};
use talweg::variants::{SceneVariant, Size, Thumbnail, VariantSweep};

/// Draw a contact sheet of one scene: with other seeds, with presets, or with a parameter swept over its range
#[derive(Args)]
#[command(after_help = "\
A sweep covers the range of the panel's slider, or FROM..TO, in equal steps. If the range spans several powers of ten, the
sweep uses equal factors instead. For a parameter with options, it shows all options. Two sweeps make a table: the first
varies from left to right, the second from top to bottom. The caption of a thumbnail gives its values; the JSON gives them
in the form of --set, for rendering or exporting. Below the caption are the erosion score, the mean slope, and the lowest
and highest height, measured at the thumbnail's resolution.

Examples:
  talweg sheet alpine-range -o seeds.png
  talweg sheet island --seeds 25 --seed 100 -o seeds.png --size 257 --picture 256
  talweg sheet eroded-hills --sweep 1.frequency -o frequency.png --count 9
  talweg sheet eroded-hills --presets Slides -o presets.png
  talweg sheet island.ron --sweep Coast.octaves --sweep Coast.persistence=0.3..0.7 -o table.png --count 5 --json")]
pub struct SheetArgs {
    #[command(flatten)]
    scene: SceneArgs,
    /// Number of seeds, starting from the scene's own [default: 16]
    #[arg(long, value_name = "N", value_parser = count(), conflicts_with = "sweep")]
    seeds: Option<u32>,
    /// Show the presets of a layer, which is given by name or number
    #[arg(long, value_name = "LAYER", conflicts_with_all = ["seeds", "sweep"])]
    presets: Option<String>,
    /// Parameter to sweep, such as Peaks.octaves or scene.relief_metres=500..3000; may be given twice for a table
    #[arg(long, value_name = "LAYER.PARAM[=FROM..TO]")]
    sweep: Vec<String>,
    /// Maximum number of thumbnails of a sweep; in a table, of each side [default: 12, in a table 4]
    #[arg(long, value_name = "N", value_parser = count(), requires = "sweep")]
    count: Option<u32>,
    /// Picture to write (.png)
    #[arg(short, long, value_name = "SHEET.png", default_value = "sheet.png")]
    output: PathBuf,
    #[command(flatten)]
    force: ForceArgs,
    /// Side length of a thumbnail, in pixels
    #[arg(long, value_name = "N", default_value_t = 192, value_parser = clap::value_parser!(u32).range(32..=1024))]
    picture: u32,
    /// Print the values of each thumbnail as JSON
    #[arg(long)]
    json: bool,
}

fn count() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=256)
}

/// Maximum number of pixels of all thumbnails together.
const MOST_PIXELS: usize = 50_000_000;

/// The variants to draw, and their arrangement on the sheet.
struct SheetLayout {
    heading: String,
    variants: Vec<SceneVariant>,
    columns: usize,
}

impl SheetArgs {
    /// Refuses more thumbnails than a picture of about 50 million pixels can hold.
    fn check_count(&self, count: usize) -> CommandResult {
        let most = MOST_PIXELS / (self.picture * self.picture) as usize;
        if count <= most {
            return Ok(());
        }
        Err(usage(anyhow::anyhow!(
            "{count} thumbnails of {} pixels are more than a sheet can hold; give {most} at most, or smaller ones with \
             --picture",
            self.picture
        )))
    }

    fn layout(&self, job: &SceneJob) -> Result<SheetLayout, Failure> {
        let scene = &job.scene;
        let many = |default: usize| self.count.map_or(default, |n| n as usize);
        let read = |text: &String, count| {
            swept(scene, text, count).map_err(|error| usage(anyhow::anyhow!("--sweep: {error}")))
        };
        let refused = |error| usage(anyhow::anyhow!("--sweep: {error}"));
        let name = |sweep: &VariantSweep| sweep.param_ref.spec().label.to_lowercase();
        if let Some(layer) = &self.presets {
            let failed = |error: &dyn std::fmt::Display| usage(anyhow::anyhow!("--presets: {error}"));
            let layer = scene.find_layer(layer).map_err(|error| failed(&error))?;
            let variants = presets(scene, layer).map_err(|error| failed(&error))?;
            let heading = format!("{}: presets of {}", scene.name, scene.layers[layer].name);
            return Ok(SheetLayout { heading, columns: columns(variants.len()), variants });
        }
        match self.sweep.as_slice() {
            [] => {
                let variants = seeds(scene, self.seeds.unwrap_or(16) as usize).map_err(refused)?;
                let columns = columns(variants.len());
                Ok(SheetLayout { heading: format!("{}: seeds", scene.name), variants, columns })
            }
            [one] => {
                let one = read(one, many(12))?;
                let variants = sweep(scene, &one).map_err(refused)?;
                let columns = columns(variants.len());
                Ok(SheetLayout { heading: format!("{}: {}", scene.name, name(&one)), variants, columns })
            }
            [across, down] => {
                let (across, down) = (read(across, many(4))?, read(down, many(4))?);
                self.check_count(across.values.len() * down.values.len())?;
                Ok(SheetLayout {
                    heading: format!("{}: {} across, {} down", scene.name, name(&across), name(&down)),
                    variants: table(scene, &across, &down).map_err(refused)?,
                    columns: across.values.len(),
                })
            }
            _ => Err(usage(anyhow::anyhow!("--sweep: give one or two sweeps"))),
        }
    }
}

pub fn run(args: &SheetArgs) -> CommandResult {
    let output = args.force.target(&args.output);
    check_picture(&output).map_err(failed)?;
    let job = args.scene.load()?;
    let SheetLayout { heading, variants, columns } = args.layout(&job)?;
    args.check_count(variants.len())?;
    let default = Size::default();
    let size = Size {
        samples: args.scene.size().unwrap_or_else(|| default.samples.min(job.samples)),
        pixels: args.picture as usize,
    };
    let count = variants.len();
    let at_once = job.pool.current_num_threads().min(count);
    let drawn = MemoryUse::picture(&job.scene, size.pixels, size.pixels);
    let sheet_bytes = (count * size.pixels * size.pixels) as f64 * 12.0;
    let what =
        MemoryUse { parallel_evaluations: at_once, constant_bytes: sheet_bytes, kept: [STORE_BYTES, 0], ..drawn };
    job.check_memory(size.samples, &what)?;
    let numbered: Vec<(usize, SceneVariant)> = variants.iter().cloned().enumerate().collect();
    let drawn: Mutex<Vec<Option<Thumbnail>>> = Mutex::new(vec![None; variants.len()]);
    let done = AtomicUsize::new(0);
    job.with_progress(|control, show| {
        let deliver = |index: usize, thumbnail: Thumbnail| {
            if let Ok(mut drawn) = drawn.lock() {
                drawn[index] = Some(thumbnail);
            }
            show((done.fetch_add(1, Ordering::Relaxed) + 1) as f32 / numbered.len() as f32);
        };
        job.pool.install(|| draw_all(&numbered, size, control, &deliver))
    })?;
    let drawn = drawn.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    let thumbnails: Vec<(&SceneVariant, Thumbnail)> = variants.iter().zip(drawn.into_iter().flatten()).collect();
    let picture = sheet(&heading, &thumbnails, columns);
    picture.save(&output)?;
    if !args.json {
        let (count, path) = (thumbnails.len(), args.output.display());
        return print(&format!("{path}  {count} thumbnails, {} × {} pixels\n", picture.width, picture.height));
    }
    let entries = thumbnails.iter().map(|(variant, thumbnail)| {
        json!({ "caption": variant.caption, "set": variant.assignments, "measures": thumbnail.key_figures })
    });
    print_json(&json!({
        "picture": args.output,
        "columns": columns,
        "samples": size.samples,
        "variants": entries.collect::<Vec<_>>(),
    }))
}
