//! Hillslope creep: soil moves down every slope, faster where the slope is steeper.
//!
//! Law: ∂h/∂t = ∇·(κ s ∇h), with h the height, t the time and κ the `diffusivity`. s is the erodibility (1 - hardness)
//! of the cell that gives the soil. So the hardest rock gives no soil but can still be buried.
//! Symbols: r = κ·Δt/Δx², with Δt the `time_step` and Δx the distance between samples. Soil that creeps for a time t
//! spreads over √(2κt): 45 m in 100 000 years at κ = 0.01 m²/year.
//!
//! Scheme: explicit. The flow between two cells of heights h and h_n is r·s·w·(h_n - h), with w the conductance of the
//! pair. On a square w is ⅔ for the four orthogonal neighbours and ⅙ for the diagonal neighbours (the Mehrstellen
//! stencil). On a globe w is from [`Links::conductances`], and the flow is a volume that spreads over the cell's own
//! area. One iteration consists of equal steps, as many as `stability_bound` requires. Heights are in double precision
//! within an iteration. The part of a height that single precision would lose is kept between iterations, because slow
//! creep changes a height by less than its last digit per year. A cancelled iteration leaves the run unchanged. Wear
//! and deposits record the net change of each iteration.
//! From coarse to fine: an iteration simulates the same time on every grid.
//! Boundary: nothing leaves an open edge; a wrapping terrain continues on the other side.
//! Stability: with r ≤ ¼ a new height is a weighted mean of old heights with positive weights (the smallest is 1 -
//! 10/3·r), so nothing overshoots. `FARTHEST` limits the simulated duration of an iteration. So it also limits the
//! number of steps on a small terrain or over a long time.
//! Source: Culling 1960 (soil creep as diffusion); Fernandes & Dietrich 1997 (values of κ, 0.0004 to 0.036 m²/year).

use std::sync::Arc;

use rayon::prelude::*;

use super::buffers::{self, NextState, WorkingMemory, account, with_balance};
use super::rock::Rock;
use super::run::ErosionRun;
use crate::multiscale::multiscale_params;
use crate::{
    Context, MassBalance, MultiScale, NodeMemory, NodeParts, OnPlanet, Pace, Process, Run, StencilRadius, Traits,
};
use talweg_ground::field::metric::{GridMetric, Links, Stencil};
use talweg_ground::field::topology::{EdgeFill, FieldValues, StencilWindow, around_row};
use talweg_ground::field::{Cancelled, Grid, MapKind, Metric, Spherical, Terrain, Uniform};

talweg_ground::params! {
    /// Makes soil creep downhill for thousands of years. Crests become round, hollows fill and small roughness
    /// disappears, while large forms stay.
    Creep "Hillslope creep" in "Erosion", from "Culling 1960; Fernandes & Dietrich 1997", also "diffusion soil smooth hills rounding solifluction frost regolith" {
        /// Number of iterations, each of one time step. More iterations make the terrain rounder.
        iterations: u32 = 30, 0..=10_000, slider 1..=500;
        multiscale_params!();
        /// Duration of one iteration. On a small terrain an iteration stops once the soil has spread over about a
        /// hundredth of the side length.
        time_step: f32 ["years"] = 5000.0, 1.0..=1_000_000.0, slider 100.0..=20_000.0;
        /// Speed of the creep: about 0.001 m²/year in dry ground, 0.01 in damp hills and 0.04 in ground that freezes
        /// and thaws. Higher values round the crests faster.
        diffusivity: f32 ["m²/year"] = 0.01, 0.0..=1.0, slider 0.0..=0.05;
        /// Hardness of the rock everywhere, from 0 for loose ground to 1 for rock that never erodes. If a layer below
        /// made a hardness map, the higher hardness counts in each place.
        hardness: f32 ["share"] = 0.0, 0.0..=1.0;
        presets {
            Light "Light": "Removes small roughness." { iterations = 8 }
            Natural "Natural": "Rounds the crests; valleys keep their form." {}
            Strong "Strong": "Broad, soft hills." { iterations = 400 }
            Dry "Dry hills": "Hardly any soil moves, and the crests stay narrow." { iterations = 20, diffusivity = 0.002 }
            Damp "Damp hills": "Thick soil under grass and woods." { iterations = 30, diffusivity = 0.02 }
            Frost "Freeze and thaw": "Frost lifts the soil every winter and the slopes flow." { iterations = 40, diffusivity = 0.04 }
        }
    }
}

/// Number of rows in a band of rows that one thread computes. Rows adjacent to a band are read again for that band.
const BAND_ROWS: usize = 32;
/// Largest stable r of one step on a square.
const STABLE: f64 = 0.25;
/// Largest part of a cell's height that its neighbours replace in one step on a globe.
const EXCHANGED: f64 = 0.8;
/// Largest √(κ·Δt) of one iteration, as a fraction of the terrain's side length.
const FARTHEST: f64 = 1.0 / 128.0;

