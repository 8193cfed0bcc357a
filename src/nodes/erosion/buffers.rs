//! Output buffers of a step, and the mass balance of a run.
//!
//! A step fills [`NextState`], which replaces the terrain once the step is complete. So a cancelled step leaves the run
//! unchanged, and data maps that a snapshot shares are never copied. Gains and losses of material are measured on the
//! stored heights, row by row, so that rounding errors never accumulate in the mass balance.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use crate::MassBalance;
use talweg_ground::field::{Edges, Grid, MapKind, Terrain};

/// Loss of a row, its gain, and the amount of material carried by the water over the row.
pub type RowAccount = [f64; 3];

/// Working memory of a run: the output of a step before it replaces the terrain, and intermediate values. A clone of
/// the working memory is empty, so that a snapshot, which is a clone of its run, holds only the state.
#[derive(Default)]
pub struct WorkingMemory<T>(T);

impl<T: Default> Clone for WorkingMemory<T> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl<T> Deref for WorkingMemory<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for WorkingMemory<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

/// Height and data maps of the next state. Empty until the first step.
pub struct NextState<const MAPS: usize> {
    pub height: Vec<f32>,
    pub maps: [Vec<f32>; MAPS],
    /// One account of loss, gain and carried material for every row.
    pub accounts: Vec<RowAccount>,
}

impl<const MAPS: usize> Default for NextState<MAPS> {
    fn default() -> Self {
        Self { height: Vec::new(), maps: std::array::from_fn(|_| Vec::new()), accounts: Vec::new() }
    }
}

impl<const MAPS: usize> NextState<MAPS> {
    /// Resizes the buffers to the size of `terrain`. Their contents are undefined afterwards.
    pub fn fit(&mut self, terrain: &Terrain) {
        for buffer in std::iter::once(&mut self.height).chain(&mut self.maps) {
            buffer.resize(terrain.grid.len(), 0.0);
        }
        self.accounts.resize(terrain.grid.rows(), [0.0; 3]);
    }

    /// On a wrapping grid, copies the first row of each buffer to the last row.
    pub fn repeat_first_row(&mut self, grid: Grid) {
        let n = grid.samples;
        if grid.edges == Edges::Wrap {
            std::iter::once(&mut self.height).chain(&mut self.maps).for_each(|f| f.copy_within(0..n, (n - 1) * n));
        }
    }

    /// Adds the accounts to the mass balance, and swaps the buffers with the terrain's heights and its maps of `kinds`.
    pub fn replace_terrain(&mut self, terrain: &mut Terrain, kinds: [MapKind; MAPS], mass_balance: &mut MassBalance) {
        let mut carried = 0.0;
        let grid = terrain.grid;
        for [eroded, deposited, in_water] in &self.accounts[..grid.distinct_rows()] {
            mass_balance.eroded += eroded;
            mass_balance.deposited += deposited;
            carried += in_water;
        }
        mass_balance.carried = carried;
        std::mem::swap(&mut terrain.height, &mut self.height);
        exchange_maps(terrain, kinds, &mut self.maps);
    }
}

/// Swaps each of `maps` with the terrain's map of its kind. If a snapshot shares the terrain's map, the snapshot keeps
/// the map and the buffer becomes empty.
pub fn exchange_maps<'a>(
    terrain: &mut Terrain,
    kinds: impl IntoIterator<Item = MapKind>,
    maps: impl IntoIterator<Item = &'a mut Vec<f32>>,
) {
    for (kind, map) in kinds.into_iter().zip(maps) {
        let former = terrain.set_map(kind, Some(Arc::new(std::mem::take(map))));
        *map = former.and_then(|shared| Arc::try_unwrap(shared).ok()).unwrap_or_default();
    }
}

/// Creates the missing maps of `kinds`. Closes the seams of the heights and of these maps on a wrapping terrain or a
/// globe.
pub fn prepare(terrain: &mut Terrain, kinds: &[MapKind]) {
    terrain.close_seam();
    let grid = terrain.grid;
    for &kind in kinds {
        if terrain.map(kind).is_none() {
            terrain.map_mut(kind);
        } else if !grid.has_edge() {
            grid.close(terrain.map_mut(kind));
        }
    }
}

