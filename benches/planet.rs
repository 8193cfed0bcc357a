//! Cost of planets: craters, rivers and erosion on planets with six faces, on two threads.
//!
//! ```text
//! cargo bench -p talweg --bench planet
//! ```

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use talweg::appearance::{PlanetLayout, colours_of, planet_normals};
use talweg::eval::{Store, evaluate, thread_pool};
use talweg::field::{Control, Grid, Stream, Terrain};
use talweg::hydrology::{FlowGraph, FlowMesh, FlowRouting, Outlets};
use talweg::nodes::{Context, Node, NodeKind};
use talweg::param::Value;
use talweg::planet::Planet;
use talweg::planet::projection::{Equirectangular, Registration};
use talweg::planet::square::Square;
use talweg::scene::example;

const SEA: f32 = 0.45;

/// Runs `node` on a planet with `samples` per side of each face.
fn run(node: &Node, samples: usize, planet: &Planet, terrain: &mut Terrain) {
    let control = Control::default();
    let cx = Context {
        grid: Grid::globe(samples),
        size_metres: planet.side_metres(),
        relief_metres: 10_000.0,
        sea_level: SEA,
        planet: Some(planet),
        scene_samples: samples,
        cell_ratio: 1.0,
        voids: Default::default(),
        random: Stream::new(1, 7),
        control: &control,
    };
    match node.work() {
        NodeKind::Generator(node) => node.generate(&cx, terrain).unwrap(),
        NodeKind::Filter(node) => node.apply(&cx, terrain).unwrap(),
        NodeKind::Process(_) | NodeKind::Reference(_) => unreachable!("only generators and filters are measured here"),
    }
}

fn node(name: &str, values: &[(&str, Value)]) -> Node {
    let mut node = Node::named(name).expect("in the catalogue");
    for (name, value) in values {
        let index = node.about().find(name).expect("a parameter");
        node.params_mut().set(index, value).unwrap();
    }
    node
}

fn noise(samples: usize, planet: &Planet) -> Terrain {
    let mut terrain = Terrain::flat(Grid::globe(samples));
    run(&node("Perlin", &[]), samples, planet, &mut terrain);
    terrain
}

fn craters(c: &mut Criterion) {
    let planet = Planet { radius_metres: 1_737_000.0, atmosphere: 0.0, ..Planet::default() };
    let pool = thread_pool(2).unwrap();
    let mut group = c.benchmark_group("planet/craters");
    group.sample_size(10).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(3));
    let below = noise(512, &planet);
    // The smallest craters are two samples wide, so that every crater counts.
    for count in [1_000, 10_000, 100_000] {
        let node = node("Craters", &[("craters", Value::Int(count)), ("smallest", Value::Float(0.0045))]);
        group.bench_function(BenchmarkId::new("6 x 512", count), |b| {
            b.iter(|| pool.install(|| run(&node, 512, &planet, black_box(&mut below.clone()))));
        });
    }
    group.finish();
}

fn rivers(c: &mut Criterion) {
    let planet = Planet::default();
    let pool = thread_pool(2).unwrap();
    let mut group = c.benchmark_group("planet/rivers");
    group.sample_size(10).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(2));
    for samples in [297, 512] {
        let below = noise(samples, &planet);
        let mesh = FlowMesh::new(below.grid);
        group.bench_function(BenchmarkId::new("neighbours", samples), |b| {
            b.iter(|| pool.install(|| FlowMesh::new(black_box(below.grid))));
        });
        group.bench_function(BenchmarkId::new("routing", samples), |b| {
            let control = Control::default();
            let outlets = Outlets::new(below.grid, &below.height, SEA);
            let route = || {
                let graph = FlowGraph::new(&mesh, &below.height, &outlets, FlowRouting::D8, &control).unwrap();
                (graph.upstream_order(&control).unwrap(), graph)
            };
            b.iter(|| pool.install(route));
        });
        for name in ["PlanetRivers", "RiverWalk"] {
            let node = node(name, &[]);
            group.bench_function(BenchmarkId::new(name, samples), |b| {
                b.iter(|| pool.install(|| run(&node, samples, &planet, black_box(&mut below.clone()))));
            });
        }
    }
    group.finish();
}

