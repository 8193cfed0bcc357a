//! A parameter that changes nothing is disabled: it says that it has no effect, instead of silently ignoring its value.

use crate::kits::nodes::{TestScene, another, extremes, on_squares};
use rayon::prelude::*;
use talweg::field::{Edges, Terrain};
use talweg::nodes::{Node, NodeKind};
use talweg::param::{ParamKind, Value};

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

#[test]
fn parameters_without_effect_are_disabled() {
    let nodes: Vec<Node> = on_squares().collect();
    let silent: Vec<String> = nodes
        .par_iter()
        .flat_map_iter(|node| {
            let params = &node.about().params;
            let place = TestScene::new(65, Edges::Open);
            let inputs: Vec<Terrain> = match node.work() {
                NodeKind::Generator(_) => vec![Terrain::flat(place.grid())],
                _ => vec![place.noise()],
            };
            let most = 12;
            let mut found = Vec::new();
            for (changed, state) in states(node) {
                let made: Vec<Terrain> = inputs.iter().map(|input| place.finish(&state, input, most)).collect();
                let mut silent = Vec::new();
                let mut active = 0;
                for (k, spec) in params.iter().enumerate() {
                    if !state.params().matters(k) || Some(k) == changed {
                        continue;
                    }
                    active += 1;
                    let has_effect = std::iter::once(another(spec)).chain(extremes(spec)).any(|value| {
                        let mut other = state.clone();
                        other.params_mut().set(k, &value).unwrap();
                        inputs.iter().zip(&made).any(|(input, made)| place.finish(&other, input, most) != *made)
                    });
                    if !has_effect {
                        silent.push(spec.name);
                    }
                }
                // A factor of 0 makes everything else ineffective, as everybody expects.
                let is_off = changed.is_some() && silent.len() * 2 > active;
                if !silent.is_empty() && !is_off {
                    let with = changed.map_or("defaults".into(), |k| {
                        format!("{} = {}", params[k].name, params[k].show(&state.params().get(k)))
                    });
                    found.push(format!("{} with {with}: {}", node.about().name, silent.join(", ")));
                }
            }
            found
        })
        .collect();
    assert!(silent.is_empty(), "these parameters have no effect and are not disabled:\n{}", silent.join("\n"));
}
