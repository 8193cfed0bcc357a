//! Coarse-to-fine erosion: properties of every process that supports it.

use std::sync::Arc;

use talweg::eval::{Evaluated, Playhead, Store, evaluate, history, thread_pool};
use talweg::field::{Control, Edges, Terrain};
use talweg::hydrology::{FlowGraph, FlowMesh, FlowRouting, Outlets, UpstreamOrder, accumulate, strahler_orders};
use talweg::measure::{Limits, TerrainScale, measure};
use talweg::nodes::Node;
use talweg::nodes::multiscale::{LargestScale, MultiScale, StreamBeds};
use talweg::param::{Params, Value};
use talweg::planet::World;
use talweg::scene::{Layer, ParamEpoch, Scene, example};

use crate::kits::common::example_terrain;

/// Iterations on the coarsest grid.
const ITERATIONS: i64 = 6;

fn set_param(params: &mut dyn Params, name: &str, value: Value) {
    let index = params.about().find(name).unwrap_or_else(|| panic!("no parameter {name}"));
    params.set(index, &value).unwrap();
}

/// The processes that run from coarse to fine, starting at 33 samples.
fn refined() -> Vec<Node> {
    let multiscale = |node: &Node| node.params().about().find("largest_scale").is_some();
    let begun = |mut node: Node| {
        let choice = LargestScale::ALL.iter().position(|&scale| scale == LargestScale::Samples33).unwrap();
        set_param(node.params_mut(), "largest_scale", Value::Choice(choice));
        set_param(node.params_mut(), "iterations", Value::Int(ITERATIONS));
        node
    };
    Node::catalogue().into_iter().filter(multiscale).map(begun).collect()
}

/// A scene with noise and `node` above it.
fn scene(node: Node, samples: u32, edges: Edges) -> Scene {
    let mut scene =
        Scene { layers: vec![Layer::new(Node::named("Perlin").unwrap(), 1), Layer::new(node, 2)], ..Scene::default() };
    (scene.settings.resolution, scene.settings.edges) = (samples, edges);
    // The land is so small that slopes are steep even on the coarsest grid.
    scene.settings.size_metres = 2000.0;
    match scene.layers[1].node.about().name {
        "Coastal" => scene.settings.sea_level = 0.5 * scene.settings.relief_metres,
        "Snow" => scene.set("2.snow_line=200").unwrap(),
        _ => {}
    }
    scene
}

fn globe(node: Node, samples: u32) -> Scene {
    let mut scene = Scene::new_planet();
    scene.settings.resolution = samples;
    scene.layers.push(Layer::new(node, 2));
    // Slopes between cells hundreds of kilometres wide are gentle, so the talus angle must be small.
    let _ = scene.set("2.talus_angle=0.2");
    scene
}

fn whole(scene: &Scene, store: &mut Store) -> Arc<Terrain> {
    evaluate(scene, scene.samples(), None, store, &Control::default()).unwrap().terrain
}

fn evaluate_at(scene: &Scene, samples: usize, iteration: u32) -> Evaluated {
    let playhead = Some(Playhead { layer: 1, iteration });
    evaluate(scene, samples, playhead, &mut Store::forgetful(), &Control::default()).unwrap()
}

/// Every process on open and wrapping squares, and on planets if it supports them.
fn scenes(samples: u32) -> Vec<Scene> {
    let mut scenes = Vec::new();
    for node in refined() {
        scenes.extend([Edges::Open, Edges::Wrap].map(|edges| scene(node.clone(), samples, edges)));
        if node.fits(World::Planet) {
            scenes.push(globe(node, samples));
        }
    }
    scenes
}

#[test]
fn every_erosion_is_multiscale_and_defaults_to_one_grid() {
    assert!(refined().len() >= 10);
    for node in refined() {
        let plain = Node::named(node.about().name).unwrap();
        assert_eq!(
            plain.as_process().unwrap().multiscale(),
            MultiScale { largest: LargestScale::OneGrid, fine_weight: 0.75 }
        );
    }
}

