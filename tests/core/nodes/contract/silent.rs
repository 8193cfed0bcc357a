//! A parameter that changes nothing is disabled: it says that it has no effect, instead of silently ignoring its value.

use crate::kits::nodes::{TestScene, another, extremes, node, on_squares};
use rayon::prelude::*;
use talweg::field::{Edges, MapKind, Terrain};
use talweg::nodes::{Node, NodeKind};
use talweg::param::{ParamKind, Value, disabled_reason};
use talweg::scene::{Layer, Scene};

/// The node itself, and the node with one choice, switch or number changed, each with the parameter that was changed.
fn states(node: &Node) -> Vec<(Option<usize>, Node)> {
    let mut states = vec![(None, node.clone())];
    for (k, spec) in node.about().params.iter().enumerate() {
        let values = match &spec.kind {
            ParamKind::Choice(_) | ParamKind::Bool => extremes(spec),
            // The lower end of many numbers switches something off.
            ParamKind::Float { hard, .. } if hard.0 >= 0.0 => vec![Value::Float(hard.0)],
            ParamKind::Float { .. } => vec![Value::Float(0.0)],
            ParamKind::Int { hard, .. } => vec![Value::Int(hard.0)],
            _ => Vec::new(),
        };
        for value in values.into_iter().filter(|value| *value != spec.default && node.params().matters(k)) {
            let mut state = node.clone();
            state.params_mut().set(k, &value).unwrap();
            states.push((Some(k), state));
        }
    }
    states
}

/// Parameters whose effect depends on things that the test does not provide: the node, the changed parameter of the
/// state (empty for every state), the parameters, and the reason.
const DEPEND_ON_MORE: &[(&str, &str, &[&str], &str)] = &[
    ("", "", &["largest_scale", "fine_weight"], "a process on its own runs on one grid"),
    ("SquigRiver", "detail", &["forks"], "a fork without room is skipped"),
    ("Voronoi", "points", &["c2", "c3", "c4", "c5", "c6", "c7", "c8"], "the lattice of a planet has more points"),
    ("Shape", "form", &["centre_y"], "a ramp to the east is the same along its contour lines"),
    (
        "Import",
        "",
        &[
            "file",
            "no_data_value",
            "heights",
            "low_metres",
            "high_metres",
            "fit",
            "sampling",
            "raw_rows",
            "numbers",
            "unit",
            "no_data",
            "channel",
        ],
        "there is no file",
    ),
    ("Ridged", "gain", &["lacunarity"], "all octaves but the first have no weight"),
    ("Hybrid", "gain", &["lacunarity"], "all octaves but the first have no weight"),
    ("Craters", "places", &["longitude", "latitude"], "a square terrain has other coordinates"),
    ("Craters", "largest", &["places"], "the crater is smaller than a cell"),
    ("Craters", "craters", &["largest", "size_slope", "depth", "uneven"], "the single crater is small"),
    (
        "Craters",
        "largest",
        &["amount", "craters", "smallest", "size_slope", "depth", "uneven"],
        "all craters are smaller than a cell",
    ),
    ("Craters", "smallest", &["largest", "depth", "uneven"], "most craters are smaller than a cell"),
    (
        "ShallowWater",
        "rain",
        &[
            "evaporation",
            "pipe_depth",
            "friction",
            "sediment_capacity",
            "min_tilt_angle",
            "shallow_depth",
            "bank_angle",
            "border",
        ],
        "all water comes from layers below",
    ),
    ("Levels", "output_high", &["input_low", "input_high", "curve"], "the result is level"),
    (
        "Craters",
        "",
        &["peaks", "follow_atmosphere", "transition_metres", "ejecta", "wear", "maria"],
        "peaks need large craters, and only planets have an atmosphere; without depth there are no craters",
    ),
    ("Levels", "", &["clamp", "gamma", "output_low"], "no height is outside the range, or the range is empty"),
    ("Normalise", "", &["target", "ignore"], "both ranges are the same, or empty"),
    ("Transform", "", &["outside"], "nothing moves yet"),
    ("Droplets", "lifetime", &["deposition_rate", "gravity", "evaporation"], "a droplet takes a single step"),
    ("ShallowWater", "", &["softening"], "the rock is loose everywhere"),
    ("ShallowWater", "sediment_capacity", &["shallow_depth"], "sediment of a layer below settles"),
    ("ShallowWater", "dissolving", &["deposition", "sediment_capacity", "shallow_depth"], "as above"),
    ("ShallowWater", "talus_angle", &["bank_angle"], "the angle of banks is at most that of slopes"),
    ("StreamPower", "erodibility", &["deposition", "hardness"], "there is no erosion"),
    ("AnalyticStreamPower", "", &["network_age", "network_scale", "source_area", "erodibility"], "one grid, few peaks"),
    ("AnalyticStreamPower", "talus_angle", &["area_exponent"], "all is level"),
    ("Snow", "snow_line", &["melt_metres"], "it is cold everywhere"),
    ("Hydraulic", "solubility", &["sediment_capacity"], "sediment of a layer below settles"),
    ("Rain", "shadow_reach", &["rain_height"], "the rain shadow is shorter than a cell"),
    ("PaintedMap", "kind", &["keep_below"], "no layer below made this map"),
    ("Reference", "", &["source", "source_file"], "the test provides the terrain that the reference reads"),
    ("LayerGroup", "", &["ground"], "the layers of the group are elsewhere"),
];

