//! Rows of the state, and rows padded with one cell beyond each end.

use super::law::ShallowWaterLaw;
use super::state::{FLUX, GROUND, StateRows, WATER};
use talweg_ground::field::Edges;

/// A row padded with one cell beyond each end.
pub type PaddedRow = Vec<f32>;

/// Values of a row that the computation of the neighbouring rows reads.
pub struct NeighbourRow {
    /// Height of the ground; NaN beyond the terrain, so that comparisons find no slope there.
    pub ground: PaddedRow,
    /// Level of the water; beyond an open edge, the level to which the outflow falls.
    pub level: PaddedRow,
    pub soft: PaddedRow,
    /// Wash: how much running water reduces the stable slope of the ground next to the cell. 0 leaves the talus slope,
    /// 1 reduces it to the bank slope. Directions: east and west, north and south, falling diagonals, rising diagonals.
    pub washed: [PaddedRow; 4],
}

impl NeighbourRow {
    pub fn new(n: usize) -> Self {
        let row = || vec![0.0; n + 2];
        Self { ground: row(), level: row(), soft: row(), washed: std::array::from_fn(|_| row()) }
    }
}

/// Signed fluxes of a row's four pipes, to the east, south, south-east and south-west. Column j is at index j + 1.
pub struct Pipes {
    pub east: PaddedRow,
    pub south: PaddedRow,
    pub south_east: PaddedRow,
    pub south_west: PaddedRow,
}

impl Pipes {
    pub fn new(n: usize) -> Self {
        let row = || vec![0.0; n + 2];
        Self { east: row(), south: row(), south_east: row(), south_west: row() }
    }

    pub fn clear(&mut self) {
        for row in [&mut self.east, &mut self.south, &mut self.south_east, &mut self.south_west] {
            row.fill(0.0);
        }
    }
}

/// Returns the water level beyond an open edge. It is as far below the level of the edge cell as that level is below
/// the level of the next cell inside, and no higher than the bed.
#[inline(always)]
fn fall(ground: f32, level: f32, inside: f32) -> f32 {
    let rise = inside - level;
    let beyond = level - if rise > 0.0 { rise } else { 0.0 };
    if beyond < ground { beyond } else { ground }
}

impl ShallowWaterLaw {
    /// Loads row `row` and its padding; `erodibility` returns the erodibility of a cell.
    pub fn load(&self, state: &dyn StateRows, row: isize, erodibility: impl Fn(usize) -> f32, out: &mut NeighbourRow) {
        let n = self.grid.samples;
        let Some(at) = self.grid.row_beyond(row) else {
            self.load_beyond(state, row, out);
            return;
        };
        let (ground, water) = (state.row(at, GROUND), state.row(at, WATER));
        out.ground[1..=n].copy_from_slice(ground);
        for ((level, h), d) in out.level[1..=n].iter_mut().zip(ground).zip(water) {
            *level = h + d;
        }
        for (j, soft) in out.soft[1..=n].iter_mut().enumerate() {
            *soft = erodibility(at * n + j);
        }
        self.load_washed(state, at, &mut out.washed);
        match self.grid.edges {
            Edges::Wrap => {
                let [straight, upright, falling, rising] = &mut out.washed;
                for row in [&mut out.ground, &mut out.level, &mut out.soft, straight, upright, falling, rising] {
                    (row[0], row[n + 1]) = (row[n - 1], row[2]);
                }
            }
            Edges::Open => {
                (out.ground[0], out.ground[n + 1]) = (f32::NAN, f32::NAN);
                let west = fall(ground[0], out.level[1], out.level[2]);
                let east = fall(ground[n - 1], out.level[n], out.level[n - 1]);
                (out.level[0], out.level[n + 1]) = (west, east);
            }
        }
    }

