//! Differences between two terrains: in metres, in volume, and in the position of their channels.
//!
//! Heights are compared in metres at the samples of the coarser grid. The heights of the finer terrain are interpolated
//! at these samples. Positions are fractions of the side on squares, and directions on planets. Volumes refer to the
//! area of the first terrain. On planets every sample is weighted by its area.
//!
//! Drainage overlap: the channels of each terrain are computed at the terrain's own resolution and then marked on the
//! coarser grid. Both terrains use the same source area, which is the drainage area at which a channel begins. The
//! source area is at least 256 cells of the coarser grid, because the channels of denser networks would coincide by
//! chance.
//!
//! The overlap is a fraction of the marked cells of both terrains. A marked cell counts if the other terrain has a mark
//! on the same cell or on one of the eight neighbouring cells. The overlap is 1 for equal networks or a shift by one
//! cell, and near 0 for unrelated networks.

use rayon::prelude::*;

use super::drainage::{DrainageGround, DrainageNetwork};
use super::ground::{DistinctCells, DistinctSamples, rows};
use super::{Limits, TerrainScale};
use crate::field::metric::{Metric, Spherical};
use crate::field::{Cancelled, Control, Edges, Globe, Grid, Terrain};

/// Minimum source area of a channel, in cells of the coarser grid.
const LEAST_SOURCE_CELLS: f64 = 256.0;

/// The differences between two terrains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// Root mean square difference of the heights.
    pub rms_metres: f64,
    /// Mean absolute difference of the heights.
    pub mean_absolute_metres: f64,
    /// Largest absolute difference of the heights.
    pub largest_metres: f64,
    /// Position of the largest difference, the first in row order if there are several. On a square, the position is in
    /// metres east and south of the north-west corner, in the scale of the first terrain. On a planet, the position is
    /// longitude and latitude in degrees.
    pub largest_at: [f64; 2],
    /// Volume in cubic metres where the second terrain is higher.
    pub volume_gained_m3: f64,
    /// Volume in cubic metres where the second terrain is lower.
    pub volume_lost_m3: f64,
    /// Drainage overlap; `None` if neither terrain has a channel.
    pub drainage_overlap: Option<f64>,
}

/// Compares terrain `b` with terrain `a`; each has its own scale. Both must be squares, or both globes. The result has
/// the same bits for any number of threads.
pub fn difference(
    a: (&Terrain, TerrainScale),
    b: (&Terrain, TerrainScale),
    limits: &Limits,
    control: &Control,
) -> Result<Difference, Cancelled> {
    let samples = a.0.samples().min(b.0.samples());
    if a.0.grid.is_globe() {
        return globe_difference(a, b, samples, limits, control);
    }
    let both_wrap = a.0.grid.edges == Edges::Wrap && b.0.grid.edges == Edges::Wrap;
    let grid = Grid::new(samples, if both_wrap { Edges::Wrap } else { Edges::Open });
    let cells = DistinctCells::new(grid);
    let parts = rows(cells, control, |row| {
        let mut part = PartDifference::default();
        for column in 0..cells.side {
            let [one, two] = [a, b].map(|(terrain, scale)| {
                let h = if terrain.samples() == samples {
                    terrain.height[row * samples + column]
                } else {
                    terrain.height_at(grid.position(column), grid.position(row))
                };
                f64::from(h) * f64::from(scale.relief_metres)
            });
            part.add(two - one, 1.0, [row, column]);
        }
        part
    })?;
    let count = cells.len() as f64;
    let cell_m2 = f64::from(a.1.size_metres) * f64::from(a.1.size_metres) / count;
    let [one, two] = [a, b].map(|(terrain, scale)| DistinctSamples::new(terrain, scale, control));
    let (one, two) = (one?, two?);
    let overlap =
        overlap_of([&one, &two].map(|ground| DrainageGround::of_square(ground)), cell_m2, limits, grid, control)?;
    let joined = PartDifference::joined(&parts);
    let [row, column] = joined.place;
    let metres = |k: usize| f64::from(grid.position(k)) * f64::from(a.1.size_metres);
    Ok(joined.whole(count, cell_m2, overlap, [metres(column), metres(row)]))
}

