//! Sculpt: strokes of a brush on the ground, kept as strokes.
//!
//! Law: the strokes act one after another on what is below, each by its tool (see `tools`) and where it covers the
//! ground ([`Stroke::coverage`](talweg_ground::brush::Stroke::coverage)).
//! Scheme: samples in parallel within the box around a stroke.
//! Boundary: on a wrapping terrain a stroke goes on at the other side; what an erosion under the brush washes over the
//! edge of its box is lost.
//! Squares only: strokes stand in a plane; a planet has them on a patch.
//! Source: Schott, Paris, Fournier, Guérin & Galin 2023, *Large-scale Terrain Authoring through Interactive Erosion
//! Simulation* (what an author paints stays editable, and erosion above respects it).

use std::sync::Arc;

use super::{Canvas, CanvasRock, working_fields};
use crate::{Context, Filter, NodeParts, Traits};
use talweg_ground::brush::Strokes;
use talweg_ground::field::{Cancelled, MapKind, Terrain};

/// Heights in relief that no brush leaves.
const HIGHEST: f32 = 1.0e6;

talweg_ground::params! {
    /// Ground shaped by hand: raise, lower, smooth, flatten, stamp, smear and erode it with a brush. Strokes stay
    /// strokes: each can be changed, moved in the list or taken out later, at any resolution.
    Sculpt "Sculpt" in "Shapes", from "Schott et al. 2023", also "brush paint hand draw raise lower smooth flatten stamp smear clay" {
        /// The strokes, in the order in which they act.
        strokes: Arc<Strokes> = Strokes::none();
    }
}

impl Sculpt {
    /// What the strokes act on.
    pub fn canvas<'a>(cx: &'a Context<'a>, beneath: &'a Terrain) -> Canvas<'a> {
        let hardness = beneath.map(MapKind::Hardness).map(|map| map.as_slice());
        Canvas {
            cx,
            unit: 1.0 / cx.relief_metres,
            limits: (-HIGHEST, HIGHEST),
            rock: CanvasRock::Ground(hardness),
            erosion_samples: usize::MAX,
        }
    }
}

impl Filter for Sculpt {
    fn traits(&self) -> Traits {
        Traits {
            // long strokes eroded as one once
            version: 1 + u32::from(self.strokes.visible().any(|stroke| stroke.is_eroded_in_pieces())),
            previews_exactly: false,
            working_fields: working_fields(&self.strokes, true),
            parts: NodeParts::painted(&self.strokes),
            ..Traits::FILTER
        }
    }

    fn apply(&self, cx: &Context, terrain: &mut Terrain) -> Result<(), Cancelled> {
        let mut height = std::mem::take(&mut terrain.height);
        let done = Self::canvas(cx, terrain).strokes(&self.strokes, &mut height);
        terrain.height = height;
        done
    }
}
