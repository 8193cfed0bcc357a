//! Response times: the time until a running evaluation stops when a newer request replaces it, and the time to prepare
//! a finished terrain for display.
//!
//! ```text
//! cargo bench --bench response
//! ```

use std::sync::Arc;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use talweg::brush::{Brush, BrushTool, Stroke, StrokePoint, Strokes};
use talweg::eval::{
    ChangedRegion, Playhead, Request, RequestQuality, Store, StrokeTarget, ThreadPool, Worker, WorkerReport, evaluate,
    thread_pool,
};
use talweg::field::{Control, Terrain};
use talweg::nodes::Node;
use talweg::nodes::sculpt::ground::Sculpt;
use talweg::param::ParamKind;
use talweg::planet::World;
use talweg::scene::{Layer, Scene};

/// A scene of `world` whose last layer is the node, with the maximum number of iterations.
fn scene_in(world: World, node: Node, samples: u32) -> Scene {
    let mut scene = match world {
        World::Terrain => Scene::default(),
        World::Planet => Scene::new_planet(),
    };
    scene.settings.resolution = samples;
    if world == World::Terrain && node.about().name != "Perlin" {
        scene.layers.push(Layer::new(Node::named("Perlin").expect("in the catalogue"), 1));
    }
    let most = node.about().find("iterations").and_then(|k| match node.about().params[k].kind {
        ParamKind::Int { hard: (_, most), .. } => Some(most),
        _ => None,
    });
    scene.layers.push(Layer::new(node, 2));
    if let Some(most) = most {
        let last = scene.layers.len();
        scene.set(&format!("{last}.iterations={most}")).expect("in range");
    }
    scene
}

/// A scene on a square terrain whose last layer is the node.
fn scene(node: Node, samples: u32) -> Scene {
    scene_in(World::Terrain, node, samples)
}

/// Time from the cancellation to the end of the evaluation. Each node is cancelled in the middle of its work, at 4097²
/// samples on a terrain and at 6 × 1025² samples on a planet.
fn cancel(c: &mut Criterion) {
    let pool = Arc::new(thread_pool(0).expect("threads"));
    for (world, samples, name) in [(World::Terrain, 4097, "cancel/4097"), (World::Planet, 1025, "cancel/6x1025")] {
        let mut group = c.benchmark_group(name);
        group.sample_size(10).warm_up_time(Duration::from_millis(1)).measurement_time(Duration::from_millis(10));
        for node in Node::catalogue().into_iter().filter(|node| node.fits(world)) {
            let label = node.about().label;
            let scene = Arc::new(scene_in(world, node, samples));
            let mut store = Store::default();
            group.bench_function(label, |b| {
                b.iter_custom(|rounds| (0..rounds).map(|_| latency(&pool, &scene, &mut store)).sum());
            });
        }
        group.finish();
    }
}

fn latency(pool: &ThreadPool, scene: &Scene, store: &mut Store) -> Duration {
    let control = Control::default();
    let target = scene.layers.len() - 1;
    std::thread::scope(|scope| {
        let running = scope.spawn(|| {
            let _ = pool.install(|| evaluate(scene, scene.samples(), None, store, &control));
            Instant::now()
        });
        // Wait until the last layer has been running for a short time.
        while control.progress().0 < target && !running.is_finished() {
            std::thread::yield_now();
        }
        std::thread::sleep(Duration::from_millis(8));
        let asked = Instant::now();
        control.cancel();
        running.join().expect("the evaluation ends").saturating_duration_since(asked)
    })
}

/// Time to move the playhead from iteration 600 of thermal erosion at 1025² samples back to an earlier iteration. The
/// evaluation resumes from the key frames that fit into the default memory. This is not a Criterion benchmark, because
/// Criterion would repeat the same request and get the result from the cache.
fn scrub(_: &mut Criterion) {
    const SAMPLES: u32 = 1025;
    const FROM: u32 = 600;
    let pool = thread_pool(0).expect("threads");
    let mut scene = scene(Node::named("Thermal").expect("in the catalogue"), SAMPLES);
    scene.set("2.iterations=600").expect("in range");
    let mut store = Store::default();
    let mut go = |iteration: u32| {
        let asked = Instant::now();
        let playhead = Some(Playhead { layer: 1, iteration });
        pool.install(|| evaluate(&scene, SAMPLES as usize, playhead, &mut store, &Control::default()))
            .expect("not cancelled");
        asked.elapsed()
    };
    let mut back_to = |target: u32| {
        go(FROM);
        go(target)
    };
    // No target appears twice, because the second result would come from the cache.
    let mut times: Vec<(Duration, u32)> =
        [100].into_iter().chain((1..FROM).step_by(7)).map(|target| (back_to(target), target)).collect();
    println!("from iteration {FROM} of thermal erosion at {SAMPLES} back to {}: {:.1?}", times[0].1, times[0].0);
    times.sort_unstable();
    let (median, worst) = (times[times.len() / 2].0, &times[times.len() - 3..]);
    println!("back to every seventh iteration: median {median:.1?}, longest three {worst:.1?}");
}

