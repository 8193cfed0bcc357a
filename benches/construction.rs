//! Measures three costs of constructions: filling a grid with and without pruning, updating the grid after one small
//! primitive is moved, and preparing thousands of primitives (discs, curves, instances).
//!
//! ```text
//! cargo bench -p talweg --bench construction
//! ```
#![allow(clippy::disallowed_methods, reason = "no height depends on what is measured")]

#[path = "../tests/core/kits/construction.rs"]
mod construction_kit;

use std::alloc::System;
use std::hint::black_box;
use std::time::{Duration, Instant};

use construction_kit::{Dice, curve, large};
use peakmem_alloc::{INSTRUMENTED_SYSTEM, PeakMemAlloc, PeakMemAllocTrait};
use talweg::construction::compiled_program::fill::{FillOptions, region_of_area};
use talweg::construction::operators::placement::Placement;
use talweg::construction::operators::scatter::ScatterSettings;
use talweg::construction::primitives::disc::Disc;
use talweg::construction::{
    CopyGroup, Definition, Instance, MaterialLayer, OperatorGroup, Piece, PieceKind, Program, Tree, changed_area,
};
use talweg::eval::thread_pool;
use talweg::field::{Control, Edges, Grid, Region};

#[global_allocator]
static MEMORY: &PeakMemAlloc<System> = &INSTRUMENTED_SYSTEM;

/// The shortest time of several runs, because other programs on the machine can slow down single runs.
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

/// Returns the construction tree with its first small lake moved by a few metres.
fn moved(tree: &Tree) -> Tree {
    let mut tree = tree.clone();
    let mut done = false;
    tree.terrain.visit_mut(&mut |piece: &mut Piece| {
        if let PieceKind::Contour(contour) = &mut piece.kind
            && !done
        {
            contour.settings.x += 25.0;
            done = true;
        }
    });
    tree
}

/// The result of `make`, and the number of bytes that this result keeps allocated.
fn kept<T>(make: impl FnOnce() -> T) -> (T, usize) {
    /// More memory than `make` uses temporarily, so that the peak shows the memory that stays allocated. This extra
    /// memory is never accessed.
    const ROOM: usize = 4 << 30;
    INSTRUMENTED_SYSTEM.reset_peak_memory();
    let made = make();
    drop(black_box(Vec::<u8>::with_capacity(ROOM)));
    (made, INSTRUMENTED_SYSTEM.get_peak_memory() - ROOM)
}

fn tree_of(terrain: PieceKind) -> Tree {
    Tree { terrain: Piece::new(terrain), ..Tree::default() }
}

fn blend(of: Vec<Piece>) -> PieceKind {
    PieceKind::Blend(OperatorGroup { children: of, ..OperatorGroup::default() })
}

fn replace(of: Vec<Piece>) -> PieceKind {
    PieceKind::Replace(OperatorGroup { children: of, ..OperatorGroup::default() })
}

/// A plain that covers the whole square.
fn plain() -> Piece {
    Piece::new(PieceKind::Disc(Disc { radius: 30_000.0, core: 0.9, height: 90.0, ..Disc::default() }))
}

/// Small hills scattered over the square.
fn scattered_discs(count: usize) -> Vec<Piece> {
    let mut dice = Dice::new(11);
    let disc = |_| {
        let (x, y) = dice.position();
        let (radius, height, seed) = (dice.number(15.0, 60.0), dice.number(100.0, 300.0), dice.next_below(1000) as u32);
        let small = Disc { x, y, radius, height, amplitude: 20.0, size: 30.0, octaves: 3, seed, ..Disc::default() };
        Piece::new(PieceKind::Disc(small))
    };
    std::iter::once(plain()).chain((0..count).map(disc)).collect()
}

/// Small curves of two to seven points, scattered over the square.
fn scattered_curves(count: usize) -> Vec<Piece> {
    let mut dice = Dice::new(12);
    let one = |_| {
        let mut one = curve(&mut dice);
        let (x, y) = one.points[0].at;
        one.points.iter_mut().for_each(|p| p.at = (x + 0.1 * (p.at.0 - x), y + 0.1 * (p.at.1 - y)));
        let small = &mut one.settings;
        (small.width, small.fade, small.easing) = (0.1 * small.width, 0.1 * small.fade, 0.1 * small.easing);
        Piece::new(PieceKind::Curve(one))
    };
    std::iter::once(plain()).chain((0..count).map(one)).collect()
}

