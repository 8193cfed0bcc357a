//! Hydraulic erosion, fast form: water runs to the lowest neighbour, in place.
//!
//! Law, with the symbols of the reference form ([`hydraulic`](super::hydraulic)) and K = K_s = K_c:
//! 1. rain: w += K_r · rain map; the water holds K·s·w of sediment, taken from the ground (s: erodibility of the rock);
//! 2. flow, in place: d = a - a_n to the lowest of the four neighbours, a = h + w; if d > 0, the water Δw = min(w, d/2)
//!    flows to this neighbour with the sediment in it;
//! 3. evaporation: w *= 1 - K_e, and the sediment that the water can no longer hold is deposited.
//!
//! Water always holds as much sediment as it can, so the sediment follows from the water. Where the hardness of the
//! rock varies, s is the erodibility of the cell that holds the water. Water that flows from soft to hard rock deposits
//! its excess sediment there. Le Martelot 2005 adds the merged map of water and sediment to the height: a = h + K·w,
//! which is [`LevelledSurface::Merged`]. By default a is the height of the water surface, as in the reference form.
//! Only Le Martelot's surface reproduces the results that Le Martelot and Olsen report for the fast form. The table
//! shows the erosion score on the terrain of Le Martelot's figures 17 and 18 after the given iterations (257² samples,
//! the constants of the paper, tests/core/nodes/documents.rs):
//!
//! | iterations | 0 | 25 | 100 | 1000 | 4000 |
//! |---|---|---|---|---|---|
//! | reference form | 0.56 | 0.58 | 0.62 | 0.65 | 0.75 |
//! | fast form, a = h + w | 0.56 | 0.56 | 0.57 | 0.63 | 0.71 |
//! | fast form, a = h + K·w | 0.56 | 0.67 | 0.91 | 1.50 | 2.34 |
//!
//! Rain of a hundredth of the relief is as deep as the height differences between cells. If a includes the whole water
//! depth, such water comes to rest. If a includes only the sediment, a ten-thousandth of the relief, the water runs on
//! to the next hollow and fills it. The reference form, for which the paper defines the surface as h + w, scores lower
//! only for that reason.
//!
//! Maps: as in the reference form. The Sediment map is written for later layers. It also holds amounts too small for
//! `f32` heights (`lay_down`), so that height plus sediment is conserved. Sediment that the map held before this layer
//! settles in the first iteration, except the part that the water can hold.
//! Scheme, order, boundary: `sweep`.
//! Stability: a move leaves the giving cell no lower than the receiving cell; no cell gives more water than it has.
//! Bias: a cone of slope 2.4 has the slopes 2.40, 2.39 and 2.39 along 0°, 22.5° and 45°. But the order of the cells
//! decides which of two nearly equal paths the water takes. On a featureless cone, three quarters of the moved material
//! ends up elsewhere if the terrain is mirrored. On terrain like Le Martelot's (257² samples, the constants of the
//! paper, 100 iterations) the result differs by 0.004 of the relief (rms) from the result of the reference form. The
//! reference form itself changed the terrain by 0.0065. The mean slope falls by 22 % and the erosion score rises from
//! 0.42 to 0.47, because four neighbours smooth less than eight (tests/core/nodes/erosion/classic.rs).
//! Cost: with the two forms written as in the paper, an iteration of the fast form takes 0.26 to 0.28 of the reference
//! form's time at 512² samples; the paper says about a fifth. In this program the reference form computes many cells at
//! once, which cells that change in place do not allow. At 257² samples on one thread an iteration of the fast form
//! takes 0.79 ms. The reference form takes 0.46 ms with the same four neighbours and 0.49 ms with eight (`talweg bench
//! Hydraulic:neighbours=VonNeumann HydraulicFast --sizes 257 --threads 1`). Squares only, like every
//! [`sweep`](super::sweep).
//! Source: Olsen 2004; Le Martelot 2005, §3.3.2.

