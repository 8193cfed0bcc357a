//! Compares estimates of memory use with measurements. These tests are a separate program: it counts the memory of the
//! whole process, so no other test may run at the same time.
//!
//! A field of 513² samples takes 1 MiB. An estimate may be wrong by a quarter, plus [`SMALL`] for memory that does not
//! grow with the terrain: row buffers of threads, tables, lists of nodes.

use std::alloc::System;
use std::sync::{Mutex, MutexGuard, PoisonError};

use peakmem_alloc::{INSTRUMENTED_SYSTEM, PeakMemAlloc, PeakMemAllocTrait};
use talweg::appearance::{PaletteTable, scene_image};
use talweg::eval::{Cache, MemoryUse, Store, Timeline, estimate, evaluate};
use talweg::field::{Control, MapKind, Terrain};
use talweg::io::export_heightmap;
use talweg::measure::{Limits, TerrainScale, measure, measure_planet};
use talweg::nodes::Node;
use talweg::planet::World;
use talweg::scene::{Layer, Mask, Scene, TerrainAttribute, example};

#[allow(dead_code, reason = "it is that of the core's tests")]
#[path = "core/kits/nodes/mod.rs"]
mod node_kit;

#[global_allocator]
static MEMORY: &PeakMemAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Lets only one test run at a time, and gives it two threads on every computer: each thread has row buffers.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    let guard = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    // fails in all tests but the first, since the threads exist then
    let _ = rayon::ThreadPoolBuilder::new().num_threads(2).build_global();
    guard
}

/// Allowed error of the estimate, as a fraction of the measured memory.
const SHARE: f64 = 0.25;
/// Additional allowed error of the estimate, in bytes.
const SMALL: f64 = (1 << 18) as f64;

/// Additional allowed error in bytes for lists of impacts, whose number is the same on every grid.
const LISTS: f64 = (5 << 19) as f64;

/// Peak memory during `work`, in bytes, less the memory in use before it.
fn peak_bytes(work: impl FnOnce()) -> f64 {
    INSTRUMENTED_SYSTEM.reset_peak_memory();
    work();
    INSTRUMENTED_SYSTEM.get_peak_memory() as f64
}

fn made(scene: &Scene, store: &mut Store) -> std::sync::Arc<Terrain> {
    evaluate(scene, scene.samples(), None, store, &Control::default()).unwrap().terrain
}

/// One line for each estimate with too large an error.
#[derive(Default)]
struct Findings(Vec<String>);

impl Findings {
    /// Measures `work`, and records a finding if the estimate differs too much.
    fn compare(&mut self, name: &str, scene: &Scene, what: &MemoryUse, work: impl Fn()) {
        let measured = peak_bytes(&work);
        let estimated = estimate(scene, scene.samples(), what) as f64;
        let field = 4.0 * scene.grid(scene.samples()).len() as f64;
        let line = format!("{name}: estimated {:.2}, measured {:.2} fields", estimated / field, measured / field);
        println!("{line}");
        let small = if name.starts_with("Craters") { LISTS } else { SMALL };
        // a stroke that erodes computes a window around itself, and a narrow brush needs only a small window
        let is_bound = name.starts_with("Sculpt") && estimated > measured;
        if !is_bound && (estimated - measured).abs() > SHARE * measured + small {
            self.0.push(line);
        }
    }

    /// Measures `work` that keeps key frames and results. If two of them share memory, the estimate may be too high; it
    /// must never be too low.
    fn compare_bound(&mut self, name: &str, scene: &Scene, what: &MemoryUse, work: impl Fn()) {
        let measured = peak_bytes(&work);
        let estimated = estimate(scene, scene.samples(), what) as f64;
        if !(measured..1.5 * measured).contains(&estimated) {
            self.0.push(format!("{name}: estimated {estimated}, measured {measured} bytes"));
        }
    }

    fn finish(self) {
        assert!(self.0.is_empty(), "\n{}", self.0.join("\n"));
    }
}

/// A scene with `node` above a layer of noise. Planets have few samples, because many nodes are slow on them.
fn scene_of(node: Node, world: World) -> Scene {
    let mut scene = if world == World::Planet { Scene::new_planet() } else { Scene::default() };
    scene.layers = vec![Layer::new(Node::named("Perlin").unwrap(), 1), Layer::new(node, 2)];
    scene.set("1.octaves=2").unwrap();
    scene.settings.resolution = if world == World::Planet { 129 } else { 513 };
    if scene.layers[1].node.as_process().is_some() {
        scene.set("2.iterations=2").unwrap();
    }
    scene
}

#[test]
fn the_memory_estimate_of_every_node_holds() {
    let _alone = alone();
    let mut findings = Findings::default();
    for node in Node::catalogue() {
        for world in [World::Terrain, World::Planet].into_iter().filter(|&world| node.fits(world)) {
            for (how, node) in [("default", node.clone()), ("altered", node_kit::altered(node.clone()))] {
                let mut scene = scene_of(node, world);
                // the size of the tables of distorted noise depends on the octaves and the grid; the estimate counts
                // the largest size
                let _ = scene.set("2.warp=0");
                let name = format!("{} {world:?} {how}", scene.layers[1].node.about().name);
                findings.compare(&name, &scene, &MemoryUse::TERRAIN, || drop(made(&scene, &mut Store::forgetful())));
                if scene.layers[1].node.traits().memory.saved_without_records.is_some() {
                    let alone = MemoryUse { heights_only: true, ..MemoryUse::TERRAIN };
                    let work = || drop(made(&scene, &mut Store::for_use(&alone)));
                    findings.compare(&format!("{name}, heights alone"), &scene, &alone, work);
                }
            }
        }
    }
    findings.finish();
}

