//! Cost of one iteration of each erosion process, compared with copying a field of the same size.
//!
//! ```text
//! cargo bench -p talweg --bench erosion
//! ```

mod as_written;

use std::hint::black_box;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use talweg::eval::thread_pool;
use talweg::field::{Control, Edges, Grid, Stream, Terrain};
use talweg::hydrology::{FlowGraph, FlowMesh, FlowRouting, Outlets, accumulate, priority_flood};
use talweg::nodes::{Context, Generator, Node};

fn context(samples: usize, control: &Control) -> Context<'_> {
    Context {
        grid: Grid::new(samples, Edges::Open),
        size_metres: 8000.0,
        relief_metres: 1800.0,
        sea_level: 0.0,
        planet: None,
        scene_samples: samples,
        cell_ratio: 1.0,
        voids: Default::default(),
        random: Stream::new(1, 1),
        control,
    }
}

/// Terrain of Perlin noise, the input of the erosion processes.
fn ground(cx: &Context) -> Terrain {
    let mut terrain = Terrain::flat(cx.grid);
    let Some(Node::Perlin(perlin)) = Node::named("Perlin") else { unreachable!("the node is in the catalogue") };
    perlin.fill(cx, &mut terrain.height).unwrap();
    terrain
}

/// A node with parameters given as text.
fn node(name: &str, params: &[(&str, &str)]) -> Node {
    let mut node = Node::named(name).unwrap();
    for (param, text) in params {
        let index = node.about().find(param).unwrap();
        let value = node.about().params[index].parse(text).unwrap();
        node.params_mut().set(index, &value).unwrap();
    }
    node
}

/// A benchmark group that starts with a copy of `field` as the baseline.
fn group<'a>(c: &'a mut Criterion, name: &str, field: &Terrain) -> BenchmarkGroup<'a, WallTime> {
    let mut group = c.benchmark_group(name);
    group.sample_size(10).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(1));
    group.throughput(Throughput::Elements(field.height.len() as u64));
    let mut out = field.height.clone();
    group.bench_function("copy of the field", |b| {
        b.iter(|| black_box(&mut out).copy_from_slice(&black_box(field).height));
    });
    group
}

/// Measures one iteration of `node`, after `before` earlier iterations, for each number of threads.
fn iteration(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    cx: &Context,
    start: &Terrain,
    node: &Node,
    before: usize,
    threads: &[usize],
) {
    for &threads in threads {
        let pool = thread_pool(threads).unwrap();
        let mut run = pool.install(|| node.as_process().unwrap().start(cx, start.clone()));
        (0..before).for_each(|_| pool.install(|| run.step(cx)).unwrap());
        let name = format!("{name}, {threads} threads");
        group.bench_function(name, |b| b.iter(|| pool.install(|| run.step(cx)).unwrap()));
    }
}

/// Droplet erosion at 1024² samples: 60 000 droplets with 30 steps and a radius of 3 cells.
fn droplets(c: &mut Criterion) {
    let control = Control::default();
    let cx = context(1024, &control);
    let start = ground(&cx);
    let cell = cx.cell_metres();
    let text = [60_000.0 / 1023.0 / 1023.0, 3.0 * cell, 30.0 * cell].map(|v: f32| v.to_string());
    let droplets = node("Droplets", &[("droplets", &text[0]), ("radius", &text[1]), ("lifetime", &text[2])]);
    let mut group = group(c, "droplets 1024", &start);
    iteration(&mut group, "60 000 droplets", &cx, &start, &droplets, 0, &[1, 2]);
    group.finish();
}

/// River erosion at 1024² samples, on fractal noise (fBm) on which water already flows.
fn shallow_water(c: &mut Criterion) {
    let control = Control::default();
    let cx = context(1024, &control);
    let start = ground(&cx);
    let mut group = group(c, "river erosion 1024", &start);
    iteration(&mut group, "river erosion", &cx, &start, &node("ShallowWater", &[]), 20, &[1, 2]);
    group.finish();
}

/// Weathering by soil, sand, snow, ice and waves. A node has several presets here if their costs differ.
fn weather(c: &mut Criterion) {
    let control = Control::default();
    let cx = context(1024, &control);
    let start = ground(&cx);
    let mut group = group(c, "weather 1024", &start);
    for (name, preset) in [
        ("Creep", "Natural"),
        ("Creep", "Strong"),
        ("Dunes", "Transverse"),
        ("Dunes", "Yardangs"),
        ("Snow", "Natural"),
        ("Glacial", "Natural"),
        ("Coastal", "Natural"),
    ] {
        let mut node = node(name, &[]);
        if let Some(preset) = node.about().preset(preset) {
            node.adopt(preset);
        }
        iteration(&mut group, &format!("{name} {preset}"), &cx, &start, &node, 5, &[2]);
    }
    group.finish();
}