/// Whether the effect of a parameter depends on things that the test does not provide.
fn depends_on_more(node: &Node, changed: Option<usize>, parameter: &str) -> bool {
    let about = node.about();
    let changed = changed.map_or("", |k| about.params[k].name);
    // These show the first steps of a method, which do not use all of its parameters.
    changed == "levels_shown"
        || DEPEND_ON_MORE.iter().any(|(name, state, parameters, _)| {
            (name.is_empty() || *name == about.name)
                && (state.is_empty() || *state == changed)
                && parameters.contains(&parameter)
        })
}

/// Whether another value of the parameter `k` disables the parameter `other`. Two parameters of which each makes the
/// other ineffective cannot both be disabled, or nobody could change them again.
fn can_disable(node: &Node, k: usize, other: usize) -> bool {
    extremes(&node.about().params[k]).iter().any(|value| {
        let mut node = node.clone();
        node.params_mut().set(k, value).unwrap();
        !node.params().matters(other)
    })
}

#[test]
fn parameters_without_effect_are_disabled() {
    let place = TestScene::new(65, Edges::Open);
    let nodes: Vec<Node> = on_squares().collect();
    let faults: Vec<String> = nodes
        .par_iter()
        .flat_map_iter(|node| {
            let params = &node.about().params;
            let input = match node.work() {
                NodeKind::Generator(_) => Terrain::flat(place.grid()),
                _ => place.noise(),
            };
            let finish = |node: &Node| place.finish(node, &input, 12);
            let mut faults = Vec::new();
            for (changed, state) in states(node) {
                let made = finish(&state);
                let (mut silent, mut active) = (Vec::new(), 0);
                let with = changed.map_or("defaults".into(), |k| {
                    format!("{} = {}", params[k].name, params[k].show(&state.params().get(k)))
                });
                for (k, spec) in params.iter().enumerate().filter(|(k, _)| Some(*k) != changed) {
                    let has_effect = std::iter::once(another(spec)).chain(extremes(spec)).any(|value| {
                        let mut other = state.clone();
                        other.params_mut().set(k, &value).unwrap();
                        finish(&other) != made
                    });
                    let matters = state.params().matters(k);
                    if has_effect && !matters {
                        faults.push(format!(
                            "{} with {with}: {} is disabled but has an effect",
                            node.about().name,
                            spec.name
                        ));
                    }
                    active += u32::from(matters);
                    let is_mutual = changed.is_some_and(|changed| can_disable(&state, k, changed));
                    if matters && !has_effect && !is_mutual && !depends_on_more(&state, changed, spec.name) {
                        silent.push(spec.name);
                    }
                }
                // With a factor of 0 nothing else has an effect, as everybody expects.
                let is_off = changed.is_some() && silent.len() as u32 * 2 > active;
                if !silent.is_empty() && !is_off {
                    let silent = silent.join(", ");
                    faults
                        .push(format!("{} with {with}: without effect but not disabled: {silent}", node.about().name));
                }
            }
            faults
        })
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The reason names the parameters that disable another one.
#[test]
fn disabled_parameters_have_a_reason() {
    let reason = |name: &str, params: &[(&str, &str)], parameter: &str| {
        let mut node = node(name, params);
        let before = node.clone();
        let index = node.about().find(parameter).unwrap();
        let reason = disabled_reason(node.params_mut(), index);
        assert_eq!(node, before, "the values are restored");
        reason
    };
    assert_eq!(reason("SquigRiver", &[], "entry"), None);
    for (params, parameter, wanted) in [
        (&[("layout", "Triangle")][..], "entry", "`entry` has no effect while `layout` is Triangle"),
        (&[("layout", "Triangle")], "exit", "`exit` has no effect while `layout` is Triangle"),
        (&[("banks", "AsInPaper")], "detail", "`detail` has no effect while `banks` is AsInPaper"),
        (&[("drop", "0")], "steps", "`steps` has no effect while `drop` is 0"),
        (
            &[("banks", "AsInPaper")],
            "source_width",
            "`source_width` has no effect while `banks` is AsInPaper and `widths` is Even",
        ),
    ] {
        assert_eq!(reason("SquigRiver", params, parameter).as_deref(), Some(wanted));
    }
    assert_eq!(
        reason("Voronoi", &[("points", "1"), ("scatter", "Random")], "c2").as_deref(),
        Some("`c2` has no effect while `points` is 1")
    );
    // Every disabled parameter of every node names at least one other parameter.
    for node in Node::catalogue() {
        for (changed, state) in states(&node) {
            for index in 0..node.about().params.len() {
                let mut state = state.clone();
                let reason = disabled_reason(state.params_mut(), index);
                assert_eq!(reason.is_some(), !state.params().matters(index));
                // Without a file there is nothing that could be tried.
                let has_file =
                    node.about().params.iter().any(|spec| matches!(spec.kind, ParamKind::Image | ParamKind::Scene));
                let named = has_file || reason.is_none_or(|reason| reason.contains(" while `"));
                assert!(named, "{} {changed:?}: {}", node.about().name, node.about().params[index].name);
            }
        }
    }
}

#[test]
fn values_without_effect_are_told() {
    let text = "(version: 1, layers: [(name: \"River\", node: SquigRiver(layout: Triangle, entry: East))])";
    let (scene, _) = Scene::from_ron(text).unwrap();
    let values = scene.disabled_values();
    assert_eq!(values.len(), 1, "{values:?}");
    assert_eq!((values[0].layer, values[0].parameter), (0, "entry"));
    assert_eq!(values[0].reason, "`entry` has no effect while `layout` is Triangle");
}

/// Rain of the whole relief that never evaporates takes the ground with it. The note predicts by how much.
#[test]
fn rain_that_never_evaporates_is_told() {
    let place = TestScene::new(65, Edges::Open);
    for name in ["Hydraulic", "HydraulicFast"] {
        assert_eq!(node(name, &[]).runaway_note(), None);
        for preset in &node(name, &[]).about().presets {
            let mut usual = node(name, &[]);
            usual.adopt(preset);
            assert_eq!(usual.runaway_note(), None, "{name} {}", preset.name);
        }
        let flood = node(name, &[("rain", "1"), ("evaporation", "0"), ("iterations", "20")]);
        let note = flood.runaway_note().expect("it runs away");
        // 20 iterations of rain, and 0.05 of this depth as ground in the water.
        assert!(note.contains("20.0 times as deep") && note.contains("ground 1.00 times"), "{name}: {note}");
        let input = place.noise();
        let made = place.finish(&flood, &input, 20);
        let mean = |terrain: &Terrain| terrain.grid.sum(&terrain.height) / terrain.height.len() as f64;
        let sunk = mean(&input) - mean(&made);
        assert!((0.9..1.1).contains(&sunk), "{name}: the ground sank by {sunk} of the relief");
        let layers = vec![Layer::new(flood, 1)];
        let problems = Scene { layers, ..Scene::default() }.problems();
        assert!(problems.iter().any(|problem| problem.message == note), "{problems:?}");
    }
}

/// A river is drawn at every depth, and a single point makes a mountain.
#[test]
fn lowest_values_still_make_a_terrain() {
    let place = TestScene::new(65, Edges::Open);
    for banks in ["Symmetric", "AsInPaper"] {
        for layout in ["Square", "Triangle"] {
            let river = node("SquigRiver", &[("depth", "0"), ("banks", banks), ("layout", layout)]);
            let made = place.finish(&river, &Terrain::flat(place.grid()), 0);
            let wet = made.map(MapKind::Water).unwrap().iter().filter(|&&depth| depth > 0.0).count();
            assert!(wet >= 40, "{banks} {layout}: {wet} samples of water");
        }
    }
    for name in ["Voronoi", "VoronoiMidpoint"] {
        let made = place.finish(&node(name, &[("points", "1")]), &Terrain::flat(place.grid()), 0);
        let (low, high) = made.range();
        assert!(high - low > 0.2, "{name}: {low} to {high}");
    }
    // A cone around the point: h = -0.75 D₁, with D₁ in units of the side.
    let cone = node("Voronoi", &[("points", "1"), ("jitter", "0")]);
    let made = place.finish(&cone, &Terrain::flat(place.grid()), 0);
    for (k, h) in made.height.iter().enumerate() {
        let [y, x] = [k / 65, k % 65].map(|at| at as f32 / 64.0 - 0.5);
        assert!((h + 0.75 * x.hypot(y)).abs() < 1.0e-5, "sample {k}: {h}");
    }
}
