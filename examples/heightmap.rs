//! Evaluates a scene without a window and writes its heights for other programs.
//!
//! ```text
//! cargo run -p talweg --example heightmap
//! ```

use talweg::eval::{Store, evaluate};
use talweg::field::Control;
use talweg::io::export_heightmap;
use talweg::scene::Scene;

/// Layers run from the first to the last; omitted parameters have their default values.
const SCENE: &str = "(
    version: 1,
    settings: (seed: 7, size_metres: 4000.0, relief_metres: 600.0),
    layers: [
        (name: \"Hills\", node: Perlin(frequency: 3.0), seed: 1),
        (name: \"Slides\", node: Thermal(talus_angle: 32.0, iterations: 20), seed: 2),
    ],
)";

pub fn main() -> anyhow::Result<()> {
    let (scene, warnings) = Scene::from_ron(SCENE)?;
    for warning in warnings {
        eprintln!("{}", warning.0);
    }
    // If a store is kept between calls, the next evaluation computes only what changed.
    let mut store = Store::forgetful();
    let evaluated = evaluate(&scene, 257, None, &mut store, &Control::default())?;

    let path = std::env::temp_dir().join("talweg-example.r32");
    let report = export_heightmap(&evaluated.terrain, scene.settings.relief_metres, scene.settings.size_metres, &path)?;
    println!(
        "{}: {} × {} samples, {} m apart, {:.1} m to {:.1} m",
        report.path.display(),
        report.samples,
        report.rows,
        report.cell_metres,
        report.min_metres,
        report.max_metres
    );
    Ok(())
}
