//! Hydraulic erosion, reference form: rain dissolves the ground, runs downhill and deposits the sediment where it
//! dries.
//!
//! Law, for every cell at once, with the height h, the water w, the sediment m in the water and the level a = h + w:
//! 1. rain: w += K_r · rain map;
//! 2. dissolving: h -= K_s·s·w, m += K_s·s·w, with s the erodibility of the rock;
//! 3. flow towards level: d_n = a - a_n for the lower neighbours, Δa = a - mean of a over the cell and these neighbours
//!    = Σ d_n / (1 + their number), Δw = min(w, Δa); each of these neighbours gets Δw_n = Δw · d_n / Σ d_n and, with
//!    this water, the sediment Δm_n = m · Δw_n / w;
//! 4. evaporation: w *= 1 - K_e; sediment in excess of K_c·w is deposited.
//!
//! Symbols: K_r `rain`, K_s `solubility`, K_c `sediment_capacity`, K_e `evaporation`; the papers use 0.01, 0.01, 0.01
//! and 0.5 in this order. Water is a depth, so rain is a fraction of the relief per iteration.
//! Maps: Film (the water) and Sediment are depths, and continue from the maps of the layers below. In every iteration
//! the water that left a cell is added to the map Flow. The unit of Flow is the rain of one iteration on one cell. Wear
//! and deposits record the net change of each iteration. The water is not part of the Water map, because it covers
//! every slope and images would show a flooded country.
//! The end: after the last iteration, the remaining water stays in place and holds its sediment, at most K_c·w; with
//! the papers' constants that is a ten-thousandth of the relief. This sediment is in the Sediment map and counts as
//! carried in the mass balance. A run does not know which iteration is the last, so this sediment never settles
//! automatically. Another layer of this erosion with rain 0 lets it settle.
//!
//! On a globe the water and sediment that pass between two cells are volumes and spread over the area of the receiving
//! cell. The equations contain no distances, so water moves one cell per iteration. On a globe the distance between
//! cells is up to a tenth above or below its mean.
//!
//! Scheme: `gather`: old maps are read, new maps are written. Amounts too small for `f32` heights stay in the sediment
//! (`lay_down`), so that height plus sediment is conserved over any number of iterations.
//! From coarse to fine: water, sediment and heights are passed to the finer grid; depths and angles are the same on
//! every grid.
//! Boundary: nothing leaves an open edge; a wrapping terrain continues on the other side.
//! Stability: a cell gives no more water than it has, so water is never negative. All neighbours level at once, so deep
//! water sloshes; evaporation damps this oscillation.
//! Anisotropy: a cone of slope 2.4 keeps a slope of 2.39 along 0°, 22.5° and 45° alike, within 0.1 %
//! (tests/core/nodes/erosion/classic.rs). On the terrain of Le Martelot's figure 17 (257² samples, the constants of the
//! paper, 100 iterations) the mean slope falls by 35 % and the erosion score rises from 0.559 to 0.622
//! (tests/core/nodes/documents.rs). The notes of the [fast form](super::hydraulic_fast) have a table for more
//! iterations.
//! Source: Olsen 2004; Le Martelot 2005, §3.3.2.

use super::buffers::{self, NextState, WorkingMemory};
use super::gather::{self, Fields, GatherLaw, Settling};
use super::run::ErosionRun;
use super::suspended_sediment::{CellWeather, WRITTEN, lay_down, runaway_note};
use super::thermal::Neighbours;
use crate::multiscale::{LargestScale, multiscale_params};
use crate::{Context, FinerGrids, MassBalance, MultiScale, NodeMemory, NodeParts, OnPlanet, Process, Run, Traits};
use talweg_ground::field::metric::{GridMetric, RowMetric};
use talweg_ground::field::topology::{
    EAST, NORTH, NORTH_EAST, NORTH_WEST, SOUTH, SOUTH_EAST, SOUTH_WEST, WEST, around_row,
};
use talweg_ground::field::{Cancelled, MapKind, Terrain};

