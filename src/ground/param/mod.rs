//! Parameter descriptions: value, unit, hard range, slider range and help sentence.
//!
//! A parameter is described once, with [`params!`](crate::params). The panel, the tooltip, `--set`, RON, the command
//! `talweg nodes` and `assets/help/nodes.md` all read that description. The slider range is only a suggestion. The hard
//! range is binding: [`Params::set`] and [`Params::sanitise`] clamp values to that range.

mod disabled;
mod json;
mod macros;
mod text;
mod types;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

pub use disabled::{disabled_reason, disabling_values};
pub use json::description_json;
pub use text::{ParamsInFile, deserialize_params, serialize_params};
pub use types::{
    ImageFile, LayerName, MOST_NUMBERS, NumberList, ParamType, SceneFile, StructuredParam, StructuredValue, ToneCurve,
    WithRange, WithoutRange,
};
use types::{numbers_text, parse_numbers, wrong_type};

/// The current value of a parameter, independent of its Rust type.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Value of a [`ParamKind::Float`].
    Float(f32),
    /// Value of a [`ParamKind::Int`].
    Int(i64),
    /// Value of a [`ParamKind::Bool`].
    Bool(bool),
    /// Index into [`ParamKind::Choice`]'s options.
    Choice(usize),
    /// Value of a [`ParamKind::Curve`].
    Curve(ToneCurve),
    /// Value of a [`ParamKind::Numbers`].
    Numbers(Vec<f32>),
    /// Value of a [`ParamKind::Image`], [`ParamKind::Scene`] or [`ParamKind::Layer`].
    Text(String),
    /// Value of a [`ParamKind::Tree`] or [`ParamKind::Strokes`].
    Structured(Arc<dyn StructuredValue>),
}

/// One option of a choice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChoiceOption {
    /// Name of the option in files and on the command line.
    pub name: &'static str,
    /// Name of the option in the panel.
    pub label: &'static str,
    /// One sentence about the option, for the tooltip and the help.
    pub help: &'static str,
}

/// The type of a parameter with its ranges.
#[derive(Clone, Debug, PartialEq)]
pub enum ParamKind {
    /// A number. Values are clamped to `hard`; the slider covers `slider`.
    Float {
        /// Range that values are clamped to.
        hard: (f32, f32),
        /// Range of the slider.
        slider: (f32, f32),
    },
    /// A whole number. Values are clamped to `hard`; the slider covers `slider`.
    Int {
        /// Range that values are clamped to.
        hard: (i64, i64),
        /// Range of the slider.
        slider: (i64, i64),
    },
    /// A switch.
    Bool,
    /// One of the listed options.
    Choice(&'static [ChoiceOption]),
    /// A [`ToneCurve`] from [0, 1] to [0, 1].
    Curve,
    /// A [`NumberList`]. Each number is clamped to `hard`.
    Numbers {
        /// Range that each number is clamped to.
        hard: (f32, f32),
    },
    /// An [`ImageFile`].
    Image,
    /// A [`SceneFile`].
    Scene,
    /// A [`LayerName`].
    Layer,
    /// A [`StructuredValue`]: a construction tree.
    Tree,
    /// A [`StructuredValue`]: brush strokes.
    Strokes,
}

/// Everything that the program knows about one parameter.
#[derive(Clone, Debug)]
pub struct ParamSpec {
    /// Name of the parameter in files and on the command line, in `snake_case`.
    pub name: &'static str,
    /// Name of the parameter in the window's panel.
    pub label: String,
    /// Unit of the value, such as "°" or "m"; empty if the value has no unit.
    pub unit: &'static str,
    /// Whether the value is a fraction of a whole: 0 to 1 in files, percent in the window.
    pub is_fraction: bool,
    /// One sentence about the parameter, for the tooltip and the help.
    pub help: &'static str,
    /// Type of the parameter and its ranges.
    pub kind: ParamKind,
    /// The word that the window shows for the value 0, such as *Off*; empty if 0 is a number like all others.
    pub zero: &'static str,
    /// Value of the parameter in a new group.
    pub default: Value,
}

/// A group of parameters, for example the parameters of a node, of the scene's settings or of one band of a mask.
#[derive(Debug)]
pub struct About {
    /// Name of the group in files, for example `DiamondSquare`.
    pub name: &'static str,
    /// Name of the group in the panel, for example `Diamond-square`.
    pub label: &'static str,
    /// Category in the Add menu of the window.
    pub category: &'static str,
    /// The paper or standard on which the group's method is based; empty if there is none.
    pub source: &'static str,
    /// Further search words, separated by spaces.
    pub synonyms: &'static str,
    /// Help text: the effect of the group's node, in one or two sentences.
    pub help: &'static str,
    /// The names of the parameters in files, in the order of the panel.
    pub names: &'static [&'static str],
    /// The parameters, in the order of the panel.
    pub params: Vec<ParamSpec>,
    /// Presets of the group: sets of useful values, each applied with one click.
    pub presets: Vec<Preset>,
}

