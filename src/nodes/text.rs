//! The text form of nodes in files: the name, followed in brackets by the parameters that differ from their defaults.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, EnumAccess, Error, VariantAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use super::Node;
use talweg_ground::param::ParamsInFile;

impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let name = self.about().name;
        let index = Self::NAMES.iter().position(|known| *known == name).unwrap_or_default();
        serializer.serialize_newtype_variant("Node", index as u32, name, &ParamsInFile(self.params()))
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_enum("Node", Self::NAMES, NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("enum Node")
    }
    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<Node, A::Error> {
        let (mut node, variant) = data.variant_seed(NameSeed)?;
        variant.newtype_variant_seed(ParamsInFile(node.params_mut()))?;
        Ok(node)
    }
}

/// Reads a name and returns the node of this name with default parameters.
struct NameSeed;

impl<'de> DeserializeSeed<'de> for NameSeed {
    type Value = Node;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Node, D::Error> {
        from.deserialize_identifier(self)
    }
}

impl Visitor<'_> for NameSeed {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("the name of a node")
    }
    fn visit_str<E: Error>(self, name: &str) -> Result<Node, E> {
        Node::named(name).ok_or_else(|| E::unknown_variant(name, Node::NAMES))
    }
}