talweg_ground::params! {
    /// Lets rain loosen the ground, run downhill and deposit the sediment where the water dries. Hollows fill, valley
    /// floors level and the slopes above them steepen.
    Hydraulic "Hydraulic erosion, classic" in "Erosion", from "Olsen 2004; Le Martelot 2005, §3.3.2", also "rain water sediment dissolve gully rill wash alluvial" {
        /// Number of iterations, counted at the scene's resolution. More iterations carry the sediment farther.
        iterations: u32 = 60, 0..=10_000, slider 1..=500;
        multiscale_params!();
        /// Water that falls in one iteration, as a fraction of the relief. A rain map of the layers below multiplies
        /// it. More rain fills hollows and runs farther.
        rain: f32 ["share"] = 0.01, 0.0..=1.0, slider 0.0..=0.05;
        /// Depth of ground that water dissolves in one iteration, as a fraction of the water depth. Higher values erode
        /// faster.
        solubility: f32 ["share"] = 0.05, 0.0..=1.0, slider 0.0..=0.2;
        /// Sediment that water can hold, as a fraction of the water depth. Water deposits sediment above this limit at
        /// once.
        sediment_capacity: f32 ["share"] = 0.05, 0.0..=1.0, slider 0.0..=0.2;
        /// Fraction of the water that evaporates in one iteration. Lower values let the water run farther.
        evaporation: f32 ["share"] = 0.5, 0.0..=1.0, slider 0.05..=1.0;
        /// Neighbouring cells to which water can flow.
        neighbours: Neighbours = Neighbours::Moore;
        /// Hardness of the rock everywhere, from 0 for loose ground to 1 for rock that never erodes. If a layer below
        /// made a hardness map, the higher hardness counts in each place.
        hardness: f32 ["share"] = 0.0, 0.0..=1.0 => |rain| rain.solubility > 0.0;
        presets {
            Light "Light": "Levels the valley floors." { iterations = 20 }
            Natural "Natural": "Washed slopes above filled hollows." {}
            Strong "Strong": "Broad silt floors between eroded flanks." { iterations = 100, solubility = 0.08, sediment_capacity = 0.08 }
            Document "As published": "The constants of Le Martelot 2005: slow and gentle." { iterations = 100, solubility = 0.01, sediment_capacity = 0.01 }
            AllScales "All scales": "Fills large hollows first, then small ones; takes seconds at any resolution." { largest_scale = LargestScale::Samples129 }
        }
    }
}

impl Process for Hydraulic {
    fn traits(&self) -> Traits {
        Traits {
            writes: &WRITTEN,
            on_planet: Some(OnPlanet { version: 1, more_fields: 9.9, ..OnPlanet::DEFAULT }),
            memory: NodeMemory::constant(6.0),
            finer_grids: FinerGrids { carries_sediment_on: true, ..FinerGrids::DEFAULT },
            ..Traits::PROCESS
        }
    }

    fn parts(&self) -> NodeParts<'_> {
        NodeParts::iterations(2)
    }

    fn iterations(&self) -> u32 {
        self.iterations
    }

    fn runaway_note(&self) -> Option<String> {
        runaway_note(self.iterations, self.rain, self.evaporation, self.sediment_capacity)
    }

    fn multiscale(&self) -> MultiScale {
        MultiScale { largest: self.largest_scale, fine_weight: self.fine_weight }
    }

    fn start_run(&self, _cx: &Context, mut terrain: Terrain) -> Box<dyn Run> {
        buffers::prepare(&mut terrain, &WRITTEN);
        let carried = terrain.grid.sum(terrain.map(MapKind::Sediment).expect("made above"));
        Box::new(HydraulicRun {
            weather: CellWeather::new(&terrain, self.rain, self.solubility, self.hardness),
            capacity: self.sediment_capacity,
            left: 1.0 - self.evaporation,
            neighbours: self.neighbours,
            metric: GridMetric::new(terrain.grid),
            terrain,
            next: WorkingMemory::default(),
            fields: WorkingMemory::default(),
            mass_balance: MassBalance { carried, ..MassBalance::default() },
            carried_before: carried,
        })
    }
}

#[derive(Clone)]
struct HydraulicRun {
    weather: CellWeather,
    capacity: f32,
    /// Fraction of the water that remains after evaporation.
    left: f32,
    neighbours: Neighbours,
    metric: GridMetric,
    terrain: Terrain,
    next: WorkingMemory<NextState<5>>,
    fields: WorkingMemory<Fields<3, 2>>,
    /// Mass balance of the run. `carried` counts all sediment in the water, including sediment of other layers.
    mass_balance: MassBalance,
    carried_before: f64,
}

impl ErosionRun for HydraulicRun {
    fn advance(&mut self, cx: &Context) -> Result<(), Cancelled> {
        self.next.fit(&self.terrain);
        let NextState { height, maps: [wear, deposits, water, sediment, flow], accounts } = &mut *self.next;
        let old = WRITTEN.map(|kind| self.terrain.map(kind).expect("made at the start").as_slice());
        let [old_wear, old_deposits, old_water, old_sediment, old_flow] = old;
        let law = HydraulicLaw {
            terrain: &self.terrain,
            water: old_water,
            sediment: old_sediment,
            flow: old_flow,
            weather: &self.weather,
            capacity: self.capacity,
            left: self.left,
            neighbours: self.neighbours,
        };
        let step = gather::GatherStep {
            out: [height, water, sediment, flow],
            carried: Some(2),
            wear,
            deposits,
            accounts,
            old_height: &self.terrain.height,
            old_balance: [old_wear, old_deposits],
        };
        gather::step(cx, &self.metric, &law, &mut self.fields, step)?;
        // from this line on the step cannot fail
        self.next.replace_terrain(&mut self.terrain, WRITTEN, &mut self.mass_balance);
        Ok(())
    }

