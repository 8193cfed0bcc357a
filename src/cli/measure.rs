//! `talweg measure`: a terrain in numbers.

use std::path::Path;
use std::sync::Arc;

use clap::Args;
use serde::Serialize;

use super::input::SceneArgs;
use super::{Failure, Outcome, print, print_json, usage};
use crate::field::{Edges, Grid, Terrain};
use crate::io::{is_heightmap, raster};
use crate::measure::slopes;

/// Measure a scene or a heightmap: erosion score, slopes, heights, content hash
#[derive(Args)]
#[command(after_help = "\
SCENE may also be a heightmap: .png (8 or 16 bits), .r16 or .r32. It is measured as it is, with open edges.

erosion_score      deviation of the slopes over their mean: higher is flatter ground with steeper relief
mean_slope         mean of the greatest height difference to the four neighbours, in metres
slope_deviation    standard deviation of the same, in metres
min_metres, max_metres, mean_metres    heights above the datum
hash               content hash of size and heights (XXH3-128)

Slopes wrap only where the scene wraps.

Examples:
  talweg measure alpine-range
  talweg measure island.ron --json
  talweg measure dem.png --white 2500")]
pub struct MeasureArgs {
    #[command(flatten)]
    scene: SceneArgs,
    /// Height that white stands for in a heightmap that does not say so itself
    #[arg(long, value_name = "METRES", default_value_t = 1.0)]
    white: f32,
    /// Print the measures as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Measures {
    samples: usize,
    erosion_score: f64,
    mean_slope: f64,
    slope_deviation: f64,
    min_metres: f64,
    max_metres: f64,
    mean_metres: f64,
    hash: String,
}

pub fn run(args: &MeasureArgs) -> Outcome {
    let path = args.scene.path();
    let (terrain, metres) = if is_heightmap(path) {
        (heightmap(path, args.white)?, 1.0)
    } else {
        let job = args.scene.load()?;
        (job.evaluate()?, f64::from(job.scene.settings.relief_metres))
    };
    let (low, high) = terrain.range();
    let slopes = slopes(&terrain);
    let distinct = terrain.grid.distinct();
    let measures = Measures {
        samples: terrain.samples(),
        erosion_score: slopes.erosion_score(),
        mean_slope: slopes.mean * metres,
        slope_deviation: slopes.deviation * metres,
        min_metres: f64::from(low) * metres,
        max_metres: f64::from(high) * metres,
        mean_metres: terrain.grid.sum(&terrain.height) / (distinct * distinct) as f64 * metres,
        hash: format!("{:032x}", terrain.hash()),
    };
    if args.json { print_json(&measures) } else { print(&table(&measures)) }
}

/// The heights of a file, in metres.
fn heightmap(path: &Path, white: f32) -> Result<Arc<Terrain>, Failure> {
    if !white.is_finite() {
        return Err(usage(anyhow::anyhow!("--white: give a height in metres")));
    }
    let raster = raster(&path.to_string_lossy())?;
    if raster.width != raster.height {
        return Err(Failure::Failed(anyhow::anyhow!(
            "{} has {} × {} samples; only square heightmaps can be measured, crop it first",
            path.display(),
            raster.width,
            raster.height
        )));
    }
    let (low, high) = raster.range_metres.unwrap_or((0.0, white));
    let mut terrain = Terrain::flat(Grid::new(raster.width, Edges::Open));
    if terrain.height.len() != raster.values.len() {
        return Err(Failure::Failed(anyhow::anyhow!("{} is larger than 16384 × 16384 samples", path.display())));
    }
    terrain.height.iter_mut().zip(&raster.values).for_each(|(h, v)| *h = low + (high - low) * v);
    Ok(Arc::new(terrain))
}

fn table(m: &Measures) -> String {
    let rows = [
        ("erosion score", m.erosion_score, ""),
        ("mean slope", m.mean_slope, " m between neighbours"),
        ("slope deviation", m.slope_deviation, " m"),
        ("lowest", m.min_metres, " m"),
        ("highest", m.max_metres, " m"),
        ("mean height", m.mean_metres, " m"),
    ];
    let mut text = format!("{:<16} {} × {}\n", "samples", m.samples, m.samples);
    for (name, value, unit) in rows {
        text.push_str(&format!("{name:<16} {value:.3}{unit}\n"));
    }
    text + &format!("{:<16} {}\n", "hash", m.hash)
}
