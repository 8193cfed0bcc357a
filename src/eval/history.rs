//! History of an evaluation: statistics of a process over its iterations, and the heights at one position after each
//! layer.
//!
//! Both are read from results cached in the [`Store`]. For a probed position, only layers whose results have left the
//! cache are computed again.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{LayerStep, Playhead, Store, evaluate, plan, scene_up_to};
use crate::field::metric::GridMetric;
use crate::field::{Cancelled, Control, Grid, Terrain};
use crate::measure::{Slopes, slopes_by};
use crate::nodes::MassBalance;
use crate::nodes::multiscale::sample_ratio;
use crate::planet::projection::from_map;
use crate::scene::Scene;

/// Approximate maximum number of key frames per stage whose slopes are measured.
const MOST_MEASURED: u32 = 48;
/// Maximum number of measured iterations in a [`ProcessHistory`]. Longer histories are thinned evenly.
const MOST_MOMENTS: usize = 1000;

/// Statistics of a process, up to the last iteration that has run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProcessHistory {
    /// Index of the layer.
    pub layer: usize,
    /// Number of distinct samples of the grid. Sums divided by this number are means.
    pub cells: usize,
    /// For each grid, the iteration at which the process starts on it; the coarsest grid is first.
    pub levels: Vec<u32>,
    /// Measurements in order of iteration.
    pub moments: Vec<Moment>,
}

/// Measurements of a process after an iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// Number of the iteration on the evaluated grid. At full size this equals the iteration that the scene counts.
    pub iteration: u32,
    /// Mass balance since the first iteration.
    pub mass_balance: MassBalance,
    /// Slope statistics, if this is one of the key frames whose slopes were measured.
    pub slopes: Option<Slopes>,
}

impl ProcessHistory {
    /// Mean change of height per iteration around `moment`, as a fraction of the relief. The change is
    /// 0.5 · (eroded + deposited) + added, from the mass balance.
    pub fn change(&self, moment: usize) -> f64 {
        let Some(now) = self.moments.get(moment) else { return 0.0 };
        let start = Moment { iteration: 0, mass_balance: MassBalance::default(), slopes: None };
        let before = moment.checked_sub(1).map_or(&start, |k| &self.moments[k]);
        let turned =
            |mass_balance: &MassBalance| 0.5 * (mass_balance.eroded + mass_balance.deposited) + mass_balance.added;
        let steps = now.iteration.saturating_sub(before.iteration).max(1);
        (turned(&now.mass_balance) - turned(&before.mass_balance)) / (self.cells.max(1) as f64 * f64::from(steps))
    }
}

/// The steps of the process `layer` on each grid of up to `samples` per side, from the coarsest grid to the finest.
fn level_steps(scene: &Scene, samples: usize, layer: usize) -> Vec<(Grid, LayerStep<'_>)> {
    let levels = scene.layers.get(layer).map_or_else(Vec::new, |layer| layer.levels(samples));
    let on_level = |samples: usize| {
        let steps = plan(scene, samples, None);
        Some((scene.grid(samples), steps.into_iter().find(|step| step.index == layer)?))
    };
    levels.iter().filter_map(|(level, _)| on_level(level.samples)).collect()
}

/// The history of the process `layer`, from the iterations that the store has cached.
pub fn history(scene: &Scene, samples: usize, layer: usize, store: &Store) -> Option<ProcessHistory> {
    scene.layers.get(layer)?;
    let grid = scene.grid(samples);
    let mut moments = Vec::new();
    let (mut begins, mut levels) = (0, Vec::new());
    for (coarse, step) in level_steps(scene, samples, layer) {
        let ratio = sample_ratio(coarse, grid);
        levels.push(begins);
        for stage in &step.stages {
            for (iteration, note) in store.timeline.notes(stage.key).take_while(|(at, _)| *at <= stage.iterations) {
                let mass_balance = note.mass_balance * ratio;
                moments.push(Moment { iteration: begins + iteration, mass_balance, slopes: note.slopes });
            }
            begins += stage.iterations;
        }
    }
    let stride = moments.len().div_ceil(MOST_MOMENTS).max(1);
    let newest = moments.len().saturating_sub(1);
    let moments =
        moments.into_iter().enumerate().filter(|(k, m)| k % stride == 0 || *k == newest || m.slopes.is_some());
    let cells = grid.distinct_len();
    Some(ProcessHistory { layer, cells, levels, moments: moments.map(|(_, m)| m).collect() })
}