#[test]
fn a_preview_is_one_of_the_levels_and_caching_changes_no_bit() {
    for scene in scenes(65) {
        let fresh = whole(&scene, &mut Store::forgetful());
        let mut store = Store::default();
        for samples in [33, 65] {
            let made = evaluate(&scene, samples, None, &mut store, &Control::default()).unwrap().terrain;
            assert_eq!(made.samples(), samples);
            if samples == 65 {
                assert!(made.height == fresh.height, "{:?}", scene.layers[1].node);
                for (kind, map) in made.maps() {
                    assert!(Some(map) == fresh.map(kind), "{kind:?} {:?}", scene.layers[1].node);
                }
            }
        }
        // After the iterations of the coarse grid, the fine grid has its heights at common samples.
        let coarse = evaluate(&scene, 33, None, &mut Store::forgetful(), &Control::default()).unwrap().terrain;
        let shown = evaluate_at(&scene, 65, ITERATIONS as u32).terrain;
        let n = shown.samples();
        // planets are only approximately equal, because the terrain below the process depends on the resolution
        let is_exact = !scene.is_planet();
        for k in (0..coarse.grid.len()).filter(|_| is_exact) {
            let (i, j) = (k / coarse.samples(), k % coarse.samples());
            let (a, b) = (coarse.height[k], shown.height[2 * i * n + 2 * j]);
            assert!((a - b).abs() <= 1e-6, "{i} {j}: {a} {b} {:?}", scene.layers[1].node);
        }
    }
}