/// A named set of useful parameter values.
#[derive(Debug)]
pub struct Preset {
    /// Name of the preset in files and on the command line.
    pub name: &'static str,
    /// Name of the preset in the panel.
    pub label: &'static str,
    /// One sentence that describes the result of the preset.
    pub help: &'static str,
    /// The parameters that the preset sets; all others keep their defaults.
    pub values: Vec<(&'static str, Value)>,
}

impl About {
    /// The preset called `name`, ignoring case.
    pub fn preset(&self, name: &str) -> Option<&Preset> {
        self.presets.iter().find(|p| p.name.eq_ignore_ascii_case(name) || p.label.eq_ignore_ascii_case(name))
    }

    /// Index of the parameter called `name`.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.params.iter().position(|p| p.name == name)
    }
}

/// The reason why a parameter value was rejected.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ParamError {
    /// The text cannot be read as the parameter's type.
    #[error("`{param}` cannot be `{text}`: {expected}")]
    Parse {
        /// The name of the parameter.
        param: String,
        /// The text that was given.
        text: String,
        /// Description of the values that the parameter accepts, such as a range.
        expected: String,
    },
    /// The value has the wrong type.
    #[error("`{param}` takes {expected}")]
    Type {
        /// The name of the parameter.
        param: String,
        /// Description of the values that the parameter accepts.
        expected: &'static str,
    },
}

/// A report that a value was outside its hard range and was clamped.
#[derive(Debug, Clone, PartialEq)]
pub struct Clamped {
    /// Name of the parameter.
    pub param: Cow<'static, str>,
    /// The value before clamping.
    pub was: String,
    /// The value after clamping.
    pub now: String,
}

impl fmt::Display for Clamped {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let short = |text: &str| match text.char_indices().nth(80) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text.to_string(),
        };
        write!(f, "`{}` was {}, outside its range; it is now {}", self.param, short(&self.was), short(&self.now))
    }
}

/// A struct that [`params!`](crate::params) generated.
pub trait Params {
    /// The description of the group; the same for every value of the type.
    fn about(&self) -> &'static About;
    /// The value of the parameter at `index` in [`About::params`].
    fn get(&self, index: usize) -> Value;
    /// Sets the parameter at `index` to `value` without clamping it to the hard range.
    ///
    /// # Errors
    /// When the value has the wrong type.
    fn put(&mut self, index: usize, value: &Value) -> Result<(), ParamError>;
    /// Whether the parameter at `index` has any effect, given the current values of the other parameters.
    fn matters(&self, index: usize) -> bool;

    /// Sets the parameter at `index` to `value`, clamped to the hard range.
    ///
    /// # Errors
    /// When the value has the wrong type.
    fn set(&mut self, index: usize, value: &Value) -> Result<(), ParamError> {
        self.put(index, &self.about().params[index].clamp(value))
    }

    /// Clamps every value to its hard range and reports the values that changed.
    fn sanitise(&mut self) -> Vec<Clamped> {
        let mut moved = Vec::new();
        for (index, spec) in self.about().params.iter().enumerate() {
            let was = self.get(index);
            let now = spec.clamp(&was);
            if let Value::Structured(structured) = &was {
                if let Some((mended, numbers)) = structured.sanitised()
                    && self.set(index, &Value::Structured(mended)).is_ok()
                {
                    moved.extend(numbers);
                }
            } else if now != was && self.set(index, &now).is_ok() {
                moved.push(Clamped { param: spec.name.into(), was: spec.show(&was), now: spec.show(&now) });
            }
        }
        moved
    }
}

