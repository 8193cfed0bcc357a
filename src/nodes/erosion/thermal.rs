//! Thermal erosion, reference form: loose rock slides to the talus angle.
//!
//! Law: a cell has the height h, and its neighbours have heights h_n and distances δ_n (1 or √2 cells). The drops are
//! d_n = h - h_n and the thresholds T_n = T·δ_n, with T the rise of the talus angle over one cell. If some d_n > T_n,
//! the cell loses m = c · max(d_n - T_n). This loss is divided among the neighbours with d_n > T_n in proportion to d_n
//! / Σ d_n. All cells change at once: old heights are read, new heights are written. On rock of erodibility s (1 -
//! hardness) the cell loses s·m.
//! Symbols: c is `rate`, and T follows from `talus_angle`. With the threshold [`TalusThreshold::Document`], T_n = T =
//! k/N for all neighbours, with N the samples along a side, as in Olsen 2004 and Le Martelot 2005. Their k corresponds
//! to a talus angle of atan(k · relief_metres / size_metres).
//! Presets: angles of repose of dry sand 34°, wet clay 15°, chalk 45°, granite 35 to 40° after Glover, Pocket Ref
//! (1998). The angle of repose of talus is about 37° after Chandler, Geological Society 1973.
//!
//! On a globe δ_n are the actual distances and T is a rise per radius. There the loss of a cell is a volume, so that
//! scree travels equally fast where cells are small. The volume is c · max(d_n - T_n) over a cell of the mean area, and
//! at most max(d_n - T_n) over the cell itself. A neighbour spreads the received volume over its own area.
//!
//! Scheme: `gather`. Heights and maps are double-buffered: a cancelled step leaves the run unchanged. Wear and deposits
//! record the net change of each iteration, so rock that only passes through a cell leaves no trace there.
//! From coarse to fine: the talus angle is the same on every grid. A few iterations on a coarse grid carry the scree as
//! far as thousands on a fine grid. Slopes below the talus angle keep the roughness of each grid, which would change
//! the path of the water from grid to grid. So on grids of more than 513 samples a side, terrain that crosses the bed
//! of a trunk stream is lowered to the bed. The volume removed for this purpose counts as `resampled` in the mass
//! balance.
//! Boundary: nothing leaves an open edge; a wrapping terrain continues on the other side.
//! Stability: a cell never falls below its lowest neighbour and volume is conserved, so heights stay bounded for any c.
//! A hollow is filled from all sides at once, so a large c overshoots. At 257² samples of fractal noise the papers' c =
//! 0.5 moves four times as much rock back and forth in iteration 50 as c = 0.3 does. With c = 0.5 the slopes are still
//! no closer to rest after 1000 iterations.
//! Anisotropy: a cone that came to rest at slope 1 has the slopes 1.03, 1.04 and 0.99 along 0°, 22.5° and 45° with all
//! eight neighbours. The slopes are 1.05, 1.27 and 1.37 with the four orthogonal neighbours, and 1.36, 1.24 and 1.01
//! with the diagonal ones (tests/core/nodes/erosion/classic.rs).
//! Source: Musgrave et al. 1989; Olsen 2004; Le Martelot 2005, §3.3.1.

use super::buffers::{self, NextState, WorkingMemory};
use super::gather::{self, Fields, GatherLaw, Settling};
use super::rock::Rock;
use super::run::ErosionRun;
use super::talus::{TalusRise, TalusThreshold};
use crate::multiscale::{LargestScale, StreamBeds, multiscale_params};
use crate::{Context, FinerGrids, MassBalance, MultiScale, NodeMemory, NodeParts, OnPlanet, Process, Run, Traits};
use talweg_ground::field::metric::{GridMetric, RowMetric};
use talweg_ground::field::topology::{
    EAST, NORTH, NORTH_EAST, NORTH_WEST, SOUTH, SOUTH_EAST, SOUTH_WEST, WEST, around_row,
};
use talweg_ground::field::{Cancelled, MapKind, Terrain};

