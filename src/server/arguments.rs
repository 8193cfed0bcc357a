//! The arguments of a tool. A list describes them; arguments that are missing, unknown or of another kind are refused
//! by name.

use rmcp::model::JsonObject;
use serde_json::{Value, json};

/// The kind of an argument.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ArgumentKind {
    /// A text.
    Text,
    /// A whole number, 0 or above.
    Count,
    /// True or false.
    Truth,
    /// A list of texts.
    Texts,
    /// A list of places: pairs of numbers.
    Places,
    /// A list of objects, described in the help.
    Objects,
}

impl ArgumentKind {
    fn schema(self) -> Value {
        match self {
            Self::Text => json!({ "type": "string" }),
            Self::Count => json!({ "type": "integer", "minimum": 0 }),
            Self::Truth => json!({ "type": "boolean" }),
            Self::Texts => json!({ "type": "array", "items": { "type": "string" } }),
            Self::Places => {
                let place = json!({ "type": "array", "items": { "type": "number" }, "minItems": 2, "maxItems": 2 });
                json!({ "type": "array", "items": place })
            }
            Self::Objects => json!({ "type": "array", "items": { "type": "object" } }),
        }
    }

    fn fits(self, value: &Value) -> bool {
        let all = |fits: fn(&Value) -> bool| value.as_array().is_some_and(|list| list.iter().all(fits));
        match self {
            Self::Text => value.is_string(),
            Self::Count => value.is_u64(),
            Self::Truth => value.is_boolean(),
            Self::Texts => all(Value::is_string),
            Self::Places => {
                all(|place| place.as_array().is_some_and(|pair| pair.len() == 2 && pair.iter().all(Value::is_number)))
            }
            Self::Objects => all(Value::is_object),
        }
    }

    fn text(self) -> &'static str {
        match self {
            Self::Text => "a text",
            Self::Count => "a whole number",
            Self::Truth => "true or false",
            Self::Texts => "a list of texts",
            Self::Places => "a list of pairs of numbers",
            Self::Objects => "a list of objects",
        }
    }
}

/// An argument of a tool.
pub(crate) struct ArgumentSpec {
    pub name: &'static str,
    pub kind: ArgumentKind,
    pub is_required: bool,
    pub help: &'static str,
}

/// The JSON schema of a list of arguments.
pub(crate) fn schema(specs: &[ArgumentSpec]) -> JsonObject {
    let properties = specs.iter().map(|spec| {
        let mut property = spec.kind.schema();
        property["description"] = spec.help.into();
        (spec.name.to_string(), property)
    });
    let required: Vec<&str> = specs.iter().filter(|spec| spec.is_required).map(|spec| spec.name).collect();
    let schema = json!({
        "type": "object",
        "properties": properties.collect::<serde_json::Map<_, _>>(),
        "required": required,
        "additionalProperties": false,
    });
    let Value::Object(schema) = schema else { unreachable!("the literal above is an object") };
    schema
}

/// Arguments that fit their list.
pub(crate) struct Arguments(JsonObject);

impl Arguments {
    /// Checks `given` against `specs`. An argument that is null counts as missing.
    pub fn checked(specs: &[ArgumentSpec], given: Option<JsonObject>) -> Result<Self, String> {
        let mut given = given.unwrap_or_default();
        given.retain(|_, value| !value.is_null());
        for (name, value) in &given {
            let Some(spec) = specs.iter().find(|spec| spec.name == name) else {
                let known: Vec<&str> = specs.iter().map(|spec| spec.name).collect();
                return Err(format!("there is no argument `{name}`; there are {}", known.join(", ")));
            };
            if !spec.kind.fits(value) {
                return Err(format!("{name}: give {}: {}", spec.kind.text(), spec.help));
            }
        }
        match specs.iter().find(|spec| spec.is_required && !given.contains_key(spec.name)) {
            Some(missing) => Err(format!("give `{}` as well: {}", missing.name, missing.help)),
            None => Ok(Self(given)),
        }
    }

    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.as_str()
    }

    /// A required text.
    pub fn required_text(&self, name: &str) -> &str {
        self.text(name).unwrap_or_default()
    }

    pub fn count(&self, name: &str) -> Option<u64> {
        self.0.get(name)?.as_u64()
    }

    pub fn is_on(&self, name: &str) -> bool {
        self.0.get(name).and_then(Value::as_bool).unwrap_or(false)
    }

    pub fn texts(&self, name: &str) -> Vec<&str> {
        self.list(name).iter().filter_map(Value::as_str).collect()
    }

    pub fn places(&self, name: &str) -> Vec<[f64; 2]> {
        let place = |value: &Value| Some([value.get(0)?.as_f64()?, value.get(1)?.as_f64()?]);
        self.list(name).iter().filter_map(place).collect()
    }

    pub fn list(&self, name: &str) -> &[Value] {
        self.0.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPECS: &[ArgumentSpec] = &[
        ArgumentSpec { name: "scene", kind: ArgumentKind::Text, is_required: true, help: "the scene" },
        ArgumentSpec { name: "size", kind: ArgumentKind::Count, is_required: false, help: "the size" },
    ];

    fn checked(given: Value) -> Result<Arguments, String> {
        Arguments::checked(SPECS, given.as_object().cloned())
    }

    #[test]
    fn wrong_arguments_are_refused_by_name() {
        assert_eq!(checked(json!({ "scene": "a", "size": 5 })).ok().unwrap().count("size"), Some(5));
        assert!(checked(json!({ "scene": "a", "size": null })).is_ok());
        for (wrong, named) in [
            (json!({}), "scene"),
            (json!({ "scene": 5 }), "scene"),
            (json!({ "scene": "a", "size": -1 }), "size"),
            (json!({ "scene": "a", "wya": 1 }), "`wya`"),
        ] {
            assert!(checked(wrong.clone()).err().unwrap().contains(named), "{wrong}");
        }
    }
}
