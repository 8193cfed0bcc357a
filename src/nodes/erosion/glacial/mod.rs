//! Glacial erosion: ice that gathers above the snow line flows down, erodes its bed and carries rock away.
//!
//! Law: ice of thickness H on the bed b has the surface s = b + H.
//! - Balance: M = g·(s - `equilibrium_line`), at most `most_snow`; g is `balance_gradient`. Where snow accumulates, M
//!   falls to 0 on slopes of `hold_angle`, over the 15° below this angle.
//! - Flow (shallow ice): ∂H/∂t = M + ∇·(D∇s), D = (ρg)³·|∇s|²·(⅖·A·H⁵ + C·H⁴), A = 2.4·10⁻²⁴ Pa⁻³ s⁻¹ times `softness`,
//!   ρ = 917 kg/m³ the density of ice and ρg its weight per volume. C follows from `sliding`, which is the speed C·τ³
//!   under a drag of τ = ρgH|∇s| = 100 kPa.
//! - Sliding: the velocity v = C·τ³ down the slope of the surface is spread under the ice: u - ∇·(ℓ²∇u) = v, with ℓ of
//!   three thicknesses, because stresses along and across a glacier share the drag.
//! - Erosion: at right angles to the bed by E = `erosion_rate`·(u / 100 m/year / k)^`erosion_exponent`, so that the bed
//!   sinks by E·√(1 + |∇b|²) a year. k = 1 + R·∇²b, at least 0.6: ice slides less in a narrow valley, and half as fast
//!   in a valley rounded to the radius R, the `floor_radius`. Uniform erosion widens every point of the bed
//!   into a circle: the notch of a river becomes an arc, and walls retreat into cirques.
//! - Rockfall: walls steeper than `wall_angle` collapse, onto the ice if there is any.
//! - Till: the fraction `till_share` of the eroded rock, and rock that falls on the ice, moves with the ice. The till
//!   is deposited as the ice melts: little of the till in thick ice, all of the till in ice that melts away (moraines).
//!   Melt water spreads it over about 100 m. Water carries the rest of the eroded rock away for good.
//!
//! Two time scales: ice reaches its form in centuries, a valley in tens of thousands of years. An iteration erodes for
//! `time_step`. It simulates the ice only for `ice_years` (at most `time_step`), which represent the whole time step.
//!
//! Scheme: `ice_years` are divided into one step per year, at most 16 steps, each 0.7 times as long as the step before.
//! A step is the balance, then flow along rows and columns in turn (locally one-dimensional), each implicit: `lines`.
//! The flow between two cells is a fraction of their new content. It depends on the thickness of the higher (upstream)
//! cell, with van Leer's limiter, in the manner of Jarosch, Schoof & Anslow 2013. So the ice thickness is never below
//! 0, even on the steepest bed, and the scheme creates no ice. The thickness that sets the speed lags: it approaches
//! the actual thickness by a third per step. Without this lag long steps would oscillate.
//! From coarse to fine: times are the same on every grid; ice and till are passed from grid to grid.
//! Boundary: ice and till leave over open edges where the surface falls towards the edge; a wrapping terrain continues
//! on the other side. Squares only: no straight grid lines run through the corners of a globe's faces.
//! Stability: for any parameters. In one iteration erosion is at most a twentieth of the ice thickness and at most half
//! a cell. At most a twentieth of a cell of till is deposited; water carries the excess away. In the tests
//! (tests/core/nodes/erosion/glacial.rs), Halfar's dome after nine times its age is accurate to 0.3 % of its height,
//! and Nye's slab to 0.1 %. The erosion of a cone is the same within 1 % along rows and diagonals. Visible traces of
//! the grid: flow along rows and columns in turn leaves faint streaks on the surface of broad, thick ice. Longer steps
//! make the streaks stronger. The bed does not show them. Ice that moves fast relative to its step becomes too thick:
//! in a scene of 24 km at 513² samples, steps of 2 years produced 1.5 times as much ice as steps of 1 year.
//! Maps: [`MapKind::Ice`] is the ice thickness at the end, [`MapKind::Sediment`] the till in the ice; wear and deposits
//! are recorded as well. The height is the height of the bed, as if the ice had melted. With `leave_ice` the height
//! includes the ice, and the uppermost metre of the ice is the Snow map. Ice counts as `added` in the mass balance,
//! which otherwise counts only rock.
//! Source: Cordonnier et al. 2023, *Forming terrains by glacial erosion* (erosion law and its parts); Hutter 1983
//! (shallow ice); Kamb & Echelmeyer 1986 (coupling); Hallet 1979 (erosion); Braun, Zwartz & Tomkin 1999 (narrow
//! valleys); Jarosch et al. 2013 (limiter).