impl ParamSpec {
    /// `value` clamped to the hard range; NaN becomes the default.
    pub fn clamp(&self, value: &Value) -> Value {
        match (&self.kind, value) {
            (ParamKind::Float { .. }, Value::Float(v)) if v.is_nan() => self.default.clone(),
            (ParamKind::Float { hard, .. }, Value::Float(v)) => Value::Float(v.clamp(hard.0, hard.1)),
            (ParamKind::Int { hard, .. }, Value::Int(v)) => Value::Int((*v).clamp(hard.0, hard.1)),
            (ParamKind::Curve, Value::Curve(c)) => Value::Curve(c.sanitised()),
            (ParamKind::Numbers { hard }, Value::Numbers(numbers)) => {
                let numbers = numbers.iter().filter(|v| !v.is_nan()).take(MOST_NUMBERS);
                Value::Numbers(numbers.map(|v| v.clamp(hard.0, hard.1)).collect())
            }
            (ParamKind::Tree | ParamKind::Strokes, Value::Structured(structured)) => {
                structured.sanitised().map_or_else(|| value.clone(), |(mended, _)| Value::Structured(mended))
            }
            _ => value.clone(),
        }
    }

    /// The value as text, in the form that people type and that files store.
    pub fn show(&self, value: &Value) -> String {
        match (value, &self.kind) {
            (Value::Float(v), _) => format!("{v}"),
            (Value::Int(v), _) => format!("{v}"),
            (Value::Bool(v), _) => format!("{v}"),
            (Value::Choice(i), ParamKind::Choice(options)) => options.get(*i).map_or("?", |o| o.name).to_string(),
            (Value::Choice(i), _) => format!("{i}"),
            (Value::Curve(c), _) => c.to_string(),
            (Value::Numbers(numbers), _) => numbers_text(numbers),
            (Value::Text(text), _) => text.clone(),
            (Value::Structured(tree), _) => tree.to_text(),
        }
    }

    /// Parses text that a person typed. A number outside the hard range is an error that names the range.
    pub fn parse(&self, text: &str) -> Result<Value, ParamError> {
        let fail =
            |expected: String| ParamError::Parse { param: self.name.to_string(), text: text.to_string(), expected };
        let text_trimmed = text.trim();
        match &self.kind {
            ParamKind::Float { hard, .. } => match text_trimmed.parse::<f32>() {
                Ok(v) if v >= hard.0 && v <= hard.1 => Ok(Value::Float(v)),
                _ => Err(fail(format!("give a number from {} to {}{}", hard.0, hard.1, self.unit_suffix()))),
            },
            ParamKind::Int { hard, .. } => match text_trimmed.parse::<i64>() {
                Ok(v) if v >= hard.0 && v <= hard.1 => Ok(Value::Int(v)),
                _ => Err(fail(format!("give a whole number from {} to {}{}", hard.0, hard.1, self.unit_suffix()))),
            },
            ParamKind::Bool => match text_trimmed {
                "true" | "on" | "yes" | "1" => Ok(Value::Bool(true)),
                "false" | "off" | "no" | "0" => Ok(Value::Bool(false)),
                _ => Err(fail("give true or false".into())),
            },
            ParamKind::Choice(options) => options
                .iter()
                .position(|o| o.name.eq_ignore_ascii_case(text_trimmed) || o.label.eq_ignore_ascii_case(text_trimmed))
                .map(Value::Choice)
                .ok_or_else(|| fail(self.choices_text())),
            ParamKind::Curve => ToneCurve::parse(text_trimmed)
                .map(Value::Curve)
                .ok_or_else(|| fail("give points with increasing x, like 0,0 0.5,0.3 1,1".into())),
            ParamKind::Numbers { hard } => parse_numbers(text_trimmed)
                .filter(|numbers| numbers.len() <= MOST_NUMBERS)
                .filter(|numbers| numbers.iter().all(|v| *v >= hard.0 && *v <= hard.1))
                .map(Value::Numbers)
                .ok_or_else(|| fail(format!("give {}{}", self.range_text(), self.unit_suffix()))),
            ParamKind::Image | ParamKind::Scene | ParamKind::Layer => Ok(Value::Text(text_trimmed.into())),
            ParamKind::Tree | ParamKind::Strokes => match &self.default {
                Value::Structured(default) => default.parse(text_trimmed).map(Value::Structured).map_err(fail),
                _ => Err(wrong_type(self, "a structured value")),
            },
        }
    }

