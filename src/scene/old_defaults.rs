//! Restores the parameter defaults of the program version that wrote a file.
//!
//! Files omit parameters at their default, so a parameter missing from an older file had the default of that time.
//! Nodes list these old defaults ([`OldDefault`](crate::nodes::OldDefault)), and this module sets them. The module
//! parses the text a second time to find the parameter names. It does so only if a default of a layer's node has
//! changed since the layer was saved.

use std::cell::OnceCell;

use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::Layer;
use crate::io::ron_dialect;
use crate::nodes::Node;

/// The names of the parameters that a scene file contains, layer by layer.
pub(super) struct WrittenParams<'a> {
    text: &'a str,
    layers: OnceCell<Vec<WrittenLayer>>,
}

#[derive(Deserialize)]
struct WrittenScene {
    #[serde(default)]
    layers: Vec<WrittenLayer>,
}

#[derive(Deserialize)]
struct WrittenLayer {
    node: WrittenNames,
    #[serde(default)]
    past: Vec<WrittenEpoch>,
}

#[derive(Deserialize)]
struct WrittenEpoch {
    node: WrittenNames,
}

/// Names of the parameters of one node that a scene file contains.
#[derive(Default)]
struct WrittenNames(Vec<String>);

struct WrittenName(String);

impl<'de> Deserialize<'de> for WrittenName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameVisitor;
        impl Visitor<'_> for NameVisitor {
            type Value = WrittenName;

            fn expecting(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
                out.write_str("the name of a parameter")
            }

            fn visit_str<E>(self, name: &str) -> Result<WrittenName, E> {
                Ok(WrittenName(name.into()))
            }
        }
        deserializer.deserialize_identifier(NameVisitor)
    }
}

impl<'de> Deserialize<'de> for WrittenNames {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NamesVisitor;
        impl<'de> Visitor<'de> for NamesVisitor {
            type Value = WrittenNames;

            fn expecting(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
                out.write_str("a node")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<WrittenNames, A::Error> {
                let mut names = WrittenNames::default();
                while let Some(WrittenName(name)) = map.next_key()? {
                    map.next_value::<IgnoredAny>()?;
                    names.0.push(name);
                }
                Ok(names)
            }

            // RON text of a node without parameters.
            fn visit_unit<E>(self) -> Result<WrittenNames, E> {
                Ok(WrittenNames::default())
            }

            fn visit_str<E>(self, _: &str) -> Result<WrittenNames, E> {
                Ok(WrittenNames::default())
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<WrittenNames, A::Error> {
                while list.next_element::<IgnoredAny>()?.is_some() {}
                Ok(WrittenNames::default())
            }
        }
        deserializer.deserialize_any(NamesVisitor)
    }
}

impl<'a> WrittenParams<'a> {
    /// Prepares to read the text of a scene file. The text is parsed only when needed.
    pub fn new(text: &'a str) -> Self {
        Self { text, layers: OnceCell::new() }
    }

    fn layer(&self, place: usize) -> Option<&WrittenLayer> {
        let read = || ron_dialect().from_str::<WrittenScene>(self.text).map_or(Vec::new(), |scene| scene.layers);
        self.layers.get_or_init(read).get(place)
    }

    /// Sets missing parameters of a layer to their defaults in version `then` of the algorithm. The missing parameters
    /// are those that the file does not name for the layer with index `place`.
    pub fn restore(&self, place: usize, layer: &mut Layer, then: u32) {
        if layer.node.traits().old_defaults.iter().all(|old| old.until < then) {
            return;
        }
        let Some(written) = self.layer(place) else { return };
        restore_defaults(&mut layer.node, &written.node, then);
        for (epoch, written) in layer.epochs.iter_mut().zip(&written.past) {
            restore_defaults(&mut epoch.node, &written.node, then);
        }
    }
}

fn restore_defaults(node: &mut Node, written: &WrittenNames, then: u32) {
    // The oldest default comes last in this order, so the default of version `then` is set last.
    for old in node.traits().old_defaults.iter().rev().filter(|old| old.until >= then) {
        if written.0.iter().any(|name| name == old.parameter) {
            continue;
        }
        let params = node.params_mut();
        let about = params.about();
        let Some(index) = about.find(old.parameter) else { continue };
        if let Ok(value) = about.params[index].parse(old.old_value) {
            let set = params.set(index, &value);
            debug_assert!(set.is_ok(), "{} of {}", old.old_value, old.parameter);
        }
    }
}
