//! Rows of the state, and rows with the cell beyond each end.

use super::law::Law;
use crate::field::Edges;

/// Fields of the state, row by row: [`state`](StateRow::of) holds all fields of row 0, then all of row 1, and so on.
pub const FIELDS: usize = 7;
pub const GROUND: usize = 0;
pub const WATER: usize = 1;
pub const SEDIMENT: usize = 2;
/// Fluxes to the east, south, south-east and south-west.
pub const FLUX: usize = 3;

/// Field `field` of row `row`.
pub fn row_of(state: &[f32], n: usize, row: usize, field: usize) -> &[f32] {
    &state[(row * FIELDS + field) * n..][..n]
}

/// One row with the cell beyond each end.
pub type Padded = Vec<f32>;

/// What a row's neighbours read of it.
pub struct Column {
    /// NaN where there is no ground, which compares as no slope.
    pub ground: Padded,
    /// Level of the water; beyond an open edge what the flow falls to.
    pub level: Padded,
    pub soft: Padded,
}

impl Column {
    pub fn new(n: usize) -> Self {
        let row = || vec![0.0; n + 2];
        Self { ground: row(), level: row(), soft: row() }
    }
}

/// Signed fluxes of a row's four pipes, to the east, south, south-east and south-west; column j at j + 1.
pub struct Pipes {
    pub east: Padded,
    pub south: Padded,
    pub south_east: Padded,
    pub south_west: Padded,
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

/// Where the level beyond an open edge lies: as far below the edge as that below the cell inside, and no higher than the bed.
#[inline(always)]
fn fall(ground: f32, level: f32, inside: f32) -> f32 {
    let rise = inside - level;
    let beyond = level - if rise > 0.0 { rise } else { 0.0 };
    if beyond < ground { beyond } else { ground }
}

impl Law {
    /// The row of the terrain that stands at `row`, which may lie beyond an edge.
    pub fn inside(&self, row: isize) -> Option<usize> {
        let last = self.grid.samples as isize - 1;
        let mut at = row.clamp(0, last) as usize;
        for _ in row..0 {
            at = self.grid.before(at)?;
        }
        for _ in last..row {
            at = self.grid.after(at)?;
        }
        Some(at)
    }

    /// Loads row `row` and its neighbours beyond the ends; `softness` gives a cell's.
    pub fn load(&self, state: &[f32], row: isize, softness: impl Fn(usize) -> f32, out: &mut Column) {
        let n = self.grid.samples;
        let Some(at) = self.inside(row) else {
            self.load_beyond(state, row, out);
            return;
        };
        let (ground, water) = (row_of(state, n, at, GROUND), row_of(state, n, at, WATER));
        out.ground[1..=n].copy_from_slice(ground);
        for ((level, h), d) in out.level[1..=n].iter_mut().zip(ground).zip(water) {
            *level = h + d;
        }
        for (j, soft) in out.soft[1..=n].iter_mut().enumerate() {
            *soft = softness(at * n + j);
        }
        match self.grid.edges {
            Edges::Wrap => {
                for row in [&mut out.ground, &mut out.level, &mut out.soft] {
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

    /// The row beyond the first or last of an open terrain.
    fn load_beyond(&self, state: &[f32], row: isize, out: &mut Column) {
        let n = self.grid.samples;
        let (edge, inside) = if row < 0 { (0, 1) } else { (n - 1, n - 2) };
        let [ground, water] = [GROUND, WATER].map(|field| row_of(state, n, edge, field));
        let [inner_ground, inner_water] = [GROUND, WATER].map(|field| row_of(state, n, inside, field));
        for j in 0..n {
            out.level[j + 1] = fall(ground[j], ground[j] + water[j], inner_ground[j] + inner_water[j]);
        }
        (out.level[0], out.level[n + 1]) = (out.level[1], out.level[n]);
        out.ground.fill(f32::NAN);
        out.soft.fill(0.0);
    }
}
