//! Generators that are played step by step.

use crate::kits::nodes::{TestScene, node};
use talweg::eval::{Playhead, Store, evaluate, generator_step};
use talweg::field::{Cancelled, Control, Edges, Terrain};
use talweg::nodes::steps::MAX_STEP_MARKS;
use talweg::nodes::{GeneratorStep, Node, NodeKind};
use talweg::scene::{Layer, Scene};

/// Parameters of a node that is played, besides the defaults.
type Variant = (&'static str, &'static [(&'static str, &'static str)]);

/// All generators that can be played, with the options that change their steps.
const PLAYED: [Variant; 26] = [
    ("Perlin", &[]),
    ("Perlin", &[("warp", "0.1")]),
    ("Ridged", &[]),
    ("Billow", &[]),
    ("Hybrid", &[]),
    ("Simplex", &[]),
    ("ValueNoise", &[]),
    ("Spectral", &[]),
    ("Spectral", &[("tables", "Values"), ("weights", "Powers"), ("frequency", "1")]),
    ("NoiseLibrary", &[]),
    ("DiamondSquare", &[]),
    ("DiamondSquare", &[("smoothing", "0.4")]),
    ("DiamondSquare", &[("smoothing", "1"), ("smoothed", "Finished")]),
    ("DiamondSquare", &[("sides", "Corners"), ("schedule", "Halving"), ("distribution", "Upwards")]),
    ("DiamondSquare", &[("rim", "Three"), ("levels_shown", "3")]),
    ("Triangular", &[]),
    ("Triangular", &[("edges", "Three"), ("levels_shown", "4")]),
    ("Triangular", &[("layout", "Triangle")]),
    ("MidpointLine", &[]),
    ("MidpointLine", &[("direction", "South"), ("levels_shown", "3")]),
    ("VoronoiMidpoint", &[]),
    ("Stamp", &[]),
    ("Stamp", &[("depth", "Metres"), ("smallest_metres", "900"), ("profile", "Mixed")]),
    ("Fault", &[("faults", "12")]),
    ("Circles", &[("circles", "12")]),
    ("Circles", &[("circles", "9"), ("radius", "0.6")]),
];

/// The terrain of a generator after `step` steps.
fn after(place: &TestScene, node: &Node, step: u32, control: &Control) -> Result<Terrain, Cancelled> {
    let mut made = Terrain::flat(place.grid());
    node.as_stepped().unwrap().generate_until(&place.context(control), step, &mut made)?;
    Ok(made)
}

fn steps(place: &TestScene, node: &Node) -> u32 {
    node.as_stepped().unwrap().steps(place.scene_samples, place.size_metres)
}

fn described(place: &TestScene, node: &Node, step: u32) -> GeneratorStep {
    node.as_stepped().unwrap().describe_step(&place.context(&Control::default()), step)
}

#[test]
fn every_generator_with_steps_is_tested_here() {
    for node in Node::catalogue() {
        let name = node.about().name;
        let is_listed = PLAYED.iter().any(|(listed, _)| *listed == name);
        assert_eq!(node.as_stepped().is_some(), is_listed, "{name}");
        assert!(node.as_stepped().is_none() || matches!(node.work(), NodeKind::Generator(_)), "{name}");
    }
}

#[test]
fn the_last_step_is_the_whole_generator() {
    for (name, params) in PLAYED {
        for samples in [65, 100, 129] {
            for edges in [Edges::Open, Edges::Wrap] {
                let (place, node) = (TestScene::new(samples, edges), node(name, params));
                let whole = place.finish(&node, &Terrain::flat(place.grid()), 0);
                let last = steps(&place, &node);
                for step in [last, last + 1, u32::MAX] {
                    let made = after(&place, &node, step, &Control::default()).unwrap();
                    assert!(made == whole, "{name} {params:?}, {samples} samples, {edges:?}, step {step} of {last}");
                }
                // The first circles may lie beyond the edges.
                for step in 0..if name == "Circles" { 0 } else { last.min(4) } {
                    let [now, next] = [step, step + 1].map(|k| after(&place, &node, k, &Control::default()).unwrap());
                    assert!(now != next, "{name} {params:?}, {samples} samples, {edges:?}, step {step} of {last}");
                }
            }
        }
    }
}

/// A preview shows the same step as the full size, with fewer samples.
#[test]
fn previews_show_the_same_step() {
    for (name, params) in PLAYED {
        let node = node(name, params);
        if !node.traits().previews_exactly {
            continue;
        }
        for edges in [Edges::Open, Edges::Wrap] {
            let full = TestScene::new(129, edges);
            let small = TestScene { samples: 33, ..full };
            for step in 0..=steps(&full, &node) {
                let [full, small] = [full, small].map(|place| after(&place, &node, step, &Control::default()).unwrap());
                for (k, h) in small.height.iter().enumerate() {
                    let (i, j) = (k / 33 * 4, k % 33 * 4);
                    assert_eq!(*h, full.height[i * 129 + j], "{name} {params:?}, {edges:?}, step {step}, {i} {j}");
                }
            }
        }
    }
}

