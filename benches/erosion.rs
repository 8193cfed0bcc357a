//! What an iteration of erosion costs at 1024², beside a plain copy of the field.
//!
//! ```text
//! cargo bench --no-default-features --bench erosion
//! ```

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use talweg::field::{Edges, Grid, Stream, Terrain};
use talweg::nodes::{Context, Control, Node, Work};

const N: usize = 1024;

/// Sand and snow on Perlin noise, each preset that costs another amount.
fn weather(c: &mut Criterion) {
    let control = Control::default();
    let cx = Context {
        grid: Grid::new(N, Edges::Open),
        size_metres: 8000.0,
        relief_metres: 1800.0,
        scene_samples: N,
        random: Stream::new(1, 1),
        control: &control,
    };
    let mut ground = Terrain::flat(cx.grid);
    if let Work::Generator(perlin) = Node::named("Perlin").unwrap().work() {
        perlin.fill(&cx, &mut ground.height).unwrap();
    }
    let mut group = c.benchmark_group("weather, an iteration at 1024");
    group.sample_size(20).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2));
    let mut out = ground.height.clone();
    group.bench_function("copy of the field", |b| b.iter(|| black_box(&mut out).copy_from_slice(&ground.height)));
    for (name, preset) in [("Thermal", "Natural"), ("Dunes", "Transverse"), ("Dunes", "Yardangs"), ("Snow", "Natural")]
    {
        let mut node = Node::named(name).unwrap();
        let about = node.about();
        node.adopt(about.presets.iter().find(|p| p.name == preset).unwrap());
        let mut run = node.as_process().unwrap().start(&cx, ground.clone());
        (0..10).for_each(|_| run.step(&cx).unwrap());
        group.bench_function(format!("{name} {preset}"), |b| b.iter(|| run.step(&cx).unwrap()));
    }
    group.finish();
}

criterion_group!(benches, weather);
criterion_main!(benches);
