//! Fills samples without data. The filled surface has the shape of a membrane that is stretched across each hole and
//! fixed to the known samples at the rim of the hole.
//!
//! Equation: Laplace's equation, so each filled sample is the mean of its four neighbours, or of fewer neighbours at
//! the border of the raster. The filled surface is smooth, stays between the lowest and the highest height of the rim,
//! and continues a uniform slope.
//!
//! Scheme: cascadic multigrid (Bornemann & Deuflhard 1996). Known samples are averaged to grids of half the size until
//! no hole is left. Then the grids are solved from the coarsest to the finest. Each grid starts from the interpolated
//! solution of the coarser grid and is relaxed by red-black Gauss-Seidel, with twice as many sweeps on each coarser
//! grid. The total work equals about twenty sweeps over the holes.

use rayon::prelude::*;

/// Number of sweeps on the finest grid.
const SWEEPS: usize = 12;
/// Maximum number of sweeps on any grid. Only coarse grids would need more sweeps, and they have converged by then.
const MOST_SWEEPS: usize = 800;

/// A grid of the multigrid hierarchy.
struct CoarseGrid {
    width: usize,
    height: usize,
    values: Vec<f32>,
    is_void: Vec<bool>,
}

/// Returns `values` with new values for the samples where `is_void` is set. If all samples are void, returns zeros.
pub fn filled_gaps(values: &[f32], is_void: &[bool], width: usize) -> Vec<f32> {
    let finest = CoarseGrid { width, height: values.len() / width, values: values.to_vec(), is_void: is_void.to_vec() };
    let mut grids = vec![finest];
    while let Some(last) = grids.last()
        && last.is_void.contains(&true)
        && last.width.max(last.height) > 1
    {
        let next = last.halved();
        grids.push(next);
    }
    let mut sweeps = SWEEPS;
    let mut counts: Vec<usize> = Vec::with_capacity(grids.len());
    for _ in &grids {
        counts.push(sweeps);
        sweeps = (2 * sweeps).min(MOST_SWEEPS);
    }
    let Some(mut coarse) = grids.pop() else { return Vec::new() };
    counts.pop();
    while let (Some(mut grid), Some(sweeps)) = (grids.pop(), counts.pop()) {
        grid.interpolate_from(&coarse);
        let [red, black] = [0, 1].map(|colour| grid.holes(colour));
        for _ in 0..sweeps {
            grid.relax(&red);
            grid.relax(&black);
        }
        coarse = grid;
    }
    coarse.values
}

impl CoarseGrid {
    /// A grid of half the width and height. Each of its samples is the mean of the known samples among four samples of
    /// this grid.
    fn halved(&self) -> Self {
        let (width, height) = (self.width.div_ceil(2), self.height.div_ceil(2));
        let mut made = Self { width, height, values: vec![0.0; width * height], is_void: vec![true; width * height] };
        for i in 0..height {
            for j in 0..width {
                let (mut sum, mut count) = (0.0, 0.0);
                for row in 2 * i..(2 * i + 2).min(self.height) {
                    for column in 2 * j..(2 * j + 2).min(self.width) {
                        let k = row * self.width + column;
                        if !self.is_void[k] {
                            sum += self.values[k];
                            count += 1.0;
                        }
                    }
                }
                if count > 0.0 {
                    (made.values[i * width + j], made.is_void[i * width + j]) = (sum / count, false);
                }
            }
        }
        made
    }

    /// Initialises the holes by interpolation from the coarser grid.
    fn interpolate_from(&mut self, coarse: &Self) {
        let place = |k: usize, count: usize| {
            // The centre of a coarse sample is midway between the two fine samples that it combines.
            let x = (0.5 * k as f32 - 0.25).clamp(0.0, (count - 1) as f32);
            let cell = (x as usize).min(count.saturating_sub(2));
            (cell, (cell + 1).min(count - 1), x - cell as f32)
        };
        let width = self.width;
        self.values.par_chunks_mut(width).zip(self.is_void.par_chunks(width)).enumerate().for_each(
            |(i, (row, void))| {
                let (above, below, down) = place(i, coarse.height);
                for (j, value) in row.iter_mut().enumerate().filter(|(j, _)| void[*j]) {
                    let (left, right, along) = place(j, coarse.width);
                    let at = |i: usize| {
                        let [a, b] = [left, right].map(|j| coarse.values[i * coarse.width + j]);
                        a + (b - a) * along
                    };
                    let (a, b) = (at(above), at(below));
                    *value = a + (b - a) * down;
                }
            },
        );
    }

