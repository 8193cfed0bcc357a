//! The axes of a contact sheet: either a parameter with its values, or seeds.
//!
//! The values of an axis do not change when the user applies a variant, so that the sheet stays the same.

use crate::features::layers::parameters::shows_mix;
use talweg::param::{ParamKind, ParamSpec, Params, Value};
use talweg::scene::Scene;
use talweg::variants::{ParamRef, VariantError, VariantSweep};

/// First and last value of an axis.
pub type Range = (f64, f64);

/// A parameter with the values along a row or column. It belongs to the selected layer, or to the scene if no layer is
/// selected.
#[derive(Clone, Debug, Default)]
pub struct SweepAxis {
    /// Name of the parameter. An empty name stands for the first available parameter.
    pub parameter: String,
    /// Range of the values; `None` for the range of the slider.
    pub range: Option<Range>,
    pub steps: usize,
    /// The parameter, range and number of values from which `values` were computed.
    made: Option<(ParamRef, Option<Range>, usize)>,
    values: Vec<Value>,
}

impl SweepAxis {
    pub fn with_steps(steps: usize) -> Self {
        Self { steps, ..Self::default() }
    }

    /// Selects another parameter with the range of its slider.
    pub fn choose(&mut self, parameter: &str) {
        (self.parameter, self.range) = (parameter.into(), None);
    }

    /// The values along the axis. If the current value of the parameter is in the range, it is one of them.
    pub fn sweep(&mut self, scene: &Scene, layer: Option<usize>) -> Result<VariantSweep, VariantError> {
        let param_ref = ParamRef::find(scene, layer, &self.parameter)?;
        let wanted = (param_ref, self.range, self.steps);
        if self.made != Some(wanted) {
            self.values = param_ref.values(self.range, self.steps)?;
            self.made = Some(wanted);
        }
        include(&mut self.values, &param_ref.value(scene));
        Ok(VariantSweep { param_ref, values: self.values.clone() })
    }
}

/// Replaces the inner value that is nearest to the current value by the current value.
fn include(values: &mut [Value], present: &Value) {
    if values.len() < 3 || values.contains(present) {
        return;
    }
    let (Some(here), Some(numbers)) = (number(present), values.iter().map(number).collect::<Option<Vec<_>>>()) else {
        return;
    };
    let (a, b) = (numbers[0], numbers[numbers.len() - 1]);
    let distance = |k: usize| (numbers[k] - here).abs();
    let nearest = (1..numbers.len() - 1).min_by(|&j, &k| distance(j).total_cmp(&distance(k)));
    if let Some(nearest) = nearest.filter(|_| a.min(b) < here && here < a.max(b)) {
        values[nearest] = present.clone();
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Float(v) => Some(f64::from(*v)),
        Value::Int(v) => Some(*v as f64),
        _ => None,
    }
}

/// The seeds along an axis. They apply to the scene or to a layer.
#[derive(Clone, Debug, Default)]
pub struct Seeds {
    made: Option<ParamRef>,
    values: Vec<Value>,
}

impl Seeds {
    pub const COUNT: usize = 16;

    /// A sweep over the current seed and other seeds.
    pub fn sweep(&mut self, scene: &Scene, layer: Option<usize>) -> Result<VariantSweep, VariantError> {
        let param_ref = ParamRef::find(scene, layer, "seed")?;
        let present = param_ref.value(scene);
        if self.made != Some(param_ref) {
            let first = if let Value::Int(seed) = present { seed } else { 0 };
            let following = |k: i64| Value::Int((first + k) % (i64::from(u32::MAX) + 1));
            self.values = (0..Self::COUNT as i64).map(following).collect();
            self.made = Some(param_ref);
        }
        if !self.values.contains(&present) {
            self.values[0] = present;
        }
        Ok(VariantSweep { param_ref, values: self.values.clone() })
    }

    /// Chooses new random seeds. The current seed stays first.
    pub fn throw(&mut self) {
        let mut thrown: Vec<Value> = Vec::with_capacity(Self::COUNT);
        while thrown.len() < self.values.len() {
            let seed = Value::Int(rand::random_range(0..1_000_000));
            if !thrown.contains(&seed) && !self.values.contains(&seed) {
                thrown.push(seed);
            }
        }
        self.values = thrown;
    }
}

