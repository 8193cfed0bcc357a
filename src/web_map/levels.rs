//! Heights at half, a quarter, an eighth … of the samples, each the weighted mean of those around it (a tent over two
//! steps of the coarser grid), so that far zooms show no noise. Samples without ground do not count.

use rayon::prelude::*;

use crate::field::Terrain;

/// Fewest samples per side of a level.
const FEWEST: usize = 3;

/// One grid, with the outermost samples on the edges of the terrain.
pub(super) struct TerrainLevel {
    n: usize,
    /// Metres; NaN without ground.
    metres: Vec<f32>,
}

/// The terrain at all levels, the finest first.
pub(super) struct TerrainLevels {
    levels: Vec<TerrainLevel>,
}

impl TerrainLevels {
    /// The levels of a square terrain, down to a few samples.
    pub fn new(terrain: &Terrain, relief_metres: f32) -> Self {
        let n = terrain.samples();
        let metres = terrain.height.iter().enumerate();
        let metres = metres.map(|(k, h)| if terrain.has_ground(k) { h * relief_metres } else { f32::NAN });
        let mut levels = vec![TerrainLevel { n, metres: metres.collect() }];
        while let Some(next) = levels.last().filter(|last| last.n > 2 * FEWEST).map(TerrainLevel::halved) {
            levels.push(next);
        }
        Self { levels }
    }

    /// A cell of the finest level, as a part of the side.
    pub fn finest_cell(&self) -> f64 {
        1.0 / (self.levels[0].n - 1) as f64
    }

    /// The level whose cells are at most as long as `step`, a part of the side: the coarsest of them.
    pub fn level(&self, step: f64) -> &TerrainLevel {
        let fits = self.levels.iter().rposition(|level| 1.0 / (level.n - 1) as f64 <= step * (1.0 + 1e-9));
        &self.levels[fits.unwrap_or(0)]
    }
}

impl TerrainLevel {
    fn halved(&self) -> Self {
        let n = self.n.div_ceil(2);
        let step = (self.n - 1) as f64 / (n - 1) as f64;
        // samples and weights along one axis
        let taps: Vec<Vec<(usize, f64)>> = (0..n)
            .map(|index| {
                let middle = index as f64 * step;
                let (low, high) = ((middle - step).max(0.0).ceil() as usize, (middle + step).min((self.n - 1) as f64));
                let weight = |k: usize| 1.0 - (k as f64 - middle).abs() / step;
                (low..=high as usize).map(|k| (k, weight(k))).filter(|(_, weight)| *weight > 0.0).collect()
            })
            .collect();
        let mut metres = vec![f32::NAN; n * n];
        metres.par_chunks_mut(n).enumerate().for_each(|(row, cells)| {
            for (column, cell) in cells.iter_mut().enumerate() {
                let (mut sum, mut weights) = (0.0, 0.0);
                for &(i, down) in &taps[row] {
                    for &(j, right) in &taps[column] {
                        let here = self.metres[i * self.n + j];
                        if !here.is_nan() {
                            sum += f64::from(here) * down * right;
                            weights += down * right;
                        }
                    }
                }
                // ground where at least half of the weight has it
                let all: f64 =
                    taps[row].iter().map(|tap| tap.1).sum::<f64>() * taps[column].iter().map(|tap| tap.1).sum::<f64>();
                *cell = if weights * 2.0 >= all { (sum / weights) as f32 } else { f32::NAN };
            }
        });
        Self { n, metres }
    }

    /// Metres at a place of the terrain, bilinear; none beyond it, and where the nearest sample has no ground.
    pub fn sample(&self, [u, v]: [f64; 2]) -> Option<f32> {
        // half a pixel of rounding at the edges
        const NEAR: f64 = 1e-9;
        if !((-NEAR..=1.0 + NEAR).contains(&u) && (-NEAR..=1.0 + NEAR).contains(&v)) {
            return None;
        }
        let last = (self.n - 1) as f64;
        let (x, y) = (u.clamp(0.0, 1.0) * last, v.clamp(0.0, 1.0) * last);
        let (j, i) = ((x as usize).min(self.n - 2), (y as usize).min(self.n - 2));
        let (right, down) = (x - j as f64, y - i as f64);
        let corners = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(a, b)| {
            let weight = (if a == 1 { down } else { 1.0 - down }) * (if b == 1 { right } else { 1.0 - right });
            (self.metres[(i + a) * self.n + j + b], weight)
        });
        let nearest = (i + usize::from(down >= 0.5)) * self.n + j + usize::from(right >= 0.5);
        if self.metres[nearest].is_nan() {
            return None;
        }
        let there = corners.iter().filter(|(metres, _)| !metres.is_nan());
        let (sum, weights) = there
            .fold((0.0, 0.0), |(sum, weights), (metres, weight)| (sum + f64::from(*metres) * weight, weights + weight));
        Some((sum / weights) as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{Edges, MapKind};

    #[test]
    fn a_slope_is_the_same_at_all_levels_but_for_its_rim() {
        for n in [9, 64, 100, 129] {
            let terrain = Terrain::from_fn(n, Edges::Open, |u, v| 2.0 * u + 5.0 * v);
            let levels = TerrainLevels::new(&terrain, 10.0);
            assert!(levels.levels.len() >= 2);
            for level in &levels.levels {
                let metres = level.sample([0.5, 0.5]).unwrap();
                assert!((metres - 35.0).abs() < 1e-3, "{n}, {}: {metres}", level.n);
                assert_eq!(level.sample([1.1, 0.5]), None);
            }
            assert_eq!(levels.level(1.0 / (n - 1) as f64).n, n);
            assert!(levels.level(0.5).n <= 2 * FEWEST);
        }
    }

    #[test]
    fn nothing_stays_nothing() {
        let mut terrain = Terrain::from_fn(33, Edges::Open, |_, _| 1.0);
        let ground = terrain.map_mut(MapKind::Ground);
        ground.iter_mut().enumerate().filter(|(k, _)| k % 33 < 16).for_each(|(_, value)| *value = 0.0);
        for level in &TerrainLevels::new(&terrain, 7.0).levels {
            assert_eq!(level.sample([0.1, 0.5]), None);
            assert_eq!(level.sample([0.9, 0.5]), Some(7.0));
        }
    }
}
