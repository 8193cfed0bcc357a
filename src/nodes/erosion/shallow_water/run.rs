//! The process under way: its state, its mass balance, and the terrain it shows.

use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::ShallowWater;
use super::law::ShallowWaterLaw;
use super::rows::{FIELDS, FLUX, GROUND, SEDIMENT, WATER, row_of};
use super::supply::Supply;
use super::sweep::{Rim, RollingRows};
use crate::field::{Cancelled, Edges, Grid, MapKind, Terrain};
use crate::nodes::erosion::buffers::balance;
use crate::nodes::erosion::rock::Rock;
use crate::nodes::{Context, MassBalance, Run};

/// Cells of a band; three rows beside it are computed twice, so bands are not too small.
const BAND_CELLS: usize = 64 * 1024;
const BAND_ROWS: usize = 32;
/// Discharge is shown in cells of rain; without rain and springs, of a millionth of the relief.
const LEAST_SUPPLY: f32 = 1e-6;

/// Hydraulic erosion under way.
pub struct ShallowWaterRun {
    law: ShallowWaterLaw,
    rock: Rock,
    supply: Supply,
    /// The terrain at the start.
    before: Arc<Terrain>,
    sediment_before: f64,
    /// All fields, row by row ([`row_of`]).
    state: Vec<f32>,
    /// What a step writes; it takes the state's place when the step is whole. Empty until the first step.
    next: Vec<f32>,
    rims: Vec<Rim>,
    /// What left over the edges so far.
    left: Rim,
    /// Made when somebody looks.
    shown: OnceLock<Terrain>,
}

impl ShallowWaterRun {
    pub fn new(of: &ShallowWater, cx: &Context, mut terrain: Terrain) -> Self {
        terrain.close_seam();
        let grid = terrain.grid;
        let n = grid.samples;
        let mut state = vec![0.0; FIELDS * grid.len()];
        for (i, row) in state.chunks_exact_mut(FIELDS * n).enumerate() {
            row[GROUND * n..][..n].copy_from_slice(grid.row(&terrain.height, i));
            for (field, kind) in [(WATER, MapKind::Water), (SEDIMENT, MapKind::Sediment)] {
                if let Some(map) = terrain.map(kind) {
                    for (cell, &there) in row[field * n..][..n].iter_mut().zip(grid.row(map, i)) {
                        *cell = if there > 0.0 { there } else { 0.0 };
                    }
                }
            }
            if grid.edges == Edges::Wrap {
                for field in [WATER, SEDIMENT] {
                    row[field * n + n - 1] = row[field * n];
                }
            }
        }
        if grid.edges == Edges::Wrap {
            state.copy_within(0..FIELDS * n, (n - 1) * FIELDS * n);
        }
        Self {
            law: ShallowWaterLaw::new(of, cx),
            rock: Rock::new(&terrain, of.hardness),
            supply: Supply::new(of, cx, &terrain),
            before: Arc::new(terrain),
            sediment_before: total(grid, &state, SEDIMENT),
            state,
            next: Vec::new(),
            rims: Vec::new(),
            left: Rim::default(),
            shown: OnceLock::new(),
        }
    }

