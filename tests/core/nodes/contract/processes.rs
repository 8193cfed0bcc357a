//! Tests of the properties that every process must have: it keeps level terrain, has no negative water or sediment,
//! leaves no spikes, does not depend on the position, and respects masks.

use crate::kits::nodes::{TestScene, altered, on_squares};
use talweg::field::{Control, Edges, MapKind, Terrain};
use talweg::nodes::{MassBalance, Node};
use talweg::scene::{Layer, Scene};

const BOTH: [Edges; 2] = [Edges::Open, Edges::Wrap];

/// The processes with their defaults, with altered values, and with every preset.
fn processes() -> Vec<(String, Node)> {
    let mut all = Vec::new();
    for node in on_squares().filter(|n| n.as_process().is_some()) {
        let about = node.about();
        all.push((format!("{} altered", about.name), altered(node.clone())));
        for preset in &about.presets {
            let mut adopted = node.clone();
            adopted.adopt(preset);
            all.push((format!("{} {}", about.name, preset.name), adopted));
        }
    }
    all
}

fn run(place: &TestScene, node: &Node, input: &Terrain, most: u32) -> (Terrain, MassBalance) {
    let control = Control::default();
    let cx = place.context(&control);
    let process = node.as_process().unwrap();
    let mut run = process.start(&cx, input.clone());
    (0..process.iterations().min(most)).for_each(|_| run.step(&cx).unwrap());
    (run.terrain().clone(), run.mass_balance())
}

#[test]
fn level_dry_terrain_without_supply_keeps_its_bits() {
    for edges in BOTH {
        let place = TestScene::new(65, edges);
        let mut level = Terrain::from_fn(65, edges, |_, _| 0.4);
        level.map_mut(MapKind::Rain).fill(0.0);
        let mut still = 0;
        for (name, node) in processes() {
            let (made, mass_balance) = run(&place, &node, &level, 20);
            let dry = made.map(MapKind::Water).is_none_or(|water| water.iter().all(|&depth| depth == 0.0));
            if mass_balance.added == 0.0 && dry {
                still += 1;
                assert!(made.height == level.height, "{edges:?} {name}: {mass_balance:?}");
                assert_eq!(mass_balance, MassBalance::default(), "{edges:?} {name}");
            }
        }
        assert!(still > 20, "{still} of them bring nothing");
    }
}

#[test]
fn sediment_and_water_are_never_negative() {
    for edges in BOTH {
        let place = TestScene::new(65, edges);
        for (name, node) in processes() {
            let (made, _) = run(&place, &node, &place.noise(), 30);
            for &kind in MapKind::ALL {
                let lowest = made.map(kind).map_or(0.0, |map| map.iter().copied().fold(0.0, f32::min));
                assert!(lowest >= 0.0, "{edges:?} {name}: {kind:?} of {lowest}");
            }
        }
    }
}

/// Greatest height of a peak above all its eight neighbours, and greatest depth of a pit below all of them.
fn spike_and_pit(terrain: &Terrain) -> [f32; 2] {
    let n = terrain.samples();
    let h = &terrain.height;
    let mut most = [0.0f32; 2];
    for k in (1..n - 1).flat_map(|i| (1..n - 1).map(move |j| i * n + j)) {
        let around = [k - n - 1, k - n, k - n + 1, k - 1, k + 1, k + n - 1, k + n, k + n + 1].map(|k| h[k]);
        let (low, high) = around.iter().fold((f32::MAX, f32::MIN), |(low, high), &a| (low.min(a), high.max(a)));
        most = [most[0].max(h[k] - high), most[1].max(low - h[k])];
    }
    most
}

