//! Planets: the contract of every node on a globe, all steps from scene to map, and patches.

use std::path::Path;

use talweg::field::{Cancelled, Control, Edges, Globe, Grid, Stream, Terrain};
use talweg::measure::{Limits, PLANET_MEASURES, PlanetMeasures, bands, measure_planet};
use talweg::nodes::{Context, Node, NodeKind};
use talweg::planet::projection::{Equirectangular, Registration};
use talweg::planet::square::Square;
use talweg::planet::{Planet, World};
use talweg::scene::{Layer, Scene, Severity};
use talweg::scene::{PatchFiles, example, put_patch_back, take_patch};

use crate::kits::common::{evaluate, example_terrain};
use crate::kits::nodes::{TestScene, extremes, node, on_threads, read, read_terrain};

/// Maximum iterations of a process.
const MOST: u32 = 3;

fn on_globes() -> impl Iterator<Item = Node> {
    Node::catalogue().into_iter().filter(|node| node.traits().on_planet.is_some())
}

fn scene(layers: Vec<Node>) -> Scene {
    let mut scene = Scene {
        layers: layers.into_iter().zip(1..).map(|(node, seed)| Layer::new(node, seed)).collect(),
        ..Scene::default()
    };
    scene.settings.world = World::Planet;
    scene.settings.resolution = 33;
    scene.settings.relief_metres = 20_000.0;
    scene
}

fn measured(scene: &Scene) -> PlanetMeasures {
    measure_planet(&evaluate(scene, 65, 2), scene, &Limits::default(), &Control::default()).unwrap()
}

fn run(node: &Node, n: usize, planet: &Planet, control: &Control) -> Result<Terrain, Cancelled> {
    let cx = Context {
        grid: Grid::globe(n),
        size_metres: planet.side_metres(),
        relief_metres: 20_000.0,
        sea_level: 0.1,
        planet: Some(planet),
        scene_samples: n,
        cell_ratio: 1.0,
        voids: Default::default(),
        random: Stream::new(1, 7),
        control,
    };
    let mut terrain = Terrain::flat(cx.grid);
    if !matches!(node.work(), NodeKind::Generator(_)) {
        terrain = run(&Node::named("Perlin").unwrap(), n, planet, control)?;
    }
    match node.work() {
        NodeKind::Generator(generator) => generator.generate(&cx, &mut terrain)?,
        NodeKind::Filter(filter) => filter.apply(&cx, &mut terrain)?,
        NodeKind::Reference(reference) => {
            let input = read_terrain(&terrain);
            reference.apply(&cx, read(&cx, &input), &mut terrain)?;
        }
        NodeKind::Process(process) => {
            let mut run = process.start(&cx, terrain);
            for _ in 0..cx.iterations(process.iterations(), process.pace()).min(MOST) {
                run.step(&cx)?;
            }
            terrain = run.terrain().clone();
        }
    }
    Ok(terrain)
}

fn finish(node: &Node, n: usize, planet: &Planet) -> Terrain {
    run(node, n, planet, &Control::default()).expect("not cancelled")
}

/// Checks that every height is finite, and that faces agree on their borders.
fn assert_sound(terrain: &Terrain, what: &str) {
    let globe = Globe::new(terrain.samples());
    for (k, h) in terrain.height.iter().enumerate() {
        assert!(h.is_finite(), "{what}: {h} at {k}");
        assert_eq!(h.to_bits(), terrain.height[globe.grid().owner(k)].to_bits(), "{what}: faces differ at {k}");
    }
}

#[test]
fn planets_have_nodes_of_every_kind() {
    let names: Vec<&str> = on_globes().map(|node| node.about().name).collect();
    let noises = ["Perlin", "Ridged", "Billow", "Hybrid", "ValueNoise", "Simplex", "Cellular", "Voronoi"];
    for wanted in noises.into_iter().chain(["Continents", "Levels", "Terrace", "Blur", "Patch"]) {
        assert!(names.contains(&wanted), "{wanted} does not run on a globe: {names:?}");
    }
}