    fn show(&self) -> Terrain {
        let grid = self.before.grid;
        let n = grid.samples;
        let mut terrain = (*self.before).clone();
        let field = |field: usize| {
            let mut map = vec![0.0f32; grid.len()];
            map.par_chunks_exact_mut(n)
                .enumerate()
                .for_each(|(i, row)| row.copy_from_slice(row_of(&self.state, n, i, field)));
            map
        };
        terrain.height = field(GROUND);
        let fallen = |h0: f32, h: f32| if h < h0 { h0 - h } else { 0.0 };
        let [mut wear, mut deposits] = [MapKind::Wear, MapKind::Deposits].map(|kind| match self.before.map(kind) {
            Some(map) => map.to_vec(),
            None => vec![0.0; grid.len()],
        });
        let ground = self.before.height.par_chunks(n).zip(terrain.height.par_chunks(n));
        (wear.par_chunks_mut(n), deposits.par_chunks_mut(n)).into_par_iter().zip(ground).for_each(
            |((wear, deposits), (before, now))| {
                for ((wear, deposits), (&h0, &h)) in wear.iter_mut().zip(deposits).zip(before.iter().zip(now)) {
                    *wear += fallen(h0, h);
                    *deposits += fallen(h, h0);
                }
            },
        );
        let mut sediment = field(SEDIMENT);
        // the rounding of the ground may leave a hair below nothing
        sediment.iter_mut().for_each(|s| *s = if *s > 0.0 { *s } else { 0.0 });
        let maps = [
            (MapKind::Water, field(WATER)),
            (MapKind::Sediment, sediment),
            (MapKind::Flow, self.discharge()),
            (MapKind::Wear, wear),
            (MapKind::Deposits, deposits),
        ];
        for (kind, map) in maps {
            terrain.set_map(kind, Some(Arc::new(map)));
        }
        terrain
    }

    /// Discharge, in cells of mean supply: the mean of what flows in and out of each cell, as a vector, its length.
    fn discharge(&self) -> Vec<f32> {
        let grid = self.before.grid;
        let n = grid.samples;
        let supply = if self.supply.mean() > LEAST_SUPPLY { self.supply.mean() } else { LEAST_SUPPLY };
        let at = |row: Option<usize>, pipe: usize, column: Option<usize>| match (row, column) {
            (Some(i), Some(j)) => row_of(&self.state, n, i, FLUX + pipe)[j],
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
        flow
    }
}

/// Sum of a field over the distinct cells, in row order.
fn total(grid: Grid, state: &[f32], field: usize) -> f64 {
    let distinct = grid.distinct();
    let row = |i: usize| &row_of(state, grid.samples, i, field)[..distinct];
    let rows: Vec<f64> =
        (0..distinct).into_par_iter().map(|i| row(i).iter().map(|&v| f64::from(v)).sum::<f64>()).collect();
    rows.iter().sum()
}

impl Run for ShallowWaterRun {
    fn step(&mut self, cx: &Context) -> Result<(), Cancelled> {
        let n = self.law.grid.samples;
        self.next.resize(self.state.len(), 0.0);
        self.rims.resize(n, Rim::default());
        let rows = (BAND_CELLS / n).max(BAND_ROWS);
        let bands = (self.next.par_chunks_mut(rows * FIELDS * n), self.rims.par_chunks_mut(rows));
        bands.into_par_iter().enumerate().try_for_each(|(b, (out, rims))| {
            cx.control.check()?;
            RollingRows::new(&self.law, &self.rock, &self.supply, &self.state).band(b * rows, out, rims);
            Ok(())
        })?;
        // from here on the step cannot fail
        for rim in &self.rims {
            self.left.water += rim.water;
            self.left.sediment += rim.sediment;
        }
        std::mem::swap(&mut self.state, &mut self.next);
        self.shown = OnceLock::new();
        Ok(())
    }

    fn terrain(&self) -> &Terrain {
        self.shown.get_or_init(|| self.show())
    }

    fn mass_balance(&self) -> MassBalance {
        let grid = self.before.grid;
        let distinct = grid.distinct();
        let mut mass_balance = MassBalance { lost: self.left.sediment, ..MassBalance::default() };
        let balance_of_row = |i: usize| {
            let now = row_of(&self.state, grid.samples, i, GROUND);
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
            next: Vec::new(),
            rims: Vec::new(),
            left: self.left,
            shown: OnceLock::new(),
        })
    }

    fn into_terrain(mut self: Box<Self>) -> Terrain {
        self.next = Vec::new();
        self.shown.take().unwrap_or_else(|| self.show())
    }

    fn bytes(&self) -> usize {
        4 * self.state.len() + self.before.bytes() + self.supply.bytes()
    }
}