#[test]
fn the_mass_balance_closes_on_the_finest_grid() {
    for scene in scenes(129) {
        let beneath = {
            let mut bare = scene.clone();
            bare.layers.pop();
            whole(&bare, &mut Store::forgetful())
        };
        let levels = MultiScale { largest: LargestScale::Samples33, fine_weight: 0.75 }.levels(ITERATIONS as u32, 129);
        let all: u32 = levels.iter().map(|level| level.iterations).sum();
        assert_eq!(scene.iterations(1), Some(all));
        // Iterations in the middle of the first grid, at its end, in the middle of the last grid, and at its end.
        for iteration in [2, ITERATIONS as u32, all - 1, all] {
            let made = evaluate_at(&scene, 129, iteration);
            let (grid, mass_balance) = (made.terrain.grid, made.mass_balance.unwrap());
            let before = grid.sum(&beneath.height);
            let change = grid.sum(&made.terrain.height) - before;
            let about = (iteration, &scene.layers[1].node, mass_balance);
            assert!(mass_balance.eroded + mass_balance.added > 0.0, "nothing happened: {about:?}");
            assert!((change - mass_balance.ground_change()).abs() <= 1e-6 * before.abs(), "{change} {about:?}");
            assert!(mass_balance.residual().abs() <= 1e-6 * before.abs(), "{about:?}");
            let worked = mass_balance.eroded + mass_balance.deposited + mass_balance.added;
            let rounding = 1e-9 * before.abs();
            assert!(mass_balance.resampled.abs() <= 0.1 * worked + rounding, "interpolation made ground: {about:?}");
        }
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    let pools = [1, 2].map(|threads| thread_pool(threads).unwrap());
    for scene in scenes(65) {
        let [one, two] = pools.each_ref().map(|pool| pool.install(|| whole(&scene, &mut Store::forgetful()).hash()));
        assert!(one == two, "{:?}", scene.layers[1].node);
    }
}

#[test]
fn the_playhead_covers_all_grids_and_larger_sizes_append() {
    let node = refined().into_iter().find(|node| node.about().name == "Thermal").unwrap();
    let scene = scene(node, 65, Edges::Open);
    let all = scene.iterations(1).unwrap();
    let heights = |iteration| evaluate_at(&scene, 65, iteration).terrain.height_hash();
    let course: Vec<u128> = (0..=all).map(heights).collect();
    assert!(course.windows(2).all(|pair| pair[0] != pair[1]), "every iteration shows");
    assert!(course[all as usize] == whole(&scene, &mut Store::forgetful()).height_hash());
    // The last iteration of the scene is the end of the process, whatever size is requested.
    let larger = evaluate(&scene, 129, None, &mut Store::forgetful(), &Control::default()).unwrap().terrain;
    assert!(evaluate_at(&scene, 129, all).terrain.hash() == larger.hash());
    assert!(scene.layers[1].iterations(129).unwrap() > all);
}

#[test]
fn scrubbing_over_the_grids_changes_no_bit() {
    for scene in scenes(129) {
        let mut store = Store::default();
        let all = scene.iterations(1).unwrap();
        for iteration in [2, 7, 8, 4, all - 1, all - 3, all] {
            let playhead = Some(Playhead { layer: 1, iteration });
            let kept = evaluate(&scene, 129, playhead, &mut store, &Control::default()).unwrap().terrain;
            let fresh = evaluate_at(&scene, 129, iteration).terrain;
            assert!(kept.hash() == fresh.hash(), "{iteration} {:?}", scene.layers[1].node);
        }
    }
}

#[test]
fn temporary_states_leave_the_cache_unchanged() {
    let mut node = refined().into_iter().find(|node| node.about().name == "Thermal").unwrap();
    // The playhead visits more positions than there are cached timelines.
    set_param(node.params_mut(), "iterations", Value::Int(30));
    let scene = scene(node, 129, Edges::Open);
    let mut store = Store::default();
    whole(&scene, &mut store);
    let kept = store.cache.bytes();
    for iteration in 0..scene.iterations(1).unwrap() {
        let playhead = Some(Playhead { layer: 1, iteration });
        evaluate(&scene, 129, playhead, &mut store, &Control::default()).unwrap();
        assert_eq!(store.cache.bytes(), kept, "{iteration}");
    }
    let told = history(&scene, 129, 1, &store).unwrap();
    assert_eq!(told.moments.len(), scene.iterations(1).unwrap() as usize, "the history is still complete");
}

#[test]
fn a_changed_process_continues_through_the_grids() {
    let node = refined().into_iter().find(|node| node.about().name == "Thermal").unwrap();
    let plain = scene(node.clone(), 129, Edges::Open);
    let straight = whole(&plain, &mut Store::forgetful());
    for iterations in [3, ITERATIONS as u32, ITERATIONS as u32 + 2] {
        let mut halves = plain.clone();
        halves.layers[1].epochs.push(ParamEpoch { node: node.clone(), iterations });
        assert_eq!(halves.iterations(1), plain.iterations(1));
        assert!(
            whole(&halves, &mut Store::forgetful()).hash() == straight.hash(),
            "splitting the process changes nothing: {iterations}"
        );
        set_param(halves.layers[1].node.params_mut(), "talus_angle", Value::Float(10.0));
        assert!(whole(&halves, &mut Store::forgetful()).hash() != straight.hash());
        let before = |scene: &Scene| evaluate_at(scene, 129, iterations).terrain.height_hash();
        assert!(before(&halves) == before(&plain), "earlier iterations do not change: {iterations}");
    }
}

#[test]
fn the_history_covers_all_grids_in_samples_of_the_finest() {
    let node = refined().into_iter().find(|node| node.about().name == "Thermal").unwrap();
    let scene = scene(node, 129, Edges::Open);
    let mut store = Store::default();
    let end = evaluate(&scene, 129, Some(Playhead { layer: 1, iteration: u32::MAX }), &mut store, &Control::default());
    let end = end.unwrap().mass_balance.unwrap();
    let told = history(&scene, 129, 1, &store).unwrap();
    let levels = scene.layers[1].multiscale().levels(ITERATIONS as u32, 129);
    let begins = levels.iter().scan(0, |sum, level| Some(std::mem::replace(sum, *sum + level.iterations)));
    assert_eq!(told.levels, begins.collect::<Vec<_>>());
    let all = scene.iterations(1).unwrap();
    assert_eq!(told.moments.iter().map(|moment| moment.iteration).collect::<Vec<_>>(), (1..=all).collect::<Vec<_>>());
    assert!(told.moments.last().unwrap().mass_balance == end);
    assert!(told.moments.windows(2).all(|pair| pair[0].mass_balance.eroded <= pair[1].mass_balance.eroded * 1.001));
}

#[test]
fn the_history_includes_channels_cut_after_the_last_iteration() {
    let node = refined().into_iter().find(|node| node.about().name == "Droplets").unwrap();
    let (scene, mut store) = (scene(node, 385, Edges::Open), Store::default());
    let end = evaluate(&scene, 385, Some(Playhead { layer: 1, iteration: u32::MAX }), &mut store, &Control::default());
    let end = end.unwrap().mass_balance.unwrap();
    let told = history(&scene, 385, 1, &store).unwrap();
    assert!(end.resampled != 0.0 && told.moments.last().unwrap().mass_balance == end);
}

#[test]
fn masks_hardness_and_rain_act_on_every_grid() {
    let node = refined().into_iter().find(|node| node.about().name == "Thermal").unwrap();
    let mut masked = scene(node, 129, Edges::Open);
    let free = whole(&masked, &mut Store::forgetful());
    masked.set("2.by_height=true").unwrap();
    masked.set("2.height_from=900").unwrap();
    masked.set("2.height_to=100000").unwrap();
    masked.set("2.height_feather=0").unwrap();
    let held = whole(&masked, &mut Store::forgetful());
    let mut bare = masked.clone();
    bare.layers.pop();
    let beneath = whole(&bare, &mut Store::forgetful());
    let metres = masked.settings.relief_metres;
    let (mut inside, mut outside) = (0, 0);
    for k in 0..beneath.height.len() {
        let expected = if beneath.height[k] * metres < 900.0 { beneath.height[k] } else { free.height[k] };
        *(if expected == beneath.height[k] { &mut outside } else { &mut inside }) += 1;
        assert_eq!(held.height[k], expected, "{k}");
    }
    assert!(inside > 500 && outside > 500, "{inside} {outside}");
    let mut hard = masked.clone();
    hard.set("2.hardness=1").unwrap();
    assert!(
        whole(&hard, &mut Store::forgetful()).height == beneath.height,
        "rock that never wears stays on every grid"
    );
}

/// Number of directions for counting streams.
const DIRECTIONS: usize = 16;
/// Number of downstream steps over which a direction is measured: longer than a cell of the coarsest grid.
const STEPS: usize = 12;

/// Returns three results: the flow graph; the cells ordered so that each cell comes after all its donors; the drainage
/// area of each cell, as a number of cells.
fn drained(terrain: &Terrain) -> (FlowGraph, UpstreamOrder, Vec<f32>) {
    let (grid, control) = (terrain.grid, Control::default());
    let mesh = FlowMesh::new(grid);
    let outlets = Outlets::new(grid, &terrain.height, f32::NEG_INFINITY);
    let graph = FlowGraph::new(&mesh, &terrain.height, &outlets, FlowRouting::D8, &control).unwrap();
    let mut area = mesh.areas();
    let order = accumulate(&graph.receivers, &mut area, &control).unwrap();
    (graph, order, area)
}

/// Length in cells of the streams of order 2 and above, for each direction.
fn stream_directions(terrain: &Terrain) -> [f64; DIRECTIONS] {
    let grid = terrain.grid;
    let (graph, order, area) = drained(terrain);
    let channel = 1e-4 * grid.len() as f32;
    let orders = strahler_orders(&graph.receivers, order.iter(), |k| area[k] >= channel);
    let mut lengths = [0.0; DIRECTIONS];
    for k in (0..grid.len()).filter(|&k| orders[k] >= 2) {
        let below = (0..STEPS).fold(k, |at, _| graph.receivers[at] as usize);
        let n = grid.samples;
        let east = (below % n) as f64 - (k % n) as f64;
        let south = (below / n) as f64 - (k / n) as f64;
        if east != 0.0 || south != 0.0 {
            let turn = south.atan2(east).rem_euclid(std::f64::consts::TAU) / std::f64::consts::TAU;
            lengths[(turn * DIRECTIONS as f64 + 0.5) as usize % DIRECTIONS] += 1.0;
        }
    }
    lengths
}

#[test]
fn streams_have_no_more_grid_bias_than_on_one_grid() {
    let total = |largest: LargestScale| {
        let mut lengths = [0.0; DIRECTIONS];
        for seed in 1..=12 {
            let mut node = Node::named("StreamPower").unwrap();
            let choice = LargestScale::ALL.iter().position(|&scale| scale == largest).unwrap();
            set_param(node.params_mut(), "largest_scale", Value::Choice(choice));
            set_param(node.params_mut(), "fine_weight", Value::Float(0.5));
            set_param(node.params_mut(), "iterations", Value::Int(30));
            set_param(node.params_mut(), "time_step", Value::Float(8000.0));
            let mut scene = scene(node, 257, Edges::Open);
            scene.settings.seed = seed;
            scene.settings.size_metres = 12_000.0;
            scene.set("1.amplitude=0.1").unwrap();
            let streams = stream_directions(&whole(&scene, &mut Store::forgetful()));
            lengths.iter_mut().zip(streams).for_each(|(sum, length)| *sum += length);
        }
        let all: f64 = lengths.iter().sum();
        lengths.map(|length| length / all * DIRECTIONS as f64)
    };
    let [one, refined] = [LargestScale::OneGrid, LargestScale::Samples65].map(total);
    let ratios: [f64; DIRECTIONS] = std::array::from_fn(|k| refined[k] / one[k]);
    // The classes are rows and columns, diagonals, and the directions between them.
    for class in [[0, 4, 8, 12].as_slice(), &[2, 6, 10, 14], &[1, 3, 5, 7, 9, 11, 13, 15]] {
        let mean = |shares: &[f64]| class.iter().map(|&k| shares[k]).sum::<f64>();
        let ratio = mean(&refined) / mean(&one);
        assert!((0.9..=1.1).contains(&ratio), "{class:?}: {ratio} {ratios:.2?}");
    }
    assert!(ratios.iter().all(|ratio| (0.8..=1.25).contains(ratio)), "{ratios:.2?}");
}

/// Row and column of the samples along trunk streams, with a drainage area of at least 1 % of the scene.
fn trunk(terrain: &Terrain) -> Vec<[usize; 2]> {
    let samples = terrain.samples();
    let least = 0.01 * terrain.grid.len() as f32;
    let (_, _, area) = drained(terrain);
    (0..terrain.grid.len()).filter(|&k| area[k] >= least).map(|k| [k / samples, k % samples]).collect()
}

/// Fraction of a fine grid's trunk-stream samples that lie within `cells` coarse cells of a trunk-stream sample of a
/// coarse grid. One coarse cell is `step` fine cells wide.
fn share_within(cells: usize, step: usize, fine: &[[usize; 2]], coarse: &[[usize; 2]]) -> f64 {
    let near = |cell: &&[usize; 2]| {
        coarse.iter().any(|there| (0..2).all(|axis| (step * there[axis]).abs_diff(cell[axis]) <= cells * step))
    };
    fine.iter().filter(near).count() as f64 / fine.len() as f64
}

/// Fraction of the fine grid's trunk-stream samples that lie within one coarse cell of a trunk-stream sample of the
/// coarse grid. Only streams with a bed count: in a lake the water has none.
fn shared_trunks(coarse: &Terrain, fine: &Terrain) -> f64 {
    let (graph, ..) = drained(fine);
    let has_bed = |&[row, column]: &[usize; 2]| {
        let k = row * fine.samples() + column;
        graph.surface[k] == fine.height[k]
    };
    let beds: Vec<[usize; 2]> = trunk(fine).into_iter().filter(has_bed).collect();
    share_within(1, (fine.samples() - 1) / (coarse.samples() - 1), &beds, &trunk(coarse))
}

#[test]
fn a_larger_size_has_the_same_trunk_streams() {
    let mut node = refined().into_iter().find(|node| node.about().name == "StreamPower").unwrap();
    set_param(node.params_mut(), "iterations", Value::Int(30));
    set_param(node.params_mut(), "fine_weight", Value::Float(0.5));
    set_param(node.params_mut(), "time_step", Value::Float(8000.0));
    let mut scene = scene(node, 129, Edges::Open);
    scene.settings.size_metres = 12_000.0;
    scene.set("1.amplitude=0.1").unwrap();
    let [coarse, fine] = [129, 513]
        .map(|samples| evaluate(&scene, samples, None, &mut Store::forgetful(), &Control::default()).unwrap().terrain);
    let share = shared_trunks(&coarse, &fine);
    assert!(share >= 0.9, "{share}");
    // With TALWEG_LARGE=1 the test measures the examples up to 4097 samples, which takes minutes.
    if std::env::var_os("TALWEG_LARGE").is_some() {
        for name in ["growing-range", "droplet-gullies", "river-valleys", "eroded-hills"] {
            let coarse = trunk(&example_terrain(name, 513));
            for samples in [1025, 2049, 4097] {
                let (step, fine) = ((samples - 1) / 512, trunk(&example_terrain(name, samples)));
                let shares = [1, 2, 4].map(|cells| share_within(cells, step, &fine, &coarse));
                println!("{name}: trunk streams of {samples} within 1, 2 and 4 cells of those of 513: {shares:.3?}");
            }
        }
    }
}

/// Scenes, each with the least fraction of its trunk streams at 1025 samples that must lie within one coarse cell of a
/// trunk stream at 513 samples.
const KEPT: [(&str, f64); 4] =
    [("growing-range", 0.98), ("river-valleys", 0.97), ("eroded-hills", 0.96), ("droplet-gullies", 0.95)];

#[test]
fn trunk_streams_of_the_scenes_stay_in_their_beds() {
    for (name, least) in KEPT {
        let share = shared_trunks(&example_terrain(name, 513), &example_terrain(name, 1025));
        println!("{name}: {share:.3}");
        assert!(share >= least, "{name}: {share}");
    }
}

#[test]
fn thermal_erosion_keeps_beds_as_rough_as_their_sides() {
    let terrain = example_terrain("eroded-hills", 1025);
    let (n, height) = (terrain.samples(), &terrain.height);
    let (_, _, area) = drained(&terrain);
    // Squared curvature on the scale of the finest grid: at the edges of channel beds, and farther away.
    let mut sums = [[0.0f64; 2]; 2];
    for k in (0..n * n).filter(|k| [k / n, k % n].iter().all(|at| (12..n - 12).contains(at))) {
        let within = |cells: usize| {
            let rows = k / n - cells..=k / n + cells;
            rows.into_iter().any(|i| (k % n - cells..=k % n + cells).any(|j| area[i * n + j] >= 0.01 * (n * n) as f32))
        };
        if !within(12) || within(1) {
            continue;
        }
        let around = height[k - 1] + height[k + 1] + height[k - n] + height[k + n];
        let sum = &mut sums[usize::from(!within(4))];
        *sum = [sum[0] + f64::from(height[k] - 0.25 * around).powi(2), sum[1] + 1.0];
    }
    let [beds, beside] = sums.map(|[sum, count]| (sum / count).sqrt());
    println!("roughness of beds {beds:.2e}, beside them {beside:.2e}");
    assert!(beds >= 0.9 * beside, "{beds} {beside}");
}

#[test]
fn kept_streams_keep_all_other_guarantees() {
    let pools = [1, 2].map(|threads| thread_pool(threads).unwrap());
    for (mut node, edges) in
        refined().into_iter().flat_map(|node| [Edges::Open, Edges::Wrap].map(|e| (node.clone(), e)))
    {
        let choice = LargestScale::ALL.iter().position(|&scale| scale == LargestScale::Samples257).unwrap();
        set_param(node.params_mut(), "largest_scale", Value::Choice(choice));
        if node.traits().finer_grids.stream_beds == StreamBeds::Free {
            continue;
        }
        let about = format!("{} {edges:?}", node.about().name);
        // 600 samples is not the size of a level, and it exceeds the grid whose trunk streams are kept.
        let scene = scene(node, 600, edges);
        let all = scene.iterations(1).unwrap();
        let end = pools[0].install(|| evaluate_at(&scene, 600, all));
        let two = pools[1].install(|| whole(&scene, &mut Store::forgetful()));
        assert!(end.terrain.hash() == two.hash(), "{about}: other threads, at the last iteration");
        let mut store = Store::default();
        for samples in [513, 600] {
            let kept = evaluate(&scene, samples, None, &mut store, &Control::default()).unwrap().terrain;
            assert!(samples != 600 || kept.hash() == two.hash(), "{about}: with cached results of the coarser grids");
        }
        let mut bare = scene.clone();
        bare.layers.pop();
        let beneath = whole(&bare, &mut Store::forgetful());
        for made in [evaluate_at(&scene, 600, all - 1), end] {
            let (grid, mass_balance) = (made.terrain.grid, made.mass_balance.unwrap());
            let before = grid.sum(&beneath.height);
            let change = grid.sum(&made.terrain.height) - before;
            assert!((change - mass_balance.ground_change()).abs() <= 1e-6 * before.abs(), "{about}: {mass_balance:?}");
            assert!(mass_balance.residual().abs() <= 1e-6 * before.abs(), "{about}: {mass_balance:?}");
        }
    }
}

/// Channels begin at a drainage area of 0.001 to 0.1 km² (Montgomery & Dietrich 1988). Horton 1945 and Strahler 1957
/// give Horton's ratios of real land.
#[test]
fn a_multiscale_range_has_six_stream_orders_and_horton_ratios() {
    let scene = &example("growing-range").unwrap().scene;
    let terrain = example_terrain("growing-range", 1025);
    let scale = TerrainScale::for_scene(scene);
    for source_area in [0.02, 0.05] {
        let limits = Limits { source_area, ..Limits::default() };
        let drainage = measure(&terrain, scale, &limits, &Control::default()).unwrap().drainage.unwrap();
        let (order, bifurcation, length) =
            (drainage.streams.len(), drainage.bifurcation_ratio().unwrap(), drainage.length_ratio().unwrap());
        println!("from {source_area} km²: order {order}, bifurcation {bifurcation:.2}, length {length:.2}");
        assert!(order >= 6 && (3.0..=5.0).contains(&bifurcation) && (1.5..=3.5).contains(&length));
    }
}
