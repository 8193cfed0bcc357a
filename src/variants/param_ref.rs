//! A reference to one parameter of a scene, by name, and the values that it can take.

use std::sync::LazyLock;

use super::scene_variant::MOST_VARIANTS;
use crate::io::suggestion;
use crate::param::{ParamError, ParamKind, ParamSpec, Params, Value, label_of};
use crate::scene::{Scene, SetError};

/// A positive range is stepped logarithmically if the ratio of its ends is at least this number, as in the panel's
/// sliders.
const LOGARITHMIC: f64 = 50.0;

/// The part of a scene that has the parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    Settings,
    Node(usize),
    Mix(usize),
    Mask(usize),
    Seed(usize),
}

/// A layer's seed is not a parameter of its node, but can be varied like one.
static LAYER_SEED: LazyLock<ParamSpec> = LazyLock::new(|| ParamSpec {
    zero: "",
    name: "seed",
    label: label_of("seed"),
    unit: "",
    is_fraction: false,
    help: "Changes every random value of the layer.",
    kind: ParamKind::Int { hard: (0, i64::from(u32::MAX)), slider: (0, 99) },
    default: Value::Int(1),
});

/// A parameter of a scene: a parameter of a layer's node, mix or mask, a layer's seed, or a setting of the scene.
#[derive(Clone, Copy, Debug)]
pub struct ParamRef {
    owner: Owner,
    index: usize,
    spec: &'static ParamSpec,
}

