//! Reference: the heights, a data map or the mask of another layer, used once more.
//!
//! Law: out = offset + scale·v, with v the value that the reference reads, in its own unit: metres for heights and
//! thicknesses, 0 to 1 for masks and fractions. Used as *Height*, out is the height in metres, which the layer blends
//! with the terrain below. Used as *Data map*, out is the value of the map in its unit, and the heights do not change.
//! Fractions are limited to [0, 1]; other maps have no negative values, except brightness, and crests and creases.
//! `talweg::eval` computes the terrain that the reference reads. Until a layer is chosen, the node changes nothing.
//! Boundary: the terrain of another scene file is stretched over this terrain, from edge to edge.
//! Source: the instances and links of node editors.

use std::sync::Arc;

use crate::references::{LayerReference, ReadTerrain, Reads};
use crate::{Context, NodeParts, OnPlanet, Traits};
use talweg_ground::field::{Cancelled, MapKind, Terrain};
use talweg_ground::param::{LayerName, SceneFile};

talweg_ground::choices! {
    /// The use of the values that a reference reads.
    UsedAs {
        Height "Height": "The values are heights in metres. The layer blends them with the terrain below.",
        Data "Data map": "The values are a data map for the layers above, such as hardness or uplift. The heights do not change.",
    }
}

talweg_ground::params! {
    /// Uses the height, a data map or the mask of another layer, group or branch once more: as terrain, or as the
    /// uplift, the hardness or another map for the layers above. The other layer can be in another scene file.
    Reference "Reference" in "Shapes", from "node editors", also "link reuse instance layer copy graph node connect branch group scene file map use as uplift hardness colour" {
        /// The layer, group or branch to read; it may be hidden. A generator is read alone. Another layer is read
        /// together with all layers under it. A layer above this one can be read if its result does not need this
        /// layer.
        source as "Layer": LayerName = LayerName::default();
        /// Another scene file (.ron) that contains the layer. Without a layer, the finished terrain of that scene is
        /// read.
        source_file as "Scene file": SceneFile = SceneFile::default();
        /// The value of that layer to read.
        source_reads as "Reads": Reads = Reads::Height => |reference| reference.scale != 0.0;
        /// The data map of that layer to read.
        source_data as "Data map read": MapKind = MapKind::Flow
            => |reference| reference.source_reads == Reads::Data && reference.scale != 0.0;
        /// The use of the values: heights of this layer, or a data map for the layers above.
        use_as: UsedAs = UsedAs::Height;
        /// The data map to write, such as hardness, uplift or rain; *Brightness* and the cover fractions change
        /// colours.
        map as "Data map written": MapKind = MapKind::Hardness => |reference| reference.use_as == UsedAs::Data;
        /// Factor from the value read to the value used: 0.001 turns heights up to 1000 m into a map from 0 to 1, and
        /// 500 turns a mask into heights up to 500 m.
        scale: f32 = 1.0, -1.0e6..=1.0e6, slider -10.0..=10.0;
        /// Value added after scaling: metres for heights and thicknesses, otherwise the unit of the map that is
        /// written.
        offset: f32 = 0.0, -1.0e6..=1.0e6, slider -1000.0..=1000.0;
    }
}

/// Greatest value of a map that is not a fraction, as stored.
const MOST: f32 = 1.0e6;

impl Reference {
    /// The traits of the node.
    pub fn traits(&self) -> Traits {
        let writes = match self.use_as {
            UsedAs::Height => &[],
            UsedAs::Data => std::slice::from_ref(&MapKind::ALL[self.map as usize]),
        };
        Traits { writes, on_planet: Some(OnPlanet::DEFAULT), previews_exactly: false, ..Traits::FILTER }
    }

    /// Returns how tiled builds compute the node: each sample from the same sample of the terrain that it reads.
    pub fn parts(&self) -> NodeParts<'_> {
        NodeParts::Points
    }

    /// The layer and the value that the node reads.
    pub fn reference(&self) -> LayerReference<'_> {
        let Self { source, source_file, source_reads, source_data, .. } = self;
        LayerReference { file: &source_file.0, layer: &source.0, reads: *source_reads, data: *source_data }
    }

    /// Whether the values are heights, which the blend mode of the layer combines with the terrain below.
    pub fn makes_heights(&self) -> bool {
        self.use_as == UsedAs::Height
    }

    /// Writes the values of `read` into `terrain`. If the node [makes heights](Self::makes_heights), `terrain` is a
    /// separate terrain at height 0, as for a generator; otherwise it is the terrain below.
    ///
    /// # Errors
    /// If the computation was cancelled.
    pub fn apply(&self, cx: &Context, read: ReadTerrain, terrain: &mut Terrain) -> Result<(), Cancelled> {
        let values = read.values(self.source_reads, self.source_data);
        let n = cx.grid.samples;
        match self.use_as {
            UsedAs::Height => {
                // a factor of exactly 1 keeps every bit of the heights that are read
                let factor = values.unit() * self.scale / cx.relief_metres;
                let offset = self.offset / cx.relief_metres;
                cx.rows(&mut terrain.height, |i, row| {
                    for (j, height) in row.iter_mut().enumerate() {
                        *height = values.stored(i * n + j) * factor + offset;
                    }
                })
            }
            UsedAs::Data => {
                let kind = self.map;
                let unit = if kind.is_thickness() { cx.relief_metres } else { 1.0 };
                let (factor, offset) = (values.unit() * self.scale / unit, self.offset / unit);
                let least = if matches!(kind, MapKind::Brightness | MapKind::Ridge) { -MOST } else { 0.0 };
                let most = if kind.is_fraction() { 1.0 } else { MOST };
                let mut map = vec![0.0; cx.grid.len()];
                cx.rows(&mut map, |i, row| {
                    for (j, value) in row.iter_mut().enumerate() {
                        *value = (values.stored(i * n + j) * factor + offset).clamp(least, most);
                    }
                })?;
                terrain.set_map(kind, Some(Arc::new(map)));
                Ok(())
            }
        }
    }
}