mod bed;
mod flow;
mod lines;

use std::sync::Arc;

use rayon::prelude::*;

use super::buffers::{self, NextState, WorkingMemory, account, add_balance};
use super::rock::Rock;
use super::run::ErosionRun;
use crate::multiscale::{LargestScale, multiscale_params};
use crate::{
    Context, FinerGrids, MassBalance, MultiScale, NodeMemory, NodeParts, Pace, Process, Run, Traits, VoidBorder,
};
use bed::{BedWear, Rockfall};
use flow::{FlowFields, IceFlow, LAG_FRACTION};
use lines::{GridLines, Lane, LineDirection};
use talweg_ground::field::{Cancelled, MapKind, Terrain};

talweg_ground::params! {
    /// Lets glaciers grow and carve: troughs with broad floors and steep walls, cirques at their heads, side valleys
    /// that hang above the main valley, and moraines where the ice melts.
    Glacial "Glacial erosion" in "Erosion", from "Cordonnier et al. 2023; Jarosch et al. 2013; Hallet 1979", also "glacier ice cap alpine trough U-shaped valley cirque hanging moraine fjord till" {
        /// Number of iterations, each of one time step. More iterations carve deeper.
        iterations: u32 = 120, 0..=10_000, slider 1..=400;
        multiscale_params!();
        /// Time for which the ice erodes the rock in one iteration. An ice age lasts some 50,000 years.
        time_step: f32 ["years"] = 300.0, 1.0..=100_000.0, slider 50.0..=2000.0;
        /// Part of the time step for which the ice itself is simulated. Glaciers reach their form within centuries.
        /// Lower values make the glaciers grow more slowly from iteration to iteration; above 16 they become too thick.
        ice_years: f32 ["years"] = 5.0, 0.1..=10_000.0, slider 1.0..=50.0;
        /// Height at which snowfall equals melting over a year. Lower lines make longer and thicker glaciers.
        equilibrium_line: f32 ["m"] = 1000.0, -10_000.0..=50_000.0, slider 0.0..=3000.0;
        /// Increase of the yearly ice gain with height. High values make fast glaciers that end abruptly.
        balance_gradient: f32 ["m/year/km"] = 7.0, 0.0..=100.0, slider 1.0..=15.0;
        /// Maximum yearly gain of ice at any height. Higher values make thicker ice on high mountains.
        most_snow: f32 ["m/year"] = 1.5, 0.0..=50.0, slider 0.0..=5.0;
        /// Steepest slope on which snow stays. Lower values keep the crests bare.
        hold_angle: f32 ["°"] = 45.0, 16.0..=89.0, slider 30.0..=80.0;
        /// Sliding speed of ice under a drag of 100 kPa, as below a glacier 100 m thick on a slope of 6°. At 0 the ice
        /// is frozen to its bed and erodes nothing.
        sliding: f32 ["m/year"] = 40.0, 0.0..=1000.0, slider 0.0..=200.0;
        /// Softness of the ice relative to ice at its melting point. Cold ice is a tenth as soft, flows slowly and
        /// grows thick.
        softness: f32 ["×"] = 1.0, 0.0..=10.0, slider 0.05..=3.0;
        /// Radius to which a notch is rounded. Higher values make broader valley floors; at 0 ice cuts narrow slots.
        floor_radius: f32 ["m"] = 800.0, 0.0..=10_000.0, slider 0.0..=3000.0 => |ice| {
            ice.sliding > 0.0 && ice.erosion_rate > 0.0
        };
        /// Rate at which ice erodes its bed where it slides at 100 m/year. Higher values carve deeper valleys.
        erosion_rate: f32 ["mm/year"] = 5.0, 0.0..=1000.0, slider 0.0..=30.0 => |ice| ice.sliding > 0.0;
        /// Exponent of the sliding speed in the erosion. Above 1 fast ice erodes much more, and main valleys sink below
        /// their side valleys.
        erosion_exponent: f32 = 1.0, 0.5..=3.0, slider 0.5..=2.0 => |ice| ice.sliding > 0.0 && ice.erosion_rate > 0.0;
        /// Fraction of the eroded rock that the ice carries. High values make high moraines; water carries the rest
        /// away.
        till_share: f32 ["share"] = 0.05, 0.0..=1.0 => |ice| ice.sliding > 0.0 && ice.erosion_rate > 0.0;
        /// Steepest wall that is stable; rock from steeper walls falls on the ice. At 89 all walls are stable.
        wall_angle: f32 ["°"] = 55.0, 20.0..=89.0, slider 35.0..=75.0;
        /// Hardness of the rock everywhere, from 0 for loose ground to 1 for rock that never erodes. If a layer below
        /// made a hardness map, the higher hardness counts in each place.
        hardness: f32 ["share"] = 0.0, 0.0..=1.0 => |ice| ice.sliding > 0.0 && ice.erosion_rate > 0.0;
        /// Keeps the ice on the terrain, so that heights include it. If off, the ice has melted.
        leave_ice: bool = false;
        presets {
            Light "Light": "Small glaciers high up dig the first cirques." { iterations = 60, erosion_rate = 4.0, most_snow = 0.8 }
            Natural "Alpine valleys": "Troughs between sharp crests, cirques at their heads." {}
            Strong "Strong": "Deep, broad troughs with high walls." { iterations = 250, erosion_rate = 10.0 }
            Present "Glaciers today": "The valley glaciers themselves, on a bed that they hardly change." { iterations = 60, time_step = 20.0, ice_years = 10.0, till_share = 0.3, leave_ice = true }
            IceCap "Ice cap": "Cold, slow ice that buries all but the highest crests." { iterations = 100, ice_years = 16.0, equilibrium_line = 500.0, balance_gradient = 3.0, most_snow = 0.5, softness = 0.3, sliding = 15.0, leave_ice = true }
            Fjords "Fjords": "Fast, thick ice down to the sea: few long and deep troughs." { iterations = 200, ice_years = 10.0, equilibrium_line = 400.0, balance_gradient = 5.0, most_snow = 2.5, sliding = 100.0, erosion_rate = 8.0, erosion_exponent = 1.3, till_share = 0.03 }
            AllScales "All scales": "Forms the largest troughs first, then small ones; takes seconds at any resolution." { iterations = 120, largest_scale = LargestScale::Samples257, fine_weight = 0.5 }
        }
    }
}

