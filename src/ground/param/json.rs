//! Converts the descriptions of parameters to JSON, for scripts.

use serde_json::json;

use super::{About, ParamKind, ParamSpec, Value};

/// The description of a group of parameters as JSON. If the group belongs to a node that is a shape, `shape` is the
/// name of the shape.
pub fn description_json(about: &About, shape: Option<&str>) -> serde_json::Value {
    let mut value = json!({
        "name": about.name,
        "label": about.label,
        "category": about.category,
        "help": about.help,
        "source": about.source,
        "synonyms": about.synonyms,
        "params": about.params.iter().map(param_json).collect::<Vec<_>>(),
        "presets": about.presets.iter().map(|p| json!({"name": p.name, "label": p.label, "help": p.help})).collect::<Vec<_>>(),
    });
    if let Some(shape) = shape {
        value["shape"] = shape.into();
    }
    value
}

fn param_json(spec: &ParamSpec) -> serde_json::Value {
    let mut value = json!({
        "name": spec.name,
        "label": spec.label,
        "unit": spec.unit,
        "help": spec.help,
        "default": match &spec.default {
            Value::Float(v) => json!(v),
            Value::Int(v) => json!(v),
            Value::Bool(v) => json!(v),
            Value::Numbers(v) => json!(v),
            other => json!(spec.show(other)),
        },
    });
    let kind = match &spec.kind {
        ParamKind::Float { hard, slider } => {
            (value["hard"], value["slider"]) = (json!(hard), json!(slider));
            "float"
        }
        ParamKind::Int { hard, slider } => {
            (value["hard"], value["slider"]) = (json!(hard), json!(slider));
            "int"
        }
        ParamKind::Bool => "bool",
        ParamKind::Choice(options) => {
            value["choices"] =
                options.iter().map(|o| json!({"name": o.name, "label": o.label, "help": o.help})).collect();
            "choice"
        }
        ParamKind::Curve => "curve",
        ParamKind::Numbers { hard } => {
            value["hard"] = json!(hard);
            "numbers"
        }
        ParamKind::Image => "image",
        ParamKind::Scene => "scene",
        ParamKind::Layer => "layer",
        ParamKind::Tree => "tree",
        ParamKind::Strokes => "strokes",
    };
    value["type"] = kind.into();
    value
}
