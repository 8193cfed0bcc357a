//! The slope statistics by which Le Martelot 2005 judges erosion.
//!
//! The slope s(i, j) is the greatest absolute height difference between a sample and its four von Neumann neighbours.
//! Neighbours wrap around the edges only if the terrain does. Void neighbours are skipped, and a void sample has no
//! slope. On a globe each difference is scaled to the side of a mean cell and weighted by area, so that s does not
//! depend on the orientation of the grid.
//!
//! The erosion score is ε = σ(s) / mean(s), where σ(s) is the standard deviation of s. The score is high if level
//! terrain and steep relief occur together, and does not depend on the vertical scale. Le Martelot 2005 describes s
//! differently: as the difference between any two neighbours, not as the greatest of four differences. [`pair_slopes`]
//! computes the score from that definition. The text also words σ differently: as the mean of the deviations of the
//! slopes from their mean, Σ |s - mean(s)| / n. [`PairSlopes::worded_score`] follows the text in both points.
//!
//! Source: Le Martelot 2005, §3.3.3; Olsen 2004.

use rayon::prelude::*;
use serde::Serialize;

use crate::field::metric::{GridMetric, Metric, RowMetric, Spherical};
use crate::field::topology::{EAST, NORTH, SOUTH, WEST};
use crate::field::{HAS_GROUND, MapKind, Terrain};

/// Mean and standard deviation of the slopes s over all distinct samples, as fractions of the relief.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Slopes {
    /// Mean of the slopes s; 0 on level terrain.
    pub mean: f64,
    /// Standard deviation of the slopes s.
    pub deviation: f64,
}

impl Slopes {
    /// The erosion score: standard deviation divided by mean; 0 on level terrain.
    pub fn erosion_score(&self) -> f64 {
        if self.mean > 0.0 { self.deviation / self.mean } else { 0.0 }
    }
}

/// Statistics of the height differences of all pairs of neighbours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct PairSlopes {
    /// Mean and standard deviation of the differences.
    pub slopes: Slopes,
    /// Mean of the absolute deviations of the differences from their mean.
    pub mean_deviation: f64,
}

impl PairSlopes {
    /// The erosion score as Le Martelot 2005 words it: the mean deviation of the differences divided by their mean; 0
    /// on level terrain.
    pub fn worded_score(&self) -> f64 {
        if self.slopes.mean > 0.0 { self.mean_deviation / self.slopes.mean } else { 0.0 }
    }
}

/// Computes the slopes of `terrain` on the threads of the current pool. The result has the same bits for any number of
/// threads.
pub fn slopes(terrain: &Terrain) -> Slopes {
    slopes_by(&GridMetric::new(terrain.grid), terrain)
}

/// Like [`slopes`], with a precomputed grid metric, for many terrains on the same grid.
pub fn slopes_by(metric: &GridMetric, terrain: &Terrain) -> Slopes {
    let grid = terrain.grid;
    let void = terrain.map(MapKind::Ground).filter(|_| terrain.void_samples() > 0);
    let (rows, count): (Vec<[f64; 2]>, f64) = match metric {
        GridMetric::Uniform if let Some(map) = void => {
            let has_ground = |k: usize| map[k] >= HAS_GROUND;
            let rows = (0..grid.distinct_side()).into_par_iter().map(|i| sums_of_ground(terrain, &has_ground, i));
            let rows: Vec<[f64; 3]> = rows.collect();
            let count = rows.iter().map(|[.., count]| count).sum::<f64>();
            // A terrain without any data has no slopes.
            (rows.iter().map(|&[sum, squares, _]| [sum, squares]).collect(), count.max(1.0))
        }
        GridMetric::Uniform => {
            let distinct = grid.distinct_side();
            ((0..distinct).into_par_iter().map(|i| sums(terrain, i)).collect(), (distinct * distinct) as f64)
        }
        GridMetric::Spherical(metric) => {
            let rows = (0..grid.rows()).into_par_iter().map(|row| sums_by_area(metric, terrain, row)).collect();
            (rows, metric.all_owned_areas().iter().map(|&area| f64::from(area)).sum())
        }
    };
    let [sum, squares] = rows.iter().fold([0.0; 2], |[a, b], [c, d]| [a + c, b + d]);
    let mean = sum / count;
    let variance = squares / count - mean * mean;
    Slopes { mean, deviation: if variance > 0.0 { variance.sqrt() } else { 0.0 } }
}