/// The parameters of a layer or of the scene that an axis can vary. They have an effect in the current state.
pub fn parameters(scene: &Scene, layer: Option<usize>) -> Vec<&'static ParamSpec> {
    let groups: Vec<&dyn Params> = match layer.and_then(|index| scene.layers.get(index)) {
        None => vec![&scene.settings],
        Some(layer) => vec![layer.node.params(), &layer.mix, &layer.mask],
    };
    let shows = |name: &str| layer.is_none_or(|index| shows_mix(&scene.layers[index], name));
    let matters = |spec: &ParamSpec| match spec.name {
        // exclude the seed, which has an axis of its own, and the resolution, which is fixed for thumbnails
        "seed" | "resolution" => false,
        "blend" | "smoothness" => shows(spec.name),
        _ => !matches!(
            spec.kind,
            ParamKind::Curve | ParamKind::Numbers { .. } | ParamKind::Image | ParamKind::Scene | ParamKind::Layer
        ),
    };
    let mut specs: Vec<&'static ParamSpec> = Vec::new();
    for params in groups {
        let shown = params.about().params.iter().enumerate().filter(|(k, spec)| params.matters(*k) && matters(spec));
        for (_, spec) in shown {
            // skip a second parameter with the same name, because lookup by name finds only the first
            if !specs.iter().any(|other| other.name == spec.name) {
                specs.push(spec);
            }
        }
    }
    specs
}

#[cfg(test)]
mod tests {
    use super::*;
    use talweg::nodes::Node;
    use talweg::scene::Layer;

    fn floats(values: &[f32]) -> Vec<Value> {
        values.iter().map(|v| Value::Float(*v)).collect()
    }

    #[test]
    fn the_current_value_replaces_the_nearest_inner_value() {
        let with = |present: f32| {
            let mut values = floats(&[0.0, 1.0, 2.0, 3.0]);
            include(&mut values, &Value::Float(present));
            values
        };
        assert_eq!(with(1.25), floats(&[0.0, 1.25, 2.0, 3.0]));
        assert_eq!(with(0.25), floats(&[0.0, 0.25, 2.0, 3.0]), "the ends of the range do not change");
        assert_eq!(with(2.0), floats(&[0.0, 1.0, 2.0, 3.0]));
        assert_eq!(with(7.0), floats(&[0.0, 1.0, 2.0, 3.0]), "outside");
    }

    #[test]
    fn values_and_seeds_stay_when_one_is_adopted() {
        let mut scene = Scene::default();
        scene.layers.push(Layer::new(Node::named("Perlin").unwrap(), 7));
        let (mut axis, mut seeds) = (SweepAxis::with_steps(5), Seeds::default());
        axis.choose("frequency");
        let first = axis.sweep(&scene, Some(0)).unwrap();
        scene = first.param_ref.with_value(&scene, &first.values[3]).unwrap();
        assert_eq!(axis.sweep(&scene, Some(0)).unwrap().values, first.values);
        let drawn = seeds.sweep(&scene, Some(0)).unwrap();
        assert_eq!((drawn.values.len(), &drawn.values[0]), (16, &Value::Int(7)));
        scene.layers[0].seed = 11;
        assert_eq!(seeds.sweep(&scene, Some(0)).unwrap().values, drawn.values);
        seeds.throw();
        let thrown = seeds.sweep(&scene, Some(0)).unwrap().values;
        assert_eq!(thrown[0], Value::Int(11), "the current seed comes first");
        assert!(thrown[1..].iter().all(|seed| !drawn.values.contains(seed)));
    }

    #[test]
    fn seeds_restart_after_the_largest() {
        let mut scene = Scene::default();
        scene.settings.seed = u32::MAX;
        let values = Seeds::default().sweep(&scene, None).unwrap().values;
        assert_eq!(values[..2], [Value::Int(i64::from(u32::MAX)), Value::Int(0)]);
    }

    #[test]
    fn only_parameters_that_change_the_terrain_are_offered() {
        let mut scene = Scene::default();
        scene.layers.extend(["Perlin", "Terrace"].map(|name| Layer::new(Node::named(name).unwrap(), 1)));
        let names = |layer| parameters(&scene, layer).iter().map(|spec| spec.name).collect::<Vec<_>>();
        assert!(names(None).contains(&"relief_metres") && !names(None).contains(&"resolution"));
        assert!(names(Some(0)).contains(&"blend") && names(Some(0)).contains(&"opacity"));
        assert!(!names(Some(1)).contains(&"blend") && !names(Some(1)).contains(&"height_from"));
    }
}
