//! Fill depressions: fills every depression up to its spill level, or cuts a channel out of it.
//!
//! Law: the filled surface w is the lowest surface with w ≥ h, the terrain height, from which all water drains. In
//! depressions w is level, or rises away from the outlet with the given gradient. It becomes the new terrain, or the
//! surface of the water on the terrain. With channels, the water of each depression leaves it as on the filled surface
//! and cuts down: each cell on the path of the water is lowered to the height of the lowest cell upstream (complete
//! breaching, Lindsay 2016). No cell rises, and a channel is as wide as one cell.
//! Boundary: water leaves at open edges and at the sea; terrain without both drains at its lowest cell.
//! Source: Barnes, Lehman & Mulla 2014; Cordonnier, Bovy & Braun 2019; Lindsay 2016.

use std::sync::Arc;

use super::routed::Routed;
use crate::{
    Context, DrainedFilter, Filter, NodeAreas, NodeDrainage, NodeMemory, NodeParts, OnPlanet, Traits, WindowDrainage,
};
use talweg_ground::field::{Cancelled, MapKind, Terrain};
use talweg_ground::hydrology::{FlowRouting, priority_flood};

talweg_ground::choices! {
    /// How water gets out of the depressions.
    Filling {
        Ground "Terrain": "The terrain rises: depressions become level floors.",
        Water "Water": "The terrain stays, and lakes fill the depressions in the water map.",
        Channels "Nothing: channels drain them": "The terrain is cut: a channel as wide as one sample leads from the lowest point of every depression to lower terrain.",
    }
}

talweg_ground::params! {
    /// Lets water drain from everywhere: fills every depression up to its rim, which creates level valley floors or
    /// lakes, or cuts channels through the rims.
    FillDepressions "Fill depressions" in "Water", from "Barnes, Lehman & Mulla 2014; Cordonnier, Bovy & Braun 2019; Lindsay 2016", also "priority flood hollow pit sink basin lake drain breach carve" {
        /// Material that fills the depressions, or channels that drain them.
        fill_with: Filling = Filling::Ground;
        /// Slope of the filled terrain towards its outlet. 0 makes the filled terrain level; a small slope lets streams
        /// cross it.
        gradient: f32 ["m/km"] = 0.0, 0.0..=100.0, slider 0.0..=10.0 => |fill| fill.fill_with == Filling::Ground;
        /// Height of the sea: terrain at or below this height is not filled.
        sea_level: f32 ["m"] = 0.0, -100_000.0..=100_000.0, slider -500.0..=2000.0;
    }
}

impl Filter for FillDepressions {
    fn traits(&self) -> Traits {
        let writes: &[MapKind] = match self.fill_with {
            Filling::Ground | Filling::Channels => &[],
            Filling::Water => &[MapKind::Water],
        };
        Traits {
            writes,
            previews_exactly: false,
            on_planet: Some(OnPlanet { more_fields: 2.4, ..OnPlanet::DEFAULT }),
            memory: NodeMemory::constant(3.8),
            ..Traits::FILTER
        }
    }

    fn parts(&self) -> NodeParts<'_> {
        match self.fill_with {
            Filling::Ground if self.gradient > 0.0 => {
                NodeParts::WholeTerrain("its gradient adds up, with rounding, cell by cell from the outlet")
            }
            Filling::Channels => NodeParts::WholeTerrain("a channel can be as long as the terrain"),
            Filling::Ground | Filling::Water => {
                let areas = NodeAreas::NotNeeded;
                NodeParts::Drained(NodeDrainage { sea_metres: self.sea_level, is_drawn: false, areas }, self)
            }
        }
    }

    fn apply(&self, cx: &Context, terrain: &mut Terrain) -> Result<(), Cancelled> {
        terrain.close_seam();
        let routed = Routed::new(cx, terrain, self.sea_level, FlowRouting::D8)?;
        let rise = self.gradient * 1.0e-3 * routed.mesh.cell_metres(cx.size_metres) / cx.relief_metres;
        let surface = match self.fill_with {
            Filling::Ground if rise > 0.0 => {
                routed.closed(priority_flood(&routed.mesh, &terrain.height, &routed.outlets, rise, cx.control)?)
            }
            Filling::Channels => {
                let mut cut = terrain.height.clone();
                for k in routed.graph.upstream_order(cx.control)?.iter() {
                    let to = routed.graph.receivers[k as usize] as usize;
                    cut[to] = cut[to].min(cut[k as usize]);
                }
                routed.closed(cut)
            }
            _ => routed.into_filled(),
        };
        self.fill_to(surface, terrain);
        Ok(())
    }
}

impl DrainedFilter for FillDepressions {
    fn apply_drained(&self, _cx: &Context, water: WindowDrainage, terrain: &mut Terrain) -> Result<(), Cancelled> {
        self.fill_to(water.surface, terrain);
        Ok(())
    }
}

impl FillDepressions {
    /// Raises the terrain, or the water on the terrain, to `surface`.
    fn fill_to(&self, surface: Vec<f32>, terrain: &mut Terrain) {
        match self.fill_with {
            Filling::Ground => {
                // Existing water becomes shallower by the height of the fill.
                if let Some(water) = terrain.map(MapKind::Water) {
                    let raised = surface.iter().zip(&terrain.height).map(|(w, h)| w - h);
                    let left = |(water, raised): (&f32, f32)| if raised < *water { water - raised } else { 0.0 };
                    let water = water.iter().zip(raised).map(left).collect();
                    terrain.set_map(MapKind::Water, Some(Arc::new(water)));
                }
                terrain.height = surface;
            }
            Filling::Channels => terrain.height = surface,
            Filling::Water => {
                let depth = surface.iter().zip(&terrain.height).map(|(w, h)| w - h).collect();
                terrain.set_map(MapKind::Water, Some(Arc::new(depth)));
            }
        }
    }
}
