//! Preview accuracy: compares the scene at half its resolution with the full result.
//!
//! The full result is sampled at the positions of the coarse samples: exactly if its number of cells is even, otherwise
//! bilinearly. Then the coarse result is subtracted. Differences are in metres. Rivers are traced in the same way on
//! both coarse fields, so that only the evaluation causes differences between them; see [`channel_overlap`].
//!
//! The [`Verdict`] is *true* if the root mean square difference is at most [`TRUE_SHARE`] of the height range and at
//! least [`TRUE_OVERLAP`] of the rivers match. The verdict is *close* with the limits [`CLOSE_SHARE`] and
//! [`CLOSE_OVERLAP`], otherwise *differs*. If there are no rivers, the heights alone decide.

use serde::Serialize;

use crate::eval::{Playhead, Store, evaluate};
use crate::field::{Cancelled, Control, Terrain};
use crate::hydrology::{FlowGraph, FlowMesh, FlowRouting, Outlets, accumulate};
use crate::scene::{Scene, Settings};

/// Maximum root mean square difference of a true preview, as a fraction of the height range.
pub const TRUE_SHARE: f64 = 0.005;
/// Maximum root mean square difference of a close preview, as a fraction of the height range.
pub const CLOSE_SHARE: f64 = 0.03;
/// Minimum overlap between the rivers of a true preview and those of the full result, as a fraction.
pub const TRUE_OVERLAP: f64 = 0.9;
/// Minimum overlap between the rivers of a close preview and those of the full result, as a fraction.
pub const CLOSE_OVERLAP: f64 = 0.6;

/// Minimum drainage area of a channel cell, as a fraction of the terrain's area.
const CHANNEL_SHARE: f32 = 1.0 / 500.0;
/// Minimum drainage area of a channel cell, in cells.
const CHANNEL_CELLS: f32 = 16.0;

/// Comparison of a scene with its evaluation at half the resolution.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Parity {
    /// Samples per side of the full result.
    pub samples: usize,
    /// Samples per side of the preview.
    pub half_samples: usize,
    /// Root mean square height difference between the two results, in metres.
    pub rms_metres: f64,
    /// Greatest height difference between the two results, in metres.
    pub greatest_metres: f64,
    /// Height range of the full result, in metres.
    pub range_metres: f64,
    /// Fraction of the channel cells that match between both results; `None` if neither result has channels.
    pub drainage_overlap: Option<f64>,
    /// Accuracy of the scene's previews.
    pub verdict: Verdict,
}

/// Accuracy of a preview.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The preview matches the full result.
    True,
    /// The preview shows the same landforms, but their details differ.
    Close,
    /// The preview shows different landforms.
    Differs,
}

impl Verdict {
    /// The verdict as one word.
    pub fn word(self) -> &'static str {
        match self {
            Self::True => "true",
            Self::Close => "close",
            Self::Differs => "differs",
        }
    }

    /// One sentence that explains the verdict to a user who sees a preview.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::True => "The preview matches the full size.",
            Self::Close => {
                "The preview is close: landforms stay the same, but details and some rivers change at full size."
            }
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

/// Samples per side of a grid with twice the spacing.
pub fn half_samples(samples: usize) -> usize {
    (samples - 1) / 2 + 1
}

/// Evaluates `scene` at half the resolution of its result `full`, and compares the two.
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

/// Compares a full result with a coarser result of the same scene.
pub fn compare(full: &Terrain, half: &Terrain, settings: &Settings, control: &Control) -> Result<Parity, Cancelled> {
    let expected = sampled_down(full, half);
    let grid = half.grid;
    let distinct = grid.distinct_side();
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

/// The heights of `full` at the sample positions of `coarse`.
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

/// Compares the channel cells of two terrains on one grid. A channel cell matches if the other terrain has a channel
/// cell at the same or a neighbouring cell. Returns the matching fraction; `None` if neither terrain has channels.
/// `sea` is the sea level as a fraction of the relief.
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

/// Marks the channel cells: cells with a large enough drainage area after all depressions are filled.
fn channels(terrain: &Terrain, sea: f32, control: &Control) -> Result<Vec<bool>, Cancelled> {
    let (mesh, height) = (FlowMesh::new(terrain.grid), &terrain.height[..]);
    let outlets = Outlets::new(terrain.grid, height, sea);
    let graph = FlowGraph::new(&mesh, height, &outlets, FlowRouting::D8, control)?;
    let mut area = mesh.areas();
    accumulate(&graph.receivers, &mut area, control)?;
    let least = (CHANNEL_SHARE * terrain.grid.distinct_len() as f32).max(CHANNEL_CELLS);
    Ok((0..mesh.len()).map(|k| area[k] >= least && graph.receivers[k] as usize != k).collect())
}
