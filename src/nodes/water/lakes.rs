//! Lakes: standing water in depressions that are large and deep enough.
//!
//! Law: a lake fills its depression to its spill level; depressions that join at the same level form one lake. The
//! water map holds the depth of the lake, and 0 elsewhere.
//! Boundary: water leaves at open edges and at the sea; terrain without both drains at its lowest cell.
//! Source: Barnes, Lehman & Mulla 2014; Cordonnier, Bovy & Braun 2019.

use std::sync::Arc;

use super::routed::Routed;
use crate::{Context, Filter, NodeMemory, NodeParts, OnPlanet, Traits};
use talweg_ground::field::{Cancelled, MapKind, Terrain};
use talweg_ground::hydrology::FlowRouting;

talweg_ground::params! {
    /// Fills large and deep depressions with lakes and writes them to the water map. The heights do not change.
    Lakes "Lakes" in "Water", from "Barnes, Lehman & Mulla 2014; Cordonnier, Bovy & Braun 2019", also "water pond tarn reservoir depression flood" {
        /// Minimum area of a lake; smaller depressions stay dry.
        smallest_area: f32 ["m²"] = 10_000.0, 0.0..=10_000_000.0, slider 0.0..=500_000.0;
        /// Minimum depth of a lake at its deepest point; shallower depressions stay dry.
        least_depth: f32 ["m"] = 2.0, 0.0..=10_000.0, slider 0.0..=50.0;
        /// Height of the sea: there are no lakes at or below this height.
        sea_level: f32 ["m"] = 0.0, -100_000.0..=100_000.0, slider -500.0..=2000.0;
    }
}

impl Filter for Lakes {
    fn traits(&self) -> Traits {
        Traits {
            writes: &[MapKind::Water],
            on_planet: Some(OnPlanet { more_fields: 2.4, ..OnPlanet::DEFAULT }),
            memory: NodeMemory::constant(3.1),
            ..Traits::FILTER
        }
    }

    fn parts(&self) -> NodeParts<'_> {
        NodeParts::DRAINED
    }

    fn apply(&self, cx: &Context, terrain: &mut Terrain) -> Result<(), Cancelled> {
        terrain.close_seam();
        let routed = Routed::new(cx, terrain, self.sea_level, FlowRouting::D8)?;
        let basins = &routed.graph.basins;
        let (lake_of, lakes) = basins.lakes(&routed.mesh, &terrain.height);
        let cell = routed.mesh.cell_metres(cx.size_metres);
        let counts = |lake: usize| {
            let lake = &lakes[lake];
            lake.area as f32 * cell * cell >= self.smallest_area && lake.deepest * cx.relief_metres >= self.least_depth
        };
        let kept: Vec<bool> = (0..lakes.len()).map(counts).collect();
        let mut depth = vec![0.0; routed.mesh.len()];
        for ((depth, &h), &basin) in depth.iter_mut().zip(&terrain.height).zip(&basins.basin) {
            let Some(lake) = lake_of[basin as usize].filter(|&lake| kept[lake as usize]) else { continue };
            let below = lakes[lake as usize].level - h;
            *depth = if below > 0.0 { below } else { 0.0 };
        }
        let depth = routed.closed(depth);
        terrain.set_map(MapKind::Water, Some(Arc::new(depth)));
        Ok(())
    }
}
