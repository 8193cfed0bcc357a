//! Channels for trunk streams on plains without channels: their courses and depths.
//! [`trunk_streams`](crate::channels::trunk_streams) decides when channels are cut, and
//! [`stream_courses`](crate::channels::stream_courses) cuts them.
//!
//! Law, with h the terrain height, c the cell size of its grid and s its slope as rise over run, at most [`STEEPEST`]:
//! - Water flows over the surface h' = h + [`WANDERING`]·s·Σ p·c·n_p. The n_p are random values from -1 to 1 at every
//!   p-th sample, interpolated between these samples, with p = 8 and 4 ([`REACHES`]). On a uniform slope streams then
//!   turn by up to about 40° from the steepest descent. Steepest descent without random heights would give straight
//!   lines in the eight grid directions. On terrain steeper than [`STEEPEST`] the streams follow the valleys of the
//!   terrain.
//! - A channel bed falls downstream. Its height at a sample is the lowest terrain height along the stream from its
//!   source to the sample, but at most [`CUT`]·c below the terrain of the sample.
//! - The channel is d = [`DEPTH`]·c·(A/A₁)^[`DEPTH_EXPONENT`] deep, and at most [`DEEPEST`] times as deep as at A = A₁.
//!   Here A is the drainage area, and A₁ is 1 % of the area of the terrain.
//!
//! Measured: the trunk streams of *Droplet gullies* on 4097 samples a side were compared with those on 513 samples.
//! Without channels, a fraction of 0.78 of the finer streams was within a cell of the coarser streams; with channels,
//! 0.98. The following alternatives were rejected. Their fractions are for 2049 samples, with the same depth for all
//! streams:
//! - streams without random heights, 0.97: on every uniform slope they run straight, along rows and diagonals of the
//!   grid;
//! - random receivers (Fairfield & Leymarie 1991) instead of random heights, 0.94 to 0.96;
//! - beds with the shape that the droplets give them, 0.96: channels became deep trenches.
//!
//! Source: stream depth grows with discharge to the power 0.4, Leopold & Maddock 1953. The random heights are a method
//! of our own.

use rayon::prelude::*;

use crate::Context;
use talweg_ground::field::{Cancelled, Edges, Grid, Stream, Terrain, resample};
use talweg_ground::hydrology::FlowGraph;

use crate::channels::stream_courses::CHANNEL;

/// Least drainage area of a stream with a channel, as a fraction of the terrain's area.
pub const LEAST_SHARE: f32 = 0.001;
/// Factor on the random heights that make streams wander on uniform slopes.
const WANDERING: f32 = 0.7;
/// Spacings, in samples, of the random values that deflect the streams.
const REACHES: [usize; 2] = [8, 4];
/// Slope, as rise over run, at which streams wander most. On steeper terrain the random heights do not grow further,
/// and the valleys guide the water.
const STEEPEST: f32 = 0.08;
/// Distance, in samples to each side, over which a slope is measured.
const SLOPE_REACH: usize = 3;
/// Maximum depth, in cells, to which a bed is lowered below the terrain so that the bed falls downstream.
const CUT: f32 = 0.1;
/// Channel depth at a drainage area of 1 % of the terrain, in cells. On hills a few kilometres wide it is 2 m.
const DEPTH: f32 = 0.06;
const DEPTH_EXPONENT: f32 = 0.4;
/// Maximum channel depth as a multiple of [`DEPTH`].
const DEEPEST: f32 = 2.0;
/// Salt that makes the random values of the wandering independent of those of the process.
const WANDERING_SALT: u64 = 0x3a9d;

/// Cell size of the grid as a fraction of the relief.
fn cell_height(cx: &Context, grid: Grid) -> f32 {
    cx.size_metres * grid.cell() / cx.relief_metres
}

