//! Tests of the properties that every node must have: descriptions, presets, extremes, sizes, threads, seams, previews,
//! mass balance.

use std::collections::HashSet;
use std::time::Duration;

use crate::kits::common::random_cases;
use crate::kits::nodes::{EARTH, TestScene, altered, another, extremes, on_squares, on_threads, set};
use proptest::prelude::*;
use rayon::prelude::*;
use talweg::eval::{Store, evaluate};
use talweg::field::{Control, Edges, MapKind, Terrain};
use talweg::nodes::multiscale::LargestScale;
use talweg::nodes::{Node, NodeKind, Process};
use talweg::param::{About, ParamKind, Params, Value};
use talweg::planet::World;
use talweg::scene::{Layer, Mask, Mix, Scene, Settings};

const BOTH: [Edges; 2] = [Edges::Open, Edges::Wrap];

/// Groups of the Add menu; a new group must be a deliberate decision, not a typing error.
const CATEGORIES: [&str; 10] =
    ["Noise", "Fractal", "Cells", "Shapes", "Planet", "Filter", "Erosion", "Water", "Maps", "Layers"];

fn is_sentence(text: &str) -> bool {
    text.len() > 8
        && text.ends_with('.')
        && text.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit())
        && !text.contains("  ")
        && !text.contains('\n')
}

fn check_described(about: &About) {
    let name = about.name;
    assert!(!about.label.is_empty() && is_sentence(about.help), "{name}: {:?}", about.help);
    let mut seen = HashSet::new();
    for spec in &about.params {
        let what = format!("{name}.{}", spec.name);
        assert!(seen.insert(spec.name), "{what} twice");
        assert!(is_sentence(spec.help), "{what}: {:?}", spec.help);
        assert_eq!(spec.clamp(&spec.default), spec.default, "{what}: the default is outside the hard range");
        assert_eq!(spec.parse(&spec.show(&spec.default)).as_ref(), Ok(&spec.default), "{what}: shown and read");
        match &spec.kind {
            ParamKind::Float { hard, slider } => {
                assert!(hard.0 < hard.1 && hard.0.is_finite() && hard.1.is_finite(), "{what}");
                assert!(hard.0 <= slider.0 && slider.0 < slider.1 && slider.1 <= hard.1, "{what}: slider");
            }
            ParamKind::Int { hard, slider } => {
                assert!(hard.0 <= slider.0 && slider.0 < slider.1 && slider.1 <= hard.1, "{what}: slider");
            }
            ParamKind::Choice(options) => {
                for option in *options {
                    assert!(is_sentence(option.help), "{what}: {:?}", option.help);
                }
            }
            ParamKind::Bool
            | ParamKind::Curve
            | ParamKind::Numbers { .. }
            | ParamKind::Image
            | ParamKind::Scene
            | ParamKind::Layer
            | ParamKind::Tree
            | ParamKind::Strokes => {}
        }
        for (part, unit) in [("angle", "°"), ("metres", "m"), ("degrees", "°")] {
            assert!(!spec.name.contains(part) || spec.unit == unit, "{what}: the unit should be {unit}");
        }
    }
}

#[test]
fn every_node_and_parameter_is_described() {
    let (mut names, mut labels) = (HashSet::new(), HashSet::new());
    for node in Node::catalogue() {
        let about = node.about();
        assert!(names.insert(about.name) && labels.insert(about.label), "{} twice", about.name);
        assert!(CATEGORIES.contains(&about.category), "{}: {}", about.name, about.category);
        assert!(!about.source.is_empty() && !about.synonyms.is_empty(), "{}: source and search words", about.name);
        assert!(node.traits().version >= 1);
        assert_eq!(Node::named(about.name), Some(node.clone()));
        check_described(about);
    }
    for group in [&Settings::default() as &dyn Params, &Mix::default(), &Mask::default()] {
        check_described(group.about());
    }
}

#[test]
fn scenes_keep_every_parameter() {
    for node in Node::catalogue() {
        for node in [node.clone(), altered(node)] {
            let scene = Scene { layers: vec![Layer::new(node, 3)], ..Scene::default() };
            let (read, warnings) = Scene::from_ron(&scene.to_ron().unwrap()).unwrap();
            assert_eq!((read, warnings), (scene, vec![]));
        }
    }
}

