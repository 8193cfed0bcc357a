//! What a step of each erosion costs beside a plain copy of the field.
//!
//! ```text
//! cargo bench --no-default-features --bench erosion
//! ```

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use talweg::eval::thread_pool;
use talweg::field::{Edges, Grid, Stream, Terrain};
use talweg::nodes::{Context, Control, Generator, Node, Process};

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

/// River erosion at 1024² with one and two threads, on fBm that already carries water.
fn shallow_water(c: &mut Criterion) {
    let control = Control::default();
    let cx = context(1024, &control);
    let mut group = c.benchmark_group("river erosion 1024");
    group.sample_size(20).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(2));
    let mut input = Terrain::flat(cx.grid);
    let Some(Node::Perlin(perlin)) = Node::named("Perlin") else { unreachable!("it is called Perlin") };
    perlin.fill(&cx, &mut input.height).unwrap();
    let mut copy = input.height.clone();
    group.bench_function("copy of the field", |b| {
        b.iter(|| black_box(&mut copy).copy_from_slice(&black_box(&input).height));
    });
    let Some(Node::ShallowWater(node)) = Node::named("ShallowWater") else { unreachable!("it is called so") };
    let mut run = node.start(&cx, input.clone());
    (0..20).for_each(|_| run.step(&cx).unwrap());
    for threads in [1, 2] {
        let pool = thread_pool(threads).unwrap();
        group.bench_function(format!("{threads} threads"), |b| b.iter(|| pool.install(|| run.step(&cx))));
    }
    group.finish();
}

criterion_group!(benches, shallow_water);
criterion_main!(benches);
