//! The reason why a parameter has no effect.

use super::{ParamKind, ParamSpec, Params, Value};

/// Values of a parameter that are tried: all options of a choice, or the ends of the range and the default of a number.
fn tried(spec: &ParamSpec) -> Vec<Value> {
    match &spec.kind {
        ParamKind::Choice(options) => (0..options.len()).map(Value::Choice).collect(),
        ParamKind::Bool => vec![Value::Bool(false), Value::Bool(true)],
        ParamKind::Float { hard, slider } => {
            vec![spec.default.clone(), Value::Float(slider.1), Value::Float(hard.1), Value::Float(hard.0)]
        }
        ParamKind::Int { hard, slider } => {
            vec![spec.default.clone(), Value::Int(slider.1), Value::Int(hard.1), Value::Int(hard.0)]
        }
        ParamKind::Numbers { hard } => vec![Value::Numbers(vec![hard.1]), Value::Numbers(Vec::new())],
        ParamKind::Curve
        | ParamKind::Image
        | ParamKind::Scene
        | ParamKind::Layer
        | ParamKind::Tree
        | ParamKind::Strokes => Vec::new(),
    }
}

/// The parameters from `from` on that enable the parameter at `index` if `count` of them change, with the values that
/// they have now.
fn enabling(params: &mut dyn Params, index: usize, from: usize, count: usize) -> Option<Vec<(usize, Value)>> {
    let specs = &params.about().params;
    for k in (from..specs.len()).filter(|&k| k != index) {
        let now = params.get(k);
        let mut found = None;
        for value in tried(&specs[k]).into_iter().filter(|value| *value != now) {
            if params.put(k, &value).is_err() {
                continue;
            }
            found = match count {
                1 => params.matters(index).then(Vec::new),
                _ => enabling(params, index, k + 1, count - 1),
            };
            if found.is_some() {
                break;
            }
        }
        // cannot fail: the parameter had this value before
        let _ = params.put(k, &now);
        if let Some(mut others) = found {
            others.insert(0, (k, now));
            return Some(others);
        }
    }
    None
}

/// The other parameters, with their values, that leave the parameter at `index` without [effect](Params::matters).
/// `None` if the parameter has an effect. The list is empty if no change of one or two parameters enables it.
///
/// The function tries other values of one parameter, then of two, and restores the values of `params`.
pub fn disabling_values(params: &mut dyn Params, index: usize) -> Option<Vec<(usize, Value)>> {
    if params.matters(index) {
        return None;
    }
    Some(enabling(params, index, 0, 1).or_else(|| enabling(params, index, 0, 2)).unwrap_or_default())
}

/// The reason why the parameter at `index` has [no effect](Params::matters): the other parameters that disable it, with
/// their names in files and their values. `None` if the parameter has an effect.
///
/// The values of `params` are the same afterwards; see [`disabling_values`].
pub fn disabled_reason(params: &mut dyn Params, index: usize) -> Option<String> {
    let reasons = disabling_values(params, index)?;
    let specs = &params.about().params;
    let name = specs[index].name;
    let reasons: Vec<String> =
        reasons.iter().map(|(k, value)| format!("`{}` is {}", specs[*k].name, specs[*k].show(value))).collect();
    Some(match reasons.as_slice() {
        [] => format!("`{name}` has no effect with the values of the other parameters"),
        reasons => format!("`{name}` has no effect while {}", reasons.join(" and ")),
    })
}
