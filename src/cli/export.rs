//! `talweg export`: heights for other programs.

use std::path::PathBuf;

use clap::Args;

use super::input::SceneArgs;
use super::{Outcome, print, print_json, usage};
use crate::io::{HeightmapFormat, check_place, export_heightmap};

/// Write the heights as a heightmap for other programs
#[derive(Args)]
#[command(after_help = "\
The extension chooses the format:
  .png  16-bit greyscale over the terrain's own range, which stands in its text chunks
  .r16  raw unsigned 16-bit, little-endian, over the terrain's own range
  .r32  raw 32-bit float, little-endian, in metres

Examples:
  talweg export alpine-range -o alps.png --size 2049
  talweg export island.ron -o island.r16 --size 1009 --json")]
pub struct ExportArgs {
    #[command(flatten)]
    scene: SceneArgs,
    /// Heightmap to write (.png, .r16 or .r32)
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &ExportArgs) -> Outcome {
    HeightmapFormat::of(&args.output).map_err(usage)?;
    check_place(&args.output)?;
    let job = args.scene.load()?;
    let terrain = job.evaluate()?;
    let report = export_heightmap(&terrain, &job.scene.settings, &args.output)?;
    if args.json {
        return print_json(&report);
    }
    let mut text = format!(
        "{}  {n} × {n} samples, {} m apart, from {} m to {} m",
        report.path.display(),
        report.cell_metres,
        report.min_metres,
        report.max_metres,
        n = report.samples,
    );
    if report.metres_per_step > 0.0 {
        text += &format!(", {} m per step", report.metres_per_step);
    }
    if let Some(void) = report.void() {
        text += &format!("\n{void}");
    }
    print(&(text + "\n"))
}
