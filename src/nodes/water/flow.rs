//! Flow: how much ground drains through each place.
//!
//! Law: the flow map is the area that drains through a cell, its own included, each part weighted by its rain, in cells
//! of the mean area; times that area it is a drainage area, the same at any resolution. Depressions drain over their
//! spill points. Areas are added as whole numbers.
//! Boundary: water leaves at open edges, at the sea and on ground that has neither at its lowest cell.
//! Source: O'Callaghan & Mark 1984 (D8); Tarboton 1997 (D∞); Fairfield & Leymarie 1991 (scattered).

use std::sync::Arc;

use super::routed::Routed;
use crate::{Context, DrainedGround, Filter, NodeAreas, NodeDrainage, NodeParts, Traits};
use talweg_ground::field::{Cancelled, MapKind, Terrain};
use talweg_ground::hydrology::{DInfinity, DrainedArea, FlowRouting, accumulate};

talweg_ground::choices! {
    /// How water chooses its way down.
    Courses {
        Spread "Spread, D∞": "Between two neighbours, in the true direction of the slope: broad on slopes, narrow in valleys.",
        Steepest "Steepest, D8": "All to the steepest neighbour: thin lines, which prefer the directions of the grid.",
        Scattered "Scattered": "All to one neighbour, drawn so that the mean course is the true direction: thin winding lines.",
    }
}

talweg_ground::params! {
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
            // exactly; 4: all water is, in parts of a cell
            version: 4,
            planet_version: if is_divided { 1 } else { 0 },
            is_random,
            working_fields,
            more_on_planets,
            parts: NodeParts::Drained(NodeDrainage {
                sea_metres: self.sea_level,
                is_drawn: is_random,
                areas: if is_divided { NodeAreas::Divided } else { NodeAreas::Undivided },
            }),
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
        let mut area = routed.rain(terrain);
        if self.courses == Courses::Spread {
            let flow = DInfinity::new(mesh, &graph.filled(&terrain.height), outlets, &graph.receivers, cx.control)?;
            flow.accumulate(&flow.shares(mesh), &mut area, cx.control)?;
        } else {
            accumulate(&graph.receivers, &mut area, cx.control)?;
        }
        let area = routed.closed(DrainedArea::into_cells(area));
        terrain.set_map(MapKind::Flow, Some(Arc::new(area)));
        Ok(())
    }

    fn apply_drained(&self, _cx: &Context, water: DrainedGround, terrain: &mut Terrain) -> Result<(), Cancelled> {
        terrain.set_map(MapKind::Flow, Some(Arc::new(water.areas)));
        Ok(())
    }
}
