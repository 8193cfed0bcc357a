//! Landslides at once: the highest ground below the given one that is nowhere steeper than the talus angle.
//!
//! Law: h'(x) = min over all y of h(y) + tan θ·|x - y|, |x - y| along the eight directions of the grid.
//! Scheme: rounds in which every cell looks at its neighbours, until nothing changes or after [`ROUNDS`]: a cliff of
//! more cells than that stays somewhat too steep.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::field::metric::{GridMetric, Metric, RowMetric, Uniform};
use crate::field::topology::{Beyond, StencilWindow, around_row};
use crate::field::{Cancelled, Grid};
use crate::nodes::Context;

/// Rounds at the most.
const ROUNDS: u32 = 24;

/// Brings what is steeper than `talus_angle` (degrees) down by the share `slides` of each cell. `buffers` hold what is
/// worked with.
///
/// # Errors
/// When it was cancelled.
pub fn bring_down(
    cx: &Context,
    metric: &GridMetric,
    talus_angle: f32,
    slides: impl Fn(usize) -> f32 + Sync,
    heights: &mut [f32],
    [stable, next]: &mut [Vec<f32>; 2],
) -> Result<(), Cancelled> {
    let grid = cx.grid;
    let stands = cx.rise_over(talus_angle, metric.unit_metres(grid, cx.size_metres));
    stable.clear();
    stable.extend_from_slice(heights);
    next.resize(heights.len(), 0.0);
    for _ in 0..ROUNDS {
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

/// One round from `old` to `new`; whether anything changed.
fn lower<M: Metric>(cx: &Context, metric: &M, stands: f32, old: &[f32], new: &mut [f32]) -> Result<bool, Cancelled> {
    let grid: Grid = cx.grid;
    let n = grid.samples;
    let changed = AtomicBool::new(false);
    cx.bands(new, |first, out| {
        let mut window = StencilWindow::new(grid, Beyond::Value(f32::INFINITY), old, first);
        for (row, out) in (first..).zip(out.chunks_mut(n)) {
            window.advance(old);
            let metric = metric.row(row).cut(n);
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