use super::buffers::{self, NextState, RowAccount, WorkingMemory, add_balance, balance, total};
use super::run::ErosionRun;
use super::suspended_sediment::{CellWeather, WRITTEN, lay_down, runaway_note};
use super::sweep::lanes::{CENTRE, CROSS, FirstLowest, LaneValue, Neighbourhood};
use super::sweep::{InPlaceScan, ScanLaw, ScanRow};
use crate::multiscale::{LargestScale, multiscale_params};
use crate::{Context, FinerGrids, MassBalance, MultiScale, NodeMemory, NodeParts, Process, Run, Traits};
use talweg_ground::field::{Cancelled, MapKind, Terrain};

talweg_ground::choices! {
    /// The surface that the fast form levels between neighbours.
    LevelledSurface {
        Merged "Ground and sediment": "As in Le Martelot 2005, water follows a = h + m: the ground height plus the sediment in the water, without the water depth. Water runs down the slightest slope, so valleys fill sooner.",
        Water "Ground and water": "As in Hydraulic erosion, classic, water follows its surface, a = h + w: the ground height plus the water depth. On gentle slopes, water comes to rest once its surface is level.",
    }
}

talweg_ground::params! {
    /// Lets rain loosen the ground, run to the lowest neighbour and deposit the sediment where the water dries: the
    /// fast form of the papers, for comparison. In Talweg, Hydraulic erosion, classic, takes less time for an
    /// iteration. This form keeps more of the fine relief, but its rills follow the grid: on a cone the change of
    /// the height varies with the direction by 88 % of its mean.
    HydraulicFast "Hydraulic erosion, classic, fast" in "Erosion", from "Olsen 2004; Le Martelot 2005, §3.3.2", also "rain water sediment dissolve gully rill wash alluvial quick optimised" {
        /// Number of iterations, counted at the scene's resolution. More iterations carry the sediment farther.
        iterations: u32 = 60, 0..=10_000, slider 1..=500;
        multiscale_params!();
        /// Water that falls in one iteration, as a fraction of the relief. A rain map of the layers below multiplies
        /// it. More rain fills hollows and runs farther.
        rain: f32 ["share"] = 0.01, 0.0..=1.0, slider 0.0..=0.05;
        /// Depth of ground that water dissolves and holds, as a fraction of the water depth. Higher values erode
        /// faster.
        solubility: f32 ["share"] = 0.05, 0.0..=1.0, slider 0.0..=0.2;
        /// Fraction of the water that evaporates in one iteration. Lower values let the water run farther.
        evaporation: f32 ["share"] = 0.5, 0.0..=1.0, slider 0.05..=1.0;
        /// Surface that flowing water levels: the water surface, or the surface of Le Martelot 2005.
        levelled: LevelledSurface = LevelledSurface::Water;
        /// Hardness of the rock everywhere, from 0 for loose ground to 1 for rock that never erodes. If a layer below
        /// made a hardness map, the higher hardness counts in each place.
        hardness: f32 ["share"] = 0.0, 0.0..=1.0 => |rain| rain.solubility > 0.0;
        presets {
            Light "Light": "Levels the valley floors." { iterations = 20 }
            Natural "Natural": "Washed slopes above filled hollows." {}
            Strong "Strong": "Broad silt floors between eroded flanks." { iterations = 100, solubility = 0.08 }
            Document "As published": "The constants of Le Martelot 2005, whose levelled surface is the ground with the sediment in the water." { iterations = 100, solubility = 0.01, levelled = LevelledSurface::Merged }
            AllScales "All scales": "Fills large hollows first, then small ones; takes seconds at any resolution." { largest_scale = LargestScale::Samples129 }
        }
    }
}

impl Process for HydraulicFast {
    fn traits(&self) -> Traits {
        Traits {
            writes: &WRITTEN,
            memory: NodeMemory::constant(6.1),
            finer_grids: FinerGrids { carries_sediment_on: true, ..FinerGrids::DEFAULT },
            ..Traits::PROCESS
        }
    }