#[test]
fn every_step_has_a_title_a_formula_and_its_marks() {
    for (name, params) in PLAYED {
        for (samples, edges) in [(65, Edges::Open), (100, Edges::Wrap), (3, Edges::Open)] {
            let (place, node) = (TestScene::new(samples, edges), node(name, params));
            let mut with_marks = 0;
            for k in 0..=steps(&place, &node) {
                let step = described(&place, &node, k);
                assert!(!step.title.is_empty() && step.formula.contains("h = "), "{name} {k}: {step:?}");
                assert!(step.points.len() <= MAX_STEP_MARKS && step.lines.len() <= MAX_STEP_MARKS, "{name} {k}");
                let ends = step.lines.iter().flatten().chain(&step.points);
                assert!(ends.flatten().all(|share| (0.0..=1.0).contains(share)), "{name} {k}: {step:?}");
                with_marks += u32::from(!step.points.is_empty() || !step.lines.is_empty());
            }
            let draws_none = name == "NoiseLibrary" || params.contains(&("warp", "0.1"));
            assert!(draws_none == (with_marks == 0), "{name} {params:?}: {with_marks} steps with marks");
        }
    }
}

#[test]
fn a_cancelled_step_makes_no_terrain() {
    let control = Control::default();
    control.cancel();
    for (name, params) in PLAYED {
        let place = TestScene::new(65, Edges::Open);
        for step in [0, 2, u32::MAX] {
            assert!(after(&place, &node(name, params), step, &control).is_err(), "{name} {params:?}, step {step}");
        }
    }
}

/// Row and column of a point in a terrain of 65 samples per side.
fn sample([x, y]: [f32; 2]) -> [usize; 2] {
    let at = |share: f32| {
        assert_eq!((share * 64.0).fract(), 0.0, "the points of the first levels are samples");
        (share * 64.0) as usize
    };
    [at(y), at(x)]
}

/// The heights that the formula of a phase gives without displacement are exactly the heights of its points. The
/// displacement stays within its limit, and comes close to it. Heights that are known do not change any more.
#[test]
fn diamond_and_square_phases_follow_their_formula() {
    for edges in [Edges::Open, Edges::Wrap] {
        let place = TestScene::new(65, edges);
        let heights = |params: &[(&str, &str)], step: u32| {
            after(&place, &node("DiamondSquare", params), step, &Control::default()).unwrap().height
        };
        for amplitude in ["0", "0.5"] {
            let params = [("amplitude", amplitude), ("centre_lift", "0"), ("smoothness", "0.5")];
            let mut limit = 0.5f32 * 0.5;
            for level in 1..=6u32 {
                let half = 64usize >> level;
                for (phase, number) in
                    [(0, 1usize << (2 * (level - 1))), (1, 2 * (1 << (level - 1)) * ((1 << (level - 1)) + 1))]
                {
                    let step = 2 * level - 1 + phase;
                    let (before, now) = (heights(&params, step - 1), heights(&params, step));
                    let points = described(&place, &node("DiamondSquare", &params), step).points;
                    assert_eq!(points.len(), number, "level {level}, phase {phase}");
                    let mut largest = 0.0f32;
                    for point in points {
                        let [i, j] = sample(point);
                        let at = |di: i32, dj: i32| {
                            let index = |k: usize, d: i32| {
                                let k = k as i32 + d * half as i32;
                                match edges {
                                    Edges::Wrap => Some(k.rem_euclid(64) as usize),
                                    Edges::Open => (0..65).contains(&k).then_some(k as usize),
                                }
                            };
                            Some(before[index(i, di)? * 65 + index(j, dj)?])
                        };
                        let corners = match phase {
                            0 => [at(-1, -1), at(-1, 1), at(1, -1), at(1, 1)],
                            _ => [at(-1, 0), at(0, -1), at(0, 1), at(1, 0)],
                        };
                        let known: Vec<f32> = match (phase, corners.iter().flatten().count()) {
                            (_, 4) => corners.into_iter().flatten().collect(),
                            // On the rim of an open terrain, only the two ends of the side count.
                            _ if i == 0 || i == 64 => [at(0, -1), at(0, 1)].into_iter().flatten().collect(),
                            _ => [at(-1, 0), at(1, 0)].into_iter().flatten().collect(),
                        };
                        let mean = known.iter().sum::<f32>() / known.len() as f32;
                        let off = (now[i * 65 + j] - mean).abs();
                        let most = if amplitude == "0" { 0.0 } else { limit };
                        assert!(off <= most + 2e-7, "level {level}, phase {phase}, {i} {j}: {off} of {most}");
                        largest = largest.max(off);
                    }
                    assert!(amplitude == "0" || level < 4 || largest > 0.8 * limit, "{largest} of {limit}");
                    // Points of the earlier steps keep their heights: the corners, and then also the centres.
                    let is_known = |i: usize, j: usize| match phase {
                        0 => i.is_multiple_of(2 * half) && j.is_multiple_of(2 * half),
                        _ => {
                            (i / half + j / half).is_multiple_of(2) && i.is_multiple_of(half) && j.is_multiple_of(half)
                        }
                    };
                    for k in (0..65 * 65).filter(|k| is_known(k / 65, k % 65)) {
                        assert_eq!(before[k], now[k], "level {level}, phase {phase}, sample {k}");
                    }
                }
                limit *= 2.0f32.powf(-0.5);
            }
        }
    }
}