    /// Sets the hole samples of one chessboard colour to the means of their neighbours, which have the other colour.
    fn relax(&mut self, holes: &[u32]) {
        let (width, height) = (self.width, self.height);
        for &hole in holes {
            let k = hole as usize;
            let (i, j) = (k / width, k % width);
            let (mut sum, mut count) = (0.0, 0.0);
            let mut take = |k: usize| {
                sum += self.values[k];
                count += 1.0;
            };
            if i > 0 {
                take(k - width);
            }
            if j > 0 {
                take(k - 1);
            }
            if j + 1 < width {
                take(k + 1);
            }
            if i + 1 < height {
                take(k + width);
            }
            if count > 0.0 {
                self.values[k] = sum / count;
            }
        }
    }

    /// The indices of all samples without data on the squares of one chessboard colour.
    fn holes(&self, colour: usize) -> Vec<u32> {
        let is_of_colour = |k: &usize| self.is_void[*k] && (k / self.width + k % self.width) % 2 == colour;
        (0..self.values.len()).filter(is_of_colour).map(|k| k as u32).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hole(width: usize, height: usize, is_void: impl Fn(usize, usize) -> bool) -> Vec<bool> {
        (0..width * height).map(|k| is_void(k / width, k % width)).collect()
    }

    #[test]
    fn holes_are_filled_with_the_slope_or_saddle_around_them() {
        let (width, height) = (150, 97);
        let laws: [fn(f32, f32) -> f32; 2] = [|x, y| 0.3 * x + 0.5 * y, |x, y| 0.5 + (x - 0.5) * (y - 0.5)];
        for law in laws {
            let at = |k: usize| law((k % width) as f32 / 149.0, (k / width) as f32 / 96.0);
            let truth: Vec<f32> = (0..width * height).map(at).collect();
            let round = |i: usize, j: usize| {
                let (y, x) = (i as f32 - 45.0, j as f32 - 70.0);
                x * x + y * y < 900.0
            };
            let is_void = hole(width, height, round);
            let holed: Vec<f32> =
                truth.iter().zip(&is_void).map(|(v, void)| if *void { f32::NAN } else { *v }).collect();
            let made = filled_gaps(&holed, &is_void, width);
            for k in 0..truth.len() {
                assert!(is_void[k] || made[k] == truth[k], "known samples must not change");
                assert!((made[k] - truth[k]).abs() < 0.004, "{k}: {} and {}", made[k], truth[k]);
            }
        }
    }

    #[test]
    fn filled_heights_stay_within_their_rim_and_reach_the_border() {
        let (width, height) = (64, 33);
        let is_void = hole(width, height, |i, j| j > 40 || i == 0 || (i * 7 + j * 13) % 5 == 0);
        let values: Vec<f32> = (0..width * height).map(|k| ((k * 7919) % 101) as f32 / 100.0).collect();
        let made = filled_gaps(&values, &is_void, width);
        let known = || values.iter().zip(&is_void).filter(|(_, void)| !**void).map(|(v, _)| *v);
        let (low, high) = known().fold((1.0f32, 0.0f32), |(lo, hi), v| (lo.min(v), hi.max(v)));
        assert!(made.iter().all(|v| (low..=high).contains(v)));
        // A single thread must give the same result.
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        assert_eq!(one.install(|| filled_gaps(&values, &is_void, width)), made);
        assert_eq!(filled_gaps(&[1.0, 2.0], &[false, false], 2), [1.0, 2.0]);
        assert_eq!(filled_gaps(&[0.0, 2.0], &[true, false], 2), [2.0, 2.0]);
        assert_eq!(filled_gaps(&[0.5; 4], &[true; 4], 2), [0.0; 4], "nothing is known");
    }
}
