//! `talweg diff`: lists the differences between two scenes, parameter by parameter, and on request in metres of height.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use serde_json::json;

use super::input::{SceneArgs, SceneJob};
use super::{CommandResult, Failure, print, print_json};
use talweg::eval::MemoryUse;
use talweg::field::{Control, Terrain};
use talweg::io::is_heightmap;
use talweg::measure::{DIFFERENCES, Difference, Limits, TerrainScale, difference};
use talweg::mesh::import::is_mesh;
use talweg::scene::{SceneChange, scene_changes};

/// List the differences between two scenes: layers, parameters with units, settings, and with --heights the heights
#[derive(Args)]
#[command(after_help = "\
Prints one difference per line: layers that were added, removed, moved or renamed, and every value that differs. --size,
--seed and --set change both scenes in the same way. `talweg measure A --against B` compares heightmaps of other programs.

The exit code is 0 if the scenes are the same, 1 if they differ, and 2 if an error occurred, as with `diff`.

Examples:
  talweg diff before.ron after.ron
  talweg diff island.ron island --heights --size 513
  talweg diff before.ron after.ron --json")]
pub struct DiffArgs {
    #[command(flatten)]
    scene: SceneArgs,
    /// The scene to compare with
    other: PathBuf,
    /// Evaluate both scenes and compare their heights
    #[arg(long)]
    heights: bool,
    /// Print the differences as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &DiffArgs) -> CommandResult {
    compare(args).map_err(|failure| match failure {
        // Exit code 1 is reserved for scenes that differ.
        Failure::Failed(error) => Failure::Usage(error),
        other => other,
    })
}

fn compare(args: &DiffArgs) -> CommandResult {
    let first = loaded(&args.scene)?;
    let second = loaded(&args.scene.with_changes_for(&args.other))?;
    let changes = scene_changes(&first.scene, &second.scene);
    let difference = if args.heights { Some(heights(args, &first, &second)?) } else { None };
    let is_same = changes.is_empty() && difference.as_ref().is_none_or(|d| d.largest_metres == 0.0);
    if args.json {
        print_json(&json!({
            "first": args.scene.path(),
            "second": args.other,
            "is_same": is_same,
            "changes": changes,
            "heights": difference,
            "largest_at": difference.as_ref().map(|d| d.largest_at),
        }))?;
    } else {
        let mut text: String = changes.iter().map(|change| SceneChange::text(change) + "\n").collect();
        if let Some(difference) = &difference {
            text += &heights_text(difference, first.scene.is_planet());
        }
        print(&text)?;
    }
    if is_same { Ok(()) } else { Err(Failure::Different) }
}

/// Loads a scene. The error for a heightmap without a scene names the command that compares heightmaps.
fn loaded(scene: &SceneArgs) -> Result<SceneJob, Failure> {
    scene.load().map_err(|failure| match failure {
        Failure::Failed(error) if is_heightmap(scene.path()) || is_mesh(scene.path()) => Failure::Failed(
            anyhow::anyhow!("{error}. `talweg measure A --against B` compares the heights of two files"),
        ),
        other => other,
    })
}

fn heights(args: &DiffArgs, first: &SceneJob, second: &SceneJob) -> Result<Difference, Failure> {
    if first.scene.is_planet() != second.scene.is_planet() {
        let named = |path: &Path| path.display().to_string();
        return Err(Failure::Failed(anyhow::anyhow!(
            "--heights: of {} and {}, one is a planet and the other a terrain; their heights cannot be compared",
            named(args.scene.path()),
            named(&args.other)
        )));
    }
    // The first terrain stays in memory while the second terrain is evaluated and compared.
    let what = MemoryUse { fields: MemoryUse::MEASURES.fields + 1.0, ..MemoryUse::MEASURES };
    let evaluated = |job: &SceneJob| -> Result<(Arc<Terrain>, TerrainScale), Failure> {
        Ok((job.evaluate(&what)?, TerrainScale::for_scene(&job.scene)))
    };
    let (one, two) = (evaluated(first)?, evaluated(second)?);
    let compared = || difference((&one.0, one.1), (&two.0, two.1), &Limits::default(), &Control::default());
    Ok(first.pool.install(compared)?)
}

fn heights_text(difference: &Difference, is_planet: bool) -> String {
    if difference.largest_metres == 0.0 {
        return "heights: the same\n".into();
    }
    let lines = DIFFERENCES.iter().map(|measure| {
        let unit = if measure.unit.is_empty() { String::new() } else { format!(" {}", measure.unit) };
        format!("heights: {} {}{unit}\n", measure.label.to_lowercase(), measure.show(difference))
    });
    let [x, y] = difference.largest_at;
    let place = if is_planet {
        format!("heights: the largest is at longitude {x:.3}°, latitude {y:.3}°\n")
    } else {
        format!("heights: the largest is {x:.1} m east and {y:.1} m south of the north-west corner\n")
    };
    lines.chain([place]).collect()
}