#[test]
fn unknown_keys_and_values_out_of_range_are_reported() {
    for node in Node::catalogue() {
        let about = node.about();
        let text = |body: &str| format!("(version: 1, layers: [(node: {}({body}))])", about.name);
        let error = Scene::from_ron(&text("no_such_key: 1")).unwrap_err().to_string();
        assert!(error.contains("no_such_key") && error.contains("line 1"), "{error}");
        for spec in &about.params {
            let ParamKind::Float { hard, .. } = spec.kind else { continue };
            let above = f64::from(hard.1) + f64::from(hard.1.abs()).max(1.0);
            let (_, warnings) = Scene::from_ron(&text(&format!("{}: {above:.1}", spec.name))).unwrap();
            assert!(warnings[0].0.contains(spec.name), "{warnings:?}");
        }
    }
}

#[test]
fn presets_are_described_and_can_be_told_apart() {
    for node in Node::catalogue() {
        let presets = &node.about().presets;
        assert!(presets.len() >= 3 || node.as_process().is_none(), "{}: a process needs presets", node.about().name);
        for preset in presets {
            let what = format!("{} {}", node.about().name, preset.name);
            assert!(is_sentence(preset.help), "{what}: {:?}", preset.help);
            let mut adopted = altered(node.clone());
            adopted.adopt(preset);
            assert!(adopted.matching_preset().is_some_and(|p| p.name == preset.name), "{what} looks like another");
            for (name, value) in &preset.values {
                let index = node.about().find(name).unwrap();
                assert_eq!(adopted.params().get(index), *value, "{what}: {name} is out of range");
            }
        }
    }
}

#[test]
fn a_node_writes_exactly_its_declared_maps() {
    let place = TestScene::new(33, Edges::Open);
    let input = place.noise();
    for node in on_squares().flat_map(|node| [node.clone(), altered(node)]) {
        let made = place.finish(&node, &input, 4);
        for &kind in MapKind::ALL {
            let says = node.traits().writes.contains(&kind);
            assert_eq!(made.map(kind).is_some(), says, "{}: {}", node.about().name, kind.label());
        }
    }
}

#[test]
fn a_disabled_parameter_changes_no_bit() {
    let place = TestScene::new(33, Edges::Open);
    let mut seen = 0;
    for node in on_squares() {
        let input = place.noise();
        // With default choices, and with every choice changed.
        for node in [node.clone(), altered(node)] {
            let made = place.finish(&node, &input, 4);
            for (k, spec) in node.about().params.iter().enumerate().filter(|(k, _)| !node.params().matters(*k)) {
                seen += 1;
                for value in extremes(spec).into_iter().chain([another(spec)]) {
                    let mut other = node.clone();
                    other.params_mut().set(k, &value).unwrap();
                    assert!(
                        place.finish(&other, &input, 4) == made,
                        "{}.{} = {}",
                        node.about().name,
                        spec.name,
                        spec.show(&value)
                    );
                }
            }
        }
    }
    assert!(seen > 20, "{seen}");
}

fn assert_finite(terrain: &Terrain, what: &str) {
    let bad = terrain.height.iter().position(|h| !h.is_finite());
    assert_eq!(bad, None, "{what}: {:?}", bad.map(|k| terrain.height[k]));
}

#[test]
fn extremes_stay_finite() {
    on_squares().collect::<Vec<_>>().into_par_iter().for_each(|node| {
        let specs = &node.about().params;
        let mut cases = vec![(node.clone(), false)];
        for (a, first) in specs.iter().enumerate() {
            for value in extremes(first) {
                let mut one = node.clone();
                one.params_mut().set(a, &value).unwrap();
                for (b, second) in specs.iter().enumerate().skip(a + 1) {
                    for value in extremes(second) {
                        let mut two = one.clone();
                        two.params_mut().set(b, &value).unwrap();
                        cases.push((two, true));
                    }
                }
                cases.push((one, false));
            }
        }
        for edges in BOTH {
            let place = TestScene::new(17, edges);
            let inputs = place.inputs();
            let needed = if matches!(node.work(), NodeKind::Generator(_)) { 1 } else { inputs.len() };
            for (k, (case, is_pair)) in cases.iter().enumerate() {
                // There are many pairs, so each runs on one input in turn.
                let met = if *is_pair { k % needed..k % needed + 1 } else { 0..needed };
                for (name, input) in &inputs[met] {
                    assert_finite(&place.finish(case, input, 3), &format!("{name} {case:?}"));
                }
            }
        }
        for (size_metres, relief_metres) in [(1.0, 100_000.0), (1_000_000.0, 0.1), (1.0, 0.1)] {
            let place = TestScene { size_metres, relief_metres, ..TestScene::new(17, Edges::Open) };
            for (name, input) in place.inputs() {
                assert_finite(
                    &place.finish(&node, &input, 3),
                    &format!("{name} {size_metres} {relief_metres} {node:?}"),
                );
            }
        }
    });
}