/// The five erosion processes of Le Martelot 2005, at several sizes, to show how the cost per cell grows.
fn classic(c: &mut Criterion) {
    let control = Control::default();
    for samples in [512, 1024, 2048, 4096] {
        let cx = context(samples, &control);
        let start = ground(&cx);
        let mut group = group(c, &format!("document 000, {samples}"), &start);
        for name in ["Thermal", "ThermalFast", "Hydraulic", "HydraulicFast", "Olsen"] {
            iteration(&mut group, name, &cx, &start, &node(name, &[]), 0, &[2]);
        }
        group.finish();
    }
}

/// Tests the claim of Le Martelot 2005 that the fast hydraulic form is about five times as fast as the reference form.
/// Compares both forms as the paper describes them with Talweg's versions, each on one thread.
fn claim(c: &mut Criterion) {
    let control = Control::default();
    let cx = context(512, &control);
    let start = ground(&cx);
    let [reference, fast] = ["Hydraulic", "HydraulicFast"].map(|name| {
        let mut erosion = node(name, &[]);
        let document = erosion.about().preset("Document").expect("both nodes have this preset");
        erosion.adopt(document);
        erosion
    });
    let mut group = group(c, "document 000, as written, 512", &start);
    for (name, step, node) in [
        ("reference", as_written::Plain::reference as fn(&mut _), &reference),
        ("fast", as_written::Plain::fast, &fast),
    ] {
        let mut plain = as_written::Plain::new(512, &start.height);
        let mut run = node.as_process().unwrap().start(&cx, start.clone());
        for _ in 0..3 {
            step(&mut plain);
            run.step(&cx).unwrap();
        }
        // The choice between two nearly equal neighbours may differ, but such a choice moves little material.
        let apart = plain.height.iter().zip(&run.terrain().height).map(|(a, b)| (a - b).abs());
        let share = apart.clone().filter(|&apart| apart > 1e-4).count() as f32 / plain.height.len() as f32;
        let mean = apart.sum::<f32>() / plain.height.len() as f32;
        assert!(
            share < 1e-3 && mean < 1e-6,
            "the {name} form gives other heights: a fraction {share:e} of the cells, mean {mean:e}"
        );
        group.bench_function(format!("{name}, as written"), |b| b.iter(|| step(&mut plain)));
        iteration(&mut group, &format!("{name}, here"), &cx, &start, node, 3, &[1]);
    }
    group.finish();
}

/// Filling of hollows and flow routing at 2048² samples.
fn hydrology(c: &mut Criterion) {
    let control = Control::default();
    let cx = context(2048, &control);
    let terrain = ground(&cx);
    let mut group = group(c, "hydrology 2048", &terrain);
    let mesh = FlowMesh::new(cx.grid);
    let height = &terrain.height;
    let outlets = Outlets::new(cx.grid, height, f32::NEG_INFINITY);
    let routed = |routing| FlowGraph::new(&mesh, height, &outlets, routing, &control).unwrap();
    group.bench_function("filling and steepest receivers", |b| b.iter(|| routed(FlowRouting::D8)));
    group.bench_function("filling and scattered receivers", |b| b.iter(|| routed(FlowRouting::Rho8(cx.random))));
    group.bench_function("filling, by priority-flood", |b| {
        b.iter(|| priority_flood(&mesh, height, &outlets, 0.0, &control).unwrap());
    });
    group.bench_function("D8 areas", |b| {
        b.iter(|| {
            let receivers = routed(FlowRouting::D8).receivers;
            let mut area = mesh.areas();
            accumulate(&receivers, &mut area, &control).unwrap();
            area
        });
    });
    group.finish();
}

/// One time step of stream power erosion, including flow routing and filling of hollows, at 1024² samples.
fn streams(c: &mut Criterion) {
    let control = Control::default();
    let cx = context(1024, &control);
    let start = ground(&cx);
    let mut group = group(c, "stream power 1024", &start);
    for exponent in ["1", "1.3"] {
        let node = node("StreamPower", &[("slope_exponent", exponent)]);
        iteration(&mut group, &format!("step, n = {exponent}"), &cx, &start, &node, 0, &[1, 2]);
    }
    group.finish();
}

/// Time to compute mountains of another age when the drainage network is known: the cost of moving the playhead.
fn ages(c: &mut Criterion) {
    let control = Control::default();
    for samples in [1025, 4097] {
        let cx = context(samples, &control);
        let start = ground(&cx);
        let mut group = group(c, &format!("age of mountains {samples}"), &start);
        let node = node("AnalyticStreamPower", &[("time_step", "50000")]);
        for threads in [1, 2] {
            let pool = thread_pool(threads).unwrap();
            let mut first = pool.install(|| node.as_process().unwrap().start(&cx, start.clone()));
            pool.install(|| first.step(&cx)).unwrap();
            for age in [500_000, 5_000_000] {
                let name = format!("{age} years, {threads} threads");
                group.bench_function(name, |b| {
                    b.iter(|| {
                        let mut run = first.snapshot();
                        run.jump(age / 50_000 - 1);
                        pool.install(|| run.step(&cx)).unwrap();
                    });
                });
            }
        }
        group.finish();
    }
}

criterion_group!(benches, classic, claim, droplets, shallow_water, weather, hydrology, streams, ages);
criterion_main!(benches);
