//! What erosion costs: the parts of each process beside a plain copy of the field of the same size.
//!
//! ```text
//! cargo bench --no-default-features --bench erosion
//! ```

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use talweg::field::{Edges, Grid, Stream, Terrain};
use talweg::hydrology::{Basins, Cells, Descent, Outlets, Steering, accumulate, flooded, upstream_first};
use talweg::nodes::{Context, Control, Node, Work};

fn context(samples: usize, control: &Control) -> Context<'_> {
    Context {
        grid: Grid::new(samples, Edges::Open),
        size_metres: 8000.0,
        relief_metres: 1800.0,
        scene_samples: samples,
        random: Stream::new(1, 1),
        control,
    }
}

fn noise(cx: &Context) -> Terrain {
    let mut terrain = Terrain::flat(cx.grid);
    let perlin = Node::named("Perlin").unwrap();
    let Work::Generator(perlin) = perlin.work() else { unreachable!("it fills a grid") };
    perlin.fill(cx, &mut terrain.height).unwrap();
    terrain
}

/// Filling and routing.
fn hydrology(c: &mut Criterion) {
    let control = Control::default();
    let mut group = c.benchmark_group("hydrology 2048");
    group.sample_size(10).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2));
    let cx = context(2048, &control);
    let terrain = noise(&cx);
    let cells = Cells::of(cx.grid);
    let height = &terrain.height;
    let outlets = Outlets::new(cells, height, f32::NEG_INFINITY);
    let mut out = terrain.clone();
    group.bench_function("copy of the field", |b| {
        b.iter(|| black_box(&mut out).height.copy_from_slice(&black_box(&terrain).height));
    });
    let route = |steering| Descent::new(cells, height, &outlets, steering, &control).unwrap();
    group.bench_function("steepest receivers", |b| b.iter(|| route(Steering::Steepest)));
    group.bench_function("scattered receivers", |b| b.iter(|| route(Steering::Scattered(cx.random))));
    let descent = route(Steering::Steepest);
    group.bench_function("filling, by basins", |b| {
        b.iter(|| {
            let descent = route(Steering::Steepest);
            Basins::new(cells, height, &outlets, &descent, &control).unwrap().filled(height)
        });
    });
    group.bench_function("filling, by priority-flood", |b| {
        b.iter(|| flooded(cells, height, &outlets, 0.0, &control).unwrap());
    });
    group.bench_function("D8 areas", |b| {
        b.iter(|| {
            let descent = route(Steering::Steepest);
            let order = upstream_first(&descent.receiver, &control).unwrap();
            let mut area = vec![1.0; cells.len()];
            accumulate(&descent.receiver, &order, &mut area);
            area
        });
    });
    group.bench_function("order of the cells", |b| b.iter(|| upstream_first(&descent.receiver, &control).unwrap()));
    group.finish();
}

/// A step of stream power with routing and filling.
fn streams(c: &mut Criterion) {
    let control = Control::default();
    let mut group = c.benchmark_group("stream power 1024");
    group.sample_size(10).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2));
    let cx = context(1024, &control);
    let terrain = noise(&cx);
    let mut out = terrain.clone();
    group.bench_function("copy of the field", |b| {
        b.iter(|| black_box(&mut out).height.copy_from_slice(&black_box(&terrain).height));
    });
    for (name, exponent) in [("step, n = 1", "1"), ("step, n = 1.3", "1.3")] {
        let mut node = Node::named("StreamPower").unwrap();
        let index = node.about().find("slope_exponent").unwrap();
        let value = node.about().params[index].parse(exponent).unwrap();
        node.params_mut().set(index, &value).unwrap();
        let mut run = node.as_process().unwrap().start(&cx, terrain.clone());
        group.bench_function(name, |b| b.iter(|| run.step(&cx).unwrap()));
    }
    group.finish();
}

criterion_group!(benches, hydrology, streams);
criterion_main!(benches);
