//! Promises of the whole catalogue beyond tests/core/contract.rs, and generators against independent laws.

use crate::node_kit::{Place, altered, node, on_squares};
use noise::NoiseFn;
use talweg::field::{Control, Edges, MapKind, Stream, Terrain};
use talweg::nodes::{MassBalance, Node, Work};
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

fn run(place: &Place, node: &Node, input: &Terrain, most: u32) -> (Terrain, MassBalance) {
    let control = Control::default();
    let cx = place.context(&control);
    let process = node.as_process().unwrap();
    let mut run = process.start(&cx, input.clone());
    (0..process.iterations().min(most)).for_each(|_| run.step(&cx).unwrap());
    (run.terrain().clone(), run.mass_balance())
}

#[test]
fn level_dry_ground_keeps_its_bits_where_nothing_is_brought() {
    for edges in BOTH {
        let place = Place::new(65, edges);
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
fn nothing_that_lies_or_flows_is_ever_negative() {
    for edges in BOTH {
        let place = Place::new(65, edges);
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
    let place = Place::new(129, Edges::Open);
    let start = place.noise();
    let metres = place.relief_metres;
    let before = spike_and_pit(&start);
    for (name, node) in processes() {
        let (made, _) = run(&place, &node, &start, 60);
        let [spike, pit] = spike_and_pit(&made).map(|rise| rise * metres);
        println!("{name}: peak {spike:.1} m, pit {pit:.1} m; before {:.1?}", before.map(|b| b * metres));
        // The document's own forms pile rock on single cells; all others stay close to the original values.
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
fn wrapping_ground_has_no_preferred_place() {
    let place = Place::new(65, Edges::Wrap);
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
        // These change the terrain in place, cell by cell, so some rock moves differently if the scan starts elsewhere.
        let scans = ["HydraulicFast", "ThermalFast", "Olsen"].contains(&node.about().name);
        let most = if scans { 0.4 } else { 1e-4 };
        assert!(moved > 0.0 && apart <= most * moved, "{name}: {apart} of {moved}");
    }
}

/// A line across the seam bends no more than lines inside.
#[test]
fn slopes_continue_over_the_seam() {
    const N: usize = 257;
    let place = Place::new(N, Edges::Wrap);
    for node in on_squares().filter(|n| matches!(n.work(), Work::Generator(_))) {
        for node in [node.clone(), altered(node)] {
            let h = place.finish(&node, &Terrain::flat(place.grid()), 0).height;
            let bend = |before: usize, k: usize, after: usize| (h[before] + h[after] - 2.0 * h[k]).abs();
            let mut inside: Vec<f32> =
                (0..N).flat_map(|i| (1..N - 1).map(move |j| i * N + j)).map(|k| bend(k - 1, k, k + 1)).collect();
            inside.extend((0..N).flat_map(|j| (1..N - 1).map(move |i| i * N + j)).map(|k| bend(k - N, k, k + N)));
            inside.sort_unstable_by(f32::total_cmp);
            let greatest = inside[inside.len() - 1];
            for k in 0..N {
                let (row, column) = (bend(k * N + N - 2, k * N, k * N + 1), bend((N - 2) * N + k, k, N + k));
                assert!(row.max(column) <= greatest * 1.25 + 1e-6, "{row} {column} beside {greatest}: {node:?}");
            }
        }
    }
}

fn fill(samples: usize, edges: Edges, node: &Node) -> Vec<f32> {
    let place = Place::new(samples, edges);
    place.finish(node, &Terrain::flat(place.grid()), 0).height
}

/// With layers of amplitude pⁱ at frequencies 2ⁱ, the variogram rises with the power -2·log₂ p.
#[test]
fn the_variogram_of_fbm_rises_with_twice_its_hurst_exponent() {
    const N: usize = 1025;
    for name in ["Perlin", "Simplex", "ValueNoise"] {
        for (persistence, hurst) in [("0.81225", 0.3), ("0.70711", 0.5), ("0.57435", 0.8)] {
            let params = [("octaves", "10"), ("frequency", "1"), ("persistence", persistence)];
            let h = fill(N, Edges::Wrap, &node(name, &params));
            let gamma = |lag: usize| {
                let differences = h.chunks(N).flat_map(|row| (0..N - lag).map(move |j| row[j] - row[j + lag]));
                differences.map(|d| f64::from(d).powi(2)).sum::<f64>() / (N * (N - lag)) as f64
            };
            let slope = (gamma(32) / gamma(4)).ln() / 8f64.ln();
            println!("{name}, Hurst exponent {hurst}: the variogram rises with {slope:.2}");
            assert!((slope - 2.0 * hurst).abs() < 0.25, "{name} {hurst}: {slope}");
        }
    }
}

/// The greatest difference of two distribution functions (Kolmogorov and Smirnov), each scaled to deviation 1 around 0.
fn kolmogorov_smirnov(mut a: Vec<f64>, mut b: Vec<f64>) -> f64 {
    for values in [&mut a, &mut b] {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let deviation = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / count).sqrt();
        values.iter_mut().for_each(|v| *v = (*v - mean) / deviation);
        values.sort_unstable_by(f64::total_cmp);
    }
    let below = |values: &[f64], x: f64| values.partition_point(|&v| v <= x) as f64 / values.len() as f64;
    a.iter().step_by(97).map(|&x| (below(&a, x) - below(&b, x)).abs()).fold(0.0, f64::max)
}

#[test]
fn perlin_noise_has_the_distribution_of_the_noise_crates() {
    const N: usize = 1025;
    let one = node("Perlin", &[("octaves", "1"), ("frequency", "170.7")]);
    let ours: Vec<f64> = fill(N, Edges::Open, &one).into_iter().map(f64::from).collect();
    let peer = noise::Perlin::new(3);
    let at = |k: usize| k as f64 / (N - 1) as f64 * 170.7 + 0.371;
    let theirs: Vec<f64> = (0..N * N).map(|k| peer.get([at(k % N), at(k / N)])).collect();
    let even: Vec<f64> = (0..N * N).map(|k| k as f64).collect();
    let (apart, from_even) = (kolmogorov_smirnov(ours.clone(), theirs), kolmogorov_smirnov(ours, even));
    println!("{apart:.4}; from even spread {from_even:.4}");
    assert!(apart < 0.03 && from_even > 1.5 * apart, "{apart} {from_even}");
}

/// Each of the four distances alone, in both metrics, on open and wrapping terrain.
#[test]
fn voronoi_distances_are_those_of_a_search_through_all_points() {
    const N: usize = 61;
    for edges in BOTH {
        for metric in ["Euclidean", "Squared"] {
            for order in 0..4 {
                let mut generator = node("Voronoi", &[("points", "90"), ("metric", metric), ("amplitude", "1")]);
                for c in 0..4 {
                    let weight = if c == order { "1" } else { "0" };
                    crate::node_kit::set(&mut generator, ["c1", "c2", "c3", "c4"][c], weight);
                }
                let made = fill(N, edges, &generator);
                let Node::Voronoi(voronoi) = &generator else { unreachable!("it is called Voronoi") };
                let points = voronoi.feature_points(Stream::new(1, 7));
                let scale = (points.len() as f64).sqrt();
                for (k, &h) in made.iter().enumerate() {
                    let at = [(k % N) as f64 / (N - 1) as f64, (k / N) as f64 / (N - 1) as f64];
                    let mut distances: Vec<f64> = points
                        .iter()
                        .map(|p| {
                            let [x, y] = [0, 1].map(|axis| {
                                let d = (at[axis] - f64::from(p[axis])).abs();
                                if edges == Edges::Wrap { d.min(1.0 - d) } else { d }
                            });
                            let d = x.hypot(y) * scale;
                            if metric == "Squared" { d * d } else { d }
                        })
                        .collect();
                    distances.sort_by(f64::total_cmp);
                    let expected = distances[order];
                    assert!(
                        (f64::from(h) - expected).abs() < 1e-3 * (1.0 + expected),
                        "{edges:?} {metric} D{}: {h} is not {expected}",
                        order + 1
                    );
                }
            }
        }
    }
}

/// As in `talweg render --set 2.preset=Canyon`.
#[test]
fn every_preset_can_be_set_by_its_name() {
    for node in Node::catalogue() {
        for preset in &node.about().presets {
            let ground = Layer::new(Node::named("Perlin").unwrap(), 1);
            let mut scene = Scene { layers: vec![ground, Layer::new(altered(node.clone()), 2)], ..Scene::default() };
            scene.set(&format!("2.preset={}", preset.name)).unwrap();
            let made = scene.layers[1].node.present_preset().map(|p| p.name);
            assert_eq!(made, Some(preset.name), "{}", node.about().name);
        }
    }
}

/// A masked layer changes no map outside its mask.
#[test]
fn outside_its_mask_a_process_leaves_ground_and_maps_alone() {
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