    fn state(&self) -> (&Terrain, MassBalance) {
        let mass_balance =
            MassBalance { carried: self.mass_balance.carried - self.carried_before, ..self.mass_balance };
        (&self.terrain, mass_balance)
    }

    fn into_resumable_state(self) -> Terrain {
        self.terrain
    }
}

/// The equations of one step. A cell's level is the altitude of the water surface after rain and dissolving. Its own
/// values are the depth of the water, the sediment in the water, and the part of this sediment dissolved in this step.
/// A cell gives water and sediment.
struct HydraulicLaw<'a> {
    terrain: &'a Terrain,
    water: &'a [f32],
    sediment: &'a [f32],
    flow: &'a [f32],
    weather: &'a CellWeather,
    capacity: f32,
    left: f32,
    neighbours: Neighbours,
}

impl GatherLaw<3, 2, 4> for HydraulicLaw<'_> {
    fn load(&self, row: usize, level: &mut [f32], [water, sediment, dissolved]: [&mut [f32]; 3]) {
        let grid = self.terrain.grid;
        // the rows `water` and `dissolved` first hold rain and solubility, which `rain_on_row` then replaces
        self.weather.row(grid, row, water, dissolved);
        let old = [&self.terrain.height[..], self.water, self.sediment].map(|field| grid.row(field, row));
        rain_on_row(old, level, water, sediment, dissolved);
    }

    fn give<M: RowMetric>(
        &self,
        metric: M,
        levels: [&[f32]; 3],
        [water, sediment, _]: [&[f32]; 3],
        lost: [&mut [f32]; 2],
        shares: [&mut [f32]; 2],
    ) {
        let ([lost, sediment_lost], [share, sediment_share]) = (lost, shares);
        let give = match self.neighbours {
            Neighbours::Moore => give_row::<M, true, true>,
            Neighbours::VonNeumann => give_row::<M, true, false>,
            Neighbours::Rotated => give_row::<M, false, true>,
        };
        give(metric, levels, water, sediment, lost, sediment_lost, share, sediment_share);
    }

    fn update_row<M: RowMetric>(&self, row: usize, metric: M, cells: Settling<'_, 3, 2>, out: [&mut [f32]; 4]) {
        let [height, water, sediment, flow] = out;
        let settle = match self.neighbours {
            Neighbours::Moore => settle_row::<M, true, true>,
            Neighbours::VonNeumann => settle_row::<M, true, false>,
            Neighbours::Rotated => settle_row::<M, false, true>,
        };
        let grid = self.terrain.grid;
        let old = [&self.terrain.height[..], self.sediment, self.flow].map(|field| grid.row(field, row));
        settle(self, metric, cells, old, height, water, sediment, flow);
    }
}

/// Adds rain to a row and dissolves ground. On entry `water` holds the rain and `dissolved` the solubility. The code is
/// a function of its own, as are the next two, to tell the compiler that the slices they write do not overlap.
#[multiversion::multiversion(targets("x86_64+avx2"))]
#[inline(never)]
fn rain_on_row(
    [heights, waters, sediments]: [&[f32]; 3],
    level: &mut [f32],
    water: &mut [f32],
    sediment: &mut [f32],
    dissolved: &mut [f32],
) {
    let n = level.len();
    let (heights, waters, sediments) = (&heights[..n], &waters[..n], &sediments[..n]);
    let (water, sediment, dissolved) = (&mut water[..n], &mut sediment[..n], &mut dissolved[..n]);
    for j in 0..n {
        water[j] += waters[j];
        dissolved[j] *= water[j];
        sediment[j] = sediments[j] + dissolved[j];
        level[j] = (heights[j] - dissolved[j]) + water[j];
    }
}