#[test]
fn extremes_stay_finite_and_faces_agree() {
    for node in on_globes() {
        let specs = &node.about().params;
        for (k, spec) in specs.iter().enumerate() {
            for value in extremes(spec) {
                let mut case = node.clone();
                case.params_mut().set(k, &value).unwrap();
                assert_sound(&finish(&case, 5, &Planet::default()), &format!("{case:?}"));
            }
        }
        for (radius_metres, atmosphere) in [(1000.0, 0.0), (1.0e9, 100.0), (1000.0, 100.0)] {
            let planet = Planet { radius_metres, atmosphere, ..Planet::default() };
            assert_sound(&finish(&node, 5, &planet), &format!("{planet:?} {node:?}"));
        }
    }
}

#[test]
fn any_size_works_on_a_globe() {
    for n in [2, 3, 4, 33, 100] {
        for node in on_globes() {
            assert_sound(&finish(&node, n, &Planet::default()), &format!("{} at {n}", node.about().name));
        }
    }
}

#[test]
fn threads_do_not_change_a_bit_of_a_planet() {
    for node in on_globes() {
        let [one, two] = [1, 2].map(|threads| on_threads(threads, || finish(&node, 65, &Planet::default())));
        assert!(one == two, "{node:?}");
    }
}

#[test]
fn a_cancelled_planet_evaluation_stops() {
    let control = Control::default();
    control.cancel();
    for node in on_globes().filter(|node| node.about().name != "Patch") {
        let default_does_nothing = run(&node, 9, &Planet::default(), &Control::default()).unwrap();
        let stopped = run(&node, 9, &Planet::default(), &control);
        assert!(stopped.is_err(), "{} went on: {:?}", node.about().name, default_does_nothing.range());
    }
}

/// Noise and continents are the same function of space at any resolution.
#[test]
fn a_coarse_planet_is_the_subsample_of_a_fine_one() {
    let noises = ["Perlin", "Ridged", "Billow", "Hybrid", "ValueNoise", "Simplex", "Cellular", "Voronoi"];
    for name in noises.into_iter().chain(["Continents"]) {
        let [coarse, fine] = [17, 33].map(|n| finish(&Node::named(name).unwrap(), n, &Planet::default()));
        for face in 0..6 {
            for (row, column) in (0..17).flat_map(|row| (0..17).map(move |column| (row, column))) {
                let a = coarse.height[(face * 17 + row) * 17 + column];
                let b = fine.height[(face * 33 + 2 * row) * 33 + 2 * column];
                assert!((a - b).abs() < 1e-4, "{name}: {a} and {b} at {face}, {row}, {column}");
            }
        }
    }
}

#[test]
fn square_only_nodes_are_reported_and_left_out() {
    let hills = scene(vec![Node::named("Perlin").unwrap()]);
    let mut mixed = scene(vec![Node::named("Perlin").unwrap(), Node::named("DiamondSquare").unwrap()]);
    let problems = mixed.problems();
    assert_eq!(problems.len(), 1);
    assert_eq!((problems[0].layer, problems[0].severity), (1, Severity::Broken));
    assert!(problems[0].message.contains("square"), "{}", problems[0].message);
    assert_eq!(evaluate(&mixed, 17, 1).hash(), evaluate(&hills, 17, 1).hash());
    mixed.layers[1].enabled = false;
    assert!(mixed.problems().is_empty());
    let mut flat = scene(vec![Node::named("Continents").unwrap()]);
    flat.settings.world = World::Terrain;
    assert!(flat.problems()[0].message.contains("planet"));
    assert_eq!(evaluate(&flat, 17, 1).range(), (0.0, 0.0));
}

#[test]
fn masks_and_blends_work_on_a_planet() {
    let mut all = scene(vec![Node::named("Continents").unwrap(), Node::named("Invert").unwrap()]);
    let whole = evaluate(&all, 33, 2);
    let mask = &mut all.layers[1].mask;
    (mask.by_height, mask.height_from, mask.height_to, mask.height_feather) = (true, 0.0, 1.0e5, 0.0);
    let land = evaluate(&all, 33, 2);
    assert_sound(&land, "masked");
    assert_ne!(land.hash(), whole.hash());
    all.layers[1].enabled = false;
    let plain = evaluate(&all, 33, 2);
    for (k, (&a, &b)) in plain.height.iter().zip(&land.height).enumerate() {
        assert!(a >= 0.0 || a == b, "the sea floor moved at {k}: {a} to {b}");
    }
    all.layers[1].enabled = true;
    let mask = &mut all.layers[1].mask;
    (mask.by_height, mask.by_slope, mask.by_noise, mask.by_curvature, mask.soften_metres) =
        (false, true, true, true, 4.0e5);
    assert_sound(&evaluate(&all, 33, 2), "masked by everything");
}