/// Statistics of the height differences over all pairs of neighbours along rows and columns. Each pair counts once, as
/// Le Martelot 2005 describes the erosion score. The terrain must be a square.
pub fn pair_slopes(terrain: &Terrain) -> PairSlopes {
    let (grid, n) = (terrain.grid, terrain.samples());
    let void = terrain.map(MapKind::Ground).filter(|_| terrain.void_samples() > 0);
    let has_ground = |k: usize| void.is_none_or(|map| map[k] >= HAS_GROUND);
    // The sum of `value` over the differences of all pairs, in a fixed order.
    let sums = |value: &(dyn Fn(f64) -> [f64; 3] + Sync)| -> [f64; 3] {
        let row_sums = |i: usize| {
            let mut sums = [0.0; 3];
            for k in (0..grid.distinct_side()).map(|j| i * n + j).filter(|&k| has_ground(k)) {
                let pairs = [EAST, SOUTH].into_iter().filter_map(|direction| grid.neighbour(k, direction));
                for there in pairs.filter(|&there| has_ground(there)) {
                    let of_pair = value(f64::from((terrain.height[there] - terrain.height[k]).abs()));
                    sums = std::array::from_fn(|at| sums[at] + of_pair[at]);
                }
            }
            sums
        };
        let rows: Vec<[f64; 3]> = (0..grid.distinct_side()).into_par_iter().map(row_sums).collect();
        rows.iter().fold([0.0; 3], |a, b| std::array::from_fn(|at| a[at] + b[at]))
    };
    let [sum, squares, count] = sums(&|d| [d, d * d, 1.0]);
    let mean = if count > 0.0 { sum / count } else { 0.0 };
    let variance = if count > 0.0 { squares / count - mean * mean } else { 0.0 };
    let slopes = Slopes { mean, deviation: if variance > 0.0 { variance.sqrt() } else { 0.0 } };
    let [deviations, ..] = sums(&|d| [(d - mean).abs(), 0.0, 0.0]);
    PairSlopes { slopes, mean_deviation: if count > 0.0 { deviations / count } else { 0.0 } }
}

/// Returns the sums of s and s², and the number of samples, over the distinct samples of row `i` that have data. Void
/// neighbours are skipped.
fn sums_of_ground(terrain: &Terrain, has_ground: &impl Fn(usize) -> bool, i: usize) -> [f64; 3] {
    let (grid, n) = (terrain.grid, terrain.samples());
    let mut sums = [0.0; 3];
    for k in (0..grid.distinct_side()).map(|j| i * n + j).filter(|&k| has_ground(k)) {
        let around = [EAST, NORTH, WEST, SOUTH].into_iter().filter_map(|direction| grid.neighbour(k, direction));
        let falls =
            around.filter(|&there| has_ground(there)).map(|there| (terrain.height[there] - terrain.height[k]).abs());
        let s = f64::from(falls.fold(0.0, |most: f32, fall| if fall > most { fall } else { most }));
        sums = [sums[0] + s, sums[1] + s * s, sums[2] + 1.0];
    }
    sums
}

/// Area-weighted sums of s and s² over the samples of one row of a globe. On a shared border, only the samples that the
/// row's face owns count.
fn sums_by_area(metric: &Spherical, terrain: &Terrain, row: usize) -> [f64; 2] {
    let n = terrain.samples();
    let (distances, areas) = (metric.row(row), &metric.all_owned_areas()[row * n..][..n]);
    let mut sums = [0.0; 2];
    for (column, &area) in areas.iter().enumerate().filter(|&(_, &area)| area > 0.0) {
        let k = row * n + column;
        let per_radian = [EAST, NORTH, WEST, SOUTH].map(|direction| {
            let there = terrain.grid.neighbour(k, direction).map_or(terrain.height[k], |there| terrain.height[there]);
            (there - terrain.height[k]).abs() / distances.distance(direction, column)
        });
        let steepest = per_radian.into_iter().fold(0.0, |most, rise| if rise > most { rise } else { most });
        let s = f64::from(steepest) * metric.spacing();
        sums[0] += f64::from(area) * s;
        sums[1] += f64::from(area) * s * s;
    }
    sums
}