/// Returns the heights of `ground` plus the low random relief that deflects streams on uniform slopes. The random
/// values depend on the layer of `cx`.
///
/// # Errors
/// If the evaluation is cancelled.
pub fn wandering_ground(cx: &Context, ground: &Terrain) -> Result<Vec<f32>, Cancelled> {
    let (grid, height, cell) = (ground.grid, &ground.height, cell_height(cx, ground.grid));
    let n = grid.samples;
    let [before, after] = [false, true].map(|after| {
        let beside = move |k: usize| match (grid.edges, after) {
            (Edges::Wrap, false) => (k + n - 1 - SLOPE_REACH) % (n - 1),
            (Edges::Wrap, true) => (k + SLOPE_REACH) % (n - 1),
            (Edges::Open, false) => k.saturating_sub(SLOPE_REACH),
            (Edges::Open, true) => {
                if k + SLOPE_REACH < n {
                    k + SLOPE_REACH
                } else {
                    n - 1
                }
            }
        };
        (0..n).map(beside).collect::<Vec<usize>>()
    });
    let cells = |k: usize| match grid.edges {
        Edges::Wrap => 2 * SLOPE_REACH,
        Edges::Open => after[k] - before[k],
    };
    let slope = |k: usize| {
        let [i, j] = [k / n, k % n];
        let south = (height[after[i] * n + j] - height[before[i] * n + j]) / cells(i) as f32;
        let east = (height[i * n + after[j]] - height[i * n + before[j]]) / cells(j) as f32;
        let slope = (south * south + east * east).sqrt() / cell;
        if slope < STEEPEST { slope } else { STEEPEST }
    };
    let mut led = height.clone();
    for reach in REACHES {
        let wide = Grid::new((n - 1) / reach + 1, grid.edges);
        let random = cx.random.fork(WANDERING_SALT ^ reach as u64);
        let noise = resample(wide, grid, &random_values(wide, random), cx.control)?;
        let most = WANDERING * reach as f32 * cell;
        led.par_iter_mut().enumerate().for_each(|(k, height)| *height += most * slope(k) * noise[k]);
    }
    grid.close(&mut led);
    Ok(led)
}

fn random_values(grid: Grid, random: Stream) -> Vec<f32> {
    let mut values: Vec<f32> =
        (0..grid.len()).map(|k| random.signed((k / grid.samples) as i32, (k % grid.samples) as i32)).collect();
    grid.close(&mut values);
    values
}