/// The parameter `land` is the fraction of the planet that land covers.
#[test]
fn continents_cover_the_requested_share() {
    for land in [0.1f32, 0.35, 0.8] {
        let mut made = scene(vec![node("Continents", &[("land", &land.to_string())])]);
        made.settings.sea_level = 0.0;
        let share = measured(&made).land_share;
        assert!((share - f64::from(land)).abs() < 0.07, "{share} for {land}");
    }
    // The hypsometric curve has two peaks, the ocean floor and the lowlands, with little between.
    let made = scene(vec![Node::named("Continents").unwrap()]);
    let bands = measured(&made).hypsometry;
    let most = |from: usize, to: usize| (from..to).fold(from, |m, k| if bands[k] > bands[m] { k } else { m });
    let (floor, land) = (most(0, 24), most(24, 64));
    let between = bands[floor..land].iter().fold(f64::INFINITY, |least, &b| least.min(b));
    assert!(between < bands[floor] / 4.0 && between < bands[land] / 3.0, "{bands:?}");
}

/// A thin atmosphere gives no continents.
#[test]
fn continents_fade_with_the_air() {
    let mut made = scene(vec![Node::named("Continents").unwrap()]);
    let relief = |scene: &Scene| {
        let (low, high) = evaluate(scene, 33, 2).range();
        high - low
    };
    let earth = relief(&made);
    made.planet.atmosphere = 0.05;
    let thin = relief(&made);
    made.planet.atmosphere = 0.0;
    assert!(thin < 0.7 * earth && thin > 0.1 * earth && relief(&made) == 0.0, "{earth}, {thin}");
}

#[test]
fn the_radius_does_not_affect_flat_scenes() {
    let mut flat = scene(vec![Node::named("Perlin").unwrap()]);
    flat.settings.world = World::Terrain;
    let before = evaluate(&flat, 33, 1).hash();
    flat.planet.radius_metres = 1.0e6;
    assert_eq!(evaluate(&flat, 33, 1).hash(), before);
    flat.set("planet.radius_metres=2000000").unwrap();
    assert_eq!(flat.planet.radius_metres, 2.0e6);
    let text = flat.to_ron().unwrap();
    assert_eq!(Scene::from_ron(&text).unwrap().0, flat);
}

#[test]
fn a_planet_map_continues_over_its_edges() {
    let terrain = evaluate(&scene(vec![Node::named("Continents").unwrap()]), 65, 2);
    let globe = Globe::new(65);
    let map = Equirectangular { width: 129, height: 65, registration: Registration::Grid };
    let heights = map.field(&globe, &terrain.height);
    for row in 0..65 {
        assert_eq!(heights[row * 129].to_bits(), heights[row * 129 + 128].to_bits());
    }
    for pole in [0, 64] {
        assert!(heights[pole * 129..][..129].iter().all(|h| *h == heights[pole * 129]));
    }
}