impl Process for Creep {
    fn traits(&self) -> Traits {
        Traits {
            writes: &WRITTEN,
            on_planet: Some(OnPlanet { version: 1, more_fields: 4.6, ..OnPlanet::DEFAULT }),
            // 5 bytes per sample if an iteration has one step; 9 if it has three or more on rock of varying hardness
            memory: NodeMemory::constant(6.8),
            ..Traits::PROCESS
        }
    }

    fn parts(&self) -> NodeParts<'_> {
        NodeParts::Iterations {
            // one explicit step for each quarter of a cell's area that κ·Δt contains
            reach: StencilRadius {
                square_metres: self.diffusivity * self.time_step * (1.0 / STABLE) as f32 * 1.0001,
                ..StencilRadius::of_cells(2)
            },
            resumes: false,
            sums_rain: false,
        }
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

    fn start_run(&self, _cx: &Context, mut terrain: Terrain) -> Box<dyn Run> {
        buffers::prepare(&mut terrain, &WRITTEN);
        let metric = GridMetric::new(terrain.grid);
        let conductances = match &metric {
            GridMetric::Uniform => None,
            GridMetric::Spherical(metric) => Some(Arc::new(Links::conductances(metric.globe()))),
        };
        Box::new(CreepRun {
            metres: f64::from(self.diffusivity) * f64::from(self.time_step),
            rock: Rock::new(&terrain, self.hardness),
            stability_bound: match (&metric, &conductances) {
                (GridMetric::Spherical(metric), Some(links)) => stability_bound(metric, links),
                _ => 1.0 / STABLE,
            },
            metric,
            conductances,
            rest: vec![0.0; terrain.grid.len()],
            terrain,
            next: WorkingMemory::default(),
            scratch: WorkingMemory::default(),
            mass_balance: MassBalance::default(),
        })
    }
}

/// Returns the number of steps that a globe needs per unit of r: the greatest ratio of a cell's summed conductances to
/// its area, divided by [`EXCHANGED`]. Areas are multiples of the mean cell area.
fn stability_bound(metric: &Spherical, conductances: &Links) -> f64 {
    let of_row = |row: usize| {
        let (links, areas) = (conductances.around_row(row), metric.face_areas(row));
        areas
            .iter()
            .enumerate()
            .map(move |(j, &area)| links.iter().map(|links| f64::from(links[j])).sum::<f64>() / f64::from(area))
    };
    (0..metric.globe().samples()).flat_map(of_row).fold(0.0, f64::max) / EXCHANGED
}

/// The data maps of this process, in the order of [`NextState::maps`].
const WRITTEN: [MapKind; 2] = [MapKind::Wear, MapKind::Deposits];

#[derive(Clone)]
struct CreepRun {
    /// κ·Δt of one iteration, in m².
    metres: f64,
    rock: Rock,
    metric: GridMetric,
    /// Conductances of a globe; `None` on a square.
    conductances: Option<Arc<Links>>,
    /// Number of steps per iteration and unit of r.
    stability_bound: f64,
    terrain: Terrain,
    /// The part of each height that single precision loses.
    rest: Vec<f32>,
    next: WorkingMemory<NextState<2>>,
    scratch: WorkingMemory<CreepScratch>,
    mass_balance: MassBalance,
}

/// Working memory of an iteration; empty in snapshots.
#[derive(Default)]
struct CreepScratch {
    /// Heights in double precision between two steps.
    now: Vec<f64>,
    later: Vec<f64>,
    /// r·s of every cell for one step; empty if the hardness is uniform.
    rates: Vec<f64>,
    /// The part of each new height that single precision loses.
    rest: Vec<f32>,
}

/// Heights in single precision, plus the part that single precision loses.
struct ExactHeights<'a> {
    height: &'a [f32],
    rest: &'a [f32],
}

impl FieldValues<f64> for ExactHeights<'_> {
    fn value(&self, k: usize) -> f64 {
        f64::from(self.height[k]) + f64::from(self.rest[k])
    }

    fn copy(&self, first: usize, out: &mut [f64]) {
        exact_row(&self.height[first..], &self.rest[first..], out);
    }
}

impl CreepRun {
    /// Computes one step of the diffusion, from the heights `now` to the heights `later`.
    fn one_step(
        &self,
        cx: &Context,
        rates: CreepRates,
        now: &(impl FieldValues<f64> + Sync + ?Sized),
        later: &mut [f64],
    ) -> Result<(), Cancelled> {
        let n = cx.grid.samples;
        cx.bands(later, |first, out| {
            let mut out = out.chunks_mut(n);
            self.creep(cx.grid, rates, now, (first, out.len()), |_, made| {
                out.next().expect("as many rows").copy_from_slice(made);
            });
        })?;
        cx.grid.close(later);
        Ok(())
    }