/// A process runs for three iterations, or for one at the largest size, where iterations take long. 521 is a prime, so
/// no band, tile or vector ends at the end of a row.
#[test]
fn any_size_works() {
    for (samples, iterations) in [(2, 3), (3, 3), (4, 3), (5, 3), (33, 3), (100, 3), (521, 1)] {
        for edges in BOTH {
            let place = TestScene::new(samples, edges);
            let input = place.noise();
            for node in on_squares().flat_map(|n| [n.clone(), altered(n)]) {
                let what = format!("{} at {samples} {edges:?}", node.about().name);
                assert_finite(&place.finish(&node, &input, iterations), &what);
            }
        }
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    let place = TestScene::new(300, Edges::Open);
    let input = place.noise();
    for node in on_squares().flat_map(|n| [n.clone(), altered(n)]) {
        let [one, two] = [1, 2].map(|threads| on_threads(threads, || place.finish(&node, &input, 5)));
        assert!(one == two, "{node:?}");
    }
}

/// Moving the sea recomputes only layers that depend on it, so a node that reads the sea level must declare this.
#[test]
fn the_sea_level_matters_only_if_declared() {
    for node in on_squares().flat_map(|n| [n.clone(), altered(n)]) {
        let [high, low] = [0.55, 0.25].map(|sea_level| {
            let place = TestScene { sea_level, ..TestScene::new(65, Edges::Open) };
            place.finish(&node, &place.noise(), 5)
        });
        assert_eq!(high != low, node.traits().reads_sea_level, "{node:?}");
    }
    for node in on_squares().filter(|node| node.fits(World::Planet)) {
        let [high, low] = [0.55, 0.25].map(|sea_level| {
            let place = TestScene { sea_level, ..TestScene::globe(17, &EARTH) };
            place.finish(&node, &place.noise(), 2)
        });
        assert_eq!(high != low, node.traits().reads_sea_level_in(World::Planet), "{node:?} on a planet");
    }
}

/// The panel offers no seed if the seed has no effect.
#[test]
fn the_seed_matters_only_if_declared() {
    for node in on_squares().map(altered) {
        let made = |seed: u32| {
            let ground = Layer::new(Node::named("Perlin").expect("in the catalogue"), 1);
            let mut scene = Scene { layers: vec![ground, Layer::new(node.clone(), seed)], ..Scene::default() };
            scene.settings.resolution = 65;
            evaluate(&scene, 65, None, &mut Store::forgetful(), &Control::default()).expect("not cancelled").terrain
        };
        assert!(node.traits().is_random || made(1) == made(2), "{node:?} draws random values but does not declare it");
    }
}

#[test]
fn the_seam_of_wrapping_scenes_is_closed() {
    for node in on_squares().flat_map(|n| [n.clone(), altered(n)]) {
        for samples in [2, 33, 100, 129] {
            let place = TestScene::new(samples, Edges::Wrap);
            let made = place.finish(&node, &place.noise(), 20);
            let bits = |i: usize, j: usize| made.height[i * samples + j].to_bits();
            for k in 0..samples {
                assert_eq!(bits(0, k), bits(samples - 1, k), "rows at {k} of {samples}: {node:?}");
                assert_eq!(bits(k, 0), bits(k, samples - 1), "columns at {k} of {samples}: {node:?}");
            }
        }
    }
}

#[test]
fn a_preview_shows_the_result() {
    let mut apart = Vec::new();
    for edges in BOTH {
        // Every node with default and with altered parameters, and on both kinds of edges.
        for mut node in on_squares().map(|n| if edges == Edges::Open { altered(n) } else { n }) {
            // A part of the iterations is enough for this test; all iterations would take a minute.
            match node.about().name {
                "Glacial" => set(&mut node, "iterations", "10"),
                "StreamPower" => set(&mut node, "iterations", "20"),
                _ => {}
            }
            // This node computes its channel network anew on each grid, with finer valleys between the valleys of the
            // coarse grid.
            let has_network = node.about().name == "AnalyticStreamPower";
            let is_refined = |process: &dyn Process| process.multiscale().largest != LargestScale::OneGrid;
            // Processes with their own levels of detail need a larger grid.
            let half = if has_network || node.as_process().is_some_and(is_refined) { 129 } else { 65 };
            let close = if has_network { 0.04 } else { 0.02 };
            let samples = 2 * half - 1;
            let full = TestScene::new(samples, edges);
            let preview = TestScene { scene_samples: samples, ..TestScene::new(half, edges) };
            let fine = full.finish(&node, &full.noise(), u32::MAX);
            let coarse = preview.finish(&node, &preview.noise(), u32::MAX);
            let mut squares = 0.0f64;
            for (k, h) in coarse.height.iter().enumerate() {
                let shared = fine.height[(k / half) * 2 * samples + (k % half) * 2];
                if node.traits().previews_exactly {
                    assert_eq!(h.to_bits(), shared.to_bits(), "sample {k}: {node:?}");
                }
                squares += f64::from(h - shared).powi(2);
            }
            let rms = (squares / coarse.height.len() as f64).sqrt();
            if rms >= close {
                apart.push(format!("{rms}: {node:?}"));
            }
        }
    }
    assert!(apart.is_empty(), "{apart:#?}");
}

#[test]
fn a_cancelled_control_stops_everything() {
    let place = TestScene::new(65, Edges::Open);
    let input = place.noise();
    let control = Control::default();
    control.cancel();
    for node in on_squares().map(altered) {
        assert!(place.run(&node, &input, 1, &control).is_err(), "{node:?}");
    }
}

#[test]
fn a_cancelled_step_is_done_completely_or_not_at_all() {
    let place = TestScene::new(257, Edges::Open);
    let input = place.noise();
    let stop_after = |micros: u64, work: &mut dyn FnMut(&Control) -> bool| -> bool {
        let control = Control::default();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_micros(micros));
                control.cancel();
            });
            work(&control)
        })
    };
    for node in on_squares().map(altered) {
        let whole = place.finish(&node, &input, 1);
        for micros in [0, 25, 50, 100, 200, 400, 800] {
            stop_after(micros, &mut |control| match node.as_process() {
                None => place.run(&node, &input, 1, control).is_ok_and(|made| {
                    assert!(made == whole);
                    true
                }),
                Some(process) => {
                    let mut run = process.start(&place.context(control), input.clone());
                    let (before, mass_balance) = (run.terrain().clone(), run.mass_balance());
                    let done = run.step(&place.context(control)).is_ok();
                    if !done {
                        assert!(*run.terrain() == before && run.mass_balance() == mass_balance, "{node:?}");
                        run.step(&place.context(&Control::default())).unwrap();
                    }
                    assert!(*run.terrain() == whole, "{node:?}");
                    done
                }
            });
        }
    }
}

