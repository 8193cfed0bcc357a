//! Flow: how much ground drains through each place.
//!
//! Law: the flow map is the number of cells that drain through a cell, itself included, each weighted by its rain; times the area
//! of a cell it is a drainage area, the same at any resolution. Hollows drain over their passes.
//! Boundary: water leaves at open edges, at the sea and on a wrapping terrain without a sea at its lowest cell.
//! Source: O'Callaghan & Mark 1984 (D8); Tarboton 1997 (D∞); Fairfield & Leymarie 1991 (scattered).

use std::sync::Arc;

use super::routed::Routed;
use crate::field::{Cancelled, MapKind, Terrain};
use crate::hydrology::{Spread, Steering, accumulate, upstream_first};
use crate::nodes::{Context, Filter};

crate::choices! {
    /// How water chooses its way down.
    Courses {
        Spread "Spread, D∞": "Between two neighbours, in the true direction of the slope: broad on slopes, narrow in valleys.",
        Steepest "Steepest, D8": "All to the steepest neighbour: thin lines, which prefer the directions of the grid.",
        Scattered "Scattered": "All to one neighbour, drawn so that the mean course is the true direction: thin winding lines.",
    }
}

crate::params! {
    /// Works out how much ground drains through each place and shows it in the flow map. The ground stays as it is.
    FlowAccumulation "Flow" in "Water", from "Tarboton 1997; O'Callaghan & Mark 1984", also "drainage area accumulation D8 D-infinity catchment discharge wetness" {
        /// How water chooses its way down.
        courses: Courses = Courses::Spread;
        /// Height of the sea: water that gets there has arrived.
        sea_level: f32 ["m"] = 0.0, -100_000.0..=100_000.0, slider -500.0..=2000.0;
    }
}

impl Filter for FlowAccumulation {
    fn writes(&self) -> &'static [MapKind] {
        &[MapKind::Flow]
    }

    fn apply(&self, cx: &Context, terrain: &mut Terrain) -> Result<(), Cancelled> {
        terrain.close_seam();
        let steering = match self.courses {
            Courses::Scattered => Steering::Scattered(cx.random),
            Courses::Spread | Courses::Steepest => Steering::Steepest,
        };
        let routed = Routed::new(cx, terrain, self.sea_level, steering)?;
        let (cells, control) = (routed.cells, cx.control);
        let mut area = rain(&routed, terrain);
        if self.courses == Courses::Spread {
            let spread = Spread::new(cells, &routed.filled(), &routed.outlets, &routed.descent, control)?;
            spread.accumulate(&spread.upstream_first(control)?, &spread.shares(), &mut area);
        } else {
            accumulate(&routed.descent.receiver, &upstream_first(&routed.descent.receiver, control)?, &mut area);
        }
        let area = routed.spread(&area, terrain);
        terrain.set_map(MapKind::Flow, Some(Arc::new(area)));
        Ok(())
    }

    fn is_random(&self) -> bool {
        self.courses == Courses::Scattered
    }
}

/// Rain on each cell.
pub fn rain(routed: &Routed, terrain: &Terrain) -> Vec<f32> {
    match terrain.map(MapKind::Rain) {
        None => vec![1.0; routed.cells.len()],
        Some(map) => routed.cells.gather(map).iter().map(|&r| if r > 0.0 { r } else { 0.0 }).collect(),
    }
}
