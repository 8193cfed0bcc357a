//! Tiled builds give the bits of the whole build, with any tile size.

use std::path::Path;
use std::sync::Arc;

use super::water::survey_steps;
use crate::kits::nodes::{altered, on_threads};
use talweg::brush::{Brush, BrushTool, Stroke, StrokePoint, Strokes};
use talweg::eval::window::SmoothedField;
use talweg::eval::{Store, evaluate};
use talweg::field::{Control, Edges, MapKind, Terrain};
use talweg::nodes::Node;
use talweg::nodes::maps::painted::{PaintedKind, PaintedMap};
use talweg::nodes::multiscale::StreamBeds;
use talweg::nodes::sculpt::ground::Sculpt;
use talweg::param::{LayerName, Value};
use talweg::planet::World;
use talweg::scene::{Blend, Layer, Mask, Mix, Reads, Scene};
use talweg::tiles::{
    PlanStage, SmoothingStep, SurveyStep, TaskOutcome, TileBuild, TileError, TilePlan, tile_plan, write_plan,
};

/// Nodes for square terrain that must be computed on the whole terrain at once. A new node is either listed here, with
/// the reason in its traits, or it is computed in tiles and compared.
const WHOLE: [&str; 17] = [
    "AnalyticStreamPower",
    "Coastal",
    "Craters",
    "Droplets",
    "Dunes",
    "Expander",
    "Glacial",
    "HydraulicFast",
    "Lakes",
    "Olsen",
    "Rain",
    "RiverWalk",
    "Rivers",
    "Seamless",
    "SquigRiver",
    "ThermalFast",
    "Transform",
];

/// Nodes that need the whole terrain at once only with some values of their parameters.
const SOMETIMES_WHOLE: [&str; 10] = [
    "DiamondSquare",
    "Triangular",
    "Sculpt",
    "Normalise",
    "Perturbation",
    "ShallowWater",
    "StreamPower",
    "FillDepressions",
    "PaintedMap",
    "LayerGroup",
];

pub fn layer(name: &str, seed: u32) -> Layer {
    Layer::new(Node::named(name).unwrap_or_else(|| panic!("no node {name}")), seed)
}

pub fn scene(samples: u32, layers: Vec<Layer>) -> Scene {
    let mut scene = Scene { layers, ..Scene::default() };
    scene.settings.resolution = samples;
    // The terrain is small, so its slopes are steep enough for scree.
    scene.settings.size_metres = 4000.0;
    scene
}

/// Runs all tasks of a plan.
pub fn run_all(build: &TileBuild) {
    for (stage, planned) in build.plan.stages.iter().enumerate() {
        for task in 0..planned.tasks {
            let outcome = build.run_task(stage, task, &Control::default());
            assert_eq!(outcome.unwrap(), TaskOutcome::Done, "stage {stage}, task {task}");
        }
    }
}

pub fn planned(folder: &Path, scene: &Scene, samples: usize, tile: usize) -> TileBuild {
    let plan = tile_plan(scene, samples, tile).unwrap();
    write_plan(folder, &plan, scene).unwrap();
    let build = TileBuild::open(folder).unwrap();
    assert_eq!(build.plan, plan);
    build
}

/// The terrain of a tiled build.
fn built(scene: &Scene, samples: usize, tile: usize) -> (TilePlan, Terrain) {
    let folder = tempfile::tempdir().unwrap();
    let build = planned(&folder.path().join("plan"), scene, samples, tile);
    run_all(&build);
    let grid = scene.grid(samples);
    let made = build.store.window(&build.plan, build.plan.result, grid).unwrap();
    (build.plan, made)
}

pub fn whole(scene: &Scene, samples: usize) -> Terrain {
    Terrain::clone(&evaluate(scene, samples, None, &mut Store::forgetful(), &Control::default()).unwrap().terrain)
}