#[test]
fn no_process_leaves_spikes_or_pits() {
    let place = TestScene::new(129, Edges::Open);
    let start = place.noise();
    let metres = place.relief_metres;
    let before = spike_and_pit(&start);
    for (name, node) in processes() {
        let (made, _) = run(&place, &node, &start, 60);
        let [spike, pit] = spike_and_pit(&made).map(|rise| rise * metres);
        println!("{name}: peak {spike:.1} m, pit {pit:.1} m; before {:.1?}", before.map(|b| b * metres));
        // The forms of erosion from the document pile rock on single cells; the heights of all other processes stay
        // close to the original.
        let most = match node.about().name {
            "Olsen" => 6.0,
            "ThermalFast" => 2.5,
            // In equilibrium all crests are at the talus angle, which is 26 m per cell here.
            "AnalyticStreamPower" => 2.0,
            // Horns between cirques are as steep as their headwalls.
            "Glacial" => 2.0,
            _ => 1.5,
        };
        assert!(spike.max(pit) < most * before[0].max(before[1]) * metres, "{name}: peak {spike} m, pit {pit} m");
    }
}

/// `terrain` shifted by half a side, across the edges.
fn rolled(terrain: &Terrain) -> Terrain {
    let n = terrain.samples();
    let (period, half) = (n - 1, (n - 1) / 2);
    let from: Vec<usize> = (0..n * n).map(|k| (k / n + half) % period * n + (k % n + half) % period).collect();
    let mut out = terrain.clone();
    out.height.iter_mut().zip(&from).for_each(|(h, &k)| *h = terrain.height[k]);
    out
}

#[test]
fn wrapping_terrain_has_no_preferred_position() {
    let place = TestScene::new(65, Edges::Wrap);
    let start = place.noise();
    for (name, node) in processes() {
        if node.traits().is_random {
            continue; // its random values depend on the position
        }
        let [(made, _), (other, _)] = [start.clone(), rolled(&start)].map(|input| run(&place, &node, &input, 10));
        let (made, start) = (rolled(&made), rolled(&start));
        let sum = |a: &Terrain, b: &Terrain| {
            a.height.iter().zip(&b.height).map(|(a, b)| f64::from(a - b).powi(2)).sum::<f64>().sqrt()
        };
        let (apart, moved) = (sum(&made, &other), sum(&start, &made));
        // These processes change the terrain in place, cell by cell. Some rock moves differently if the scan starts at
        // another cell.
        let scans = ["HydraulicFast", "ThermalFast", "Olsen"].contains(&node.about().name);
        let most = if scans { 0.4 } else { 1e-4 };
        assert!(moved > 0.0 && apart <= most * moved, "{name}: {apart} of {moved}");
    }
}

/// A masked layer changes no map outside its mask.
#[test]
fn a_process_changes_nothing_outside_its_mask() {
    use talweg::eval::{Store, evaluate};
    for (name, node) in processes().into_iter().filter(|(name, _)| name.ends_with("altered")) {
        let ground = Layer::new(Node::named("Perlin").unwrap(), 1);
        let hard = Layer::new(Node::named("Hardness").unwrap(), 2);
        let mut scene = Scene { layers: vec![ground, hard, Layer::new(node, 3)], ..Scene::default() };
        scene.settings.resolution = 65;
        scene.set("3.iterations=10").unwrap();
        scene.set("3.by_height=true").unwrap();
        scene.set("3.height_from=900").unwrap();
        scene.set("3.height_to=100000").unwrap();
        scene.set("3.height_feather=0").unwrap();
        let whole =
            |scene: &Scene| evaluate(scene, 65, None, &mut Store::forgetful(), &Control::default()).unwrap().terrain;
        let below = whole(&Scene { layers: scene.layers[..2].to_vec(), ..scene.clone() });
        let made = whole(&scene);
        let metres = scene.settings.relief_metres;
        let mut outside = 0;
        for k in 0..65 * 65 {
            if below.height[k] * metres >= 899.0 {
                continue;
            }
            outside += 1;
            assert_eq!(made.height[k].to_bits(), below.height[k].to_bits(), "{name} at {k}");
            for &kind in MapKind::ALL {
                let value = |t: &Terrain| t.map(kind).map_or(kind.neutral(), |map| map[k]);
                assert_eq!(value(&made).to_bits(), value(&below).to_bits(), "{name} at {k}: {kind:?}");
            }
        }
        assert!(outside > 100, "{outside} samples are outside the mask");
    }
}
