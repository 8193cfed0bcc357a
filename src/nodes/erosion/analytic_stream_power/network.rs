//! The drainage network of a landscape at an age, and its steady-state heights.
//!
//! The network is found by fixed-point iteration. A round computes the flow directions ([`DInfinity`] on the filled
//! surface), then the drainage areas, then the response times and the steady-state heights from the outlets upstream.
//! At the age of the network, a cell keeps part of its initial height if its response time is longer than that age. On
//! the coarsest grid the iteration starts with the initial terrain and a little noise, so that water on level terrain
//! does not follow the rows. Each finer grid starts with the initial terrain, sampled on that grid, plus the
//! interpolated change of the coarser grid. Flow directions of a coarse grid follow its rows and diagonals, so the
//! change is [bent](valley_displacement) when it is interpolated.

use std::sync::Arc;

use rayon::prelude::*;

use super::AnalyticStreamPower;
use super::characteristics::Characteristics;
use crate::Context;
use crate::MultiScale;
use crate::erosion::rock::Rock;
use crate::erosion::stream_power::uplift::Uplift;
use crate::multiscale::valley_displacement;
use talweg_ground::field::{Cancelled, Grid, MapKind, Terrain, resample, resample_displaced};
use talweg_ground::hydrology::{DInfinity, DrainedArea, FlowGraph, FlowMesh, FlowRouting, Outlets};

/// Number of fixed-point rounds on the coarsest grid.
const ROUNDS: u32 = 40;
/// Number of rounds on a grid, as a fraction of the rounds on the next coarser grid.
const FEWER: f64 = 0.6;
/// Minimum number of rounds on a grid.
const LEAST_ROUNDS: u32 = 3;
/// Amplitude of the noise on the initial terrain, as a fraction of the relief.
const NOISE: f32 = 1.0e-4;
/// Fraction of the initial terrain that remains at any age while the search determines flow directions. Without uplift
/// all terrain erodes to its base level in the end; its streams still flow as on the initial terrain.
const REMAINDER: f32 = 1.0e-3;
/// Steepest slope of rock that does not erode, as rise over run.
const STEEPEST: f64 = 500.0;
/// Maximum response time of a cell, in years.
const LONGEST: f64 = 1.0e12;
/// Salt that makes the random values of this noise independent of other random streams.
const NOISE_SALT: u64 = 0x0153;

/// The drainage network, and the data that depend only on the network and not on the age of the terrain.
pub struct SteadyNetwork {
    mesh: FlowMesh,
    /// Distribution of the uplift over the terrain.
    pub uplift: Uplift,
    /// Drainage area of each cell, in cells, weighted by the rain.
    pub area: Arc<Vec<f32>>,
    /// Heights at which erosion equals uplift, as fractions of the relief.
    pub steady: Vec<f32>,
    /// The initial terrain with the water of its depressions, so that streams never rise downstream.
    pub filled_base: Vec<f32>,
    /// The streams, with the response times along them.
    pub characteristics: Characteristics,
}

/// The terrain of a grid before the mountains rise, and data derived from it.
struct InitialTerrain {
    height: Vec<f32>,
    outlets: Outlets,
    rain: Option<Vec<f32>>,
    rock: Rock,
    uplift: Uplift,
    mesh: FlowMesh,
    wear: WearRates,
}

/// The parameters of the stream power equation for cells of one size.
struct WearRates {
    /// Erosion rate in m/year of a stream that drains one cell, on a slope of 1.
    strength: f64,
    /// Source area in cells.
    source: f64,
    m: f64,
    cell_metres: f64,
    /// Greatest uplift in m/year.
    uplift: f64,
    /// Steepest stable slope of the softest rock, as rise over run.
    talus: f64,
    relief: f64,
}

/// Response time and rise of the terrain from a cell's receiver up to the cell, for a distance of one cell.
struct ResponseAndRise {
    /// Years that a change of the base level takes to travel this distance.
    years: f64,
    /// Rise at which erosion and uplift are in balance, as a fraction of the relief.
    rise: f64,
}

impl WearRates {
    fn new(law: &AnalyticStreamPower, cx: &Context, cell_metres: f64) -> Self {
        let (m, cell_area) = (f64::from(law.area_exponent), cell_metres * cell_metres);
        let talus = if law.talus_angle < 89.9 { libm::tan(f64::from(law.talus_angle).to_radians()) } else { STEEPEST };
        Self {
            strength: f64::from(law.erodibility) * 1.0e-3 * libm::pow(cell_area / 1.0e6, m),
            source: f64::from(law.source_area) / cell_area,
            m,
            cell_metres,
            uplift: f64::from(law.uplift_rate) * 1.0e-3,
            talus,
            relief: f64::from(cx.relief_metres),
        }
    }