/// Time from a brush movement to the terrain at full size, including the messages to the worker thread and back. For
/// every brush tool, a stroke grows across the terrain, both with and without an erosion layer above the painted layer.
fn strokes(_: &mut Criterion) {
    const SAMPLES: u32 = 1025;
    const MOVEMENTS: usize = 60;
    let worker = Worker::start(0, |_: &Arc<Terrain>, _: &Scene, _: Option<&ChangedRegion>| (), || {}).expect("threads");
    let report = || worker.wait(Duration::from_secs(600)).expect("the worker answers");
    println!("brush at {SAMPLES}: tool, layers above, median and longest of {MOVEMENTS} movements");
    let mut revision = 0;
    let mut request = |scene: &Scene, quality: RequestQuality| {
        revision += 1;
        Request {
            revision,
            scene: Arc::new(scene.clone()),
            quality,
            playhead: None,
            play: None,
            history_layer: None,
            place: None,
            mask: None,
            stroke: (quality == RequestQuality::Preview).then_some(StrokeTarget::Layer(1)),
        }
    };
    for above in [None, Some("Thermal")] {
        for &tool in BrushTool::ALL {
            let mut scene = scene(Node::named("Sculpt").expect("in the catalogue"), SAMPLES);
            scene.layers.extend(above.and_then(Node::named).map(|node| Layer::new(node, 1)));
            worker.submit(request(&scene, RequestQuality::Full));
            while !matches!(report(), WorkerReport::Done { .. }) {}
            let side = scene.settings.size_metres;
            let brush = Brush { tool, radius: 0.05 * side, detail: 0.01 * side, level: 300.0, ..Brush::default() };
            let mut path = Vec::new();
            let mut times: Vec<Duration> = (0..MOVEMENTS)
                .map(|k| {
                    let t = k as f32 / MOVEMENTS as f32;
                    let wave = 0.1 * libm::sinf(12.0 * t);
                    path.push(StrokePoint::new((0.1 + 0.8 * t) * side, (0.3 + 0.4 * t + wave) * side));
                    let strokes: Strokes = [Stroke::new(brush.clone(), path.clone())].into_iter().collect();
                    scene.layers[1].node = Node::Sculpt(Sculpt { strokes: Arc::new(strokes) });
                    let asked = Instant::now();
                    worker.submit(request(&scene, RequestQuality::Preview));
                    while !matches!(report(), WorkerReport::Preview { .. }) {}
                    asked.elapsed()
                })
                .collect();
            times.sort_unstable();
            let (median, longest) = (times[MOVEMENTS / 2], times[MOVEMENTS - 1]);
            println!("{:<8} {:<10} {median:>10.1?} {longest:>10.1?}", tool.label(), above.unwrap_or("-"));
        }
    }
}

/// Time of the preparation on the worker thread. Afterwards the main thread only swaps a pointer.
fn prepare(c: &mut Criterion) {
    let pool = thread_pool(0).expect("threads");
    let mut group = c.benchmark_group("prepare for the screen");
    group.sample_size(10);
    for samples in [257, 1025, 4097] {
        let mut scene = scene(Node::named("Perlin").expect("in the catalogue"), samples);
        scene.settings.relief_metres = 3000.0;
        let (control, choice) = (Control::default(), talweg_app::view::OverlayChoice::default());
        let terrain = pool
            .install(|| evaluate(&scene, samples as usize, None, &mut Store::forgetful(), &control))
            .expect("not cancelled")
            .terrain;
        if samples == 4097 {
            // Measures the longest delay when the preparation is stopped at each of its stages.
            group.bench_function("longest stop of 4097", |b| {
                b.iter_custom(|rounds| {
                    let stages = (0..12).map(|stage| Duration::from_millis(5 + 25 * stage));
                    rounds as u32 * stages.map(|wait| stopped(&pool, &terrain, &scene, wait)).max().expect("twelve")
                });
            });
        }
        group.bench_function(samples.to_string(), |b| {
            b.iter(|| {
                pool.install(|| talweg_app::view::SquareTerrain::new(&terrain, &scene.settings, &choice, &control))
            });
        });
    }
    group.finish();
}

/// Time from the stop signal to the end of the preparation. The stop signal is sent `wait` after the start.
fn stopped(pool: &ThreadPool, terrain: &Arc<talweg::field::Terrain>, scene: &Scene, wait: Duration) -> Duration {
    let (control, choice) = (Control::default(), talweg_app::view::OverlayChoice::default());
    std::thread::scope(|scope| {
        let running = scope.spawn(|| {
            let _ = pool.install(|| talweg_app::view::SquareTerrain::new(terrain, &scene.settings, &choice, &control));
            Instant::now()
        });
        std::thread::sleep(wait);
        let asked = Instant::now();
        control.cancel();
        running.join().expect("the preparation ends").saturating_duration_since(asked)
    })
}

criterion_group!(benches, scrub, strokes, cancel, prepare);
criterion_main!(benches);