/// Fails with the first sample that differs.
fn check_equal(what: &str, made: &Terrain, whole: &Terrain) {
    let kinds = |terrain: &Terrain| terrain.maps().map(|(kind, _)| kind).collect::<Vec<_>>();
    assert_eq!(kinds(made), kinds(whole), "{what}");
    let n = whole.samples();
    let mut fields = vec![("heights".to_string(), &made.height, &whole.height)];
    for (kind, map) in whole.maps() {
        fields.push((format!("{kind:?}"), made.map(kind).unwrap(), map));
    }
    for (name, made, whole) in fields {
        let differs = made.iter().zip(whole).position(|(a, b)| a.to_bits() != b.to_bits());
        if let Some(k) = differs {
            let count = made.iter().zip(whole).filter(|(a, b)| a.to_bits() != b.to_bits()).count();
            let (row, column) = (k / n, k % n);
            panic!("{what}: {count} {name} differ, first at {row}, {column}: {} for {}", made[k], whole[k]);
        }
    }
    assert_eq!(made.hash(), whole.hash(), "{what}");
}

pub fn check_tiles(what: &str, scene: &Scene, samples: usize, tiles: &[usize]) {
    let whole = whole(scene, samples);
    for &tile in tiles {
        let (_, made) = built(scene, samples, tile);
        check_equal(&format!("{what} in tiles of {tile}"), &made, &whole);
    }
}

#[test]
fn every_node_has_the_same_bits_in_tiles_or_says_why_not() {
    on_threads(2, || {
        let (mut as_wholes, mut sometimes) = (Vec::new(), Vec::new());
        for node in Node::catalogue().into_iter().filter(|node| node.fits(World::Terrain)) {
            let name = node.about().name;
            for (form, node) in [("default", node.clone()), ("altered", altered(node.clone()))] {
                let mut node = node;
                if node.as_process().is_some() {
                    let index = node.params().about().find("iterations").unwrap();
                    node.params_mut().set(index, &Value::Int(20)).unwrap();
                }
                let scene = scene(200, vec![layer("Perlin", 1), Layer::new(node, 2)]);
                let plan = tile_plan(&scene, 200, 64).unwrap();
                let reasons: Vec<_> = plan.stages.iter().flat_map(|stage| &stage.whole).collect();
                if reasons.iter().any(|reason| reason.starts_with(&scene.layers[1].name)) {
                    if form == "default" {
                        as_wholes.push(name)
                    } else {
                        sometimes.push(name)
                    }
                    continue;
                }
                check_tiles(&format!("{name} ({form})"), &scene, 200, &[64, 100]);
            }
        }
        sometimes.retain(|name| !as_wholes.contains(name));
        as_wholes.sort_unstable();
        assert_eq!((&as_wholes[..], &sometimes[..]), (&WHOLE[..], &SOMETIMES_WHOLE[..]));
    });
}

/// Tile sizes that divide nothing evenly, smaller and larger than the halo of layers.
pub const TILES: [usize; 4] = [64, 100, 256, 333];

fn example(name: &str) -> Scene {
    let found = talweg::scene::examples().iter().find(|example| example.name == name);
    found.unwrap_or_else(|| panic!("no scene {name}")).scene.clone()
}

#[test]
fn scenes_are_the_same_in_tiles_of_any_size() {
    on_threads(2, || {
        // In some scenes, erosion, midpoint displacement or flow needs the whole terrain between layers in tiles.
        // Stream power has seven stages for each iteration.
        let scenes: [(&str, usize, &[usize]); 6] = [
            ("alpine-range", 500, &[64, 256]),
            ("eroded-hills", 385, &TILES),
            ("badlands", 300, &[64, 256]),
            ("lake-district", 257, &[100]),
            ("river-valleys", 700, &[64, 333]),
            ("winter-peaks", 600, &[256]),
        ];
        for (name, samples, tiles) in scenes {
            check_tiles(name, &example(name), samples, tiles);
        }
    });
}

