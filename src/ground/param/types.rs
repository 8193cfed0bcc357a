//! The Rust types that a parameter can have.

use std::any::Any;
use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Clamped, ParamError, ParamKind, ParamSpec, Value};

/// A type that [`params!`](crate::params) accepts.
pub trait ParamType: Sized {
    /// Converts the value to a [`Value`], which is independent of the Rust type.
    fn to_value(&self) -> Value;
    /// Converts a [`Value`] back to this type. Returns an error if `value` holds another type.
    fn from_value(value: &Value, spec: &ParamSpec) -> Result<Self, ParamError>;
}

/// A number type that a parameter can have. In [`params!`](crate::params) a number needs a hard range.
#[diagnostic::on_unimplemented(
    message = "only numbers have a range, and `{Self}` is not a number: write `name: type = default;`"
)]
pub trait WithRange: ParamType {
    /// The kind of a parameter of this type, with its hard range and slider range.
    fn kind(hard: RangeInclusive<Self>, slider: RangeInclusive<Self>) -> ParamKind;
}

/// A type that takes no range in [`params!`](crate::params).
#[diagnostic::on_unimplemented(
    message = "a number needs a hard range: `name: {Self} = default, lowest..=highest;`",
    label = "a parameter of this type has no range"
)]
pub trait WithoutRange: ParamType {
    /// The kind of a parameter of this type, including the options of a choice.
    fn kind() -> ParamKind;
}

/// The error for a value of the wrong type.
pub(super) fn wrong_type(spec: &ParamSpec, expected: &'static str) -> ParamError {
    ParamError::Type { param: spec.name.to_string(), expected }
}

impl WithRange for f32 {
    fn kind(hard: RangeInclusive<f32>, slider: RangeInclusive<f32>) -> ParamKind {
        ParamKind::Float { hard: (*hard.start(), *hard.end()), slider: (*slider.start(), *slider.end()) }
    }
}

impl ParamType for f32 {
    fn to_value(&self) -> Value {
        Value::Float(*self)
    }
    fn from_value(value: &Value, spec: &ParamSpec) -> Result<f32, ParamError> {
        match value {
            Value::Float(v) => Ok(*v),
            Value::Int(v) => Ok(*v as f32),
            _ => Err(wrong_type(spec, "a number")),
        }
    }
}

macro_rules! whole_numbers {
    ($($ty:ty),*) => { $(
        impl WithRange for $ty {
            fn kind(hard: RangeInclusive<$ty>, slider: RangeInclusive<$ty>) -> ParamKind {
                let ends = |range: RangeInclusive<$ty>| (i64::from(*range.start()), i64::from(*range.end()));
                ParamKind::Int { hard: ends(hard), slider: ends(slider) }
            }
        }

        impl ParamType for $ty {
            fn to_value(&self) -> Value {
                Value::Int(i64::from(*self))
            }
            fn from_value(value: &Value, spec: &ParamSpec) -> Result<$ty, ParamError> {
                match value {
                    Value::Int(v) => <$ty>::try_from(*v).map_err(|_| wrong_type(spec, "a whole number in its range")),
                    _ => Err(wrong_type(spec, "a whole number")),
                }
            }
        }
    )* };
}
whole_numbers!(u32, i32);

impl WithoutRange for bool {
    fn kind() -> ParamKind {
        ParamKind::Bool
    }
}

impl ParamType for bool {
    fn to_value(&self) -> Value {
        Value::Bool(*self)
    }
    fn from_value(value: &Value, spec: &ParamSpec) -> Result<bool, ParamError> {
        match value {
            Value::Bool(v) => Ok(*v),
            _ => Err(wrong_type(spec, "true or false")),
        }
    }
}

/// A curve from [0, 1] to [0, 1] through points with increasing x. Between the points the curve is a monotone cubic, so
/// it never overshoots the points (Fritsch & Carlson 1980, tangents after Fritsch & Butland 1984).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ToneCurve(pub Vec<(f32, f32)>);

impl ToneCurve {
    /// Maximum number of points of a curve.
    pub const MAX_POINTS: usize = 32;
    /// Minimum difference in x between neighbouring points; smaller gaps would give infinite slopes.
    pub const MIN_GAP: f32 = 1.0e-4;

    /// The identity curve, from (0, 0) to (1, 1).
    pub fn identity() -> Self {
        Self(vec![(0.0, 0.0), (1.0, 1.0)])
    }

    /// The curve with its points inside the unit square, x increasing, and at least two points.
    pub fn sanitised(&self) -> Self {
        let mut points: Vec<(f32, f32)> = self
            .0
            .iter()
            .filter(|(x, y)| x.is_finite() && y.is_finite())
            .map(|(x, y)| (x.clamp(0.0, 1.0), y.clamp(0.0, 1.0)))
            .take(Self::MAX_POINTS)
            .collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        points.dedup_by(|a, b| a.0 - b.0 < Self::MIN_GAP);
        if points.len() < 2 { Self::identity() } else { Self(points) }
    }

