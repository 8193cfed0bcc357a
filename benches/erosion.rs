//! What an iteration of the erosions costs per cell, at sizes where the growth shows, beside a copy of the field.
//!
//! ```text
//! cargo bench --no-default-features --bench erosion
//! ```

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use talweg::eval::thread_pool;
use talweg::field::{Edges, Grid, Stream, Terrain};
use talweg::nodes::{Context, Control, Generator, Node};

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

/// Perlin noise.
fn ground(cx: &Context) -> Terrain {
    let mut terrain = Terrain::flat(cx.grid);
    let Some(Node::Perlin(perlin)) = Node::named("Perlin") else { unreachable!("it is in the catalogue") };
    perlin.fill(cx, &mut terrain.height).unwrap();
    terrain
}

/// One iteration of each of `names` on two threads, from 512² to 4096².
fn iterations(c: &mut Criterion, names: &[&str]) {
    let control = Control::default();
    let pool = thread_pool(2).unwrap();
    for samples in [512, 1024, 2048, 4096] {
        let mut group = c.benchmark_group(format!("iteration/{samples}"));
        group.sample_size(10).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(1));
        group.throughput(Throughput::Elements((samples * samples) as u64));
        let cx = context(samples, &control);
        let start = ground(&cx);
        let mut out = start.clone();
        group.bench_function("copy of the field", |b| {
            b.iter(|| black_box(&mut out).height.copy_from_slice(&black_box(&start).height));
        });
        for name in names {
            let node = Node::named(name).unwrap();
            let mut run = node.as_process().unwrap().start(&cx, start.clone());
            group.bench_function(*name, |b| b.iter(|| pool.install(|| run.step(&cx))));
        }
        group.finish();
    }
}

/// The five erosions of document 000.
fn classic(c: &mut Criterion) {
    iterations(c, &["Thermal", "ThermalFast", "Hydraulic", "HydraulicFast", "Olsen"]);
}

criterion_group!(benches, classic);
criterion_main!(benches);
