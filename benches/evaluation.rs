//! Measures the cost of evaluation: single generators, a preview, and every node at three terrain sizes. Fractal noise
//! is also compared with the noise of published crates.
//!
//! ```text
//! cargo bench -p talweg --bench evaluation
//! ```

use std::hint::black_box;
use std::time::Duration;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use noise::{Fbm, MultiFractal, NoiseFn, RidgedMulti, Turbulence};
use noise_functions::Noise;
use talweg::eval::{Store, evaluate, thread_pool};
use talweg::field::{Control, Edges, Grid, Stream, Terrain};
use talweg::nodes::{Context, Generator, Node, NodeKind, ReadTerrain};
use talweg::scene::{Layer, Scene};

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

fn node(name: &str, params: &[&str]) -> Node {
    let mut scene = Scene { layers: vec![Layer::new(Node::named(name).unwrap(), 1)], ..Scene::default() };
    for text in params {
        scene.set(&format!("1.{text}")).unwrap();
    }
    scene.layers.remove(0).node
}

fn fill(node: &Node, cx: &Context, out: &mut [f32]) {
    let NodeKind::Generator(generator) = node.work() else { unreachable!("it is a generator") };
    generator.fill(cx, out).unwrap();
}

fn perlin(cx: &Context) -> Terrain {
    let mut terrain = Terrain::flat(cx.grid);
    let Node::Perlin(perlin) = node("Perlin", &[]) else { unreachable!("it is called Perlin") };
    perlin.fill(cx, &mut terrain.height).unwrap();
    terrain
}

/// Each node on all threads; processes run for one iteration.
fn nodes(c: &mut Criterion) {
    let control = Control::default();
    for samples in [257, 1025, 4097] {
        let mut group = c.benchmark_group(format!("node/{samples}"));
        group.sample_size(10).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(1));
        group.throughput(Throughput::Elements((samples * samples) as u64));
        let cx = context(samples, &control);
        let input = perlin(&cx);
        let mut out = input.clone();
        group.bench_function("copy of the field", |b| {
            b.iter(|| black_box(&mut out).height.copy_from_slice(&black_box(&input).height));
        });
        for mut node in Node::catalogue() {
            if matches!(node, Node::Levels(_)) {
                // With its default parameters, the node changes nothing and takes no time.
                node = self::node("Levels", &["gamma=1.5", "curve=0,0 0.4,0.2 1,1"]);
            }
            let name = node.about().label;
            match node.work() {
                NodeKind::Generator(generator) => {
                    group.bench_function(name, |b| b.iter(|| generator.fill(&cx, &mut out.height)));
                }
                NodeKind::Filter(filter) => {
                    group.bench_function(name, |b| {
                        b.iter_batched_ref(
                            || input.clone(),
                            |terrain| filter.apply(&cx, terrain),
                            BatchSize::LargeInput,
                        );
                    });
                }
                NodeKind::Reference(reference) => {
                    let read = ReadTerrain { terrain: &input, relief_metres: cx.relief_metres };
                    group.bench_function(name, |b| b.iter(|| reference.apply(&cx, read, &mut out)));
                }
                NodeKind::Process(process) => {
                    group.bench_function(name, |b| {
                        let start = || process.start(&cx, input.clone());
                        b.iter_batched_ref(start, |run| run.step(&cx), BatchSize::LargeInput);
                    });
                }
            }
        }
        group.finish();
    }
}

