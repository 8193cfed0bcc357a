//! The drainage net: orders, Horton's ratios, density, and what drains at all.
//!
//! Law: water takes the steepest way (D8) over the ground with its depressions full and leaves at open edges, at the
//! sea, and on a wrapping terrain without a sea at its lowest cell. A channel begins where [`Limits::source_area`] of
//! land drains through a cell. Orders are Strahler's. With N_u streams of order u and their mean length L_u, the
//! bifurcation ratio is 10^-b of the line log₁₀ N_u = a + b·u, the length ratio 10^b of the line log₁₀ L_u = a + b·u.
//! Drained is the land whose water gets out without filling a depression first. A basin is the land that leaves by one
//! way. The length of a step is the distance of the two cells: courses along the eight directions are up to 8 % long.
//! On a globe every cell counts by its area.
//! Source: Horton 1945; Strahler 1957; O'Callaghan & Mark 1984.

use std::borrow::Cow;
use std::ops::AddAssign;

use serde::Serialize;

use super::ground::DistinctSamples;
use super::line::Fitted;
use super::{Limits, TerrainScale};
use crate::field::{Cancelled, Control, Grid, Terrain};
use crate::hydrology::{FlowGraph, FlowMesh, FlowRouting, OUTSIDE, Outlets, strahler_orders};

/// Share of the terrain that must drain to a channel if no area is asked for.
const DEFAULT_SHARE: f64 = 1.0e-3;
/// Cells done between two looks at the stop flag.
const CHECK: usize = 1 << 16;

/// The streams of one order.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Streams {
    /// Order after Strahler; 1 has no tributaries.
    pub order: usize,
    /// How many there are.
    pub count: usize,
    /// Their mean length.
    pub mean_km: f64,
}

/// What the drainage net is like.
#[derive(Clone, Debug, PartialEq, Serialize)]
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

/// The ground as its streams see it.
pub struct DrainageGround<'a> {
    /// Where there is no ground, below the sea: water leaves there.
    height: Cow<'a, [f32]>,
    mesh: FlowMesh,
    /// Height of the sea as a fraction of the relief.
    sea: f32,
    /// Area of the land and of all ground, in cells of the mean area.
    land_cells: f64,
    cells: f64,
    /// Area and side of a cell of the mean area.
    cell_km2: f64,
    cell_km: f64,
    /// There is land, and it is not level.
    pub has_relief: bool,
}

impl<'a> DrainageGround<'a> {
    /// That of a square.
    pub fn of_square(ground: &'a DistinctSamples) -> Self {
        Self {
            height: ground.with_void_at(ground.sea.min(ground.all.low) - 1.0e-3),
            mesh: FlowMesh::new(ground.terrain.grid),
            sea: ground.sea,
            land_cells: ground.land.map_or(0.0, |land| land.cells as f64),
            cells: ground.cells.len() as f64,
            cell_km2: ground.cell_km2(),
            cell_km: ground.cell_metres() * 1.0e-3,
            has_relief: ground.land.is_some_and(|land| !land.is_level()),
        }
    }

    /// That of a globe.
    pub fn of_globe(terrain: &'a Terrain, scale: TerrainScale) -> Self {
        let (mesh, sea, height) = (FlowMesh::new(terrain.grid), scale.sea(), &terrain.height[..]);
        let areas = mesh.owned_areas().unwrap_or_default();
        let (mut land_cells, mut low, mut high) = (0.0, f32::INFINITY, f32::NEG_INFINITY);
        for (&h, &area) in height.iter().zip(areas).filter(|&(&h, _)| h > sea) {
            land_cells += f64::from(area);
            (low, high) = (if h < low { h } else { low }, if h > high { h } else { high });
        }
        let cells = terrain.grid.distinct_len() as f64;
        let cell_km2 = scale.globe_m2() * 1.0e-6 / cells;
        let (cell_km, has_relief) = (cell_km2.sqrt(), low < high);
        Self { height: Cow::Borrowed(height), mesh, sea, land_cells, cells, cell_km2, cell_km, has_relief }
    }

    /// The grid of its cells.
    pub fn grid(&self) -> Grid {
        self.mesh.grid()
    }

    /// Area that drains to where a channel begins, as asked for or by default.
    pub fn source_km2(&self, limits: &Limits) -> f64 {
        let asked = f64::from(limits.source_area);
        if asked > 0.0 { asked } else { DEFAULT_SHARE * self.cell_km2 * self.cells }
    }
}

/// Where water goes, cell by cell.
pub struct DrainageNetwork {
    receivers: Vec<u32>,
    /// Strahler order of each cell; 0 where there is no channel.
    pub orders: Vec<u8>,
    /// Land that drains without filling a depression, and the largest basin, in cells of the mean area.
    drained: f64,
    largest: f64,
}

