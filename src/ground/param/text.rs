//! Serialisation of parameter groups, driven by their descriptions. The compiler therefore compiles this code only
//! once, not once per group.
//!
//! Parameters with default values are not written, a missing key means the default value, and an unknown key is an
//! error. Reading keeps numbers outside their range; [`Params::sanitise`] clamps and reports them.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, Visitor};
use serde::ser::{SerializeStruct, Serializer};
use serde::{Deserialize, Serialize};

use super::{About, ParamError, ParamKind, ParamSpec, Params, ToneCurve, Value, wrong_type};

/// Writes the parameters of a group that differ from their defaults.
///
/// # Errors
/// When the serializer fails, or when a structured value cannot be written.
pub fn serialize_params<S: Serializer>(params: &dyn Params, serializer: S) -> Result<S::Ok, S::Error> {
    let about = params.about();
    let values = about.params.iter().enumerate().map(|(index, spec)| ValueInFile { spec, value: params.get(index) });
    let changed: Vec<_> = values.filter(|written| written.value != written.spec.default).collect();
    let mut out = serializer.serialize_struct(about.name, changed.len())?;
    for written in &changed {
        out.serialize_field(written.spec.name, written)?;
    }
    out.end()
}

/// Wrapper that serialises and deserialises any parameter group in the format of scene files.
pub struct ParamsInFile<P>(pub P);

impl Serialize for ParamsInFile<&dyn Params> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_params(self.0, serializer)
    }
}

impl<'de> DeserializeSeed<'de> for ParamsInFile<&mut dyn Params> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        deserialize_params(self.0, from)
    }
}

struct ValueInFile {
    spec: &'static ParamSpec,
    value: Value,
}

impl Serialize for ValueInFile {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match (&self.value, &self.spec.kind) {
            (Value::Float(number), _) => serializer.serialize_f32(*number),
            (Value::Int(number), _) => serializer.serialize_i64(*number),
            (Value::Bool(switch), _) => serializer.serialize_bool(*switch),
            (Value::Choice(index), ParamKind::Choice(options)) => {
                serializer.serialize_unit_variant(self.spec.name, *index as u32, options[*index].name)
            }
            (Value::Choice(index), _) => serializer.serialize_u64(*index as u64),
            (Value::Curve(curve), _) => curve.serialize(serializer),
            (Value::Numbers(numbers), _) => numbers.serialize(serializer),
            (Value::Text(text), _) => serializer.serialize_str(text),
            (Value::Structured(value), _) => erased_serde::serialize(value.as_serialize(), serializer),
        }
    }
}

/// Reads parameters into `params`. Parameters that the file does not list keep their current value.
///
/// # Errors
/// When a key is unknown or repeated, or when a parameter cannot hold the value in the file.
pub fn deserialize_params<'de, D: Deserializer<'de>>(params: &mut dyn Params, from: D) -> Result<(), D::Error> {
    let about = params.about();
    from.deserialize_struct(about.name, about.names, ParamsVisitor(params))
}

struct ParamsVisitor<'a>(&'a mut dyn Params);

impl<'de> Visitor<'de> for ParamsVisitor<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "struct {}", self.0.about().name)
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let about = self.0.about();
        let mut is_read = vec![false; about.params.len()];
        while let Some(index) = map.next_key_seed(KeySeed(about))? {
            let spec = &about.params[index];
            if std::mem::replace(&mut is_read[index], true) {
                return Err(A::Error::duplicate_field(spec.name));
            }
            let value = map.next_value_seed(ValueSeed(spec))?;
            self.0.put(index, &value).map_err(A::Error::custom)?;
        }
        Ok(())
    }
}

/// Reads the name of a parameter and returns its index.
struct KeySeed(&'static About);

impl<'de> DeserializeSeed<'de> for KeySeed {
    type Value = usize;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<usize, D::Error> {
        from.deserialize_identifier(self)
    }
}

impl Visitor<'_> for KeySeed {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("the name of a parameter")
    }
    fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<usize, E> {
        self.0.find(name).ok_or_else(|| E::unknown_field(name, self.0.names))
    }
}

/// Reads a value of the given parameter, without checking its range.
struct ValueSeed(&'static ParamSpec);

impl<'de> DeserializeSeed<'de> for ValueSeed {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Value, D::Error> {
        Ok(match &self.0.kind {
            ParamKind::Float { .. } => Value::Float(f32::deserialize(from)?),
            ParamKind::Int { .. } => Value::Int(i64::deserialize(from)?),
            ParamKind::Bool => Value::Bool(bool::deserialize(from)?),
            ParamKind::Choice(_) => from.deserialize_identifier(self)?,
            ParamKind::Curve => Value::Curve(ToneCurve::deserialize(from)?),
            ParamKind::Numbers { .. } => Value::Numbers(Vec::deserialize(from)?),
            ParamKind::Image | ParamKind::Scene | ParamKind::Layer => Value::Text(String::deserialize(from)?),
            ParamKind::Tree | ParamKind::Strokes => {
                let Value::Structured(default) = &self.0.default else {
                    return Err(D::Error::custom(wrong_type(self.0, "a structured value")));
                };
                let mut from = <dyn erased_serde::Deserializer>::erase(from);
                Value::Structured(default.deserialize(&mut from).map_err(D::Error::custom)?)
            }
        })
    }
}

impl Visitor<'_> for ValueSeed {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "one of {}", self.0.range_text())
    }
    fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<Value, E> {
        let ParamKind::Choice(options) = self.0.kind else {
            return Err(E::custom(wrong_type(self.0, "no option name")));
        };
        let index = options.iter().position(|option| option.name == name);
        index.map(Value::Choice).ok_or_else(|| {
            let (param, text) = (self.0.name.into(), name.into());
            E::custom(ParamError::Parse { param, text, expected: self.0.choices_text() })
        })
    }
}