    /// Applies the diffusion equation to `count` rows in order, starting with row `first`, and calls `put(row,
    /// heights)` for each row.
    fn creep(
        &self,
        grid: Grid,
        rates: CreepRates,
        now: &(impl FieldValues<f64> + ?Sized),
        rows: (usize, usize),
        put: impl FnMut(usize, &[f64]),
    ) {
        match (&self.metric, &self.conductances) {
            (GridMetric::Spherical(metric), Some(links)) => {
                diffuse(grid, |row| metric.conductances(links, row), rates, now, rows, put);
            }
            _ => diffuse(grid, |_| Uniform, rates, now, rows, put),
        }
    }

    /// Returns r = κ·Δt/Δx² of a whole iteration. `side` is the side length in metres.
    fn spread(&self, grid: Grid, side: f64) -> f64 {
        let cells = match &self.metric {
            GridMetric::Uniform => (grid.whole_samples() - 1) as f64,
            GridMetric::Spherical(metric) => 1.0 / (metric.spacing() * std::f64::consts::FRAC_2_PI),
        };
        (self.metres / (side * side)).min(FARTHEST * FARTHEST) * cells * cells
    }
}

impl ErosionRun for CreepRun {
    fn advance(&mut self, cx: &Context) -> Result<(), Cancelled> {
        let grid = self.terrain.grid;
        let n = grid.samples;
        let spread = self.spread(grid, f64::from(cx.size_metres));
        let steps = libm::ceil(spread * self.stability_bound).max(1.0) as u32;
        let share = spread / f64::from(steps);

        let CreepScratch { mut now, mut later, mut rates, rest: mut new_rest } = std::mem::take(&mut *self.scratch);
        let (old, rest, rock) = (&self.terrain.height, &self.rest, &self.rock);
        if rock.uniform().is_none() {
            rates.resize(grid.len(), 0.0);
            cx.rows(&mut rates, |i, row| {
                let first = grid.original(i) * n;
                for (j, rate) in row.iter_mut().enumerate() {
                    *rate = share * f64::from(rock.erodibility(first + grid.original(j)));
                }
            })?;
            grid.close(&mut rates);
        }
        let uniform = share * f64::from(rock.uniform().unwrap_or(1.0));
        let given = CreepRates { uniform, of_cells: &rates };
        // on a square the last step also finishes each row while the row is in the cache; on a globe, samples that copy
        // another face can be written only after the samples that they copy
        let between = steps - u32::from(!grid.is_globe());
        let exact = ExactHeights { height: old, rest };
        for step in 0..between {
            later.resize(grid.len(), 0.0);
            match step {
                0 => self.one_step(cx, given, &exact, &mut later)?,
                _ => self.one_step(cx, given, &now[..], &mut later)?,
            }
            std::mem::swap(&mut now, &mut later);
        }

        self.next.fit(&self.terrain);
        new_rest.resize(grid.len(), 0.0);
        let mut next = std::mem::take(&mut *self.next);
        let NextState { height, maps: [wear, deposits], accounts } = &mut next;
        let before = WRITTEN.map(|kind| self.terrain.map(kind).expect("made at the start"));
        let this = &*self;
        let outs = (height.par_chunks_mut(BAND_ROWS * n), wear.par_chunks_mut(BAND_ROWS * n));
        let outs = (outs, deposits.par_chunks_mut(BAND_ROWS * n), new_rest.par_chunks_mut(BAND_ROWS * n));
        let bands = (outs, accounts.par_chunks_mut(BAND_ROWS)).into_par_iter().enumerate();
        bands.try_for_each(|(band, (((height, wear), deposits, new_rest), accounts))| {
            cx.control.check()?;
            let (first, count) = (band * BAND_ROWS, accounts.len());
            let mut finish = |row: usize, made: &[f64]| {
                let (span, own) = (row * n..(row + 1) * n, (row - first) * n..(row - first + 1) * n);
                let (old, height) = (&old[span.clone()], &mut height[own.clone()]);
                let [wear_before, deposits_before] = before.map(|map| &map[span.clone()]);
                let (wear, deposits) = (&mut wear[own.clone()], &mut deposits[own.clone()]);
                let out = [&mut *height, &mut new_rest[own], wear, deposits];
                finish_row(made, [old, &rest[span], wear_before, deposits_before], out);
                accounts[row - first] = account(grid, this.metric.owned_areas(row), old, height, None);
            };
            if grid.is_globe() {
                (first..first + count).zip(now[first * n..].chunks(n)).for_each(|(row, made)| finish(row, made));
            } else if between == 0 {
                this.creep(grid, given, &exact, (first, count), finish);
            } else {
                this.creep(grid, given, &now[..], (first, count), finish);
            }
            Ok(())
        })?;
        // from this line on the step cannot fail
        *self.next = next;
        self.next.replace_terrain(&mut self.terrain, WRITTEN, &mut self.mass_balance);
        std::mem::swap(&mut self.rest, &mut new_rest);
        *self.scratch = CreepScratch { now, later, rates, rest: new_rest };
        Ok(())
    }

