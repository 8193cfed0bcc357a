//! References to other layers: the value that a mask or a *Reference* layer reads.
//!
//! A reference only names a layer and a value. `talweg::scene` finds the layer and refuses circles; `talweg::eval`
//! computes the terrain that the reference reads.

use std::path::Path;
use std::sync::Arc;

use talweg_ground::field::{MapKind, Terrain};

talweg_ground::choices! {
    /// The value of another layer that a reference reads.
    Reads {
        Height "Height": "The layer's height above the datum, in metres.",
        Data "Data map": "A data map, such as flow or deposits.",
        Mask "Mask": "The layer's mask, from 0 to 1.",
    }
}

/// A reference to a value of another layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayerReference<'a> {
    /// Path of the scene file that contains the layer; empty for the scene of the reference.
    pub file: &'a str,
    /// Name of the layer, group or branch. An empty name in another scene file means the finished terrain of that
    /// scene; without a file it means that no layer is chosen yet.
    pub layer: &'a str,
    /// The value to read.
    pub reads: Reads,
    /// The data map to read if `reads` is [`Reads::Data`].
    pub data: MapKind,
}

impl LayerReference<'_> {
    /// Whether a layer or a scene file is chosen.
    pub fn is_set(&self) -> bool {
        !self.file.is_empty() || !self.layer.is_empty()
    }

    /// The layer and its file, in words.
    pub fn in_words(&self) -> String {
        let file = Path::new(self.file).file_name().map(|name| name.to_string_lossy().into_owned());
        match (file, self.layer) {
            (None, layer) => format!("layer `{layer}`"),
            (Some(file), "") => format!("scene `{file}`"),
            (Some(file), layer) => format!("layer `{layer}` of `{file}`"),
        }
    }
}

/// The terrain that a reference reads.
#[derive(Clone, Copy, Debug)]
pub struct ReadTerrain<'a> {
    /// The terrain, on the grid of the reader. If the reference reads a mask, its heights are the weights of the mask.
    pub terrain: &'a Terrain,
    /// Height in metres that the height 1.0 of the terrain stands for.
    pub relief_metres: f32,
}

impl<'a> ReadTerrain<'a> {
    /// The values that a reference reads from this terrain. A map that no layer wrote has its neutral value.
    pub fn values(&self, reads: Reads, data: MapKind) -> ReadValues<'a> {
        let height = Some(&self.terrain.height);
        match reads {
            Reads::Height => ReadValues { values: height, unit: self.relief_metres, neutral: 0.0 },
            Reads::Mask => ReadValues { values: height, unit: 1.0, neutral: 0.0 },
            Reads::Data => ReadValues {
                values: self.terrain.map(data).map(Arc::as_ref),
                unit: if data.is_thickness() { self.relief_metres } else { 1.0 },
                neutral: data.neutral(),
            },
        }
    }
}

/// A field whose values are converted to the unit shown to the user: metres for heights and thicknesses.
#[derive(Clone, Copy, Debug)]
pub struct ReadValues<'a> {
    values: Option<&'a Vec<f32>>,
    unit: f32,
    neutral: f32,
}

impl ReadValues<'_> {
    /// The value at sample `k`, in the unit shown to the user.
    pub fn value(&self, k: usize) -> f32 {
        self.stored(k) * self.unit
    }

    /// The value at sample `k` as the terrain stores it.
    pub fn stored(&self, k: usize) -> f32 {
        self.values.map_or(self.neutral, |values| values[k])
    }

    /// Number of shown units in a stored value of 1.
    pub fn unit(&self) -> f32 {
        self.unit
    }
}