/// Returns the bed heights along `samples` of `ground`, and the terrain height elsewhere. `area` is the number of cells
/// that drain through each sample along the receivers of `graph`.
/// [`StreamCourses`](crate::channels::stream_courses::StreamCourses) later cuts a channel of depth
/// [`CHANNEL`] below these heights.
pub fn beds(cx: &Context, ground: &Terrain, samples: &[u32], graph: &FlowGraph, area: &[f32]) -> Vec<f32> {
    let (grid, cell) = (ground.grid, cell_height(cx, ground.grid));
    // Sorting by drainage area orders the samples downstream, because a receiver always has a larger area than its
    // donors.
    let mut downstream = samples.to_vec();
    downstream.sort_by(|&a, &b| area[a as usize].total_cmp(&area[b as usize]));
    let mut bed = ground.height.clone();
    for &from in &downstream {
        let (from, to) = (from as usize, graph.receivers[from as usize] as usize);
        let deepest = ground.height[to] - CUT * cell;
        let falling = if bed[from] < bed[to] { bed[from] } else { bed[to] };
        bed[to] = if falling > deepest { falling } else { deepest };
    }
    let usual = 0.01 * grid.distinct_len() as f32;
    for &k in samples {
        let share = libm::powf(area[k as usize] / usual, DEPTH_EXPONENT);
        let depth = DEPTH * if share < DEEPEST { share } else { DEEPEST };
        bed[k as usize] -= (depth - CHANNEL) * cell;
    }
    bed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channels::stream_courses::tests::context;
    use talweg_ground::field::Control;
    use talweg_ground::hydrology::{FlowMesh, FlowRouting, Outlets, accumulate};

    /// A plain of 257 samples a side that falls to the west with the slope `slope`.
    fn plain(cx: &Context, slope: f32) -> Terrain {
        let mut ground = Terrain::flat(cx.grid);
        let n = cx.grid.samples;
        let fall = slope * cell_height(cx, cx.grid);
        ground.height = (0..cx.grid.len()).map(|k| fall * (k % n) as f32).collect();
        ground
    }

    /// Returns the flow graph of `height`, the samples with at least the least drainage area, and all drainage areas.
    fn drained(cx: &Context, height: &[f32]) -> (FlowGraph, Vec<u32>, Vec<f32>) {
        let mesh = FlowMesh::new(cx.grid);
        let outlets = Outlets::new(cx.grid, height, f32::NEG_INFINITY);
        let graph = FlowGraph::new(&mesh, height, &outlets, FlowRouting::D8, cx.control).unwrap();
        let mut area = mesh.areas();
        accumulate(&graph.receivers, &mut area, cx.control).unwrap();
        let least = LEAST_SHARE * cx.grid.distinct_len() as f32;
        let samples = (0..cx.grid.len() as u32).filter(|&k| area[k as usize] >= least).collect();
        (graph, samples, area)
    }

    #[test]
    fn streams_on_even_slopes_wander_and_level_ground_is_unchanged() {
        let control = Control::default();
        for edges in [Edges::Open, Edges::Wrap] {
            let grid = Grid::new(257, edges);
            let cx = context(grid, &control);
            let ground = plain(&cx, 0.0);
            assert_eq!(wandering_ground(&cx, &ground).unwrap(), ground.height);
        }
        let cx = context(Grid::new(257, Edges::Open), &control);
        let ground = plain(&cx, 0.03);
        let along_rows = |height: &[f32]| {
            let (graph, samples, area) = drained(&cx, height);
            let straight = samples.iter().filter(|&&k| k == graph.receivers[k as usize] + 1).count();
            let most = area.iter().fold(0.0, |most: f32, &area| if area > most { area } else { most });
            (straight as f32 / samples.len() as f32, most)
        };
        let (straight, wandering) = (along_rows(&ground.height), along_rows(&wandering_ground(&cx, &ground).unwrap()));
        // On the plain without random heights the water of each row flows along the row to the sample at the edge.
        assert!(straight.0 > 0.99 && straight.1 <= 257.0, "{straight:?}");
        assert!(wandering.0 < 0.75 && wandering.1 > 1500.0, "{wandering:?}");
    }

    #[test]
    fn beds_fall_downstream_and_channels_deepen_with_drainage() {
        let control = Control::default();
        let cx = context(Grid::new(257, Edges::Open), &control);
        let cell = cell_height(&cx, cx.grid);
        let mut ground = plain(&cx, 0.03);
        ground.height = wandering_ground(&cx, &ground).unwrap();
        let (graph, samples, area) = drained(&cx, &ground.height);
        // One step across the streams is higher than the depth limit `CUT`, and another step is lower than the limit.
        for k in 0..cx.grid.len() {
            match k % 257 {
                100 => ground.height[k] += 5.0 * CUT * cell,
                60 => ground.height[k] += 0.2 * CUT * cell,
                _ => {}
            }
        }
        let beds = beds(&cx, &ground, &samples, &graph, &area);
        let usual = 0.01 * cx.grid.distinct_len() as f32;
        let own = |k: usize| {
            let share = libm::powf(area[k] / usual, DEPTH_EXPONENT);
            DEPTH * if share < DEEPEST { share } else { DEEPEST }
        };
        let depth = |k: usize| (ground.height[k] - beds[k]) / cell + CHANNEL;
        let (mut deepest, mut rising) = (0.0f32, 0);
        for k in samples.iter().map(|&k| k as usize) {
            assert!(depth(k) > own(k) - 1e-3 && depth(k) < own(k) + CUT + 1e-3, "{} beside {}", depth(k), own(k));
            deepest = if own(k) > deepest { own(k) } else { deepest };
            // Beds fall downstream, except across the high step and out of hollows that the random heights closed.
            let below = graph.receivers[k] as usize;
            if beds[below] > beds[k] + 1e-6 {
                assert!((depth(below) - own(below) - CUT).abs() < 1e-3, "{k}: {} to {}", beds[k], beds[below]);
                rising += 1;
            }
        }
        assert!(rising > 0 && 20 * rising < samples.len(), "{rising} of {}", samples.len());
        assert!(deepest > 0.5 * DEPTH, "{deepest}");
        let mut elsewhere = vec![true; cx.grid.len()];
        samples.iter().for_each(|&k| elsewhere[k as usize] = false);
        assert!((0..cx.grid.len()).all(|k| !elsewhere[k] || beds[k] == ground.height[k]));
    }
}