/// Mean duration of an ice step in years, unless the iteration would then need more than [`MOST_STEPS`] steps.
const SUB_YEARS: f64 = 1.0;
/// Duration of a step relative to the step before. In a step along rows the ice in neighbouring rows drifts apart, and
/// the short last steps level the difference.
const SHORTER: f64 = 0.7;
/// Maximum number of ice steps in an iteration.
const MOST_STEPS: f64 = 16.0;
/// Range of slope angles below `hold_angle` over which the fraction of snow that stays falls from 1 to 0.
const HOLD_FADE_DEGREES: f32 = 15.0;
/// Thickness in metres of ice that deposits half of its till as it melts. Ice of at most [`LAST_ICE`] deposits all of
/// its till.
const HALF_DEPOSIT_METRES: f64 = 20.0;
const LAST_ICE: f64 = 0.1;
/// Maximum depth of erosion in one iteration as a fraction of the ice thickness. [`MOST_LAID`] is the maximum depth of
/// till deposited in one iteration, as a multiple of the cell size.
const DEEPEST_SHARE: f64 = 0.05;
const MOST_LAID: f64 = 0.05;
/// Distance in metres over which melt water spreads the deposited till.
const LAID_METRES: f64 = 100.0;
/// Steepest stable slope of freshly deposited till. The ground counts as loose above a till depth of [`LOOSE_METRES`].
const LOOSE_DEGREES: f32 = 30.0;
const LOOSE_METRES: f64 = 0.1;
/// Distance over which sliding speeds are coupled, as a multiple of the ice thickness.
const COUPLING: f64 = 3.0;
/// Depth in metres of the top layer of the ice that becomes the Snow map.
const FIRN_METRES: f32 = 1.0;

