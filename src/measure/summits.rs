//! Peaks and valleys, counted by their prominence.
//!
//! Law: the prominence of a peak is its height above the highest saddle that leads to a higher one; the highest has the
//! whole relief above the lowest ground. A valley is the same upside down: a low with its depth below the lowest saddle
//! to a deeper one. What has less prominence than [`Limits::prominence`] is not counted, nor is a plateau or a flat
//! counted more than once.
//! Boundary: the sea is level ground, so that an island has its height as prominence and each sea is one low. At open
//! edges and voids the terrain ends: a summit that the edge cuts is a peak, and a valley that leaves over the edge has
//! its low there. A wrapping terrain has no edge.
//! Source: Kirmse & de Ferranti 2017 (prominence); the scheme is that of [`crate::hydrology::depressions`].

use rayon::prelude::*;

use super::Limits;
use super::ground::DistinctSamples;
use crate::field::{Cancelled, Control};
use crate::hydrology::{FlowMesh, depressions};

/// Share of the relief that counts as prominence if none is asked for.
const DEFAULT_SHARE: f64 = 0.02;

/// A peak, or the low of a valley.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Summit {
    /// Position to the east and to the south, from 0 to 1.
    pub u: f32,
    /// Position to the south, from 0 to 1.
    pub v: f32,
    /// Height of the place.
    pub height_metres: f64,
    /// Climb from the highest pass to anything higher; of a valley the same, upside down.
    pub prominence_metres: f64,
}

/// The peaks and valleys, the most prominent first.
#[derive(Clone, Debug, PartialEq)]
pub struct Summits {
    /// Least prominence of what is counted.
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
        // a void is no summit and no low: the terrain ends there as at an open edge
        let walled = ground.with_void_at(f32::NAN);
        let level = |&h: &f32| if h.is_nan() { f32::INFINITY } else { sign * above(h) };
        let surface: Vec<f32> = walled.par_iter().map(level).collect();
        // the deepest depression is as deep as the ground is high
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