/// Computes the water and sediment that the cells of a row give to their neighbours.
#[multiversion::multiversion(targets("x86_64+avx2"))]
#[inline(never)]
#[allow(clippy::too_many_arguments, reason = "each is a row")]
fn give_row<M: RowMetric, const STRAIGHT_ONES: bool, const DIAGONAL_ONES: bool>(
    metric: M,
    levels: [&[f32]; 3],
    water: &[f32],
    sediment: &[f32],
    water_lost: &mut [f32],
    sediment_lost: &mut [f32],
    water_share: &mut [f32],
    sediment_share: &mut [f32],
) {
    let n = water_lost.len();
    let (around, here, metric) = (around_row(levels).map(|row| &row[..n]), &levels[1][1..][..n], metric.limited_to(n));
    let (water, sediment) = (&water[..n], &sediment[..n]);
    let (sediment_lost, water_share, sediment_share) =
        (&mut sediment_lost[..n], &mut water_share[..n], &mut sediment_share[..n]);
    for j in 0..n {
        let a = here[j];
        let (mut sum, mut count) = (0.0f32, 1.0f32);
        let mut look = |direction: usize| {
            let d = a - around[direction][j];
            sum += if d > 0.0 { d } else { 0.0 };
            count += if d > 0.0 { 1.0 } else { 0.0 };
        };
        if STRAIGHT_ONES {
            look(NORTH);
            look(WEST);
            look(EAST);
            look(SOUTH);
        }
        if DIAGONAL_ONES {
            look(NORTH_WEST);
            look(NORTH_EAST);
            look(SOUTH_WEST);
            look(SOUTH_EAST);
        }
        let levelling = sum / count;
        let moved = if water[j] < levelling { water[j] } else { levelling };
        let share = if sum > 0.0 { moved * metric.area(j) / sum } else { 0.0 };
        let content = if water[j] > 0.0 { sediment[j] / water[j] } else { 0.0 };
        water_lost[j] = moved;
        sediment_lost[j] = content * moved;
        water_share[j] = share;
        sediment_share[j] = content * share;
    }
}

/// Writes the new maps of a row from the water and sediment that its cells keep and receive.
#[multiversion::multiversion(targets("x86_64+avx2"))]
#[inline(never)]
#[allow(clippy::too_many_arguments, reason = "each is a row")]
fn settle_row<M: RowMetric, const STRAIGHT_ONES: bool, const DIAGONAL_ONES: bool>(
    law: &HydraulicLaw,
    metric: M,
    cells: Settling<'_, 3, 2>,
    [heights, sediments, flows]: [&[f32]; 3],
    height: &mut [f32],
    water_left: &mut [f32],
    sediment: &mut [f32],
    flow: &mut [f32],
) {
    let n = height.len();
    let (around, here) = (around_row(cells.levels).map(|row| &row[..n]), &cells.levels[1][1..][..n]);
    let [water_shares, sediment_shares] = cells.shares.map(|rows| around_row(rows).map(|row| &row[..n]));
    let [water_lost, sediment_lost] = cells.lost.map(|row| &row[..n]);
    let [own_water, own_sediment, dissolved] = cells.own.map(|row| &row[..n]);
    let (heights, sediments, flows, metric) = (&heights[..n], &sediments[..n], &flows[..n], metric.limited_to(n));
    let (water_left, sediment, flow) = (&mut water_left[..n], &mut sediment[..n], &mut flow[..n]);
    let (capacity, left, unit) = (law.capacity, law.left, 1.0 / law.weather.unit_of_flow());
    for j in 0..n {
        let (a, area) = (here[j], metric.area(j));
        let (mut water_in, mut sediment_in) = (0.0f32, 0.0f32);
        let mut take = |direction: usize| {
            let d = around[direction][j] - a;
            // the positive part is selected before the multiplication, so that the loop has no branch
            let d = if d > 0.0 { d } else { 0.0 };
            water_in += water_shares[direction][j] * d;
            sediment_in += sediment_shares[direction][j] * d;
        };
        if STRAIGHT_ONES {
            take(NORTH);
            take(WEST);
            take(EAST);
            take(SOUTH);
        }
        if DIAGONAL_ONES {
            take(NORTH_WEST);
            take(NORTH_EAST);
            take(SOUTH_WEST);
            take(SOUTH_EAST);
        }
        let w = ((own_water[j] - water_lost[j]) + water_in / area) * left;
        let m = (own_sediment[j] - sediment_lost[j]) + sediment_in / area;
        let most = capacity * w;
        let kept = if m < most { m } else { most };
        // dissolving and depositing the same amount rounds the sediment; where nothing flows, the rounding errors would
        // have the same sign in every cell and iteration and would accumulate
        let still = (sediment_lost[j] == 0.0) & (sediment_in == 0.0);
        let material = if still { sediments[j] } else { m - dissolved[j] };
        (height[j], sediment[j]) = lay_down(heights[j], material, kept);
        water_left[j] = w;
        flow[j] = flows[j] + water_lost[j] * unit;
    }
}