#[test]
fn processes_replay_from_snapshots_and_conserve_mass() {
    for edges in BOTH {
        let place = TestScene::new(65, edges);
        let control = Control::default();
        let cx = place.context(&control);
        for node in on_squares() {
            for node in [node.clone(), altered(node)] {
                let Some(process) = node.as_process() else { continue };
                let input = place.noise();
                let before = cx.grid.sum(&input.height);
                let mut run = process.start(&cx, input);
                (0..3).for_each(|_| run.step(&cx).unwrap());
                let mut again = run.snapshot();
                assert!(run.bytes() >= run.terrain().bytes() && again.terrain() == run.terrain());
                for replay in [&mut run, &mut again] {
                    (0..4).for_each(|_| replay.step(&cx).unwrap());
                }
                assert!(run.terrain() == again.terrain() && run.mass_balance() == again.mass_balance(), "{node:?}");
                let mass_balance = run.mass_balance();
                let after = cx.grid.sum(&run.terrain().height);
                assert!(mass_balance.eroded + mass_balance.added > 0.0, "nothing happened: {node:?}");
                assert!(mass_balance.residual().abs() <= 1e-6 * before, "{mass_balance:?} {node:?}");
                let change = mass_balance.added + mass_balance.deposited - mass_balance.eroded;
                assert!(
                    (after - before - change).abs() <= 1e-6 * before,
                    "{} {mass_balance:?} {node:?}",
                    after - before
                );
            }
        }
    }
}

