//! Rivers of a planet: all rain reaches the sea, rivers join, and their valleys always descend.
//!
//! Law: water flows down the steepest slope, and out of depressions over their spill points ([`FlowGraph`]). The
//! discharge Q is the rain-weighted drainage area. A river starts where Q exceeds the source area, which is scaled with
//! the surface of the planet. It is w·(Q/10⁶
//! km²)^½ wide and its bed d·(Q/10⁶ km²)^0.4 deep, with w the `width` and d the `depth` (hydraulic geometry, Leopold &
//! Maddock 1953). With lakes the depth is measured from the surface of the filled terrain, otherwise from the terrain
//! itself. A bed never rises downstream: rivers cut through passes. Valley sides rise at the given slope until they
//! meet the terrain.
//! Fjords: near the poles ice has deepened the lowest part of the rivers below the sea. The fjord is deepest in its
//! middle, so that the sea enters over a sill (`fjords`). Deltas: other great rivers deposit land on the shallow sea
//! floor around their mouths, and reach the sea through arms in this land (`deltas`).
//! Boundary: water ends in the sea; on a planet without sea, at its lowest point.
//! Source: Leopold & Maddock 1953; Barnes, Lehman & Mulla 2014; Petitprez 2007, §2 (which asks for rivers that join).

mod mouths;

use std::sync::Arc;

use rayon::prelude::*;

use crate::water::banks::{BankedGround, RiverCell};
use crate::{Context, Filter, NodeMemory, NodeParts, OnPlanet, Traits};
use mouths::{deltas, fjords};
use talweg_ground::field::{Cancelled, MapKind, Terrain};
use talweg_ground::hydrology::{FlowGraph, FlowMesh, FlowRouting, Outlets, UpstreamOrder, accumulate};
use talweg_ground::planet::Planet;

talweg_ground::params! {
    /// Finds the rivers of a planet and cuts their valleys, which descend from their springs to the sea.
    PlanetRivers "Rivers of the planet" in "Planet", from "Leopold & Maddock 1953; Barnes, Lehman & Mulla 2014", also "stream valley drainage network delta fjord estuary lake water globe" {
        /// Drainage area at which a river starts, on a planet of Earth's size. On another planet the area is the same
        /// fraction of the surface. Small values make many rivers.
        source_area: f32 ["km²"] = 60_000.0, 1.0..=10_000_000.0, slider 2000.0..=1_000_000.0;
        /// Width of the valley floor of a river with a drainage area of a million km². At 0 valley floors are one
        /// sample wide.
        width: f32 ["km"] = 15.0, 0.0..=1000.0, slider 0.0..=100.0;
        /// Depth of the bed of a river with a drainage area of a million km². At 0 rivers only cut through obstacles.
        depth: f32 ["m"] = 200.0, 0.0..=10_000.0, slider 0.0..=1000.0;
        /// Slope of the valley sides. Gentle sides make broad valleys.
        valley_slope: f32 ["m/km"] = 12.0, 0.1..=1000.0, slider 1.0..=100.0;
        /// Keeps depressions as lakes that the rivers run through. Without lakes, rivers cut through the barriers.
        lakes: bool = false;
        /// Length of the fjords of cold coasts. At 0 there are no fjords.
        fjords: f32 ["km"] = 150.0, 0.0..=2000.0, slider 0.0..=500.0;
        /// Latitude, north and south, above which fjords form.
        fjord_latitude: f32 ["°"] = 55.0, 0.0..=90.0 => |rivers| rivers.fjords > 0.0;
        /// Depth of the fjords below the sea.
        fjord_depth: f32 ["m"] = 400.0, 1.0..=5000.0, slider 50.0..=1500.0 => |rivers| rivers.fjords > 0.0;
        /// Length of the delta of a river with a drainage area of a million km². At 0 there are no deltas.
        deltas: f32 ["km"] = 120.0, 0.0..=2000.0, slider 0.0..=400.0;
        presets {
            Earth "Like Earth": "Rivers on all continents, fjords in the north and south, deltas." { source_area = 60_000.0 }
            Lakes "Land of lakes": "Depressions stay filled with water, and rivers run through them." { lakes = true, source_area = 20_000.0, depth = 100.0 }
            Canyons "Canyons": "Deep, narrow valleys of a few great rivers in a dry climate." { source_area = 150_000.0, depth = 1500.0, valley_slope = 60.0, width = 5.0, fjords = 0.0, deltas = 0.0 }
        }
    }
}

