//! Cost of terrain measures: each family of measures, and all measures together, compared with copying the field, on
//! two threads.
//!
//! ```text
//! cargo bench -p talweg --bench measures
//! ```

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use talweg::eval::{Store, evaluate, thread_pool};
use talweg::field::{Control, Edges, Stream, Terrain};
use talweg::measure::{Limits, TerrainScale, difference, families, measure};
use talweg::scene::example;

const SAMPLES: usize = 1024;

/// The terrains to measure: a shipped scene, and white noise, which is the worst case for hollows, peaks and streams.
fn grounds() -> Vec<(&'static str, Terrain, TerrainScale)> {
    let control = Control::default();
    let scene = &example("alpine-range").expect("it is shipped").scene;
    let made = evaluate(scene, SAMPLES, None, &mut Store::forgetful(), &control).unwrap();
    let scale = TerrainScale::for_scene(scene);
    let random = Stream::new(1, 1);
    let mut noise = Terrain::from_fn(SAMPLES, Edges::Open, |_, _| 0.0);
    for (k, h) in noise.height.iter_mut().enumerate() {
        *h = random.unit((k / SAMPLES) as i32, (k % SAMPLES) as i32);
    }
    vec![("alpine-range", made.terrain.as_ref().clone(), scale), ("noise", noise, scale)]
}

fn measures(c: &mut Criterion) {
    let (control, limits) = (Control::default(), Limits::default());
    let pool = thread_pool(2).unwrap();
    for (name, terrain, scale) in grounds() {
        let mut group = c.benchmark_group(format!("measures/{name}"));
        group.sample_size(10).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2));
        let mut out = terrain.clone();
        group.bench_function("copy of the field", |b| {
            b.iter(|| black_box(&mut out).height.copy_from_slice(&black_box(&terrain).height));
        });
        for (family, work) in families::ALL {
            group.bench_function(*family, |b| {
                b.iter(|| pool.install(|| work(black_box(&terrain), scale, &limits, &control)));
            });
        }
        group.bench_function("all together", |b| {
            b.iter(|| pool.install(|| measure(black_box(&terrain), scale, &limits, &control)).unwrap());
        });
        let half = Terrain::from_fn(SAMPLES / 2, Edges::Open, |u, v| terrain.height_at(u, v));
        group.bench_function("difference from half the samples", |b| {
            b.iter(|| pool.install(|| difference((&half, scale), (&terrain, scale), &limits, &control)).unwrap());
        });
        group.finish();
    }
}

criterion_group!(benches, measures);
criterion_main!(benches);