/// The data maps of this process, including [`MapKind::Snow`] for ice that is kept.
const WRITTEN: [MapKind; 5] = [MapKind::Wear, MapKind::Deposits, MapKind::Ice, MapKind::Sediment, MapKind::Snow];
const MAPS: usize = 4;

impl Process for Glacial {
    fn traits(&self) -> Traits {
        Traits {
            writes: if self.leave_ice { &WRITTEN } else { &WRITTEN[..MAPS] },
            memory: NodeMemory::constant(27.0),
            finer_grids: FinerGrids { carries_sediment_on: true, ..FinerGrids::DEFAULT },
            ..Traits::PROCESS
        }
    }

    fn parts(&self) -> NodeParts<'_> {
        NodeParts::WholeTerrain("its fastest ice sets the time step for all ice")
    }

    fn iterations(&self) -> u32 {
        self.iterations
    }

    fn multiscale(&self) -> MultiScale {
        MultiScale { largest: self.largest_scale, fine_weight: self.fine_weight }
    }

    fn pace(&self) -> Pace {
        Pace::Time
    }

    fn void_border(&self) -> VoidBorder {
        VoidBorder::Leaving
    }

    fn start_run(&self, cx: &Context, mut terrain: Terrain) -> Box<dyn Run> {
        buffers::prepare(&mut terrain, self.traits().writes);
        let ice = terrain.map(MapKind::Ice).expect("made just now").clone();
        let bed = self.leave_ice.then(|| {
            let less = terrain.height.par_iter().zip(&ice[..]).map(|(surface, ice)| surface - ice);
            Arc::new(less.collect::<Vec<f32>>())
        });
        let carried = terrain.grid.sum(terrain.map(MapKind::Sediment).expect("made just now"));
        let voids = cx.land_ends(&terrain);
        let mut run = GlacialRun {
            law: Arc::new(self.clone()),
            rock: Rock::new(&terrain, self.hardness),
            lagged: ice.to_vec(),
            bed,
            terrain,
            mass_balance: MassBalance { carried, ..MassBalance::default() },
            carried_before: carried,
            voids: Arc::new(voids),
            next: WorkingMemory::default(),
            scratch: WorkingMemory::default(),
        };
        if self.leave_ice {
            run.cover_with_firn(FIRN_METRES / cx.relief_metres);
        }
        Box::new(run)
    }
}

#[derive(Clone)]
struct GlacialRun {
    law: Arc<Glacial>,
    rock: Rock,
    /// The ground below the ice, if the height includes the ice.
    bed: Option<Arc<Vec<f32>>>,
    /// The lagging thickness, which sets the speed of the ice.
    lagged: Vec<f32>,
    terrain: Terrain,
    /// Mass balance of the run. `carried` counts all till in the ice, including till of other layers.
    mass_balance: MassBalance,
    carried_before: f64,
    /// Samples of voids at which the land ends.
    voids: Arc<Vec<u32>>,
    next: WorkingMemory<NextState<MAPS>>,
    scratch: WorkingMemory<GlacialScratch>,
}