/// A patch taken out and put back unchanged changes the planet only by resampling, and nothing outside it.
#[test]
fn a_patch_returns_to_its_position() {
    let folder = tempfile::tempdir().unwrap();
    let planet = scene(vec![node("Perlin", &[("frequency", "2"), ("octaves", "3")])]);
    let before = evaluate(&planet, 65, 2);
    let square = Square { longitude: 40.0, latitude: 70.0, side_metres: 4.0e6 };
    let written = |files: PatchFiles| {
        files.write_heights().unwrap();
        files.scene
    };
    let out = folder.path().join("out.r32");
    let mut patch = written(take_patch(&planet, &before, square, 129, Path::new("planet.ron"), &out).unwrap());
    assert_eq!((patch.settings.world, patch.settings.size_metres), (World::Terrain, 4.0e6));
    let origin = patch.patch.clone().unwrap();
    assert_eq!((origin.planet.as_str(), origin.square(&patch)), ("planet.ron", square));
    patch.layers.truncate(1);
    let ground = evaluate(&patch, 129, 2);
    let radius = f64::from(planet.planet.radius_metres);
    let globe = Globe::new(65);
    // The patch has the heights of the planet's detailed terrain.
    let detail = planet.detail(&before, &Control::default()).unwrap();
    let taken = detail.square(&square, 129, &Control::default()).unwrap();
    for k in 0..taken.height.len() {
        assert!((ground.height[k] - taken.height[k]).abs() < 1e-5, "{} and {}", ground.height[k], taken.height[k]);
    }
    let back = written(put_patch_back(&planet, square, &patch, &ground, &folder.path().join("back.r32")).unwrap());
    assert!(back.problems().is_empty(), "{:?}", back.problems());
    let after = evaluate(&back, 65, 2);
    assert_sound(&after, "patched");
    let (mut moved, mut changes) = (0, 0.0);
    for k in 0..before.height.len() {
        let inside = square
            .position(radius, globe.direction_of(k).map(f64::from))
            .is_some_and(|p| p.iter().all(|c| (0.0..=1.0).contains(c)));
        let change = (after.height[k] - before.height[k]).abs();
        // Putting the patch back resamples the planet's terrain, so heights inside the square change a little.
        assert!(if inside { change < 0.25 } else { change == 0.0 }, "{change} at {k}");
        moved += usize::from(change > 0.0);
        changes += change;
    }
    assert!(changes / (moved as f32) < 0.06, "{}", changes / moved as f32);
    assert!(moved > 100, "the layer does something: {moved}");
    // If raised as a whole, the patch stands out in its middle and meets the terrain at its edges.
    let mut raised = ground.clone();
    raised.height.iter_mut().for_each(|h| *h += 0.1);
    let back = written(put_patch_back(&planet, square, &patch, &raised, &folder.path().join("raised.r32")).unwrap());
    let risen = evaluate(&back, 65, 2);
    let middle = square.direction(radius, 0.5, 0.5);
    let rise = globe.sample(&risen.height, middle) - globe.sample(&after.height, middle);
    assert!((rise - 0.1).abs() < 5e-3, "{rise}");
    assert!(
        take_patch(
            &planet,
            &before,
            Square { side_metres: 1.0e9, ..square },
            9,
            Path::new("planet.ron"),
            &folder.path().join("x.r32")
        )
        .is_err()
    );
    assert!(take_patch(&patch, &ground, square, 9, Path::new("planet.ron"), &folder.path().join("x.r32")).is_err());
    assert!(take_patch(&planet, &before, square, 9, Path::new("planet.ron"), &folder.path().join("x.png")).is_err());
}

/// Mean and standard deviation.
fn spread(values: &[f32]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().map(|&v| f64::from(v)).sum::<f64>() / count;
    let square = values.iter().map(|&v| (f64::from(v) - mean) * (f64::from(v) - mean)).sum::<f64>() / count;
    (mean, square.sqrt())
}

/// A globe has the statistics of the plane.
#[test]
fn fbm_has_the_same_spread_on_a_globe() {
    for name in ["Perlin", "ValueNoise", "Simplex"] {
        for octaves in ["1", "8"] {
            let node = node(name, &[("octaves", octaves), ("frequency", "40")]);
            let heights = finish(&node, 257, &Planet::default()).height;
            let (mean, deviation) = spread(&heights);
            assert!((mean - 0.5).abs() < 0.02 && (0.15..0.2).contains(&deviation), "{name}: {mean} ± {deviation}");
        }
    }
    // The height spread of cellular noise does not depend on the number of its cells, and is close to that on the
    // plane.
    for (name, key, few, many, plane) in
        [("Cellular", "frequency", "8", "40", "40"), ("Voronoi", "points", "600", "6000", "1000")]
    {
        let on_globe = |value: &str| spread(&finish(&node(name, &[(key, value)]), 257, &Planet::default()).height);
        let ((a, few), (b, many)) = (on_globe(few), on_globe(many));
        let (mean, deviation) = spread(
            &TestScene::new(513, Edges::Open)
                .finish(&node(name, &[(key, plane)]), &Terrain::flat(Grid::new(513, Edges::Open)), 0)
                .height,
        );
        println!("{name}: {a:.3} ± {few:.3}, {b:.3} ± {many:.3}; in the plane {mean:.3} ± {deviation:.3}");
        assert!((a - b).abs() < 0.03 && (few / many - 1.0).abs() < 0.08, "{name}: {a} ± {few}, {b} ± {many}");
        assert!((b - mean).abs() < 0.05 && (many / deviation - 1.0).abs() < 0.15, "{name}: {b} ± {many}");
    }
}

