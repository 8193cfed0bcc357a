//! What an iteration of the erosion processes costs, each beside a plain copy of the field.
//!
//! ```text
//! cargo bench --no-default-features --bench erosion
//! ```

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use talweg::eval::thread_pool;
use talweg::field::{Edges, Grid, Stream, Terrain};
use talweg::nodes::{Context, Control, Node, Work};

/// 60 000 droplets of 30 steps and a radius of 3 cells at 1024², on 1 and 2 threads.
fn droplets(c: &mut Criterion) {
    const SAMPLES: usize = 1024;
    let control = Control::default();
    let cx = Context {
        grid: Grid::new(SAMPLES, Edges::Open),
        size_metres: 8000.0,
        relief_metres: 1800.0,
        sea_level: 0.0,
        scene_samples: SAMPLES,
        random: Stream::new(1, 1),
        control: &control,
    };
    let mut ground = Terrain::flat(cx.grid);
    if let Work::Generator(noise) = Node::named("Perlin").unwrap().work() {
        noise.fill(&cx, &mut ground.height).unwrap();
    }
    let mut node = Node::named("Droplets").unwrap();
    let cell = cx.cell_metres();
    for (name, value) in [("droplets", 60_000.0 / 1023.0 / 1023.0), ("radius", 3.0 * cell), ("lifetime", 30.0 * cell)] {
        let index = node.about().find(name).unwrap();
        let value = node.about().params[index].parse(&value.to_string()).unwrap();
        node.params_mut().set(index, &value).unwrap();
    }
    let mut group = c.benchmark_group("droplets");
    group.sample_size(10).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(2));
    let mut out = ground.clone();
    group.bench_function("copy of the field", |b| {
        b.iter(|| black_box(&mut out).height.copy_from_slice(&black_box(&ground).height));
    });
    for threads in [1, 2] {
        let pool = thread_pool(threads).unwrap();
        let mut run = node.as_process().unwrap().start(&cx, ground.clone());
        group.bench_function(format!("60 000 droplets, {threads} threads"), |b| {
            b.iter(|| pool.install(|| run.step(&cx).unwrap()));
        });
    }
    group.finish();
}

criterion_group!(benches, droplets);
criterion_main!(benches);