    fn parts(&self) -> NodeParts<'_> {
        NodeParts::CHANGES_IN_PLACE
    }

    fn iterations(&self) -> u32 {
        self.iterations
    }

    fn runaway_note(&self) -> Option<String> {
        runaway_note(self.iterations, self.rain, self.evaporation, self.solubility)
    }

    fn multiscale(&self) -> MultiScale {
        MultiScale { largest: self.largest_scale, fine_weight: self.fine_weight }
    }

    fn start_run(&self, cx: &Context, mut terrain: Terrain) -> Box<dyn Run> {
        buffers::prepare(&mut terrain, &WRITTEN);
        let carried = cx.grid.sum(terrain.map(MapKind::Sediment).expect("made above"));
        let weather = CellWeather::new(&terrain, self.rain, self.solubility, self.hardness);
        Box::new(HydraulicFastRun {
            left: 1.0 - self.evaporation,
            unit: match self.levelled {
                LevelledSurface::Water => 1.0,
                // a solubility of 0 would leave no surface to level
                LevelledSurface::Merged => self.solubility.max(LEAST_UNIT),
            },
            weather,
            terrain,
            next: WorkingMemory::default(),
            even: WorkingMemory::default(),
            uneven: WorkingMemory::default(),
            mass_balance: MassBalance { carried, ..MassBalance::default() },
            carried_before: carried,
        })
    }
}

/// Indices of a cell's values in the sweep: altitude a, depth of the water, and water that left the cell. On rock of
/// varying hardness there are two more values: the net sediment that arrived with the water, and the solubility.
const LEVEL: usize = 0;
const WATER: usize = 1;
const GIVEN: usize = 2;
const SEDIMENT: usize = 3;
const SOLUBILITY: usize = 4;
/// Lower limit of `unit` for [`LevelledSurface::Merged`], where `unit` is the solubility.
const LEAST_UNIT: f32 = 1.0e-6;

#[derive(Clone)]
struct HydraulicFastRun {
    weather: CellWeather,
    /// Fraction of the water that remains after evaporation.
    left: f32,
    /// Rise of the levelled surface per unit of water depth: 1 or K.
    unit: f32,
    terrain: Terrain,
    next: WorkingMemory<NextState<5>>,
    /// The scan that is used if the rock has uniform hardness; `uneven` is used if the hardness varies. The unused scan
    /// stays empty.
    even: WorkingMemory<InPlaceScan<3>>,
    uneven: WorkingMemory<InPlaceScan<5>>,
    /// Mass balance of the run. `carried` counts all sediment in the water, including sediment of other layers.
    mass_balance: MassBalance,
    carried_before: f64,
}

impl ErosionRun for HydraulicFastRun {
    fn advance(&mut self, cx: &Context) -> Result<(), Cancelled> {
        let Self { weather, left, unit, terrain, next, even, uneven, .. } = self;
        let rain = if terrain.map(MapKind::Rain).is_none() { Some(weather.rain) } else { None };
        let solubility = weather.solubility(0);
        let alike = rain.filter(|_| weather.rock.uniform().is_some());
        let rows = alike.map(|rain| [rain, solubility].map(|value| vec![value; terrain.samples()]));
        let flow = HydraulicFastLaw { weather, rain, solubility, rows, left: *left, unit: *unit, terrain };
        if weather.rock.uniform().is_some() {
            flow.scan::<_, 2>(cx, even, next)?;
        } else {
            flow.scan::<_, 3>(cx, uneven, next)?;
        }
        next.replace_terrain(terrain, WRITTEN, &mut self.mass_balance);
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

/// The equations of one iteration.
struct HydraulicFastLaw<'a> {
    weather: &'a CellWeather,
    /// Rain of every cell, if the rain is uniform.
    rain: Option<f32>,
    /// Solubility of every cell, if the solubility is uniform.
    solubility: f32,
    /// Rain and solubility along any row, if they are the same in all cells.
    rows: Option<[Vec<f32>; 2]>,
    left: f32,
    unit: f32,
    terrain: &'a Terrain,
}

/// Output slices of a row, except those that the sweep itself fills.
struct RowOutput<'a> {
    height: &'a mut [f32],
    wear: &'a mut [f32],
    deposits: &'a mut [f32],
    /// New sediment; `None` if the sweep itself fills the sediment.
    sediment: Option<&'a mut [f32]>,
    account: &'a mut RowAccount,
}

