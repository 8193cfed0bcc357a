//! The drainage network: stream orders, Horton's ratios, drainage density, drained area.
//!
//! Equations: depressions are filled, and water follows the steepest descent (D8). Water leaves the terrain at open
//! edges, at voids and at the sea. On a wrapping terrain without these, water leaves at the lowest cell. A channel
//! begins where the drainage area of a cell reaches [`Limits::source_area`].
//!
//! Stream orders are Strahler's. N_u is the number of streams of order u, and L_u is their mean length. The bifurcation
//! ratio is 10^-b, where b is the slope of the fitted line log₁₀ N_u = a + b·u. The length ratio is 10^b for the fitted
//! line log₁₀ L_u = a + b·u.
//!
//! Land is drained if its water leaves the terrain without filling a depression first. A basin is all land with the
//! same outlet. The length of a stream is the sum of the distances between its cells. Streams can only follow eight
//! directions, so these lengths are up to 8 % too long. On a globe every cell is weighted by its area.
//!
//! Source: Horton 1945; Strahler 1957; O'Callaghan & Mark 1984.

use std::borrow::Cow;
use std::ops::AddAssign;

use serde::Serialize;

use super::ground::DistinctSamples;
use super::line::Fitted;
use super::{Limits, TerrainScale};
use crate::field::{Cancelled, Control, Grid, Terrain};
use crate::hydrology::{FlowGraph, FlowMesh, FlowRouting, LandBorder, OUTSIDE, Outlets, strahler_orders};

/// Default source area of a channel, as a fraction of the terrain's area.
const DEFAULT_SHARE: f64 = 1.0e-3;
/// Number of cells between two checks for cancellation.
const CHECK: usize = 1 << 16;

/// The streams of one order.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Streams {
    /// Strahler order; streams of order 1 have no tributaries.
    pub order: usize,
    /// Number of streams.
    pub count: usize,
    /// Mean length of these streams, in km.
    pub mean_km: f64,
}

/// Measures of a drainage network.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Drainage {
    /// Drainage area at which a channel begins, in km².
    pub source_km2: f64,
    /// Streams of each order, from 1 to the highest.
    pub streams: Vec<Streams>,
    /// log₁₀ of the number of streams over their stream order; `None` if the highest order is below 2.
    pub numbers: Option<Fitted>,
    /// log₁₀ of the mean stream length in km over the stream order; `None` if the highest order is below 2.
    pub lengths: Option<Fitted>,
    /// Total channel length divided by the area of the land, in km/km².
    pub density: f64,
    /// Fraction of the land whose water leaves the terrain without filling a depression first.
    pub drained_fraction: f64,
    /// Area of the largest basin, in km².
    pub largest_basin_km2: f64,
    /// Area of the largest basin as a fraction of the land's area.
    pub largest_basin_fraction: f64,
}

impl Drainage {
    /// Number of streams per stream of the next higher order, from the line fitted to all orders (Horton 1945).
    pub fn bifurcation_ratio(&self) -> Option<f64> {
        self.numbers.as_ref().map(|fit| libm::exp10(-fit.line.slope))
    }

    /// Mean length of streams divided by the mean length of streams of the next lower order, from the line fitted to
    /// all orders (Horton 1945).
    pub fn length_ratio(&self) -> Option<f64> {
        self.lengths.as_ref().map(|fit| libm::exp10(fit.line.slope))
    }
}

/// Input of the drainage analysis: heights, sea and cell areas.
pub struct DrainageGround<'a> {
    /// Heights as fractions of the relief. Void samples are set below the sea, so that they are no land.
    height: Cow<'a, [f32]>,
    /// The border of the land beside voids, where water leaves the terrain.
    land_border: Option<LandBorder>,
    mesh: FlowMesh,
    /// Height of the sea as a fraction of the relief.
    sea: f32,
    /// Area of the land. `cells` is the area of all samples with data. Both are multiples of the mean cell area.
    land_cells: f64,
    cells: f64,
    /// Area of a mean cell in km². `cell_km` is the side length of this cell in km.
    cell_km2: f64,
    cell_km: f64,
    /// Whether the terrain has land that is not level.
    pub has_relief: bool,
}

impl<'a> DrainageGround<'a> {
    /// The input of the drainage analysis for a square terrain.
    pub fn of_square(ground: &'a DistinctSamples) -> Self {
        Self {
            height: ground.with_void_at(ground.sea.min(ground.all.low) - 1.0e-3),
            land_border: LandBorder::new(ground.terrain).filter(|_| !ground.present.is_empty()),
            mesh: FlowMesh::new(ground.terrain.grid),
            sea: ground.sea,
            land_cells: ground.land.map_or(0.0, |land| land.cells as f64),
            cells: ground.cells.len() as f64,
            cell_km2: ground.cell_km2(),
            cell_km: ground.cell_metres() * 1.0e-3,
            has_relief: ground.land.is_some_and(|land| !land.is_level()),
        }
    }

    /// The input of the drainage analysis for a globe.
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
        let (height, land_border) = (Cow::Borrowed(height), None);
        Self { height, land_border, mesh, sea, land_cells, cells, cell_km2, cell_km, has_relief }
    }

    /// The grid of the cells.
    pub fn grid(&self) -> Grid {
        self.mesh.grid()
    }

    /// Drainage area at which a channel begins, in km²: the value in `limits`, or the default if that value is 0.
    pub fn source_km2(&self, limits: &Limits) -> f64 {
        let asked = f64::from(limits.source_area);
        if asked > 0.0 { asked } else { DEFAULT_SHARE * self.cell_km2 * self.cells }
    }
}

/// The drainage network: the receiver and the stream order of every cell.
pub struct DrainageNetwork {
    receivers: Vec<u32>,
    /// Strahler order of each cell; 0 outside channels.
    pub orders: Vec<u8>,
    /// Area of the land that drains without filling a depression. `largest` is the area of the largest basin. Both are
    /// multiples of the mean cell area.
    drained: f64,
    largest: f64,
}

impl DrainageNetwork {
    /// The network of `ground` with channels that begin where the drainage area reaches `source_km2`.
    pub fn new(ground: &DrainageGround, source_km2: f64, control: &Control) -> Result<Self, Cancelled> {
        match ground.mesh.owned_areas() {
            None => Self::gathered(ground, |_| 1u32, source_km2, control),
            Some(areas) => Self::gathered(ground, |k| f64::from(areas[k]), source_km2, control),
        }
    }

    /// Computes the network. Cell areas are summed in the type `A`, which must be exact enough for the number of cells.
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
        let outlets = Outlets::new(mesh.grid(), height, sea).with_land_border(ground.land_border.clone());
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
            // The loop visits every cell after its donors, so the drainage area of the cell is complete here.
            if area[here].into() >= least {
                channels.push(k);
            }
            // The sea receives water from the land and passes none on.
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

/// Measures of the drainage; `None` if there is no land, or if the land is level.
pub fn drainage(ground: &DrainageGround, limits: &Limits, control: &Control) -> Result<Option<Drainage>, Cancelled> {
    if !ground.has_relief {
        return Ok(None);
    }
    let source_km2 = ground.source_km2(limits);
    let network = DrainageNetwork::new(ground, source_km2, control)?;
    let DrainageNetwork { receivers, orders, .. } = &network;
    // `counts` holds two numbers per stream order: the number of cells, and the number of steps to a cell of the same
    // order. `lengths` holds the total length of the orthogonal steps as a multiple of the cell size, and the number of
    // diagonal steps.
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
        // The number of streams is the number of cells where a stream begins. Every other cell of a stream has exactly
        // one donor of the same order.
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