/// Working memory of an iteration; empty in snapshots.
#[derive(Default)]
struct GlacialScratch {
    /// Ice thickness in metres.
    ice: Vec<f64>,
    /// Till as a fraction of the relief. The fields below use this unit unless their comments name another.
    till: Vec<f64>,
    deposited: Vec<f64>,
    /// Sliding speed in m/year.
    speed: Vec<f64>,
    across: Vec<f64>,
    surface: Vec<f32>,
    lagged: Vec<f32>,
    slopes: [Vec<f32>; 2],
    bed: Vec<f32>,
    blocks: [Vec<Lane>; 2],
}

/// Gain and loss of ice by snowfall and melting in a step.
struct IceBalance {
    /// Length of the step in years.
    years: f64,
    relief: f64,
    line: f64,
    gradient: f64,
    most: f64,
    /// Slope above which no snow stays. `hold_fade` is 1 / (`hold` - the slope below which all snow stays).
    hold: f64,
    hold_fade: f64,
}

impl IceBalance {
    fn new(law: &Glacial, cx: &Context) -> Self {
        let tangent = |degrees: f32| f64::from(libm::tanf(degrees * (std::f32::consts::PI / 180.0)));
        let (hold, gentle) = (tangent(law.hold_angle), tangent(law.hold_angle - HOLD_FADE_DEGREES));
        Self {
            years: 0.0,
            relief: f64::from(cx.relief_metres),
            line: f64::from(law.equilibrium_line),
            gradient: f64::from(law.balance_gradient) * 0.001,
            most: f64::from(law.most_snow),
            hold,
            hold_fade: 1.0 / (hold - gentle),
        }
    }

    /// Returns the ice thickness after a step on a bed of height `bed` (a fraction of the relief). `slope2` is the
    /// squared slope of the surface.
    #[inline(always)]
    fn thickness(&self, ice: f64, bed: f32, slope2: f32) -> f64 {
        let rate = self.gradient * (f64::from(bed) * self.relief + ice - self.line);
        let rate = if rate < self.most { rate } else { self.most };
        let stays = (self.hold - f64::from(slope2.sqrt())) * self.hold_fade;
        let stays = if stays > 0.0 { stays } else { 0.0 };
        let rate = if rate > 0.0 && stays < 1.0 { rate * stays } else { rate };
        let left = ice + rate * self.years;
        if left > 0.0 { left } else { 0.0 }
    }

    /// Fraction of its till that ice deposits when its thickness changes from `before` to `after`, both in metres.
    #[inline(always)]
    fn laid_share(before: f64, after: f64) -> f64 {
        if after <= LAST_ICE {
            1.0
        } else if after < before {
            (1.0 - after / before) * (HALF_DEPOSIT_METRES / (HALF_DEPOSIT_METRES + after))
        } else {
            0.0
        }
    }
}

impl GlacialRun {
    /// The ground below the ice.
    fn bed(&self) -> &[f32] {
        self.bed.as_deref().unwrap_or(&self.terrain.height)
    }

    /// Writes the Snow map: the uppermost `depth` of the ice, or all ice where it is thinner.
    fn cover_with_firn(&mut self, depth: f32) {
        let ice = self.terrain.map(MapKind::Ice).expect("made at the start").clone();
        let snow = self.terrain.map_mut(MapKind::Snow);
        snow.par_iter_mut().zip(&ice[..]).for_each(|(snow, &ice)| *snow = if ice < depth { ice } else { depth });
    }

