//! Sculpt: brush strokes on the terrain, stored as strokes.
//!
//! Law: the strokes act one after another on the input terrain. Each stroke acts with its tool (see `tools`) where its
//! [`coverage`](talweg_ground::brush::Stroke::coverage) is above 0.
//! Scheme: samples are computed in parallel within the bounding box of a stroke.
//! Boundary: on a wrapping terrain a stroke continues on the opposite side. An erosion brush loses the sediment that it
//! washes over the edge of its box.
//! Squares only: strokes are drawn in a plane; on a planet, sculpt a patch.
//! Source: Schott, Paris, Fournier, Guérin & Galin 2023, *Large-scale Terrain Authoring through Interactive Erosion
//! Simulation* (painted input stays editable, and erosion layers above respect it).

use std::sync::Arc;

use super::{Canvas, CanvasRock, working_fields};
use crate::{Context, Filter, NodeMemory, NodeParts, Traits};
use talweg_ground::brush::Strokes;
use talweg_ground::field::{Cancelled, MapKind, Terrain};

/// Maximum absolute height after a stroke, as a multiple of the relief.
const HIGHEST: f32 = 1.0e6;

talweg_ground::params! {
    /// Terrain shaped by hand: raise, lower, smooth, flatten, stamp, smear and erode it with a brush. Strokes stay
    /// editable: each can be changed, reordered or removed later, at any resolution.
    Sculpt "Sculpt" in "Shapes", from "Schott et al. 2023", also "brush paint hand draw raise lower smooth flatten stamp smear clay" {
        /// The strokes, in the order in which they act.
        strokes: Arc<Strokes> = Strokes::none();
    }
}

impl Sculpt {
    /// Creates the canvas on which the strokes act, with the rock hardness of the input terrain `beneath`.
    pub fn canvas<'a>(cx: &'a Context<'a>, beneath: &'a Terrain) -> Canvas<'a> {
        let hardness = beneath.map(MapKind::Hardness).map(|map| map.as_slice());
        Canvas {
            cx,
            unit: 1.0 / cx.relief_metres,
            limits: (-HIGHEST, HIGHEST),
            rock: CanvasRock::Terrain(hardness),
            erosion_samples: usize::MAX,
        }
    }
}

impl Filter for Sculpt {
    fn traits(&self) -> Traits {
        Traits {
            // Version 1 eroded a long stroke in a single box instead of piece by piece.
            version: 1 + u32::from(self.strokes.visible().any(|stroke| stroke.is_eroded_in_pieces())),
            previews_exactly: false,
            memory: NodeMemory::constant(working_fields(&self.strokes, true)),
            ..Traits::FILTER
        }
    }

    fn parts(&self) -> NodeParts<'_> {
        NodeParts::painted(&self.strokes)
    }

    fn apply(&self, cx: &Context, terrain: &mut Terrain) -> Result<(), Cancelled> {
        let mut height = std::mem::take(&mut terrain.height);
        let done = Self::canvas(cx, terrain).strokes(&self.strokes, &mut height);
        terrain.height = height;
        done
    }
}