#[test]
fn multiscale_erosions_run_in_tiles() {
    on_threads(2, || {
        for name in ["Thermal", "Hydraulic", "Creep", "ShallowWater", "Snow"] {
            let mut scene = scene(385, vec![layer("Perlin", 1), layer(name, 2), layer("Levels", 3)]);
            let iterations = if name == "Creep" { "2.iterations=3" } else { "2.iterations=30" };
            for change in ["2.largest_scale=Samples33", iterations, "3.gamma=1.5"] {
                scene.set(change).unwrap();
            }
            // The first 40 iterations have other parameters.
            let mut before = scene.layers[1].node.clone();
            let (parameter, value) = if name == "Snow" { ("snow_line", 600.0) } else { ("hardness", 0.25) };
            let index = before.params().about().find(parameter).unwrap();
            before.params_mut().set(index, &Value::Float(value)).unwrap();
            scene.layers[1].epochs.push(talweg::scene::ParamEpoch { node: before, iterations: 40 });
            scene.layers[1].mask = Mask { by_height: true, height_from: 200.0, soften_metres: 60.0, ..Mask::default() };
            let plan = tile_plan(&scene, 385, 64).unwrap();
            // The grid of 257 samples is also built in tiles.
            let in_tiles: Vec<_> = plan.stages.iter().filter(|stage| !stage.is_whole()).map(|s| s.samples).collect();
            assert!(in_tiles.contains(&257) && in_tiles.contains(&385), "{name}: {in_tiles:?}");
            check_tiles(name, &scene, 385, &[64, 100, 333]);
        }
    });
}

#[test]
fn trunk_streams_are_kept_in_tiles() {
    on_threads(2, || {
        for (name, samples) in [("Thermal", 800), ("Thermal", 1200), ("Droplets", 800), ("ShallowWater", 800)] {
            let mut scene = scene(samples, vec![layer("Perlin", 1), layer(name, 2), layer("Levels", 3)]);
            for change in ["2.largest_scale=Samples257", "2.iterations=9", "2.fine_weight=1", "3.gamma=1.5"] {
                scene.set(change).unwrap();
            }
            assert_ne!(scene.layers[1].node.traits().finer_grids.stream_beds, StreamBeds::Free, "{name}");
            let plan = tile_plan(&scene, samples as usize, 350).unwrap();
            assert!(name == "Droplets" || plan.stages.iter().any(|stage| !stage.is_whole() && stage.samples > 513));
            // In small tiles an erosion process runs in batches of iterations.
            let tiles: &[usize] = match (name, samples) {
                (_, 1200) => &[350],
                ("ShallowWater", _) => &[150, 350],
                _ => &[60, 350],
            };
            check_tiles(name, &scene, samples as usize, tiles);
        }
    });
}

#[test]
fn masks_and_blends_are_the_same_in_tiles() {
    let mut blended = layer("Ridged", 2);
    blended.mix = Mix { blend: Blend::SmoothMax, opacity: 0.7, ..Mix::default() };
    blended.mask = Mask { by_slope: true, slope_to: 25.0, by_noise: true, noise_metres: 300.0, ..Mask::default() };
    let mut thermal = layer("Thermal", 3);
    thermal.mix.opacity = 0.8;
    thermal.mask =
        Mask { by_layer: true, layer: LayerName("Base".into()), layer_from: 700.0, invert: true, ..Mask::default() };
    let mut warped = layer("Warp", 4);
    let (data, data_from) = (MapKind::Deposits, 0.01);
    warped.mask = Mask { by_data: true, data, data_from, by_height: true, height_to: 1200.0, ..Mask::default() };
    let mut reading = layer("Hydraulic", 5);
    reading.mask = Mask {
        by_layer: true,
        layer: LayerName("Scree".into()),
        layer_reads: Reads::Data,
        layer_data: MapKind::Wear,
        layer_from: 0.1,
        ..Mask::default()
    };
    let mut soft = layer("Terrace", 6);
    soft.mask = Mask { by_curvature: true, soften_metres: 50.0, ..Mask::default() };
    let mut scene = scene(257, vec![layer("Perlin", 1), blended, thermal, warped, reading, soft, layer("Levels", 7)]);
    (scene.layers[0].name, scene.layers[2].name) = ("Base".into(), "Scree".into());
    scene.set("7.gamma=0.7").unwrap();
    assert_eq!(scene.problems(), vec![]);
    on_threads(2, || check_tiles("masks", &scene, 257, &TILES));
}

/// At another size than the resolution of the scene, an erosion on one grid runs another number of iterations.
#[test]
fn a_larger_build_has_the_same_bits_in_tiles() {
    let mut scene = scene(129, vec![layer("Billow", 8), layer("Thermal", 9)]);
    scene.set("2.iterations=5").unwrap();
    on_threads(2, || check_tiles("a larger build", &scene, 257, &[64]));
}

