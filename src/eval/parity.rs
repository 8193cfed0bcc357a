//! Whether a preview tells the truth: the scene at half its resolution beside the full one.
//!
//! The full result is read at the places of the coarse samples (its own samples where its number of cells is even,
//! otherwise bilinearly) and the coarse result is taken from it. Differences are in metres. Rivers are traced on both
//! coarse fields alike, so that what differs is the evaluation and not the tracing: see [`channel_overlap`].
//!
//! The word for it ([`Verdict`]): *true* where the root mean square difference is at most [`TRUE_SHARE`] of the height
//! range and [`TRUE_OVERLAP`] of the rivers lie where they should, *close* up to [`CLOSE_SHARE`] and from
//! [`CLOSE_OVERLAP`] on, otherwise *differs*. Where there are no rivers the heights decide alone.

use serde::Serialize;

use crate::eval::{Playhead, Store, evaluate};
use crate::field::{Cancelled, Control, Terrain};
use crate::hydrology::{FlowGraph, FlowMesh, FlowRouting, Outlets, accumulate};
use crate::scene::{Scene, Settings};

/// Drift over height range up to which a preview is true, and close.
pub const TRUE_SHARE: f64 = 0.005;
/// Drift over height range up to which a preview is close.
pub const CLOSE_SHARE: f64 = 0.03;
/// Rivers in common from which on it is.
pub const TRUE_OVERLAP: f64 = 0.9;
/// Rivers in common from which on it is close.
pub const CLOSE_OVERLAP: f64 = 0.6;

/// A cell that drains this part of the terrain is a channel.
const CHANNEL_SHARE: f32 = 1.0 / 500.0;
/// And this many cells at least.
const CHANNEL_CELLS: f32 = 16.0;

/// What half the resolution makes of a scene.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Parity {
    /// Samples per side of the full result.
    pub samples: usize,
    /// Samples per side of the preview.
    pub half_samples: usize,
    /// Root mean square difference.
    pub rms_metres: f64,
    /// Greatest difference of any place.
    pub greatest_metres: f64,
    /// From the lowest to the highest place of the full result.
    pub range_metres: f64,
    /// Share of the channel cells in common; `None` where neither has channels.
    pub drainage_overlap: Option<f64>,
    /// What that says about previews.
    pub verdict: Verdict,
}

/// How far a preview can be believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// A preview shows what comes.
    True,
    /// It shows the same land with other details.
    Close,
    /// It shows other land.
    Differs,
}

impl Verdict {
    /// One word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::True => "true",
            Self::Close => "close",
            Self::Differs => "differs",
        }
    }

    /// What it means for the one who looks at a preview.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::True => "The preview shows what the full size will be.",
            Self::Close => "The preview is close: shapes hold, details and some rivers move at full size.",
            Self::Differs => "The full size looks different from the preview: judge this scene at full size.",
        }
    }

    fn judge(drift_share: f64, overlap: Option<f64>) -> Self {
        let overlap = overlap.unwrap_or(1.0);
        if drift_share <= TRUE_SHARE && overlap >= TRUE_OVERLAP {
            Self::True
        } else if drift_share <= CLOSE_SHARE && overlap >= CLOSE_OVERLAP {
            Self::Close
        } else {
            Self::Differs
        }
    }
}

/// Samples per side of twice the distance between samples.
pub fn half_samples(samples: usize) -> usize {
    (samples - 1) / 2 + 1
}

/// Evaluates `scene` at half the resolution of `full`, its result, and compares the two.
pub fn parity(
    scene: &Scene,
    full: &Terrain,
    playhead: Option<Playhead>,
    store: &mut Store,
    control: &Control,
) -> Result<Parity, Cancelled> {
    let half = evaluate(scene, half_samples(full.samples()), playhead, store, control)?.terrain;
    compare(full, &half, &scene.settings, control)
}

/// Compares a full result with a coarser one of the same scene.
pub fn compare(full: &Terrain, half: &Terrain, settings: &Settings, control: &Control) -> Result<Parity, Cancelled> {
    let expected = sampled_down(full, half);
    let grid = half.grid;
    let distinct = grid.distinct();
    let metres = f64::from(settings.relief_metres);
    let (mut squares, mut greatest) = (0.0f64, 0.0f64);
    for i in 0..distinct {
        let rows = grid.row(&half.height, i)[..distinct].iter().zip(&grid.row(&expected.height, i)[..distinct]);
        for (a, b) in rows {
            let drift = (f64::from(*a) - f64::from(*b)).abs();
            squares += drift * drift;
            greatest = if drift > greatest { drift } else { greatest };
        }
    }
    control.check()?;
    let (low, high) = full.range();
    let (rms, range) = ((squares / (distinct * distinct) as f64).sqrt(), f64::from(high) - f64::from(low));
    let overlap = channel_overlap(&expected, half, settings.sea_level / settings.relief_metres, control)?;
    let drift_share = if rms == 0.0 { 0.0 } else { rms / range };
    Ok(Parity {
        samples: full.samples(),
        half_samples: half.samples(),
        rms_metres: rms * metres,
        greatest_metres: greatest * metres,
        range_metres: range * metres,
        drainage_overlap: overlap,
        verdict: Verdict::judge(drift_share, overlap),
    })
}

/// The heights of `full` at the places of `coarse`.
fn sampled_down(full: &Terrain, coarse: &Terrain) -> Terrain {
    let (cells, coarse_cells) = (full.samples() - 1, coarse.samples() - 1);
    let mut made = Terrain::flat(coarse.grid);
    let n = coarse.samples();
    for (k, h) in made.height.iter_mut().enumerate() {
        let (i, j) = (k / n, k % n);
        *h = if cells % coarse_cells == 0 {
            let step = cells / coarse_cells;
            full.height[i * step * full.samples() + j * step]
        } else {
            full.height_at(coarse.grid.position(j), coarse.grid.position(i))
        };
    }
    made
}

/// Share of the channel cells of two terrains on one grid that have a channel cell of the other in the same place or
/// one cell beside; `None` if neither has any. `sea` is a fraction of the relief.
pub fn channel_overlap(a: &Terrain, b: &Terrain, sea: f32, control: &Control) -> Result<Option<f64>, Cancelled> {
    let grid = a.grid;
    let (a, b) = (channels(a, sea, control)?, channels(b, sea, control)?);
    let met = |ones: &[bool], others: &[bool]| {
        let is_near = |k: usize| others[k] || grid.neighbours(k).into_iter().flatten().any(|n| others[n]);
        (0..ones.len()).filter(|&k| ones[k] && is_near(k)).count()
    };
    let count = a.iter().chain(&b).filter(|is_channel| **is_channel).count();
    Ok((count > 0).then(|| (met(&a, &b) + met(&b, &a)) as f64 / count as f64))
}

/// The cells where rivers run: those that enough ground drains through, all depressions filled.
fn channels(terrain: &Terrain, sea: f32, control: &Control) -> Result<Vec<bool>, Cancelled> {
    let (mesh, height) = (FlowMesh::new(terrain.grid), &terrain.height[..]);
    let outlets = Outlets::new(terrain.grid, height, sea);
    let graph = FlowGraph::new(&mesh, height, &outlets, FlowRouting::D8, control)?;
    let mut area = mesh.areas();
    accumulate(&graph.receivers, &mut area, control)?;
    let least = (CHANNEL_SHARE * terrain.grid.distinct_len() as f32).max(CHANNEL_CELLS);
    Ok((0..mesh.len()).map(|k| area[k] >= least && graph.receivers[k] as usize != k).collect())
}
