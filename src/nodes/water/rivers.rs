//! River network: water-filled channels, cut according to their discharge and always downhill.
//!
//! Law (hydraulic geometry, Leopold & Maddock 1953): a river with the rain-weighted drainage area Q is w·(Q/10 km²)^½
//! wide and d·(Q/10 km²)^0.4 deep, with w the `width` and d the `depth`. Its bed is this depth below the surface of the
//! filled terrain. That surface never rises downstream, so the bed never rises either. Lakes keep their water; rivers
//! run through them. Banks rise at the given angle until they meet the terrain. The water fills the fraction `FULL` of
//! the depth, and lakes up to their spill level. A channel starts where Q exceeds the source area; brooks below a given
//! Strahler order can be skipped. Channels narrower than a cell are cut one cell wide.
//! Boundary: water leaves at open edges and at the sea; terrain without both drains at its lowest cell.
//! Source: Leopold & Maddock 1953; Strahler 1957; Barnes, Lehman & Mulla 2014.

use std::borrow::Cow;
use std::sync::Arc;

use super::banks::{BankedGround, NONE, RiverCell};
use super::routed::Routed;
use crate::{Context, Filter, NodeMemory, NodeParts, OnPlanet, Traits};
use talweg_ground::field::{Cancelled, MapKind, Terrain};
use talweg_ground::hydrology::{DrainedArea, FlowRouting, accumulate, strahler_orders};

talweg_ground::params! {
    /// Finds the rivers and cuts their beds, wider and deeper with a larger drainage area, always downhill and filled
    /// with water.
    Rivers "River network" in "Water", from "Leopold & Maddock 1953; Strahler 1957", also "stream channel carve brook creek valley drainage water course" {
        /// Drainage area at which a river starts. Small values make many brooks.
        source_area: f32 ["km²"] = 0.5, 0.001..=10_000.0, slider 0.02..=5.0;
        /// Width of a river with a drainage area of 10 km². At 0 the beds are one sample wide.
        width: f32 ["m"] = 20.0, 0.0..=10_000.0, slider 0.0..=100.0;
        /// Depth of the bed of a river with a drainage area of 10 km². At 0 only the maps are written and the heights
        /// do not change.
        depth: f32 ["m"] = 8.0, 0.0..=1000.0, slider 0.0..=40.0;
        /// Slope of the banks. Steep banks make gorges; gentle banks cut wide open valleys into the surrounding
        /// mountains.
        bank_angle: f32 ["°"] = 65.0, 1.0..=89.0, slider 5.0..=80.0;
        /// Minimum Strahler order of a river: 1 keeps all brooks, 2 starts where two brooks meet.
        smallest_order: u32 = 1, 1..=12, slider 1..=5;
        /// Fills the lakes that the rivers run through.
        lakes: bool = true;
        /// Height of the sea, where rivers end.
        sea_level: f32 ["m"] = 0.0, -100_000.0..=100_000.0, slider -500.0..=2000.0;
    }
}

/// Drainage area to which the parameters `width` and `depth` refer.
const REFERENCE_KM2: f32 = 10.0;
const DEPTH_EXPONENT: f32 = 0.4;
/// Depth of the water in a river, as a fraction of the bed's depth.
const FULL: f32 = 0.6;

impl Filter for Rivers {
    fn traits(&self) -> Traits {
        Traits {
            writes: &[MapKind::Water, MapKind::Flow],
            previews_exactly: false,
            // Since version 2, the drainage areas are summed in bands of consecutive cells. Since version 3, the
            // rain-weighted areas are summed as whole numbers. Since version 4, water takes the nearest way out of
            // lakes and flats.
            version: 4,
            on_planet: Some(OnPlanet { more_fields: 6.4, ..OnPlanet::DEFAULT }),
            memory: NodeMemory::constant(8.5),
            ..Traits::FILTER
        }
    }

    fn parts(&self) -> NodeParts<'_> {
        NodeParts::DRAINED
    }

    fn apply(&self, cx: &Context, terrain: &mut Terrain) -> Result<(), Cancelled> {
        terrain.close_seam();
        let routed = Routed::new(cx, terrain, self.sea_level, FlowRouting::D8)?;
        let (height, receivers) = (&terrain.height, &routed.graph.receivers);
        let mut area = routed.rain(terrain);
        let order = accumulate(receivers, &mut area, cx.control)?;
        let area = DrainedArea::into_cells(area);
        let cell = routed.mesh.cell_metres(cx.size_metres);
        let cell_km2 = cell * cell * 1.0e-6;
        let is_channel = |k: usize| area[k] * cell_km2 >= self.source_area && receivers[k] as usize != k;
        let orders = strahler_orders(receivers, order.iter(), is_channel);
        cx.control.check()?;

        let filled = &routed.graph.surface;
        let rise = cx.rise_over(self.bank_angle, cell);
        let mut reaches = Vec::new();
        let mut depths = Vec::new();
        for k in (0..height.len()).filter(|&k| u32::from(orders[k]) >= self.smallest_order) {
            let discharge = area[k] * cell_km2 / REFERENCE_KM2;
            let depth = self.depth * libm::powf(discharge, DEPTH_EXPONENT) / cx.relief_metres;
            let half_width = 0.5 * self.width * discharge.sqrt() / cell;
            reaches.push(RiverCell { cell: k as u32, bed: filled[k] - depth, half_width, rise });
            depths.push(depth);
        }
        // banks do not cross voids at which the land ends
        let mut banked = Cow::Borrowed(&**height);
        let voids = cx.land_ends(terrain);
        voids.into_iter().for_each(|k| banked.to_mut()[k as usize] = f32::NEG_INFINITY);
        let banks = BankedGround::new(&routed.mesh, &banked, f32::NEG_INFINITY, &reaches, cx.control)?;
        drop(banked);

        let lake = |k: usize| filled[k] > height[k];
        let mut ground = height.clone();
        let mut surface = if self.lakes { filled.clone() } else { vec![f32::NEG_INFINITY; height.len()] };
        if self.depth > 0.0 {
            for k in (0..height.len()).filter(|&k| banks.river_index[k] != NONE) {
                ground[k] = banks.cut[k];
                let by = banks.river_index[k] as usize;
                let full = reaches[by].bed + FULL * depths[by];
                surface[k] = if lake(k) && surface[k] > full { surface[k] } else { full };
            }
            for (reach, depth) in reaches.iter().zip(&depths) {
                let (k, full) = (reach.cell as usize, reach.bed + FULL * depth);
                surface[k] = if surface[k] > full { surface[k] } else { full };
            }
            // The bank of a lower river can cut into a bed. Downstream of the cut the bed continues at the lower
            // height.
            for k in
                order.iter().map(|k| k as usize).filter(|&k| u32::from(orders[k]) >= self.smallest_order && !lake(k))
            {
                let to = receivers[k] as usize;
                if u32::from(orders[to]) >= self.smallest_order && ground[to] > ground[k] {
                    ground[to] = ground[k];
                }
            }
        }
        let depth = |(surface, ground): (&f32, &f32)| if surface > ground { surface - ground } else { 0.0 };
        let water: Vec<f32> = surface.iter().zip(&ground).map(depth).collect();
        let [ground, water, flow] = [ground, water, area].map(|values| routed.closed(values));
        terrain.height = ground;
        terrain.set_map(MapKind::Water, Some(Arc::new(water)));
        terrain.set_map(MapKind::Flow, Some(Arc::new(flow)));
        Ok(())
    }
}