/// Measures the slopes of key frames of the process `layer`. The key frames are spread over its iterations; key frames
/// that were measured earlier are skipped. [`history`] then returns the slopes.
///
/// # Errors
/// [`Cancelled`] if `control` requests it; finished measurements are kept.
pub fn measure_key_frame_slopes(
    scene: &Scene,
    samples: usize,
    layer: usize,
    store: &mut Store,
    control: &Control,
) -> Result<(), Cancelled> {
    for (grid, step) in level_steps(scene, samples, layer) {
        let metric = GridMetric::new(grid);
        for stage in &step.stages {
            let known: BTreeSet<u32> =
                store.timeline.notes(stage.key).filter(|(_, note)| note.slopes.is_some()).map(|(at, _)| at).collect();
            let near = stage.iterations.div_ceil(MOST_MEASURED) / 2;
            let mut last = None;
            let mut measured = Vec::new();
            for (at, terrain) in store.timeline.terrains(stage.key).filter(|(at, _)| *at <= stage.iterations) {
                control.check()?;
                let is_new = known.range(at.saturating_sub(near)..=at.saturating_add(near)).next().is_none();
                if is_new && last.is_none_or(|last: u32| at.abs_diff(last) > near) {
                    measured.push((at, slopes_by(&metric, terrain)));
                    last = Some(at);
                }
            }
            for (at, slopes) in measured {
                store.timeline.note_slopes(stage.key, at, slopes);
            }
        }
    }
    Ok(())
}

/// Measures the process `layer` after `iteration` iterations. `None` if the timeline does not have this state.
pub(super) fn moment_at(scene: &Scene, samples: usize, layer: usize, iteration: u32, store: &Store) -> Option<Moment> {
    let mut begins = 0;
    for (grid, step) in level_steps(scene, samples, layer) {
        for stage in &step.stages {
            let at = iteration.checked_sub(begins)?;
            if at <= stage.iterations {
                let (_, terrain) = store.timeline.terrains(stage.key).find(|(known, _)| *known == at)?;
                let (_, note) = store.timeline.notes(stage.key).find(|(known, _)| *known == at)?;
                let mass_balance = note.mass_balance * sample_ratio(grid, scene.grid(samples));
                return Some(Moment {
                    iteration,
                    mass_balance,
                    slopes: Some(slopes_by(&GridMetric::new(grid), terrain)),
                });
            }
            begins += stage.iterations;
        }
    }
    None
}

/// Heights at one position, by layer and by iteration.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PositionProbe {
    /// The position as fractions from 0 to 1 of the terrain's side, towards the east and the south. On a planet,
    /// fractions of a map of all longitudes and latitudes.
    pub place: [f32; 2],
    /// Height after each active layer, from the lowest layer up, as a fraction of the relief. If a playhead is before
    /// the end of its process, the layers above that process count as one entry: the height after the topmost layer.
    pub layers: Vec<(usize, f32)>,
    /// Heights at the key frames of the watched process, by iteration, before the layer's mask and opacity.
    pub heights: Vec<(u32, f32)>,
}

/// Probes one position of `shown`, the evaluation of `scene`. Returns the height after each layer, and the height at
/// the iterations of the process `watched`.
///
/// # Errors
/// [`Cancelled`] if `control` requests it.
pub fn probe(
    scene: &Scene,
    shown: &Arc<Terrain>,
    playhead: Option<Playhead>,
    place: [f32; 2],
    watched: Option<usize>,
    store: &mut Store,
    control: &Control,
) -> Result<PositionProbe, Cancelled> {
    let samples = shown.samples();
    let direction = from_map(place.map(f64::from));
    let height = |terrain: &Terrain| match terrain.grid.shape() {
        Some(globe) => globe.sample(&terrain.height, direction),
        None => terrain.height_at(place[0], place[1]),
    };
    let mut layers = Vec::new();
    let steps = plan(scene, samples, playhead);
    for (k, step) in steps.iter().enumerate() {
        if step.is_above_playhead && k + 1 < steps.len() {
            continue; // layers above the playhead's process count as one entry
        }
        let terrain = if k + 1 == steps.len() {
            shown.clone()
        } else {
            evaluate(&scene_up_to(scene, step.index), samples, playhead, store, control)?.terrain
        };
        layers.push((step.index, height(&terrain)));
    }
    let steps = watched.map_or_else(Vec::new, |layer| level_steps(scene, samples, layer));
    let mut heights: Vec<(u32, f32)> = frames_of(&steps, store, height);
    heights.sort_by_key(|(at, _)| *at);
    heights.dedup_by_key(|(at, _)| *at);
    Ok(PositionProbe { place, layers, heights })
}

fn frames_of(steps: &[(Grid, LayerStep)], store: &Store, height: impl Fn(&Terrain) -> f32) -> Vec<(u32, f32)> {
    let mut begins = 0;
    let mut heights = Vec::new();
    for stage in steps.iter().flat_map(|(_, step)| &step.stages) {
        let frames = store.timeline.terrains(stage.key).filter(|(at, _)| *at <= stage.iterations);
        heights.extend(frames.map(|(at, terrain)| (begins + at, height(terrain))));
        begins += stage.iterations;
    }
    heights
}