/// Between two phases, the ground is straight from point to point.
#[test]
fn unset_heights_are_interpolated_from_known_points() {
    let place = TestScene::new(65, Edges::Open);
    let made = after(&place, &node("DiamondSquare", &[]), 1, &Control::default()).unwrap();
    let h = |i: usize, j: usize| made.height[i * 65 + j];
    assert!((h(0, 32) - (h(0, 0) + h(0, 64)) / 2.0).abs() < 1e-6);
    assert!((h(16, 16) - (h(0, 0) + h(0, 32) + h(32, 0) + h(32, 32)) / 4.0).abs() < 1e-6);
    let step = described(&place, &node("DiamondSquare", &[]), 1);
    assert_eq!(step.points, [[0.5, 0.5]]);
    assert_eq!(step.lines.len(), 4, "the sides of the only square");
    assert!(step.formula.contains("+ 270 m + u · 765 m"), "the lift and the limit of the first level: {step:?}");
}

#[test]
fn triangle_steps_are_means_of_their_corners() {
    let place = TestScene::new(65, Edges::Open);
    let params = [("amplitude", "0")];
    let heights = |step: u32| after(&place, &node("Triangular", &params), step, &Control::default()).unwrap().height;
    let (before, now) = (heights(0), heights(1));
    let h = |i: usize, j: usize| before[i * 65 + j];
    let [nw, ne, sw, se] = [h(0, 0), h(0, 64), h(64, 0), h(64, 64)];
    let expected = [
        ([0, 32], (nw + ne + se) / 3.0),
        ([32, 0], (nw + sw + se) / 3.0),
        ([32, 64], (ne + se + nw) / 3.0),
        ([64, 32], (sw + se + nw) / 3.0),
        ([32, 32], (nw + se) / 3.0 + (ne + sw) / 6.0),
    ];
    let points: Vec<_> = described(&place, &node("Triangular", &params), 1).points.into_iter().map(sample).collect();
    assert_eq!(points.len(), expected.len());
    for ([i, j], mean) in expected {
        assert!(points.contains(&[i, j]), "{i} {j}");
        assert!((now[i * 65 + j] - mean).abs() < 1e-6, "{i} {j}: {} {mean}", now[i * 65 + j]);
    }
}

/// The playhead on a generator shows the terrain of a shorter generator, and the layers above it run on that terrain.
#[test]
fn layers_above_a_stopped_generator_follow_it() {
    let layer = |name: &str, seed: u32| Layer::new(Node::named(name).unwrap(), seed);
    let mut scene =
        Scene { layers: vec![layer("DiamondSquare", 1), layer("Terrace", 2), layer("Thermal", 3)], ..Scene::default() };
    scene.settings.resolution = 65;
    scene.set("3.iterations=5").unwrap();
    scene.set("3.talus_angle=5").unwrap();
    let mut store = Store::default();
    let control = Control::default();
    let mut run = |scene: &Scene, playhead: Option<Playhead>| {
        evaluate(scene, 65, playhead, &mut store, &control).unwrap().terrain
    };
    let whole = run(&scene, None);
    for level in 0..6u32 {
        let stopped = run(&scene, Some(Playhead { layer: 0, iteration: 2 * level }));
        let mut shorter = scene.clone();
        shorter.set(&format!("1.levels_shown={level}")).unwrap();
        assert_eq!(stopped.height, run(&shorter, None).height, "level {level}");
        assert_ne!(stopped.height, whole.height, "level {level}");
        assert_eq!(run(&scene, None), whole, "the playhead leaves nothing behind");
    }
    assert_eq!(run(&scene, Some(Playhead { layer: 0, iteration: 12 })), whole);
    assert_eq!(run(&scene, Some(Playhead { layer: 1, iteration: 0 })), whole, "a filter has no steps");
    assert_eq!((scene.timeline_end(0), scene.timeline_end(1), scene.timeline_end(2)), (Some(12), None, Some(5)));
    assert_eq!((scene.iterations(0), scene.iterations(2)), (None, Some(5)));
    let title = |layer: usize| generator_step(&scene, Playhead { layer, iteration: 3 }).map(|step| step.title);
    assert_eq!(title(0).unwrap(), "Level 2, diamond phase: 4 centres of squares");
    assert_eq!((title(1), title(2), title(3)), (None, None, None));
}
