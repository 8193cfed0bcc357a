//! The fields of a scene file, as they appear in RON.

use std::sync::Arc;

use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::{BuildPreset, CameraBookmark, Mask, Mix, PatchOrigin, Settings};
use crate::appearance_files::{BiomeTable, DEFAULT_PALETTE, MaterialRules, Palette, ScatterRules};
use crate::nodes::Node;
use crate::planet::Planet;
use crate::planet::climate::Climate;

const MAX_LAYERS: usize = 1000;

/// Reads the layers. It stops with an error at the first layer beyond `MAX_LAYERS`, before it reads the rest of a large
/// file.
fn read_layers<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<LayerV1>, D::Error> {
    struct LayersVisitor;

    impl<'de> Visitor<'de> for LayersVisitor {
        type Value = Vec<LayerV1>;

        fn expecting(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
            out.write_str("a list of layers")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
            let mut layers = Vec::new();
            while let Some(layer) = list.next_element()? {
                if layers.len() == MAX_LAYERS {
                    return Err(A::Error::custom(format_args!(
                        "the scene has more than {MAX_LAYERS} layers, which is the limit. Remove some, \
                         or split it into several scenes"
                    )));
                }
                layers.push(layer);
            }
            Ok(layers)
        }
    }

    deserializer.deserialize_seq(LayersVisitor)
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename = "Scene")]
pub(super) struct SceneV1 {
    pub(super) version: u32,
    /// Whether Talweg wrote the file. Every layer of this file names its algorithm then. Files written by hand lack
    /// this mark, and so do files that Talweg wrote before it wrote marks.
    #[serde(default)]
    pub(super) saved: bool,
    #[serde(default)]
    pub(super) name: Option<String>,
    #[serde(default)]
    pub(super) settings: Option<Settings>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) planet: Planet,
    #[serde(default = "default_palette", skip_serializing_if = "is_default_palette")]
    pub(super) palette: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) own_palette: Option<Arc<Palette>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) climate: Option<Climate>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) biomes: Option<Arc<BiomeTable>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) materials: Option<Arc<MaterialRules>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) scatter: Option<Arc<ScatterRules>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) patch: Option<PatchOrigin>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) builds: Vec<BuildPreset>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) bookmarks: Vec<CameraBookmark>,
    #[serde(default, deserialize_with = "read_layers")]
    pub(super) layers: Vec<LayerV1>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename = "Layer")]
pub(super) struct LayerV1 {
    #[serde(default)]
    pub(super) name: Option<String>,
    pub(super) node: Node,
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub(super) enabled: bool,
    #[serde(default)]
    pub(super) seed: Option<u32>,
    /// Version of the node's algorithm with which the scene was saved.
    #[serde(default)]
    pub(super) algorithm: Option<u32>,
    #[serde(default, skip_serializing_if = "is_default")]
    #[serde(rename = "past")]
    pub(super) epochs: Vec<EpochV1>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) branch: u32,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) mix: Mix,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) mask: Mask,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) note: String,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) locked: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) depth: u32,
}

#[derive(PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename = "Epoch")]
pub(super) struct EpochV1 {
    pub(super) node: Node,
    pub(super) iterations: u32,
}

fn default_palette() -> String {
    DEFAULT_PALETTE.into()
}
fn is_default_palette(name: &str) -> bool {
    name == DEFAULT_PALETTE
}
fn yes() -> bool {
    true
}
fn is_yes(value: &bool) -> bool {
    *value
}
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