    /// Simulates ice and till for the ice years of an iteration; deposited till is added to `laid`. Returns the till
    /// that left over open edges.
    fn simulate_ice(&self, cx: &Context, flow: &IceFlow, scratch: &mut GlacialScratch) -> Result<f64, Cancelled> {
        let GlacialScratch { ice, till, deposited: laid, surface, lagged, slopes, blocks, .. } = scratch;
        let (bed, n, relief) = (self.bed(), cx.grid.samples, f64::from(cx.relief_metres));
        let years = f64::from(self.law.ice_years.min(self.law.time_step));
        let steps = libm::ceil(years / SUB_YEARS).clamp(1.0, MOST_STEPS);
        let mut balance = IceBalance::new(&self.law, cx);
        let whole = (0..steps as usize).fold(0.0, |sum, _| 1.0 + SHORTER * sum);
        balance.years = years / whole;
        let rows = GridLines::new(cx.grid, LineDirection::EastWest);
        let columns = GridLines::new(cx.grid, LineDirection::NorthSouth);
        let mut gone = 0.0;
        for step in 0..steps as usize {
            self.write_slopes(cx, flow, surface, lagged, slopes)?;
            let rows_of = flow::BAND_ROWS * n;
            let bands = (ice.par_chunks_mut(rows_of), till.par_chunks_mut(rows_of), laid.par_chunks_mut(rows_of));
            bands.into_par_iter().enumerate().try_for_each(|(band, (ice, till, laid))| {
                cx.control.check()?;
                let cells = ice.iter_mut().zip(till).zip(laid).enumerate();
                for (at, ((ice, till), laid)) in cells {
                    let k = band * rows_of + at;
                    let after =
                        balance.thickness(*ice, bed[k], slopes[0][k] * slopes[0][k] + slopes[1][k] * slopes[1][k]);
                    let share = IceBalance::laid_share(*ice, after);
                    let down = *till * share;
                    *laid += down;
                    *till -= down;
                    *ice = after;
                }
                Ok(())
            })?;
            gone += self.empty_voids(cx, [ice, till]);
            let order = if step % 2 == 0 { [&rows, &columns] } else { [&columns, &rows] };
            for lines in order {
                let fields = FlowFields { bed, lagged, slopes: [&slopes[0], &slopes[1]] };
                let off = flow.pass(cx, lines, balance.years, fields, [ice, till], blocks)?;
                gone += off[1];
                flow::unpack(cx, lines, &blocks[0], ice)?;
                flow::unpack(cx, lines, &blocks[1], till)?;
                gone += self.empty_voids(cx, [ice, till]);
            }
            let ice = &*ice;
            cx.rows(lagged, |i, row| {
                for (j, lagged) in row.iter_mut().enumerate() {
                    let thickness = ice[i * n + j] / relief;
                    let followed = f64::from(*lagged) + LAG_FRACTION * (thickness - f64::from(*lagged));
                    // negligible thicknesses become 0 instead of subnormal numbers
                    *lagged = if followed * relief > 1e-6 { followed as f32 } else { 0.0 };
                }
            })?;
            balance.years *= SHORTER;
        }
        self.write_slopes(cx, flow, surface, lagged, slopes)?;
        Ok(gone)
    }

    /// Removes ice and till from voids. Returns the till that they held.
    fn empty_voids(&self, cx: &Context, [ice, till]: [&mut [f64]; 2]) -> f64 {
        let mut gone = 0.0;
        for k in self.voids.iter().map(|&k| k as usize) {
            gone += if cx.grid.owns(k) { till[k] } else { 0.0 };
            (ice[k], till[k]) = (0.0, 0.0);
        }
        gone
    }

    fn write_slopes(
        &self,
        cx: &Context,
        flow: &IceFlow,
        surface: &mut [f32],
        lagged: &[f32],
        [east, south]: &mut [Vec<f32>; 2],
    ) -> Result<(), Cancelled> {
        let bed = self.bed();
        let n = cx.grid.samples;
        cx.rows(surface, |i, row| {
            let cells = bed[i * n..].iter().zip(&lagged[i * n..]);
            row.iter_mut().zip(cells).for_each(|(surface, (bed, ice))| *surface = bed + ice);
        })?;
        flow.slopes(cx, [surface, lagged], [east, south])
    }