    /// Response time and rise of a cell with this drainage area, erodibility and fraction of the greatest uplift.
    #[inline]
    fn reach(&self, area: f32, erodibility: f32, share: f32) -> ResponseAndRise {
        let (wet, soft, up) = (f64::from(area) + self.source, f64::from(erodibility), self.uplift * f64::from(share));
        let strength = self.strength * soft * if self.m == 0.5 { wet.sqrt() } else { libm::pow(wet, self.m) };
        let by_streams = self.cell_metres / strength;
        // harder rock is stable at steeper slopes
        let stands = (self.talus / soft).min(STEEPEST);
        let by_slides = stands * self.cell_metres / up;
        let years = by_streams.min(by_slides).min(LONGEST);
        ResponseAndRise { years, rise: (up * years).min(STEEPEST * self.cell_metres) / self.relief }
    }
}

impl InitialTerrain {
    fn new(law: &AnalyticStreamPower, cx: &Context, base: &Terrain) -> Result<Self, Cancelled> {
        let (from, grid) = (base.grid, cx.grid);
        let sampled = |field: &Vec<f32>| match from == grid {
            true => Ok(field.clone()),
            false => resample(from, grid, field, cx.control),
        };
        let mut terrain = Terrain::flat(grid);
        terrain.height = sampled(&base.height)?;
        for kind in [MapKind::Hardness, MapKind::Uplift, MapKind::Ground] {
            if let Some(map) = base.map(kind) {
                terrain.set_map(kind, Some(Arc::new(sampled(map)?)));
            }
        }
        let mesh = FlowMesh::new(grid);
        let cell = f64::from(mesh.cell_metres(cx.size_metres));
        Ok(Self {
            rain: base.map(MapKind::Rain).map(|map| sampled(map)).transpose()?,
            rock: Rock::new(&terrain, law.hardness),
            uplift: Uplift::new(cx, law.uplift_shape, law.uplift_variation, terrain.map(MapKind::Uplift))?,
            wear: WearRates::new(law, cx, cell),
            outlets: cx.outlets(&terrain, &terrain.height, law.sea_level / cx.relief_metres),
            height: terrain.height,
            mesh,
        })
    }
}

impl SteadyNetwork {
    /// Finds the drainage network of mountains that rise from the terrain `base`.
    ///
    /// # Errors
    /// Fails if the run is cancelled.
    pub fn find(law: &AnalyticStreamPower, cx: &Context, base: &Terrain) -> Result<Self, Cancelled> {
        let scales = MultiScale { largest: law.network_scale, fine_weight: 1.0 };
        let levels = scales.levels(law.iterations, base.grid.samples);
        // final heights of the coarser grid minus its initial terrain
        let mut change: Option<(Grid, Vec<f32>)> = None;
        let mut rounds = f64::from(ROUNDS);
        let (mut graph, mut flow, mut area) = (FlowGraph::default(), DInfinity::default(), Vec::new());
        let finest = levels.len() - 1;
        for (number, level) in levels.iter().enumerate() {
            let cx = &Context { grid: base.grid.with_samples(level.samples), ..*cx };
            let ground = InitialTerrain::new(law, cx, base)?;
            let outlets = &ground.outlets;
            let mut surface = match &change {
                None => {
                    let random = cx.random.fork(NOISE_SALT);
                    let noise = |(k, h): (usize, &f32)| h + NOISE * random.unit(k as i32, 0);
                    ground.height.iter().enumerate().map(noise).collect()
                }
                Some((coarse, change)) => {
                    let mut surface = resample_displaced(&valley_displacement(cx, *coarse)?, change, cx.control)?;
                    surface.par_iter_mut().zip(&ground.height).for_each(|(surface, h)| *surface += h);
                    surface
                }
            };
            let (mut steady, mut response) = (Vec::new(), Vec::new());
            for round in 0..(rounds.round() as u32).max(LEAST_ROUNDS) {
                if round > 0 {
                    ground.at_age(law, &response, &steady, &mut surface);
                }
                ground.keep_above_sea(outlets, &mut surface);
                graph.route(&ground.mesh, &surface, outlets, FlowRouting::D8, cx.control)?;
                flow.route(&ground.mesh, &graph.surface, outlets, &graph.receivers, cx.control)?;
                ground.gather(cx, &flow, outlets, &mut area, [&mut response, &mut steady])?;
            }
            cx.grid.close(&mut steady);
            if number < finest {
                ground.at_age(law, &response, &steady, &mut surface);
                surface.par_iter_mut().zip(&ground.height).for_each(|(surface, h)| *surface -= h);
                change = Some((cx.grid, surface));
                rounds *= FEWER;
                continue;
            }
            let streams = (0..cx.grid.len()).map(|k| flow.steeper_receiver(k)).collect();
            drop((flow, graph, surface));
            cx.grid.close(&mut area);
            cx.grid.close(&mut response);
            let years = |k: usize, to: usize| match k == to {
                true => 0.0,
                false => ground.reach(k, area[k]).years as f32 * ground.mesh.distance(k, to),
            };
            let characteristics = Characteristics::new(streams, &area, response, years, cx.control)?;
            let mut filled_base = base.height.clone();
            // Streams end at the sea level, not at the sea floor.
            filled_base.par_iter_mut().for_each(|h| *h = outlets.above_sea(*h));
            characteristics.fill(|_| f32::INFINITY, &mut filled_base, cx.control)?;
            return Ok(Self {
                uplift: ground.uplift,
                mesh: ground.mesh,
                filled_base,
                area: Arc::new(area),
                steady,
                characteristics,
            });
        }
        unreachable!("the finest grid is the last one")
    }