/// References to the height, a map and the mask of other layers, above and below, and of another scene file.
#[test]
fn references_are_the_same_in_tiles() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("other.ron");
    let mut other = scene(129, vec![layer("Billow", 8), layer("Thermal", 9)]);
    other.settings.relief_metres = 900.0;
    other.set("2.iterations=5").unwrap();
    other.save(&file).unwrap();
    let nodes = ["Perlin", "Thermal", "Reference", "Reference", "Hydraulic", "Reference", "Terrace", "Ridged"];
    let mut scene = scene(257, nodes.iter().zip(1..).map(|(name, seed)| layer(name, seed)).collect());
    let names = ["Base", "Scree", "Rock", "Early", "Water", "Far", "Steps", "Late"];
    scene.layers.iter_mut().zip(names).for_each(|(layer, name)| layer.name = name.into());
    let edits = [
        "Scree.by_noise=true",
        "Scree.noise_metres=400",
        "Scree.soften_metres=60",
        "Rock.source=Scree",
        "Rock.source_reads=Mask",
        "Rock.use_as=Data",
        "Early.source=Late",
        "Early.blend=SmoothMax",
        "Early.by_layer=true",
        "Early.layer=Scree",
        "Water.iterations=3",
        "Far.blend=Add",
        "Far.scale=0.5",
        "Steps.by_layer=true",
        "Steps.layer=Far",
        "Steps.layer_reads=Mask",
        "Steps.layer_from=0.3",
        "Late.blend=Min",
    ];
    edits.iter().for_each(|edit| scene.set(edit).unwrap());
    scene.set(&format!("Far.source_file={}", file.display())).unwrap();
    scene.set("Far.by_slope=true").unwrap();
    assert_eq!(scene.problems(), vec![]);
    let plan = tile_plan(&scene, 257, 64).unwrap();
    assert!(plan.stages.iter().all(|stage| stage.whole.is_empty()));
    on_threads(2, || check_tiles("references", &scene, 257, &TILES));
    // A source that needs the whole terrain at once is computed on the whole, with the reason in the plan.
    scene.layers[1].node = Node::named("Olsen").unwrap();
    scene.set("Scree.iterations=3").unwrap();
    let plan = tile_plan(&scene, 257, 64).unwrap();
    assert!(plan.stages.iter().flat_map(|stage| &stage.whole).any(|reason| reason.starts_with("Scree: ")));
    on_threads(2, || check_tiles("references to a whole layer", &scene, 257, &[100]));
}

/// Strokes across tile borders, with every tool that changes each position independently of its neighbours. Layers with
/// other tools are computed on the whole terrain.
#[test]
fn strokes_are_the_same_in_tiles() {
    let stroke = |tool: BrushTool, k: usize| {
        let brush = Brush {
            tool,
            radius: 500.0,
            level: 700.0,
            end_level: 200.0,
            build_up: k % 2 == 1,
            pressure_widens: k % 3 == 1,
            ..Brush::default()
        };
        let point = |p: usize| StrokePoint {
            pressure: 0.4 + 0.2 * p as f32,
            ..StrokePoint::new(1150.0 * p as f32, 700.0 * k as f32)
        };
        Arc::new(Stroke::new(brush, (0..4).map(point).collect()))
    };
    let strokes = |tools: &[BrushTool]| {
        let mut strokes = Strokes::default();
        *strokes.list_mut() = tools.iter().enumerate().map(|(k, &tool)| stroke(tool, k)).collect();
        Arc::new(strokes)
    };
    let by_place: Vec<_> = BrushTool::ALL.iter().copied().filter(|tool| tool.is_pointwise()).collect();
    assert!(by_place.len() >= 5, "{by_place:?}");
    let layers = |strokes: &Arc<Strokes>| {
        let map = PaintedMap { kind: PaintedKind::Snow, strokes: strokes.clone(), ..PaintedMap::default() };
        let nodes = [Node::Sculpt(Sculpt { strokes: strokes.clone() }), Node::PaintedMap(map)];
        let mut layers = vec![layer("Perlin", 1)];
        layers.extend(nodes.map(|node| Layer::new(node, 2)));
        layers.extend(["Terrace", "Thermal", "Levels"].map(|name| layer(name, 3)));
        layers[3].mask = Mask { by_paint: true, painted: strokes.clone(), unpainted: 0.25, ..Mask::default() };
        let mut scene = scene(257, layers);
        scene.set("6.gamma=1.5").unwrap();
        scene
    };
    let scene = layers(&strokes(&by_place));
    let plan = tile_plan(&scene, 257, 64).unwrap();
    assert!(plan.stages.iter().all(|stage| stage.whole.is_empty()));
    on_threads(2, || check_tiles("strokes", &scene, 257, &TILES));
    for tool in [BrushTool::Smooth, BrushTool::Smear] {
        let plan = tile_plan(&layers(&strokes(&[tool])), 257, 64).unwrap();
        let reasons: Vec<_> = plan.stages.iter().flat_map(|stage| &stage.whole).collect();
        assert!(reasons.len() == 3 && reasons.iter().all(|reason| reason.contains("smooth")), "{reasons:?}");
    }
}

