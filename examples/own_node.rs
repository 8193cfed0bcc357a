//! Defines a node outside the library and runs it between two built-in nodes.
//!
//! Scenes can only use the nodes of the catalogue, because a scene file must mean the same everywhere. Code can run a
//! custom node in the same way as a built-in node. To use a custom node in scenes, put its file into `src/nodes/` (see
//! CONTRIBUTING.md).
//!
//! ```text
//! cargo run -p talweg --example own_node
//! ```

use talweg::field::{Cancelled, Control, Edges, Grid, Stream, Terrain};
use talweg::nodes::filters::blur::Blur;
use talweg::nodes::generators::perlin::Perlin;
use talweg::nodes::{Context, Filter, Generator};
use talweg::param::Params;

talweg::params! {
    /// Furrows from west to east that follow the height of the terrain.
    Furrows "Furrows" in "Filter", from "an example" {
        /// Height difference between two furrows, as a fraction of the relief.
        spacing: f32 = 0.05, 0.001..=1.0, slider 0.01..=0.2;
        /// Depth of a furrow, as a fraction of the relief.
        depth: f32 = 0.01, 0.0..=1.0, slider 0.0..=0.1;
    }
}

impl Filter for Furrows {
    fn apply(&self, cx: &Context, terrain: &mut Terrain) -> Result<(), Cancelled> {
        cx.rows(&mut terrain.height, |_, row| {
            for h in row {
                let phase = *h / self.spacing;
                let distance = (phase - phase.round()).abs() * 2.0;
                *h -= self.depth * (1.0 - distance);
            }
        })
    }
}

pub fn main() -> anyhow::Result<()> {
    let control = Control::default();
    let cx = Context {
        grid: Grid::new(257, Edges::Open),
        size_metres: 4000.0,
        relief_metres: 600.0,
        sea_level: 0.0,
        planet: None,
        scene_samples: 257,
        cell_ratio: 1.0,
        voids: Default::default(),
        random: Stream::new(7, 1),
        control: &control,
    };
    let mut terrain = Terrain::flat(cx.grid);
    Perlin::default().generate(&cx, &mut terrain)?;
    let (low, high) = terrain.range();

    // Values from files and sliders are clamped to the hard range.
    let mut furrows = Furrows { spacing: 5.0, ..Furrows::default() };
    for clamped in furrows.sanitise() {
        println!("{clamped}");
    }
    furrows.spacing = 0.08;
    furrows.apply(&cx, &mut terrain)?;
    let (low_furrow, high_furrow) = terrain.range();
    anyhow::ensure!(low_furrow <= low && high_furrow <= high, "furrows only remove material");
    Blur::default().apply(&cx, &mut terrain)?;

    let (low_after, high_after) = terrain.range();
    println!("heights {low:.3} to {high:.3}; with furrows, blurred, {low_after:.3} to {high_after:.3}");
    Ok(())
}
