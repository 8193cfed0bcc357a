//! A group of layers, with a blending and a mask for all of them.
//!
//! Law: with g the ground below the group and m what its layers make, from g or from level ground, the result is
//! g + (blend(g, m) - g)·opacity·mask. Evaluation does it ([`crate::eval`]); the node itself leaves the ground alone.
//! Source: the layer groups of image editors.

use crate::{Context, Filter, NodeParts, Traits};
use talweg_ground::field::{Cancelled, Terrain};

talweg_ground::choices! {
    /// What the layers of a group work on.
    GroupGround {
        Below "What is below": "The layers go on from the ground below the group.",
        Level "Level ground": "The layers make a ground of their own, from nothing; the group blends it with what is below.",
    }
}

talweg_ground::params! {
    /// Holds layers, and lays what they make over the ground below with one blending, opacity and mask. Hidden, it
    /// hides all of them.
    LayerGroup "Group" in "Layers", from "image editors", also "folder layer set stack nest mask together" {
        /// What its layers begin with.
        ground: GroupGround = GroupGround::Below;
    }
}

impl Filter for LayerGroup {
    fn traits(&self) -> Traits {
        Traits { on_globe: true, parts: NodeParts::Whole("a group joins two grounds"), ..Traits::FILTER }
    }

    fn apply(&self, cx: &Context, _: &mut Terrain) -> Result<(), Cancelled> {
        cx.control.check()
    }
}