talweg_ground::choices! {
    /// Neighbouring cells to which material can move.
    Neighbours {
        Moore "All 8": "All eight surrounding cells (Moore): makes the roundest cones of scree.",
        VonNeumann "4 straight": "North, east, south and west (von Neumann): takes about half the time; slopes become steeper along diagonals.",
        Rotated "4 diagonal": "The four diagonals (rotated von Neumann): takes about half the time; slopes become steeper along rows.",
    }
}

talweg_ground::params! {
    /// Lets loose rock slide until no slope is steeper than the talus angle. Cliffs crumble and scree gathers at their
    /// feet; gentle slopes stay unchanged. Until the rock is at rest, its movement follows the grid: on
    /// a cone the change of the height varies with the direction by 22 % of its mean. At rest the cone is round.
    Thermal "Thermal erosion" in "Erosion", from "Musgrave et al. 1989; Olsen 2004", also "talus scree landslide rockfall weathering crumble" {
        /// Number of iterations, counted at the scene's resolution. More iterations carry the scree farther down.
        iterations: u32 = 50, 0..=10_000, slider 1..=500;
        multiscale_params!();
        /// Steepest slope on which rock stays in place. Loose rock rests at 30 to 40 degrees. At the scale of a whole
        /// planet, even slopes of one degree are steep.
        talus_angle: f32 ["°"] = 34.0, 0.0..=89.0, slider 15.0..=60.0 => |thermal| thermal.threshold == TalusThreshold::Angle;
        /// Definition of the threshold: an angle, or the constant of Le Martelot 2005.
        threshold: TalusThreshold = TalusThreshold::Angle;
        /// The constant of Le Martelot 2005: 2 to 20 in the paper's text, 4 in its figures. Higher values leave steeper
        /// slopes.
        k: f32 = 4.0, 0.0..=10_000.0, slider 0.0..=20.0 => |thermal| thermal.threshold == TalusThreshold::Document;
        /// Fraction of the height above the stable slope that moves in one iteration. Above 30 % the slopes ripple
        /// until they settle; near 100 % they oscillate strongly.
        rate: f32 ["share"] = 0.3, 0.0..=1.0, slider 0.05..=0.5;
        /// Neighbouring cells to which material can move.
        neighbours: Neighbours = Neighbours::Moore;
        /// Hardness of the rock everywhere, from 0 for loose ground to 1 for rock that never erodes. If a layer below
        /// made a hardness map, the higher hardness counts in each place.
        hardness: f32 ["share"] = 0.0, 0.0..=1.0;
        presets {
            Light "Light": "Blunts the crests." { iterations = 12 }
            Natural "Natural": "Scree at the foot of the cliffs." {}
            Strong "Strong": "Valleys filled with scree." { iterations = 300, talus_angle = 30.0 }
            Sand "Sand": "Dry sand, at rest at 34°." { iterations = 150 }
            Scree "Scree": "Angular stones, at rest at 37°." { iterations = 100, talus_angle = 37.0 }
            Clay "Clay": "Wet clay, which slides down to 15°." { iterations = 100, talus_angle = 15.0 }
            Chalk "Chalk": "Broken chalk, which stands at 45°." { iterations = 80, talus_angle = 45.0 }
            Granite "Granite": "Blocks of granite, at rest at 40°." { iterations = 60, talus_angle = 40.0, hardness = 0.5 }
            Document "As published": "The constants of Le Martelot 2005: one threshold k/N for all neighbours, k = 4 and c = 0.5." { iterations = 100, threshold = TalusThreshold::Document, rate = 0.5 }
            AllScales "All scales": "Forms long scree slopes first, then short ones; takes seconds at any resolution." { iterations = 60, largest_scale = LargestScale::Samples129, fine_weight = 0.7 }
        }
    }
}

impl Process for Thermal {
    fn traits(&self) -> Traits {
        Traits {
            writes: &WRITTEN,
            // version 2 applies only to runs from coarse to fine, in which trunk streams keep their places on large
            // grids
            version: if self.largest_scale == LargestScale::OneGrid { 1 } else { 2 },
            on_planet: Some(OnPlanet { version: 1, more_fields: 5.9, ..OnPlanet::DEFAULT }),
            memory: NodeMemory::constant(3.0),
            finer_grids: FinerGrids { stream_beds: StreamBeds::Cleared, ..FinerGrids::DEFAULT },
            ..Traits::PROCESS
        }
    }

