//! The surface of the plates at the samples of a planet.
//!
//! Quadratic B-splines over the cells of a plate interpolate its properties and its coverage in the plate's frame. The
//! result has no creases or steps. Where plates meet, each plate is weighted by the square of its coverage, so the
//! transition is as wide as a cell.

use rayon::prelude::*;

use super::cells::{SphereCells, Vector};
use super::crust::{CrustCell, PlateState, PlateTables, RIDGE_KM};
use crate::Context;
use crate::erosion::buffers::NextState;
use talweg_ground::field::{Cancelled, Globe};

/// Uplift in km per Ma that corresponds to 1 in the uplift map.
const GREATEST_UPLIFT: f32 = 0.1;
/// Fraction of the remaining collision uplift that the uplift map counts as uplift per Ma.
const PENDING_SHARE: f32 = 0.12;
/// Weight of a mid-ocean ridge in the blend of plates. Ridges therefore show only where no plate has crust.
const UNCOVERED: f32 = 0.01;

/// The crust at a point: height in km, age in Ma, and uplift as a fraction of the maximum.
pub type CrustSample = [f32; 3];

/// The crust of all plates, prepared for sampling.
pub struct CrustSurface<'a> {
    cells: &'a SphereCells,
    tables: &'a PlateTables,
    /// For every plate, the properties of its crust, by the index of the crust.
    samples: Vec<Vec<CrustSample>>,
}

impl<'a> CrustSurface<'a> {
    /// Prepares the current state for sampling.
    pub fn new(cells: &'a SphereCells, state: &PlateState, tables: &'a PlateTables) -> Self {
        let look = |crust: &CrustCell| {
            let rise = (crust.uplift + PENDING_SHARE * crust.pending) * (1.0 / GREATEST_UPLIFT);
            [crust.height(), crust.age, rise.min(1.0)]
        };
        let samples = state.plates.par_iter().map(|plate| plate.crust.iter().map(look).collect()).collect();
        Self { cells, tables, samples }
    }

    /// The crust at a position of the world, blended over all plates.
    pub fn sample(&self, at: Vector) -> CrustSample {
        let mut sums = [RIDGE_KM * UNCOVERED, 0.0, 0.0];
        let mut whole = UNCOVERED;
        for index in self.tables.candidates(at) {
            let (cover, means) = self.smoothed(index, at);
            let weight = cover * cover;
            whole += weight;
            sums.iter_mut().zip(means).for_each(|(sum, mean)| *sum += weight * mean);
        }
        sums.map(|sum| sum / whole)
    }

    /// Returns the coverage of a position by a plate, from 0 to 1, and the interpolated properties of the plate's crust
    /// there.
    fn smoothed(&self, index: usize, at: Vector) -> (f32, CrustSample) {
        let (cell, [x, y]) = self.cells.locate(self.tables.rotation(index).inwards(at));
        let [left, right] = [x, y].map(|t| [0.5 * (1.0 - t) * (1.0 - t), 0.75 - (t - 0.5) * (t - 0.5), 0.5 * t * t]);
        let samples = &self.samples[index];
        let (mut cover, mut sums) = (0.0, [0.0; 3]);
        let mut add = |slot: u32, weight: f32| {
            if let Some(sample) = samples.get(slot as usize) {
                cover += weight;
                sums.iter_mut().zip(sample).for_each(|(sum, of)| *sum += weight * of);
            }
        };
        add(self.tables.slot(index, cell as u32), left[1] * right[1]);
        for (k, &there) in self.cells.neighbours(cell as u32).iter().enumerate() {
            let k = k + usize::from(k >= 4);
            add(self.tables.slot(index, there), right[k / 3] * left[k % 3]);
        }
        (cover, sums.map(|sum| sum / cover.max(f32::MIN_POSITIVE)))
    }
}

/// Writes the terrain into `next`, and for every row the loss and gain relative to `old`. `areas` holds the areas of
/// the samples of a cube face.
pub fn write(
    surface: &CrustSurface,
    (cx, areas): (&Context, &[f32]),
    old: &[f32],
    next: &mut NextState<2>,
) -> Result<(), Cancelled> {
    let (grid, n) = (cx.grid, cx.grid.samples);
    let globe = Globe::new(n);
    let km = 1000.0 / cx.relief_metres;
    let NextState { height, maps: [ages, uplift], accounts } = next;
    let rows = (height.par_chunks_mut(n), ages.par_chunks_mut(n), uplift.par_chunks_mut(n), accounts);
    rows.into_par_iter().enumerate().try_for_each_init(
        || [vec![0.0; n], vec![0.0; n], vec![0.0; n]],
        |points, (row, (height, ages, uplift, account))| {
            cx.control.check()?;
            let [x, y, z] = points;
            globe.row_directions(row, [x, y, z]);
            *account = [0.0; 3];
            for column in 0..n {
                let at = [x[column], y[column], z[column]].map(f64::from);
                let [h, age, rise] = surface.sample(at);
                (height[column], ages[column], uplift[column]) = (cx.sea_level + h * km, age, rise);
                let k = row * n + column;
                let inside = |k: usize| (1..n - 1).contains(&k);
                if (inside(row % n) && inside(column)) || grid.owns(k) {
                    let fall = (f64::from(old[k]) - f64::from(height[column])) * f64::from(areas[k % (n * n)]);
                    account[0] += fall.max(0.0);
                    account[1] += (-fall).max(0.0);
                }
            }
            Ok(())
        },
    )?;
    [height, ages, uplift].into_iter().for_each(|field| grid.close(field));
    Ok(())
}