    /// The cells of the network, with their neighbours and areas.
    pub fn mesh(&self) -> &FlowMesh {
        &self.mesh
    }
}

impl InitialTerrain {
    /// Writes an approximation of the terrain at the age of the network to `surface`, from the response times in years
    /// and the steady-state heights. The approximation is exact if the initial terrain is level and the uplift uniform:
    /// the difference from the steady state then decreases linearly along each stream.
    fn at_age(&self, law: &AnalyticStreamPower, response: &[f32], steady: &[f32], surface: &mut [f32]) {
        let age = law.network_age * 1.0e6;
        surface.par_iter_mut().enumerate().for_each(|(k, surface)| {
            let remaining = 1.0 - age / response[k];
            let remaining = if remaining > REMAINDER { remaining } else { REMAINDER };
            *surface = self.height[k] * remaining + steady[k] * (1.0 - remaining);
        });
    }

    /// Response time and rise over cell `k`, which drains `area`.
    #[inline]
    fn reach(&self, k: usize, area: f32) -> ResponseAndRise {
        self.wear.reach(area, self.rock.erodibility(k), self.uplift.relative_uplift(k))
    }

    /// Raises all cells except outlets to heights above the sea.
    fn keep_above_sea(&self, outlets: &Outlets, surface: &mut [f32]) {
        surface.par_iter_mut().enumerate().for_each(|(k, surface)| {
            let h = self.height[k];
            *surface = if outlets.contain(k, h) { h } else { outlets.above_sea(*surface) };
        });
    }

    /// Computes the drainage areas along `flow`, and then the response times in years and the steady-state heights from
    /// the outlets upstream.
    fn gather(
        &self,
        cx: &Context,
        flow: &DInfinity,
        outlets: &Outlets,
        area: &mut Vec<f32>,
        [response, steady]: [&mut Vec<f32>; 2],
    ) -> Result<(), Cancelled> {
        let mut drained = Vec::new();
        self.mesh.write_rained_areas(self.rain.as_deref(), &mut drained);
        let order = flow.accumulate(&flow.fraction, &mut drained, cx.control)?;
        *area = DrainedArea::into_cells(drained);
        // First compute the time and the rise over one cell, which do not depend on the order of the cells.
        response.resize(area.len(), 0.0);
        steady.resize(area.len(), 0.0);
        let (area, n) = (&*area, cx.grid.samples);
        let rows = response.par_chunks_mut(n).zip(steady.par_chunks_mut(n)).enumerate();
        rows.try_for_each(|(row, (years, rises))| {
            cx.control.check()?;
            for (k, (years, rise)) in (row * n..).zip(years.iter_mut().zip(rises)) {
                let reach = self.reach(k, area[k]);
                (*years, *rise) = (reach.years as f32, reach.rise as f32);
            }
            Ok(())
        })?;
        let sum_upstream = |over_a_cell: &mut [f32], at_outlet: &(dyn Fn(usize) -> f32 + Sync)| {
            order.traverse_upstream(&flow.receivers, over_a_cell, cx.control, |k, step, [one, two]| {
                if flow.receivers.is_end(k) {
                    return at_outlet(k);
                }
                let fraction = flow.fraction[k];
                let on_square = || (1.0 + fraction * fraction).sqrt();
                let distance = flow.distance.get(k).copied().unwrap_or_else(on_square);
                one + (two - one) * fraction + step * distance
            })
        };
        sum_upstream(response, &|_| 0.0)?;
        sum_upstream(steady, &|k| outlets.above_sea(self.height[k]))
    }
}