    /// Writes the sliding speed of the ice to `speed`, and spreads the deposited till.
    fn write_speed(&self, cx: &Context, flow: &IceFlow, scratch: &mut GlacialScratch) -> Result<(), Cancelled> {
        let GlacialScratch { ice, deposited: laid, speed, across, slopes, blocks, .. } = scratch;
        let n = cx.grid.samples;
        let velocity = |k: usize| flow.sliding_velocity(ice[k], [slopes[0][k], slopes[1][k]]);
        cx.rows(speed, |i, row| row.iter_mut().enumerate().for_each(|(j, out)| *out = velocity(i * n + j)[0]))?;
        cx.rows(across, |i, row| row.iter_mut().enumerate().for_each(|(j, out)| *out = velocity(i * n + j)[1]))?;
        let [block, _] = blocks;
        let mut outs = [std::mem::take(block)];
        for direction in [LineDirection::EastWest, LineDirection::NorthSouth] {
            let lines = GridLines::new(cx.grid, direction);
            for part in [&mut *speed, across] {
                flow.spread(cx, &lines, COUPLING, Some(ice), part, &mut outs)?;
                flow::unpack(cx, &lines, &outs[0], part)?;
            }
            flow.spread(cx, &lines, LAID_METRES, None, laid, &mut outs)?;
            flow::unpack(cx, &lines, &outs[0], laid)?;
        }
        [*block] = outs;
        let across = &*across;
        cx.rows(speed, |i, row| {
            let cells = row.iter_mut().zip(&across[i * n..]);
            cells.for_each(|(east, south)| *east = (*east * *east + south * south).sqrt());
        })
    }
}

