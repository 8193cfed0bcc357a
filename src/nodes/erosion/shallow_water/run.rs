//! A run of shallow-water erosion: its state, its mass balance, and the terrain that it returns.

use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::ShallowWater;
use super::law::ShallowWaterLaw;
use super::state::{
    BandState, DoubleBufferedState, FIELDS, FLUX, FlowState, GROUND, InPlaceState, SEDIMENT, StateRows, WATER,
};
use super::supply::Supply;
use super::sweep::{Rim, RollingRows};
use crate::erosion::buffers::balance;
use crate::erosion::rock::Rock;
use crate::{Context, MassBalance, Run};
use talweg_ground::field::{Cancelled, Edges, Grid, MapKind, Terrain};

/// Number of cells in a band. The three rows on each side of a band are computed twice, so bands must not be too small.
const BAND_CELLS: usize = 64 * 1024;
const BAND_ROWS: usize = 32;
/// Maximum number of rows in a band that is written in place. The rows on both sides of the band are copied first.
const WIDEST_BAND: usize = 512;
/// Lower limit of the unit of the flow map, as a fraction of the relief. It applies if there is no rain and no spring.
const LEAST_SUPPLY: f32 = 1e-6;

/// A run of hydraulic erosion by shallow water on one terrain.
pub struct ShallowWaterRun {
    law: ShallowWaterLaw,
    rock: Rock,
    supply: Supply,
    /// The terrain at the start. Its heights are dropped if no record needs them.
    before: Arc<Terrain>,
    sediment_before: f64,
    state: FlowState,
    /// Output of a step, which replaces the state once the step is complete. `None` until the first step.
    next: Option<FlowState>,
    /// Water and sediment that have left over the edges since the start.
    left: Rim,
    /// Voids beside land, at which the land ends.
    shores: Arc<Vec<VoidShore>>,
    /// Records that no node or export reads, so that the run does not compute them.
    unread: Vec<MapKind>,
    /// The terrain of the current state, computed when it is first read.
    shown: OnceLock<Terrain>,
}

/// A void sample beside land. During a step its ground is as low as the lowest land around it. After the step, its
/// water and sediment have left.
struct VoidShore {
    cell: usize,
    /// The land around the sample.
    land: Vec<usize>,
    /// Height of the sample between two steps.
    height: f32,
}

impl VoidShore {
    /// All void samples of `terrain` beside land, at which the land ends.
    fn find(cx: &Context, terrain: &Terrain, ground: &[f32]) -> Vec<Self> {
        let of_sample = |k: u32| {
            let cell = k as usize;
            let around = terrain.grid.neighbours(cell).into_iter().flatten();
            let land: Vec<usize> = around.filter(|&there| terrain.has_ground(there)).collect();
            (!land.is_empty()).then(|| Self { cell, land, height: ground[cell] })
        };
        cx.land_ends(terrain).into_iter().filter_map(of_sample).collect()
    }

    /// Lowest ground of the land around the sample.
    fn lowest_land(&self, ground: &[f32]) -> f32 {
        self.land.iter().fold(f32::INFINITY, |low, &k| if ground[k] < low { ground[k] } else { low })
    }
}