/// The smoothing steps in the stages of a plan, each with its number of tasks.
fn smoothing_steps(plan: &TilePlan) -> Vec<(SmoothedField, SmoothingStep, usize)> {
    let step = |stage: &PlanStage| stage.smoothing.as_ref().map(|made| (made.field, made.step, stage.tasks));
    plan.stages.iter().filter_map(step).collect()
}

#[test]
fn smoothed_ground_and_softened_masks_are_the_same_in_tiles() {
    use SmoothedField::{Curvature, Ground, Mask as Softened};
    use SmoothingStep::{Columns, Rows, Weights};
    let names = ["Perlin", "Blur", "Median", "Sharpen", "Thermal", "Ridges", "Terrace", "Gullies", "Hydraulic"];
    let mut scene = scene(257, names.iter().zip(1..).map(|(name, seed)| layer(name, seed)).collect());
    scene.layers[0].name = "Base".into();
    // A mask that is inverted after blurring and reads another layer, on a process with several batches.
    scene.layers[4].mask = Mask {
        by_curvature: true,
        by_layer: true,
        layer: LayerName("Base".into()),
        layer_from: 500.0,
        layer_feather: 100.0,
        soften_metres: 90.0,
        invert: true,
        ..Mask::default()
    };
    scene.layers[5].mask = Mask { by_curvature: true, curvature_from: -1.0, ..Mask::default() };
    scene.layers[6].mask = Mask { by_slope: true, slope_to: 30.0, soften_metres: 40.0, ..Mask::default() };
    assert_eq!(scene.problems(), vec![]);
    scene.set("2.radius=400").unwrap();
    // Thermal erosion runs in several batches of iterations.
    scene.set("5.iterations=30").unwrap();
    scene.set("9.iterations=3").unwrap();
    let mut wanted = Vec::new();
    for fields in [&[Ground][..], &[Ground], &[Curvature, Softened], &[Ground, Curvature], &[Softened], &[Ground]] {
        for &field in fields {
            wanted.extend((field == Softened).then_some((field, Weights, 16)));
            wanted.extend([(field, Columns, 4), (field, Rows, 4)]);
        }
    }
    let plan = tile_plan(&scene, 257, 64).unwrap();
    assert!(plan.stages.iter().all(|stage| stage.whole.is_empty()));
    assert_eq!(smoothing_steps(&plan), wanted);
    on_threads(2, || {
        check_tiles("smoothed", &scene, 257, &TILES);
        // The blur radius is first one cell, then larger than the terrain. The lowest layer has a mask.
        scene.layers.truncate(4);
        scene.layers[0].mask = Mask { by_noise: true, noise_metres: 300.0, soften_metres: 70.0, ..Mask::default() };
        for radius in ["16", "30000"] {
            scene.set(&format!("2.radius={radius}")).unwrap();
            check_tiles(&format!("smoothed by {radius} m"), &scene, 257, &[64, 333]);
        }
    });
}

/// Trees with primitives of every kind and with materials are built in windows of the whole terrain.
#[test]
fn constructions_are_the_same_in_tiles() {
    on_threads(2, || {
        for (name, tree) in talweg::construction::presets::all() {
            let mut scene = scene(200, vec![layer("Construction", 1), layer("Median", 2)]);
            let Node::Construction(node) = &mut scene.layers[0].node else { panic!("{name}") };
            (node.tree, node.cut_out) = (tree, name.len() % 2 == 0);
            let plan = tile_plan(&scene, 200, 64).unwrap();
            assert!(plan.stages.iter().all(|stage| stage.whole.is_empty()), "{name}");
            check_tiles(name, &scene, 200, &[64, 100]);
        }
    });
}