    /// Parses text of the form `x,y x,y …`.
    pub fn parse(text: &str) -> Option<Self> {
        let mut points = Vec::new();
        for pair in text.split_whitespace() {
            let (x, y) = pair.split_once(',')?;
            points.push((x.parse().ok()?, y.parse().ok()?));
        }
        let curve = Self(points);
        (curve.sanitised() == curve).then_some(curve)
    }

    /// Precomputes the tangents, so that evaluating the curve at many points is cheap.
    pub fn prepare(&self) -> PreparedToneCurve {
        let points = self.sanitised().0;
        let secants: Vec<f32> = points.windows(2).map(|p| (p[1].1 - p[0].1) / (p[1].0 - p[0].0)).collect();
        let mut tangents = vec![0.0; points.len()];
        tangents[0] = secants[0];
        tangents[points.len() - 1] = secants[secants.len() - 1];
        for k in 1..points.len() - 1 {
            let (a, b) = (secants[k - 1], secants[k]);
            // This harmonic mean of the slopes on both sides keeps the curve monotone between points.
            tangents[k] = if a * b <= 0.0 { 0.0 } else { 2.0 * a * b / (a + b) };
        }
        PreparedToneCurve { points, tangents }
    }
}

impl fmt::Display for ToneCurve {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let pairs: Vec<String> = self.0.iter().map(|(x, y)| format!("{x},{y}")).collect();
        f.write_str(&pairs.join(" "))
    }
}

/// A [`ToneCurve`] with precomputed tangents.
pub struct PreparedToneCurve {
    points: Vec<(f32, f32)>,
    tangents: Vec<f32>,
}

impl PreparedToneCurve {
    /// The value of the curve at `x`, constant before the first point and after the last point.
    pub fn value(&self, x: f32) -> f32 {
        let last = self.points.len() - 1;
        if x <= self.points[0].0 {
            return self.points[0].1;
        }
        if x >= self.points[last].0 {
            return self.points[last].1;
        }
        let k = self.points.partition_point(|p| p.0 <= x) - 1;
        let ((x0, y0), (x1, y1)) = (self.points[k], self.points[k + 1]);
        let width = x1 - x0;
        let t = (x - x0) / width;
        let (t2, t3) = (t * t, t * t * t);
        y0 * (2.0 * t3 - 3.0 * t2 + 1.0)
            + self.tangents[k] * width * (t3 - 2.0 * t2 + t)
            + y1 * (3.0 * t2 - 2.0 * t3)
            + self.tangents[k + 1] * width * (t3 - t2)
    }
}

impl WithoutRange for ToneCurve {
    fn kind() -> ParamKind {
        ParamKind::Curve
    }
}

impl ParamType for ToneCurve {
    fn to_value(&self) -> Value {
        Value::Curve(self.clone())
    }
    fn from_value(value: &Value, spec: &ParamSpec) -> Result<ToneCurve, ParamError> {
        match value {
            Value::Curve(c) => Ok(c.clone()),
            _ => Err(wrong_type(spec, "a curve")),
        }
    }
}

/// A list of at most 32 numbers from `LOW` to `HIGH`; empty if unset.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NumberList<const LOW: i32, const HIGH: i32>(pub Vec<f32>);

/// Maximum length of a [`NumberList`].
pub const MOST_NUMBERS: usize = 32;

/// Parses numbers that are separated by spaces or commas.
pub(super) fn parse_numbers(text: &str) -> Option<Vec<f32>> {
    let words = text.split(|c: char| c == ',' || c.is_whitespace()).filter(|word| !word.is_empty());
    words.map(|word| word.parse().ok()).collect()
}

/// The numbers as text, separated by spaces.
pub(super) fn numbers_text(numbers: &[f32]) -> String {
    numbers.iter().map(f32::to_string).collect::<Vec<_>>().join(" ")
}

impl<const LOW: i32, const HIGH: i32> WithoutRange for NumberList<LOW, HIGH> {
    fn kind() -> ParamKind {
        ParamKind::Numbers { hard: (LOW as f32, HIGH as f32) }
    }
}

impl<const LOW: i32, const HIGH: i32> ParamType for NumberList<LOW, HIGH> {
    fn to_value(&self) -> Value {
        Value::Numbers(self.0.clone())
    }
    fn from_value(value: &Value, spec: &ParamSpec) -> Result<Self, ParamError> {
        match value {
            Value::Numbers(numbers) => Ok(Self(numbers.clone())),
            _ => Err(wrong_type(spec, "a list of numbers")),
        }
    }
}

/// A heightmap or image: the path of a file, or a built-in stamp such as `stamp:crater`; empty if unset.
///
/// Inside the program paths are absolute. A scene file stores them relative to its own folder where possible.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ImageFile(pub String);

/// Another scene: the path of its file; empty if unset. Paths are stored as those of an [`ImageFile`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SceneFile(pub String);