/// Drainage area to which the parameters `width` and `depth` refer.
const REFERENCE_KM2: f64 = 1.0e6;
const DEPTH_EXPONENT: f32 = 0.4;
/// Depth of the water in a river, as a fraction of the bed's depth.
const FULL: f32 = 0.6;

/// The river network, which all steps of the computation share.
pub(super) struct Network<'a> {
    pub mesh: &'a FlowMesh,
    pub graph: &'a FlowGraph,
    /// Every cell of the flow graph; each cell comes after all cells that drain to it.
    pub upstream_order: &'a UpstreamOrder,
    /// Discharge of each cell, as a multiple of the reference drainage area.
    pub discharge: Vec<f32>,
    /// Whether a river runs through a land cell.
    pub is_river: Vec<bool>,
    pub sea: f32,
    /// Square root of the mean cell area, in metres.
    pub cell_metres: f32,
    pub relief_metres: f32,
}

impl Network<'_> {
    /// Distance in metres between two cells, along the straight chord.
    pub(super) fn chord_metres(&self, a: usize, b: usize) -> f32 {
        self.mesh.straight_distance(a, b) * self.cell_metres
    }
}

/// Surface of a planet divided by the surface of Earth. `side_metres` is a quarter of the planet's circumference.
fn surface_ratio(side_metres: f32) -> f32 {
    let ratio = side_metres / Planet::default().side_metres();
    ratio * ratio
}

impl Filter for PlanetRivers {
    fn traits(&self) -> Traits {
        Traits {
            writes: &[MapKind::Water, MapKind::Flow],
            runs_on_square: false,
            is_random: self.deltas > 0.0,
            reads_sea_level: true,
            previews_exactly: false,
            // Since version 5, the flow contributions are summed in bands of rows. Since version 6, the source area is
            // a fraction of the surface, and water takes the nearest way out of lakes and flats.
            version: 6,
            on_planet: Some(OnPlanet::DEFAULT),
            memory: NodeMemory::constant(14.0),
            ..Traits::FILTER
        }
    }

    fn parts(&self) -> NodeParts<'_> {
        NodeParts::PLANET
    }

    fn apply(&self, cx: &Context, terrain: &mut Terrain) -> Result<(), Cancelled> {
        cx.control.check()?;
        terrain.close_seam();
        let mesh = FlowMesh::new(terrain.grid);
        cx.control.check()?;
        let sea = cx.sea_level;
        let outlets = Outlets::new(terrain.grid, &terrain.height, sea);
        let graph = FlowGraph::new(&mesh, &terrain.height, &outlets, FlowRouting::D8, cx.control)?;
        let mut flow = mesh.areas();
        if let Some(rain) = terrain.map(MapKind::Rain) {
            flow.par_iter_mut()
                .zip(rain.par_iter())
                .for_each(|(flow, &rain)| *flow *= if rain > 0.0 { rain } else { 0.0 });
        }
        let upstream_order = accumulate(&graph.receivers, &mut flow, cx.control)?;
        let cell_metres = mesh.cell_metres(cx.size_metres);
        let cell_km = f64::from(cell_metres) * 1.0e-3;
        let per_cell = (cell_km * cell_km / REFERENCE_KM2) as f32;
        let discharge: Vec<f32> = flow.par_iter().map(|&area| area * per_cell).collect();
        let least = self.source_area / REFERENCE_KM2 as f32 * surface_ratio(cx.size_metres);
        let is_river = |k: usize| discharge[k] >= least && graph.receivers[k] as usize != k;
        let is_river = (0..mesh.len()).into_par_iter().map(is_river).collect();
        let network = Network {
            mesh: &mesh,
            graph: &graph,
            upstream_order: &upstream_order,
            discharge,
            is_river,
            sea,
            cell_metres,
            relief_metres: cx.relief_metres,
        };
        let before = std::mem::take(&mut terrain.height);
        let cut = self.cut(&network, &before, cx);
        terrain.height = before;
        let Cut { mut ground, mut water } = cut?;
        [&mut ground, &mut water, &mut flow].into_iter().for_each(|values| terrain.grid.close(values));
        terrain.height = ground;
        terrain.set_map(MapKind::Water, Some(Arc::new(water)));
        terrain.set_map(MapKind::Flow, Some(Arc::new(flow)));
        Ok(())
    }
}