/// Reason why a parameter cannot be varied as requested.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum VariantError {
    /// The scene has no layer or parameter with the given name.
    #[error(transparent)]
    Name(#[from] SetError),
    /// The text does not have the expected form.
    #[error("`{0}` is not of the form LAYER.PARAM or LAYER.PARAM=FROM..TO, like Peaks.frequency=1..8")]
    Form(String),
    /// The value does not fit the parameter.
    #[error(transparent)]
    Value(#[from] ParamError),
    /// A range is given for a parameter that is not a number.
    #[error("`{0}` is not a number, so it has no range; omit FROM..TO")]
    NoRange(&'static str),
    /// The values of the parameter have no order to sweep.
    #[error("`{0}` cannot be swept: only numbers, choices and switches can")]
    NotSwept(&'static str),
    /// The layer's node has no presets.
    #[error("layer `{0}` has no presets; sweep one of its parameters")]
    NoPresets(String),
    /// Two sweeps would vary the same parameter.
    #[error("both sweeps vary `{0}`; give two parameters")]
    Twice(&'static str),
    /// The list holds a value twice.
    #[error("`{0}` is given the value {1} twice; give each value once")]
    SameValue(&'static str, String),
    /// There would be more variants than the maximum.
    #[error(
        "that makes {0} variants, more than the maximum of {MOST_VARIANTS}; give fewer values, or split them over several folders"
    )]
    TooMany(u64),
}

impl PartialEq for ParamRef {
    fn eq(&self, other: &Self) -> bool {
        // the layer at this index may now have another node
        self.is_same(other) && std::ptr::eq(self.spec, other.spec)
    }
}

impl ParamRef {
    /// The parameter that `LAYER.PARAM` names, as in [`Scene::set`].
    pub fn named(scene: &Scene, path: &str) -> Result<Self, VariantError> {
        let (owner, param) = path.trim().rsplit_once('.').ok_or_else(|| VariantError::Form(path.into()))?;
        let layer = if owner == "scene" { None } else { Some(scene.find_layer(owner)?) };
        Self::find(scene, layer, param)
    }

    /// The parameter `param` of a layer, by its index, or of the scene's settings.
    pub fn find(scene: &Scene, layer: Option<usize>, param: &str) -> Result<Self, VariantError> {
        let (name, owners) = match layer {
            None => ("scene", vec![Owner::Settings]),
            Some(k) => (scene.layers[k].name.as_str(), vec![Owner::Node(k), Owner::Mix(k), Owner::Mask(k)]),
        };
        for &owner in &owners {
            let about = group(scene, owner).about();
            if let Some(index) = about.find(param) {
                return Ok(Self { owner, index, spec: &about.params[index] });
            }
        }
        if let (Some(layer), "seed") = (layer, param) {
            return Ok(Self { owner: Owner::Seed(layer), index: 0, spec: &LAYER_SEED });
        }
        let known: Vec<&str> =
            owners.iter().flat_map(|&o| group(scene, o).about().params.iter().map(|p| p.name)).collect();
        Err(SetError::NoParam { owner: name.into(), param: param.into(), suggestion: suggestion(param, &known) }.into())
    }

    /// The specification of the parameter.
    pub fn spec(&self) -> &'static ParamSpec {
        self.spec
    }

    /// The parameter's value in `scene`.
    pub fn value(&self, scene: &Scene) -> Value {
        match self.owner {
            Owner::Seed(k) => Value::Int(i64::from(scene.layers[k].seed)),
            owner => group(scene, owner).get(self.index),
        }
    }

    /// `scene` with this parameter set to `value`.
    pub fn with_value(&self, scene: &Scene, value: &Value) -> Result<Scene, ParamError> {
        let mut turned = scene.clone();
        let group: &mut dyn Params = match self.owner {
            Owner::Settings => &mut turned.settings,
            Owner::Node(k) => turned.layers[k].node.params_mut(),
            Owner::Mix(k) => &mut turned.layers[k].mix,
            Owner::Mask(k) => &mut turned.layers[k].mask,
            Owner::Seed(k) => {
                if let Value::Int(seed) = self.spec.clamp(value) {
                    turned.layers[k].seed = seed as u32;
                }
                return Ok(turned);
            }
        };
        group.set(self.index, value)?;
        Ok(turned)
    }

    /// The argument of `--set` that sets this parameter to `value`: LAYER.PARAM=VALUE, with the layer's number.
    pub fn assignment(&self, value: &Value) -> String {
        let owner = match self.owner {
            Owner::Settings => "scene".to_string(),
            Owner::Node(k) | Owner::Mix(k) | Owner::Mask(k) | Owner::Seed(k) => (k + 1).to_string(),
        };
        format!("{owner}.{}={}", self.spec.name, self.spec.show(value))
    }

    /// The parameter's name in file names: LAYER.PARAM with the layer's name; for a setting, only the name of the
    /// setting.
    pub fn path(&self, scene: &Scene) -> String {
        match self.owner {
            Owner::Settings => self.spec.name.to_string(),
            Owner::Node(k) | Owner::Mix(k) | Owner::Mask(k) | Owner::Seed(k) => {
                format!("{}.{}", scene.layers[k].name, self.spec.name)
            }
        }
    }

    /// The value with its unit, as display text.
    pub fn shown(&self, value: &Value) -> String {
        let unit = self.spec.shown_unit();
        let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
        self.spec.shown_text(value) + &unit
    }

    /// At most `count` values of the parameter. For a number, the values cover the slider's range or `range`, ends
    /// included. The steps between the values are equal or, if the range covers decades, the ratios between the values
    /// are equal. For a choice, all options are returned.
    pub fn values(&self, range: Option<(f64, f64)>, count: usize) -> Result<Vec<Value>, VariantError> {
        let number = match &self.spec.kind {
            ParamKind::Float { slider, .. } => (f64::from(slider.0), f64::from(slider.1)),
            ParamKind::Int { slider, .. } => (slider.0 as f64, slider.1 as f64),
            ParamKind::Choice(_) | ParamKind::Bool if range.is_some() => {
                return Err(VariantError::NoRange(self.spec.name));
            }
            ParamKind::Choice(options) => return Ok((0..options.len()).map(Value::Choice).collect()),
            ParamKind::Bool => return Ok(vec![Value::Bool(false), Value::Bool(true)]),
            _ => return Err(VariantError::NotSwept(self.spec.name)),
        };
        let scale = SliderScale::new(range.unwrap_or(number));
        let last = count.max(2) - 1;
        let mut values: Vec<Value> = (0..=last).map(|k| self.number(scale.value(k as f64 / last as f64))).collect();
        values.dedup();
        Ok(values)
    }

    /// Values below and above the current value, the nearest first. For a number, the step is an eighth of the slider's
    /// range; for a choice, the adjacent options are returned.
    pub fn neighbours(&self, scene: &Scene, steps: usize) -> Result<[Vec<Value>; 2], VariantError> {
        let here = self.value(scene);
        let (scale, place) = match (&self.spec.kind, &here) {
            (ParamKind::Float { slider, .. }, Value::Float(v)) => {
                let scale = SliderScale::new((f64::from(slider.0), f64::from(slider.1)));
                (scale, scale.fraction(f64::from(*v)))
            }
            (ParamKind::Int { slider, .. }, Value::Int(v)) => {
                let scale = SliderScale::new((slider.0 as f64, slider.1 as f64));
                (scale, scale.fraction(*v as f64))
            }
            (ParamKind::Choice(options), Value::Choice(k)) => {
                let below = (0..*k).rev().take(steps).map(Value::Choice).collect();
                return Ok([below, (k + 1..options.len()).take(steps).map(Value::Choice).collect()]);
            }
            (ParamKind::Bool, Value::Bool(on)) => {
                let other = vec![Value::Bool(!on)];
                return Ok(if *on { [other, vec![]] } else { [vec![], other] });
            }
            _ => return Err(VariantError::NotSwept(self.spec.name)),
        };
        let side = |sign: f64| {
            let places = (1..=steps).map(|k| (place + sign * STEP * k as f64).clamp(0.0, 1.0));
            let mut values: Vec<Value> = places.map(|place| self.number(scale.value(place))).collect();
            // steps beyond the end of the slider are clamped to the end value, so this value can occur twice
            values.dedup();
            values.retain(|value| is_beside(value, &here, sign));
            values
        };
        Ok([side(-1.0), side(1.0)])
    }

    /// A number converted to this parameter's type.
    fn number(&self, number: f64) -> Value {
        let value = match self.spec.kind {
            ParamKind::Int { .. } => Value::Int(number.round() as i64),
            _ => Value::Float(number as f32),
        };
        self.spec.clamp(&value)
    }

    /// Whether both references name the same parameter.
    pub fn is_same(&self, other: &Self) -> bool {
        (self.owner, self.index) == (other.owner, other.index)
    }
}

/// Step to a neighbouring value, as a fraction of the slider's range.
const STEP: f64 = 0.125;

fn is_beside(value: &Value, here: &Value, sign: f64) -> bool {
    match (value, here) {
        (Value::Float(a), Value::Float(b)) => (f64::from(*a) - f64::from(*b)) * sign > 0.0,
        (Value::Int(a), Value::Int(b)) => (a - b) as f64 * sign > 0.0,
        _ => false,
    }
}

fn group(scene: &Scene, owner: Owner) -> &dyn Params {
    match owner {
        Owner::Settings => &scene.settings,
        // a layer's seed belongs to no parameter group, so the node's parameter group is returned
        Owner::Node(k) | Owner::Seed(k) => scene.layers[k].node.params(),
        Owner::Mix(k) => &scene.layers[k].mix,
        Owner::Mask(k) => &scene.layers[k].mask,
    }
}

/// The scale of a slider, linear or logarithmic.
#[derive(Clone, Copy)]
pub(super) struct SliderScale {
    from: f64,
    to: f64,
    is_logarithmic: bool,
}

impl SliderScale {
    pub(super) fn new((from, to): (f64, f64)) -> Self {
        let (low, high) = if from < to { (from, to) } else { (to, from) };
        Self { from, to, is_logarithmic: low > 0.0 && high / low >= LOGARITHMIC }
    }

    /// The number at the position `place` on the slider, from 0 to 1. The ends are exact; values between the ends have
    /// four significant digits.
    pub(super) fn value(self, place: f64) -> f64 {
        if place <= 0.0 {
            return self.from;
        }
        if place >= 1.0 {
            return self.to;
        }
        if self.is_logarithmic {
            let (a, b) = (libm::log(self.from), libm::log(self.to));
            return rounded(libm::exp(a + (b - a) * place));
        }
        rounded(self.from + (self.to - self.from) * place)
    }

    pub(super) fn fraction(self, number: f64) -> f64 {
        let place = if self.is_logarithmic && number > 0.0 {
            let (a, b) = (libm::log(self.from), libm::log(self.to));
            (libm::log(number) - a) / (b - a)
        } else {
            (number - self.from) / (self.to - self.from)
        };
        if place.is_finite() { place.clamp(0.0, 1.0) } else { 0.0 }
    }
}

/// `number` rounded to four significant digits, which people can read and type.
fn rounded(number: f64) -> f64 {
    if number == 0.0 || !number.is_finite() {
        return number;
    }
    let unit = libm::pow(10.0, libm::floor(libm::log10(number.abs())) - 3.0);
    if unit >= 1.0 {
        return (number / unit).round() * unit;
    }
    // a power of ten below 1 is not exact, but its inverse is
    let inverse = (1.0 / unit).round();
    (number * inverse).round() / inverse
}