impl ErosionRun for GlacialRun {
    fn advance(&mut self, cx: &Context) -> Result<(), Cancelled> {
        let (grid, law, n) = (self.terrain.grid, self.law.clone(), self.terrain.grid.samples);
        let relief = f64::from(cx.relief_metres);
        let mut next = std::mem::take(&mut *self.next);
        let mut scratch = std::mem::take(&mut *self.scratch);
        next.fit(&self.terrain);
        let old_maps = [0, 1, 2, 3].map(|k| self.terrain.map(WRITTEN[k]).expect("made at the start").as_slice());
        let [old_wear, old_deposits, old_ice, old_till] = old_maps;

        let flow = IceFlow::new(cx, law.softness, law.sliding);
        let GlacialScratch {
            ice,
            till,
            deposited: laid,
            speed,
            across,
            surface,
            lagged,
            slopes: [east, south],
            bed,
            ..
        } = &mut scratch;
        for field in [&mut *ice, till, laid, speed, across] {
            field.resize(grid.len(), 0.0);
        }
        for field in [&mut *surface, lagged, east, south, bed] {
            field.resize(grid.len(), 0.0);
        }
        let (lagging, first) = (&self.lagged, |i: usize| i * n);
        cx.rows(ice, |i, row| {
            row.iter_mut().zip(&old_ice[first(i)..]).for_each(|(out, &ice)| *out = f64::from(ice) * relief);
        })?;
        cx.rows(till, |i, row| {
            row.iter_mut().zip(&old_till[first(i)..]).for_each(|(out, &till)| *out = f64::from(till));
        })?;
        cx.rows(laid, |_, row| row.fill(0.0))?;
        cx.rows(lagged, |i, row| row.copy_from_slice(&lagging[first(i)..][..n]))?;

        let mut lost = self.simulate_ice(cx, &flow, &mut scratch)?;
        self.write_speed(cx, &flow, &mut scratch)?;
        let GlacialScratch { ice, till, deposited: laid, speed, surface, bed, slopes: [shares, _], .. } = &mut scratch;
        let cell = f64::from(cx.cell_metres());
        let wear = BedWear {
            depth: f64::from(law.erosion_rate) * 0.001 * f64::from(law.time_step) / relief,
            exponent: f64::from(law.erosion_exponent),
            deepest: [DEEPEST_SHARE / relief, 0.5 * cell / relief],
            rounding: f64::from(law.floor_radius) * relief / (cell * cell),
            most_laid: MOST_LAID * cell / relief,
            till_share: f64::from(law.till_share),
            per_cell: relief / cell,
            rock: &self.rock,
        };
        let fall = Rockfall {
            rise: cx.rise_per_cell(law.wall_angle),
            loose_rise: cx.rise_per_cell(law.wall_angle.min(LOOSE_DEGREES)),
            loose_depth: LOOSE_METRES / relief,
        };
        let old = self.bed();
        lost += wear.wear(cx, old, [ice, speed, laid], surface, till)?;
        fall.loss_factors(cx, surface, laid, shares)?;
        // no rock falls out of a void
        self.voids.iter().for_each(|&k| shares[k as usize] = 0.0);
        lost += fall.fall(cx, [surface, shares], ice, bed, till)?;
        lost += self.empty_voids(cx, [ice, till]);

        let NextState { height, maps: [new_wear, new_deposits, new_ice, new_till], accounts } = &mut next;
        let leave_ice = law.leave_ice;
        let (bed, ice, till) = (&*bed, &*ice, &*till);
        let outs = (
            (height.par_chunks_mut(n), new_ice.par_chunks_mut(n), new_till.par_chunks_mut(n)),
            (new_wear.par_chunks_mut(n), new_deposits.par_chunks_mut(n), accounts),
        );
        let (fields, books) = (outs.0.into_par_iter(), outs.1.into_par_iter());
        fields.zip(books).enumerate().try_for_each(|(i, ((height, new_ice, new_till), (wear, deposits, to)))| {
            cx.control.check()?;
            let span = i * n..(i + 1) * n;
            for (j, k) in span.clone().enumerate() {
                new_ice[j] = (ice[k] / relief) as f32;
                new_till[j] = till[k] as f32;
                height[j] = if leave_ice { bed[k] + new_ice[j] } else { bed[k] };
            }
            let (before, after) = (&old[span.clone()], &bed[span.clone()]);
            let balance = [&old_wear[span.clone()], &old_deposits[span.clone()]];
            add_balance(before, after, balance, wear, deposits);
            *to = account(grid, None, before, after, Some(new_till));
            Ok(())
        })?;
        // from this line on the step cannot fail
        if leave_ice {
            let [before, after] = [&self.terrain.height, &*height].map(|field| grid.sum(field));
            let rock = grid.sum(bed) - grid.sum(old);
            self.mass_balance.added += after - before - rock;
            self.bed = Some(Arc::new(bed.to_vec()));
        }
        self.mass_balance.lost += lost;
        let kinds = [WRITTEN[0], WRITTEN[1], WRITTEN[2], WRITTEN[3]];
        next.replace_terrain(&mut self.terrain, kinds, &mut self.mass_balance);
        std::mem::swap(&mut self.lagged, &mut scratch.lagged);
        if leave_ice {
            self.cover_with_firn(FIRN_METRES / cx.relief_metres);
        }
        (*self.next, *self.scratch) = (next, scratch);
        Ok(())
    }

    fn state(&self) -> (&Terrain, MassBalance) {
        let carried = self.mass_balance.carried - self.carried_before;
        (&self.terrain, MassBalance { carried, ..self.mass_balance })
    }

    fn into_resumable_state(self) -> Terrain {
        self.terrain
    }

    fn own_bytes(&self) -> usize {
        4 * self.lagged.len() + self.bed.as_ref().map_or(0, |bed| 4 * bed.len())
    }
}