/// The residual of the mass balance is only rounding of the terrain and of the material moved. This includes level
/// terrain at 0 m, where every cell rounds in the same way and the errors add up.
#[test]
fn mass_balances_close_at_extremes_and_on_level_terrain() {
    for edges in BOTH {
        let place = TestScene::new(17, edges);
        let control = Control::default();
        let cx = place.context(&control);
        let nodes = on_squares().flat_map(|plain| {
            let specs = plain.about().params.iter().enumerate();
            let extreme = specs.flat_map(|(k, spec)| extremes(spec).into_iter().map(move |value| (k, value)));
            let extreme = extreme.map(|(k, value)| {
                let mut node = plain.clone();
                node.params_mut().set(k, &value).unwrap();
                node
            });
            let plain = [plain.clone(), altered(plain.clone())].map(|node| (node, true));
            extreme.map(|node| (node, false)).chain(plain).collect::<Vec<_>>()
        });
        for (k, (node, is_plain)) in nodes.enumerate() {
            let Some(process) = node.as_process() else { continue };
            // There are many extremes. Each one runs on level terrain and on one other input, which changes from one
            // extreme to the next.
            let is_met = |(at, _): &(usize, _)| is_plain || *at == 0 || *at == 1 + k % 3;
            for (_, (on, input)) in place.inputs().into_iter().enumerate().filter(is_met) {
                let ground: f64 = input.height.iter().map(|&h| f64::from(h).abs()).sum();
                let before = cx.grid.sum(&input.height);
                let mut run = process.start(&cx, input);
                let steps = if is_plain { 60 } else { 25 };
                (0..steps).for_each(|_| run.step(&cx).unwrap());
                let books = run.mass_balance();
                let after = cx.grid.sum(&run.terrain().height);
                let allowed = 1e-6 * (ground + books.eroded + books.deposited + books.added);
                let change = books.added + books.deposited - books.eroded;
                assert!(books.residual().abs() <= allowed, "{} {books:?} on {on}: {node:?}", books.residual());
                assert!((after - before - change).abs() <= allowed, "{after} {before} {books:?} on {on}: {node:?}");
            }
        }
    }
}

/// A height profile across the seam bends no more than profiles inside the terrain.
#[test]
fn slopes_continue_over_the_seam() {
    const N: usize = 257;
    let place = TestScene::new(N, Edges::Wrap);
    for node in on_squares().filter(|n| matches!(n.work(), NodeKind::Generator(_))) {
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

/// As in `talweg render --set 2.preset=Canyon`.
#[test]
fn every_preset_can_be_set_by_its_name() {
    for node in Node::catalogue() {
        for preset in &node.about().presets {
            let ground = Layer::new(Node::named("Perlin").unwrap(), 1);
            let mut scene = Scene { layers: vec![ground, Layer::new(altered(node.clone()), 2)], ..Scene::default() };
            scene.set(&format!("2.preset={}", preset.name)).unwrap();
            let made = scene.layers[1].node.matching_preset().map(|p| p.name);
            assert_eq!(made, Some(preset.name), "{}", node.about().name);
        }
    }
}

/// A node with random values from the full hard range of every parameter.
fn any_node() -> impl Strategy<Value = Node> {
    let count = on_squares().count();
    (0..count, proptest::collection::vec(0.0f64..=1.0, 24)).prop_map(|(index, draws)| {
        let mut node = on_squares().nth(index).expect("counted");
        for (k, spec) in node.about().params.iter().enumerate() {
            let t = draws[k % draws.len()];
            let value = match &spec.kind {
                ParamKind::Float { hard, .. } => {
                    Value::Float((f64::from(hard.0) + f64::from(hard.1 - hard.0) * t) as f32)
                }
                ParamKind::Int { hard, .. } => Value::Int(hard.0 + ((hard.1 - hard.0) as f64 * t) as i64),
                ParamKind::Bool => Value::Bool(t < 0.5),
                ParamKind::Choice(options) => {
                    Value::Choice(((options.len() as f64 * t) as usize).min(options.len() - 1))
                }
                ParamKind::Curve if t < 0.5 => another(spec),
                ParamKind::Curve => extremes(spec).swap_remove(0),
                ParamKind::Numbers { .. } => extremes(spec).swap_remove((t * 2.99) as usize),
                ParamKind::Tree | ParamKind::Strokes => extremes(spec).swap_remove((t * 2.99) as usize),
                ParamKind::Image | ParamKind::Scene | ParamKind::Layer => {
                    extremes(spec).swap_remove(usize::from(t < 0.5))
                }
            };
            node.params_mut().set(k, &value).unwrap();
        }
        node
    })
}

proptest! {
    #![proptest_config(random_cases(256))]

    #[test]
    fn any_parameters_at_any_size_stay_finite(
        node in any_node(),
        samples in 2usize..=70,
        wraps in any::<bool>(),
        size_metres in 1.0f32..=1.0e6,
        relief_metres in 0.1f32..=1.0e5,
    ) {
        let edges = if wraps { Edges::Wrap } else { Edges::Open };
        let place = TestScene { size_metres, relief_metres, ..TestScene::new(samples, edges) };
        let made = place.finish(&node, &place.noise(), 3);
        prop_assert!(made.height.iter().all(|h| h.is_finite()));
    }
}