    fn state(&self) -> (&Terrain, MassBalance) {
        (&self.terrain, self.mass_balance)
    }

    fn into_resumable_state(self) -> Terrain {
        self.terrain
    }

    fn own_bytes(&self) -> usize {
        4 * self.rest.len()
    }
}

#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn exact_row(height: &[f32], rest: &[f32], out: &mut [f64]) {
    for ((out, &h), &rest) in out.iter_mut().zip(height).zip(rest) {
        *out = f64::from(h) + f64::from(rest);
    }
}

/// Writes heights in single precision, the part that single precision loses, wear and deposits. `made` holds the new
/// heights of a row. `old` holds its old heights; `rest`, `wear` and `deposits` hold the old values of the other three
/// outputs. Cells that have not moved keep their bits, even the sign of a zero.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn finish_row(made: &[f64], [old, rest, wear, deposits]: [&[f32]; 4], out: [&mut [f32]; 4]) {
    let n = made.len();
    let (old, rest, wear, deposits) = (&old[..n], &rest[..n], &wear[..n], &deposits[..n]);
    let [height, new_rest, new_wear, new_deposits] = out.map(|field| &mut field[..n]);
    for j in 0..n {
        let (made, before) = (made[j], old[j]);
        let new = if made == f64::from(before) + f64::from(rest[j]) { before } else { made as f32 };
        height[j] = new;
        new_rest[j] = (made - f64::from(new)) as f32;
        (new_wear[j], new_deposits[j]) = with_balance(before, new, wear[j], deposits[j]);
    }
}

/// Rates r·s of the cells for one step.
#[derive(Clone, Copy)]
struct CreepRates<'a> {
    /// Rate of all cells, if the hardness is uniform.
    uniform: f64,
    /// Rate of every cell; empty if the hardness is uniform.
    of_cells: &'a [f64],
}

/// Applies one step of the diffusion equation to `count` rows, starting with row `first`, and calls `put(row, heights)`
/// for each row. An open edge acts as a mirror: the edge row repeats beyond the edge, so no net amount crosses it.
fn diffuse<S: Stencil>(
    grid: Grid,
    stencil: impl Fn(usize) -> S,
    rates: CreepRates,
    now: &(impl FieldValues<f64> + ?Sized),
    (first, count): (usize, usize),
    mut put: impl FnMut(usize, &[f64]),
) {
    let mut heights = StencilWindow::new(grid, EdgeFill::Nearest, now, first);
    let differs = !rates.of_cells.is_empty();
    let mut windows = differs.then(|| StencilWindow::new(grid, EdgeFill::Nearest, rates.of_cells, first));
    let mut out = vec![0.0; grid.samples];
    for row in first..first + count {
        heights.advance(now);
        match &mut windows {
            None => diffuse_even(stencil(row), rates.uniform, heights.rows(), &mut out),
            Some(window) => {
                window.advance(rates.of_cells);
                diffuse_uneven(stencil(row), window.rows(), heights.rows(), &mut out);
            }
        }
        put(row, &out);
    }
}

/// Computes the new heights of a row of uniform hardness.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn diffuse_even<S: Stencil>(stencil: S, rate: f64, heights: [&[f64]; 3], out: &mut [f64]) {
    let n = out.len();
    let (around, here, stencil) =
        (around_row(heights).map(|row| &row[..n]), &heights[1][1..][..n], stencil.limited_to(n));
    for (j, out) in out.iter_mut().enumerate() {
        let h = here[j];
        *out = h + rate * stencil.divergence(j, |direction| around[direction][j] - h);
    }
}

/// Computes the new heights of a row of varying hardness. Between two neighbours the rate of the higher cell applies.
#[multiversion::multiversion(targets("x86_64+avx2"))]
fn diffuse_uneven<S: Stencil>(stencil: S, rates: [&[f64]; 3], heights: [&[f64]; 3], out: &mut [f64]) {
    let n = out.len();
    let (around, here, stencil) =
        (around_row(heights).map(|row| &row[..n]), &heights[1][1..][..n], stencil.limited_to(n));
    let (rates, own) = (around_row(rates).map(|row| &row[..n]), &rates[1][1..][..n]);
    for (j, out) in out.iter_mut().enumerate() {
        let h = here[j];
        let flow = |direction: usize| {
            let d = around[direction][j] - h;
            d * if d > 0.0 { rates[direction][j] } else { own[j] }
        };
        *out = h + stencil.divergence(j, flow);
    }
}