impl ShallowWaterRun {
    pub fn new(of: &ShallowWater, cx: &Context, mut terrain: Terrain) -> Self {
        terrain.close_seam();
        let grid = terrain.grid;
        let (law, supply) = (ShallowWaterLaw::new(of, cx), Supply::new(of, cx, &terrain));
        let mut state = FlowState::new(grid.samples);
        let goes_on = terrain.process_state.len() == STATE_FIELDS;
        for (field, kind) in [(WATER, MapKind::Water), (SEDIMENT, MapKind::Sediment)] {
            // from this line on the state holds these maps
            let Some(map) = terrain.set_map(kind, None) else { continue };
            let field = &mut state.fields[field];
            let taken = |there: f32| if goes_on || there > 0.0 { there } else { 0.0 };
            field.iter_mut().zip(&*map).for_each(|(cell, &there)| *cell = taken(there));
            if grid.edges == Edges::Wrap {
                grid.close(field);
            }
        }
        if goes_on {
            let mut fields = std::mem::take(&mut terrain.process_state).into_iter();
            let before = fields.next().expect("one was counted");
            state.fields[GROUND] = std::mem::replace(&mut terrain.height, before);
            state.fields[FLUX..].iter_mut().zip(fields).for_each(|(flux, made)| *flux = made);
        } else {
            state.fields[GROUND].copy_from_slice(&terrain.height);
        }
        Self {
            law,
            rock: Rock::new(&terrain, of.hardness),
            shores: Arc::new(VoidShore::find(cx, &terrain, &state.fields[GROUND])),
            supply,
            before: Arc::new(terrain),
            sediment_before: total(grid, &state, SEDIMENT),
            state,
            next: None,
            left: Rim::default(),
            unread: Vec::new(),
            shown: OnceLock::new(),
        }
    }

    /// Runs a step on bands of `rows` rows. Returns the water and sediment that left over the edges of each row.
    fn work_on<B: BandState + Send>(&self, bands: Vec<B>, rows: usize, cx: &Context) -> Result<Vec<Rim>, Cancelled> {
        let mut rims = vec![Rim::default(); self.law.grid.samples];
        bands.into_par_iter().zip(rims.par_chunks_mut(rows)).try_for_each(|(mut band, rims)| {
            RollingRows::new(&self.law, &self.rock, &self.supply, &mut band).run(rims, cx.control)
        })?;
        Ok(rims)
    }

    /// Lowers the ground of the voids beside land for a step. Returns the height of each.
    fn lower_voids(&mut self) -> Vec<f32> {
        let ground = &mut self.state.fields[GROUND];
        let heights: Vec<f32> = self.shores.iter().map(|shore| shore.lowest_land(ground)).collect();
        self.shores.iter().zip(&heights).for_each(|(shore, &height)| ground[shore.cell] = height);
        heights
    }

    /// Gives the voids beside land their heights back.
    fn raise_voids(&mut self) {
        let ground = &mut self.state.fields[GROUND];
        self.shores.iter().for_each(|shore| ground[shore.cell] = shore.height);
    }

    /// Removes all that flowed or slid into voids in a step, in which they had the `heights`.
    fn empty_voids(&mut self, heights: &[f32]) {
        let grid = self.law.grid;
        let [ground, water, sediment, ..] = &mut self.state.fields;
        for (VoidShore { cell, .. }, height) in self.shores.iter().zip(heights) {
            let k = *cell;
            if grid.owns(k) {
                self.left.water += f64::from(water[k]);
                self.left.sediment += f64::from(sediment[k]) + (f64::from(ground[k]) - f64::from(*height));
            }
            (water[k], sediment[k]) = (0.0, 0.0);
        }
        self.raise_voids();
    }

    /// Adds the losses over the edges in a step to the total.
    fn add_losses(&mut self, rims: &[Rim]) {
        for rim in rims {
            self.left.water += rim.water;
            self.left.sediment += rim.sediment;
        }
        self.shown = OnceLock::new();
    }

    fn show(&self) -> Terrain {
        let shown = [GROUND, WATER, SEDIMENT].map(|field| self.state.fields[field].clone());
        terrain_of((*self.before).clone(), shown, self.discharge(), &self.unread)
    }

