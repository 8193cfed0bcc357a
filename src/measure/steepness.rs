//! Steepness of the land, in degrees.
//!
//! Equation: tan β = |∇h|, where β is the slope angle and h the height. The gradient uses central differences over
//! actual distances, and one-sided differences at open edges and voids. Each cell above the sea counts once. The
//! differences of [`super::slopes`] depend on the resolution. The steepness does not depend on the resolution, as long
//! as the terrain is smooth between samples.

use rayon::prelude::*;

use super::ground::DistinctSamples;
use crate::field::{Cancelled, Control};

/// Number of histogram bins; each bin is one degree wide.
const BINS: usize = 90;
/// Number of rows per task.
const BAND: usize = 8;

/// Steepness of the land.
#[derive(Clone, Debug, PartialEq)]
pub struct Steepness {
    /// Mean slope of the land in degrees.
    pub mean_degrees: f64,
    /// Centre of each bin in degrees, and the fraction of the land in the bin.
    pub histogram: Vec<[f64; 2]>,
}

/// Steepness of every cell in degrees, and its statistics over the land (`None` if there is no land).
pub fn steepness(ground: &DistinctSamples, control: &Control) -> Result<(Vec<f32>, Option<Steepness>), Cancelled> {
    let cells = ground.cells;
    let mut degrees = vec![0.0f32; cells.len()];
    let bands = degrees.par_chunks_mut(BAND * cells.side).enumerate().map(|(band, out)| {
        control.check()?;
        let (mut sum, mut counts) = (0.0, [0u32; BINS]);
        for (k, out) in out.chunks_mut(cells.side).enumerate() {
            let row = band * BAND + k;
            fill(ground, row, out);
            let mut lanes = [0.0f64; 4];
            for (j, &beta) in out.iter().enumerate() {
                if ground.is_land(row * cells.side + j) {
                    lanes[j % 4] += f64::from(beta);
                    counts[(beta as usize).min(BINS - 1)] += 1;
                }
            }
            sum += lanes.iter().sum::<f64>();
        }
        Ok((sum, counts))
    });
    let bands: Vec<(f64, [u32; BINS])> = bands.collect::<Result<_, Cancelled>>()?;
    let steepness = ground.land.map(|land| {
        let count = land.cells as f64;
        let share = |bin: usize| bands.iter().map(|(_, counts)| f64::from(counts[bin])).sum::<f64>() / count;
        Steepness {
            mean_degrees: bands.iter().map(|(sum, _)| sum).sum::<f64>() / count,
            histogram: (0..BINS).map(|bin| [bin as f64 + 0.5, share(bin)]).collect(),
        }
    });
    Ok((degrees, steepness))
}

/// Computes the steepness of the cells in `row`.
fn fill(ground: &DistinctSamples, row: usize, out: &mut [f32]) {
    let cells = ground.cells;
    let side = cells.side;
    let here = ground.row(row);
    let (north, south) = (cells.neighbour(row, -1), cells.neighbour(row, 1));
    // Converts a height difference to a slope: metres of height per metre of distance, over one step or over two steps.
    let per_step = (f64::from(ground.scale.relief_metres) / ground.cell_metres()) as f32;
    let factor = |both: bool| if both { 0.5 * per_step } else { per_step };
    let down = factor(north.is_some() && south.is_some());
    let (north, south) = (north.map_or(here, |r| ground.row(r)), south.map_or(here, |r| ground.row(r)));
    let slope = |dx: f32, dy: f32| (dx * dx + dy * dy).sqrt();
    let edge = |j: usize| {
        let (west, east) = (cells.neighbour(j, -1), cells.neighbour(j, 1));
        let across = factor(west.is_some() && east.is_some());
        slope((here[east.unwrap_or(j)] - here[west.unwrap_or(j)]) * across, (south[j] - north[j]) * down)
    };
    let across = 0.5 * per_step;
    if side > 2 {
        let inner = out[1..side - 1].iter_mut().zip(here.windows(3)).zip(north[1..].iter().zip(&south[1..]));
        inner.for_each(|((t, h), (n, s))| *t = slope((h[2] - h[0]) * across, (s - n) * down));
    }
    out[0] = edge(0);
    out[side - 1] = edge(side - 1);
    if !ground.present.is_empty() {
        // Neighbours without data are skipped.
        let there = |row: Option<usize>, column: Option<usize>| {
            row.zip(column).map(|(row, column)| row * side + column).filter(|&k| ground.has_ground(k))
        };
        let along = |before: Option<usize>, here: usize, after: Option<usize>| {
            let factor = factor(before.is_some() && after.is_some());
            (ground.height[after.unwrap_or(here)] - ground.height[before.unwrap_or(here)]) * factor
        };
        for (j, out) in out.iter_mut().enumerate() {
            let k = row * side + j;
            let west_east = [-1, 1].map(|step| there(Some(row), cells.neighbour(j, step)));
            let north_south = [-1, 1].map(|step| there(cells.neighbour(row, step), Some(j)));
            *out = slope(along(west_east[0], k, west_east[1]), along(north_south[0], k, north_south[1]));
        }
    }
    out.iter_mut().for_each(|t| *t = libm::atanf(*t) * (180.0 / std::f32::consts::PI));
}