/// A mask that reads an attribute.
fn attribute_mask(attribute: TerrainAttribute) -> Mask {
    Mask { by_attribute: true, attribute, ..Mask::default() }
}

#[test]
fn the_memory_estimates_of_masks_and_stacks_hold() {
    let _alone = alone();
    let mut findings = Findings::default();
    let masks = [
        ("height", Mask { by_height: true, ..Mask::default() }),
        ("curvature", Mask { by_curvature: true, ..Mask::default() }),
        ("noise", Mask { by_noise: true, ..Mask::default() }),
        ("aspect", attribute_mask(TerrainAttribute::Aspect)),
        ("wetness", attribute_mask(TerrainAttribute::Wetness)),
        ("sky", attribute_mask(TerrainAttribute::SkyView)),
        ("sunshine", attribute_mask(TerrainAttribute::DaySunshine)),
        ("flow", Mask { by_data: true, data: MapKind::Flow, ..Mask::default() }),
        ("soft", Mask { by_slope: true, soften_metres: 50.0, ..Mask::default() }),
        ("layer", Mask { by_layer: true, layer: talweg::param::LayerName("Read".into()), ..Mask::default() }),
    ];
    for edits in [&["3.source=Read"][..], &["3.source=Read", "3.source_reads=Mask", "3.use_as=Data"]] {
        let mut scene = scene_of(Node::named("Reference").unwrap(), World::Terrain);
        scene.layers.insert(1, Layer { name: "Read".into(), ..Layer::new(Node::named("Thermal").unwrap(), 3) });
        scene.set("Read.iterations=2").unwrap();
        scene.set("Read.by_noise=true").unwrap();
        edits.iter().for_each(|edit| scene.set(edit).unwrap());
        findings.compare(edits[edits.len() - 1], &scene, &MemoryUse::TERRAIN, || {
            drop(made(&scene, &mut Store::forgetful()));
        });
    }
    for (name, mask) in masks {
        let mut scene = scene_of(Node::named("Terrace").unwrap(), World::Terrain);
        scene.layers.insert(1, Layer { name: "Read".into(), ..Layer::new(Node::named("Thermal").unwrap(), 3) });
        scene.set("Read.iterations=2").unwrap();
        scene.layers[2].mask = mask;
        findings.compare(name, &scene, &MemoryUse::TERRAIN, || drop(made(&scene, &mut Store::forgetful())));
    }
    for name in ["alpine-range", "island", "eroded-hills"] {
        let mut scene = example(name).unwrap().scene.clone();
        scene.settings.resolution = 513;
        for k in 1..=scene.layers.len() {
            // a layer may have no iterations; the call then fails
            let _ = scene.set(&format!("{k}.iterations=6"));
        }
        findings.compare(name, &scene, &MemoryUse::TERRAIN, || drop(made(&scene, &mut Store::forgetful())));
        let kept = MemoryUse { kept: [64 << 20, 96 << 20], ..MemoryUse::TERRAIN };
        findings.compare_bound(&format!("{name}, kept"), &scene, &kept, || {
            drop(made(&scene, &mut Store::new(Cache::new(64 << 20), Timeline::new(96 << 20))));
        });
    }
    findings.finish();
}

#[test]
fn the_memory_estimates_of_products_hold() {
    let _alone = alone();
    let mut findings = Findings::default();
    let control = Control::default();
    for (world, name) in [(World::Terrain, "Levels"), (World::Planet, "Levels")] {
        let scene = scene_of(Node::named(name).unwrap(), world);
        let pixels = 1024;
        findings.compare(&format!("picture {world:?}"), &scene, &MemoryUse::picture(&scene, pixels, pixels), || {
            let terrain = made(&scene, &mut Store::forgetful());
            let picture =
                scene_image(&scene, &terrain, &PaletteTable::for_scene(&scene), [pixels; 2], &Control::default())
                    .unwrap();
            picture.write_png(std::io::sink()).unwrap();
        });
        findings.compare(&format!("climate {world:?}"), &scene, &MemoryUse::climate(&scene), || {
            let terrain = made(&scene, &mut Store::forgetful());
            scene.climate_fields(&terrain, &control).unwrap();
        });
        findings.compare(&format!("measures {world:?}"), &scene, &MemoryUse::MEASURES, || {
            let terrain = made(&scene, &mut Store::forgetful());
            match world {
                World::Terrain => {
                    measure(&terrain, TerrainScale::for_scene(&scene), &Limits::default(), &control).unwrap();
                }
                World::Planet => {
                    measure_planet(&terrain, &scene, &Limits::default(), &control).unwrap();
                }
            }
        });
    }
    let folder = tempfile::tempdir().unwrap();
    let scene = scene_of(Node::named("Levels").unwrap(), World::Terrain);
    findings.compare("export", &scene, &MemoryUse::EXPORT, || {
        let terrain = made(&scene, &mut Store::forgetful());
        export_heightmap(&terrain, 1000.0, 8000.0, folder.path().join("h.png")).unwrap();
    });
    findings.finish();
}
