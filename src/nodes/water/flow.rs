//! Flow: how much ground drains through each place.
//!
//! Law: the flow map is the area that drains through a cell, its own included, each part weighted by its rain, in cells
//! of the mean area; times that area it is a drainage area, the same at any resolution. Depressions drain over their
//! spill points. Undivided water of a square without rain is counted in whole numbers and rounded once, at the end.
//! Boundary: water leaves at open edges, at the sea and on ground that has neither at its lowest cell.
//! Source: O'Callaghan & Mark 1984 (D8); Tarboton 1997 (D∞); Fairfield & Leymarie 1991 (scattered).

use std::sync::Arc;

use super::routed::Routed;
use crate::field::{Cancelled, MapKind, Terrain};
use crate::hydrology::{DInfinity, FlowRouting, accumulate};
use crate::nodes::{Context, DrainedGround, Filter, NodeDrainage, NodeParts, Traits};

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
    fn traits(&self) -> Traits {
        let is_random = self.courses == Courses::Scattered;
        let (working_fields, more_on_planets) = if self.courses == Courses::Spread { (7.1, 3.4) } else { (3.4, 2.4) };
        let writes = &[MapKind::Flow];
        let is_divided = self.courses == Courses::Spread;
        Traits {
            writes,
            on_globe: true,
            // 2: what comes together is added band by band; 3: undivided water of more than 2²⁴ cells is counted
            // exactly
            version: if is_divided { 2 } else { 3 },
            planet_version: if is_divided { 1 } else { 0 },
            is_random,
            working_fields,
            more_on_planets,
            parts: match is_divided {
                true => NodeParts::DIVIDED,
                false => {
                    NodeParts::Drained(NodeDrainage { sea_metres: self.sea_level, is_drawn: is_random, counts: true })
                }
            },
            ..Traits::FILTER
        }
    }

    fn apply(&self, cx: &Context, terrain: &mut Terrain) -> Result<(), Cancelled> {
        terrain.close_seam();
        let routing = match self.courses {
            Courses::Scattered => FlowRouting::Rho8(cx.random),
            Courses::Spread | Courses::Steepest => FlowRouting::D8,
        };
        let routed = Routed::new(cx, terrain, self.sea_level, routing)?;
        let Routed { mesh, outlets, graph } = &routed;
        let is_counted = !mesh.grid().is_globe() && terrain.map(MapKind::Rain).is_none();
        let area = if self.courses == Courses::Spread {
            let mut area = routed.rain(terrain);
            let flow = DInfinity::new(mesh, &graph.filled(&terrain.height), outlets, graph, cx.control)?;
            flow.accumulate(&flow.shares(mesh), &mut area, cx.control)?;
            area
        } else if is_counted {
            // each 1, but for copies
            let mut cells: Vec<u32> = mesh.areas().into_iter().map(|area| area as u32).collect();
            accumulate(&graph.receivers, &mut cells, cx.control)?;
            cells.into_iter().map(|cells| cells as f32).collect()
        } else {
            let mut area = routed.rain(terrain);
            accumulate(&graph.receivers, &mut area, cx.control)?;
            area
        };
        let area = routed.closed(area);
        terrain.set_map(MapKind::Flow, Some(Arc::new(area)));
        Ok(())
    }

    fn apply_drained(&self, _cx: &Context, water: DrainedGround, terrain: &mut Terrain) -> Result<(), Cancelled> {
        let area = water.cells.into_iter().map(|cells| cells as f32).collect();
        terrain.set_map(MapKind::Flow, Some(Arc::new(area)));
        Ok(())
    }
}