/// Fractal noise of 8 octaves at 1024² on one thread: Talweg's noise compared with the `noise` and `noise-functions`
/// crates.
fn fbm(c: &mut Criterion) {
    const N: usize = 1024;
    let mut group = c.benchmark_group("8 octaves 1024, one thread");
    group.sample_size(10).throughput(Throughput::Elements((N * N) as u64));
    let one = thread_pool(1).unwrap();
    let control = Control::default();
    let cx = context(N, &control);
    let mut out = vec![0.0f32; N * N];
    for (name, node) in [
        ("talweg fBm", node("Perlin", &["octaves=8", "frequency=4"])),
        ("talweg ridged", node("Ridged", &["octaves=8", "frequency=4"])),
        ("talweg warped fBm", node("Perlin", &["octaves=8", "frequency=4", "warp=0.1"])),
    ] {
        group.bench_function(name, |b| b.iter(|| one.install(|| fill(&node, &cx, &mut out))));
    }
    let mut peer = |name: &str, sample: &dyn Fn(f64, f64) -> f64| {
        group.bench_function(name, |b| {
            b.iter(|| {
                for (k, h) in out.iter_mut().enumerate() {
                    *h = sample((k % N) as f64 / N as f64, (k / N) as f64 / N as f64) as f32;
                }
                black_box(&mut out);
            });
        });
    };
    let of_noise = Fbm::<noise::Perlin>::new(1).set_octaves(8).set_frequency(4.0);
    peer("noise fBm", &|x, y| of_noise.get([x, y]));
    let ridged = RidgedMulti::<noise::Perlin>::new(1).set_octaves(8).set_frequency(4.0);
    peer("noise ridged", &|x, y| ridged.get([x, y]));
    // Three octaves in each of the two displacements, as in Talweg's warped noise.
    let warped = Turbulence::<_, noise::Perlin>::new(of_noise.clone()).set_roughness(3).set_power(0.1);
    peer("noise warped fBm", &|x, y| warped.get([x, y]));
    let of_functions = noise_functions::Perlin.fbm(8, 0.5, 2.0).frequency(4.0);
    peer("noise-functions fBm", &|x, y| f64::from(of_functions.sample2([x as f32, y as f32])));
    let ridged = noise_functions::Perlin.ridged().fbm(8, 0.5, 2.0).frequency(4.0);
    peer("noise-functions ridged", &|x, y| f64::from(ridged.sample2([x as f32, y as f32])));
    group.finish();
}

/// Single generators on two threads, compared with copying the field.
fn generators(c: &mut Criterion) {
    let control = Control::default();
    let two = thread_pool(2).unwrap();
    for samples in [1024, 4096] {
        let mut group = c.benchmark_group(format!("generators/{samples}, 2 threads"));
        group.sample_size(10).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(1));
        let cx = context(samples, &control);
        let mut out = vec![0.0f32; samples * samples];
        let field = out.clone();
        group.bench_function("copy of the field", |b| {
            b.iter(|| black_box(&mut out).copy_from_slice(black_box(&field)));
        });
        // The smallest stamps are twice as wide as the sample spacing.
        let smallest = format!("smallest_metres={}", 2.0 * cx.size_metres / samples as f32);
        for (name, node) in [
            ("fBm 8 octaves", node("Perlin", &["octaves=8", "frequency=4"])),
            ("diamond-square", node("DiamondSquare", &[])),
            ("stamp noise, cone, down to 2 samples", node("Stamp", &["depth=Metres", &smallest])),
            ("Voronoi, 1000 points", node("Voronoi", &["points=1000"])),
        ] {
            group.bench_function(name, |b| b.iter(|| two.install(|| fill(&node, &cx, &mut out))));
        }
        group.finish();
    }
}

/// The computation while a slider is dragged: 257² samples, fractal noise (fBm) and 50 iterations of thermal erosion,
/// without a cache.
fn preview(c: &mut Criterion) {
    let mut scene = Scene::default();
    scene.settings.resolution = 257;
    scene.layers = vec![Layer::new(node("Perlin", &[]), 1), Layer::new(node("Thermal", &["iterations=50"]), 2)];
    let pool = thread_pool(0).unwrap();
    let mut group = c.benchmark_group("preview");
    group.sample_size(20).measurement_time(Duration::from_secs(2));
    group.bench_function(BenchmarkId::new("fBm + 50 thermal", 257), |b| {
        b.iter(|| pool.install(|| evaluate(&scene, 257, None, &mut Store::forgetful(), &Control::default()).unwrap()));
    });
    group.finish();
}

criterion_group!(benches, fbm, generators, preview, nodes);
criterion_main!(benches);