/// Tables of midpoint displacement are computed in windows. The tables are larger or smaller than the terrain, are
/// smoothed at every level, or show fewer levels than the terrain has.
#[test]
fn midpoints_of_any_level_are_the_same_in_tiles() {
    on_threads(2, || {
        for (name, changes) in [
            ("DiamondSquare", &["1.smoothing=0.7", "1.smoothed=Levels", "1.centre_lift=0.5"][..]),
            ("DiamondSquare", &["1.levels_shown=5", "1.sides=Corners"]),
            ("Triangular", &["1.levels_shown=4"]),
            ("Triangular", &[]),
            ("VoronoiMidpoint", &["1.coarse_levels=3"]),
        ] {
            let mut scene = scene(257, vec![layer(name, 1), layer("Median", 2)]);
            changes.iter().for_each(|change| scene.set(change).unwrap());
            for samples in [257, 300] {
                let plan = tile_plan(&scene, samples, 64).unwrap();
                assert!(plan.stages.iter().all(|stage| stage.whole.is_empty()), "{name}");
                check_tiles(&format!("{name} {changes:?} of {samples}"), &scene, samples, &[64, 100]);
            }
        }
    });
}

#[test]
fn heights_are_normalised_by_the_range_of_all_tiles() {
    let mut scene =
        scene(257, ["Perlin", "Normalise", "Thermal", "Normalise", "Levels"].map(|name| layer(name, 1)).into());
    for change in ["2.high=0.7", "4.low=0.9", "4.high=-0.2", "5.gamma=1.5", "3.iterations=4"] {
        scene.set(change).unwrap();
    }
    let plan = tile_plan(&scene, 257, 64).unwrap();
    assert_eq!(survey_steps(&plan), [SurveyStep::Range, SurveyStep::Ranges, SurveyStep::Ground].repeat(2));
    on_threads(2, || check_tiles("ranges", &scene, 257, &TILES));
}

#[test]
fn finished_tasks_are_skipped_and_damaged_tiles_recomputed() {
    let scene = scene(200, vec![layer("Perlin", 1), layer("Thermal", 2)]);
    let folder = tempfile::tempdir().unwrap();
    let build = planned(&folder.path().join("plan"), &scene, 200, 64);
    let control = Control::default();
    let run = |stage: usize, task: usize| build.run_task(stage, task, &control);
    // Thermal erosion of 50 iterations has a stencil radius of 100 cells, so it is divided into several stages.
    assert!(build.plan.stages.len() > 2);
    let said = run(1, 0).unwrap_err().to_string();
    assert!(said.contains("run stage 0 first") && said.contains("ground-0-0.tile"), "{said}");
    assert!(matches!(run(0, 99), Err(TileError::NoTask { stage: 0, task: 99 })));
    run_all(&build);
    let merged = build.merged(&control).unwrap();
    assert_eq!(merged.hash, whole(&scene, 200).hash());
    assert_eq!(run(1, 0).unwrap(), TaskOutcome::WasDone);
    let path = build.store.path(build.plan.result, [1, 1]);
    let sound = std::fs::read(&path).unwrap();
    for damage in [sound[..sound.len() - 1].to_vec(), {
        let mut bytes = sound.clone();
        bytes[500] ^= 1;
        bytes
    }] {
        std::fs::write(&path, damage).unwrap();
        let said = build.merged(&control).unwrap_err().to_string();
        assert!(said.contains("damaged") && said.contains("run stage"), "{said}");
        let (stage, tiles) = (build.plan.result.stage(), build.plan.tiles(build.plan.result.stage()));
        assert_eq!(run(stage, tiles + 1).unwrap(), TaskOutcome::Done);
        assert_eq!(std::fs::read(&path).unwrap(), sound);
    }
    // A tile of another plan does not belong to this plan.
    let mut other = scene.clone();
    other.settings.seed += 1;
    let other = planned(&folder.path().join("other"), &other, 200, 64);
    std::fs::create_dir_all(other.store.folder().join("stage-000")).unwrap();
    std::fs::copy(
        build.store.path(build.plan.stages[0].writes[0], [0, 0]),
        other.store.path(other.plan.stages[0].writes[0], [0, 0]),
    )
    .unwrap();
    assert_eq!(other.run_task(0, 0, &control).unwrap(), TaskOutcome::Done);
    assert_eq!(other.run_task(0, 0, &control).unwrap(), TaskOutcome::WasDone);
}