/// The terrain with the valleys cut into it, and the water in them.
struct Cut {
    ground: Vec<f32>,
    water: Vec<f32>,
}

impl PlanetRivers {
    fn cut(&self, network: &Network, before: &[f32], cx: &Context) -> Result<Cut, Cancelled> {
        let Network { mesh, graph, upstream_order, discharge, is_river, sea, .. } = network;
        let receivers = &graph.receivers;
        let filled = if self.lakes { graph.surface.clone() } else { before.to_vec() };
        let rivers: Vec<usize> = upstream_order.iter().map(|k| k as usize).filter(|&k| is_river[k]).collect();
        // River beds stay above the sea, so that the sea enters only through fjords.
        let floor = sea.next_up();
        let mut depth = vec![0.0f32; before.len()];
        let mut bed = filled.clone();
        for &k in &rivers {
            depth[k] = self.depth / network.relief_metres * libm::powf(discharge[k], DEPTH_EXPONENT);
            let low = filled[k] - depth[k];
            bed[k] = if low > floor { low } else { floor };
        }
        // A lake keeps its water, regardless of the terrain below it.
        let is_lake = |k: usize| filled[k] > before[k];
        let is_bed: Vec<bool> = (0..before.len()).into_par_iter().map(|k| is_river[k] && !is_lake(k)).collect();
        never_rising(&rivers, receivers, &is_bed, &mut bed);
        cx.control.check()?;
        let rise = self.valley_slope * 1.0e-3 * network.cell_metres / network.relief_metres;
        let half_width = |k: usize| 500.0 * self.width * discharge[k].sqrt() / network.cell_metres;
        let reach = |&k: &usize| RiverCell { cell: k as u32, bed: bed[k], half_width: half_width(k), rise };
        let mut reaches: Vec<RiverCell> = rivers.iter().map(reach).collect();
        let fjord = if self.fjords > 0.0 { fjords(self, network, &rivers, &mut reaches) } else { Vec::new() };
        // The sea floor stays unchanged.
        let mut ground = BankedGround::new(mesh, before, *sea, &reaches, cx.control)?.cut;
        // The side slope of a neighbouring, deeper valley can cut into the bed of a river and lower it. Downstream of
        // this cut, the bed continues at the lower height.
        // In a fjord the sill stays.
        let is_above_sea: Vec<bool> =
            is_bed.iter().enumerate().map(|(k, is_bed)| *is_bed && !fjord.get(k).is_some_and(|f| *f)).collect();
        never_rising(&rivers, receivers, &is_above_sea, &mut ground);

        // The water surface never rises downstream, and a river that enters a lake is not below the lake's level.
        let mut surface = ground.clone();
        rivers.iter().for_each(|&k| surface[k] = ground[k] + FULL * depth[k]);
        never_rising(&rivers, receivers, &is_bed, &mut surface);
        if self.lakes {
            surface.par_iter_mut().enumerate().filter(|&(k, _)| is_lake(k)).for_each(|(k, level)| {
                *level = if filled[k] > *level { filled[k] } else { *level };
            });
        }
        for &k in rivers.iter().rev() {
            let to = receivers[k] as usize;
            if is_river[to] && surface[to] > surface[k] {
                surface[k] = surface[to];
            }
        }
        let depth_of = |k: usize| if ground[k] > *sea && surface[k] > ground[k] { surface[k] - ground[k] } else { 0.0 };
        let water = (0..before.len()).into_par_iter().map(depth_of).collect();
        if self.deltas > 0.0 {
            deltas(self, network, &rivers, &fjord, &mut ground, cx)?;
        }
        Ok(Cut { ground, water })
    }
}

/// Lowers the heights along the river beds, so that they never rise downstream.
fn never_rising(rivers: &[usize], receiver: &[u32], is_bed: &[bool], height: &mut [f32]) {
    for &k in rivers {
        let to = receiver[k] as usize;
        if is_bed[k] && is_bed[to] && height[to] > height[k] {
            height[to] = height[k];
        }
    }
}
