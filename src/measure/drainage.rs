//! The drainage net: orders, Horton's ratios, density, and what drains at all.
//!
//! Law: water takes the steepest way (D8) over the ground with its depressions full and leaves at open edges, at the
//! sea, and on a wrapping terrain without a sea at its lowest cell. A channel begins where [`Limits::source_area`] of
//! land drains through a cell. Orders are Strahler's. With N_u streams of order u and their mean length L_u, the
//! bifurcation ratio is 10^-b of the line log₁₀ N_u = a + b·u, the length ratio 10^b of the line log₁₀ L_u = a + b·u.
//! Drained is the land whose water gets out without filling a depression first. A basin is the land that leaves by one
//! way. The length of a step is the distance of the two cells: courses along the eight directions are up to 8 % long.
//! Source: Horton 1945; Strahler 1957; O'Callaghan & Mark 1984.

use super::Limits;
use super::ground::DistinctSamples;
use super::line::Fitted;
use crate::field::{Cancelled, Control};
use crate::hydrology::{FlowGraph, FlowMesh, FlowRouting, OUTSIDE, Outlets, strahler_orders};

/// Share of the terrain that must drain to a channel if no area is asked for.
const DEFAULT_SHARE: f64 = 1.0e-3;
/// Cells done between two looks at the stop flag.
const CHECK: usize = 1 << 16;

/// The streams of one order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Streams {
    /// Order after Strahler; 1 has no tributaries.
    pub order: usize,
    /// How many there are.
    pub count: usize,
    /// Their mean length.
    pub mean_km: f64,
}

/// What the drainage net is like.
#[derive(Clone, Debug, PartialEq)]
pub struct Drainage {
    /// Area that drains to where a channel begins.
    pub source_km2: f64,
    /// Streams of each order, from 1 to the highest.
    pub streams: Vec<Streams>,
    /// log₁₀ of the number of streams over their order; none below order 2.
    pub numbers: Option<Fitted>,
    /// log₁₀ of the mean length in km over the order; none below order 2.
    pub lengths: Option<Fitted>,
    /// Length of all channels over the area of the land, in km/km².
    pub density: f64,
    /// Share of the land.
    pub drained_fraction: f64,
    /// Area that drains through one outlet, at the most.
    pub largest_basin_km2: f64,
    /// The same as a share of the land.
    pub largest_basin_fraction: f64,
}

impl Drainage {
    /// How many streams there are for one of the next order, by the line through all orders (Horton 1945).
    pub fn bifurcation_ratio(&self) -> Option<f64> {
        self.numbers.as_ref().map(|fit| libm::exp10(-fit.line.slope))
    }

    /// How much longer streams are than those of the order below, by the line through all orders (Horton 1945).
    pub fn length_ratio(&self) -> Option<f64> {
        self.lengths.as_ref().map(|fit| libm::exp10(fit.line.slope))
    }
}

/// Where water goes, cell by cell.
pub struct DrainageNetwork {
    mesh: FlowMesh,
    receivers: Vec<u32>,
    /// Strahler order of each cell; 0 where there is no channel.
    pub orders: Vec<u8>,
    /// Cells of land that drain without filling a depression, and cells of the largest basin.
    drained: usize,
    largest: usize,
}

impl DrainageNetwork {
    /// The net of `ground` whose channels begin where `source_km2` of land drains.
    pub fn new(ground: &DistinctSamples, source_km2: f64, control: &Control) -> Result<Self, Cancelled> {
        let (mesh, height) = (FlowMesh::new(ground.terrain.grid), &ground.terrain.height[..]);
        let outlets = Outlets::new(mesh.grid(), height, ground.sea);
        let graph = FlowGraph::new(&mesh, height, &outlets, FlowRouting::D8, control)?;
        let is_land = |k: usize| height[k] > ground.sea && mesh.grid().owns(k);
        let drained = (0..mesh.len()).filter(|&k| graph.basins.basin[k] == OUTSIDE && is_land(k)).count();
        let order = graph.upstream_order(control)?;
        let receivers = graph.receivers;
        control.check()?;
        let mut area: Vec<u32> = (0..mesh.len()).map(|k| u32::from(is_land(k))).collect();
        let least = (source_km2 / ground.cell_km2()).ceil();
        let mut channels = Vec::new();
        for block in order.chunks(CHECK) {
            control.check()?;
            for &k in block {
                let (here, to) = (k as usize, receivers[k as usize] as usize);
                if to == here {
                    continue;
                }
                // every cell comes after its donors: its area is whole
                if f64::from(area[here]) >= least {
                    channels.push(k);
                }
                // the sea takes all and gives nothing on
                if is_land(to) {
                    area[to] += area[here];
                }
            }
        }
        control.check()?;
        let is_channel = |k: usize| f64::from(area[k]) >= least && receivers[k] as usize != k;
        let orders = strahler_orders(&receivers, &channels, is_channel);
        let largest = area.iter().copied().max().unwrap_or(0) as usize;
        Ok(Self { mesh, receivers, orders, drained, largest })
    }
}

/// Area that drains to where a channel begins, as asked for or by default.
pub fn source_km2(ground: &DistinctSamples, limits: &Limits) -> f64 {
    let asked = f64::from(limits.source_area);
    if asked > 0.0 { asked } else { DEFAULT_SHARE * ground.cell_km2() * ground.cells.len() as f64 }
}

/// Of land that is not level; none elsewhere.
pub fn drainage(ground: &DistinctSamples, limits: &Limits, control: &Control) -> Result<Option<Drainage>, Cancelled> {
    let Some(land) = ground.land.filter(|land| !land.is_level()) else { return Ok(None) };
    let source_km2 = source_km2(ground, limits);
    let network = DrainageNetwork::new(ground, source_km2, control)?;
    let DrainageNetwork { mesh, receivers, orders, .. } = &network;
    // cells, straight steps, diagonal steps and steps to the same order, by order
    let mut counts = [[0usize; 4]; 33];
    for (k, (&order, &to)) in orders.iter().zip(receivers).enumerate() {
        if order > 0 {
            let count = &mut counts[usize::from(order)];
            let diagonal = mesh.distance(k, to as usize) > 1.0;
            count[0] += 1;
            count[if diagonal { 2 } else { 1 }] += 1;
            count[3] += usize::from(orders[to as usize] == order);
        }
    }
    let cell_km = ground.cell_metres() * 1.0e-3;
    let mut length_km = 0.0;
    let mut streams = Vec::new();
    for (order, [cells, straight, diagonal, on]) in counts.into_iter().enumerate().filter(|(_, c)| c[0] > 0) {
        let km = (straight as f64 + diagonal as f64 * std::f64::consts::SQRT_2) * cell_km;
        length_km += km;
        // a stream begins where the order does: all its cells but the first have one donor of the order
        let count = cells - on;
        streams.push(Streams { order, count, mean_km: km / count as f64 });
    }
    let fit = |value: fn(&Streams) -> f64| {
        Fitted::new(streams.iter().map(|s| [s.order as f64, libm::log10(value(s))]).collect(), 2)
    };
    let (numbers, lengths) = (fit(|s| s.count as f64), fit(|s| s.mean_km));
    let land_cells = land.cells as f64;
    Ok(Some(Drainage {
        source_km2,
        numbers,
        lengths,
        streams,
        density: length_km / (land_cells * ground.cell_km2()),
        drained_fraction: network.drained as f64 / land_cells,
        largest_basin_km2: network.largest as f64 * ground.cell_km2(),
        largest_basin_fraction: network.largest as f64 / land_cells,
    }))
}
