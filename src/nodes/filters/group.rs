//! A group of layers with a common blend mode and mask.
//!
//! Law: the result is g + (blend(g, m) - g)·opacity·mask. g is the terrain below the group, and m is the result of the
//! group's layers, which start from g or from level terrain. `talweg::eval` computes this result; the node itself
//! changes nothing.
//! Source: the layer groups of image editors.

use crate::{Context, Filter, NodeParts, OnPlanet, Traits};
use talweg_ground::field::{Cancelled, Terrain};

talweg_ground::choices! {
    /// The terrain that the layers of a group start from.
    GroupGround {
        Below "Terrain below": "The layers start from the terrain below the group.",
        Level "Level terrain": "The layers start from level terrain; the group blends their result with the terrain below.",
    }
}

talweg_ground::params! {
    /// Combines layers, and blends their result with the terrain below using a common blend mode, opacity and mask. A
    /// hidden group hides all its layers.
    LayerGroup "Group" in "Layers", from "image editors", also "folder layer set stack nest mask together" {
        /// Terrain that the group's layers start from.
        ground: GroupGround = GroupGround::Below;
    }
}

impl Filter for LayerGroup {
    fn traits(&self) -> Traits {
        Traits { on_planet: Some(OnPlanet::DEFAULT), ..Traits::FILTER }
    }

    fn parts(&self) -> NodeParts<'_> {
        NodeParts::WholeTerrain("a group blends two terrains")
    }

    fn apply(&self, cx: &Context, _: &mut Terrain) -> Result<(), Cancelled> {
        cx.control.check()
    }
}