#[test]
fn combining_groups_are_built_whole_and_stored_in_tiles() {
    let mut group = layer("LayerGroup", 4);
    group.mix = Mix { opacity: 0.5, ..Mix::default() };
    let mut inside = layer("Thermal", 3);
    inside.depth = 1;
    let mut scene = scene(257, vec![layer("Perlin", 1), layer("Ridged", 2), inside, group, layer("Levels", 5)]);
    for change in ["3.largest_scale=Samples33", "3.iterations=20", "5.gamma=1.5"] {
        scene.set(change).unwrap();
    }
    let plan = tile_plan(&scene, 257, 64).unwrap();
    assert_eq!(plan.stages.len(), 1);
    let said = &plan.stages[0].whole;
    assert!(
        said.len() == 5 && said[3].contains("joins the ground below it") && said[0].contains("the group"),
        "{said:?}"
    );
    on_threads(2, || check_tiles("a group", &scene, 257, &[64, 333]));
    // A group with default blending does not need a build of the whole terrain.
    scene.layers[3].mix = Mix::default();
    assert!(tile_plan(&scene, 257, 64).unwrap().stages.iter().any(|stage| !stage.is_whole()));
}

#[test]
fn wrapping_terrain_is_built_whole_and_stored_in_tiles() {
    let mut scene = scene(385, ["Perlin", "Thermal", "Blur"].map(|name| layer(name, 1)).into());
    scene.settings.edges = Edges::Wrap;
    scene.set("2.largest_scale=Samples33").unwrap();
    scene.layers[2].mask = Mask { by_height: true, height_from: 300.0, soften_metres: 50.0, ..Mask::default() };
    let plan = tile_plan(&scene, 385, 64).unwrap();
    assert!(plan.stages.iter().all(PlanStage::is_whole));
    assert!(plan.stages.last().unwrap().whole[0].contains("the terrain wraps"), "{plan:?}");
    on_threads(2, || check_tiles("a terrain that wraps", &scene, 385, &[64, 333]));
    // Without layers, the terrain is level.
    scene.layers.clear();
    check_tiles("level ground that wraps", &scene, 385, &[64]);
}

#[test]
fn a_plan_reports_impossible_tasks_and_changes() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("plan");
    let mut scene = scene(200, vec![layer("Perlin", 1), layer("Lakes", 2), layer("Expander", 3)]);
    let plan = tile_plan(&scene, 65_537, 2048).unwrap();
    let whole: Vec<_> = plan.stages.iter().flat_map(|stage| &stage.whole).collect();
    assert!(whole[0].starts_with("Lakes: ") && whole.len() == 2, "{whole:?}");
    assert_eq!(plan.stages.iter().map(|stage| stage.tasks).collect::<Vec<_>>(), [32 * 32, 1]);
    assert!(plan.stages[0].memory_bytes < 1 << 30 && plan.stages[1].memory_bytes > 1 << 36);
    assert!(matches!(tile_plan(&scene, 200, 8), Err(TileError::Sizes)));
    assert!(matches!(tile_plan(&Scene::new_planet(), 65, 64), Err(TileError::Planet)));
    let build = planned(&place, &scene, 200, 64);
    assert!(write_plan(&place, &build.plan, &scene).is_err(), "a plan is not overwritten");
    scene.set("1.octaves=3").unwrap();
    scene.save(place.join("scene.ron")).unwrap();
    assert!(matches!(TileBuild::open(&place), Err(TileError::OtherScene { .. })));
    let text = std::fs::read_to_string(place.join("plan.ron")).unwrap();
    std::fs::write(place.join("plan.ron"), text.replace("Ground(0)", "Ground(7)")).unwrap();
    let said = TileBuild::open(&place).unwrap_err().to_string();
    assert!(said.contains("plan.ron was edited or damaged") && said.contains("new plan"), "{said}");
}
