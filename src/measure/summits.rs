//! Peaks and valleys, counted by their prominence.
//!
//! Definition: the prominence of a peak is its height above the highest saddle that leads to a higher peak. The
//! prominence of the highest peak is its height above the lowest point of the terrain. A valley is defined as an
//! inverted peak: a low point with its depth below the lowest saddle that leads to a deeper low point. Peaks and
//! valleys with a smaller prominence than [`Limits::prominence`] are not counted. A plateau or a flat valley floor
//! counts once.
//!
//! Boundary: the sea counts as level terrain. The prominence of an island is therefore its height above the sea, and
//! each sea is one low point. The terrain ends at open edges and voids. A summit at such an edge is a peak, and a
//! valley that runs over the edge has its low point at the edge. A wrapping terrain has no edge.
//!
//! Source: Kirmse & de Ferranti 2017 (prominence); the scheme is the one of [`crate::hydrology::depressions`].

use rayon::prelude::*;

use super::Limits;
use super::ground::DistinctSamples;
use crate::field::{Cancelled, Control};
use crate::hydrology::{FlowMesh, depressions};

/// Default minimum prominence, as a fraction of the relief.
const DEFAULT_SHARE: f64 = 0.02;

/// A peak, or the low point of a valley.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Summit {
    /// Position to the east, from 0 to 1.
    pub u: f32,
    /// Position to the south, from 0 to 1.
    pub v: f32,
    /// Height of the point in metres.
    pub height_metres: f64,
    /// Height above the highest saddle that leads to a higher point, in metres; for a valley, depth below the lowest
    /// saddle that leads to a deeper point.
    pub prominence_metres: f64,
}

/// The peaks and valleys of a terrain.
#[derive(Clone, Debug, PartialEq)]
pub struct Summits {
    /// Minimum prominence of the listed peaks and valleys, in metres.
    pub least_metres: f64,
    /// Peaks, the most prominent first.
    pub peaks: Vec<Summit>,
    /// Valleys, the most prominent first.
    pub valleys: Vec<Summit>,
}

/// Peaks and valleys of `ground` with their prominence.
pub fn summits(ground: &DistinctSamples, limits: &Limits, control: &Control) -> Result<Summits, Cancelled> {
    let above = |h: f32| if h > ground.sea { h } else { ground.sea };
    let relief = ground.metres(above(ground.all.high)) - ground.metres(above(ground.all.low));
    let least_metres = if limits.prominence > 0.0 { f64::from(limits.prominence) } else { DEFAULT_SHARE * relief };
    let mesh = FlowMesh::new(ground.terrain.grid);
    let side = |sign: f32| -> Result<Vec<Summit>, Cancelled> {
        // A void is neither a summit nor a low point: the terrain ends at a void as at an open edge.
        let walled = ground.with_void_at(f32::NAN);
        let level = |&h: &f32| if h.is_nan() { f32::INFINITY } else { sign * above(h) };
        let surface: Vec<f32> = walled.par_iter().map(level).collect();
        // The terrain has no depression deeper than its whole height range.
        let rim = sign * above(if sign > 0.0 { ground.all.high } else { ground.all.low });
        let mut found: Vec<(u32, f64)> = Vec::new();
        for depression in depressions(&mesh, &surface, control)? {
            let spill_level = depression.spill_level.unwrap_or(rim);
            let prominence = ground.metres(spill_level) - ground.metres(surface[depression.pit as usize]);
            if prominence > 0.0 && prominence >= least_metres {
                found.push((depression.pit, prominence));
            }
        }
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let place = |index: usize| ground.terrain.grid.position(index);
        let summit = |&(pit, prominence_metres): &(u32, f64)| Summit {
            u: place(pit as usize % ground.terrain.samples()),
            v: place(pit as usize / ground.terrain.samples()),
            height_metres: ground.metres(sign * surface[pit as usize]),
            prominence_metres,
        };
        Ok(found.iter().map(summit).collect())
    };
    let (peaks, valleys) = rayon::join(|| side(-1.0), || side(1.0));
    Ok(Summits { least_metres, peaks: peaks?, valleys: valleys? })
}