    fn parts(&self) -> NodeParts<'_> {
        NodeParts::iterations(2)
    }

    fn iterations(&self) -> u32 {
        self.iterations
    }

    fn multiscale(&self) -> MultiScale {
        MultiScale { largest: self.largest_scale, fine_weight: self.fine_weight }
    }

    fn start_run(&self, _cx: &Context, mut terrain: Terrain) -> Box<dyn Run> {
        buffers::prepare(&mut terrain, &WRITTEN);
        Box::new(ThermalRun {
            law: self.clone(),
            rock: Rock::new(&terrain, self.hardness),
            metric: GridMetric::new(terrain.grid),
            terrain,
            next: WorkingMemory::default(),
            fields: WorkingMemory::default(),
            mass_balance: MassBalance::default(),
        })
    }
}

/// The data maps of this process, in the order of [`NextState::maps`].
const WRITTEN: [MapKind; 2] = [MapKind::Wear, MapKind::Deposits];

#[derive(Clone)]
struct ThermalRun {
    law: Thermal,
    rock: Rock,
    metric: GridMetric,
    terrain: Terrain,
    next: WorkingMemory<NextState<2>>,
    fields: WorkingMemory<Fields<1, 1>>,
    mass_balance: MassBalance,
}

impl ErosionRun for ThermalRun {
    fn advance(&mut self, cx: &Context) -> Result<(), Cancelled> {
        let rise = self.law.threshold.rise(cx, &self.metric, self.law.talus_angle, self.law.k);
        self.next.fit(&self.terrain);
        let NextState { height, maps: [wear, deposits], accounts } = &mut *self.next;
        let [old_wear, old_deposits] = WRITTEN.map(|kind| self.terrain.map(kind).expect("made at the start"));
        let Thermal { rate, neighbours, .. } = self.law;
        let law = ThermalLaw { terrain: &self.terrain, rate, rock: &self.rock, neighbours, rise };
        let step = gather::GatherStep {
            out: [height],
            carried: None,
            wear,
            deposits,
            accounts,
            old_height: &self.terrain.height,
            old_balance: [old_wear, old_deposits],
        };
        gather::step(cx, &self.metric, &law, &mut self.fields, step)?;
        // from here on, the step cannot fail
        self.next.replace_terrain(&mut self.terrain, WRITTEN, &mut self.mass_balance);
        Ok(())
    }

    fn state(&self) -> (&Terrain, MassBalance) {
        (&self.terrain, self.mass_balance)
    }

    fn into_resumable_state(self) -> Terrain {
        self.terrain
    }
}

/// The equations of one step. A cell's level is its height. Its own value is the fraction of its excess height that
/// moves.
struct ThermalLaw<'a> {
    terrain: &'a Terrain,
    rate: f32,
    rock: &'a Rock,
    neighbours: Neighbours,
    rise: TalusRise,
}

impl GatherLaw<1, 1, 1> for ThermalLaw<'_> {
    fn load(&self, row: usize, level: &mut [f32], [rates]: [&mut [f32]; 1]) {
        let grid = self.terrain.grid;
        level.copy_from_slice(grid.row(&self.terrain.height, row));
        match self.rock.uniform() {
            // row buffers are reused, so most of them already hold this value
            Some(erodibility) if rates[0] != self.rate * erodibility => rates.fill(self.rate * erodibility),
            Some(_) => {}
            None => {
                self.rock.load_row(grid, row, rates);
                rates.iter_mut().for_each(|rate| *rate *= self.rate);
            }
        }
    }

    fn give<M: RowMetric>(
        &self,
        metric: M,
        levels: [&[f32]; 3],
        [rates]: [&[f32]; 1],
        [lost]: [&mut [f32]; 1],
        [shares]: [&mut [f32]; 1],
    ) {
        let rises = self.rise.over_distances();
        match self.neighbours {
            Neighbours::Moore => give_row::<M, true, true>(metric, levels, rises, rates, lost, shares),
            Neighbours::VonNeumann => give_row::<M, true, false>(metric, levels, rises, rates, lost, shares),
            Neighbours::Rotated => give_row::<M, false, true>(metric, levels, rises, rates, lost, shares),
        }
    }

    fn update_row<M: RowMetric>(&self, _row: usize, metric: M, cells: Settling<'_, 1, 1>, [out]: [&mut [f32]; 1]) {
        let Settling { levels, lost: [lost], shares: [shares], .. } = cells;
        let rises = self.rise.over_distances();
        match self.neighbours {
            Neighbours::Moore => settle_row::<M, true, true>(metric, levels, rises, lost, shares, out),
            Neighbours::VonNeumann => settle_row::<M, true, false>(metric, levels, rises, lost, shares, out),
            Neighbours::Rotated => settle_row::<M, false, true>(metric, levels, rises, lost, shares, out),
        }
    }
}