/// Instances of a group of five discs.
fn instances(count: usize) -> Tree {
    let mut dice = Dice::new(13);
    let stone = |k: usize| {
        let at = 3980.0 + 10.0 * k as f32;
        Disc { x: at, y: 4000.0, radius: 20.0, height: 100.0, amplitude: 10.0, octaves: 2, ..Disc::default() }
    };
    let group = (0..5).map(|k| Piece::new(PieceKind::Disc(stone(k)))).collect();
    let copy = |_| {
        let (x, y) = dice.position();
        let settings = Placement { move_x: x - 4000.0, move_y: y - 4000.0, ..Placement::default() };
        Piece::new(PieceKind::Instance(Instance { definition: "stones".into(), settings }))
    };
    let of = std::iter::once(plain()).chain((0..count).map(copy)).collect();
    let definitions = vec![Definition { name: "stones".into(), piece: Piece::new(blend(group)) }];
    Tree { definitions, ..tree_of(replace(of)) }
}

/// The same group of five discs in a scatter operator, which needs no primitive for each copy.
fn strewn() -> Tree {
    let mut tree = instances(0);
    let group = vec![tree.definitions[0].piece.clone()];
    let settings = ScatterSettings { radius: 4000.0, distance: 16.0, scale_jitter: 0.5, ..ScatterSettings::default() };
    let strewn = Piece::new(PieceKind::Scatter(CopyGroup { settings, children: group, points: Vec::new() }));
    tree.terrain.children_mut().expect("a replacement").push(strewn);
    tree
}

/// Measures the time to prepare thousands of primitives and to fill a grid of 1025² samples.
fn thousands() {
    let grid = Grid::new(1025, Edges::Open);
    let mut out = vec![0.0f32; grid.len()];
    let pool = thread_pool(2).expect("two threads");
    let discs = scattered_discs(100_000);
    for (name, tree) in [
        ("100,000 discs, blended", tree_of(blend(discs.clone()))),
        ("100,000 discs, replaced", tree_of(replace(discs))),
        ("10,000 curves, blended", tree_of(blend(scattered_curves(10_000)))),
        ("10,000 curves, replaced", tree_of(replace(scattered_curves(10_000)))),
        ("100,000 instances of 5 discs", instances(100_000)),
        ("scattered copies of 5 discs", strewn()),
    ] {
        let start = Instant::now();
        let (program, bytes) = kept(|| Program::new(&tree, 1));
        let ready = start.elapsed();
        assert!(program.problems.is_empty(), "{:?}", program.problems);
        let options = FillOptions::for_material(MaterialLayer::Terrain);
        let filled = shortest(2, || {
            let (whole, control) = (Region::whole(grid), Control::default());
            pool.install(|| program.fill_region(grid, &whole, options, &control, black_box(&mut out)))
                .expect("no cancel");
        });
        let pieces = tree.terrain.children();
        let copies = pieces.last().and_then(|piece| piece.copies(1)?.ok()).map(|made| made.0.len());
        let count = copies.unwrap_or(pieces.len() - 1);
        let per = |of: f64| of / count as f64;
        println!(
            "{name} ({count}): prepared in {ready:.2?} ({:.2} µs and {:.0} bytes each), filled 1025² in {filled:.2?}",
            per(ready.as_secs_f64() * 1e6),
            per(bytes as f64)
        );
    }
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
        pool.install(|| program.fill_region(grid, region, sampling, &control, black_box(&mut out))).expect("no cancel");
    };
    let whole = Region::whole(grid);
    let pruned = shortest(7, || fill(&program, &whole, true));
    println!("pruned, 2 threads: {pruned:.1?}");
    let untiled = shortest(3, || fill(&program, &whole, false));
    println!(
        "without selection by tile: {untiled:.1?}, {:.1} times as long",
        untiled.as_secs_f64() / pruned.as_secs_f64()
    );
    let without = [
        ("without bounding boxes, every weight evaluated everywhere", Program::new(&tree, 1).without_boxes()),
        ("without pruning, every primitive evaluated everywhere", Program::new(&tree, 1).without_pruning()),
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
    println!("one small primitive moved, 2 threads: {update:.1?} for {cells} samples");
    println!("prepared: {:.1?}", shortest(7, || drop(black_box(Program::new(&tree, 1)))));
    thousands();
}