impl HydraulicFastLaw<'_> {
    fn map(&self, kind: MapKind, row: usize) -> &[f32] {
        self.terrain.grid.row(self.terrain.map(kind).expect("made at the start"), row)
    }

    fn scan<const P: usize, const K: usize>(
        &self,
        cx: &Context,
        sweep: &mut InPlaceScan<P>,
        next: &mut NextState<5>,
    ) -> Result<(), Cancelled> {
        let grid = self.terrain.grid;
        let n = grid.samples;
        next.fit(self.terrain);
        let NextState { height, maps: [wear, deposits, water, sediment, flow], accounts } = &mut *next;
        let land = height.chunks_mut(n).zip(wear.chunks_mut(n)).zip(deposits.chunks_mut(n));
        let wet = water.chunks_mut(n).zip(flow.chunks_mut(n)).zip(sediment.chunks_mut(n));
        let outs =
            land.zip(wet).zip(accounts).map(|((((height, wear), deposits), ((water, flow), sediment)), account)| {
                let mut wet = [water, flow, sediment].into_iter();
                let kept = std::array::from_fn::<_, K, _>(|_| wet.next().expect("two or three of the three"));
                ScanRow { kept, out: RowOutput { height, wear, deposits, sediment: wet.next(), account } }
            });
        sweep.run(
            cx,
            self,
            outs,
            |i, ScanRow { kept, out: RowOutput { height, wear, deposits, sediment, account } }| {
                let mut wet = kept.into_iter().chain(sediment);
                let [water, flow, sediment] = std::array::from_fn(|_| wet.next().expect("split above"));
                self.dry(i, P > SEDIMENT, [&mut *height, water, &mut *sediment, flow]);
                let old = grid.row(&self.terrain.height, i);
                let maps = [self.map(MapKind::Wear, i), self.map(MapKind::Deposits, i)];
                add_balance(old, height, maps, wear, deposits);
                let distinct = grid.distinct_side();
                let [lost, gained] = balance(&old[..distinct], &height[..distinct]);
                *account = [lost, gained, total(&sediment[..distinct])];
            },
        )?;
        next.repeat_first_row(grid);
        Ok(())
    }

    /// Evaporates water and deposits sediment along row `i`. On entry the slices `water` and `flow` hold the remaining
    /// water and the water that left the cells. If `came_apart`, `sediment` holds the net sediment that arrived.
    fn dry(&self, i: usize, came_apart: bool, [height, water, sediment, flow]: [&mut [f32]; 4]) {
        let grid = self.terrain.grid;
        let n = grid.distinct_side();
        {
            let h = &grid.row(&self.terrain.height, i)[..n];
            let [w, m, passed] = [MapKind::Film, MapKind::Sediment, MapKind::Flow].map(|kind| &self.map(kind, i)[..n]);
            let (height, water, sediment, flow) =
                (&mut height[..n], &mut water[..n], &mut sediment[..n], &mut flow[..n]);
            let mut own = [Vec::new(), Vec::new()];
            let [rain, solubility] = self.rows.as_ref().unwrap_or_else(|| {
                own = [vec![0.0; n], vec![0.0; n]];
                let [rain, solubility] = &mut own;
                self.weather.row(grid, i, rain, solubility);
                &own
            });
            pass(passed, 1.0 / self.weather.unit_of_flow(), flow);
            if !came_apart {
                bring(w, rain, solubility, water, sediment);
            }
            precipitate(h, m, solubility, self.left, water, height, sediment);
        }
        if n < grid.samples {
            [height, water, sediment, flow].into_iter().for_each(|row| row[n] = row[0]);
        }
    }
}

/// Adds `passed`, the flow map of earlier iterations, to `flow`. On entry `flow` holds the water that left in this
/// iteration; `unit` converts this water to the unit of the map.
#[inline(never)]
fn pass(passed: &[f32], unit: f32, flow: &mut [f32]) {
    flow.iter_mut().zip(passed).for_each(|(flow, passed)| *flow = passed + *flow * unit);
}

/// Computes the net sediment that arrived with the water, from the difference of the water after and before the sweep.
#[inline(never)]
fn bring(w: &[f32], rain: &[f32], solubility: &[f32], water: &[f32], sediment: &mut [f32]) {
    let n = sediment.len();
    let (w, rain, solubility, water) = (&w[..n], &rain[..n], &solubility[..n], &water[..n]);
    for j in 0..n {
        sediment[j] = solubility[j] * (water[j] - (w[j] + rain[j]));
    }
}

