//! What a construction costs: a grid with and without pruning, and the part that changes when one small piece is moved.
//!
//! ```text
//! cargo bench -p talweg --bench construction
//! ```
#![allow(clippy::disallowed_methods, reason = "no height depends on what is measured")]

#[path = "../tests/core/construction_kit/mod.rs"]
mod construction_kit;

use std::hint::black_box;
use std::time::{Duration, Instant};

use construction_kit::large;
use talweg::construction::fill::{FillOptions, region_of_area};
use talweg::construction::{MaterialLayer, Piece, PieceKind, Program, Tree, changed_area};
use talweg::eval::thread_pool;
use talweg::field::{Control, Edges, Grid, Region};

/// The shortest of several runs: the machine may have other things to do.
fn shortest(runs: usize, mut work: impl FnMut()) -> Duration {
    (0..runs)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed()
        })
        .min()
        .expect("at least one run")
}

/// Moves the first small lake by a few metres.
fn moved(tree: &Tree) -> Tree {
    let mut tree = tree.clone();
    let mut done = false;
    tree.terrain.visit_mut(&mut |piece: &mut Piece| {
        if let PieceKind::Contour(contour) = &mut piece.form
            && !done
        {
            contour.settings.x += 25.0;
            done = true;
        }
    });
    tree
}

fn main() {
    let grid = Grid::new(1024, Edges::Open);
    let tree = large(80);
    let mut out = vec![0.0f32; grid.len()];
    let control = Control::default();
    let program = Program::new(&tree, 1);
    println!(
        "{} nodes at {}², {} bytes of RON",
        program.len(),
        grid.samples,
        tree.to_ron(0).map_or(0, |text| text.len())
    );
    let pool = thread_pool(2).expect("two threads");
    let mut fill = |program: &Program, region: &Region, pruned: bool| {
        let sampling = FillOptions { pruned, ..FillOptions::for_material(MaterialLayer::Terrain) };
        pool.install(|| program.fill_region(grid, region, sampling, &control, black_box(&mut out)))
            .expect("nobody stops it");
    };
    let whole = Region::whole(grid);
    let pruned = shortest(7, || fill(&program, &whole, true));
    println!("pruned, 2 threads: {pruned:.1?}");
    let untiled = shortest(3, || fill(&program, &whole, false));
    println!(
        "without choosing by tile: {untiled:.1?}, {:.1} times as long",
        untiled.as_secs_f64() / pruned.as_secs_f64()
    );
    let without = [
        ("without boxes, every weight asked everywhere", Program::new(&tree, 1).without_boxes()),
        ("without pruning, every piece evaluated everywhere", Program::new(&tree, 1).without_pruning()),
    ];
    for (name, program) in without {
        let time = shortest(2, || fill(&program, &whole, false));
        println!("{name}: {time:.1?}, {:.1} times as long", time.as_secs_f64() / pruned.as_secs_f64());
    }
    let other = moved(&tree);
    let mut cells = 0;
    let update = shortest(15, || {
        let after = Program::reusing(&other, 1, Some(&program));
        let area = changed_area(&program, &after).expect("a lake was moved");
        let region = region_of_area(&area, grid, after.side);
        cells = region.len();
        fill(&after, &region, true);
    });
    println!("one small piece moved, 2 threads: {update:.1?} for {cells} samples");
    println!("made ready: {:.1?}", shortest(7, || drop(black_box(Program::new(&tree, 1)))));
}
