//! Instant landslides: the highest terrain that is nowhere above the given terrain and nowhere steeper than the talus
//! angle.
//!
//! Law: h'(x) = min over all y of h(y) + tan θ·|x - y|, with x and y points of the terrain. h is the old height, h' the
//! new height and θ the talus angle. Distances |x - y| are measured along the eight directions of the grid.
//! Scheme: on a square there are two scans, each from one of two opposite corners. In a scan every cell reads the
//! neighbours that the scan has already processed. The scans are exact except across the seam of a wrapping square
//! (Rosenfeld & Pfaltz 1966). On wrapping squares and on globes rounds follow, in which every cell reads all its
//! neighbours. They end when nothing changes, or after [`ROUNDS`] rounds. On a globe a cliff that is wider than
//! [`ROUNDS`] cells remains somewhat too steep.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::Context;
use talweg_ground::field::metric::{GridMetric, Metric, RowMetric, Uniform};
use talweg_ground::field::topology::{EdgeFill, StencilWindow, around_row};
use talweg_ground::field::{Cancelled, Grid};

/// Maximum number of rounds in which every cell reads all its neighbours.
const ROUNDS: u32 = 24;

/// Lowers slopes steeper than `talus_angle` (degrees). Each cell loses the fraction `slides` of its excess height. The
/// last argument is working memory.
///
/// # Errors
/// Fails if the run is cancelled.
pub fn lower_steep_slopes(
    cx: &Context,
    metric: &GridMetric,
    talus_angle: f32,
    slides: impl Fn(usize) -> f32 + Sync,
    heights: &mut [f32],
    [stable, next]: [&mut Vec<f32>; 2],
) -> Result<(), Cancelled> {
    let grid = cx.grid;
    let stands = cx.rise_over(talus_angle, metric.unit_metres(grid, cx.size_metres));
    stable.clear();
    stable.extend_from_slice(heights);
    next.resize(heights.len(), 0.0);
    if !grid.is_globe() {
        scan(cx, stands, stable)?;
    }
    let rounds = if grid.has_edge() { 0 } else { ROUNDS };
    for _ in 0..rounds {
        let changed = match metric {
            GridMetric::Uniform => lower(cx, &Uniform, stands, stable, next)?,
            GridMetric::Spherical(sphere) => lower(cx, &**sphere, stands, stable, next)?,
        };
        std::mem::swap(stable, next);
        if !changed {
            break;
        }
    }
    let (n, stable) = (grid.samples, &*stable);
    cx.rows(heights, |row, cells| {
        for (j, h) in cells.iter_mut().enumerate() {
            let k = row * n + j;
            let excess = *h - stable[k];
            *h = if excess > 0.0 { *h - excess * slides(k) } else { *h };
        }
    })
}

/// Runs both scans of a square.
fn scan(cx: &Context, stands: f32, heights: &mut [f32]) -> Result<(), Cancelled> {
    let n = cx.grid.samples;
    let diagonal = stands * std::f32::consts::SQRT_2;
    let lower = |h: &mut f32, most: f32| *h = if most < *h { most } else { *h };
    for row in 0..n {
        cx.control.check()?;
        let (done, here) = heights.split_at_mut(row * n);
        let here = &mut here[..n];
        if let Some(north) = done.rchunks(n).next() {
            (0..n).for_each(|j| lower(&mut here[j], north[j] + stands));
            (1..n).for_each(|j| lower(&mut here[j], north[j - 1] + diagonal));
            (0..n - 1).for_each(|j| lower(&mut here[j], north[j + 1] + diagonal));
        }
        for j in 1..n {
            let west = here[j - 1] + stands;
            lower(&mut here[j], west);
        }
    }
    for row in (0..n).rev() {
        cx.control.check()?;
        let (before, done) = heights.split_at_mut((row + 1) * n);
        let here = &mut before[row * n..];
        if let Some(south) = done.chunks(n).next() {
            (0..n).for_each(|j| lower(&mut here[j], south[j] + stands));
            (1..n).for_each(|j| lower(&mut here[j], south[j - 1] + diagonal));
            (0..n - 1).for_each(|j| lower(&mut here[j], south[j + 1] + diagonal));
        }
        for j in (0..n - 1).rev() {
            let east = here[j + 1] + stands;
            lower(&mut here[j], east);
        }
    }
    Ok(())
}

/// Runs one round from `old` to `new`; returns whether anything changed.
fn lower<M: Metric>(cx: &Context, metric: &M, stands: f32, old: &[f32], new: &mut [f32]) -> Result<bool, Cancelled> {
    let grid: Grid = cx.grid;
    let n = grid.samples;
    let changed = AtomicBool::new(false);
    cx.bands(new, |first, out| {
        let mut window = StencilWindow::new(grid, EdgeFill::Value(f32::INFINITY), old, first);
        for (row, out) in (first..).zip(out.chunks_mut(n)) {
            window.advance(old);
            let metric = metric.row(row).limited_to(n);
            out.copy_from_slice(window.here());
            for (direction, there) in around_row(window.rows()).into_iter().enumerate() {
                let there = &there[..n];
                for (j, h) in out.iter_mut().enumerate() {
                    let most = there[j] + stands * metric.distance(direction, j);
                    *h = if most < *h { most } else { *h };
                }
            }
            if out.iter().zip(window.here()).any(|(new, old)| new < old) {
                changed.store(true, Ordering::Relaxed);
            }
        }
    })?;
    Ok(changed.into_inner())
}