    /// The hard range in words, for help and errors.
    pub fn range_text(&self) -> String {
        match &self.kind {
            ParamKind::Float { hard, .. } => format!("{} to {}", hard.0, hard.1),
            ParamKind::Int { hard, .. } => format!("{} to {}", hard.0, hard.1),
            ParamKind::Bool => "true or false".into(),
            ParamKind::Choice(options) => options.iter().map(|o| o.name).collect::<Vec<_>>().join(", "),
            ParamKind::Curve => "points x,y with x increasing from 0 to 1".into(),
            ParamKind::Numbers { hard } => {
                format!("at most {MOST_NUMBERS} numbers with spaces between them, each from {} to {}", hard.0, hard.1)
            }
            ParamKind::Image => "a heightmap, picture or mesh (.png, .tif, .exr, .r16, .r32, .hgt, .asc, .glb, .obj …), or a built-in stamp such as stamp:crater".into(),
            ParamKind::Scene => "a scene file (.ron)".into(),
            ParamKind::Layer => "the name of a layer".into(),
            ParamKind::Tree => "a construction tree in the format of scene files".into(),
            ParamKind::Strokes => "brush strokes in the format of scene files".into(),
        }
    }

    /// The unit in which the window displays this parameter; see [`shown_number`](Self::shown_number).
    pub fn shown_unit(&self) -> &'static str {
        if self.is_fraction { "%" } else { self.unit }
    }

    /// Converts a stored number to the displayed number: fractions become percent.
    pub fn shown_number(&self, value: f64) -> f64 {
        if self.is_fraction { value * 100.0 } else { value }
    }

    /// Converts a displayed number back to the stored number.
    pub fn number_from_shown(&self, shown: f64) -> f64 {
        if self.is_fraction { shown / 100.0 } else { shown }
    }

    /// Whether the window shows a value as the word for 0.
    pub fn is_word(&self, value: &Value) -> bool {
        !self.zero.is_empty() && matches!(value, Value::Float(0.0) | Value::Int(0))
    }

    /// A value as the window displays it, without its unit.
    pub fn shown_text(&self, value: &Value) -> String {
        match (value, &self.kind) {
            _ if self.is_word(value) => self.zero.into(),
            (Value::Float(v), _) if self.is_fraction => percent_text(*v),
            (Value::Choice(i), ParamKind::Choice(options)) => options.get(*i).map_or("?", |o| o.label).to_string(),
            (Value::Bool(on), _) => if *on { "on" } else { "off" }.to_string(),
            _ => self.show(value),
        }
    }

    /// The hard range as the window displays it, without the unit.
    pub fn shown_range_text(&self) -> String {
        match &self.kind {
            ParamKind::Float { hard, .. } if self.is_fraction => {
                format!("{} to {}", percent_text(hard.0), percent_text(hard.1))
            }
            _ => self.range_text(),
        }
    }

    fn choices_text(&self) -> String {
        format!("give one of {}", self.range_text())
    }

    fn unit_suffix(&self) -> String {
        if self.unit.is_empty() { String::new() } else { format!(" {}", self.unit) }
    }
}

/// The unit that marks a number as a [fraction](ParamSpec::is_fraction) in [`params!`](crate::params).
pub const SHARE: &str = "share";

/// The unit of a parameter in files, on the command line and in the help: empty for fractions.
pub fn unit_in_files(unit: &'static str) -> &'static str {
    if unit == SHARE { "" } else { unit }
}

/// Converts a fraction to percent without rounding noise: 0.07 becomes 7, not 7.0000005.
fn percent_text(share: f32) -> String {
    let exact: f64 = share.to_string().parse().unwrap_or(f64::from(share));
    format!("{}", (exact * 100.0) as f32)
}

/// Derives the label of a parameter from its name, for example `Talus angle` from `talus_angle`.
pub fn label_of(name: &str) -> String {
    let mut label = name.replace('_', " ");
    if let Some(first) = label.get_mut(0..1) {
        first.make_ascii_uppercase();
    }
    label
}

#[cfg(test)]
mod tests;