    /// Loads the row beyond the first or last row of an open terrain.
    fn load_beyond(&self, state: &dyn StateRows, row: isize, out: &mut NeighbourRow) {
        let n = self.grid.samples;
        let (edge, inside) = if row < 0 { (0, 1) } else { (n - 1, n - 2) };
        let [ground, water] = [GROUND, WATER].map(|field| state.row(edge, field));
        let [inner_ground, inner_water] = [GROUND, WATER].map(|field| state.row(inside, field));
        for j in 0..n {
            out.level[j + 1] = fall(ground[j], ground[j] + water[j], inner_ground[j] + inner_water[j]);
        }
        (out.level[0], out.level[n + 1]) = (out.level[1], out.level[n]);
        out.ground.fill(f32::NAN);
        out.soft.fill(0.0);
        out.washed.iter_mut().for_each(|row| row.fill(0.0));
    }

    /// Computes how much the water that passes each cell of row `at` undercuts the banks, from 0 to 1. This wash
    /// depends on the mean of inflow and outflow, and on the angle between flow and bank. The bed upstream and
    /// downstream of a cell is not a bank.
    fn load_washed(&self, state: &dyn StateRows, at: usize, out: &mut [PaddedRow; 4]) {
        let n = self.grid.samples;
        let pipes = |row: usize| -> [&[f32]; 4] { std::array::from_fn(|pipe| state.row(row, FLUX + pipe)) };
        let Some(north) = self.grid.previous(at).map(pipes).filter(|_| self.per_washing > 0.0) else {
            out.iter_mut().for_each(|row| row.fill(0.0));
            return;
        };
        let own = pipes(at);
        let [across, upright, falling, rising] = out;
        let mut out = [across, upright, falling, rising].map(|row| &mut row[1..=n]);
        for j in [0, n - 1] {
            let shares = self.grid.previous(j).zip(self.grid.next(j)).map(|(west, east)| {
                let pairs = [
                    [own[0][j], own[0][west]],
                    [own[1][j], north[1][j]],
                    [own[2][j], north[2][west]],
                    [own[3][j], north[3][east]],
                ];
                bank_wash(pairs, self.per_washing)
            });
            for (row, share) in out.iter_mut().zip(shares.unwrap_or([0.0; 4])) {
                row[j] = share;
            }
        }
        washed_cells(own, north, self.per_washing, out.map(|row| &mut row[1..n - 1]));
    }
}

/// Returns how much the flow undercuts the ground at its sides, from 0 to 1, along each of the four directions.
/// `per_washing` converts the flux to wash. For each direction the argument holds the fluxes of the two pipes along it.
#[inline(always)]
fn bank_wash([e, s, se, sw]: [[f32; 2]; 4], per_washing: f32) -> [f32; 4] {
    let (falling, rising) = (se[0] + se[1], sw[0] + sw[1]);
    let x = (e[0] + e[1]) + (falling - rising);
    let y = (s[0] + s[1]) + (falling + rising);
    let (xx, yy, xy) = (x * x, y * y, x * y);
    let flow = (xx + yy).sqrt();
    let share = flow * per_washing;
    let share = if share < 1.0 { share } else { 1.0 };
    // each direction is scaled by twice the squared sine of its angle to the flow, at most 1: the full effect from 45°
    let per_square = 1.0 / (xx + yy + 1e-36);
    [2.0 * yy, 2.0 * xx, (xx + yy) - 2.0 * xy, (xx + yy) + 2.0 * xy].map(|twice| {
        let squarely = twice * per_square;
        share * if squarely < 1.0 { squarely } else { 1.0 }
    })
}

/// Computes [`ShallowWaterLaw::load_washed`] for the inner cells of a row.
fn washed_cells(own: [&[f32]; 4], north: [&[f32]; 4], per_washing: f32, out: [&mut [f32]; 4]) {
    let [across, upright, falling, rising] = out;
    let n = across.len();
    let (upright, falling, rising) = (&mut upright[..n], &mut falling[..n], &mut rising[..n]);
    let [e, s, se, sw] = own.map(|row| &row[..n + 2]);
    let [_, n_s, n_se, n_sw] = north.map(|row| &row[..n + 2]);
    for j in 0..n {
        let pairs = [[e[j + 1], e[j]], [s[j + 1], n_s[j + 1]], [se[j + 1], n_se[j]], [sw[j + 1], n_sw[j + 2]]];
        [across[j], upright[j], falling[j], rising[j]] = bank_wash(pairs, per_washing);
    }
}
