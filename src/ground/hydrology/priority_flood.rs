//! Priority-flood: fills depressions from their rims, level or with a slope towards the spill point.
//!
//! Law: the filled surface w is the lowest surface that satisfies two conditions. Everywhere, w ≥ h. At each cell
//! except the outlets, w ≥ w_n + rise·δ_n for some neighbour n. Here h is the height of the cell, w_n is the surface at
//! the neighbour, and δ_n is the distance to the neighbour. Outlets keep their height.
//! Scheme: cells leave a queue in the order of (w, index). A neighbour of height h_n gets max(h_n, w + rise·δ_n) if
//! this is lower than its current value. With a rise of 0 the result equals
//! [`FlowGraph::filled`](super::FlowGraph::filled), which is several times faster.
//! Source: Barnes, Lehman & Mulla 2014, algorithms 1 and 3.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::basins::ordered;
use super::mesh::{FlowMesh, Outlets};
use crate::field::topology::NONE;
use crate::field::{Cancelled, Control};

/// Cells processed between two checks for cancellation.
const CHECK: usize = 1 << 14;

/// Returns `height` with every depression filled. The filled surface rises by `rise` per cell of distance from the
/// spill point. The caller must set the copies with [`Grid::close`](crate::field::Grid::close).
///
/// # Errors
/// Fails if the run is cancelled.
pub fn priority_flood(
    mesh: &FlowMesh,
    height: &[f32],
    outlets: &Outlets,
    rise: f32,
    control: &Control,
) -> Result<Vec<f32>, Cancelled> {
    let starts = || (0..mesh.len()).filter(|&k| outlets.contain(k, height[k]) && mesh.grid().owns(k));
    let mut surface = vec![f32::INFINITY; mesh.len()];
    starts().for_each(|k| surface[k] = height[k]);
    // Height and index are packed into one integer: a heap compares integers fast, and no two entries are equal.
    let entry = |k: usize, h: f32| Reverse(u64::from(ordered(h)) << 32 | k as u64);
    let mut queue: BinaryHeap<_> = starts().map(|k| entry(k, height[k])).collect::<Vec<_>>().into();
    let mut done = 0;
    while let Some(next) = queue.pop() {
        let k = (next.0 & 0xffff_ffff) as usize;
        done += 1;
        if done % CHECK == 0 {
            control.check()?;
        }
        if entry(k, surface[k]) != next {
            // The cell was already reached at a lower level.
            continue;
        }
        let here = surface[k];
        for (there, distance) in mesh.neighbours(k).into_iter().zip(mesh.distances(k)) {
            if there == NONE {
                continue;
            }
            let there = there as usize;
            let least = here + rise * distance;
            let w = if least > height[there] { least } else { height[there] };
            if w < surface[there] {
                surface[there] = w;
                queue.push(entry(there, w));
            }
        }
    }
    Ok(surface)
}