/// Returns the account of a row: its loss, its gain and the amount carried by the water over the row. If cells differ
/// in area, `areas` weights the values by area ([`Metric::owned_areas`](talweg_ground::field::Metric::owned_areas)).
pub fn account(grid: Grid, areas: Option<&[f32]>, old: &[f32], new: &[f32], carried: Option<&[f32]>) -> RowAccount {
    let Some(areas) = areas else {
        let distinct = grid.distinct_side();
        let [lost, gained] = balance(&old[..distinct], &new[..distinct]);
        return [lost, gained, carried.map_or(0.0, |carried| total(&carried[..distinct]))];
    };
    let (mut lost, mut gained) = (0.0, 0.0);
    for ((&old, &new), &area) in old.iter().zip(new).zip(areas) {
        let fall = (f64::from(old) - f64::from(new)) * f64::from(area);
        lost += if fall > 0.0 { fall } else { 0.0 };
        gained -= if fall < 0.0 { fall } else { 0.0 };
    }
    let by_area = |carried: &[f32]| carried.iter().zip(areas).map(|(&c, &area)| f64::from(c) * f64::from(area)).sum();
    [lost, gained, carried.map_or(0.0, by_area)]
}

/// Adds the net loss of each cell of a row to the wear map, and the net gain to the deposits map.
#[multiversion::multiversion(targets("x86_64+avx2"))]
pub fn add_balance(
    old: &[f32],
    new: &[f32],
    [wear, deposits]: [&[f32]; 2],
    out_wear: &mut [f32],
    out_deposits: &mut [f32],
) {
    let n = old.len();
    let (new, wear, deposits) = (&new[..n], &wear[..n], &deposits[..n]);
    let (out_wear, out_deposits) = (&mut out_wear[..n], &mut out_deposits[..n]);
    for j in 0..n {
        (out_wear[j], out_deposits[j]) = with_balance(old[j], new[j], wear[j], deposits[j]);
    }
}

/// Returns wear and deposits of a cell, with the net loss or gain from height `old` to height `new` added.
#[inline(always)]
pub fn with_balance(old: f32, new: f32, wear: f32, deposits: f32) -> (f32, f32) {
    let fall = old - new;
    (wear + if fall > 0.0 { fall } else { 0.0 }, deposits + if fall < 0.0 { -fall } else { 0.0 })
}

/// Number of cells whose height losses are buffered before they are summed.
const TILE: usize = 64;

/// Returns loss and gain of a row from its old and new heights. Each is summed in eight partial sums that are always
/// combined in the same order.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
pub fn balance(old: &[f32], new: &[f32]) -> [f64; 2] {
    let (mut net, mut gross) = ([0.0f64; 8], [0.0f64; 8]);
    let mut falls = [0.0f64; TILE];
    for (old, new) in old.chunks(TILE).zip(new.chunks(TILE)) {
        let falls = &mut falls[..old.len()];
        for (fall, (&old, &new)) in falls.iter_mut().zip(old.iter().zip(new)) {
            *fall = f64::from(old) - f64::from(new);
        }
        // two separate loops: in a single loop the compiler puts the net sum and the gross sum into one vector, instead
        // of neighbouring cells; that takes twice the time
        let (eights, last) = falls.as_chunks::<8>();
        for falls in eights {
            net.iter_mut().zip(falls).for_each(|(net, fall)| *net += fall);
        }
        for falls in eights {
            gross.iter_mut().zip(falls).for_each(|(gross, fall)| *gross += fall.abs());
        }
        for (k, fall) in last.iter().enumerate() {
            net[k] += fall;
            gross[k] += fall.abs();
        }
    }
    let (net, gross) = (net.iter().sum::<f64>(), gross.iter().sum::<f64>());
    [(gross + net) * 0.5, (gross - net) * 0.5]
}

/// Returns the sum of a row, in eight partial sums that are always combined in the same order.
#[multiversion::multiversion(targets("x86_64+avx2"))]
pub fn total(row: &[f32]) -> f64 {
    let (chunks, last) = row.as_chunks::<8>();
    let mut sums = [0.0f64; 8];
    for chunk in chunks {
        for k in 0..8 {
            sums[k] += f64::from(chunk[k]);
        }
    }
    sums.iter().sum::<f64>() + last.iter().map(|&v| f64::from(v)).sum::<f64>()
}