    /// Discharge of each cell, measured as the number of cells whose mean supply adds up to it. It is the length of the
    /// mean of the inflow vector and the outflow vector.
    fn discharge(&self) -> Option<Vec<f32>> {
        if self.unread.contains(&MapKind::Flow) {
            return None;
        }
        let grid = self.before.grid;
        let n = grid.samples;
        let supply = if self.supply.mean() > LEAST_SUPPLY { self.supply.mean() } else { LEAST_SUPPLY };
        let at = |row: Option<usize>, pipe: usize, column: Option<usize>| match (row, column) {
            (Some(i), Some(j)) => self.state.row(i, FLUX + pipe)[j],
            _ => 0.0,
        };
        let mut flow = vec![0.0f32; grid.len()];
        flow.par_chunks_mut(n).enumerate().for_each(|(i, row)| {
            let (here, north) = (Some(i), grid.previous(i));
            for (j, flow) in row.iter_mut().enumerate() {
                let (own, west, east) = (Some(j), grid.previous(j), grid.next(j));
                let falling = at(here, 2, own) + at(north, 2, west);
                let rising = at(here, 3, own) + at(north, 3, east);
                let x = at(here, 0, own) + at(here, 0, west) + falling - rising;
                let y = at(here, 1, own) + at(north, 1, own) + falling + rising;
                *flow = 0.5 * (x * x + y * y).sqrt() / supply;
            }
        });
        Some(flow)
    }
}

/// Number of extra fields in the saved state of a run, in addition to heights, water and sediment. They are the heights
/// at the start, and the fluxes.
pub const STATE_FIELDS: usize = 1 + FIELDS - FLUX;
/// Records of the ground's loss and gain since the start.
const BALANCES: [MapKind; 2] = [MapKind::Wear, MapKind::Deposits];

/// Returns the terrain of a state: its `ground`, `water` and `sediment`, with the records of the change since `before`
/// that other nodes or exports read.
fn terrain_of(
    before: Terrain,
    [ground, water, mut sediment]: [Vec<f32>; 3],
    flow: Option<Vec<f32>>,
    unread: &[MapKind],
) -> Terrain {
    let n = before.grid.samples;
    let mut terrain = before;
    let fallen = |h0: f32, h: f32| if h < h0 { h0 - h } else { 0.0 };
    for kind in BALANCES.into_iter().filter(|kind| !unread.contains(kind)) {
        let (before, is_wear) = (std::mem::take(&mut terrain.height), kind == MapKind::Wear);
        let rows = before.par_chunks(n).zip(ground.par_chunks(n));
        terrain.map_mut(kind).par_chunks_mut(n).zip(rows).for_each(|(sums, (before, now))| {
            for (sum, (&h0, &h)) in sums.iter_mut().zip(before.iter().zip(now)) {
                *sum += if is_wear { fallen(h0, h) } else { fallen(h, h0) };
            }
        });
        terrain.height = before;
    }
    terrain.height = ground;
    // rounding of the ground can leave sediment just below 0
    sediment.iter_mut().for_each(|s| *s = if *s > 0.0 { *s } else { 0.0 });
    for (kind, map) in [(MapKind::Water, Some(water)), (MapKind::Sediment, Some(sediment)), (MapKind::Flow, flow)] {
        terrain.set_map(kind, map.map(Arc::new));
    }
    terrain
}

/// Sum of a field over the distinct cells, in row order.
fn total(grid: Grid, state: &FlowState, field: usize) -> f64 {
    let distinct = grid.distinct_side();
    let row = |i: usize| &state.row(i, field)[..distinct];
    let rows: Vec<f64> =
        (0..distinct).into_par_iter().map(|i| row(i).iter().map(|&v| f64::from(v)).sum::<f64>()).collect();
    rows.iter().sum()
}

impl Run for ShallowWaterRun {
    fn step(&mut self, cx: &Context) -> Result<(), Cancelled> {
        let n = self.law.grid.samples;
        let heights = self.lower_voids();
        let mut next = self.next.take().unwrap_or_else(|| FlowState::new(n));
        let rows = (BAND_CELLS / n).max(BAND_ROWS);
        let bands = next.bands(rows).into_iter().map(|out| DoubleBufferedState { state: &self.state, out }).collect();
        let stepped = self.work_on(bands, rows, cx);
        self.raise_voids();
        // even after an error, `next` serves as memory for the next step
        self.next = Some(next);
        let rims = stepped?;
        // from this line on the step cannot fail
        std::mem::swap(&mut self.state, self.next.as_mut().expect("put there just now"));
        self.empty_voids(&heights);
        self.add_losses(&rims);
        Ok(())
    }