/// The name of another layer; empty if unset.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LayerName(pub String);

macro_rules! texts {
    ($($ty:ident is $kind:ident, $expected:literal);*) => { $(
        impl WithoutRange for $ty {
            fn kind() -> ParamKind {
                ParamKind::$kind
            }
        }

        impl ParamType for $ty {
            fn to_value(&self) -> Value {
                Value::Text(self.0.clone())
            }
            fn from_value(value: &Value, spec: &ParamSpec) -> Result<$ty, ParamError> {
                match value {
                    Value::Text(text) => Ok(Self(text.clone())),
                    _ => Err(wrong_type(spec, $expected)),
                }
            }
        }
    )* };
}
texts!(
    ImageFile is Image, "the name of a file";
    SceneFile is Scene, "the name of a scene file";
    LayerName is Layer, "the name of a layer"
);

/// A value with an inner structure, such as a construction tree or brush strokes. Code for parameters handles it only
/// as text.
pub trait StructuredValue: Any + fmt::Debug + Send + Sync {
    /// The value as text, as files store it.
    fn to_text(&self) -> String;
    /// Parses text into a value of the same type.
    ///
    /// # Errors
    /// When the text cannot be parsed; the message gives the reason.
    fn parse(&self, text: &str) -> Result<Arc<dyn StructuredValue>, String>;
    /// The value as serialisable data, which a larger document can embed.
    fn as_serialize(&self) -> &dyn erased_serde::Serialize;
    /// Deserialises a value of the same type.
    ///
    /// # Errors
    /// When the input holds no such value; the message gives the reason.
    fn deserialize(
        &self,
        from: &mut dyn erased_serde::Deserializer,
    ) -> Result<Arc<dyn StructuredValue>, erased_serde::Error>;
    /// The value with every number clamped to its hard range, and the list of clamped numbers; `None` if all numbers
    /// were in range.
    fn sanitised(&self) -> Option<(Arc<dyn StructuredValue>, Vec<Clamped>)>;
    /// Whether both values are equal.
    fn equals(&self, other: &dyn StructuredValue) -> bool;
}

/// A Rust type whose values are [`StructuredValue`]s; [`params!`](crate::params) accepts the type as `Arc<Type>`.
pub trait StructuredParam: Any + fmt::Debug + Send + Sync + Serialize + for<'de> Deserialize<'de> + PartialEq {
    /// The kind of a parameter of this type.
    const KIND: ParamKind;
    /// The noun that error messages use for an expected value of this type, such as "a construction tree".
    const EXPECTED: &'static str;
    /// The value as text, as files store it.
    fn to_text(&self) -> String;
    /// Reads a value from the text of a file.
    ///
    /// # Errors
    /// When the text is not a valid value; the message gives the reason.
    fn from_text(text: &str) -> Result<Self, String>;
    /// The value with every number clamped to its hard range, and the list of clamped numbers; `None` if all numbers
    /// were in range.
    fn within_ranges(&self) -> Option<(Self, Vec<Clamped>)>;
}

impl<T: StructuredParam> StructuredValue for T {
    fn to_text(&self) -> String {
        StructuredParam::to_text(self)
    }
    fn parse(&self, text: &str) -> Result<Arc<dyn StructuredValue>, String> {
        Ok(Arc::new(Self::from_text(text)?))
    }
    fn as_serialize(&self) -> &dyn erased_serde::Serialize {
        self
    }
    fn deserialize(
        &self,
        from: &mut dyn erased_serde::Deserializer,
    ) -> Result<Arc<dyn StructuredValue>, erased_serde::Error> {
        Ok(Arc::new(<Self as Deserialize>::deserialize(from)?))
    }
    fn sanitised(&self) -> Option<(Arc<dyn StructuredValue>, Vec<Clamped>)> {
        self.within_ranges().map(|(value, moved)| (Arc::new(value) as _, moved))
    }
    fn equals(&self, other: &dyn StructuredValue) -> bool {
        (other as &dyn Any).downcast_ref::<Self>() == Some(self)
    }
}

impl<T: StructuredParam> WithoutRange for Arc<T> {
    fn kind() -> ParamKind {
        T::KIND
    }
}

impl<T: StructuredParam> ParamType for Arc<T> {
    fn to_value(&self) -> Value {
        Value::Structured(self.clone())
    }
    fn from_value(value: &Value, spec: &ParamSpec) -> Result<Self, ParamError> {
        value.structured().ok_or_else(|| wrong_type(spec, T::EXPECTED))
    }
}

impl PartialEq for dyn StructuredValue {
    fn eq(&self, other: &Self) -> bool {
        self.equals(other)
    }
}

impl Value {
    /// The structured value, if this value holds one of type `T`; otherwise `None`.
    pub fn structured<T: StructuredValue>(&self) -> Option<Arc<T>> {
        let Self::Structured(value) = self else { return None };
        let any: Arc<dyn Any + Send + Sync> = value.clone();
        any.downcast().ok()
    }
}