fn globe_difference(
    a: (&Terrain, TerrainScale),
    b: (&Terrain, TerrainScale),
    samples: usize,
    limits: &Limits,
    control: &Control,
) -> Result<Difference, Cancelled> {
    let (grid, metric) = (Grid::globe(samples), Spherical::of_grid(Grid::globe(samples)));
    let globes = [a, b].map(|(terrain, _)| Globe::new(terrain.samples()));
    let row_difference = |(row, areas): (usize, &[f32])| {
        control.check()?;
        let mut part = PartDifference::default();
        for (column, &area) in areas.iter().enumerate().filter(|&(_, &area)| area > 0.0) {
            let k = row * samples + column;
            let metres = |(terrain, scale): (&Terrain, TerrainScale), globe: &Globe| {
                let h = if terrain.samples() == samples {
                    terrain.height[k]
                } else {
                    globe.sample(&terrain.height, metric.globe().direction_of(k).map(f64::from))
                };
                f64::from(h) * f64::from(scale.relief_metres)
            };
            part.add(metres(b, &globes[1]) - metres(a, &globes[0]), f64::from(area), [row, column]);
        }
        Ok(part)
    };
    let rows = metric.all_owned_areas().par_chunks(samples).enumerate();
    let parts = rows.map(row_difference).collect::<Result<Vec<_>, Cancelled>>()?;
    let count = grid.distinct_len() as f64;
    let cell_m2 = a.1.globe_m2() / count;
    let grounds = [a, b].map(|(terrain, scale)| DrainageGround::of_globe(terrain, scale));
    let overlap = overlap_of(grounds, cell_m2, limits, grid, control)?;
    let joined = PartDifference::joined(&parts);
    let [x, y, z] = metric.globe().direction_of(joined.place[0] * samples + joined.place[1]).map(f64::from);
    let (longitude, latitude) = (libm::atan2(y, x).to_degrees(), libm::asin(z.clamp(-1.0, 1.0)).to_degrees());
    Ok(joined.whole(count, cell_m2, overlap, [longitude, latitude]))
}

/// Partial sums of height differences over some cells, in metres times the mean cell area.
#[derive(Clone, Copy, Default)]
struct PartDifference {
    squares: f64,
    absolute: f64,
    largest: f64,
    /// Row and column of the largest difference among these cells.
    place: [usize; 2],
    gained: f64,
    lost: f64,
}

impl PartDifference {
    fn add(&mut self, d: f64, area: f64, place: [usize; 2]) {
        self.squares += area * d * d;
        self.absolute += area * d.abs();
        if d.abs() > self.largest {
            (self.largest, self.place) = (d.abs(), place);
        }
        self.gained += if d > 0.0 { area * d } else { 0.0 };
        self.lost += if d < 0.0 { -area * d } else { 0.0 };
    }

    /// Combines the sums of `parts` in the order of the list.
    fn joined(parts: &[Self]) -> Self {
        parts.iter().fold(Self::default(), |sum, part| Self {
            squares: sum.squares + part.squares,
            absolute: sum.absolute + part.absolute,
            largest: larger(sum.largest, part.largest),
            place: if part.largest > sum.largest { part.place } else { sum.place },
            gained: sum.gained + part.gained,
            lost: sum.lost + part.lost,
        })
    }

    fn whole(&self, cells: f64, cell_m2: f64, drainage_overlap: Option<f64>, largest_at: [f64; 2]) -> Difference {
        Difference {
            rms_metres: (self.squares / cells).sqrt(),
            mean_absolute_metres: self.absolute / cells,
            largest_metres: self.largest,
            largest_at,
            volume_gained_m3: self.gained * cell_m2,
            volume_lost_m3: self.lost * cell_m2,
            drainage_overlap,
        }
    }
}

/// Drainage overlap of two terrains. Their channels are marked on `grid`, whose cells have an area of `cell_m2`.
fn overlap_of(
    grounds: [DrainageGround; 2],
    cell_m2: f64,
    limits: &Limits,
    grid: Grid,
    control: &Control,
) -> Result<Option<f64>, Cancelled> {
    let [one, two] = &grounds;
    let source_km2 = larger(one.source_km2(limits), LEAST_SOURCE_CELLS * cell_m2 * 1.0e-6);
    let marks = |ground: &DrainageGround| channels(ground, source_km2, grid, control);
    let (one, two) = rayon::join(|| marks(one), || marks(two));
    Ok(overlap(grid, &one?, &two?))
}

fn larger(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

/// For each sample of `grid`, whether a channel of `ground` runs through the sample. If several samples of a globe or a
/// wrapping grid are the same point, only one of them is marked.
fn channels(ground: &DrainageGround, source_km2: f64, grid: Grid, control: &Control) -> Result<Vec<bool>, Cancelled> {
    let mut marks = vec![false; grid.len()];
    if !ground.has_relief {
        return Ok(marks);
    }
    let network = DrainageNetwork::new(ground, source_km2, control)?;
    let last = (grid.samples - 1) as f32;
    let (own, samples) = (ground.grid(), ground.grid().samples);
    let nearest = |index: usize| grid.original((own.position(index) * last + 0.5) as usize);
    for (k, _) in network.orders.iter().enumerate().filter(|&(_, &order)| order > 0) {
        let (face, row, column) = (k / (samples * samples), k / samples % samples, k % samples);
        marks[grid.owner((face * grid.samples + nearest(row)) * grid.samples + nearest(column))] = true;
    }
    Ok(marks)
}

/// Fraction of marked cells for which the other terrain has a mark on the same cell or a neighbouring cell; `None` if
/// there are no marks.
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
