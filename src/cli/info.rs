//! `talweg info`: describes a heightmap or a mesh, and names the data in it that Talweg changes or ignores.

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::reading::ReadArgs;
use super::{CommandResult, print, print_json};
use talweg::io::check_name;
use talweg::mesh::raster_or_mesh;

/// Describe a heightmap or a mesh, and name the data in it that Talweg changes or ignores
#[derive(Args)]
#[command(after_help = "\
Each line that begins with `note:` says which data in the file Talweg changes, ignores or has to guess, and how that
affects the result.
The window, layers, `measure` and Python read the file in the same way.

Examples:
  talweg info dem.tif
  talweg info tile.png --numbers terrarium
  talweg info layers.exr --channel 2 --json")]
pub struct InfoArgs {
    /// A heightmap or a mesh
    file: PathBuf,
    /// Print the description as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    reading: ReadArgs,
}

pub fn run(args: &InfoArgs) -> CommandResult {
    let options = args.reading.options()?;
    check_name(&args.file)?;
    let raster = raster_or_mesh(&args.file.to_string_lossy(), options)?;
    if args.json {
        let place = raster.placement.as_ref();
        let notes: Vec<_> = raster.notes.iter().map(|note| json!({ "kind": note.kind, "text": note.text })).collect();
        return print_json(&json!({
            "file": args.file,
            "format": raster.facts.format,
            "columns": raster.width,
            "rows": raster.height,
            "numbers": raster.facts.numbers,
            "is_metres": raster.range_metres.is_some(),
            "range_metres": raster.range_metres.map(|(low, high)| [low, high]),
            "range_of_values": raster.value_range().map(|(low, high)| [low, high]),
            "no_data": raster.facts.no_data,
            "samples_without_data": raster.void_samples(),
            "channels": raster.facts.channels,
            "channel": raster.facts.channel,
            "cell_metres": raster.cell_metres(),
            "epsg": place.and_then(|place| place.epsg),
            "in_degrees": place.map(|place| place.in_degrees),
            "first_sample": place.map(|place| [place.west, place.north]),
            "step": place.map(|place| place.step),
            "is_area": place.map(|place| place.is_area),
            "notes": notes,
        }));
    }
    let mut text = format!("{}\n", args.file.display());
    for (name, fact) in raster.summary() {
        let _ = writeln!(text, "  {name:<12} {fact}");
    }
    for note in &raster.notes {
        let _ = writeln!(text, "note: {note}");
    }
    print(&text)
}
