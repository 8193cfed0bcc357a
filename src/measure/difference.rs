//! How two terrains differ: in metres, in volume, and in where their channels run.
//!
//! Heights are compared in metres at the samples of the coarser grid, where the finer one is read between its samples;
//! positions are fractions of the side. Volumes are those of the first terrain's area.
//! Drainage overlap: channels are found on each terrain at its own resolution, with the same source area, and marked on
//! the coarser grid. The source area is at least that of 256 cells of that grid: denser nets would meet by chance. It
//! is the share of the marks of either that have a mark of the other on the same cell or on one of the eight around it:
//! 1 for the same net or one that is shifted by a cell, near 0 for nets that have nothing to do with each other.

use super::drainage::{DrainageNetwork, source_km2};
use super::ground::{DistinctCells, DistinctSamples, rows};
use super::{Limits, TerrainScale};
use crate::field::{Cancelled, Control, Edges, Grid, Terrain};

/// Cells of the coarser grid that drain to a channel at the least.
const LEAST_SOURCE_CELLS: f64 = 256.0;

/// How two terrains differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// Root mean square difference of the heights.
    pub rms_metres: f64,
    /// Mean size of the differences, whichever way.
    pub mean_absolute_metres: f64,
    /// Largest difference, up or down.
    pub largest_metres: f64,
    /// Where the second is higher.
    pub volume_gained_m3: f64,
    /// Where the second is lower.
    pub volume_lost_m3: f64,
    /// None where neither terrain has a channel.
    pub drainage_overlap: Option<f64>,
}

/// How `b` differs from `a`, each with its scale; the same bits for any number of threads.
pub fn difference(
    a: (&Terrain, TerrainScale),
    b: (&Terrain, TerrainScale),
    limits: &Limits,
    control: &Control,
) -> Result<Difference, Cancelled> {
    let samples = a.0.samples().min(b.0.samples());
    let both_wrap = a.0.grid.edges == Edges::Wrap && b.0.grid.edges == Edges::Wrap;
    let grid = Grid::new(samples, if both_wrap { Edges::Wrap } else { Edges::Open });
    let cells = DistinctCells::new(grid);
    let parts = rows(cells, control, |row| {
        let mut part = [0.0f64; 5];
        for column in 0..cells.side {
            let [one, two] = [a, b].map(|(terrain, scale)| {
                let h = if terrain.samples() == samples {
                    terrain.height[row * samples + column]
                } else {
                    terrain.height_at(grid.position(column), grid.position(row))
                };
                f64::from(h) * f64::from(scale.relief_metres)
            });
            let d = two - one;
            part[0] += d * d;
            part[1] += d.abs();
            part[2] = larger(part[2], d.abs());
            part[3] += if d > 0.0 { d } else { 0.0 };
            part[4] += if d < 0.0 { -d } else { 0.0 };
        }
        part
    })?;
    let [squares, absolute, largest, gained, lost] = parts.iter().fold([0.0f64; 5], |sum, part| {
        [sum[0] + part[0], sum[1] + part[1], larger(sum[2], part[2]), sum[3] + part[3], sum[4] + part[4]]
    });
    let count = cells.len() as f64;
    let cell_area = f64::from(a.1.size_metres) * f64::from(a.1.size_metres) / count;
    let [one, two] = [a, b].map(|(terrain, scale)| DistinctSamples::new(terrain, scale, control));
    let (one, two) = (one?, two?);
    let source_km2 = larger(source_km2(&one, limits), LEAST_SOURCE_CELLS * cell_area * 1.0e-6);
    let marks = |ground: &DistinctSamples| channels(ground, source_km2, grid, control);
    let (one, two) = rayon::join(|| marks(&one), || marks(&two));
    Ok(Difference {
        rms_metres: (squares / count).sqrt(),
        mean_absolute_metres: absolute / count,
        largest_metres: largest,
        volume_gained_m3: gained * cell_area,
        volume_lost_m3: lost * cell_area,
        drainage_overlap: overlap(grid, &one?, &two?),
    })
}

fn larger(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

/// The samples of `grid` that channels of `ground` run through; copies are left out.
fn channels(ground: &DistinctSamples, source_km2: f64, grid: Grid, control: &Control) -> Result<Vec<bool>, Cancelled> {
    let mut marks = vec![false; grid.len()];
    if ground.land.is_none_or(|land| land.is_level()) {
        return Ok(marks);
    }
    let network = DrainageNetwork::new(ground, source_km2, control)?;
    let last = (grid.samples - 1) as f32;
    let nearest = |position: f32| grid.original((position * last + 0.5) as usize);
    let samples = ground.terrain.samples();
    for (k, _) in network.orders.iter().enumerate().filter(|&(_, &order)| order > 0) {
        let index = |index: usize| nearest(ground.terrain.grid.position(index));
        marks[index(k / samples) * grid.samples + index(k % samples)] = true;
    }
    Ok(marks)
}

/// Share of the marks of either that have one of the other beside them.
fn overlap(grid: Grid, one: &[bool], two: &[bool]) -> Option<f64> {
    let near =
        |marks: &[bool], k: usize| marks[k] || grid.neighbours(k).into_iter().flatten().any(|there| marks[there]);
    let (mut met, mut all) = (0usize, 0usize);
    for (mine, other) in [(one, two), (two, one)] {
        for k in (0..grid.len()).filter(|&k| mine[k]) {
            all += 1;
            met += usize::from(near(other, k));
        }
    }
    (all > 0).then(|| met as f64 / all as f64)
}
