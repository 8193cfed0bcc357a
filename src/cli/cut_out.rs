//! `talweg cut-out`: cuts a part out of a terrain as an image primitive of a construction.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::input::SceneArgs;
use super::output::{ForceArgs, scene_output};
use super::{CommandResult, Failure, print, print_json, usage};
use talweg::construction::geometry::plane::Area;
use talweg::eval::MemoryUse;
use talweg::export::image_piece::{CutOut, CutOutError};
use talweg::io::check_writable;

/// Cut a part out of a terrain as an image primitive of a construction
#[derive(Args)]
#[command(after_help = "\
Writes a scene with one construction, which contains one image primitive at its original position. Next to the scene it
writes a picture of the heights (.png, 16 bits), and a picture of the weights if the terrain has voids. The names of the
pictures contain a hash of their contents. Open the scene and copy the primitive into another construction. There it can
be moved, rotated, stretched, bent and blended like any other primitive.

Example:
  talweg cut-out alpine-range --area 1000,1500,4000,4200 -o massif.ron
  talweg render massif.ron -o massif.png")]
pub struct CutOutArgs {
    #[command(flatten)]
    scene: SceneArgs,
    /// Area to cut out, in metres from the north-west corner: west, north, east, south
    #[arg(long, value_name = "W,N,E,S", value_parser = area)]
    area: CutArea,
    /// Fraction of the primitive over which it blends into the surrounding terrain
    #[arg(long, value_name = "SHARE", default_value_t = 0.2, value_parser = border)]
    border: f32,
    /// Scene to write (.ron); the pictures are written next to it, and their names start with its name
    #[arg(short, long, value_name = "SCENE.ron")]
    output: PathBuf,
    #[command(flatten)]
    force: ForceArgs,
    /// Print what was written as JSON
    #[arg(long)]
    json: bool,
}

/// Edges of the area in metres: west, north, east, south.
#[derive(Clone, Copy)]
struct CutArea([f64; 4]);

fn area(text: &str) -> Result<CutArea, String> {
    let numbers: Option<Vec<f64>> =
        text.split(',').map(|part| part.trim().parse().ok().filter(|v: &f64| v.is_finite())).collect();
    match numbers.as_deref() {
        Some(&[west, north, east, south]) if west < east && north < south => Ok(CutArea([west, north, east, south])),
        _ => Err("give four numbers like 1000,1500,4000,4200: metres to the west, north, east and south edges".into()),
    }
}

fn border(text: &str) -> Result<f32, String> {
    let share: Option<f32> = text.trim().parse().ok();
    share.filter(|share| (0.001..=0.5).contains(share)).ok_or("give a fraction from 0.001 to 0.5".into())
}

pub fn run(args: &CutOutArgs) -> CommandResult {
    let output = scene_output(&args.output)?;
    // Primitives store the absolute paths of their pictures.
    let target = args.force.target(&std::path::absolute(&output)?);
    check_writable(&target)?;
    let job = args.scene.load()?;
    let terrain = job.evaluate(&MemoryUse::EXPORT)?;
    let [west, north, east, south] = args.area.0;
    let cut = CutOut::new(&job.scene, &terrain, &Area { low: [west, north], high: [east, south] });
    let cut = cut.map_err(|error| match error {
        CutOutError::Outside(_) | CutOutError::Planet => usage(error),
        other => Failure::from(other),
    })?;
    cut.save(&job.scene, args.border, &target)?;
    let pictures = cut.pictures(target.path());
    let weights = pictures.get(1);
    let [columns, rows] = cut.size;
    if args.json {
        let written = json!({ "scene": output, "heights": pictures[0], "weights": weights });
        return print_json(&json!({ "files": written, "samples": [columns, rows], "metres": cut.range }));
    }
    let [low, high] = cut.range;
    let mut text = format!("{}  the scene, with one image primitive\n", output.display());
    text += &format!("{}  {columns} × {rows} samples, {low:.1} to {high:.1} m\n", pictures[0].display());
    if let Some(weights) = weights {
        text += &format!("{}  the weights: 1 where there is terrain\n", weights.display());
    }
    print(&text)
}
