//! Flow: the drainage area of every cell.
//!
//! Law: the flow map holds the drainage area of each cell, including the cell itself, weighted by rain. Its unit is the
//! mean area of a cell. In square metres the flow is the same at any resolution. Depressions drain over their spill
//! points. Water crosses lakes and level ground on the nearest way out. Areas are summed as whole numbers.
//! Boundary: water leaves at open edges and at the sea; terrain without both drains at its lowest cell.
//! Source: O'Callaghan & Mark 1984 (D8); Tarboton 1997 (D∞); Fairfield & Leymarie 1991 (scattered); Barnes, Lehman &
//! Mulla 2014 (level ground).

use std::sync::Arc;

use super::routed::Routed;
use crate::{
    Context, DrainedFilter, Filter, NodeAreas, NodeDrainage, NodeMemory, NodeParts, OnPlanet, Traits, WindowDrainage,
};
use talweg_ground::field::{Cancelled, MapKind, Terrain};
use talweg_ground::hydrology::{DInfinity, DrainedArea, FlowRouting, accumulate};

talweg_ground::choices! {
    /// Distribution of a cell's water to its lower neighbours.
    Courses {
        Spread "Spread, D∞": "Water is divided between the two neighbours nearest to the actual slope direction: broad on slopes, narrow in valleys.",
        Steepest "Steepest, D8": "All water flows to the steepest neighbour: thin lines, biased towards the grid directions.",
        Scattered "Scattered": "All water flows to one random neighbour, on average in the actual slope direction: thin winding lines.",
    }
}

talweg_ground::params! {
    /// Computes the drainage area of every cell and writes it to the flow map. The heights do not change.
    FlowAccumulation "Flow" in "Water", from "Tarboton 1997; O'Callaghan & Mark 1984", also "drainage area accumulation D8 D-infinity catchment discharge wetness" {
        /// Distribution of a cell's water to its lower neighbours.
        courses: Courses = Courses::Spread;
        /// Height of the sea, where water leaves the terrain.
        sea_level: f32 ["m"] = 0.0, -100_000.0..=100_000.0, slider -500.0..=2000.0;
    }
}

impl Filter for FlowAccumulation {
    fn traits(&self) -> Traits {
        let is_divided = self.courses == Courses::Spread;
        let (fields, more_fields) = if is_divided { (7.1, 3.4) } else { (3.4, 2.4) };
        Traits {
            writes: &[MapKind::Flow],
            // Since version 2, the drainage areas are summed in bands of consecutive cells. Since version 3, water that
            // is not divided between neighbours is counted exactly, even from more than 2²⁴ cells. Since version 4, all
            // water is counted exactly, in fractions of a cell. Since version 5, water takes the nearest way out of
            // lakes and flats.
            version: 5,
            is_random: self.courses == Courses::Scattered,
            on_planet: Some(OnPlanet { version: if is_divided { 1 } else { 0 }, more_fields, ..OnPlanet::DEFAULT }),
            memory: NodeMemory::constant(fields),
            ..Traits::FILTER
        }
    }

    fn parts(&self) -> NodeParts<'_> {
        let drainage = NodeDrainage {
            sea_metres: self.sea_level,
            is_drawn: self.courses == Courses::Scattered,
            areas: if self.courses == Courses::Spread { NodeAreas::Divided } else { NodeAreas::Undivided },
        };
        NodeParts::Drained(drainage, self)
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
            let flow = DInfinity::new(mesh, &graph.surface, outlets, &graph.receivers, cx.control)?;
            flow.accumulate(&flow.second_fractions(mesh), &mut area, cx.control)?;
        } else {
            accumulate(&graph.receivers, &mut area, cx.control)?;
        }
        let area = routed.closed(DrainedArea::into_cells(area));
        terrain.set_map(MapKind::Flow, Some(Arc::new(area)));
        Ok(())
    }
}

impl DrainedFilter for FlowAccumulation {
    fn apply_drained(&self, _cx: &Context, water: WindowDrainage, terrain: &mut Terrain) -> Result<(), Cancelled> {
        terrain.set_map(MapKind::Flow, Some(Arc::new(water.areas)));
        Ok(())
    }
}
