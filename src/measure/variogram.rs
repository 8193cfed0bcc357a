//! Fractal dimension by the variogram.
//!
//! Equation: the semivariance γ(d) is half the mean of (h(x) - h(x + d))² over all pairs of cells at distance d along
//! rows and columns, where h is the height. On a fractional Brownian surface with the Hurst exponent H, γ is
//! proportional to d^2H, and the fractal dimension is D = 3 - H. Half the slope of log γ over log d is therefore H. A
//! smooth surface has D = 2, white noise has D = 3.
//!
//! Scheme: distances are 1, 2, 3, 4, 6, 8, 12, 16 … cells up to an eighth of the side, and each has the same weight in
//! the fit. At larger distances, too few pairs are independent. Pairs cross the edges only if the terrain wraps.
//!
//! Source: Mark & Aronson 1984; Klinkenberg & Goodchild 1992.

use rayon::prelude::*;

use super::ground::DistinctSamples;
use super::line::Fitted;
use crate::field::{Cancelled, Control};

/// Minimum number of points for a line fit.
pub const LEAST_POINTS: usize = 3;
/// Number of rows per task.
const BAND: usize = 16;

/// Returns the sizes 1, 2, 3, 4, 6, 8, 12 … up to an eighth of `side`, but up to 4 on small grids. No size is above
/// `most`.
pub fn sizes(side: usize, most: usize) -> Vec<usize> {
    let most = (side / 8).max(4).min(most);
    let mut sizes: Vec<usize> =
        (0..usize::BITS - 2).flat_map(|k| [1 << k, 3 << k]).take_while(|&s| s / 3 <= most).collect();
    sizes.retain(|&size| size <= most);
    sizes.sort_unstable();
    sizes
}

/// Returns points of log₁₀ of the semivariance γ in m² over log₁₀ of the distance in metres, with the fitted line. The
/// terrain must not be level, and `normalised` holds its heights from 0 to 1. Returns `None` if the terrain has too few
/// samples.
pub fn variogram(ground: &DistinctSamples, normalised: &[f32], control: &Control) -> Result<Option<Fitted>, Cancelled> {
    let cells = ground.cells;
    let (side, wraps) = (cells.side, cells.wraps);
    let lags = sizes(side, if wraps { side / 2 } else { side - 1 });
    let row = |i: usize| &normalised[i * side..][..side];
    let bands = (0..side.div_ceil(BAND)).into_par_iter().map(|band| {
        let mut sums = vec![0.0; lags.len()];
        for i in band * BAND..((band + 1) * BAND).min(side) {
            control.check()?;
            let here = row(i);
            for (sum, &lag) in sums.iter_mut().zip(&lags) {
                *sum += squares(&here[..side - lag], &here[lag..]);
                if wraps {
                    *sum += squares(&here[side - lag..], &here[..lag]) + squares(here, row((i + lag) % side));
                } else if i + lag < side {
                    *sum += squares(here, row(i + lag));
                }
            }
        }
        Ok(sums)
    });
    let bands: Vec<Vec<f64>> = bands.collect::<Result<_, Cancelled>>()?;
    let range = ground.metres(ground.all.high) - ground.metres(ground.all.low);
    let points = lags.iter().enumerate().filter_map(|(k, &lag)| {
        let pairs = match ground.present.is_empty() {
            true if wraps => 2 * side * side,
            true => 2 * side * (side - lag),
            false => present_pairs(ground, lag),
        };
        let gamma = 0.5 * bands.iter().map(|sums| sums[k]).sum::<f64>() / pairs as f64;
        // On a surface with the period d, the semivariance γ(d) is 0 and has no logarithm.
        (gamma > 0.0)
            .then(|| [libm::log10(lag as f64 * ground.cell_metres()), libm::log10(gamma) + 2.0 * libm::log10(range)])
    });
    Ok(Fitted::new(points.collect(), LEAST_POINTS))
}

/// Number of pairs of cells at distance `lag` along rows and columns where both cells have data.
fn present_pairs(ground: &DistinctSamples, lag: usize) -> usize {
    let (side, wraps) = (ground.cells.side, ground.cells.wraps);
    let beyond =
        |index: usize| if wraps { Some((index + lag) % side) } else { Some(index + lag).filter(|&k| k < side) };
    let pairs = |i: usize, j: usize| {
        let there = [beyond(i).map(|i| i * side + j), beyond(j).map(|j| i * side + j)];
        there.into_iter().flatten().filter(|&k| ground.has_ground(k) && ground.has_ground(i * side + j)).count()
    };
    (0..side).into_par_iter().map(|i| (0..side).map(|j| pairs(i, j)).sum::<usize>()).sum()
}

/// Sum of (a - b)² over all pairs of values at the same index; pairs with NaN are skipped.
fn squares(a: &[f32], b: &[f32]) -> f64 {
    const LANES: usize = 8;
    /// Number of values summed before each conversion to f64.
    const BLOCK: usize = 64 * LANES;
    let mut total = 0.0;
    for (a, b) in a.chunks(BLOCK).zip(b.chunks(BLOCK)) {
        let mut lanes = [0.0f32; LANES];
        let (whole, rest) = (a.chunks_exact(LANES), a.len() / LANES * LANES);
        for (a, b) in whole.zip(b.chunks_exact(LANES)) {
            for k in 0..LANES {
                let d = a[k] - b[k];
                lanes[k] += if d * d >= 0.0 { d * d } else { 0.0 };
            }
        }
        let both = a[rest..].iter().zip(&b[rest..]).map(|(a, b)| (a - b) * (a - b));
        let end: f32 = both.filter(|square| *square >= 0.0).sum();
        total += lanes.iter().map(|&l| f64::from(l)).sum::<f64>() + f64::from(end);
    }
    total
}