/// Sums of s and s² over the distinct samples of row `i`.
fn sums(terrain: &Terrain, i: usize) -> [f64; 2] {
    const LANES: usize = 8;
    let grid = terrain.grid;
    let (n, distinct) = (grid.samples, grid.distinct_side());
    let here = grid.row(&terrain.height, i);
    // A row without a northern or southern neighbour is compared with itself, so that the difference is 0.
    let north = grid.previous(i).map_or(here, |k| grid.row(&terrain.height, k));
    let south = grid.next(i).map_or(here, |k| grid.row(&terrain.height, k));
    let (west, east) =
        (grid.previous(0).map_or(here[0], |j| here[j]), grid.next(n - 1).map_or(here[n - 1], |j| here[j]));
    let mut wide = Vec::with_capacity(n + 2);
    wide.push(west);
    wide.extend_from_slice(here);
    wide.push(east);
    let wide = &wide[..n + 2];
    let larger = |a: f32, b: f32| if a > b { a } else { b };
    let greatest = |j: usize| {
        let h = here[j];
        let across = larger((h - wide[j]).abs(), (h - wide[j + 2]).abs());
        f64::from(larger(across, larger((h - north[j]).abs(), (h - south[j]).abs())))
    };
    // The partial sums are always combined in the same order.
    let (mut sum, mut squares) = ([0.0f64; LANES], [0.0f64; LANES]);
    let whole = distinct / LANES * LANES;
    for first in (0..whole).step_by(LANES) {
        for k in 0..LANES {
            let s = greatest(first + k);
            sum[k] += s;
            squares[k] += s * s;
        }
    }
    for j in whole..distinct {
        let s = greatest(j);
        sum[j - whole] += s;
        squares[j - whole] += s * s;
    }
    [sum.iter().sum(), squares.iter().sum()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::globe::direction_at;
    use crate::field::{Edges, Globe, Grid};

    fn brute_force(terrain: &Terrain) -> Slopes {
        let (grid, n) = (terrain.grid, terrain.grid.samples);
        let mut all = Vec::new();
        for i in 0..grid.distinct_side() {
            for j in 0..grid.distinct_side() {
                let h = terrain.height[i * n + j];
                let rows = [grid.previous(i), grid.next(i)].into_iter().flatten().map(|r| r * n + j);
                let columns = [grid.previous(j), grid.next(j)].into_iter().flatten().map(|c| i * n + c);
                all.push(rows.chain(columns).map(|k| f64::from((h - terrain.height[k]).abs())).fold(0.0, f64::max));
            }
        }
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        let variance = all.iter().map(|s| (s - mean) * (s - mean)).sum::<f64>() / all.len() as f64;
        Slopes { mean, deviation: variance.sqrt() }
    }

    #[test]
    fn the_score_matches_its_definition() {
        for edges in [Edges::Open, Edges::Wrap] {
            for n in [2, 3, 9, 34] {
                let mut terrain =
                    Terrain::from_fn(n, edges, |u, v| (u * 7.3).fract() * 0.3 + (v * 3.1 + u * u * 5.0).fract());
                terrain.close_seam();
                let (made, known) = (slopes(&terrain), brute_force(&terrain));
                assert!((made.mean - known.mean).abs() < 1e-12, "{n} {edges:?}");
                assert!((made.deviation - known.deviation).abs() < 1e-9, "{n} {edges:?}");
            }
        }
    }

    #[test]
    fn known_terrains_have_known_slopes_and_scores() {
        let flat = slopes(&Terrain::flat(Grid::new(9, Edges::Open)));
        assert_eq!((flat.mean, flat.erosion_score()), (0.0, 0.0));
        let plane = slopes(&Terrain::from_fn(65, Edges::Open, |u, _| u * 0.5));
        assert!((plane.mean - 0.5 / 64.0).abs() < 1e-9 && plane.erosion_score() < 1e-3);
        // The terrain has a step down the middle, so that two columns of 64 are steep.
        let step = slopes(&Terrain::from_fn(64, Edges::Open, |u, _| if u < 0.5 { 0.0 } else { 1.0 }));
        let share = 2.0f64 / 64.0;
        assert!((step.mean - share).abs() < 1e-12);
        assert!((step.erosion_score() - ((1.0 - share) / share).sqrt()).abs() < 1e-9);
    }

    #[test]
    fn the_score_does_not_depend_on_the_vertical_scale() {
        let hills =
            |scale: f32| Terrain::from_fn(65, Edges::Open, |u, v| scale * libm::sinf(9.0 * u) * libm::cosf(7.0 * v));
        let (one, four) = (slopes(&hills(1.0)), slopes(&hills(4.0)));
        assert!((one.erosion_score() - four.erosion_score()).abs() < 1e-12 && four.mean == 4.0 * one.mean);
    }

    /// A globe whose height is the distance from the equatorial plane along `axis`.
    fn tilted(n: usize, axis: usize) -> Terrain {
        let (globe, mut terrain) = (Globe::new(n), Terrain::flat(Grid::globe(n)));
        terrain.height.iter_mut().enumerate().for_each(|(k, h)| *h = globe.direction_of(k)[axis]);
        terrain
    }

    #[test]
    fn a_globe_has_the_slopes_along_its_rows_and_columns_by_area() {
        // The test integrates the exact slope over the solid angle. The exact slope is the greater of the slopes along
        // the row and along the column of the face.
        const STEPS: usize = 240;
        let [mut whole, mut sum, mut squares] = [0.0f64; 3];
        for face in 0..6 {
            for (i, j) in (0..STEPS).flat_map(|i| (0..STEPS).map(move |j| (i, j))) {
                let [u, v] = [j, i].map(|k| (k as f64 + 0.5) / STEPS as f64);
                let near = 1e-4;
                let along = |a: [f64; 3], b: [f64; 3]| {
                    let d: [f64; 3] = std::array::from_fn(|k| b[k] - a[k]);
                    (d, d.iter().map(|x| x * x).sum::<f64>().sqrt())
                };
                let (right, width) = along(direction_at(face, u - near, v), direction_at(face, u + near, v));
                let (down, height) = along(direction_at(face, u, v - near), direction_at(face, u, v + near));
                let angle: f64 = (0..3).map(|k| right[k] * down[k]).sum::<f64>() / (width * height);
                let area = width * height * (1.0 - angle * angle).sqrt();
                let s = (right[2].abs() / width).max(down[2].abs() / height);
                (whole, sum, squares) = (whole + area, sum + area * s, squares + area * s * s);
            }
        }
        let mean = sum / whole;
        let deviation = (squares / whole - mean * mean).sqrt();
        // The slope of a sample is the greater of two differences to neighbours. It exceeds the slope at a point by an
        // amount that decreases with the spacing.
        let n = 129;
        let spacing = (4.0 * std::f64::consts::PI / Grid::globe(n).distinct_len() as f64).sqrt();
        let made = slopes(&tilted(n, 2));
        assert!((made.mean / (mean * spacing) - 1.0).abs() < 0.01, "{made:?}, {} expected", mean * spacing);
        assert!((made.deviation / (deviation * spacing) - 1.0).abs() < 0.03, "{made:?}, {}", deviation * spacing);
        for axis in 0..2 {
            let turned = slopes(&tilted(n, axis));
            assert!((turned.mean / made.mean - 1.0).abs() < 1e-5, "{axis}: {turned:?} and {made:?}");
        }
        assert_eq!(slopes(&Terrain::flat(Grid::globe(9))), Slopes::default());
    }
}