/// Computes the height that the cells of a row lose. This function and the next one are separate from their callers, to
/// tell the compiler that the slices they write do not overlap.
#[inline(never)]
fn give_row<M: RowMetric, const STRAIGHT_ONES: bool, const DIAGONAL_ONES: bool>(
    metric: M,
    levels: [&[f32]; 3],
    [straight, diagonal]: [f32; 2],
    rates: &[f32],
    lost: &mut [f32],
    shares: &mut [f32],
) {
    let n = lost.len();
    let (around, here, metric) = (around_row(levels).map(|row| &row[..n]), &levels[1][1..][..n], metric.limited_to(n));
    let (rates, shares) = (&rates[..n], &mut shares[..n]);
    for j in 0..n {
        let (h, area) = (here[j], metric.area(j));
        let (mut sum, mut most) = (0.0f32, 0.0f32);
        let mut look = |direction: usize, rise: f32| {
            let d = h - around[direction][j];
            let excess = d - rise * metric.distance(direction, j);
            sum += if excess > 0.0 { d } else { 0.0 };
            most = if excess > most { excess } else { most };
        };
        if STRAIGHT_ONES {
            look(NORTH, straight);
            look(WEST, straight);
            look(EAST, straight);
            look(SOUTH, straight);
        }
        if DIAGONAL_ONES {
            look(NORTH_WEST, diagonal);
            look(NORTH_EAST, diagonal);
            look(SOUTH_WEST, diagonal);
            look(SOUTH_EAST, diagonal);
        }
        let moved = metric.equal_volume_fraction(rates[j], j) * most;
        lost[j] = moved;
        shares[j] = if sum > 0.0 { moved * area / sum } else { 0.0 };
    }
}

/// Writes the new heights of a row from the heights that its cells lose and gain.
#[inline(never)]
fn settle_row<M: RowMetric, const STRAIGHT_ONES: bool, const DIAGONAL_ONES: bool>(
    metric: M,
    levels: [&[f32]; 3],
    [straight, diagonal]: [f32; 2],
    lost: &[f32],
    shares: [&[f32]; 3],
    out: &mut [f32],
) {
    let n = out.len();
    let (around, here, metric) = (around_row(levels).map(|row| &row[..n]), &levels[1][1..][..n], metric.limited_to(n));
    let (shares, lost) = (around_row(shares).map(|row| &row[..n]), &lost[..n]);
    for j in 0..n {
        let h = here[j];
        let mut gained = 0.0f32;
        let mut take = |direction: usize, rise: f32| {
            let d = around[direction][j] - h;
            // the amount is selected before the multiplication, so that the loop has no branch
            gained += shares[direction][j] * if d - rise * metric.distance(direction, j) > 0.0 { d } else { 0.0 };
        };
        if STRAIGHT_ONES {
            take(NORTH, straight);
            take(WEST, straight);
            take(EAST, straight);
            take(SOUTH, straight);
        }
        if DIAGONAL_ONES {
            take(NORTH_WEST, diagonal);
            take(NORTH_EAST, diagonal);
            take(SOUTH_WEST, diagonal);
            take(SOUTH_EAST, diagonal);
        }
        // a single subtraction of the net change, so that a cell where nothing moves keeps its bits
        out[j] = h - (lost[j] - gained / metric.area(j));
    }
}
