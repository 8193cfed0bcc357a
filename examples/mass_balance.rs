//! Runs an erosion process step by step and prints how much material is eroded, deposited, carried and lost.
//!
//! ```text
//! cargo run -p talweg --example mass_balance
//! ```

use talweg::field::{Control, Edges, Grid, Stream, Terrain};
use talweg::nodes::erosion::droplets::Droplets;
use talweg::nodes::generators::perlin::Perlin;
use talweg::nodes::{Context, Generator, Process};

pub fn main() -> anyhow::Result<()> {
    let control = Control::default();
    let cx = Context {
        grid: Grid::new(129, Edges::Open),
        size_metres: 2000.0,
        relief_metres: 400.0,
        sea_level: 0.0,
        planet: None,
        scene_samples: 129,
        cell_ratio: 1.0,
        voids: Default::default(),
        random: Stream::new(7, 1),
        control: &control,
    };
    let mut terrain = Terrain::flat(cx.grid);
    Perlin::default().generate(&cx, &mut terrain)?;
    let before = cx.grid.sum(&terrain.height);

    let erosion = Droplets::default();
    let mut run = erosion.start(&cx, terrain);
    let iterations = cx.iterations(erosion.iterations(), erosion.pace()).min(100);
    // The balance sums heights over all samples, as fractions of the relief. Multiplied by the cell area and the
    // relief, such a sum is a volume in m³.
    let cubic_metres = f64::from(cx.cell_metres()) * f64::from(cx.cell_metres()) * f64::from(cx.relief_metres);
    println!("iteration      eroded   deposited     carried        lost  (m³)");
    for iteration in 1..=iterations {
        run.step(&cx)?;
        if iteration % 20 == 0 {
            let balance = run.mass_balance();
            let [eroded, deposited, carried, lost] =
                [balance.eroded, balance.deposited, balance.carried, balance.lost].map(|sum| sum * cubic_metres);
            println!("{iteration:9} {eroded:11.0} {deposited:11.0} {carried:11.0} {lost:11.0}");
        }
    }

    let balance = run.mass_balance();
    let change = cx.grid.sum(&run.terrain().height) - before;
    let unexplained = change - (balance.added + balance.deposited - balance.eroded);
    println!(
        "the terrain changed by {:.3} m³, of which {:.3} m³ are not in the balance",
        change * cubic_metres,
        unexplained * cubic_metres
    );
    anyhow::ensure!(balance.residual().abs() <= 1e-6 * before, "material vanished: {balance:?}");
    anyhow::ensure!(unexplained.abs() <= 1e-6 * before, "the terrain changed by more than the balance says");
    Ok(())
}