/// All steps from noise to a coloured map of a planet, as in the program of Petitprez 2007 (512 × 1024 in about 5 s in
/// 2007).
fn maps(c: &mut Criterion) {
    let pool = thread_pool(2).unwrap();
    let mut group = c.benchmark_group("planet/map");
    group.sample_size(10).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(4));
    // Four faces with 256 columns each form a ring of 1024 columns around the equator.
    for (samples, what) in [(257, "512 x 1024"), (1024, "6 x 1024")] {
        let mut scene = example("earthlike").expect("shipped").scene.clone();
        scene.settings.resolution = samples;
        let evaluated =
            || evaluate(&scene, scene.samples(), None, &mut Store::forgetful(), &Control::default()).unwrap().terrain;
        group.bench_function(BenchmarkId::new("continents, rivers", what), |b| b.iter(|| pool.install(evaluated)));
        let terrain = pool.install(evaluated);
        group.bench_function(BenchmarkId::new("colours", what), |b| {
            b.iter(|| pool.install(|| colours_of(&scene, black_box(&terrain), &Control::default())));
        });
        let width = 4 * (scene.samples() - 1);
        let map = Equirectangular { width, height: width / 2, registration: Registration::Pixel };
        group.bench_function(BenchmarkId::new("all, and normals as a map", what), |b| {
            b.iter(|| {
                pool.install(|| planet_normals(&scene, &evaluated(), PlanetLayout::Map(map), &Control::default()))
            });
        });
    }
    group.finish();
}

/// One iteration of every erosion process that works on a planet.
fn erosion(c: &mut Criterion) {
    let samples = 257;
    let planet = Planet { radius_metres: 50_000.0, ..Planet::default() };
    let pool = thread_pool(2).unwrap();
    let mut group = c.benchmark_group("planet/erosion");
    group.sample_size(10).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(2));
    let below = noise(samples, &planet);
    let control = Control::default();
    let cx = Context {
        grid: Grid::globe(samples),
        size_metres: planet.side_metres(),
        relief_metres: 10_000.0,
        sea_level: SEA,
        planet: Some(&planet),
        scene_samples: samples,
        cell_ratio: 1.0,
        voids: Default::default(),
        random: Stream::new(1, 7),
        control: &control,
    };
    for name in ["Thermal", "Hydraulic", "Creep", "StreamPower"] {
        let node = node(name, &[]);
        let process = node.as_process().expect("a process");
        let mut run = process.start(&cx, below.clone());
        group.bench_function(BenchmarkId::new(name, "6 x 257"), |b| b.iter(|| pool.install(|| run.step(&cx).unwrap())));
    }
    group.finish();
}

/// A square of 1,000² samples in the mountains of *Earthlike*, with a spacing of 1 m and of 100 m.
fn detail(c: &mut Criterion) {
    let scene = &example("earthlike").expect("shipped").scene;
    let control = Control::default();
    let terrain = evaluate(scene, 257, None, &mut Store::forgetful(), &control).unwrap().terrain;
    let detail = scene.detail(terrain, &control).unwrap();
    let pool = thread_pool(2).unwrap();
    let mut group = c.benchmark_group("detail");
    for side_metres in [1000.0, 100_000.0] {
        let square = Square { longitude: 34.8, latitude: -29.7, side_metres };
        group.bench_function(BenchmarkId::new("square of 1000", side_metres), |b| {
            b.iter(|| pool.install(|| detail.square(black_box(&square), 1000, &control).unwrap()))
        });
    }
}

criterion_group!(benches, craters, rivers, erosion, maps, detail);
criterion_main!(benches);