impl DrainageNetwork {
    /// The net of `ground` whose channels begin where `source_km2` of land drains.
    pub fn new(ground: &DrainageGround, source_km2: f64, control: &Control) -> Result<Self, Cancelled> {
        match ground.mesh.owned_areas() {
            None => Self::gathered(ground, |_| 1u32, source_km2, control),
            Some(areas) => Self::gathered(ground, |k| f64::from(areas[k]), source_km2, control),
        }
    }

    /// With the areas of cells in a type that adds them up exactly enough.
    fn gathered<A>(
        ground: &DrainageGround,
        cell_area: impl Fn(usize) -> A,
        source_km2: f64,
        control: &Control,
    ) -> Result<Self, Cancelled>
    where
        A: Copy + Default + Into<f64> + PartialOrd + AddAssign,
    {
        let &DrainageGround { ref mesh, ref height, sea, cell_km2, .. } = ground;
        let outlets = Outlets::new(mesh.grid(), height, sea);
        let graph = FlowGraph::new(mesh, height, &outlets, FlowRouting::D8, control)?;
        let is_land = |k: usize| height[k] > sea && mesh.grid().owns(k);
        let mut drained = A::default();
        for k in (0..mesh.len()).filter(|&k| graph.basins.basin[k] == OUTSIDE && is_land(k)) {
            drained += cell_area(k);
        }
        let order = graph.upstream_order(control)?;
        let receivers = graph.receivers;
        control.check()?;
        let mut area: Vec<A> = (0..mesh.len()).map(|k| if is_land(k) { cell_area(k) } else { A::default() }).collect();
        let least = (source_km2 / cell_km2).ceil();
        let mut channels = Vec::new();
        for (done, k) in order.iter().enumerate() {
            if done % CHECK == 0 {
                control.check()?;
            }
            let (here, to) = (k as usize, receivers[k as usize] as usize);
            if to == here {
                continue;
            }
            // every cell comes after its donors: its area is whole
            if area[here].into() >= least {
                channels.push(k);
            }
            // the sea takes all and gives nothing on
            if is_land(to) {
                let whole = area[here];
                area[to] += whole;
            }
        }
        control.check()?;
        let is_channel = |k: usize| area[k].into() >= least && receivers[k] as usize != k;
        let orders = strahler_orders(&receivers, channels, is_channel);
        let largest = area.iter().fold(A::default(), |most, &area| if area > most { area } else { most });
        Ok(Self { receivers, orders, drained: drained.into(), largest: largest.into() })
    }
}

/// What drains on land that is not level; none elsewhere.
pub fn drainage(ground: &DrainageGround, limits: &Limits, control: &Control) -> Result<Option<Drainage>, Cancelled> {
    if !ground.has_relief {
        return Ok(None);
    }
    let source_km2 = ground.source_km2(limits);
    let network = DrainageNetwork::new(ground, source_km2, control)?;
    let DrainageNetwork { receivers, orders, .. } = &network;
    // cells and steps to the same order, by order; and the length of the steps, of diagonal ones in diagonals
    let (mut counts, mut lengths) = ([[0usize; 2]; 33], [[0.0f64; 2]; 33]);
    for (k, (&order, &to)) in orders.iter().zip(receivers).enumerate() {
        if order > 0 {
            let (count, length) = (&mut counts[usize::from(order)], &mut lengths[usize::from(order)]);
            let step = ground.mesh.distance(k, to as usize);
            count[0] += 1;
            count[1] += usize::from(orders[to as usize] == order);
            if step == std::f32::consts::SQRT_2 {
                length[1] += 1.0;
            } else {
                length[0] += f64::from(step);
            }
        }
    }
    let mut length_km = 0.0;
    let mut streams = Vec::new();
    for (order, ([cells, on], [straight, diagonal])) in
        counts.into_iter().zip(lengths).enumerate().filter(|(_, (count, _))| count[0] > 0)
    {
        let km = (straight + diagonal * std::f64::consts::SQRT_2) * ground.cell_km;
        length_km += km;
        // a stream begins where the order does: all its cells but the first have one donor of the order
        let count = cells - on;
        streams.push(Streams { order, count, mean_km: km / count as f64 });
    }
    let fit = |value: fn(&Streams) -> f64| {
        Fitted::new(streams.iter().map(|s| [s.order as f64, libm::log10(value(s))]).collect(), 2)
    };
    let (numbers, lengths) = (fit(|s| s.count as f64), fit(|s| s.mean_km));
    Ok(Some(Drainage {
        source_km2,
        numbers,
        lengths,
        streams,
        density: length_km / (ground.land_cells * ground.cell_km2),
        drained_fraction: network.drained / ground.land_cells,
        largest_basin_km2: network.largest * ground.cell_km2,
        largest_basin_fraction: network.largest / ground.land_cells,
    }))
}