    fn step_in_place(&mut self, cx: &Context) -> Result<(), Cancelled> {
        self.next = None;
        let n = self.law.grid.samples;
        let heights = self.lower_voids();
        let rows = n.div_ceil(2 * rayon::current_num_threads()).clamp(BAND_ROWS, WIDEST_BAND);
        let mut state = std::mem::replace(&mut self.state, FlowState::new(0));
        let stepped = self.work_on(InPlaceState::bands(&mut state, self.law.grid, rows), rows, cx);
        self.state = state;
        let rims = stepped?;
        self.empty_voids(&heights);
        self.add_losses(&rims);
        Ok(())
    }

    fn drop_records(&mut self, records: &[MapKind]) {
        self.unread = records.to_vec();
        let before = Arc::make_mut(&mut self.before);
        records.iter().for_each(|&kind| drop(before.set_map(kind, None)));
        if BALANCES.iter().all(|kind| records.contains(kind)) {
            before.height = Vec::new();
        }
    }

    fn terrain(&self) -> &Terrain {
        self.shown.get_or_init(|| self.show())
    }

    fn mass_balance(&self) -> MassBalance {
        let grid = self.before.grid;
        if self.before.height.is_empty() {
            return MassBalance::default();
        }
        let distinct = grid.distinct_side();
        let mut mass_balance = MassBalance { lost: self.left.sediment, ..MassBalance::default() };
        let balance_of_row = |i: usize| {
            let now = self.state.row(i, GROUND);
            balance(&grid.row(&self.before.height, i)[..distinct], &now[..distinct])
        };
        let rows: Vec<[f64; 2]> = (0..distinct).into_par_iter().map(balance_of_row).collect();
        for [eroded, deposited] in rows {
            mass_balance.eroded += eroded;
            mass_balance.deposited += deposited;
        }
        mass_balance.carried = total(grid, &self.state, SEDIMENT) - self.sediment_before;
        mass_balance
    }

    fn snapshot(&self) -> Box<dyn Run> {
        Box::new(Self {
            law: self.law,
            rock: self.rock.clone(),
            supply: self.supply.clone(),
            before: self.before.clone(),
            sediment_before: self.sediment_before,
            state: self.state.clone(),
            next: None,
            left: self.left,
            shores: self.shores.clone(),
            unread: self.unread.clone(),
            shown: OnceLock::new(),
        })
    }

    fn into_terrain(mut self: Box<Self>) -> Terrain {
        self.next = None;
        if let Some(shown) = self.shown.take() {
            return shown;
        }
        let flow = self.discharge();
        let Self { before, state, unread, .. } = *self;
        let [ground, water, sediment, ..] = state.fields;
        terrain_of(Arc::unwrap_or_clone(before), [ground, water, sediment], flow, &unread)
    }

    fn into_resumable_state(self: Box<Self>) -> Terrain {
        let Self { before, state, .. } = *self;
        let [ground, water, sediment, fluxes @ ..] = state.fields;
        let mut terrain = Arc::unwrap_or_clone(before);
        let before = std::mem::replace(&mut terrain.height, ground);
        terrain.process_state = std::iter::once(before).chain(fluxes).collect();
        terrain.set_map(MapKind::Water, Some(Arc::new(water)));
        terrain.set_map(MapKind::Sediment, Some(Arc::new(sediment)));
        terrain
    }

    fn bytes(&self) -> usize {
        self.state.bytes() + self.before.bytes() + self.supply.bytes()
    }
}