/// Land and sea of *Earthlike* are within the range measured on Earth, its forests within a tenth of it.
#[test]
fn the_earthlike_planet_is_like_earth() {
    let scene = &example("earthlike").unwrap().scene;
    let made = example_terrain("earthlike", 129);
    let found = measure_planet(&made, scene, &Limits::default(), &Control::default()).unwrap();
    for (key, slack) in
        [("land_share", 0.0), ("mean_land_metres", 0.0), ("mean_depth_metres", 0.0), ("forest_share", 0.1)]
    {
        let measure = PLANET_MEASURES.iter().find(|measure| measure.key == key).unwrap();
        let (value, band) = ((measure.read)(&found).number().unwrap(), bands(key).next().unwrap());
        let range = band.low * (1.0 - slack)..=band.high * (1.0 + slack);
        assert!(range.contains(&value), "{key} {value} is not within {range:?}");
    }
}

/// Latitude in degrees at which, going poleward along a meridian of the hemisphere `north`, open sea ends at sea ice;
/// `None` where land lies between.
fn ice_edge(globe: &Globe, [height, celsius]: [&[f32]; 2], north: f64, longitude: f64) -> Option<f64> {
    // Freezing point of sea water.
    const FREEZES: f32 = -1.8;
    let mut was_open = false;
    for step in 0..180 {
        let latitude = 45.0 + 0.25 * f64::from(step);
        let here = talweg::field::globe::from_angles((north * latitude).to_radians(), longitude.to_radians());
        let is_ice = globe.sample(celsius, here) < FREEZES;
        let is_sea = globe.sample(height, here) < 0.0;
        if is_sea && is_ice && was_open {
            return Some(latitude);
        }
        if is_ice {
            return None;
        }
        was_open = is_sea;
    }
    None
}

/// Without currents and sea temperature anomalies, the climate is the same along a parallel. The ice then ends on a
/// parallel, except for effects of land and sample spacing. Currents and anomalies move heat along the parallels
/// without creating any. With them the ice edge bends many times as much, around nearly the same mean latitude.
#[test]
fn the_sea_ice_edge_of_the_earthlike_planet_is_no_parallel() {
    let scene = &example("earthlike").unwrap().scene;
    let made = example_terrain("earthlike", 129);
    let globe = Globe::new(129);
    let edges = |scene: &Scene, north: f64| -> Vec<f32> {
        let celsius = scene.climate_fields(&made, &Control::default()).unwrap().celsius;
        let edge = |k: i32| ice_edge(&globe, [&made.height, &celsius], north, f64::from(5 * k) - 180.0);
        (0..72).filter_map(edge).map(|degrees| degrees as f32).collect()
    };
    let mut still = scene.clone();
    still.climate.as_mut().expect("the planet has its own climate").currents = 0.0;
    for north in [1.0, -1.0] {
        let (along, level) = (edges(scene, north), edges(&still, north));
        let ((mean, deviation), (still_mean, still_deviation)) = (spread(&along), spread(&level));
        println!(
            "{} meridians: {mean:.1}° ± {deviation:.2}°; without currents {} and {still_mean:.1}° ± {still_deviation:.2}°",
            along.len(),
            level.len()
        );
        assert!(along.len() > 15 && level.len() > 15, "{} and {} meridians", along.len(), level.len());
        assert!(still_deviation < 0.6, "without currents the ice ends on a parallel: ± {still_deviation}°");
        assert!(deviation > 8.0 * still_deviation, "± {deviation}° with currents, ± {still_deviation}° without");
        assert!((mean - still_mean).abs() < deviation, "{mean}° with currents, {still_mean}° without");
    }
}
