//! What an iteration of each erosion costs, beside a plain copy of the field of the same size.
//!
//! ```text
//! cargo bench --no-default-features --bench erosion
//! ```

use std::hint::black_box;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use talweg::eval::thread_pool;
use talweg::field::{Edges, Grid, Stream, Terrain};
use talweg::nodes::{Context, Control, Generator, Node};

fn context(samples: usize, control: &Control) -> Context<'_> {
    Context {
        grid: Grid::new(samples, Edges::Open),
        size_metres: 8000.0,
        relief_metres: 1800.0,
        sea_level: 0.0,
        scene_samples: samples,
        random: Stream::new(1, 1),
        control,
    }
}

/// Perlin noise.
fn ground(cx: &Context) -> Terrain {
    let mut terrain = Terrain::flat(cx.grid);
    let Some(Node::Perlin(perlin)) = Node::named("Perlin") else { unreachable!("it is in the catalogue") };
    perlin.fill(cx, &mut terrain.height).unwrap();
    terrain
}

/// A node with parameters as people type them.
fn node(name: &str, params: &[(&str, &str)]) -> Node {
    let mut node = Node::named(name).unwrap();
    for (param, text) in params {
        let index = node.about().find(param).unwrap();
        let value = node.about().params[index].parse(text).unwrap();
        node.params_mut().set(index, &value).unwrap();
    }
    node
}

/// A group that begins with the copy of `field`.
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

/// An iteration of `node`, after `before` others, on each of the numbers of threads.
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

/// 60 000 droplets of 30 steps and a radius of 3 cells at 1024².
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

/// River erosion at 1024², on fBm that already carries water.
fn shallow_water(c: &mut Criterion) {
    let control = Control::default();
    let cx = context(1024, &control);
    let start = ground(&cx);
    let mut group = group(c, "river erosion 1024", &start);
    iteration(&mut group, "river erosion", &cx, &start, &node("ShallowWater", &[]), 20, &[1, 2]);
    group.finish();
}

/// Sand, snow and waves, each preset that costs another amount.
fn weather(c: &mut Criterion) {
    let control = Control::default();
    let cx = context(1024, &control);
    let start = ground(&cx);
    let mut group = group(c, "weather 1024", &start);
    for (name, preset) in [("Dunes", "Transverse"), ("Dunes", "Yardangs"), ("Snow", "Natural"), ("Coastal", "Natural")] {
        let mut node = node(name, &[]);
        if let Some(preset) = node.about().preset(preset) {
            node.adopt(preset);
        }
        iteration(&mut group, &format!("{name} {preset}"), &cx, &start, &node, 5, &[2]);
    }
    group.finish();
}

criterion_group!(benches, droplets, shallow_water, weather);
criterion_main!(benches);