/// Evaporates water and deposits sediment along a row. On entry `sediment` holds the net sediment that arrived; on
/// return, the sediment that stays in the water. A function of its own tells the compiler that the slices do not
/// overlap.
#[inline(never)]
fn precipitate(
    h: &[f32],
    m: &[f32],
    solubility: &[f32],
    left: f32,
    water: &mut [f32],
    height: &mut [f32],
    sediment: &mut [f32],
) {
    let n = h.len();
    let (m, solubility) = (&m[..n], &solubility[..n]);
    let (water, height, sediment) = (&mut water[..n], &mut height[..n], &mut sediment[..n]);
    for j in 0..n {
        water[j] *= left;
        (height[j], sediment[j]) = lay_down(h[j], m[j] + sediment[j], solubility[j] * water[j]);
    }
}

/// Computes the level and the depth of the water along a row after rain. `rain`, `solubility` and `unit` are the same
/// in all cells. A function of its own tells the compiler that the slices do not overlap.
#[inline(never)]
fn wet([h, w, m]: [&[f32]; 3], [rain, solubility, unit]: [f32; 3], level: &mut [f32], water: &mut [f32]) {
    let n = h.len();
    let (w, m, level, water) = (&w[..n], &m[..n], &mut level[..n], &mut water[..n]);
    for j in 0..n {
        water[j] = w[j] + rain;
        level[j] = (h[j] - (solubility * water[j] - m[j])) + unit * water[j];
    }
}

impl<const P: usize> ScanLaw<P> for HydraulicFastLaw<'_> {
    const KEPT: usize = WATER;
    const LOADED: usize = if P > SEDIMENT { P } else { GIVEN };
    /// Values of a cell beyond the edge, which acts as a dry wall higher than any terrain.
    const WALL: [f32; P] = {
        let mut wall = [0.0; P];
        wall[LEVEL] = f32::MAX;
        wall
    };

    #[inline(always)]
    fn load(&self, row: usize, column: usize, mut cells: [&mut [f32]; P]) {
        let len = cells[LEVEL].len();
        let first = row * self.terrain.samples() + column;
        let h = &self.terrain.height[first..][..len];
        let [w, m] = [MapKind::Film, MapKind::Sediment].map(|kind| &self.map(kind, row)[column..][..len]);
        let even = P <= SOLUBILITY;
        if let (true, Some(rain), [level, water, ..]) = (even, self.rain, &mut cells[..]) {
            wet([h, w, m], [rain, self.solubility, self.unit], level, water);
            return;
        }
        for j in 0..len {
            let solubility = if even { self.solubility } else { self.weather.solubility(first + j) };
            let water = w[j] + self.weather.rain(first + j);
            cells[WATER][j] = water;
            cells[LEVEL][j] = (h[j] - (solubility * water - m[j])) + self.unit * water;
            if !even {
                cells[SEDIMENT][j] = 0.0;
                cells[SOLUBILITY][j] = solubility;
            }
        }
    }

    #[inline(always)]
    fn visit<A: Neighbourhood>(&self, around: &mut A) {
        let all = A::Value::all;
        let (level, water) = (around.get(LEVEL, CENTRE), around.get(WATER, CENTRE));
        let lowest = FirstLowest::new(around.four(LEVEL, CROSS));
        // no branch here, because nearly every cell gives water, and in an unpredictable pattern
        let levelling = (level - lowest.value) * all(0.5 / self.unit);
        let levelling = levelling.only(all(0.0).less_than(levelling));
        let moved = A::Value::choose(water.less_than(levelling), water, levelling);
        around.set(GIVEN, CENTRE, moved);
        let raised = moved * all(self.unit);
        around.set(LEVEL, CENTRE, level - raised);
        around.set(WATER, CENTRE, water - moved);
        around.lower_lowest(LEVEL, CROSS, &lowest, -raised);
        around.lower_lowest(WATER, CROSS, &lowest, -moved);
        if P > SOLUBILITY {
            let sediment = around.get(SOLUBILITY, CENTRE) * moved;
            around.set(SEDIMENT, CENTRE, around.get(SEDIMENT, CENTRE) - sediment);
            around.lower_lowest(SEDIMENT, CROSS, &lowest, -sediment);
        }
    }
}
